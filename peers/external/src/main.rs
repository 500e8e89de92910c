//! sidle as a contestant of a harness of collision libraries: requests on stdin, one a line; for each a flat JSON
//! object on stdout. The protocol is in the README beside this workspace.
//!
//! Only sidle's public interface is used, as any caller would.

mod files;
mod level;
mod queries;
mod walk;

use std::{
    io::{self, BufRead, Write},
    num::NonZeroUsize,
    path::Path,
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use clap::{Parser, ValueEnum};
use serde::Serialize;
use sidle::{Real, SimdLevel};

use crate::{level::Level, queries::Kind};

/// Answers requests for builds, sweeps, rays and walks on stdin with JSON on stdout.
#[derive(Debug, Parser)]
#[command(name = "external", version)]
struct Arguments {
    /// The scalar in which meshes, queries and states are stored
    #[arg(long, value_enum, default_value_t = Scalar::F32)]
    scalar: Scalar,

    /// Vector instructions that queries work with, such as avx2; the best of the machine unless told otherwise
    #[arg(long, value_parser = simd_level)]
    level: Option<SimdLevel>,

    /// Answer sweeps and rays in runs of many, several interleaved in the thread
    #[arg(long)]
    batch: bool,

    /// Walk with `tick_all` on so many threads; the time is then that of the clock, not of a thread
    #[arg(long)]
    threads: Option<NonZeroUsize>,
}

fn simd_level(name: &str) -> Result<SimdLevel, String> {
    SimdLevel::by_name(name).ok_or_else(|| format!("this machine has {:?}", SimdLevel::available()))
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Scalar {
    F32,
    F64,
}

/// A line of the answer.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Answer {
    Built(level::Built),
    Pass(queries::Pass),
    Written {},
    Walked(walk::Walked),
    Failed { error: String },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let served = match arguments.scalar {
        Scalar::F32 => serve::<f32>(&arguments),
        Scalar::F64 => serve::<f64>(&arguments),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("external: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Answers until `quit` or the end of the input.
fn serve<T: Real>(arguments: &Arguments) -> Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut level: Option<Level<T>> = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let request = String::from_utf8_lossy(&line);
        if request.trim() == "quit" {
            return Ok(());
        }
        let answer = answer(arguments, &mut level, &request)
            .unwrap_or_else(|error| Answer::Failed { error: format!("{error:#}") });
        serde_json::to_writer(&mut output, &answer)?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
}

fn answer<T: Real>(arguments: &Arguments, level: &mut Option<Level<T>>, request: &str) -> Result<Answer> {
    let words: Vec<&str> = request.split_whitespace().collect();
    if let ["mesh", path] = words[..] {
        // The mesh before goes first, so that there are never two.
        *level = None;
        let (new, built) = Level::read(Path::new(path), arguments.level)?;
        *level = Some(new);
        return Ok(Answer::Built(built));
    }
    let level = level.as_ref().context("there is no mesh yet")?;
    match words[..] {
        ["sweep", path, kind] => {
            let records = files::read_queries(Path::new(path))?;
            let pass = if arguments.batch { queries::pass_in_runs } else { queries::pass };
            Ok(Answer::Pass(pass(&level.tree, Kind::parse(kind)?, &records)?))
        }
        ["fractions", path, kind, out] => {
            let records = files::read_queries(Path::new(path))?;
            queries::write_fractions(&level.tree, Kind::parse(kind)?, &records, Path::new(out))?;
            Ok(Answer::Written {})
        }
        ["kcc", path] => {
            let run = files::read_run(Path::new(path))?;
            let walked = match arguments.threads {
                Some(threads) => walk::run_together(&level.world, &run, threads.get()),
                None => walk::run(&level.world, &run),
            };
            Ok(Answer::Walked(walked?))
        }
        _ => bail!("unknown request `{}`", request.trim()),
    }
}
