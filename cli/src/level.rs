//! Loading a level, with a progress bar when it takes long and a person is watching.

use std::{
    io::{IsTerminal, stderr},
    path::Path,
    time::{Duration, Instant},
};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use sidle::{
    Real, TriMesh,
    mesh::obj::{ObjOptions, read_obj_with_progress},
};

/// Shorter waits need no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reads an OBJ file.
pub(crate) fn load<T: Real>(path: &Path, options: &ObjOptions) -> Result<TriMesh<T>> {
    let begin = Instant::now();
    let is_watched = stderr().is_terminal();
    let mut bar: Option<ProgressBar> = None;
    let mesh = read_obj_with_progress(path, options, &mut |read, size| {
        if is_watched && begin.elapsed() > PATIENCE {
            bar.get_or_insert_with(|| new_bar(size)).set_position(read);
        }
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    Ok(mesh?)
}

fn new_bar(size: u64) -> ProgressBar {
    let bar = ProgressBar::new(size);
    if let Ok(style) = ProgressStyle::with_template("loading [{bar:40}] {bytes} of {total_bytes}, {eta} left") {
        bar.set_style(style);
    }
    bar
}
