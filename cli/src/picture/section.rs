//! The level cut along the track, unrolled: height over the distance walked. Steps, slopes and drops show as they are.

use nalgebra::{Point2, Vector2, Vector3};

use super::{
    canvas::{Canvas, Pen},
    palette::{EARTH, FAINT_INK, GRID, INK, PAPER, SlopeClass},
    stage::{Facet, Stage},
    text::{Align, Face, number, round_below},
    track,
};

/// A stretch of the way on the map, straight, with the distance at which it begins.
struct Piece {
    from: Vector2<f64>,
    direction: Vector2<f64>,
    length: f64,
    distance: f64,
}

/// Where a facet is cut: two places as (distance, height).
struct Cut {
    from: Point2<f64>,
    to: Point2<f64>,
    /// The facet's normal along up.
    upward: f64,
}

/// From metres to pixels, with margins for the axes.
struct Chart {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    first: Point2<f64>,
    last: Point2<f64>,
}

/// The distance between the marks of a walk: six to fifteen on the whole way, fewer on a walk of a few metres.
pub(super) fn mark_distance(stage: &Stage) -> f64 {
    round_below((walked(stage) / 6.0).max(1.0))
}

/// The length of the walk on the map.
pub(super) fn walked(stage: &Stage) -> f64 {
    stage.track.windows(2).map(|pair| (pair[1].feet - pair[0].feet).xy().norm()).sum()
}

/// Draws the section onto the whole of `canvas`; without a track, a straight cut from west to east through the middle.
pub(super) fn draw(canvas: &mut Canvas<'_>, stage: &Stage) {
    let chart = Chart::new(canvas, stage);
    let pieces = way(stage, chart.first.x, chart.last.x);
    let cuts = cuts(&stage.facets, &pieces);
    canvas.rect(chart.left, chart.top, chart.width, chart.height, PAPER.color());
    grid(canvas, stage, &chart);
    for cut in &cuts {
        outline(canvas, &chart, cut);
    }
    earth(canvas, &chart, &cuts);
    margins(canvas, stage, &chart);
    walk(canvas, stage, &chart);
}

impl Chart {
    fn new(canvas: &Canvas<'_>, stage: &Stage) -> Self {
        /// Room for the ceiling above the walk and for some ground below it, in metres.
        const ABOVE: f64 = 2.6;
        const BELOW: f64 = 1.0;
        /// Heights are stretched by at most this factor against distances.
        const MOST_STRETCH: f64 = 8.0;
        let (left, top) = (54.0, 36.0);
        let (width, height) = (canvas.width() - left - 14.0, canvas.height() - top - 40.0);
        let heights = || stage.track.iter().map(|step| step.feet.z);
        let (low, high) = if stage.track.is_empty() {
            (stage.bounds.min.z - BELOW, stage.bounds.max.z + BELOW)
        } else {
            (heights().fold(f64::INFINITY, f64::min) - BELOW, heights().fold(f64::NEG_INFINITY, f64::max) + ABOVE)
        };
        let length = if stage.track.is_empty() { stage.bounds.size().x } else { walked(stage) };
        // A little more of the level than the walk, before and after it.
        let length_shown = (length * 1.08).max(length + 1.0);
        let tall = (high - low).max(length_shown * height / width / MOST_STRETCH).max(0.5);
        let long = length_shown.max(tall * width / height);
        let bottom = (low + high - tall) / 2.0;
        let first = Point2::new((length - long) / 2.0, bottom);
        Self { left, top, width, height, first, last: first + Vector2::new(long, tall) }
    }

    fn pixel(&self, place: Point2<f64>) -> Point2<f64> {
        let part = (place - self.first).component_div(&(self.last - self.first));
        Point2::new(self.left + part.x * self.width, self.top + (1.0 - part.y) * self.height)
    }

    /// By how much heights are stretched.
    fn stretch(&self) -> f64 {
        let size = self.last - self.first;
        (self.height / size.y) / (self.width / size.x)
    }
}

