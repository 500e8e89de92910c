//! `sidle judge`: what is wrong with a recorded track, whoever's controller made it.
//!
//! The judge is independent: of the library it knows the vertices and indices of a mesh, and nothing else. It has its own
//! grid, closest points and segments, all in `f64`, simple and slow, and it looks at nothing but positions, wishes and the
//! ground flag. Each kind of fault is a file.

mod body;
mod closest;
mod crossing;
mod flips;
mod flood;
mod grid;
mod movers;
mod overlap;
mod penetration;
mod pop;
mod standing;
mod stuck;
#[cfg(test)]
mod tests;
mod track;
mod verdict;

use std::{fs, path::PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use sidle::mesh::ObjOptions;

pub(crate) use self::{
    body::{Body, Part, parse_part},
    closest::Corners,
    flood::{Flood, NodeId},
    grid::{Grid, triangles_of},
    movers::{Face, Mover},
    overlap::Life,
    track::Sample,
    verdict::{Kind, Verdict, Violation},
};
use crate::{level::load, platforms::Platforms, vector::parse_vector};

/// Judges a recorded track: did the body cross, sink, pop, flicker, get stuck, or fall out?
///
/// Knows nothing of the controller that made it. Fails if anything is wrong.
#[derive(Debug, Args)]
#[command(after_help = format!("{}\n\nExample:\n  \
    sidle judge level.obj track.csv --ellipsoid 0.4,0.9,0.4 --step-height 0.5\n  \
    sidle judge level.obj track.csv --part 0.4,0.6,0.4@0,-0.3,0 --part 0.2,0.2,0.2@0,0.7,0   # legs and a head\n  \
    sidle judge level.obj track.csv --platforms lifts.json   # among things that move", track::COLUMNS))]
pub(crate) struct Judge {
    /// The level, an OBJ file, y up
    level: PathBuf,

    /// The track, a CSV file
    track: PathBuf,

    /// The body: semi-axes of an ellipsoid in metres, without skin [default: 0.4,0.9,0.4]
    #[arg(long, value_name = "RX,RY,RZ", value_parser = parse_vector, conflicts_with = "capsule")]
    ellipsoid: Option<Vector3<f64>>,

    /// The body: radius and height over all of an upright capsule in metres, without skin
    #[arg(long, value_name = "RADIUS,HEIGHT", value_parser = parse_capsule)]
    capsule: Option<Body>,

    /// The body: an ellipsoid of several, more than once: semi-axes in metres, and from where the body is to its centre, by default 0,0,0
    #[arg(long, value_name = "RX,RY,RZ[@X,Y,Z]", value_parser = parse_part, conflicts_with_all = ["ellipsoid", "capsule"])]
    part: Vec<Part>,

    /// A scenario file whose meshes are in the level, and have moved as it says since the first line of the track, whose ticks must
    /// then be of the same length
    #[arg(long, value_name = "FILE.json")]
    platforms: Option<PathBuf>,

    #[command(flatten)]
    rules: Rules,

    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// What the controller was asked to do, as far as the judge must know it.
#[derive(Debug, Clone, Copy, PartialEq, Args, Serialize, Deserialize)]
pub(crate) struct Rules {
    /// Highest ledge that is stepped on, in metres
    #[arg(long, default_value_t = 0.3)]
    pub(crate) step_height: f64,

    /// How far ground is followed downwards, in metres
    #[arg(long, default_value_t = 0.2)]
    pub(crate) snap: f64,

    /// Steepest walkable slope in degrees
    #[arg(long, default_value_t = 45.0)]
    pub(crate) max_slope: f64,

    /// Gap that is kept to surfaces, in metres
    #[arg(long, default_value_t = 0.02)]
    pub(crate) skin: f64,

    /// Gravity in metres a second squared
    #[arg(long, default_value_t = 9.81)]
    pub(crate) gravity: f64,
}

/// A level, a body in it, and what is asked of it.
pub(crate) struct Court<'a> {
    pub(crate) grid: &'a Grid,
    pub(crate) body: Body,
    pub(crate) rules: Rules,
    /// What moves, and where it is after each tick of a clock.
    pub(crate) movers: &'a [Mover],
}

/// Samples that follow each other without a fall out of the level or a position that is no number.
struct Piece<'a> {
    /// Place of the first one in the track.
    first: usize,
    samples: &'a [Sample],
    /// The tick of the clock at the track's first sample.
    begin: usize,
}

/// Who is this far below the level has fallen out of it, in metres.
const DEEPEST_FALL: f64 = 20.0;
/// What a slope may exceed the limit by, in degrees: limits are inclusive.
const SLOPE_TOLERANCE: f64 = 0.01;

