//! `sidle replay`: runs scenario files and says what differed.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use sidle::{
    Real,
    walk::{self, Walk, is_about_its_time_step, judge, replay},
};

/// Runs scenario files (walks), a line for each, and fails if one of them does.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    sidle replay walks/ one_more.json --scalar f64\n  \
    sidle replay walks/ --hz 144\n\n\
    With --hz each move takes as long as it does at the file's own dt, rounded to whole ticks. What holds only there (the \
    longest way of a tick, a recording) is then not judged, which the scenario's line says; files named huge_dt* and \
    tiny_dt* are skipped.")]
pub(crate) struct Replay {
    /// Scenario files, or folders of them
    #[arg(required = true)]
    paths: Vec<PathBuf>,

    /// The scalar in which the world is stored; by default that of the file's recording, or f32
    #[arg(long, value_enum)]
    scalar: Option<Scalar>,

    /// Ticks a second, instead of those of each file
    #[arg(long, value_name = "N")]
    hz: Option<f64>,

    /// Print one JSON object a line instead
    #[arg(long)]
    json: bool,
}

/// In what a world is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Scalar {
    /// 32 bits
    F32,
    /// 64 bits
    F64,
}

impl From<walk::Scalar> for Scalar {
    fn from(scalar: walk::Scalar) -> Self {
        match scalar {
            walk::Scalar::F32 => Self::F32,
            walk::Scalar::F64 => Self::F64,
        }
    }
}

/// What became of a scenario.
#[derive(Debug, Default)]
struct Outcome {
    is_skipped: bool,
    /// What differed, in words; nothing if it passed.
    differences: Vec<String>,
    /// The keys that were not judged.
    not_judged: Vec<&'static str>,
}

impl Outcome {
    fn failed(why: impl ToString) -> Self {
        Self { differences: vec![why.to_string()], ..Self::default() }
    }

    fn is_passed(&self) -> bool {
        !self.is_skipped && self.differences.is_empty()
    }

    fn line(&self, name: &str) -> String {
        let not_judged = if self.not_judged.is_empty() {
            String::new()
        } else {
            format!("  (not judged: {})", self.not_judged.join(", "))
        };
        match &self.differences[..] {
            _ if self.is_skipped => format!("skipped {name}: it is about its time step"),
            [] => format!("ok      {name}{not_judged}"),
            differences => format!("FAILED  {name}: {}{not_judged}", differences.join("; ")),
        }
    }
}

impl Replay {
    pub(crate) fn run(&self) -> Result<()> {
        let files = self.files()?;
        let (mut passed, mut failed, mut skipped) = (0, 0, 0);
        for file in &files {
            let outcome = self.run_one(file)?;
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            match &outcome {
                Outcome { is_skipped: true, .. } => skipped += 1,
                _ if outcome.is_passed() => passed += 1,
                _ => failed += 1,
            }
            if self.json {
                let object = serde_json::json!({
                    "name": name,
                    "passed": outcome.is_passed(),
                    "skipped": outcome.is_skipped,
                    "differences": outcome.differences.join("; "),
                    "not_judged": outcome.not_judged,
                });
                println!("{object}");
            } else {
                println!("{}", outcome.line(&name));
            }
        }
        if self.json {
            println!("{}", serde_json::json!({"passed": passed, "failed": failed, "skipped": skipped}));
        } else {
            println!("{passed} passed, {failed} failed, {skipped} skipped");
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

    /// # Errors
    /// If the frame rate makes no sense.
    fn run_one(&self, file: &Path) -> Result<Outcome> {
        if self.hz.is_some() && is_about_its_time_step(file) {
            return Ok(Outcome { is_skipped: true, ..Outcome::default() });
        }
        // A file that is no scenario fails even where the scenario asks for an error.
        let mut walk = match Walk::read(file) {
            Ok(walk) => walk,
            Err(error) => return Ok(Outcome::failed(error)),
        };
        let recorded_in = walk.recording.as_ref().map(|recording| Scalar::from(recording.scalar));
        let scalar = self.scalar.or(recorded_in).unwrap_or(Scalar::F32);
        let mut not_judged = Vec::new();
        if self.hz.is_some() && walk.expect.max_tick_displacement.is_some() {
            not_judged.push("max_tick_displacement");
        }
        if recorded_in.is_some_and(|recorded| self.hz.is_some() || recorded != scalar) {
            not_judged.push("recording");
        }
        if let Some(hz) = self.hz {
            walk = walk.at_rate(hz)?;
        }
        let differences = match scalar {
            Scalar::F32 => differences::<f32>(&walk, file),
            Scalar::F64 => differences::<f64>(&walk, file),
        };
        Ok(Outcome { differences, not_judged, ..Outcome::default() })
    }
}

fn differences<T: Real>(walk: &Walk, file: &Path) -> Vec<String> {
    match replay::<T>(walk, file.parent().unwrap_or(Path::new("."))) {
        Ok((track, world)) => judge(walk, &track, &world).iter().map(ToString::to_string).collect(),
        Err(_) if walk.expect.is_error() => Vec::new(),
        Err(error) => vec![error.to_string()],
    }
}
