//! A level and the walk through it as one PNG: from above, from a corner, and cut along the track.
//!
//! The picture is to be understood by someone who has never seen the level: what can be walked on is light, walls are
//! dark, roofs are taken off, and the track tells by its colour what was under the feet. All arithmetic is plain and
//! in a fixed order, so the same scene gives the same bytes.

mod camera;
pub(crate) mod canvas;
mod furniture;
pub(crate) mod palette;
mod raster;
mod section;
mod shade;
mod stage;
pub(crate) mod text;
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
    stage::{Facet, Region, Stage, Step},
    text::{Align, Face, Lettering, number},
};

/// What the character stood on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::enum_variant_names, reason = "\"on ground\" is what it is called")]
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

/// What is higher than this above the highest place of the track is taken off where it hides the track, in metres.
const HEADROOM: f64 = 3.0;

/// So much of the track, as a part, may be hidden in favour of a level that is whole or of the usual corner.
const BEARABLE: f64 = 0.02;

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

    let region = around_track(&stage);
    let above = Camera::above(&region, LEFT_WIDTH as usize, PANELS_HEIGHT as usize);
    let from_above = View::clearest(&stage, &seen_from_above(&region, &above), |_| vec![above])?;
    let tint = from_above.tint();
    let map = from_above.picture("From above", &stage, &tint, mark_every, &lettering)?;
    page.place(&map, MARGIN as i32, TITLE_HEIGHT as i32);

    let from_a_corner = View::clearest(&stage, &region, |facets| corners(&stage, facets))?;
    let oblique = from_a_corner.picture("From a corner", &stage, &tint, mark_every, &lettering)?;
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

/// The part of the level that is shown: the track with some room around it.
fn around_track(stage: &Stage) -> Region {
    /// Room on each side, as a part of the track's larger extent, and at least so many metres.
    const ROOM: f64 = 0.22;
    const LEAST_ROOM: f64 = 4.0;
    let Some(track) = stage.track_region() else { return stage.bounds };
    let size = track.size();
    let extent = size.x.max(size.y);
    let room = (extent * ROOM).max(LEAST_ROOM);
    let mut region = track;
    for axis in 0..2 {
        // A track along a line still shows what is beside it.
        let reach = (size[axis] / 2.0 + room).max(extent * 0.3);
        let middle = track.center()[axis];
        (region.min[axis], region.max[axis]) = (middle - reach, middle + reach);
    }
    (region.min.z, region.max.z) = (track.min.z - room.max(2.0 * LEAST_ROOM), track.max.z + room.max(2.0 * LEAST_ROOM));
    let mut region = region.cut_to(&stage.bounds);
    // The walk may leave the level.
    region.min = region.min.inf(&track.min);
    region.max = region.max.sup(&track.max);
    region
}

/// All that the view from above shows: up to its borders, from the deepest pit to the highest peak.
fn seen_from_above(region: &Region, camera: &Camera) -> Region {
    let half = Vector3::new(camera.width as f64, camera.height as f64, 0.0) / (2.0 * camera.scale);
    let middle = region.center();
    let (mut min, mut max) = (middle - half, middle + half);
    (min.z, max.z) = (f64::NEG_INFINITY, f64::INFINITY);
    Region { min, max }
}

/// Cameras at the four corners: south-east, south-west, north-west, north-east.
fn corners(stage: &Stage, facets: &[Facet]) -> Vec<Camera> {
    const ALTITUDE: f64 = 0.74;
    // A little off the diagonal, so that the two walls of a corner do not look alike.
    let azimuths = [-1.0, -3.0, 3.0, 1.0].map(|eighths| eighths * FRAC_PI_4 + 0.12);
    let (width, height) = (RIGHT_WIDTH as usize, OBLIQUE_HEIGHT as usize);
    let feet = || stage.track.iter().map(|step| step.feet);
    azimuths.map(|azimuth| Camera::oblique((azimuth, ALTITUDE), facets, feet(), width, height)).into()
}

/// A camera, what is before it, and what it sees.
struct View {
    camera: Camera,
    /// The camera of the surface: [`SAMPLES`] times as large.
    fine: Camera,
    facets: Vec<Facet>,
    surface: Surface,
}

