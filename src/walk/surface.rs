//! [`WalkSurface`]: what a material of a walk's mesh is to the character.

use serde::{Deserialize, Serialize};

use super::{Number, WalkError, default_position};
use crate::{
    MaterialTag, TriMesh,
    real::Real,
    world::{MeshId, Surface, World},
};

/// What a material of a mesh is to the character; what is left out is as for any other surface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WalkSurface {
    /// The material's name in the OBJ file.
    pub material: String,
    /// Whether it can be stood on.
    #[serde(default = "yes")]
    pub ground: bool,
    /// Whether a ledge of it may be stepped on.
    #[serde(default = "yes")]
    pub step: bool,
    /// Whether it can be passed from behind.
    #[serde(default)]
    pub one_way: bool,
    /// Velocity of a conveyor belt, along the axes of the mesh.
    #[serde(default = "default_position")]
    pub velocity: [Number; 3],
}

fn yes() -> bool {
    true
}

/// Gives a mesh of a world the surfaces of its materials.
///
/// # Errors
/// If there is no material of a name, or a velocity is not finite.
pub(super) fn set_surfaces<T: Real>(
    world: &mut World<T>,
    id: MeshId,
    mesh: &TriMesh<T>,
    surfaces: &[WalkSurface],
) -> Result<(), WalkError> {
    for surface in surfaces {
        let place = mesh.material_names().iter().position(|name| *name == surface.material);
        let tag = place.ok_or_else(|| WalkError::NoSuchMaterial { name: surface.material.clone() })?;
        let rule = Surface {
            is_ground: surface.ground,
            is_step: surface.step,
            is_one_way: surface.one_way,
            velocity: surface.velocity.map(|Number(x)| x).into(),
        };
        world.set_surface(id, MaterialTag(tag as u16), rule)?;
    }
    Ok(())
}