/// The track on the map as straight pieces, none so short that it would not show, from `first` to `last`.
fn way(stage: &Stage, first: f64, last: f64) -> Vec<Piece> {
    const PIECES: f64 = 1200.0;
    let shortest = (last - first) / PIECES;
    let mut corners: Vec<Vector2<f64>> = Vec::new();
    let mut distances = Vec::new();
    let mut gone = 0.0;
    let mut previous = None;
    for step in &stage.track {
        let place = step.feet.xy();
        gone += previous.map_or(0.0, |previous: Vector2<f64>| (place - previous).norm());
        previous = Some(place);
        if distances.last().is_none_or(|last| gone - last >= shortest) {
            corners.push(place);
            distances.push(gone);
        }
    }
    if corners.is_empty() {
        corners.push(Vector2::new(stage.bounds.min.x, stage.bounds.center().y));
        distances.push(0.0);
    }
    // The direction of an end is that of its last metre: the very last steps of a walk may go anywhere.
    let ahead = direction(corners.iter().rev());
    let behind = direction(corners.iter());
    let (end, end_distance) = (corners[corners.len() - 1], distances[distances.len() - 1]);
    // `first` is a distance before the start, so below zero.
    corners.insert(0, corners[0] + behind * first);
    distances.insert(0, first);
    if corners.len() == 2 {
        // One place only: a straight cut through it.
        (corners[0], corners[1]) = (end + Vector2::x() * first, end + Vector2::x() * last);
        distances[1] = last;
    } else {
        corners.push(end - ahead * (last - end_distance));
        distances.push(last);
    }
    let piece = |i: usize| {
        let way = corners[i + 1] - corners[i];
        // Curves are a little longer than their pieces; the distance walked counts.
        let length = distances[i + 1] - distances[i];
        Some(Piece { from: corners[i], direction: way.try_normalize(0.0)?, length, distance: distances[i] })
    };
    (0..corners.len() - 1).filter_map(piece).collect()
}

/// From the first of some places (on the map) towards those that follow, over about a metre.
fn direction<'a>(mut places: impl Iterator<Item = &'a Vector2<f64>>) -> Vector2<f64> {
    let mut direction = Vector2::zeros();
    let Some(from) = places.next() else { return direction };
    for place in places {
        let way = place - from;
        direction = way.try_normalize(0.0).unwrap_or(direction);
        if way.norm() > 1.0 {
            break;
        }
    }
    direction
}

/// Cuts the facets with the upright planes through the pieces.
///
/// A coarse grid over the map tells which pieces come near a facet, so that a large level costs one pass.
fn cuts(facets: &[Facet], pieces: &[Piece]) -> Vec<Cut> {
    let end = |piece: &Piece| piece.from + piece.direction * piece.length;
    let places = || pieces.iter().flat_map(|piece| [piece.from, end(piece)]);
    let Some((min, max)) = places().map(|p| (p, p)).reduce(|a, b| (a.0.inf(&b.0), a.1.sup(&b.1))) else {
        return Vec::new();
    };
    let grid = Grid { min, cell: (max - min).add_scalar(1e-9) / Grid::SIDE as f64 };
    let mut cells: Vec<Vec<usize>> = vec![Vec::new(); Grid::SIDE * Grid::SIDE];
    for (i, piece) in pieces.iter().enumerate() {
        let (a, b) = (piece.from, end(piece));
        grid.covered(a.inf(&b), a.sup(&b)).for_each(|cell| cells[cell].push(i));
    }
    let mut cuts = Vec::new();
    // Which facet has met a piece last: a piece may be in many cells, but is to be cut once.
    let mut met = vec![usize::MAX; pieces.len()];
    for (index, facet) in facets.iter().enumerate() {
        let [a, b, c] = facet.corners.map(|corner| corner.xy());
        let (low, high) = (a.inf(&b).inf(&c), a.sup(&b).sup(&c));
        if high.x < min.x || high.y < min.y || low.x > max.x || low.y > max.y {
            continue;
        }
        for cell in grid.covered(low, high) {
            for &i in &cells[cell] {
                if std::mem::replace(&mut met[i], index) != index {
                    cuts.extend(cut(facet, &pieces[i]));
                }
            }
        }
    }
    cuts
}

struct Grid {
    min: Vector2<f64>,
    cell: Vector2<f64>,
}

impl Grid {
    const SIDE: usize = 96;

