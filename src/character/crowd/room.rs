//! The room between two characters, and how they share it in a tick.
//!
//! A plane that separates two bodies as the tick begins is moved between them so that each has room for what it wishes, if there
//! is enough for both; what is left over goes by how far they wish to move, what lacks by how fast they head for the plane. So a
//! walker may go right up to one who stands still, and two that head for each other meet between them. Along the plane nothing
//! hinders: they slide around each other, with a new plane in each tick.

use std::cmp::Ordering;

use nalgebra::{Point3, Vector3};

#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::CharacterId;
use crate::{
    InputError,
    character::{Character, body::Body, config::STEEPEST, input::Wish},
    input_error::bounded_point,
    real::{Length, Real, widen},
    shape::Aabb3,
    sweep::ellipsoid_pair::{EllipsoidPair, Separation},
    world::HalfSpace,
};

/// How far a body may be pushed out of overlaps in a tick, as a share of its size, for others to reckon with it.
const SPARE: f64 = 0.1;

/// Two that are less far apart, as a share of their smallest semi-axes, are as good as touching: no better plane is looked for.
const CLOSE: f64 = 0.05;

/// One of the crowd as a tick begins: where it is, and where it can be at its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mover {
    name: CharacterId,
    pub(super) wish: Wish,
    start: Point3<f64>,
    /// What it wishes, in metres: sideways, and up or down where it jumps or falls.
    way: Vector3<f64>,
    /// The ways that can become of that.
    ways: Aabb3<f64>,
    /// Around the body on all of them.
    pub(super) reach: Aabb3<f64>,
    body: Body,
}

impl Mover {
    /// # Errors
    /// If it could get beyond the largest coordinate.
    pub(super) fn new<T: Real>(name: CharacterId, character: &Character<T>, wish: Wish) -> Result<Self, InputError> {
        let (body, limits, up, dt) = (character.body, &character.limits, wish.up, wish.dt);
        let start = character.state.exact_position();
        let jump = wish.jump.filter(|_| character.is_on_ground());
        let momentum = jump.map_or_else(|| widen(&character.state.momentum), |speed| up * speed);
        let is_falling = jump.is_some() || !character.is_on_ground();
        let fall = if is_falling { momentum * dt - up * (0.5 * wish.gravity * dt * dt) } else { Vector3::zeros() };

        let level = wish.level.length();
        let slope = level * limits.slope_tangent.min(STEEPEST);
        // Sideways it can go twice as far: to follow the ground down beside something steep.
        let spare = SPARE * body.half_extents().max() + fall.length();
        let (rise, drop) = (slope + limits.step_height + limits.step_tolerance, slope + level + limits.snap_distance);
        let across = up.map(|up| 2.0 * level * (1.0 - up * up).max(0.0).sqrt() + spare);
        let origin = Point3::origin();
        let rise = if level > 0.0 { rise } else { 0.0 };
        let ways = Aabb3::around([origin + up * rise, origin - up * drop]).grow(&across);
        let half = body.half_extents();
        let reach = Aabb3 { min: start + ways.min.coords - half, max: start + ways.max.coords + half };
        bounded_point(&reach.min, "the way of a tick")?;
        bounded_point(&reach.max, "the way of a tick")?;
        Ok(Self { name, wish, start, way: wish.level + fall, ways, reach, body })
    }

    /// How far it can get along a direction at most.
    fn most_along(&self, direction: &Vector3<f64>) -> f64 {
        let (min, max) = (self.ways.min.coords.component_mul(direction), self.ways.max.coords.component_mul(direction));
        min.sup(&max).sum()
    }

    /// By what is true of it, whatever it is called.
    fn compare(&self, other: &Self) -> Ordering {
        let numbers = |mover: &Self| [mover.start.coords, mover.way, mover.body.half_extents()];
        let pairs = numbers(self).into_iter().zip(numbers(other));
        pairs.map(|(a, b)| compare(&a, &b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }
}

/// What each of two that could meet may use of the room between them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// Who they are, by slot.
    slots: [u32; 2],
    /// `None` where they cannot meet.
    halves: Option<[HalfSpace; 2]>,
}

/// The rooms of a tick.
#[derive(Debug, Clone, Default)]
pub(super) struct Rooms {
    rooms: Vec<Room>,
}

impl Rooms {
    /// Finds the room between those pairs that could meet; they are given by slot.
    pub(super) fn find(&mut self, movers: &[Option<Mover>], pairs: impl Iterator<Item = [u32; 2]>) {
        self.rooms.clear();
        self.rooms.extend(pairs.map(|slots| Room { slots, halves: None }));
        let measure = |room: &mut Room| {
            let [a, b] = room.slots.map(|slot| movers[slot as usize].as_ref());
            room.halves = a.zip(b).and_then(|(a, b)| halves(a, b));
        };
        #[cfg(feature = "parallel")]
        self.rooms.par_iter_mut().with_min_len(RUN).for_each(measure);
        #[cfg(not(feature = "parallel"))]
        self.rooms.iter_mut().for_each(measure);
    }

