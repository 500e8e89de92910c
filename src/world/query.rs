//! The queries of a [`World`]: those of a mesh, over all instances that a filter lets through.

use nalgebra::{Point3, Unit, Vector3};

use super::{
    InstanceId, QueryFilter, World,
    instance::Instance,
    reach::{distance_from, entry_of_ray, entry_of_sweep},
};
use crate::{
    InputError, MaterialTag,
    input_error::bounded_point,
    octree::{Found, Octree, Visits, in_runs},
    real::{Real, narrow, narrow_point, widen, widen_point},
    shape::{Ellipsoid, Feature, Ray3},
    sweep::{Contact, StartOverlap, Sweep, triangle::UnitContact},
};

/// A contact with something in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SweepHit<T: Real> {
    /// Where and how, in the world.
    pub contact: Contact<T>,
    /// Which instance is touched.
    pub instance: InstanceId,
    /// Index of the triangle in the instance's mesh.
    pub triangle: u32,
    /// What the triangle is made of.
    pub material: MaterialTag,
    /// Velocity of the surface at the contact, in metres a second; zero while instances are still.
    pub surface_velocity: Vector3<T>,
}

/// Where a ray meets something in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RayHit<T: Real> {
    /// Parameter along the ray: the distance in metres where the ray's direction is a unit vector.
    pub t: T,
    /// The point that is hit.
    pub point: Point3<T>,
    /// Unit normal of the triangle, on the side from which the ray comes.
    pub normal: Unit<Vector3<T>>,
    /// Which instance is hit.
    pub instance: InstanceId,
    /// Index of the triangle in the instance's mesh.
    pub triangle: u32,
    /// What the triangle is made of.
    pub material: MaterialTag,
}

/// The point of the world's surfaces that is nearest to another point.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WorldPoint<T: Real> {
    /// The point on the surface.
    pub point: Point3<T>,
    /// Its distance in metres.
    pub distance: T,
    /// The part of the triangle on which it lies.
    pub feature: Feature,
    /// On which instance it lies.
    pub instance: InstanceId,
    /// Index of the triangle in the instance's mesh.
    pub triangle: u32,
    /// What the triangle is made of.
    pub material: MaterialTag,
}

impl<T: Real> World<T> {
    /// First contact of an ellipsoid that moves from `start` by `motion` (metres), with its overlaps at the start.
    ///
    /// Of equal contacts the lower instance, then the lower triangle counts.
    ///
    /// # Errors
    /// If the start or the motion is not finite or beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE).
    #[doc(alias = "shape_cast")]
    pub fn first_contact(
        &self,
        body: &Ellipsoid<T>,
        start: Point3<T>,
        motion: Vector3<T>,
        filter: &QueryFilter,
    ) -> Result<Option<SweepHit<T>>, InputError> {
        Ok(self.sweep(&Sweep::new(body, start, motion)?, filter))
    }

    /// As [`World::first_contact`], for a [`Sweep`] that may ask for another treatment of overlaps at the start.
    pub fn sweep(&self, sweep: &Sweep, filter: &QueryFilter) -> Option<SweepHit<T>> {
        let mut best: Option<(UnitContact, SweepHit<T>)> = None;
        let swept = sweep.bounds();
        self.nearest_first(
            filter,
            1.0,
            |all| entry_of_sweep(sweep, all),
            |(id, instance, tree), limit| {
                if !instance.bounds.overlaps(&swept) {
                    return limit;
                }
                let in_mesh = instance.sweep_to_mesh(sweep);
                let Some(hit) = tree.first_contact(&in_mesh, limit, &mut Visits::default()) else { return limit };
                let comes_first = best.as_ref().is_none_or(|(other, at)| {
                    hit.answer.is_before(other) || hit.answer.ties_with(other) && id < at.instance
                });
                if !comes_first {
                    return limit;
                }
                best = Some((hit.answer, sweep_hit(sweep, id, instance, tree, &hit)));
                hit.answer.fraction
            },
        );
        best.map(|(_, hit)| hit)
    }

