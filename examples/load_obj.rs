//! Loads an OBJ file and prints what is in it: `cargo run --example load_obj [FILE]`.
//!
//! Without a file it reads a small room that it carries along.

use std::{env, error::Error};

use sidle::mesh::{GroupTag, MaterialTag, ObjOptions, TriMesh, parse_obj, read_obj};

const ROOM: &str = "\
o room
v 0 0 0
v 0 0 6
v 2 0 6
v 2 0 2
v 6 0 2
v 6 0 0
v 0 3 0
v 6 3 0
g floor
usemtl oak planks
# an L, cut into four triangles
f 1 2 3 4 5 6
g wall
usemtl plaster
# indices below zero count back from the last vertex
f 1 6 -1 -2
";

fn main() -> Result<(), Box<dyn Error>> {
    let options = ObjOptions::default();
    let mesh: TriMesh<f32> = match env::args_os().nth(1) {
        Some(path) => read_obj(path, &options)?,
        None => parse_obj(ROOM.as_bytes(), "room.obj", &options, &mut |bytes| println!("{bytes} bytes read"))?,
    };

    println!("{} triangles, {} vertices, {:.2} m² in all", mesh.len(), mesh.vertices().len(), mesh.area());
    println!("from {} to {}", mesh.bounds().min, mesh.bounds().max);
    println!("{:#?}", mesh.defects());
    let triangles = 0..mesh.len() as u32;
    for (tag, name) in (0..).map(GroupTag).zip(mesh.group_names()) {
        let count = triangles.clone().filter(|triangle| mesh.group(*triangle) == tag).count();
        println!("group `{name}`: {count} triangles");
    }
    for (tag, name) in (0..).map(MaterialTag).zip(mesh.material_names()) {
        let count = triangles.clone().filter(|triangle| mesh.material(*triangle) == tag).count();
        println!("material `{name}`: {count} triangles");
    }

    // A broken file is refused with its line and the reason.
    if let Err(error) = parse_obj::<f32>(&b"v 0 0 0\nv 1,5 0 0\n"[..], "broken.obj", &options, &mut |_| ()) {
        println!("{error}");
    }
    Ok(())
}
