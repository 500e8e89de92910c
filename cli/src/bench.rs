//! `sidle bench`: how fast the library is on a level of the user's own.

use std::{
    hint::black_box,
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};
use clap::Args;
use nalgebra::{Point3, Vector3, vector};
use serde::Serialize;
use sidle::{
    BruteForce, Character, CharacterConfig, Ellipsoid, Octree, Ray3, Scratch, Sweep, TickInput, TriMesh, World,
    mesh::{
        obj::ObjOptions,
        primitives::{PLAYGROUND_SPAWN, playground},
    },
    octree::Visits,
};

use crate::{
    level::load,
    walk::{
        RATE,
        pilot::{Pilot, Random, Wanderer},
        spawn,
    },
};

/// Measures how fast sweeps, rays and walking are in a level.
///
/// Before it measures, it checks that the octree gives the same answers as looking at every triangle.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  sidle bench\n  sidle bench level.obj --seconds 3 --json")]
pub(crate) struct Bench {
    /// The level, an OBJ file; the built-in playground if there is none
    level: Option<PathBuf>,

    /// Where the queries are and which way the wanderer takes
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// How long to measure each figure
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,

    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// A longer measurement is likely a slip of the pen.
const MOST_SECONDS: f64 = 3600.0;
/// Semi-axes of the body, and the speed at which it walks.
const RADII: [f64; 3] = [0.4, 0.9, 0.4];
const SPEED: f64 = 3.0;
/// The way of a tick, and of something that is thrown, in metres.
const SHORT: f64 = 0.1;
const LONG: f64 = 10.0;
/// Different queries; they are asked again and again.
const QUERIES: usize = 4096;
/// The check looks at about so many triangles for each kind of query, in so many queries at most and at least.
const CHECKED_TRIANGLES: usize = 20_000_000;
const MOST_CHECKED: usize = 256;
const LEAST_CHECKED: usize = 4;

/// All that was measured.
#[derive(Debug, Serialize)]
struct Figures {
    level: String,
    triangles: usize,
    /// Queries of each kind that the octree and brute force answered alike.
    checked: usize,
    triangles_per_second: f64,
    short: QueryFigures,
    long: QueryFigures,
    rays: QueryFigures,
    /// Missing where there is no place to walk.
    walking: Option<WalkingFigures>,
}

/// One kind of query.
#[derive(Debug, Serialize)]
struct QueryFigures {
    per_second: f64,
    /// Share of the queries that hit something.
    hits: f64,
    /// Means of a query.
    nodes: f64,
    packets: f64,
    triangles: f64,
}

/// The wanderer.
#[derive(Debug, Serialize)]
struct WalkingFigures {
    ticks_per_second: f64,
    /// Share of the ticks that ended on ground.
    on_ground: f64,
    /// How often it left the level and began anew.
    restarts: usize,
}

/// The questions that are asked of a level.
struct Queries {
    short: Vec<Sweep>,
    long: Vec<Sweep>,
    rays: Vec<Ray3<f64>>,
}

impl Bench {
    pub(crate) fn run(&self) -> Result<()> {
        if !(self.seconds > 0.0 && self.seconds <= MOST_SECONDS) {
            bail!("--seconds must be between 0 and {MOST_SECONDS}");
        }
        let world = World::of_level(Octree::new(self.mesh()?));
        let Some(tree) = world.mesh_of(sidle::world::InstanceId::foreign(0)) else {
            bail!("the level is not in the world");
        };
        let body = Ellipsoid::new(Vector3::from(RADII))?;
        let brute_force = BruteForce::new(tree.mesh().clone());
        let queries = Queries::near(tree, &body, self.seed)?;
        let figures = Figures {
            level: self.level.as_ref().map_or("the playground".into(), |path| path.display().to_string()),
            triangles: tree.mesh().len(),
            checked: queries.check(tree, &brute_force)?,
            triangles_per_second: self.kernel(&brute_force, &queries.long),
            short: self.sweeps(tree, &queries.short),
            long: self.sweeps(tree, &queries.long),
            rays: self.rays(tree, &queries.rays),
            walking: self.walking(&world, tree, &body)?,
        };
        if self.json {
            println!("{}", serde_json::to_string(&figures)?)
        } else {
            figures.print()
        }
        Ok(())
    }

