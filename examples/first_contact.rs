//! The smallest program: how far can a body move before it touches something?

use sidle::nalgebra::{Point3, Vector3};
use sidle::{Ellipsoid, Octree, Sweep, mesh::primitives};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let level = Octree::new(primitives::stairs::<f32>(10, 0.2, 0.3, 2.0)?);
    let body = Ellipsoid::new(Vector3::new(0.4, 0.9, 0.4))?;
    let sweep = Sweep::new(&body, Point3::new(-2.0, 0.95, 0.0), Vector3::new(5.0, 0.0, 0.0))?;
    match level.sweep(&sweep) {
        Some(hit) => {
            let contact = hit.contact;
            println!("contact after {:.3} m at {:.3}", contact.distance, contact.point);
            println!(
                "with {:?} of triangle {}, normal {:.3}",
                contact.feature,
                hit.triangle,
                contact.normal.into_inner()
            );
        }
        None => println!("the way is free"),
    }
    Ok(())
}
