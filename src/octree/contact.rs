//! The searches of moving bodies: for the first contact, and for each.

use arrayvec::ArrayVec;
use nalgebra::Vector3;

use super::{
    Found, Octree, Visits,
    query::{NOTHING_MORE, above, is_earlier},
    traverse::{Boxes, Gathered, Gathering, OverlapBound, Search, SlabBound},
};
use crate::{
    real::Real,
    sweep::{StartOverlap, Sweep, packet::TrianglePacket, triangle::UnitContact, wide_sweep::WideSweep},
    wide::{LANES, Simd, f32x8, nearest_first, prelude::*, set_bits},
};

impl Sweep {
    /// The body where the sweep starts, not moving, with all its overlaps.
    pub(super) fn still(&self) -> Self {
        let zero = Vector3::zeros();
        Self { motion: zero, unit_motion: zero, start_overlap: StartOverlap::Report, ..*self }
    }
}

/// Whether a body moves by less than its own radius: it is near everything all the way, and where on the way it enters a box
/// says nothing.
#[inline(always)]
pub(super) fn is_brief(sweep: &Sweep) -> bool {
    sweep.unit_motion.norm_squared() <= 1.0
}

/// The first contact found so far.
struct First<'a> {
    sweep: &'a Sweep,
    wide: WideSweep,
    /// Share of the motion within which it has to be.
    limit: f64,
    best: Option<Found<UnitContact>>,
}

impl<'a> First<'a> {
    #[inline(always)]
    fn new<T: Real, S: Simd>(simd: S, tree: &Octree<T>, sweep: &'a Sweep, limit: f64) -> Self {
        Self { sweep, wide: wide(simd, tree, sweep), limit, best: None }
    }

    /// The way up to the first contact, as [`WideSweep::entries`] measures it.
    #[inline(always)]
    fn reach(&self) -> f32 {
        self.wide.distance(self.limit)
    }

    /// Looks at one triangle.
    #[inline(always)]
    fn look<T: Real, S: Simd>(
        &mut self,
        simd: S,
        tree: &Octree<T>,
        packet: &TrianglePacket,
        lane: usize,
        visits: &mut Visits,
    ) {
        visits.triangles += 1;
        let (id, triangle) = (packet.id(lane), tree.exact(packet, lane));
        let (sweep, limit) = (self.sweep, self.limit);
        let touch = simd.vectorize(
            #[inline(always)]
            || sweep.touch_on(simd, &triangle, tree.mesh.sides(), limit),
        );
        if let Some(answer) = touch
            && is_earlier(&answer, id, self.best.as_ref())
        {
            self.limit = answer.fraction;
            self.best = Some(Found { answer, id, triangle });
        }
    }
}

#[inline(always)]
fn wide<T: Real, S: Simd>(simd: S, tree: &Octree<T>, sweep: &Sweep) -> WideSweep {
    let center = sweep.start - tree.origin;
    WideSweep::sphere(simd, &center, &sweep.space, &sweep.unit_motion, tree.extent, tree.stored())
}

#[inline(always)]
fn slabs<T: Real>(tree: &Octree<T>, sweep: &Sweep) -> SlabBound {
    let center = sweep.start - tree.origin;
    SlabBound::new(&center, &sweep.motion, &sweep.space.half_extents(), tree.extent)
}

/// [`Octree::first_contact`] on a brief way: first all packets that it may meet, then all of their triangles that it may
/// touch, then these one by one, the nearest first. Steps that do not wait for each other's branches, or for memory, overlap
/// in the processor.
pub(super) struct FirstNearby<'a> {
    first: First<'a>,
    gathering: Gathering,
}

/// Packets that are looked at together.
const TOGETHER: usize = 8;

impl<'a> FirstNearby<'a> {
    #[inline(always)]
    pub(super) fn new<T: Real, S: Simd>(simd: S, tree: &Octree<T>, sweep: &'a Sweep, limit: f64) -> Self {
        let center = sweep.start - tree.origin;
        let whole = OverlapBound::of_way(&center, &sweep.motion, &sweep.space.half_extents(), tree.extent);
        Self { first: First::new(simd, tree, sweep, limit), gathering: Gathering::new(tree, whole) }
    }

    #[inline(always)]
    pub(super) fn find<T: Real, S: Simd>(
        mut self,
        simd: S,
        tree: &Octree<T>,
        visits: &mut Visits,
    ) -> Option<Found<UnitContact>> {
        let mut gathered = Gathered::new();
        loop {
            self.gathering.next(simd, tree, &mut gathered, visits);
            if gathered.is_empty() {
                return self.first.best;
            }
            for packets in gathered.chunks(TOGETHER) {
                self.first.visit_together(simd, tree, packets, visits);
            }
        }
    }
}

