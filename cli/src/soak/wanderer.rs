//! [`Wanderer`]: who decides where to go. It knows a map, but its feet and the walls are what counts.

use std::{collections::HashMap, ops::Range};

use nalgebra::{Point3, Vector3};

use super::life::Arena;
use crate::{
    judge::{Court, Flood, NodeId},
    walk::pilot::Random,
};
use sidle::Real;

/// What a wanderer is up to.
enum Leg {
    /// To some place of the map, along its ways, and there into what is beside it.
    Travel { path: Vec<NodeId>, then: Option<Vector3<f64>> },
    /// Into a wall, or anywhere. Since it met something, it has been free for so many seconds.
    Push { free_for: Option<f64> },
    /// Nowhere.
    Idle,
}

/// Steers a character at random: travels over the map, pushes into what is near, jumps, stands still.
pub(super) struct Wanderer<'a> {
    court: &'a Court<'a>,
    flood: &'a Flood,
    random: Random,
    /// The cells that it is to see, so that all together see all, and those that it has seen.
    part: Range<usize>,
    has_seen: Vec<bool>,
    /// Whether the map knows enough to push into, or it would be the same few places again and again.
    has_obstacles: bool,
    /// The tick of the clock by which things move.
    clock: usize,
    dt: f64,
    usual_speed: f64,
    leg: Leg,
    /// Seconds left of the leg, and until the next look at the map.
    left: f64,
    until_look: f64,
    speed: f64,
    wish: Vector3<f64>,
    ticks: usize,
    pub(super) pushing_ticks: usize,
    /// How long it has not known where it is, or seen only a small part of the map ahead, in seconds.
    lost_for: f64,
}

/// It pushes for more than half of its time, where there is something to push into.
const SHARE_OF_PUSHING: f64 = 0.6;
/// So often, as it chooses, it goes to something that moves.
const SHARE_OF_SEEKING: f64 = 0.25;
/// Something within this distance is pushed into, in metres, or else something that the map knows, or else what is within this.
const NEARBY: f64 = 2.0;
const NEAR: f64 = 15.0;
/// Who should have met it for so long, in seconds, and has not, chooses anew.
const MISSED: f64 = 0.5;
/// A tick with less than this share of the wish is one of pushing.
const HINDERED: f64 = 0.95;
/// Who is free for so long after having pushed, in seconds, pushes into something else.
const SLIPPED: f64 = 0.3;
/// Looks at the map are so far apart, in seconds.
const LOOK: f64 = 0.15;
/// Travelling, it aims at what is so many places ahead on its way.
const FORESIGHT: usize = 2;
/// After so long, in seconds, it breaks a journey.
const LONGEST: f64 = 10.0;
/// Jumps a second, and their speed in metres a second.
const JUMPS: f64 = 0.15;
const JUMP_SPEED: f64 = 4.4;
/// Who is lost for so long, in seconds, is brought back to a spawn; so is who can only reach a small share of the map.
const LOST: f64 = 12.0;
const POCKET: f64 = 0.1;

impl<'a> Wanderer<'a> {
    pub(super) fn new<T: Real>(arena: &'a Arena<'a, T>, index: usize) -> Self {
        let mut random = Random(arena.setup.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ index as u64);
        random.unit();
        let (cells, wanderers) = (arena.flood.cells(), arena.setup.wanderers);
        Self {
            court: arena.court,
            flood: arena.flood,
            random,
            part: index * cells / wanderers..(index + 1) * cells / wanderers,
            has_seen: vec![false; cells],
            has_obstacles: arena.setup.has_obstacles(),
            clock: 0,
            dt: arena.setup.dt,
            usual_speed: arena.setup.speed,
            leg: Leg::Idle,
            left: 0.0,
            until_look: 0.0,
            speed: arena.setup.speed,
            wish: Vector3::zeros(),
            ticks: 0,
            pushing_ticks: 0,
            lost_for: 0.0,
        }
    }

    /// Begins anew somewhere else, or after a way that ended there.
    pub(super) fn forget(&mut self) {
        (self.leg, self.left, self.until_look, self.lost_for) = (Leg::Idle, 0.0, 0.0, 0.0);
    }

