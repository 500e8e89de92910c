//! A small level with everything in it, and what must be on its picture.

use nalgebra::{Rotation3, point, vector};
use tiny_skia::Pixmap;

use super::*;

pub(super) struct Level {
    triangles: Vec<[Point3<f64>; 3]>,
    track: Vec<TrackPoint>,
    contacts: Vec<Point3<f64>>,
}

impl Level {
    pub(super) fn scene(&self) -> Scene<'_> {
        let Self { triangles, track, contacts } = self;
        Scene { triangles, up: Vector3::y(), track, contacts, title: "Courtyard" }
    }

    fn quad(&mut self, a: [f64; 3], b: [f64; 3], c: [f64; 3], d: [f64; 3]) {
        let [a, b, c, d] = [a, b, c, d].map(Point3::from);
        self.triangles.extend([[a, b, c], [a, c, d]]);
    }

    fn cuboid(&mut self, [x0, y0, z0]: [f64; 3], [x1, y1, z1]: [f64; 3]) {
        self.quad([x0, y1, z0], [x0, y1, z1], [x1, y1, z1], [x1, y1, z0]);
        self.quad([x0, y0, z0], [x1, y0, z0], [x1, y0, z1], [x0, y0, z1]);
        self.quad([x0, y0, z1], [x1, y0, z1], [x1, y1, z1], [x0, y1, z1]);
        self.quad([x1, y0, z0], [x0, y0, z0], [x0, y1, z0], [x1, y1, z0]);
        self.quad([x1, y0, z1], [x1, y0, z0], [x1, y1, z0], [x1, y1, z1]);
        self.quad([x0, y0, z0], [x0, y0, z1], [x0, y1, z1], [x0, y1, z0]);
    }

    fn walk(&mut self, to: [f64; 3], ground: Ground) {
        let to = Point3::from(to);
        let from = self.track.last().map_or(to, |point| point.feet);
        let count = ((to - from).norm() / 0.1).ceil().max(1.0);
        let feet = |i: usize| from + (to - from) * (i as f64 / count);
        self.track.extend((1..=count as usize).map(|i| TrackPoint { feet: feet(i), ground }));
    }
}

/// A floor with walls, five stairs onto a platform, a ramp, a steep slope, a column and a roof over a passage.
pub(super) fn courtyard() -> Level {
    let mut level = Level { triangles: Vec::new(), track: Vec::new(), contacts: Vec::new() };
    level.quad([-10.0, 0.0, -8.0], [-10.0, 0.0, 8.0], [10.0, 0.0, 8.0], [10.0, 0.0, -8.0]);
    level.cuboid([-10.0, 0.0, -8.3], [10.0, 2.5, -8.0]);
    level.cuboid([-10.3, 0.0, -8.3], [-10.0, 2.5, 8.0]);
    for i in 0..5 {
        let x = 1.0 + 0.6 * f64::from(i);
        level.cuboid([x, 0.0, -7.0], [x + 0.6, 0.3 * f64::from(i + 1), -3.0]);
    }
    level.cuboid([4.0, 0.0, -7.0], [8.0, 1.5, -3.0]);
    level.quad([4.0, 1.5, -3.0], [4.0, 0.0, 1.0], [6.0, 0.0, 1.0], [6.0, 1.5, -3.0]);
    level.quad([-9.0, 3.0, -8.0], [-9.0, 0.0, -6.0], [-5.0, 0.0, -6.0], [-5.0, 3.0, -8.0]);
    level.cuboid([-2.0, 0.0, -1.0], [-1.0, 2.0, 0.0]);
    level.cuboid([-7.0, 2.2, 2.0], [-2.0, 2.4, 6.0]);
    level.cuboid([-7.0, 0.0, 2.0], [-6.7, 2.2, 6.0]);
    level.walk([-9.0, 0.0, 4.0], Ground::OnGround);
    level.walk([-7.6, 0.0, 1.0], Ground::OnGround);
    level.walk([-4.0, 0.0, 4.0], Ground::OnGround);
    level.walk([-1.5, 0.0, 0.6], Ground::OnGround);
    level.contacts.extend([point![-1.6, 0.4, 0.0], point![-1.2, 0.4, 0.0], point![-1.0, 0.4, -0.2]]);
    level.walk([-0.5, 0.0, 0.4], Ground::Touching);
    level.walk([-7.0, 0.0, -5.5], Ground::OnGround);
    level.walk([-7.0, 0.9, -6.6], Ground::OnSteepGround);
    level.walk([-6.0, 0.0, -5.5], Ground::OnSteepGround);
    level.walk([0.5, 0.0, -5.0], Ground::OnGround);
    for i in 0..5 {
        let x = 1.0 + 0.6 * f64::from(i);
        level.walk([x, 0.3 * f64::from(i + 1), -5.0], Ground::OnGround);
        level.walk([x + 0.6, 0.3 * f64::from(i + 1), -5.0], Ground::OnGround);
    }
    level.walk([8.0, 1.5, -5.0], Ground::OnGround);
    level.walk([8.6, 1.1, -5.0], Ground::InAir);
    level.walk([9.0, 0.0, -5.0], Ground::InAir);
    level.walk([8.5, 0.0, 3.0], Ground::OnGround);
    level
}