impl First<'_> {
    #[inline(always)]
    fn visit_together<T: Real, S: Simd>(&mut self, simd: S, tree: &Octree<T>, packets: &[u32], visits: &mut Visits) {
        // The entry's bits above the place: entries are made not negative, so that these numbers are in their order.
        let mut candidates = ArrayVec::<u64, { TOGETHER * LANES }>::new();
        let reach = self.reach();
        visits.packets += packets.len();
        for (slot, index) in packets.iter().enumerate() {
            let (lanes, entries) = self.wide.entries(simd, &tree.packets[*index as usize], reach);
            let entries = entries.max(f32x8::simd_from(simd, 0.0)).to_array();
            for lane in set_bits(lanes) {
                candidates.push(u64::from(entries[lane].to_bits()) << 32 | (slot * LANES + lane) as u64);
            }
        }
        while !candidates.is_empty() {
            let mut nearest = 0;
            for place in 1..candidates.len() {
                if candidates[place] < candidates[nearest] {
                    nearest = place;
                }
            }
            let candidate = candidates.swap_remove(nearest);
            if f32::from_bits((candidate >> 32) as u32) > self.reach() {
                return;
            }
            let place = candidate as usize % (TOGETHER * LANES);
            let packet = &tree.packets[packets[place / LANES] as usize];
            self.look(simd, tree, packet, place % LANES, visits);
        }
    }
}

/// [`Octree::first_contact`] on any way, from the nearest packet on.
pub(super) struct FirstContact<'a> {
    slabs: SlabBound,
    first: First<'a>,
}

impl<'a> FirstContact<'a> {
    #[inline(always)]
    pub(super) fn new<T: Real, S: Simd>(simd: S, tree: &Octree<T>, sweep: &'a Sweep, limit: f64) -> Self {
        Self { slabs: slabs(tree, sweep), first: First::new(simd, tree, sweep, limit) }
    }

    /// What was found.
    #[inline(always)]
    pub(super) fn answer(&self) -> Option<Found<UnitContact>> {
        self.first.best
    }
}

impl<T: Real, S: Simd> Search<T, S> for FirstContact<'_> {
    #[inline(always)]
    fn bound(&self, simd: S, boxes: &impl Boxes, limit: f32) -> (u8, f32x8<S>) {
        self.slabs.entries(simd, boxes, limit)
    }

    #[inline(always)]
    fn visit(&mut self, simd: S, tree: &Octree<T>, packet: &TrianglePacket, _: f32, visits: &mut Visits) -> f32 {
        let first = &mut self.first;
        let (lanes, entries) = first.wide.entries(simd, packet, first.reach());
        for (lane, entry) in nearest_first(lanes, entries.to_array()) {
            if entry > first.reach() {
                break;
            }
            first.look(simd, tree, packet, lane, visits);
        }
        above(first.limit)
    }
}

/// [`Octree::each_unit_contact`].
pub(super) struct EachContact<'a, F> {
    sweep: &'a Sweep,
    slabs: SlabBound,
    wide: WideSweep,
    visit: F,
}

impl<'a, F> EachContact<'a, F> {
    #[inline(always)]
    pub(super) fn new<T: Real, S: Simd>(simd: S, tree: &Octree<T>, sweep: &'a Sweep, visit: F) -> Self {
        Self { sweep, slabs: slabs(tree, sweep), wide: wide(simd, tree, sweep), visit }
    }
}

impl<T: Real, S: Simd, F: FnMut(Found<UnitContact>) -> bool> Search<T, S> for EachContact<'_, F> {
    #[inline(always)]
    fn bound(&self, simd: S, boxes: &impl Boxes, limit: f32) -> (u8, f32x8<S>) {
        self.slabs.entries(simd, boxes, limit)
    }

    #[inline(always)]
    fn visit(&mut self, simd: S, tree: &Octree<T>, packet: &TrianglePacket, limit: f32, visits: &mut Visits) -> f32 {
        let (lanes, _) = self.wide.entries(simd, packet, self.wide.distance(1.0));
        for lane in set_bits(lanes) {
            visits.triangles += 1;
            let (id, triangle) = (packet.id(lane), tree.exact(packet, lane));
            if let Some(answer) = self.sweep.touch_on(simd, &triangle, tree.mesh.sides(), 1.0)
                && !(self.visit)(Found { answer, id, triangle })
            {
                return NOTHING_MORE;
            }
        }
        limit
    }
}
