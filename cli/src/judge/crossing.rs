//! Crossings: the segment from one centre to the next meets a triangle; of what moves, as that sees it.

use super::{
    Court, Kind, Piece, Verdict, Violation,
    closest::{Corners, crossing},
    movers::Crushed,
};

impl Court<'_> {
    pub(super) fn find_crossings(&self, piece: &Piece<'_>, crushed: &Crushed, verdict: &mut Verdict) {
        for (tick, before, after) in piece.ticks() {
            let (from, to) = (before.position, after.position);
            let mut first: Option<f64> = None;
            self.grid.each_near(&from.inf(&to), &from.sup(&to), |triangle: &Corners| {
                if let Some(share) = crossing(&from, &to, triangle) {
                    first = Some(first.map_or(share, |first| first.min(share)));
                }
            });
            let in_level = first.map(|share| share * (to - from).norm());
            let in_mover = self.crossing_of_mover(&from, &to, piece.clock(tick)).filter(|_| !crushed.during(tick));
            if let Some(amount) = in_level.into_iter().chain(in_mover).reduce(f64::min) {
                verdict.add(Violation::new(Kind::Crossing, tick, amount, &to));
            }
        }
    }
}
