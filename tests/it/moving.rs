//! Things that move, for the tests of platforms: poses in double precision, and what is seen from them.

use nalgebra::{Point3, UnitQuaternion, Vector3};
use sidle::{
    Real, World,
    world::{InstanceId, Placement},
};

/// Where something is, and how it is turned.
pub(crate) type Pose = (Point3<f64>, UnitQuaternion<f64>);

pub(crate) fn placement<T: Real>((position, rotation): Pose) -> Placement<T> {
    let rotation = UnitQuaternion::new_unchecked(rotation.coords.map(T::nearest).into());
    Placement::at(position.map(T::nearest)).turned(rotation)
}

/// Not turned.
pub(crate) fn upright(position: Point3<f64>) -> Pose {
    (position, UnitQuaternion::identity())
}

pub(crate) fn about_y(angle: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle)
}

/// Straight on from a place, at a velocity in metres a second.
pub(crate) fn straight(start: [f64; 3], velocity: [f64; 3]) -> impl Fn(f64) -> Pose {
    move |time| upright(Point3::from(start) + Vector3::from(velocity) * time)
}

/// A point of the world as seen from an instance.
pub(crate) fn seen_from<T: Real>(world: &World<T>, instance: InstanceId, point: Point3<f64>) -> Point3<f64> {
    let pose = world.placement(instance).expect("it is there").pose;
    let rotation = UnitQuaternion::from_quaternion(pose.rotation.coords.map(Real::to_f64).into());
    rotation.inverse() * Point3::from(point - pose.position.map(Real::to_f64))
}
