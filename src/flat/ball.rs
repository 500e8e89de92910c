//! [`Circle`] and [`Sphere`]: against their like, and against rectangles and boxes.

use nalgebra::{Point, SVector, Unit};

use super::{Cuboid, Rectangle, TurnedBox};
use crate::{
    input_error::{InputError, MAX_COORDINATE, bounded_point, positive},
    real::Real,
    shape::{Aabb, Penetration},
};

/// A disc in the plane, a ball in space.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "Unchecked<T, D>"))]
pub struct Ball<T: Real, const D: usize> {
    center: Point<T, D>,
    radius: T,
}

/// A disc in the plane.
pub type Circle<T> = Ball<T, 2>;
/// A ball in space.
pub type Sphere<T> = Ball<T, 3>;

/// The part of the surroundings of a rectangle or box in which a circle's or sphere's centre lies: the three parts of the
/// test.
///
/// ```text
///   far    far        far     far
///        ( corner |  side  | corner )
///   far  ---------+--------+---------  far
///          side   | inside |  side
///   far  ---------+--------+---------  far
///        ( corner |  side  | corner )
///   far    far        far     far
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Region {
    /// Farther out than the radius along one axis: they are apart, whatever the other axes say.
    Far,
    /// Outside along one axis at most, and there by no more than the radius: they overlap, or touch.
    Side,
    /// Outside along two axes or all three: the distance from the corner (or edge) decides.
    Corner,
}

impl<T: Real, const D: usize> Ball<T, D> {
    /// A circle or sphere, in metres.
    ///
    /// # Errors
    /// If a number is not finite or beyond [`MAX_COORDINATE`], or the radius is not above zero.
    ///
    /// ```
    /// # use nalgebra::point;
    /// use sidle::flat::Circle;
    /// assert!(Circle::new(point![1.0, 2.0], 0.5).is_ok());
    /// assert!(Circle::new(point![1.0, f64::NAN], 0.5).is_err());
    /// assert!(Circle::new(point![1.0, 2.0], 0.0).is_err());
    /// ```
    pub fn new(center: Point<T, D>, radius: T) -> Result<Self, InputError> {
        bounded_point(&center, "the centre")?;
        positive(radius, "the radius")?;
        if radius.to_f64() > MAX_COORDINATE {
            return Err(InputError::TooLarge { what: "the radius" });
        }
        Ok(Self { center, radius })
    }

    /// The middle.
    pub fn center(&self) -> Point<T, D> {
        self.center
    }

    /// The radius, in metres.
    pub fn radius(&self) -> T {
        self.radius
    }

    /// The smallest box around it.
    pub fn bounds(&self) -> Aabb<T, D> {
        Aabb { min: self.center, max: self.center }.grow(&SVector::repeat(self.radius))
    }

    /// Whether a point is inside or on the border.
    pub fn contains(&self, point: &Point<T, D>) -> bool {
        (point.map(T::to_f64) - self.center.map(T::to_f64)).norm() <= self.radius.to_f64()
    }
}

/// Whether two circles overlap, and how deep: `depth = r1 + r2 − distance`.
///
/// They do when their centres are nearer than the sum of the radii; touching is no overlap. The normal points from the
/// first centre to the second, the way in which the second has to move to be clear of the first; where both centres are
/// one point it is `(1, 0)`, and the depth is the full sum. (Ericson 2005, *Real-Time Collision Detection*, 4.3.1.)
///
/// ```
/// # use nalgebra::{point, vector};
/// use sidle::flat::{Circle, circle_circle};
/// let a = Circle::new(point![0.0, 0.0], 2.0)?;
/// let b = Circle::new(point![3.0, 0.0], 1.5)?;
/// let overlap = circle_circle(&a, &b).expect("3 is less than 3.5");
/// assert_eq!((*overlap.normal, overlap.depth), (vector![1.0, 0.0], 0.5));
/// assert_eq!(circle_circle(&a, &Circle::new(point![3.0, 0.0], 1.0)?), None); // they touch
/// # Ok::<(), sidle::InputError>(())
/// ```
pub fn circle_circle<T: Real>(first: &Circle<T>, second: &Circle<T>) -> Option<Penetration<T, 2>> {
    ball_ball(first, second)
}

/// [`circle_circle`] in space; where both centres are one point the normal is `(1, 0, 0)`.
pub fn sphere_sphere<T: Real>(first: &Sphere<T>, second: &Sphere<T>) -> Option<Penetration<T, 3>> {
    ball_ball(first, second)
}

fn ball_ball<T: Real, const D: usize>(first: &Ball<T, D>, second: &Ball<T, D>) -> Option<Penetration<T, D>> {
    let offset = second.center.map(T::to_f64) - first.center.map(T::to_f64);
    let reach = first.radius.to_f64() + second.radius.to_f64();
    let distance = offset.norm();
    if distance >= reach {
        return None;
    }
    let normal = if distance > 0.0 { offset / distance } else { unit_axis(0, 1.0) };
    Some(narrow_penetration(&normal, reach - distance))
}

