//! A character of the usual size in a level, for tests that drive it tick by tick.

use nalgebra::{Point3, Vector3, vector};
use sidle::{
    Character, CharacterConfig, CollisionWorld, Ellipsoid, Octree, Real, Scratch, TickInput, TriMesh, World,
    character::TickReport,
};

/// From the ground to the centre of a body that stands: its semi-axis and the skin.
pub(crate) const STANDS: f64 = 0.92;

/// Frame rates at which everything must hold, in ticks a second.
pub(crate) const RATES: [u32; 5] = [30, 60, 144, 240, 1000];

/// A character and its world.
pub(crate) struct Person<T: Real> {
    world: World<T>,
    scratch: Scratch,
    dt: T,
    pub(crate) character: Character<T>,
}

impl<T: Real> Person<T> {
    /// With its centre at a place, in the air.
    pub(crate) fn at(mesh: TriMesh<T>, center: [f64; 3], hz: u32) -> Self {
        Self::of(CharacterConfig::default(), World::of_level(Octree::new(mesh)), center, hz)
    }

    /// With its centre at a place in a world, and walking otherwise than usual.
    pub(crate) fn of(config: CharacterConfig<T>, world: World<T>, center: [f64; 3], hz: u32) -> Self {
        let body = Ellipsoid::new(vector![0.4, 0.9, 0.4].map(T::nearest)).expect("good radii");
        let center = Point3::from(center).map(T::nearest);
        Self {
            world,
            scratch: Scratch::default(),
            dt: T::nearest(1.0 / f64::from(hz)),
            character: Character::new(body, config, center).expect("a character"),
        }
    }

    /// One tick with a velocity.
    pub(crate) fn tick(&mut self, velocity: [f64; 3]) -> TickReport<T> {
        self.tick_jumping(velocity, None)
    }

    /// One tick with a velocity, and with a jump at a speed.
    pub(crate) fn tick_jumping(&mut self, velocity: [f64; 3], jump: Option<f64>) -> TickReport<T> {
        let velocity = Vector3::from(velocity).map(T::nearest);
        let input = TickInput { velocity, jump: jump.map(T::nearest), ..TickInput::default() };
        self.character.tick(&self.world, &input, self.dt, &mut self.scratch).expect("good numbers")
    }

    /// One tick with a velocity in another world than its own.
    pub(crate) fn tick_in(&mut self, world: &impl CollisionWorld, velocity: [f64; 3]) -> TickReport<T> {
        let input = TickInput { velocity: Vector3::from(velocity).map(T::nearest), ..TickInput::default() };
        self.character.tick(world, &input, self.dt, &mut self.scratch).expect("good numbers")
    }

    /// Walks with a velocity for some seconds; `each` sees where it is after each tick, and what the tick did.
    pub(crate) fn walk(&mut self, velocity: [f64; 3], seconds: f64, mut each: impl FnMut(Point3<f64>, &TickReport<T>)) {
        for _ in 0..(seconds / self.dt.to_f64()).round() as usize {
            let report = self.tick(velocity);
            each(self.place(), &report);
        }
    }

    /// Its centre, with all that is known of it.
    pub(crate) fn place(&self) -> Point3<f64> {
        self.character.state().exact_position()
    }
}
