//! Words: DejaVu Sans, drawn glyph by glyph.

use anyhow::{Result, anyhow};
use fontdue::{Font, FontSettings};
use nalgebra::Point2;
use tiny_skia::{Pixmap, PremultipliedColorU8};

use super::palette::Rgb;

/// The fonts of the picture.
pub(crate) struct Lettering {
    regular: Font,
    bold: Font,
}

/// Size in pixels and weight of letters.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Face {
    pub(crate) size: f64,
    pub(crate) is_bold: bool,
}

impl Face {
    pub(crate) const TITLE: Self = Self { size: 22.0, is_bold: true };
    pub(crate) const HEADING: Self = Self { size: 15.0, is_bold: true };
    pub(crate) const BODY: Self = Self { size: 14.0, is_bold: false };
    pub(crate) const SMALL: Self = Self { size: 12.0, is_bold: false };
}

/// On which side of a position the words stand.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Align {
    /// They begin there.
    Start,
    Middle,
    /// They end there.
    End,
}

impl Align {
    /// The left end of words of this width at `x`.
    pub(crate) fn left(self, x: f64, width: f64) -> f64 {
        match self {
            Self::Start => x,
            Self::Middle => x - width / 2.0,
            Self::End => x - width,
        }
    }
}

impl Lettering {
    pub(crate) fn new() -> Result<Self> {
        Ok(Self { regular: font(dejavu::sans::regular())?, bold: font(dejavu::sans::bold())? })
    }

    pub(crate) fn width(&self, text: &str, face: Face) -> f64 {
        let font = self.font(face);
        text.chars().map(|letter| f64::from(font.metrics(letter, face.size as f32).advance_width)).sum()
    }

    pub(crate) fn write(&self, pixmap: &mut Pixmap, text: &str, at: Point2<f64>, face: Face, color: Rgb, align: Align) {
        let font = self.font(face);
        // Capitals and digits of DejaVu are 0.73 of its size high; half of that below the middle is the baseline.
        let baseline = (at.y + 0.365 * face.size).round() as i64;
        let mut x = align.left(at.x, self.width(text, face)).round();
        for letter in text.chars() {
            let (metrics, coverage) = font.rasterize(letter, face.size as f32);
            let left = x.round() as i64 + i64::from(metrics.xmin);
            let top = baseline - i64::from(metrics.ymin) - metrics.height as i64;
            for (i, &opacity) in coverage.iter().enumerate() {
                let (column, row) = (i % metrics.width, i / metrics.width);
                blend(pixmap, left + column as i64, top + row as i64, color, opacity);
            }
            x += f64::from(metrics.advance_width);
        }
    }

    fn font(&self, face: Face) -> &Font {
        if face.is_bold { &self.bold } else { &self.regular }
    }
}

fn font(bytes: &[u8]) -> Result<Font> {
    let settings = FontSettings { load_substitutions: false, ..FontSettings::default() };
    Font::from_bytes(bytes, settings).map_err(|reason| anyhow!("cannot read the built-in font: {reason}"))
}

/// Lays a colour over an opaque pixel.
fn blend(pixmap: &mut Pixmap, x: i64, y: i64, color: Rgb, opacity: u8) {
    let (width, height) = (i64::from(pixmap.width()), i64::from(pixmap.height()));
    if opacity == 0 || !(0..width).contains(&x) || !(0..height).contains(&y) {
        return;
    }
    let pixel = &mut pixmap.pixels_mut()[(y * width + x) as usize];
    let over = |new: u8, old: u8| {
        ((u32::from(new) * u32::from(opacity) + u32::from(old) * (255 - u32::from(opacity)) + 127) / 255) as u8
    };
    let (red, green, blue) = (over(color.0, pixel.red()), over(color.1, pixel.green()), over(color.2, pixel.blue()));
    if let Some(mixed) = PremultipliedColorU8::from_rgba(red, green, blue, 255) {
        *pixel = mixed;
    }
}

/// A length or height with as many digits as it needs: `0.25`, `12`, `1500`.
pub(crate) fn number(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    let text = if rounded.abs() >= 1e7 { format!("{rounded:.2e}") } else { format!("{rounded}") };
    if text == "-0" { "0".to_owned() } else { text }
}

/// The largest of 1, 2 and 5 times a power of ten that is at most `limit`, which is above zero.
pub(crate) fn round_below(limit: f64) -> f64 {
    let power = 10_f64.powi(limit.log10().floor() as i32);
    [5.0, 2.0].into_iter().map(|digit| digit * power).find(|value| *value <= limit).unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_round() {
        assert_eq!(round_below(7.3), 5.0);
        assert_eq!(round_below(4.9), 2.0);
        assert_eq!(round_below(0.19), 0.1);
        assert_eq!(round_below(1000.0), 1000.0);
    }

    #[test]
    fn numbers_have_no_needless_digits() {
        assert_eq!(number(0.25), "0.25");
        assert_eq!(number(12.000_01), "12");
        assert_eq!(number(-0.001), "0");
    }
}
