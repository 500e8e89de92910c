//! `sidle bench`: how fast the library is on a level of the user's own.

use std::{
    hint::black_box,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};
use clap::Args;
use nalgebra::{Point3, Vector3, vector};
use serde::Serialize;
use sidle::{
    BruteForce, Character, CharacterConfig, Ellipsoid, Octree, Ray3, Real, Scratch, SimdLevel, Sweep, TickInput,
    TriMesh, Triangle, World,
    mesh::{
        obj::ObjOptions,
        primitives::{PLAYGROUND_SPAWN, playground},
    },
    octree::Visits,
    sweep::{TriangleList, sweep_triangle},
};

use crate::{
    level::load,
    replay::Scalar,
    walk::{
        RATE,
        pilot::{Pilot, Random, Wanderer},
        spawn,
    },
};

/// Measures how fast building, sweeps, rays and walking are in a level.
///
/// Before it measures, it checks that the octree gives the same answers as looking at every triangle. All queries are asked
/// one at a time, on one core.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  sidle bench\n  sidle bench level.obj --seconds 3 --json")]
pub(crate) struct Bench {
    /// The level, an OBJ file; the built-in playground if there is none
    level: Option<PathBuf>,

    /// The scalar in which it is stored
    #[arg(long, value_enum, default_value_t = Scalar::F32)]
    scalar: Scalar,

    /// Where the queries are and which way the wanderer takes
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// How long to measure each figure
    #[arg(long, default_value_t = 0.5)]
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
/// The fastest of so many builds counts, if there is time for them.
const BUILDS: usize = 5;
/// Triangles that go through packets in a round, unless the level has more.
const LISTED_TRIANGLES: usize = 2_000_000;
/// Pairs of a motion and a triangle near it, for the exact kernel.
const PAIRS: usize = 4096;

/// All that was measured.
#[derive(Debug, Serialize)]
struct Figures {
    level: String,
    scalar: &'static str,
    triangles: usize,
    /// Queries of each kind that the octree and brute force answered alike.
    checked: usize,
    build: BuildFigures,
    bytes: usize,
    bytes_per_triangle: f64,
    walking_move: QueryFigures,
    cast: QueryFigures,
    ray: QueryFigures,
    passes: PassFigures,
    /// Missing where there is no place to walk.
    walking: Option<WalkingFigures>,
}

/// Building the tree, in seconds.
#[derive(Debug, Serialize)]
struct BuildFigures {
    serial: f64,
    parallel: f64,
    threads: usize,
}

/// One kind of query.
#[derive(Debug, Serialize)]
struct QueryFigures {
    /// Nanoseconds that a query takes with each set of vector instructions, the best one last.
    nanoseconds: Vec<(String, f64)>,
    /// Share of the queries that hit something.
    hits: f64,
    /// Means of a query.
    nodes: f64,
    packets: f64,
    triangles: f64,
}

/// Triangles a second.
#[derive(Debug, Serialize)]
struct PassFigures {
    /// That packets look at, eight at a time, without a tree.
    packets: f64,
    /// That the exact kernel looks at, of those that packets leave over; missing where there are none.
    exact: Option<f64>,
}

/// The wanderer.
#[derive(Debug, Serialize)]
struct WalkingFigures {
    nanoseconds: f64,
    ticks_per_second: f64,
    /// Share of the ticks that ended on ground.
    on_ground: f64,
    /// How often it left the level and began anew.
    restarts: usize,
}

/// The questions that are asked of a level.
struct Queries<T: Real> {
    short: Vec<Sweep>,
    long: Vec<Sweep>,
    rays: Vec<Ray3<T>>,
}

impl Bench {
    pub(crate) fn run(&self) -> Result<()> {
        if !(self.seconds > 0.0 && self.seconds <= MOST_SECONDS) {
            bail!("--seconds must be between 0 and {MOST_SECONDS}");
        }
        let figures = match self.scalar {
            Scalar::F32 => self.measure::<f32>()?,
            Scalar::F64 => self.measure::<f64>()?,
        };
        if self.json {
            println!("{}", serde_json::to_string(&figures)?)
        } else {
            figures.print()
        }
        Ok(())
    }

