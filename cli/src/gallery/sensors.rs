//! Ray fans: what an actor sees of a room, and the map that it makes of it.

use anyhow::{Context, Result};
use nalgebra::{Point2, Rotation2, Vector2};
use sidle::{
    Aabb2,
    flat::ConvexPolygon,
    sensor::{Obstacles, RayFan, Reading},
};

use super::{
    figure::{BLUE, Figure, GREEN, ORANGE, Panel, STONE, corners},
    note,
};
use crate::picture::{
    canvas::Pen,
    palette::{INK, PAPER},
    text::{Align, Lettering},
};

/// The boxes of a room.
const ROOM: [[f64; 4]; 6] = [
    [0.0, 0.0, 12.0, 0.3],
    [0.0, 7.7, 12.0, 8.0],
    [0.0, 0.0, 0.3, 8.0],
    [11.7, 0.0, 12.0, 8.0],
    [7.0, 5.2, 8.2, 6.4],
    [5.0, 1.4, 6.6, 2.2],
];
/// Its pillar, a polygon.
const PILLAR: [[f64; 2]; 6] = [[8.3, 3.0], [8.9, 2.7], [9.5, 3.0], [9.5, 3.7], [8.9, 4.0], [8.3, 3.7]];

/// A fan in a room, with hits and distances.
pub(super) fn fan(lettering: &Lettering, numbers: &mut String) -> Result<Vec<u8>> {
    let mut room = Obstacles::new();
    for (tag, [x0, y0, x1, y1]) in (0..).zip(ROOM) {
        room.add_box(Aabb2::checked(Point2::new(x0, y0), Point2::new(x1, y1))?, tag)?;
    }
    let pillar = room.add_polygon(ConvexPolygon::new(PILLAR.map(Point2::from).to_vec())?, 99);
    let actor = Point2::new(2.2, 3.6);
    let fan = RayFan::spread(17, Vector2::x(), 110_f64.to_radians(), 9.0)?.with_inner_radius(0.4)?;
    let mut reading = Reading::new();
    reading.read(&fan, actor, &Rotation2::identity(), &room)?;

    let words = "17 rays over 110 degrees, 9 m far. Each ends at the first thing that it meets; its number is the way in metres.";
    let mut figure = Figure::new(1080, 960, "A ray fan in a room", words, lettering)?;
    let panel = figure.panel(0, 1, [-0.3, -1.8], [12.3, 8.3]);
    let end = |ray: usize| -> Result<[f64; 2]> {
        let direction = fan.direction(ray).context("a ray of the fan")?;
        Ok((actor + direction * reading.reach(ray)).coords.into())
    };
    let mut seen = vec![actor.coords.into()];
    for ray in 0..reading.rays() {
        seen.push(end(ray)?);
    }
    figure.area(&panel, &seen, ORANGE.with_alpha(0.10));
    for [x0, y0, x1, y1] in ROOM {
        figure.shape(&panel, &corners([x0, y0], [x1, y1]), STONE, 0.55);
    }
    figure.shape(&panel, &PILLAR, BLUE, 0.35);
    for ray in 0..reading.rays() {
        let direction = fan.direction(ray).context("a ray of the fan")?;
        let start = (actor + direction * fan.inner_radius()).coords.into();
        let hit = reading.ray(ray).first();
        let color = match hit {
            Some(sighting) if sighting.object == pillar => BLUE,
            Some(_) => ORANGE,
            None => GREEN,
        };
        let pen = Pen { color: color.color(), width: 2.0, dashed: hit.is_none() };
        figure.line(&panel, &[start, end(ray)?], pen);
        if hit.is_some() {
            figure.dot(&panel, end(ray)?, color);
        }
        let shift = [direction.x * 26.0, -direction.y * 22.0];
        figure.label(&panel, &format!("{:.1}", reading.reach(ray)), end(ray)?, shift, (color, Align::Middle));
    }
    figure.circle(&panel, actor.coords.into(), fan.inner_radius(), INK, 0.15, false);
    figure.dot(&panel, actor.coords.into(), INK);
    figure.label(&panel, "actor", actor.coords.into(), [0.0, 44.0], (INK, Align::Middle));
    let nearest = reading.nearest().context("it sees something")?;
    let rays = reading.rays_seeing(pillar).count();
    let summary = format!("the pillar (blue) is seen by {rays} of {} rays", reading.rays());
    let near = format!("nearest of all: {:.2} m, by ray {}", nearest.distance, nearest.ray + 1);
    figure.notes(
        &panel,
        &["orange: a ray that meets a wall or block", "green, dashed: a ray that meets nothing", &summary, &near],
    );
    note(numbers, "fan_sightings", reading.sightings().len());
    note(numbers, "fan_nearest", format!("{:.6}", nearest.distance));
    note(numbers, "fan_rays_seeing_pillar", rays);
    figure.png()
}

