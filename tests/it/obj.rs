//! OBJ files: odd ones that must load, broken ones that must be refused with the right line, real levels.

use std::{fs, path::Path, time::Instant};

use sidle::{
    Aabb3, Real, TriMesh,
    mesh::obj::{Degenerate, ObjError, ObjOptions, parse_obj, read_obj},
};

use crate::{random::Random, shared::shared_folder};

fn parse(text: &[u8]) -> Result<TriMesh<f32>, ObjError> {
    parse_obj(text, Path::new("test.obj"), &ObjOptions::default(), &mut |_| ())
}

/// A line of `expect.tsv`.
struct Expected {
    file: String,
    kind: String,
    triangles: usize,
    bounds: Aabb3<f64>,
    area: f64,
    line: Option<usize>,
}

fn expectations(folder: &Path) -> Vec<Expected> {
    let text = fs::read_to_string(folder.join("expect.tsv")).expect("the table is there");
    let rows: Vec<Expected> = text
        .lines()
        .skip(1)
        .map(|row| {
            let cells: Vec<&str> = row.split('\t').collect();
            let number = |i: usize| cells.get(i).and_then(|cell| cell.parse::<f64>().ok()).unwrap_or(0.0);
            Expected {
                file: cells[0].into(),
                kind: cells[1].into(),
                triangles: number(2) as usize,
                bounds: Aabb3 {
                    min: [number(3), number(4), number(5)].into(),
                    max: [number(6), number(7), number(8)].into(),
                },
                area: number(9),
                line: cells.get(10).and_then(|cell| cell.parse().ok()),
            }
        })
        .collect();
    assert!(rows.len() > 30, "the table has {} rows", rows.len());
    rows
}

fn check_good<T: Real>(path: &Path, expected: &Expected, origin: [f64; 3]) -> TriMesh<T> {
    let options = ObjOptions { origin, ..ObjOptions::default() };
    let mesh = read_obj::<T>(path, &options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(mesh.len(), expected.triangles, "triangles of {}", expected.file);
    let size = expected.bounds.size().amax().max(1.0);
    for axis in 0..3 {
        let near = |a: T, b: f64| (a.to_f64() + origin[axis] - b).abs() <= 1e-4 * size;
        assert!(near(mesh.bounds().min[axis], expected.bounds.min[axis]), "box of {}", expected.file);
        assert!(near(mesh.bounds().max[axis], expected.bounds.max[axis]), "box of {}", expected.file);
    }
    let off = (mesh.area() - expected.area).abs();
    assert!(off <= 1e-5 * expected.area, "area of {}: {} instead of {}", expected.file, mesh.area(), expected.area);
    mesh
}

#[test]
fn odd_files_load_and_broken_ones_name_their_line() {
    let Some(shared) = shared_folder() else { return };
    let folder = shared.join("levels/objs");
    let (mut good, mut bad) = (0, 0);
    for expected in expectations(&folder) {
        let path = folder.join(&expected.file);
        match expected.kind.as_str() {
            "ok" => {
                good += 1;
                check_good::<f64>(&path, &expected, [0.0; 3]);
                if expected.file == "ok_cad_coordinates_1e6.obj" {
                    let min = expected.bounds.min;
                    let mesh = check_good::<f32>(&path, &expected, [min.x, min.y, min.z]);
                    has_treads_of_30_cm(&mesh);
                } else {
                    check_good::<f32>(&path, &expected, [0.0; 3]);
                }
            }
            // A face may only use vertices that come before it.
            "bad" | "judge" => {
                bad += 1;
                let error = read_obj::<f32>(&path, &ObjOptions::default()).expect_err(&expected.file);
                assert_eq!(error.line, expected.line, "{error}");
                assert_eq!(error.path, path);
                assert!(error.kind.to_string().len() > 20, "this does not help: {error}");
            }
            other => panic!("unknown kind {other}"),
        }
    }
    println!("{good} files loaded, {bad} refused");
    assert!(good >= 16 && bad >= 22);
}

fn has_treads_of_30_cm(mesh: &TriMesh<f32>) {
    let mut edges: Vec<f32> = mesh.vertices().iter().map(|v| v.x).collect();
    edges.sort_by(f32::total_cmp);
    edges.dedup_by(|a, b| (*a - *b).abs() < 1e-3);
    for pair in edges.windows(2) {
        assert!((pair[1] - pair[0] - 0.3).abs() < 1e-5, "a tread of {}", pair[1] - pair[0]);
    }
}

/// Triangles and defects of each level, as its README counts them: collapsed, flat, needles, duplicates, border,
/// non-manifold, turned, distinct positions.
const LEVELS: [(&str, usize, [usize; 8]); 10] = [
    ("q3_oa_dm2", 11_859, [0, 4, 60, 11, 2500, 1047, 4, 6_101]),
    ("q3_oa_minia", 28_010, [0, 5, 5, 14, 7393, 890, 15, 16_739]),
    ("q3_pul1ctf", 56_930, [0, 3, 140, 956, 8605, 1592, 185, 31_408]),
    ("q3_kaos", 30_502, [858, 0, 74, 23, 5359, 279, 15, 16_716]),
    ("dungeon_warkarma", 72_137, [0, 0, 0, 170, 15_512, 292, 0, 46_076]),
    ("japanese_bridge_garden", 21_883, [0, 0, 0, 640, 215, 0, 0, 12_896]),
    ("brain_mri", 702_160, [0, 0, 0, 2, 0, 3, 0, 350_936]),
    ("terrain_jacksboro", 275_772, [0, 0, 0, 0, 1490, 0, 0, 138_632]),
    ("cad_counter", 83_750, [0, 0, 926, 0, 0, 0, 0, 41_837]),
    ("cad_adis16480", 7_436, [0, 0, 0, 0, 0, 0, 0, 3_672]),
];

#[test]
fn real_levels_load_with_their_triangles_and_defects() {
    let Some(shared) = shared_folder() else { return };
    for (name, triangles, expected) in LEVELS {
        let begin = Instant::now();
        let mesh = read_obj::<f64>(shared.join(format!("levels/{name}.obj")), &ObjOptions::default())
            .unwrap_or_else(|error| panic!("{error}"));
        println!("{name}: {:.2} s", begin.elapsed().as_secs_f64());
        assert_eq!(mesh.len(), triangles, "{name}");
        let d = mesh.defects();
        let counted = [
            d.collapsed,
            d.flat,
            d.needles,
            d.duplicates,
            d.border_edges,
            d.non_manifold_edges,
            d.turned_edges,
            d.positions,
        ];
        assert_eq!(
            counted, expected,
            "{name}: collapsed, flat, needles, duplicates, border, non-manifold, turned, positions"
        );
    }
}

#[test]
fn each_kind_of_error_has_its_sentence() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/broken");
    let mut count = 0;
    for entry in fs::read_dir(&folder).expect("the folder is part of the project") {
        let path = entry.expect("readable").path();
        if path.extension().is_none_or(|extension| extension != "obj") {
            continue;
        }
        let expected = fs::read_to_string(path.with_extension("txt")).expect("the message is beside the file");
        let text = fs::read(&path).expect("readable");
        let name = Path::new(path.file_name().expect("a file"));
        let error = parse_obj::<f32>(&text[..], name, &ObjOptions::default(), &mut |_| ()).expect_err("it is broken");
        assert_eq!(error.to_string(), expected.trim_end());
        count += 1;
    }
    assert!(count >= 12, "only {count} files");
}

