//! Flips: the ground flag changes while the body stays on flat ground.

use super::{Court, Kind, Piece, Sample, Verdict, Violation};

/// Who rises faster than this has left the ground on purpose, in metres a second.
const TAKES_OFF: f64 = 0.5;

impl Court<'_> {
    /// The flag may go off only by a jump or where the ground is no longer flat below, and it may come on only where the body was
    /// in the air. A landing is no flip: the flag comes back after the body had left.
    pub(super) fn find_flips(&self, piece: &Piece<'_>, verdict: &mut Verdict) {
        let mut is_lost = false;
        for (tick, before, after) in piece.ticks() {
            if before.is_on_ground == after.is_on_ground {
                // Really in the air: what follows is a landing.
                is_lost = is_lost && !after.is_on_ground && self.flat_ground_at(&after.position).is_some();
                continue;
            }
            // What moves may take the ground away, or bring it.
            let is_beside = |sample: &Sample, tick| self.is_beside_mover(&sample.position, piece.clock(tick));
            if is_beside(before, tick - 1) || is_beside(after, tick) {
                is_lost = false;
                continue;
            }
            let is_loss = before.is_on_ground && !takes_off(before, after);
            if (is_loss || is_lost) && self.stays_on_flat_ground(before, after) {
                verdict.add(Violation::new(Kind::Flip, tick, 0.0, &after.position));
                is_lost = is_loss;
            } else {
                is_lost = false;
            }
        }
    }

    fn stays_on_flat_ground(&self, before: &Sample, after: &Sample) -> bool {
        self.flat_ground_at(&before.position).is_some() && self.flat_ground_at(&after.position).is_some()
    }
}

fn takes_off(before: &Sample, after: &Sample) -> bool {
    after.jump > 0.0 || (after.position.y - before.position.y) > TAKES_OFF * (after.time - before.time)
}