/// The walls of the level of the fog of war, from x0, y0 to x1, y1.
const LEVEL: [[f64; 4]; 9] = [
    [0.0, 0.0, 36.0, 1.0],
    [0.0, 19.0, 36.0, 20.0],
    [0.0, 0.0, 1.0, 20.0],
    [35.0, 0.0, 36.0, 20.0],
    [12.0, 1.0, 13.0, 8.0],
    [12.0, 11.0, 13.0, 19.0],
    [18.0, 7.0, 22.0, 11.0],
    [27.0, 5.0, 28.0, 19.0],
    [30.0, 9.0, 33.0, 10.0],
];
/// The places at which the scout looks around.
const PATH: [[f64; 2]; 3] = [[5.5, 5.5], [11.0, 9.5], [24.5, 4.5]];
const CELLS: [usize; 2] = [72, 40];
/// Metres of a cell.
const CELL: f64 = 0.5;

/// What is known of a cell of the map.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Known {
    Never,
    Before,
    Now,
}

/// The map of a scout: dark where it never looked, grey where it looked before, light where it looks now.
pub(super) fn fog(lettering: &Lettering, numbers: &mut String) -> Result<Vec<u8>> {
    let mut level = Obstacles::new();
    for (tag, [x0, y0, x1, y1]) in (0..).zip(LEVEL) {
        level.add_box(Aabb2::checked(Point2::new(x0, y0), Point2::new(x1, y1))?, tag)?;
    }
    let eyes = RayFan::around(720, 22.0)?;
    let mut view = Reading::new();
    let mut known = [[Known::Never; CELLS[0]]; CELLS[1]];
    let mut outline = Vec::new();
    for place in PATH {
        let place = Point2::from(place);
        view.read(&eyes, place, &Rotation2::identity(), &level)?;
        known.iter_mut().flatten().filter(|cell| **cell == Known::Now).for_each(|cell| *cell = Known::Before);
        outline.clear();
        for ray in 0..view.rays() {
            let direction = eyes.direction(ray).context("a ray of the fan")?;
            for step in 0..((view.reach(ray) + 0.25) / 0.1) as usize {
                let at = place + direction * (step as f64 * 0.1);
                let (x, y) = ((at.x / CELL) as usize, (at.y / CELL) as usize);
                if let Some(cell) = known.get_mut(y).and_then(|row| row.get_mut(x)) {
                    *cell = Known::Now;
                }
            }
            outline.push((place + direction * view.reach(ray)).coords.into());
        }
    }

    let words =
        "A scout has looked around at 1, 2 and 3, with 720 rays of 22 m. Nearer than the end of its ray is in view.";
    let mut figure = Figure::new(1240, 790, "Fog of war", words, lettering)?;
    let panel = figure.panel(0, 1, [-0.5, -0.5], [36.5, 20.5]);
    draw_cells(&mut figure, &panel, &known);
    outline.extend(outline.first().copied());
    figure.line(&panel, &outline, Pen::solid(ORANGE.color(), 2.0));
    figure.line(&panel, &PATH, Pen { color: BLUE.color(), width: 2.5, dashed: true });
    for (i, place) in PATH.into_iter().enumerate() {
        figure.dot(&panel, place, BLUE);
        figure.label(&panel, &format!("{}", i + 1), place, [0.0, -20.0], (BLUE, Align::Middle));
    }
    let labels = [("in view now", [22.0, 3.0]), ("seen before", [5.0, 15.0]), ("seen from 2", [15.5, 9.5])];
    for (words, place) in labels {
        figure.label(&panel, words, place, [0.0, 0.0], (INK, Align::Middle));
    }
    figure.label(&panel, "never seen", [31.5, 14.5], [0.0, 0.0], (INK, Align::Middle));
    let count = |state: Known| known.iter().flatten().filter(|cell| **cell == state).count();
    note(numbers, "fog_cells_in_view", count(Known::Now));
    note(numbers, "fog_cells_seen_before", count(Known::Before));
    note(numbers, "fog_cells_never_seen", count(Known::Never));
    figure.png()
}

fn draw_cells(figure: &mut Figure<'_>, panel: &Panel, known: &[[Known; CELLS[0]]; CELLS[1]]) {
    let is_wall =
        |x: f64, y: f64| LEVEL.iter().any(|[x0, y0, x1, y1]| (*x0..*x1).contains(&x) && (*y0..*y1).contains(&y));
    for (row, cells) in known.iter().enumerate() {
        for (column, state) in cells.iter().enumerate() {
            let (x, y) = (column as f64 * CELL, row as f64 * CELL);
            let color = match (state, is_wall(x + CELL / 2.0, y + CELL / 2.0)) {
                (Known::Never, _) => INK.with_alpha(0.88),
                (_, true) => STONE.color(),
                (Known::Before, _) => INK.with_alpha(0.30),
                (Known::Now, _) => PAPER.color(),
            };
            figure.area(panel, &corners([x, y], [x + CELL, y + CELL]), color);
        }
    }
}
