//! `sidle walk`: a character walks through a level, with a picture and numbers.

mod check;
pub(crate) mod pilot;
mod record;
pub(crate) mod spawn;
mod summary;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use nalgebra::{Point3, Vector3};
use serde::Deserialize;
use sidle::{
    Ellipsoid, Octree, TriMesh, World,
    character::{Character, CharacterConfig, GroundState, Scratch, TickInput, TickReport},
    mesh::{
        ObjOptions,
        primitives::{PLAYGROUND_SPAWN, playground, playground_tour},
    },
    walk::{Move, Number},
};

use self::{
    check::Check,
    pilot::{Guide, Pilot, Script, Wanderer},
    summary::Summary,
};
use crate::{
    level::load,
    picture,
    vector::{parse_point, parse_vector},
};

/// Walks a character through a level, and draws and measures what happens.
///
/// Without a level it tours the built-in playground. With one, a wanderer with a seed explores it, or a script is
/// followed. Writes walk.png and walk.csv.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    sidle walk\n  \
    sidle walk level.obj --spawn 53,0,45.5 --step-height 0.55 --seconds 60 --seed 7 --out pictures\n  \
    sidle walk level.obj --script moves.json\n  \
    sidle walk level.obj --seed 7 --record walk.json && sidle replay walk.json\n\n\
    A script is a JSON file with a list of moves, as in scenario files:\n  \
    {\"moves\": [{\"ticks\": 60, \"velocity\": [3, 0, 0]}, {\"ticks\": 30, \"velocity\": [0, 0, 0], \"jump\": 4.4}]}")]
pub(crate) struct WalkCommand {
    /// The level, an OBJ file; the built-in playground if there is none
    level: Option<PathBuf>,

    /// The folder for walk.png and walk.csv
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,

    /// Where the feet start; found by itself if not given
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true)]
    spawn: Option<Point3<f64>>,

    /// What to do, instead of wandering
    #[arg(long, value_name = "FILE.json")]
    script: Option<PathBuf>,

    /// Also write the walk as a scenario file that `sidle replay` repeats to the bit; of the built-in playground, which has
    /// no file, an OBJ file beside it
    #[arg(long, value_name = "FILE.json")]
    record: Option<PathBuf>,

    /// Which way the wanderer takes
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// How long to wander
    #[arg(long, default_value_t = 60.0)]
    seconds: f64,

    /// Speed of the wanderer in metres a second
    #[arg(long, default_value_t = 3.0)]
    speed: f64,

    /// Semi-axes of the character in metres
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_vector, default_value = "0.4,0.9,0.4")]
    radii: Vector3<f64>,

    /// The highest ledge it steps on, in metres
    #[arg(long, default_value_t = 0.3)]
    step_height: f64,

    /// Print the summary as a JSON object
    #[arg(long)]
    json: bool,
}

/// Ticks of a second.
pub(crate) const RATE: usize = 60;
/// A walk longer than this is likely a slip of the pen.
const MOST_SECONDS: f64 = 24.0 * 3600.0;

/// Who is this far below the level has fallen out of it, in metres.
const DEEPEST_FALL: f64 = 20.0;

/// What is read of a script; scenario files are scripts, too.
#[derive(Debug, Deserialize)]
struct ScriptFile {
    moves: Vec<Move>,
}

/// A tick of the walk, as far as it is kept.
pub(crate) struct Step {
    input: TickInput<f64>,
    center: Point3<f64>,
    feet: Point3<f64>,
    /// Whether it fell out of the level in this tick, and now is where it began.
    has_fallen_out: bool,
    report: TickReport<f64>,
}

impl WalkCommand {
    pub(crate) fn run(&self) -> Result<()> {
        let mesh = self.mesh()?;
        let world = World::of_level(Octree::new(mesh));
        let ellipsoid = Ellipsoid::new(self.radii)?;
        let config = CharacterConfig { step_height: self.step_height, ..CharacterConfig::default() };
        let spawn = self.find_spawn(&world, &ellipsoid, config.skin)?;
        let center = spawn + Vector3::y() * (self.radii.y + config.skin);
        let mut character = Character::new(ellipsoid, config, center)?;
        let mut pilot = self.pilot()?;

        let begin = Instant::now();
        let steps = walk(&mut character, &world, pilot.as_mut())?;
        let seconds = begin.elapsed().as_secs_f64();

        let triangles: Vec<[Point3<f64>; 3]> = level_triangles(&world);
        let check = Check::of(&triangles, &self.radii, steps.iter().map(|step| step.center));
        let summary = Summary::new(center, &steps, check, seconds, RATE);
        self.write(&triangles, &steps, spawn)?;
        if let Some(file) = &self.record {
            let walk = self.recorded(file, center, &steps, &world)?;
            let text = serde_json::to_string_pretty(&walk)? + "\n";
            fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
        }
        if self.json {
            println!("{}", serde_json::to_string(&summary)?)
        } else {
            print!("{summary}")
        }
        Ok(())
    }

