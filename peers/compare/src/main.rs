//! How fast is sidle beside parry3d, rapier3d and bvh? One process, the same meshes, the same queries, one table.
//!
//! All contestants answer a set one after another, and again for each repeat, so that slow spells of the machine hit
//! all alike; figures are medians of the repeats, in CPU time of the one thread. What they found is compared, too:
//! a library that is fast because it misses is no contestant.

mod agreement;
mod contestants;
mod course;
mod level;
mod random;
mod sets;
mod table;

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Context, Result};
use clap::Parser;

use crate::{
    agreement::Agreement,
    contestants::{CONTESTANTS, Contestant, Fractions, WALKERS},
    course::{Course, Walked},
    level::Level,
    random::Random,
    sets::{Places, Set},
    table::{Row, Table},
};

/// Measures sidle beside parry3d, rapier3d and bvh, and prints one table.
///
/// Ends with an error if the libraries find grossly different things.
#[derive(Debug, Parser)]
#[command(name = "compare", version, after_help = "Example:\n  compare --repeats 9 level.obj > table.md")]
struct Arguments {
    /// Levels to measure beside the built-in ones, OBJ files
    levels: Vec<PathBuf>,

    /// Leave the built-in levels out
    #[arg(long, requires = "levels")]
    no_built_in: bool,

    /// Queries of a set
    #[arg(long, default_value_t = 4000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    queries: u32,

    /// How often everything is measured
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeats: u32,

    /// Characters that walk
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    characters: u32,

    /// Ticks of a walk, 60 a second
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    ticks: u32,

    /// Where the queries are and which way the characters walk
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> ExitCode {
    match Arguments::parse().run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("compare: the libraries do not agree, see above");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("compare: {error:#}");
            ExitCode::FAILURE
        }
    }
}

impl Arguments {
    /// Measures all levels and prints the table; whether all agreed.
    fn run(&self) -> Result<bool> {
        let mut levels = if self.no_built_in { Vec::new() } else { level::built_in()? };
        for path in &self.levels {
            levels.push(Level::read(path)?);
        }
        let mut table = Table::default();
        let mut agrees = true;
        for level in &levels {
            agrees &= self.measure(level, &mut table).with_context(|| format!("level {}", level.name))?;
        }
        print!("{table}");
        Ok(agrees)
    }

    fn measure(&self, level: &Level, table: &mut Table) -> Result<bool> {
        eprintln!("{}: {} triangles", level.name, level.mesh.len());
        let contestants = self.build(level, table)?;
        let places = Places::find(&level.mesh, self.queries as usize, &mut Random::new(self.seed))?;
        for (what, found) in [("at a surface", places.near.len()), ("off all surfaces", places.far.len())] {
            if found < self.queries as usize {
                eprintln!("  only {found} places with room for the body {what}");
            }
        }
        let mut agrees = true;
        for set in sets::all(&places, &mut Random::new(self.seed)) {
            agrees &= self.ask(level, &contestants, &set, table)?;
        }
        let course = Course::new(&level.mesh, &places, self.characters as usize, self.ticks as usize, self.seed);
        match course {
            Some(course) => agrees &= self.walk(level, &course, table)?,
            None => eprintln!("  no ground to walk on was found"),
        }
        Ok(agrees)
    }

    /// Builds all contestants, with rows for time and memory.
    fn build(&self, level: &Level, table: &mut Table) -> Result<Vec<Box<dyn Contestant>>> {
        let mut seconds = [const { Vec::new() }; CONTESTANTS.len()];
        let mut contestants = Vec::new();
        for _ in 0..self.repeats.min(MOST_BUILDS) {
            contestants.clear();
            for ((_, build), seconds) in CONTESTANTS.iter().zip(&mut seconds) {
                let (contestant, time) = build(&level.mesh)?;
                contestants.push(contestant);
                seconds.push(time);
            }
        }
        let names = CONTESTANTS.map(|(name, _)| name);
        let triangles = level.mesh.len();
        let found = format!("{triangles} triangles");
        let milliseconds = names.into_iter().zip(seconds.map(|times| median(times) * 1e3));
        table.push(Row::new(level, "build", "ms", found.clone(), milliseconds));
        let bytes = contestants.iter().map(|contestant| contestant.bytes() as f64 / triangles as f64);
        table.push(Row::new(level, "memory", "bytes a triangle", found, names.into_iter().zip(bytes)));
        Ok(contestants)
    }

