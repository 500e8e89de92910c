//! Along walls of a thousand quads: the pieces are not felt.

use nalgebra::{Rotation3, Vector3, point, vector};
use sidle::{
    Ellipsoid, Octree, QueryFilter, Real, Scratch, TriMesh, World,
    character::{Body, End, GroundState, move_and_slide},
    mesh::primitives::MeshBuilder,
};

use crate::{
    person::{Person, RATES, STANDS},
    random::Random,
};

/// Speed that may be lost beyond what the angle takes, as a share.
const LOSS: f64 = 1e-3;
/// How far the height may vary, in metres.
const JITTER: f64 = 1e-4;

/// How a wall is made.
#[derive(Debug, Clone, Copy)]
struct Wall {
    columns: u32,
    rows: u32,
    /// Each row is shifted by a third of a quad against the one below, so that corners meet edges.
    is_shifted: bool,
    /// From the vertical, towards the body, in degrees.
    lean: f64,
    /// About the vertical, in degrees.
    turn: f64,
}

const LENGTH: f64 = 100.0;

impl Wall {
    fn turned(&self) -> Rotation3<f64> {
        Rotation3::from_axis_angle(&Vector3::y_axis(), self.turn.to_radians())
    }

    /// The wall along x, its foot at z = 0, on a floor of two triangles; each quad with a random diagonal and random windings.
    fn level<T: Real>(&self) -> TriMesh<T> {
        let mut random = Random(11);
        let mut level = MeshBuilder::new();
        let turned = self.turned();
        let (width, height) = (LENGTH / f64::from(self.columns), 2.0 / f64::from(self.rows));
        for row in 0..self.rows {
            let shift = if self.is_shifted { -width * f64::from(row) / 3.0 } else { 0.0 };
            for column in 0..self.columns {
                let corner = |i: u32, j: u32| -> [f64; 3] {
                    let (x, y) = (width * f64::from(column + i) + shift, height * f64::from(row + j));
                    (turned * point![x, y, -y * self.lean.to_radians().tan()]).into()
                };
                let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                let halves = if random.below(2) == 0 { [[a, b, c], [a, c, d]] } else { [[b, c, d], [b, d, a]] };
                for [a, b, c] in halves {
                    level.triangle(if random.below(2) == 0 { [a, b, c] } else { [a, c, b] });
                }
            }
        }
        let far = 3.0 * LENGTH;
        level.quad([[-far, 0.0, -far], [-far, 0.0, far], [far, 0.0, far], [far, 0.0, -far]]);
        level.build().expect("a level")
    }

    /// Walks up to the wall and then along it, at an angle in degrees between the wish and the wall.
    fn is_not_felt<T: Real>(&self, mesh: &TriMesh<T>, angle: f64, hz: u32) {
        let turned = self.turned();
        let start = turned * point![5.0, STANDS, -3.0];
        let mut person = Person::at(mesh.clone(), start.into(), hz);
        person.walk((turned * Vector3::z() * 3.0).into(), 1.5, |_, _| ());
        let (sine, cosine) = angle.to_radians().sin_cos();
        let (from, wish) = (person.place(), Vector3::new(cosine, 0.0, sine) * 4.0);
        let (mut low, mut high, mut off_ground) = (f64::MAX, f64::MIN, 0);
        let seconds = 5.0;
        person.walk((turned * wish).into(), seconds, |place, report| {
            (low, high) = (low.min(place.y), high.max(place.y));
            off_ground += usize::from(report.ground.state != GroundState::OnGround);
        });
        let way = turned.inverse() * (person.place() - from);
        let share = way.x / (wish.x * seconds);
        let scene = format!("{self:?}, {angle}° at {hz} Hz");
        assert!((share - 1.0).abs() < LOSS, "{scene}: it makes {share} of v·cos");
        assert!(high - low < JITTER, "{scene}: the height varies by {} m", high - low);
        assert_eq!(off_ground, 0, "{scene}: ticks off the ground");
    }
}

fn no_wall_is_felt<T: Real>() {
    let row = Wall { columns: 1000, rows: 1, is_shifted: false, lean: 0.0, turn: 0.0 };
    let grid = Wall { columns: 250, rows: 4, ..row };
    let walls = [
        row,
        grid,
        Wall { is_shifted: true, ..grid },
        Wall { turn: 33.0, ..grid },
        Wall { lean: 10.0, is_shifted: true, ..grid },
        Wall { lean: -10.0, ..grid },
        Wall { lean: -30.0, turn: -71.0, ..grid },
    ];
    for wall in walls {
        let mesh = wall.level::<T>();
        for (angle, hz) in [1.0, 30.0, 60.0, 85.0].into_iter().flat_map(|angle| RATES.map(|hz| (angle, hz))) {
            wall.is_not_felt(&mesh, angle, hz);
        }
    }
}

#[test]
fn walls_of_a_thousand_quads_cost_no_speed_and_no_height() {
    no_wall_is_felt::<f32>();
    no_wall_is_felt::<f64>();
}

/// At a wall to the last bit or two, a motion along it may enter an edge by a share of rounding, more in the space of a tall
/// ellipsoid than in the world. That is not another contact, to be met again and again.
#[test]
fn no_motion_along_a_wall_meets_the_same_edge_again_and_again() {
    let wall = Wall { columns: 1000, rows: 1, is_shifted: false, lean: 0.0, turn: 0.0 };
    let world = World::of_level(Octree::new(wall.level::<f64>()));
    let (filter, mut scratch) = (QueryFilter::default(), Scratch::default());
    for radii in [[0.4, 0.9, 0.4], [0.1, 0.95, 0.1], [0.9, 0.2, 0.4], [0.4, 0.4, 0.4]] {
        let body = Body::new(Ellipsoid::new(radii.into()).expect("good radii"), 0.02).expect("a skin");
        for i in 0..20_000 {
            let x = 10.0 + 1e-3 * f64::from(i);
            // The quads are 0.1 m wide: every hundredth place is at an edge but for rounding.
            let z = (0..i % 5).fold(-(radii[2] + 0.02), |z: f64, _| z.next_down());
            let motion = [vector![0.0, -0.2, 0.0], vector![0.05, 0.0, 0.0], vector![0.01, -0.01, 1e-3]][i as usize % 3];
            let slide =
                move_and_slide(&world, &body, point![x, 1.5, z], motion, &filter, &mut scratch).expect("numbers");
            assert!(slide.end == End::Arrived && slide.rounds <= 5, "{radii:?} at {x}, {z}: {:?}", slide.end);
        }
    }
}
