//! [`ConvexPolygon`]: separating axes, the minimum translation that parts two, points and rays.

use nalgebra::{Point2, Vector2};

use super::ball::narrow_penetration;
use crate::{
    input_error::{InputError, bounded_point},
    real::Real,
    shape::{Aabb2, Penetration, Ray2, SlabHit},
};

/// A convex polygon in the plane, its vertices counter-clockwise.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Vec<Point2<T>>", into = "Vec<Point2<T>>"))]
pub struct ConvexPolygon<T: Real> {
    vertices: Vec<Point2<T>>,
    centroid: Point2<f64>,
    area: f64,
}

/// Why some points are no convex polygon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolygonError {
    /// A coordinate is not finite or too large.
    #[error("vertex {vertex}: {error}")]
    Input {
        /// Index of the vertex.
        vertex: usize,
        /// What is wrong with it.
        #[source]
        error: InputError,
    },
    /// A polygon needs three vertices.
    #[error("a polygon needs at least three vertices, not {count}")]
    TooFewVertices {
        /// How many there are.
        count: usize,
    },
    /// A vertex lies where the one before it lies.
    #[error("vertex {vertex} lies where the one before it lies")]
    RepeatedVertex {
        /// Index of the vertex.
        vertex: usize,
    },
    /// The border turns to the right at a vertex, or back on itself.
    #[error("the border turns inwards at vertex {vertex}")]
    NotConvex {
        /// Index of the vertex.
        vertex: usize,
    },
    /// The vertices run clockwise; in reverse order they would do.
    #[error("the vertices run clockwise; reverse them")]
    Clockwise,
    /// The border turns to the left everywhere, but goes around more than once, as that of a star does.
    #[error("the border goes around more than once")]
    SelfIntersecting,
    /// All vertices lie on one line.
    #[error("the polygon has no area")]
    NoArea,
}

impl<T: Real> ConvexPolygon<T> {
    /// A polygon from its vertices, counter-clockwise. Vertices within an edge are allowed.
    ///
    /// Convex is what turns to the left at every vertex, within the rounding of the test itself (a few units of `f64`),
    /// and goes around once.
    ///
    /// # Errors
    /// If a number is not finite or too large, or the vertices are no convex, counter-clockwise polygon with an area.
    ///
    /// ```
    /// # use nalgebra::point;
    /// use sidle::flat::{ConvexPolygon, PolygonError};
    /// let [a, b, c] = [point![0.0, 0.0], point![2.0, 0.0], point![0.0, 1.0]];
    /// assert_eq!(ConvexPolygon::new(vec![a, b, c])?.area(), 1.0);
    /// assert_eq!(ConvexPolygon::new(vec![c, b, a]), Err(PolygonError::Clockwise));
    /// # Ok::<(), PolygonError>(())
    /// ```
    pub fn new(vertices: Vec<Point2<T>>) -> Result<Self, PolygonError> {
        for (vertex, point) in vertices.iter().enumerate() {
            bounded_point(point, "a coordinate").map_err(|error| PolygonError::Input { vertex, error })?;
        }
        let count = vertices.len();
        if count < 3 {
            return Err(PolygonError::TooFewVertices { count });
        }
        let mut polygon = Self { vertices, centroid: Point2::origin(), area: 0.0 };
        if let Some(edge) = (0..count).find(|edge| polygon.edge(*edge) == Vector2::zeros()) {
            return Err(PolygonError::RepeatedVertex { vertex: (edge + 1) % count });
        }
        (polygon.area, polygon.centroid) = polygon.area_and_centroid();
        let turns_inwards = (0..count).find(|vertex| {
            let (before, after) = (polygon.edge((vertex + count - 1) % count), polygon.edge(*vertex));
            let turn = turn(&before, &after);
            turn < 0.0 || turn == 0.0 && before.dot(&after) < 0.0
        });
        if let Some(vertex) = turns_inwards {
            let is_line = (1..count).all(|i| turn(&polygon.edge(0), &(polygon.wide(i) - polygon.wide(0))) == 0.0);
            return Err(match () {
                () if is_line => PolygonError::NoArea,
                () if polygon.area < 0.0 && polygon.is_convex_reversed() => PolygonError::Clockwise,
                () => PolygonError::NotConvex { vertex },
            });
        }
        // A border that goes around once turns from downwards to upwards once.
        let goes_up = |edge: usize| {
            let edge = polygon.edge(edge);
            edge.y > 0.0 || edge.y == 0.0 && edge.x > 0.0
        };
        let turns_up = (0..count).filter(|edge| goes_up((edge + 1) % count) && !goes_up(*edge)).count();
        if turns_up != 1 {
            return Err(PolygonError::SelfIntersecting);
        }
        if polygon.area > 0.0 { Ok(polygon) } else { Err(PolygonError::NoArea) }
    }

