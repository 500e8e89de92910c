//! File A: a moving ellipsoid against one triangle, as it is in the file and in turned, mirrored and scaled worlds.

use nalgebra::Vector3;
use serde::Deserialize;
use sidle::{Feature, StartOverlap, shape::ellipsoid_triangle};

use super::{
    EPS, Flags, Scalar, Tally, name_of, point, read,
    scene::{Answer, Question, Scene},
    triangle, vector,
};

#[derive(Deserialize)]
pub(super) struct Case {
    pub(super) id: String,
    pub(super) kind: String,
    radii: [f64; 3],
    from: [f64; 3],
    motion: [f64; 3],
    tri: [[f64; 3]; 3],
    mode: Option<String>,
    pub(super) expect: Expect,
}

#[derive(Deserialize)]
pub(super) struct Expect {
    pub(super) hit: bool,
    t: Option<f64>,
    distance: Option<f64>,
    point: Option<[f64; 3]>,
    normal: Option<[f64; 3]>,
    feature: Option<String>,
    index: Option<u8>,
    initially_overlapping: bool,
    start_touching: bool,
    closest: Option<Closest>,
    cond: Option<f64>,
    cond_point: Option<f64>,
    cond_normal: Option<f64>,
    scale: f64,
    aspect_e: Option<f64>,
    start_margin: f64,
    margin: f64,
    margin_scale: f64,
    #[serde(flatten)]
    flags: Flags,
}

#[derive(Deserialize)]
struct Closest {
    point_e: [f64; 3],
    point: [f64; 3],
    distance_e: f64,
}

impl Case {
    pub(super) fn question(&self) -> Question {
        Question {
            radii: vector(&self.radii),
            from: point(&self.from),
            motion: vector(&self.motion),
            triangle: triangle(&self.tri),
        }
    }
}

/// A case in a scene, with what its comparisons have in common.
struct Comparison<'a> {
    id: String,
    case: &'a Case,
    scene: &'a Scene,
    question: Question,
    got: Option<Answer>,
    tally: &'a mut Tally,
}

fn compare<T: Scalar>(tally: &mut Tally, case: &Case, scene: &Scene) {
    let question = case.question();
    let got = question.ask::<T>(scene, StartOverlap::Report);
    let id = format!("{} ({})", case.id, scene.name);
    let mut comparison = Comparison { id, case, scene, question, got, tally };
    comparison.yes_or_no::<T>();
    if case.expect.start_touching {
        comparison.touching::<T>();
    } else if case.expect.initially_overlapping {
        comparison.overlapping::<T>();
    } else {
        comparison.residual::<T>();
        comparison.contact::<T>();
        let let_leave = comparison.question.ask::<T>(scene, StartOverlap::LetLeave);
        comparison.tally.exact("let leave = report", &comparison.id, let_leave, comparison.got);
    }
}

