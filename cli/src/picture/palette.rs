//! Every colour of the picture, in one place, so that the legend cannot disagree with the views.

use nalgebra::Vector3;
use tiny_skia::Color;

use super::Ground;

/// A colour in sRGB, 0 to 255.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rgb(pub(crate) u8, pub(crate) u8, pub(crate) u8);

pub(crate) const PAGE: Rgb = Rgb(0xf7, 0xf8, 0xfa);
pub(crate) const PAPER: Rgb = Rgb(0xff, 0xff, 0xff);
/// Where a view shows no triangle.
pub(crate) const VOID: Rgb = Rgb(0xe6, 0xeb, 0xf2);
pub(crate) const INK: Rgb = Rgb(0x1c, 0x23, 0x30);
pub(crate) const FAINT_INK: Rgb = Rgb(0x5a, 0x64, 0x74);
pub(crate) const GRID: Rgb = Rgb(0xe2, 0xe6, 0xec);
pub(crate) const EARTH: Rgb = Rgb(0xe9, 0xe2, 0xd2);
pub(crate) const START: Rgb = Rgb(0x10, 0x93, 0x3c);
pub(crate) const END: Rgb = Rgb(0xd3, 0x1c, 0x1c);
pub(crate) const CONTACT: Rgb = Rgb(0x14, 0x14, 0x18);

impl Rgb {
    pub(crate) fn color(self) -> Color {
        Color::from_rgba8(self.0, self.1, self.2, 255)
    }

    pub(crate) fn with_alpha(self, alpha: f32) -> Color {
        let mut color = self.color();
        color.set_alpha(alpha);
        color
    }

    /// The channels from 0 to 1, to calculate with.
    pub(crate) fn vector(self) -> Vector3<f64> {
        Vector3::new(f64::from(self.0), f64::from(self.1), f64::from(self.2)) / 255.0
    }
}

/// The colour of the track.
pub(crate) fn ground(ground: Ground) -> Rgb {
    match ground {
        Ground::OnGround => Rgb(0x0b, 0x57, 0xd0),
        Ground::OnSteepGround => Rgb(0xd5, 0x00, 0x7f),
        Ground::Touching => Rgb(0xf2, 0x6b, 0x00),
        Ground::InAir => Rgb(0x00, 0xa9, 0xc8),
    }
}

/// The four kinds of ground with the words of the legend.
pub(crate) const GROUNDS: [(Ground, &str); 4] = [
    (Ground::OnGround, "on ground"),
    (Ground::OnSteepGround, "on steep ground"),
    (Ground::Touching, "touching"),
    (Ground::InAir, "in air"),
];

/// What a surface is to someone who walks: told by its slope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SlopeClass {
    Floor,
    Slope,
    Steep,
    Wall,
    Ceiling,
}

/// The classes with the words of the legend; a ceiling shows in the section only and explains itself there.
pub(crate) const SLOPES: [(SlopeClass, &str); 4] = [
    (SlopeClass::Floor, "floor"),
    (SlopeClass::Slope, "slope 8\u{2013}46\u{b0}"),
    (SlopeClass::Steep, "steep"),
    (SlopeClass::Wall, "wall"),
];

/// The colour of a surface whose unit normal has this component along up.
///
/// Around the limits of the classes one colour goes over into the next: on a terrain, which is full of slopes near any
/// limit, hard limits would show as speckles.
pub(crate) fn surface(upward: f64) -> Vector3<f64> {
    // From and to which component along up one class goes over into the next: 5 to 12, 44 to 48 and 74 to 80 degrees.
    let borders =
        [(SlopeClass::Slope, 0.996, 0.978), (SlopeClass::Steep, 0.719, 0.669), (SlopeClass::Wall, 0.276, 0.174)];
    borders.into_iter().fold(SlopeClass::Floor.rgb().vector(), |color, (class, from, to)| {
        color.lerp(&class.rgb().vector(), ((from - upward) / (from - to)).clamp(0.0, 1.0))
    })
}

impl SlopeClass {
    /// The class of a surface whose unit normal has this component along up.
    pub(crate) fn of(upward: f64) -> Self {
        // Cosines of 8, 46 (one more than the usual limit, so that a 45° ramp counts as a slope), 78 and 102 degrees.
        match upward {
            up if up > 0.990 => Self::Floor,
            up if up > 0.694 => Self::Slope,
            up if up > 0.208 => Self::Steep,
            up if up > -0.208 => Self::Wall,
            _ => Self::Ceiling,
        }
    }

    pub(crate) fn rgb(self) -> Rgb {
        match self {
            Self::Floor => Rgb(0xf3, 0xeb, 0xd8),
            Self::Slope => Rgb(0xb4, 0xcd, 0x8c),
            Self::Steep => Rgb(0xd8, 0x8a, 0x5e),
            Self::Wall => Rgb(0x76, 0x80, 0x94),
            Self::Ceiling => Rgb(0x9a, 0x92, 0xa8),
        }
    }
}
