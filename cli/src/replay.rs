//! `sidle replay`: runs scenario files and says what differed.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use sidle::{
    Real,
    walk::{Walk, judge, replay},
};

/// Runs scenario files (walks), a line for each, and fails if one of them does.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  sidle replay walks/ one_more.json --scalar f32")]
pub(crate) struct Replay {
    /// Scenario files, or folders of them
    #[arg(required = true)]
    paths: Vec<PathBuf>,

    /// The scalar in which the world is stored
    #[arg(long, value_enum, default_value_t = Scalar::F32)]
    scalar: Scalar,

    /// Print one JSON object a line instead
    #[arg(long)]
    json: bool,
}

/// In what a world is stored.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum Scalar {
    /// 32 bits
    F32,
    /// 64 bits
    F64,
}

/// What became of a scenario.
enum Outcome {
    Passed,
    Failed(String),
}

impl Replay {
    pub(crate) fn run(&self) -> Result<()> {
        let files = self.files()?;
        let (mut passed, mut failed) = (0, 0);
        for file in &files {
            let outcome = match self.scalar {
                Scalar::F32 => run_one::<f32>(file),
                Scalar::F64 => run_one::<f64>(file),
            };
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            match &outcome {
                Outcome::Passed => passed += 1,
                Outcome::Failed(_) => failed += 1,
            }
            if self.json {
                let (is_passed, why) = match outcome {
                    Outcome::Passed => (true, String::new()),
                    Outcome::Failed(why) => (false, why),
                };
                println!("{}", serde_json::json!({"name": name, "passed": is_passed, "differences": why}));
            } else {
                match outcome {
                    Outcome::Passed => println!("ok      {name}"),
                    Outcome::Failed(why) => println!("FAILED  {name}: {why}"),
                }
            }
        }
        if self.json {
            println!("{}", serde_json::json!({"passed": passed, "failed": failed, "skipped": 0}));
        } else {
            println!("{passed} passed, {failed} failed, 0 skipped");
        }
        if failed > 0 {
            bail!("{failed} of {} scenarios failed", files.len());
        }
        Ok(())
    }

    /// All files named, and the JSON files of all folders named, in the order of their names.
    fn files(&self) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for path in &self.paths {
            if !path.is_dir() {
                files.push(path.clone());
                continue;
            }
            let entries = path.read_dir().with_context(|| format!("cannot read the folder {}", path.display()))?;
            let mut found: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
            found.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
            found.sort();
            files.extend(found);
        }
        if files.is_empty() {
            bail!("there is no scenario (.json) in what was named");
        }
        Ok(files)
    }
}

fn run_one<T: Real>(file: &Path) -> Outcome {
    // A file that is no scenario fails even where the scenario asks for an error.
    let walk = match Walk::read(file) {
        Ok(walk) => walk,
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    match replay::<T>(&walk, file.parent().unwrap_or(Path::new("."))) {
        Ok((track, world)) => {
            let differences = judge(&walk, &track, &world);
            if differences.is_empty() {
                Outcome::Passed
            } else {
                Outcome::Failed(differences.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
            }
        }
        Err(_) if walk.expect.is_error() => Outcome::Passed,
        Err(error) => Outcome::Failed(error.to_string()),
    }
}