impl Comparison<'_> {
    /// A flag, taken from the coarser scalar where inputs round.
    fn flag<T: Scalar>(&self, name: &str) -> bool {
        let flags = &self.case.expect.flags;
        flags.get::<T>(name) || (self.scene.rounds() && flags.get::<f32>(name))
    }

    /// How far points in unit space may be off by what the scene adds.
    fn unit_error(&self) -> f64 {
        let (question, expect) = (&self.question, &self.case.expect);
        let reach = 1.0 + expect.start_margin.max(0.0) + question.enter(&question.motion).norm();
        let error = self.scene.unit_error(reach, question.ratio(), expect.scale / question.radii.min());
        // Vertices that round turn the triangle, by their error over its height.
        if self.scene.rounds() { error * (1.0 + expect.aspect_e.unwrap_or(0.0)) } else { error }
    }

    /// What the README calls `scale/min radius`.
    fn coordinate(&self) -> f64 {
        self.case.expect.scale / self.question.radii.min()
    }

    fn yes_or_no<T: Scalar>(&mut self) {
        let expect = &self.case.expect;
        if self.flag::<T>("hit_ambiguous") || expect.margin <= self.unit_error() {
            return;
        }
        self.tally.exact("hit", &self.id, self.got.is_some(), expect.hit);
        let overlaps = self.got.is_some_and(|got| got.overlap.is_some());
        self.tally.exact("overlap", &self.id, overlaps, expect.initially_overlapping);
    }

    /// The body begins at distance 1 exactly. Always ambiguous; the README tells what is fair to demand.
    fn touching<T: Scalar>(&mut self) {
        let expect = &self.case.expect;
        for overlaps in [StartOverlap::Report, StartOverlap::LetLeave] {
            let got = self.question.ask::<T>(self.scene, overlaps);
            match self.case.mode.as_deref() {
                Some("approach") => {
                    self.tally.exact("approach is a hit", &self.id, got.is_some(), true);
                    let Some(got) = got else { continue };
                    let cond = expect.cond.unwrap_or(0.0);
                    self.tally.near("approach: t", &self.id, got.t, 16.0 * T::ROUNDING * cond);
                    if got.overlap.is_some() {
                        let depth = 1.0 - self.question.enter(&(got.point - self.question.from.coords)).norm();
                        let tolerance = 16.0 * T::ROUNDING * expect.margin_scale + self.unit_error();
                        self.tally.near("approach: depth", &self.id, depth.max(0.0), tolerance);
                    }
                }
                Some("away") => self.tally.exact("away is free", &self.id, got, None),
                Some("parallel") => self.tally.exact("parallel is free", &self.id, got, None),
                _ => self.tally.exact("touching at rest", &self.id, got, None),
            }
        }
    }

    fn overlapping<T: Scalar>(&mut self) {
        let (expect, question, eps) = (&self.case.expect, &self.question, T::ROUNDING);
        let closest = expect.closest.as_ref().expect("of an overlap");
        let Some(got) = self.got else { return };
        self.tally.exact("overlap: t", &self.id, (got.t, got.distance), (0.0, 0.0));

        let mut tolerance = 16.0 * eps * (1.0 + self.coordinate());
        if self.case.kind == "sliver" {
            tolerance = (tolerance * (1.0 + expect.aspect_e.unwrap_or(0.0) / 8.0)).min(1e-3);
        }
        tolerance += self.unit_error();
        let distance = question.enter(&(question.from.coords - got.point)).norm();
        self.tally.near("closest.distance_e", &self.id, (distance - closest.distance_e).abs(), tolerance);

        let body = question.body::<T>(self.scene);
        let penetration = ellipsoid_triangle(&body, question.start(self.scene), &question.seen_triangle(self.scene));
        let penetration = penetration.expect("a valid centre").expect("an overlap, as the sweep says");
        let unit_distance = penetration.unit_distance.to_f64();
        self.tally.near("ellipsoid_triangle", &self.id, (unit_distance - closest.distance_e).abs(), tolerance);
        self.tally.exact("its feature", &self.id, penetration.feature, got.feature);

        if !self.flag::<T>("feature_ambiguous") {
            let feature = (expect.feature.as_deref().expect("of an overlap"), expect.index.expect("of an overlap"));
            self.tally.exact("overlap: feature", &self.id, name_of(got.feature), feature);
            // What is off in unit space by the tolerance is off in the world by at most the largest radius times that.
            let error = (got.point - Vector3::from(closest.point)).norm();
            self.tally.near("overlap: point", &self.id, error, question.radii.max() * tolerance);
            self.let_leave::<T>(&got, tolerance);
        }
    }

    /// Depth and normal of an overlap, and what becomes of it where overlaps may be left.
    fn let_leave<T: Scalar>(&mut self, got: &Answer, tolerance: f64) {
        let (expect, question) = (&self.case.expect, &self.question);
        let closest = expect.closest.as_ref().expect("of an overlap");
        if closest.distance_e <= 100.0 * tolerance {
            return; // the direction from so near a point is rounding
        }
        let unit_from = question.enter(&question.from.coords);
        let unit_normal = question.enter(&(question.from.coords - Vector3::from(closest.point))).normalize();
        debug_assert!((unit_from - Vector3::from(closest.point_e) - unit_normal * closest.distance_e).norm() < 1e-3);
        let stretched = question.enter(&unit_normal);
        // An error of the closest point turns the normal by as much over the distance, and that stretches with the ratio.
        let turn = question.ratio() * tolerance / closest.distance_e;
        let normal = expect.normal.expect("of an overlap off the centre");
        self.tally.near(
            "overlap: normal",
            &self.id,
            (got.normal - Vector3::from(normal)).norm(),
            turn + 4.0 * T::ROUNDING,
        );
        let depth = (1.0 - closest.distance_e) / stretched.norm();
        let error = (got.overlap.unwrap_or(0.0) - depth).abs();
        self.tally.near(
            "overlap: depth",
            &self.id,
            error,
            tolerance / stretched.norm() + depth * (turn + 2.0 * T::ROUNDING),
        );

        let unit_motion = question.enter(&question.motion);
        let leaving = unit_normal.dot(&unit_motion);
        if leaving.abs() <= (turn + 2.0 * T::INTRUSION) * unit_motion.norm() {
            return; // along the surface, or no motion at all
        }
        let let_leave = question.ask::<T>(self.scene, StartOverlap::LetLeave);
        if leaving > 0.0 {
            self.tally.exact("leaving an overlap", &self.id, let_leave, None);
        } else {
            self.tally.exact("deepening an overlap", &self.id, let_leave, Some(*got));
        }
    }

    /// Is the answer, whatever the file says, a place of first contact? Fair for grazing contacts too.
    fn residual<T: Scalar>(&mut self) {
        let (expect, question, eps) = (&self.case.expect, &self.question, T::ROUNDING);
        let Some(got) = self.got else { return };
        let unit_error = self.unit_error();
        let mut tolerance = 16.0 * eps * (expect.margin_scale + 1.0) + 4.0 * eps * self.coordinate() + unit_error;
        if let (Some(cond), true) = (expect.cond, self.case.kind == "sliver" && T::NAME == "f64") {
            // The README allows `t` of a sliver this much more, and D changes at most by the motion times that.
            let later = expect.aspect_e.unwrap_or(0.0) / 8.0 * eps * cond;
            tolerance += later * question.enter(&question.motion).norm();
        }
        let center = question.from.coords + question.motion * got.t;
        let distance = question.enter(&(center - got.point)).norm();
        self.tally.near("residual: distance", &self.id, (distance - 1.0).abs(), tolerance);

        // On the triangle is what its weights make of the vertices.
        let weights = got.barycentrics;
        self.tally.exact("residual: no weight < 0", &self.id, weights.iter().all(|w| *w >= 0.0), true);
        self.tally.near("residual: sum of weights", &self.id, (weights.iter().sum::<f64>() - 1.0).abs(), 4.0 * eps);
        let weighted: Vector3<f64> = question.triangle.vertices().iter().zip(weights).map(|(v, w)| v.coords * w).sum();
        let on = 16.0 * eps * (expect.scale + expect.cond_point.unwrap_or(0.0)) + question.radii.max() * unit_error;
        self.tally.near("residual: on triangle", &self.id, (weighted - got.point).norm(), on);

        // Nothing was touched before. D is convex, but an answer could lie on its far side.
        let depth = (1..50).map(|k| 1.0 - question.unit_distance(got.t * (1.0 - 0.5_f64.powi(k)))).fold(0.0, f64::max);
        self.tally.near(
            "residual: earlier",
            &self.id,
            depth.max(1.0 - question.unit_distance(0.0)).max(0.0),
            tolerance,
        );
    }

    fn contact<T: Scalar>(&mut self) {
        let (expect, question, eps) = (&self.case.expect, &self.question, T::ROUNDING);
        let (Some(got), Some(t)) = (self.got, expect.t) else { return };
        let (distance, cond) = (expect.distance.expect("of a hit"), expect.cond.expect("of a hit"));
        let at = Vector3::from(expect.point.expect("of a hit"));
        let length = question.motion.norm();
        let unit_motion = question.enter(&question.motion);
        let approach =
            -question.enter(&(question.from.coords + question.motion * t - at)).normalize().dot(&unit_motion);

        if self.flag::<T>("ill") {
            return;
        }
        // What is off by the scene's error in unit space is met so much later.
        let unit_error = self.unit_error();
        let delay = unit_error / approach;
        let slivers = if self.case.kind == "sliver" && T::NAME == "f64" {
            expect.aspect_e.expect("it has one") / 8.0
        } else {
            0.0
        };
        let tolerance = (16.0 + slivers) * eps * cond + delay;
        self.tally.near("t", &self.id, (got.t - t).abs(), tolerance);
        let error = (got.distance - distance).abs();
        self.tally.near("distance", &self.id, error, tolerance * length + 4.0 * eps * distance);

        // The bound that the documentation of `sweep` promises.
        let vertices = question.triangle.vertices();
        let far = vertices.iter().map(|v| (v - question.from).norm()).fold(0.0, f64::max);
        let cosine = approach / unit_motion.norm();
        let promise = 32.0 * EPS * (length + far * question.ratio()) / cosine + eps * distance;
        if !self.scene.rounds() {
            self.tally.near("promised distance", &self.id, error, promise);
        }

        if self.flag::<T>("feature_ambiguous") {
            return;
        }
        let unit_shift = unit_error + unit_motion.norm() * delay;
        let (cond_point, cond_normal) = (expect.cond_point.expect("of a hit"), expect.cond_normal.expect("of a hit"));
        let tolerance = 16.0 * eps * (cond_point + expect.scale) + question.radii.max() * unit_shift;
        self.tally.near("point", &self.id, (got.point - at).norm(), tolerance);

        // At edges and vertices the normal is formed as centre minus contact point, in f64 for either scalar.
        let formed = if got.feature == Feature::Face { 0.0 } else { 4.0 * EPS * self.coordinate() * question.ratio() };
        let tolerance = 64.0 * eps * (1.0 + cond_normal) + formed + question.ratio() * unit_shift;
        let normal = Vector3::from(expect.normal.expect("of a hit"));
        self.tally.near("normal", &self.id, (got.normal - normal).norm(), tolerance);

        let feature = (expect.feature.as_deref().expect("of a hit"), expect.index.expect("of a hit"));
        self.tally.exact("feature", &self.id, name_of(got.feature), feature);
        if got.feature == Feature::Face {
            // The same plane, so that only rounding parts the two normals.
            let error = (got.surface_normal - got.normal).norm();
            self.tally.near("surface normal", &self.id, error, tolerance + 64.0 * eps * (1.0 + cond_normal));
        }
    }
}

