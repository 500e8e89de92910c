//! The broad phase: how many pairs of boxes are looked at.

use anyhow::Result;
use nalgebra::{Point2, Vector2};
use sidle::{
    Aabb2,
    broad_phase::{BruteForce, PairCounts, SortAndSweep},
};

use super::{
    figure::{BLUE, Figure, GREEN, ORANGE, STONE, corners},
    note,
};
use crate::picture::{
    canvas::Pen,
    palette::INK,
    text::{Align, Lettering},
};

/// The number of boxes of the picture on the left and of the numbers.
const BOXES: usize = 200;

/// Boxes of half a metre to one and a half, in a square in which each overlaps about one other; the same in every run.
fn boxes(count: usize) -> Vec<Aabb2<f64>> {
    let side = 2.0 * (count as f64).sqrt();
    let mut state = 1_u64;
    let mut next = |low: f64, high: f64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * (state >> 40) as f64 / (1_u64 << 24) as f64
    };
    let mut random = |_| {
        let min = Point2::new(next(0.0, side), next(0.0, side));
        Aabb2 { min, max: min + Vector2::new(next(0.5, 1.5), next(0.5, 1.5)) }
    };
    (0..count).map(&mut random).collect()
}

fn count(boxes: &[Aabb2<f64>]) -> Result<[PairCounts; 2]> {
    let (mut all, mut sweep) = (BruteForce::new(), SortAndSweep::new());
    all.update(boxes)?;
    sweep.update(boxes)?;
    Ok([all.counts(), sweep.counts()])
}

/// The boxes with those that overlap marked, and checks over the number of boxes.
pub(super) fn checks(lettering: &Lettering, numbers: &mut String) -> Result<Vec<u8>> {
    let some = boxes(BOXES);
    let [brute, swept] = count(&some)?;
    note(numbers, "pairs_brute", brute.pairs);
    note(numbers, "pairs_sweep", swept.pairs);
    note(numbers, "checks_brute", brute.checks);
    note(numbers, "checks_sweep", swept.checks);

    let words =
        "Sorted along one axis, a box is compared only with those that begin before it ends. Both find the same pairs.";
    let mut figure = Figure::new(1240, 700, "Sort and sweep against all pairs", words, lettering)?;
    draw_boxes(&mut figure, &some)?;
    draw_plot(&mut figure, [brute, swept])?;
    figure.png()
}

fn draw_boxes(figure: &mut Figure<'_>, some: &[Aabb2<f64>]) -> Result<()> {
    let side = 2.0 * (some.len() as f64).sqrt();
    let map = figure.panel(0, 2, [-0.5, -0.5], [side + 2.0, side + 2.0]);
    let mut sweep = SortAndSweep::new();
    let pairs = sweep.update(some)?;
    let mut overlaps = vec![false; some.len()];
    for pair in pairs {
        overlaps[pair.a as usize] = true;
        overlaps[pair.b as usize] = true;
    }
    for (bounds, overlaps) in some.iter().zip(&overlaps) {
        let color = if *overlaps { ORANGE } else { STONE };
        figure.shape(&map, &corners(bounds.min.coords.into(), bounds.max.coords.into()), color, 0.3);
    }
    figure.caption(&map, &format!("{} boxes, {} overlapping pairs (orange)", some.len(), pairs.len()));
    Ok(())
}

fn draw_plot(figure: &mut Figure<'_>, [brute, swept]: [PairCounts; 2]) -> Result<()> {
    // Decades to the right and upwards: 10 to 10,000 boxes, 1 to 100 million checks.
    let plot = figure.panel(1, 2, [-1.9, -1.0], [10.2, 8.8]);
    // A decade of boxes takes twice the room of one of checks.
    let place = |n: f64, checks: f64| [wide(n.log10()), checks.max(1.0).log10()];
    for (power, words) in [(1.0, "10"), (2.0, "100"), (3.0, "1,000"), (4.0, "10,000")] {
        figure.line(&plot, &[[wide(power), 0.0], [wide(power), 8.0]], Pen::solid(INK.with_alpha(0.25), 1.0));
        figure.label(&plot, words, [wide(power), 0.0], [0.0, 16.0], (INK, Align::Middle));
    }
    for (power, words) in [(0.0, "1"), (2.0, "100"), (4.0, "10,000"), (6.0, "1 million"), (8.0, "100 million")] {
        figure.line(&plot, &[[wide(1.0), power], [wide(4.0), power]], Pen::solid(INK.with_alpha(0.25), 1.0));
        figure.label(&plot, words, [wide(1.0), power], [-6.0, 0.0], (INK, Align::End));
    }
    let mut lines = [Vec::new(), Vec::new(), Vec::new()];
    for n in [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000] {
        let some = boxes(n);
        let mut sweep = SortAndSweep::new();
        sweep.update(&some)?;
        let all = (n * (n - 1) / 2) as f64;
        lines[0].push(place(n as f64, all));
        lines[1].push(place(n as f64, sweep.counts().checks as f64));
        lines[2].push(place(n as f64, sweep.counts().pairs as f64));
    }
    for (line, color) in lines.iter().zip([ORANGE, BLUE, GREEN]) {
        figure.line(&plot, line, Pen::solid(color.color(), 3.0));
        line.iter().for_each(|point| figure.dot(&plot, *point, color));
    }
    for (line, color, words) in [
        (&lines[0], ORANGE, "all pairs: checks"),
        (&lines[1], BLUE, "sort and sweep: checks"),
        (&lines[2], GREEN, "pairs that overlap"),
    ] {
        figure.label(&plot, words, line[9], [12.0, 0.0], (color, Align::Start));
    }
    let words = format!("at {BOXES} boxes: {} checks instead of {}", swept.checks, brute.checks);
    figure.notes(&plot, &[&words]);
    figure.label(&plot, "number of boxes", [wide(2.5), 0.0], [0.0, 40.0], (INK, Align::Middle));
    figure.caption(&plot, "checks in one update (both axes logarithmic)");
    Ok(())
}

/// Decades of boxes are drawn wider than those of checks.
fn wide(decades: f64) -> f64 {
    (decades - 1.0) * 2.0
}
