//! Height sensing: a drone flies over stairs and a beam, and keeps two metres of air under it.
//!
//! One ray looks straight down. A thick one of the drone's own radius tells what the drone itself would touch first: it
//! notices the thin beam beside its middle, which the ray misses. A fan in the vertical plane ahead tells how high it has
//! to be soon. It prints one line for each half metre.

use sidle::{
    Octree, QueryFilter, World,
    mesh::primitives::{self, MeshBuilder},
    nalgebra::{Point3, Rotation3, Vector3},
    sensor::{RayFan, Reading},
};

/// Air under the drone, in metres.
const WISH: f64 = 2.0;
const RADIUS: f64 = 0.5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut level = MeshBuilder::new();
    level.append(&primitives::floor::<f64>(30.0, 10.0, 4, 4)?, [0.0; 3]);
    level.append(&primitives::stairs::<f64>(10, 0.2, 0.3, 2.0)?, [0.0; 3]);
    level.append(&primitives::cuboid::<f64>([0.05, 1.5, 2.0])?, [6.1, 1.5, 2.3]);
    let world = World::of_level(Octree::new(level.build::<f64>()?));
    let (all, still) = (QueryFilter::default(), Rotation3::identity());

    let thin = RayFan::of_directions([-Vector3::y()], 50.0)?;
    let thick = thin.clone().with_thickness(RADIUS)?;
    // Nine rays from straight down to straight ahead.
    let (down, ahead) = (-Vector3::y(), Vector3::x());
    let scan = RayFan::in_plane(9, ahead + down, ahead - down, 90_f64.to_radians(), 3.0)?;

    let mut position = Point3::new(-2.0, WISH + RADIUS, 0.0);
    let mut reading = Reading::new();
    println!("    x      y  ray down  ball down  highest thing ahead");
    for _ in 0..20 {
        reading.read_world(&thin, position, &still, &world, &all, 1)?;
        let height = reading.reach(0);
        reading.read_world(&thick, position, &still, &world, &all, 1)?;
        let air = reading.reach(0);
        reading.read_world(&scan, position, &still, &world, &all, 1)?;
        let highest = reading.sightings().iter().map(|sighting| sighting.point.y).reduce(f64::max);
        let highest = highest.map_or("nothing near".into(), |y| format!("{y:.2} m"));
        println!("{:5.1}  {:5.2}  {height:8.2}  {air:9.2}  {highest}", position.x, position.y);

        position.x += 0.5;
        position.y += WISH - air;
    }
    Ok(())
}
