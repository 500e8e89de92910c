//! Triangles to pixels: which facet each pixel shows and how near it is.

use super::{camera::Camera, stage::Facet};

/// Marks a pixel that shows nothing.
pub(super) const NOTHING: u32 = u32::MAX;

/// A picture of facets, not yet of colours.
pub(super) struct Surface {
    pub(super) width: usize,
    pub(super) height: usize,
    /// The index of the facet that a pixel shows, or [`NOTHING`].
    pub(super) facet: Vec<u32>,
    /// How near it is, in metres towards the camera; minus infinity where there is nothing.
    pub(super) nearness: Vec<f32>,
}

impl Surface {
    /// Draws the fronts of all facets; of two at the same distance the first one stays.
    ///
    /// Backs are left out: from above this opens the rooms of a level whose ceilings look down into them.
    pub(super) fn new(facets: &[Facet], camera: &Camera) -> Self {
        let (width, height) = (camera.width, camera.height);
        let mut surface = Self {
            width,
            height,
            facet: vec![NOTHING; width * height],
            nearness: vec![f32::NEG_INFINITY; width * height],
        };
        for (index, facet) in (0..).zip(facets) {
            surface.draw(index, facet, camera);
        }
        surface
    }

    /// Whether a place (as [`Camera::project`] gives it) is hidden by something that is nearer by more than `slack`.
    pub(super) fn hides(&self, x: f64, y: f64, nearness: f64, slack: f64) -> bool {
        let is_inside = x >= 0.0 && y >= 0.0 && x < self.width as f64 && y < self.height as f64;
        is_inside && f64::from(self.nearness[y as usize * self.width + x as usize]) > nearness + slack
    }

    /// Fills the pixels whose middle is inside, row by row.
    fn draw(&mut self, index: u32, facet: &Facet, camera: &Camera) {
        let [a, b, c] = facet.corners.each_ref().map(|corner| camera.project(corner));
        // Twice the area, from two edges. Rows run down, so a front has its corners clockwise here.
        let (ab, ac) = (b - a, c - a);
        let area = ab.y * ac.x - ab.x * ac.y;
        if area <= 0.0 || area.is_nan() {
            return;
        }
        let rows = pixels(a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y), self.height);
        // The nearness is linear: its change per column and per row.
        let per_column = (ab.y * ac.z - ac.y * ab.z) / area;
        let per_row = (ac.x * ab.z - ab.x * ac.z) / area;
        // On a sliver these are huge, and half a pixel beyond its border is far beyond its corners.
        let (far, near) = (a.z.min(b.z).min(c.z), a.z.max(b.z).max(c.z));
        for row in rows {
            let y = row as f64 + 0.5;
            let (mut left, mut right) = (f64::INFINITY, f64::NEG_INFINITY);
            for (from, to) in [(a, b), (b, c), (c, a)] {
                if (from.y <= y) != (to.y <= y) {
                    // Always from the top, so that both facets at an edge round it to the same place.
                    let (from, to) = if from.y < to.y { (from, to) } else { (to, from) };
                    let x = from.x + (to.x - from.x) * ((y - from.y) / (to.y - from.y));
                    (left, right) = (left.min(x), right.max(x));
                }
            }
            let start = a.z + per_row * (y - a.y) - per_column * a.x;
            for column in pixels(left, right, self.width) {
                let nearness = (start + per_column * (column as f64 + 0.5)).clamp(far, near) as f32;
                let pixel = row * self.width + column;
                if nearness > self.nearness[pixel] {
                    (self.nearness[pixel], self.facet[pixel]) = (nearness, index);
                }
            }
        }
    }
}

/// The pixels whose middle is in `from..to`.
fn pixels(from: f64, to: f64, count: usize) -> std::ops::Range<usize> {
    // A cast of a negative number or of NaN gives zero, one of a huge number the largest.
    let (first, end) = ((from - 0.5).ceil() as usize, (to - 0.5).ceil() as usize);
    first.min(count)..end.min(count)
}

#[cfg(test)]
mod tests {
    use nalgebra::{Vector3, vector};

    use super::*;
    use crate::picture::stage::Region;

    fn square(height: f64) -> [Facet; 2] {
        let at = |x, y| vector![x, y, height];
        let normal = Vector3::z();
        [
            Facet { corners: [at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0)], normal },
            Facet { corners: [at(-1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)], normal },
        ]
    }

    #[test]
    fn neighbours_share_no_pixel_and_leave_no_gap() {
        let region = Region { min: vector![-1.0, -1.0, -1.0], max: vector![1.0, 1.0, 1.0] };
        let camera = Camera::above(&region, 200, 200);
        let both = Surface::new(&square(0.5), &camera);
        let count = |surface: &Surface| surface.facet.iter().filter(|facet| **facet != NOTHING).count();
        let apart: usize = square(0.5).iter().map(|facet| count(&Surface::new(&[*facet], &camera))).sum();
        assert_eq!((count(&both), apart), (190 * 190, 190 * 190));
        assert_eq!(both.nearness[100 * 200 + 100], 0.5);
    }

    #[test]
    fn the_nearer_facet_shows_and_backs_do_not() {
        let region = Region { min: vector![-1.0, -1.0, -1.0], max: vector![1.0, 1.0, 1.0] };
        let camera = Camera::above(&region, 10, 10);
        let [low, _] = square(-0.5);
        let [high, _] = square(0.5);
        assert_eq!(Surface::new(&[low, high], &camera).facet[5 * 10 + 8], 1);
        assert_eq!(Surface::new(&[high, low], &camera).facet[5 * 10 + 8], 0);
        let [a, b, c] = high.corners;
        let back = Facet { corners: [a, c, b], normal: -high.normal };
        assert_eq!(Surface::new(&[back, low], &camera).facet[5 * 10 + 8], 1);
    }
}