    /// The vertices, counter-clockwise.
    pub fn vertices(&self) -> &[Point2<T>] {
        &self.vertices
    }

    /// The centre of its area.
    pub fn centroid(&self) -> Point2<T> {
        self.centroid.map(T::nearest)
    }

    /// The area, in square metres.
    pub fn area(&self) -> T {
        T::nearest(self.area)
    }

    /// The smallest box around it.
    pub fn bounds(&self) -> Aabb2<T> {
        Aabb2::around(self.vertices.iter().copied())
    }

    /// The same polygon somewhere else.
    ///
    /// # Errors
    /// If it would be beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE), or so far away that rounding takes its shape.
    pub fn moved(&self, by: Vector2<T>) -> Result<Self, PolygonError> {
        Self::new(self.vertices.iter().map(|vertex| vertex + by).collect())
    }

    /// Whether a point is inside or on the border.
    pub fn contains(&self, point: &Point2<T>) -> bool {
        let point = point.map(T::to_f64);
        (0..self.vertices.len()).all(|i| {
            let (edge, out) = (self.edge(i), point - self.wide(i));
            turn(&edge, &out) >= 0.0
        })
    }

    /// Where a ray goes through the polygon; the border counts, a polygon behind the ray is no hit.
    ///
    /// Each edge cuts the ray to the part on its inner side. (Cyrus and Beck 1978, *Generalized two- and
    /// three-dimensional clipping*.) The normal is the outward one of the edge through which the ray enters, rounded to
    /// unit length; `None` if the ray starts inside. A vertex that the ray only grazes counts within rounding.
    ///
    /// ```
    /// # use nalgebra::{point, vector};
    /// # use sidle::Ray2;
    /// use sidle::flat::ConvexPolygon;
    /// let hill = ConvexPolygon::new(vec![point![0.0, 0.0], point![4.0, 0.0], point![2.0, 2.0]])?;
    /// let hit = hill.cast_ray(&Ray2::new(point![-1.0, 1.0], vector![1.0, 0.0])?).expect("at half height");
    /// assert_eq!((hit.enter, hit.exit), (2.0, 4.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast_ray(&self, ray: &Ray2<T>) -> Option<SlabHit<T, 2>> {
        let (enter, exit, normal) = self.cast_f64(&ray.origin().map(T::to_f64), &ray.direction().map(T::to_f64))?;
        let normal = normal.map(|normal| normal.map(T::nearest));
        Some(SlabHit { enter: T::nearest(enter), exit: T::nearest(exit), normal })
    }

    /// The body of [`ConvexPolygon::cast_ray`].
    pub(crate) fn cast_f64(
        &self,
        origin: &Point2<f64>,
        direction: &Vector2<f64>,
    ) -> Option<(f64, f64, Option<Vector2<f64>>)> {
        let (mut enter, mut exit, mut entered) = (f64::NEG_INFINITY, f64::INFINITY, None);
        let mut starts_inside = true;
        for i in 0..self.vertices.len() {
            let outwards = outwards(&self.edge(i));
            let height = outwards.dot(&(self.wide(i) - origin)); // how far the origin is below the edge's line
            let speed = outwards.dot(direction);
            starts_inside &= height > 0.0;
            if speed == 0.0 {
                if height < 0.0 {
                    return None;
                }
            } else if speed < 0.0 {
                if height / speed > enter {
                    (enter, entered) = (height / speed, Some(outwards));
                }
            } else {
                exit = exit.min(height / speed);
            }
        }
        if enter > exit || exit < 0.0 {
            return None;
        }
        let normal = entered.filter(|_| !starts_inside && enter >= 0.0).map(|outwards| outwards.normalize());
        Some((enter.max(0.0), exit, normal))
    }

    pub(crate) fn wide(&self, vertex: usize) -> Point2<f64> {
        self.vertices[vertex].map(T::to_f64)
    }

    /// From vertex `edge` to the next.
    pub(crate) fn edge(&self, edge: usize) -> Vector2<f64> {
        self.wide((edge + 1) % self.vertices.len()) - self.wide(edge)
    }

    /// By triangles from the first vertex, so that a polygon far from the origin loses nothing.
    fn area_and_centroid(&self) -> (f64, Point2<f64>) {
        let origin = self.wide(0);
        let (mut twice, mut weighted) = (0.0, Vector2::zeros());
        for i in 1..self.vertices.len() - 1 {
            let (a, b) = (self.wide(i) - origin, self.wide(i + 1) - origin);
            twice += a.perp(&b);
            weighted += (a + b) * (a.perp(&b) / 3.0);
        }
        (twice / 2.0, if twice == 0.0 { origin } else { origin + weighted / twice })
    }

    fn is_convex_reversed(&self) -> bool {
        let count = self.vertices.len();
        (0..count).all(|vertex| turn(&self.edge((vertex + count - 1) % count), &self.edge(vertex)) <= 0.0)
    }

    /// From where to where the polygon reaches along an axis of any length, seen from `origin`.
    fn interval(&self, axis: &Vector2<f64>, origin: &Point2<f64>) -> (f64, f64) {
        self.vertices.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), vertex| {
            let height = axis.dot(&(vertex.map(T::to_f64) - origin));
            (low.min(height), high.max(height))
        })
    }
}