fn cases() -> Option<Vec<Case>> {
    read::<Case>("sweep_triangle.jsonl")
}

/// Hits that come on the way, neither at the start nor grazing, for either scalar.
fn hits<T: Scalar>(cases: &[Case]) -> usize {
    cases
        .iter()
        .filter(|case| case.expect.hit && !case.expect.initially_overlapping && !case.expect.start_touching)
        .count()
}

fn compare_all<T: Scalar>(what: &str, cases: &[Case], scenes: impl IntoIterator<Item = Scene>) {
    let mut tally = Tally::new::<T>(what);
    let mut count = 0;
    for scene in scenes {
        count += 1;
        for case in cases {
            compare::<T>(&mut tally, case, &scene);
        }
    }
    // Of all hits, 85 % have to be compared; the file has 150 cases of each kind.
    let n = count * cases.len();
    tally.finish(&[
        ("hit", n * 3 / 4),
        ("t", count * hits::<T>(cases) * 85 / 100),
        ("distance", count * hits::<T>(cases) * 85 / 100),
        ("promised distance", count * hits::<T>(cases) * 85 / 100),
        ("residual: distance", count * hits::<T>(cases) * 95 / 100),
        ("residual: on triangle", count * hits::<T>(cases) * 95 / 100),
        ("point", count * hits::<T>(cases) / 2),
        ("normal", count * hits::<T>(cases) / 2),
        ("feature", count * hits::<T>(cases) / 2),
        ("closest.distance_e", count * 190),
        ("ellipsoid_triangle", count * 190),
        ("approach is a hit", count * 45),
        ("away is free", count * 45),
        ("parallel is free", count * 45),
        ("touching at rest", count * 45),
        ("leaving an overlap", count * 20),
        ("deepening an overlap", count * 20),
    ]);
}