    /// The cells that a box touches; what is outside counts to the nearest cell.
    fn covered(&self, low: Vector2<f64>, high: Vector2<f64>) -> impl Iterator<Item = usize> {
        let index = |at: f64, axis: usize| (((at - self.min[axis]) / self.cell[axis]) as usize).min(Self::SIDE - 1);
        let columns = index(low.x, 0)..=index(high.x, 0);
        let rows = index(low.y, 1)..=index(high.y, 1);
        rows.flat_map(move |row| columns.clone().map(move |column| row * Self::SIDE + column))
    }
}

/// The line in which the upright plane over a piece cuts a facet, as far as the piece goes.
fn cut(facet: &Facet, piece: &Piece) -> Option<Cut> {
    let aside = |corner: &Vector3<f64>| piece.direction.perp(&(corner.xy() - piece.from));
    let along = |corner: &Vector3<f64>| Point2::new(piece.direction.dot(&(corner.xy() - piece.from)), corner.z);
    let mut ends = [None, None];
    for i in 0..3 {
        let (from, to) = (&facet.corners[i], &facet.corners[(i + 1) % 3]);
        let (before, after) = (aside(from), aside(to));
        if (before > 0.0) != (after > 0.0) {
            let end = along(&(from + (to - from) * (before / (before - after))));
            ends[usize::from(ends[0].is_some())] = Some(end);
        }
    }
    let (mut from, mut to) = (ends[0]?, ends[1]?);
    if from.x > to.x {
        (from, to) = (to, from);
    }
    if to.x < 0.0 || from.x > piece.length {
        return None;
    }
    let at = |x: f64| from + (to - from) * ((x - from.x) / (to.x - from.x));
    let start = if from.x < 0.0 { at(0.0) } else { from };
    let stop = if to.x > piece.length { at(piece.length) } else { to };
    let shift = Vector2::new(piece.distance, 0.0);
    Some(Cut { from: start + shift, to: stop + shift, upward: facet.normal.z })
}

/// Fills what is solid: in each column from a surface that looks up down to the one that looks down below it.
///
/// Solids may stand in each other, so the depth is counted. What has no underside, as a terrain, goes on to the bottom.
/// The fill goes over the outlines: those inside of something solid do not disturb.
fn earth(canvas: &mut Canvas<'_>, chart: &Chart, cuts: &[Cut]) {
    /// Surfaces nearer to each other than this, in metres, are one laid on the other.
    const SAME: f64 = 0.01;
    let columns = chart.width as usize;
    let per_column = (chart.last.x - chart.first.x) / columns as f64;
    let mut surfaces: Vec<Vec<(f64, bool)>> = vec![Vec::new(); columns];
    for cut in cuts {
        let column_after = |distance: f64| ((distance - chart.first.x) / per_column - 0.5).ceil() as usize;
        let end = column_after(cut.to.x).min(columns);
        let start = column_after(cut.from.x).min(end);
        for (column, surfaces) in (start..end).zip(&mut surfaces[start..end]) {
            let distance = chart.first.x + (column as f64 + 0.5) * per_column;
            let height = cut.from.y + (cut.to.y - cut.from.y) * ((distance - cut.from.x) / (cut.to.x - cut.from.x));
            surfaces.push((height, cut.upward > 0.0));
        }
    }
    let y = |height: f64| chart.pixel(Point2::new(0.0, height)).y.clamp(chart.top, chart.top + chart.height);
    for (column, surfaces) in surfaces.iter_mut().enumerate() {
        // From the top, and at one height first what looks up: a box on the ground leaves no gap in it.
        surfaces.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        let mut fill = |from: f64, to: f64| {
            canvas.rect(chart.left + column as f64, from, 1.0, to - from, EARTH.with_alpha(0.86));
        };
        let (mut depth, mut top) = (0_u32, chart.top);
        let mut last_up = f64::INFINITY;
        for &(height, looks_up) in surfaces.iter() {
            if looks_up && last_up - height < SAME {
                continue;
            }
            if looks_up {
                last_up = height;
                top = if depth == 0 { y(height) } else { top };
                depth += 1;
                continue;
            }
            last_up = f64::INFINITY;
            if depth == 1 {
                fill(top, y(height));
            }
            depth = depth.saturating_sub(1);
        }
        if depth > 0 {
            fill(top, chart.top + chart.height);
        }
    }
}

