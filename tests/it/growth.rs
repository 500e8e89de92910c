//! How the work of a query grows with the mesh: the same terrain at the same density, from a thousand triangles to a million.

use nalgebra::{Point3, Vector3, point, vector};
use sidle::{Ellipsoid, Octree, Ray3, Sweep, TriMesh, mesh::primitives, octree::Visits};

use crate::random::Random;

const SEED: u64 = 1;
/// Cells along a side, for 968, 10,082, 100,352 and 999,698 triangles.
const SIDES: [u32; 4] = [22, 71, 224, 707];
/// Metres of a cell: so the smallest terrain has a place that is so far from its border.
const CELL: f32 = 2.0;
const TO_BORDER: f64 = 15.0;
const QUERIES: usize = 1000;
/// The work on the largest terrain may be so many times that on the smallest.
const GROWTH: f64 = 3.0;

/// A kind of query: adds its work, and says whether something was hit.
type Query = fn(&Octree<f32>, &mut Random, &mut Visits) -> bool;

const KINDS: [(&str, Query); 4] = [("walk", walk), ("cast", cast), ("ray", ray), ("long ray", long_ray)];

#[test]
fn a_thousand_times_the_triangles_make_at_most_three_times_the_work() {
    let trees = SIDES.map(tree_of);
    for (name, query) in KINDS {
        let work = trees.each_ref().map(|tree| {
            let (mut random, mut visits) = (Random(SEED), Visits::default());
            let hits = (0..QUERIES).filter(|_| query(tree, &mut random, &mut visits)).count();
            let [nodes, packets] = [visits.nodes, visits.packets].map(|count| count as f64 / QUERIES as f64);
            println!(
                "{name:<8} {:>7} triangles {nodes:>6.2} nodes {packets:>6.2} packets {hits:>4} hits",
                tree.mesh().len()
            );
            assert!(hits > QUERIES / 20, "{name}: a query that hits nothing is no query");
            [nodes, packets]
        });
        let [least, most] = [work[0], work[SIDES.len() - 1]];
        for (what, least, most) in [("nodes", least[0], most[0]), ("packets", least[1], most[1])] {
            assert!(least >= 0.5 && most <= GROWTH * least, "{name}: {least} {what} became {most}");
        }
    }
}

fn tree_of(side: u32) -> Octree<f32> {
    let cells = primitives::terrain::<f32>(side, SEED).expect("a legal size");
    let vertices = cells.vertices().iter().map(|vertex| vertex * CELL).collect();
    Octree::new(TriMesh::new(vertices, cells.indices().collect()).expect("finite numbers"))
}

/// Where a body stands just above the terrain, away from its border.
fn place(tree: &Octree<f32>, random: &mut Random) -> Point3<f64> {
    let half = f64::from(tree.bounds().max.x) - TO_BORDER;
    let [x, z] = [0, 1].map(|_| random.between(-half, half));
    let down = Ray3::new(point![x as f32, 20.0, z as f32], vector![0.0, -1.0, 0.0]).expect("a direction");
    let ground = tree.cast_ray(&down, 40.0).expect("there is ground everywhere").point;
    point![f64::from(ground.x), f64::from(ground.y) + random.between(0.92, 1.0), f64::from(ground.z)]
}

fn sweep(tree: &Octree<f32>, random: &mut Random, length: f64, visits: &mut Visits) -> bool {
    let body = Ellipsoid::new(vector![0.4, 0.9, 0.4]).expect("positive radii");
    let sweep = Sweep::new(&body, place(tree, random), random.direction() * length).expect("finite numbers");
    tree.sweep_counted(&sweep, visits).is_some()
}

fn walk(tree: &Octree<f32>, random: &mut Random, visits: &mut Visits) -> bool {
    sweep(tree, random, 0.1, visits)
}

fn cast(tree: &Octree<f32>, random: &mut Random, visits: &mut Visits) -> bool {
    sweep(tree, random, 10.0, visits)
}

fn cast_ray(tree: &Octree<f32>, random: &mut Random, max_t: f32, visits: &mut Visits) -> bool {
    let (origin, direction): (_, Vector3<f64>) = (place(tree, random), random.direction());
    let ray = Ray3::new(origin.map(|x| x as f32), direction.map(|x| x as f32)).expect("a direction");
    tree.cast_ray_counted(&ray, max_t, visits).is_some()
}

fn ray(tree: &Octree<f32>, random: &mut Random, visits: &mut Visits) -> bool {
    cast_ray(tree, random, 10.0, visits)
}

fn long_ray(tree: &Octree<f32>, random: &mut Random, visits: &mut Visits) -> bool {
    cast_ray(tree, random, f32::INFINITY, visits)
}
