//! Scripted walks: those of the shared folder, our own, and what their files may say.

use std::path::{Path, PathBuf};

use sidle::{
    InputError, Real,
    character::GroundState,
    walk::{
        Difference, Number, Recording, Scalar, Walk, WalkError, is_about_its_time_step, judge, replay, replay_in,
        world_of,
    },
    world::WorldError,
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

/// What is wrong with a walk's track, in words; nothing if all that is expected holds. At the walk's own frame rate or another.
fn faults<T: Real>(path: &Path, hz: Option<f64>) -> Option<String> {
    let mut walk = Walk::read(path).unwrap_or_else(|error| panic!("{error}"));
    if let Some(hz) = hz {
        walk = walk.at_rate(hz).expect("a frame rate");
    }
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

/// Replays all walks of a folder with both scalars, and returns their number. At another frame rate without those that are about
/// their own.
fn all_pass(folder: &Path, hz: Option<f64>) -> usize {
    let mut files = files_in(folder);
    files.retain(|file| hz.is_none() || !is_about_its_time_step(file));
    let mut wrong = Vec::new();
    for path in &files {
        wrong.extend(faults::<f32>(path, hz).map(|fault| format!("f32: {fault}")));
        wrong.extend(faults::<f64>(path, hz).map(|fault| format!("f64: {fault}")));
    }
    assert!(wrong.is_empty(), "{} of {} walks differ:\n{}", wrong.len(), 2 * files.len(), wrong.join("\n"));
    files.len()
}

pub(crate) fn own_walks() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/walks")
}

#[test]
fn every_shared_case_passes_in_both_scalars() {
    let Some(shared) = shared_folder() else { return };
    let count = all_pass(&shared.join("cases"), None);
    println!("{count} cases, each in f32 and f64");
    assert!(count >= 63, "only {count} cases");
}

#[test]
fn our_own_walks_pass_in_both_scalars() {
    assert!(all_pass(&own_walks(), None) >= 8);
}

fn all_pass_at(hz: f64) {
    assert!(all_pass(&own_walks(), Some(hz)) >= 8);
    let Some(shared) = shared_folder() else { return };
    let count = all_pass(&shared.join("cases"), Some(hz));
    println!("{count} cases, each in f32 and f64, at {hz} Hz");
    assert!(count >= 61, "only {count} cases");
}

#[test]
fn every_case_passes_at_30_hz() {
    all_pass_at(30.0);
}

#[test]
fn every_case_passes_at_60_hz() {
    all_pass_at(60.0);
}

#[test]
fn every_case_passes_at_144_hz() {
    all_pass_at(144.0);
}

#[test]
fn every_case_passes_at_240_hz() {
    all_pass_at(240.0);
}

#[test]
fn every_case_passes_at_1000_hz() {
    all_pass_at(1000.0);
}

fn own_walk(name: &str) -> Walk {
    Walk::read(&own_walks().join(name).with_extension("json")).expect("a walk")
}

fn keys(differences: &[Difference]) -> Vec<&'static str> {
    differences.iter().map(|difference| difference.key).collect()
}

#[test]
fn another_frame_rate_keeps_the_time_of_each_move() {
    let mut walk = own_walk("stairs_up");
    let ticks = |walk: &Walk| walk.moves.iter().map(|each| each.ticks).collect::<Vec<_>>();
    assert_eq!(ticks(&walk), [30, 40, 20]);
    assert!(walk.expect.max_tick_displacement.is_some() && walk.expect.settling_ticks() == 30);
    for (hz, expected, settling) in
        [(30.0, [15, 20, 10], 15), (60.0, [30, 40, 20], 30), (144.0, [72, 96, 48], 72), (1000.0, [500, 667, 333], 500)]
    {
        let other = walk.at_rate(hz).expect("a frame rate");
        assert_eq!((ticks(&other), other.dt), (expected.to_vec(), Number(1.0 / hz)));
        assert_eq!((other.expect.max_tick_displacement, other.expect.settling_ticks()), (None, settling));
        assert_eq!(other.expect.final_min, walk.expect.final_min);
    }
    // A tick with a jump or with a NaN is still one; a move without ticks still has none.
    walk.moves[0].ticks = 1;
    walk.moves[1].ticks = 0;
    assert_eq!(ticks(&walk.at_rate(10.0).expect("a frame rate")), [1, 0, 3]);
    for hz in [0.0, -30.0, f64::NAN, f64::INFINITY, 1e300] {
        assert!(walk.at_rate(hz).is_err(), "{hz}");
    }
    // What is wrong with a walk stays wrong.
    walk.dt = Number(f64::NAN);
    assert!(matches!(walk.at_rate(60.0), Ok(Walk { dt: Number(dt), .. }) if dt.is_nan()));
    let names = ["huge_dt_1s.json", "folder/tiny_dt_1e4.json", "stairs_huge_dt.json", "huge_dt/stairs.json"];
    assert_eq!(names.map(|name| is_about_its_time_step(Path::new(name))), [true, true, false, false]);
}