    /// Asks all contestants the same queries, with a row for the time; whether they agree.
    fn ask(&self, level: &Level, all: &[Box<dyn Contestant>], set: &Set, table: &mut Table) -> Result<bool> {
        if set.queries.is_empty() {
            return Ok(true);
        }
        let mut asked: Vec<Asked<'_>> = CONTESTANTS
            .iter()
            .zip(all)
            .filter(|(_, contestant)| contestant.takes(set.body))
            .map(|((name, _), contestant)| Asked::new(name, &**contestant, set))
            .collect();
        for repeat in 0..self.repeats as usize {
            for turn in 0..asked.len() {
                // Each is first in its turn, so that nobody always finds the caches as the same neighbour left them.
                let index = (repeat + turn) % asked.len();
                let Asked { contestant, fractions, nanoseconds, .. } = &mut asked[index];
                nanoseconds.push(contestants::time(|| contestant.answer(set, fractions))?.1 * 1e9);
            }
        }
        let count = set.queries.len() as f64;
        let hits = asked.iter().map(|asked| asked.fractions.iter().flatten().count().to_string());
        let found = format!("{} of {count} hit", hits.collect::<Vec<_>>().join(" / "));
        let mut agrees = true;
        for peer in &asked[1..] {
            let agreement = Agreement::between(set, &asked[0].fractions, &peer.fractions);
            agrees &= agreement.report(set.name, peer.name);
        }
        let times = asked.into_iter().map(|asked| (asked.name, median(asked.nanoseconds) / count));
        table.push(Row::new(level, set.name, "ns a query", found, times));
        Ok(agrees)
    }

    /// Lets all controllers walk the same course, with a row for the time; whether nobody is left behind.
    fn walk(&self, level: &Level, course: &Course, table: &mut Table) -> Result<bool> {
        let walkers = WALKERS.iter().map(|(_, build)| build(&level.mesh)).collect::<Result<Vec<_>>>()?;
        let mut walked = [const { Vec::<Walked>::new() }; WALKERS.len()];
        for _ in 0..self.repeats {
            for (walker, walked) in walkers.iter().zip(&mut walked) {
                walked.push(walker.walk(course)?);
            }
        }
        let names = WALKERS.map(|(name, _)| name);
        let last = walked.each_ref().map(|runs| runs.last().copied().unwrap_or_default());
        let agrees = course::report(names, last);
        let found = format!("{} / {}", last[0], last[1]);
        let times = walked.map(|runs| median(runs.iter().map(|run| run.seconds * 1e9 / run.ticks as f64).collect()));
        table.push(Row::new(level, "controller", "ns a tick", found, names.into_iter().zip(times)));
        Ok(agrees)
    }
}

/// Builds take long and vary little.
const MOST_BUILDS: u32 = 5;

/// A contestant that is asked a set, with what it found and how long each repeat took.
struct Asked<'a> {
    name: &'static str,
    contestant: &'a dyn Contestant,
    fractions: Fractions,
    nanoseconds: Vec<f64>,
}

impl<'a> Asked<'a> {
    fn new(name: &'static str, contestant: &'a dyn Contestant, set: &Set) -> Self {
        Self { name, contestant, fractions: Vec::with_capacity(set.queries.len()), nanoseconds: Vec::new() }
    }
}

/// The middle of some numbers, NaN of none.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    match numbers.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => numbers[n / 2],
        n => (numbers[n / 2 - 1] + numbers[n / 2]) / 2.0,
    }
}
