//! The soak itself, and how its arguments are read.

use clap::Parser;

use super::*;

#[derive(Debug, clap::Parser)]
struct Line {
    #[command(flatten)]
    soak: Soak,
}

const SHORT: &str = "--wanderers 5 --seconds 6";

fn soak(name: &str, line: &str) -> Soak {
    let out = std::env::temp_dir().join(format!("sidle-soak-{}-{name}", std::process::id()));
    let words = format!("soak --seed 3 --out {} {line}", out.display());
    Line::try_parse_from(words.split(' ').filter(|word| !word.is_empty())).expect("a command").soak
}

#[test]
fn shards_add_up_to_the_whole_and_threads_do_not_matter() {
    let whole = soak("whole", SHORT).soak::<f32>().expect("a soak");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
    let files: Vec<PathBuf> = ["1/2", "2/2"]
        .iter()
        .map(|part| {
            let shard = soak("parts", &format!("{SHORT} --shard {part}"));
            let outcome = pool.install(|| shard.soak::<f32>()).expect("a soak");
            let file = shard.out.join(part.replace('/', "-"));
            outcome.write(&file).expect("a folder to write to");
            file
        })
        .collect();
    let merged = Outcome::merged(&files).expect("all parts");
    assert_eq!(merged, whole);
    assert_eq!(merged.to_string(), whole.to_string());
    assert!(Outcome::merged(&files[..1]).is_err_and(|error| error.to_string().contains("not all shards")));
    assert!(Outcome::merged(&[&files[0], &files[0]]).is_err_and(|error| error.to_string().contains("twice")));
}

#[test]
fn the_controller_passes_on_the_playground_and_wanderers_see_and_push_much() {
    let outcome = soak("playground", "--wanderers 8 --seconds 20").soak::<f32>().expect("a soak");
    assert_eq!(outcome.faults(), 0, "{outcome}");
    assert_eq!(outcome.what_it_lacks(), None, "{outcome}");
}

#[test]
fn a_crowd_passes_on_the_playground_whatever_the_threads() {
    let crowd = || soak("crowd", "--crowd --wanderers 40 --seconds 10").soak::<f32>().expect("a soak");
    let outcome = crowd();
    assert_eq!(outcome.faults(), 0, "{outcome}");
    assert!(outcome.to_string().contains("overlapped    never"), "{outcome}");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
    assert_eq!(pool.install(crowd), outcome);
}

#[test]
fn a_body_of_legs_and_a_head_passes_on_the_playground() {
    let parts = "--part 0.4,0.6,0.4@0,-0.3,0 --part 0.25,0.25,0.25@0,0.65,0.1";
    let outcome = soak("legs", &format!("--wanderers 6 --seconds 20 {parts}")).soak::<f32>().expect("a soak");
    assert_eq!(outcome.faults(), 0, "{outcome}");
    assert!(outcome.to_string().contains("of 2 ellipsoids"), "{outcome}");
}

/// A scenario file with an arm that turns, a lift and a ferry, all near the spawn of the playground, for 20 seconds.
fn platforms(name: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/meshes/cuboid.obj");
    let to_and_fro = |from: [f64; 3], to: [f64; 3]| -> Vec<serde_json::Value> {
        let frame = |i: i32| serde_json::json!({ "time": 2 * i, "position": if i % 2 == 0 { from } else { to } });
        (0..=10).map(frame).collect()
    };
    let walk = serde_json::json!({
        "name": "platforms", "level": "none.obj", "character": { "radii": [0.4, 0.9, 0.4] }, "start": [0, 0, 0],
        "moves": [], "expect": {},
        "meshes": [
            { "file": file, "position": [4, 0.7, 14], "scale": [5, 0.4, 0.3], "angular_velocity": [0, 1.5, 0] },
            { "file": file, "scale": [2, 0.2, 2], "keyframes": to_and_fro([-4.0, 0.11, 14.0], [-4.0, 2.1, 14.0]) },
            { "file": file, "scale": [2, 0.2, 2], "keyframes": to_and_fro([-2.0, 0.15, 11.0], [2.0, 0.15, 11.0]) },
        ]
    });
    let path = std::env::temp_dir().join(format!("sidle-platforms-{}-{name}.json", std::process::id()));
    fs::write(&path, walk.to_string()).expect("a file");
    path
}

#[test]
fn teams_walk_through_themselves_and_not_through_each_other() {
    let teams = |teams: &str| {
        let line = format!("--crowd {teams} --wanderers 120 --seconds 10");
        soak("teams", &line).soak::<f32>().expect("a soak")
    };
    let (all, two) = (teams(""), teams("--teams 2"));
    assert_eq!((all.faults(), two.faults()), (0, 0), "{two}");
    assert_ne!(all.wanderers, two.wanderers);
    assert!(two.to_string().contains("in one crowd of 2 teams"), "{two}");
}

#[test]
fn wanderers_pass_among_things_that_move_alone_and_in_a_crowd() {
    for (name, crowd) in [("alone", ""), ("together", "--crowd")] {
        let among = format!("--wanderers 12 --seconds 20 --platforms {} {crowd}", platforms(name).display());
        let run = || soak(&format!("platforms-{name}"), &among).soak::<f32>().expect("a soak");
        let outcome = run();
        assert_eq!(outcome.faults(), 0, "{outcome}");
        let text = outcome.to_string();
        assert!(
            text.contains("with the meshes of sidle-platforms") && text.contains("met           something"),
            "{text}"
        );
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
        assert_eq!(pool.install(run), outcome);
    }
}

#[test]
fn who_stays_at_home_proves_little() {
    let mut outcome = soak("home", SHORT).soak::<f32>().expect("a soak");
    outcome.wanderers.iter_mut().for_each(|record| record.cells.truncate(1));
    assert!(outcome.what_it_lacks().is_some_and(|lack| lack.contains("not a quarter")));
}

#[test]
fn fractions_parts_and_shards_are_read() {
    assert_eq!(parse_part("0.4,0.9,0.4"), Ok(Part { radii: [0.4, 0.9, 0.4], offset: [0.0; 3] }));
    let head = Part { radii: [0.2; 3], offset: [0.0, 0.7, -0.1] };
    assert_eq!(parse_part("0.2,0.2,0.2@0,0.7,-0.1"), Ok(head));
    assert!(["0.4", "0.4,0.9,0.4@", "a@b"].iter().all(|text| parse_part(text).is_err()));
    assert_eq!(parse_fraction("1/60"), Ok(1.0 / 60.0));
    assert_eq!(parse_fraction("0.01"), Ok(0.01));
    assert!(parse_fraction("1/x").is_err());
    assert_eq!(parse_shard("2/3"), Ok(Shard { number: 2, count: 3 }));
    assert!(["0/3", "4/3", "3", "a/b"].iter().all(|text| parse_shard(text).is_err()));
}
