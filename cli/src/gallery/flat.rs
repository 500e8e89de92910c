//! Overlap tests: squares, rays and a box, a circle and a rectangle.

use anyhow::{Context, Result};
use nalgebra::{Point2, Vector2};
use sidle::{
    Aabb2, Ray2,
    flat::{self, Circle, ConvexPolygon, Rectangle, Region, minimum_translation, region},
};

use super::{
    figure::{BLUE, Figure, GREEN, ORANGE, RED, STONE, arc, corners},
    note,
};
use crate::picture::{
    canvas::Pen,
    palette::INK,
    text::{Align, Lettering},
};

/// Two overlapping squares, and the vector that parts them.
pub(super) fn squares(lettering: &Lettering, numbers: &mut String) -> Result<Vec<u8>> {
    let square = |x: f64, y: f64| corners([x - 1.0, y - 1.0], [x + 1.0, y + 1.0]);
    let (a, b) = (square(0.0, 0.0), square(1.5, 0.5));
    let polygon = |points: [[f64; 2]; 4]| ConvexPolygon::new(points.map(Point2::from).to_vec());
    let exit = minimum_translation(&polygon(a)?, &polygon(b)?).context("they overlap")?;
    let by = exit.normal.into_inner() * exit.depth;
    note(numbers, "squares_axis", format!("{:.6},{:.6}", exit.normal.x, exit.normal.y));
    note(numbers, "squares_depth", format!("{:.6}", exit.depth));

    let words = "Moving the second by the shortest vector that parts them leaves them touching. No shorter move does.";
    let mut figure = Figure::new(1000, 560, "Two squares overlap", words, lettering)?;
    let before = figure.panel(0, 2, [-1.6, -1.7], [3.2, 2.2]);
    figure.shape(&before, &a, BLUE, 0.18);
    figure.shape(&before, &b, ORANGE, 0.18);
    figure.area(&before, &corners([0.5, -0.5], [1.0, 1.0]), RED.with_alpha(0.35));
    figure.label(&before, "first", [-0.5, 0.0], [0.0, 0.0], (BLUE, Align::Middle));
    figure.label(&before, "second", [1.75, 0.5], [0.0, 0.0], (ORANGE, Align::Middle));
    figure.label(&before, "overlap 0.5 m wide, 1.5 m high", [0.75, 1.75], [0.0, 0.0], (RED, Align::Middle));
    figure.caption(&before, "before");
    figure.line(&before, &[[0.75, 1.62], [0.75, 1.05]], Pen::solid(RED.color(), 1.5));
    let after = figure.panel(1, 2, [-1.6, -1.7], [3.2, 2.2]);
    let moved = b.map(|[x, y]| [x + by.x, y + by.y]);
    figure.shape(&after, &a, BLUE, 0.18);
    let ghost: Vec<_> = b.iter().chain(&b[..1]).copied().collect();
    figure.line(&after, &ghost, Pen { color: ORANGE.with_alpha(0.7), width: 1.5, dashed: true });
    figure.shape(&after, &moved, ORANGE, 0.18);
    figure.arrow(&after, [1.5, 0.5], [1.5 + by.x, 0.5 + by.y], RED, 4.0);
    let words = format!("by {:.2} m along ({}, {})", exit.depth, exit.normal.x, exit.normal.y);
    figure.label(&after, &words, [1.75, 0.5], [0.0, 26.0], (RED, Align::Middle));
    figure.label(&after, "they touch, and do not overlap", [1.0, -1.3], [0.0, 0.0], (INK, Align::Middle));
    figure.caption(&after, "after: minimum_translation");
    figure.png()
}

/// The five well-known rays against the box from (-1, -1) to (1, 1).
pub(super) fn rays(lettering: &Lettering, numbers: &mut String) -> Result<Vec<u8>> {
    let bounds = Aabb2::new(Point2::new(-1.0, -1.0), Point2::new(1.0, 1.0));
    let half = 0.5_f64.sqrt();
    let rays = [
        ([-3.0, 0.0], [1.0, 0.0]),
        ([-3.0, 3.0], [1.0, 0.0]),
        ([0.0, 0.0], [1.0, 0.0]),
        ([-3.0, -3.0], [half, half]),
        ([3.0, 0.0], [1.0, 0.0]),
    ];
    let words = "Green rays hit, red ones miss. t is the way from the origin of the ray to the box.";
    let mut figure = Figure::new(1000, 760, "Five rays and a box", words, lettering)?;
    let panel = figure.panel(0, 1, [-4.0, -3.7], [5.4, 3.7]);
    figure.shape(&panel, &corners([-1.0, -1.0], [1.0, 1.0]), STONE, 0.25);
    for (i, (origin, direction)) in (1..).zip(rays) {
        let ray = Ray2::new(Point2::from(origin), Vector2::from(direction))?;
        let hit = ray.cast_box(&bounds);
        let answer = hit.map_or("miss".to_owned(), |hit| format!("hit,{:.6}", hit.enter));
        note(numbers, &format!("r{i}"), answer);
        let color = if hit.is_some() { GREEN } else { RED };
        let end = |t: f64| [ray.at(t).x, ray.at(t).y];
        let length = if i == 2 { 8.0 } else { 1.9 };
        match hit {
            Some(hit) if hit.enter > 0.0 => {
                figure.arrow(&panel, origin, end(hit.enter), color, 3.0);
                let beyond = [end(hit.enter), end(hit.exit + 0.8)];
                figure.line(&panel, &beyond, Pen { color: color.with_alpha(0.5), width: 1.5, dashed: true });
                figure.dot(&panel, end(hit.enter), color);
            }
            _ => figure.arrow(&panel, origin, end(length), color, 3.0),
        }
        figure.dot(&panel, origin, INK);
        let (words, shift) = match (i, hit) {
            (1, Some(hit)) => (format!("1  hit, t = {}", hit.enter), [0.0, -22.0]),
            (2, None) => ("2  miss: it passes above".to_owned(), [0.0, -22.0]),
            (3, Some(hit)) => (format!("3  hit, t = {}: it starts inside", hit.enter), [0.0, -72.0]),
            (4, Some(hit)) => (format!("4  hit at the corner, t = {:.3}", hit.enter), [22.0, 6.0]),
            (5, None) => ("5  miss: the box is behind it".to_owned(), [-60.0, -22.0]),
            (_, hit) => (format!("{i}  {hit:?}"), [0.0, -22.0]),
        };
        let place = if i == 3 { [0.1, 0.0] } else { origin };
        figure.label(&panel, &words, place, shift, (color, Align::Start));
    }
    figure.label(&panel, "box from (-1, -1) to (1, 1)", [0.0, -1.0], [0.0, 22.0], (STONE, Align::Middle));
    figure.png()
}

