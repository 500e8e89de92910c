//! [`triangulate`]: cuts polygons into triangles by clipping ears.
//!
//! An *ear* is a corner whose neighbours see each other inside the polygon: the triangle of the three can be cut off,
//! and what remains is a polygon with one corner less. Every simple polygon has two ears (Meisters 1975).

use nalgebra::{Point2, Point3, Vector3};

/// Looks at corners that each corner may cost. A simple polygon needs about as many as it has reflex corners.
const LOOKS_PER_CORNER: usize = 1 << 14;

/// Cuts a polygon of `n ≥ 3` corners into `n − 2` triangles of its winding, given as indices of corners.
///
/// The polygon is seen along the normal of its plane, or of the plane that fits it best. Convex ones become a fan from
/// the first corner. Polygons that cross themselves have no right answer, but still give `n − 2` triangles; so do those
/// without area.
///
/// `None` if the corners are so many and so entangled that it would take too long.
pub(super) fn triangulate(corners: &[Point3<f64>], mut emit: impl FnMut([usize; 3])) -> Option<()> {
    let count = corners.len();
    let Some(outline) = flatten(corners) else {
        (1..count - 1).for_each(|i| emit([0, i, i + 1]));
        return Some(());
    };
    let mut ring = Ring::around(&outline);
    if (0..count).all(|tip| ring.turn(tip) > 0.0) {
        (1..count - 1).for_each(|i| emit([0, i, i + 1]));
        return Some(());
    }

    let (mut tip, mut left, mut misses) = (0, count, 0);
    let mut standard = Standard::Clear;
    let mut looks = LOOKS_PER_CORNER * count;
    while left > 3 {
        if ring.is_ear(tip, standard, &mut looks)? {
            let [previous, next] = ring.neighbours(tip);
            emit([previous, tip, next]);
            ring.remove(tip);
            left -= 1;
            (misses, standard) = (0, Standard::Clear);
            // Skipping a corner gives fatter triangles than clipping fans.
            tip = ring.neighbours(next)[1];
        } else {
            tip = ring.neighbours(tip)[1];
            misses += 1;
            if misses == left {
                (misses, standard) = (0, standard.lower());
            }
        }
    }
    let [previous, next] = ring.neighbours(tip);
    emit([previous, tip, next]);
    Some(())
}

/// The corners seen against their normal, counter-clockwise; `None` without area.
///
/// The normal is Newell's: the sum of `a × b` over all edges, twice the area in its direction. Leaving out its largest
/// coordinate keeps the others as they are, so corners on a line stay on it.
fn flatten(corners: &[Point3<f64>]) -> Option<Vec<Point2<f64>>> {
    let from_first: Vec<Vector3<f64>> = corners.iter().map(|corner| corner - corners[0]).collect();
    let normal: Vector3<f64> = from_first.windows(2).map(|edge| edge[0].cross(&edge[1])).sum();
    let axis = normal.iamax();
    if normal[axis] == 0.0 {
        return None;
    }
    let (right, up) = ((axis + 1) % 3, (axis + 2) % 3);
    let (right, up) = if normal[axis] > 0.0 { (right, up) } else { (up, right) };
    Some(from_first.iter().map(|v| Point2::new(v[right], v[up])).collect())
}

/// What a corner has to fulfil to be clipped; lowered as long as there is no such corner.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Standard {
    /// A triangle with area, and no other corner inside or on its border.
    Clear,
    /// A triangle with area, and no other corner inside.
    Touched,
    /// A triangle with area or none, whatever is inside.
    NotTurned,
    /// Anything: the polygon crosses itself.
    Any,
}

impl Standard {
    fn lower(self) -> Self {
        match self {
            Self::Clear => Self::Touched,
            Self::Touched => Self::NotTurned,
            Self::NotTurned | Self::Any => Self::Any,
        }
    }
}

/// The corners that are left, each linked to the one before and the one after.
struct Ring<'a> {
    outline: &'a [Point2<f64>],
    links: Vec<[usize; 2]>,
}

impl<'a> Ring<'a> {
    fn around(outline: &'a [Point2<f64>]) -> Self {
        let count = outline.len();
        Self { outline, links: (0..count).map(|i| [(i + count - 1) % count, (i + 1) % count]).collect() }
    }

    fn neighbours(&self, corner: usize) -> [usize; 2] {
        self.links[corner]
    }

    fn remove(&mut self, corner: usize) {
        let [previous, next] = self.links[corner];
        self.links[previous][1] = next;
        self.links[next][0] = previous;
    }

    /// Positive where the outline turns left, as it does at the corners of a convex polygon.
    fn turn(&self, corner: usize) -> f64 {
        let [previous, next] = self.links[corner].map(|i| &self.outline[i]);
        orientation(previous, &self.outline[corner], next)
    }

