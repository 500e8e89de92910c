//! The queries: each is a bound for boxes and a look at the triangles of a packet.

use nalgebra::{Point3, Unit, Vector3};

use super::{
    MeshHit, MeshPoint, MeshRayHit, Octree, Visits,
    contact::{EachContact, FirstContact, FirstNearby, is_brief},
    traverse::{Boxes, DistanceBound, Gathered, Gathering, OverlapBound, Search, SlabBound},
};
use crate::{
    mesh::TriMesh,
    real::{Length, Real, narrow, narrow_point, widen, widen_point},
    shape::{Aabb3, ClosestPoint, Ray3, Triangle, ray::ExactRayHit, ray::cast_triangle},
    sweep::{Sweep, packet::TrianglePacket, triangle::UnitContact, wide_sweep::WideSweep},
    wide::{Simd, dispatch, f32x8, nearest_first, prelude::*, set_bits},
};

/// An answer of an exact test, with the triangle that gave it: reading it again from the mesh would cost more than the test.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found<A> {
    pub(crate) answer: A,
    /// Index of the triangle in the mesh.
    pub(crate) id: u32,
    pub(crate) triangle: Triangle<f64>,
}

impl<T: Real> Octree<T> {
    /// The first triangle that the body touches on its way.
    ///
    /// Of equal contacts the lowest triangle id wins; of several overlaps at the start the deepest in unit space.
    #[doc(alias = "shape_cast")]
    #[inline]
    pub fn sweep(&self, sweep: &Sweep) -> Option<MeshHit<T>> {
        self.sweep_counted(sweep, &mut Visits::default())
    }

    /// As [`Octree::sweep`]; also adds the work done to `visits`.
    #[inline]
    pub fn sweep_counted(&self, sweep: &Sweep, visits: &mut Visits) -> Option<MeshHit<T>> {
        self.first_contact(sweep, 1.0, visits).map(|hit| mesh_hit(&self.mesh, sweep, &hit))
    }

    /// The first contact within `limit` of the motion, in unit space.
    pub(crate) fn first_contact(&self, sweep: &Sweep, limit: f64, visits: &mut Visits) -> Option<Found<UnitContact>> {
        dispatch!(self.level.0, simd => self.first_contact_on(simd, sweep, limit, visits))
    }

    #[inline(always)]
    fn first_contact_on<S: Simd>(
        &self,
        simd: S,
        sweep: &Sweep,
        limit: f64,
        visits: &mut Visits,
    ) -> Option<Found<UnitContact>> {
        if is_brief(sweep) {
            FirstNearby::new(simd, self, sweep, limit).find(simd, self, visits)
        } else {
            let mut first = FirstContact::new(simd, self, sweep, limit);
            self.search(simd, above(limit), &mut first, visits);
            first.answer()
        }
    }

    /// Every triangle that the body touches on its way, at the time at which it touches that one alone; in no order.
    pub fn each_contact(&self, sweep: &Sweep, mut visit: impl FnMut(MeshHit<T>)) {
        self.each_unit_contact(sweep, |hit| {
            visit(mesh_hit(&self.mesh, sweep, &hit));
            true
        });
    }

    /// Hands out contacts until `visit` returns false.
    pub(crate) fn each_unit_contact(&self, sweep: &Sweep, visit: impl FnMut(Found<UnitContact>) -> bool) {
        dispatch!(self.level.0, simd => self.each_unit_contact_on(simd, sweep, visit));
    }

    #[inline(always)]
    fn each_unit_contact_on<S: Simd>(&self, simd: S, sweep: &Sweep, visit: impl FnMut(Found<UnitContact>) -> bool) {
        let mut each = EachContact::new(simd, self, sweep, visit);
        self.search(simd, 1.0, &mut each, &mut Visits::default());
    }

