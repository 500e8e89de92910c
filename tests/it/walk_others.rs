//! Scenario files in which others are about.

use std::path::Path;

use serde_json::{Value, json};
use sidle::walk::{Number, Recording, Track, Walk, WalkError, judge, replay};

use crate::walks::own_walks;

/// A walk of three seconds along x, from -3 to where someone may stand, on a floor.
fn walk(changes: Value) -> Walk {
    let mut walk = json!({
        "name": "test",
        "level": "../meshes/floor.obj",
        "character": { "radii": [0.4, 0.9, 0.4] },
        "start": [-3, 0.92, 0],
        "dt": 0.015625,
        "moves": [{ "ticks": 192, "velocity": [2, 0, 0] }],
        "expect": {},
    });
    for (key, value) in changes.as_object().expect("an object") {
        walk[key] = value.clone();
    }
    serde_json::from_value(walk).expect("a walk")
}

fn run(walk: &Walk) -> Track {
    replay::<f64>(walk, &own_walks()).expect("it runs").0
}

fn end(track: &Track) -> [f64; 3] {
    track.ticks.last().expect("there are ticks").position.coords.into()
}

fn differences(walk: &Walk) -> Vec<String> {
    let (track, world) = replay::<f64>(walk, &own_walks()).expect("it runs");
    judge(walk, &track, &world).iter().map(ToString::to_string).collect()
}

#[test]
fn who_stands_in_the_way_is_in_the_way() {
    let alone = run(&walk(json!({})));
    assert!((end(&alone)[0] - 3.0).abs() < 1e-9 && alone.others.is_empty());
    let track = run(&walk(json!({ "others": [{ "start": [1, 0.92, 0] }] })));
    assert!((end(&track)[0] - (1.0 - 0.84)).abs() < 1e-9, "{:?}", end(&track));
    assert_eq!((end(&track.others[0]), track.others[0].ticks.len()), ([1.0, 0.92, 0.0], 192));
}

#[test]
fn far_from_others_a_walk_leads_where_it_does_alone() {
    // To the bit, although a crowd moves it.
    let alone = run(&walk(json!({})));
    let track = run(&walk(json!({ "others": [{ "start": [0, 0.92, 4] }] })));
    assert_eq!(track.ticks, alone.ticks);
    // So a recording is of use here, too.
    let mut recorded = walk(json!({ "others": [{ "start": [1.5, 0.92, 0.3] }] }));
    recorded.recording = Some(Recording::of::<f64>(&run(&recorded)));
    assert_eq!(differences(&recorded), [""; 0]);
    recorded.others[0].start[2] = Number(0.31);
    assert!(differences(&recorded)[0].starts_with("recording: tick "), "{:?}", differences(&recorded));
}

#[test]
fn an_overlap_and_what_is_wrong_with_another_are_told() {
    // Two who do not see each other, in one place.
    let blind = json!({ "radii": [0.4, 0.9, 0.4], "layers": [1], "sees": [0] });
    let through = walk(json!({
        "character": blind,
        "others": [
            { "start": [0, 0.92, 0.3], "expect": { "min_gap_to_others": 0.0 } },
            { "start": [0, 0.92, 4.0], "expect": { "final": [0, 0.92, 0], "tolerance": 0.1, "grounded": true } },
        ],
        "expect": { "min_gap_to_others": -0.001 },
    }));
    let found = differences(&through);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[0].starts_with("min_gap_to_others: -0.5"), "{found:?}");
    assert!(found[1].starts_with("min_gap_to_others: other 1: -0.5"), "{found:?}");
    assert!(found[2].starts_with("final: other 2: 4.0000 m off"), "{found:?}");
    // Solid they keep their two skins.
    let mut solid = through.clone();
    solid.character.sees = Default::default();
    solid.character.layers = Default::default();
    solid.others.truncate(1);
    solid.expect.min_gap_to_others = Some(0.036);
    assert_eq!(differences(&solid), [""; 0]);
    solid.expect.min_gap_to_others = Some(0.045);
    assert!(differences(&solid)[0].starts_with("min_gap_to_others: 0.0"), "{:?}", differences(&solid));
    // Nobody is no gap.
    let alone = walk(json!({ "expect": { "min_gap_to_others": 0.0 } }));
    assert_eq!(differences(&alone), ["min_gap_to_others: there are no others"]);
}