#[test]
fn oracle_sweeps_f32() {
    let Some(cases) = cases() else { return };
    compare_all::<f32>("sweep of a triangle", &cases, [Scene::plain()]);
}

#[test]
fn oracle_sweeps_f64() {
    let Some(cases) = cases() else { return };
    compare_all::<f64>("sweep of a triangle", &cases, [Scene::plain()]);
}

#[test]
fn oracle_turned_sweeps_f32() {
    let Some(cases) = cases() else { return };
    compare_all::<f32>("sweep of a triangle, turned", &cases, Scene::turned());
}

#[test]
fn oracle_turned_sweeps_f64() {
    let Some(cases) = cases() else { return };
    compare_all::<f64>("sweep of a triangle, turned", &cases, Scene::turned());
}

/// Rotations by which the inputs round, so only for triangles of a size that shrugs it off.
#[test]
fn oracle_skew_sweeps() {
    let Some(cases) = cases() else { return };
    let fat = ["random", "face_hit", "edge_hit", "vertex_hit", "back_side", "fast", "flat_needle", "initial_overlap"];
    let cases: Vec<_> = cases.into_iter().filter(|case| fat.contains(&case.kind.as_str())).collect();
    let mut tally = Tally::new::<f64>("sweep of a triangle, turned about a skew axis");
    for scene in Scene::pythagorean() {
        for case in &cases {
            compare::<f64>(&mut tally, case, &scene);
        }
    }
    let least = 4 * hits::<f64>(&cases);
    tally.finish(&[("hit", 4 * 900), ("t", least * 85 / 100), ("point", least / 2), ("closest.distance_e", 4 * 140)]);
}

