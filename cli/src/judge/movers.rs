//! [`Mover`]: a mesh that moves, and what of it a body meets.
//!
//! The grid holds what stands still. What moves is looked at triangle by triangle, where it is after a tick.

use nalgebra::{Isometry3, Point3, Vector3};

use super::{
    Court, Piece,
    body::{Body, Overlap},
    closest::{Corners, crossing},
    grid::meets,
    standing::directions,
    verdict::DEEPEST_ALLOWED,
};

/// A mesh that moves, or whose surfaces are not plain ground.
pub(crate) struct Mover {
    /// In its own frame.
    faces: Vec<Face>,
    /// A ball around them, in the same frame.
    middle: Point3<f64>,
    radius: f64,
    /// Where it is at the start and after each tick; then it rests.
    poses: Vec<Isometry3<f64>>,
}

/// A triangle of a [`Mover`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Face {
    pub(crate) corners: Corners,
    /// Whether nothing may pass it: it is not one-way.
    pub(crate) is_solid: bool,
    /// The speed of its belt, in metres a second.
    pub(crate) belt: f64,
}

/// In which ticks a body is crushed.
pub(super) struct Crushed {
    /// Place in the track of the first.
    first: usize,
    is_crushed: Vec<bool>,
}

/// What is nearer than this, in metres, along each axis, may carry a body, or be what holds it up.
const WITHIN_REACH: f64 = 0.5;
/// A body is pressed if there is no room for it within this distance, in metres, in any of so many level directions or up.
const GIVES_WAY: f64 = 0.1;
const DIRECTIONS: usize = 16;

impl Mover {
    /// # Panics
    /// If there are no faces or no poses.
    pub(crate) fn new(faces: Vec<Face>, poses: Vec<Isometry3<f64>>) -> Self {
        assert!(!faces.is_empty() && !poses.is_empty(), "a mesh that is somewhere");
        let corners = || faces.iter().flat_map(|face| &face.corners);
        let first = faces[0].corners[0];
        let (low, high) = corners().fold((first, first), |(low, high), p| (low.inf(p), high.sup(p)));
        let middle = nalgebra::center(&low, &high);
        let radius = corners().map(|p| (p - middle).norm()).fold(0.0, f64::max);
        Self { faces, middle, radius, poses }
    }

    /// Where it is after a tick.
    fn pose(&self, clock: usize) -> &Isometry3<f64> {
        &self.poses[clock.min(self.poses.len() - 1)]
    }

    /// The middle and the radius of a ball around it after a tick.
    pub(crate) fn ball(&self, clock: usize) -> (Point3<f64>, f64) {
        (self.pose(clock) * self.middle, self.radius)
    }

    /// The faces whose boxes meet a box after a tick, where they are then.
    fn near(&self, clock: usize, low: Point3<f64>, high: Point3<f64>) -> impl Iterator<Item = Face> {
        let pose = *self.pose(clock);
        let (middle, radius) = self.ball(clock);
        let is_far = (0..3).any(|i| middle[i] + radius < low[i] || middle[i] - radius > high[i]);
        let faces = if is_far { &[] } else { &self.faces[..] };
        let placed = faces.iter().map(move |face| Face { corners: face.corners.map(|p| pose * p), ..*face });
        placed.filter(move |face| meets(&face.corners, &low, &high))
    }

    /// Where the way of a point in a tick first passes through a face, as this sees it; and how far that is.
    fn first_crossing(&self, from: &Point3<f64>, to: &Point3<f64>, clock: usize) -> Option<f64> {
        let here = |pose: &Isometry3<f64>, p: &Point3<f64>| pose.inverse_transform_point(p);
        let (from, to) = (here(self.pose(clock - 1), from), here(self.pose(clock), to));
        let solid = self.faces.iter().filter(|face| face.is_solid);
        let shares = solid.filter_map(|face| crossing(&from, &to, &face.corners));
        shares.min_by(f64::total_cmp).map(|share| share * (to - from).norm())
    }
}

impl Crushed {
    /// Whether it is after a tick.
    pub(super) fn after(&self, tick: usize) -> bool {
        self.is_crushed[tick - self.first]
    }

