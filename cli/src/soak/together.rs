//! [`Arena::run_together`]: all wanderers in one crowd, in each other's way.

use anyhow::{Context, Result};
use nalgebra::{Point3, Vector3};
use rayon::prelude::*;
use sidle::{
    QueryFilter, Real, World,
    character::{CharacterId, Crowd, CrowdError, TickInput},
};

use super::{
    life::{Arena, Run},
    report::Record,
    wanderer::Wanderer,
};
use crate::{
    judge::{Life, Sample, Verdict},
    walk::pilot::Random,
};

/// Who has to start looks at so many places a tick for one where nobody is.
const TRIES: usize = 16;
/// Between two who are there as one of them starts there are at least so many metres.
const ROOM: f64 = 0.1;

/// A wanderer, and its life if it has one now.
struct Walker<'a> {
    wanderer: Wanderer<'a>,
    record: Record,
    now: Option<(CharacterId, Life)>,
}

impl<T: Real> Arena<'_, T> {
    /// All wander at the same time, for the time given. Returns what became of each, and the lives of all.
    pub(super) fn run_together(&self) -> Result<(Vec<Run>, Vec<Life>)> {
        let total = (self.setup.seconds / self.setup.dt).round().max(1.0) as usize;
        let mut crowd = Crowd::<T>::new();
        let mut random = Random(self.setup.seed);
        let mut all: Vec<Walker<'_>> = (0..self.setup.wanderers)
            .map(|index| Walker {
                wanderer: Wanderer::new(self, index),
                record: Record { index, ..Record::default() },
                now: None,
            })
            .collect();
        let mut lives = Vec::new();
        let mut world = self.platforms.world_for(self.world);
        for tick in 0..total {
            self.start_who_waits(&mut all, &mut crowd, &mut random, tick)?;
            self.platforms.drive(&mut world, tick + 1)?;
            self.tick_together(&mut all, &mut crowd, &world, tick)?;
            for walker in &mut all {
                let last = walker.now.as_ref().and_then(|(_, life)| life.samples.last());
                let is_over = walker.wanderer.is_lost() || last.is_some_and(|last| self.is_nowhere(last));
                if is_over && let Some((id, life)) = walker.now.take() {
                    crowd.remove(id);
                    lives.push(life);
                }
            }
        }
        lives.extend(all.iter_mut().filter_map(|walker| walker.now.take()).map(|(_, life)| life));
        lives.sort_by_key(|life| [life.who, life.begin]);
        Ok((self.judged(all, &lives), lives))
    }

    /// Puts those who wait into the level, on places of the map where nobody is, and nothing that moves.
    fn start_who_waits(
        &self,
        all: &mut [Walker<'_>],
        crowd: &mut Crowd<T>,
        random: &mut Random,
        tick: usize,
    ) -> Result<()> {
        let room = self.court.body.half_extents() * 2.0;
        let room = room.add_scalar(2.0 * self.setup.rules.skin + ROOM);
        for walker in all.iter_mut().filter(|walker| walker.now.is_none()) {
            let mut places = (0..TRIES).map(|_| (random.unit() * self.flood.places() as f64) as u32);
            let is_free = |place: &Point3<f64>| {
                let is_clear =
                    |other: Point3<f64>| (other - place).abs().iter().zip(&room).any(|(off, room)| off > room);
                self.court.is_safe(place, tick)
                    && crowd.iter().all(|(_, character)| is_clear(character.state().exact_position()))
            };
            let Some(start) = places.by_ref().map(|place| self.flood.center(place)).find(is_free) else { continue };
            let mut character = self.character(start)?;
            let [on, sees] = self.setup.layers_of(walker.record.index);
            character.set_layers(on);
            character.set_filter(QueryFilter::of_layers(sees));
            let id = crowd.add(character)?;
            let first = Sample { time: 0.0, position: start, wish: Vector3::zeros(), is_on_ground: false, jump: 0.0 };
            walker.wanderer.forget();
            walker.now = Some((id, Life { who: walker.record.index, begin: tick, samples: vec![first] }));
        }
        Ok(())
    }

    fn tick_together(&self, all: &mut [Walker<'_>], crowd: &mut Crowd<T>, world: &World<T>, tick: usize) -> Result<()> {
        let mut wishes: Vec<(CharacterId, TickInput<T>)> = Vec::new();
        for Walker { wanderer, now, .. } in all.iter_mut() {
            let Some((id, Life { samples, .. })) = now else { continue };
            let last = samples[samples.len() - 1];
            let (wish, jump) = wanderer.next(&last.position, last.is_on_ground, tick);
            wishes.push((*id, self.input(wish, jump)));
            let time = samples.len() as f64 * self.setup.dt;
            samples.push(Sample { time, wish, jump, ..last });
        }
        wishes.sort_by_key(|(id, _)| *id);
        let wish =
            |id| wishes.binary_search_by_key(&id, |(id, _)| *id).map_or_else(|_| TickInput::default(), |i| wishes[i].1);
        crowd.tick(world, T::nearest(self.setup.dt), |id, _| wish(id)).with_context(|| format!("tick {tick}"))?;
        for Walker { wanderer, now, record } in all.iter_mut() {
            let Some((id, Life { samples, .. })) = now else { continue };
            let [.., before, after] = &mut samples[..] else { continue };
            let character = crowd.character(*id).ok_or(CrowdError::NoSuchCharacter)?;
            after.position = character.state().exact_position();
            after.is_on_ground = character.is_on_ground();
            if !self.is_nowhere(after) {
                record.note(wanderer, before, after);
            }
        }
        Ok(())
    }

    /// Judges each life by itself, and all of them together.
    fn judged(&self, all: Vec<Walker<'_>>, lives: &[Life]) -> Vec<Run> {
        let mut verdicts: Vec<Verdict> =
            lives.par_iter().map(|life| self.court.judge_from(&life.samples, life.begin)).collect();
        self.court.judge_together(lives, |a, b| self.setup.are_solid(a, b), &mut verdicts);
        let mut runs: Vec<Run> = all
            .into_iter()
            .map(|walker| {
                let pushing_ticks = walker.wanderer.pushing_ticks;
                Run { record: Record { pushing_ticks, ..walker.record }, faulty: Vec::new() }
            })
            .collect();
        for (life, verdict) in lives.iter().zip(verdicts) {
            let Run { record, faulty } = &mut runs[life.who];
            record.cells.extend(self.cells_of(&life.samples));
            record.verdict.absorb(&verdict);
            record.lives += 1;
            if !verdict.violations.is_empty() {
                faulty.push((life.clone(), verdict));
            }
        }
        for Run { record, .. } in &mut runs {
            record.cells.sort_unstable();
            record.cells.dedup();
        }
        runs
    }
}
