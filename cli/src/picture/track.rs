//! The walk over a view: line, contacts, marks of distance, start and end.

use nalgebra::{Point2, Vector3};

use super::{
    Ground,
    camera::Camera,
    canvas::{Canvas, Pen},
    palette::{CONTACT, END, FAINT_INK, INK, PAPER, Rgb, START, ground},
    raster::Surface,
    stage::{Stage, Step},
    text::{Align, Face, number},
};

/// The track stays visible when something nearer than it covers it by no more than this, in metres: the feet stand on
/// the ground, or a little in it where they meet a slope.
const SLACK: f64 = 0.25;

/// A piece of track in one colour, as pixels.
pub(super) struct Run {
    ground: Ground,
    is_hidden: bool,
    points: Vec<Point2<f64>>,
}

/// The track as pieces that are to be drawn alike. A stretch between two places has the state that it led to.
pub(super) fn runs(places: impl IntoIterator<Item = (Point2<f64>, Ground, bool)>) -> Vec<Run> {
    /// Places nearer to each other than so many pixels are one.
    const APART: f64 = 0.6;
    let mut runs: Vec<Run> = Vec::new();
    let mut last: Option<Point2<f64>> = None;
    for (point, ground, is_hidden) in places {
        match runs.last_mut() {
            Some(run) if run.ground == ground && run.is_hidden == is_hidden => {
                if last.is_none_or(|last| (point - last).norm() >= APART) {
                    run.points.push(point);
                    last = Some(point);
                }
            }
            _ => {
                runs.push(Run { ground, is_hidden, points: last.into_iter().chain([point]).collect() });
                last = Some(point);
            }
        }
    }
    runs
}

/// Draws them: first what is hidden, dashed; then a white border under all of the rest, then the rest.
pub(super) fn draw_runs(canvas: &mut Canvas<'_>, runs: &[Run]) {
    const WIDTH: f64 = 3.4;
    for run in runs.iter().filter(|run| run.is_hidden) {
        canvas.line(&run.points, Pen::solid(PAPER.with_alpha(0.65), WIDTH + 1.0));
        let color = ground(run.ground).with_alpha(0.9);
        canvas.line(&run.points, Pen { color, width: WIDTH * 0.75, dashed: true });
    }
    for run in runs.iter().filter(|run| !run.is_hidden) {
        canvas.line(&run.points, Pen::solid(PAPER.with_alpha(0.95), WIDTH + 3.0));
    }
    for run in runs.iter().filter(|run| !run.is_hidden) {
        canvas.line(&run.points, Pen::solid(ground(run.ground).color(), WIDTH));
    }
}

/// Draws the walk as `camera` sees it. `surface` is what the same camera saw on a finer grid.
pub(super) fn draw(canvas: &mut Canvas<'_>, stage: &Stage, camera: &Camera, surface: &Surface, mark_every: f64) {
    /// Around both ends so many pixels stay free of marks.
    const FREE: f64 = 24.0;
    let finer = surface.width as f64 / camera.width as f64;
    let is_hidden = |place: &Vector3<f64>| {
        let seen = camera.project(place);
        surface.hides(seen.x * finer, seen.y * finer, seen.z, SLACK)
    };
    contacts(canvas, &stage.contacts, camera, is_hidden);
    let places = between(&stage.track, camera);
    let seen = places.iter().map(|step| (camera.pixel(&step.feet), step.ground, is_hidden(&step.feet)));
    draw_runs(canvas, &runs(seen));
    let ends = stage.track.first().zip(stage.track.last());
    for (place, distance) in marks(&stage.track, mark_every) {
        let at = camera.pixel(&place);
        let is_free = |end: &Step| (camera.pixel(&end.feet) - at).norm() > FREE;
        if ends.is_none_or(|(first, last)| is_free(first) && is_free(last)) {
            mark(canvas, at, distance);
        }
    }
    if let Some((first, last)) = ends {
        let end = (stage.track.len() > 1).then(|| camera.pixel(&last.feet));
        start_and_end(canvas, camera.pixel(&first.feet), end, Names::Beside);
    }
}

/// The track with places in between wherever a step is so long that part of it could be hidden.
fn between(track: &[Step], camera: &Camera) -> Vec<Step> {
    const PIXELS: f64 = 3.0;
    const MOST: f64 = 500.0;
    let mut places: Vec<Step> = track.iter().take(1).copied().collect();
    for pair in track.windows(2) {
        let way = pair[1].feet - pair[0].feet;
        let count = (way.norm() * camera.scale / PIXELS).ceil().clamp(1.0, MOST) as usize;
        let place = |i: usize| pair[0].feet + way * (i as f64 / count as f64);
        places.extend((1..=count).map(|i| Step { feet: place(i), ground: pair[1].ground }));
    }
    places
}

fn contacts(
    canvas: &mut Canvas<'_>,
    contacts: &[Vector3<f64>],
    camera: &Camera,
    is_hidden: impl Fn(&Vector3<f64>) -> bool,
) {
    /// Dots nearer to each other than so many pixels are one: a long walk has thousands of contacts.
    const APART: f64 = 3.0;
    let (columns, rows) = ((canvas.width() / APART) as usize + 1, (canvas.height() / APART) as usize + 1);
    let mut is_taken = vec![false; columns * rows];
    for contact in contacts {
        let pixel = camera.pixel(contact);
        if !(pixel.x >= 0.0 && pixel.y >= 0.0 && pixel.x < canvas.width() && pixel.y < canvas.height()) {
            continue;
        }
        let cell = (pixel.y / APART) as usize * columns + (pixel.x / APART) as usize;
        if !std::mem::replace(&mut is_taken[cell], true) {
            dot(canvas, pixel, if is_hidden(contact) { 0.6 } else { 1.0 });
        }
    }
}

