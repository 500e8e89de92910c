//! OBJ files: tricky ones, broken ones, real ones, and mutated ones.

use std::{
    fs,
    path::{Path, PathBuf},
};

use proptest::{prelude::*, test_runner::RngSeed};
use sidle::mesh::{
    DegenerateFaces, GroupTag, MaterialTag, MeshDefects, ObjError, ObjErrorKind, ObjOptions, TriMesh, parse_obj,
    read_obj,
};

use crate::shared::shared_folder;

const PLAIN: ObjOptions = ObjOptions { origin: [0.0; 3], byte_limit: None, degenerate: DegenerateFaces::Keep };
const SQUARE: &str = "v 0 0 0\nv 0 0 2\nv 2 0 2\nv 2 0 0\n";

fn parse(text: &str) -> Result<TriMesh<f64>, ObjError> {
    parse_obj(text.as_bytes(), "test.obj", &PLAIN, &mut |_| ())
}

fn mesh(text: &str) -> TriMesh<f64> {
    parse(text).expect("a good file")
}

#[test]
fn groups_and_materials_are_numbered_by_their_first_face() {
    let faces = "usemtl nobody\nusemtl stone\no hall\ng floor\nf 1 2 3 4\nusemtl \ng\nf 1 2 3\no\ng floor\nusemtl stone\n\
                 f 1 2 3\no hall\ng floor\nf 1 2 3\no attic\nf 1 2 3\n";
    let mesh = mesh(&format!("{SQUARE}f 1 3 4\n{faces}"));
    assert_eq!(mesh.group_names(), ["", "hall/floor", "hall", "floor", "attic"]);
    assert_eq!(mesh.material_names(), ["", "stone"]);
    let groups: Vec<_> = (0..mesh.len() as u32).map(|i| mesh.group(i)).collect();
    assert_eq!(groups, [0, 1, 1, 2, 3, 1, 4].map(GroupTag));
    let materials: Vec<_> = (0..mesh.len() as u32).map(|i| mesh.material(i)).collect();
    assert_eq!(materials, [0, 1, 1, 0, 1, 1, 1].map(MaterialTag));
}

#[test]
fn a_file_without_names_has_no_tags() {
    let mesh = mesh(&format!("{SQUARE}g\nusemtl\nf 1 2 3 4\n"));
    assert!(mesh.group_names().is_empty() && mesh.material_names().is_empty());
}

#[test]
fn names_that_obj_rs_uses_itself_are_names_like_others() {
    let mesh = mesh(&format!("{SQUARE}f 1 2 3\ng default\nf 1 2 3\ng 0\nf 1 2 3\n"));
    assert_eq!(mesh.group_names(), ["", "default", "0"]);
    assert_eq!([0, 1, 2].map(|i| mesh.group(i)), [0, 1, 2].map(GroupTag));
}

#[test]
fn as_many_materials_as_tags_and_not_one_more() {
    let file = |count: usize| {
        let faces: String = (0..count).map(|i| format!("usemtl m{i}\nf 1 2 3\n")).collect();
        parse(&(SQUARE.to_owned() + &faces))
    };
    assert_eq!(file(65_536).expect("as many as tags").material(65_535), MaterialTag(65_535));
    let error = file(65_537).expect_err("one too many");
    assert!(matches!(error, ObjError { line: Some(131_078), kind: ObjErrorKind::TooManyMaterials, .. }), "{error}");
}

#[test]
fn collapsed_triangles_are_counted_whether_kept_or_dropped() {
    let text = format!("{SQUARE}v 0 -0 0\nf 1 2 3\nf 1 1 2\nf 1 2 3 3\nf 1 5 3\n");
    let kept = mesh(&text);
    assert_eq!((kept.len(), kept.defects().collapsed, kept.defects().dropped), (5, 3, 0));
    let drop = ObjOptions { degenerate: DegenerateFaces::Drop, ..PLAIN };
    let dropped = parse_obj::<f64>(text.as_bytes(), "test.obj", &drop, &mut |_| ()).expect("a good file");
    assert_eq!((dropped.len(), dropped.defects().collapsed, dropped.defects().dropped), (2, 0, 3));
    let nothing_left = parse_obj::<f64>(&b"v 0 0 0\nf 1 1 1\n"[..], "test.obj", &drop, &mut |_| ());
    assert_eq!(nothing_left.expect_err("no triangle").to_string(), "test.obj: a mesh needs at least one triangle");
}

