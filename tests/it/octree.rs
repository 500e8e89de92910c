//! The tree against brute force, to the bit: on real levels, on random soups, on everything that is hard to divide.

use std::{path::PathBuf, sync::Arc, thread};

use nalgebra::{Point3, Vector3, point};
use proptest::prelude::*;
use sidle::{
    BruteForce, Octree, Ray3, Real, Sweep, TriMesh,
    mesh::{ObjOptions, read_obj},
    octree::Visits,
};

use crate::{random::Random, shared::shared_folder};

/// Levels with more triangles get fewer queries: brute force looks at all of them for each.
const LARGE: usize = 100_000;

fn queries_for(triangles: usize) -> usize {
    if std::env::var_os("SIDLE_FULL").is_some() || triangles < LARGE { 10_000 } else { 500 }
}

/// How many of the answers were hits.
#[derive(Debug, Default)]
pub(crate) struct Hits {
    pub(crate) sweeps: usize,
    pub(crate) rays: usize,
    pub(crate) points: usize,
}

pub(crate) fn compare<T: Real>(tree: &Octree<T>, brute: &BruteForce<T>, seed: u64, queries: usize) -> Hits {
    let mesh = tree.mesh();
    let mut random = Random(seed);
    let mut hits = Hits::default();
    for query in 0..queries {
        let sweep = random.sweep(mesh);
        let (fast, slow) = (tree.sweep(&sweep), brute.sweep(&sweep));
        assert_eq!(fast, slow, "sweep {query}: {sweep:?}");
        hits.sweeps += usize::from(fast.is_some());

        let origin = random.point_in(&mesh.bounds()).map(T::nearest);
        let ray = Ray3::new(origin, random.direction().map(T::nearest)).expect("good numbers");
        let max_t = T::nearest(if random.below(2) == 0 { f64::INFINITY } else { random.between(0.0, 30.0) });
        let (fast, slow) = (tree.cast_ray(&ray, max_t), brute.cast_ray(&ray, max_t));
        assert_eq!(fast, slow, "ray {query}: {ray:?}");
        assert_eq!(tree.is_ray_blocked(&ray, max_t), slow.is_some());
        hits.rays += usize::from(fast.is_some());

        let point = random.point_near(mesh, 5.0).map(T::nearest);
        let max_distance = T::nearest(if random.below(2) == 0 { f64::INFINITY } else { random.between(0.0, 3.0) });
        let (fast, slow) = (tree.closest_point(point, max_distance), brute.closest_point(point, max_distance));
        assert_eq!(fast, slow, "point {query}: {point:?}");
        hits.points += usize::from(fast.is_some());
    }
    hits
}

fn compare_levels<T: Real>(names: &[&str]) {
    let Some(folder) = shared_folder() else { return };
    for name in names {
        let path: PathBuf = folder.join("levels").join(name).with_extension("obj");
        let mesh = Arc::new(read_obj::<T>(&path, &ObjOptions::default()).expect("the level loads"));
        let (tree, brute) = (Octree::new(mesh.clone()), BruteForce::new(mesh.clone()));
        let queries = queries_for(mesh.len());
        let halves = thread::scope(|scope| {
            let halves = [1, 2].map(|seed| {
                scope.spawn({
                    let (tree, brute) = (&tree, &brute);
                    move || compare(tree, brute, seed, queries / 2)
                })
            });
            halves.map(|half| half.join().expect("the tree agrees with brute force"))
        });
        println!("{name}: {queries} queries of each kind, hits {halves:?}");
        for hits in halves {
            let least = queries / 2 / 20;
            assert!(hits.sweeps > least && hits.rays > least && hits.points > least, "{name}: too few hits {hits:?}");
        }
    }
}

#[test]
fn the_tree_is_brute_force_on_game_levels() {
    compare_levels::<f32>(&["q3_oa_dm2", "q3_oa_minia", "q3_pul1ctf", "q3_kaos"]);
}

#[test]
fn the_tree_is_brute_force_on_made_levels() {
    compare_levels::<f32>(&["dungeon_warkarma", "japanese_bridge_garden"]);
}

#[test]
fn the_tree_is_brute_force_on_cad_parts() {
    compare_levels::<f32>(&["cad_counter", "cad_adis16480"]);
}

#[test]
fn the_tree_is_brute_force_on_scans() {
    compare_levels::<f32>(&["brain_mri", "terrain_jacksboro"]);
}

#[test]
fn the_tree_is_brute_force_in_double_precision() {
    compare_levels::<f64>(&["cad_adis16480", "q3_oa_dm2"]);
}

/// Corners on a coarse grid: ties, shared borders and degenerate triangles are the rule.
pub(crate) fn soup() -> impl Strategy<Value = Vec<[[i8; 3]; 3]>> {
    prop::collection::vec(prop::array::uniform3(prop::array::uniform3(-4_i8..=4)), 1..120)
}