    /// Every triangle that a still body overlaps, with depth and normal; in no order. Touching is no overlap.
    ///
    /// The sweep's motion does not matter.
    pub fn each_overlap(&self, body: &Sweep, visit: impl FnMut(MeshHit<T>)) {
        self.each_contact(&body.still(), visit);
    }

    /// Whether a still body overlaps nothing. The sweep's motion does not matter.
    pub fn has_room(&self, body: &Sweep) -> bool {
        let mut is_free = true;
        self.each_unit_contact(&body.still(), |_| {
            is_free = false;
            false
        });
        is_free
    }

    /// The first triangle that a ray meets, from either side, at a parameter of at most `max_t`.
    #[doc(alias = "raycast")]
    #[inline]
    pub fn cast_ray(&self, ray: &Ray3<T>, max_t: T) -> Option<MeshRayHit<T>> {
        self.cast_ray_counted(ray, max_t, &mut Visits::default())
    }

    /// As [`Octree::cast_ray`]; also adds the work done to `visits`.
    #[inline]
    pub fn cast_ray_counted(&self, ray: &Ray3<T>, max_t: T, visits: &mut Visits) -> Option<MeshRayHit<T>> {
        let (origin, direction) = (widen_point(&ray.origin()), widen(&ray.direction()));
        let hit = self.first_ray_hit(&origin, &direction, max_t.to_f64(), visits)?;
        Some(mesh_ray_hit(&self.mesh, &hit))
    }

    /// The first hit of a ray, before rounding.
    pub(crate) fn first_ray_hit(
        &self,
        origin: &Point3<f64>,
        direction: &Vector3<f64>,
        max_t: f64,
        visits: &mut Visits,
    ) -> Option<Found<ExactRayHit>> {
        dispatch!(self.level.0, simd => self.first_ray_hit_on(simd, origin, direction, max_t, visits))
    }

    #[inline(always)]
    fn first_ray_hit_on<S: Simd>(
        &self,
        simd: S,
        origin: &Point3<f64>,
        direction: &Vector3<f64>,
        max_t: f64,
        visits: &mut Visits,
    ) -> Option<Found<ExactRayHit>> {
        let mut first = FirstRayHit { line: Line::new(self, origin, direction, max_t)?, best: None };
        self.search(simd, 1.0, &mut first, visits);
        first.best
    }

    /// Whether a ray meets anything at a parameter of at most `max_t`; cheaper than the first hit.
    pub fn is_ray_blocked(&self, ray: &Ray3<T>, max_t: T) -> bool {
        let mut is_blocked = false;
        self.each_ray_hit_until(ray, max_t, |_| {
            is_blocked = true;
            false
        });
        is_blocked
    }

    /// Every triangle that a ray meets at a parameter of at most `max_t`; in no order.
    pub fn each_ray_hit(&self, ray: &Ray3<T>, max_t: T, mut visit: impl FnMut(MeshRayHit<T>)) {
        self.each_ray_hit_until(ray, max_t, |hit| {
            visit(mesh_ray_hit(&self.mesh, &hit));
            true
        });
    }

    fn each_ray_hit_until(&self, ray: &Ray3<T>, max_t: T, visit: impl FnMut(Found<ExactRayHit>) -> bool) {
        let (origin, direction) = (widen_point(&ray.origin()), widen(&ray.direction()));
        let Some(line) = Line::new(self, &origin, &direction, max_t.to_f64()) else { return };
        let mut each = EachRayHit { line, visit };
        dispatch!(self.level.0, simd => self.search(simd, 1.0, &mut each, &mut Visits::default()));
    }

    /// The point of the mesh that is nearest to `point`, within `max_distance` metres (infinity is allowed).
    ///
    /// A `point` that is not finite has no nearest one.
    pub fn closest_point(&self, point: Point3<T>, max_distance: T) -> Option<MeshPoint<T>> {
        self.closest_point_counted(point, max_distance, &mut Visits::default())
    }

