//! A character on data of one's own: hills that are a function of two coordinates, and a raft that moves. No mesh is built.
//!
//! `CollisionWorld` asks for one thing, the triangles near a box; they are made up when they are asked for. With a stamp the
//! character keeps them from tick to tick; with the motion of the raft it is carried.

use sidle::nalgebra::{Point3, Vector3};
use sidle::{
    Character, CharacterConfig, CollisionWorld, Ellipsoid, MaterialTag, QueryFilter, Scratch, Sweep, TickInput,
    Triangle,
    mesh::Sides,
    shape::Aabb3,
    world::{InstanceId, Layers, Pose, RigidMotion, Stamp, WorldTriangle},
};

const DT: f64 = 1.0 / 60.0;
/// The hills have so many cells of half a metre each way, around the origin.
const CELLS: i32 = 200;
const CELL: f64 = 0.5;
const HILLS: InstanceId = InstanceId::foreign(0);
const RAFT: InstanceId = InstanceId::foreign(1);
/// Half the size of the raft.
const RAFT_SIZE: Vector3<f64> = Vector3::new(1.5, 0.1, 1.5);

type Failure = Box<dyn std::error::Error>;

/// Hills, and a raft above them.
struct Hills {
    raft: Point3<f64>,
    /// What the raft does in this step.
    motion: Option<RigidMotion>,
    /// Another one whenever the raft has moved.
    stamp: Stamp,
}

/// The height of the hills: up to 1 m above and below zero, and less steep than 20°.
fn height(x: f64, z: f64) -> f64 {
    let wave = |t: f64| 4.0 * t * (1.0 - t.abs()); // from -1 to 1, near a sine
    let saw = |t: f64| 2.0 * (t - (t + 0.5).floor());
    0.5 * wave(saw(x / 16.0)) + 0.5 * wave(saw(z / 20.0))
}

/// A corner of the grid.
fn corner(i: i32, k: i32) -> Point3<f64> {
    let (x, z) = (f64::from(i) * CELL, f64::from(k) * CELL);
    Point3::new(x, height(x, z), z)
}

impl Hills {
    fn new(raft: Point3<f64>) -> Self {
        Self { raft, motion: None, stamp: Stamp::new() }
    }

    /// Moves the raft within a step.
    fn drive(&mut self, to: Point3<f64>) -> Result<(), Failure> {
        let pose = |position| Pose { position, ..Pose::default() };
        self.motion = Some(RigidMotion::between(&pose(self.raft), &pose(to), DT)?);
        self.raft = to;
        self.stamp = Stamp::new();
        Ok(())
    }
}

impl CollisionWorld for Hills {
    fn each_triangle_near(&self, bounds: &Aabb3<f64>, filter: &QueryFilter, visit: &mut dyn FnMut(WorldTriangle)) {
        let mut hand_out = |instance, index, [a, b, c]: [Point3<f64>; 3]| {
            visit(WorldTriangle {
                triangle: Triangle::new(a, b, c),
                instance,
                index,
                material: MaterialTag::default(),
                sides: Sides::Both,
                is_mirrored: false,
            });
        };
        if filter.sees(HILLS, Layers::default()) {
            // The cells that the box meets; numbers beyond the grid are its border.
            let cell = |x: f64| (x / CELL).floor().clamp(f64::from(-CELLS / 2), f64::from(CELLS / 2 - 1)) as i32;
            for k in cell(bounds.min.z)..=cell(bounds.max.z) {
                for i in cell(bounds.min.x)..=cell(bounds.max.x) {
                    let first = 2 * ((k + CELLS / 2) * CELLS + i + CELLS / 2) as u32;
                    let [a, b, c, d] = [corner(i, k), corner(i, k + 1), corner(i + 1, k + 1), corner(i + 1, k)];
                    hand_out(HILLS, first, [a, b, c]);
                    hand_out(HILLS, first + 1, [a, c, d]);
                }
            }
        }
        if filter.sees(RAFT, Layers::default()) {
            // Six faces of two triangles: along each axis the square at each end.
            for (index, (axis, end)) in
                [(0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0), (2, -1.0), (2, 1.0)].into_iter().enumerate()
            {
                let at = |u: f64, v: f64| {
                    let mut offset = RAFT_SIZE;
                    offset[axis] *= end;
                    offset[(axis + 1) % 3] *= u * end;
                    offset[(axis + 2) % 3] *= v;
                    self.raft + offset
                };
                let [a, b, c, d] = [at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)];
                hand_out(RAFT, 2 * index as u32, [a, b, c]);
                hand_out(RAFT, 2 * index as u32 + 1, [a, c, d]);
            }
        }
    }

    fn stamp(&self) -> Option<Stamp> {
        Some(self.stamp)
    }

    fn motion_of(&self, instance: InstanceId) -> Option<RigidMotion> {
        self.motion.filter(|_| instance == RAFT)
    }

    fn each_motion_near(&self, _: &Aabb3<f64>, filter: &QueryFilter, visit: &mut dyn FnMut(InstanceId, &RigidMotion)) {
        if let Some(motion) = self.motion.as_ref().filter(|_| filter.sees(RAFT, Layers::default())) {
            visit(RAFT, motion);
        }
    }
}

