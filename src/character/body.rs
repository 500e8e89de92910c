//! [`Body`]: the ellipsoids, and the same grown by the skin, that everything here sweeps.

use std::sync::Arc;

use nalgebra::{Point3, Vector3};

use super::{
    shape::{BodyPart, BodyShape},
    touch::Touch,
};
use crate::{
    InputError,
    input_error::not_negative,
    real::{Length, Real, widen},
    shape::{Aabb3, EllipsoidSpace, Segment, ellipsoid::rotation_matrix},
    sweep::{StartOverlap, Sweep},
    world::{HalfSpace, MEETING, Nearby},
};

/// What moves: an ellipsoid, or several at offsets, that keep a gap, their *skin*, to all surfaces.
///
/// Motions sweep each ellipsoid with its semi-axes grown by the skin. On contact the ellipsoid itself then keeps a gap of at
/// least `2√k / (1 + k)` of the skin for an axis ratio `k` (0.92 of it for 0.4 / 0.9), at any angle of approach.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    parts: Parts,
    /// Half the size of the box around all parts with their skin.
    half_extents: Vector3<f64>,
    /// From the position to the middle of that box.
    middle: Vector3<f64>,
    skin: f64,
    smallest_radius: f64,
    /// The largest of all parts.
    intrusion: f64,
}

/// Most bodies are one ellipsoid around their position. Several parts are shared, so that no clone takes memory.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a body that is somewhere else in memory is one more to wait for")]
enum Parts {
    One(Part),
    Several(Arc<[Part]>),
}

/// One of the ellipsoids of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Part {
    /// The ellipsoid grown by the skin.
    pub(super) grown: EllipsoidSpace,
    /// From the position of the body to its centre.
    pub(super) offset: Vector3<f64>,
    /// The least approach, as a share of a motion, that enters a surface.
    ///
    /// A motion that [`clip`](super::clip()) keeps out of a plane may enter it by a share of rounding in the world; in the space of the
    /// ellipsoid that is up to the ratio of its axes more, and must not count as another contact with the same surface.
    intrusion: f64,
}

/// Two bodies that are less far apart, as a share of the smallest semi-axis, touch.
const TOUCHING: f64 = 1e-12;

impl Part {
    fn new<T: Real>(part: &BodyPart<T>, skin: f64) -> Self {
        let grown = widen(&part.ellipsoid().radii()).add_scalar(skin);
        Self {
            grown: EllipsoidSpace::new(&grown, &rotation_matrix(&part.ellipsoid().rotation())),
            offset: widen(&part.offset()),
            intrusion: f64::INTRUSION * grown.max() / grown.min(),
        }
    }

    /// From its own centre to its lowest point, for a unit vector `up`.
    fn lowest_point(&self, up: &Vector3<f64>) -> Vector3<f64> {
        let from_unit = self.grown.unit_axes();
        let in_unit = from_unit.tr_mul(up);
        from_unit * (-in_unit / in_unit.length())
    }

    fn bounds(&self) -> Aabb3<f64> {
        let center = Point3::from(self.offset);
        Aabb3 { min: center, max: center }.grow(&self.grown.half_extents())
    }
}

impl Body {
    /// A body with a skin in metres, which may be 0. An [`Ellipsoid`](crate::Ellipsoid) is a shape, too.
    ///
    /// # Errors
    /// If the skin is NaN, infinite or negative.
    pub fn new<T: Real>(shape: impl Into<BodyShape<T>>, skin: T) -> Result<Self, InputError> {
        let skin = not_negative(skin, "the skin")?.to_f64();
        let shape = shape.into();
        let radii = shape.parts().iter().map(|part| widen(&part.ellipsoid().radii()).min());
        let smallest_radius = radii.fold(f64::INFINITY, f64::min);
        let (parts, half_extents, middle) = match shape.parts() {
            [only] if only.offset() == Vector3::zeros() => {
                let part = Part::new(only, skin);
                (Parts::One(part), part.grown.half_extents(), Vector3::zeros())
            }
            several => {
                let parts: Arc<[Part]> = several.iter().map(|part| Part::new(part, skin)).collect();
                let bounds = parts.iter().fold(Aabb3::empty(), |bounds, part| bounds.union(&part.bounds()));
                (Parts::Several(parts), 0.5 * bounds.size(), bounds.center().coords)
            }
        };
        let mut body = Self { parts, half_extents, middle, skin, smallest_radius, intrusion: 0.0 };
        body.intrusion = body.parts().iter().map(|part| part.intrusion).fold(0.0, f64::max);
        Ok(body)
    }

