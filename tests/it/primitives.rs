//! Generated meshes: counts, closedness, orientation, and the playground's promises.

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::{Point3, Vector3, point, vector};
use sidle::{
    Ray3,
    mesh::{
        MeshError, TriMesh,
        primitives::{
            MeshBuilder, PLAYGROUND_SPAWN, arch, cuboid, floor, heightfield, playground, playground_tour, ramp, sphere,
            spiral_stairs, stairs, terrain, tunnel, wall,
        },
        write_obj,
    },
    shape::Triangle,
};

#[path = "../../examples/make_meshes.rs"]
#[allow(dead_code, reason = "its main function is for the example alone")]
mod make_meshes;

fn made(mesh: Result<TriMesh<f64>, MeshError>) -> TriMesh<f64> {
    mesh.expect("the arguments make a shape")
}

/// Positive when the fronts of a closed mesh look outwards.
fn volume(mesh: &TriMesh<f64>) -> f64 {
    mesh.iter().map(|t| t.a.coords.dot(&t.b.coords.cross(&t.c.coords)) / 6.0).sum()
}

fn normal(triangle: &Triangle<f64>) -> Vector3<f64> {
    (triangle.b - triangle.a).cross(&(triangle.c - triangle.a)).normalize()
}

fn assert_close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{a} is not {b}");
}

#[test]
fn solids_are_closed_and_face_outwards() {
    let half_disc = 6.0 * (std::f64::consts::PI / 12.0).sin(); // of radius 1, in 12 segments
    let solids = [
        ("cuboid", made(cuboid([1.0, 2.0, 3.0])), 12, 48.0),
        ("ramp", made(ramp(2.0, std::f64::consts::FRAC_PI_4, 3.0)), 8, 6.0),
        ("stairs", made(stairs(10, 0.2, 0.3, 2.0)), 120, 0.2 * 0.3 * 2.0 * 55.0),
        ("one step", made(stairs(1, 0.2, 0.3, 2.0)), 12, 0.2 * 0.3 * 2.0),
        ("spiral", made(spiral_stairs(18, 0.2, 0.25, 1.0, 3.0)), 216, 0.2 * 171.0 * 4.0 * 0.25_f64.sin()),
        ("sphere", made(sphere(1.0, 96, 192)), 2 * 192 * 95, 4.1848),
        ("octahedron", made(sphere(1.0, 2, 4)), 8, 4.0 / 3.0),
        ("tunnel", made(tunnel(2.0, 2.5, 8.0, 12)), 116, 8.0 * (2.0 * 0.25 * 1.5 + half_disc * 0.5625)),
        ("gate", made(arch(1.6, 2.4, 0.5, 0.6, 12)), 116, 0.6 * (2.6 * 2.9 - 1.6 * 1.6 - half_disc * 0.64)),
        ("narrow gate", made(arch(1.0, 2.0, 0.1, 1.0, 3)), 44, 1.2 * 2.1 - 1.5 - 0.375 * 0.75_f64.sqrt()),
    ];
    for (name, mesh, triangles, expected) in solids {
        assert_eq!(mesh.len(), triangles, "{name}");
        let defects = mesh.defects();
        assert_eq!((defects.border_edges, defects.non_manifold_edges, defects.turned_edges), (0, 0, 0), "{name}");
        assert_eq!((defects.collapsed, defects.flat, defects.needles, defects.duplicates), (0, 0, 0, 0), "{name}");
        assert_eq!(defects.positions, mesh.vertices().len(), "{name} shares its vertices");
        assert!((volume(&mesh) - expected).abs() < 1e-3 * expected, "{name}: {} is not {expected}", volume(&mesh));
    }
}

