//! Meshes placed in space: [`World`], its queries, and [`CollisionWorld`] for other engines' geometry.
//!
//! A mesh is stored once, with its tree, and shared by any number of instances, each with a pose and a scale per axis.
//! Queries take a body into the frame of each instance that its box meets, so that one tree serves them all and
//! the answers are exact for turned and scaled instances.

mod debug;
mod filter;
mod half_space;
mod instance;
mod motion;
mod nearby;
mod query;
mod reach;
mod surface;

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

pub use debug::{DebugEvent, DebugEventKind, TickPart};
pub use filter::{Layers, QueryFilter};
pub(crate) use half_space::HalfSpace;
pub use instance::{Placement, Pose};
pub use motion::RigidMotion;
pub use nearby::{CollisionWorld, NearContact, Nearby, WorldTriangle};
pub(crate) use nearby::{MEETING, Margin};
pub use query::{RayHit, SweepHit, WorldPoint};
pub use surface::{Altered, Surface};

use arrayvec::ArrayVec;

use self::{instance::Instance, motion::Motions, surface::Surfaces};
use crate::{
    InputError,
    broad_phase::tree::{Tree, ahead},
    octree::Octree,
    real::Real,
    shape::Aabb3,
    slots::{Slots, slot_name},
};

/// So many instances near a box are put in order; they take half a kilobyte.
const MOST_NEAR: usize = 128;

/// So many boxes are compared with another sooner than the tree is asked which of them meet it.
const FEW: usize = 16;

/// So many instances are all looked at sooner than the tree is asked which is the nearest.
const VERY_FEW: usize = 4;

/// Names a mesh of a [`World`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshId(u32);

/// Names an instance of a [`World`]. The name of a removed instance stays unused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct InstanceId {
    slot: u32,
    generation: u32,
}

impl InstanceId {
    /// The name of no instance.
    pub const NONE: Self = Self { slot: u32::MAX, generation: u32::MAX };

    /// The name that geometry of other engines gives its only instance, or makes up for each of several.
    pub const fn foreign(number: u32) -> Self {
        Self { slot: number, generation: 0 }
    }
}

slot_name!(InstanceId);

/// Why an instance could not be placed or found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// A pose or a scale is not finite, or a scale is zero.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The mesh belongs to another world.
    #[error("there is no such mesh in this world")]
    NoSuchMesh,
    /// The instance was removed or belongs to another world.
    #[error("there is no such instance in this world")]
    NoSuchInstance,
}

/// Meshes, and where they stand.
///
/// Instances rest until they are moved between ticks: driven ([`World::drive`]), which carries and pushes characters, or put
/// somewhere else ([`World::move_to`]).
///
/// They are found through a tree of boxes that changes with them ([`broad_phase`](crate::broad_phase) describes it): to
/// place, move or remove one of ten thousand takes about a microsecond.
///
/// # Example
/// ```
/// # use nalgebra::{point, vector};
/// use sidle::{Ellipsoid, Octree, mesh::primitives, world::{Placement, QueryFilter, World}};
///
/// let mut world = World::new();
/// let block = world.add_mesh(Octree::new(primitives::cuboid([1.0, 0.5, 1.0])?));
/// world.place(block, &Placement::at(point![0.0, -0.5, 0.0]))?;
/// let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
/// let hit = world.first_contact(&body, point![0.0, 2.9, 0.0], vector![0.0, -4.0, 0.0], &QueryFilter::default())?;
/// assert_eq!(hit.map(|hit| hit.contact.distance), Some(2.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct World<T: Real> {
    meshes: Vec<Arc<Octree<T>>>,
    slots: Slots<InstanceId, Instance<T>>,
    /// By slot, the boxes of the instances, rounded outwards; with air around those that have moved.
    tree: Tree<f32, 3>,
    /// What moves in this step.
    motions: Motions,
    surfaces: Surfaces,
    /// Another one after each change; equal only in copies.
    stamp: Stamp,
}

/// Tells whether a world is still the same: a value that was never given before. See [`CollisionWorld::stamp`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp(u64);

impl Stamp {
    /// One that equals no other but its copies.
    #[allow(clippy::new_without_default, reason = "a default that is never the same would surprise")]
    pub fn new() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self(LAST.fetch_add(1, Ordering::Relaxed))
    }
}

impl<T: Real> Default for World<T> {
    fn default() -> Self {
        Self {
            meshes: Vec::new(),
            slots: Slots::default(),
            tree: Tree::default(),
            motions: Motions::default(),
            surfaces: Surfaces::default(),
            stamp: Stamp::new(),
        }
    }
}

impl<T: Real> World<T> {
    /// An empty world.
    pub fn new() -> Self {
        Self::default()
    }

    /// A world of one mesh that stands where its vertices say.
    pub fn of_level(level: impl Into<Arc<Octree<T>>>) -> Self {
        let mut world = Self::new();
        let level = world.add_mesh(level);
        world.put(Instance::new(level, &world.meshes[0], &Placement::default()));
        world
    }

    /// Adds a mesh, which can then be placed any number of times.
    pub fn add_mesh(&mut self, mesh: impl Into<Arc<Octree<T>>>) -> MeshId {
        self.meshes.push(mesh.into());
        MeshId(self.meshes.len() as u32 - 1)
    }