/// Whether a circle overlaps a rectangle, and the way by which the circle is pushed out.
///
/// The test has three parts, in the rectangle's own frame ([`Region`]): a centre farther out than the radius on one axis
/// is clear of it; else a centre within the half extent on an axis overlaps; else the corner has to be nearer than the
/// radius. So a circle that touches a side overlaps, by a depth of zero, and one that touches a corner does not.
///
/// The normal is that of the side, or runs from the corner to the centre. A centre inside leaves by the nearest side, with
/// its whole radius; of equal ones x goes before y. In the middle it leaves towards +x.
///
/// ```
/// # use nalgebra::{point, vector};
/// use sidle::flat::{Circle, Rectangle, circle_rectangle};
/// let house = Rectangle::new(point![0.0, 0.0], vector![2.0, 1.0])?;
/// let push = circle_rectangle(&Circle::new(point![0.5, 1.25], 0.5)?, &house).expect("25 cm in the wall");
/// assert_eq!((*push.normal, push.depth), (vector![0.0, 1.0], 0.25));
/// // Near the corner the box around the circle overlaps, and the circle does not.
/// assert_eq!(circle_rectangle(&Circle::new(point![2.4, 1.4], 0.5)?, &house), None);
/// # Ok::<(), sidle::InputError>(())
/// ```
pub fn circle_rectangle<T: Real>(circle: &Circle<T>, rectangle: &Rectangle<T>) -> Option<Penetration<T, 2>> {
    ball_cuboid(circle, rectangle)
}

/// [`circle_rectangle`] in space.
///
/// The third part needs a word there: a centre outside along *one* axis at most is at a side and overlaps; outside along
/// two the edge, along three the corner has to be nearer than the radius. (Taking the flat rule word for word, "within the
/// half extent on one axis", would find spheres overlapping that are clear of an edge.) Ties go x before y before z.
pub fn sphere_box<T: Real>(sphere: &Sphere<T>, solid: &TurnedBox<T>) -> Option<Penetration<T, 3>> {
    ball_cuboid(sphere, solid)
}

/// In which part of the surroundings of a rectangle or box the centre of a circle or sphere lies.
pub fn region<T: Real, const D: usize>(ball: &Ball<T, D>, cuboid: &Cuboid<T, D>) -> Region {
    let (_, excess) = excess(ball, cuboid);
    region_of(&excess, ball.radius.to_f64())
}

fn ball_cuboid<T: Real, const D: usize>(ball: &Ball<T, D>, cuboid: &Cuboid<T, D>) -> Option<Penetration<T, D>> {
    let (offset, excess) = excess(ball, cuboid);
    let radius = ball.radius.to_f64();
    let (normal, depth) = match region_of(&excess, radius) {
        Region::Far => return None,
        Region::Side => {
            // Outside by the largest excess, or, with all of them negative, inside with the nearest side there.
            let axis = (1..D).fold(0, |best, axis| if excess[axis] > excess[best] { axis } else { best });
            (unit_axis(axis, if offset[axis] < 0.0 { -1.0 } else { 1.0 }), radius - excess[axis])
        }
        Region::Corner => {
            let out: SVector<f64, D> = SVector::from_fn(|axis, _| excess[axis].max(0.0).copysign(offset[axis]));
            let distance = out.norm();
            if distance >= radius {
                return None;
            }
            (out / distance, radius - distance)
        }
    };
    Some(narrow_penetration(&cuboid.leave(&normal), depth))
}

/// The offset of the ball's centre from the middle, and how far it is outside along each axis, both in the cuboid's frame.
fn excess<T: Real, const D: usize>(ball: &Ball<T, D>, cuboid: &Cuboid<T, D>) -> (SVector<f64, D>, SVector<f64, D>) {
    let offset = cuboid.enter(&ball.center);
    (offset, offset.abs() - cuboid.half_extents().map(T::to_f64))
}

fn region_of<const D: usize>(excess: &SVector<f64, D>, radius: f64) -> Region {
    if excess.iter().any(|x| *x > radius) {
        Region::Far
    } else if excess.iter().filter(|x| **x > 0.0).count() <= 1 {
        Region::Side
    } else {
        Region::Corner
    }
}

pub(super) fn unit_axis<const D: usize>(axis: usize, sign: f64) -> SVector<f64, D> {
    SVector::from_fn(|i, _| if i == axis { sign } else { 0.0 })
}

pub(super) fn narrow_penetration<T: Real, const D: usize>(normal: &SVector<f64, D>, depth: f64) -> Penetration<T, D> {
    Penetration { normal: Unit::new_unchecked(normal.map(T::nearest)), depth: T::nearest(depth) }
}

/// What a file holds, before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Unchecked<T: Real, const D: usize> {
    center: Point<T, D>,
    radius: T,
}

#[cfg(feature = "serde")]
impl<T: Real, const D: usize> TryFrom<Unchecked<T, D>> for Ball<T, D> {
    type Error = InputError;