#[test]
fn bounds_are_where_the_documentation_says() {
    let bounds = |mesh: TriMesh<f64>| (mesh.bounds().min, mesh.bounds().max);
    assert_eq!(bounds(made(floor(3.0, 0.1, 7, 3))), (point![-1.5, 0.0, -0.05], point![1.5, 0.0, 0.05]));
    assert_eq!(bounds(made(wall(3.0, 2.0, 5))), (point![-1.5, 0.0, 0.0], point![1.5, 2.0, 0.0]));
    assert_eq!(bounds(made(cuboid([1.0, 2.0, 3.0]))), (point![-1.0, -2.0, -3.0], point![1.0, 2.0, 3.0]));
    assert_eq!(bounds(made(sphere(2.0, 4, 8))), (point![-2.0, -2.0, -2.0], point![2.0, 2.0, 2.0]));
    assert_eq!(bounds(made(stairs(4, 0.25, 0.5, 2.0))), (point![0.0, 0.0, -1.0], point![2.0, 1.0, 1.0]));
    assert_eq!(bounds(made(tunnel(2.0, 2.5, 8.0, 4))), (point![0.0, 0.0, -1.25], point![8.0, 2.75, 1.25]));
    assert_eq!(bounds(made(arch(2.0, 2.5, 0.5, 1.0, 9))), (point![0.0, 0.0, -1.5], point![1.0, 3.0, 1.5]));
    assert_close(made(ramp(2.0, 0.5, 1.0)).bounds().max.y, 2.0 * 0.5_f64.tan());
}

#[test]
fn sheets_face_up_or_forward() {
    for mesh in [made(floor(4.0, 2.0, 4, 2)), made(heightfield(4.0, 2.0, &[0.0; 15], 5))] {
        assert_eq!(mesh.len(), 16);
        assert!(mesh.iter().all(|t| normal(&t) == vector![0.0, 1.0, 0.0]));
    }
    let heights = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
    let slope = made(heightfield(2.0, 3.0, &heights, 3));
    let slope = Columns::of(&slope);
    assert_eq!(slope.height_below(1.0, -1.5), Some(2.0), "rows run along x");
    assert_eq!(slope.height_below(-1.0, 1.5), Some(3.0), "and follow each other along z");
    assert!(made(wall(3.0, 2.0, 5)).iter().all(|t| normal(&t).z > 0.0));
    let hills = made(terrain(24, 5));
    assert_eq!((hills.len(), hills.vertices().len()), (2 * 24 * 24, 25 * 25));
    assert!(hills.iter().all(|t| normal(&t).y > 0.0));
    let gentle = hills.iter().filter(|t| normal(t).y > 0.5_f64.sqrt()).count();
    assert!(gentle * 100 > hills.len() * 95, "{gentle} of {} triangles can be walked on", hills.len());
}

#[test]
fn a_seed_gives_the_same_hills_and_another_seed_others() {
    assert_eq!(made(terrain(16, 1)), made(terrain(16, 1)));
    assert_ne!(made(terrain(16, 1)), made(terrain(16, 2)));
    // Rounded once: the narrow mesh is the wide one in the nearest numbers.
    let (wide, narrow) = (made(terrain(16, 1)), terrain::<f32>(16, 1).expect("a side of 16"));
    assert!(wide.vertices().iter().zip(narrow.vertices()).all(|(w, n)| w.map(|x| x as f32) == *n));
}