    /// Whether it is before a tick or after it.
    pub(super) fn during(&self, tick: usize) -> bool {
        self.after(tick - 1) || self.after(tick)
    }

    /// After how many ticks it is.
    pub(super) fn ticks(&self) -> usize {
        self.is_crushed.iter().filter(|is_crushed| **is_crushed).count()
    }
}

impl Court<'_> {
    /// How far the centre went in a tick before it passed through something that moves, as that sees it.
    pub(super) fn crossing_of_mover(&self, from: &Point3<f64>, to: &Point3<f64>, clock: usize) -> Option<f64> {
        let found = self.movers.iter().filter_map(|mover| mover.first_crossing(from, to, clock));
        found.min_by(f64::total_cmp)
    }

    /// The deepest overlap of a body with anything after a tick; `None` if it is in nothing.
    pub(super) fn deepest_at(&self, body: &Body, center: &Point3<f64>, clock: usize) -> Option<Overlap> {
        let deepest = body.deepest(self.grid, center).into_iter().chain(self.deepest_in_movers(body, center, clock));
        deepest.reduce(|a, b| if b.depth > a.depth { b } else { a })
    }

    fn deepest_in_movers(&self, body: &Body, center: &Point3<f64>, clock: usize) -> Option<Overlap> {
        let reach = body.half_extents();
        let near = self.movers.iter().flat_map(|mover| mover.near(clock, center - reach, center + reach));
        let overlaps = near.filter(|face| face.is_solid).map(|face| body.overlap(center, &face.corners));
        overlaps.filter(|overlap| overlap.depth > 0.0).reduce(|a, b| if b.depth > a.depth { b } else { a })
    }

    /// Whether there is room for a body after a tick: it is hardly in anything.
    pub(super) fn has_room_at(&self, body: &Body, center: &Point3<f64>, clock: usize) -> bool {
        body.is_free(self.grid, center, DEEPEST_ALLOWED)
            && self.deepest_in_movers(body, center, clock).is_none_or(|overlap| overlap.depth <= DEEPEST_ALLOWED)
    }

    /// Whether something that moves is within reach of the body after a tick.
    pub(super) fn is_beside_mover(&self, center: &Point3<f64>, clock: usize) -> bool {
        let reach = self.body.half_extents().add_scalar(WITHIN_REACH);
        self.movers.iter().any(|mover| mover.near(clock, center - reach, center + reach).next().is_some())
    }

    /// After how many ticks of a piece something that moves is within reach.
    pub(super) fn ticks_beside_movers(&self, piece: &Piece<'_>) -> usize {
        piece.ticks().filter(|(tick, _, after)| self.is_beside_mover(&after.position, piece.clock(*tick))).count()
    }

    /// The longest way on which something within reach can have taken the body in a tick of so many seconds.
    pub(super) fn carried(&self, from: &Point3<f64>, to: &Point3<f64>, clock: usize, dt: f64) -> f64 {
        let reach = self.body.half_extents().add_scalar(WITHIN_REACH);
        let ways = self.movers.iter().filter_map(|mover| {
            let near = |p: &Point3<f64>, clock| mover.near(clock, p - reach, p + reach).map(|face| face.belt);
            let belt = near(from, clock - 1).chain(near(to, clock)).reduce(f64::max)?;
            let goes_with = mover.pose(clock) * mover.pose(clock - 1).inverse_transform_point(from);
            Some((goes_with - from).norm() + belt * dt)
        });
        ways.fold(0.0, f64::max)
    }

    /// For each sample of a piece, whether the body is crushed: something that moves presses it against something else. From then on until
    /// it is out of everything: where it is in the meantime is not its doing, nor where it comes out.
    pub(super) fn crushed(&self, piece: &Piece<'_>) -> Crushed {
        let mut is_crushed = vec![false; piece.samples.len()];
        if self.movers.is_empty() {
            return Crushed { first: piece.first, is_crushed };
        }
        let mut was_in = false;
        for (i, sample) in piece.samples.iter().enumerate() {
            let (center, clock) = (&sample.position, piece.clock(piece.first + i));
            let is_in = !self.has_room_at(&self.body, center, clock);
            is_crushed[i] = is_in && if was_in { is_crushed[i - 1] } else { self.is_pressed(center, clock) };
            was_in = is_in;
        }
        Crushed { first: piece.first, is_crushed }
    }

    /// Whether something that moves touches a body that has just come into something, and there is no room to give way, with the skin.
    fn is_pressed(&self, center: &Point3<f64>, clock: usize) -> bool {
        let (touching, body) = (self.body.grown(2.0 * self.rules.skin), self.body.grown(self.rules.skin));
        let Some(overlap) = self.deepest_at(&self.body, center, clock) else { return false };
        let way_out = self.body.normal_at(&(overlap.point - center)) * (overlap.depth + self.rules.skin);
        let aside = directions(DIRECTIONS).chain([Vector3::y()]).map(|way| way * GIVES_WAY);
        self.deepest_in_movers(&touching, center, clock).is_some()
            && aside.chain([way_out]).all(|way| !self.has_room_at(&body, &(center + way), clock))
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Translation3, UnitQuaternion, point, vector};
    use sidle::mesh::primitives::{MeshBuilder, cuboid, floor};

    use super::*;
    use crate::judge::{Grid, Kind, Rules, Sample, Verdict, grid::triangles_of};

    const DT: f64 = 1.0 / 60.0;
    const RULES: Rules = Rules { step_height: 0.3, snap: 0.2, max_slope: 45.0, skin: 0.02, gravity: 9.81 };

    /// A floor, and a wall across it at x = 5.
    fn grid() -> Grid {
        let mut builder = MeshBuilder::new();
        builder.append(&floor::<f64>(20.0, 20.0, 7, 7).expect("a floor"), [0.0; 3]);
        builder.quad([[5.0, 0.0, -10.0], [5.0, 0.0, 10.0], [5.0, 3.0, 10.0], [5.0, 3.0, -10.0]]);
        Grid::new(&builder.build::<f64>().expect("a level"))
    }

    /// A block of half such a size that goes from a place at a velocity, and turns by so many radians a second.
    fn block(half: [f64; 3], from: Vector3<f64>, velocity: Vector3<f64>, turns: f64) -> Mover {
        let mesh = cuboid::<f64>(half).expect("a block");
        let faces = triangles_of(&mesh).map(|corners| Face { corners, is_solid: true, belt: 0.0 }).collect();
        let pose = |tick: i32| {
            let time = f64::from(tick) * DT;
            let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), turns * time);
            Isometry3::from_parts(Translation3::from(from + velocity * time), turn)
        };
        Mover::new(faces, (0..=180).map(pose).collect())
    }

    fn track(ticks: usize, wish: Vector3<f64>, position: impl Fn(usize) -> Point3<f64>) -> Vec<Sample> {
        let sample = |tick: usize| Sample {
            time: tick as f64 * DT,
            position: position(tick),
            wish,
            is_on_ground: true,
            jump: 0.0,
        };
        (0..=ticks).map(sample).collect()
    }

    fn verdict(movers: &[Mover], track: &[Sample]) -> Verdict {
        let body = Body::Ellipsoid([0.4, 0.9, 0.4]);
        Court { grid: &grid(), body, rules: RULES, movers }.judge(track)
    }

    fn kinds(verdict: &Verdict) -> Vec<Kind> {
        verdict.violations.iter().map(|fault| fault.kind).collect()
    }

    #[test]
    fn one_that_rides_is_clean_and_who_goes_as_far_alone_pops() {
        // 40 m/s along z, and turning: in a tick farther than a step and a snap.
        let ship = block([3.0, 0.5, 3.0], vector![0.0, 5.0, -60.0], vector![0.0, 0.5, 40.0], 1.0);
        let riding = track(120, Vector3::zeros(), |tick| ship.pose(tick) * point![1.0, 1.42, 0.5]);
        let found = verdict(std::slice::from_ref(&ship), &riding);
        assert_eq!((kinds(&found), found.crushed, found.beside_movers), (vec![], 0, 120), "{found}");
        assert!(kinds(&verdict(&[], &riding)).contains(&Kind::Pop));
    }

    #[test]
    fn one_that_is_passed_by_a_block_is_caught() {
        let block = || block([0.2, 1.0, 2.0], vector![-3.0, 1.0, 0.0], vector![3.0, 0.0, 0.0], 0.0);
        let standing = track(120, Vector3::zeros(), |_| point![0.0, 0.92, 0.0]);
        let found = verdict(&[block()], &standing);
        assert_eq!(kinds(&found), [Kind::Penetration, Kind::Crossing, Kind::Crossing], "{found}");
        // The faces at ±0.2 pass the centre after 2.8 m and 3.2 m, of 5 cm a tick.
        assert!(found.violations[1].tick.abs_diff(56) <= 1 && found.violations[2].tick.abs_diff(64) <= 1, "{found}");
        assert_eq!(found.crushed, 0);
        // Pushed ahead of it, it is clean.
        let pushed =
            track(120, Vector3::zeros(), |tick| point![(-3.0 + 3.0 * tick as f64 * DT + 0.62).max(0.0), 0.92, 0.0]);
        let found = verdict(&[block()], &pushed);
        assert_eq!(kinds(&found), [], "{found}");
    }

    #[test]
    fn an_arm_that_turns_through_a_body_is_caught() {
        let arm = block([3.0, 0.5, 0.1], vector![0.0, 1.0, 0.0], Vector3::zeros(), 3.0);
        let standing = track(60, Vector3::zeros(), |_| point![0.0, 0.92, 2.0]);
        let found = verdict(&[arm], &standing);
        assert!(kinds(&found).contains(&Kind::Crossing) && kinds(&found).contains(&Kind::Penetration), "{found}");
    }

    #[test]
    fn one_that_is_pressed_against_a_wall_is_crushed_and_that_is_no_fault() {
        let press = || block([0.2, 1.5, 4.0], vector![2.0, 1.5, 0.0], vector![2.0, 0.0, 0.0], 0.0);
        let before_wall = track(110, Vector3::zeros(), |_| point![4.58, 0.92, 0.0]);
        let found = verdict(&[press()], &before_wall);
        assert_eq!(kinds(&found), [], "{found}");
        assert!(found.crushed > 0, "{found}");
        // As the press stops or turns back it may come out on any side, also at once.
        let out = track(70, Vector3::zeros(), |tick| point![if tick < 70 { 4.58 } else { 3.5 }, 0.92, 0.0]);
        let found = verdict(&[press()], &out);
        assert_eq!(kinds(&found), [], "{found}");
        // Half a metre before the wall there is room to give way.
        let found = verdict(&[press()], &track(50, Vector3::zeros(), |_| point![4.08, 0.92, 0.0]));
        assert_eq!((kinds(&found), found.crushed), (vec![Kind::Penetration], 0), "{found}");
    }

    #[test]
    fn who_is_held_up_by_what_moves_is_not_stuck() {
        let wish = vector![3.0, 0.0, 0.0];
        let standing = || track(90, wish, |_| point![0.0, 0.92, 0.0]);
        let block = |x: f64| block([0.2, 1.0, 2.0], vector![x, 1.0, 0.0], Vector3::zeros(), 0.0);
        assert_eq!(kinds(&verdict(&[block(0.63)], &standing())), []);
        assert_eq!(kinds(&verdict(&[block(3.0)], &standing())), [Kind::Stuck]);
    }

    #[test]
    fn one_way_faces_are_passed_and_belts_carry() {
        let mut belt = block([0.2, 1.0, 2.0], vector![1.0, 1.0, 0.0], Vector3::zeros(), 0.0);
        belt.faces.iter_mut().for_each(|face| (face.is_solid, face.belt) = (false, 60.0));
        // A metre a tick, through it.
        let fast = track(4, Vector3::zeros(), |tick| point![if tick == 0 { 0.5 } else { 1.5 }, 0.92, 0.0]);
        assert_eq!(kinds(&verdict(std::slice::from_ref(&belt), &fast)), []);
        belt.faces.iter_mut().for_each(|face| face.belt = 0.0);
        assert_eq!(kinds(&verdict(&[belt], &fast)), [Kind::Pop]);
    }
}
