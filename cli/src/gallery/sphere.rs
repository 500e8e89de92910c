//! The swept sphere: its plane, the features of a triangle, and why all triangles have to be asked.

use anyhow::{Context, Result};
use nalgebra::{Point3, Vector3};
use sidle::{Contact, Ellipsoid, Feature, Sweep, Triangle, sweep::sweep_triangle};

use super::{
    figure::{BLUE, Figure, GREEN, ORANGE, Panel, RED, STONE},
    note,
};
use crate::picture::{
    canvas::Pen,
    palette::{INK, Rgb},
    text::{Align, Lettering},
};

/// The signed distance from a plane, and the two times between which the sphere meets it.
pub(super) fn plane(lettering: &Lettering, numbers: &mut String) -> Result<Vec<u8>> {
    let (start, motion) = ([-3.5, 2.6], [7.0, -4.4]);
    let (height, speed) = (start[1], motion[1]);
    let times = [(1.0 - height) / speed, (-1.0 - height) / speed];
    note(numbers, "plane_t0", format!("{:.6}", times[0]));
    note(numbers, "plane_t1", format!("{:.6}", times[1]));

    let words = "s is the height of the centre over the plane, w the part of the motion along the normal: t0 = (1 - s) / w, t1 = (-1 - s) / w.";
    let mut figure = Figure::new(1180, 860, "A unit sphere meets a plane between two times", words, lettering)?;
    let panel = figure.panel(0, 1, [-5.4, -3.4], [5.6, 4.0]);
    figure.line(&panel, &[[-5.3, 0.0], [5.5, 0.0]], Pen::solid(STONE.color(), 5.0));
    figure.label(&panel, "the triangle's plane", [-4.2, 0.0], [0.0, 22.0], (STONE, Align::Middle));
    figure.arrow(&panel, [4.6, 0.0], [4.6, 1.0], STONE, 3.0);
    figure.label(&panel, "normal n", [4.6, 1.0], [0.0, -16.0], (STONE, Align::Middle));

    let at = |t: f64| [start[0] + motion[0] * t, start[1] + motion[1] * t];
    figure.arrow(&panel, start, at(1.0), INK, 2.0);
    figure.label(&panel, "the motion v, t = 1", at(1.0), [12.0, 16.0], (INK, Align::Middle));
    figure.circle(&panel, start, 1.0, BLUE, 0.12, false);
    figure.line(&panel, &[start, [start[0], 0.0]], Pen { color: BLUE.color(), width: 2.0, dashed: true });
    figure.label(&panel, &format!("s = {height}"), [start[0], 0.9], [-8.0, 0.0], (BLUE, Align::End));
    figure.label(&panel, "t = 0", start, [0.0, -24.0], (BLUE, Align::Middle));

    let names = [
        (times[0], GREEN, "t0", "first touch: the foot is on the plane", [at(times[0])[0], 0.0]),
        (times[1], ORANGE, "t1", "last touch", [at(times[1])[0], 0.0]),
    ];
    for (t, color, name, words, foot) in names {
        figure.circle(&panel, at(t), 1.0, color, 0.14, false);
        figure.dot(&panel, at(t), color);
        figure.dot(&panel, foot, color);
        let above = if t == times[0] { -1.0 } else { 1.0 };
        let shift = [26.0, above * (panel.scale + 18.0)];
        figure.label(&panel, &format!("{name} = {t:.3}: {words}"), at(t), shift, (color, Align::Middle));
    }
    figure.notes(
        &panel,
        &["s \u{2265} 1 and w < 0: it comes from clear space", "between t0 and t1 edges and vertices can be met, too"],
    );
    figure.png()
}

/// Looks at space from a corner, without perspective: a sphere stays a circle.
struct View {
    right: Vector3<f64>,
    upward: Vector3<f64>,
}

impl View {
    fn from_corner() -> Self {
        let toward = Vector3::new(0.45, 0.62, 1.0).normalize();
        let right = Vector3::y().cross(&toward).normalize();
        Self { right, upward: toward.cross(&right) }
    }

    fn see(&self, point: &Point3<f64>) -> [f64; 2] {
        [self.right.dot(&point.coords), self.upward.dot(&point.coords)]
    }
}

fn touch(start: Point3<f64>, motion: Vector3<f64>, triangle: &Triangle<f64>) -> Result<Option<Contact<f64>>> {
    Ok(sweep_triangle(&Sweep::new(&Ellipsoid::sphere(1.0)?, start, motion)?, triangle))
}

