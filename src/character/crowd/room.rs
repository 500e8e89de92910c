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

use super::{
    CharacterId,
    mover::{Mover, Side},
    solid::GivesWay,
};
use crate::{
    character::threads,
    real::Length,
    sweep::ellipsoid_pair::{EllipsoidPair, Separation},
    world::HalfSpace,
};

/// Two that are less far apart, as a share of their smallest semi-axes, are as good as touching: no better plane is looked for.
const CLOSE: f64 = 0.05;

/// How good the direction of a plane is, see [`EllipsoidPair::separation`]: any is safe, and on contact the first guess is exact. Of
/// the room between two persons this lacks less than a micrometre.
const STRAIGHT: f64 = 1e-3;

/// Who has come farther relative to another, as a share of their smallest semi-axes, may have passed its centre.
const FAR: f64 = 0.25;

/// A plane leans if its normal has a larger part along `up`: of two persons who touch, if one stands 4 cm higher. Upright instead, it
/// costs 0.2 mm of the skins between them.
const LEVEL: f64 = 1e-2;

/// What each of two that could meet may use of the room between a part of the one and a part of the other.
#[derive(Debug, Clone, Copy)]
struct Room {
    names: [CharacterId; 2],
    parts: [u8; 2],
    plane: Plane,
}

/// Between two that could meet.
#[derive(Debug, Clone, Copy)]
struct Plane {
    /// Unit vector from the first to the second.
    normal: Vector3<f64>,
    /// How far each may go towards the other, in metres; without end for who does not see the other.
    shares: [f64; 2],
}

impl Plane {
    /// That of two that cannot meet.
    const NONE: Self = Self { normal: Vector3::new(0.0, 0.0, 0.0), shares: [f64::INFINITY; 2] };
}

impl Room {
    /// Which of the two have to stay on their side.
    fn held(&self) -> impl Iterator<Item = usize> {
        (0..2).filter(|side| self.plane.shares[*side] < f64::INFINITY)
    }

    /// Where one of the two has to stay.
    fn half_space(&self, side: usize, start: Point3<f64>) -> HalfSpace {
        let Plane { normal, shares } = self.plane;
        HalfSpace {
            normal: if side == 0 { -normal } else { normal },
            start,
            least: -shares[side],
            name: self.names[1 - side].numbers(),
            part: self.parts[side],
        }
    }
}

/// The rooms of a tick.
#[derive(Debug, Clone, Default)]
pub(super) struct Rooms {
    rooms: Vec<Room>,
    /// By mover: in which rooms it has to stay on its side, as twice the room's place, and one more for the second of the two.
    sides: Vec<u32>,
    /// By slot: where its sides begin; and one more.
    begins: Vec<u32>,
}

impl Rooms {
    /// Finds the room between those pairs that could meet; they are given by slot.
    pub(super) fn find(&mut self, movers: &[Option<Mover>], pairs: impl Iterator<Item = [u32; 2]>) {
        self.rooms.clear();
        for [a, b] in pairs {
            let (Some(a), Some(b)) = (&movers[a as usize], &movers[b as usize]) else { continue };
            for part in 0..a.parts() {
                let room = |other| Room { names: [a.name, b.name], parts: [part, other], plane: Plane::NONE };
                self.rooms.extend((0..b.parts()).map(room));
            }
        }
        let measure = |room: &mut Room| {
            let [Some(a), Some(b)] = room.names.map(|name| movers[name.slot as usize].as_ref()) else { return };
            room.plane = between(a.side(room.parts[0]), b.side(room.parts[1])).unwrap_or(Plane::NONE);
        };
        if threads::is_alone() {
            self.rooms.iter_mut().for_each(measure);
        } else {
            #[cfg(feature = "parallel")]
            self.rooms.par_iter_mut().with_min_len(RUN).for_each(measure);
        }
        self.sort_by_mover(movers.len());
    }

    /// Lists the rooms of each mover one after the other: first how many it has, then each at its place.
    fn sort_by_mover(&mut self, movers: usize) {
        let Self { rooms, sides, begins } = self;
        begins.clear();
        begins.resize(movers + 2, 0);
        for room in rooms.iter() {
            room.held().for_each(|side| begins[room.names[side].slot as usize + 2] += 1);
        }
        (2..begins.len()).for_each(|slot| begins[slot] += begins[slot - 1]);
        sides.resize(begins.last().map_or(0, |end| *end as usize), 0);
        for (place, room) in (0..).zip(rooms.iter()) {
            for side in room.held() {
                // What was the beginning of the one before ends up as its own.
                let begin = &mut begins[room.names[side].slot as usize + 1];
                sides[*begin as usize] = 2 * place + side as u32;
                *begin += 1;
            }
        }
    }