/// A body whose centre is in the plane of the triangle is on neither side of it: which one is told is all the same.
fn without_side(answer: Answer) -> Answer {
    let is_beside = answer.surface_normal.dot(&answer.normal) == 0.0;
    Answer { surface_normal: if is_beside { answer.surface_normal.abs() } else { answer.surface_normal }, ..answer }
}

/// Powers of two and mirrors along the axes change no digit: not one bit of the answers may change.
fn compare_to_the_bit<T: Scalar>() {
    let Some(cases) = cases() else { return };
    let mut tally = Tally::new::<T>("sweep of a triangle, scaled and mirrored");
    let scenes: Vec<_> = [-20, -1, 1, 13].map(Scene::scaled).into_iter().chain(Scene::mirrored()).collect();
    for case in &cases {
        let question = case.question();
        for overlaps in [StartOverlap::Report, StartOverlap::LetLeave] {
            let plain = question.ask::<T>(&Scene::plain(), overlaps).map(without_side);
            for scene in &scenes {
                let id = format!("{} ({})", case.id, scene.name);
                tally.exact("answer", &id, question.ask::<T>(scene, overlaps).map(without_side), plain);
            }
        }
    }
    tally.finish(&[("answer", 2 * 11 * 2850)]);
}

#[test]
fn oracle_scaled_and_mirrored_sweeps_f32() {
    compare_to_the_bit::<f32>();
}

#[test]
fn oracle_scaled_and_mirrored_sweeps_f64() {
    compare_to_the_bit::<f64>();
}