/// A contact.
pub(super) fn dot(canvas: &mut Canvas<'_>, at: Point2<f64>, opacity: f32) {
    canvas.disc(at, 3.2, PAPER.with_alpha(0.8 * opacity));
    canvas.disc(at, 2.2, CONTACT.with_alpha(opacity));
}

/// Where the walk has come so far (measured on the map) that the distance is a multiple of `every`.
pub(super) fn marks(track: &[Step], every: f64) -> Vec<(Vector3<f64>, f64)> {
    let (mut marks, mut gone, mut next) = (Vec::new(), 0.0, every);
    for pair in track.windows(2) {
        let way = pair[1].feet - pair[0].feet;
        let length = way.xy().norm();
        while next <= gone + length && length > 0.0 {
            marks.push((pair[0].feet + way * ((next - gone) / length), next));
            next += every;
        }
        gone += length;
    }
    marks
}

fn mark(canvas: &mut Canvas<'_>, at: Point2<f64>, distance: f64) {
    canvas.disc(at, 3.6, INK.color());
    canvas.disc(at, 2.2, PAPER.color());
    let words = number(distance);
    let beside = Point2::new(at.x + 8.0, at.y - 10.0);
    let width = canvas.text_width(&words, Face::SMALL);
    canvas.rect(beside.x - 2.0, beside.y - 7.0, width + 4.0, 14.0, PAPER.with_alpha(0.72));
    canvas.text(&words, beside, Face::SMALL, FAINT_INK, Align::Start);
}

/// Where the names of the ends stand.
#[derive(Debug, Clone, Copy)]
pub(super) enum Names {
    /// On opposite sides, so that they do not cover each other.
    Beside,
    Above,
}

/// The signs of both ends with their names.
pub(super) fn start_and_end(canvas: &mut Canvas<'_>, start: Point2<f64>, end: Option<Point2<f64>>, names: Names) {
    start_sign(canvas, start);
    let start_is_left = end.is_none_or(|end| start.x <= end.x);
    name(canvas, "start", start, names, start_is_left, START);
    if let Some(end) = end {
        end_sign(canvas, end);
        name(canvas, "end", end, names, !start_is_left, END);
    }
}

pub(super) fn start_sign(canvas: &mut Canvas<'_>, at: Point2<f64>) {
    canvas.disc(at, 8.5, PAPER.color());
    canvas.disc(at, 6.5, START.color());
}

pub(super) fn end_sign(canvas: &mut Canvas<'_>, at: Point2<f64>) {
    canvas.rect(at.x - 8.0, at.y - 8.0, 16.0, 16.0, PAPER.color());
    canvas.rect(at.x - 6.0, at.y - 6.0, 12.0, 12.0, END.color());
}

fn name(canvas: &mut Canvas<'_>, name: &str, at: Point2<f64>, names: Names, to_the_left: bool, color: Rgb) {
    const BESIDE: f64 = 17.0;
    const ABOVE: f64 = 24.0;
    let width = canvas.text_width(name, Face::HEADING) + BESIDE;
    let fits_left = at.x > width;
    let fits_right = at.x + width < canvas.width();
    let (place, align) = match names {
        Names::Above => (Point2::new(at.x, at.y - ABOVE), Align::Middle),
        Names::Beside if fits_left && (to_the_left || !fits_right) => (Point2::new(at.x - BESIDE, at.y), Align::End),
        Names::Beside => (Point2::new(at.x + BESIDE, at.y), Align::Start),
    };
    canvas.label(name, place, Face::HEADING, color, align);
}

#[cfg(test)]
mod tests {
    use nalgebra::{point, vector};

    use super::*;

    #[test]
    fn runs_change_with_the_state_and_leave_no_gap() {
        use Ground::{InAir, OnGround};
        let places = [(0.0, OnGround), (5.0, OnGround), (9.0, InAir), (9.1, InAir), (14.0, OnGround)];
        let runs = runs(places.map(|(x, ground)| (point![x, 0.0], ground, false)));
        let ends: Vec<_> = runs.iter().map(|run| (run.points[0].x, run.points[run.points.len() - 1].x)).collect();
        assert_eq!(ends, [(0.0, 5.0), (5.0, 9.0), (9.0, 14.0)]);
    }

    #[test]
    fn marks_lie_on_the_track_at_round_distances() {
        let step = |x, z| Step { feet: vector![x, 0.0, z], ground: Ground::OnGround };
        let marks = marks(&[step(0.0, 0.0), step(3.0, 0.0), step(3.0, 7.0), step(9.0, 7.0)], 2.0);
        let places: Vec<_> = marks.iter().map(|(place, distance)| (place.x, place.z, *distance)).collect();
        assert_eq!(places, [(2.0, 0.0, 2.0), (4.0, 7.0, 4.0), (6.0, 7.0, 6.0), (8.0, 7.0, 8.0)]);
    }
}
