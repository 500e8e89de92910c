//! [`Surface`]: what a material is to characters, and [`Altered`]: a world with triangles left out or changed by its caller.

use nalgebra::Vector3;

use super::{
    CollisionWorld, InstanceId, MeshId, QueryFilter, RigidMotion, Stamp, World, WorldError, WorldTriangle,
    instance::Instance,
};
use crate::{
    MaterialTag,
    input_error::bounded,
    mesh::Sides,
    real::Real,
    shape::{Aabb3, ellipsoid::rotation_matrix},
};

/// What the surfaces of a material are to characters.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Surface {
    /// Whether it can be stood on, if it is not too steep. What is no ground counts as too steep: who comes onto it slides off.
    pub is_ground: bool,
    /// Whether a ledge of it may be stepped on. Ledges so low that the body's own round end rides over them are no steps.
    pub is_step: bool,
    /// Whether it is one-way ([`Sides::OneWay`]), whatever the other materials of the mesh are.
    pub is_one_way: bool,
    /// Velocity of a conveyor belt, in metres a second, along the axes of the mesh; it turns with the instance. Who stands on it
    /// walks along the ground by so much more than wished.
    pub velocity: Vector3<f64>,
}

impl Default for Surface {
    /// Ground, steps, solid as the mesh is, and at rest.
    fn default() -> Self {
        Self { is_ground: true, is_step: true, is_one_way: false, velocity: Vector3::zeros() }
    }
}

/// The surfaces that are not plain, by mesh and material.
#[derive(Debug, Clone, Default)]
pub(super) struct Surfaces(Vec<((MeshId, MaterialTag), Surface)>);

impl Surfaces {
    fn of(&self, key: (MeshId, MaterialTag)) -> Surface {
        let place = self.0.binary_search_by_key(&key, |(key, _)| *key);
        place.map_or_else(|_| Surface::default(), |place| self.0[place].1)
    }
}

impl<T: Real> World<T> {
    /// Says what a material of a mesh is to characters, in all its instances.
    ///
    /// # Errors
    /// If there is no such mesh, or the velocity is not finite.
    ///
    /// ```
    /// # use nalgebra::{point, vector};
    /// # use sidle::{Character, CharacterConfig, Ellipsoid, MaterialTag, Octree, Scratch, TickInput, World, mesh::primitives};
    /// use sidle::world::{Placement, Surface};
    ///
    /// let mut world = World::new();
    /// let belt = world.add_mesh(Octree::new(primitives::floor::<f64>(20.0, 20.0, 1, 1)?));
    /// world.place(belt, &Placement::default())?;
    /// world.set_surface(belt, MaterialTag(0), Surface { velocity: vector![0.5, 0.0, 0.0], ..Surface::default() })?;
    /// let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
    /// let mut character = Character::new(body, CharacterConfig::default(), point![0.0, 0.92, 0.0])?;
    /// for _ in 0..61 {
    ///     character.tick(&world, &TickInput::default(), 1.0 / 60.0, &mut Scratch::default())?; // the first one lands
    /// }
    /// assert!((character.position().x - 0.5_f64).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "conveyor")]
    pub fn set_surface(&mut self, mesh: MeshId, material: MaterialTag, surface: Surface) -> Result<(), WorldError> {
        self.meshes.get(mesh.0 as usize).ok_or(WorldError::NoSuchMesh)?;
        bounded(&surface.velocity, "the velocity of the surface")?;
        let key = (mesh, material);
        match self.surfaces.0.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(place) => self.surfaces.0[place].1 = surface,
            Err(place) => self.surfaces.0.insert(place, (key, surface)),
        }
        self.stamp = Stamp::new();
        Ok(())
    }

    /// From which sides a material of an instance is solid to characters, if that is not for its mesh to say.
    #[inline]
    pub(super) fn sides_of(&self, instance: &Instance<T>, material: MaterialTag) -> Option<Sides> {
        let is_one_way = !self.surfaces.0.is_empty() && self.surfaces.of((instance.mesh, material)).is_one_way;
        is_one_way.then_some(Sides::OneWay)
    }

    /// What a material of an instance is to characters; its velocity along the axes of the world. Plain if there is no such
    /// instance.
    pub fn surface_of(&self, instance: InstanceId, material: MaterialTag) -> Surface {
        if self.surfaces.0.is_empty() {
            return Surface::default();
        }
        self.instance(instance).map_or_else(Surface::default, |instance| {
            let surface = self.surfaces.of((instance.mesh, material));
            let velocity = rotation_matrix(&instance.placement.pose.rotation) * surface.velocity;
            Surface { velocity, ..surface }
        })
    }
}

/// A world in which a caller has the last word on each triangle: may it be touched, from which sides, and what is it made of?
///
/// The answer is asked for whenever triangles are gathered, once a tick for each that is near. It may depend on whatever the caller
/// likes; for runs that repeat to the bit it has to be the same each time.
///
/// ```
/// # use nalgebra::{point, vector};
/// # use sidle::{Character, CharacterConfig, Ellipsoid, Octree, Scratch, TickInput, World, mesh::primitives};
/// use sidle::world::{Altered, WorldTriangle};
///
/// let world = World::of_level(Octree::new(primitives::floor::<f64>(20.0, 20.0, 2, 2)?));
/// let hole = |triangle: WorldTriangle| (triangle.triangle.a.x < 0.0).then_some(triangle);
/// let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
/// let mut character = Character::new(body, CharacterConfig::default(), point![5.0, 0.92, 1.0])?;
/// for _ in 0..60 {
///     character.tick(&Altered::new(&world, hole), &TickInput::default(), 1.0 / 60.0, &mut Scratch::default())?;
/// }
/// assert!(character.position().y < -3.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[doc(alias = "contact_filter")]
pub struct Altered<'a, W: ?Sized, F> {
    world: &'a W,
    alter: F,
}

impl<'a, W: CollisionWorld + ?Sized, F: Fn(WorldTriangle) -> Option<WorldTriangle>> Altered<'a, W, F> {
    /// The world as `alter` has it: without the triangles for which it returns `None`, and with the others as they are returned.
    /// They must stay where they are.
    pub fn new(world: &'a W, alter: F) -> Self {
        Self { world, alter }
    }
}

/// Keeps no stamp: the answers may have changed.
impl<W: CollisionWorld + ?Sized, F: Fn(WorldTriangle) -> Option<WorldTriangle>> CollisionWorld for Altered<'_, W, F> {
    fn each_triangle_near(&self, bounds: &Aabb3<f64>, filter: &QueryFilter, visit: &mut dyn FnMut(WorldTriangle)) {
        self.world.each_triangle_near(bounds, filter, &mut |near| {
            if let Some(near) = (self.alter)(near) {
                visit(near);
            }
        });
    }

    fn motion_of(&self, instance: InstanceId) -> Option<RigidMotion> {
        self.world.motion_of(instance)
    }

    fn each_motion_near(
        &self,
        bounds: &Aabb3<f64>,
        filter: &QueryFilter,
        visit: &mut dyn FnMut(InstanceId, &RigidMotion),
    ) {
        self.world.each_motion_near(bounds, filter, visit);
    }

    fn surface_of(&self, instance: InstanceId, material: MaterialTag) -> Surface {
        self.world.surface_of(instance, material)
    }
}