    /// Where each has to stay, by slot, in no order.
    pub(super) fn half_spaces(&self) -> impl Iterator<Item = (u32, HalfSpace)> {
        self.rooms.iter().flat_map(|room| room.slots.into_iter().zip(room.halves.into_iter().flatten()))
    }
}

/// Pairs that a thread takes at once.
#[cfg(feature = "parallel")]
const RUN: usize = 64;

/// Puts the half-spaces of a body in an order that depends on nothing but where they are.
pub(super) fn put_in_order(half_spaces: &mut [HalfSpace]) {
    half_spaces.sort_unstable_by(|a, b| {
        compare(&a.normal, &b.normal).then(a.least.total_cmp(&b.least)).then(a.name.cmp(&b.name))
    });
}

/// The half-spaces of the first and of the second; `None` if they cannot meet.
///
/// Computed from one of the two whichever comes first, so that the result is the same to the bit. Only of two that are alike
/// in everything the name decides who goes which way.
fn halves(a: &Mover, b: &Mover) -> Option<[HalfSpace; 2]> {
    if a.compare(b).then(a.name.cmp(&b.name)).is_gt() {
        return halves(b, a).map(|[b, a]| [a, b]);
    }
    let offset = b.start - a.start;
    let distance = offset.length();
    let pair_reach = |normal: &Vector3<f64>| a.body.grown().reach(normal) + b.body.grown().reach(normal);
    if distance > 0.0 {
        // Any direction proves that they are so far apart along it.
        let normal = offset / distance;
        if distance - pair_reach(&normal) > a.most_along(&normal) + b.most_along(&-normal) {
            return None;
        }
    }
    let pair = EllipsoidPair::new(a.body.grown(), b.body.grown());
    let Separation { distance: gap, normal } = separation(&pair, a, b, &offset);
    if gap > a.most_along(&normal) + b.most_along(&-normal) {
        return None;
    }
    let [a_share, b_share] = shares(gap, a, b, &normal);
    let half = |mover: &Mover, other: &Mover, normal: Vector3<f64>, share: f64| HalfSpace {
        normal,
        center: mover.start,
        least: -share,
        point: other.start + other.body.farthest_point(&normal),
        name: other.name.numbers(),
    };
    Some([half(a, b, -normal, a_share), half(b, a, normal, b_share)])
}

/// The plane between two: that between their nearest points, or, where that would hinder them, that of their contact if they
/// went as they wish, or one past which both can.
fn separation(pair: &EllipsoidPair, a: &Mover, b: &Mover, offset: &Vector3<f64>) -> Separation {
    let now = pair.separation(offset);
    let closing = |normal: &Vector3<f64>| (a.way - b.way).dot(normal);
    let size = a.body.smallest_radius() + b.body.smallest_radius();
    if now.distance <= CLOSE * size || closing(&now.normal) <= now.distance {
        return now;
    }
    let Some(normal) = pair.separating_normal(offset, &(a.way - b.way)) else { return now };
    Separation { distance: pair.separation_along(offset, &normal), normal }
}

/// How far each may go towards the other.
fn shares(gap: f64, a: &Mover, b: &Mover, normal: &Vector3<f64>) -> [f64; 2] {
    let wished = [a.way.dot(normal).max(0.0), (-b.way.dot(normal)).max(0.0)];
    let sum = wished[0] + wished[1];
    if gap <= 0.0 {
        return [0.5 * gap; 2];
    }
    if sum > gap {
        let first = gap * (wished[0] / sum);
        return [first, gap - first];
    }
    let ways = [a.way.length(), b.way.length()];
    let all = ways[0] + ways[1];
    let part = if all > 0.0 { ways[0] / all } else { 0.5 };
    let first = wished[0] + (gap - sum) * part;
    [first, gap - first]
}

/// The first component that differs decides.
fn compare(a: &Vector3<f64>, b: &Vector3<f64>) -> Ordering {
    a.iter().zip(b.iter()).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}
