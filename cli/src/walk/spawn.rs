//! Finding a place to start: flat floor, room for the body, head room, and no wall close by.

use nalgebra::{Point3, Vector3};
use sidle::{Ellipsoid, Ray3, Real, World, world::QueryFilter};

use super::pilot::Random;

/// Places looked at.
const TRIES: usize = 20_000;
/// The floor must be flatter than this: the part of its normal along up.
const FLAT: f64 = 0.95;
/// Free height above the floor, free distance around, in metres.
const HEADROOM: f64 = 2.2;
const ELBOW_ROOM: f64 = 0.7;

/// The first of many places that will do: where the feet stand.
pub(crate) fn find<T: Real>(world: &World<T>, body: &Ellipsoid<T>, skin: f64, seed: u64) -> Option<Point3<f64>> {
    let tree = world.mesh_of(sidle::world::InstanceId::foreign(0))?;
    let (min, max) = (tree.bounds().min.map(T::to_f64), tree.bounds().max.map(T::to_f64));
    let size = max - min;
    let mut random = Random(seed);
    (0..TRIES).find_map(|_| {
        let [x, y, z] = [random.unit(), random.unit(), random.unit()];
        // Towards the middle, where levels are.
        let spread = |share: f64| 0.1 + 0.8 * share;
        let above = min + Vector3::new(size.x * spread(x), size.y * y + 1e-3, size.z * spread(z));
        let floor = cast(world, above, -Vector3::y(), size.y + 1.0)?;
        let is_flat = floor.1.y >= FLAT && floor.2;
        (is_flat && has_room(world, body, skin, floor.0)).then_some(floor.0)
    })
}

fn has_room<T: Real>(world: &World<T>, body: &Ellipsoid<T>, skin: f64, feet: Point3<f64>) -> bool {
    let radii = body.radii().map(T::to_f64);
    let center = feet + Vector3::y() * (radii.y + skin);
    // With most of its skin: all of it would touch the floor.
    let grown = Ellipsoid::new(radii.add_scalar(0.9 * skin).map(T::nearest));
    let center_in_world = center.map(T::nearest);
    let is_free =
        grown.is_ok_and(|grown| world.has_room(&grown, center_in_world, &QueryFilter::default()).unwrap_or(false));
    let low = feet + Vector3::y() * 0.05;
    let sides = [Vector3::x(), -Vector3::x(), Vector3::z(), -Vector3::z()];
    is_free
        && cast(world, low, Vector3::y(), HEADROOM).is_none()
        && sides.iter().all(|side| cast(world, center, *side, ELBOW_ROOM).is_none())
}

/// The first hit within a distance: the point, the normal, and whether it is a front.
fn cast<T: Real>(
    world: &World<T>,
    from: Point3<f64>,
    way: Vector3<f64>,
    distance: f64,
) -> Option<(Point3<f64>, Vector3<f64>, bool)> {
    let ray = Ray3::new(from.map(T::nearest), way.map(T::nearest)).ok()?;
    let tree = world.mesh_of(sidle::world::InstanceId::foreign(0))?;
    let hit = tree.cast_ray(&ray, T::nearest(distance))?;
    Some((hit.point.map(T::to_f64), hit.normal.map(T::to_f64), hit.is_front))
}
