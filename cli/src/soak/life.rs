//! [`Arena::run`]: the lives of one wanderer, tick by tick, each life from a spawn on.

use anyhow::{Context, Result};
use nalgebra::{Point3, Vector3};
use sidle::{
    Ellipsoid, Real, World,
    character::{BodyPart, BodyShape, Character, CharacterConfig, Scratch, TickInput},
};

use super::{
    report::{Record, Setup},
    wanderer::Wanderer,
};
use crate::{
    judge::{Court, Flood, Life, Part, Sample, Verdict},
    platforms::Platforms,
};

/// Where wanderers roam.
pub(super) struct Arena<'a, T: Real> {
    pub(super) world: &'a World<T>,
    pub(super) court: &'a Court<'a>,
    pub(super) flood: &'a Flood,
    pub(super) setup: &'a Setup,
    pub(super) platforms: &'a Platforms,
}

/// What one wanderer did.
pub(super) struct Run {
    pub(super) record: Record,
    /// The lives with faults: what happened, from the spawn on, and what the judge says.
    pub(super) faulty: Vec<(Life, Verdict)>,
}

impl<T: Real> Arena<'_, T> {
    /// Wanders for the time given. Depends on nothing but the setup and the wanderer's number.
    pub(super) fn run(&self, index: usize) -> Result<Run> {
        let total = (self.setup.seconds / self.setup.dt).round().max(1.0) as usize;
        let mut wanderer = Wanderer::new(self, index);
        let mut record = Record { index, ..Record::default() };
        let mut faulty = Vec::new();
        let mut cells = std::collections::BTreeSet::new();
        while record.verdict.ticks < total {
            let spawn = self.setup.spawns[(index + record.lives) % self.setup.spawns.len()];
            let left = total - record.verdict.ticks;
            let samples = self.live(&mut wanderer, Point3::from(spawn), left, &mut record)?;
            cells.extend(self.cells_of(&samples));
            let verdict = self.court.judge(&samples);
            record.verdict.absorb(&verdict);
            record.lives += 1;
            if !verdict.violations.is_empty() {
                // What moves begins anew with each life.
                faulty.push((Life { who: index, begin: 0, samples }, verdict));
            }
        }
        record.cells = cells.into_iter().collect();
        record.pushing_ticks = wanderer.pushing_ticks;
        Ok(Run { record, faulty })
    }

    /// From a spawn until time is over, it falls out of the level, is lost, or is no longer anywhere.
    fn live(
        &self,
        wanderer: &mut Wanderer<'_>,
        spawn: Point3<f64>,
        ticks: usize,
        record: &mut Record,
    ) -> Result<Vec<Sample>> {
        let start = spawn + Vector3::y() * (self.setup.body.half_height() + self.setup.rules.skin);
        let mut character = self.character(start)?;
        let mut scratch = Scratch::default();
        let mut world = self.platforms.world_for(self.world);
        let first = Sample { time: 0.0, position: start, wish: Vector3::zeros(), is_on_ground: false, jump: 0.0 };
        let mut life = vec![first];
        wanderer.forget();
        for tick in 1..=ticks {
            let before = life[tick - 1];
            let (wish, jump) = wanderer.next(&before.position, before.is_on_ground, tick - 1);
            self.platforms.drive(&mut world, tick)?;
            character
                .tick(&*world, &self.input(wish, jump), T::nearest(self.setup.dt), &mut scratch)
                .with_context(|| format!("wanderer {} at {}", record.index, before.position))?;
            let after = Sample {
                time: tick as f64 * self.setup.dt,
                position: character.state().exact_position(),
                wish,
                is_on_ground: character.is_on_ground(),
                jump,
            };
            life.push(after);
            if self.is_nowhere(&after) {
                break;
            }
            record.note(wanderer, &before, &after);
            if wanderer.is_lost() {
                break;
            }
        }
        Ok(life)
    }

    /// Whether one has fallen out of the level, or is no longer anywhere.
    pub(super) fn is_nowhere(&self, after: &Sample) -> bool {
        !after.position.iter().all(|x| x.is_finite()) || self.court.has_fallen_out(after)
    }

    /// The cells in which its feet stood.
    pub(super) fn cells_of(&self, life: &[Sample]) -> impl Iterator<Item = u32> {
        let feet = |sample: &Sample| sample.position - Vector3::y() * self.court.body.half_height();
        life.iter().filter(|sample| sample.is_on_ground).filter_map(move |sample| self.flood.cell_at(&feet(sample)))
    }

    pub(super) fn input(&self, wish: Vector3<f64>, jump: f64) -> TickInput<T> {
        TickInput {
            velocity: wish.map(T::nearest),
            jump: (jump > 0.0).then(|| T::nearest(jump)),
            gravity: T::nearest(self.setup.rules.gravity),
            ..TickInput::default()
        }
    }

    pub(super) fn character(&self, start: Point3<f64>) -> Result<Character<T>> {
        let rules = &self.setup.rules;
        let config = CharacterConfig {
            skin: T::nearest(rules.skin),
            step_height: T::nearest(rules.step_height),
            max_slope: T::nearest(rules.max_slope * std::f64::consts::PI / 180.0),
            snap_distance: T::nearest(rules.snap),
            ..CharacterConfig::default()
        };
        Ok(Character::new(self.shape()?, config, start.map(T::nearest))?)
    }

    fn shape(&self) -> Result<BodyShape<T>> {
        let parts = self.setup.parts().into_iter().map(|Part { radii, offset }| {
            let ellipsoid = Ellipsoid::new(Vector3::from(radii.map(T::nearest)))?;
            Ok(BodyPart::new(ellipsoid, Vector3::from(offset.map(T::nearest)))?)
        });
        Ok(BodyShape::new(parts.collect::<Result<Vec<_>>>()?)?)
    }
}

impl Record {
    /// A tick that led somewhere.
    pub(super) fn note(&mut self, wanderer: &mut Wanderer<'_>, before: &Sample, after: &Sample) {
        let way = after.position - before.position;
        wanderer.note(&way);
        self.walked += Vector3::new(way.x, 0.0, way.z).norm();
        self.jumps += usize::from(after.jump > 0.0);
    }
}
