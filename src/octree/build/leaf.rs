//! The boxes of a [`Leaf`], in whole steps.

use super::bounds::Bounds;
use crate::{
    octree::{LEAF_GROUPS, Leaf},
    wide::LANES,
};

impl Leaf {
    /// A leaf without boxes.
    pub(in crate::octree) fn new(bounds: &Bounds, first: usize) -> Self {
        let origin = [bounds.min[0], bounds.min[1], bounds.min[2]];
        let step = |axis: usize| {
            let mut step = (bounds.max[axis] - bounds.min[axis]) / 255.0;
            while bounds.min[axis] + 255.0 * step < bounds.max[axis] {
                step = step.next_up();
            }
            step
        };
        let step = [step(0), step(1), step(2)];
        let per_step = step.map(|step| if step > 0.0 { (1.0 / step).min(f32::MAX) } else { 0.0 });
        Self { origin, step, per_step, first: first as u32, len: 0, boxes: [[0; LEAF_GROUPS * LANES]; 6] }
    }

    /// Rounds a box outwards to whole steps, as they come out when they are computed back.
    pub(in crate::octree) fn set_box(&mut self, packet: usize, bounds: &Bounds) {
        for axis in 0..3 {
            let (origin, step) = (self.origin[axis], self.step[axis]);
            let steps = |x: f32| if step > 0.0 { ((x - origin) / step).clamp(0.0, 255.0) } else { 0.0 };
            let (mut low, mut high) = (steps(bounds.min[axis]).floor(), steps(bounds.max[axis]).ceil());
            while low > 0.0 && origin + low * step > bounds.min[axis] {
                low -= 1.0;
            }
            while high < 255.0 && origin + high * step < bounds.max[axis] {
                high += 1.0;
            }
            self.boxes[axis][packet] = low as u8;
            self.boxes[axis + 3][packet] = high as u8;
        }
    }
}
