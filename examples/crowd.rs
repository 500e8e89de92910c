//! A thousand characters walk into each other and into walls for a minute: nobody gets into anybody, and neither the order in
//! which they were added nor the number of threads changes a bit.
//!
//! ```text
//! cargo run --release --features parallel --example crowd [-- <characters> <seconds>]
//! ```

use std::{error::Error, time::Instant};

use nalgebra::{Vector3, point, vector};
use sidle::{
    Aabb3, Character, CharacterConfig, CharacterState, Ellipsoid, Octree, TickInput, World,
    broad_phase::SortAndSweep,
    character::{CharacterId, Crowd},
    mesh::primitives::{self, MeshBuilder},
    sweep::ellipsoid_distance,
};

const DT: f32 = 1.0 / 60.0;
const RADII: [f32; 3] = [0.4, 0.9, 0.4];

/// Room on the floor for each, in square metres; a body covers half of one.
const ROOM: f64 = 1.6;

/// What two of them may be in each other, in metres.
const MOST_OVERLAP: f32 = 1e-3;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let count: u32 = args.next().map_or(Ok(1_000), |text| text.parse())?;
    let seconds: f32 = args.next().map_or(Ok(60.0), |text| text.parse())?;
    let ticks = (seconds / DT).round() as u64;

    let half = (f64::from(count) * ROOM).sqrt() / 2.0;
    let world = hall(half)?;
    let mut forwards = People::new(0..count, count, half)?;
    let mut backwards = People::new((0..count).rev(), count, half)?;
    let (mut worst, mut touches) = (f32::NEG_INFINITY, 0);
    let mut time = 0.0;
    for tick in 0..ticks {
        let begin = Instant::now();
        on_threads(2, || forwards.tick(&world, tick))??;
        time += begin.elapsed().as_secs_f64();
        touches += forwards.others_touched();
        if tick % 10 == 0 {
            worst = worst.max(forwards.deepest_overlap()?);
            assert!(worst <= MOST_OVERLAP, "tick {tick}: two are {worst} m in each other");
        }
        // Beside the other order, on one thread: for the first seconds, which is what it takes.
        if tick < ticks.min(600) {
            on_threads(1, || backwards.tick(&world, tick))??;
            assert_eq!(forwards.states(), backwards.states(), "tick {tick}");
        }
    }
    assert!(forwards.are_inside(half), "somebody has left the hall");
    println!("{count} characters for {seconds} s: never nearer than {:.1} mm to each other", -1e3 * worst);
    let threads = if cfg!(feature = "parallel") { " and any number of threads" } else { "" };
    println!("{touches} contacts of one with another; in any order{threads}, the same to the bit");
    println!("{:.2} µs for each of them and tick", 1e6 * time / (ticks * u64::from(count)) as f64);
    Ok(())
}

/// A hall with walls and columns.
fn hall(half: f64) -> Result<World<f32>, Box<dyn Error>> {
    let mut builder = MeshBuilder::new();
    builder.append(&primitives::floor::<f64>(2.0 * half + 2.0, 2.0 * half + 2.0, 20, 20)?, [0.0; 3]);
    for side in [half + 0.5, -half - 0.5] {
        builder.append(&primitives::cuboid::<f64>([0.5, 3.0, half + 1.0])?, [side, 1.5, 0.0]);
        builder.append(&primitives::cuboid::<f64>([half + 1.0, 3.0, 0.5])?, [0.0, 1.5, side]);
    }
    for column in 0..16 {
        let along = |i: i32| half * (0.4 * f64::from(i) - 0.6);
        builder.append(&primitives::cuboid::<f64>([0.5, 3.0, 0.5])?, [along(column % 4), 1.5, along(column / 4)]);
    }
    Ok(World::of_level(Octree::new(builder.build()?)))
}

/// Runs something with so many threads.
#[cfg(feature = "parallel")]
fn on_threads<R: Send>(threads: usize, run: impl FnOnce() -> R + Send) -> Result<R, Box<dyn Error>> {
    Ok(rayon::ThreadPoolBuilder::new().num_threads(threads).build()?.install(run))
}

