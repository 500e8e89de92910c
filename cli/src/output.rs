//! What the command prints.

use std::{
    fmt,
    io::{ErrorKind, Write, stdout},
    process::exit,
};

/// Prints to the standard output.
///
/// A reader that has gone, as in `sidle inspect level.obj | head -1`, wants no more of it; the command itself still runs to
/// its end, for the files it writes and for its exit code. Any other failure ends it.
pub(crate) fn print(words: fmt::Arguments<'_>) {
    match stdout().write_fmt(words) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            eprintln!("sidle: cannot print: {error}");
            exit(1);
        }
        _ => {}
    }
}
