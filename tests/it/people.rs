//! People for the tests of crowds: bodies of the usual size, their wishes, and how far they are apart.

use nalgebra::{Point3, Vector3, point};
use sidle::{
    Ellipsoid, Octree, Real, World,
    character::{Character, CharacterConfig, CharacterId, Crowd, TickInput},
    mesh::primitives,
    sweep::ellipsoid_distance,
};

pub(crate) const DT: f64 = 1.0 / 60.0;

/// What two of them may be in each other, in metres.
pub(crate) const MOST_OVERLAP: f64 = 1e-3;

pub(crate) const SKIN: f64 = 0.02;

/// From the ground to the centre of a body that stands: its semi-axis and the skin.
pub(crate) const STANDS: f64 = 0.9 + SKIN;

/// Between the centres of two who stand skin to skin.
pub(crate) const BESIDE: f64 = 2.0 * (0.4 + SKIN);

/// A floor around the origin, of 60 m.
pub(crate) fn floor<T: Real>() -> World<T> {
    World::of_level(Octree::new(primitives::floor(60.0, 60.0, 6, 6).expect("a legal size")))
}

/// One who stands on a floor.
pub(crate) fn player<T: Real>(x: f64, z: f64) -> Character<T> {
    standing(point![x, 0.0, z])
}

/// One whose feet, with the skin, are at a place.
pub(crate) fn standing<T: Real>(feet: Point3<f64>) -> Character<T> {
    body([0.4, 0.9, 0.4], feet + Vector3::y() * STANDS)
}

/// One of any size.
pub(crate) fn body<T: Real>(radii: [f64; 3], center: Point3<f64>) -> Character<T> {
    let ellipsoid = Ellipsoid::new(Vector3::from(radii).map(T::nearest)).expect("good radii");
    Character::new(ellipsoid, CharacterConfig::default(), center.map(T::nearest)).expect("good numbers")
}

pub(crate) fn walking<T: Real>(velocity: Vector3<f64>) -> TickInput<T> {
    TickInput { velocity: velocity.map(T::nearest), ..TickInput::default() }
}

/// The wish that one walks and all others stand.
pub(crate) fn only<T: Real>(
    who: CharacterId,
    velocity: Vector3<f64>,
) -> impl Fn(CharacterId, &Character<T>) -> TickInput<T> + Sync {
    move |id, _| walking(if id == who { velocity } else { Vector3::zeros() })
}

/// A tick in which nobody wishes to go anywhere.
pub(crate) fn stand_still<T: Real>(crowd: &mut Crowd<T>, world: &World<T>) {
    crowd.tick(world, T::nearest(DT), |_, _| TickInput::default()).expect("good numbers");
}

pub(crate) fn at<T: Real>(crowd: &Crowd<T>, id: CharacterId) -> Point3<f64> {
    crowd.character(id).expect("it is there").state().exact_position()
}

/// How far two are apart, in metres; less than zero if they are in each other.
pub(crate) fn gap<T: Real>(crowd: &Crowd<T>, a: CharacterId, b: CharacterId) -> f64 {
    let [a, b] = [a, b].map(|id| crowd.character(id).expect("it is there"));
    gap_between(a, b)
}

fn gap_between<T: Real>(a: &Character<T>, b: &Character<T>) -> f64 {
    let [(a, from), (b, to)] = [a, b].map(|character| {
        let radii = character.ellipsoid().radii().map(Real::to_f64);
        (Ellipsoid::new(radii).expect("good radii"), character.state().exact_position())
    });
    ellipsoid_distance(&a, from, &b, to).expect("good numbers").distance
}

/// The deepest overlap of any two, in metres; less than zero if all are apart.
pub(crate) fn deepest_overlap<T: Real>(crowd: &Crowd<T>) -> f64 {
    let all: Vec<_> = crowd.iter().map(|(_, character)| character).collect();
    let mut deepest = f64::NEG_INFINITY;
    for (i, a) in all.iter().enumerate() {
        for b in &all[..i] {
            if (a.position() - b.position()).norm_squared() < T::nearest(16.0) {
                deepest = deepest.max(-gap_between(a, b));
            }
        }
    }
    deepest
}
