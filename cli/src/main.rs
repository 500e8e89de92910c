//! The command line of sidle.

/// As the standard library's, but the command goes on when nobody reads what it prints any more.
macro_rules! print {
    ($($words:tt)*) => { $crate::output::print(format_args!($($words)*)) };
}

/// As the standard library's, but the command goes on when nobody reads what it prints any more.
macro_rules! println {
    () => { print!("\n") };
    ($($words:tt)*) => { print!("{}\n", format_args!($($words)*)) };
}

mod bench;
mod gallery;
mod inspect;
mod judge;
mod level;
mod output;
mod picture;
mod platforms;
mod replay;
mod soak;
mod sweep;
mod vector;
mod walk;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Walks, sweeps, inspects and measures triangle levels.
#[derive(Debug, Parser)]
#[command(name = "sidle", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Bench(bench::Bench),
    Gallery(gallery::Gallery),
    Inspect(inspect::Inspect),
    Judge(judge::Judge),
    Replay(replay::Replay),
    Soak(soak::Soak),
    Sweep(sweep::Sweep),
    Walk(walk::WalkCommand),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Bench(command) => command.run(),
        Command::Gallery(command) => command.run(),
        Command::Inspect(command) => command.run(),
        Command::Judge(command) => command.run(),
        Command::Replay(command) => command.run(),
        Command::Soak(command) => command.run(),
        Command::Sweep(command) => command.run(),
        Command::Walk(command) => command.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sidle: {error:#}");
            ExitCode::FAILURE
        }
    }
}