impl<T: Real> TryFrom<Vec<Point2<T>>> for ConvexPolygon<T> {
    type Error = PolygonError;

    fn try_from(vertices: Vec<Point2<T>>) -> Result<Self, PolygonError> {
        Self::new(vertices)
    }
}

impl<T: Real> From<ConvexPolygon<T>> for Vec<Point2<T>> {
    fn from(polygon: ConvexPolygon<T>) -> Self {
        polygon.vertices
    }
}

/// Twice the area that two vectors span, positive where the second is to the left of the first; zero within its rounding.
fn turn(first: &Vector2<f64>, second: &Vector2<f64>) -> f64 {
    let (left, right) = (first.x * second.y, first.y * second.x);
    let turn = left - right;
    if turn.abs() <= 2.0 * f64::EPSILON * (left.abs() + right.abs()) { 0.0 } else { turn }
}

/// The normal of a counter-clockwise edge on its outer side, as long as the edge.
fn outwards(edge: &Vector2<f64>) -> Vector2<f64> {
    Vector2::new(edge.y, 0.0 - edge.x) // and no -0, which would be shown
}

/// Whether two convex polygons overlap: the axis of least overlap of their projections, and that overlap.
///
/// Two convex polygons are apart exactly if their projections on the normal of some edge of either are. (Gottschalk,
/// Lin and Manocha 1996; the theorem is Minkowski's.) Touching is no overlap. The normal is the axis on which the
/// projections overlap least, turned from the centre of the first's area to that of the second's; of equal ones the first
/// counts, the first polygon's edges before the second's.
///
/// Where one projection contains the other, moving by this depth does *not* part the polygons, as the shape inside has
/// farther to go: [`minimum_translation`] tells how to part them.
///
/// ```
/// # use nalgebra::{point, vector};
/// use sidle::flat::{ConvexPolygon, polygon_polygon};
/// let square = ConvexPolygon::new(vec![point![-1.0, -1.0], point![1.0, -1.0], point![1.0, 1.0], point![-1.0, 1.0]])?;
/// let overlap = polygon_polygon(&square, &square.moved(vector![1.5, 0.5])?).expect("they overlap");
/// assert_eq!((*overlap.normal, overlap.depth), (vector![1.0, 0.0], 0.5));
/// assert_eq!(polygon_polygon(&square, &square.moved(vector![2.0, 0.5])?), None); // they touch
/// # Ok::<(), sidle::flat::PolygonError>(())
/// ```
pub fn polygon_polygon<T: Real>(a: &ConvexPolygon<T>, b: &ConvexPolygon<T>) -> Option<Penetration<T, 2>> {
    let (normal, depth) = least(a, b, |apart| {
        (apart.ahead.min(apart.back).min(apart.length_a).min(apart.length_b), apart.centroid_side)
    })?;
    Some(narrow_penetration(&normal, depth))
}

