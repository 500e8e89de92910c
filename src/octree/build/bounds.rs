//! [`Bounds`]: boxes of triangles in `f32`, rounded outwards.

use nalgebra::Point3;

use crate::{octree::Node, shape::Triangle};

/// A triangle as the builder sees it: its box relative to the origin, rounded outwards.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    // A fourth coordinate, always zero, makes them fit a vector of four.
    pub(super) min: [f32; 4],
    pub(super) max: [f32; 4],
    pub(super) id: u32,
}

impl Item {
    /// Twice the middle of the box.
    #[inline(always)]
    pub(super) fn center(&self, axis: usize) -> f32 {
        self.min[axis] + self.max[axis]
    }
}

/// A box that grows.
#[derive(Debug, Clone, Copy)]
pub(in crate::octree) struct Bounds {
    pub(super) min: [f32; 4],
    pub(super) max: [f32; 4],
}

impl Bounds {
    pub(in crate::octree) const EMPTY: Self = Self { min: [f32::INFINITY; 4], max: [f32::NEG_INFINITY; 4] };

    #[inline(always)]
    pub(super) fn include(&mut self, min: &[f32; 4], max: &[f32; 4]) {
        for axis in 0..4 {
            self.min[axis] = if min[axis] < self.min[axis] { min[axis] } else { self.min[axis] };
            self.max[axis] = if max[axis] > self.max[axis] { max[axis] } else { self.max[axis] };
        }
    }

    pub(super) fn around(items: &[Item]) -> Self {
        let mut bounds = Self::EMPTY;
        for item in items {
            bounds.include(&item.min, &item.max);
        }
        bounds
    }

    /// The box of a triangle relative to the origin, rounded outwards.
    #[inline(always)]
    pub(in crate::octree) fn of(triangle: &Triangle<f64>, origin: &Point3<f64>) -> Self {
        let corners = triangle.vertices().map(|p| p - origin);
        let mut bounds = Self { min: [0.0; 4], max: [0.0; 4] };
        for axis in 0..3 {
            let [a, b, c] = corners.map(|p| p[axis]);
            // Adding zero makes −0 and 0 one number, so that the order of triangles does not show in a box.
            bounds.min[axis] = below(a.min(b).min(c)) + 0.0;
            bounds.max[axis] = above(a.max(b).max(c)) + 0.0;
        }
        bounds
    }

    /// The largest distance of a coordinate from zero.
    pub(in crate::octree) fn extent(&self) -> f64 {
        f64::from([self.min, self.max].into_iter().flatten().fold(0.0_f32, |extent, x| extent.max(x.abs())))
    }

    /// Makes this the box of a child.
    pub(in crate::octree) fn write(&self, node: &mut Node, lane: usize) {
        for axis in 0..3 {
            node.bounds[axis].0[lane] = self.min[axis];
            node.bounds[axis + 3].0[lane] = self.max[axis];
        }
    }

    pub(in crate::octree) fn union(&self, other: &Self) -> Self {
        let mut union = *self;
        union.include(&other.min, &other.max);
        union
    }

    /// Half the surface of the box when it is longer by `growth` along each axis.
    #[inline(always)]
    pub(super) fn surface(&self, growth: f32) -> f32 {
        let size = |axis: usize| (self.max[axis] - self.min[axis]).max(0.0) + growth;
        let (x, y, z) = (size(0), size(1), size(2));
        x * y + y * z + z * x
    }
}

/// The nearest `f32` that is not above `x`.
fn below(x: f64) -> f32 {
    let rounded = x as f32;
    if f64::from(rounded) > x { rounded.next_down() } else { rounded }
}

/// The nearest `f32` that is not below `x`.
fn above(x: f64) -> f32 {
    -below(-x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn culling_boxes_are_rounded_outwards() {
        assert!(f64::from(below(0.1)) <= 0.1 && f64::from(above(0.1)) >= 0.1);
        assert_eq!((below(0.5), above(0.5)), (0.5, 0.5));
    }
}
