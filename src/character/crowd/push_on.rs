//! Pushes handed on: whom a thing pushes, pushes whom it meets, and that one the next.
//!
//! What moves in the world has taken each along as if it were alone (`ride.rs`), maybe into others. Here they part again, round by
//! round: who has been moved stays, and whom it is in now gives way, as far as surfaces allow. Who cannot, as there is a wall
//! behind it, holds its place from then on, and all who are in it give way in turn, aside or back. One who cannot do that either is
//! left in the thing that has pushed it: it is crushed, and in nobody. (Guendelman, Bridson and Fedkiw 2003, *Nonconvex Rigid Bodies
//! with Stacking*, go through a pile in the same way: outwards, each layer as if those before it could not be moved.)
//!
//! In a round each reads where the others were as it began, so their order does not matter.

use std::cmp::Ordering;

use arrayvec::ArrayVec;
use nalgebra::{Point3, Vector3};

use super::{
    CharacterId, Crowd, Member, Place,
    mover::Mover,
    room::{between_parts, compare},
    solid::GivesWay,
};
use crate::{
    character::{
        clip::Plane,
        depenetrate::shallow_of,
        posed::Only,
        push::{MOST_ASIDE, PushEnd, push},
        slide::MAX_ROUNDS,
    },
    real::{Length, Real, narrow},
    shape::Aabb3,
    world::CollisionWorld,
};

/// Most rounds of a tick: one for each who hands a push on, and one for each back from a wall. What is left then is left to the
/// planes between two (`room.rs`).
const MOST_ROUNDS: u32 = 256;

/// Who is nearer than this share of its smallest semi-axis is reckoned with before it is met.
const NEAR: f64 = 0.5;

/// Whom others squeeze out between them may go so many times its smallest semi-axis in a tick. Who would have to go farther holds its
/// place.
const FARTHEST: f64 = 1.0;

/// Most others that one reckons with at once, the deepest first; what is left of the planes is for surfaces.
const MOST_OTHERS: usize = 8;

/// Who gives way to whom: the lesser stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    /// It could not go on in some round.
    Held(u32),
    /// It was first pushed in some round; in round 0 by a thing.
    Pushed(u32),
    /// Nothing has happened to it.
    Free,
}

/// What a round does to one.
#[derive(Debug, Clone, Copy)]
struct Push {
    slot: u32,
    position: Point3<f64>,
    way: Vector3<f64>,
    /// Whether it is to hold its place.
    is_stuck: bool,
}

/// Working memory of pushes.
#[derive(Debug, Clone, Default)]
pub(super) struct Pushes {
    /// By slot.
    standings: Vec<Standing>,
    /// Who could not even give way to others who hold their places, by slot: things go on through it.
    are_passed: Vec<bool>,
    /// Who has moved, or begun to hold its place, in the last round.
    moved: Vec<u32>,
    /// Who gives way in this one.
    giving: Vec<u32>,
    done: Vec<Push>,
    planes: Vec<Plane>,
}

impl Pushes {
    /// Those whom things have moved; whether there are any.
    fn begin(&mut self, movers: &[Option<Mover>]) -> bool {
        self.moved.clear();
        let has_moved = |mover: &Mover| mover.start != mover.from;
        let moved = (0..).zip(movers).filter(|(_, mover)| mover.as_ref().is_some_and(has_moved));
        self.moved.extend(moved.map(|(slot, _)| slot));
        if self.moved.is_empty() {
            return false;
        }
        self.standings.clear();
        self.standings.resize(movers.len(), Standing::Free);
        self.are_passed.clear();
        self.are_passed.resize(movers.len(), false);
        self.moved.iter().for_each(|slot| self.standings[*slot as usize] = Standing::Pushed(0));
        true
    }

