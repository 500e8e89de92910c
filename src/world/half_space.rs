//! [`HalfSpace`]: where a body may be during a tick, beside another that moves at the same time.

use nalgebra::{Point3, Vector3};

/// A half-space in which the position of a body has to stay: its share of the room between a part of it and one of another.
///
/// The part is to stay on its side of a plane. As it moves with the body, that is a half-space for the position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct HalfSpace {
    /// Unit vector away from the other body.
    pub(crate) normal: Vector3<f64>,
    /// Where the body is at the start.
    pub(crate) start: Point3<f64>,
    /// How far along the normal, from there, it must at least be; negative where there is room.
    pub(crate) least: f64,
    /// What the other is called.
    pub(crate) name: [u32; 2],
    /// The part of the body.
    pub(crate) part: u8,
}

impl HalfSpace {
    /// How far a position is inside; negative where it is outside.
    pub(crate) fn room(&self, position: &Point3<f64>) -> f64 {
        self.normal.dot(&(position - self.start)) - self.least
    }

    /// The share of a motion from `start` after which it leaves the half-space: at once if it is outside already and
    /// leads farther out. `None` if it stays inside, or approaches the border by no more than `intrusion`, in metres.
    pub(crate) fn exit(&self, start: &Point3<f64>, motion: &Vector3<f64>, intrusion: f64) -> Option<f64> {
        let approach = -self.normal.dot(motion);
        let room = self.room(start);
        let leaves = approach > room && approach > intrusion;
        leaves.then(|| (room / approach).max(0.0))
    }
}
