//! [`Impulse`]: what a character does to what it runs into, for the caller's physics.

use nalgebra::Vector3;

use super::{TickReport, touch::Touch};
use crate::real::{Real, narrow, widen};

/// A push on something that a character ran into.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Impulse<'a, T: Real> {
    /// Where, and what: the instance, or the other character.
    pub touch: &'a Touch<T>,
    /// What the other body is given at that point, in newton seconds: the momentum that the character lost there, along the
    /// normal into the body.
    pub impulse: Vector3<T>,
}

impl<T: Real> TickReport<T> {
    /// What a character of a mass, in kilograms, gave to what it met, contact by contact: all the momentum that stopped it.
    ///
    /// To the character everything is as heavy as a wall. Which instances can be pushed, how far such a push is believed and
    /// whether they yield next tick, is the caller's to say, who moves them. Each contact takes what the ones before
    /// have left of [`TickReport::wished`] along its normal, so that two contacts with one surface count once. A ledge that was stepped
    /// on takes nothing, and the weight of who stands on something is not among it.
    ///
    /// # Example
    /// ```
    /// # use nalgebra::{point, vector};
    /// # use sidle::{Character, CharacterConfig, Ellipsoid, Octree, Scratch, TickInput, World, mesh::primitives};
    /// # use sidle::world::Placement;
    /// # let mut world = World::of_level(Octree::new(primitives::floor::<f64>(20.0, 20.0, 1, 1)?));
    /// # let mesh = world.add_mesh(Octree::new(primitives::cuboid([0.5, 0.5, 0.5])?));
    /// let barrel = world.place(mesh, &Placement::at(point![1.0, 0.5, 0.0]))?;
    /// # let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
    /// # let mut character = Character::new(body, CharacterConfig::default(), point![0.0, 0.92, 0.0])?;
    /// # let mut scratch = Scratch::default();
    /// # let still = TickInput { velocity: vector![0.0, 0.0, 0.0], ..TickInput::default() };
    /// # character.tick(&world, &still, 1.0 / 60.0, &mut scratch)?;
    /// let input = TickInput { velocity: vector![6.0, 0.0, 0.0], ..TickInput::default() };
    /// let report = character.tick(&world, &input, 1.0 / 60.0, &mut scratch)?;
    /// for push in report.impulses(80.0).filter(|push| push.touch.instance == barrel) {
    ///     // physics.body_of(barrel).apply_impulse(push.impulse, push.touch.point)
    /// #   assert!((push.impulse - vector![480.0, 0.0, 0.0]).norm() < 1e-6 * 480.0, "{push:?}");
    /// }
    /// # assert_eq!(report.impulses(80.0).filter(|push| push.touch.instance == barrel).count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn impulses(&self, mass: T) -> impl Iterator<Item = Impulse<'_, T>> {
        let lateral = &self.lateral.touches;
        let stopped_it = if self.has_stepped { lateral.len().saturating_sub(1) } else { lateral.len() };
        let mut velocity = widen(&self.wished);
        let mass = mass.to_f64();
        lateral[..stopped_it].iter().chain(&self.vertical.touches).filter_map(move |touch| {
            let normal = widen(&touch.normal);
            let approach = -velocity.dot(&normal);
            velocity += normal * approach.max(0.0);
            (approach > 0.0).then(|| Impulse { touch, impulse: narrow(&(normal * (-mass * approach))) })
        })
    }
}
