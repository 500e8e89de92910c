//! Loading a level, with a progress bar when it takes long and a person is watching.

use std::{
    fs::File,
    io::{BufReader, IsTerminal, stderr},
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow};
use indicatif::{ProgressBar, ProgressStyle};
use sidle::{
    Real, TriMesh,
    mesh::{ObjOptions, parse_obj},
};

/// Shorter waits need no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reads an OBJ file.
pub(crate) fn load<T: Real>(path: &Path, options: &ObjOptions) -> Result<TriMesh<T>> {
    let begin = Instant::now();
    let is_watched = stderr().is_terminal();
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let size = file.metadata().map_or(0, |data| data.len());
    let mut bar: Option<ProgressBar> = None;
    let mesh = parse_obj(BufReader::new(file), path, options, &mut |read| {
        if is_watched && begin.elapsed() > PATIENCE {
            bar.get_or_insert_with(|| new_bar(size)).set_position(read);
        }
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    // Its sentence already tells the cause.
    mesh.map_err(|error| anyhow!("{error}"))
}

fn new_bar(size: u64) -> ProgressBar {
    let bar = ProgressBar::new(size);
    if let Ok(style) = ProgressStyle::with_template("loading [{bar:40}] {bytes} of {total_bytes}, {eta} left") {
        bar.set_style(style);
    }
    bar
}