/// Without the feature `parallel` there is but one.
#[cfg(not(feature = "parallel"))]
fn on_threads<R>(_: usize, run: impl FnOnce() -> R) -> Result<R, Box<dyn Error>> {
    Ok(run())
}

/// A crowd, and who is who.
struct People {
    crowd: Crowd<f32>,
    /// By number, which is not the order in which they were added.
    ids: Vec<CharacterId>,
    /// By slot of the crowd, in the order of its list.
    numbers: Vec<(CharacterId, u32)>,
}

impl People {
    fn new(order: impl Iterator<Item = u32>, count: u32, half: f64) -> Result<Self, Box<dyn Error>> {
        let body = Ellipsoid::new(Vector3::from(RADII))?;
        let side = f64::from(count).sqrt().ceil();
        let along = |i: f64| ((i + 0.5) / side * 2.0 - 1.0) * (half - 0.2);
        let mut crowd = Crowd::new();
        let mut numbers = Vec::new();
        for number in order {
            let (column, row) = (f64::from(number) % side, (f64::from(number) / side).floor());
            let place = point![along(column) as f32, RADII[1] + 0.02, along(row) as f32];
            numbers.push((crowd.add(Character::new(body, CharacterConfig::default(), place)?)?, number));
        }
        numbers.sort_unstable();
        let mut ids: Vec<_> = numbers.iter().map(|(id, number)| (*number, *id)).collect();
        ids.sort_unstable();
        Ok(Self { crowd, ids: ids.into_iter().map(|(_, id)| id).collect(), numbers })
    }

    fn tick(&mut self, world: &World<f32>, tick: u64) -> Result<(), sidle::character::CrowdError> {
        let numbers = &self.numbers;
        self.crowd.tick(world, DT, |id, character| {
            let number = numbers.binary_search_by_key(&id, |(id, _)| *id).map_or(0, |place| numbers[place].1);
            TickInput { velocity: wish(number, tick, character), ..TickInput::default() }
        })
    }

    fn states(&self) -> Vec<CharacterState<f32>> {
        self.ids.iter().filter_map(|id| self.crowd.character(*id)).map(Character::state).collect()
    }

    fn others_touched(&self) -> usize {
        let reports = self.ids.iter().filter_map(|id| self.crowd.report(*id));
        reports.flat_map(|report| report.touches()).filter(|touch| touch.other.is_some()).count()
    }

    /// How deep two are in each other; less than zero if none are.
    fn deepest_overlap(&self) -> Result<f32, Box<dyn Error>> {
        let people: Vec<_> = self.crowd.iter().map(|(_, character)| character).collect();
        let near = Vector3::from(RADII).add_scalar(0.05);
        let boxes: Vec<_> = people
            .iter()
            .map(|character| Aabb3 { min: character.position() - near, max: character.position() + near })
            .collect();
        let mut deepest = f32::NEG_INFINITY;
        for pair in SortAndSweep::new().update(&boxes)? {
            let (a, b) = (people[pair.a as usize], people[pair.b as usize]);
            let apart = ellipsoid_distance(a.ellipsoid(), a.position(), b.ellipsoid(), b.position())?;
            deepest = deepest.max(-apart.distance);
        }
        Ok(deepest)
    }

    fn are_inside(&self, half: f64) -> bool {
        let inside = |x: f32| f64::from(x).abs() < half;
        self.crowd
            .iter()
            .map(|(_, character)| character.position())
            .all(|at| inside(at.x) && inside(at.z) && at.y > 0.9)
    }
}

/// In turn all head somewhere, to the middle of the hall, and into its walls.
fn wish(number: u32, tick: u64, character: &Character<f32>) -> Vector3<f32> {
    let at = character.position();
    let heading = match tick / 300 % 3 {
        0 => {
            let turn = f64::from(number) * 2.4 + (tick / 60) as f64;
            vector![libm::cos(turn) as f32, 0.0, libm::sin(turn) as f32]
        }
        1 => vector![-at.x, 0.0, -at.z],
        _ => vector![at.x, 0.0, at.z],
    };
    heading.try_normalize(1e-3).map_or_else(Vector3::zeros, |way| way * 3.0)
}