    /// Lets one hold its place, or, if it does already, things go through it; whether that is new.
    fn hold(&mut self, slot: u32, round: u32) -> bool {
        let standing = &mut self.standings[slot as usize];
        if !matches!(standing, Standing::Held(_)) {
            *standing = Standing::Held(round);
            return true;
        }
        !std::mem::replace(&mut self.are_passed[slot as usize], true)
    }

    /// Which share of what two lack is up to the first of them.
    fn share(&self, [a, b]: [u32; 2], GivesWay(sees): GivesWay) -> f64 {
        match (sees, self.standings[a as usize].cmp(&self.standings[b as usize])) {
            ([false, _], _) => 0.0,
            ([true, false], _) | (_, Ordering::Greater) => 1.0,
            (_, Ordering::Equal) => 0.5,
            (_, Ordering::Less) => 0.0,
        }
    }
}

impl<T: Real> Crowd<T> {
    /// Lets those whom things have moved push the others.
    pub(super) fn push_on(
        &mut self,
        world: &(impl CollisionWorld + ?Sized),
        solid: &impl Fn(CharacterId, CharacterId) -> bool,
    ) {
        let mut pushes = std::mem::take(&mut self.pushes);
        if pushes.begin(&self.movers) {
            for round in 1..=MOST_ROUNDS {
                self.find_who_gives_way(&mut pushes, round, solid);
                if pushes.giving.is_empty() {
                    break;
                }
                self.give_way(&mut pushes, world, solid);
                self.arrive(&mut pushes, round);
            }
            self.tell_who_is_crushed(&pushes, world);
        }
        self.pushes = pushes;
    }

    /// Visits those who are solid to one and whose reach meets a box.
    fn each_near(
        &self,
        slot: u32,
        bounds: &Aabb3<f64>,
        solid: &impl Fn(CharacterId, CharacterId) -> bool,
        mut visit: impl FnMut(u32, &Mover),
    ) {
        self.tree.each_in_box(bounds, |id| {
            let other = self.by_box[id.index()];
            if let Some(mover) = &self.movers[other as usize]
                && other != slot
                && self.are_solid([slot, other], solid)
            {
                visit(other, mover);
            }
        });
    }

    fn find_who_gives_way(&self, pushes: &mut Pushes, round: u32, solid: &impl Fn(CharacterId, CharacterId) -> bool) {
        let mut giving = std::mem::take(&mut pushes.giving);
        giving.clear();
        for slot in &pushes.moved {
            let Some(mover) = &self.movers[*slot as usize] else { continue };
            self.each_near(*slot, &mover.passed(), solid, |other, neighbour| {
                let Some(sees) = mover.sight.between(neighbour.sight) else { return };
                let shares = [([*slot, other], sees), ([other, *slot], sees.swapped())];
                let gives_way = shares.map(|(pair, sees)| pushes.share(pair, sees) > 0.0);
                let shallow = shallow_of(&mover.body).min(shallow_of(&neighbour.body));
                let mut are_in_each_other = false;
                between_parts(mover, neighbour, 0.0, |_, lack| are_in_each_other |= lack > shallow);
                if are_in_each_other {
                    giving
                        .extend([*slot, other].into_iter().zip(gives_way).filter(|(_, gives)| *gives).map(|(s, _)| s));
                }
            });
        }
        giving.sort_unstable();
        giving.dedup();
        for slot in &giving {
            let standing = &mut pushes.standings[*slot as usize];
            *standing = (*standing).min(Standing::Pushed(round));
        }
        pushes.giving = giving;
    }

