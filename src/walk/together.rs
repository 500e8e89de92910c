//! [`replay_together`]: runs a walk in which others are about.

use std::iter;

use super::{
    Track, TrackTick, Walk, WalkError,
    moving::Moving,
    replay::{character_of, input_of, start_of, up_of},
};
use crate::{
    character::{CharacterId, Crowd, CrowdError, TickInput},
    real::Real,
    world::World,
};

/// One of those who are about.
struct Member<'w> {
    id: CharacterId,
    walk: &'w Walk,
    track: Track,
}

/// The track of the walk's own character, and in it those of the others.
///
/// # Errors
/// If a number of the walk makes no sense.
pub(super) fn replay_together<T: Real>(walk: &Walk, world: &World<T>) -> Result<Track, WalkError> {
    let others: Vec<Walk> = walk.others.iter().map(|other| walk.of_other(other)).collect();
    let up = up_of::<T>(walk)?;
    let mut crowd = Crowd::new();
    let mut members = Vec::new();
    for walk in iter::once(walk).chain(&others) {
        let id = crowd.add(character_of::<T>(walk)?)?;
        let track = Track { start: start_of(walk), up: up.map(Real::to_f64), ticks: Vec::new(), others: Vec::new() };
        members.push(Member { id, walk, track });
    }

    let moving = Moving::of(walk, world)?;
    let mut world = moving.world_for(world);
    let mut wishes: Vec<_> = members.iter().map(|member| member.walk.wishes()).collect();
    let mut inputs: Vec<(CharacterId, TickInput<T>)> = Vec::new();
    for tick in 0..walk.ticks() {
        inputs.clear();
        for (member, wishes) in members.iter().zip(&mut wishes) {
            let Some((each, is_first)) = wishes.next() else { continue };
            inputs.push((member.id, input_of(member.walk, each, is_first, up)));
        }
        moving.drive(&mut world, tick + 1)?;
        // They were added in the order of their names.
        let input =
            |id| inputs.binary_search_by_key(&id, |(id, _)| *id).map_or_else(|_| TickInput::default(), |i| inputs[i].1);
        crowd.tick(&*world, T::nearest(walk.dt.0), |id, _| input(id)).map_err(|error| match error {
            CrowdError::Input { error: source, .. } => WalkError::Tick { tick, source },
            other => other.into(),
        })?;
        for Member { id, track, .. } in &mut members {
            if let (Some(character), Some(report)) = (crowd.character(*id), crowd.report(*id)) {
                track.ticks.push(TrackTick::of(character, report));
            }
        }
    }
    let mut tracks = members.into_iter().map(|member| member.track);
    let own = tracks.next().ok_or(CrowdError::NoSuchCharacter)?;
    Ok(Track { others: tracks.collect(), ..own })
}
