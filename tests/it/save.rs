//! Trees in files: what comes back, and that nothing but what was saved comes back.

use std::{io, sync::Arc};

use nalgebra::{Point3, point};
use sidle::{
    BruteForce, Octree, Real, TriMesh,
    mesh::{GroupTag, MaterialTag, MeshError, Sides, primitives},
    octree::{LoadError, TreeError},
};

use crate::{octree::compare, random::Random};

fn saved<T: Real>(tree: &Octree<T>) -> Vec<u8> {
    let mut bytes = Vec::new();
    tree.save(&mut bytes).expect("memory takes all that is written");
    bytes
}

/// Equal to the bit: in text, 0 and −0 differ, and every other number is its own.
fn assert_same<T: Real>(a: &Octree<T>, b: &Octree<T>) {
    assert!(format!("{a:?}") == format!("{b:?}"), "the trees differ");
}

fn soup<T: Real>(triangles: u32, seed: u64, middle: f64) -> TriMesh<T> {
    let mut random = Random(seed);
    let mut vertex = || Point3::from([0; 3].map(|_| T::nearest(middle + random.between(-6.0, 6.0).round())));
    let vertices = (0..3 * triangles).map(|_| vertex()).collect();
    TriMesh::new(vertices, (0..triangles).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).expect("good numbers")
}

fn tagged<T: Real>(triangles: u32) -> TriMesh<T> {
    let mesh = soup(triangles, 1, 0.0);
    let materials = (0..triangles).map(|i| MaterialTag(i as u16 % 3)).collect();
    let groups = (0..triangles).map(|i| GroupTag(i / 2)).collect();
    let mesh = mesh.with_materials(materials, ["stone", "", "Eis – glatt"].map(String::from).into());
    let mesh = mesh.and_then(|mesh| mesh.with_groups(groups, vec!["hall".into()]));
    mesh.expect("as many tags as triangles").with_sides(Sides::Front)
}

