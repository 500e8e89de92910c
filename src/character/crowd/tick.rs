//! [`Crowd::tick`]: all move at once.

use super::{CharacterId, Crowd, CrowdError, Member, Place, mover::Mover, room, solid::IgnoredPairs};
use crate::{
    character::{Character, TickInput, input::Wish, threads},
    real::Real,
    slots::Slots,
    world::CollisionWorld,
};

impl<T: Real> Crowd<T> {
    /// Moves all for `dt` seconds, each as `wish` says: on foot, or flying.
    ///
    /// The wishes are asked once for each character, on any thread and in any order.
    ///
    /// # Errors
    /// If `dt` is not positive or a number of an input is not finite; then none has moved.
    pub fn tick(
        &mut self,
        world: &(impl CollisionWorld + Sync + ?Sized),
        dt: T,
        wish: impl Fn(CharacterId, &Character<T>) -> TickInput<T> + Sync,
    ) -> Result<(), CrowdError> {
        self.tick_where(world, dt, wish, |_, _| true)
    }

    /// As [`Crowd::tick`], where of those who are solid to each other by their layers only those are for whom `solid` says so, too.
    ///
    /// It is asked at least once for each two that come near each other, the lower id first. What it says should not depend on that.
    ///
    /// # Errors
    /// As for [`Crowd::tick`].
    pub fn tick_where(
        &mut self,
        world: &(impl CollisionWorld + Sync + ?Sized),
        dt: T,
        wish: impl Fn(CharacterId, &Character<T>) -> TickInput<T> + Sync,
        solid: impl Fn(CharacterId, CharacterId) -> bool,
    ) -> Result<(), CrowdError> {
        self.take_wishes(world, dt, wish)?;
        self.set_off(world);
        self.update_tree();
        self.push_on(world, &solid);
        self.find_rooms(&solid);
        let rooms = &self.rooms;
        threads::each(self.slots.list_mut(), &mut self.movers, |slot, entry, mover| {
            let (Some(Place { member, .. }), Some(mover)) = (entry.value_mut(), mover) else { return };
            member.scratch.near.prefetch();
            let half_spaces = member.scratch.near.half_spaces_mut();
            half_spaces.clear();
            half_spaces.extend(rooms.of(slot, mover));
            room::put_in_order(half_spaces);
            let Member { character, scratch, report } = &mut **member;
            if mover.is_left_alone {
                character.stay(scratch, report);
            }
            character.tick_as(world, &mover.wish, mover.from, scratch, report);
        });
        Ok(())
    }

    /// Who wishes what, and how far that can lead.
    fn take_wishes(
        &mut self,
        world: &(impl CollisionWorld + Sync + ?Sized),
        dt: T,
        wish: impl Fn(CharacterId, &Character<T>) -> TickInput<T> + Sync,
    ) -> Result<(), CrowdError> {
        self.movers.resize(self.slots.list().len(), None);
        threads::try_each(self.slots.list_mut(), &mut self.movers, |_, entry, mover| {
            *mover = None;
            let Some(Place { member, .. }) = entry.value() else { return Ok(()) };
            let name = entry.name();
            let refused = |error| CrowdError::Input { character: name, error };
            let wish = Wish::new(&wish(name, &member.character), dt).map_err(refused)?;
            // A mover is large, and written where it is kept.
            let mover = mover.insert(Mover::new(name, &member.character, wish));
            mover.is_left_alone = member.character.is_left_alone(world, &wish);
            mover.check().map_err(refused)
        })
    }

    /// Takes all along with what moves in the world, each as if it were alone: riders would hold each other up. Mostly there are
    /// none, and whom nothing takes along is not looked at.
    fn set_off(&mut self, world: &(impl CollisionWorld + Sync + ?Sized)) {
        threads::each(self.slots.list_mut(), &mut self.movers, |_, entry, mover| {
            let (Some(Place { member, .. }), Some(mover)) = (entry.value_mut(), mover) else { return };
            if mover.is_left_alone {
                return;
            }
            let Member { character, scratch, report } = &mut **member;
            scratch.near.half_spaces_mut().clear();
            let mut wish = mover.wish;
            character.set_off(world, &mut wish, scratch, report);
            mover.set_off(character, wish);
        });
    }

    /// Tells the tree where each can get.
    fn update_tree(&mut self) {
        for (entry, mover) in self.slots.list().iter().zip(&self.movers) {
            if let (Some(place), Some(mover)) = (entry.value(), mover) {
                // Refused only to one whom something has carried beyond the largest coordinate.
                let _ = self.tree.move_to(place.bounds, mover.reach);
            }
        }
        self.tree.update();
    }

    /// Which of them could meet, and where each may be beside the other.
    fn find_rooms(&mut self, solid: &impl Fn(CharacterId, CharacterId) -> bool) {
        let pairs = self.tree.pairs().map(|pair| [pair.a, pair.b].map(|id| self.by_box[id.index()]));
        let Self { ignored, slots, .. } = self;
        self.rooms.find(&self.movers, pairs.filter(|pair| are_solid(ignored, slots, *pair, solid)));
    }

    /// Whether two, by slot, are solid to each other but for their layers.
    pub(super) fn are_solid(&self, pair: [u32; 2], solid: &impl Fn(CharacterId, CharacterId) -> bool) -> bool {
        are_solid(&self.ignored, &self.slots, pair, solid)
    }
}

/// Whether two, by slot, are solid to each other but for their layers.
fn are_solid<T: Real>(
    ignored: &IgnoredPairs,
    slots: &Slots<CharacterId, Place<T>>,
    [a, b]: [u32; 2],
    solid: &impl Fn(CharacterId, CharacterId) -> bool,
) -> bool {
    let name = |slot: u32| slots.at(slot).name();
    !ignored.contain([a, b]) && solid(name(a.min(b)), name(a.max(b)))
}
