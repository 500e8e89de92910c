//! What does a saved tree save? Loading against OBJ text and a new tree; following moved vertices against a new tree.

use std::{hint::black_box, path::Path, time::Duration};

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::{Point3, point, vector};
use sidle::{
    Ellipsoid, Octree, Sweep, TriMesh,
    mesh::{
        obj::{ObjOptions, parse_obj},
        primitives, write_obj,
    },
};

const SEED: u64 = 1;
/// Cells along a side of the terrain, for about 10,000 and 100,000 triangles.
const SIDES: [u32; 2] = [71, 224];

fn save(c: &mut Criterion) {
    let mut group = c.benchmark_group("save");
    group.sample_size(10).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(3));
    for side in SIDES {
        let mesh = primitives::terrain::<f32>(side, SEED).expect("a legal size");
        let (mut text, mut saved) = (Vec::new(), Vec::new());
        write_obj(&mesh, &mut text).expect("memory takes all that is written");
        let count = mesh.len();
        let tree = from_obj(&text);
        tree.save(&mut saved).expect("memory takes all that is written");
        check(&tree, &load(&saved));

        group.throughput(Throughput::Elements(count as u64));
        group.bench_with_input(BenchmarkId::new("obj_and_build", count), &text, |b, text| {
            b.iter(|| from_obj(black_box(text)))
        });
        group.bench_with_input(BenchmarkId::new("load", count), &saved, |b, saved| b.iter(|| load(black_box(saved))));
        group.bench_with_input(BenchmarkId::new("save", count), &tree, |b, tree| {
            b.iter_batched_ref(Vec::new, |out| tree.save(out), BatchSize::PerIteration)
        });

        let frames = [0.0, 0.1].map(|time| waved(&tree, time));
        let mut moved = tree.clone();
        moved.refit(frames[1].clone()).expect("as many vertices");
        check(&new_tree(&tree, frames[1].clone()), &moved);
        group.bench_with_input(BenchmarkId::new("mesh_and_build", count), &frames[1], |b, frame| {
            b.iter_batched(|| frame.clone(), |frame| new_tree(&tree, frame), BatchSize::LargeInput)
        });
        let mut tick = 0;
        group.bench_with_input(BenchmarkId::new("refit", count), &frames, |b, frames| {
            b.iter_batched(
                || {
                    tick += 1;
                    frames[tick % 2].clone()
                },
                |frame| moved.refit(frame),
                BatchSize::LargeInput,
            )
        });
    }
    group.finish();
}

fn from_obj(text: &[u8]) -> Octree<f32> {
    let mesh = parse_obj(text, Path::new("terrain.obj"), &ObjOptions::default(), &mut |_| ());
    Octree::new(mesh.expect("what was written is read"))
}

fn load(saved: &[u8]) -> Octree<f32> {
    Octree::load_bytes(saved).expect("what was saved is loaded")
}

fn new_tree(tree: &Octree<f32>, vertices: Vec<Point3<f32>>) -> Octree<f32> {
    Octree::new(TriMesh::new(vertices, tree.mesh().indices().collect()).expect("a legal mesh"))
}

/// The vertices at some time of a wave that runs over the terrain.
fn waved(tree: &Octree<f32>, time: f32) -> Vec<Point3<f32>> {
    let height = |v: &Point3<f32>| (0.3 * v.x + 0.2 * v.z + 4.0 * time).sin();
    tree.mesh().vertices().iter().map(|v| v + vector![0.0, height(v), 0.0]).collect()
}

/// Both trees find the same, and find something.
fn check(a: &Octree<f32>, b: &Octree<f32>) {
    let body = Ellipsoid::new(vector![0.4, 0.9, 0.4]).expect("positive radii");
    let fall = Sweep::new(&body, point![0.3, 19.0, 0.7], vector![0.0, -40.0, 0.0]).expect("finite numbers");
    let hit = a.sweep(&fall);
    assert!(hit.is_some() && hit == b.sweep(&fall));
}

criterion_group!(benches, save);
criterion_main!(benches);