    /// [`World::sweep`] for each of many sweeps: the same hits in the order of the sweeps. With the feature `parallel` the
    /// threads of rayon's current pool share the work; without it this is a loop.
    ///
    /// # Panics
    /// If there are not as many `hits` as `sweeps`.
    ///
    /// # Example
    /// ```
    /// # use nalgebra::{point, vector};
    /// use sidle::{Ellipsoid, Octree, QueryFilter, Sweep, World, mesh::primitives};
    ///
    /// let world = World::of_level(Octree::new(primitives::floor::<f32>(20.0, 20.0, 10, 10)?));
    /// let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
    /// let fall = Sweep::new(&body, point![0.0, 2.9, 0.0], vector![0.0, -4.0, 0.0])?;
    /// let rise = Sweep::new(&body, point![0.0, 2.9, 0.0], vector![0.0, 4.0, 0.0])?;
    /// let mut hits = [None; 2];
    /// world.sweep_many(&[fall, rise], &QueryFilter::default(), &mut hits);
    /// assert_eq!(hits.map(|hit| hit.is_some()), [true, false]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn sweep_many(&self, sweeps: &[Sweep], filter: &QueryFilter, hits: &mut [Option<SweepHit<T>>]) {
        in_runs(sweeps, hits, |sweeps, hits| {
            for (sweep, hit) in sweeps.iter().zip(hits) {
                *hit = self.sweep(sweep, filter);
            }
        });
    }

    /// Every triangle that the body touches on its way, each at the time at which it alone is touched.
    pub fn each_contact(&self, sweep: &Sweep, filter: &QueryFilter, mut visit: impl FnMut(SweepHit<T>)) {
        let swept = sweep.bounds();
        for (id, instance, tree) in self.seen(filter, &swept) {
            tree.each_unit_contact(&instance.sweep_to_mesh(sweep), |hit| {
                visit(sweep_hit(sweep, id, instance, tree, &hit));
                true
            });
        }
    }

    /// Every triangle that an ellipsoid at `center` overlaps; touching is no overlap.
    ///
    /// # Errors
    /// If the centre is not finite or beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE).
    pub fn each_overlap(
        &self,
        body: &Ellipsoid<T>,
        center: Point3<T>,
        filter: &QueryFilter,
        visit: impl FnMut(SweepHit<T>),
    ) -> Result<(), InputError> {
        let still = Sweep::new(body, center, Vector3::zeros())?.with_start_overlap(StartOverlap::Report);
        self.each_contact(&still, filter, visit);
        Ok(())
    }

    /// Whether an ellipsoid at `center` overlaps nothing.
    ///
    /// # Errors
    /// If the centre is not finite or beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE).
    pub fn has_room(&self, body: &Ellipsoid<T>, center: Point3<T>, filter: &QueryFilter) -> Result<bool, InputError> {
        let still = Sweep::new(body, center, Vector3::zeros())?;
        let swept = still.bounds();
        Ok(self.seen(filter, &swept).all(|(_, instance, tree)| tree.has_room(&instance.sweep_to_mesh(&still))))
    }

    /// The first triangle that a ray meets, from either side, at a parameter of at most `max_t`.
    #[doc(alias = "raycast")]
    pub fn cast_ray(&self, ray: &Ray3<T>, max_t: T, filter: &QueryFilter) -> Option<RayHit<T>> {
        let (origin, direction) = (widen_point(&ray.origin()), widen(&ray.direction()));
        let mut best: Option<(f64, RayHit<T>)> = None;
        let max_t = max_t.to_f64();
        self.nearest_first(
            filter,
            max_t,
            |all| entry_of_ray(&origin, &direction, all),
            |(id, instance, tree), limit| {
                let start = instance.to_mesh(&origin);
                let direction = instance.vector_to_mesh(&direction);
                let Some(Found { answer: hit, id: triangle, triangle: in_mesh }) =
                    tree.first_ray_hit(&start, &direction, limit, &mut Visits::default())
                else {
                    return limit;
                };
                if best.as_ref().is_some_and(|(t, at)| (hit.t, id) > (*t, at.instance)) {
                    return limit;
                }
                let point = in_mesh.at(&hit.barycentrics);
                let world_hit = RayHit {
                    t: T::nearest(hit.t),
                    point: narrow_point(&instance.to_world(&point)),
                    normal: Unit::new_unchecked(narrow(&instance.normal_to_world(&hit.normal))),
                    instance: id,
                    triangle,
                    material: tree.mesh().material(triangle),
                };
                best = Some((hit.t, world_hit));
                hit.t
            },
        );
        best.map(|(_, hit)| hit)
    }

    /// [`World::cast_ray`] for each of many rays, as [`World::sweep_many`] is for sweeps.
    ///
    /// # Panics
    /// If there are not as many `hits` as `rays`.
    ///
    /// # Example
    /// ```
    /// # use nalgebra::{point, vector};
    /// use sidle::{Octree, QueryFilter, Ray3, World, mesh::primitives};
    ///
    /// let world = World::of_level(Octree::new(primitives::floor::<f32>(20.0, 20.0, 10, 10)?));
    /// let down = Ray3::new(point![0.0, 3.0, 0.0], vector![0.0, -1.0, 0.0])?;
    /// let mut hits = [None];
    /// world.cast_ray_many(&[down], f32::INFINITY, &QueryFilter::default(), &mut hits);
    /// assert_eq!(hits[0].map(|hit| hit.t), Some(3.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn cast_ray_many(&self, rays: &[Ray3<T>], max_t: T, filter: &QueryFilter, hits: &mut [Option<RayHit<T>>]) {
        in_runs(rays, hits, |rays, hits| {
            for (ray, hit) in rays.iter().zip(hits) {
                *hit = self.cast_ray(ray, max_t, filter);
            }
        });
    }

    /// The point of all surfaces that is nearest to `point`, within `max_distance` metres (infinity is allowed).
    ///
    /// # Errors
    /// If the point is not finite or beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE).
    pub fn closest_point(
        &self,
        point: Point3<T>,
        max_distance: T,
        filter: &QueryFilter,
    ) -> Result<Option<WorldPoint<T>>, InputError> {
        bounded_point(&point, "the point")?;
        let point = widen_point(&point);
        let mut best: Option<(f64, WorldPoint<T>)> = None;
        let max_distance = max_distance.to_f64();
        self.nearest_first(
            filter,
            max_distance,
            |all| distance_from(point, all),
            |(id, instance, tree), limit| {
                let hit = tree.closest(
                    &instance.to_mesh(&point),
                    instance.least_scale(),
                    limit,
                    &mut Visits::default(),
                    |triangle| instance.triangle_to_world(triangle).closest_point_f64(&point),
                );
                let Some(Found { answer: closest, id: triangle, .. }) = hit else { return limit };
                if best.as_ref().is_some_and(|(distance, at)| (closest.distance, id) > (*distance, at.instance)) {
                    return limit;
                }
                let world_point = WorldPoint {
                    point: narrow_point(&closest.point),
                    distance: T::nearest(closest.distance),
                    feature: closest.feature,
                    instance: id,
                    triangle,
                    material: tree.mesh().material(triangle),
                };
                best = Some((closest.distance, world_point));
                closest.distance
            },
        );
        Ok(best.map(|(_, point)| point))
    }
}

fn sweep_hit<T: Real>(
    sweep: &Sweep,
    id: InstanceId,
    instance: &Instance<T>,
    tree: &Octree<T>,
    Found { answer: unit, id: triangle, triangle: in_mesh }: &Found<UnitContact>,
) -> SweepHit<T> {
    let mut contact = sweep.leave(unit, &instance.triangle_to_world(in_mesh));
    // From the mesh, where the vertices have not been rounded again.
    contact.point = instance.to_world(&in_mesh.at(&unit.barycentrics));
    if let Some(normal) = in_mesh.unit_normal().map(|n| instance.normal_to_world(&n)) {
        contact.surface_normal = Unit::new_unchecked(if normal.dot(&contact.normal) < 0.0 { -normal } else { normal });
    }
    SweepHit {
        contact: contact.cast(),
        instance: id,
        triangle: *triangle,
        material: tree.mesh().material(*triangle),
        surface_velocity: Vector3::zeros(),
    }
}