#[test]
fn a_loaded_tree_is_the_saved_one_to_the_bit() {
    fn check<T: Real>() {
        for triangles in [1, 2, 8, 9, 70, 1000] {
            for middle in [0.0, 1e4, -3e9] {
                let tree = Octree::new(soup::<T>(triangles, u64::from(triangles), middle));
                assert_same(&Octree::load(&saved(&tree)[..]).expect("what was saved is loaded"), &tree);
            }
        }
        // Of one triangle all tags are 0, and only their names are there to be kept.
        for (sides, triangles) in [(Sides::Both, 50), (Sides::Front, 1), (Sides::Front, 50), (Sides::OneWay, 50)] {
            let tree = Octree::new(tagged::<T>(triangles).with_sides(sides));
            let loaded = Octree::load_bytes(&saved(&tree)).expect("what was saved is loaded");
            assert_same(&loaded, &tree);
            assert_eq!(loaded.mesh(), tree.mesh());
        }
        let terrain = primitives::terrain::<T>(40, 3).expect("a legal size");
        let tree = Octree::new(terrain);
        assert_same(&Octree::load_bytes(&saved(&tree)).expect("what was saved is loaded"), &tree);
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn a_loaded_tree_is_brute_force() {
    let mesh = Arc::new(soup::<f32>(300, 5, 0.0));
    let tree = Octree::load_bytes(&saved(&Octree::new(mesh.clone()))).expect("what was saved is loaded");
    compare(&tree, &BruteForce::new(mesh), 1, 300);
}

#[test]
fn a_refitted_tree_can_be_saved() {
    let mut tree = Octree::new(soup::<f64>(100, 5, 0.0));
    tree.refit(soup::<f64>(100, 6, 1e5).vertices().to_vec()).expect("as many vertices");
    assert_same(&Octree::load_bytes(&saved(&tree)).expect("what was saved is loaded"), &tree);
}

/// What loading gives besides a tree. Panics where there is one.
fn error(bytes: &[u8]) -> LoadError {
    Octree::<f32>::load_bytes(bytes).expect_err("nothing that could be loaded")
}

fn small() -> Octree<f32> {
    Octree::new(tagged(20))
}

#[test]
fn a_file_that_ends_early_or_late_is_an_error() {
    let bytes = saved(&small());
    for length in 0..bytes.len() {
        let error = error(&bytes[..length]);
        assert!(matches!(error, LoadError::Truncated { .. }), "{length} bytes: {error}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(error(&longer), LoadError::Surplus { at, surplus: 1 } if at == bytes.len()));
}

#[test]
fn every_bit_counts() {
    let mut bytes = saved(&small());
    for bit in 0..8 * bytes.len() {
        bytes[bit / 8] ^= 1 << (bit % 8);
        let error = error(&bytes);
        assert!(!matches!(error, LoadError::Tree(_) | LoadError::Mesh(_)), "bit {bit} passes the checksum: {error}");
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}

#[test]
fn what_is_no_tree_of_this_kind_is_named() {
    assert!(matches!(error(b"v 0 0 0\nv 1 0 0"), LoadError::NotATree));
    assert!(matches!(error(b""), LoadError::Truncated { at: 0, .. }));
    let double = saved(&Octree::new(tagged::<f64>(3)));
    assert!(matches!(error(&double), LoadError::Scalar { found: 8, expected: 4 }));
    let mut newer = saved(&small());
    newer[8] = 2;
    assert!(matches!(error(&newer), LoadError::Version { found: 2, expected: 1 }));

    struct Broken;
    impl io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("no disk"))
        }
    }
    assert!(matches!(Octree::<f32>::load(Broken), Err(LoadError::Io(_))));
}

/// A file that someone changes, and gives the right checksum again.
struct Forged {
    bytes: Vec<u8>,
    vertices: usize,
    triangles: usize,
    names: usize,
    edges: usize,
    packets: usize,
    sizes: usize,
    leaves: usize,
    nodes: usize,
    node_count: usize,
}

const ROOT: usize = 20;
const COUNTS: usize = 24;
const NONE: u32 = u32::MAX;

/// Triangles of a deep tree.
const TRIANGLES: usize = 20_000;

impl Forged {
    fn new(tree: &Octree<f32>) -> Self {
        let bytes = saved(tree);
        let count = |i: usize| bytes[COUNTS + 8 * i] as usize + 256 * bytes[COUNTS + 8 * i + 1] as usize;
        let vertices = COUNTS + 8 * 20;
        let triangles = vertices + 12 * count(0);
        let names = triangles + 12 * count(1) + 2 * count(2) + 4 * count(3);
        let edges = names + count(5) + count(7);
        let packets = edges + count(1);
        let sizes = packets + 4 * count(1);
        let leaves = sizes + count(8);
        let (nodes, node_count) = (leaves + count(9), count(10));
        assert_eq!(nodes + 32 * node_count + 4, bytes.len());
        Self { vertices, triangles, names, edges, packets, sizes, leaves, nodes, node_count, bytes }
    }

    /// A tree with several nodes.
    fn deep() -> Self {
        Self::new(&Octree::new(soup(TRIANGLES as u32, 2, 0.0)))
    }

    fn get(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes[at..at + 4].try_into().expect("four bytes"))
    }

    fn set(mut self, at: usize, value: u32) -> Self {
        self.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        self
    }

    fn set_byte(mut self, at: usize, value: u8) -> Self {
        self.bytes[at] = value;
        self
    }

    fn child(&self, node: usize, lane: usize) -> usize {
        self.nodes + 32 * node + 4 * lane
    }

    /// The places of all children that are nodes, or that are leaves.
    fn children(&self, are_leaves: bool) -> Vec<usize> {
        let all = (0..8 * self.node_count).map(|i| self.child(0, i));
        all.filter(|at| self.get(*at) != NONE && (self.get(*at) >> 31 == 1) == are_leaves).collect()
    }

    fn error(mut self) -> LoadError {
        let end = self.bytes.len() - 4;
        let mut crc = flate2::Crc::new();
        crc.update(&self.bytes[..end]);
        self.bytes[end..].copy_from_slice(&crc.sum().to_le_bytes());
        error(&self.bytes)
    }

    fn tree_error(self) -> TreeError {
        match self.error() {
            LoadError::Tree(error) => error,
            error => panic!("not an error of the tree: {error}"),
        }
    }
}

#[test]
fn counts_that_no_file_can_hold_take_no_memory() {
    for count in 0..11 {
        for high in [1, u32::MAX] {
            let at = COUNTS + 8 * count;
            let error = Forged::new(&small()).set(at + 4, high).set(at, u32::MAX).error();
            let is_truncated = matches!(error, LoadError::Truncated { .. });
            // Of names only the number is there, not the bytes.
            let is_seen_later = matches!((count, &error), (4 | 6, LoadError::Name { .. }));
            assert!(is_truncated || is_seen_later, "count {count}: {error}");
        }
    }
}

#[test]
fn numbers_that_make_no_mesh_are_errors() {
    let forge = || Forged::new(&small());
    let vertices = forge().vertices;
    for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let error = forge().set(vertices + 12 * 3 + 4, number.to_bits()).error();
        assert!(matches!(error, LoadError::Mesh(MeshError::NotFinite { index: 3 })), "{error}");
    }
    let error = forge().set(vertices, 1e16_f32.to_bits()).error();
    assert!(matches!(error, LoadError::Mesh(MeshError::TooLarge { index: 0 })), "{error}");
    let triangles = forge().triangles;
    let error = forge().set(triangles + 12 * 2, 60).error();
    let expected = MeshError::IndexOutOfRange { triangle: 2, vertex: 60, vertices: 60 };
    assert!(matches!(&error, LoadError::Mesh(error) if *error == expected), "{error}");
    let edges = forge().edges;
    let error = forge().set(edges, 0xFF).error();
    assert!(matches!(error, LoadError::Value { index: 0, found: 0xFF, .. }), "{error}");
    let error = forge().set(16, 3).error();
    assert!(matches!(error, LoadError::Value { found: 3, .. }), "{error}");
    let names = forge().names;
    let error = forge().set(names, 6).error();
    assert!(matches!(error, LoadError::Name { .. }), "{error}");
    let error = forge().set(names + 8, 0xFFFF_FFFF).error();
    assert!(matches!(error, LoadError::Name { index: 0, .. }), "{error}");
}

