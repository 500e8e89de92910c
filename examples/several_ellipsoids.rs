//! A hiker of three ellipsoids: hips, a torso with a backpack, and a head.
//!
//! Each part collides as what it is. Under a low branch the head is stopped, and bent down it passes; between two posts the
//! backpack is too wide, until the hiker turns sideways. Bodies do not turn by themselves: the caller gives the turned shape.

use std::f64::consts::FRAC_PI_2;

use sidle::character::{BodyPart, BodyShape};
use sidle::nalgebra::{Point3, UnitQuaternion, Vector3};
use sidle::{
    Character, CharacterConfig, Ellipsoid, InputError, Octree, Scratch, TickInput, World, mesh::primitives,
    mesh::primitives::MeshBuilder,
};

const DT: f64 = 1.0 / 60.0;
/// A branch across the way, so high above the floor, and two posts so far behind it.
const BRANCH: [f64; 2] = [3.0, 1.55];
const POSTS: f64 = 7.0;
const PARTS: [&str; 3] = ["hips", "torso", "head"];

type Failure = Box<dyn std::error::Error>;

fn level() -> Result<World<f64>, Failure> {
    let mut level = MeshBuilder::new();
    level.append(&primitives::floor::<f64>(30.0, 10.0, 15, 5)?, [0.0; 3]);
    level.append(&primitives::cuboid::<f64>([0.05, 0.05, 2.0])?, [BRANCH[0], BRANCH[1], 0.0]);
    for side in [-1.0, 1.0] {
        level.append(&primitives::cuboid::<f64>([0.1, 1.0, 0.1])?, [POSTS, 1.0, 0.6 * side]);
    }
    Ok(World::of_level(Octree::new(level.build()?)))
}

/// The hiker, upright or bent, turned about the vertical. Offsets are from the feet.
fn hiker(is_bent: bool, turn: f64) -> Result<BodyShape<f64>, InputError> {
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), turn);
    let part = |radii: [f64; 3], offset: [f64; 3]| {
        BodyPart::new(Ellipsoid::turned(radii.into(), rotation)?, rotation * Vector3::from(offset))
    };
    let torso = part([0.3, 0.35, 0.6], [0.0, 1.0, 0.0])?;
    let head = if is_bent { [0.2, 1.2, 0.0] } else { [0.0, 1.5, 0.0] };
    BodyShape::new([part([0.25, 0.45, 0.25], [0.0, 0.45, 0.0])?, torso, part([0.15, 0.2, 0.15], head)?])
}

/// Walks on for some seconds; which part is stopped at the end of them, and where it then is.
fn walk(person: &mut Character<f64>, world: &World<f64>, seconds: f64) -> Result<(Option<usize>, f64), InputError> {
    let input = TickInput { velocity: Vector3::x() * 3.0, ..TickInput::default() };
    let (mut scratch, mut part) = (Scratch::default(), None);
    for _ in 0..(seconds / DT) as usize {
        let report = person.tick(world, &input, DT, &mut scratch)?;
        part = report.lateral.touches.last().map(|touch| usize::from(touch.part));
    }
    let x = person.position().x;
    match part {
        Some(part) => println!("the {} is stopped at {x:.2} m", PARTS[part]),
        None => println!("it has got to {x:.2} m"),
    }
    Ok((part, x))
}

fn main() -> Result<(), Failure> {
    let world = level()?;
    let (up, mut scratch) = (Vector3::y_axis(), Scratch::default());
    let start = Point3::new(0.0, 0.02, 0.0);
    let mut person = Character::new(hiker(false, 0.0)?, CharacterConfig::default(), start)?;

    let (head, at_branch) = walk(&mut person, &world, 2.0)?;
    println!("it bends down");
    let has_bent = person.resize(&world, hiker(true, 0.0)?, up, &mut scratch)?;
    let (torso, at_posts) = walk(&mut person, &world, 3.0)?;
    println!("it turns sideways");
    let has_turned = person.resize(&world, hiker(true, FRAC_PI_2)?, up, &mut scratch)?;
    let (none, behind) = walk(&mut person, &world, 2.0)?;

    let is_right = has_bent && has_turned && (head, torso, none) == (Some(2), Some(1), None);
    // The gap between the head and the branch is the skin.
    let gap = BRANCH[0] - 0.05 - (at_branch + 0.15);
    if !is_right || (gap - 0.02).abs() > 1e-3 || at_posts > POSTS || behind < POSTS + 1.0 {
        return Err("the walk went wrong".into());
    }
    Ok(())
}
