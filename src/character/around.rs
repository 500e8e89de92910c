//! [`Around`]: the box in which the triangles for a tick are gathered.

use nalgebra::{Point3, Vector3};

use super::{
    body::Body,
    config::{Limits, STEEPEST},
    input::Wish,
};
use crate::{real::Length, shape::Aabb3, world::Margin};

/// How far around the body triangles are gathered.
///
/// Most ticks go along the ground and around walls. For them the smaller box does, which in dense levels holds a tenth of what
/// the larger one does. A tick that asks for more than was gathered is done again with the larger one, so that its outcome
/// does not depend on the first attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    /// What a body reaches that walks or falls.
    Walk,
    /// What any part of a tick can reach, ledges and what is behind them included.
    All,
}

/// What is gathered beyond the reach of a tick, as a share of the body's size: room for being pushed out of overlaps.
const SPARE: f64 = 0.1;

/// The same for [`Around::Walk`].
const LITTLE_SPARE: f64 = 0.01;

/// By how much of its smallest semi-axis the box of a body that goes on in it is larger: the way it goes, and all around. A larger
/// one saves gathering, a smaller one has all sweeps look at fewer triangles.
const AHEAD: f64 = 1.0;
const ALL_AROUND: f64 = 0.15;

impl Around {
    /// The box around a tick that starts at a position.
    pub(super) fn bounds(
        self,
        position: Point3<f64>,
        body: &Body,
        limits: &Limits,
        wish: &Wish,
        momentum: &Vector3<f64>,
    ) -> Aabb3<f64> {
        let fall = wish.fall(momentum) + wish.carry;
        let way = wish.velocity.length() * wish.dt;
        // A level wish may be turned up a slope as far as the limit allows.
        let slope = way * limits.slope_tangent.min(STEEPEST) + way;
        let (across, rise, drop) = match self {
            Self::Walk => (way + fall, slope + fall, slope + fall + limits.snap_distance + limits.step_tolerance),
            Self::All => {
                // Only who moves steps; the top of a ledge is looked for behind it.
                let (ledge, step) = if way > 0.0 {
                    (limits.probe_distance(), 2.0 * (limits.step_height + limits.step_tolerance))
                } else {
                    (0.0, 0.0)
                };
                let along = slope + fall + step + limits.snap_distance;
                (way + fall + ledge, along, along)
            }
        };
        let spare = self.spare(body) + body.skin();
        let reach = wish.up.map(|up| across * (1.0 - up * up).max(0.0).sqrt() + spare);
        let point = |up: f64| wish.up * up;
        body.bounds(position + point(rise)).union(&body.bounds(position - point(drop))).grow(&reach)
    }

    /// How much larger the box is made for a body that goes on in it.
    pub(super) fn margin(self, body: &Body) -> Margin {
        let radius = body.smallest_radius();
        match self {
            Self::Walk => Margin { around: ALL_AROUND * radius, ahead: AHEAD * radius },
            Self::All => Margin::NONE,
        }
    }

    /// How far the body may be pushed out of overlaps.
    pub(super) fn spare(self, body: &Body) -> f64 {
        let share = match self {
            Self::Walk => LITTLE_SPARE,
            Self::All => SPARE,
        };
        share * body.half_extents().max()
    }
}
