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
    let ramp = "v -8 -6 -2\nv -8 -6 2\nv 8 6 2\nv 8 6 -2\nf 1 2 3 4\n";
    fs::write(folder.join("ramp.obj"), ramp).expect("it is written");
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

#[test]
fn a_walk_says_which_speed_is_kept_on_slopes() {
    let way = |speed: Value| {
        let mut walk = json!({ "radii": [0.4, 0.9, 0.4] });
        if !speed.is_null() {
            walk["slope_speed"] = speed;
        }
        let scene = json!({
            "level": "ramp.obj",
            "character": walk,
            "start": [0, 0.98, 0],
            "moves": [{ "ticks": 64, "velocity": [0, 0, 0] }, { "ticks": 64, "velocity": [2, 0, 0] }],
        });
        end(&self::walk(scene)).x
    };
    // The ramp rises by 3 m on 4, 5 along the ground.
    let (level, along) = (way(json!("horizontal")), way(json!("along_surface")));
    assert!((level - 2.0).abs() < 1e-6 && (along - 1.6).abs() < 1e-6, "{level} {along}");
    assert_eq!(way(Value::Null), level);
}

#[test]
fn a_walk_names_the_parts_of_a_body() {
    let parts = json!([
        { "radii": [0.4, 0.5, 0.4], "offset": [0, 0.5, 0] },
        { "radii": [0.15, 0.3, 0.15], "offset": [0.1, 1.2, 0], "rotation": [0, 0, -1, 4] },
    ]);
    let body = |character: Value| walk(json!({ "character": character, "start": [3, 0.02, 0] }));
    // Its position is at its feet; of a part alone, at the offset.
    assert!((end(&body(json!({ "parts": parts }))) - vector![3.0, 0.02, 0.0]).coords.norm() < 1e-9);
    let low = walk(json!({ "character": { "parts": [{ "radii": [0.4, 0.5, 0.4] }] }, "start": [3, 0.6, 0] }));
    assert!((end(&low).y - 0.52).abs() < 1e-9);
    // What is written is read.
    let whole = body(json!({ "parts": parts }));
    let text = serde_json::to_string(&whole).expect("it is written");
    assert_eq!(serde_json::from_str::<Walk>(&text).expect("it is read"), whole);

    for character in [json!({}), json!({ "radii": [0.4, 0.9, 0.4], "parts": parts }), json!({ "parts": [] })] {
        let error = replay::<f64>(&body(character), folder()).map(|_| ()).expect_err("it is not one body");
        assert!(matches!(error, WalkError::Body), "{error}");
    }
    for part in [
        json!({ "radii": [0.4, 0, 0.4] }),
        json!({ "radii": [0.4, 0.9, 0.4], "offset": [0, "NaN", 0] }),
        json!({ "radii": [0.4, 0.9, 0.4], "rotation": [0, 0, 0, 0] }),
    ] {
        let error = replay::<f64>(&body(json!({ "parts": [part] })), folder()).map(|_| ()).expect_err("no part");
        assert!(matches!(error, WalkError::Input(_)), "{error}");
    }
}

#[test]
fn a_head_in_a_ceiling_counts_as_penetration() {
    // A plate over the floor, through which the head would be.
    let plate = json!([{ "file": "plate.obj", "position": [3, 1.2, 0] }]);
    let character = json!({ "parts": [
        { "radii": [0.4, 0.5, 0.4], "offset": [0, 0.5, 0] },
        { "radii": [0.2, 0.2, 0.2], "offset": [0, 1.15, 0] },
    ]});
    let stuck = walk(json!({
        "meshes": plate, "character": character, "start": [3, 0.02, 0], "dt": 1e-9,
        "moves": [{ "ticks": 1, "velocity": [0, 0, 0] }], "expect": { "max_penetration": 0.01 },
    }));
    let (track, world) = replay::<f64>(&stuck, folder()).expect("it runs");
    let found: Vec<_> = judge(&stuck, &track, &world).iter().map(|difference| difference.key).collect();
    assert_eq!(found, ["max_penetration"]);
}
