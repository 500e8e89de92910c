//! A character walks around a planet, with up away from its centre in every tick, over a hill and back to where it began;
//! then it jumps at the south pole.

use sidle::nalgebra::{Point3, Unit, Vector3};
use sidle::{
    Character, CharacterConfig, Ellipsoid, Octree, Scratch, TickInput, World,
    mesh::primitives::{self, MeshBuilder},
};

const DT: f64 = 1.0 / 60.0;
const SPEED: f64 = 4.0;
/// Of the planet, in metres.
const RADIUS: f64 = 20.0;
/// Of a hill at its equator, whose centre is below the ground.
const HILL: f64 = 4.0;
/// So steep is the hill at its foot that walkers climb it.
const HILL_AT: f64 = 17.5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut level = MeshBuilder::new();
    level.append(&primitives::sphere::<f64>(RADIUS, 192, 96)?, [0.0; 3]);
    level.append(&primitives::sphere::<f64>(HILL, 64, 32)?, [HILL_AT, 0.0, 0.0]);
    let world = World::of_level(Octree::new(level.build::<f64>()?));

    // A ball, which looks the same whichever way is up.
    let body = Ellipsoid::sphere(0.5)?;
    let mut character = Character::new(body, CharacterConfig::default(), Point3::new(0.0, RADIUS + 0.6, 0.0))?;
    let mut scratch = Scratch::default();
    let start = Vector3::new(0.0, 1.0, 0.0);

    // Around the planet in the plane z = 0, and so far from its centre at the lowest and the highest.
    let (mut angle, mut ticks, mut in_air) = (0.0_f64, 0, 0);
    let (mut lowest, mut highest) = (f64::INFINITY, 0.0_f64);
    let mut up = start;
    while angle < std::f64::consts::TAU {
        let velocity = Vector3::z().cross(&up) * -SPEED;
        let input = TickInput { velocity, up: Unit::new_normalize(up), ..TickInput::default() };
        character.tick(&world, &input, DT, &mut scratch)?;
        let now = character.position().coords.normalize();
        angle += now.dot(&up).clamp(-1.0, 1.0).acos();
        up = now;
        let height = character.position().coords.norm();
        (lowest, highest) = (lowest.min(height), highest.max(height));
        in_air += usize::from(ticks > 30 && !character.is_on_ground());
        ticks += 1;
        if ticks % 300 == 0 {
            println!(
                "{:5.1} s  {:5.1}° around, {height:6.3} m from the centre",
                f64::from(ticks) * DT,
                angle.to_degrees()
            );
        }
        if ticks > 5000 {
            return Err("it has not come around".into());
        }
    }
    println!(
        "around in {:.1} s, {in_air} ticks in the air, {lowest:.3} to {highest:.3} m from the centre",
        f64::from(ticks) * DT
    );
    let aside = character.position().z.abs();
    if in_air > 0 || lowest < RADIUS + 0.45 || highest < HILL_AT + HILL || aside > 0.05 {
        return Err(format!("it has lost the ground, or its way by {aside} m").into());
    }

    // A jump at the south pole leads away from the planet, and back.
    let south = Unit::new_unchecked(-start);
    character = Character::new(body, CharacterConfig::default(), Point3::from(south.into_inner() * (RADIUS + 0.6)))?;
    let mut height = 0.0_f64;
    for tick in 0..120 {
        let input = TickInput { up: south, jump: (tick == 30).then_some(5.0), ..TickInput::default() };
        character.tick(&world, &input, DT, &mut scratch)?;
        height = height.max(character.position().coords.norm() - RADIUS - 0.52);
    }
    println!("jumped {height:.2} m high at the south pole");
    if !character.is_on_ground() || (height - 5.0 * 5.0 / 2.0 / 9.81).abs() > 0.02 {
        return Err("the jump went wrong".into());
    }
    Ok(())
}
