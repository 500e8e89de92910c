//! `sidle soak`: many wanderers for a long time, and a judge who does not know the controller.

mod life;
mod report;
mod scenario;
mod spawns;
#[cfg(test)]
mod tests;
mod together;
mod wanderer;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use nalgebra::{Point3, Vector3};
use rayon::prelude::*;
use sidle::{
    Octree, Real, TriMesh, World,
    mesh::{
        ObjOptions,
        primitives::{PLAYGROUND_SPAWN, playground},
        write_obj,
    },
};

use self::{
    life::Arena,
    report::{Outcome, Setup},
};
use crate::{
    judge::{Body, Corners, Court, Grid, Part, Rules, parse_part, triangles_of},
    level::load,
    platforms::Platforms,
    replay::Scalar,
    vector::{parse_point, parse_vector},
};

/// Lets wanderers roam a level, and judges every tick of them.
///
/// They walk, jump, fall, and push into whatever is in their way, at least half of the time. A judge that shares no code with
/// the controller looks for what must not happen. Each fault is written as a scenario for `sidle replay`. Fails if there is
/// any, or if the wanderers saw less than a quarter of what they could have.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    sidle soak level.obj\n  \
    sidle soak level.obj --spawn 53,0,45.5 --spawn 66.75,0,2 --step-height 0.56 --seconds 300\n  \
    sidle soak level.obj --crowd --wanderers 200       # in each other's way\n  \
    sidle soak level.obj --crowd --teams 2             # in the way of the other team only\n  \
    sidle soak level.obj --part 0.4,0.6,0.4@0,-0.3,0 --part 0.2,0.2,0.2@0,0.7,0   # legs and a head\n  \
    sidle soak level.obj --platforms lifts.json        # among things that move\n  \
    sidle soak level.obj --shard 2/8 --out results     # a part, on one of eight machines\n  \
    sidle soak --merge results/soak-*-of-8.json        # all parts: the same as one run\n\n\
    The cells that can be reached are those of a flood fill from the spawns, on foot or by a drop, the nearest first, one for \
    each two metres that all wanderers together could walk: farther ones cannot be asked of them. They push at least half of the \
    time, unless hardly any place of the map is beside something to push into.")]
pub(crate) struct Soak {
    /// The level, an OBJ file, y up; the built-in playground if there is none
    level: Option<PathBuf>,

    /// How many wanderers
    #[arg(long, default_value_t = 64)]
    wanderers: usize,

    /// How long each of them wanders
    #[arg(long, default_value_t = 60.0)]
    seconds: f64,

    /// Which ways they take
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Seconds of a tick, a number or a fraction
    #[arg(long, default_value = "1/60", value_parser = parse_fraction)]
    dt: f64,

    /// Where feet may start, more than once if there are several places; found by itself if not given
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true)]
    spawn: Vec<Point3<f64>>,

    /// Usual speed in metres a second; some ways are taken slower or faster
    #[arg(long, default_value_t = 3.0)]
    speed: f64,

    /// Semi-axes of the character in metres, without skin
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_vector, default_value = "0.4,0.9,0.4")]
    radii: Vector3<f64>,

    /// An ellipsoid of a body of several, more than once: semi-axes in metres, and from where the body is to its centre, by default 0,0,0
    #[arg(long, value_name = "RX,RY,RZ[@X,Y,Z]", value_parser = parse_part, conflicts_with = "radii")]
    part: Vec<Part>,

    #[command(flatten)]
    rules: Rules,

    /// The scalar in which the world is stored
    #[arg(long, value_enum, default_value_t = Scalar::F32)]
    scalar: Scalar,

    /// The folder for scenarios and results
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,

    /// All wander at the same time, in each other's way, and are judged on overlaps, too. They start anywhere on the map, as spawns have
    /// no room for all; nobody is said to be stuck beside another
    #[arg(long, conflicts_with = "shard")]
    crowd: bool,

    /// So many teams: wanderers of one team walk through each other, and are judged on overlaps with the others alone
    #[arg(long, value_name = "N", requires = "crowd", value_parser = clap::value_parser!(u32).range(2..=31))]
    teams: Option<u32>,

    /// A scenario file whose meshes are put into the level, and move as it says; in a crowd from its start on, else anew with each life.
    /// Nobody is said to be stuck beside what moves, nor to sink while crushed by it
    #[arg(long, value_name = "FILE.json")]
    platforms: Option<PathBuf>,

    /// Only every Nth wanderer, from the Ith on; writes a result to merge
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    shard: Option<Shard>,

    /// Add up the results of shards instead
    #[arg(long, value_name = "FILES", num_args = 1.., conflicts_with_all = ["level", "shard"])]
    merge: Vec<PathBuf>,
}

/// A part of a soak: shard `number` of `count`, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shard {
    number: usize,
    count: usize,
}

/// More than this is likely a slip of the pen.
const MOST_SECONDS: f64 = 24.0 * 3600.0;
const MOST_WANDERERS: usize = 100_000;
/// Metres that could be walked for each cell that has to be reachable: wanderers push for half of the time, and of what is left a
/// quarter has to lead to cells that none has seen. Only the largest levels have more cells than that.
const METRES_A_CELL: f64 = 2.0;

impl Soak {
    pub(crate) fn run(&self) -> Result<()> {
        if !self.merge.is_empty() {
            return conclude(&Outcome::merged(&self.merge)?, None);
        }
        self.check()?;
        let outcome = match self.scalar {
            Scalar::F32 => self.soak::<f32>()?,
            Scalar::F64 => self.soak::<f64>()?,
        };
        let name =
            self.shard.map_or("soak.json".into(), |shard| format!("soak-{}-of-{}.json", shard.number, shard.count));
        outcome.write(&self.out.join(name))?;
        conclude(&outcome, self.shard)
    }

