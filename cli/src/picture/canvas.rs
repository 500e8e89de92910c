//! A sheet to draw on: lines, discs, boxes and words over a [`Pixmap`].

use anyhow::{Context, Result};
use nalgebra::{Point2, Vector3};
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, PixmapPaint, Rect, Stroke, StrokeDash,
    Transform,
};

use super::{
    palette::{INK, PAPER, Rgb},
    text::{Align, Face, Lettering},
};

/// A pixmap with the means to draw on it. Positions are pixels from the upper left corner; whatever is outside is cut.
pub(crate) struct Canvas<'a> {
    pub(crate) pixmap: Pixmap,
    lettering: &'a Lettering,
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pen {
    pub(crate) color: Color,
    pub(crate) width: f64,
    pub(crate) dashed: bool,
}

impl Pen {
    pub(crate) fn solid(color: Color, width: f64) -> Self {
        Self { color, width, dashed: false }
    }
}

impl<'a> Canvas<'a> {
    pub(crate) fn new(width: u32, height: u32, background: Rgb, lettering: &'a Lettering) -> Result<Self> {
        let mut pixmap = Pixmap::new(width, height).context("a picture needs a size above zero")?;
        pixmap.fill(background.color());
        Ok(Self { pixmap, lettering })
    }

    pub(crate) fn width(&self) -> f64 {
        f64::from(self.pixmap.width())
    }

    pub(crate) fn height(&self) -> f64 {
        f64::from(self.pixmap.height())
    }

    pub(crate) fn line(&mut self, points: &[Point2<f64>], pen: Pen) {
        let Some(path) = polyline(points, false) else { return };
        let width = pen.width as f32;
        let dash = pen.dashed.then(|| StrokeDash::new(vec![2.2 * width, 2.4 * width], 0.0)).flatten();
        let line_cap = if pen.dashed { LineCap::Butt } else { LineCap::Round };
        let stroke = Stroke { width, line_cap, line_join: LineJoin::Round, dash, ..Stroke::default() };
        self.pixmap.stroke_path(&path, &paint(pen.color), &stroke, Transform::identity(), None);
    }

    pub(crate) fn polygon(&mut self, points: &[Point2<f64>], color: Color) {
        let Some(path) = polyline(points, true) else { return };
        self.pixmap.fill_path(&path, &paint(color), FillRule::Winding, Transform::identity(), None);
    }

    pub(crate) fn disc(&mut self, center: Point2<f64>, radius: f64, color: Color) {
        let Some(path) = PathBuilder::from_circle(center.x as f32, center.y as f32, radius as f32) else { return };
        self.pixmap.fill_path(&path, &paint(color), FillRule::Winding, Transform::identity(), None);
    }

    pub(crate) fn rect(&mut self, left: f64, top: f64, width: f64, height: f64, color: Color) {
        let Some(rect) = Rect::from_xywh(left as f32, top as f32, width as f32, height as f32) else { return };
        self.pixmap.fill_rect(rect, &paint(color), Transform::identity(), None);
    }

    pub(crate) fn frame(&mut self, left: f64, top: f64, width: f64, height: f64, pen: Pen) {
        let (right, bottom) = (left + width, top + height);
        let corners = [[left, top], [right, top], [right, bottom], [left, bottom], [left, top]];
        self.line(&corners.map(Point2::from), pen);
    }

    /// Writes with the middle of the letters at the height `at.y`.
    pub(crate) fn text(&mut self, text: &str, at: Point2<f64>, face: Face, color: Rgb, align: Align) {
        self.lettering.write(&mut self.pixmap, text, at, face, color, align);
    }

    pub(crate) fn text_width(&self, text: &str, face: Face) -> f64 {
        self.lettering.width(text, face)
    }

    /// Writes on a pale box, so that it can be read over anything.
    pub(crate) fn label(&mut self, text: &str, at: Point2<f64>, face: Face, color: Rgb, align: Align) {
        let width = self.text_width(text, face);
        let left = align.left(at.x, width);
        let height = face.size * 1.5;
        self.rect(left - 5.0, at.y - height / 2.0, width + 10.0, height, PAPER.with_alpha(0.86));
        self.text(text, at, face, color, align);
    }

    /// Copies another sheet onto this one, with a thin frame.
    pub(crate) fn place(&mut self, sheet: &Canvas<'_>, left: i32, top: i32) {
        let (paint, pixmap) = (PixmapPaint::default(), sheet.pixmap.as_ref());
        self.pixmap.draw_pixmap(left, top, pixmap, &paint, Transform::identity(), None);
        let (left, top) = (f64::from(left) - 0.5, f64::from(top) - 0.5);
        self.frame(left, top, sheet.width() + 1.0, sheet.height() + 1.0, Pen::solid(INK.with_alpha(0.55), 1.0));
    }

    /// Sets one pixel to a colour with channels from 0 to 1.
    pub(crate) fn set_pixel(&mut self, index: usize, rgb: Vector3<f64>) {
        let byte = |channel: f64| (channel.clamp(0.0, 1.0) * 255.0).round() as u8;
        let bytes = [byte(rgb.x), byte(rgb.y), byte(rgb.z), 255];
        self.pixmap.data_mut()[4 * index..4 * index + 4].copy_from_slice(&bytes);
    }
}

fn paint(color: Color) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(color);
    paint
}

/// Far away points are pulled in: the rasterizer works with 32-bit numbers and is free to give up on huge ones.
fn polyline(points: &[Point2<f64>], closed: bool) -> Option<Path> {
    const FAR: f64 = 20_000.0;
    let mut builder = PathBuilder::new();
    for (i, point) in points.iter().enumerate() {
        let (x, y) = (point.x.clamp(-FAR, FAR) as f32, point.y.clamp(-FAR, FAR) as f32);
        if i == 0 { builder.move_to(x, y) } else { builder.line_to(x, y) }
    }
    if closed {
        builder.close();
    }
    builder.finish()
}
