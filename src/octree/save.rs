//! Trees in files: [`Octree::save`] and [`Octree::load`].
//!
//! A file holds what cannot be found out again in O(n): the mesh with its edge bits, and the shape of the tree. Bounds,
//! origin, boxes, packets and depth follow from these; they take less time to compute than to read and to check, and so
//! cannot be wrong.
//!
//! # The format
//! All numbers are little-endian; there are no gaps.
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | [`MAGIC`] |
//! | 4 · 4 | [`VERSION`]; bytes of a scalar, 4 or 8; 1 where the mesh is solid from the front only, else 0; the root |
//! | 11 · 8 | counts, in the order of [`Counts`] |
//! | 9 · 8 | defects, in the order of [`MeshDefects`] |
//! | | vertices, of three scalars |
//! | | triangles, of three indices of 4 bytes |
//! | | material tags of 2 bytes, group tags of 4 bytes: none where all are 0, else one for each triangle |
//! | | names of materials, then of groups: a length of 8 bytes, and so many bytes of UTF-8 |
//! | | edge bits, a byte for each triangle |
//! | | triangles of the first packet, of the second, and so on, as indices of 4 bytes |
//! | | number of triangles of each packet, a byte |
//! | | number of packets of each leaf, a byte |
//! | | nodes, of eight children of 4 bytes |
//! | 4 | CRC-32 (that of zip and PNG) of all bytes before |
//!
//! A child is the index of a node, or 2³¹ + the index of a leaf, or 2³² − 1 for none.

use std::{
    io::{self, Read, Write},
    sync::Arc,
};

use nalgebra::Point3;

use super::{
    Child, Content, LEAF_GROUPS, Leaf, LoadError, Node, Octree, TreeError,
    build::{Bounds, MAX_DEPTH},
};
use crate::{
    mesh::{EdgeBits, GroupTag, MaterialTag, MeshDefects, Sides, TriMesh},
    real::Real,
    shape::Aabb3,
    sweep::packet::TrianglePacket,
    wide::{LANES, SimdLevel},
};

/// The first bytes of a file. The first one is no text, and the last is changed by whatever mends the ends of lines.
const MAGIC: [u8; 8] = *b"\x89SIDLE\r\n";

/// The version that is written, and the only one that is read.
const VERSION: u32 = 1;

/// How many there are of everything.
#[derive(Debug, Clone, Copy)]
struct Counts {
    vertices: u64,
    triangles: u64,
    material_tags: u64,
    group_tags: u64,
    material_names: u64,
    material_name_bytes: u64,
    group_names: u64,
    group_name_bytes: u64,
    packets: u64,
    leaves: u64,
    nodes: u64,
}

impl<T: Real> Octree<T> {
    /// Writes the mesh and the tree, so that [`Octree::load`] has them ready in a fraction of the time that reading the
    /// mesh and building the tree take. The same tree always gives the same bytes, on every machine.
    ///
    /// The bytes are put together in memory and written at once.
    ///
    /// # Errors
    /// If writing fails.
    ///
    /// ```
    /// # use nalgebra::{point, vector};
    /// use sidle::{Ellipsoid, Octree, Sweep, mesh::primitives};
    ///
    /// let level = Octree::new(primitives::stairs::<f32>(10, 0.2, 0.3, 2.0)?);
    /// let mut file = Vec::new(); // or a `File`
    /// level.save(&mut file)?;
    ///
    /// let loaded = Octree::<f32>::load(&file[..])?;
    /// let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
    /// let walk = Sweep::new(&body, point![-2.0, 0.95, 0.0], vector![5.0, 0.0, 0.0])?;
    /// assert_eq!(loaded.sweep(&walk), level.sweep(&walk));
    ///
    /// file[200] ^= 1;
    /// assert!(Octree::<f32>::load_bytes(&file).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, mut writer: impl Write) -> io::Result<()> {
        writer.write_all(&self.to_bytes())
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mesh = &*self.mesh;
        let (materials, groups) = mesh.tags();
        let [material_names, group_names] = [mesh.material_names(), mesh.group_names()].map(names_to_bytes);
        let counts = Counts {
            vertices: mesh.vertices().len() as u64,
            triangles: mesh.len() as u64,
            material_tags: materials.len() as u64,
            group_tags: groups.len() as u64,
            material_names: mesh.material_names().len() as u64,
            material_name_bytes: material_names.len() as u64,
            group_names: mesh.group_names().len() as u64,
            group_name_bytes: group_names.len() as u64,
            packets: self.packets.len() as u64,
            leaves: self.leaves.len() as u64,
            nodes: self.nodes.len() as u64,
        };