#[test]
fn a_graph_that_is_no_tree_is_an_error() {
    let forge = Forged::deep;
    let (inner, leaves) = (forge().children(false), forge().children(true));
    let node_of = |at: usize| (at - forge().nodes) / 32;
    let last = *inner.last().expect("nodes below nodes");
    assert!(forge().node_count > 3);

    for root in [1, NONE, 1 << 31, 7] {
        assert!(matches!(forge().set(ROOT, root).tree_error(), TreeError::Root { .. }));
    }
    let count = forge().node_count;
    let error = forge().set(last, count as u32).tree_error();
    assert!(matches!(error, TreeError::NoSuchChild { what: "node", index, .. } if index == count), "{error}");
    let error = forge().set(leaves[0], 1 << 31 | 0xFFFF).tree_error();
    assert!(matches!(error, TreeError::NoSuchChild { what: "leaf", index: 0xFFFF, .. }), "{error}");
    let error = forge().set(leaves[0], 1 << 30).tree_error();
    assert!(matches!(error, TreeError::NoSuchChild { what: "packet", .. }), "{error}");
    for target in 0..=node_of(last) {
        let error = forge().set(last, target as u32).tree_error();
        assert!(matches!(error, TreeError::Backwards { index, .. } if index == target), "{error}");
    }
    let error = forge().set(inner[0], forge().get(inner[1])).tree_error();
    assert!(matches!(error, TreeError::Twice { what: "node", .. } | TreeError::Unused { .. }), "{error}");
    let error = forge().set(leaves[0], forge().get(leaves[1])).tree_error();
    assert!(matches!(error, TreeError::Twice { what: "leaf", .. }), "{error}");
    let error = forge().set(last, NONE).tree_error();
    assert!(matches!(error, TreeError::Unused { what: "node", .. } | TreeError::Childless { .. }), "{error}");
    // A leaf that nothing refers to, in a node that keeps another child.
    let neighbours = leaves.windows(2).find(|pair| node_of(pair[0]) == node_of(pair[1])).expect("two in a node");
    let error = forge().set(neighbours[1], NONE).tree_error();
    assert!(matches!(error, TreeError::Unused { what: "leaf", .. }), "{error}");
    let childless = (0..8).fold(forge(), |forged, lane| {
        let at = forged.child(count - 1, lane);
        forged.set(at, NONE)
    });
    assert_eq!(childless.tree_error(), TreeError::Childless { node: count - 1 });
}

