//! `sidle inspect`: what a level is made of, and what is wrong with it.

use std::{path::PathBuf, time::Instant};

use anyhow::Result;
use clap::Args;
use serde_json::json;
use sidle::{
    Octree, Real,
    mesh::{MeshMemory, ObjOptions},
    octree::OctreeStatistics,
};

use crate::{level::load, replay::Scalar};

/// Counts a level's triangles, defects, tags, and what its octree costs.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  sidle inspect level.obj --json\n  sidle inspect level.obj --scalar f64")]
pub(crate) struct Inspect {
    /// The level, an OBJ file
    level: PathBuf,

    /// The scalar in which it is stored
    #[arg(long, value_enum, default_value_t = Scalar::F32)]
    scalar: Scalar,

    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// How long things took, in seconds.
struct Times {
    load: f64,
    build: f64,
}

impl Inspect {
    pub(crate) fn run(&self) -> Result<()> {
        match self.scalar {
            Scalar::F32 => self.run_in::<f32>(),
            Scalar::F64 => self.run_in::<f64>(),
        }
    }

    fn run_in<T: Real + serde::Serialize>(&self) -> Result<()> {
        let begin = Instant::now();
        let mesh = load::<T>(&self.level, &ObjOptions::default())?;
        let load = begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let tree = Octree::new(mesh);
        let times = Times { load, build: begin.elapsed().as_secs_f64() };
        if self.json {
            print_json(&tree, &times)
        } else {
            print_words(&tree, &times)
        }
        Ok(())
    }
}

/// What a level takes on the heap, part by part: names and bytes. Edge bits are there once defects were counted.
fn memory_of<T: Real>(tree: &Octree<T>) -> [(&'static str, usize); 6] {
    let MeshMemory { vertices, indices, edge_bits, tags } = tree.mesh().memory();
    let OctreeStatistics { node_bytes, packet_bytes, .. } = tree.statistics();
    [
        ("vertices", vertices),
        ("indices", indices),
        ("edge_bits", edge_bits),
        ("tags", tags),
        ("nodes", node_bytes),
        ("packets", packet_bytes),
    ]
}

/// Bytes of the whole level if vertices at equal places were one, where there are any.
fn welded_total<T: Real>(tree: &Octree<T>, total: usize) -> Option<usize> {
    let mesh = tree.mesh();
    let repeats = mesh.defects().positions < mesh.vertices().len();
    // The tree does not know of shared vertices, and edges are matched by place in any case.
    let saved = |welded: MeshMemory| {
        let MeshMemory { vertices, indices, .. } = mesh.memory();
        (vertices + indices).saturating_sub(welded.vertices + welded.indices)
    };
    repeats.then(|| total - saved((**mesh).clone().welded().memory()))
}

fn print_json<T: Real + serde::Serialize>(tree: &Octree<T>, times: &Times) {
    let mesh = tree.mesh();
    let defects = mesh.defects();
    let memory = memory_of(tree);
    let total: usize = memory.iter().map(|(_, bytes)| bytes).sum();
    let mut bytes: serde_json::Map<_, _> =
        memory.iter().map(|(name, bytes)| (name.to_string(), json!(bytes))).collect();
    bytes.insert("total".into(), json!(total));
    println!(
        "{}",
        json!({
            "triangles": mesh.len(),
            "vertices": mesh.vertices().len(),
            "box": tree.bounds(),
            "area": mesh.area(),
            "defects": defects,
            "materials": mesh.material_names(),
            "groups": mesh.group_names(),
            "octree": tree.statistics(),
            "bytes": bytes,
            "bytes_per_triangle": total as f64 / mesh.len() as f64,
            "bytes_per_triangle_welded": welded_total(tree, total).unwrap_or(total) as f64 / mesh.len() as f64,
            "load_seconds": times.load,
            "build_seconds": times.build,
        })
    );
}

fn print_words<T: Real>(tree: &Octree<T>, times: &Times) {
    let scalar = std::any::type_name::<T>();
    let mesh = tree.mesh();
    let defects = mesh.defects();
    let statistics = tree.statistics();
    let memory = memory_of(tree);
    let total: usize = memory.iter().map(|(_, bytes)| bytes).sum();
    let share = |bytes: usize| bytes as f64 / mesh.len() as f64;
    let (min, max) = (tree.bounds().min, tree.bounds().max);
    let named = |names: &[String]| names.iter().filter(|name| !name.is_empty()).count();

    println!("triangles     {}, of {} vertices at {} places", mesh.len(), mesh.vertices().len(), defects.positions);
    println!(
        "box           ({:.3}, {:.3}, {:.3}) .. ({:.3}, {:.3}, {:.3}) m",
        min.x, min.y, min.z, max.x, max.y, max.z
    );
    println!("area          {:.3} m²", mesh.area());
    println!("tags          {} materials, {} groups", named(mesh.material_names()), named(mesh.group_names()));
    println!(
        "defects       {} collapsed and {} flat triangles, {} needles under 1 mm, {} duplicates",
        defects.collapsed, defects.flat, defects.needles, defects.duplicates
    );
    println!(
        "edges         {} on a border, {} of three or more triangles, {} between triangles that face opposite ways",
        defects.border_edges, defects.non_manifold_edges, defects.turned_edges
    );
    println!(
        "octree        {} levels, {} nodes with {:.1} of 8 children, {} packets with {:.1} of 8 triangles",
        statistics.depth, statistics.nodes, statistics.node_fill, statistics.packets, statistics.packet_fill
    );
    println!("memory        {:.1} bytes a triangle in {scalar}, {} bytes in all:", share(total), total);
    for (name, bytes) in memory {
        println!(
            "              {:<10} {:>6.1} bytes a triangle {bytes:>13} bytes",
            name.replace('_', " "),
            share(bytes)
        );
    }
    if let Some(welded) = welded_total(tree, total) {
        println!(
            "welded        {:.1} bytes a triangle, with one vertex at each place (`TriMesh::welded`)",
            share(welded)
        );
    }
    println!("time          {:.3} s to load, {:.3} s to build the octree", times.load, times.build);
}