fn outline(canvas: &mut Canvas<'_>, chart: &Chart, cut: &Cut) {
    let class = SlopeClass::of(cut.upward);
    let (color, width) = match class {
        SlopeClass::Floor => (INK.with_alpha(0.85), 1.6),
        // The colours of the views are those of surfaces in the sun; as thin lines they have to be darker.
        SlopeClass::Slope => (darker(class), 2.2),
        SlopeClass::Steep => (darker(class), 2.2),
        SlopeClass::Wall => (INK.with_alpha(0.75), 1.4),
        SlopeClass::Ceiling => (darker(class), 1.2),
    };
    canvas.line(&[chart.pixel(cut.from), chart.pixel(cut.to)], Pen::solid(color, width));
}

fn darker(class: SlopeClass) -> tiny_skia::Color {
    let rgb = class.rgb().vector() * 0.66;
    tiny_skia::Color::from_rgba(rgb.x as f32, rgb.y as f32, rgb.z as f32, 1.0).unwrap_or(tiny_skia::Color::BLACK)
}

fn walk(canvas: &mut Canvas<'_>, stage: &Stage, chart: &Chart) {
    let mut gone = 0.0;
    let mut previous: Option<Vector3<f64>> = None;
    let mut places = Vec::with_capacity(stage.track.len());
    for step in &stage.track {
        gone += previous.map_or(0.0, |previous| (step.feet - previous).xy().norm());
        previous = Some(step.feet);
        places.push((chart.pixel(Point2::new(gone, step.feet.z)), step.ground, false));
    }
    let ends = places.first().zip(places.last()).map(|(first, last)| (first.0, last.0));
    let is_walk = places.len() > 1;
    track::draw_runs(canvas, &track::runs(places));
    if let Some((start, end)) = ends {
        track::start_and_end(canvas, start, is_walk.then_some(end), track::Names::Above);
    }
}

fn grid(canvas: &mut Canvas<'_>, stage: &Stage, chart: &Chart) {
    for height in height_ticks(stage, chart) {
        let y = chart.pixel(Point2::new(0.0, height - stage.height_offset)).y.round() + 0.5;
        canvas.line(
            &[Point2::new(chart.left, y), Point2::new(chart.left + chart.width, y)],
            Pen::solid(GRID.color(), 1.0),
        );
    }
    for distance in distance_ticks(stage, chart) {
        let x = chart.pixel(Point2::new(distance, 0.0)).x.round() + 0.5;
        canvas.line(
            &[Point2::new(x, chart.top), Point2::new(x, chart.top + chart.height)],
            Pen::solid(GRID.color(), 1.0),
        );
    }
}

/// Covers what was drawn outside the chart, and writes the axes there.
fn margins(canvas: &mut Canvas<'_>, stage: &Stage, chart: &Chart) {
    let (right, bottom) = (chart.left + chart.width, chart.top + chart.height);
    let (width, height) = (canvas.width(), canvas.height());
    canvas.rect(0.0, 0.0, width, chart.top, PAPER.color());
    canvas.rect(0.0, bottom, width, height - bottom, PAPER.color());
    canvas.rect(0.0, 0.0, chart.left, height, PAPER.color());
    canvas.rect(right, 0.0, width - right, height, PAPER.color());
    canvas.frame(chart.left, chart.top, chart.width, chart.height, Pen::solid(FAINT_INK.with_alpha(0.7), 1.0));
    for height in height_ticks(stage, chart) {
        let y = chart.pixel(Point2::new(0.0, height - stage.height_offset)).y;
        canvas.text(&number(height), Point2::new(chart.left - 8.0, y), Face::SMALL, FAINT_INK, Align::End);
    }
    for distance in distance_ticks(stage, chart) {
        let x = chart.pixel(Point2::new(distance, 0.0)).x;
        canvas.text(&number(distance), Point2::new(x, bottom + 12.0), Face::SMALL, FAINT_INK, Align::Middle);
    }
    let (what, along) = if stage.track.is_empty() {
        ("Section from west to east, through the middle", "metres from the west end")
    } else {
        ("Section along the track, unrolled", "metres walked (on the map)")
    };
    canvas.text(what, Point2::new(chart.left, 18.0), Face::HEADING, INK, Align::Start);
    let stretch = chart.stretch();
    let scale = if (stretch - 1.0).abs() < 0.05 {
        "height in m, not stretched".to_owned()
    } else {
        format!("height in m, stretched {stretch:.1} times")
    };
    canvas.text(&scale, Point2::new(right, 18.0), Face::SMALL, FAINT_INK, Align::End);
    let middle = Point2::new(chart.left + chart.width / 2.0, bottom + 28.0);
    canvas.text(along, middle, Face::SMALL, FAINT_INK, Align::Middle);
}