    /// Where each gets who gives way, by the least way.
    fn give_way(
        &mut self,
        pushes: &mut Pushes,
        world: &(impl CollisionWorld + ?Sized),
        solid: &impl Fn(CharacterId, CharacterId) -> bool,
    ) {
        pushes.done.clear();
        let mut found = std::mem::take(&mut pushes.planes);
        for slot in &pushes.giving {
            found.clear();
            let (Some(mover), Some(Place { member, .. })) =
                (&self.movers[*slot as usize], self.slots.at(*slot).value())
            else {
                continue;
            };
            let within = NEAR * mover.body.smallest_radius();
            let bounds = mover.passed().grow(&Vector3::repeat(within));
            self.each_near(*slot, &bounds, solid, |other, neighbour| {
                let Some(sees) = mover.sight.between(neighbour.sight) else { return };
                let share = pushes.share([*slot, other], sees);
                if share > 0.0 {
                    // Who is not to give way alone may give way at the same time.
                    let within = if share < 1.0 { 0.0 } else { within };
                    between_parts(mover, neighbour, within, |normal, lack| {
                        let least = share * lack;
                        found.push(if least > 0.0 {
                            member.character.push_plane(normal, least, &mover.wish.up)
                        } else {
                            Plane { normal: *normal, least }
                        });
                    });
                }
            });
            found.sort_unstable_by(|a, b| b.least.total_cmp(&a.least).then(compare(&a.normal, &b.normal)));
            let mut planes: ArrayVec<Plane, MAX_ROUNDS> = found.iter().copied().take(MOST_OTHERS).collect();
            let mut most = MOST_ASIDE * planes.first().map_or(0.0, |plane| plane.least);
            let start = mover.start;
            let Some(place) = self.slots.at_mut(*slot).value_mut() else { continue };
            let Member { character, scratch, .. } = &mut *place.member;
            scratch.near.half_spaces_mut().clear(); // those of the tick before, of who was left alone until now
            let body = &character.body;
            let around = body.bounds(start).grow(&Vector3::repeat(most));
            if pushes.are_passed[*slot as usize] {
                scratch.near.gather(&Only { world, moves: false }, &around, &character.filter);
            } else {
                scratch.near.gather(world, &around, &character.filter);
            }
            body.measure(&mut scratch.near, start);
            let (mut position, mut way) = (start, Vector3::zeros());
            let is_stuck = match push(&scratch.near, body, &mut position, &mut way, &mut planes, &mut most) {
                PushEnd::Out => false,
                // Squeezed aside, it goes on in the next round.
                PushEnd::TooFar => (mover.wish.pushed + way).length() > FARTHEST * body.smallest_radius(),
                PushEnd::Blocked => true,
            };
            pushes.done.push(Push { slot: *slot, position, way, is_stuck });
        }
        pushes.planes = found;
    }

    /// Takes over where all got in a round.
    fn arrive(&mut self, pushes: &mut Pushes, round: u32) {
        pushes.moved.clear();
        for i in 0..pushes.done.len() {
            let Push { slot, position, way, is_stuck } = pushes.done[i];
            let changes = is_stuck && pushes.hold(slot, round);
            let has_moved = way != Vector3::zeros();
            if has_moved || changes {
                pushes.moved.push(slot);
            }
            let Some(Place { member, bounds }) = self.slots.at_mut(slot).value_mut() else { continue };
            if let Some(mover) = &mut self.movers[slot as usize]
                && has_moved
            {
                let Member { character, scratch, report } = &mut **member;
                if mover.is_left_alone {
                    character.stay(scratch, report); // as it was until now
                }
                let mut wish = mover.wish;
                character.be_pushed(position, way, &mut wish);
                report.ride.pushed = narrow(&wish.pushed);
                mover.set_off(character, wish);
                let _ = self.tree.move_to(*bounds, mover.reach);
            }
        }
        self.tree.update();
    }

    /// Who was in the way of things to the last is crushed if they are in it.
    fn tell_who_is_crushed(&mut self, pushes: &Pushes, world: &(impl CollisionWorld + ?Sized)) {
        for (entry, is_passed) in self.slots.list_mut().iter_mut().zip(&pushes.are_passed) {
            if let Some(Place { member, .. }) = entry.value_mut()
                && *is_passed
            {
                let Member { character, scratch, report } = &mut **member;
                report.ride.is_crushed |= character.is_in_what_moves(world, scratch);
            }
        }
    }
}
