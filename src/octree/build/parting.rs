//! [`split`]: where triangles are parted in two.

use super::{
    MEASURED_PARTINGS,
    bounds::{Bounds, Item},
};
use crate::wide::LANES;

/// Bins along an axis, of which the borders are candidates for a parting.
const BINS: usize = 16;

/// Parts triangles in two, and returns how many come first.
pub(super) fn split(items: &mut [Item], partings: usize, growth: f32) -> usize {
    let mut split = 0;
    if partings < MEASURED_PARTINGS
        && let Some(parting) = Parting::best(items, growth)
    {
        split = partition(items, |item| parting.is_low(item));
    }
    if split == 0 || split == items.len() {
        // Whole packets, but for one.
        split = (items.len() / 2).next_multiple_of(LANES);
        let axis = Bounds::around(items).longest_axis();
        items.select_nth_unstable_by(split, |a, b| a.center(axis).total_cmp(&b.center(axis)).then(a.id.cmp(&b.id)));
    }
    split
}

/// A plane between two bins.
struct Parting {
    axis: usize,
    /// Twice the coordinate at which the bins begin.
    start: f32,
    /// Bins in half a metre.
    scale: f32,
    /// The first bin of the upper side.
    bin: usize,
}

impl Parting {
    /// The plane that makes the least sum of surface, grown by `growth` along each axis, times packets; `None` where all
    /// middles are in one place.
    fn best(items: &[Item], growth: f32) -> Option<Self> {
        let mut centers = Bounds::EMPTY;
        for item in items {
            let center = [0, 1, 2, 3].map(|axis| item.min[axis] + item.max[axis]);
            centers.include(&center, &center);
        }
        let scale = [0, 1, 2].map(|axis| {
            let scale = BINS as f32 * (1.0 - f32::EPSILON) / (centers.max[axis] - centers.min[axis]);
            if scale.is_finite() { scale } else { 0.0 }
        });
        let planes = [0, 1, 2].map(|axis| Self { axis, start: centers.min[axis], scale: scale[axis], bin: 0 });
        let mut counts = [[0_u32; BINS]; 3];
        let mut bounds = [[Bounds::EMPTY; BINS]; 3];
        for item in items {
            for axis in 0..3 {
                let bin = planes[axis].bin_of(item);
                counts[axis][bin] += 1;
                bounds[axis][bin].include(&item.min, &item.max);
            }
        }
        let mut best: Option<(f32, Self)> = None;
        for plane in planes {
            let axis = plane.axis;
            if plane.scale == 0.0 {
                continue;
            }
            // What all bins from each one on cost.
            let mut upper = [0.0_f32; BINS];
            let (mut side, mut count) = (Bounds::EMPTY, 0);
            for bin in (1..BINS).rev() {
                side.include(&bounds[axis][bin].min, &bounds[axis][bin].max);
                count += counts[axis][bin];
                upper[bin] = side.cost(count, growth);
            }
            let (mut side, mut count) = (Bounds::EMPTY, 0);
            for bin in 1..BINS {
                side.include(&bounds[axis][bin - 1].min, &bounds[axis][bin - 1].max);
                count += counts[axis][bin - 1];
                if count == 0 || count as usize == items.len() {
                    continue;
                }
                let cost = side.cost(count, growth) + upper[bin];
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    best = Some((cost, Self { bin, ..plane }));
                }
            }
        }
        best.map(|(_, plane)| plane)
    }

    #[inline(always)]
    fn bin_of(&self, item: &Item) -> usize {
        (((item.center(self.axis) - self.start) * self.scale) as usize).min(BINS - 1)
    }

    fn is_low(&self, item: &Item) -> bool {
        self.bin_of(item) < self.bin
    }
}

impl Bounds {
    /// What it takes to look at so many triangles in this box.
    fn cost(&self, triangles: u32, growth: f32) -> f32 {
        if triangles == 0 { 0.0 } else { self.surface(growth) * triangles.div_ceil(LANES as u32) as f32 }
    }

    fn longest_axis(&self) -> usize {
        let size = [0, 1, 2].map(|axis| self.max[axis] - self.min[axis]);
        if size[0] >= size[1] && size[0] >= size[2] {
            0
        } else if size[1] >= size[2] {
            1
        } else {
            2
        }
    }
}

/// Moves the members for which `is_low` holds to the front, and returns how many they are.
fn partition<M>(members: &mut [M], is_low: impl Fn(&M) -> bool) -> usize {
    let mut low = 0;
    for i in 0..members.len() {
        if is_low(&members[i]) {
            members.swap(i, low);
            low += 1;
        }
    }
    low
}