fn height_ticks(stage: &Stage, chart: &Chart) -> Vec<f64> {
    ticks(chart.first.y + stage.height_offset, chart.last.y + stage.height_offset, chart.height / 45.0)
}

fn distance_ticks(stage: &Stage, chart: &Chart) -> Vec<f64> {
    // The same as the marks in the views, where there are any.
    let step = mark_distance(stage);
    let count = (chart.last.x - chart.first.x) / step;
    if !stage.track.is_empty() && count > 2.5 && count < 14.0 {
        multiples(chart.first.x, chart.last.x, step)
    } else {
        ticks(chart.first.x, chart.last.x, 8.0)
    }
}

/// Round numbers in a range, about so many.
fn ticks(first: f64, last: f64, count: f64) -> Vec<f64> {
    multiples(first, last, round_below((last - first) / count.max(2.0) * 1.6))
}

fn multiples(first: f64, last: f64, step: f64) -> Vec<f64> {
    /// A guard against numbers so large that a step no longer changes them.
    const MOST: usize = 100;
    let start = (first / step).ceil();
    (0..MOST).map(|i| (start + i as f64) * step).take_while(|tick| *tick <= last).collect()
}

#[cfg(test)]
mod tests {
    use nalgebra::{point, vector};

    use super::*;
    use crate::picture::{Ground, Scene, TrackPoint};

    #[test]
    fn a_cut_ends_where_the_facet_or_the_piece_ends() {
        let corners = [vector![0.0, -1.0, 0.0], vector![4.0, 0.0, 4.0], vector![0.0, 1.0, 0.0]];
        let facet = Facet { corners, normal: vector![-1.0, 0.0, 1.0].normalize() };
        let piece = Piece { from: vector![-1.0, 0.0], direction: vector![1.0, 0.0], length: 3.0, distance: 10.0 };
        let cut = cut(&facet, &piece).expect("the plane goes through the facet");
        assert_eq!((cut.from, cut.to), (point![11.0, 0.0], point![13.0, 2.0]));
    }

    #[test]
    fn the_way_goes_on_straight_before_its_start_and_after_its_end() {
        let point = |x, z| TrackPoint { feet: point![x, 0.0, z], ground: Ground::OnGround };
        let track = [point(0.0, 0.0), point(4.0, 0.0), point(4.0, -3.0)];
        let scene = Scene { triangles: &[], up: Vector3::y(), track: &track, contacts: &[], title: "" };
        let pieces = way(&Stage::new(&scene), -1.0, 9.0);
        // On the stage the middle of the track is the origin, and north is where z falls.
        let corners: Vec<_> = pieces.iter().map(|piece| (piece.from.x, piece.from.y, piece.distance)).collect();
        assert_eq!(corners, [(-3.0, -1.5, -1.0), (-2.0, -1.5, 0.0), (2.0, -1.5, 4.0), (2.0, 1.5, 7.0)]);
        assert_eq!((pieces[3].direction, pieces[3].length), (vector![0.0, 1.0], 2.0));
    }

    #[test]
    fn a_cut_beside_the_facet_is_none() {
        let corners = [vector![0.0, -1.0, 0.0], vector![4.0, 0.0, 4.0], vector![0.0, 1.0, 0.0]];
        let facet = Facet { corners, normal: vector![-1.0, 0.0, 1.0].normalize() };
        for from in [vector![-1.0, 2.0], vector![-5.0, 0.0], vector![5.0, 0.0]] {
            assert!(cut(&facet, &Piece { from, direction: vector![1.0, 0.0], length: 3.0, distance: 0.0 }).is_none());
        }
    }
}