    fn mesh(&self) -> Result<TriMesh<f64>> {
        match &self.level {
            Some(path) => load(path, &ObjOptions::default()),
            None => Ok(playground()),
        }
    }

    fn budget(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    /// Triangles that brute force looks at in a second.
    fn kernel(&self, brute_force: &BruteForce<f64>, sweeps: &[Sweep]) -> f64 {
        let triangles = brute_force.mesh().len();
        let per_second = self.rate(sweeps, 1 + 10_000 / triangles.max(1), |sweep| {
            black_box(brute_force.sweep(sweep));
        });
        triangles as f64 * per_second
    }

    fn sweeps(&self, tree: &Octree<f64>, sweeps: &[Sweep]) -> QueryFigures {
        let per_second = self.rate(sweeps, 64, |sweep| {
            black_box(tree.sweep(sweep));
        });
        QueryFigures::new(per_second, sweeps, |sweep, visits| tree.sweep_counted(sweep, visits).is_some())
    }

    fn rays(&self, tree: &Octree<f64>, rays: &[Ray3<f64>]) -> QueryFigures {
        let per_second = self.rate(rays, 64, |ray| {
            black_box(tree.cast_ray(ray, f64::INFINITY));
        });
        QueryFigures::new(per_second, rays, |ray, visits| tree.cast_ray_counted(ray, f64::INFINITY, visits).is_some())
    }

    /// How many queries are answered in a second; the clock is read after every `batch` of them.
    fn rate<Q>(&self, queries: &[Q], batch: usize, mut answer: impl FnMut(&Q)) -> f64 {
        let begin = Instant::now();
        let mut answered = 0;
        for batch in queries.chunks(batch).cycle() {
            batch.iter().for_each(|query| answer(black_box(query)));
            answered += batch.len();
            if begin.elapsed() >= self.budget() {
                break;
            }
        }
        answered as f64 / begin.elapsed().as_secs_f64()
    }

    /// Lets a wanderer walk until the time is over.
    fn walking(&self, world: &World<f64>, tree: &Octree<f64>, body: &Ellipsoid<f64>) -> Result<Option<WalkingFigures>> {
        let config = CharacterConfig::default();
        let spawn = match self.level {
            None => Some(Point3::from(PLAYGROUND_SPAWN)),
            Some(_) => spawn::find(world, body, config.skin, self.seed),
        };
        let Some(spawn) = spawn else { return Ok(None) };
        let mut character = Character::new(*body, config, spawn + Vector3::y() * (RADII[1] + config.skin))?;
        let start = character.state();
        let lowest = tree.bounds().min.y - 1.0;
        let mut pilot = Wanderer::new(self.seed, SPEED, usize::MAX);
        let mut scratch = Scratch::default();
        let (mut ticks, mut on_ground, mut restarts) = (0_usize, 0_usize, 0);

        let begin = Instant::now();
        while begin.elapsed() < self.budget() {
            for _ in 0..RATE {
                let Some((velocity, jump)) = pilot.next(character.feet(Vector3::y_axis())) else { break };
                let input = TickInput { velocity, jump, ..TickInput::default() };
                character.tick(world, &input, 1.0 / RATE as f64, &mut scratch)?;
                ticks += 1;
                on_ground += usize::from(character.is_on_ground());
            }
            // Falling through nothing costs next to nothing, and would make the figure look better than it is.
            if character.position().y < lowest {
                character.restore(start)?;
                restarts += 1;
            }
        }
        let ticks_per_second = ticks as f64 / begin.elapsed().as_secs_f64();
        Ok(Some(WalkingFigures { ticks_per_second, on_ground: on_ground as f64 / ticks as f64, restarts }))
    }
}

impl Queries {
    /// Queries that start close to a surface, where there is room for the body if room is found.
    fn near(tree: &Octree<f64>, body: &Ellipsoid<f64>, seed: u64) -> Result<Self> {
        let mut random = Random(seed);
        let mut queries = Self { short: Vec::new(), long: Vec::new(), rays: Vec::new() };
        for _ in 0..QUERIES {
            let start = free_start(tree, body, &mut random)?;
            let direction = direction(&mut random);
            queries.short.push(Sweep::new(body, start, direction * SHORT)?);
            queries.long.push(Sweep::new(body, start, direction * LONG)?);
            queries.rays.push(Ray3::new(start, direction)?);
        }
        Ok(queries)
    }

