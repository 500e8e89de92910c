//! What explains the views: headings, scale bars, axes and the legend.

use nalgebra::Point2;

use super::{
    Ground,
    camera::Camera,
    canvas::{Canvas, Pen},
    palette::{self, FAINT_INK, INK, PAPER, SlopeClass},
    shade::Tint,
    stage::Stage,
    text::{Align, Face, number, round_below},
    track,
};

pub(super) fn heading(canvas: &mut Canvas<'_>, text: &str) {
    canvas.label(text, Point2::new(14.0, 19.0), Face::HEADING, INK, Align::Start);
}

/// A bar of a round number of metres in the lower left corner.
pub(super) fn scale_bar(canvas: &mut Canvas<'_>, camera: &Camera) {
    let metres = round_below(canvas.width() * 0.24 / camera.scale);
    let (length, height) = (metres * camera.scale, 6.0);
    let (left, y) = (20.0, canvas.height() - 22.0);
    canvas.rect(left - 10.0, y - 24.0, length + 20.0, 38.0, PAPER.with_alpha(0.86));
    canvas.rect(left, y, length, height, INK.color());
    canvas.rect(left + length / 2.0, y + 1.0, length / 2.0 - 1.0, height - 2.0, PAPER.color());
    let words = format!("{} m", number(metres));
    canvas.text(&words, Point2::new(left + length / 2.0, y - 11.0), Face::BODY, INK, Align::Middle);
}

/// The world's axes as they are seen, in the lower right corner. One that points at the camera shows as a ring.
pub(super) fn axes(canvas: &mut Canvas<'_>, stage: &Stage, camera: &Camera) {
    const LENGTH: f64 = 34.0;
    let middle = Point2::new(canvas.width() - 62.0, canvas.height() - 62.0);
    canvas.disc(middle, 54.0, PAPER.with_alpha(0.86));
    for (axis, name) in stage.world_axes.iter().zip(["x", "y", "z"]) {
        let seen = camera.turn(axis);
        let arm = seen.xy() * LENGTH;
        if seen.xy().norm() < 0.15 {
            ring(canvas, middle, name, seen.z > 0.0);
            continue;
        }
        let (tip, along) = (middle + arm, seen.xy().normalize());
        let across = nalgebra::Vector2::new(-along.y, along.x);
        canvas.line(&[middle, tip], Pen::solid(INK.color(), 2.2));
        canvas.polygon(
            &[tip + along * 6.0, tip + across * 4.5 - along * 3.0, tip - across * 4.5 - along * 3.0],
            INK.color(),
        );
        canvas.text(name, tip + along * 13.0, Face::HEADING, INK, Align::Middle);
    }
}

fn ring(canvas: &mut Canvas<'_>, at: Point2<f64>, name: &str, towards_us: bool) {
    canvas.disc(at, 6.0, INK.color());
    canvas.disc(at, 4.2, PAPER.color());
    if towards_us {
        canvas.disc(at, 2.0, INK.color());
    }
    canvas.text(name, at + nalgebra::Vector2::new(-15.0, -14.0), Face::HEADING, FAINT_INK, Align::Middle);
}

/// All colours and signs with their meaning, in one row from `left` with its middle at the height `y`.
pub(super) fn legend(canvas: &mut Canvas<'_>, stage: &Stage, tint: &Tint, left: f64, y: f64) {
    const SPACE: f64 = 18.0;
    let mut x = left;
    let mut entry = |canvas: &mut Canvas<'_>, width: f64, words: &str, sign: &dyn Fn(&mut Canvas<'_>, f64)| {
        sign(canvas, x);
        canvas.text(words, Point2::new(x + width + 7.0, y), Face::BODY, INK, Align::Start);
        x += width + 7.0 + canvas.text_width(words, Face::BODY) + SPACE;
    };
    let caption = |canvas: &mut Canvas<'_>, x: f64, words: &str| {
        canvas.text(words, Point2::new(x, y), Face::HEADING, INK, Align::Start);
    };
    entry(canvas, 36.0, "", &|canvas, x| caption(canvas, x, "Track"));
    for (ground, words) in palette::GROUNDS {
        let pen = Pen::solid(palette::ground(ground).color(), 4.5);
        entry(canvas, 26.0, words, &|canvas, x| canvas.line(&[Point2::new(x + 2.0, y), Point2::new(x + 24.0, y)], pen));
    }
    let hidden = Pen { color: palette::ground(Ground::OnGround).color(), width: 2.6, dashed: true };
    entry(canvas, 30.0, "covered", &|canvas, x| canvas.line(&[Point2::new(x, y), Point2::new(x + 30.0, y)], hidden));
    entry(canvas, 16.0, "start", &|canvas, x| track::start_sign(canvas, Point2::new(x + 8.0, y)));
    entry(canvas, 16.0, "end", &|canvas, x| track::end_sign(canvas, Point2::new(x + 8.0, y)));
    entry(canvas, 8.0, "contact", &|canvas, x| track::dot(canvas, Point2::new(x + 4.0, y), 1.0));
    entry(canvas, 36.0, "", &|canvas, x| caption(canvas, x, "Level"));
    for (class, words) in palette::SLOPES {
        entry(canvas, 26.0, words, &|canvas, x| swatch(canvas, x, y, class));
    }
    let heights = [tint.low, tint.high].map(|height| number((height + stage.height_offset).round()));
    let words = format!("height {} to {} m", heights[0], heights[1]);
    entry(canvas, 60.0, &words, &|canvas, x| gradient(canvas, x, y, tint));
}

fn swatch(canvas: &mut Canvas<'_>, x: f64, y: f64, class: SlopeClass) {
    canvas.rect(x, y - 8.0, 26.0, 16.0, class.rgb().color());
    canvas.frame(x, y - 8.0, 26.0, 16.0, Pen::solid(INK.with_alpha(0.6), 1.0));
}

/// From the tint of the lowest to that of the highest floor.
fn gradient(canvas: &mut Canvas<'_>, x: f64, y: f64, tint: &Tint) {
    const WIDTH: usize = 60;
    for column in 0..WIDTH {
        let height = tint.low + (tint.high - tint.low).max(0.5) * column as f64 / WIDTH as f64;
        let rgb = SlopeClass::Floor.rgb().vector().component_mul(&tint.factor(height)).map(|c| c.min(1.0) as f32);
        let color = tiny_skia::Color::from_rgba(rgb.x, rgb.y, rgb.z, 1.0).unwrap_or(tiny_skia::Color::WHITE);
        canvas.rect(x + column as f64, y - 8.0, 1.0, 16.0, color);
    }
    canvas.frame(x, y - 8.0, WIDTH as f64, 16.0, Pen::solid(INK.with_alpha(0.6), 1.0));
}
