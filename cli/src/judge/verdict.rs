//! [`Verdict`]: what a judge found, in numbers and in words.

use std::fmt;

use nalgebra::Point3;
use serde::{Deserialize, Serialize};

/// What can be wrong with a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// The centre passed through a triangle between two ticks.
    Crossing,
    /// The body was in a triangle.
    Penetration,
    /// A tick was longer than velocity, gravity, step and snap explain.
    Pop,
    /// It was in another body.
    Overlap,
    /// The ground flag went off, or came back, on flat ground.
    Flip,
    /// It stood still though there was a way on.
    Stuck,
    /// A position was not finite.
    Nan,
}

/// A fault at a tick.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Violation {
    pub(crate) kind: Kind,
    /// Place in the track.
    pub(crate) tick: usize,
    /// Metres: of a crossing the share of the tick's way before it, of a penetration or an overlap the depth, of a pop the way beyond what is
    /// allowed, of being stuck the progress. Else 0.
    #[serde(deserialize_with = "number_or_nan")]
    pub(crate) amount: f64,
    /// Centre of the body after the tick.
    #[serde(deserialize_with = "point_or_nan")]
    pub(crate) position: [f64; 3],
    /// Where a body that is stuck could have gone: the centre there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) way_on: Option<[f64; 3]>,
    /// In whom it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) other: Option<usize>,
}

/// All that a judge found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Verdict {
    pub(crate) ticks: usize,
    /// Deepest penetration, also where it is allowed, in metres.
    pub(crate) deepest: f64,
    /// The same in other bodies, where there were any near.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) deepest_overlap: Option<f64>,
    /// Way of a tick beyond what velocity, gravity, step and snap explain, the largest, in metres.
    pub(crate) largest_pop: f64,
    /// How often it fell out of the level.
    pub(crate) falls: usize,
    /// After how many ticks something that moves was within reach, and in how many it pressed the body against something else.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) beside_movers: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) crushed: usize,
    pub(crate) violations: Vec<Violation>,
}

/// Deeper penetrations are faults, in metres.
pub(super) const DEEPEST_ALLOWED: f64 = 1e-3;

impl Kind {
    /// All kinds, in the order of a report.
    pub(crate) const ALL: [Self; 7] =
        [Self::Crossing, Self::Penetration, Self::Overlap, Self::Pop, Self::Flip, Self::Stuck, Self::Nan];

    /// In a word.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Crossing => "crossing",
            Self::Penetration => "penetration",
            Self::Overlap => "overlap",
            Self::Pop => "pop",
            Self::Flip => "flip",
            Self::Stuck => "stuck",
            Self::Nan => "nan",
        }
    }
}

impl Violation {
    pub(crate) fn new(kind: Kind, tick: usize, amount: f64, position: &Point3<f64>) -> Self {
        Self { kind, tick, amount, position: position.coords.into(), way_on: None, other: None }
    }
}

impl Verdict {
    pub(super) fn add(&mut self, violation: Violation) {
        self.violations.push(violation);
    }

    /// Adds what was found in another track.
    pub(crate) fn absorb(&mut self, other: &Self) {
        self.ticks += other.ticks;
        self.deepest = self.deepest.max(other.deepest);
        self.deepest_overlap = self.deepest_overlap.into_iter().chain(other.deepest_overlap).reduce(f64::max);
        self.largest_pop = self.largest_pop.max(other.largest_pop);
        self.falls += other.falls;
        self.beside_movers += other.beside_movers;
        self.crushed += other.crushed;
        self.violations.extend_from_slice(&other.violations);
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millimetres = self.amount * 1e3;
        match self.kind {
            Kind::Crossing => write!(out, "crossed a triangle")?,
            Kind::Penetration => write!(out, "sank {millimetres:.2} mm deep into a triangle")?,
            Kind::Overlap => {
                let other = self.other.map_or("another".to_owned(), |other| format!("wanderer {other}"));
                write!(out, "overlapped {other} by {millimetres:.2} mm")?;
            }
            Kind::Pop => write!(out, "popped: moved {millimetres:.1} mm more than anything explains")?,
            Kind::Flip => write!(out, "ground flag changed on flat ground")?,
            Kind::Stuck => write!(out, "stuck: {millimetres:.1} mm in a second, though there was a way on")?,
            Kind::Nan => return write!(out, "position is not finite"),
        }
        let [x, y, z] = self.position;
        write!(out, ", centre at ({x:.3}, {y:.3}, {z:.3})")?;
        self.way_on.map_or(Ok(()), |[x, y, z]| write!(out, ", not to ({x:.3}, {y:.3}, {z:.3})"))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |kind: Kind| self.violations.iter().filter(|violation| violation.kind == kind).count();
        let often = |kind: Kind| match count(kind) {
            0 => "never".to_owned(),
            1 => "once".to_owned(),
            n => format!("{n} times"),
        };
        writeln!(
            out,
            "crossed       {} the centre passed through a triangle between two ticks",
            often(Kind::Crossing)
        )?;
        writeln!(
            out,
            "sank          {} deeper than 1 mm into a triangle; deepest {:.3} mm",
            often(Kind::Penetration),
            self.deepest * 1e3
        )?;
        if let Some(deepest) = self.deepest_overlap {
            writeln!(
                out,
                "overlapped    {} deeper than 1 mm in another; deepest {:.3} mm",
                often(Kind::Overlap),
                deepest * 1e3
            )?;
        }
        writeln!(
            out,
            "popped        {} farther in a tick than velocity, gravity, step and snap explain; farthest {:.1} mm",
            often(Kind::Pop),
            self.largest_pop * 1e3
        )?;
        writeln!(out, "flickered     {} did the ground flag change on flat ground", often(Kind::Flip))?;
        writeln!(out, "stuck         {} less than 5 cm in a second, though there was a way on", often(Kind::Stuck))?;
        writeln!(out, "not a number  {} was a position not finite", often(Kind::Nan))?;
        let falls = if self.falls == 0 { "never".into() } else { format!("{} times", self.falls) };
        writeln!(out, "fell          {falls} out of the level (no fault)")?;
        if self.beside_movers > 0 {
            let [beside, crushed] = [self.beside_movers, self.crushed];
            writeln!(
                out,
                "met           something that moves in {beside} ticks; crushed by it in {crushed} (no fault)"
            )?;
        }
        Ok(())
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// JSON has no NaN: serde_json writes null.
fn number_or_nan<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

fn point_or_nan<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<[f64; 3], D::Error> {
    Ok(<[Option<f64>; 3]>::deserialize(deserializer)?.map(|x| x.unwrap_or(f64::NAN)))
}
