//! The same walk at another frame rate.

use std::path::Path;

use super::{Expect, Move, Number, Walk, WalkOther};
use crate::{InputError, input_error::positive};

/// What "30 ticks" of settling mean in seconds.
const SETTLING: f64 = 0.5;

/// A higher frame rate is a slip of the pen, in ticks a second.
const HIGHEST: f64 = 1e6;

impl Walk {
    /// The same walk with ticks of `1 / hz` seconds: each move takes as long, rounded to whole ticks and at least one.
    ///
    /// The time that the body has to settle in ([`Expect::settling_ticks`]) becomes half a second. How far a tick may lead
    /// (`max_tick_displacement`) and the recording, if there is one, hold at the walk's own `dt` only and are left out; all
    /// else must hold at any rate. A walk whose own `dt` makes no sense stays as it is: it is about that.
    ///
    /// # Errors
    /// If `hz` is not finite, not positive, or more than a million.
    pub fn at_rate(&self, hz: f64) -> Result<Self, InputError> {
        positive(hz, "the frame rate")?;
        if hz > HIGHEST {
            return Err(InputError::OutOfRange { what: "the frame rate", range: "0..=1e6" });
        }
        let dt = self.dt.0;
        if !(dt.is_finite() && dt > 0.0) {
            return Ok(self.clone());
        }
        let ticks_of = |each: &Move| if each.ticks == 0 { 0 } else { ticks_in(each.ticks as f64 * dt, hz).max(1) };
        let moves_of = |moves: &[Move]| moves.iter().map(|each| Move { ticks: ticks_of(each), ..*each }).collect();
        let expect_of = |expect: &Expect| Expect {
            max_tick_displacement: None,
            settling_ticks: Some(ticks_in(SETTLING, hz)),
            ..expect.clone()
        };
        let other_of = |other: &WalkOther| WalkOther {
            moves: moves_of(&other.moves),
            expect: expect_of(&other.expect),
            ..other.clone()
        };
        Ok(Self {
            dt: Number(1.0 / hz),
            moves: moves_of(&self.moves),
            expect: expect_of(&self.expect),
            others: self.others.iter().map(other_of).collect(),
            recording: None,
            ..self.clone()
        })
    }
}

/// Whole ticks in some seconds.
fn ticks_in(seconds: f64, hz: f64) -> usize {
    (seconds * hz).round() as usize
}

/// Whether a walk's file, by its name, is about an odd time step (`huge_dt…`, `tiny_dt…`), so that it means nothing at
/// another frame rate.
pub fn is_about_its_time_step(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    ["huge_dt", "tiny_dt"].iter().any(|beginning| name.starts_with(beginning))
}