    /// Holds the octree against brute force; the number of queries of each kind.
    fn check(&self, tree: &Octree<f64>, brute_force: &BruteForce<f64>) -> Result<usize> {
        let count = (CHECKED_TRIANGLES / tree.mesh().len().max(1)).clamp(LEAST_CHECKED, MOST_CHECKED);
        let sweeps = self.short.iter().take(count).chain(self.long.iter().take(count));
        for sweep in sweeps {
            if tree.sweep(sweep) != brute_force.sweep(sweep) {
                bail!("the octree and brute force find different first contacts, which is a fault of sidle: {sweep:?}");
            }
        }
        for ray in self.rays.iter().take(count) {
            if tree.cast_ray(ray, f64::INFINITY) != brute_force.cast_ray(ray, f64::INFINITY) {
                bail!("the octree and brute force find different hits of a ray, which is a fault of sidle: {ray:?}");
            }
        }
        Ok(count)
    }
}

/// A place for the body's centre: off a point of a random triangle, free of overlaps if one of some tries is.
fn free_start(tree: &Octree<f64>, body: &Ellipsoid<f64>, random: &mut Random) -> Result<Point3<f64>> {
    const TRIES: usize = 16;
    let mut start = Point3::origin();
    for _ in 0..TRIES {
        let triangle = ((random.unit() * tree.mesh().len() as f64) as usize).min(tree.mesh().len() - 1);
        let [a, b, c] = tree.mesh().triangle(triangle as u32).vertices();
        let (mut u, mut v) = (random.unit(), random.unit());
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        start = a + (b - a) * u + (c - a) * v + direction(random) * (0.4 + random.unit());
        if tree.has_room(&Sweep::new(body, start, Vector3::zeros())?) {
            break;
        }
    }
    Ok(start)
}

/// Uniform on the sphere, by rejection.
fn direction(random: &mut Random) -> Vector3<f64> {
    loop {
        let v = vector![random.unit(), random.unit(), random.unit()] * 2.0 - Vector3::repeat(1.0);
        if (0.01..=1.0).contains(&v.norm_squared()) {
            return v.normalize();
        }
    }
}

impl QueryFigures {
    fn new<Q>(per_second: f64, queries: &[Q], answer: impl Fn(&Q, &mut Visits) -> bool) -> Self {
        let mut visits = Visits::default();
        let hits = queries.iter().filter(|query| answer(query, &mut visits)).count();
        let mean = |sum: usize| sum as f64 / queries.len() as f64;
        Self {
            per_second,
            hits: mean(hits),
            nodes: mean(visits.nodes),
            packets: mean(visits.packets),
            triangles: mean(visits.triangles),
        }
    }

    fn print(&self, name: &str, what: &str) {
        println!(
            "{name} {} {what} a second, {:.0} % of which hit something",
            grouped(self.per_second),
            100.0 * self.hits
        );
        println!(
            "              on average each looks at {:.1} nodes, {:.1} packets and {:.1} triangles",
            self.nodes, self.packets, self.triangles
        );
    }
}

impl Figures {
    fn print(&self) {
        println!("level         {}, {} triangles", self.level, grouped(self.triangles as f64));
        println!(
            "check         the octree answers {0} short motions, {0} long ones and {0} rays as brute force does, to the bit",
            self.checked
        );
        println!("brute force   the exact kernel looks at {} triangles a second", grouped(self.triangles_per_second));
        self.short.print("short        ", &format!("motions of {SHORT} m"));
        self.long.print("long         ", &format!("motions of {LONG} m"));
        self.rays.print("rays         ", "rays without an end");
        match &self.walking {
            Some(walking) => walking.print(),
            None => println!("walking       not measured: no flat floor with room above it was found"),
        }
    }
}

impl WalkingFigures {
    fn print(&self) {
        println!(
            "walking       {} ticks a second, enough for {} characters at {RATE} ticks a second on one core",
            grouped(self.ticks_per_second),
            grouped((self.ticks_per_second / RATE as f64).floor())
        );
        println!("              {:.0} % of the ticks were on ground", 100.0 * self.on_ground);
        if self.restarts > 0 {
            println!("              it fell out of the level and began anew {} times", self.restarts);
        }
    }
}

/// A large number in groups of three digits.
fn grouped(x: f64) -> String {
    let digits = format!("{x:.0}");
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
