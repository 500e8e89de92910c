//! A level and the walk through it as one PNG: from above, from a corner, and cut along the track.
//!
//! The picture is to be understood by someone who has never seen the level: what can be walked on is light, walls are
//! dark, roofs are taken off, and the track tells by its colour what was under the feet. All arithmetic is plain and
//! in a fixed order, so the same scene gives the same bytes.

mod camera;
mod canvas;
mod furniture;
mod palette;
mod raster;
mod section;
mod shade;
mod stage;
mod text;
mod track;

use std::f64::consts::FRAC_PI_4;

use anyhow::{Context, Result, ensure};
use nalgebra::{Point2, Point3, Vector3};

use self::{
    camera::Camera,
    canvas::Canvas,
    palette::{FAINT_INK, INK, PAGE, PAPER, VOID},
    raster::Surface,
    shade::{SAMPLES, Tint},
    stage::{Facet, Region, Stage},
    text::{Align, Face, Lettering, number},
};

/// What the character stood on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ground {
    /// On something that it can stand on.
    OnGround,
    /// On a slope that it slides down.
    OnSteepGround,
    /// Against something that does not carry it.
    Touching,
    InAir,
}

/// A place of the walk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TrackPoint {
    pub(crate) feet: Point3<f64>,
    pub(crate) ground: Ground,
}

/// What is to be drawn. Lengths are in metres.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scene<'a> {
    /// Counter-clockwise as seen from the front; only fronts are drawn.
    pub(crate) triangles: &'a [[Point3<f64>; 3]],
    /// Any length above zero.
    pub(crate) up: Vector3<f64>,
    /// In the order in which it was walked. May be empty.
    pub(crate) track: &'a [TrackPoint],
    pub(crate) contacts: &'a [Point3<f64>],
    pub(crate) title: &'a str,
}

const WIDTH: u32 = 1800;
const HEIGHT: u32 = 1000;
const MARGIN: u32 = 14;
const TITLE_HEIGHT: u32 = 48;
const LEGEND_HEIGHT: u32 = 44;
const PANELS_HEIGHT: u32 = HEIGHT - TITLE_HEIGHT - LEGEND_HEIGHT;
const LEFT_WIDTH: u32 = 920;
const RIGHT_WIDTH: u32 = WIDTH - LEFT_WIDTH - 3 * MARGIN;
const OBLIQUE_HEIGHT: u32 = 500;
const SECTION_HEIGHT: u32 = PANELS_HEIGHT - OBLIQUE_HEIGHT - MARGIN;

/// What is higher above the highest place of the track is taken off, so that roofs do not hide it.
const HEADROOM: f64 = 3.0;

/// Draws the scene as a PNG of 1800 by 1000 pixels. Costs O(triangles + pixels).
///
/// A level much larger than the track is shown only around the track.
///
/// # Errors
/// If a number is not finite, `up` is zero, or the PNG cannot be encoded.
pub(crate) fn draw(scene: &Scene<'_>) -> Result<Vec<u8>> {
    check(scene)?;
    let lettering = Lettering::new()?;
    let stage = Stage::new(scene);
    let mut page = Canvas::new(WIDTH, HEIGHT, PAGE, &lettering)?;
    let mark_every = section::mark_distance(&stage);

    let (width, height) = (LEFT_WIDTH as usize, PANELS_HEIGHT as usize);
    let camera = Camera::above(&around_track(&stage), width, height);
    let facets = stage.facets_in(&seen_from_above(&stage, &camera));
    let fine = camera.resized(SAMPLES as f64);
    let surface = Surface::new(&facets, &fine);
    let tint = Tint::of(&surface, &fine);
    let mut map = Canvas::new(LEFT_WIDTH, PANELS_HEIGHT, VOID, &lettering)?;
    shade::paint(&mut map, &surface, &facets, &fine, &tint);
    track::draw(&mut map, &stage, &camera, &surface, mark_every);
    explain(&mut map, "From above", &stage, &camera);
    page.place(&map, MARGIN as i32, TITLE_HEIGHT as i32);

    let region = around_track(&stage);
    let facets = stage.facets_in(&region);
    let camera = best_oblique(&stage, &facets, &region, RIGHT_WIDTH as usize, OBLIQUE_HEIGHT as usize);
    let fine = camera.resized(SAMPLES as f64);
    let surface = Surface::new(&facets, &fine);
    let mut oblique = Canvas::new(RIGHT_WIDTH, OBLIQUE_HEIGHT, VOID, &lettering)?;
    shade::paint(&mut oblique, &surface, &facets, &fine, &tint);
    track::draw(&mut oblique, &stage, &camera, &surface, mark_every);
    explain(&mut oblique, "From a corner (parallel lines stay parallel)", &stage, &camera);
    let right = (LEFT_WIDTH + 2 * MARGIN) as i32;
    page.place(&oblique, right, TITLE_HEIGHT as i32);

    let mut profile = Canvas::new(RIGHT_WIDTH, SECTION_HEIGHT, PAPER, &lettering)?;
    section::draw(&mut profile, &stage);
    page.place(&profile, right, (TITLE_HEIGHT + OBLIQUE_HEIGHT + MARGIN) as i32);

    title(&mut page, scene, &stage);
    let legend_middle = f64::from(HEIGHT - LEGEND_HEIGHT / 2);
    furniture::legend(&mut page, &stage, &tint, f64::from(MARGIN), legend_middle);
    page.pixmap.encode_png().context("cannot encode the picture")
}

