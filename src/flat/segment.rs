//! Segments against each other and against boxes.

use nalgebra::{Point2, Vector2};

use crate::{
    real::Real,
    shape::{Aabb, Segment},
};

/// How two segments of the plane meet.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Crossing<T: Real> {
    /// In one point.
    Point {
        /// Where.
        point: Point2<T>,
        /// Fraction of the first segment, in `0..=1`.
        t: T,
        /// Fraction of the second segment, in `0..=1`.
        u: T,
    },
    /// They lie on one line and have this piece of it in common; it runs the way of the first segment, and its ends are
    /// ends of the segments.
    Piece(Segment<T, 2>),
}

/// Where two closed segments meet; ends count.
///
/// With `w = q.from − p.from` and the determinant `a × b = a.x b.y − a.y b.x` they meet at `t = (w × q) / (p × q)` of the
/// first and `u = (w × p) / (p × q)` of the second, where both are in `0..=1`. Both are judged before the division.
/// (Antonio 1992, *Faster line segment intersection*, Graphics Gems III.)
///
/// - *Parallel* segments (a determinant of zero within its own rounding) that lie on different lines do not meet.
/// - *Collinear* ones meet in their common piece, which may be one point.
/// - A segment of no length is a point, and meets what it lies on.
/// - Numbers that are not finite meet nothing.
///
/// ```
/// # use nalgebra::point;
/// use sidle::{Segment, flat::{Crossing, segment_segment}};
/// let path = Segment::new(point![0.0, 0.0], point![4.0, 0.0]);
/// let fence = Segment::new(point![1.0, -1.0], point![1.0, 3.0]);
/// let meeting = segment_segment(&path, &fence);
/// assert_eq!(meeting, Some(Crossing::Point { point: point![1.0, 0.0], t: 0.25, u: 0.25 }));
/// let wall = Segment::new(point![9.0, 0.0], point![3.0, 0.0]);
/// assert_eq!(segment_segment(&path, &wall), Some(Crossing::Piece(Segment::new(point![3.0, 0.0], point![4.0, 0.0]))));
/// ```
pub fn segment_segment<T: Real>(p: &Segment<T, 2>, q: &Segment<T, 2>) -> Option<Crossing<T>> {
    let wide = |s: &Segment<T, 2>| Segment::new(s.from.map(T::to_f64), s.to.map(T::to_f64));
    let (p, q) = (wide(p), wide(q));
    let (along_p, along_q, between) = (p.axis(), q.axis(), q.from - p.from);
    let determinant = determinant(&along_p, &along_q);
    if determinant == 0.0 {
        return collinear(&p, &q);
    }
    let sign = determinant.signum();
    let inside = |numerator: f64| (0.0..=determinant.abs()).contains(&(numerator * sign));
    let (t, u) = (between.perp(&along_q), between.perp(&along_p));
    if !(inside(t) && inside(u)) {
        return None;
    }
    let (t, u) = (t / determinant, u / determinant);
    // From the shorter segment, whose rounding is less.
    let point = if along_p.norm_squared() <= along_q.norm_squared() { p.at(t) } else { q.at(u) };
    Some(Crossing::Point { point: point.map(T::nearest), t: T::nearest(t), u: T::nearest(u) })
}

/// `a × b`, zero within its own rounding.
fn determinant(a: &Vector2<f64>, b: &Vector2<f64>) -> f64 {
    let (left, right) = (a.x * b.y, a.y * b.x);
    let determinant = left - right;
    if determinant.abs() <= 2.0 * f64::EPSILON * (left.abs() + right.abs()) { 0.0 } else { determinant }
}

/// Two segments whose directions are one and the same, or that have none.
fn collinear<T: Real>(p: &Segment<f64, 2>, q: &Segment<f64, 2>) -> Option<Crossing<T>> {
    let base = if p.axis().norm_squared() >= q.axis().norm_squared() { p } else { q };
    let other = if std::ptr::eq(base, p) { q } else { p };
    let is_on_line = |point: &Point2<f64>| determinant(&base.axis(), &(point - base.from)) == 0.0;
    if !(is_on_line(&other.from) && is_on_line(&other.to)) {
        return None;
    }
    // Both are intervals of the axis along which the line runs most; where all is one point, x and y have to agree.
    let axis = base.axis().iamax();
    if base.axis()[axis] == 0.0 {
        let is_same = p.from == q.from;
        return is_same.then(|| Crossing::Point { point: p.from.map(T::nearest), t: T::zero(), u: T::zero() });
    }
    let sorted = |s: &Segment<f64, 2>| if s.from[axis] <= s.to[axis] { (s.from, s.to) } else { (s.to, s.from) };
    let ((low_p, high_p), (low_q, high_q)) = (sorted(p), sorted(q));
    let low = if low_p[axis] >= low_q[axis] { low_p } else { low_q };
    let high = if high_p[axis] <= high_q[axis] { high_p } else { high_q };
    if low[axis] > high[axis] {
        return None;
    }
    if low[axis] == high[axis] {
        let fraction = |s: &Segment<f64, 2>| T::nearest(s.closest_fraction(&low));
        return Some(Crossing::Point { point: low.map(T::nearest), t: fraction(p), u: fraction(q) });
    }
    let (from, to) = if p.from[axis] <= p.to[axis] { (low, high) } else { (high, low) };
    Some(Crossing::Piece(Segment::new(from.map(T::nearest), to.map(T::nearest))))
}

