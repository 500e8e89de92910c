//! A character rides a platform that moves, turns and rises; jumps on it; is pushed by a door; and ends under a press.
//!
//! A frame has three steps: everything is put to rest, what moves is driven, characters tick.

use std::f64::consts::TAU;

use sidle::nalgebra::{Point3, UnitQuaternion, Vector3};
use sidle::{
    Character, CharacterConfig, Ellipsoid, Octree, Scratch, TickInput, World,
    mesh::primitives,
    world::{InstanceId, Placement},
};

const DT: f64 = 1.0 / 60.0;
/// From the feet to the centre of a body that stands.
const STANDS: f64 = 0.92;

/// Where something is at a time.
type Path = fn(f64) -> Placement<f64>;
type Movers = [(InstanceId, Path); 3];
type Failure = Box<dyn std::error::Error>;

/// A floor, a platform, a door that sweeps over the floor, and a press that comes down, each with its way.
fn level() -> Result<(World<f64>, Movers), Failure> {
    let platform: Path = |time| {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.5 * time);
        Placement::at(Point3::new(1.5 * time, 1.0 + 0.3 * time, 0.0)).turned(turn)
    };
    let door: Path = |time| {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.75 * TAU * time);
        Placement::at(Point3::new(-10.0, 1.1, 0.0)).turned(turn)
    };
    let press: Path = |time| Placement::at(Point3::new(-20.0, (4.0 - 0.5 * time).max(0.6), 0.0));

    let mut world = World::of_level(Octree::new(primitives::floor::<f64>(100.0, 100.0, 10, 10)?));
    let mut place = |half_extents, path: Path| -> Result<_, Failure> {
        let mesh = world.add_mesh(Octree::new(primitives::cuboid(half_extents)?));
        Ok((world.place(mesh, &path(0.0))?, path))
    };
    let movers = [place([3.0, 0.1, 3.0], platform)?, place([2.0, 1.0, 0.02], door)?, place([2.0, 0.5, 2.0], press)?];
    Ok((world, movers))
}

fn main() -> Result<(), Failure> {
    let (mut world, movers) = level()?;
    let body = Ellipsoid::new(Vector3::new(0.4, 0.9, 0.4))?;
    let at = |x: f64, y: f64, z: f64| Character::new(body, CharacterConfig::default(), Point3::new(x, y + STANDS, z));
    let mut people = [at(2.0, 1.1, 1.0)?, at(-10.0, 0.0, 1.5)?, at(-20.0, 0.0, 0.0)?];
    let mut scratch = Scratch::default();
    let (mut view, mut pushed, mut crushed_after) = (0.0, 0.0, None);
    let mut spot = None;

    for tick in 0..600 {
        let time = f64::from(tick) * DT;
        world.settle();
        for (id, path) in &movers {
            world.drive(*id, &path(time), DT)?;
        }

        let rider = TickInput { jump: (tick == 300).then_some(4.0), ..TickInput::default() };
        let report = people[0].tick(&world, &rider, DT, &mut scratch)?;
        view += report.ride.turned;
        let pose = world.placement(movers[0].0).ok_or("the platform is gone")?.pose;
        let feet = pose.rotation.inverse() * (people[0].feet(rider.up) - pose.position);
        if tick == 290 {
            spot = Some(feet);
        }

        let report = people[1].tick(&world, &TickInput::default(), DT, &mut scratch)?;
        pushed += report.ride.pushed.norm();

        let report = people[2].tick(&world, &TickInput::default(), DT, &mut scratch)?;
        if report.ride.is_crushed && crushed_after.is_none() {
            crushed_after = Some(time);
        }

        if tick % 60 == 59 {
            let states = people.each_ref().map(Character::is_on_ground);
            let (x, z) = (feet.x, feet.z);
            println!(
                "{time:5.2} s  rider at ({x:.3}, {z:.3}) of the platform, view {view:.2} rad, on ground {states:?}"
            );
        }
        if tick == 299 || tick == 599 {
            let off = spot.map_or(f64::INFINITY, |spot| (feet - spot).norm());
            println!("         {off:.1e} m from where it stood");
            // It jumped where the platform turns: flying straight on, it lands a little farther out.
            let most = if tick == 299 { 1e-9 } else { 0.2 };
            if off > most || !people[0].is_on_ground() {
                return Err("the rider has lost its place".into());
            }
        }
    }
    let away = (people[1].position() - Point3::new(-10.0, STANDS, 0.0)).norm();
    println!("the door has pushed {pushed:.2} m, and left it {away:.2} m from the hinge");
    println!("the press: {}", crushed_after.map_or("nobody".into(), |time| format!("crushed after {time:.2} s")));
    let is_clear = away > 2.0 && pushed > 0.5;
    if !is_clear || crushed_after.is_none() || people[2].position().y < 0.9 {
        return Err("the door or the press went wrong".into());
    }
    Ok(())
}
