//! [`tick_all`]: many characters that are not in each other's way.

#[cfg(feature = "parallel")]
use rayon::prelude::*;

#[cfg(feature = "parallel")]
use super::threads::{RUN, is_alone};
use super::{Character, Scratch, TickInput, TickReport};
use crate::{InputError, real::Real, world::CollisionWorld};

/// A character that is in nobody's way, with all that its ticks need. See [`tick_all`].
#[derive(Debug, Clone)]
pub struct Lone<T: Real> {
    /// The character.
    pub character: Character<T>,
    /// What it wishes for in the next tick.
    pub input: TickInput<T>,
    scratch: Scratch,
    report: Option<Box<TickReport<T>>>,
}

/// Whose input was refused; all others have moved.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("character {index}: {source}")]
pub struct TickAllError {
    /// Its place in the list, the first if there are more.
    pub index: usize,
    /// What is wrong with its input.
    pub source: InputError,
}

impl<T: Real> Lone<T> {
    /// A character that wishes for nothing yet, and of whose ticks nothing is kept but what it remembers itself.
    pub fn new(character: Character<T>) -> Self {
        Self { character, input: TickInput::default(), scratch: Scratch::default(), report: None }
    }

    /// The same with a report of its last tick. With thousands of them each report costs a good part of a tick, as it is in no near cache.
    pub fn with_report(character: Character<T>) -> Self {
        let report = Box::new(TickReport::none(character.position()));
        Self { report: Some(report), ..Self::new(character) }
    }

    /// What its last tick did, if that is kept; before the first, nothing.
    pub fn report(&self) -> Option<&TickReport<T>> {
        self.report.as_deref()
    }
}

impl<T: Real> From<Character<T>> for Lone<T> {
    fn from(character: Character<T>) -> Self {
        Self::new(character)
    }
}

/// Moves each of many characters for `dt` seconds as its input says, as [`Character::tick`] does.
///
/// They walk through each other; [`Crowd`](super::Crowd) is for those who should not. With the feature `parallel` the threads of
/// rayon's current pool take part. Each moves by what itself is alone, so that results are the same to the bit for any number of
/// threads and any order.
///
/// # Errors
/// If `dt` is not positive, or a number of an input is not finite. Who has such an input stays as it was; all others have moved.
///
/// ```
/// # use nalgebra::{point, vector};
/// use sidle::character::{Character, CharacterConfig, Lone, TickInput, tick_all};
/// use sidle::{Ellipsoid, Octree, World, mesh::primitives};
///
/// let world = World::of_level(Octree::new(primitives::floor::<f64>(20.0, 20.0, 4, 4)?));
/// let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
/// let mut all = Vec::new();
/// for i in 0..100 {
///     let start = point![f64::from(i % 10) - 5.0, 0.92, f64::from(i / 10) - 5.0];
///     let mut lone = Lone::with_report(Character::new(body, CharacterConfig::default(), start)?);
///     lone.input = TickInput { velocity: vector![1.0, 0.0, 0.0], ..TickInput::default() };
///     all.push(lone);
/// }
/// for _ in 0..60 {
///     tick_all(&world, 1.0 / 60.0, &mut all)?;
/// }
/// assert!(all.iter().all(|lone| lone.character.is_on_ground()));
/// assert!(all.iter().filter_map(Lone::report).all(|report| report.velocity.x > 0.99));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "batch")]
pub fn tick_all<T: Real>(
    world: &(impl CollisionWorld + Sync + ?Sized),
    dt: T,
    all: &mut [Lone<T>],
) -> Result<(), TickAllError> {
    #[cfg(feature = "parallel")]
    if !is_alone() {
        let runs = all.par_chunks_mut(RUN).enumerate();
        return runs.map(|(run, lones)| tick_run(world, dt, lones, run * RUN)).reduce(|| Ok(()), Result::and);
    }
    tick_run(world, dt, all, 0)
}

/// Moves some that are one after the other in memory; `first` is the place of the first of them.
fn tick_run<T: Real>(
    world: &(impl CollisionWorld + ?Sized),
    dt: T,
    lones: &mut [Lone<T>],
    first: usize,
) -> Result<(), TickAllError> {
    let Some(lone) = lones.first() else { return Ok(()) };
    let mut unkept = TickReport::none(lone.character.position());
    let mut result = Ok(());
    for i in 0..lones.len() {
        // What the next one needs is in no near cache where there are many.
        if let Some(next) = lones.get(i + 1) {
            next.scratch.near.prefetch();
        }
        let Lone { character, input, scratch, report } = &mut lones[i];
        let moved = character.tick_into(world, input, dt, scratch, report.as_deref_mut().unwrap_or(&mut unkept));
        result = result.and(moved.map_err(|source| TickAllError { index: first + i, source }));
    }
    result
}