impl Judge {
    pub(crate) fn run(&self) -> Result<()> {
        let body = match (self.ellipsoid, &self.capsule) {
            _ if !self.part.is_empty() => Body::Parts(self.part.clone()),
            (_, Some(capsule)) => capsule.clone(),
            (Some(radii), None) => Body::Ellipsoid(radii.into()),
            (None, None) => Body::Ellipsoid([0.4, 0.9, 0.4]),
        };
        body.check()?;
        self.rules.check()?;
        let mesh = load::<f64>(&self.level, &ObjOptions::default())?;
        let text = fs::read_to_string(&self.track).with_context(|| format!("cannot read {}", self.track.display()))?;
        let track = track::read(&text).with_context(|| self.track.display().to_string())?;
        let mut still: Vec<Corners> = triangles_of(&mesh).collect();
        let mut movers = Vec::new();
        if let Some(file) = &self.platforms {
            let platforms = Platforms::read(file, track::tick_of(&track)?)?;
            let world = platforms.world::<f64>(self.level.canonicalize()?)?;
            let (more, moving) = platforms.for_judge(&world, track.len() - 1)?;
            still.extend(more);
            movers = moving;
        }
        let grid = Grid::of(still);
        let verdict = Court { grid: &grid, body, rules: self.rules, movers: &movers }.judge(&track);
        if self.json {
            println!("{}", serde_json::to_string(&verdict)?);
        } else {
            print!("{verdict}");
            for violation in &verdict.violations {
                println!("{:10.3} s  {violation}", track[violation.tick].time);
            }
        }
        if !verdict.violations.is_empty() {
            bail!("the track has {} faults", verdict.violations.len());
        }
        Ok(())
    }
}

impl Rules {
    /// # Errors
    /// If a number is not finite or negative, or the slope is more than 90 degrees.
    pub(crate) fn check(&self) -> Result<()> {
        let lengths = [("--step-height", self.step_height), ("--snap", self.snap), ("--skin", self.skin)];
        for (name, x) in lengths.into_iter().chain([("--max-slope", self.max_slope), ("--gravity", self.gravity)]) {
            ensure!(x.is_finite() && x >= 0.0, "{name} must be a number that is not negative, not {x}");
        }
        ensure!(self.max_slope <= 90.0, "--max-slope must be at most 90 degrees");
        Ok(())
    }

    /// The part along up of the steepest walkable normal.
    fn least_walkable(&self) -> f64 {
        libm::cos((self.max_slope + SLOPE_TOLERANCE).min(90.0).to_radians())
    }
}

impl Court<'_> {
    /// The height, of the feet, under which a body has fallen out of the level.
    pub(crate) fn lowest(&self) -> f64 {
        self.grid.low().y - DEEPEST_FALL
    }

    /// Whether a body whose centre is here has fallen out of the level.
    pub(crate) fn has_fallen_out(&self, sample: &Sample) -> bool {
        sample.position.y - self.body.half_height() < self.lowest()
    }

    /// All that is wrong with a track. Its first sample is the start.
    pub(crate) fn judge(&self, track: &[Sample]) -> Verdict {
        self.judge_from(track, 0)
    }

    /// The same for a track that begins after so many ticks of the clock by which things move.
    pub(crate) fn judge_from(&self, track: &[Sample], begin: usize) -> Verdict {
        let mut verdict = Verdict { ticks: track.len().saturating_sub(1), ..Verdict::default() };
        let mut first = 0;
        let mut was_finite = true;
        for (tick, sample) in track.iter().enumerate() {
            let is_finite = sample.position.iter().all(|x| x.is_finite());
            if !is_finite {
                self.judge_piece(&Piece { first, samples: &track[first..tick], begin }, &mut verdict);
                if was_finite {
                    verdict.add(Violation::new(Kind::Nan, tick, 0.0, &sample.position));
                }
                first = tick + 1;
            } else if self.has_fallen_out(sample) {
                self.judge_piece(&Piece { first, samples: &track[first..=tick], begin }, &mut verdict);
                verdict.falls += 1;
                first = tick + 1;
            }
            was_finite = is_finite;
        }
        self.judge_piece(&Piece { first, samples: &track[first.min(track.len())..], begin }, &mut verdict);
        verdict.violations.sort_by_key(|violation| violation.tick);
        verdict
    }

    fn judge_piece(&self, piece: &Piece<'_>, verdict: &mut Verdict) {
        let crushed = self.crushed(piece);
        verdict.crushed += crushed.ticks();
        verdict.beside_movers += self.ticks_beside_movers(piece);
        self.find_crossings(piece, &crushed, verdict);
        self.find_penetrations(piece, &crushed, verdict);
        self.find_pops(piece, &crushed, verdict);
        self.find_flips(piece, verdict);
        self.find_stuck(piece, verdict);
    }
}

impl Piece<'_> {
    /// Each tick: its place in the track, the sample before and the one after it.
    fn ticks(&self) -> impl Iterator<Item = (usize, &Sample, &Sample)> {
        let pairs = self.samples.iter().zip(self.samples.iter().skip(1));
        (self.first + 1..).zip(pairs).map(|(tick, (before, after))| (tick, before, after))
    }

    /// The tick of the clock at a place of the track.
    fn clock(&self, tick: usize) -> usize {
        self.begin + tick
    }
}

fn level(v: &Vector3<f64>) -> Vector3<f64> {
    Vector3::new(v.x, 0.0, v.z)
}

fn parse_capsule(text: &str) -> Result<Body, String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    match numbers.as_deref() {
        Ok(&[radius, height]) => Ok(Body::Capsule { radius, height }),
        _ => Err(format!("`{text}` is not a radius and a height with a comma between them")),
    }
}