#[test]
fn others_go_on_with_their_last_move_and_may_fly() {
    let track = run(&walk(json!({ "others": [
        { "start": [0, 0.92, 3], "moves": [{ "ticks": 64, "velocity": [0, 0, 0] }, { "ticks": 1, "velocity": [1, 0, 0] }] },
        { "start": [0, 2, -3], "gravity": 0, "moves": [{ "ticks": 1000, "velocity": [0, 1, 0] }] },
    ] })));
    assert!((end(&track.others[0])[0] - 2.0).abs() < 1e-9, "{:?}", end(&track.others[0]));
    assert!((end(&track.others[1])[1] - 5.0).abs() < 1e-9, "{:?}", end(&track.others[1]));
}

#[test]
fn a_character_walks_through_what_it_does_not_see() {
    let character = json!({ "radii": [0.4, 0.9, 0.4], "sees": [0] });
    let block = |layers: Value| json!([{ "file": "../meshes/cuboid.obj", "position": [1, 1, 0], "layers": layers }]);
    let x = |layers| end(&run(&walk(json!({ "character": character, "meshes": block(layers) }))))[0];
    assert!((x(json!([5])) - 3.0).abs() < 1e-9, "{}", x(json!([5])));
    assert!(x(json!([5, 0])) < 1.0, "{}", x(json!([5, 0])));
    // What is not seen is no penetration; a level that is not seen is no floor.
    let meshes = block(json!([5]));
    let quiet = json!({ "character": character, "meshes": meshes, "expect": { "max_penetration": 1e-6 } });
    assert_eq!(differences(&walk(quiet)), [""; 0]);
    let fallen = run(&walk(json!({ "character": character, "layers": [7] })));
    assert!(end(&fallen)[1] < -10.0, "{:?}", end(&fallen));
}

#[test]
fn what_makes_no_sense_about_others_is_an_error() {
    let error = |others: Value| replay::<f32>(&walk(json!({ "others": others })), Path::new(&own_walks())).map(|_| ());
    let nan = json!([{ "start": [0, 0.92, 2] }, { "start": ["NaN", 0.92, 0] }]);
    assert!(matches!(error(nan), Err(WalkError::Input(_))));
    let late = json!([{ "start": [0, 0.92, 2], "moves": [
        { "ticks": 7, "velocity": [0, 0, 0] }, { "ticks": 1, "velocity": ["inf", 0, 0] }] }]);
    assert!(matches!(error(late), Err(WalkError::Tick { tick: 7, .. })));
    for (key, value) in
        [("layers", json!([32])), ("layers", json!("red")), ("layers", json!([-1])), ("others", json!([{}]))]
    {
        let mut text = serde_json::to_value(walk(json!({}))).expect("it can be written");
        text[key] = value;
        assert!(serde_json::from_value::<Walk>(text.clone()).is_err(), "{text}");
    }
}

#[test]
fn others_are_written_and_read_again_and_what_is_not_there_is_not_written() {
    let plain = serde_json::to_string(&walk(json!({}))).expect("it can be written");
    assert!(["others", "layers", "sees", "gap"].iter().all(|key| !plain.contains(key)), "{plain}");
    let whole = walk(json!({
        "layers": [0, 31],
        "character": { "radii": [0.4, 0.9, 0.4], "layers": [1, 2], "sees": [] },
        "others": [
            { "start": [0, 0.92, 3] },
            { "start": [0, 2, -3], "gravity": 0, "moves": [{ "ticks": 9, "velocity": [0, 1, 0] }], "expect": { "grounded": false } },
        ],
    }));
    let text = serde_json::to_string(&whole).expect("it can be written");
    assert_eq!(serde_json::from_str::<Walk>(&text).expect("it can be read"), whole);
    assert!(text.contains(r#""layers":[0,31]"#) && text.contains(r#""sees":[]"#), "{text}");
}

#[test]
fn at_another_frame_rate_the_moves_of_others_take_as_long() {
    let whole = walk(json!({ "others": [{
        "start": [0, 0.92, 3],
        "moves": [{ "ticks": 64, "velocity": [1, 0, 0] }, { "ticks": 1, "velocity": [0, 0, 0] }],
        "expect": { "final": [1, 0.92, 3], "tolerance": 0.02, "max_tick_displacement": 0.1 },
    }] }));
    assert_eq!(differences(&whole), [""; 0]);
    for hz in [30.0, 144.0, 1000.0] {
        let other = whole.at_rate(hz).expect("a frame rate");
        assert_eq!(other.others[0].moves[0].ticks, hz as usize);
        assert_eq!(other.others[0].expect.max_tick_displacement, None);
        assert_eq!(differences(&other), [""; 0], "{hz}");
    }
}