#[test]
fn the_origin_is_taken_off_before_rounding() {
    let text = "v 4684683.7 0 0\nv 4684684.0 0 0\nv 4684684.0 1 0\nf 1 2 3\n";
    let options = ObjOptions { origin: [4_684_683.0, 0.0, 0.0], ..PLAIN };
    let mesh = parse_obj::<f32>(text.as_bytes(), "test.obj", &options, &mut |_| ()).expect("a good file");
    assert_eq!(mesh.vertices()[1].x, 1.0);
    assert!((mesh.vertices()[0].x - 0.7).abs() < 1e-6);
    let nonsense = ObjOptions { origin: [f64::NAN, 0.0, 0.0], ..PLAIN };
    let error = parse_obj::<f32>(text.as_bytes(), "test.obj", &nonsense, &mut |_| ()).expect_err("NaN");
    assert_eq!(error.to_string(), "test.obj: cannot move the mesh: the origin is not finite");
}

#[test]
fn progress_rises_to_the_length_and_the_limit_stops_reading() {
    let text = SQUARE.to_owned() + &"f 1 2 3\n".repeat(50_000) + &"# nothing\n".repeat(50_000);
    let mut reports = Vec::new();
    parse_obj::<f32>(text.as_bytes(), "test.obj", &PLAIN, &mut |bytes| reports.push(bytes)).expect("a good file");
    assert!(reports.is_sorted() && reports.len() > 10);
    assert_eq!(reports.last(), Some(&(text.len() as u64)));
    let with_limit = |limit| {
        let options = ObjOptions { byte_limit: Some(limit), ..PLAIN };
        parse_obj::<f32>(text.as_bytes(), "test.obj", &options, &mut |_| ())
    };
    assert!(with_limit(text.len() as u64).is_ok());
    let error = with_limit(100).expect_err("too long");
    assert_eq!(error.to_string(), "test.obj:13: the file is longer than the limit of 100 bytes");
}

#[test]
fn a_file_that_is_not_there_is_an_error_with_its_path() {
    let error = read_obj::<f32>("no/such.obj", &PLAIN).expect_err("no file");
    assert!(error.to_string().starts_with("no/such.obj: the file cannot be read: "), "{error}");
}

#[test]
fn an_entangled_polygon_of_many_corners_is_refused_by_line_and_soon() {
    // A spiral that crosses itself nearly everywhere, so that hardly any corner is an ear.
    let count = 20_000;
    let corner = |i: usize| {
        let (sin, cos) = (i as f64 * 2.399_963).sin_cos();
        format!("v {} {} 0\n", cos * (i + 1) as f64, sin * (i + 1) as f64)
    };
    let vertices: String = (0..count).map(corner).collect();
    let face: String = (1..=count).map(|i| format!(" {i}")).collect();
    let error = parse(&format!("{vertices}f 1 2 3\nf{face}\n")).expect_err("too intricate");
    assert_eq!(
        error.to_string(),
        "test.obj:20002: a concave face of 20000 corners is too intricate; cut it into smaller ones"
    );
}

#[test]
fn a_comb_of_two_thousand_teeth_is_cut_right() {
    let teeth = 2000;
    let tooth = |i: usize| format!("v {} 3 0\nv {} 3 0\nv {} 1 0\nv {} 1 0\n", 2 * i, 2 * i + 1, 2 * i + 1, 2 * i + 2);
    let vertices: String = (0..teeth).map(tooth).collect::<String>() + &format!("v {} 0 0\nv 0 0 0\n", 2 * teeth);
    let face: String = (1..=4 * teeth + 2).map(|i| format!(" {i}")).collect();
    let comb = mesh(&format!("{vertices}f{face}\n"));
    assert_eq!((comb.len(), comb.area()), (4 * teeth, (2 * teeth + 2 * teeth) as f64));
}

/// Each broken file lies beside the message that it has to give, without the folder.
#[test]
fn broken_files_are_refused_with_a_helpful_sentence() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/broken");
    let mut tested = 0;
    for path in files(&folder, "obj") {
        let expected = fs::read_to_string(path.with_extension("txt")).expect("a message beside the file");
        let name = path.file_name().expect("a name");
        let text = fs::read(&path).expect("readable");
        let error = parse_obj::<f32>(&text[..], name, &PLAIN, &mut |_| ()).expect_err("a broken file");
        assert_eq!(error.to_string(), expected.trim_end());
        tested += 1;
    }
    assert!(tested >= 15, "only {tested} files in {}", folder.display());
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|e| e == extension)).collect();
    files.sort();
    files
}