        let mesh_bytes = mesh.memory().total();
        let mut out = Vec::with_capacity(
            256 + mesh_bytes
                + material_names.len()
                + group_names.len()
                + 5 * mesh.len()
                + self.leaves.len()
                + 4 * LANES * self.nodes.len(),
        );
        out.extend(MAGIC);
        let sides: u32 = match mesh.sides() {
            Sides::Both => 0,
            Sides::Front => 1,
            Sides::OneWay => 2,
        };
        out.extend([VERSION, scalar_bytes::<T>(), sides, self.root.0].map(u32::to_le_bytes).as_flattened());
        out.extend(counts.to_array().map(u64::to_le_bytes).as_flattened());
        out.extend(defects_to_array(mesh.defects()).map(|count| (count as u64).to_le_bytes()).as_flattened());
        for vertex in mesh.vertices() {
            let [x, y, z]: [T; 3] = vertex.coords.into();
            if T::IS_F32 {
                out.extend([x, y, z].map(|x| (x.to_f64() as f32).to_le_bytes()).as_flattened());
            } else {
                out.extend([x, y, z].map(|x| x.to_f64().to_le_bytes()).as_flattened());
            }
        }
        out.extend(mesh.indices().flatten().flat_map(u32::to_le_bytes));
        out.extend(materials.iter().flat_map(|tag| tag.0.to_le_bytes()));
        out.extend(groups.iter().flat_map(|tag| tag.0.to_le_bytes()));
        out.extend(material_names);
        out.extend(group_names);
        out.extend((0..mesh.len() as u32).map(|triangle| mesh.edge_bits(triangle).to_bits()));
        out.extend(self.packets.iter().flat_map(TrianglePacket::ids).flat_map(u32::to_le_bytes));
        out.extend(self.packets.iter().map(|packet| packet.ids().count() as u8));
        out.extend(self.leaves.iter().map(|leaf| leaf.len as u8));
        out.extend(self.nodes.iter().flat_map(|node| node.children).flat_map(|child| child.0.to_le_bytes()));
        let checksum = crc32fast::hash(&out);
        out.extend(checksum.to_le_bytes());
        out
    }

    /// Reads a tree that [`Octree::save`] wrote. It is equal to that one to the bit, and works with the best vector
    /// instructions of this machine.
    ///
    /// Every file gives a tree that answers all queries as brute force over its mesh does, or an error. Beyond the
    /// checksum, all that a query relies on is checked, in O(n) and with memory in proportion to the length of the file.
    /// Not checked are the edge bits and the counts of defects: whoever forges a file with a right checksum can have
    /// edges overlooked that a body would touch, as [`TriMesh::edge_bits`] then says.
    ///
    /// With the feature `parallel` the threads of rayon's current pool take part.
    ///
    /// # Errors
    /// If reading fails, and for everything that [`LoadError`] lists.
    pub fn load(mut reader: impl Read) -> Result<Self, LoadError> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes)?;
        Self::load_bytes(&bytes)
    }

    /// As [`Octree::load`], from bytes in memory, such as those of an archive or a mapped file.
    ///
    /// # Errors
    /// As [`Octree::load`], but for reading.
    pub fn load_bytes(bytes: &[u8]) -> Result<Self, LoadError> {
        let saved = Saved::parse::<T>(bytes)?;
        let mesh = saved.mesh::<T>()?;
        let (root, children) = (Child(saved.root), saved.children());
        let depth = examine(root, &children, saved.leaves.len())?;
        let leaves = leaves(saved.leaves, saved.packet_sizes.len())?;
        let packets = packets(saved.packet_sizes, &saved.packet_triangles(), mesh.len())?;
        let mut tree = Self {
            mesh: Arc::new(mesh),
            bounds: Aabb3::empty(),
            origin: Point3::origin(),
            extent: 0.0,
            nodes: children.into_iter().map(|children| Node { children, ..Node::EMPTY }).collect(),
            leaves,
            packets,
            root,
            depth,
            level: SimdLevel::best(),
        };
        tree.fit(cfg!(feature = "parallel"));
        Ok(tree)
    }
}

fn scalar_bytes<T: Real>() -> u32 {
    if T::IS_F32 { 4 } else { 8 }
}

fn names_to_bytes(names: &[String]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for name in names {
        bytes.extend((name.len() as u64).to_le_bytes());
        bytes.extend(name.as_bytes());
    }
    bytes
}

