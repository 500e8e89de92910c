//! Scripted walks: those of the shared folder, our own, and what their files may say.

use std::path::{Path, PathBuf};

use sidle::{
    Real,
    walk::{Walk, WalkError, judge, replay},
};

use crate::shared::shared_folder;

/// The walk files of a folder, in the order of their names.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().expect("the folder can be read");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = paths.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect();
    files.sort();
    files
}

/// What is wrong with a walk's track, in words; nothing if all that is expected holds.
fn faults<T: Real>(path: &Path) -> Option<String> {
    let walk = Walk::read(path).unwrap_or_else(|error| panic!("{error}"));
    let folder = path.parent().expect("a folder");
    let found = match replay::<T>(&walk, folder) {
        Err(_) if walk.expect.is_error() => return None,
        Err(error) => error.to_string(),
        Ok((track, world)) => {
            let differences = judge(&walk, &track, &world);
            differences.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        }
    };
    (!found.is_empty()).then(|| format!("{}: {found}", walk.name))
}

/// Replays all walks of a folder with both scalars, and returns their number.
fn all_pass(folder: &Path) -> usize {
    let files = files_in(folder);
    let mut wrong = Vec::new();
    for path in &files {
        wrong.extend(faults::<f32>(path).map(|fault| format!("f32: {fault}")));
        wrong.extend(faults::<f64>(path).map(|fault| format!("f64: {fault}")));
    }
    assert!(wrong.is_empty(), "{} of {} walks differ:\n{}", wrong.len(), 2 * files.len(), wrong.join("\n"));
    files.len()
}

fn own_walks() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/walks")
}

#[test]
fn every_shared_case_passes_in_both_scalars() {
    let Some(shared) = shared_folder() else { return };
    let count = all_pass(&shared.join("cases"));
    println!("{count} cases, each in f32 and f64");
    assert!(count >= 63, "only {count} cases");
}

#[test]
fn our_own_walks_pass_in_both_scalars() {
    assert!(all_pass(&own_walks()) >= 3);
}

#[test]
fn an_expectation_that_does_not_hold_is_found() {
    let path = own_walks().join("stairs_up.json");
    let mut walk = Walk::read(&path).expect("a walk");
    walk.expect.max_tick_displacement = Some(0.01);
    walk.expect.grounded = Some(false);
    let (track, world) = replay::<f64>(&walk, &own_walks()).expect("it runs");
    let keys: Vec<_> = judge(&walk, &track, &world).iter().map(|difference| difference.key).collect();
    assert_eq!(keys, ["grounded", "max_tick_displacement"]);
}

#[test]
fn an_unknown_key_is_an_error_wherever_it_stands() {
    let text = std::fs::read_to_string(own_walks().join("stairs_up.json")).expect("a file");
    let whole: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    serde_json::from_value::<Walk>(whole.clone()).expect("a walk");
    for place in ["", "/character", "/moves/0", "/expect"] {
        let mut odd = whole.clone();
        let object = odd.pointer_mut(place).and_then(serde_json::Value::as_object_mut).expect("an object");
        object.insert("max_penetratoin".into(), 1e-3.into());
        let error = serde_json::from_value::<Walk>(odd).expect_err("an unknown key");
        assert!(error.to_string().contains("unknown field `max_penetratoin`"), "{place}: {error}");
    }
}

#[test]
fn a_file_that_is_no_walk_names_itself() {
    let missing = Walk::read(&own_walks().join("no_such.json")).expect_err("no file");
    assert!(matches!(missing, WalkError::Io { .. }) && missing.to_string().contains("no_such.json"), "{missing}");
    let mesh = own_walks().join("../meshes/stairs.obj");
    let no_json = Walk::read(&mesh).expect_err("no JSON");
    assert!(matches!(no_json, WalkError::Format { .. }) && no_json.to_string().contains("stairs.obj"), "{no_json}");
}

#[test]
fn walks_survive_being_written_and_read() {
    let mut files = files_in(&own_walks());
    if let Some(shared) = shared_folder() {
        files.extend(files_in(&shared.join("cases")));
    }
    for path in files {
        let walk = Walk::read(&path).expect("a walk");
        let text = serde_json::to_string(&walk).expect("it can be written");
        let again: Walk = serde_json::from_str(&text).expect("it can be read");
        // As text: NaN is in some of them, and is not equal to itself.
        assert_eq!(format!("{walk:?}"), format!("{again:?}"), "{}", path.display());
    }
}
