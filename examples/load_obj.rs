//! Loading a level: what is in it, what is wrong with it, and what an error says.

use std::path::Path;

use sidle::mesh::obj::{ObjOptions, parse_obj};

const LEVEL: &[u8] = b"\
o house
v 0 0 0
v 0 0 4
v 4 0 4
v 4 0 0
v 4 3 4
v 4 3 0
usemtl oak
g floor
f 1 2 3 4
usemtl plaster
g wall
f -4 -2 -1 -3
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A file is read with `read_obj("level.obj", &ObjOptions::default())`.
    let mesh = parse_obj::<f32>(LEVEL, Path::new("house.obj"), &ObjOptions::default(), &mut |_| ())?;
    println!("{} triangles, {} m² in all, box {:?}", mesh.len(), mesh.area(), mesh.bounds());
    println!("groups {:?}, materials {:?}", mesh.group_names(), mesh.material_names());
    println!("{:?}", mesh.defects());

    let broken =
        parse_obj::<f32>(&b"v 0 0 0\nv 0,5 0 0\n"[..], Path::new("broken.obj"), &ObjOptions::default(), &mut |_| ());
    if let Err(error) = broken {
        println!("{error}");
    }
    Ok(())
}
