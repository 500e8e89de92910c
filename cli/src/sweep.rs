//! `sidle sweep`: first contacts in a level.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use clap::Args;
use nalgebra::{Point3, Quaternion, UnitQuaternion, Vector3};
use serde::Deserialize;
use serde_json::{Value, json};
use sidle::{
    Ellipsoid, Feature, Octree, StartOverlap, Sweep as LibrarySweep, World,
    mesh::ObjOptions,
    world::{QueryFilter, SweepHit},
};

use crate::{
    level::load,
    vector::{parse_point, parse_quaternion, parse_vector},
};

/// Finds the first contact of a moving ellipsoid with a level.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    sidle sweep level.obj --radii 0.4,0.9,0.4 --from 0,2,0 --motion 0,-5,0\n  \
    sidle sweep level.obj --queries queries.jsonl\n\n\
    A query is a line such as {\"radii\":[0.4,0.9,0.4],\"from\":[0,2,0],\"motion\":[0,-5,0]},\n\
    with an optional \"rotation\":[x,y,z,w]. Answers come in the same order, a JSON object a line.")]
pub(crate) struct Sweep {
    /// The level, an OBJ file
    level: PathBuf,

    /// Semi-axes of the ellipsoid in metres
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_vector, allow_hyphen_values = true, required_unless_present = "queries")]
    radii: Option<Vector3<f64>>,

    /// Where its centre starts
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true, required_unless_present = "queries")]
    from: Option<Point3<f64>>,

    /// How far its centre wants to go
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_vector, allow_hyphen_values = true, required_unless_present = "queries")]
    motion: Option<Vector3<f64>>,

    /// How it is turned: a quaternion, real part last
    #[arg(long, value_name = "X,Y,Z,W", value_parser = parse_quaternion, allow_hyphen_values = true)]
    rotation: Option<[f64; 4]>,

    /// Answer all queries of a file instead; `-` is the standard input
    #[arg(long, value_name = "FILE.jsonl", conflicts_with_all = ["radii", "from", "motion", "rotation"])]
    queries: Option<PathBuf>,

    /// Ignore overlaps at the start that the motion leaves
    #[arg(long)]
    let_leave: bool,

    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// A line of a queries file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Query {
    radii: [f64; 3],
    from: [f64; 3],
    motion: [f64; 3],
    #[serde(default)]
    rotation: Option<[f64; 4]>,
}

impl Sweep {
    pub(crate) fn run(&self) -> Result<()> {
        let world = World::of_level(Octree::new(load::<f64>(&self.level, &ObjOptions::default())?));
        let mut out = io::stdout().lock();
        if let Some(file) = &self.queries {
            return self.answer_all(file, &world, &mut out);
        }
        let (Some(radii), Some(from), Some(motion)) = (self.radii, self.from, self.motion) else {
            bail!("--radii, --from and --motion belong together");
        };
        let query =
            Query { radii: radii.into(), from: from.coords.into(), motion: motion.into(), rotation: self.rotation };
        let hit = self.first_contact(&query, &world)?;
        if self.json {
            writeln!(out, "{}", as_json(hit.as_ref(), &world))?;
        } else {
            print_words(&mut out, hit.as_ref(), &world)?;
        }
        Ok(())
    }

    fn answer_all(&self, file: &Path, world: &World<f64>, out: &mut impl Write) -> Result<()> {
        let reader: Box<dyn BufRead> = if file == Path::new("-") {
            Box::new(io::stdin().lock())
        } else {
            Box::new(BufReader::new(File::open(file).with_context(|| format!("cannot read {}", file.display()))?))
        };
        for (number, line) in (1..).zip(reader.lines()) {
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            let place = || format!("{}:{number}", file.display());
            let query: Query = serde_json::from_str(&line).with_context(place)?;
            let hit = self.first_contact(&query, world).with_context(place)?;
            writeln!(out, "{}", as_json(hit.as_ref(), world))?;
        }
        Ok(())
    }

    fn first_contact(&self, query: &Query, world: &World<f64>) -> Result<Option<SweepHit<f64>>> {
        let [x, y, z, w] = query.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let rotation = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
        let body = Ellipsoid::turned(query.radii.into(), rotation)?;
        let overlap = if self.let_leave { StartOverlap::LetLeave } else { StartOverlap::Report };
        let sweep = LibrarySweep::new(&body, query.from.into(), query.motion.into())?.with_start_overlap(overlap);
        Ok(world.sweep(&sweep, &QueryFilter::default()))
    }
}

/// The name of a feature and its index.
fn feature_name(feature: Feature) -> (&'static str, u8) {
    match feature {
        Feature::Face => ("face", 0),
        Feature::Edge(index) => ("edge", index),
        Feature::Vertex(index) => ("vertex", index),
    }
}

fn material_name(hit: &SweepHit<f64>, world: &World<f64>) -> String {
    let names = world.mesh_of(hit.instance).map(|tree| tree.mesh().material_names().to_vec()).unwrap_or_default();
    names.get(usize::from(hit.material.0)).cloned().unwrap_or_default()
}

fn as_json(hit: Option<&SweepHit<f64>>, world: &World<f64>) -> Value {
    let Some(hit) = hit else { return json!({"hit": false}) };
    let contact = &hit.contact;
    let (feature, index) = feature_name(contact.feature);
    json!({
        "hit": true,
        "fraction": contact.fraction,
        "distance": contact.distance,
        "point": contact.point,
        "normal": contact.normal,
        "surface_normal": contact.surface_normal,
        "feature": feature,
        "index": index,
        "barycentrics": contact.barycentrics,
        "triangle": hit.triangle,
        "material": material_name(hit, world),
        "instance": hit.instance,
        "surface_velocity": hit.surface_velocity,
        "started_overlapping": contact.overlap.is_some(),
        "overlap_depth": contact.overlap,
    })
}

fn print_words(out: &mut impl Write, hit: Option<&SweepHit<f64>>, world: &World<f64>) -> Result<()> {
    let Some(hit) = hit else {
        writeln!(out, "no contact: the way is free")?;
        return Ok(());
    };
    let contact = &hit.contact;
    let (feature, index) = feature_name(contact.feature);
    let show = |v: Vector3<f64>| format!("{:.6}, {:.6}, {:.6}", v.x, v.y, v.z);
    writeln!(out, "contact after     {:.6} m ({:.6} of the motion)", contact.distance, contact.fraction)?;
    writeln!(out, "point             {}", show(contact.point.coords))?;
    writeln!(out, "contact normal    {}", show(contact.normal.into_inner()))?;
    writeln!(out, "surface normal    {}", show(contact.surface_normal.into_inner()))?;
    writeln!(out, "feature           {feature} {index} of triangle {}", hit.triangle)?;
    writeln!(out, "barycentrics      {}", show(contact.barycentrics.into()))?;
    let material = material_name(hit, world);
    if !material.is_empty() {
        writeln!(out, "material          {material}")?;
    }
    if let Some(depth) = contact.overlap {
        writeln!(out, "overlaps          {depth:.6} m deep at the start")?;
    }
    Ok(())
}
