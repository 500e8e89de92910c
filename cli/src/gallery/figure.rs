//! A sheet with a title and one or more panels, each with its own metres.

use anyhow::{Context, Result};
use nalgebra::{Point2, Vector2};
use tiny_skia::Color;

use crate::picture::{
    canvas::{Canvas, Pen},
    palette::{FAINT_INK, GRID, INK, PAPER, Rgb},
    text::{Align, Face, Lettering},
};

pub(super) const BLUE: Rgb = Rgb(0x0b, 0x57, 0xd0);
pub(super) const ORANGE: Rgb = Rgb(0xd9, 0x5f, 0x02);
pub(super) const GREEN: Rgb = Rgb(0x10, 0x83, 0x3c);
pub(super) const RED: Rgb = Rgb(0xc8, 0x1e, 0x1e);
pub(super) const STONE: Rgb = Rgb(0x76, 0x80, 0x94);

const MARGIN: f64 = 16.0;
const TITLE: f64 = 74.0;

/// The sheet.
pub(super) struct Figure<'a> {
    pub(super) canvas: Canvas<'a>,
}

/// A part of the sheet on which metres are drawn, y upwards.
#[derive(Debug, Clone, Copy)]
pub(super) struct Panel {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    /// What is in the middle of the panel, in metres.
    center: Point2<f64>,
    /// Pixels per metre.
    pub(super) scale: f64,
}

impl Panel {
    pub(super) fn pixel(&self, place: Point2<f64>) -> Point2<f64> {
        let offset = (place - self.center) * self.scale;
        Point2::new(self.left + self.width / 2.0 + offset.x, self.top + self.height / 2.0 - offset.y)
    }
}

impl<'a> Figure<'a> {
    /// A sheet of this size in pixels. `words` is a line that tells what is to be seen.
    pub(super) fn new(width: u32, height: u32, title: &str, words: &str, lettering: &'a Lettering) -> Result<Self> {
        let mut canvas = Canvas::new(width, height, PAPER, lettering)?;
        canvas.text(title, Point2::new(MARGIN, 25.0), Face::TITLE, INK, Align::Start);
        canvas.text(words, Point2::new(MARGIN, 54.0), Face::BODY, FAINT_INK, Align::Start);
        Ok(Self { canvas })
    }

    pub(super) fn png(&self) -> Result<Vec<u8>> {
        self.canvas.pixmap.encode_png().context("cannot encode the picture")
    }

    /// Panel `index` of `count` side by side, that shows at least the metres from `min` to `max`, with a grid of metres.
    pub(super) fn panel(&mut self, index: usize, count: usize, min: [f64; 2], max: [f64; 2]) -> Panel {
        let width = (self.canvas.width() - MARGIN * (count as f64 + 1.0)) / count as f64;
        let (left, top) = (MARGIN + index as f64 * (width + MARGIN), TITLE);
        let height = self.canvas.height() - top - MARGIN;
        let (min, max) = (Point2::from(min), Point2::from(max));
        let size = max - min;
        let scale = (width / size.x).min(height / size.y);
        let panel = Panel { left, top, width, height, center: nalgebra::center(&min, &max), scale };
        self.grid(&panel);
        panel
    }

    fn grid(&mut self, panel: &Panel) {
        let half = Vector2::new(panel.width, panel.height) / (2.0 * panel.scale);
        let pen = Pen::solid(GRID.color(), 1.0);
        let (low, high) = (panel.center - half, panel.center + half);
        for x in low.x.ceil() as i64..=high.x.floor() as i64 {
            self.line(panel, &[[x as f64, low.y], [x as f64, high.y]], pen);
        }
        for y in low.y.ceil() as i64..=high.y.floor() as i64 {
            self.line(panel, &[[low.x, y as f64], [high.x, y as f64]], pen);
        }
        self.canvas.frame(panel.left, panel.top, panel.width, panel.height, Pen::solid(INK.with_alpha(0.5), 1.0));
    }

    pub(super) fn line(&mut self, panel: &Panel, points: &[[f64; 2]], pen: Pen) {
        let points: Vec<_> = points.iter().map(|point| panel.pixel(Point2::from(*point))).collect();
        self.canvas.line(&points, pen);
    }