#[test]
fn placed_meshes_are_scaled_turned_and_moved_and_their_faults_are_errors() {
    let whole = own_walk("placed_meshes");
    // Without the second mesh nothing is in the way.
    let mut walk = whole.clone();
    walk.meshes.truncate(1);
    let (track, world) = replay::<f64>(&walk, &own_walks()).expect("it runs");
    assert_eq!(keys(&judge(&walk, &track, &world)), ["final"]);
    assert!((track.ticks[119].position.x - 6.0).abs() < 1e-6, "{}", track.ticks[119].position);

    let error = |change: fn(&mut Walk)| {
        let mut walk = whole.clone();
        change(&mut walk);
        world_of::<f32>(&walk, &own_walks()).expect_err("a fault")
    };
    let no_rotation = error(|walk| walk.meshes[1].rotation = [0.0; 4].map(Number));
    assert!(matches!(no_rotation, WalkError::Input(InputError::NoDirection { .. })), "{no_rotation}");
    let no_scale = error(|walk| walk.meshes[0].scale[1] = Number(0.0));
    assert!(matches!(no_scale, WalkError::World(WorldError::Input(_))), "{no_scale}");
    let no_file = error(|walk| walk.meshes[0].file = "no_such.obj".into());
    assert!(matches!(no_file, WalkError::Level(_)) && no_file.to_string().contains("no_such.obj"), "{no_file}");
}

#[test]
fn horizontal_jitter_is_the_largest_distance_of_two_centres_in_the_last_move() {
    let mut walk = own_walk("stairs_up");
    let jitter = |walk: &Walk| {
        let (track, world) = replay::<f64>(walk, &own_walks()).expect("it runs");
        keys(&judge(walk, &track, &world))
    };
    walk.expect = serde_json::from_str(r#"{"max_horizontal_jitter": 0}"#).expect("expectations");
    assert_eq!(jitter(&walk), [""; 0], "it stands still in its last move");
    // 3 m/s for 40 ticks: 39 ways lie between the first centre and the last.
    walk.moves.pop();
    for (most, differs) in [(1.9501, false), (1.9499, true)] {
        walk.expect.max_horizontal_jitter = Some(most);
        assert_eq!(jitter(&walk).contains(&"max_horizontal_jitter"), differs, "{most}");
    }
}

fn recordings_hold_to_the_bit<T: Real>() {
    let mut walk = own_walk("playground_20s");
    walk.expect = Default::default();
    let world = world_of::<T>(&walk, &own_walks()).expect("a world");
    let track = replay_in(&walk, &world).expect("it runs");
    walk.recording = Some(Recording::of::<T>(&track));
    let text = serde_json::to_string(&walk).expect("it can be written");
    let walk: Walk = serde_json::from_str(&text).expect("it can be read");
    let judged = |walk: &Walk| judge(walk, &replay_in(walk, &world).expect("it runs"), &world);
    assert_eq!(judged(&walk), []);

    let changed = |change: &dyn Fn(&mut Recording)| {
        let mut walk = walk.clone();
        walk.recording.iter_mut().for_each(change);
        judged(&walk)
    };
    let nudge = |Number(x): &mut Number| *x = x.next_up();
    let found = changed(&|recording| nudge(&mut recording.ticks[500].position[2]));
    assert!(found[0].key == "recording" && found[0].found.starts_with("tick 500: position"), "{found:?}");
    let found = changed(&|recording| nudge(&mut recording.ticks[501].velocity[0]));
    assert!(found[0].found.starts_with("tick 501: velocity"), "{found:?}");
    let found = changed(&|recording| recording.ticks[7].ground = GroundState::NotSupported);
    assert!(found[0].found.starts_with("tick 7: NotSupported"), "{found:?}");
    let found = changed(&|recording| recording.ticks.truncate(1000));
    assert!(found[0].found.contains("1000 ticks are recorded"), "{found:?}");
    // The other scalar has other bits: nothing is said about them.
    let other = if Scalar::of::<T>() == Scalar::F32 { Scalar::F64 } else { Scalar::F32 };
    assert_eq!(changed(&|recording| recording.scalar = other), []);
}

#[test]
fn a_recording_is_repeated_to_the_bit_and_a_changed_one_is_not() {
    recordings_hold_to_the_bit::<f32>();
    recordings_hold_to_the_bit::<f64>();
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