impl View {
    /// The view of `region` that shows most of the track.
    ///
    /// Whatever is higher above the track than the headroom is left standing if it hides next to nothing of the track,
    /// as hills and towers do, and taken off otherwise, as roofs have to be.
    fn clearest(stage: &Stage, region: &Region, cameras: impl Fn(&[Facet]) -> Vec<Camera>) -> Result<Self> {
        let whole = stage.facets_in(region);
        let (camera, hidden) = least_hidden(stage, &whole, cameras(&whole))?;
        let Some(track) = stage.track_region().filter(|_| hidden > 0) else {
            return Ok(Self::new(camera, whole));
        };
        let mut below = *region;
        below.max.z = below.max.z.min(track.max.z + HEADROOM);
        let open = stage.facets_in(&below);
        let (open_camera, hidden_in_open) = least_hidden(stage, &open, cameras(&open))?;
        let gained = hidden.saturating_sub(hidden_in_open);
        if gained as f64 > BEARABLE * stage.track.len() as f64 {
            Ok(Self::new(open_camera, open))
        } else {
            Ok(Self::new(camera, whole))
        }
    }

    fn new(camera: Camera, facets: Vec<Facet>) -> Self {
        let fine = camera.resized(SAMPLES as f64);
        Self { camera, fine, surface: Surface::new(&facets, &fine), facets }
    }

    fn tint(&self) -> Tint {
        Tint::of(&self.surface, &self.fine)
    }

    fn picture<'a>(
        &self,
        heading: &str,
        stage: &Stage,
        tint: &Tint,
        mark_every: f64,
        lettering: &'a Lettering,
    ) -> Result<Canvas<'a>> {
        let mut canvas = Canvas::new(self.camera.width as u32, self.camera.height as u32, VOID, lettering)?;
        shade::paint(&mut canvas, &self.surface, &self.facets, &self.fine, tint);
        track::draw(&mut canvas, stage, &self.camera, &self.surface, mark_every);
        furniture::heading(&mut canvas, heading);
        furniture::scale_bar(&mut canvas, &self.camera);
        furniture::axes(&mut canvas, stage, &self.camera);
        Ok(canvas)
    }
}

/// The first camera to which no more of the track is hidden than has to be, and how many of its places are.
fn least_hidden(stage: &Stage, facets: &[Facet], cameras: Vec<Camera>) -> Result<(Camera, usize)> {
    /// They are compared on small pictures.
    const SMALL: f64 = 0.4;
    const SLACK: f64 = 0.4;
    let hidden = |camera: Camera| {
        let small = camera.resized(SMALL);
        let surface = Surface::new(facets, &small);
        let is_hidden = |step: &&Step| {
            let seen = small.project(&step.feet);
            surface.hides(seen.x, seen.y, seen.z, SLACK)
        };
        (camera, stage.track.iter().filter(is_hidden).count())
    };
    let counted: Vec<_> = if stage.track.is_empty() {
        cameras.into_iter().map(|camera| (camera, 0)).collect()
    } else {
        cameras.into_iter().map(hidden).collect()
    };
    let fewest = counted.iter().map(|(_, count)| *count).min().unwrap_or(0);
    let bearable = fewest + (BEARABLE * stage.track.len() as f64) as usize;
    counted.into_iter().find(|(_, count)| *count <= bearable).context("a view needs a camera")
}

/// The title on the left, as far as there is room, and what the walk was on the right.
fn title(page: &mut Canvas<'_>, scene: &Scene<'_>, stage: &Stage) {
    const GAP: f64 = 30.0;
    let triangles = scene.triangles.len();
    let facts = match stage.track_region() {
        Some(track) => format!(
            "{triangles} triangles \u{b7} {} m walked (on the map) \u{b7} {} m between lowest and highest place",
            number((section::walked(stage) * 10.0).round() / 10.0),
            number(track.size().z),
        ),
        None => format!("{triangles} triangles \u{b7} no track"),
    };
    let (left, right, y) = (f64::from(MARGIN), f64::from(WIDTH - MARGIN), f64::from(TITLE_HEIGHT) / 2.0);
    page.text(&facts, Point2::new(right, y), Face::BODY, FAINT_INK, Align::End);
    let room = right - page.text_width(&facts, Face::BODY) - GAP - left;
    let mut title = scene.title.to_owned();
    while page.text_width(&title, Face::TITLE) > room {
        let shorter: String = title.chars().take(title.chars().count().saturating_sub(2)).collect();
        title = shorter + "\u{2026}";
    }
    page.text(&title, Point2::new(left, y), Face::TITLE, INK, Align::Start);
}

#[cfg(test)]
mod tests;
