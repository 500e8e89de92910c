//! Where a ray, thin or thick, meets a box, a convex polygon or a mesh.

use std::sync::Arc;

use arrayvec::ArrayVec;
use nalgebra::{Point, Point2, Point3, SVector, Vector2, Vector3};

use crate::{
    flat::ConvexPolygon,
    octree::Octree,
    real::{Real, narrow, narrow_point},
    shape::{Aabb, Ellipsoid, Ray3, Segment, ray::slab},
    sweep::Sweep,
};

/// One ray of a fan, in the world.
pub(super) struct SensorRay<const D: usize> {
    pub(super) origin: Point<f64, D>,
    /// A unit vector.
    pub(super) direction: SVector<f64, D>,
    pub(super) length: f64,
    /// Zero for a plain ray.
    pub(super) thickness: f64,
    /// The axis to which it is parallel, if it is.
    pub(super) axis: Option<usize>,
}

/// Where it meets something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TargetHit<const D: usize> {
    /// From the ray's origin, in metres.
    pub(super) distance: f64,
    /// Unit normal of what is met, on the ray's side; `None` if the ray starts in it.
    pub(super) normal: Option<SVector<f64, D>>,
}

/// What an obstacle is. A box is its own bounds; polygons are in the plane, meshes in space.
#[derive(Debug, Clone)]
pub(super) enum Target<T: Real> {
    Box,
    Polygon(ConvexPolygon<T>),
    Mesh(Arc<Octree<T>>),
}

impl<const D: usize> SensorRay<D> {
    pub(super) fn new(origin: Point<f64, D>, direction: SVector<f64, D>, length: f64, thickness: f64) -> Self {
        let mut across = (0..D).filter(|axis| direction[*axis] != 0.0);
        let axis = across.next().filter(|_| across.next().is_none());
        Self { origin, direction, length, thickness, axis }
    }

    /// The box around the whole ray.
    pub(super) fn bounds(&self) -> Aabb<f64, D> {
        Aabb::new(self.origin, self.origin + self.direction * self.length).grow(&SVector::repeat(self.thickness))
    }
}

impl<T: Real> Target<T> {
    /// The first point of the ray at which it meets the target.
    pub(super) fn cast<const D: usize>(&self, bounds: &Aabb<f64, D>, ray: &SensorRay<D>) -> Option<TargetHit<D>> {
        let extent = bounds.min.coords.amax().max(bounds.max.coords.amax()).max(ray.origin.coords.amax());
        let margin = ray.thickness + 8.0 * f64::EPSILON * extent; // what lies on the bounds must not round out of them
        let hit = match self {
            Self::Box => cast_box(bounds, ray),
            // The look at the bounds comes first: it is cheap, and mostly enough.
            _ if slab(&ray.origin, &ray.direction, &bounds.grow(&SVector::repeat(margin))).is_none() => None,
            Self::Polygon(polygon) => cast_polygon(polygon, ray),
            Self::Mesh(mesh) => cast_mesh(mesh, ray),
        };
        hit.filter(|hit| hit.distance <= ray.length)
    }
}

fn cast_box<const D: usize>(bounds: &Aabb<f64, D>, ray: &SensorRay<D>) -> Option<TargetHit<D>> {
    if ray.thickness > 0.0 {
        return cast_rounded_box(bounds, ray);
    }
    if let Some(axis) = ray.axis {
        return cast_box_along(bounds, ray, axis);
    }
    let (distance, _, normal) = slab(&ray.origin, &ray.direction, bounds)?;
    Some(TargetHit { distance, normal })
}

