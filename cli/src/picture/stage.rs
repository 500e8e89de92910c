//! The scene in a frame of its own: east, north, up, from the middle of what is to be seen.
//!
//! Subtracting the middle first is what lets a level far from the origin be drawn like any other.

use nalgebra::{Point3, Vector3};

use super::{Ground, Scene};

/// A triangle as seen from its front, with its unit normal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facet {
    pub(super) corners: [Vector3<f64>; 3],
    pub(super) normal: Vector3<f64>,
}

/// A place of the track.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) feet: Vector3<f64>,
    pub(super) ground: Ground,
}

/// The scene in metres with x to the east, y to the north and z up.
///
/// East is the world's x axis, made level (its y axis where x is up); on a map it points to the right.
pub(super) struct Stage {
    pub(super) facets: Vec<Facet>,
    pub(super) track: Vec<Step>,
    pub(super) contacts: Vec<Vector3<f64>>,
    /// The world's axes in the frame of the stage.
    pub(super) world_axes: [Vector3<f64>; 3],
    /// What is to be added to a z of the stage to have the height in the world, along up.
    pub(super) height_offset: f64,
    /// The box around all facets.
    pub(super) bounds: Region,
}

/// A box of the stage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Region {
    pub(super) min: Vector3<f64>,
    pub(super) max: Vector3<f64>,
}

impl Region {
    pub(super) fn around(points: impl IntoIterator<Item = Vector3<f64>>) -> Option<Self> {
        let grow = |a: Self, b: Self| Self { min: a.min.inf(&b.min), max: a.max.sup(&b.max) };
        points.into_iter().map(|p| Self { min: p, max: p }).reduce(grow)
    }

    pub(super) fn center(&self) -> Vector3<f64> {
        self.min + self.size() / 2.0
    }

    pub(super) fn size(&self) -> Vector3<f64> {
        self.max - self.min
    }

    pub(super) fn corners(&self) -> [Vector3<f64>; 8] {
        std::array::from_fn(|i| {
            Vector3::from_fn(|axis, _| if i >> axis & 1 == 0 { self.min[axis] } else { self.max[axis] })
        })
    }

    /// The common part of two boxes; where there is none, `self` wins.
    pub(super) fn cut_to(&self, other: &Self) -> Self {
        let mut cut = *self;
        for axis in 0..3 {
            let (min, max) = (self.min[axis].max(other.min[axis]), self.max[axis].min(other.max[axis]));
            if min <= max {
                (cut.min[axis], cut.max[axis]) = (min, max);
            }
        }
        cut
    }
}

impl Stage {
    /// Moves the scene into the frame of its track, or of its triangles when there is no track.
    pub(super) fn new(scene: &Scene<'_>) -> Self {
        let up = scene.up.try_normalize(0.0).unwrap_or_else(Vector3::y);
        let axis = if up.x.abs() < 0.9 { Vector3::x() } else { Vector3::y() };
        let east = (axis - up * up.dot(&axis)).normalize();
        let north = up.cross(&east);
        let corners = || scene.triangles.iter().flatten();
        let feet = || scene.track.iter().map(|point| &point.feet);
        let middle = middle_of(feet()).or_else(|| middle_of(corners())).unwrap_or_else(Point3::origin);
        let enter = |point: &Point3<f64>| {
            let offset = point - middle;
            Vector3::new(east.dot(&offset), north.dot(&offset), up.dot(&offset))
        };

        let facets: Vec<Facet> =
            scene.triangles.iter().filter_map(|triangle| facet(triangle.each_ref().map(enter))).collect();
        let bounds = Region::around(facets.iter().flat_map(|facet| facet.corners))
            .or_else(|| Region::around(corners().chain(feet()).map(enter)))
            .unwrap_or(Region { min: Vector3::zeros(), max: Vector3::zeros() });
        Self {
            track: scene.track.iter().map(|p| Step { feet: enter(&p.feet), ground: p.ground }).collect(),
            contacts: scene.contacts.iter().map(enter).collect(),
            world_axes: [0, 1, 2].map(|i| Vector3::new(east[i], north[i], up[i])),
            height_offset: up.dot(&middle.coords),
            facets,
            bounds,
        }
    }

    /// The box around the track, if there is one.
    pub(super) fn track_region(&self) -> Option<Region> {
        Region::around(self.track.iter().map(|step| step.feet))
    }

    /// The facets inside `region`; those that stick out are cut at its sides.
    pub(super) fn facets_in(&self, region: &Region) -> Vec<Facet> {
        let mut inside = Vec::new();
        for facet in &self.facets {
            let [a, b, c] = facet.corners;
            let (min, max) = (a.inf(&b).inf(&c), a.sup(&b).sup(&c));
            if (0..3).any(|axis| max[axis] < region.min[axis] || min[axis] > region.max[axis]) {
                continue;
            }
            if (0..3).all(|axis| min[axis] >= region.min[axis] && max[axis] <= region.max[axis]) {
                inside.push(*facet);
                continue;
            }
            let cut = clip(facet, region);
            let fans = (2..cut.len()).map(|i| Facet { corners: [cut[0], cut[i - 1], cut[i]], normal: facet.normal });
            inside.extend(fans);
        }
        inside
    }
}

fn middle_of<'a>(points: impl Iterator<Item = &'a Point3<f64>>) -> Option<Point3<f64>> {
    Region::around(points.map(|point| point.coords)).map(|region| Point3::from(region.center()))
}

/// `None` for a triangle without area, which shows from nowhere.
fn facet(corners: [Vector3<f64>; 3]) -> Option<Facet> {
    let [a, b, c] = corners;
    let normal = (b - a).cross(&(c - a)).try_normalize(0.0)?;
    normal.iter().all(|x| x.is_finite()).then_some(Facet { corners, normal })
}

/// Sutherland and Hodgman (1974): cuts a polygon by one side of the box after another.
fn clip(facet: &Facet, region: &Region) -> Vec<Vector3<f64>> {
    let mut polygon = facet.corners.to_vec();
    for axis in 0..3 {
        for (sign, limit) in [(1.0, region.max[axis]), (-1.0, -region.min[axis])] {
            let excess = |p: &Vector3<f64>| sign * p[axis] - limit;
            let mut kept = Vec::with_capacity(polygon.len() + 1);
            for (i, to) in polygon.iter().enumerate() {
                let from = &polygon[(i + polygon.len() - 1) % polygon.len()];
                let (before, after) = (excess(from), excess(to));
                if (before > 0.0) != (after > 0.0) {
                    kept.push(from + (to - from) * (before / (before - after)));
                }
                if after <= 0.0 {
                    kept.push(*to);
                }
            }
            polygon = kept;
        }
    }
    polygon
}
