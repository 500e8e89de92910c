//! What does it cost to get a level ready: to read its OBJ text, to make the mesh, to build the tree?

use std::{hint::black_box, path::Path, sync::Arc, time::Duration};

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::{point, vector};
use sidle::{
    BruteForce, Ellipsoid, Octree, Sweep, TriMesh,
    mesh::{
        obj::{ObjOptions, parse_obj},
        primitives, write_obj,
    },
};

const SEED: u64 = 1;
/// Cells along a side of the terrain, for about 10,000 and 100,000 triangles.
const SIDES: [u32; 2] = [71, 224];

fn load(c: &mut Criterion) {
    let mut group = c.benchmark_group("load");
    group.sample_size(10).warm_up_time(Duration::from_secs(1));
    for side in SIDES {
        let mesh = Arc::new(primitives::terrain::<f32>(side, SEED).expect("a legal size"));
        let mut text = Vec::new();
        write_obj(&*mesh, &mut text).expect("memory takes all that is written");
        check(&mesh, &text);

        group.throughput(Throughput::Elements(mesh.len() as u64));
        group.bench_with_input(BenchmarkId::new("parse_obj", mesh.len()), &text, |b, text| {
            b.iter(|| parse(black_box(text)))
        });
        group.bench_with_input(BenchmarkId::new("mesh", mesh.len()), &mesh, |b, mesh| {
            b.iter_batched(
                || (mesh.vertices().to_vec(), mesh.indices().collect()),
                |(vertices, triangles)| TriMesh::new(black_box(vertices), black_box(triangles)),
                BatchSize::LargeInput,
            )
        });
        group.bench_with_input(BenchmarkId::new("octree", mesh.len()), &mesh, |b, mesh| {
            b.iter(|| Octree::new(black_box(mesh.clone())))
        });
    }
    group.finish();
}

fn parse(text: &[u8]) -> TriMesh<f32> {
    parse_obj(text, Path::new("terrain.obj"), &ObjOptions::default(), &mut |_| ()).expect("what was written is read")
}

/// The text gives the same mesh again, and the tree over it finds what is there.
fn check(mesh: &Arc<TriMesh<f32>>, text: &[u8]) {
    let read = parse(text);
    assert_eq!(read.vertices(), mesh.vertices());
    assert!(read.indices().eq(mesh.indices()), "the same triangles");
    let body = Ellipsoid::new(vector![0.4, 0.9, 0.4]).expect("positive radii");
    let fall = Sweep::new(&body, point![0.3, 9.0, 0.7], vector![0.0, -20.0, 0.0]).expect("finite numbers");
    let hit = Octree::new(read).sweep(&fall);
    assert!(hit.is_some() && hit == BruteForce::new(mesh.clone()).sweep(&fall));
}

criterion_group!(benches, load);
criterion_main!(benches);
