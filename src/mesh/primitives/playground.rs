//! [`playground`]: a level with one of everything.

use std::f64::consts::PI;

use super::{
    MeshBuilder, arch, cuboid, floor, heightfield, ramp, sphere, spiral_stairs, stairs,
    surface::{hills, smooth_step},
    tunnel, wall,
};
use crate::{
    mesh::{MeshError, TriMesh},
    real::Real,
};

/// Where a character starts in the [`playground`]: the position of its feet, on the flat floor.
pub const PLAYGROUND_SPAWN: [f64; 3] = [0.0, 0.0, 14.0];

/// A level of 40 × 40 m with one of everything, closed in by walls: 5,940 triangles.
///
/// It is made for a character 1.8 m high and 0.8 m wide that climbs steps of 0.3 m and slopes of 45°. The ground has no
/// holes, and the way up to what one can stand on is there: stairs, platform, ledge, tower. [`playground_tour`] is a
/// way through. Seen from above, x to the right and z down, both in metres:
///
/// ```text
///     -20     -16     -12     -8      -4      0       4       8       12      16      20  x
///     +--------------------------------------------------------------------------------+
/// -20 |                                                                                |
///     |                                                                                |
///     |                                                                                |
///     |        DD           oooooo                  ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~    |
/// -16 |     DDDDDDDD      oooooooooo               ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~     |
///     |     DDDDDDDD     oooTTTTTTooo               ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~    |
///     |     DDDDDDDD     oooTTTTTT                 ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~     |
///     |        DD         oooo                      ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~    |
/// -12 |                     oo                     ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~     |
///     |                                             ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~    |
///     |                                            ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~     |
///     |                                             ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~    |
///  -8 |    1111 2222 3333 4444                     ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~     |
///     |    1111 2222 3333 4444                      ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~    |
///     |                                            ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~     |
///     |                                             ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~    |
///  -4 |    ============                            ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~     |
///     |    ============                             ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~    |
///     |                                            ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~     |
///     |                                                                                |
///   0 |                                                                                |
///     |                                                                                |
///     |                ^^^^                                                            |
///     |                ^^^^                                                            |
///   4 |              PPPPPPPP                                  G                       |
///     |        ssssssPPPPPPPP>>>>>>>     uuuuuuuuuuuuuuuu                              |
///     |        ssssssPPPPPPPP>>>>>>>     uuuuuuuuuuuuuuuu                              |
///     |              PPPPPPPP                                  G                       |
///   8 |              LLLLLLLL                                                          |
///     |              LLLLLLLL                                                          |
///     |                                                                                |
///     |                                  ............                                  |
///  12 |                                  ............                                  |
///     |                                  ............                                  |
///     |                                  ......+.....                                  |
///     |                                  ............                                  |
///  16 |                                  ............                                  |
///     |                                                                                |
///     |                                                                                |
///     |                                                                                |
///  20 +--------------------------------------------------------------------------------+
/// ```
///
/// | map | group        | material | x              | z              | what |
/// | --- | ------------ | -------- | -------------- | -------------- | ---- |
/// |     | `ground`     | floor    | −20..20        | −20..20        | cells of 1 m at y = 0, but for the next two |
/// | `.` | `fine_floor` | floor    | −3..3          | 11..17         | cells of 0.25 m at y = 0; `+` is the spawn |
/// | `~` | `terrain`    | terrain  | 2..18          | −17..−1        | hills on cells of 1 m, ±1.4 m; y = 0 at the border |
/// |     | `walls`      | wall     | ±20            | ±20            | sheets 4 m high that face inwards |
/// | `s` | `stairs`     | stairs   | −16..−13       | 4.8..7.2       | 10 steps, 0.2 m high and 0.3 m deep, up +X |
/// | `P` | `platform`   | stairs   | −13..−9        | 4..8           | at y = 2 |
/// | `>` | `ramp`       | ramp     | −9..−5.54      | 4.8..7.2       | 30°, down from the platform along +X |
/// | `^` | `steep_ramp` | ramp     | −12..−10       | 2.13..4        | 47°, up to the platform along +Z: too steep |
/// | `L` | `ledge`      | wall     | −13..−9        | 8..10          | at y = 1: drop from the platform, and once more |
/// | `u` | `tunnel`     | wall     | −3..5          | 4.75..7.25     | along X; 2 m wide and 2.5 m high inside |
/// | `G` | `gate`       | metal    | 8..8.6         | 4.7..7.3       | along X; 1.6 m wide and 2.4 m high inside |
/// | `=` | `corridor`   | wall     | −18..−12       | −3.75..−2.25   | along X, 0.9 m wide between walls 2 m high |
/// | `1` | `block_10`   | metal    | −17.75..−16.25 | −7.75..−6.25   | 0.1 m high |
/// | `2` | `block_20`   | metal    | −15.25..−13.75 | −7.75..−6.25   | 0.2 m high |
/// | `3` | `block_30`   | metal    | −12.75..−11.25 | −7.75..−6.25   | 0.3 m high |
/// | `4` | `block_42`   | metal    | −10.25..−8.75  | −7.75..−6.25   | 0.42 m high: too high for a step |
/// | `D` | `dome`       | metal    | −17.5..−13.5   | −16.5..−12.5   | sphere of radius 2 m, half of it in the ground |
/// | `o` | `spiral`     | stairs   | −11..−5        | −17..−11       | 18 steps of 0.2 m; from (−5.6, −12.5) northwards and up |
/// | `T` | `tower`      | wall     | −9.25..−6.75   | −15.25..−12.75 | 3.6 m high, as the last step of the spiral |
pub fn playground<T: Real>() -> TriMesh<T> {
    build().expect("all arguments are constants that make shapes")
}

