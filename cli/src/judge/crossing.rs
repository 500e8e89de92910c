//! Crossings: the segment from one centre to the next meets a triangle.

use super::{
    Court, Kind, Piece, Verdict, Violation,
    closest::{Corners, crossing},
};

impl Court<'_> {
    pub(super) fn find_crossings(&self, piece: &Piece<'_>, verdict: &mut Verdict) {
        for (tick, before, after) in piece.ticks() {
            let (from, to) = (before.position, after.position);
            let mut first: Option<f64> = None;
            self.grid.each_near(&from.inf(&to), &from.sup(&to), |triangle: &Corners| {
                if let Some(share) = crossing(&from, &to, triangle) {
                    first = Some(first.map_or(share, |first| first.min(share)));
                }
            });
            if let Some(share) = first {
                let amount = share * (to - from).norm();
                verdict.add(Violation::new(Kind::Crossing, tick, amount, &to));
            }
        }
    }
}
