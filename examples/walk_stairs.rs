//! A character walks up a flight of stairs; a line for every tenth of a second.

use sidle::nalgebra::{Point3, Vector3};
use sidle::{
    Character, CharacterConfig, Ellipsoid, Octree, Scratch, TickInput, World,
    mesh::primitives::{self, MeshBuilder},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut level = MeshBuilder::new();
    level.append(&primitives::floor::<f64>(20.0, 20.0, 10, 10)?, [0.0; 3]);
    level.append(&primitives::stairs::<f64>(10, 0.2, 0.3, 2.0)?, [0.0; 3]);
    let world = World::of_level(Octree::new(level.build::<f32>()?));

    let body = Ellipsoid::new(Vector3::new(0.4, 0.9, 0.4))?;
    let mut character = Character::new(body, CharacterConfig::default(), Point3::new(-2.0, 0.92, 0.0))?;
    let mut scratch = Scratch::default();
    let input = TickInput { velocity: Vector3::new(2.0, 0.0, 0.0), ..TickInput::default() };
    for tick in 0..150 {
        let report = character.tick(&world, &input, 1.0 / 60.0, &mut scratch)?;
        if tick % 6 == 0 {
            let feet = character.feet(input.up);
            println!("{:5.2} s  x {:6.3}  feet {:6.3}  {:?}", tick as f32 / 60.0, feet.x, feet.y, report.ground.state);
        }
    }
    Ok(())
}
