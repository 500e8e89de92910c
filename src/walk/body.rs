//! [`WalkPart`]: the body of a walk, one ellipsoid or several.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use super::{Number, WalkCharacter, WalkError, default_position, default_rotation, is_unturned, is_zero};
use crate::{
    InputError,
    character::{BodyPart, BodyShape},
    real::{Real, widen},
    shape::Ellipsoid,
};

/// An ellipsoid of a body of several.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WalkPart {
    /// Semi-axes of the ellipsoid, in metres.
    pub radii: [Number; 3],
    /// From the position of the body to the ellipsoid's centre, in metres along the world's axes; by default none.
    #[serde(default = "default_position", skip_serializing_if = "is_zero")]
    pub offset: [Number; 3],
    /// Quaternion x, y, z, w, of any length but zero; by default its axes are the world's.
    #[serde(default = "default_rotation", skip_serializing_if = "is_unturned")]
    pub rotation: [Number; 4],
}

impl WalkCharacter {
    /// What the body is made of.
    ///
    /// # Errors
    /// If there are neither radii nor parts, or both, or a number makes no sense.
    pub fn shape<T: Real>(&self) -> Result<BodyShape<T>, WalkError> {
        match (&self.radii, &self.parts[..]) {
            (Some(radii), []) => Ok(Ellipsoid::new(vector(radii))?.into()),
            (None, [_, ..]) => {
                let parts = self.parts.iter().map(WalkPart::part).collect::<Result<Vec<_>, _>>()?;
                Ok(BodyShape::new(parts)?)
            }
            _ => Err(WalkError::Body),
        }
    }

    /// The shape as a world of scalar `T` has it, in `f64`.
    pub(super) fn wide_shape<T: Real>(&self) -> Result<BodyShape<f64>, WalkError> {
        let wide = |part: &BodyPart<T>| {
            let rotation = UnitQuaternion::new_unchecked(part.ellipsoid().rotation().coords.map(Real::to_f64).into());
            BodyPart::new(Ellipsoid::turned(widen(&part.ellipsoid().radii()), rotation)?, widen(&part.offset()))
        };
        let parts = self.shape()?.parts().iter().map(wide).collect::<Result<Vec<_>, _>>()?;
        Ok(BodyShape::new(parts)?)
    }
}

impl WalkPart {
    fn part<T: Real>(&self) -> Result<BodyPart<T>, InputError> {
        let [x, y, z, w] = self.rotation.map(|Number(x)| x);
        let rotation = Quaternion::new(w, x, y, z);
        if !(rotation.norm() > 0.0 && rotation.norm().is_finite()) {
            return Err(InputError::NoDirection { what: "the rotation of a part" });
        }
        let rotation = UnitQuaternion::new_unchecked(rotation.normalize().coords.map(T::nearest).into());
        BodyPart::new(Ellipsoid::turned(vector(&self.radii), rotation)?, vector(&self.offset))
    }
}

fn vector<T: Real>(numbers: &[Number; 3]) -> Vector3<T> {
    Vector3::from(numbers.map(|Number(x)| T::nearest(x)))
}
