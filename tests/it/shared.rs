//! Where the data are that the project itself does not ship.

use std::path::PathBuf;

/// The folder named by `SIDLE_SHARED`, by default `../shared` beside the project.
///
/// Where the variable is not set and there is no such folder, says so and returns `None`: the test is skipped.
///
/// # Panics
/// If the variable is set and the folder is missing.
pub(crate) fn shared_folder() -> Option<PathBuf> {
    let named = std::env::var_os("SIDLE_SHARED").map(PathBuf::from);
    let folder = named.clone().unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(named.is_none(), "SIDLE_SHARED names {}, which is no folder", folder.display());
    println!("SKIPPED: there is no {}; set SIDLE_SHARED to the folder with the data", folder.display());
    None
}