    /// As [`Octree::closest_point`]; also adds the work done to `visits`.
    pub fn closest_point_counted(
        &self,
        point: Point3<T>,
        max_distance: T,
        visits: &mut Visits,
    ) -> Option<MeshPoint<T>> {
        let point = widen_point(&point);
        let measure = |triangle: &Triangle<f64>| triangle.closest_point_f64(&point);
        let best = self.closest(&point, 1.0, max_distance.to_f64(), visits, measure);
        best.map(|hit| mesh_point(&self.mesh, &hit))
    }

    /// The closest triangle by `measure`, a distance that is at least `least_scale` times that in the mesh.
    pub(crate) fn closest(
        &self,
        point: &Point3<f64>,
        least_scale: f64,
        max_distance: f64,
        visits: &mut Visits,
        measure: impl Fn(&Triangle<f64>) -> ClosestPoint<f64>,
    ) -> Option<Found<ClosestPoint<f64>>> {
        let bound = DistanceBound::new(&(point - self.origin), self.extent)?;
        let mut closest = Closest { bound, least_scale, limit: max_distance, measure, best: None };
        dispatch!(self.level.0, simd => self.search(simd, above(max_distance / least_scale), &mut closest, visits));
        closest.best
    }

    /// Every triangle whose own box meets a box; in no order.
    pub fn each_in_box(&self, bounds: &Aabb3<f64>, mut visit: impl FnMut(u32)) {
        self.each_triangle_in_box(bounds, |id, _| visit(id));
    }

    /// As [`Octree::each_in_box`]; also hands out the vertices, which are at hand.
    pub(crate) fn each_triangle_in_box(&self, bounds: &Aabb3<f64>, visit: impl FnMut(u32, &Triangle<f64>)) {
        dispatch!(self.level.0, simd => self.each_triangle_in_box_on(simd, bounds, visit));
    }

    #[inline(always)]
    fn each_triangle_in_box_on<S: Simd>(
        &self,
        simd: S,
        bounds: &Aabb3<f64>,
        mut visit: impl FnMut(u32, &Triangle<f64>),
    ) {
        let (min, max) = (bounds.min - self.origin, bounds.max - self.origin);
        let bound = OverlapBound::new(&min, &max);
        let mut gathering = Gathering::new(self, OverlapBound::rounded(&min, &max, self.extent));
        let mut gathered = Gathered::new();
        loop {
            gathering.next(simd, self, &mut gathered, &mut Visits::default());
            if gathered.is_empty() {
                return;
            }
            for index in &gathered {
                let packet = &self.packets[*index as usize];
                for lane in set_bits(bound.meets(simd, packet) & packet.used(simd)) {
                    let triangle = self.exact(packet, lane);
                    if triangle.bounds().overlaps(bounds) {
                        visit(packet.id(lane), &triangle);
                    }
                }
            }
        }
    }

    /// What the vertices in packets are off by.
    #[inline(always)]
    pub(super) fn stored(&self) -> f64 {
        if T::IS_F32 { 0.0 } else { f64::from(f32::EPSILON) * self.extent }
    }

    /// The triangle in a lane of a packet, exactly.
    #[inline(always)]
    pub(super) fn exact(&self, packet: &TrianglePacket, lane: usize) -> Triangle<f64> {
        if T::IS_F32 { packet.triangle(lane, &self.origin) } else { self.mesh.triangle(packet.id(lane)).widen() }
    }
}

/// A limit that no cost meets.
pub(super) const NOTHING_MORE: f32 = f32::NEG_INFINITY;

/// A ray, as boxes and packets see it: a motion that ends where it has left the mesh for certain.
pub(super) struct Line {
    origin: Point3<f64>,
    direction: Vector3<f64>,
    max_t: f64,
    /// The parameter at which the motion ends.
    end: f64,
    slabs: SlabBound,
    wide: WideSweep,
}