    /// The half-spaces in which a mover has to stay, in no order.
    pub(super) fn of(&self, slot: usize, mover: &Mover) -> impl Iterator<Item = HalfSpace> {
        let sides = &self.sides[self.begins[slot] as usize..self.begins[slot + 1] as usize];
        sides.iter().map(|side| self.rooms[(side / 2) as usize].half_space((side % 2) as usize, mover.start))
    }
}

/// Pairs that a thread takes at once.
#[cfg(feature = "parallel")]
const RUN: usize = 64;

/// Puts the half-spaces of a body in an order that depends on nothing but where they are.
pub(super) fn put_in_order(half_spaces: &mut [HalfSpace]) {
    half_spaces.sort_unstable_by(|a, b| {
        let by_plane = compare(&a.normal, &b.normal).then_with(|| a.least.total_cmp(&b.least));
        by_plane.then_with(|| a.name.cmp(&b.name)).then_with(|| a.part.cmp(&b.part))
    });
}

/// The plane between two; `None` if they cannot meet, or neither sees the other.
///
/// Computed from one of the two whichever comes first, so that the result is the same to the bit. Only of two that are alike
/// in everything the name decides who goes which way.
fn between(a: Side<'_>, b: Side<'_>) -> Option<Plane> {
    if a.mover.compare(b.mover).then_with(|| a.mover.name.cmp(&b.mover.name)).is_gt() {
        let Plane { normal, shares: [b_share, a_share] } = in_order(b, a)?;
        return Some(Plane { normal: -normal, shares: [a_share, b_share] });
    }
    in_order(a, b)
}

fn in_order(a: Side<'_>, b: Side<'_>) -> Option<Plane> {
    let sees = a.mover.sight.between(b.mover.sight)?;
    let offset = b.center - a.center;
    let can_meet =
        |found: &Separation| found.distance <= a.mover.most_along(&found.normal) + b.mover.most_along(&-found.normal);
    let distance = offset.length();
    if distance > 0.0 {
        // Any direction proves that they are so far apart along it; mostly that of the centres will do.
        let normal = offset / distance;
        let found = apart_along(a, b, &offset, upright(a, b, &normal).unwrap_or(normal));
        if !can_meet(&found) {
            return None;
        }
        if let Some(shares) = enough_for_both(found.distance, a.mover, b.mover, &found.normal, sees) {
            return Some(Plane { normal: found.normal, shares });
        }
    }
    let found = separation(a, b, &offset);
    can_meet(&found).then(|| {
        let shares = shares(found.distance, a.mover, b.mover, &found.normal, sees);
        Plane { normal: found.normal, shares }
    })
}

/// How far two are apart along a unit vector.
fn apart_along(a: Side<'_>, b: Side<'_>, offset: &Vector3<f64>, normal: Vector3<f64>) -> Separation {
    let reaches = a.grown.reach(&normal) + b.grown.reach(&normal);
    Separation { distance: normal.dot(offset) - reaches, normal }
}

/// The plane between two: that between their nearest points, or, where that would hinder them, that of their contact if they
/// went as they wish, or one past which both can.
fn separation(a: Side<'_>, b: Side<'_>, offset: &Vector3<f64>) -> Separation {
    let pair = EllipsoidPair::new(a.grown, b.grown);
    let now = pair.separation(offset, STRAIGHT);
    let now = upright(a, b, &now.normal).map_or(now, |normal| apart_along(a, b, offset, normal));
    let closing = |normal: &Vector3<f64>| (a.mover.way - b.mover.way).dot(normal);
    let size = a.mover.body.smallest_radius() + b.mover.body.smallest_radius();
    if now.distance <= CLOSE * size || closing(&now.normal) <= now.distance {
        return now;
    }
    let past = pair.separating_normal(offset, &(a.mover.way - b.mover.way));
    past.map_or(now, |normal| apart_along(a, b, offset, normal))
}

/// The normal of a plane that hardly leans, put upright, which costs next to no room: who looks for the ground below is not held
/// up by it. `None` if it leans, or stands upright.
#[inline]
fn upright(a: Side<'_>, b: Side<'_>, normal: &Vector3<f64>) -> Option<Vector3<f64>> {
    let up = a.mover.wish.up;
    let lean = normal.dot(&up);
    (lean.abs() < LEVEL && lean != 0.0 && up == b.mover.wish.up).then(|| (normal - up * lean).unit())
}