fn build<T: Real>() -> Result<TriMesh<T>, MeshError> {
    let mut level = MeshBuilder::new();
    add_ground(&mut level)?;
    level.material("wall").group("walls");
    for (quarter_turns, offset) in
        [(0, [0.0, 0.0, -SIDE]), (1, [-SIDE, 0.0, 0.0]), (2, [0.0, 0.0, SIDE]), (3, [SIDE, 0.0, 0.0])]
    {
        // Quads of 1 m stand on the ground's cells vertex by vertex.
        level.append_turned(&wall::<f64>(2.0 * SIDE, 4.0, 40)?, quarter_turns, offset);
    }
    add_climb(&mut level)?;
    add_passages(&mut level)?;
    add_obstacles(&mut level)?;
    level.build()
}

/// Half the side of the level.
const SIDE: f64 = 20.0;
/// Cells of the ground, from and to in x, from and to in z, that are divided further, and that are hills.
const FINE: [i32; 4] = [-3, 3, 11, 17];
const TERRAIN: [i32; 4] = [2, 18, -17, -1];

fn is_in([from_x, to_x, from_z, to_z]: [i32; 4], x: i32, z: i32) -> bool {
    (from_x..to_x).contains(&x) && (from_z..to_z).contains(&z)
}

/// The ground, without cracks: where a cell of 1 m meets four of 0.25 m it shares all of their vertices.
fn add_ground(level: &mut MeshBuilder) -> Result<(), MeshError> {
    level.material("floor").group("fine_floor").append(&floor::<f64>(6.0, 6.0, 24, 24)?, PLAYGROUND_SPAWN);

    let mut heights = Vec::new();
    for z in TERRAIN[2]..=TERRAIN[3] {
        heights.extend((TERRAIN[0]..=TERRAIN[1]).map(|x| terrain_height(x, z)));
    }
    level
        .material("terrain")
        .group("terrain")
        .append(&heightfield::<f64>(16.0, 16.0, &heights, 17)?, [10.0, 0.0, -9.0]);

    level.material("floor").group("ground");
    for (x, z) in (-20..20).flat_map(|x| (-20..20).map(move |z| (x, z))) {
        if is_in(FINE, x, z) || is_in(TERRAIN, x, z) {
            continue;
        }
        let corners = [[x, z], [x, z + 1], [x + 1, z + 1], [x + 1, z]].map(|[x, z]| [f64::from(x), 0.0, f64::from(z)]);
        let beyond_edges = [[x - 1, z], [x, z + 1], [x + 1, z], [x, z - 1]];
        if !beyond_edges.iter().any(|[x, z]| is_in(FINE, *x, *z)) {
            level.quad(corners);
            continue;
        }
        // A fan around the middle, in quarters on the side of the fine floor.
        let middle = [f64::from(x) + 0.5, 0.0, f64::from(z) + 0.5];
        for (edge, [x, z]) in beyond_edges.into_iter().enumerate() {
            let (from, to) = (corners[edge], corners[(edge + 1) % 4]);
            let parts = if is_in(FINE, x, z) { 4 } else { 1 };
            let at =
                |i: u32| [0, 1, 2].map(|axis| from[axis] + (to[axis] - from[axis]) * f64::from(i) / f64::from(parts));
            for i in 0..parts {
                level.triangle([middle, at(i), at(i + 1)]);
            }
        }
    }
    Ok(())
}

/// Height of the terrain's vertex: the hills of a seed, brought down to zero within 4 m of the border.
fn terrain_height(x: i32, z: i32) -> f64 {
    const SEED: u64 = 7;
    let to_border = (x - TERRAIN[0]).min(TERRAIN[1] - x).min(z - TERRAIN[2]).min(TERRAIN[3] - z);
    hills(SEED, f64::from(x), f64::from(z)) * smooth_step((f64::from(to_border) / 4.0).min(1.0))
}

