//! Penetration: how deep the body without its skin is in a triangle after a tick.

use nalgebra::Point3;

use super::{Court, Kind, Piece, Verdict, Violation, movers::Crushed, verdict::DEEPEST_ALLOWED};

impl Court<'_> {
    /// Whether a body may be here after a tick of the clock: it is not in anything, or hardly.
    pub(crate) fn is_safe(&self, center: &Point3<f64>, clock: usize) -> bool {
        self.has_room_at(&self.body, center, clock)
    }

    /// Ticks in a row are one fault, at the first of them. A body that starts inside something is given until it is out, and so is
    /// one that is crushed.
    pub(super) fn find_penetrations(&self, piece: &Piece<'_>, crushed: &Crushed, verdict: &mut Verdict) {
        let depth_at = |position, tick| {
            self.deepest_at(&self.body, position, piece.clock(tick)).map_or(0.0, |overlap| overlap.depth)
        };
        let start = piece.samples.first().map_or(0.0, |start| depth_at(&start.position, piece.first));
        let mut current: Option<Violation> = None;
        let mut comes_out = start > DEEPEST_ALLOWED;
        for (tick, _, after) in piece.ticks() {
            if crushed.after(tick) {
                verdict.violations.extend(current.take());
                continue;
            }
            let depth = depth_at(&after.position, tick);
            if comes_out && depth <= start {
                comes_out = depth > DEEPEST_ALLOWED;
                continue;
            }
            verdict.deepest = verdict.deepest.max(depth);
            if depth <= DEEPEST_ALLOWED {
                verdict.violations.extend(current.take());
                continue;
            }
            let fault = current.get_or_insert(Violation::new(Kind::Penetration, tick, depth, &after.position));
            fault.amount = fault.amount.max(depth);
        }
        verdict.violations.extend(current);
    }
}
