//! Characters that are in each other's way.

mod layers;
mod meeting;
mod names;
mod parting;
mod platforms;
mod pushes;
mod repeats;
mod throngs;

use nalgebra::{Vector3, vector};
use sidle::{
    Octree, Real, World,
    character::{CharacterId, CharacterState, Crowd},
    mesh::primitives::{self, MeshBuilder},
    world::InstanceId,
};

use crate::{
    moving::{Pose, placement},
    people::{DT, player},
    random::Random,
};

/// A yard with walls around it and some columns in it.
fn yard<T: Real>(half: f64) -> World<T> {
    let mut builder = MeshBuilder::new();
    let mut block = |center: [f64; 3], size: [f64; 3]| {
        builder.append(&primitives::cuboid::<f64>(size).expect("a legal size"), center);
    };
    block([0.0, -0.5, 0.0], [half + 2.0, 0.5, half + 2.0]);
    let side = half + 0.5;
    for x in [side, -side] {
        block([x, 1.0, 0.0], [0.5, 2.0, half + 1.0]);
        block([0.0, 1.0, x], [half + 1.0, 2.0, 0.5]);
    }
    for (x, z) in [(0.4, 0.3), (-0.5, 0.2), (0.1, -0.6)] {
        block([x * half, 1.0, z * half], [0.6, 1.5, 0.4]);
    }
    World::of_level(Octree::new(builder.build().expect("a mesh")))
}

/// A floor, and a block that moves over it.
struct Stage<T: Real> {
    world: World<T>,
    mover: InstanceId,
}

impl<T: Real> Stage<T> {
    fn new(half_size: [f64; 3], at: Pose) -> Self {
        let floor = primitives::floor(80.0, 80.0, 8, 8).expect("a floor");
        let mut stage = Self { world: World::of_level(Octree::new(floor)), mover: InstanceId::NONE };
        stage.mover = stage.block(half_size, at);
        stage
    }

    /// Places another block.
    fn block(&mut self, half_size: [f64; 3], at: Pose) -> InstanceId {
        let mesh = self.world.add_mesh(Octree::new(primitives::cuboid(half_size).expect("a block")));
        self.world.place(mesh, &placement(at)).expect("it is placed")
    }

    /// The step in which the block comes to a pose.
    fn drive(&mut self, to: Pose) {
        self.world.settle();
        self.world.drive(self.mover, &placement(to), T::nearest(DT)).expect("it is driven");
    }
}

/// A wish that changes now and then, and depends on who it is and when alone.
fn wander(label: u64, tick: u64) -> Vector3<f64> {
    let mut random = Random(label * 1_000 + tick / 45);
    let heading = random.direction();
    vector![heading.x, 0.0, heading.z] * random.between(0.0, 5.0)
}

/// Adds one at a place of its own in a grid.
fn place<T: Real>(crowd: &mut Crowd<T>, label: u64) -> CharacterId {
    let (column, row) = ((label % 6) as f64, (label / 6) as f64);
    crowd.add(player(column * 1.1 - 3.0, row * 1.1 - 3.2)).expect("room")
}

/// The states of all, by what they are called, whenever they were added.
fn by_label<T: Real, L: Ord>(crowd: &Crowd<T>, ids: &[(L, CharacterId)]) -> Vec<CharacterState<T>> {
    let mut ids: Vec<_> = ids.iter().collect();
    ids.sort();
    ids.into_iter().map(|(_, id)| crowd.character(*id).expect("it is there").state()).collect()
}

/// Does something on so many threads.
#[cfg(feature = "parallel")]
fn with_threads<R: Send>(threads: usize, act: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(act)
}