fn main() -> Result<(), Failure> {
    let body = Ellipsoid::new(Vector3::new(0.4, 0.9, 0.4))?;
    let mut scratch = Scratch::default();
    let mut world = Hills::new(Point3::new(20.0, 3.0, 20.0));

    // Over the hills for 20 s.
    let start = Point3::new(-20.0, height(-20.0, -10.0) + 0.95, -10.0);
    let mut walker = Character::new(body, CharacterConfig::default(), start)?;
    let mut off_ground = 0;
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    for tick in 0..1200 {
        let input = TickInput { velocity: Vector3::new(1.5, 0.0, 0.9), ..TickInput::default() };
        walker.tick(&world, &input, DT, &mut scratch)?;
        let feet = walker.feet(input.up);
        let gap = feet.y - height(feet.x, feet.z);
        range = [range[0].min(gap), range[1].max(gap)];
        off_ground += usize::from(tick > 10 && !walker.is_on_ground());
        if tick % 240 == 239 {
            println!("{:4.1} s  at ({:6.2}, {:5.2}, {:6.2})", f64::from(tick + 1) * DT, feet.x, feet.y, feet.z);
        }
    }
    println!("its feet were {:.3} m to {:.3} m above the hills, off them in {off_ground} ticks", range[0], range[1]);
    let end = Vector3::new(30.0, 0.0, 18.0) + start.coords;
    let missed = (walker.position().coords - end).xz().norm();
    // On a slope the lowest point of an ellipsoid is not where it touches.
    if off_ground > 0 || missed > 1e-6 || range[0] < 0.0 || range[1] > 0.15 {
        return Err(format!("the hills: {missed:.1e} m from where it should be").into());
    }

    // On the raft, which goes in a square and up and down.
    let mut rider = Character::new(body, CharacterConfig::default(), world.raft + Vector3::new(0.5, 1.02, -0.3))?;
    rider.tick(&world, &TickInput::default(), DT, &mut scratch)?;
    let seat = rider.position() - world.raft;
    for tick in 0..1200 {
        let side = [Vector3::x(), Vector3::z(), -Vector3::x(), -Vector3::z()][tick / 60 % 4];
        let rise = if tick / 120 % 2 == 0 { 0.4 } else { -0.4 };
        world.drive(world.raft + (side * 3.0 + Vector3::y() * rise) * DT)?;
        let report = rider.tick(&world, &TickInput::default(), DT, &mut scratch)?;
        if report.ride.on != Some(RAFT) || !rider.is_on_ground() {
            return Err(format!("it fell off the raft in tick {tick}").into());
        }
    }
    let off = (rider.position() - world.raft - seat).norm();
    println!("after 20 s on the raft: {off:.1e} m from its place on it");

    // Sweeps come for free, for cameras and projectiles.
    let sight = Sweep::new(&Ellipsoid::sphere(0.2)?, rider.position(), Vector3::new(0.0, -9.0, 0.0))?;
    let below = world.first_contact_near(&sight, &QueryFilter::default()).ok_or("nothing is below")?;
    if off > 1e-6 || below.source.instance != RAFT {
        return Err("the raft has lost its rider".into());
    }
    Ok(())
}
