//! Pixels to colours: slope class, sunlight, height, corners in shadow, and outlines.

use nalgebra::Vector3;

use super::{
    camera::Camera,
    canvas::Canvas,
    palette::{self, VOID},
    raster::{NOTHING, Surface},
    stage::Facet,
};

/// Each pixel of the picture is the mean of a square of so many by so many samples.
pub(super) const SAMPLES: usize = 2;

/// Towards the sun on the stage: from the north-west, as maps have it.
const SUN: Vector3<f64> = Vector3::new(-0.48, 0.36, 0.80);

/// Heights between which the tint goes from dark to light.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tint {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Tint {
    /// The heights that a surface shows, but for the outermost hundredths: one deep pit must not flatten the rest.
    pub(super) fn of(surface: &Surface, camera: &Camera) -> Self {
        let shown = |i: usize| {
            let (x, y) = ((i % surface.width) as f64, (i / surface.width) as f64);
            (surface.facet[i] != NOTHING).then(|| camera.height_at(x, y, f64::from(surface.nearness[i])))
        };
        let mut heights: Vec<f64> = (0..surface.facet.len()).step_by(37).filter_map(shown).collect();
        heights.sort_unstable_by(f64::total_cmp);
        let at = |part: f64| heights.get((heights.len() as f64 * part) as usize).copied().unwrap_or(0.0);
        Self { low: at(0.01), high: at(0.99) }
    }

    /// The factor on the colour of a surface at this height.
    pub(super) fn factor(&self, height: f64) -> Vector3<f64> {
        let part = ((height - self.low) / (self.high - self.low).max(0.5)).clamp(0.0, 1.0);
        let (deep, tall) = (Vector3::new(0.78, 0.80, 0.83), Vector3::new(1.04, 1.02, 0.98));
        deep + (tall - deep) * part
    }
}

/// Paints what `surface` shows (through `camera`, which is as many times larger as there are samples) onto `canvas`.
pub(super) fn paint(canvas: &mut Canvas<'_>, surface: &Surface, facets: &[Facet], camera: &Camera, tint: &Tint) {
    let surroundings = surroundings();
    let shader = Shader { surface, facets, camera, tint, surroundings: &surroundings };
    let width = surface.width / SAMPLES;
    for y in 0..surface.height / SAMPLES {
        for x in 0..width {
            let (left, top) = (x * SAMPLES, y * SAMPLES);
            let samples = (0..SAMPLES * SAMPLES).map(|i| shader.color(left + i % SAMPLES, top + i / SAMPLES));
            let sum: Vector3<f64> = samples.sum();
            let light = 1.0 - shader.occlusion(left, top);
            canvas.set_pixel(y * width + x, sum * (light / (SAMPLES * SAMPLES) as f64));
        }
    }
}

/// Three rings of eight places, each turned against the next.
fn surroundings() -> Vec<(f64, f64, f64)> {
    const RADII: [f64; 3] = [6.0, 14.0, 26.0];
    const DIRECTIONS: usize = 8;
    let place = |ring: usize, turn: usize| {
        let angle = (turn as f64 + 0.5 * ring as f64) * std::f64::consts::TAU / DIRECTIONS as f64;
        ((RADII[ring] * angle.cos()).round(), (RADII[ring] * angle.sin()).round(), RADII[ring])
    };
    (0..RADII.len()).flat_map(|ring| (0..DIRECTIONS).map(move |turn| place(ring, turn))).collect()
}

struct Shader<'a> {
    surface: &'a Surface,
    facets: &'a [Facet],
    camera: &'a Camera,
    tint: &'a Tint,
    /// Where to look for what keeps off the light: pixels to the right, pixels down, and how far that is.
    surroundings: &'a [(f64, f64, f64)],
}

