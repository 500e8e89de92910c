//! [`Parts`]: what a file has, part by part, and the mesh that is made of it.

use nalgebra::Point3;

use super::{Counts, MAGIC, VERSION, defects_from_array, scalar_bytes};
use crate::{
    mesh::{EdgeBits, GroupTag, MaterialTag, MeshDefects, Sides, TriMesh},
    octree::{Child, LoadError},
    real::Real,
    wide::LANES,
};

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
pub(super) struct Parts<'a> {
    counts: Counts,
    sides: u32,
    pub(super) root: u32,
    defects: [u64; 9],
    vertices: &'a [u8],
    triangles: &'a [u8],
    material_tags: &'a [u8],
    group_tags: &'a [u8],
    material_names: &'a [u8],
    group_names: &'a [u8],
    edges: &'a [u8],
    packets: &'a [u8],
    pub(super) packet_sizes: &'a [u8],
    pub(super) leaves: &'a [u8],
    nodes: &'a [u8],
}

impl<'a> Parts<'a> {
    pub(super) fn parse<T: Real>(bytes: &'a [u8]) -> Result<Self, LoadError> {
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

    pub(super) fn mesh<T: Real>(&self) -> Result<TriMesh<T>, LoadError> {
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

    pub(super) fn children(&self) -> Vec<[Child; LANES]> {
        let nodes = self.nodes.as_chunks().0.as_chunks::<LANES>().0;
        nodes.iter().map(|children| children.map(|child| Child(u32::from_le_bytes(child)))).collect()
    }

    pub(super) fn packet_triangles(&self) -> Vec<u32> {
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

/// The tags of a mesh, which are not written where they are all 0.
fn or_zeros<V: Clone + Default>(tags: Vec<V>, triangles: usize) -> Vec<V> {
    if tags.is_empty() { vec![V::default(); triangles] } else { tags }
}