/// The files of `levels/objs`, each of which is there because of a report to a public tracker.
#[test]
fn reported_files_load_or_are_refused_as_expected() {
    let Some(folder) = shared_folder().map(|shared| shared.join("levels/objs")) else { return };
    let table = fs::read_to_string(folder.join("expect.tsv")).expect("the table of expectations");
    let mut rows = 0;
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [file, kind, triangles, corners @ .., area, line] = &cells[..] else { panic!("a short row: {row}") };
        let path = folder.join(file);
        rows += 1;
        if *kind == "ok" {
            let mesh = read_obj::<f64>(&path, &PLAIN).unwrap_or_else(|e| panic!("{e}"));
            let number = |cell: &str| cell.parse::<f64>().expect("a number");
            assert_eq!(mesh.len().to_string(), *triangles, "{file}");
            assert_box(&mesh, corners.iter().map(|c| number(c)), 1e-6, file);
            let area = number(area);
            assert!((mesh.area() - area).abs() <= 1e-5 * area, "{file}: area {} is not {area}", mesh.area());
        } else {
            let error = read_obj::<f32>(&path, &PLAIN).expect_err(file);
            println!("{error}");
            assert_eq!(error.line.map(|l| l.to_string()).unwrap_or_default(), *line, "{error}");
        }
    }
    assert!(rows >= 39, "only {rows} rows in expect.tsv");
}

fn assert_box<T: sidle::Real>(mesh: &TriMesh<T>, corners: impl Iterator<Item = f64>, tolerance: f64, file: &str) {
    let bounds = mesh.bounds();
    let found = bounds.min.iter().chain(bounds.max.iter()).map(|x| x.to_f64());
    for (found, expected) in found.zip(corners) {
        assert!((found - expected).abs() <= tolerance, "{file}: {bounds:?}, but {expected} was expected");
    }
}

#[test]
fn survey_coordinates_keep_their_treads_in_f32_with_an_origin() {
    let Some(folder) = shared_folder().map(|shared| shared.join("levels/objs")) else { return };
    let options = ObjOptions { origin: [2_487_002.88, 0.0, 4_684_683.67], ..PLAIN };
    let stair = read_obj::<f32>(folder.join("ok_cad_coordinates_1e6.obj"), &options).expect("a good file");
    let mut xs: Vec<f32> = stair.vertices().iter().map(|v| v.x).collect();
    xs.sort_by(f32::total_cmp);
    let treads: Vec<f32> = xs.windows(2).map(|x| x[1] - x[0]).filter(|tread| *tread > 1e-3).collect();
    assert_eq!(treads.len(), 8);
    assert!(treads.iter().all(|tread| (tread - 0.3).abs() < 1e-6), "{treads:?}");
}

/// Triangles, vertices, box and defects of the levels, as their README has them.
#[test]
fn levels_load_with_the_counts_of_their_readme() {
    let Some(folder) = shared_folder().map(|shared| shared.join("levels")) else { return };
    let readme = fs::read_to_string(folder.join("README.md")).expect("the README of the levels");
    let mut tested = 0;
    for row in readme.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let file = cells[1].trim_matches('`');
        let start = std::time::Instant::now();
        let mesh = read_obj::<f32>(folder.join(file), &PLAIN).unwrap_or_else(|e| panic!("{e}"));
        println!("{file}: {:?}", start.elapsed());
        assert_eq!(mesh.len().to_string(), cells[2].replace(',', ""), "{file}");
        assert_eq!(mesh.vertices().len().to_string(), cells[3].replace(',', ""), "{file}");
        assert_box(&mesh, numbers(cells[4]).into_iter(), 1e-3, file);

        let section = readme.split(&format!("\n## {file}\n")).nth(1).expect("a section of the level");
        let line = section.lines().find(|line| line.starts_with("* Defects")).expect("a line of defects");
        let count = |what: &str| {
            let number = numbers(line.split(what).nth(1).unwrap_or_else(|| panic!("no `{what}`: {line}")));
            number[0] as usize
        };
        let expected = MeshDefects {
            collapsed: count(" collapsed "),
            dropped: 0,
            flat: count(" flat "),
            needles: count(" needles "),
            duplicates: count(" duplicates "),
            border_edges: count(" border "),
            non_manifold_edges: count(" non-manifold "),
            turned_edges: count(" turned "),
            positions: count(" distinct positions "),
        };
        assert_eq!(*mesh.defects(), expected, "{file}");
        tested += 1;
    }
    assert_eq!(tested, 10);
}

/// All numbers in a text; commas may group their digits.
fn numbers(text: &str) -> Vec<f64> {
    let words = text.split(|c: char| !c.is_ascii_digit() && !matches!(c, '-' | '.' | ','));
    words.filter_map(|word| word.replace(',', "").trim_end_matches('.').parse().ok()).collect()
}

