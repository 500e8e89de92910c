//! Moving platforms: what carries a character, what pushes it, and what it keeps when it leaves.

mod carried;
mod crushed;
mod landing;
mod leaving;
mod machines;
mod pushed;
mod ship;

use nalgebra::{Point3, Vector3, vector};
use sidle::{
    Character, CharacterConfig, Ellipsoid, Octree, Real, Scratch, TickInput, TriMesh, World,
    character::TickReport,
    mesh::primitives::{self, MeshBuilder},
    world::InstanceId,
};

use crate::moving::{Pose, about_y, placement, seen_from, straight};

/// From the ground to the centre of a body that stands: its semi-axis and the skin.
const STANDS: f64 = 0.92;
const RATES: [u32; 4] = [30, 60, 240, 1000];

/// The pose at a time.
type Path = Box<dyn Fn(f64) -> Pose>;

/// A level, things that move in it, and a character of the usual size.
struct Stage<T: Real> {
    world: World<T>,
    movers: Vec<(InstanceId, Path)>,
    character: Character<T>,
    scratch: Scratch,
    hz: u32,
    ticks: u32,
}

impl<T: Real> Stage<T> {
    fn new(level: TriMesh<T>, feet: [f64; 3], hz: u32) -> Self {
        let body = Ellipsoid::new(vector![0.4, 0.9, 0.4].map(T::nearest)).expect("good radii");
        let center = (Point3::from(feet) + Vector3::y() * STANDS).map(T::nearest);
        Self {
            world: World::of_level(Octree::new(level)),
            movers: Vec::new(),
            character: Character::new(body, CharacterConfig::default(), center).expect("a character"),
            scratch: Scratch::default(),
            hz,
            ticks: 0,
        }
    }

    fn with(mut self, mesh: TriMesh<T>, path: impl Fn(f64) -> Pose + 'static) -> Self {
        let mesh = self.world.add_mesh(Octree::new(mesh));
        let id = self.world.place(mesh, &placement(path(0.0))).expect("it is placed");
        self.movers.push((id, Box::new(path)));
        self
    }

    /// The character lands before anything moves.
    fn landed(mut self) -> Self {
        let movers = std::mem::take(&mut self.movers);
        self.stand(0.3);
        assert!(self.character.is_on_ground(), "there is no ground at {}", self.feet());
        Self { movers, ticks: 0, ..self }
    }

    fn dt(&self) -> f64 {
        1.0 / f64::from(self.hz)
    }

    fn time(&self) -> f64 {
        f64::from(self.ticks) * self.dt()
    }

    /// Everything moves, then the character ticks.
    fn tick(&mut self, velocity: [f64; 3], jump: Option<f64>) -> TickReport<T> {
        let dt = T::nearest(self.dt());
        self.ticks += 1;
        self.world.settle();
        for (id, path) in &self.movers {
            self.world
                .drive(*id, &placement(path(f64::from(self.ticks) / f64::from(self.hz))), dt)
                .expect("it is driven");
        }
        let velocity = Vector3::from(velocity).map(T::nearest);
        let input = TickInput { velocity, jump: jump.map(T::nearest), ..TickInput::default() };
        self.character.tick(&self.world, &input, dt, &mut self.scratch).expect("good numbers")
    }

    fn walk(&mut self, velocity: [f64; 3], seconds: f64, mut each: impl FnMut(&mut Self, &TickReport<T>)) {
        for _ in 0..(seconds * f64::from(self.hz)).round() as usize {
            let report = self.tick(velocity, None);
            each(self, &report);
        }
    }

    fn stand(&mut self, seconds: f64) {
        self.walk([0.0; 3], seconds, |_, _| ());
    }

    fn feet(&self) -> Point3<f64> {
        self.character.state().exact_position() - Vector3::y() * STANDS
    }

    /// The feet as seen from a mover.
    fn feet_on(&self, mover: usize) -> Point3<f64> {
        seen_from(&self.world, self.movers[mover].0, self.feet())
    }
}

fn level<T: Real>(things: &[([f64; 3], [f64; 3])]) -> TriMesh<T> {
    let mut level = MeshBuilder::new();
    level.append(&primitives::floor::<f64>(60.0, 60.0, 6, 6).expect("a floor"), [0.0; 3]);
    for (half_extents, center) in things {
        level.append(&cuboid::<f64>(*half_extents), *center);
    }
    level.build().expect("a level")
}

fn cuboid<T: Real>(half_extents: [f64; 3]) -> TriMesh<T> {
    primitives::cuboid(half_extents).expect("a block")
}
