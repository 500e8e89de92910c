//! [`TickInput`]: what the caller wishes for a tick.

use nalgebra::{Unit, Vector3};

use crate::{
    InputError,
    input_error::{bounded, finite, positive},
    real::{Length, Real, widen},
};

/// How a character moves in a tick; it may change from tick to tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum MovementMode {
    /// On foot: along the ground, up steps, and through the air by momentum and gravity.
    #[default]
    Walk,
    /// Freely along the whole velocity, without gravity, ground or steps: flying, swimming, climbing a ladder.
    Fly,
}

/// What the caller wishes for a tick.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TickInput<T: Real> {
    /// The velocity wished for, in metres a second. Walking uses only the part across `up`.
    pub velocity: Vector3<T>,
    /// Speed along `up` with which to take off, in metres a second; taken only on ground, on foot.
    pub jump: Option<T>,
    /// Gravity along `-up`, in metres a second squared; nothing to who flies.
    pub gravity: T,
    /// Which way is up; may change from tick to tick.
    pub up: Unit<Vector3<T>>,
    /// On foot, or flying.
    #[cfg_attr(feature = "serde", serde(default))]
    pub mode: MovementMode,
}

impl<T: Real> Default for TickInput<T> {
    /// No wish, no jump, 9.81 m/s² downwards, `+Y` up, on foot.
    fn default() -> Self {
        Self {
            velocity: Vector3::zeros(),
            jump: None,
            gravity: T::nearest(9.81),
            up: Vector3::y_axis(),
            mode: MovementMode::Walk,
        }
    }
}

/// Which way is up, checked and in `f64`.
pub(super) fn direction_of<T: Real>(up: &Unit<Vector3<T>>) -> Result<Vector3<f64>, InputError> {
    bounded(up, "the direction of up")?;
    let up = widen(up);
    if up.length() < 0.5 {
        return Err(InputError::NoDirection { what: "up" });
    }
    Ok(up.unit())
}

/// A [`TickInput`], checked and in `f64`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Wish {
    pub(super) mode: MovementMode,
    pub(super) dt: f64,
    pub(super) up: Vector3<f64>,
    pub(super) velocity: Vector3<f64>,
    /// The way wished for across `up`, in metres.
    pub(super) level: Vector3<f64>,
    pub(super) jump: Option<f64>,
    pub(super) gravity: f64,
    /// The way on which something that moves has pushed the body before its own motion. What it wished for is done as far as
    /// that led there.
    pub(super) pushed: Vector3<f64>,
    /// How far it may be carried by something on which it lands, in metres.
    pub(super) carry: f64,
}

impl Wish {
    pub(super) fn new<T: Real>(input: &TickInput<T>, dt: T) -> Result<Self, InputError> {
        let dt = positive(dt, "the time step")?.to_f64();
        bounded(&input.velocity, "the velocity")?;
        finite(input.gravity, "gravity")?;
        if let Some(speed) = input.jump {
            finite(speed, "the speed of the jump")?;
        }
        let up = direction_of(&input.up)?;
        let velocity = widen(&input.velocity);
        bounded(&(velocity * dt), "the way of a tick")?;
        Ok(Self {
            mode: input.mode,
            dt,
            up,
            velocity,
            level: (velocity - up * velocity.dot(&up)) * dt,
            jump: input.jump.map(Real::to_f64),
            gravity: input.gravity.to_f64(),
            pushed: Vector3::zeros(),
            carry: 0.0,
        })
    }

    /// Whether it is one to fly.
    pub(super) fn flies(&self) -> bool {
        self.mode == MovementMode::Fly
    }

    /// How far a momentum, a jump and gravity lead at most, in metres.
    pub(super) fn fall(&self, momentum: &Vector3<f64>) -> f64 {
        let speed = momentum.length() + self.jump.unwrap_or(0.0).abs();
        (speed + self.gravity.abs() * self.dt) * self.dt
    }

    /// Adds what the ground does by itself, as a velocity.
    pub(super) fn go_with(&mut self, belt: Vector3<f64>) {
        if belt == Vector3::zeros() {
            return;
        }
        self.velocity += belt;
        self.level += (belt - self.up * belt.dot(&self.up)) * self.dt;
    }

    /// What a push has done of a way; both across `up` if the way is level.
    pub(super) fn done(&self, way: &Vector3<f64>, pushed: Vector3<f64>) -> Vector3<f64> {
        let far = pushed.length();
        if far == 0.0 {
            return Vector3::zeros();
        }
        let along = pushed / far;
        along * along.dot(way).clamp(0.0, far)
    }
}