    fn check(&self) -> Result<()> {
        self.rules.check()?;
        self.body().check()?;
        let is_time = self.seconds > 0.0 && self.seconds <= MOST_SECONDS;
        ensure!(is_time, "--seconds must be between 0 and {MOST_SECONDS}");
        ensure!(self.dt > 0.0 && self.dt <= self.seconds, "--dt must be more than 0 and at most --seconds");
        ensure!(self.speed > 0.0 && self.speed <= 1000.0, "--speed must be between 0 and 1000");
        ensure!((1..=MOST_WANDERERS).contains(&self.wanderers), "--wanderers must be in 1..={MOST_WANDERERS}");
        Ok(())
    }

    fn body(&self) -> Body {
        if self.part.is_empty() { Body::Ellipsoid(self.radii.into()) } else { Body::Parts(self.part.clone()) }
    }

    fn soak<T: Real>(&self) -> Result<Outcome> {
        let (mesh, level) = self.mesh::<T>()?;
        let platforms = match &self.platforms {
            Some(file) => Platforms::read(file, self.dt)?,
            None => Platforms::none(self.dt),
        };
        let triangles = mesh.len();
        let mut still: Vec<Corners> = triangles_of(&mesh).collect();
        let world =
            if platforms.is_empty() { World::of_level(Octree::new(mesh)) } else { platforms.world(level.clone())? };
        let (more, movers) = platforms.for_judge(&world, (self.seconds / self.dt).ceil() as usize)?;
        still.extend(more);
        let grid = Grid::of(still);
        let court = Court { grid: &grid, body: self.body(), rules: self.rules, movers: &movers };
        let spawns = self.spawns(&court)?;
        let most = self.wanderers as f64 * self.seconds * self.speed / METRES_A_CELL;
        let flood = court.flood(&spawns, most as usize);
        ensure!(
            flood.cells() > 0,
            "there is no room to walk at the spawns; name other places with --spawn x,y,z (of the feet)"
        );
        let setup = Setup {
            level: file_name(&level),
            triangles,
            wanderers: self.wanderers,
            seconds: self.seconds,
            seed: self.seed,
            dt: self.dt,
            speed: self.speed,
            body: self.body(),
            rules: self.rules,
            crowd: self.crowd,
            teams: self.teams,
            platforms: self.platforms.as_ref().map(|file| file_name(file)),
            scalar: format!("{:?}", self.scalar).to_lowercase(),
            spawns: spawns.iter().map(|feet| feet.coords.into()).collect(),
            cells: flood.cells(),
            beside_obstacles: flood.share_beside_obstacles(),
        };
        let arena = Arena { world: &world, court: &court, flood: &flood, setup: &setup, platforms: &platforms };
        let (runs, crowd) = if self.crowd {
            arena.run_together()?
        } else {
            let mine: Vec<usize> =
                (0..self.wanderers).filter(|i| self.shard.is_none_or(|s| i % s.count == s.number - 1)).collect();
            (mine.par_iter().map(|index| arena.run(*index)).collect::<Result<Vec<_>>>()?, Vec::new())
        };
        let mut outcome = Outcome { setup: setup.clone(), wanderers: Vec::new() };
        for mut run in runs {
            run.record.scenarios = scenario::write_all(&arena, &run, &crowd, &level, &self.out)?;
            outcome.wanderers.push(run.record);
        }
        Ok(outcome)
    }

    /// The level, and where scenarios find it.
    fn mesh<T: Real>(&self) -> Result<(TriMesh<T>, PathBuf)> {
        fs::create_dir_all(&self.out).with_context(|| format!("cannot make the folder {}", self.out.display()))?;
        if let Some(path) = &self.level {
            let mesh = load(path, &ObjOptions::default())?;
            return Ok((mesh, path.canonicalize().with_context(|| path.display().to_string())?));
        }
        let path = self.out.join("playground.obj");
        let mesh = playground::<T>();
        let mut text = Vec::new();
        write_obj(&mesh, &mut text)?;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok((mesh, path.canonicalize()?))
    }

    fn spawns(&self, court: &Court<'_>) -> Result<Vec<Point3<f64>>> {
        if !self.spawn.is_empty() {
            return Ok(self.spawn.clone());
        }
        if self.level.is_none() {
            return Ok(vec![Point3::from(PLAYGROUND_SPAWN)]);
        }
        let found = spawns::find(court, self.seed);
        ensure!(
            !found.is_empty(),
            "no flat floor with room above it was found; name places with --spawn x,y,z (of the feet)"
        );
        Ok(found)
    }
}

/// Prints what came of it, and fails if that is not as it should be.
fn conclude(outcome: &Outcome, shard: Option<Shard>) -> Result<()> {
    print!("{outcome}");
    let faults = outcome.faults();
    if faults > 0 {
        bail!("{faults} faults were found");
    }
    match (outcome.what_it_lacks(), shard) {
        (Some(lack), None) => bail!("this run proved little: {lack}"),
        _ => Ok(()),
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn parse_fraction(text: &str) -> Result<f64, String> {
    let number = |part: &str| part.trim().parse::<f64>().map_err(|_| format!("`{text}` is no number and no fraction"));
    match text.split_once('/') {
        Some((above, below)) => Ok(number(above)? / number(below)?),
        None => number(text),
    }
}

fn parse_shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(number, count)| Some((number.parse().ok()?, count.parse().ok()?)));
    match parts {
        Some((number, count)) if (1..=count).contains(&number) => Ok(Shard { number, count }),
        _ => Err(format!("`{text}` is no part like 1/4: the first is at least 1 and at most the second")),
    }
}
