//! Pops: a tick that is longer than what the body had as velocity, gravity, a step and a snap explain.

use nalgebra::Vector3;

use super::{Court, Kind, Piece, Sample, Verdict, Violation, level, movers::Crushed};

impl Court<'_> {
    /// Allowed is `|v| dt + ½ g dt² + step + snap`, with `v` the velocity with which the tick starts: the wish, with the speed of a
    /// jump or of the fall so far; or, if that is more, the one with which the body came here, as on a steep slide.
    /// What moves and is within reach may have taken it along; who is crushed may come out on any side.
    pub(super) fn find_pops(&self, piece: &Piece<'_>, crushed: &Crushed, verdict: &mut Verdict) {
        let rules = &self.rules;
        let mut before_that: Option<&Sample> = None;
        for (tick, before, after) in piece.ticks() {
            let dt = after.time - before.time;
            let came_with = before_that.map_or_else(Vector3::zeros, |first| self.velocity_after(first, before));
            let rises = if after.jump == 0.0 { Vector3::y() * came_with.y } else { Vector3::y() * after.jump };
            let speed = (level(&after.wish) + rises).norm().max(came_with.norm());
            let allowed = speed * dt + 0.5 * rules.gravity * dt * dt + rules.step_height + rules.snap;
            let allowed = allowed + self.carried(&before.position, &after.position, piece.clock(tick), dt);
            let beyond = (after.position - before.position).norm() - allowed;
            before_that = Some(before);
            if crushed.during(tick) {
                continue;
            }
            verdict.largest_pop = verdict.largest_pop.max(beyond);
            if beyond > ROUNDING {
                verdict.add(Violation::new(Kind::Pop, tick, beyond, &after.position));
            }
        }
    }

    /// The velocity at the end of a tick: the mean one, and in the air half a tick of gravity more.
    fn velocity_after(&self, before: &Sample, after: &Sample) -> Vector3<f64> {
        let dt = after.time - before.time;
        let gain = if after.is_on_ground { 0.0 } else { 0.5 * self.rules.gravity * dt };
        (after.position - before.position) / dt - Vector3::y() * gain
    }
}

/// Positions in `f32`, differenced and divided by a short tick, are this uncertain, in metres.
const ROUNDING: f64 = 1e-4;
