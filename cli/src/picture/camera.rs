//! Where a view is taken from.

use nalgebra::{Point2, Vector3};

use super::stage::{Facet, Region};

/// A camera at infinity: parallel lines stay parallel, so a scale bar holds everywhere in the view.
#[derive(Debug, Clone, Copy)]
pub(super) struct Camera {
    right: Vector3<f64>,
    upward: Vector3<f64>,
    toward: Vector3<f64>,
    /// What is in the middle of the view.
    center: Vector3<f64>,
    /// Pixels per metre.
    pub(super) scale: f64,
    pub(super) width: usize,
    pub(super) height: usize,
}

impl Camera {
    /// Looks straight down, north at the top, at the whole of `region`.
    pub(super) fn above(region: &Region, width: usize, height: usize) -> Self {
        let frame = [Vector3::x(), Vector3::y(), Vector3::z()];
        Self::fit(frame, region.corners().into_iter(), region.center(), width, height)
    }

    /// Looks down from a compass direction (radians, counter-clockwise from the east) and a height angle, at all fronts
    /// of facets that it can see and at some more places.
    pub(super) fn oblique(
        (azimuth, altitude): (f64, f64),
        facets: &[Facet],
        places: impl Iterator<Item = Vector3<f64>>,
        width: usize,
        height: usize,
    ) -> Self {
        let level = Vector3::new(azimuth.cos(), azimuth.sin(), 0.0);
        let toward = level * altitude.cos() + Vector3::z() * altitude.sin();
        let right = Vector3::new(-azimuth.sin(), azimuth.cos(), 0.0);
        let fronts = facets.iter().filter(|facet| facet.normal.dot(&toward) > 0.0);
        let seen = fronts.flat_map(|facet| facet.corners).chain(places);
        Self::fit([right, toward.cross(&right), toward], seen, Vector3::zeros(), width, height)
    }

    /// As near as it can be with all `places` in view; looks at `fallback` if there are none.
    fn fit(
        [right, upward, toward]: [Vector3<f64>; 3],
        places: impl Iterator<Item = Vector3<f64>>,
        fallback: Vector3<f64>,
        width: usize,
        height: usize,
    ) -> Self {
        /// Nothing smaller than this many metres fills a view.
        const SMALLEST_VIEW: f64 = 0.2;
        /// The part of the view that the places may take.
        const FILL: f64 = 0.95;
        let turned = places.map(|place| Vector3::new(right.dot(&place), upward.dot(&place), toward.dot(&place)));
        let seen = Region::around(turned).unwrap_or(Region { min: fallback, max: fallback });
        let (middle, size) = (seen.center(), seen.size());
        let center = right * middle.x + upward * middle.y + toward * middle.z;
        let scale = (width as f64 / size.x.max(SMALLEST_VIEW)).min(height as f64 / size.y.max(SMALLEST_VIEW)) * FILL;
        Self { right, upward, toward, center, scale, width, height }
    }

    /// The same view on a picture of another size.
    pub(super) fn resized(&self, factor: f64) -> Self {
        let resize = |length: usize| ((length as f64 * factor).round() as usize).max(1);
        Self { scale: self.scale * factor, width: resize(self.width), height: resize(self.height), ..*self }
    }

    /// Pixels from the upper left corner, and in z how near it is, in metres from the middle towards the camera.
    pub(super) fn project(&self, point: &Vector3<f64>) -> Vector3<f64> {
        let offset = point - self.center;
        Vector3::new(
            self.width as f64 / 2.0 + self.scale * self.right.dot(&offset),
            self.height as f64 / 2.0 - self.scale * self.upward.dot(&offset),
            self.toward.dot(&offset),
        )
    }

    pub(super) fn pixel(&self, point: &Vector3<f64>) -> Point2<f64> {
        self.project(point).xy().into()
    }

    /// The height (z of the stage) of what a pixel shows at a nearness.
    pub(super) fn height_at(&self, x: f64, y: f64, nearness: f64) -> f64 {
        let (right, up) = ((x - self.width as f64 / 2.0) / self.scale, (self.height as f64 / 2.0 - y) / self.scale);
        self.center.z + self.right.z * right + self.upward.z * up + self.toward.z * nearness
    }

    /// A direction as seen: x to the right, y down, z towards the camera.
    pub(super) fn turn(&self, direction: &Vector3<f64>) -> Vector3<f64> {
        Vector3::new(self.right.dot(direction), -self.upward.dot(direction), self.toward.dot(direction))
    }
}