/// Around a rectangle: where the centre of a circle lies decides how the test goes.
pub(super) fn circle_rectangle(lettering: &Lettering, numbers: &mut String) -> Result<Vec<u8>> {
    const RADIUS: f64 = 1.0;
    let (half_x, half_y) = (2.0, 1.0);
    let rectangle = Rectangle::new(Point2::origin(), Vector2::new(half_x, half_y))?;
    let words = "The colour of a place tells what the test says of a circle of radius 1 whose centre is there.";
    let mut figure = Figure::new(1000, 780, "A circle and a rectangle: three parts", words, lettering)?;
    let panel = figure.panel(0, 1, [-4.6, -3.4], [4.6, 3.4]);

    figure.area(&panel, &corners([-half_x - RADIUS, -half_y], [half_x + RADIUS, half_y]), GREEN.with_alpha(0.22));
    for (low, high) in [(-half_y - RADIUS, -half_y), (half_y, half_y + RADIUS)] {
        figure.area(&panel, &corners([-half_x, low], [half_x, high]), GREEN.with_alpha(0.22));
    }
    let quarter = std::f64::consts::FRAC_PI_2;
    for (i, (x, y)) in
        [(half_x, half_y), (-half_x, half_y), (-half_x, -half_y), (half_x, -half_y)].into_iter().enumerate()
    {
        let start = quarter * i as f64;
        let mut slice = arc([x, y], RADIUS, start, start + quarter);
        slice.push([x, y]);
        figure.area(&panel, &slice, BLUE.with_alpha(0.25));
        // Within the square and beyond the arc the corner is too far away.
        let mut rest = arc([x, y], RADIUS, start, start + quarter);
        rest.push([x + RADIUS * x.signum(), y + RADIUS * y.signum()]);
        figure.area(&panel, &rest, RED.with_alpha(0.25));
    }
    let far = corners([-half_x - RADIUS, -half_y - RADIUS], [half_x + RADIUS, half_y + RADIUS]);
    let around: Vec<_> = far.iter().chain(&far[..1]).copied().collect();
    figure.line(&panel, &around, Pen { color: INK.with_alpha(0.7), width: 1.5, dashed: true });
    figure.shape(&panel, &corners([-half_x, -half_y], [half_x, half_y]), STONE, 0.3);

    let circles = [
        ([-0.6, 1.6], "side: overlaps, pushed up", [0.0, -118.0]),
        ([2.6, 1.55], "corner nearer than the radius: overlaps", [24.0, -118.0]),
        ([2.8, -1.8], "corner farther than the radius: clear", [10.0, 118.0]),
        ([-3.7, -0.4], "far: clear", [0.0, -118.0]),
    ];
    for (i, (center, words, shift)) in (1..).zip(circles) {
        let circle = Circle::new(Point2::from(center), RADIUS)?;
        let push = flat::circle_rectangle(&circle, &rectangle);
        let color = match region(&circle, &rectangle) {
            Region::Side => GREEN,
            Region::Corner if push.is_some() => BLUE,
            _ => RED,
        };
        figure.circle(&panel, center, RADIUS, color, 0.0, false);
        if let Some(push) = push {
            let to = [center[0] + push.normal.x * push.depth, center[1] + push.normal.y * push.depth];
            figure.arrow(&panel, center, to, color, 3.0);
        }
        figure.dot(&panel, center, color);
        figure.label(&panel, words, center, shift, (color, Align::Middle));
        let depth = push.map_or("clear".to_owned(), |push| format!("{:.6}", push.depth));
        note(numbers, &format!("circle_rectangle_{i}"), depth);
    }
    figure.label(&panel, "rectangle", [0.0, 0.0], [0.0, 0.0], (INK, Align::Middle));
    figure.notes(&panel, &["green: side   blue, red: corner", "arrows: the way out, as long as the overlap is deep"]);
    figure.png()
}
