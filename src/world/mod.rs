//! Meshes placed in space: [`World`], its queries, and [`CollisionWorld`] for other engines' geometry.
//!
//! A mesh is stored once, with its tree, and shared by any number of instances, each with a pose and a scale per axis.
//! Queries take a body into the frame of each instance that its box meets, so that one tree serves them all and
//! the answers are exact for turned and scaled instances.

mod filter;
mod instance;
mod nearby;
mod query;

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

pub use filter::{Layers, QueryFilter};
pub use instance::{Placement, Pose};
pub(crate) use nearby::MEETING;
pub use nearby::{CollisionWorld, NearContact, Nearby, WorldTriangle};
pub use query::{RayHit, SweepHit, WorldPoint};

use self::instance::Instance;
use crate::{InputError, octree::Octree, real::Real};

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
    /// The name that geometry of other engines gives its only instance, or makes up for each of several.
    pub const fn foreign(number: u32) -> Self {
        Self { slot: number, generation: 0 }
    }
}

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
/// Instances are still ones; they can be moved between ticks with [`World::move_to`].
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
    slots: Vec<Slot<T>>,
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

#[derive(Debug, Clone)]
struct Slot<T: Real> {
    generation: u32,
    instance: Option<Instance<T>>,
}

impl<T: Real> Default for World<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Real> World<T> {
    /// An empty world.
    pub fn new() -> Self {
        Self { meshes: Vec::new(), slots: Vec::new(), stamp: Stamp::new() }
    }

    /// A world of one mesh that stands where its vertices say.
    pub fn of_level(level: impl Into<Arc<Octree<T>>>) -> Self {
        let level = level.into();
        let instance = Instance::new(MeshId(0), &level, &Placement::default());
        Self { meshes: vec![level], slots: vec![Slot { generation: 0, instance: Some(instance) }], stamp: Stamp::new() }
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
        let instance = Instance::new(mesh, tree, placement);
        let free = self.slots.iter().position(|slot| slot.instance.is_none());
        let slot = free.unwrap_or_else(|| {
            self.slots.push(Slot { generation: 0, instance: None });
            self.slots.len() - 1
        });
        self.slots[slot].instance = Some(instance);
        self.stamp = Stamp::new();
        Ok(InstanceId { slot: slot as u32, generation: self.slots[slot].generation })
    }

    /// Puts an instance somewhere else; nothing is swept on the way.
    ///
    /// # Errors
    /// If there is no such instance, or the placement has a number that is not finite or a scale of zero.
    pub fn move_to(&mut self, id: InstanceId, placement: &Placement<T>) -> Result<(), WorldError> {
        placement.check()?;
        let mesh = self.instance(id).ok_or(WorldError::NoSuchInstance)?.mesh;
        let instance = Instance::new(mesh, &self.meshes[mesh.0 as usize], placement);
        self.slots[id.slot as usize].instance = Some(instance);
        self.stamp = Stamp::new();
        Ok(())
    }

    /// Takes an instance away. Its name is never used again.
    ///
    /// # Errors
    /// If there is no such instance.
    pub fn remove(&mut self, id: InstanceId) -> Result<(), WorldError> {
        self.instance(id).ok_or(WorldError::NoSuchInstance)?;
        let slot = &mut self.slots[id.slot as usize];
        slot.instance = None;
        slot.generation = slot.generation.wrapping_add(1);
        self.stamp = Stamp::new();
        Ok(())
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
        let slot = self.slots.get(id.slot as usize)?;
        slot.instance.as_ref().filter(|_| slot.generation == id.generation)
    }

    /// All instances with their trees, in the order of their ids.
    ///
    /// Every query goes through this list; a broad phase takes its place once worlds have thousands of instances.
    fn instances(&self) -> impl Iterator<Item = (InstanceId, &Instance<T>, &Octree<T>)> {
        (0..).zip(&self.slots).filter_map(|(slot, entry)| {
            let instance = entry.instance.as_ref()?;
            let id = InstanceId { slot, generation: entry.generation };
            Some((id, instance, &*self.meshes[instance.mesh.0 as usize]))
        })
    }
}
