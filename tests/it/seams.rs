//! Surfaces made of separate meshes: where one ends and the next begins is not felt.

use nalgebra::{Point3, point};
use sidle::{
    CharacterConfig, Octree, Real, World,
    character::GroundState,
    mesh::primitives::{self, MeshBuilder},
    world::Placement,
};

use crate::person::{Person, RATES, STANDS};

/// A floor of tiles along x with a wall of panels along z = 0, each a mesh of its own; the tiles of the two rows of the floor, and
/// those of the wall, are shifted against each other, so that corners of one meet edges of the other.
fn patchwork<T: Real>() -> World<T> {
    let mut world = World::new();
    let tile = world.add_mesh(Octree::new(primitives::floor::<T>(1.0, 2.0, 1, 1).expect("a tile")));
    let mut panel = MeshBuilder::new();
    panel.quad([[0.0, 0.0, 0.0], [0.7, 0.0, 0.0], [0.7, 1.0, 0.0], [0.0, 1.0, 0.0]]);
    let panel = world.add_mesh(Octree::new(panel.build::<T>().expect("a panel")));
    let mut place = |mesh, at: Point3<f64>| {
        world.place(mesh, &Placement::at(at.map(T::nearest))).expect("it is placed");
    };
    for i in 0..30 {
        let along = f64::from(i);
        place(tile, point![along, 0.0, -1.0]);
        place(tile, point![along + 0.3, 0.0, -3.0]);
        place(tile, point![along + 0.6, 0.0, 1.0]);
        for row in 0..3 {
            let shift = 0.2 * f64::from(row);
            place(panel, point![0.7 * along + shift, f64::from(row), 0.0]);
        }
    }
    world
}

fn no_seam_is_felt<T: Real>() {
    let world = patchwork::<T>();
    for (degrees, hz) in [1.0_f64, 30.0, 75.0].into_iter().flat_map(|degrees| RATES.map(|hz| (degrees, hz))) {
        let mut person = Person::of(CharacterConfig::default(), world.clone(), [2.0, STANDS, -1.5], hz);
        person.walk([0.0, 0.0, 3.0], 1.0, |_, _| ());
        let (sine, cosine) = libm::sincos(degrees.to_radians());
        let start = person.place();
        let (mut low, mut high, mut off_ground) = (start, start, 0);
        person.walk([4.0 * cosine, 0.0, 4.0 * sine], 3.0, |place, report| {
            (low, high) = (low.inf(&place), high.sup(&place));
            off_ground += usize::from(report.ground.state != GroundState::OnGround);
        });
        let scene = format!("{degrees}° to the wall at {hz} Hz");
        let way = person.place().x - start.x;
        assert!(way > 12.0 * cosine * 0.999, "{scene}: {way} m of {}", 12.0 * cosine);
        assert!(high.y - low.y < 1e-4 && high.z - low.z < 1e-4, "{scene}: jitter from {low} to {high}");
        assert_eq!(off_ground, 0, "{scene}: ticks off the ground");
    }
}

#[test]
fn a_wall_and_a_floor_of_separate_meshes_are_as_smooth_as_one() {
    no_seam_is_felt::<f32>();
    no_seam_is_felt::<f64>();
}