    fn measure<T: Real>(&self) -> Result<Figures> {
        let mesh = Arc::new(self.mesh::<T>()?);
        let build = self.build(&mesh);
        let tree = Octree::new(mesh.clone());
        let body = Ellipsoid::new(Vector3::from(RADII).map(T::nearest))?;
        let queries = Queries::near(&tree, &body, self.seed)?;
        let checked = queries.check(&tree, &BruteForce::new(mesh.clone()))?;
        let bytes = mesh.memory().total() + tree.statistics().bytes;
        let no_end = T::nearest(f64::INFINITY);
        let cast = |tree: &Octree<T>, sweep: &Sweep, visits: &mut Visits| tree.sweep_counted(sweep, visits).is_some();
        Ok(Figures {
            level: self.level.as_ref().map_or("the playground".into(), |path| path.display().to_string()),
            scalar: std::any::type_name::<T>(),
            triangles: mesh.len(),
            checked,
            build,
            bytes,
            bytes_per_triangle: bytes as f64 / mesh.len() as f64,
            walking_move: self.queries(&tree, &queries.short, cast),
            cast: self.queries(&tree, &queries.long, cast),
            ray: self.queries(&tree, &queries.rays, |tree, ray, visits| {
                tree.cast_ray_counted(ray, no_end, visits).is_some()
            }),
            passes: self.passes(&mesh, &queries.long)?,
            walking: self.walking(tree, &body)?,
        })
    }

    fn mesh<T: Real>(&self) -> Result<TriMesh<T>> {
        match &self.level {
            Some(path) => load(path, &ObjOptions::default()),
            None => Ok(playground()),
        }
    }