fn defects_to_array(defects: &MeshDefects) -> [usize; 9] {
    let MeshDefects {
        collapsed,
        dropped,
        flat,
        needles,
        duplicates,
        border_edges,
        non_manifold_edges,
        turned_edges,
        positions,
    } = *defects;
    [collapsed, dropped, flat, needles, duplicates, border_edges, non_manifold_edges, turned_edges, positions]
}

fn defects_from_array(counts: [usize; 9]) -> MeshDefects {
    let [collapsed, dropped, flat, needles, duplicates, border_edges, non_manifold_edges, turned_edges, positions] =
        counts;
    MeshDefects {
        collapsed,
        dropped,
        flat,
        needles,
        duplicates,
        border_edges,
        non_manifold_edges,
        turned_edges,
        positions,
    }
}

impl Counts {
    fn to_array(self) -> [u64; 11] {
        let [material_names, material_bytes] = [self.material_names, self.material_name_bytes];
        let [group_names, group_bytes] = [self.group_names, self.group_name_bytes];
        let Self { vertices, triangles, material_tags, group_tags, packets, leaves, nodes, .. } = self;
        [
            vertices,
            triangles,
            material_tags,
            group_tags,
            material_names,
            material_bytes,
            group_names,
            group_bytes,
            packets,
            leaves,
            nodes,
        ]
    }

    fn from_array(counts: [u64; 11]) -> Self {
        let [vertices, triangles, material_tags, group_tags, names @ .., packets, leaves, nodes] = counts;
        let [material_names, material_name_bytes, group_names, group_name_bytes] = names;
        Self {
            vertices,
            triangles,
            material_tags,
            group_tags,
            material_names,
            material_name_bytes,
            group_names,
            group_name_bytes,
            packets,
            leaves,
            nodes,
        }
    }
}

/// The bytes from some place on.
struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    /// The next `count` things of `size` bytes each. What they become takes memory only after they are known to be there.
    fn take(&mut self, count: u64, size: usize, what: &'static str) -> Result<&'a [u8], LoadError> {
        let (at, left) = (self.at, self.bytes.len() - self.at);
        let needed = u128::from(count) * size as u128;
        if needed > left as u128 {
            return Err(LoadError::Truncated { what, at, needed, left });
        }
        self.at += needed as usize;
        Ok(&self.bytes[at..self.at])
    }

    fn u32(&mut self, what: &'static str) -> Result<u32, LoadError> {
        Ok(u32s(self.take(1, 4, what)?).next().unwrap_or_default())
    }

    fn u64s<const N: usize>(&mut self, what: &'static str) -> Result<[u64; N], LoadError> {
        let mut numbers = [0; N];
        for (number, bytes) in numbers.iter_mut().zip(self.take(N as u64, 8, what)?.as_chunks().0) {
            *number = u64::from_le_bytes(*bytes);
        }
        Ok(numbers)
    }
}

fn u32s(bytes: &[u8]) -> impl ExactSizeIterator<Item = u32> + '_ {
    bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes))
}

/// The parts of a file whose lengths and checksum are right.
struct Saved<'a> {
    counts: Counts,
    sides: u32,
    root: u32,
    defects: [u64; 9],
    vertices: &'a [u8],
    triangles: &'a [u8],
    material_tags: &'a [u8],
    group_tags: &'a [u8],
    material_names: &'a [u8],
    group_names: &'a [u8],
    edges: &'a [u8],
    packets: &'a [u8],
    packet_sizes: &'a [u8],
    leaves: &'a [u8],
    nodes: &'a [u8],
}