/// One sphere each that meets the inside, a vertex and an edge of a triangle.
pub(super) fn features(lettering: &Lettering, numbers: &mut String) -> Result<Vec<u8>> {
    let triangle = Triangle::new(Point3::new(-2.0, 0.0, 1.6), Point3::new(2.2, 0.0, 1.4), Point3::new(0.2, 0.0, -2.2));
    let cases = [
        ("inside", Point3::new(-0.9, 3.0, 0.2), Vector3::new(1.0, -3.2, 0.3), GREEN),
        ("vertex", Point3::new(3.7, 2.4, 2.4), Vector3::new(-1.6, -2.9, -0.8), RED),
        ("edge", Point3::new(0.0, 2.6, 4.0), Vector3::new(0.2, -3.0, -2.2), ORANGE),
    ];
    let words = "The sphere touches first with the foot of its centre on the plane, if that is inside; else on a vertex or an edge.";
    let mut figure = Figure::new(1440, 640, "Where a sphere touches a triangle", words, lettering)?;
    let view = View::from_corner();
    for (i, (name, start, motion, color)) in cases.into_iter().enumerate() {
        let contact = touch(start, motion, &triangle)?.context("it is hit")?;
        let panel = figure.panel(i, 3, [-3.2, -3.1], [3.6, 4.6]);
        let seen = triangle.vertices().map(|vertex| view.see(&vertex));
        figure.shape(&panel, &seen, BLUE, 0.22);
        figure.circle(&panel, view.see(&start), 1.0, STONE, 0.05, true);
        figure.label(&panel, "start", view.see(&start), [0.0, -20.0], (STONE, Align::Middle));
        let center = start + motion * contact.fraction;
        let end = start + motion;
        let rest = [view.see(&center), view.see(&end)];
        figure.line(&panel, &rest, Pen { color: INK.with_alpha(0.5), width: 1.5, dashed: true });
        figure.arrow(&panel, view.see(&start), view.see(&center), INK, 2.0);
        figure.circle(&panel, view.see(&center), 1.0, color, 0.16, false);
        figure.line(&panel, &[view.see(&center), view.see(&contact.point)], Pen::solid(color.color(), 2.0));
        figure.dot(&panel, view.see(&center), INK);
        figure.dot(&panel, view.see(&contact.point), color);
        let feature = match contact.feature {
            Feature::Face => "face".to_owned(),
            Feature::Edge(index) => format!("edge {index}"),
            Feature::Vertex(index) => format!("vertex {index}"),
        };
        figure.caption(&panel, &format!("{name}: {feature}, t = {:.3}", contact.fraction));
        let words = match contact.feature {
            Feature::Face => "foot, inside the triangle",
            Feature::Edge(_) => "foot on the edge",
            Feature::Vertex(_) => "the vertex itself",
        };
        figure.label(&panel, words, view.see(&contact.point), [8.0, 24.0], (color, Align::Middle));
        note(numbers, &format!("sphere_{name}_t"), format!("{:.6}", contact.fraction));
    }
    figure.png()
}

/// Two walls, seen from above: the first of the list is not the first on the way.
pub(super) fn nearest(lettering: &Lettering, numbers: &mut String) -> Result<Vec<u8>> {
    let (start, motion) = (Point3::new(-4.5, 0.0, 0.0), Vector3::new(10.0, 0.0, 0.0));
    // Each wall is one large triangle; the picture cuts it at the height of the sphere's middle.
    let wall = |x: f64, lean: f64| {
        let foot = |z: f64| Point3::new(x + lean * z, -4.0, z);
        Triangle::new(foot(-3.0), foot(3.0), Point3::new(x, 8.0, 0.0))
    };
    let walls = [("triangle 0", wall(3.6, 0.25), RED), ("triangle 1", wall(0.6, -0.2), GREEN)];
    let words = "Stopping at the first triangle of the list that is hit would let the sphere pass through another one on its way.";
    let mut figure = Figure::new(1240, 700, "The nearest of all triangles counts", words, lettering)?;
    let panel = figure.panel(0, 1, [-6.0, -3.0], [6.4, 3.0]);
    figure.arrow(&panel, [start.x, 0.0], [start.x + motion.x, 0.0], INK, 2.0);
    figure.circle(&panel, [start.x, 0.0], 1.0, STONE, 0.1, true);
    figure.label(&panel, "start, t = 0", [start.x, 0.0], [0.0, -26.0], (STONE, Align::Middle));
    for (i, (name, triangle, color)) in walls.into_iter().enumerate() {
        let contact = touch(start, motion, &triangle)?.context("it is hit")?;
        draw_cut(&mut figure, &panel, &triangle, color);
        let center = start.x + motion.x * contact.fraction;
        figure.circle(&panel, [center, 0.0], 1.0, color, if i == 0 { 0.06 } else { 0.22 }, i == 0);
        figure.dot(&panel, [contact.point.x, -contact.point.z], color);
        let words = format!("{name}: t = {:.3}", contact.fraction);
        let shift = [if i == 0 { -30.0 } else { 0.0 }, -(panel.scale + 20.0)];
        figure.label(&panel, &words, [center, 0.0], shift, (color, Align::Middle));
        note(numbers, &format!("nearest_triangle_{i}_t"), format!("{:.6}", contact.fraction));
    }
    figure.notes(
        &panel,
        &[
            "triangle 0 is tested first and is hit, but on the way there the sphere has gone through triangle 1",
            "the answer is the least t of all triangles; of equal ones that of the lower number",
        ],
    );
    figure.png()
}

/// Where the triangle cuts the plane of the picture, y = 0.
fn draw_cut(figure: &mut Figure<'_>, panel: &Panel, triangle: &Triangle<f64>, color: Rgb) {
    let mut cut = Vec::new();
    for edge in triangle.edges() {
        if (edge.from.y < 0.0) != (edge.to.y < 0.0) {
            let point = edge.at(edge.from.y / (edge.from.y - edge.to.y));
            cut.push([point.x, -point.z]);
        }
    }
    figure.line(panel, &cut, Pen::solid(color.color(), 5.0));
}
