//! [`Outcome`]: what a soak, or a part of one, came to; as a file, and in words.

use std::{fmt, fs, path::Path};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use sidle::world::Layers;

use crate::judge::{Body, Kind, Part, Rules, Verdict};

/// All that shapes a soak. Shards can only be merged if it is the same for all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Setup {
    pub(super) level: String,
    pub(super) triangles: usize,
    pub(super) wanderers: usize,
    pub(super) seconds: f64,
    pub(super) seed: u64,
    pub(super) dt: f64,
    pub(super) speed: f64,
    pub(super) body: Body,
    pub(super) rules: Rules,
    pub(super) scalar: String,
    /// Whether they were in each other's way.
    #[serde(default)]
    pub(super) crowd: bool,
    /// How many teams they were of; each on a layer of its own, which it does not see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) teams: Option<u32>,
    /// The file whose meshes were in the level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) platforms: Option<String>,
    /// Where feet start.
    pub(super) spawns: Vec<[f64; 3]>,
    /// Cells that can be reached from the spawns.
    pub(super) cells: usize,
    /// The share of places there beside which something is in the way.
    pub(super) beside_obstacles: f64,
}

impl Setup {
    /// On which layer a wanderer is, and what it sees: all but its own team.
    pub(super) fn layers_of(&self, wanderer: usize) -> [Layers; 2] {
        let Some(teams) = self.teams else { return [Layers::default(), Layers::ALL] };
        // The level is on the first layer.
        let own = 2 << (wanderer % teams as usize);
        [Layers(own), Layers(!own)]
    }

    /// Whether two wanderers are in each other's way.
    pub(super) fn are_solid(&self, a: usize, b: usize) -> bool {
        self.layers_of(a)[1].meet(self.layers_of(b)[0])
    }

    /// The ellipsoids of the body.
    pub(super) fn parts(&self) -> Vec<Part> {
        match &self.body {
            Body::Parts(parts) => parts.clone(),
            Body::Ellipsoid(radii) => vec![Part { radii: *radii, offset: [0.0; 3] }],
            // Not what a character is made of, and not what can be asked for.
            Body::Capsule { .. } => Vec::new(),
        }
    }

    /// Whether there is something to push into.
    pub(super) fn has_obstacles(&self) -> bool {
        self.beside_obstacles >= FEW_OBSTACLES
    }
}

/// What became of one wanderer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) index: usize,
    pub(super) lives: usize,
    /// Metres, as seen from above.
    pub(super) walked: f64,
    pub(super) jumps: usize,
    pub(super) pushing_ticks: usize,
    /// Numbers of the cells in which its feet stood.
    pub(super) cells: Vec<u32>,
    pub(super) verdict: Verdict,
    /// A scenario for each fault.
    pub(super) scenarios: Vec<String>,
}

/// What a soak came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Outcome {
    pub(super) setup: Setup,
    /// In the order of their numbers.
    pub(super) wanderers: Vec<Record>,
}

/// A soak has to see this share of the cells, and to push for this share of the time.
const SHARE_OF_CELLS: f64 = 0.25;
const SHARE_OF_PUSHING: f64 = 0.5;
/// A level with less of its places beside an obstacle has nothing to push into.
const FEW_OBSTACLES: f64 = 0.01;