    /// The skin, in metres.
    pub fn skin(&self) -> f64 {
        self.skin
    }

    /// The smallest semi-axis of all parts without skin, in metres.
    pub(super) fn smallest_radius(&self) -> f64 {
        self.smallest_radius
    }

    /// Half the size of the box around the body with its skin.
    pub(super) fn half_extents(&self) -> Vector3<f64> {
        self.half_extents
    }

    /// The box around a body with its skin.
    pub(super) fn bounds(&self, position: Point3<f64>) -> Aabb3<f64> {
        let middle = position + self.middle;
        Aabb3 { min: middle, max: middle }.grow(&self.half_extents)
    }

    /// The ellipsoids, by the numbers that touches call them.
    pub(super) fn parts(&self) -> &[Part] {
        match &self.parts {
            Parts::One(part) => std::slice::from_ref(part),
            Parts::Several(parts) => parts,
        }
    }

    /// From the position to the lowest point of the body with its skin, for a unit vector `up`.
    pub(super) fn lowest_point(&self, up: &Vector3<f64>) -> Vector3<f64> {
        match &self.parts {
            Parts::One(part) => part.lowest_point(up),
            Parts::Several(_) => self.lowest_point_of(self.lowest_part(up), up),
        }
    }

    /// From the position to the lowest point of a part with its skin.
    pub(super) fn lowest_point_of(&self, part: u8, up: &Vector3<f64>) -> Vector3<f64> {
        let part = &self.parts()[usize::from(part)];
        part.offset + part.lowest_point(up)
    }

    /// The part that reaches down farthest, for a unit vector `up`.
    pub(super) fn lowest_part(&self, up: &Vector3<f64>) -> u8 {
        let height = |part: &Part| part.offset.dot(up) - part.grown.reach(up);
        let heights = (0..).zip(self.parts()).map(|(index, part)| (index, height(part)));
        heights.reduce(|a, b| if b.1 < a.1 { b } else { a }).map_or(0, |(index, _)| index)
    }

    /// The lowest points of the parts that reach down as far as the body does, or less far by no more than `within`, in metres.
    pub(super) fn low_points(&self, up: &Vector3<f64>, within: f64) -> impl Iterator<Item = Vector3<f64>> {
        let highest = self.lowest_point(up).dot(up) + within;
        let points = (0..self.parts().len() as u8).map(move |part| self.lowest_point_of(part, up));
        points.filter(move |point| point.dot(up) <= highest)
    }

    /// Whether a segment enters a part, its skin included, of the body at a position.
    pub(super) fn covers(&self, segment: &Segment<f64, 3>, position: Point3<f64>) -> bool {
        self.parts().iter().any(|part| {
            let enter = |end: Point3<f64>| Point3::from(part.grown.enter(&(end - position - part.offset)));
            let seen = Segment::new(enter(segment.from), enter(segment.to));
            seen.closest_point(&Point3::origin()).coords.norm_squared() < 1.0
        })
    }

    /// The centre of a part of a body at a position.
    pub(super) fn center_of(&self, part: u8, position: Point3<f64>) -> Point3<f64> {
        match &self.parts {
            Parts::One(_) => position,
            Parts::Several(parts) => position + parts[usize::from(part)].offset,
        }
    }

    /// Makes sweeps of the body cheap that stay near a place.
    pub(super) fn measure(&self, near: &mut Nearby, at: Point3<f64>) {
        match &self.parts {
            Parts::One(part) => near.measure(0, &part.grown, at),
            Parts::Several(parts) => {
                let all = parts.iter().enumerate();
                all.for_each(|(index, part)| near.measure(index, &part.grown, at + part.offset));
            }
        }
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
        let Some((fraction, half_space)) = self.first_half_space(near, from, motion) else {
            return self.first_surface(near, from, motion);
        };
        if fraction > 0.0
            && let Some(surface) = self.first_surface(near, from, motion)
            && surface.fraction <= fraction
        {
            return Some(surface);
        }
        Some(self.touch_of(half_space, fraction, from + motion * fraction))
    }

    /// The first surface that stops the body, whoever is in between.
    #[inline(always)]
    pub(super) fn first_surface(&self, near: &Nearby, from: Point3<f64>, motion: Vector3<f64>) -> Option<Touch<f64>> {
        match &self.parts {
            Parts::One(part) => self.first_surface_of(part, 0, near, from, motion),
            Parts::Several(parts) => self.first_surface_of_any(parts, near, from, motion),
        }
    }

