//! Aboard a ship that sails, all is as at anchor.

use nalgebra::{Vector3, point};
use sidle::{Real, TriMesh, mesh::primitives::MeshBuilder};

use super::{Stage, about_y, cuboid, level};

/// A hull of one mesh: a deck with walls around it.
fn hull<T: Real>() -> TriMesh<T> {
    let mut hull = MeshBuilder::new();
    hull.append(&cuboid::<f64>([4.0, 0.1, 3.0]), [0.0, -0.1, 0.0]);
    for (half_extents, center) in [
        ([0.05, 1.5, 3.0], [4.0, 1.5, 0.0]),
        ([0.05, 1.5, 3.0], [-4.0, 1.5, 0.0]),
        ([4.0, 1.5, 0.05], [0.0, 1.5, 3.0]),
        ([4.0, 1.5, 0.05], [0.0, 1.5, -3.0]),
        ([0.3, 1.5, 0.3], [1.0, 1.5, 0.9]),
    ] {
        hull.append(&cuboid::<f64>(half_extents), center);
    }
    hull.build().expect("a hull")
}

/// The same steps lead to the same places aboard, whether the ship sails and turns or not.
#[test]
fn walking_inside_a_sailing_ship_is_as_in_one_at_anchor() {
    let places = |sails: bool| {
        let path = move |time: f64| {
            let time = if sails { time } else { 0.0 };
            (point![12.0 * time, 3.0 + 0.4 * time, 5.0 * time], about_y(0.6 * time))
        };
        let mut stage = Stage::<f64>::new(level(&[]), [-2.0, 3.0, 0.0], 60).with(hull(), path).landed();
        let mut places = Vec::new();
        for (step, seconds) in [([3.0, 0.0, 0.2], 2.5), ([0.0, 0.0, 2.0], 2.5), ([-3.0, 0.0, 2.0], 2.0)] {
            for _ in 0..(seconds * 60.0) as usize {
                // The player's view turns along, and with it the wish.
                let (_, turn) = stage.movers[0].1(f64::from(stage.ticks + 1) / 60.0);
                stage.tick((turn * Vector3::from(step)).into(), None);
                let place = stage.feet_on(0);
                assert!(place.x.abs() < 3.6 && place.z.abs() < 2.6 && place.y > -0.01, "out of the hull: {place}");
            }
            places.push(stage.feet_on(0));
        }
        places
    };
    for (sailing, anchored) in places(true).iter().zip(places(false)) {
        assert!((sailing - anchored).norm() < 1e-6, "{sailing} aboard, {anchored} at anchor");
    }
}