    /// Takes note of what came of the last wish.
    pub(super) fn note(&mut self, way: &Vector3<f64>) {
        self.ticks += 1;
        let wished = self.wish.norm_squared() * self.dt;
        let is_hindered = way.dot(&self.wish) < HINDERED * wished;
        if is_hindered {
            self.pushing_ticks += 1;
        }
        if let Leg::Push { free_for } = &mut self.leg {
            if free_for.is_none() && is_hindered {
                self.left = 2.0 + 3.0 * self.random.unit();
            }
            *free_for = match *free_for {
                _ if is_hindered => Some(0.0),
                free_for => free_for.map(|seconds| seconds + self.dt),
            };
            // Past what it pushed into.
            if free_for.is_some_and(|seconds| seconds > SLIPPED) {
                self.left = 0.0;
            }
        }
    }

    /// Whether it should be brought back.
    pub(super) fn is_lost(&self) -> bool {
        self.lost_for > LOST
    }

    /// The velocity and the jump, 0 for none, that it wishes for, seen from its centre after a tick of the clock.
    pub(super) fn next(&mut self, center: &Point3<f64>, is_on_ground: bool, clock: usize) -> (Vector3<f64>, f64) {
        self.clock = clock;
        self.left -= self.dt;
        self.until_look -= self.dt;
        let feet = center - Vector3::y() * self.court.body.half_height();
        if is_on_ground && let Some(cell) = self.flood.cell_at(&feet) {
            self.has_seen[cell as usize] = true;
        }
        if self.left <= 0.0 {
            self.choose(center, &feet);
        }
        if self.until_look <= 0.0 {
            self.until_look = LOOK;
            self.follow(&feet);
        }
        let is_idle = matches!(self.leg, Leg::Idle);
        let jumps = is_on_ground && !is_idle && self.random.unit() < JUMPS * self.dt;
        (self.wish, if jumps { JUMP_SPEED } else { 0.0 })
    }

    fn choose(&mut self, center: &Point3<f64>, feet: &Point3<f64>) {
        let factor = [1.0, 1.0, 1.0, 0.35, 2.0][self.pick(5)];
        self.speed = self.usual_speed * factor;
        if self.random.unit() < 0.03 {
            (self.leg, self.left, self.wish) = (Leg::Idle, 0.3 + 0.7 * self.random.unit(), Vector3::zeros());
            return;
        }
        if self.seek_mover(center, feet) {
            return;
        }
        let pushes = (self.pushing_ticks as f64) < SHARE_OF_PUSHING * (self.ticks + 1) as f64;
        if pushes && (self.push(center, NEARBY) || self.travel_to_obstacle(feet) || self.push(center, NEAR)) {
            return;
        }
        self.explore(feet);
    }

    /// Now and then to something that moves: into it or onto it, or first to the nearest place of the map from which that can be done.
    fn seek_mover(&mut self, center: &Point3<f64>, feet: &Point3<f64>) -> bool {
        let movers = self.court.movers;
        if movers.is_empty() || self.random.unit() >= SHARE_OF_SEEKING {
            return false;
        }
        let (middle, radius) = movers[self.pick(movers.len())].ball(self.clock);
        let is_near = |place: &Point3<f64>| (middle - place).norm() < radius + NEARBY;
        if is_near(center) {
            let way = middle - center;
            self.press(&Vector3::new(way.x, 0.0, way.z), way.norm());
            return true;
        }
        let (here, flood) = (self.flood.place_near(feet), self.flood);
        let is_wanted = |place| is_near(&flood.center(place));
        let found = here.map(|here| flood.reachable(here, is_wanted)).unwrap_or_default();
        let Some((to, _)) = found.last().copied().filter(|(place, _)| is_wanted(*place)) else { return false };
        self.travel(&found, to, None);
        true
    }

    /// Into something within a distance: straight, or at a slant, or along.
    fn push(&mut self, center: &Point3<f64>, near: f64) -> bool {
        let ways: Vec<Vector3<f64>> = (0..24).map(|_| self.random.level_direction()).collect();
        let walls = ways.iter().filter_map(|way| Some((self.court.wall_ahead(center, way, near)?, *way)));
        let Some((distance, way)) = walls.min_by(|(a, _), (b, _)| a.total_cmp(b)) else { return false };
        if distance > NEARBY {
            self.speed = self.speed.max(2.0 * self.usual_speed);
        }
        self.press(&way, distance);
        true
    }

