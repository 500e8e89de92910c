//! [`Body`]: the ellipsoid, and the same grown by the skin, that everything here sweeps.

use nalgebra::{Point3, Vector3};

use super::touch::Touch;
use crate::{
    InputError,
    input_error::not_negative,
    real::{Length, Real, widen},
    shape::{Ellipsoid, EllipsoidSpace, ellipsoid::rotation_matrix},
    sweep::{StartOverlap, Sweep},
    world::{HalfSpace, MEETING, Nearby},
};

/// What moves: an ellipsoid that keeps a gap, its *skin*, to all surfaces.
///
/// Motions sweep the ellipsoid with its semi-axes grown by the skin. On contact the ellipsoid itself then keeps a gap of at
/// least `2√k / (1 + k)` of the skin for an axis ratio `k` (0.92 of it for 0.4 / 0.9), at any angle of approach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Body {
    /// The ellipsoid grown by the skin.
    grown: EllipsoidSpace,
    skin: f64,
    smallest_radius: f64,
    /// The least approach, as a share of a motion, that enters a surface.
    ///
    /// A motion that [`clip`](super::clip()) keeps out of a plane may enter it by a share of rounding in the world; in the space of the
    /// ellipsoid that is up to the ratio of its axes more, and must not count as another contact with the same surface.
    intrusion: f64,
}

/// Two bodies that are less far apart, as a share of the smallest semi-axis, touch.
const TOUCHING: f64 = 1e-12;

impl Body {
    /// A body with a skin in metres, which may be 0.
    ///
    /// # Errors
    /// If the skin is NaN, infinite or negative.
    pub fn new<T: Real>(ellipsoid: &Ellipsoid<T>, skin: T) -> Result<Self, InputError> {
        let skin = not_negative(skin, "the skin")?.to_f64();
        let radii = widen(&ellipsoid.radii());
        let grown = radii.add_scalar(skin);
        Ok(Self {
            grown: EllipsoidSpace::new(&grown, &rotation_matrix(&ellipsoid.rotation())),
            skin,
            smallest_radius: radii.min(),
            intrusion: f64::INTRUSION * grown.max() / grown.min(),
        })
    }

    /// The skin, in metres.
    pub fn skin(&self) -> f64 {
        self.skin
    }

    /// The smallest semi-axis without skin, in metres.
    pub(super) fn smallest_radius(&self) -> f64 {
        self.smallest_radius
    }

    /// Half the size of the box around the body with its skin.
    pub(super) fn half_extents(&self) -> Vector3<f64> {
        self.grown.half_extents()
    }

    /// From the centre to the lowest point of the body with its skin, for a unit vector `up`.
    pub(super) fn lowest_point(&self, up: &Vector3<f64>) -> Vector3<f64> {
        let from_unit = self.grown.unit_axes();
        let in_unit = from_unit.tr_mul(up);
        from_unit * (-in_unit / in_unit.length())
    }

    /// Makes sweeps of the body cheap that stay near a place.
    pub(super) fn measure(&self, near: &mut Nearby, at: Point3<f64>) {
        near.measure(&self.grown, at);
    }

    /// The ellipsoid grown by the skin.
    pub(super) fn grown(&self) -> &EllipsoidSpace {
        &self.grown
    }

    /// The first surface, or other character, that stops the body with its skin; overlaps that the motion leaves do not.
    pub(super) fn first_contact(&self, near: &Nearby, from: Point3<f64>, motion: Vector3<f64>) -> Option<Touch<f64>> {
        if near.half_spaces().is_empty() {
            self.first_surface(near, from, motion)
        } else {
            self.first_among_others(near, from, motion)
        }
    }

    #[inline(never)]
    fn first_among_others(&self, near: &Nearby, from: Point3<f64>, motion: Vector3<f64>) -> Option<Touch<f64>> {
        let other = self.first_other(near, from, motion);
        if other.is_some_and(|touch| touch.fraction == 0.0) {
            return other; // no surface comes before it
        }
        let surface = self.first_surface(near, from, motion);
        match (surface, other) {
            (Some(surface), Some(other)) => Some(if other.fraction < surface.fraction { other } else { surface }),
            (surface, other) => surface.or(other),
        }
    }