    fn budget(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    fn build<T: Real>(&self, mesh: &Arc<TriMesh<T>>) -> BuildFigures {
        let fastest = |build: fn(Arc<TriMesh<T>>) -> Octree<T>| {
            let begin = Instant::now();
            let mut fastest = Duration::MAX;
            for _ in 0..BUILDS {
                let start = Instant::now();
                black_box(build(mesh.clone()));
                fastest = fastest.min(start.elapsed());
                if begin.elapsed() > self.budget() {
                    break;
                }
            }
            fastest.as_secs_f64()
        };
        BuildFigures {
            serial: fastest(Octree::new_serial),
            parallel: fastest(Octree::new),
            threads: rayon::current_num_threads(),
        }
    }

    /// One kind of query with every set of vector instructions.
    fn queries<T: Real, Q>(
        &self,
        tree: &Octree<T>,
        queries: &[Q],
        answer: impl Fn(&Octree<T>, &Q, &mut Visits) -> bool,
    ) -> QueryFigures {
        let nanoseconds = SimdLevel::available().into_iter().map(|level| {
            let tree = tree.clone().with_simd_level(level);
            let per_second = self.rate(queries, |query| {
                black_box(answer(&tree, query, &mut Visits::default()));
            });
            (level.to_string(), 1e9 / per_second)
        });
        let nanoseconds = nanoseconds.collect();
        let mut visits = Visits::default();
        let hits = queries.iter().filter(|query| answer(tree, query, &mut visits)).count();
        let mean = |sum: usize| sum as f64 / queries.len() as f64;
        QueryFigures {
            nanoseconds,
            hits: mean(hits),
            nodes: mean(visits.nodes),
            packets: mean(visits.packets),
            triangles: mean(visits.triangles),
        }
    }

    /// How many triangles go through packets, and through the exact kernel.
    fn passes<T: Real>(&self, mesh: &TriMesh<T>, sweeps: &[Sweep]) -> Result<PassFigures> {
        let list = TriangleList::new(mesh.iter())?;
        let few = (LISTED_TRIANGLES / mesh.len()).clamp(1, sweeps.len());
        let per_second = self.rate(&sweeps[..few], |sweep| {
            black_box(list.sweep(sweep));
        });
        let mut pairs: Vec<(Sweep, Triangle<T>)> = Vec::with_capacity(PAIRS);
        for sweep in sweeps.iter().take(MOST_CHECKED) {
            list.each_candidate(sweep, |triangle| {
                if pairs.len() < PAIRS {
                    pairs.push((*sweep, list.triangles()[triangle]));
                }
            });
        }
        let exact = (!pairs.is_empty()).then(|| {
            self.rate(&pairs, |(sweep, triangle)| {
                black_box(sweep_triangle(sweep, triangle));
            })
        });
        Ok(PassFigures { packets: mesh.len() as f64 * per_second, exact })
    }

    /// How many queries are answered in a second. They are all asked again and again until the time is over, and the fastest
    /// round counts: on a machine that is used for other things too, a round can only be too slow.
    fn rate<Q>(&self, queries: &[Q], mut answer: impl FnMut(&Q)) -> f64 {
        let begin = Instant::now();
        let mut fastest = Duration::MAX;
        while fastest == Duration::MAX || begin.elapsed() < self.budget() {
            let start = Instant::now();
            queries.iter().for_each(|query| answer(black_box(query)));
            fastest = fastest.min(start.elapsed());
        }
        queries.len() as f64 / fastest.as_secs_f64()
    }

    /// Lets a wanderer walk until the time is over.
    fn walking<T: Real>(&self, tree: Octree<T>, body: &Ellipsoid<T>) -> Result<Option<WalkingFigures>> {
        let config = CharacterConfig::default();
        let lowest = tree.bounds().min.y.to_f64() - 1.0;
        let world = World::of_level(tree);
        let skin = CharacterConfig::<f64>::default().skin;
        let spawn = match self.level {
            None => Some(Point3::from(PLAYGROUND_SPAWN)),
            Some(_) => spawn::find(&world, body, skin, self.seed),
        };
        let Some(spawn) = spawn else { return Ok(None) };
        let start = (spawn + Vector3::y() * (RADII[1] + skin)).map(T::nearest);
        let mut character = Character::new(*body, config, start)?;
        let start = character.state();
        let mut pilot = Wanderer::new(self.seed, SPEED, usize::MAX);
        let mut scratch = Scratch::default();
        let (mut on_ground, mut restarts) = (0_usize, 0);
        let mut seconds_of_walk: Vec<Duration> = Vec::new();

        let begin = Instant::now();
        while seconds_of_walk.is_empty() || begin.elapsed() < self.budget() {
            let start_of_second = Instant::now();
            for _ in 0..RATE {
                let feet = character.feet(Vector3::y_axis()).map(T::to_f64);
                let Some((velocity, jump)) = pilot.next(feet) else { break };
                let (velocity, jump) = (velocity.map(T::nearest), jump.map(T::nearest));
                let input = TickInput { velocity, jump, ..TickInput::default() };
                character.tick(&world, &input, T::nearest(1.0 / RATE as f64), &mut scratch)?;
                on_ground += usize::from(character.is_on_ground());
            }
            seconds_of_walk.push(start_of_second.elapsed());
            // Falling through nothing costs next to nothing, and would make the figure look better than it is.
            if character.position().y.to_f64() < lowest {
                character.restore(start)?;
                restarts += 1;
            }
        }
        // The median, as they differ, and some were interrupted.
        seconds_of_walk.sort_unstable();
        let ticks_per_second = RATE as f64 / seconds_of_walk[seconds_of_walk.len() / 2].as_secs_f64();
        Ok(Some(WalkingFigures {
            nanoseconds: 1e9 / ticks_per_second,
            ticks_per_second,
            on_ground: on_ground as f64 / (RATE * seconds_of_walk.len()) as f64,
            restarts,
        }))
    }
}

impl<T: Real> Queries<T> {
    /// Queries that start close to a surface, where there is room for the body if room is found.
    fn near(tree: &Octree<T>, body: &Ellipsoid<T>, seed: u64) -> Result<Self> {
        let mut random = Random(seed);
        let mut queries = Self { short: Vec::new(), long: Vec::new(), rays: Vec::new() };
        for _ in 0..QUERIES {
            let start = free_start(tree, body, &mut random)?;
            let direction = direction(&mut random);
            queries.short.push(Sweep::new(body, start, (direction * SHORT).map(T::nearest))?);
            queries.long.push(Sweep::new(body, start, (direction * LONG).map(T::nearest))?);
            queries.rays.push(Ray3::new(start, direction.map(T::nearest))?);
        }
        Ok(queries)
    }

