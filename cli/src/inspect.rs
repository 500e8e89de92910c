//! `sidle inspect`: what a level is made of, and what is wrong with it.

use std::{path::PathBuf, time::Instant};

use anyhow::Result;
use clap::Args;
use serde_json::json;
use sidle::{Octree, Real, TriMesh, mesh::ObjOptions, octree::OctreeStatistics};

use crate::{level::load, replay::Scalar};

/// Counts a level's triangles, defects, tags, and what its octree costs.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  sidle inspect level.obj --json")]
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

fn print_json<T: Real + serde::Serialize>(tree: &Octree<T>, times: &Times) {
    let mesh = tree.mesh();
    let [vertices, indices, tags] = mesh.memory();
    let statistics = tree.statistics();
    println!(
        "{}",
        json!({
            "triangles": mesh.len(),
            "vertices": mesh.vertices().len(),
            "box": tree.bounds(),
            "area": mesh.area(),
            "defects": mesh.defects(),
            "materials": mesh.material_names(),
            "groups": mesh.group_names(),
            "octree": statistics,
            "bytes": {"vertices": vertices, "indices": indices, "tags_and_edges": tags, "octree": statistics.bytes},
            "bytes_per_triangle": bytes_per_triangle(mesh, &statistics),
            "load_seconds": times.load,
            "build_seconds": times.build,
        })
    );
}

fn bytes_per_triangle<T: Real>(mesh: &TriMesh<T>, statistics: &OctreeStatistics) -> f64 {
    (mesh.memory().iter().sum::<usize>() + statistics.bytes) as f64 / mesh.len() as f64
}

fn print_words<T: Real>(tree: &Octree<T>, times: &Times) {
    let mesh = tree.mesh();
    let defects = mesh.defects();
    let statistics = tree.statistics();
    let [vertices, indices, tags] = mesh.memory();
    let (min, max) = (tree.bounds().min, tree.bounds().max);
    let share = |bytes: usize| bytes as f64 / mesh.len() as f64;
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
    println!(
        "memory        {:.1} bytes a triangle: vertices {:.1}, indices {:.1}, tags and edge bits {:.1}, octree {:.1}",
        bytes_per_triangle(mesh, &statistics),
        share(vertices),
        share(indices),
        share(tags),
        share(statistics.bytes)
    );
    println!("time          {:.3} s to load, {:.3} s to build the octree", times.load, times.build);
}
