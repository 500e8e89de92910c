//! Where a body can stand: walkable ground under a column, flat ground around the feet, and the place where a body comes to rest.

use nalgebra::{Point3, Vector3};

use super::Court;

/// Ground under a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Floor {
    pub(super) height: f64,
    pub(super) normal: Vector3<f64>,
}

/// Flat is what rises less than this over the width of the body, in metres, with a normal as near to up.
const FLAT: f64 = 5e-3;
const FLAT_NORMAL: f64 = 0.999;
/// A spawn's ground has a normal at least this near to up.
const SPAWN_NORMAL: f64 = 0.95;
/// Around the feet the ground is looked at in so many directions.
const AROUND: usize = 8;
/// A body is in place when it is nowhere deeper than this in anything, in metres.
pub(super) const IN_PLACE: f64 = 1e-3;
/// Heights at which a place is tried, in metres apart.
pub(super) const LIFT: f64 = 0.02;

impl Court<'_> {
    /// The first surface below a point, within a distance.
    pub(super) fn floor_below(&self, from: &Point3<f64>, distance: f64) -> Option<Floor> {
        let hit = self.grid.first_hit(from, &(from - Vector3::y() * distance))?;
        Some(Floor { height: from.y - distance * hit.share, normal: hit.normal })
    }

    pub(super) fn is_walkable(&self, floor: &Floor) -> bool {
        floor.normal.y >= self.rules.least_walkable()
    }

    /// How far ahead, from the centre, the next wall is at any height above a step, within a distance. Slopes to walk on are none.
    pub(crate) fn wall_ahead(&self, center: &Point3<f64>, way: &Vector3<f64>, distance: f64) -> Option<f64> {
        let half = self.body.half_height();
        let heights = [(self.rules.step_height - half).min(0.0), 0.0, 0.9 * self.body.height_above()];
        let shares = heights.into_iter().filter_map(|height| {
            let from = center + Vector3::y() * height;
            let hit = self.grid.first_hit(&from, &(from + way * distance))?;
            (hit.normal.y < self.rules.least_walkable()).then_some(hit.share)
        });
        shares.min_by(f64::total_cmp).map(|share| share * distance)
    }

    /// Whether there is flat ground with room to stand and to look around below a point: where the feet would be.
    pub(crate) fn spawn_below(&self, from: &Point3<f64>) -> Option<Point3<f64>> {
        let end = from - Vector3::y() * (from.y - self.grid.low().y + 1.0);
        let hit = self.grid.first_hit(from, &end).filter(|hit| hit.is_front && hit.normal.y >= SPAWN_NORMAL)?;
        let feet = from + (end - from) * hit.share;
        let center = feet + Vector3::y() * (self.body.half_height() + self.rules.skin);
        let body = self.body.grown(0.9 * self.rules.skin);
        let headroom = feet + Vector3::y() * (1.2 * (self.body.half_height() + self.body.height_above()));
        let is_open = self.grid.first_hit(&center, &headroom).is_none();
        (is_open && body.is_free(self.grid, &center, IN_PLACE)).then_some(feet)
    }

    /// The height of the ground if the body stands on it and it is flat as far as the body is wide.
    pub(super) fn flat_ground_at(&self, center: &Point3<f64>) -> Option<f64> {
        let feet = center.y - self.body.half_height();
        let touching = self.rules.skin + FLAT;
        let from = |offset: Vector3<f64>| Point3::new(center.x, feet + touching, center.z) + offset;
        let below = |offset| self.floor_below(&from(offset), 3.0 * touching);
        let flat = |floor: &Floor| floor.normal.y >= FLAT_NORMAL && (feet - floor.height).abs() <= touching;
        let height = below(Vector3::zeros()).filter(flat)?.height;
        let radius = self.body.half_extents();
        let is_flat = directions(AROUND).all(|way| {
            let floor = below(Vector3::new(way.x * radius.x, 0.0, way.z * radius.z)).filter(flat);
            floor.is_some_and(|floor| (floor.height - height).abs() <= FLAT)
        });
        is_flat.then_some(height)
    }

    /// Where the body, with its skin, rests over a floor: as low as the plane of the floor lets it, or higher where it leans on
    /// something else, up to `most`.
    pub(super) fn rest_over(&self, column: &Point3<f64>, floor: &Floor, most: f64) -> Option<Point3<f64>> {
        let body = self.body.grown(self.rules.skin);
        let lowest = floor.height + body.reach(&floor.normal) / floor.normal.y;
        let lifts = (0..).map(|i| LIFT * f64::from(i)).take_while(|lift| *lift <= most.max(0.0));
        lifts.map(|lift| Point3::new(column.x, lowest + lift, column.z)).find(|p| body.is_free(self.grid, p, IN_PLACE))
    }
}

/// Level unit vectors all around.
pub(super) fn directions(count: usize) -> impl Iterator<Item = Vector3<f64>> {
    (0..count).map(move |i| {
        let angle = i as f64 / count as f64 * std::f64::consts::TAU;
        Vector3::new(libm::cos(angle), 0.0, libm::sin(angle))
    })
}