/// The part of a segment that lies in a box.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Span<T: Real> {
    /// Fraction of the segment where it enters; 0 if it begins inside.
    pub enter: T,
    /// Fraction where it leaves; 1 if it ends inside.
    pub exit: T,
}

/// The part of a segment that lies in a closed box, in the plane or in space.
///
/// Each axis cuts the segment to the part between its two faces. (Liang and Barsky 1984, *A new concept and method for
/// line clipping*.) Touching counts, at a corner within the rounding of the division. A segment of no length is a point. Numbers that
/// are not finite meet nothing.
///
/// ```
/// # use nalgebra::point;
/// use sidle::{Aabb2, Segment, flat::{Span, segment_box}};
/// let room = Aabb2::new(point![0.0, 0.0], point![4.0, 4.0]);
/// let shot = Segment::new(point![-2.0, 1.0], point![6.0, 1.0]);
/// assert_eq!(segment_box(&shot, &room), Some(Span { enter: 0.25, exit: 0.75 }));
/// ```
pub fn segment_box<T: Real, const D: usize>(segment: &Segment<T, D>, bounds: &Aabb<T, D>) -> Option<Span<T>> {
    let (mut enter, mut exit) = (0.0_f64, 1.0_f64);
    for axis in 0..D {
        let (from, to) = (segment.from[axis].to_f64(), segment.to[axis].to_f64());
        let (low, high) = (bounds.min[axis].to_f64(), bounds.max[axis].to_f64());
        let speed = to - from;
        if !speed.is_finite() {
            return None;
        }
        if speed == 0.0 {
            if !(low <= from && from <= high) {
                return None;
            }
            continue;
        }
        let (near, far) = if speed > 0.0 { (low, high) } else { (high, low) };
        enter = enter.max((near - from) / speed);
        exit = exit.min((far - from) / speed);
    }
    (enter <= exit).then(|| Span { enter: T::nearest(enter), exit: T::nearest(exit) })
}

#[cfg(test)]
mod tests {
    use nalgebra::point;

    use super::*;

    fn segment(from: [f64; 2], to: [f64; 2]) -> Segment<f64, 2> {
        Segment::new(from.into(), to.into())
    }

    #[test]
    fn ends_that_touch_meet() {
        let corner = segment_segment(&segment([0.0, 0.0], [1.0, 0.0]), &segment([1.0, 0.0], [1.0, 5.0]));
        assert_eq!(corner, Some(Crossing::Point { point: point![1.0, 0.0], t: 1.0, u: 0.0 }));
        assert_eq!(segment_segment(&segment([0.0, 0.0], [1.0, 0.0]), &segment([1.1, 0.0], [1.1, 5.0])), None);
    }

    #[test]
    fn parallels_meet_only_on_one_line() {
        let base = segment([0.0, 0.0], [4.0, 2.0]);
        assert_eq!(segment_segment(&base, &segment([0.0, 1.0], [4.0, 3.0])), None);
        assert_eq!(segment_segment(&base, &segment([6.0, 3.0], [8.0, 4.0])), None);
        let touch = segment_segment(&base, &segment([6.0, 3.0], [4.0, 2.0]));
        assert_eq!(touch, Some(Crossing::Point { point: point![4.0, 2.0], t: 1.0, u: 1.0 }));
        let piece = segment_segment(&base, &segment([9.0, 4.5], [2.0, 1.0]));
        assert_eq!(piece, Some(Crossing::Piece(segment([2.0, 1.0], [4.0, 2.0]))));
        // One line but for rounding.
        let tenths = segment_segment(&segment([0.1, 0.3], [0.3, 0.9]), &segment([0.2, 0.6], [0.7, 2.1]));
        assert!(matches!(tenths, Some(Crossing::Piece(_))), "{tenths:?}");
    }

    #[test]
    fn a_segment_of_no_length_is_a_point() {
        let dot = |x: f64, y: f64| segment([x, y], [x, y]);
        let path = segment([0.0, 0.0], [4.0, 0.0]);
        let on = Some(Crossing::Point { point: point![1.0, 0.0], t: 0.25, u: 0.0 });
        assert_eq!(segment_segment(&path, &dot(1.0, 0.0)), on);
        assert_eq!(segment_segment(&path, &dot(1.0, 0.5)), None);
        assert_eq!(segment_segment(&path, &dot(5.0, 0.0)), None);
        assert!(segment_segment(&dot(1.0, 2.0), &dot(1.0, 2.0)).is_some());
        assert_eq!(segment_segment(&dot(1.0, 2.0), &dot(1.0, 3.0)), None);
        assert_eq!(segment_segment(&dot(1.0, 2.0), &dot(f64::NAN, 3.0)), None);
    }

    #[test]
    fn a_segment_that_ends_on_the_box_meets_it() {
        let room = Aabb::new(point![0.0, 0.0, 0.0], point![1.0, 1.0, 1.0]);
        let to = |x: f64| Segment::new(point![-1.0, 0.5, 1.0], point![x, 0.5, 1.0]);
        assert_eq!(segment_box(&to(0.0), &room), Some(Span { enter: 1.0, exit: 1.0 }));
        assert_eq!(segment_box(&to(-0.1), &room), None);
        let inside = Segment::new(point![0.5, 0.5, 0.5], point![0.5, 0.5, 0.5]);
        assert_eq!(segment_box(&inside, &room), Some(Span { enter: 0.0, exit: 1.0 }));
        let nan = Segment::new(point![0.5, f64::NAN, 0.5], point![0.5, 0.5, 0.5]);
        assert_eq!(segment_box(&nan, &room), None);
    }
}