    /// Holds the octree against brute force; the number of queries of each kind.
    fn check(&self, tree: &Octree<T>, brute_force: &BruteForce<T>) -> Result<usize> {
        let count = (CHECKED_TRIANGLES / tree.mesh().len().max(1)).clamp(LEAST_CHECKED, MOST_CHECKED);
        let sweeps = self.short.iter().take(count).chain(self.long.iter().take(count));
        for sweep in sweeps {
            if tree.sweep(sweep) != brute_force.sweep(sweep) {
                bail!("the octree and brute force find different first contacts, which is a fault of sidle: {sweep:?}");
            }
        }
        let no_end = T::nearest(f64::INFINITY);
        for ray in self.rays.iter().take(count) {
            if tree.cast_ray(ray, no_end) != brute_force.cast_ray(ray, no_end) {
                bail!("the octree and brute force find different hits of a ray, which is a fault of sidle: {ray:?}");
            }
        }
        Ok(count)
    }
}

/// A place for the body's centre: off a point of a random triangle, free of overlaps if one of some tries is.
fn free_start<T: Real>(tree: &Octree<T>, body: &Ellipsoid<T>, random: &mut Random) -> Result<Point3<T>> {
    const TRIES: usize = 16;
    let mut start = Point3::origin();
    for _ in 0..TRIES {
        let triangle = ((random.unit() * tree.mesh().len() as f64) as usize).min(tree.mesh().len() - 1);
        let [a, b, c] = tree.mesh().triangle(triangle as u32).vertices().map(|vertex| vertex.map(T::to_f64));
        let (mut u, mut v) = (random.unit(), random.unit());
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        start = (a + (b - a) * u + (c - a) * v + direction(random) * (0.4 + random.unit())).map(T::nearest);
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

impl Figures {
    fn print(&self) {
        println!("level         {}, {} triangles in {}", self.level, grouped(self.triangles as f64), self.scalar);
        println!(
            "check         the octree answers {0} walking moves, {0} casts and {0} rays as brute force does, to the bit",
            self.checked
        );
        println!(
            "build         {} on one thread, {} on {} threads",
            in_time(self.build.serial),
            in_time(self.build.parallel),
            self.build.threads
        );
        println!(
            "memory        {:.1} bytes a triangle, {} in all (`sidle inspect` lists the parts)",
            self.bytes_per_triangle,
            grouped(self.bytes as f64)
        );
        println!();
        print!("              nanoseconds a query:");
        self.walking_move.nanoseconds.iter().for_each(|(level, _)| print!("{level:>9}"));
        println!("   hits  looks at, on average");
        self.walking_move.print(&format!("walking move, {SHORT} m"));
        self.cast.print(&format!("cast of a body, {LONG} m"));
        self.ray.print("ray without an end");
        println!();
        print!("triangles     {} million a second go through packets of eight", grouped(self.passes.packets / 1e6));
        match self.passes.exact {
            Some(exact) => println!(", {:.1} million a second through the exact test", exact / 1e6),
            None => println!(),
        }
        match &self.walking {
            Some(walking) => walking.print(),
            None => println!("walking       not measured: no flat floor with room above it was found"),
        }
    }
}

impl QueryFigures {
    fn print(&self, name: &str) {
        print!("{name:<34}");
        self.nanoseconds.iter().for_each(|(_, nanoseconds)| print!("{:>9}", grouped(*nanoseconds)));
        println!(
            "  {:>4.0} %  {:.1} nodes, {:.1} packets, {:.1} triangles",
            100.0 * self.hits,
            self.nodes,
            self.packets,
            self.triangles
        );
    }
}

impl WalkingFigures {
    fn print(&self) {
        println!(
            "walking       {} ns a tick: {} characters at {RATE} ticks a second on one core; {:.0} % of the ticks on ground",
            grouped(self.nanoseconds),
            grouped((self.ticks_per_second / RATE as f64).floor()),
            100.0 * self.on_ground
        );
        if self.restarts > 0 {
            println!("              it fell out of the level and began anew {} times", self.restarts);
        }
    }
}

/// Seconds, as milliseconds where they are few.
fn in_time(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.1} ms", 1e3 * seconds) } else { format!("{seconds:.2} s") }
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