#[test]
fn arguments_without_a_shape_are_refused() {
    let nan = f64::NAN;
    let refused: Vec<Result<TriMesh<f64>, MeshError>> = vec![
        floor(0.0, 1.0, 1, 1),
        floor(1.0, nan, 1, 1),
        floor(1.0, 1.0, 0, 1),
        cuboid([1.0, -1.0, 1.0]),
        stairs(0, 0.2, 0.3, 1.0),
        stairs(3, 0.2, f64::INFINITY, 1.0),
        spiral_stairs(3, 0.2, 0.3, 2.0, 1.0),
        spiral_stairs(30, 0.2, 0.3, 1.0, 2.0),
        spiral_stairs(3, 0.2, nan, 1.0, 2.0),
        ramp(1.0, std::f64::consts::FRAC_PI_2, 1.0),
        ramp(1.0, nan, 1.0),
        tunnel(2.0, 1.0, 5.0, 8),
        tunnel(2.0, 2.0, 5.0, 1),
        arch(2.0, 2.0, 0.0, 5.0, 8),
        arch(2.0, 2.0, 0.5, 5.0, 2),
        sphere(1.0, 1, 8),
        sphere(1.0, 8, 2),
        heightfield(1.0, 1.0, &[0.0, nan, 0.0, 0.0], 2),
        terrain(0, 1),
        wall(1.0, nan, 1),
        wall(1.0, 1.0, 0),
    ];
    for (i, result) in refused.iter().enumerate() {
        assert!(matches!(result, Err(MeshError::Argument(_))), "{i}: {result:?}");
    }
    for (heights, columns) in [(5, 2), (2, 2), (4, 1), (4, 0), (0, 2)] {
        let result = heightfield::<f64>(1.0, 1.0, &vec![0.0; heights], columns);
        assert_eq!(result, Err(MeshError::HeightCount { heights, columns }));
    }
    let too_many = [floor::<f64>(1.0, 1.0, u32::MAX, u32::MAX), sphere(1.0, u32::MAX, u32::MAX), terrain(u32::MAX, 0)];
    assert!(too_many.iter().all(|result| matches!(result, Err(MeshError::TooMany { .. }))));
    assert_eq!(MeshBuilder::new().build::<f64>(), Err(MeshError::NoTriangles));
    assert!(matches!(cuboid::<f32>([1e300; 3]), Err(MeshError::NotFinite { .. })));
}

#[test]
fn the_builder_keeps_names_and_shares_vertices() {
    let square = made(floor(2.0, 2.0, 1, 1));
    let mut named = MeshBuilder::new();
    named.material("ice").append(&square, [0.0; 3]);
    let named = made(named.build());
    assert!(named.group_names().is_empty());

    let mut builder = MeshBuilder::new();
    builder.append(&square, [-2.0, 0.0, 0.0]).append(&named, [0.0; 3]).group("end").append(&square, [2.0, 0.0, 0.0]);
    let mesh = made(builder.build());
    let names = |i: u32| {
        let material = &mesh.material_names()[usize::from(mesh.material(i).0)];
        (material.as_str(), mesh.group_names()[mesh.group(i).0 as usize].as_str())
    };
    assert_eq!([0, 2, 4].map(names), [("default", "default"), ("ice", "default"), ("default", "end")]);
    assert_eq!((mesh.len(), mesh.vertices().len()), (6, 8));

    let mut turned = MeshBuilder::new();
    turned.append_turned(&made(stairs(2, 1.0, 1.0, 1.0)), 1, [0.0, 0.0, 5.0]);
    assert_eq!(made(turned.build()).bounds().min, point![-0.5, 0.0, 3.0], "what led along +X leads along -Z");
}

#[test]
fn obj_files_have_a_line_for_each_change_of_name() {
    let mut builder = MeshBuilder::new();
    for (group, material) in [("a b", "x"), ("a b", "y"), ("c", "y")] {
        let z = builder.clone().build::<f64>().map_or(0.0, |mesh| mesh.len() as f64);
        builder.group(group).material(material).triangle([[0.0, 0.0, z], [0.1, 1e-9, z], [1e15, -0.5, z]]);
    }
    let mut bytes = Vec::new();
    write_obj(&made(builder.build()), &mut bytes).expect("memory does not fail");
    let text = String::from_utf8(bytes).expect("only names could be broken");
    let (vertices, faces) = text.split_at(text.find("g ").expect("a group"));
    assert!(vertices.starts_with("v 0 0 0\nv 0.1 0.000000001 0\nv 1000000000000000 -0.5 0\n"), "{vertices}");
    assert_eq!(faces, "g a_b\nusemtl x\nf 1 2 3\nusemtl y\nf 4 5 6\ng c\nf 7 8 9\n");
}

#[test]
fn the_files_in_assets_are_what_the_generators_make() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/meshes");
    let mut total = 0;
    for (name, mesh) in make_meshes::scenes().expect("all scenes have shapes") {
        let file = std::fs::read(format!("{folder}/{name}")).expect("`cargo run --example make_meshes` writes it");
        assert!(file == make_meshes::obj_file(&mesh), "{name} is old: run `cargo run --example make_meshes`");
        total += file.len();
    }
    assert!(total < 1_000_000, "{total} bytes are too many for a repository");
}

