//! `sidle walk --record`: the walk as a scenario file.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Component, Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use nalgebra::Point3;
use sidle::{
    World,
    mesh::{primitives::playground, write_obj},
    walk::{Expect, Move, Number, Recording, Walk, WalkCharacter, WalkLayers, replay_in},
};

use super::{RATE, Step, WalkCommand};

/// Writes the playground beside a scenario file, and returns where.
pub(super) fn playground_beside(file: &Path) -> Result<PathBuf> {
    let path = file.with_extension("obj");
    let write = || {
        let mut out = BufWriter::new(File::create(&path)?);
        write_obj(&playground::<f64>(), &mut out)?;
        out.flush()
    };
    write().with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

impl WalkCommand {
    /// What was walked, as a scenario for `file`, up to where the body fell out of the level: a scenario has no respawn.
    ///
    /// # Errors
    /// If the scenario does not lead where the walk did, or there is nothing of it.
    pub(super) fn recorded(&self, file: &Path, start: Point3<f64>, steps: &[Step], world: &World<f64>) -> Result<Walk> {
        let steps: Vec<&Step> = steps.iter().take_while(|step| !step.has_fallen_out).collect();
        let mut moves = Vec::new();
        for step in &steps {
            Move::add_tick(&mut moves, numbers(step.input.velocity), step.input.jump.map(Number));
        }
        let level = self.level.clone().unwrap_or_else(|| file.with_extension("obj"));
        let character = WalkCharacter::of(numbers(self.radii));
        let mut walk = Walk {
            name: file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            level: seen_from(folder_of(file), &level)?,
            layers: WalkLayers::default(),
            surfaces: Vec::new(),
            meshes: Vec::new(),
            up: [0.0, 1.0, 0.0].map(Number),
            character: WalkCharacter { step_height: Number(self.step_height), ..character },
            start: numbers(start.coords),
            gravity: Number(9.81),
            dt: Number(1.0 / RATE as f64),
            moves,
            expect: Expect::default(),
            others: Vec::new(),
            recording: None,
        };
        let track = replay_in(&walk, world)?;
        let is_the_same = track.ticks.iter().map(|tick| tick.position).eq(steps.iter().map(|step| step.center));
        if !is_the_same || steps.is_empty() {
            bail!("the walk cannot be repeated as a scenario");
        }
        walk.recording = Some(Recording::of::<f64>(&track));
        Ok(walk)
    }
}

fn numbers(v: nalgebra::Vector3<f64>) -> [Number; 3] {
    [v.x, v.y, v.z].map(Number)
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A path as seen from a folder, so that both can be moved together; absolute where they share nothing.
fn seen_from(folder: &Path, path: &Path) -> Result<PathBuf> {
    let whole = |path: &Path| fs::canonicalize(path).with_context(|| format!("cannot find {}", path.display()));
    let (folder, path) = (whole(folder)?, whole(path)?);
    let shared = folder.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    if shared == 0 {
        return Ok(path);
    }
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    Ok(up.chain(path.components().skip(shared)).collect())
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use sidle::walk::{judge, replay};

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        walk: WalkCommand,
    }

    /// A folder of its own for each test.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("sidle-record-{}-{name}", std::process::id()));
        fs::create_dir_all(folder.join("levels")).expect("a folder");
        folder
    }

    /// Runs `sidle walk` with arguments, and reads the scenario that it recorded.
    fn record(folder: &Path, arguments: &[&str]) -> Walk {
        let file = folder.join("walk.json");
        let (out, record) = (folder.display().to_string(), file.display().to_string());
        let fixed = ["walk", "--json", "--out", &out, "--record", &record];
        let line = Line::try_parse_from(fixed.iter().chain(arguments)).expect("good arguments");
        line.walk.run().expect("a walk");
        Walk::read(&file).expect("a scenario")
    }

    fn differences(walk: &Walk, folder: &Path) -> Vec<&'static str> {
        let (track, world) = replay::<f64>(walk, folder).expect("it runs");
        judge(walk, &track, &world).iter().map(|difference| difference.key).collect()
    }

    #[test]
    fn a_recorded_wanderer_is_repeated_to_the_bit_and_a_changed_record_is_not() {
        let folder = folder("wanderer");
        let level = folder.join("levels/level.obj");
        let mut text = Vec::new();
        write_obj(&playground::<f64>(), &mut text).expect("a text");
        fs::write(&level, text).expect("a file");
        let level = level.display().to_string();
        let walk = record(&folder, &[&level, "--spawn", "0,0,14", "--seconds", "20", "--seed", "5"]);
        assert_eq!((walk.ticks(), walk.level.as_path()), (1200, Path::new("levels/level.obj")));
        assert_eq!(differences(&walk, &folder), [""; 0]);

        let recording = walk.recording.clone().expect("a recording");
        let mut nudged = walk.clone();
        let mut ticks = recording.ticks.clone();
        ticks[700].position[1].0 = ticks[700].position[1].0.next_up();
        nudged.recording = Some(Recording { ticks, ..recording.clone() });
        assert_eq!(differences(&nudged, &folder), ["recording"]);

        let mut steered = walk.clone();
        steered.moves[0].velocity[0].0 += 1e-9;
        assert_eq!(differences(&steered, &folder), ["recording"]);

        let mut cut = walk;
        cut.recording = Some(Recording { ticks: recording.ticks[..1199].to_vec(), ..recording });
        assert_eq!(differences(&cut, &folder), ["recording"]);
    }

    #[test]
    fn a_recorded_tour_of_the_playground_brings_its_level_along() {
        let folder = folder("tour");
        let walk = record(&folder, &[]);
        assert_eq!(walk.level, Path::new("walk.obj"));
        assert!(walk.ticks() > 1000 && walk.recording.is_some());
        assert_eq!(differences(&walk, &folder), [""; 0]);
    }

    #[test]
    fn a_level_beside_the_folder_is_named_by_the_way_to_it() {
        let folder = folder("beside");
        fs::create_dir_all(folder.join("records")).expect("a folder");
        fs::write(folder.join("levels/a.obj"), "").expect("a file");
        let seen = seen_from(&folder.join("records"), &folder.join("levels/a.obj")).expect("a path");
        assert_eq!(seen, Path::new("../levels/a.obj"));
    }
}