/// The shortest move of the second polygon that parts it from the first, or `None` where they do not overlap.
///
/// On each axis of [`polygon_polygon`] the second can leave ahead or back; the shortest of all these exits parts them,
/// with touching as the limit, and no move in any direction is shorter: the exits are the distances of the origin from the
/// sides of the Minkowski difference. (Cameron and Culley 1986, *Determining the minimum translational distance between
/// two convex polyhedra*.) Of equal exits that from the first centre to the second goes first.
///
/// ```
/// # use nalgebra::{point, vector};
/// use sidle::flat::{ConvexPolygon, minimum_translation, polygon_polygon};
/// let wall = ConvexPolygon::new(vec![point![-9.0, -1.0], point![9.0, -1.0], point![9.0, 1.0], point![-9.0, 1.0]])?;
/// let inside = [point![0.0, 0.25], point![0.5, 0.25], point![0.5, 0.75], point![0.0, 0.75]];
/// let inside = ConvexPolygon::new(inside.to_vec())?;
/// assert_eq!(polygon_polygon(&wall, &inside).map(|overlap| overlap.depth), Some(0.5)); // does not get it out
/// let exit = minimum_translation(&wall, &inside).expect("they overlap");
/// assert_eq!((*exit.normal, exit.depth), (vector![0.0, 1.0], 0.75));
/// # Ok::<(), sidle::flat::PolygonError>(())
/// ```
pub fn minimum_translation<T: Real>(a: &ConvexPolygon<T>, b: &ConvexPolygon<T>) -> Option<Penetration<T, 2>> {
    let (normal, depth) = least(a, b, |apart| {
        if apart.ahead < apart.back || apart.ahead == apart.back && apart.centroid_side > 0.0 {
            (apart.ahead, 1.0)
        } else {
            (apart.back, -1.0)
        }
    })?;
    Some(narrow_penetration(&normal, depth))
}

/// Two projections on an axis, which overlap.
struct Projections {
    /// How far `b` has to go along the axis to be clear of `a`, in metres.
    ahead: f64,
    /// How far it has to go against it.
    back: f64,
    length_a: f64,
    length_b: f64,
    /// 1 if the centroid of `b` is ahead of that of `a`, else -1.
    centroid_side: f64,
}