fn check(scene: &Scene<'_>) -> Result<()> {
    let corners = scene.triangles.iter().flatten();
    let feet = scene.track.iter().map(|point| &point.feet);
    let mut points = corners.chain(feet).chain(scene.contacts);
    ensure!(points.all(|point| point.iter().all(|x| x.is_finite())), "a picture needs finite coordinates");
    ensure!(scene.up.norm() > 0.0 && scene.up.norm().is_finite(), "`up` has no direction: {}", scene.up);
    Ok(())
}

/// The part of the level that is shown: the track with some room around it, without what is above the headroom.
fn around_track(stage: &Stage) -> Region {
    /// Room on each side, as a part of the track's larger extent, and at least so many metres.
    const ROOM: f64 = 0.22;
    const LEAST_ROOM: f64 = 4.0;
    let Some(track) = Region::around(stage.track.iter().map(|step| step.feet)) else { return stage.bounds };
    let size = track.size();
    let room = (size.x.max(size.y) * ROOM).max(LEAST_ROOM);
    // A track along a line still shows what is beside it.
    let half = (size.x.max(size.y) * 0.3).max(LEAST_ROOM);
    let mut region = track;
    for axis in 0..2 {
        let reach = (size[axis] / 2.0 + room).max(half);
        let middle = track.center()[axis];
        (region.min[axis], region.max[axis]) = (middle - reach, middle + reach);
    }
    region.min.z = stage.bounds.min.z;
    region.max.z = track.max.z + HEADROOM;
    let mut region = region.cut_to(&stage.bounds);
    // The walk may leave the level.
    region.min = region.min.inf(&track.min);
    region.max = region.max.sup(&track.max);
    region
}

/// All that the view from above shows: up to its borders, not only the region that had to fit.
fn seen_from_above(stage: &Stage, camera: &Camera) -> Region {
    let mut region = around_track(stage);
    let half = Vector3::new(camera.width as f64, camera.height as f64, 0.0) / (2.0 * camera.scale);
    let middle = region.center();
    for axis in 0..2 {
        (region.min[axis], region.max[axis]) = (middle[axis] - half[axis], middle[axis] + half[axis]);
    }
    region
}

/// From the corner from which most of the track can be seen.
fn best_oblique(stage: &Stage, facets: &[Facet], region: &Region, width: usize, height: usize) -> Camera {
    /// Candidates are compared on small pictures.
    const SMALL: f64 = 0.4;
    const ALTITUDE: f64 = 0.66;
    let look = |eighths: f64| Camera::oblique(eighths * FRAC_PI_4 + 0.12, ALTITUDE, region, width, height);
    let hidden = |camera: &Camera| {
        let small = camera.resized(SMALL);
        let surface = Surface::new(facets, &small);
        let is_hidden = |feet: &Vector3<f64>| {
            let seen = small.project(feet);
            surface.hides(seen.x, seen.y, seen.z, 0.4)
        };
        stage.track.iter().filter(|step| is_hidden(&step.feet)).count()
    };
    // South-east, south-west, north-west, north-east; the first of equals.
    let candidates = [-1.0, -3.0, 3.0, 1.0].map(look);
    if stage.track.is_empty() {
        return candidates[0];
    }
    candidates.into_iter().min_by_key(hidden).unwrap_or(candidates[0])
}

fn explain(view: &mut Canvas<'_>, heading: &str, stage: &Stage, camera: &Camera) {
    furniture::heading(view, heading);
    furniture::scale_bar(view, camera);
    furniture::axes(view, stage, camera);
}

fn title(page: &mut Canvas<'_>, scene: &Scene<'_>, stage: &Stage) {
    let y = f64::from(TITLE_HEIGHT) / 2.0;
    page.text(scene.title, Point2::new(f64::from(MARGIN), y), Face::TITLE, INK, Align::Start);
    let triangles = scene.triangles.len();
    let words = match Region::around(stage.track.iter().map(|step| step.feet)) {
        Some(track) => format!(
            "{triangles} triangles \u{b7} {} m walked (on the map) \u{b7} {} m between lowest and highest place",
            number((section::walked(stage) * 10.0).round() / 10.0),
            number(track.size().z),
        ),
        None => format!("{triangles} triangles \u{b7} no track"),
    };
    page.text(&words, Point2::new(f64::from(WIDTH - MARGIN), y), Face::BODY, FAINT_INK, Align::End);
}

#[cfg(test)]
mod tests;