    /// Into what is at a distance on a way.
    fn press(&mut self, way: &Vector3<f64>, distance: f64) {
        let slant = if self.random.unit() < 0.4 { self.random.level_direction() * 0.7 } else { Vector3::zeros() };
        self.leg = Leg::Push { free_for: None };
        self.left = distance / self.speed + MISSED;
        self.go(&(way + slant));
    }

    /// To the nearest place of the map beside which something is in the way.
    fn travel_to_obstacle(&mut self, feet: &Point3<f64>) -> bool {
        let obstacle = |place| self.flood.way_into_obstacle(place);
        let Some(here) = self.flood.place_near(feet).filter(|_| self.has_obstacles) else { return false };
        let found = self.flood.reachable(here, |place| obstacle(place).is_some());
        let Some((place, way)) = found.last().and_then(|(place, _)| Some((*place, obstacle(*place)?))) else {
            return false;
        };
        self.speed = self.speed.max(2.0 * self.usual_speed);
        self.travel(&found, place, Some(way));
        true
    }

    /// To what it has not yet seen of its part, or else anywhere.
    fn explore(&mut self, feet: &Point3<f64>) {
        let is_new = |place| {
            let cell = self.flood.cell_of(place) as usize;
            self.part.contains(&cell) && !self.has_seen[cell]
        };
        let found = self.flood.place_near(feet).map(|here| self.flood.reachable(here, is_new)).unwrap_or_default();
        let new = found.last().map(|(place, _)| *place).filter(|place| is_new(*place));
        if new.is_none() && (found.len() as f64) < POCKET * self.flood.places() as f64 {
            // Off the map, or where only little of it can be reached.
            let seconds = 1.0 + self.random.unit();
            (self.leg, self.left, self.lost_for) = (Leg::Push { free_for: None }, seconds, self.lost_for + seconds);
            let way = self.random.level_direction();
            self.go(&way);
            return;
        }
        self.lost_for = 0.0;
        let to = new.unwrap_or_else(|| found[self.pick(found.len())].0);
        self.travel(&found, to, None);
    }

    /// Along the ways that were found, each with the place before it, towards one of them.
    fn travel(&mut self, found: &[(NodeId, NodeId)], to: NodeId, then: Option<Vector3<f64>>) {
        let before: HashMap<NodeId, NodeId> = found.iter().copied().collect();
        let way_back = |place: &NodeId| before.get(place).copied().filter(|before| before != place);
        // The next place is the last of the list.
        let path: Vec<NodeId> = std::iter::successors(Some(to), way_back).collect();
        self.left = (1.5 + 0.75 * path.len() as f64 / self.speed).min(LONGEST);
        self.leg = Leg::Travel { path, then };
        self.until_look = 0.0;
    }

    /// Aims at the next places of the way.
    fn follow(&mut self, feet: &Point3<f64>) {
        let Leg::Travel { path, then } = &mut self.leg else { return };
        let level_way = |to: Point3<f64>| Vector3::new(to.x - feet.x, 0.0, to.z - feet.z);
        // What is nearer than what comes before it has been passed.
        let off = |id: NodeId| level_way(self.flood.center(id)).norm();
        let recent = path.len().saturating_sub(2 * FORESIGHT + 1)..path.len();
        if let Some(nearest) = recent.min_by(|i, j| off(path[*i]).total_cmp(&off(path[*j]))) {
            path.truncate(nearest + 1);
        }
        let aim = path[path.len().saturating_sub(1 + FORESIGHT)];
        let way = level_way(self.flood.center(aim));
        if path.len() <= 1 && way.norm() < f64::max(0.3, self.speed * LOOK) {
            match *then {
                Some(way) => self.press(&way, 0.0),
                None => self.left = 0.0,
            }
            return;
        }
        self.go(&way);
    }

    /// Wishes for its speed along a way; in whole millimetres a second, so that scenarios stay short.
    fn go(&mut self, way: &Vector3<f64>) {
        let Some(way) = way.try_normalize(0.05) else { return };
        self.wish = (way * self.speed).map(|x| (x * 1e3).round() / 1e3);
    }

    fn pick(&mut self, count: usize) -> usize {
        ((self.random.unit() * count as f64) as usize).min(count - 1)
    }
}
