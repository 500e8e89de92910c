//! Finding places to start: of many that will do, those from which most of the level can be reached.

use nalgebra::Point3;

use crate::{judge::Court, walk::pilot::Random};

/// Columns looked at, places compared for each spawn, and spawns.
const TRIES: usize = 20_000;
const CANDIDATES: usize = 8;
const SPAWNS: usize = 3;
/// Places are compared by how many cells are around them, up to this many.
const CELLS: usize = 400;

/// Up to three places where feet can stand.
pub(super) fn find(court: &Court<'_>, seed: u64) -> Vec<Point3<f64>> {
    let (low, high) = (court.grid.low(), court.grid.high());
    let mut random = Random(seed);
    let mut places = (0..TRIES).filter_map(|_| {
        // Towards the middle, where levels are.
        let mut between =
            |low: f64, high: f64, margin: f64| low + (high - low) * (margin + (1.0 - 2.0 * margin) * random.unit());
        let (x, y, z) = (between(low.x, high.x, 0.1), between(low.y, high.y, 0.0) + 1e-3, between(low.z, high.z, 0.1));
        court.spawn_below(&Point3::new(x, y, z))
    });
    let best_of_some = || {
        let candidates: Vec<_> =
            places.by_ref().take(CANDIDATES).map(|feet| (court.flood(&[feet], CELLS).cells(), feet)).collect();
        candidates.into_iter().reduce(|best, other| if other.0 > best.0 { other } else { best }).map(|(_, feet)| feet)
    };
    std::iter::from_fn(best_of_some).take(SPAWNS).collect()
}