impl Line {
    /// `None` where no parameter is allowed.
    #[inline(always)]
    pub(super) fn new<T: Real>(
        tree: &Octree<T>,
        origin: &Point3<f64>,
        direction: &Vector3<f64>,
        max_t: f64,
    ) -> Option<Self> {
        if max_t.is_nan() || max_t < 0.0 {
            return None;
        }
        let center = origin - tree.origin;
        let end = max_t.min((center.length() + 2.0 * tree.extent) * 1.001 / direction.length());
        let motion = direction * end;
        Some(Self {
            origin: *origin,
            direction: *direction,
            max_t,
            end,
            slabs: SlabBound::new(&center, &motion, &Vector3::zeros(), tree.extent),
            wide: WideSweep::ray(&center, &motion, tree.extent, tree.stored()),
        })
    }

    /// The share of the motion at a parameter, rounded up.
    #[inline(always)]
    fn share(&self, t: f64) -> f64 {
        if self.end > 0.0 { (t / self.end).min(1.0) } else { 1.0 }
    }

    #[inline(always)]
    fn cast<T: Real>(&self, tree: &Octree<T>, packet: &TrianglePacket, lane: usize) -> Option<Found<ExactRayHit>> {
        let (id, triangle) = (packet.id(lane), tree.exact(packet, lane));
        let answer = cast_triangle(&self.origin, &self.direction, &triangle)?;
        (answer.t <= self.max_t).then_some(Found { answer, id, triangle })
    }
}

/// [`Octree::first_ray_hit`].
pub(super) struct FirstRayHit {
    pub(super) line: Line,
    pub(super) best: Option<Found<ExactRayHit>>,
}

impl<T: Real, S: Simd> Search<T, S> for FirstRayHit {
    #[inline(always)]
    fn bound(&self, simd: S, boxes: &impl Boxes, limit: f32) -> (u8, f32x8<S>) {
        self.line.slabs.entries(simd, boxes, limit)
    }

    #[inline(always)]
    fn visit(&mut self, simd: S, tree: &Octree<T>, packet: &TrianglePacket, _: f32, visits: &mut Visits) -> f32 {
        let Line { wide, .. } = &self.line;
        let mut share = self.best.as_ref().map_or(1.0, |hit| self.line.share(hit.answer.t));
        let (lanes, entries) = wide.entries(simd, packet, wide.distance(share));
        for (lane, entry) in nearest_first(lanes, entries.to_array()) {
            if entry > wide.distance(share) {
                break;
            }
            visits.triangles += 1;
            if let Some(hit) = self.line.cast(tree, packet, lane)
                && is_nearer(&hit, self.best.as_ref())
            {
                share = self.line.share(hit.answer.t);
                self.best = Some(hit);
            }
        }
        above(share)
    }
}

/// [`Octree::each_ray_hit`].
struct EachRayHit<F> {
    line: Line,
    visit: F,
}

impl<T: Real, S: Simd, F: FnMut(Found<ExactRayHit>) -> bool> Search<T, S> for EachRayHit<F> {
    #[inline(always)]
    fn bound(&self, simd: S, boxes: &impl Boxes, limit: f32) -> (u8, f32x8<S>) {
        self.line.slabs.entries(simd, boxes, limit)
    }

    #[inline(always)]
    fn visit(&mut self, simd: S, tree: &Octree<T>, packet: &TrianglePacket, limit: f32, visits: &mut Visits) -> f32 {
        let Line { wide, .. } = &self.line;
        let (lanes, _) = wide.entries(simd, packet, wide.distance(1.0));
        for lane in set_bits(lanes) {
            visits.triangles += 1;
            if let Some(hit) = self.line.cast(tree, packet, lane)
                && !(self.visit)(hit)
            {
                return NOTHING_MORE;
            }
        }
        limit
    }
}

/// [`Octree::closest`].
pub(super) struct Closest<M> {
    pub(super) bound: DistanceBound,
    pub(super) least_scale: f64,
    pub(super) limit: f64,
    pub(super) measure: M,
    pub(super) best: Option<Found<ClosestPoint<f64>>>,
}

