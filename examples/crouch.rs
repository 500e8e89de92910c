//! A person walks to a low tunnel, crouches, goes through, tries to stand up inside, and stands up behind it.
//!
//! `Character::resize` says whether there was room; where there was none, the person goes on crouching. Who holds a button
//! to crouch and lets go of it under a roof wishes to stand up in every tick, and does where it is possible.

use sidle::nalgebra::{Point3, Vector3};
use sidle::{
    Character, CharacterConfig, Ellipsoid, Octree, Scratch, TickInput, World, mesh::primitives, world::Placement,
};

const DT: f64 = 1.0 / 60.0;
/// The tunnel's roof spans these along X, and so high above the floor.
const TUNNEL: [f64; 2] = [3.0, 8.0];
const CLEARANCE: f64 = 1.2;

type Failure = Box<dyn std::error::Error>;

fn level() -> Result<World<f64>, Failure> {
    let mut world = World::of_level(Octree::new(primitives::floor(40.0, 10.0, 20, 5)?));
    let [from, to] = TUNNEL;
    let roof = world.add_mesh(Octree::new(primitives::cuboid([(to - from) / 2.0, 0.5, 5.0])?));
    world.place(roof, &Placement::at(Point3::new((from + to) / 2.0, CLEARANCE + 0.5, 0.0)))?;
    Ok(world)
}

fn main() -> Result<(), Failure> {
    let world = level()?;
    let tall = Ellipsoid::new(Vector3::new(0.4, 0.9, 0.4))?;
    let low = Ellipsoid::new(Vector3::new(0.4, 0.5, 0.4))?;
    let up = Vector3::y_axis();
    let mut scratch = Scratch::default();
    let mut person = Character::new(tall, CharacterConfig::default(), Point3::new(0.0, 0.92, 0.0))?;
    let (mut stopped_at, mut stood_up_at, mut refused, mut left_ground) = (None, None, 0, 0);

    for tick in 0..480 {
        // It runs against the tunnel for two seconds, crouches for one, and from then on wishes to stand up again.
        let wishes_low = (120..180).contains(&tick);
        if tick == 120 {
            stopped_at = Some(person.position().x);
        }
        let wished = if wishes_low { low } else { tall };
        if *person.ellipsoid() != wished {
            if !person.resize(&world, wished, up, &mut scratch)? {
                refused += 1;
            } else if !wishes_low {
                stood_up_at = Some(person.position().x);
            }
        }
        let speed = if *person.ellipsoid() == low { 1.5 } else { 3.0 };
        let input = TickInput { velocity: Vector3::x() * speed, ..TickInput::default() };
        person.tick(&world, &input, DT, &mut scratch)?;
        left_ground += usize::from(!person.is_on_ground());
        if tick % 60 == 59 {
            let stance = if *person.ellipsoid() == low { "low" } else { "upright" };
            println!("{:4.1} s  x {:5.2} m, {stance}", f64::from(tick + 1) * DT, person.position().x);
        }
    }

    let stopped_at = stopped_at.ok_or("it was never at the tunnel")?;
    let stood_up_at = stood_up_at.ok_or("it never stood up again")?;
    println!("stopped upright at {stopped_at:.2} m, stood up at {stood_up_at:.2} m after {refused} attempts in vain");
    let is_right = stopped_at < TUNNEL[0] && refused > 60 && left_ground == 0;
    // It is stopped by the edge of the roof, and has room again as far behind the other.
    let distance = (stood_up_at - TUNNEL[1]) - (TUNNEL[0] - stopped_at);
    if !is_right || !(0.0..=1.5 * DT + 1e-3).contains(&distance) {
        return Err("crouching went wrong".into());
    }
    Ok(())
}
