//! [`CharacterState`]: all that a character remembers, as one plain value.

use nalgebra::{Point3, Vector3};

use super::ground::{Ground, GroundState, Walker};
use crate::{
    InputError, MaterialTag,
    input_error::{bounded, bounded_point, finite},
    real::{Real, narrow, narrow_point, widen, widen_point},
    world::InstanceId,
};

/// All that a character remembers from tick to tick: saving and restoring it repeats the run to the bit.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CharacterState<T: Real> {
    /// Where the body is, in metres: the centre of its ellipsoid, or the point from which the offsets of its parts are.
    pub position: Point3<T>,
    /// What the position cannot hold; zero in `f64`.
    pub remainder: Vector3<T>,
    /// Velocity of falling, jumping and sliding down steep ground, in metres a second; zero on ground.
    pub momentum: Vector3<T>,
    /// Whether and how it is supported.
    pub ground: GroundState,
    /// Normal of the contact with the ground, if it is on ground.
    pub ground_normal: Vector3<T>,
    /// How far the lowest point is above the ground from which steps are measured, in metres; less than zero while the body
    /// rides over a ledge.
    pub feet_above_support: T,
    /// What it stands on, if it is on ground. Where that moves, the character is carried along.
    #[cfg_attr(feature = "serde", serde(default))]
    pub standing_on: Option<InstanceId>,
    /// What that is made of; without meaning if it stands on nothing.
    #[cfg_attr(feature = "serde", serde(default))]
    pub ground_material: MaterialTag,
}

impl<T: Real> CharacterState<T> {
    /// In the air at a position, at rest.
    pub(super) fn at(position: Point3<T>) -> Self {
        Self {
            position,
            remainder: Vector3::zeros(),
            momentum: Vector3::zeros(),
            ground: GroundState::InAir,
            ground_normal: Vector3::zeros(),
            feet_above_support: T::zero(),
            standing_on: None,
            ground_material: MaterialTag::default(),
        }
    }

    /// The position with all that is known of it, remainder included.
    pub fn exact_position(&self) -> Point3<f64> {
        widen_point(&self.position) + widen(&self.remainder)
    }

    /// Where to draw it between two ticks: a share `alpha` of the way from the state before to this one. 0 is the state before, 1
    /// this one; beyond 1 it goes on in the same direction.
    ///
    /// ```
    /// # use nalgebra::{point, vector};
    /// # use sidle::{Character, CharacterConfig, Ellipsoid, Octree, Scratch, TickInput, World, mesh::primitives};
    /// # let world = World::of_level(Octree::new(primitives::floor::<f64>(20.0, 20.0, 4, 4)?));
    /// # let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
    /// # let mut character = Character::new(body, CharacterConfig::default(), point![0.0, 0.92, 0.0])?;
    /// # let input = TickInput { velocity: vector![6.0, 0.0, 0.0], ..TickInput::default() };
    /// let before = character.state();
    /// character.tick(&world, &input, 1.0 / 60.0, &mut Scratch::default())?;
    /// // A frame that is drawn when a quarter of a tick has passed since:
    /// let drawn = character.state().interpolated(&before, 0.25);
    /// assert!((drawn.x - 0.025_f64).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "lerp")]
    pub fn interpolated(&self, before: &Self, alpha: T) -> Point3<T> {
        let from = before.exact_position();
        narrow_point(&(from + (self.exact_position() - from) * alpha.to_f64()))
    }

    /// Puts it somewhere else.
    pub(super) fn stand_at(&mut self, position: Point3<f64>) {
        self.position = narrow_point(&position);
        self.remainder = narrow(&(position - widen_point(&self.position)));
    }

    /// The height along `up` of the ground from which steps are measured.
    pub(super) fn support(&self, walker: &Walker<'_>) -> f64 {
        walker.feet(self.exact_position()) - self.feet_above_support.to_f64()
    }

    /// # Errors
    /// If a number is not finite.
    pub(super) fn check(&self) -> Result<(), InputError> {
        bounded_point(&self.position, "the character's position")?;
        bounded(&self.remainder, "the remainder of the position")?;
        bounded(&self.momentum, "the character's momentum")?;
        bounded(&self.ground_normal, "the normal of the ground")?;
        finite(self.feet_above_support, "the height above the support").map(|_| ())
    }

    /// The state after a move to `position`.
    pub(super) fn after(
        &self,
        walker: &Walker<'_>,
        position: Point3<f64>,
        momentum: &Vector3<f64>,
        ground: &Ground<f64>,
        stepped_on: Option<f64>,
    ) -> Self {
        let is_on_ground = ground.state == GroundState::OnGround;
        let held_by = ground.touch.filter(|touch| is_on_ground && touch.other.is_none());
        let walkable = held_by.filter(|touch| walker.is_walkable(touch));
        let support = match (stepped_on, walkable) {
            (Some(top), _) => Some(top),
            (None, Some(touch)) => Some(walker.height(touch.point)),
            // Halfway over a ledge, or past one: still measured from where it was.
            (None, None) if is_on_ground => Some(self.support(walker)),
            (None, None) => None,
        };
        let mut state = Self {
            momentum: narrow(momentum),
            ground: ground.state,
            ground_normal: narrow(&walkable.map_or_else(Vector3::zeros, |touch| touch.normal)),
            feet_above_support: T::nearest(support.map_or(0.0, |support| walker.feet(position) - support)),
            standing_on: held_by.map(|touch| touch.instance),
            ground_material: held_by.map_or_else(MaterialTag::default, |touch| touch.material),
            ..*self
        };
        state.stand_at(position);
        state
    }
}