#[test]
fn the_playground_is_clean_and_has_all_its_pieces() {
    let level: TriMesh<f64> = playground();
    assert!((2_000..=8_000).contains(&level.len()), "{} triangles", level.len());
    let defects = level.defects();
    assert_eq!((defects.collapsed, defects.flat, defects.needles, defects.duplicates), (0, 0, 0, 0));
    let narrow = playground::<f32>();
    let defects = narrow.defects();
    assert_eq!((defects.collapsed, defects.flat, defects.needles, defects.duplicates), (0, 0, 0, 0));
    assert_eq!((level.bounds().min, level.bounds().max), (point![-20.0, -2.0, -20.0], point![20.0, 4.0, 20.0]));
    let groups = "fine_floor terrain ground walls stairs platform ramp steep_ramp ledge tunnel gate corridor block_10 \
                  block_20 block_30 block_42 dome spiral tower";
    assert_eq!(level.group_names(), groups.split_whitespace().collect::<Vec<_>>());
    assert_eq!(level.material_names(), ["floor", "terrain", "wall", "stairs", "ramp", "metal"]);
}

#[test]
fn the_playgrounds_ground_has_no_cracks() {
    let level: TriMesh<f64> = playground();
    let ground = part_of(&level, &["ground", "fine_floor", "terrain"]);
    let defects = ground.defects();
    assert_eq!((defects.border_edges, defects.non_manifold_edges, defects.turned_edges), (4 * 40, 0, 0));
    let columns = Columns::of(&ground);
    let closed_in = part_of(&level, &["ground", "fine_floor", "terrain", "walls"]);
    assert_eq!(closed_in.defects().border_edges, 4 * 40, "only the upper ends of the walls");
    // On the grid's lines, where a crack would be, and between them. Nothing else is there to catch the rays.
    for shift in [0.0, 0.13] {
        for (i, j) in (0..79).flat_map(|i| (0..79).map(move |j| (i, j))) {
            let (x, z) = (f64::from(i) * 0.5 - 19.5 + shift, f64::from(j) * 0.5 - 19.5 + shift);
            assert!(columns.height_below(x, z).is_some(), "there is a hole at {x}, {z}");
        }
    }
}

#[test]
fn the_tour_is_on_the_ground_and_clear_of_walls() {
    let level: TriMesh<f64> = playground();
    let columns = Columns::of(&level);
    let tour = playground_tour();
    assert_eq!((tour[0], tour[tour.len() - 1]), (PLAYGROUND_SPAWN, PLAYGROUND_SPAWN));
    let mut visited = BTreeSet::new();
    for way in tour.windows(2) {
        let [from, to] = [Point3::from(way[0]), Point3::from(way[1])];
        let parts = ((to - from).norm() / 0.1).ceil();
        for i in 0..=parts as u32 {
            let feet = from + (to - from) * (f64::from(i) / parts);
            let (triangle, below) = columns.hit_below(feet + vector![0.0, 0.5, 0.0]).expect("the ground");
            visited.insert(level.group_names()[level.group(triangle).0 as usize].as_str());
            assert!((below - feet.y).abs() < 0.2 + 1e-9, "the ground is at {below} under {feet}");
            // The undersides of stairs and ramp lie on the ground and look down.
            let normal = normal(&level.triangle(triangle));
            assert!(normal.y.abs() > 40_f64.to_radians().cos(), "too steep under {feet}");
            assert!(columns.clearance(feet) >= 0.5, "only {} m over {feet}", columns.clearance(feet));
        }
    }
    for group in ["stairs", "platform", "ramp", "terrain", "ground", "fine_floor"] {
        assert!(visited.contains(group), "the tour misses {group}");
    }
    let rise = tour.iter().filter(|p| p[2] < -1.0).map(|p| p[1].abs()).fold(0.0, f64::max);
    assert!(rise > 0.5, "the terrain is flat where the tour goes: {rise} m");
}