    /// Whether a corner may be clipped by a standard; `None` if there are no looks left.
    fn is_ear(&self, tip: usize, standard: Standard, looks: &mut usize) -> Option<bool> {
        let turn = self.turn(tip);
        *looks = looks.checked_sub(1)?;
        match standard {
            Standard::Any => return Some(true),
            Standard::NotTurned => return Some(turn >= 0.0),
            Standard::Clear | Standard::Touched if turn <= 0.0 => return Some(false),
            Standard::Clear | Standard::Touched => {}
        }
        let [previous, next] = self.links[tip];
        let ear = [previous, tip, next].map(|i| self.outline[i]);
        let mut other = self.links[next][1];
        while other != previous {
            *looks = looks.checked_sub(1)?;
            let point = &self.outline[other];
            // If any corner is inside, then so is one where the outline does not turn left.
            if is_inside(point, &ear, standard) && !ear.contains(point) && self.turn(other) <= 0.0 {
                return Some(false);
            }
            other = self.links[other][1];
        }
        Some(true)
    }
}

fn is_inside(point: &Point2<f64>, [a, b, c]: &[Point2<f64>; 3], standard: Standard) -> bool {
    let sides = [orientation(a, b, point), orientation(b, c, point), orientation(c, a, point)];
    if standard == Standard::Clear { sides.iter().all(|s| *s >= 0.0) } else { sides.iter().all(|s| *s > 0.0) }
}

/// Twice the area of a triangle, positive if it runs counter-clockwise.
fn orientation(a: &Point2<f64>, b: &Point2<f64>, c: &Point2<f64>) -> f64 {
    (b - a).perp(&(c - a))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Triangles of an outline on the plane z = x/2, all counter-clockwise, and the sum of their areas seen from above.
    fn cut(outline: &[[f64; 2]]) -> (Vec<[usize; 3]>, f64) {
        let corners: Vec<_> = outline.iter().map(|[x, y]| Point3::new(*x, *y, x / 2.0)).collect();
        let mut triangles = Vec::new();
        triangulate(&corners, |t| triangles.push(t)).expect("simple enough");
        assert_eq!(triangles.len(), outline.len() - 2);
        let seen = |t: &[usize; 3]| {
            let [a, b, c] = t.map(|i| corners[i].xy());
            orientation(&a, &b, &c) / 2.0
        };
        let area = triangles.iter().map(|t| seen(t).abs()).sum();
        (triangles, area)
    }

    fn rotations<const N: usize>(outline: [[f64; 2]; N]) -> impl Iterator<Item = Vec<[f64; 2]>> {
        (0..2 * N).map(move |i| {
            let mut turned = outline;
            turned.rotate_left(i % N);
            if i >= N {
                turned.reverse();
            }
            turned.to_vec()
        })
    }

    #[test]
    fn convex_polygons_become_a_fan() {
        let (triangles, area) = cut(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]]);
        assert_eq!((triangles, area), (vec![[0, 1, 2], [0, 2, 3]], 2.0));
    }

    #[test]
    fn concave_polygons_keep_their_area_from_every_corner_and_either_way_round() {
        for dart in rotations([[0.0, 0.0], [4.0, 0.0], [1.0, 1.0], [0.0, 4.0]]) {
            assert_eq!(cut(&dart).1, 4.0, "{dart:?}");
        }
        let comb = [[0., 0.], [5., 0.], [5., 3.], [4., 3.], [4., 1.], [3., 1.], [3., 3.], [2., 3.], [2., 1.], [0., 1.]];
        for comb in rotations(comb) {
            assert_eq!(cut(&comb).1, 9.0, "{comb:?}");
        }
    }

    #[test]
    fn corners_on_an_edge_make_no_flat_triangles() {
        for outline in rotations([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]) {
            let (triangles, area) = cut(&outline);
            assert_eq!(area, 4.0, "{outline:?}");
            for t in triangles {
                let [a, b, c] = t.map(|i| Point2::from(outline[i]));
                assert!(orientation(&a, &b, &c) != 0.0, "{outline:?}");
            }
        }
    }

    #[test]
    fn a_hole_reached_by_a_bridge_stays_open() {
        let ring = [[0., 0.], [6., 0.], [6., 6.], [0., 6.], [0., 0.], [2., 2.], [2., 4.], [4., 4.], [4., 2.], [2., 2.]];
        for ring in rotations(ring) {
            assert_eq!(cut(&ring).1, 32.0, "{ring:?}");
        }
    }

    #[test]
    fn polygons_without_a_right_answer_still_give_two_triangles_less_than_corners() {
        cut(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]);
        cut(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [1.5, 0.0]]);
        cut(&[[1.0, 1.0]; 6]);
        cut(&[[0.0, 0.0], [4.0, 0.0], [2.0, 0.0], [2.0, 3.0], [2.0, 0.0], [1.0, -1.0]]);
    }
}