    /// Places a mesh.
    ///
    /// # Errors
    /// If there is no such mesh, or the placement has a number that is not finite or a scale of zero.
    pub fn place(&mut self, mesh: MeshId, placement: &Placement<T>) -> Result<InstanceId, WorldError> {
        let tree = self.meshes.get(mesh.0 as usize).ok_or(WorldError::NoSuchMesh)?;
        placement.check()?;
        Ok(self.put(Instance::new(mesh, tree, placement)))
    }

    fn put(&mut self, instance: Instance<T>) -> InstanceId {
        self.tree.set(self.slots.next_slot(), outwards(&instance.bounds));
        self.stamp = Stamp::new();
        self.slots.add(instance)
    }

    /// Puts an instance somewhere else, where it rests; nothing is swept on the way.
    ///
    /// # Errors
    /// If there is no such instance, or the placement has a number that is not finite or a scale of zero.
    pub fn move_to(&mut self, id: InstanceId, placement: &Placement<T>) -> Result<(), WorldError> {
        placement.check()?;
        let instance = self.slots.get_mut(id).ok_or(WorldError::NoSuchInstance)?;
        let (mesh, before) = (instance.mesh, outwards(&instance.bounds));
        *instance = Instance::new(mesh, &self.meshes[mesh.0 as usize], placement);
        let now = outwards(&instance.bounds);
        if self.tree.leaf(id.slot).is_some_and(|loose| !loose.holds(&now)) {
            self.tree.set(id.slot, ahead(&before, &now));
        }
        self.motions.forget(id.slot);
        self.stamp = Stamp::new();
        Ok(())
    }

    /// Takes an instance away. Its name is never used again.
    ///
    /// # Errors
    /// If there is no such instance.
    pub fn remove(&mut self, id: InstanceId) -> Result<(), WorldError> {
        self.slots.remove(id).ok_or(WorldError::NoSuchInstance)?;
        self.motions.forget(id.slot);
        self.tree.set(id.slot, Aabb3::empty());
        self.stamp = Stamp::new();
        Ok(())
    }

    /// All instances, in the order of their places: that in which they were placed, where none was removed.
    pub fn instances(&self) -> impl Iterator<Item = InstanceId> {
        self.slots.iter().map(|(id, _)| id)
    }

    /// Where an instance stands.
    pub fn placement(&self, id: InstanceId) -> Option<&Placement<T>> {
        self.instance(id).map(|instance| &instance.placement)
    }

    /// The mesh, with its tree, of an instance.
    pub fn mesh_of(&self, id: InstanceId) -> Option<&Arc<Octree<T>>> {
        self.instance(id).map(|instance| &self.meshes[instance.mesh.0 as usize])
    }

    fn instance(&self, id: InstanceId) -> Option<&Instance<T>> {
        self.slots.get(id)
    }

    /// What is in a slot, if a filter sees it.
    #[inline]
    fn seen_in(&self, slot: u32, filter: &QueryFilter) -> Option<(InstanceId, &Instance<T>, &Octree<T>)> {
        let entry = self.slots.at(slot);
        let (id, instance) = (entry.name(), entry.value()?);
        let is_seen = filter.sees(id, instance.placement.layers);
        is_seen.then(|| (id, instance, &*self.meshes[instance.mesh.0 as usize]))
    }

    /// The instances that a filter sees and whose box meets another, in the order of their ids.
    fn seen(
        &self,
        filter: &QueryFilter,
        bounds: &Aabb3<f64>,
    ) -> impl Iterator<Item = (InstanceId, &Instance<T>, &Octree<T>)> {
        let mut near = ArrayVec::<u32, MOST_NEAR>::new();
        // Where there are few, and where many are near, they are looked for in the list, which is in order.
        let mut are_known = self.slots.list().len() > FEW;
        if are_known {
            self.tree.each_meeting(&outwards(bounds), |slot| {
                are_known = near.try_push(slot).is_ok();
                are_known
            });
            near.sort_unstable();
        }
        let count = if are_known { near.len() } else { self.slots.list().len() };
        let slots = (0..count).map(move |i| if are_known { near[i] } else { i as u32 });
        slots.filter_map(|slot| self.seen_in(slot, filter)).filter(|(_, instance, _)| instance.bounds.overlaps(bounds))
    }

    /// Visits instances that a filter sees, from the nearest on, until none costs at most what the last visit returned;
    /// `bound`, made from the box around all, is a lower bound of the cost of a box.
    ///
    /// Nothing may depend on the order but the work: of equal costs the lower id counts, whichever comes first.
    #[inline]
    fn nearest_first<B: Fn(&Aabb3<f32>) -> f64>(
        &self,
        filter: &QueryFilter,
        mut limit: f64,
        bound: impl FnOnce(Aabb3<f32>) -> B,
        mut visit: impl FnMut((InstanceId, &Instance<T>, &Octree<T>), f64) -> f64,
    ) {
        let mut visit = |slot, limit| self.seen_in(slot, filter).map_or(limit, |seen| visit(seen, limit));
        if self.slots.list().len() <= VERY_FEW {
            (0..self.slots.list().len() as u32).for_each(|slot| limit = visit(slot, limit));
        } else {
            self.tree.nearest_first(limit, bound(self.tree.bounds()), visit);
        }
    }
}

/// The smallest box of the tree's numbers around a box.
fn outwards(bounds: &Aabb3<f64>) -> Aabb3<f32> {
    Aabb3 { min: bounds.min.map(|x| (x as f32).next_down()), max: bounds.max.map(|x| (x as f32).next_up()) }
}