impl<'a> Saved<'a> {
    fn parse<T: Real>(bytes: &'a [u8]) -> Result<Self, LoadError> {
        if !bytes.starts_with(&MAGIC) && !MAGIC.starts_with(bytes) {
            return Err(LoadError::NotATree);
        }
        let mut input = Input { bytes, at: 0 };
        input.take(1, MAGIC.len(), "the first bytes")?;
        let found = input.u32("the version")?;
        if found != VERSION {
            return Err(LoadError::Version { found, expected: VERSION });
        }
        let found = input.u32("the size of a scalar")?;
        if found != scalar_bytes::<T>() {
            return Err(LoadError::Scalar { found, expected: scalar_bytes::<T>() });
        }
        let (sides, root) = (input.u32("the sides")?, input.u32("the root")?);
        let counts = Counts::from_array(input.u64s("the counts")?);
        let saved = Self {
            counts,
            sides,
            root,
            defects: input.u64s("the defects")?,
            vertices: input.take(counts.vertices, 3 * scalar_bytes::<T>() as usize, "the vertices")?,
            triangles: input.take(counts.triangles, 3 * 4, "the triangles")?,
            material_tags: input.take(counts.material_tags, 2, "the material tags")?,
            group_tags: input.take(counts.group_tags, 4, "the group tags")?,
            material_names: input.take(counts.material_name_bytes, 1, "the names of materials")?,
            group_names: input.take(counts.group_name_bytes, 1, "the names of groups")?,
            edges: input.take(counts.triangles, 1, "the edge bits")?,
            packets: input.take(counts.triangles, 4, "the packets")?,
            packet_sizes: input.take(counts.packets, 1, "the sizes of packets")?,
            leaves: input.take(counts.leaves, 1, "the leaves")?,
            nodes: input.take(counts.nodes, 4 * LANES, "the nodes")?,
        };
        let end = input.at;
        let stored = input.u32("the checksum")?;
        if input.at < bytes.len() {
            return Err(LoadError::Surplus { at: input.at, surplus: bytes.len() - input.at });
        }
        let computed = crc32fast::hash(&bytes[..end]);
        if stored == computed { Ok(saved) } else { Err(LoadError::Checksum { stored, computed }) }
    }

    fn mesh<T: Real>(&self) -> Result<TriMesh<T>, LoadError> {
        let vertices = if T::IS_F32 {
            let triples = self.vertices.as_chunks().0.as_chunks::<3>().0;
            triples.iter().map(|v| Point3::from(v.map(|x| T::nearest(f64::from(f32::from_le_bytes(x)))))).collect()
        } else {
            let triples = self.vertices.as_chunks().0.as_chunks::<3>().0;
            triples.iter().map(|v| Point3::from(v.map(|x| T::nearest(f64::from_le_bytes(x))))).collect()
        };
        let triples = self.triangles.as_chunks().0.as_chunks::<3>().0;
        let corners = triples.iter().map(|corners| corners.map(u32::from_le_bytes)).collect();
        let mesh = TriMesh::from_examined(vertices, corners, self.edge_bits()?, self.defects()?)?;
        let triangles = mesh.len();

        let tags = self.material_tags.as_chunks().0.iter().map(|bytes| MaterialTag(u16::from_le_bytes(*bytes)));
        let names = read_names(self.material_names, self.counts.material_names, "the name of material")?;
        let mesh = mesh.with_materials(or_zeros(tags.collect(), triangles), names)?;

        let tags = u32s(self.group_tags).map(GroupTag);
        let names = read_names(self.group_names, self.counts.group_names, "the name of group")?;
        let mesh = mesh.with_groups(or_zeros(tags.collect(), triangles), names)?;

        match self.sides {
            0 => Ok(mesh.with_sides(Sides::Both)),
            1 => Ok(mesh.with_sides(Sides::Front)),
            2 => Ok(mesh.with_sides(Sides::OneWay)),
            found => Err(LoadError::Value { what: "the number of sides", index: 0, found: found.into() }),
        }
    }

    fn edge_bits(&self) -> Result<Vec<EdgeBits>, LoadError> {
        let bits = |(index, found): (usize, &u8)| {
            EdgeBits::from_bits(*found).ok_or(LoadError::Value {
                what: "the edge bits of triangle",
                index,
                found: (*found).into(),
            })
        };
        self.edges.iter().enumerate().map(bits).collect()
    }

    fn defects(&self) -> Result<MeshDefects, LoadError> {
        let mut counts = [0; 9];
        for (index, (count, found)) in counts.iter_mut().zip(self.defects).enumerate() {
            let error = LoadError::Value { what: "the count of defect", index, found };
            *count = usize::try_from(found).map_err(|_| error)?;
        }
        Ok(defects_from_array(counts))
    }

    fn children(&self) -> Vec<[Child; LANES]> {
        let nodes = self.nodes.as_chunks().0.as_chunks::<LANES>().0;
        nodes.iter().map(|children| children.map(|child| Child(u32::from_le_bytes(child)))).collect()
    }

    fn packet_triangles(&self) -> Vec<u32> {
        u32s(self.packets).collect()
    }
}

/// So many names out of the bytes of all.
fn read_names(mut bytes: &[u8], count: u64, what: &'static str) -> Result<Vec<String>, LoadError> {
    let mut names = Vec::new();
    while (names.len() as u64) < count || !bytes.is_empty() {
        let index = names.len();
        let error = || LoadError::Name { what, index };
        let (length, rest) = bytes.split_first_chunk().ok_or_else(error)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| error())?;
        let (name, rest) = rest.split_at_checked(length).ok_or_else(error)?;
        names.push(std::str::from_utf8(name).map_err(|_| error())?.to_string());
        bytes = rest;
    }
    if names.len() as u64 == count { Ok(names) } else { Err(LoadError::Name { what, index: names.len() - 1 }) }
}