/// A ray parallel to an axis is its own box: where the boxes overlap it hits, and the way is a difference.
fn cast_box_along<const D: usize>(bounds: &Aabb<f64, D>, ray: &SensorRay<D>, axis: usize) -> Option<TargetHit<D>> {
    let within = |i: usize| bounds.min[i] <= ray.origin[i] && ray.origin[i] <= bounds.max[i];
    if !(0..D).all(|i| i == axis || within(i)) {
        return None;
    }
    let sign = ray.direction[axis].signum();
    let (near, far) =
        if sign > 0.0 { (bounds.min[axis], bounds.max[axis]) } else { (bounds.max[axis], bounds.min[axis]) };
    if (far - ray.origin[axis]) * sign < 0.0 {
        return None;
    }
    let distance = (near - ray.origin[axis]) * sign;
    let is_inside = (0..D).all(|i| bounds.min[i] < ray.origin[i] && ray.origin[i] < bounds.max[i]);
    let normal = (distance >= 0.0 && !is_inside).then(|| SVector::from_fn(|i, _| if i == axis { -sign } else { 0.0 }));
    Some(TargetHit { distance: distance.max(0.0), normal })
}

/// A ball that moves meets a box where the distance of its centre from the box comes down to its radius.
///
/// The squared distance is a sum over the axes of squares of how far the centre is outside; each is zero between
/// the two faces of its axis and a parabola beyond them. So along the ray it is piecewise quadratic, with at most two
/// breaks for each axis: the pieces are gone through in order, and the first that comes down to the radius has the answer.
fn cast_rounded_box<const D: usize>(bounds: &Aabb<f64, D>, ray: &SensorRay<D>) -> Option<TargetHit<D>> {
    /// Two breaks for each axis of three, and both ends.
    const BREAKS: usize = 8;
    let radius = ray.thickness;
    let (start, end, _) = slab(&ray.origin, &ray.direction, &bounds.grow(&SVector::repeat(radius)))?;
    let end = end.min(ray.length);
    if start > end {
        return None;
    }
    let mut breaks = ArrayVec::<f64, BREAKS>::new();
    breaks.push(start);
    for axis in (0..D).filter(|axis| ray.direction[*axis] != 0.0) {
        for face in [bounds.min[axis], bounds.max[axis]] {
            let at = (face - ray.origin[axis]) / ray.direction[axis];
            if start < at && at < end {
                breaks.push(at);
            }
        }
    }
    breaks.push(end);
    breaks.sort_unstable_by(f64::total_cmp);

    let outside = |at: f64| {
        let center = ray.origin + ray.direction * at;
        center - bounds.closest_point(&center)
    };
    let hit = |distance: f64| {
        let normal = outside(distance).try_normalize(0.0).filter(|_| distance > 0.0);
        Some(TargetHit { distance, normal })
    };
    for piece in breaks.windows(2) {
        let (from, to) = (piece[0], piece[1]);
        if outside(from).norm() <= radius {
            return hit(from);
        }
        // On this piece these axes count, each with one face.
        let middle = ray.origin + ray.direction * (0.5 * (from + to));
        let face = bounds.closest_point(&middle);
        let is_outside = |axis: usize| face[axis] != middle[axis];
        let across = |v: SVector<f64, D>| SVector::<f64, D>::from_fn(|i, _| if is_outside(i) { v[i] } else { 0.0 });
        let (offset, motion) = (across(ray.origin - face), across(ray.direction));
        let approaches = (offset + motion * from).dot(&motion) < 0.0;
        if approaches
            && let Some(at) = first_touch(&offset, &motion, radius)
            && at <= to
        {
            return hit(at.max(from));
        }
    }
    if outside(end).norm() <= radius { hit(end) } else { None }
}

/// The first parameter at which `offset + t · motion` is as near as `radius` to the origin; by the closest approach.
fn first_touch<const D: usize>(offset: &SVector<f64, D>, motion: &SVector<f64, D>, radius: f64) -> Option<f64> {
    let speed_squared = motion.norm_squared();
    if speed_squared == 0.0 {
        return None;
    }
    let nearest = -offset.dot(motion) / speed_squared;
    let half_chord_squared = radius * radius - (offset + motion * nearest).norm_squared();
    (half_chord_squared >= 0.0).then(|| nearest - (half_chord_squared / speed_squared).sqrt())
}