    /// The same of a part whose centre is at `from`.
    #[inline(always)]
    fn first_surface_of(
        &self,
        part: &Part,
        index: u8,
        near: &Nearby,
        from: Point3<f64>,
        motion: Vector3<f64>,
    ) -> Option<Touch<f64>> {
        let sweep = self.sweep(part, from, motion).with_start_overlap(StartOverlap::LetLeave);
        near.first_contact(&sweep).map(|contact| Touch::new(contact, index))
    }

    #[inline(never)]
    fn first_surface_of_any(
        &self,
        parts: &[Part],
        near: &Nearby,
        from: Point3<f64>,
        motion: Vector3<f64>,
    ) -> Option<Touch<f64>> {
        let mut first: Option<Touch<f64>> = None;
        for (index, part) in (0..).zip(parts) {
            let touch = self.first_surface_of(part, index, near, from + part.offset, motion);
            if let Some(touch) = touch
                && first.as_ref().is_none_or(|first| touch.fraction < first.fraction)
            {
                first = Some(touch);
                if touch.fraction == 0.0 {
                    break; // none comes before it
                }
            }
        }
        first
    }

    /// The first of the others that stops the body, whatever surfaces are in between.
    pub(super) fn first_other(&self, near: &Nearby, from: Point3<f64>, motion: Vector3<f64>) -> Option<Touch<f64>> {
        let (fraction, half_space) = self.first_half_space(near, from, motion)?;
        Some(self.touch_of(half_space, fraction, from + motion * fraction))
    }

    /// The first half-space whose border stops the body, and after which share of the motion. Whom it touches but for rounding
    /// stops it where it is.
    fn first_half_space<'a>(
        &self,
        near: &'a Nearby,
        from: Point3<f64>,
        motion: Vector3<f64>,
    ) -> Option<(f64, &'a HalfSpace)> {
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
        let touches = half_space.room(&from) <= TOUCHING * self.smallest_radius;
        Some((if touches { 0.0 } else { fraction }, half_space))
    }

    pub(super) fn touch_of(&self, half_space: &HalfSpace, fraction: f64, position: Point3<f64>) -> Touch<f64> {
        let part = &self.parts()[usize::from(half_space.part)];
        let point = self.center_of(half_space.part, position) + part.lowest_point(&half_space.normal);
        Touch::of_half_space(half_space, fraction, point, half_space.room(&position))
    }

    /// The share of a push out of what is touched, by a depth, that is free.
    pub(super) fn free_push(
        &self,
        near: &Nearby,
        from: Point3<f64>,
        touch: &Touch<f64>,
        push: Vector3<f64>,
        depth: f64,
    ) -> f64 {
        if touch.other.is_none() {
            return self.first_contact(near, from, push).map_or(1.0, |contact| contact.fraction);
        }
        let free = self.first_surface(near, from, push).map_or(1.0, |contact| contact.fraction);
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
        match &self.parts {
            Parts::One(part) => self.deepest_overlap_of(part, 0, near, at, shallow, moved),
            Parts::Several(parts) => self.deepest_overlap_of_any(parts, near, at, shallow, moved),
        }
    }

    /// The same of a part whose centre is at `at`.
    #[inline(always)]
    fn deepest_overlap_of(
        &self,
        part: &Part,
        index: u8,
        near: &Nearby,
        at: Point3<f64>,
        shallow: f64,
        moved: f64,
    ) -> Option<Touch<f64>> {
        if !near.may_overlap(&part.grown, &at, shallow) {
            return None;
        }
        let mut still = self.sweep(part, at, Vector3::zeros());
        still.passes_deeper_than += moved;
        near.first_contact(&still).map(|contact| Touch::new(contact, index))
    }

    #[inline(never)]
    fn deepest_overlap_of_any(
        &self,
        parts: &[Part],
        near: &Nearby,
        at: Point3<f64>,
        shallow: f64,
        moved: f64,
    ) -> Option<Touch<f64>> {
        let mut deepest: Option<Touch<f64>> = None;
        for (index, part) in (0..).zip(parts) {
            let least = deepest.and_then(|touch| touch.overlap).unwrap_or(shallow);
            let touch = self.deepest_overlap_of(part, index, near, at + part.offset, least, moved);
            if let Some(touch) = touch
                && deepest.is_none_or(|deepest| touch.overlap > deepest.overlap)
            {
                deepest = Some(touch);
            }
        }
        deepest
    }

    fn sweep(&self, part: &Part, from: Point3<f64>, motion: Vector3<f64>) -> Sweep {
        let passes_deeper_than = self.skin.max(MEETING * self.smallest_radius);
        Sweep { passes_deeper_than, ..Sweep::exact(part.grown, from, motion, part.intrusion) }
    }
}