/// Checks that every node and every leaf can be reached from the root in one way, which is not too long; returns the number
/// of nodes on the longest.
///
/// Nodes come after their parents, so that no path can come back to where it was, and one pass sees every node after
/// the one that it is a child of.
fn examine(root: Child, nodes: &[[Child; LANES]], leaves: usize) -> Result<usize, TreeError> {
    let mut depth = 0;
    // Number of nodes on the path to each node, itself included, and to each leaf; zero where there is none yet.
    let (mut levels, mut ends) = (vec![0_u8; nodes.len()], vec![0_u8; leaves]);
    match (root.content(), nodes.len(), leaves) {
        (Content::Node(0), 1.., _) => levels[0] = 1,
        (Content::Leaf(0), 0, 1) => ends[0] = 1,
        _ => return Err(TreeError::Root { root: root.0, nodes: nodes.len() }),
    }
    for (node, children) in nodes.iter().enumerate() {
        let level = levels[node];
        if level == 0 {
            return Err(TreeError::Unused { what: "node", index: node });
        }
        if level as usize > MAX_DEPTH {
            return Err(TreeError::TooDeep { node, limit: MAX_DEPTH });
        }
        if children.iter().all(|child| *child == Child::NONE) {
            return Err(TreeError::Childless { node });
        }
        depth = depth.max(level as usize);
        for (lane, child) in children.iter().enumerate().filter(|(_, child)| **child != Child::NONE) {
            let (what, index, mark) = match child.content() {
                Content::Node(index) => ("node", index, levels.get_mut(index)),
                Content::Leaf(index) => ("leaf", index, ends.get_mut(index)),
                Content::Packet(index) => ("packet", index, None),
            };
            let mark = mark.ok_or(TreeError::NoSuchChild { node, lane, what, index })?;
            if what == "node" && index <= node {
                return Err(TreeError::Backwards { node, lane, index });
            }
            if *mark != 0 {
                return Err(TreeError::Twice { what, index });
            }
            *mark = level + 1;
        }
    }
    match ends.iter().position(|level| *level == 0) {
        Some(index) => Err(TreeError::Unused { what: "leaf", index }),
        None => Ok(depth),
    }
}

/// Leaves that hold so many packets each, and all packets together.
fn leaves(sizes: &[u8], packets: usize) -> Result<Vec<Leaf>, TreeError> {
    let mut first = 0;
    let mut leaves = Vec::with_capacity(sizes.len());
    for (index, &size) in sizes.iter().enumerate() {
        if !(1..=LEAF_GROUPS * LANES).contains(&usize::from(size)) {
            return Err(TreeError::Size { what: "leaf", index, size });
        }
        leaves.push(Leaf { len: size.into(), ..Leaf::new(&Bounds::EMPTY, first) });
        first += usize::from(size);
    }
    if first == packets { Ok(leaves) } else { Err(TreeError::LeafSizes { held: first, packets }) }
}

/// The tags of a mesh, which are not written where they are all 0.
fn or_zeros<V: Clone + Default>(tags: Vec<V>, triangles: usize) -> Vec<V> {
    if tags.is_empty() { vec![V::default(); triangles] } else { tags }
}

/// The packets that hold each triangle once.
fn packets(sizes: &[u8], ids: &[u32], triangles: usize) -> Result<Vec<TrianglePacket>, TreeError> {
    if let Some(index) = sizes.iter().position(|size| !(1..=LANES).contains(&usize::from(*size))) {
        return Err(TreeError::Size { what: "packet", index, size: sizes[index] });
    }
    let held = sizes.iter().map(|size| usize::from(*size)).sum();
    if held != triangles {
        return Err(TreeError::PacketSizes { held, triangles });
    }
    let mut is_held = vec![false; triangles];
    for (place, &triangle) in ids.iter().enumerate() {
        let is_held = is_held.get_mut(triangle as usize);
        let is_held = is_held.ok_or(TreeError::NoSuchTriangle { place, triangle, triangles })?;
        if std::mem::replace(is_held, true) {
            return Err(TreeError::Twice { what: "triangle", index: triangle as usize });
        }
    }
    let mut rest = ids;
    let packet = |size: &u8| {
        let (ids, others) = rest.split_at(usize::from(*size));
        rest = others;
        TrianglePacket::of_ids(ids)
    };
    Ok(sizes.iter().map(packet).collect())
}