    fn try_from(Unchecked { center, radius }: Unchecked<T, D>) -> Result<Self, InputError> {
        Self::new(center, radius)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{point, vector};

    use super::*;

    fn circle(x: f64, y: f64, radius: f64) -> Circle<f64> {
        Circle::new(point![x, y], radius).expect("good numbers")
    }

    fn sphere(center: [f64; 3], radius: f64) -> Sphere<f64> {
        Sphere::new(center.into(), radius).expect("good numbers")
    }

    #[test]
    fn touching_circles_and_spheres_do_not_overlap() {
        assert_eq!(circle_circle(&circle(0.0, 0.0, 1.0), &circle(3.0, 4.0, 4.0)), None);
        assert!(circle_circle(&circle(0.0, 0.0, 1.0), &circle(3.0, 4.0, 4.001)).is_some());
        assert_eq!(sphere_sphere(&sphere([0.0; 3], 1.0), &sphere([2.0, 3.0, 6.0], 6.0)), None);
        assert!(sphere_sphere(&sphere([0.0; 3], 1.0), &sphere([2.0, 3.0, 6.0], 6.001)).is_some());
    }

    #[test]
    fn one_centre_in_the_other_leaves_along_x() {
        let got = circle_circle(&circle(1.0, 1.0, 1.0), &circle(1.0, 1.0, 0.5)).expect("they overlap");
        assert_eq!((*got.normal, got.depth), (vector![1.0, 0.0], 1.5));
    }

    #[test]
    fn a_circle_touches_sides_and_not_corners() {
        let square = Rectangle::new(point![0.0, 0.0], vector![1.0, 1.0]).expect("good numbers");
        let side = circle_rectangle(&circle(3.0, 0.5, 2.0), &square).expect("touching a side counts");
        assert_eq!((*side.normal, side.depth), (vector![1.0, 0.0], 0.0));
        assert_eq!(region(&circle(3.0, 0.5, 2.0), &square), Region::Side);
        // 3, 4, 5 away from the corner.
        assert_eq!(circle_rectangle(&circle(4.0, 5.0, 5.0), &square), None);
        assert_eq!(region(&circle(4.0, 5.0, 5.0), &square), Region::Corner);
        let corner = circle_rectangle(&circle(4.0, -5.0, 6.0), &square).expect("nearer than the radius");
        assert_eq!((*corner.normal, corner.depth), (vector![0.6, -0.8], 1.0));
        assert_eq!(region(&circle(4.0, 5.0, 2.9), &square), Region::Far);
    }

    #[test]
    fn inside_the_nearest_side_is_the_exit_and_x_goes_first() {
        let flat = Rectangle::new(point![0.0, 0.0], vector![2.0, 1.0]).expect("good numbers");
        let up = circle_rectangle(&circle(0.5, -0.25, 0.5), &flat).expect("inside");
        assert_eq!((*up.normal, up.depth), (vector![0.0, -1.0], 1.25));
        let tie = circle_rectangle(&circle(-1.5, 0.5, 0.5), &flat).expect("inside");
        assert_eq!((*tie.normal, tie.depth), (vector![-1.0, 0.0], 1.0));
        let middle = Rectangle::new(point![0.0, 0.0], vector![1.0, 1.0]).expect("good numbers");
        let middle = circle_rectangle(&circle(0.0, 0.0, 0.5), &middle).expect("inside");
        assert_eq!((*middle.normal, middle.depth), (vector![1.0, 0.0], 1.5));
    }

    #[test]
    fn a_sphere_beside_an_edge_is_clear_of_the_box() {
        let cube = TurnedBox::new(point![0.0, 0.0, 0.0], vector![1.0, 1.0, 1.0]).expect("good numbers");
        let beside = sphere([0.0, 1.9, 1.9], 1.0);
        assert_eq!((sphere_box(&beside, &cube), region(&beside, &cube)), (None, Region::Corner));
        let edge = sphere_box(&sphere([0.0, 4.0, 5.0], 6.0), &cube).expect("nearer than the radius");
        assert_eq!((*edge.normal, edge.depth), (vector![0.0, 0.6, 0.8], 1.0));
        let side = sphere_box(&sphere([0.5, -2.0, 0.0], 1.0), &cube).expect("touching a side counts");
        assert_eq!((*side.normal, side.depth), (vector![0.0, -1.0, 0.0], 0.0));
    }

    #[test]
    fn a_turned_rectangle_pushes_along_its_own_axes() {
        let diamond = Rectangle::turned(point![1.0, 1.0], vector![1.0, 1.0], std::f64::consts::FRAC_PI_4);
        let push = circle_rectangle(&circle(2.0, 2.0, 0.5), &diamond.expect("good numbers")).expect("near its side");
        approx::assert_abs_diff_eq!(*push.normal, vector![1.0, 1.0].normalize(), epsilon = 1e-12);
        approx::assert_abs_diff_eq!(push.depth, 1.5 - 2.0_f64.sqrt(), epsilon = 1e-12);
    }

    #[test]
    fn the_border_of_a_circle_is_inside() {
        assert!(circle(1.0, 1.0, 5.0).contains(&point![4.0, 5.0]));
        assert!(!circle(1.0, 1.0, 5.0).contains(&point![4.0, 5.001]));
    }
}