impl Outcome {
    /// Adds up the results of shards.
    ///
    /// # Errors
    /// If a file cannot be read, belongs to another soak, or wanderers are missing or there twice.
    pub(super) fn merged(files: &[impl AsRef<Path>]) -> Result<Self> {
        let mut merged: Option<Self> = None;
        for file in files.iter().map(AsRef::as_ref) {
            let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
            let outcome: Self = serde_json::from_str(&text).with_context(|| file.display().to_string())?;
            match &mut merged {
                None => merged = Some(outcome),
                Some(merged) if merged.setup == outcome.setup => merged.wanderers.extend(outcome.wanderers),
                Some(_) => bail!("{} is a part of another soak", file.display()),
            }
        }
        let mut merged = merged.context("there is nothing to merge")?;
        merged.wanderers.sort_by_key(|record| record.index);
        for (index, record) in merged.wanderers.iter().enumerate() {
            ensure!(record.index <= index, "wanderer {index} is missing: not all shards were named");
            ensure!(record.index >= index, "wanderer {} is there twice", record.index);
        }
        let (found, wanted) = (merged.wanderers.len(), merged.setup.wanderers);
        ensure!(found == wanted, "{found} of {wanted} wanderers were found: not all shards were named");
        Ok(merged)
    }

    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string(self)?;
        fs::write(path, text + "\n").with_context(|| format!("cannot write {}", path.display()))
    }

    fn verdict(&self) -> Verdict {
        let mut all = Verdict::default();
        self.wanderers.iter().for_each(|record| all.absorb(&record.verdict));
        all
    }

    pub(super) fn faults(&self) -> usize {
        self.wanderers.iter().map(|record| record.verdict.violations.len()).sum()
    }

    /// Cells in which any of them stood.
    fn cells(&self) -> usize {
        let mut all: Vec<u32> = self.wanderers.iter().flat_map(|record| record.cells.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all.len()
    }

    fn share_of_cells(&self) -> f64 {
        self.cells() as f64 / self.setup.cells as f64
    }

    fn share_of_pushing(&self) -> f64 {
        let pushing: usize = self.wanderers.iter().map(|record| record.pushing_ticks).sum();
        pushing as f64 / self.verdict().ticks.max(1) as f64
    }

    /// Why the soak does not prove much, if it does not.
    pub(super) fn what_it_lacks(&self) -> Option<String> {
        if self.share_of_cells() < SHARE_OF_CELLS {
            return Some(format!("{:.0} % of the cells were reached, not a quarter", 100.0 * self.share_of_cells()));
        }
        let pushing = self.share_of_pushing();
        (pushing < SHARE_OF_PUSHING && self.setup.has_obstacles()).then(|| {
            format!("the wanderers pushed into something {:.0} % of the time, not half of it", 100.0 * pushing)
        })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (setup, verdict) = (&self.setup, self.verdict());
        let sum = |of: fn(&Record) -> usize| self.wanderers.iter().map(of).sum::<usize>();
        writeln!(
            out,
            "soak          {} of {} wanderers{}{}, {} s each, seed {}, {}, in {} ({} triangles){}",
            self.wanderers.len(),
            setup.wanderers,
            match setup.teams {
                Some(teams) => format!(" in one crowd of {teams} teams"),
                None if setup.crowd => " in one crowd".into(),
                None => String::new(),
            },
            if let Body::Parts(parts) = &setup.body {
                format!(" of {} ellipsoids", parts.len())
            } else {
                String::new()
            },
            setup.seconds,
            setup.seed,
            setup.scalar,
            setup.level,
            setup.triangles,
            setup.platforms.as_ref().map_or_else(String::new, |file| format!(" with the meshes of {file}"))
        )?;
        writeln!(
            out,
            "walked        {:.0} m in {} lives, {} jumps; pushed into something {:.0} % of the time{}",
            self.wanderers.iter().map(|record| record.walked).sum::<f64>(),
            sum(|record| record.lives),
            sum(|record| record.jumps),
            100.0 * self.share_of_pushing(),
            if self.setup.has_obstacles() { "" } else { " (there is hardly anything to push into)" }
        )?;
        writeln!(
            out,
            "reached       {} of {} cells of 1 m, {:.0} % (a quarter is asked for)",
            self.cells(),
            setup.cells,
            100.0 * self.share_of_cells()
        )?;
        write!(out, "{verdict}")?;
        for kind in Kind::ALL {
            for record in &self.wanderers {
                write_occasions(out, record, kind)?;
            }
        }
        Ok(())
    }
}

/// A line for each scenario: its first fault, and how many more it stands for.
fn write_occasions(out: &mut fmt::Formatter<'_>, record: &Record, kind: Kind) -> fmt::Result {
    let faults = record.verdict.violations.iter().zip(&record.scenarios).filter(|(fault, _)| fault.kind == kind);
    let faults: Vec<_> = faults.collect();
    for occasion in faults.chunk_by(|(_, a), (_, b)| a == b) {
        let [(first, scenario), more @ ..] = occasion else { continue };
        let more = if more.is_empty() { String::new() } else { format!(" (and {} times more)", more.len()) };
        writeln!(out, "wanderer {:3}  {first}{more}: {scenario}", record.index)?;
    }
    Ok(())
}