/// Over all edge normals: the one whose `cost` is least, with that cost, times the sign that belongs to it; `None` if one
/// of them separates.
fn least<T: Real>(
    a: &ConvexPolygon<T>,
    b: &ConvexPolygon<T>,
    cost: impl Fn(&Projections) -> (f64, f64),
) -> Option<(Vector2<f64>, f64)> {
    let origin = a.wide(0);
    let between = b.centroid - a.centroid;
    let mut best: Option<(Vector2<f64>, f64)> = None;
    for edge in (0..a.vertices.len()).map(|i| a.edge(i)).chain((0..b.vertices.len()).map(|i| b.edge(i))) {
        // Not of unit length, so that polygons on a grid are judged without rounding.
        let axis = outwards(&edge);
        let ((low_a, high_a), (low_b, high_b)) = (a.interval(&axis, &origin), b.interval(&axis, &origin));
        if !(low_a < high_b && low_b < high_a) {
            return None;
        }
        let length = axis.norm();
        let (cost, sign) = cost(&Projections {
            ahead: (high_a - low_b) / length,
            back: (high_b - low_a) / length,
            length_a: (high_a - low_a) / length,
            length_b: (high_b - low_b) / length,
            centroid_side: if axis.dot(&between) < 0.0 { -1.0 } else { 1.0 },
        });
        if best.is_none_or(|(_, least)| cost < least) {
            best = Some(((axis * (sign / length)).add_scalar(0.0), cost));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use nalgebra::{point, vector};

    use super::*;

    fn polygon(points: &[[f64; 2]]) -> Result<ConvexPolygon<f64>, PolygonError> {
        ConvexPolygon::new(points.iter().map(|p| Point2::from(*p)).collect())
    }

    fn square() -> ConvexPolygon<f64> {
        polygon(&[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]).expect("a square")
    }

    #[test]
    fn what_is_no_convex_polygon_is_refused() {
        assert_eq!(polygon(&[[0.0, 0.0], [1.0, 0.0]]), Err(PolygonError::TooFewVertices { count: 2 }));
        assert_eq!(polygon(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), Err(PolygonError::NoArea));
        assert_eq!(polygon(&[[0.0, 0.0]; 3]), Err(PolygonError::RepeatedVertex { vertex: 1 }));
        let twice = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        assert_eq!(polygon(&twice), Err(PolygonError::RepeatedVertex { vertex: 2 }));
        assert_eq!(polygon(&[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), Err(PolygonError::Clockwise));
        let dent = [[0.0, 0.0], [2.0, 0.0], [1.0, 0.5], [1.0, 2.0]];
        assert_eq!(polygon(&dent), Err(PolygonError::NotConvex { vertex: 2 }));
        let spike = [[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 2.0]];
        assert_eq!(polygon(&spike), Err(PolygonError::NotConvex { vertex: 1 }));
        // A pentagram turns left at every corner.
        let star = [0, 2, 4, 1, 3].map(|i| {
            let angle = f64::from(i) * std::f64::consts::TAU / 5.0;
            [libm::cos(angle), libm::sin(angle)]
        });
        assert_eq!(polygon(&star), Err(PolygonError::SelfIntersecting));
        assert!(matches!(
            polygon(&[[0.0, 0.0], [f64::INFINITY, 0.0], [0.0, 1.0]]),
            Err(PolygonError::Input { vertex: 1, error: InputError::NotFinite { .. } })
        ));
    }

    #[test]
    fn a_vertex_within_an_edge_is_allowed() {
        let house = polygon(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]).expect("convex");
        assert_eq!((house.area(), house.centroid()), (4.0, point![1.0, 1.0]));
        // These three lie on one line but for rounding.
        assert!(polygon(&[[0.0, 0.0], [0.1, 0.3], [0.2, 0.6], [0.3, 0.9], [-5.0, 1.0]]).is_ok());
    }

    #[test]
    fn touching_polygons_do_not_overlap() {
        for by in [vector![2.0, 0.0], vector![0.0, -2.0], vector![2.0, 2.0], vector![-2.0, 1.0]] {
            let other = square().moved(by).expect("finite");
            assert_eq!(polygon_polygon(&square(), &other), None);
            assert_eq!(minimum_translation(&square(), &other), None);
        }
    }

    #[test]
    fn the_axis_runs_from_the_first_to_the_second() {
        for (by, axis) in [
            (vector![1.5, 0.5], vector![1.0, 0.0]),
            (vector![-1.5, 0.5], vector![-1.0, 0.0]),
            (vector![0.5, -1.5], vector![0.0, -1.0]),
        ] {
            let other = square().moved(by).expect("finite");
            for found in [polygon_polygon(&square(), &other), minimum_translation(&square(), &other)] {
                let found = found.expect("they overlap");
                assert_eq!((*found.normal, found.depth), (axis, 0.5));
            }
        }
    }

    #[test]
    fn the_border_is_inside() {
        let square = square();
        assert!(square.contains(&point![1.0, 0.5]) && square.contains(&point![-1.0, -1.0]));
        assert!(!square.contains(&point![1.0, 1.000_001]));
    }

    #[test]
    fn a_ray_from_inside_leaves_and_one_that_looks_away_misses() {
        let ray = |x: f64, y: f64| Ray2::new(point![x, y], vector![1.0, 0.0]).expect("finite");
        let inside = square().cast_ray(&ray(0.0, 0.0)).expect("inside");
        assert_eq!(inside, SlabHit { enter: 0.0, exit: 1.0, normal: None });
        assert_eq!(square().cast_ray(&ray(1.5, 0.0)), None);
        let along = square().cast_ray(&ray(-3.0, 1.0)).expect("along the upper side");
        assert_eq!((along.enter, along.normal), (2.0, Some(vector![-1.0, 0.0])));
    }
}