#[test]
fn the_spiral_leads_up_to_the_tower() {
    let level: TriMesh<f64> = playground();
    let columns = Columns::of(&level);
    let mut last = 0.0;
    // From half a step before the first riser to the last step, in the middle between tower and edge.
    for i in -5..450 {
        let angle = f64::from(i) * 0.01;
        let (x, z) = (-8.0 + 2.35 * angle.cos(), -14.0 - 2.35 * angle.sin());
        let height = columns.height_below(x, z).expect("the ground");
        assert!((-1e-9..0.2 + 1e-9).contains(&(height - last)), "from {last} to {height}");
        assert!(columns.clearance(point![x, height, z]) >= 0.5, "too near to the tower at {x}, {z}");
        last = height;
    }
    assert_close(columns.height_below(-8.0, -14.0).expect("the tower"), last);
}

#[test]
fn the_corridor_is_nine_tenths_wide() {
    let level: TriMesh<f64> = playground();
    let columns = Columns::of(&level);
    assert_close(columns.clearance(point![-15.0, 0.0, -3.0]), 0.45);
}

/// Triangles by the columns of 1 m that their boxes touch: without it these tests take minutes unoptimized.
struct Columns<'a> {
    mesh: &'a TriMesh<f64>,
    triangles: BTreeMap<[i32; 2], Vec<u32>>,
}

impl<'a> Columns<'a> {
    fn of(mesh: &'a TriMesh<f64>) -> Self {
        let mut triangles: BTreeMap<_, Vec<u32>> = BTreeMap::new();
        for (i, t) in (0..).zip(mesh.iter()) {
            let (min, max) = (t.a.inf(&t.b).inf(&t.c), t.a.sup(&t.b).sup(&t.c));
            let ([from_x, from_z], [to_x, to_z]) = (column(min.x, min.z), column(max.x, max.z));
            for (x, z) in (from_x..=to_x).flat_map(|x| (from_z..=to_z).map(move |z| (x, z))) {
                triangles.entry([x, z]).or_default().push(i);
            }
        }
        Self { mesh, triangles }
    }

    fn in_column(&self, column: [i32; 2]) -> impl Iterator<Item = (u32, Triangle<f64>)> {
        self.triangles.get(&column).into_iter().flatten().map(|i| (*i, self.mesh.triangle(*i)))
    }

    fn height_below(&self, x: f64, z: f64) -> Option<f64> {
        Some(self.hit_below(point![x, 50.0, z])?.1)
    }

    /// The highest triangle below a point, and its height there.
    fn hit_below(&self, from: Point3<f64>) -> Option<(u32, f64)> {
        let ray = Ray3::new(from, vector![0.0, -1.0, 0.0]).expect("finite");
        let triangles = self.in_column(column(from.x, from.z));
        let hits = triangles.filter_map(|(i, triangle)| Some((i, from.y - ray.cast_triangle(&triangle)?.t)));
        hits.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Room around the axis of a body, up to 1 m, from above what its feet step on to the top of its head.
    fn clearance(&self, feet: Point3<f64>) -> f64 {
        let middles = [0.85, 1.1, 1.3].map(|height| feet + vector![0.0, height, 0.0]);
        let [x, z] = column(feet.x, feet.z);
        let near = (x - 1..=x + 1).flat_map(|x| (z - 1..=z + 1).map(move |z| [x, z]));
        let gaps = near.flat_map(|column| self.in_column(column));
        gaps.flat_map(|(_, t)| middles.map(|middle| t.closest_point(&middle).distance)).fold(1.0, f64::min)
    }
}

fn column(x: f64, z: f64) -> [i32; 2] {
    [x.floor() as i32, z.floor() as i32]
}

fn part_of(mesh: &TriMesh<f64>, groups: &[&str]) -> TriMesh<f64> {
    let mut part = MeshBuilder::new();
    for (i, triangle) in (0..).zip(mesh.iter()) {
        if groups.contains(&mesh.group_names()[mesh.group(i).0 as usize].as_str()) {
            part.triangle(triangle.vertices().map(|p| [p.x, p.y, p.z]));
        }
    }
    made(part.build())
}
