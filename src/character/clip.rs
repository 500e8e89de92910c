//! [`clip`]: of all motions that enter no plane, the one nearest to a wish.

use nalgebra::Vector3;

use crate::real::Length;

/// A half-space of motions: `motion · normal ≥ least`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// Unit normal, from the surface to the body.
    pub normal: Vector3<f64>,
    /// The least part of the motion along the normal, in metres: 0 for a still surface, more for one that comes nearer.
    pub least: f64,
}

impl Plane {
    /// The plane of a surface that does not move.
    pub fn still(normal: Vector3<f64>) -> Self {
        Self { normal, least: 0.0 }
    }
}

/// A motion may go into a plane by this share of the wish: rounding of the projections below.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Two planes whose normals enclose an angle with a smaller sine have no crease that could be computed.
const PARALLEL: f64 = 1e-12;

/// The motion nearest to `wish` among those that enter none of the `planes`, or `None` if there is none.
///
/// The allowed motions are an intersection of half-spaces, so the nearest is the wish itself, or lies on one plane, or
/// on the crease of two, or is the corner of three. A handful of planes makes it cheap to try all, in that order of
/// kinds; all allowed candidates of all kinds are compared, so the answer does not depend on the order of the planes
/// beyond rounding. With still planes there always is an answer: no motion at all. `None` means *crushed*.
///
/// ```
/// # use nalgebra::vector;
/// use sidle::character::{Plane, clip};
/// let wall = Plane::still(vector![-1.0, 0.0, 0.0]);
/// let floor = Plane::still(vector![0.0, 1.0, 0.0]);
/// assert_eq!(clip(&vector![3.0, -1.0, 2.0], &[wall, floor]), Some(vector![0.0, 0.0, 2.0]));
/// ```
pub fn clip(wish: &Vector3<f64>, planes: &[Plane]) -> Option<Vector3<f64>> {
    let size = wish.length() + planes.iter().fold(0.0_f64, |size, plane| size.max(plane.least.abs()));
    let enters = |motion: &Vector3<f64>| planes.iter().any(|p| p.normal.dot(motion) < p.least - ROUNDING * size);
    if !enters(wish) {
        return Some(*wish);
    }
    let mut best: Option<(f64, Vector3<f64>)> = None;
    let mut offer = |motion: Vector3<f64>| {
        let distance = (motion - wish).norm_squared();
        if best.is_none_or(|(least, _)| distance < least) && !enters(&motion) {
            best = Some((distance, motion));
        }
    };
    for (i, a) in planes.iter().enumerate() {
        offer(onto_plane(wish, a));
        for (j, b) in planes.iter().enumerate().take(i) {
            if let Some(motion) = onto_crease(wish, a, b) {
                offer(motion);
            }
            for c in &planes[..j] {
                if let Some(motion) = corner(a, b, c) {
                    offer(motion);
                }
            }
        }
    }
    // Three still planes meet in no motion at all, also where their normals are too near to one plane for `corner`.
    if planes.iter().all(|plane| plane.least <= 0.0) {
        offer(Vector3::zeros());
    }
    best.map(|(_, motion)| motion)
}

/// Projected twice: the second time takes back what the rounding of the first left along the normal, which would be an
/// approach as seen from a short remainder.
fn onto_plane(wish: &Vector3<f64>, plane: &Plane) -> Vector3<f64> {
    let once = wish - plane.normal * (plane.normal.dot(wish) - plane.least);
    once - plane.normal * (plane.normal.dot(&once) - plane.least)
}

fn onto_crease(wish: &Vector3<f64>, a: &Plane, b: &Plane) -> Option<Vector3<f64>> {
    let along = a.normal.cross(&b.normal);
    let sine = along.length();
    if sine < PARALLEL {
        return None;
    }
    let along = along / sine;
    let free = along * along.dot(wish);
    if a.least == 0.0 && b.least == 0.0 {
        return Some(free);
    }
    // The point of the crease that is nearest to rest: both conditions hold with equality.
    let cosine = a.normal.dot(&b.normal);
    let base = (a.normal * (a.least - cosine * b.least) + b.normal * (b.least - cosine * a.least)) / (sine * sine);
    Some(base + free)
}

fn corner(a: &Plane, b: &Plane, c: &Plane) -> Option<Vector3<f64>> {
    let volume = a.normal.dot(&b.normal.cross(&c.normal));
    if volume.abs() < PARALLEL {
        return None;
    }
    let sum =
        b.normal.cross(&c.normal) * a.least + c.normal.cross(&a.normal) * b.least + a.normal.cross(&b.normal) * c.least;
    Some(sum / volume)
}

#[cfg(test)]
mod tests {
    use nalgebra::vector;

    use super::*;

    #[test]
    fn opposing_planes_leave_only_the_crease() {
        let planes = [vector![0.8, 0.6, 0.0], vector![-0.8, 0.6, 0.0]].map(Plane::still);
        assert_eq!(clip(&vector![1.0, -3.0, 2.0], &planes), Some(vector![0.0, 0.0, 2.0]));
    }

    #[test]
    fn an_obtuse_corner_slides_along_the_second_plane_of_the_wish() {
        let planes = [vector![-1.0, 0.0, 0.0], vector![-0.6, 0.8, 0.0]].map(Plane::still);
        let motion = clip(&vector![1.0, 0.5, 0.0], &planes).expect("still planes");
        assert!(motion.dot(&planes[0].normal) >= 0.0 && motion.dot(&planes[1].normal) >= 0.0);
        assert_eq!(motion, vector![0.0, 0.5, 0.0]);
    }

    #[test]
    fn closing_walls_crush() {
        let closing = |x: f64| Plane { normal: vector![x, 0.0, 0.0], least: 0.1 };
        assert_eq!(clip(&vector![0.0, 0.0, 1.0], &[closing(1.0)]), Some(vector![0.1, 0.0, 1.0]));
        assert_eq!(clip(&vector![0.0, 0.0, 1.0], &[closing(1.0), closing(-1.0)]), None);
    }
}