fn cast_polygon<T: Real, const D: usize>(polygon: &ConvexPolygon<T>, ray: &SensorRay<D>) -> Option<TargetHit<D>> {
    let origin = Point2::new(ray.origin[0], ray.origin[1]);
    let direction = Vector2::new(ray.direction[0], ray.direction[1]);
    let (distance, normal) = if ray.thickness > 0.0 {
        cast_rounded_polygon(polygon, &origin, &direction, ray.thickness)?
    } else {
        let (distance, _, normal) = polygon.cast_f64(&origin, &direction)?;
        (distance, normal)
    };
    let normal = normal.map(|normal| SVector::from_fn(|axis, _| if axis < 2 { normal[axis] } else { 0.0 }));
    Some(TargetHit { distance, normal })
}

/// A circle that moves meets a polygon with an edge, whose line it meets sideways, or with a vertex.
fn cast_rounded_polygon<T: Real>(
    polygon: &ConvexPolygon<T>,
    origin: &Point2<f64>,
    direction: &Vector2<f64>,
    radius: f64,
) -> Option<(f64, Option<Vector2<f64>>)> {
    let count = polygon.vertices().len();
    let edges = || (0..count).map(|i| (polygon.wide(i), polygon.edge(i)));
    let is_inside = edges().all(|(vertex, edge)| edge.perp(&(origin - vertex)) >= 0.0);
    let is_near =
        |(vertex, edge)| (Segment::new(vertex, vertex + edge).closest_point(origin) - origin).norm() <= radius;
    if is_inside || edges().any(is_near) {
        return Some((0.0, None));
    }
    let mut best: Option<(f64, Option<Vector2<f64>>)> = None;
    let mut offer = |at: f64, normal: Vector2<f64>| {
        if at >= 0.0 && best.is_none_or(|(least, _)| at < least) {
            best = Some((at, Some(normal)));
        }
    };
    for (vertex, edge) in edges() {
        let normal = Vector2::new(edge.y, -edge.x).normalize();
        let speed = normal.dot(direction);
        if speed < 0.0 {
            let at = (radius - normal.dot(&(origin - vertex))) / speed;
            let along = (origin + direction * at - vertex).dot(&edge);
            if (0.0..=edge.norm_squared()).contains(&along) {
                offer(at, normal);
            }
        }
        if let Some(at) = first_touch(&(origin - vertex), direction, radius) {
            offer(at, (origin + direction * at - vertex) / radius);
        }
    }
    best
}

fn cast_mesh<T: Real, const D: usize>(mesh: &Octree<T>, ray: &SensorRay<D>) -> Option<TargetHit<D>> {
    let (origin, direction) = (in_space(&ray.origin.coords), in_space(&ray.direction));
    let (distance, normal) = if ray.thickness > 0.0 {
        let sweep = sphere_sweep::<T>(&Point3::from(origin), &direction, ray.length, ray.thickness)?;
        let contact = mesh.sweep(&sweep)?.contact;
        (contact.distance.to_f64(), contact.overlap.is_none().then(|| contact.normal.map(T::to_f64)))
    } else {
        let ray3 = Ray3::new(narrow_point::<T>(&Point3::from(origin)), narrow(&direction)).ok()?;
        let hit = mesh.cast_ray(&ray3, T::nearest(ray.length))?;
        (hit.t.to_f64(), Some(hit.normal.map(T::to_f64)))
    };
    Some(TargetHit { distance, normal: normal.map(|normal| SVector::from_fn(|axis, _| normal[axis])) })
}

/// The sweep of a thick ray. `None` only for numbers that rounding has taken beyond what a sweep may have.
pub(super) fn sphere_sweep<T: Real>(
    origin: &Point3<f64>,
    direction: &Vector3<f64>,
    length: f64,
    thickness: f64,
) -> Option<Sweep> {
    let ball = Ellipsoid::sphere(T::nearest(thickness)).ok()?;
    Sweep::new(&ball, narrow_point::<T>(origin), narrow(&(direction * length))).ok()
}

/// The same vector in space; meshes are in space only.
fn in_space<const D: usize>(v: &SVector<f64, D>) -> Vector3<f64> {
    Vector3::from_fn(|axis, _| if axis < D { v[axis] } else { 0.0 })
}