impl<T: Real, S: Simd, M: Fn(&Triangle<f64>) -> ClosestPoint<f64>> Search<T, S> for Closest<M> {
    #[inline(always)]
    fn bound(&self, simd: S, boxes: &impl Boxes, limit: f32) -> (u8, f32x8<S>) {
        self.bound.distances(simd, boxes, limit)
    }

    #[inline(always)]
    fn visit(
        &mut self,
        simd: S,
        tree: &Octree<T>,
        packet: &TrianglePacket,
        mut limit: f32,
        visits: &mut Visits,
    ) -> f32 {
        let (lanes, distances) = self.bound.distances(simd, packet, limit);
        for (lane, distance) in nearest_first(lanes & packet.used(simd), distances.to_array()) {
            if distance > limit {
                break;
            }
            visits.triangles += 1;
            let (id, triangle) = (packet.id(lane), tree.exact(packet, lane));
            let answer = (self.measure)(&triangle);
            if answer.distance <= self.limit && is_closer(&answer, id, self.best.as_ref()) {
                self.limit = answer.distance;
                self.best = Some(Found { answer, id, triangle });
                limit = above(self.limit / self.least_scale);
            }
        }
        limit
    }
}

/// The nearest `f32` that is not below `x`.
pub(super) fn above(x: f64) -> f32 {
    let rounded = x as f32;
    if f64::from(rounded) < x { rounded.next_up() } else { rounded }
}

/// Whether a contact counts before the best so far: by time, then by depth, then by triangle.
#[inline(always)]
pub(super) fn is_earlier(contact: &UnitContact, id: u32, best: Option<&Found<UnitContact>>) -> bool {
    best.is_none_or(|best| contact.is_before(&best.answer) || (contact.ties_with(&best.answer) && id < best.id))
}

/// Whether a ray hit counts before the best so far: by parameter, then by triangle.
#[inline(always)]
pub(super) fn is_nearer(hit: &Found<ExactRayHit>, best: Option<&Found<ExactRayHit>>) -> bool {
    best.is_none_or(|best| (hit.answer.t, hit.id) < (best.answer.t, best.id))
}

/// Whether a closest point counts before the best so far: by distance, then by triangle.
#[inline(always)]
pub(super) fn is_closer(point: &ClosestPoint<f64>, id: u32, best: Option<&Found<ClosestPoint<f64>>>) -> bool {
    best.is_none_or(|best| (point.distance, id) < (best.answer.distance, best.id))
}

pub(super) fn mesh_hit<T: Real>(mesh: &TriMesh<T>, sweep: &Sweep, hit: &Found<UnitContact>) -> MeshHit<T> {
    let contact = sweep.leave(&hit.answer, &hit.triangle).cast();
    MeshHit { contact, triangle: hit.id, material: mesh.material(hit.id) }
}

pub(super) fn mesh_ray_hit<T: Real>(mesh: &TriMesh<T>, found: &Found<ExactRayHit>) -> MeshRayHit<T> {
    let hit = &found.answer;
    MeshRayHit {
        t: T::nearest(hit.t),
        point: narrow_point(&found.triangle.at(&hit.barycentrics)),
        normal: Unit::new_unchecked(narrow(&hit.normal)),
        is_front: hit.is_front,
        barycentrics: hit.barycentrics.map(T::nearest),
        triangle: found.id,
        material: mesh.material(found.id),
    }
}

pub(super) fn mesh_point<T: Real>(mesh: &TriMesh<T>, found: &Found<ClosestPoint<f64>>) -> MeshPoint<T> {
    let closest = &found.answer;
    MeshPoint {
        point: narrow_point(&closest.point),
        distance: T::nearest(closest.distance),
        feature: closest.feature,
        barycentrics: closest.barycentrics.map(T::nearest),
        triangle: found.id,
        material: mesh.material(found.id),
    }
}
