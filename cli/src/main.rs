//! The command line of sidle.

mod replay;

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
    Replay(replay::Replay),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Replay(command) => command.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sidle: {error:#}");
            ExitCode::FAILURE
        }
    }
}