/// Stairs, the platform at their end, and the ways down from it.
fn add_climb(level: &mut MeshBuilder) -> Result<(), MeshError> {
    level.material("stairs");
    level.group("stairs").append(&stairs::<f64>(10, 0.2, 0.3, 2.4)?, [-16.0, 0.0, 6.0]);
    level.group("platform").append(&cuboid::<f64>([2.0, 1.0, 2.0])?, [-11.0, 1.0, 6.0]);
    level.material("ramp");
    let gentle = ramp::<f64>(run(2.0, RAMP), RAMP, 2.4)?;
    level.group("ramp").append_turned(&gentle, 2, [-9.0 + run(2.0, RAMP), 0.0, 6.0]);
    let steep = ramp::<f64>(run(2.0, STEEP), STEEP, 2.0)?;
    level.group("steep_ramp").append_turned(&steep, 3, [-11.0, 0.0, 4.0 - run(2.0, STEEP)]);
    level.material("wall").group("ledge").append(&cuboid::<f64>([2.0, 0.5, 1.0])?, [-11.0, 0.5, 9.0]);
    Ok(())
}

const RAMP: f64 = 30.0 * PI / 180.0;
const STEEP: f64 = 47.0 * PI / 180.0;

/// Length on the ground of a ramp with the given height.
fn run(height: f64, angle: f64) -> f64 {
    height / libm::tan(angle)
}

/// What to go through: tunnel, gate and corridor.
fn add_passages(level: &mut MeshBuilder) -> Result<(), MeshError> {
    level.material("wall").group("tunnel").append(&tunnel::<f64>(2.0, 2.5, 8.0, 12)?, [-3.0, 0.0, 6.0]);
    level.material("metal").group("gate").append(&arch::<f64>(1.6, 2.4, 0.5, 0.6, 12)?, [8.0, 0.0, 6.0]);
    level.material("wall").group("corridor");
    for z in [-3.6, -2.4] {
        level.append(&cuboid::<f64>([3.0, 1.0, 0.15])?, [-15.0, 1.0, z]);
    }
    Ok(())
}

/// What to step on or to walk around: blocks, dome and tower.
fn add_obstacles(level: &mut MeshBuilder) -> Result<(), MeshError> {
    level.material("metal");
    for (name, height, x) in
        [("block_10", 0.1, -17.0), ("block_20", 0.2, -14.5), ("block_30", 0.3, -12.0), ("block_42", 0.42, -9.5)]
    {
        level.group(name).append(&cuboid::<f64>([0.75, height / 2.0, 0.75])?, [x, height / 2.0, -7.0]);
    }
    level.group("dome").append(&sphere::<f64>(2.0, 12, 24)?, [-15.5, 0.0, -14.5]);
    let (steps, rise) = (18, 0.2);
    let height = f64::from(steps) * rise;
    // The tower hides the inner ends of the steps, where they are too short to tread on.
    level.material("stairs").group("spiral");
    level.append(&spiral_stairs::<f64>(steps, rise, 0.25, 1.0, 3.0)?, [-8.0, 0.0, -14.0]);
    level.material("wall").group("tower");
    level.append(&cuboid::<f64>([1.25, height / 2.0, 1.25])?, [-8.0, height / 2.0, -14.0]);
    Ok(())
}

/// A round trip through the [`playground`]: positions of the feet, from the spawn back to it.
///
/// Up the stairs, over the platform, down the ramp, through the tunnel and the gate, over the hills and back. A
/// character that walks straight from each point to the next meets no wall, comes within 0.5 m of none, and climbs no
/// step higher than 0.2 m. The feet follow the straight line, on the stairs within a step's height.
pub fn playground_tour() -> Vec<[f64; 3]> {
    let foot_of_ramp = -9.0 + run(2.0, RAMP);
    let mut tour = vec![
        PLAYGROUND_SPAWN,
        [-17.5, 0.0, 14.0],
        [-17.5, 0.0, 6.0],
        [-16.0, 0.0, 6.0],
        [-13.0, 2.0, 6.0],
        [-9.0, 2.0, 6.0],
        [foot_of_ramp, 0.0, 6.0],
        [-4.25, 0.0, 6.0],
        [6.5, 0.0, 6.0],
        [10.0, 0.0, 6.0],
    ];
    // Along edges of the terrain, on which the ground is as straight as the way.
    let on_terrain = |x: i32, z: i32| [f64::from(x), terrain_height(x, z), f64::from(z)];
    tour.extend((TERRAIN[2] + 8..=TERRAIN[3]).rev().map(|z| on_terrain(10, z)));
    tour.extend((TERRAIN[0]..10).rev().map(|x| on_terrain(x, TERRAIN[2] + 8)));
    tour.extend([[-4.25, 0.0, -9.0], [-4.25, 0.0, 14.0], PLAYGROUND_SPAWN]);
    tour
}