impl Shader<'_> {
    fn color(&self, x: usize, y: usize) -> Vector3<f64> {
        let pixel = y * self.surface.width + x;
        let ink = self.outline(x, y);
        let Some(facet) = self.facet(pixel) else { return VOID.vector() * (1.0 - ink) };
        let height = self.camera.height_at(x as f64, y as f64, f64::from(self.surface.nearness[pixel]));
        let light = 0.62 + 0.42 * facet.normal.dot(&SUN).max(0.0) + 0.06 * facet.normal.z;
        let base = palette::surface(facet.normal.z);
        base.component_mul(&self.tint.factor(height)) * (light * (1.0 - ink))
    }

    /// How much ink the border to a neighbouring sample takes: most where the surface is torn, less where it is bent.
    fn outline(&self, x: usize, y: usize) -> f64 {
        const TORN: f64 = 0.62;
        const BENT: f64 = 0.34;
        /// The cosine of the bend from which on there is a line: 20°.
        const BEND: f64 = 0.94;
        let (width, height) = (self.surface.width, self.surface.height);
        let pixel = y * width + x;
        let mut ink: f64 = 0.0;
        for (dx, dy) in [(1_isize, 0_isize), (-1, 0), (0, 1), (0, -1)] {
            let (Some(x), Some(y)) = (x.checked_add_signed(dx), y.checked_add_signed(dy)) else { continue };
            if x >= width || y >= height {
                continue;
            }
            let other = y * width + x;
            if self.surface.facet[pixel] == self.surface.facet[other] {
                continue;
            }
            let (Some(here), Some(there)) = (self.facet(pixel), self.facet(other)) else {
                ink = TORN;
                continue;
            };
            // Nearness of the neighbour if both planes went on to the middle between the two.
            let ahead = self.nearness(pixel) + self.rise(here, dx as f64 / 2.0, dy as f64 / 2.0);
            let back = self.nearness(other) - self.rise(there, dx as f64 / 2.0, dy as f64 / 2.0);
            let tear = 0.05_f64.max(1.2 / self.camera.scale);
            if (ahead - back).abs() > tear {
                ink = ink.max(TORN);
            } else if here.normal.dot(&there.normal) < BEND {
                ink = ink.max(BENT * self.weight(here).min(self.weight(there)));
            }
        }
        ink
    }

    /// How much a bend at a facet counts: little where facets are hardly larger than pixels, as on a dense scan.
    fn weight(&self, facet: &Facet) -> f64 {
        const NOT_BELOW: f64 = 5.0;
        const FULLY_FROM: f64 = 16.0;
        let [a, b, c] = facet.corners;
        let side = ((b - a).cross(&(c - a)).norm() / 2.0).sqrt() * self.camera.scale;
        ((side - NOT_BELOW) / (FULLY_FROM - NOT_BELOW)).clamp(0.0, 1.0)
    }

    /// How much of the light is kept from a sample by what rises around it (in the way of Crytek's ambient occlusion,
    /// 2007, with a fixed pattern, so that the picture has no noise).
    fn occlusion(&self, x: usize, y: usize) -> f64 {
        const STRENGTH: f64 = 0.5;
        let pixel = y * self.surface.width + x;
        let Some(facet) = self.facet(pixel) else { return 0.0 };
        let here = self.nearness(pixel);
        let mut shadow = 0.0;
        for &(dx, dy, radius) in self.surroundings {
            let (x, y) = (x as f64 + dx, y as f64 + dy);
            if x < 0.0 || y < 0.0 || x >= self.surface.width as f64 || y >= self.surface.height as f64 {
                continue;
            }
            let other = y as usize * self.surface.width + x as usize;
            let rise = self.nearness(other) - here - self.rise(facet, dx, dy);
            // As an angle: what rises as much as it is away keeps off all that it can.
            let reach = radius / self.camera.scale;
            if rise > 0.15 * reach {
                shadow += (rise / reach).min(1.0);
            }
        }
        STRENGTH * shadow / self.surroundings.len() as f64
    }

    fn facet(&self, pixel: usize) -> Option<&Facet> {
        self.facets.get(self.surface.facet[pixel] as usize)
    }

    fn nearness(&self, pixel: usize) -> f64 {
        f64::from(self.surface.nearness[pixel])
    }

    /// By how much the plane of a facet comes nearer over so many pixels to the right and down.
    fn rise(&self, facet: &Facet, dx: f64, dy: f64) -> f64 {
        let seen = self.camera.turn(&facet.normal);
        // A plane seen nearly edge on has no useful gradient.
        -(seen.x * dx + seen.y * dy) / (seen.z.max(0.05) * self.camera.scale)
    }
}