    /// The first surface that stops the body, whoever is in between.
    #[inline(always)]
    pub(super) fn first_surface(&self, near: &Nearby, from: Point3<f64>, motion: Vector3<f64>) -> Option<Touch<f64>> {
        let sweep = self.sweep(from, motion).with_start_overlap(StartOverlap::LetLeave);
        near.first_contact(&sweep).map(Touch::new)
    }

    /// The first of the others that stops the body. Whom it touches but for rounding stops it where it is.
    fn first_other(&self, near: &Nearby, from: Point3<f64>, motion: Vector3<f64>) -> Option<Touch<f64>> {
        let mut first: Option<(f64, &HalfSpace)> = None;
        let intrusion = self.intrusion * motion.length();
        for half_space in near.half_spaces() {
            if let Some(fraction) = half_space.exit(&from, &motion, intrusion)
                && first.is_none_or(|(least, _)| fraction < least)
            {
                first = Some((fraction, half_space));
            }
        }
        let (fraction, half_space) = first?;
        let room = half_space.room(&from);
        let fraction = if room <= TOUCHING * self.smallest_radius { 0.0 } else { fraction };
        Some(self.touch_of(half_space, fraction, from + motion * fraction))
    }

    fn touch_of(&self, half_space: &HalfSpace, fraction: f64, center: Point3<f64>) -> Touch<f64> {
        let point = center + self.lowest_point(&half_space.normal);
        Touch::of_half_space(half_space, fraction, point, half_space.room(&center))
    }

    /// The share of a push out of what is touched that is free.
    pub(super) fn free_push(&self, near: &Nearby, from: Point3<f64>, touch: &Touch<f64>, push: Vector3<f64>) -> f64 {
        if touch.other.is_none() {
            return self.first_contact(near, from, push).map_or(1.0, |contact| contact.fraction);
        }
        let sweep = self.sweep(from, push).with_start_overlap(StartOverlap::LetLeave);
        let free = near.first_contact(&sweep).map_or(1.0, |contact| contact.contact.fraction);
        let depth = push.length();
        // After a share `t`, `(1 − t) depth` is left here, and `t approach − room` of another is entered.
        let evens_out = |half_space: &HalfSpace| {
            let approach = -half_space.normal.dot(&push);
            (approach > 0.0).then(|| ((half_space.room(&from) + depth) / (depth + approach)).max(0.0))
        };
        near.half_spaces().iter().filter_map(evens_out).fold(free, f64::min)
    }

    /// The deepest overlap of the still body with its skin, if one may be deeper than `shallow`, in metres.
    pub(super) fn deepest_overlap(&self, near: &Nearby, at: Point3<f64>, shallow: f64) -> Option<Touch<f64>> {
        let deepest = self.deepest_overlap_after(near, at, shallow, 0.0);
        if near.half_spaces().is_empty() { deepest } else { self.or_deeper_other(deepest, near, at, shallow) }
    }

    /// The deepest overlap, or one with another character that is deeper.
    #[inline(never)]
    fn or_deeper_other(
        &self,
        mut deepest: Option<Touch<f64>>,
        near: &Nearby,
        at: Point3<f64>,
        shallow: f64,
    ) -> Option<Touch<f64>> {
        for half_space in near.half_spaces() {
            let room = half_space.room(&at);
            if -room > deepest.as_ref().and_then(|touch| touch.overlap).unwrap_or(shallow) {
                deepest = Some(self.touch_of(half_space, 0.0, at));
            }
        }
        deepest
    }

    /// The same of surfaces alone, after they have moved so far: so much deeper it may be in one-way surfaces that hold it.
    pub(super) fn deepest_overlap_after(
        &self,
        near: &Nearby,
        at: Point3<f64>,
        shallow: f64,
        moved: f64,
    ) -> Option<Touch<f64>> {
        if !near.may_overlap(&self.grown, &at, shallow) {
            return None;
        }
        let mut still = self.sweep(at, Vector3::zeros());
        still.passes_deeper_than += moved;
        near.first_contact(&still).map(Touch::new)
    }

    fn sweep(&self, from: Point3<f64>, motion: Vector3<f64>) -> Sweep {
        let passes_deeper_than = self.skin.max(MEETING * self.smallest_radius);
        Sweep { passes_deeper_than, ..Sweep::exact(self.grown, from, motion, self.intrusion) }
    }
}
