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

mod parts;
mod tree;

use std::{
    io::{self, Read, Write},
    sync::Arc,
};

use nalgebra::Point3;

use self::parts::Parts;
use super::{Child, LoadError, Node, Octree};
use crate::{
    mesh::{MeshDefects, Sides},
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
    /// edges overlooked that a body would touch, as [`edge_bits`](crate::TriMesh::edge_bits) then says.
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
        let saved = Parts::parse::<T>(bytes)?;
        let mesh = saved.mesh::<T>()?;
        let (root, children) = (Child(saved.root), saved.children());
        let depth = tree::examine(root, &children, saved.leaves.len())?;
        let leaves = tree::leaves(saved.leaves, saved.packet_sizes.len())?;
        let packets = tree::packets(saved.packet_sizes, &saved.packet_triangles(), mesh.len())?;
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
