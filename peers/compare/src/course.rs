//! [`Course`]: the way that characters are asked to walk; [`Walked`]: what became of it.

use std::fmt;

use sidle::{
    TriMesh,
    nalgebra::{Point3, Vector3},
};

use crate::{random::Random, sets::Places};

/// Seconds of a tick.
pub(crate) const DT: f32 = 1.0 / 60.0;
/// Downwards, in metres a second squared.
pub(crate) const GRAVITY: f32 = 9.81;
/// Of walking, in metres a second.
pub(crate) const SPEED: f32 = 3.0;
/// Lengths that all controllers are set to, in metres. The slope limit is 45°.
pub(crate) const SKIN: f32 = 0.02;
pub(crate) const STEP: f32 = 0.3;
pub(crate) const SNAP: f32 = 0.2;

/// Ticks for which a heading is kept.
const TICKS_A_HEADING: usize = 60;
/// Who is farther below the level than this, in metres, has left it.
const DEPTH: f32 = 5.0;
/// Ground to start on is no steeper: the normal's part upwards.
const GROUND: f64 = 0.8;
/// A controller that comes less far than this share of another's way does not do the same.
const LEAST_WAY: f64 = 0.5;

/// A walk of several characters.
pub(crate) struct Course {
    /// Centres of their bodies.
    pub(crate) starts: Vec<Point3<f32>>,
    pub(crate) ticks: usize,
    /// Unit vectors, for each time all characters in their order.
    headings: Vec<Vector3<f32>>,
    lowest: f32,
}

/// What became of a course: sums over all ticks of all characters.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Walked {
    pub(crate) seconds: f64,
    pub(crate) ticks: usize,
    /// Metres.
    way: f64,
    grounded: usize,
    /// How often one left the level and began anew.
    pub(crate) falls: usize,
}

impl Course {
    /// A course from places on the ground, or `None` where there are none.
    pub(crate) fn new(
        mesh: &TriMesh<f32>,
        places: &Places,
        characters: usize,
        ticks: usize,
        seed: u64,
    ) -> Option<Self> {
        let ground = places.near.iter().filter(|(_, normal)| normal.y >= GROUND);
        let starts: Vec<_> = ground.map(|(start, _)| *start).take(characters).collect();
        if starts.is_empty() {
            return None;
        }
        let mut random = Random::new(seed);
        let headings = starts.len() * ticks.div_ceil(TICKS_A_HEADING);
        let headings = (0..headings).map(|_| random.heading().cast()).collect();
        Some(Self { starts, ticks, headings, lowest: mesh.bounds().min.y - DEPTH })
    }

    /// The headings of all characters at a tick.
    pub(crate) fn headings(&self, tick: usize) -> &[Vector3<f32>] {
        &self.headings[tick / TICKS_A_HEADING * self.starts.len()..][..self.starts.len()]
    }

    /// Whether a body there has left the level.
    pub(crate) fn is_lost(&self, center: &Point3<f32>) -> bool {
        center.y < self.lowest
    }
}

impl Walked {
    /// Counts a tick.
    pub(crate) fn add(&mut self, motion: Vector3<f32>, is_on_ground: bool) {
        self.ticks += 1;
        self.way += f64::from(motion.norm());
        self.grounded += usize::from(is_on_ground);
    }

    fn speed(&self) -> f64 {
        self.way / (self.ticks as f64 * f64::from(DT))
    }
}

impl fmt::Display for Walked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let grounded = 100.0 * self.grounded as f64 / self.ticks as f64;
        write!(f, "{:.2} m/s, {grounded:.0} % on ground", self.speed())
    }
}

/// Prints where controllers do not do the same; whether they do about the same.
///
/// Their bodies and rules differ, so only a controller that hardly gets along is held against them.
pub(crate) fn report(names: [&str; 2], [ours, theirs]: [Walked; 2]) -> bool {
    if ours.falls + theirs.falls > 0 {
        eprintln!("  controller: {} left the level {} times, {} {}", names[0], ours.falls, names[1], theirs.falls);
    }
    let agrees = ours.way.min(theirs.way) >= LEAST_WAY * ours.way.max(theirs.way);
    if !agrees {
        eprintln!("  controller: {} walks {ours}, {} {theirs}: GROSS", names[0], names[1]);
    }
    agrees
}