/// What two, where things have taken them, lack to be apart: for each two parts that are nearer than `within` the normal from the
/// second to the first, and by how much they are deeper in each other than they were; negative where they are apart.
pub(super) fn between_parts(a: &Mover, b: &Mover, within: f64, mut visit: impl FnMut(&Vector3<f64>, f64)) {
    let is_swapped = a.compare(b).then(a.name.cmp(&b.name)).is_gt();
    let (first, second) = if is_swapped { (b, a) } else { (a, b) };
    let moved = first.taken() - second.taken();
    for part in 0..first.parts() {
        for other in 0..second.parts() {
            if let Some(Separation { distance, normal }) = since(first.side(part), second.side(other), &moved, within) {
                visit(&if is_swapped { normal } else { -normal }, -distance);
            }
        }
    }
}

/// How far two parts are apart that have moved relative to each other, unless that is more than `within`.
fn since(a: Side<'_>, b: Side<'_>, moved: &Vector3<f64>, within: f64) -> Option<Separation> {
    let offset = b.center - a.center;
    let (distance, way) = (offset.length(), moved.length());
    if distance > 0.0 && apart_along(a, b, &offset, offset / distance).distance > within + way {
        return None;
    }
    let pair = EllipsoidPair::new(a.grown, b.grown);
    let before = offset + moved;
    // Who has come far may have its centre beyond that of the other; it is still on its side.
    let is_far = way > FAR * (a.mover.body.smallest_radius() + b.mover.body.smallest_radius());
    let side = if is_far { pair.separating_normal(&before, moved) } else { None };
    let now = side.map_or_else(|| pair.separation(&offset, STRAIGHT), |normal| apart_along(a, b, &offset, normal));
    if now.distance >= 0.0 {
        return (now.distance <= within).then_some(now);
    }
    let was = pair.separation(&before, STRAIGHT).distance.min(0.0);
    Some(Separation { distance: (now.distance - was).min(0.0), ..now })
}

/// How far each may go towards the other.
fn shares(gap: f64, a: &Mover, b: &Mover, normal: &Vector3<f64>, sees: GivesWay) -> [f64; 2] {
    if sees != GivesWay([true; 2]) {
        return shares_of_one(gap, a, b, normal, sees);
    }
    if gap <= 0.0 {
        // Who was pushed into the other cannot give way.
        let pushed = along(&a.wish.pushed, &b.wish.pushed, normal);
        let both = pushed[0] + pushed[1];
        let first = gap * if both > 0.0 { pushed[1] / both } else { 0.5 };
        return [first, gap - first];
    }
    enough_for_both(gap, a, b, normal, sees).unwrap_or_else(|| {
        let wished = wished_along(a, b, normal);
        let first = gap * (wished[0] / (wished[0] + wished[1]));
        [first, gap - first]
    })
}

/// The same where there is room for what both wish.
fn enough_for_both(gap: f64, a: &Mover, b: &Mover, normal: &Vector3<f64>, sees: GivesWay) -> Option<[f64; 2]> {
    let wished = wished_along(a, b, normal);
    let left = gap - (wished[0] + wished[1]);
    if left < 0.0 || gap <= 0.0 {
        return None;
    }
    if sees != GivesWay([true; 2]) {
        return Some(shares_of_one(gap, a, b, normal, sees));
    }
    let ways = [a.way.length(), b.way.length()];
    let all = ways[0] + ways[1];
    let first = wished[0] + left * if all > 0.0 { ways[0] / all } else { 0.5 };
    Some([first, gap - first])
}

/// The same where only one sees the other: it gets what the other leaves of the room, and gives way where that is less than none.
fn shares_of_one(gap: f64, a: &Mover, b: &Mover, normal: &Vector3<f64>, GivesWay(sees): GivesWay) -> [f64; 2] {
    let [by_a, by_b] = wished_along(a, b, normal);
    [(sees[0], gap - by_b), (sees[1], gap - by_a)].map(|(sees, share)| if sees { share } else { f64::INFINITY })
}

/// How far each wishes to go towards the other.
fn wished_along(a: &Mover, b: &Mover, normal: &Vector3<f64>) -> [f64; 2] {
    along(&a.way, &b.way, normal)
}

/// How far ways of the two lead towards each other.
fn along(a_way: &Vector3<f64>, b_way: &Vector3<f64>, normal: &Vector3<f64>) -> [f64; 2] {
    [a_way.dot(normal).max(0.0), (-b_way.dot(normal)).max(0.0)]
}

/// The first component that differs decides.
pub(super) fn compare(a: &Vector3<f64>, b: &Vector3<f64>) -> Ordering {
    a.x.total_cmp(&b.x).then_with(|| a.y.total_cmp(&b.y)).then_with(|| a.z.total_cmp(&b.z))
}