    fn mesh(&self) -> Result<TriMesh<f64>> {
        match (&self.level, &self.record) {
            (Some(path), _) => load(path, &ObjOptions::default()),
            (None, None) => Ok(playground()),
            // Walked in as it will be read again.
            (None, Some(file)) => {
                let path = record::playground_beside(file)?;
                load(&path, &ObjOptions::default())
            }
        }
    }

    fn find_spawn(&self, world: &World<f64>, body: &Ellipsoid<f64>, skin: f64) -> Result<Point3<f64>> {
        if let Some(spawn) = self.spawn {
            return Ok(spawn);
        }
        if self.level.is_none() {
            return Ok(Point3::from(PLAYGROUND_SPAWN));
        }
        spawn::find(world, body, skin, self.seed)
            .context("no flat floor with room above it was found; name a place with --spawn x,y,z (of the feet)")
    }

    fn pilot(&self) -> Result<Box<dyn Pilot>> {
        if let Some(path) = &self.script {
            let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            let script: ScriptFile = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
            return Ok(Box::new(Script::new(script.moves)));
        }
        if !(self.seconds > 0.0 && self.seconds <= MOST_SECONDS) {
            bail!("--seconds must be between 0 and {MOST_SECONDS}");
        }
        if self.level.is_none() {
            return Ok(Box::new(Guide::new(playground_tour(), self.speed)));
        }
        let ticks = (self.seconds * RATE as f64) as usize;
        Ok(Box::new(Wanderer::new(self.seed, self.speed, ticks)))
    }

    fn write(&self, triangles: &[[Point3<f64>; 3]], steps: &[Step], spawn: Point3<f64>) -> Result<()> {
        fs::create_dir_all(&self.out).with_context(|| format!("cannot make the folder {}", self.out.display()))?;
        let name =
            self.level.as_deref().and_then(Path::file_stem).map_or("playground".into(), |name| name.to_string_lossy());
        let start = picture::TrackPoint { feet: spawn, ground: picture::Ground::InAir };
        let track: Vec<picture::TrackPoint> = std::iter::once(start)
            .chain(steps.iter().map(|step| picture::TrackPoint { feet: step.feet, ground: ground_of(step) }))
            .collect();
        let contacts: Vec<Point3<f64>> = steps
            .iter()
            .flat_map(|step| step.report.lateral.touches.iter().chain(&step.report.vertical.touches))
            .map(|touch| touch.point)
            .collect();
        let title = format!("{name}: {:.1} s on foot", steps.len() as f64 / RATE as f64);
        let scene = picture::Scene { triangles, up: Vector3::y(), track: &track, contacts: &contacts, title: &title };
        let png = self.out.join("walk.png");
        fs::write(&png, picture::draw(&scene)?).with_context(|| format!("cannot write {}", png.display()))?;
        let csv = self.out.join("walk.csv");
        fs::write(&csv, summary::csv(steps, RATE)).with_context(|| format!("cannot write {}", csv.display()))
    }
}

/// Ticks until the pilot is done. Who falls far below the level is put back where the walk began.
fn walk(character: &mut Character<f64>, world: &World<f64>, pilot: &mut dyn Pilot) -> Result<Vec<Step>> {
    let up = Vector3::y_axis();
    let lowest = level_tree(world).map_or(f64::NEG_INFINITY, |tree| tree.bounds().min.y - DEEPEST_FALL);
    let spawn = character.state();
    let mut scratch = Scratch::default();
    let mut steps: Vec<Step> = Vec::new();
    while let Some((velocity, jump)) = pilot.next(character.feet(up)) {
        let input = TickInput { velocity, jump, ..TickInput::default() };
        let report = character.tick(world, &input, 1.0 / RATE as f64, &mut scratch)?;
        let has_fallen_out = character.feet(up).y < lowest;
        if has_fallen_out {
            character.restore(spawn)?;
        }
        steps.push(Step { input, center: character.position(), feet: character.feet(up), has_fallen_out, report });
    }
    if steps.is_empty() {
        bail!("the script has no ticks");
    }
    Ok(steps)
}

fn level_tree(world: &World<f64>) -> Option<&Octree<f64>> {
    world.mesh_of(sidle::world::InstanceId::foreign(0)).map(|tree| &**tree)
}

fn level_triangles(world: &World<f64>) -> Vec<[Point3<f64>; 3]> {
    level_tree(world).map(|tree| tree.mesh().iter().map(|triangle| triangle.vertices()).collect()).unwrap_or_default()
}

fn ground_of(step: &Step) -> picture::Ground {
    match step.report.ground.state {
        GroundState::OnGround => picture::Ground::OnGround,
        GroundState::OnSteepGround => picture::Ground::OnSteepGround,
        GroundState::NotSupported => picture::Ground::Touching,
        GroundState::InAir => picture::Ground::InAir,
    }
}

/// The numbers of a scripted velocity.
fn plain(velocity: &[Number; 3]) -> Vector3<f64> {
    Vector3::from(velocity.map(|Number(x)| x))
}
