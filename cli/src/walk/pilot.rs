//! Who steers: a guide along waypoints, a script, or a wanderer.

use nalgebra::{Point3, Vector3};
use sidle::walk::{Move, Number};

use super::{RATE, plain};

/// Steers a character, tick by tick.
pub(crate) trait Pilot {
    /// The velocity wished for and a jump, seen where the feet are; `None` when the walk is over.
    fn next(&mut self, feet: Point3<f64>) -> Option<(Vector3<f64>, Option<f64>)>;
}

/// Follows waypoints.
pub(super) struct Guide {
    waypoints: std::iter::Peekable<std::vec::IntoIter<[f64; 3]>>,
    speed: f64,
    patience: usize,
}

/// A waypoint is reached at this distance, in metres, as seen from above.
const REACHED: f64 = 0.15;
/// Ticks after which a waypoint that is not reached is given up.
const PATIENCE: usize = 30 * RATE;

impl Guide {
    pub(super) fn new(waypoints: Vec<[f64; 3]>, speed: f64) -> Self {
        Self { waypoints: waypoints.into_iter().peekable(), speed, patience: PATIENCE }
    }
}

impl Pilot for Guide {
    fn next(&mut self, feet: Point3<f64>) -> Option<(Vector3<f64>, Option<f64>)> {
        loop {
            let target = self.waypoints.peek()?;
            let way = Vector3::new(target[0] - feet.x, 0.0, target[2] - feet.z);
            self.patience = self.patience.saturating_sub(1);
            if way.norm() > REACHED && self.patience > 0 {
                return Some((way.normalize() * self.speed, None));
            }
            self.waypoints.next();
            self.patience = PATIENCE;
        }
    }
}

/// Does what a list of moves says.
pub(super) struct Script {
    moves: std::vec::IntoIter<Move>,
    current: Option<Move>,
    tick: usize,
}

impl Script {
    pub(super) fn new(moves: Vec<Move>) -> Self {
        let mut moves = moves.into_iter();
        Self { current: moves.next(), moves, tick: 0 }
    }
}

impl Pilot for Script {
    fn next(&mut self, _: Point3<f64>) -> Option<(Vector3<f64>, Option<f64>)> {
        while self.tick >= self.current?.ticks {
            self.current = self.moves.next();
            self.tick = 0;
        }
        let current = self.current?;
        let jump = current.jump.filter(|_| self.tick == 0).map(|Number(speed)| speed);
        self.tick += 1;
        Some((plain(&current.velocity), jump))
    }
}

/// Explores: keeps a heading for a while, turns where it gets no further, jumps now and then.
pub(crate) struct Wanderer {
    random: Random,
    speed: f64,
    ticks_left: usize,
    heading: Vector3<f64>,
    keep_for: usize,
    last: Option<Point3<f64>>,
}

impl Wanderer {
    pub(crate) fn new(seed: u64, speed: f64, ticks: usize) -> Self {
        Self { random: Random(seed), speed, ticks_left: ticks, heading: Vector3::x(), keep_for: 0, last: None }
    }
}

impl Pilot for Wanderer {
    fn next(&mut self, feet: Point3<f64>) -> Option<(Vector3<f64>, Option<f64>)> {
        self.ticks_left = self.ticks_left.checked_sub(1)?;
        let progress = self.last.map_or(self.speed, |last| (feet - last).norm() * RATE as f64);
        self.last = Some(feet);
        let is_held_up = progress < 0.2 * self.speed && self.random.unit() < 0.05;
        if self.keep_for == 0 || is_held_up {
            self.heading = self.random.level_direction();
            self.keep_for = RATE + (self.random.unit() * 3.0 * RATE as f64) as usize;
        }
        self.keep_for -= 1;
        let jump = (self.random.unit() < 0.002).then_some(4.4);
        Some((self.heading * self.speed, jump))
    }
}

/// The generator splitmix64 (Steele, Lea and Flood 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// At least 0, less than 1.
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A horizontal unit vector: by rejection, so that no sine is needed.
    pub(crate) fn level_direction(&mut self) -> Vector3<f64> {
        loop {
            let v = Vector3::new(2.0 * self.unit() - 1.0, 0.0, 2.0 * self.unit() - 1.0);
            if (0.01..=1.0).contains(&v.norm_squared()) {
                return v.normalize();
            }
        }
    }
}