/// Small good files, to be spoilt.
const SEEDS: [&[u8]; 4] = [
    b"\xEF\xBB\xBFo a\r\ng b c\r\nv 0 0 0\r\nv 0 0 2 1 0 0\r\nv 2 0 2\r\nv 2 0 0\r\nusemtl m\r\nf 1/1 2//2 -2/3/3 -1\r\n",
    b"v 0 0 4\nv 2 0 4\nv 2 0 2\nv 4 0 2\nv 4 0 0\nv 0 0 0\n# L \\\nf 1 2 3 \\\n 4 5 6\ng x\nf 6 5 4",
    b"cstype bezier\nv 1e-3 -.5 +4.\nv 0 0 1\nv 1 0 0\nl 1 2\np 1\nend\nlod 2\nf 1 2 3\nf 1 1 2\nf 3 3 3\n",
    b"v 0 0 0\nv 1 0 0\nv 2 0 0\nv 2 2 0\nv 1 1 0\nv 0 2 0\nf 1 2 3 4 5 6\nf 4 1 6 3 2 5\nusemtl \xFC #2\nf 6 5 4 3 2 1\n",
];

/// Bytes that have a meaning in OBJ, which mutations prefer.
const TELLING: &[u8] = b"vfgo usemtl/-+.e#\\\r\n\t0123456789,\0\xEF\xBB\xBF\xFF\xFE";

#[derive(Debug, Clone)]
enum Mutation {
    Flip { at: usize, bit: u8 },
    Set { at: usize, byte: u8 },
    Insert { at: usize, byte: u8 },
    Repeat { at: usize, length: usize },
    Cut { at: usize, length: usize },
    Truncate { at: usize },
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let (at, byte) = (any::<usize>(), prop_oneof![proptest::sample::select(TELLING), any::<u8>()]);
    prop_oneof![
        (at, 0..8u8).prop_map(|(at, bit)| Mutation::Flip { at, bit }),
        (at, byte.clone()).prop_map(|(at, byte)| Mutation::Set { at, byte }),
        (at, byte).prop_map(|(at, byte)| Mutation::Insert { at, byte }),
        (at, 1..40usize).prop_map(|(at, length)| Mutation::Repeat { at, length }),
        (at, 1..20usize).prop_map(|(at, length)| Mutation::Cut { at, length }),
        at.prop_map(|at| Mutation::Truncate { at }),
    ]
}

fn spoil(text: &mut Vec<u8>, mutation: &Mutation) {
    let length_of_text = text.len();
    let place = |at: usize| at % length_of_text.max(1);
    let range = |at: usize, length: usize| place(at)..(place(at) + length).min(length_of_text);
    match *mutation {
        Mutation::Insert { at, byte } => text.insert(place(at), byte),
        _ if text.is_empty() => {}
        Mutation::Flip { at, bit } => text[place(at)] ^= 1 << bit,
        Mutation::Set { at, byte } => text[place(at)] = byte,
        Mutation::Repeat { at, length } => text.extend_from_within(range(at, length)),
        Mutation::Cut { at, length } => drop(text.drain(range(at, length))),
        Mutation::Truncate { at } => text.truncate(place(at)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    /// No panic (in obj-rs least of all), no complaint of obj-rs, and a mesh that is what it says.
    #[test]
    fn spoilt_files_load_or_are_refused(seed in 0..SEEDS.len(), mutations in prop::collection::vec(mutation(), 1..8)) {
        let mut text = SEEDS[seed].to_vec();
        mutations.iter().for_each(|mutation| spoil(&mut text, mutation));
        match parse_obj::<f32>(&text[..], "spoilt.obj", &PLAIN, &mut |_| ()) {
            Ok(mesh) => {
                prop_assert!(mesh.area().is_finite());
                let (groups, materials) = (mesh.group_names().len(), mesh.material_names().len());
                for i in 0..mesh.len() as u32 {
                    prop_assert!(groups == 0 || (mesh.group(i).0 as usize) < groups);
                    prop_assert!(materials == 0 || usize::from(mesh.material(i).0) < materials);
                }
            }
            Err(ObjError { kind: ObjErrorKind::Refused(message), .. }) => prop_assert!(false, "{message}"),
            Err(error) => {
                let lines = text.split(|byte| matches!(byte, b'\n' | b'\r')).count();
                prop_assert!(error.line.is_none_or(|line| (1..=lines).contains(&line)), "{error}");
            }
        }
    }
}