#[test]
fn groups_and_materials_become_tags() {
    let text = b"v 0 0 0\nv 0 0 1\nv 1 0 0\no house\nf 1 2 3\ng floor\nusemtl old oak\nf 1 2 3\nusemtl\ng\nf 3 2 1\n";
    let mesh = parse(text).expect("a good file");
    let groups = [0, 1, 2].map(|i| mesh.group_names()[mesh.group(i).0 as usize].as_str());
    assert_eq!(groups, ["house", "house/floor", "house"]);
    assert_eq!(mesh.material_names()[mesh.material(1).0 as usize], "old oak");
    assert_eq!(mesh.material_names()[mesh.material(2).0 as usize], "");
}

#[test]
fn degenerate_triangles_can_be_dropped_and_files_limited() {
    let text = b"v 0 0 0\nv 0 0 1\nv 1 0 0\nf 1 2 3\nf 1 2 2\n";
    let read = |options: ObjOptions| parse_obj::<f32>(&text[..], Path::new("test.obj"), &options, &mut |_| ());
    assert_eq!(parse(text).expect("good").len(), 2);
    let dropping = ObjOptions { degenerate: Degenerate::Drop, ..ObjOptions::default() };
    assert_eq!(read(dropping).expect("good").len(), 1);
    let limited = |limit| read(ObjOptions { byte_limit: Some(limit), ..ObjOptions::default() });
    assert!(limited(text.len() as u64).is_ok());
    let error = limited(text.len() as u64 - 1).expect_err("it is a byte too long");
    assert!(error.to_string().contains("bytes that are allowed"), "{error}");
}

#[test]
fn mutilated_files_never_panic() {
    let seeds: [&[u8]; 3] = [
        b"v 0 0 0\nv 0 0 1\nv 1 0 0\nv 1 0 1\no a\ng b\nusemtl c\nf 1/1/1 2/2/2 4//3 3\nf -1 -2 -3\n",
        b"\xEF\xBB\xBFv 0 0 0 \\\r\n\r\nv 1e0 -2.5E-3 +4.\r\nv 1 1 1\r\n# x\r\nf 1 2 \\\r\n3\r\n",
        b"mtllib x\ncstype bezier\nvt 0 0\nvn 0 0 1\nv 1 2 3 4 5 6\nv 3 2 1\nv 0 0 0\nl 1 2\np 1\nf 1 2 3\nend\n",
    ];
    let mut random = Random(7);
    let (mut good, mut bad) = (0, 0);
    for round in 0..30_000 {
        let mut text = seeds[round % seeds.len()].to_vec();
        for _ in 0..=random.below(4) {
            let at = random.below(text.len().max(1)).min(text.len().saturating_sub(1));
            match random.below(4) {
                0 if !text.is_empty() => text[at] = random.next() as u8,
                1 => text.insert(at, b"v f/-\\\n9.#"[random.below(10)]),
                2 if !text.is_empty() => drop(text.remove(at)),
                _ => text.truncate(at),
            }
        }
        match parse(&text) {
            Ok(mesh) => {
                good += 1;
                assert!(mesh.vertices().iter().flat_map(|v| v.iter()).all(|x| x.is_finite()));
            }
            Err(error) => {
                bad += 1;
                assert!(!error.to_string().is_empty());
            }
        }
    }
    assert!(good > 1000 && bad > 1000, "{good} good, {bad} bad");
}