pub(crate) fn mesh_of(soup: &[[[i8; 3]; 3]]) -> TriMesh<f32> {
    let vertices = soup.iter().flatten().map(|v| Point3::from(v.map(f32::from))).collect();
    let triangles = (0..soup.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    TriMesh::new(vertices, triangles).expect("good numbers")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_tree_is_brute_force_on_grid_soups(soup in soup(), seed: u64) {
        let mesh = Arc::new(mesh_of(&soup));
        compare(&Octree::new(mesh.clone()), &BruteForce::new(mesh), seed, 30);
    }

    #[test]
    fn all_contacts_and_overlaps_are_those_of_brute_force(soup in soup(), seed: u64) {
        let mesh = Arc::new(mesh_of(&soup));
        let (tree, brute) = (Octree::new(mesh.clone()), BruteForce::new(mesh.clone()));
        let mut random = Random(seed);
        for _ in 0..10 {
            let sweep = random.sweep(&mesh);
            let (mut fast, mut slow) = (Vec::new(), Vec::new());
            tree.each_contact(&sweep, |hit| fast.push(hit));
            brute.each_contact(&sweep, |hit| slow.push(hit));
            fast.sort_by_key(|hit| hit.triangle);
            prop_assert_eq!(fast, slow);

            let mut overlaps = 0;
            tree.each_overlap(&sweep, |hit| {
                assert!(hit.contact.overlap.is_some());
                overlaps += 1;
            });
            prop_assert_eq!(tree.has_room(&sweep), overlaps == 0);
        }
    }

    #[test]
    fn the_order_of_triangles_does_not_change_the_contact(soup in soup(), seed: u64) {
        let mut reversed = soup.clone();
        reversed.reverse();
        let (a, b) = (Octree::new(mesh_of(&soup)), Octree::new(mesh_of(&reversed)));
        let mut random = Random(seed);
        for _ in 0..20 {
            let sweep = random.sweep(a.mesh());
            let (a, b) = (a.sweep(&sweep), b.sweep(&sweep));
            prop_assert_eq!(a.map(|hit| hit.contact.fraction), b.map(|hit| hit.contact.fraction));
        }
    }
}

#[test]
fn a_query_over_a_large_floor_looks_at_few_triangles() {
    let side = 256;
    let vertices = (0..=side * side + 2 * side).map(|i| point![(i % (side + 1)) as f32, 0.0, (i / (side + 1)) as f32]);
    let corner = |x: u32, z: u32| z * (side + 1) + x;
    let triangles = (0..side * side).flat_map(|i| {
        let (x, z) = (i % side, i / side);
        let [a, b, c, d] = [corner(x, z), corner(x, z + 1), corner(x + 1, z + 1), corner(x + 1, z)];
        [[a, b, c], [a, c, d]]
    });
    let tree = Octree::new(TriMesh::new(vertices.collect(), triangles.collect()).expect("a floor"));
    let body = sidle::Ellipsoid::new(Vector3::new(0.4, 0.9, 0.4)).expect("good radii");
    let sweep = Sweep::new(&body, point![100.3, 0.95, 77.7], Vector3::new(0.05, -0.1, 0.0)).expect("good numbers");
    let mut visits = Visits::default();
    assert!(tree.sweep_counted(&sweep, &mut visits).is_some());
    assert!(visits.nodes <= 24 && visits.packets <= 8 && visits.triangles <= 40, "{visits:?}");
}

#[test]
fn a_point_that_is_nowhere_has_no_nearest_one() {
    let tree = Octree::new(sidle::mesh::primitives::playground::<f64>());
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for point in [point![bad, 0.0, 0.0], point![0.0, bad, 0.0], point![bad, bad, bad]] {
            assert_eq!(tree.closest_point(point, 10.0), None);
            assert_eq!(tree.closest_point(point, f64::INFINITY), None);
            let mut many = [None; 20];
            tree.closest_point_many(&[point; 20], 10.0, &mut many);
            assert_eq!(many, [None; 20]);
        }
    }
    assert_eq!(tree.closest_point(point![0.0, 0.0, 0.0], f64::NAN), None);
}

/// Bytes a triangle of mesh, edge bits and tree.
fn bytes_a_triangle(mesh: TriMesh<f32>) -> f64 {
    mesh.defects(); // edge bits count too
    let tree = Octree::new(mesh);
    (tree.mesh().memory().total() + tree.statistics().bytes) as f64 / tree.mesh().len() as f64
}

#[test]
fn a_triangle_takes_at_most_eighty_bytes() {
    let terrain = sidle::mesh::primitives::terrain::<f32>(200, 7).expect("a terrain");
    let on_terrain = bytes_a_triangle(terrain);
    assert!(on_terrain <= 80.0, "{on_terrain}");
    let Some(folder) = shared_folder() else { return };
    for name in ["q3_kaos", "q3_oa_dm2", "cad_counter", "dungeon_warkarma", "japanese_bridge_garden"] {
        let path = folder.join("levels").join(name).with_extension("obj");
        let mesh = read_obj::<f32>(&path, &ObjOptions::default()).expect("the level loads");
        let (as_read, welded) = (bytes_a_triangle(mesh.clone()), bytes_a_triangle(mesh.welded()));
        println!("{name}: {as_read:.1} bytes a triangle as read, {welded:.1} with one vertex at each place");
        assert!(welded <= 80.0, "{name}: {welded}");
    }
}

#[test]
fn welding_changes_no_answer() {
    let grid = |i: usize| [(i % 3) as f32, (i / 3 % 3) as f32 - 1.0, (i / 9 % 3) as f32];
    let mut random = Random(4);
    let vertices: Vec<_> = (0..300).map(|_| Point3::from(grid(random.below(27)))).collect();
    let triangles = (0..100).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let plain = TriMesh::new(vertices, triangles).expect("a soup");
    let welded = plain.clone().welded();
    assert!(welded.vertices().len() <= 27, "{}", welded.vertices().len());
    assert_eq!(welded.defects(), plain.defects());
    assert!(plain.iter().eq(welded.iter()));
    let trees = [Octree::new(plain.clone()), Octree::new(welded)];
    for _ in 0..500 {
        let sweep = random.sweep(&plain);
        assert_eq!(trees[0].sweep(&sweep), trees[1].sweep(&sweep));
    }
}
