//! Scenario files whose world moves, or has rules for its materials.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use nalgebra::vector;
use serde_json::{Value, json};
use sidle::walk::{Walk, WalkError, judge, replay};

/// A folder with a level: a floor of stone, 12 m each way, and a quarter of it of rubber, from the middle on.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(written)
}

fn written() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("sidle_walk_world_{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let level = "v -6 0 -6\nv -6 0 6\nv 0 0 6\nv 0 0 -6\nv 6 0 6\nv 6 0 -6\n\
                 usemtl stone\nf 1 2 3 4\nusemtl rubber\nf 4 3 5 6\n";
    let block = "v -1 0 -1\nv -1 0 1\nv 1 0 1\nv 1 0 -1\nusemtl steel\nf 1 2 3 4\n";
    fs::write(folder.join("level.obj"), level).expect("it is written");
    fs::write(folder.join("plate.obj"), block).expect("it is written");
    folder
}

fn walk(changes: Value) -> Walk {
    let mut walk = json!({
        "name": "test",
        "level": "level.obj",
        "character": { "radii": [0.4, 0.9, 0.4] },
        "start": [3, 0.92, 0],
        "dt": 0.015625,
        "moves": [{ "ticks": 129, "velocity": [0, 0, 0] }],
        "expect": {},
    });
    for (key, value) in changes.as_object().expect("an object") {
        walk[key] = value.clone();
    }
    serde_json::from_value(walk).expect("a walk")
}

fn end(walk: &Walk) -> nalgebra::Point3<f64> {
    let (track, world) = replay::<f64>(walk, folder()).expect("it runs");
    assert_eq!(judge(walk, &track, &world), []);
    track.ticks.last().expect("there are ticks").position
}

#[test]
fn a_walk_names_conveyor_belts_by_their_material() {
    let belt = |material: &str| walk(json!({ "surfaces": [{ "material": material, "velocity": [0, 0, 1.5] }] }));
    // One tick to land, 128 of 1/64 s on the belt.
    assert!((end(&belt("rubber")) - nalgebra::point![3.0, 0.92, 3.0]).norm() < 1e-9);
    assert!((end(&belt("stone")) - nalgebra::point![3.0, 0.92, 0.0]).norm() < 1e-9);
    let error = replay::<f64>(&belt("jelly"), folder()).map(|_| ()).expect_err("there is no jelly");
    assert!(matches!(&error, WalkError::NoSuchMaterial { name } if name == "jelly"), "{error}");
}

#[test]
fn a_walk_says_what_is_no_ground() {
    let slippery = walk(json!({
        "surfaces": [{ "material": "rubber", "ground": false }],
        "expect": { "grounded": false },
    }));
    end(&slippery);
}

#[test]
fn a_mesh_of_a_walk_moves_by_its_velocity_and_carries() {
    let plate = |motion: Value| {
        let mut plate = json!({ "file": "plate.obj", "position": [-3, 1, 0] });
        for (key, value) in motion.as_object().expect("an object") {
            plate[key] = value.clone();
        }
        walk(json!({ "meshes": [plate], "start": [-3, 1.92, 0] }))
    };
    let still = end(&plate(json!({})));
    assert!((still - nalgebra::point![-3.0, 1.92, 0.0]).norm() < 1e-9, "{still}");
    let carried = end(&plate(json!({ "velocity": [0.5, 0.25, 0] })));
    assert!((carried - still - vector![1.0, 0.5, 0.0]).norm() < 0.02, "{carried}");
    let lifted = end(&plate(json!({
        "keyframes": [{ "time": 0.5, "position": [-3, 1, 0] }, { "time": 1.5, "position": [-3, 3, 0.5] }],
    })));
    assert!((lifted - still - vector![0.0, 2.0, 0.5]).norm() < 1e-9, "{lifted}");
}

#[test]
fn a_walk_may_expect_to_be_crushed() {
    let press = json!({ "file": "plate.obj", "position": [3, 4, 0], "velocity": [0, -2, 0] });
    let crushed = |is: bool, y: f64| {
        let mut press = press.clone();
        press["position"][1] = y.into();
        let walk = walk(json!({ "meshes": [press], "expect": { "crushed": is } }));
        let (track, world) = replay::<f64>(&walk, folder()).expect("it runs");
        judge(&walk, &track, &world).len()
    };
    assert_eq!((crushed(true, 4.0), crushed(false, 4.0)), (0, 1));
    assert_eq!((crushed(true, 40.0), crushed(false, 40.0)), (1, 0));
}