#[test]
fn triangles_that_are_lost_or_doubled_are_errors() {
    let forge = Forged::deep;
    let Forged { packets, sizes, leaves, .. } = forge();
    let error = forge().set(packets + 4 * 17, TRIANGLES as u32).tree_error();
    assert_eq!(error, TreeError::NoSuchTriangle { place: 17, triangle: TRIANGLES as u32, triangles: TRIANGLES });
    let error = forge().set(packets, forge().get(packets + 4 * 599)).tree_error();
    assert!(matches!(error, TreeError::Twice { what: "triangle", .. }), "{error}");
    // One triangle less in a packet, or one packet less in a leaf, so that all others would move up.
    let fuller = (sizes..leaves).find(|at| forge().bytes[*at] > 1).expect("more than one triangle");
    let error = forge().set_byte(fuller, forge().bytes[fuller] - 1).tree_error();
    assert_eq!(error, TreeError::PacketSizes { held: TRIANGLES - 1, triangles: TRIANGLES });
    let count = leaves - sizes;
    let error = forge().set_byte(leaves, forge().bytes[leaves] - 1).tree_error();
    assert_eq!(error, TreeError::LeafSizes { held: count - 1, packets: count });
    for (at, what, size) in [(sizes, "packet", 0), (sizes, "packet", 9), (leaves, "leaf", 0), (leaves, "leaf", 65)] {
        let error = forge().set_byte(at, size).tree_error();
        assert_eq!(error, TreeError::Size { what, index: 0, size });
    }
}

/// A file of a chain of nodes, each the only child of the one before it.
fn chain(nodes: u32) -> Vec<u8> {
    let tree = Octree::new(TriMesh::new(vec![point![0.0_f32, 0.0, 0.0]; 3], vec![[0, 1, 2]]).expect("a mesh"));
    let mut bytes = saved(&tree);
    bytes.truncate(bytes.len() - 4);
    bytes[ROOT..ROOT + 4].copy_from_slice(&0_u32.to_le_bytes());
    bytes[COUNTS + 8 * 10..][..4].copy_from_slice(&nodes.to_le_bytes());
    for node in 1..=nodes {
        let child = if node == nodes { 1 << 31 } else { node };
        bytes.extend([NONE, NONE, child, NONE, NONE, NONE, NONE, NONE].map(u32::to_le_bytes).as_flattened());
    }
    let mut crc = flate2::Crc::new();
    crc.update(&bytes);
    bytes.extend(crc.sum().to_le_bytes());
    bytes
}

#[test]
fn a_tree_that_is_too_deep_for_a_query_is_an_error() {
    let tree = Octree::<f32>::load_bytes(&chain(80)).expect("just deep enough");
    assert_eq!(tree.statistics().depth, 80);
    assert!(tree.closest_point(point![1.0, 0.0, 0.0], 9.0).is_some());
    for nodes in [81, 300, 100_000] {
        let error = error(&chain(nodes));
        assert!(matches!(error, LoadError::Tree(TreeError::TooDeep { node: 80, limit: 80 })), "{error}");
    }
}

/// Whatever passes for a tree answers like brute force.
#[test]
fn forged_files_are_errors_or_trees() {
    let bytes = Forged::new(&Octree::new(soup(40, 3, 0.0))).bytes;
    let mut random = Random(9);
    let mut loaded = 0;
    for _ in 0..3000 {
        let mut bytes = bytes.clone();
        let end = bytes.len() - 4;
        for _ in 0..=random.below(2) {
            let at = 16 + random.below(end - 16);
            bytes[at] = if random.below(2) == 0 { random.next() as u8 } else { bytes[at] ^ 1 << random.below(8) };
        }
        let mut crc = flate2::Crc::new();
        crc.update(&bytes[..end]);
        bytes[end..].copy_from_slice(&crc.sum().to_le_bytes());
        let Ok(tree) = Octree::<f32>::load_bytes(&bytes) else { continue };
        compare(&tree, &BruteForce::new(tree.mesh().clone()), 1, 3);
        loaded += 1;
    }
    assert!(loaded > 100, "only {loaded} of the forged files are trees");
}
