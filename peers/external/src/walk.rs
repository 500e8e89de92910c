//! Walks of the controller: [`Character::tick`] as a user would call it, with its own gravity.

use std::time::{Duration, Instant};

use anyhow::Result;
use cpu_time::ThreadTime;
use serde::Serialize;
use sidle::{
    Character, CharacterConfig, Ellipsoid, InputError, Real, Scratch, TickInput, World,
    character::{Lone, tick_all},
    nalgebra::{Point3, Vector3},
};

use crate::{files::Run, queries::stored};

/// What a run of all characters came to.
#[derive(Debug, Serialize)]
pub(crate) struct Walked {
    /// Time for one tick of one character: of the thread's CPU, or of the clock where there are several.
    us_per_tick: f64,
    /// Share of the ticks that ended on ground.
    grounded: f64,
    /// Way of all ticks by their time.
    path_m_per_s: f64,
    /// How often one left the level and began anew.
    falls: usize,
}

/// Sums over all ticks.
#[derive(Debug, Default)]
struct Sums {
    grounded: usize,
    /// Of speeds in metres a second.
    speed: f64,
    falls: usize,
}

impl Sums {
    fn of(&self, run: &Run, time: Duration) -> Walked {
        let ticks = run.starts.len() as f64 * run.ticks as f64;
        Walked {
            us_per_tick: time.as_secs_f64() * 1e6 / ticks,
            grounded: self.grounded as f64 / ticks,
            path_m_per_s: self.speed / ticks,
            falls: self.falls,
        }
    }
}

/// Lets new characters walk the whole run, each with working memory of its own.
pub(crate) fn run<T: Real>(world: &World<T>, run: &Run) -> Result<Walked> {
    let mut characters = characters(world, run)?;
    let begin = ThreadTime::now();
    let sums = walk(world, run, &mut characters)?;
    Ok(sums.of(run, begin.elapsed()))
}

/// The same with one call a tick for all of them, on so many threads. No reports are kept.
pub(crate) fn run_together<T: Real>(world: &World<T>, run: &Run, threads: usize) -> Result<Walked> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let mut all: Vec<_> = characters(world, run)?.into_iter().map(Lone::new).collect();
    let begin = Instant::now();
    let sums = pool.install(|| walk_together(world, run, &mut all))?;
    Ok(sums.of(run, begin.elapsed()))
}

/// New ones, put down on the ground over which they begin.
fn characters<T: Real>(world: &World<T>, run: &Run) -> Result<Vec<Character<T>>, InputError> {
    let number = |x: f32| T::nearest(x.into());
    let body = Ellipsoid::new(stored(run.radii))?;
    let config = CharacterConfig {
        skin: number(run.skin),
        step_height: number(run.step_height),
        max_slope: T::nearest(f64::from(run.slope_limit_degrees).to_radians()),
        snap_distance: number(run.snap_distance),
        ..CharacterConfig::default()
    };
    let mut scratch = Scratch::default();
    let starts = run.starts.iter().map(|start| {
        let mut character = Character::new(body, config, Point3::from(stored(*start)))?;
        character.snap_to_ground(world, Vector3::y_axis(), &mut scratch)?;
        Ok(character)
    });
    starts.collect()
}

fn walk<T: Real>(world: &World<T>, run: &Run, characters: &mut [Character<T>]) -> Result<Sums, InputError> {
    let number = |x: f32| T::nearest(x.into());
    let (dt, speed, kill_y) = (number(run.dt), number(run.speed), number(run.kill_y));
    let starts: Vec<_> = characters.iter().map(Character::state).collect();
    let mut input = TickInput { gravity: number(-run.gravity), ..TickInput::default() };
    let mut scratches = vec![Scratch::default(); characters.len()];
    let mut sums = Sums::default();
    for tick in 0..run.ticks {
        let headings = &run.headings[tick / run.ticks_a_segment * characters.len()..];
        let each = characters.iter_mut().zip(&mut scratches).zip(&starts).zip(headings);
        for (((character, scratch), start), [x, z]) in each {
            input.velocity = Vector3::new(number(*x), T::zero(), number(*z)) * speed;
            let report = character.tick(world, &input, dt, scratch)?;
            sums.speed += report.velocity.map(Real::to_f64).norm();
            sums.grounded += usize::from(character.is_on_ground());
            if report.to.y < kill_y {
                character.restore(*start)?;
                sums.falls += 1;
            }
        }
    }
    Ok(sums)
}

fn walk_together<T: Real>(world: &World<T>, run: &Run, all: &mut [Lone<T>]) -> Result<Sums> {
    let number = |x: f32| T::nearest(x.into());
    let (dt, speed, kill_y) = (number(run.dt), number(run.speed), number(run.kill_y));
    let starts: Vec<_> = all.iter().map(|lone| lone.character.state()).collect();
    let mut sums = Sums::default();
    for tick in 0..run.ticks {
        let headings = &run.headings[tick / run.ticks_a_segment * all.len()..];
        for (lone, [x, z]) in all.iter_mut().zip(headings) {
            let velocity = Vector3::new(number(*x), T::zero(), number(*z)) * speed;
            lone.input = TickInput { velocity, gravity: number(-run.gravity), ..TickInput::default() };
        }
        let before: Vec<_> = all.iter().map(|lone| lone.character.position()).collect();
        tick_all(world, dt, all)?;
        for ((lone, start), before) in all.iter_mut().zip(&starts).zip(&before) {
            let way = lone.character.position() - before;
            sums.speed += way.map(Real::to_f64).norm() / dt.to_f64();
            sums.grounded += usize::from(lone.character.is_on_ground());
            if lone.character.position().y < kill_y {
                lone.character.restore(*start)?;
                sums.falls += 1;
            }
        }
    }
    Ok(sums)
}
