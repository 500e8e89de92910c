//! [`Obstacles`]: what a fan can meet, without a world.

use std::sync::Arc;

use super::target::{SensorRay, Target, TargetHit};
use crate::{
    InputError,
    flat::ConvexPolygon,
    octree::Octree,
    real::Real,
    shape::{Aabb, Aabb2},
    slots::{Slots, slot_name},
};

/// Names an obstacle. The name of a removed one is never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ObstacleId {
    slot: u32,
    generation: u32,
}

slot_name!(ObstacleId);

/// Why an obstacle was refused or not found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SensorError {
    /// A number is not finite or too large, or a lower corner is above the upper.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The obstacle was removed, or belongs to another list.
    #[error("there is no such obstacle")]
    NoSuchObstacle,
}

/// Objects with tags: boxes along the axes, in the plane also convex polygons, in space also meshes.
///
/// They stand still between readings; [`Obstacles::move_box`] and its like put them elsewhere. A tag is a number that means
/// something to the caller, and comes back with each [`Sighting`](super::Sighting).
#[derive(Debug, Clone)]
pub struct Obstacles<T: Real, const D: usize> {
    slots: Slots<ObstacleId, Obstacle<T>>,
    /// By slot; empty where there is no obstacle.
    bounds: Vec<Aabb<f64, D>>,
}

#[derive(Debug, Clone)]
struct Obstacle<T: Real> {
    tag: u64,
    target: Target<T>,
}

impl<T: Real, const D: usize> Default for Obstacles<T, D> {
    fn default() -> Self {
        Self { slots: Slots::default(), bounds: Vec::new() }
    }
}

impl<T: Real, const D: usize> Obstacles<T, D> {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a box.
    ///
    /// # Errors
    /// If a number is not finite or too large, or a lower corner is above the upper.
    pub fn add_box(&mut self, bounds: Aabb<T, D>, tag: u64) -> Result<ObstacleId, SensorError> {
        bounds.check()?;
        Ok(self.add(Target::Box, &bounds, tag))
    }

    /// Puts a box somewhere else, in any size; what was something else becomes a box.
    ///
    /// # Errors
    /// If there is no such obstacle, a number is not finite or too large, or a lower corner is above the upper.
    pub fn move_box(&mut self, id: ObstacleId, bounds: Aabb<T, D>) -> Result<(), SensorError> {
        bounds.check()?;
        self.replace(id, Target::Box, &bounds)
    }

    /// Takes an obstacle away.
    ///
    /// # Errors
    /// If there is no such obstacle.
    pub fn remove(&mut self, id: ObstacleId) -> Result<(), SensorError> {
        self.slots.remove(id).ok_or(SensorError::NoSuchObstacle)?;
        self.bounds[id.slot as usize] = Aabb::empty();
        Ok(())
    }

    /// The tag of an obstacle.
    pub fn tag(&self, id: ObstacleId) -> Option<u64> {
        self.slots.get(id).map(|obstacle| obstacle.tag)
    }

    /// How many obstacles there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The obstacles whose box meets another, by slot.
    pub(super) fn near(&self, bounds: &Aabb<f64, D>) -> impl Iterator<Item = u32> {
        (0..).zip(&self.bounds).filter(|(_, own)| own.overlaps(bounds)).map(|(slot, _)| slot)
    }

    /// Where a ray, whose box is given, meets the obstacle of a slot; its name and its tag.
    pub(super) fn cast_within(
        &self,
        slot: u32,
        ray: &SensorRay<D>,
        around: &Aabb<f64, D>,
    ) -> Option<(ObstacleId, u64, TargetHit<D>)> {
        let bounds = &self.bounds[slot as usize];
        if !bounds.overlaps(around) {
            return None;
        }
        let entry = self.slots.at(slot);
        let Obstacle { tag, target } = entry.value()?;
        Some((entry.name(), *tag, target.cast(bounds, ray)?))
    }

    fn add(&mut self, target: Target<T>, bounds: &Aabb<T, D>, tag: u64) -> ObstacleId {
        let id = self.slots.add(Obstacle { tag, target });
        self.bounds.resize(self.slots.list().len(), Aabb::empty());
        self.bounds[id.slot as usize] = wide(bounds);
        id
    }

    fn replace(&mut self, id: ObstacleId, target: Target<T>, bounds: &Aabb<T, D>) -> Result<(), SensorError> {
        self.slots.get_mut(id).ok_or(SensorError::NoSuchObstacle)?.target = target;
        self.bounds[id.slot as usize] = wide(bounds);
        Ok(())
    }
}

impl<T: Real> Obstacles<T, 2> {
    /// Adds a convex polygon.
    pub fn add_polygon(&mut self, polygon: ConvexPolygon<T>, tag: u64) -> ObstacleId {
        let bounds: Aabb2<T> = polygon.bounds();
        self.add(Target::Polygon(polygon), &bounds, tag)
    }

    /// Puts a polygon in the place of an obstacle.
    ///
    /// # Errors
    /// If there is no such obstacle.
    pub fn set_polygon(&mut self, id: ObstacleId, polygon: ConvexPolygon<T>) -> Result<(), SensorError> {
        let bounds = polygon.bounds();
        self.replace(id, Target::Polygon(polygon), &bounds)
    }
}

impl<T: Real> Obstacles<T, 3> {
    /// Adds a mesh, which stands where its vertices say. Meshes that are placed, turned or shared belong into a
    /// [`World`](crate::World).
    pub fn add_mesh(&mut self, mesh: impl Into<Arc<Octree<T>>>, tag: u64) -> ObstacleId {
        let mesh = mesh.into();
        let bounds = mesh.bounds();
        self.add(Target::Mesh(mesh), &bounds, tag)
    }
}

fn wide<T: Real, const D: usize>(bounds: &Aabb<T, D>) -> Aabb<f64, D> {
    Aabb { min: bounds.min.map(T::to_f64), max: bounds.max.map(T::to_f64) }
}
