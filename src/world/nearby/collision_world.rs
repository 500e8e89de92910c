//! [`CollisionWorld`]: what a character needs of a world, and [`WorldTriangle`], in which the world hands out its triangles.

use super::first_contact::{NearContact, touch};
use crate::{
    MaterialTag,
    mesh::Sides,
    real::Real,
    shape::{Aabb3, Triangle},
    sweep::{Sweep, triangle::UnitContact},
    world::{InstanceId, QueryFilter, RigidMotion, Stamp, Surface, World},
};

/// A triangle of the world. Geometry crosses this border in `f64`, so that nothing is lost whatever it is stored in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorldTriangle {
    /// The vertices in the world.
    pub triangle: Triangle<f64>,
    /// The instance to which the triangle belongs.
    pub instance: InstanceId,
    /// Index of the triangle in the instance's mesh.
    pub index: u32,
    /// What it is made of.
    pub material: MaterialTag,
    /// From which sides it is solid.
    pub sides: Sides,
    /// Whether the instance is mirrored, so that the vertices run clockwise as seen from the front.
    pub is_mirrored: bool,
}

impl WorldTriangle {
    /// By which ties are broken.
    #[inline(always)]
    pub(super) fn id(&self) -> (InstanceId, u32) {
        (self.instance, self.index)
    }
}

/// Where a character can walk: anything that can tell which triangles are near a box.
///
/// [`World`] is one; implement it to walk on the geometry of another engine.
pub trait CollisionWorld {
    /// Hands out every triangle that meets a box, and possibly more, in an order that depends on nothing else.
    fn each_triangle_near(&self, bounds: &Aabb3<f64>, filter: &QueryFilter, visit: &mut dyn FnMut(WorldTriangle));

    /// Another stamp whenever anything in the world has changed. `None` if the world does not keep one; then the triangles near
    /// a body are gathered anew for each tick.
    fn stamp(&self) -> Option<Stamp> {
        None
    }

    /// How an instance moves in the step that ends with its triangles where they are; `None` for one at rest. By default all rest.
    ///
    /// Worlds with moving platforms give this and [`CollisionWorld::each_motion_near`].
    fn motion_of(&self, instance: InstanceId) -> Option<RigidMotion> {
        let _ = instance;
        None
    }

    /// Hands out what moves and comes into a box in this step, and possibly more.
    fn each_motion_near(
        &self,
        bounds: &Aabb3<f64>,
        filter: &QueryFilter,
        visit: &mut dyn FnMut(InstanceId, &RigidMotion),
    ) {
        let _ = (bounds, filter, visit);
    }

    /// What a material of an instance is to characters; its velocity along the axes of the world. By default all are plain.
    fn surface_of(&self, instance: InstanceId, material: MaterialTag) -> Surface {
        let _ = (instance, material);
        Surface::default()
    }

    /// The first contact along a sweep.
    ///
    /// Looks at all triangles near the whole way; worlds with a tree of their own replace it.
    fn first_contact_near(&self, sweep: &Sweep, filter: &QueryFilter) -> Option<NearContact> {
        let mut best: Option<(UnitContact, WorldTriangle)> = None;
        self.each_triangle_near(&sweep.bounds(), filter, &mut |candidate| {
            let limit = best.as_ref().map_or(1.0, |(contact, _)| contact.fraction);
            if let Some(contact) = touch(sweep, &candidate, limit)
                && best.as_ref().is_none_or(|(other, _)| contact.is_before(other))
            {
                best = Some((contact, candidate));
            }
        });
        best.map(|(contact, source)| NearContact { contact: sweep.leave(&contact, &source.triangle), source })
    }
}

impl<T: Real> CollisionWorld for World<T> {
    fn each_triangle_near(&self, bounds: &Aabb3<f64>, filter: &QueryFilter, visit: &mut dyn FnMut(WorldTriangle)) {
        for (id, instance, tree) in self.seen(filter, bounds) {
            let mesh = tree.mesh();
            let has_rules = self.has_surfaces();
            tree.each_triangle_in_box(
                &instance.bounds_to_mesh(bounds),
                #[inline(always)]
                |index, triangle| {
                    let material = mesh.material(index);
                    let one_way = if has_rules { self.sides_of(instance, material) } else { None };
                    visit(WorldTriangle {
                        triangle: instance.triangle_to_world(triangle),
                        instance: id,
                        index,
                        material,
                        sides: one_way.unwrap_or(mesh.sides()),
                        is_mirrored: instance.is_mirrored,
                    });
                },
            );
        }
    }

    fn stamp(&self) -> Option<Stamp> {
        Some(self.stamp)
    }

    fn motion_of(&self, instance: InstanceId) -> Option<RigidMotion> {
        self.motion(instance).copied()
    }

    fn each_motion_near(
        &self,
        bounds: &Aabb3<f64>,
        filter: &QueryFilter,
        visit: &mut dyn FnMut(InstanceId, &RigidMotion),
    ) {
        self.each_moving(bounds, filter, visit);
    }

    fn surface_of(&self, instance: InstanceId, material: MaterialTag) -> Surface {
        World::surface_of(self, instance, material)
    }

    fn first_contact_near(&self, sweep: &Sweep, filter: &QueryFilter) -> Option<NearContact> {
        let hit = self.sweep(sweep, filter)?;
        let mesh = self.mesh_of(hit.instance)?.mesh();
        let instance = self.instance(hit.instance)?;
        let source = WorldTriangle {
            triangle: instance.triangle_to_world(&mesh.triangle(hit.triangle).widen()),
            instance: hit.instance,
            index: hit.triangle,
            material: hit.material,
            sides: mesh.sides(),
            is_mirrored: instance.is_mirrored,
        };
        Some(NearContact { contact: hit.contact.cast(), source })
    }
}