    pub(super) fn area(&mut self, panel: &Panel, corners: &[[f64; 2]], color: Color) {
        let corners: Vec<_> = corners.iter().map(|point| panel.pixel(Point2::from(*point))).collect();
        self.canvas.polygon(&corners, color);
    }

    /// A filled shape with a border.
    pub(super) fn shape(&mut self, panel: &Panel, corners: &[[f64; 2]], rgb: Rgb, alpha: f32) {
        self.area(panel, corners, rgb.with_alpha(alpha));
        let around: Vec<_> = corners.iter().chain(corners.first()).copied().collect();
        self.line(panel, &around, Pen::solid(rgb.color(), 2.0));
    }

    /// A filled circle with a border.
    pub(super) fn circle(&mut self, panel: &Panel, center: [f64; 2], radius: f64, rgb: Rgb, alpha: f32, dashed: bool) {
        let middle = panel.pixel(Point2::from(center));
        self.canvas.disc(middle, radius * panel.scale, rgb.with_alpha(alpha));
        let pen = Pen { color: rgb.color(), width: 2.0, dashed };
        self.line(panel, &arc(center, radius, 0.0, std::f64::consts::TAU), pen);
    }

    pub(super) fn dot(&mut self, panel: &Panel, place: [f64; 2], rgb: Rgb) {
        let place = panel.pixel(Point2::from(place));
        self.canvas.disc(place, 6.0, PAPER.color());
        self.canvas.disc(place, 4.6, rgb.color());
    }

    /// A line with a head at its end.
    pub(super) fn arrow(&mut self, panel: &Panel, from: [f64; 2], to: [f64; 2], rgb: Rgb, width: f64) {
        let (from, to) = (panel.pixel(Point2::from(from)), panel.pixel(Point2::from(to)));
        let Some(along) = (to - from).try_normalize(1e-9) else { return };
        let across = Vector2::new(-along.y, along.x);
        let (length, half) = (5.0 + 3.0 * width, 2.5 + 1.4 * width);
        self.canvas.line(&[from, to - along * (length * 0.8)], Pen::solid(rgb.color(), width));
        let wings = [to - along * length + across * half, to - along * length - across * half];
        self.canvas.polygon(&[to, wings[0], wings[1]], rgb.color());
    }

    /// Words on a pale ground; `shift` is in pixels from the place, downwards.
    pub(super) fn label(&mut self, panel: &Panel, words: &str, place: [f64; 2], shift: [f64; 2], look: (Rgb, Align)) {
        let at = panel.pixel(Point2::from(place)) + Vector2::from(shift);
        self.canvas.label(words, at, Face::BODY, look.0, look.1);
    }

    /// The name of a panel in its upper left corner.
    pub(super) fn caption(&mut self, panel: &Panel, words: &str) {
        let at = Point2::new(panel.left + 14.0, panel.top + 18.0);
        self.canvas.label(words, at, Face::HEADING, INK, Align::Start);
    }

    /// Lines of words in the lower left corner of a panel.
    pub(super) fn notes(&mut self, panel: &Panel, lines: &[&str]) {
        let bottom = panel.top + panel.height - 18.0;
        for (i, words) in lines.iter().rev().enumerate() {
            let at = Point2::new(panel.left + 14.0, bottom - 22.0 * i as f64);
            self.canvas.label(words, at, Face::BODY, INK, Align::Start);
        }
    }
}

/// Points along a part of a circle, angles counter-clockwise in radians.
pub(super) fn arc(center: [f64; 2], radius: f64, from: f64, to: f64) -> Vec<[f64; 2]> {
    const PIECES: usize = 96;
    let angle = |i: usize| from + (to - from) * i as f64 / PIECES as f64;
    (0..=PIECES).map(|i| [center[0] + radius * angle(i).cos(), center[1] + radius * angle(i).sin()]).collect()
}

/// The corners of a box.
pub(super) fn corners(min: [f64; 2], max: [f64; 2]) -> [[f64; 2]; 4] {
    [min, [max[0], min[1]], max, [min[0], max[1]]]
}
