//! The questions: places at which a body is free, and sets of motions that begin there.

use anyhow::Result;
use sidle::{
    Ellipsoid, Octree, Sweep, TriMesh,
    nalgebra::{Point3, Vector3},
};

use crate::random::Random;

/// The body: sidle's ellipsoid, and the capsule around it.
pub(crate) const RADIUS: f32 = 0.4;
/// Half the height of both.
pub(crate) const HALF_HEIGHT: f32 = 0.9;
/// From the capsule's centre to those of its two balls.
pub(crate) const CAPSULE_ARM: f32 = HALF_HEIGHT - RADIUS;

/// What moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    /// An ellipsoid for sidle, for the others the capsule around it.
    Tall,
    /// A ball, for all.
    Ball,
    /// A point, for all.
    Point,
}

/// A motion along a straight line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Query {
    pub(crate) start: Point3<f32>,
    /// The whole motion, not a direction.
    pub(crate) motion: Vector3<f32>,
}

/// Queries of one kind.
pub(crate) struct Set {
    pub(crate) name: &'static str,
    pub(crate) body: Body,
    pub(crate) queries: Vec<Query>,
}

/// Places at which the capsule, and so the ellipsoid and the ball, overlap nothing.
pub(crate) struct Places {
    /// Just off a surface, with that surface's normal.
    pub(crate) near: Vec<(Point3<f32>, Vector3<f64>)>,
    /// Some metres off.
    pub(crate) far: Vec<Point3<f32>>,
}

/// All sets at these places, in random order, so that cold caches are a part of it.
pub(crate) fn all(places: &Places, random: &mut Random) -> Vec<Set> {
    let walks = places.near.iter().map(|(start, _)| Query { start: *start, motion: walk(random) });
    let walks: Vec<Query> = walks.collect();
    let lower = |query: &Query| Query { start: query.start - Vector3::y() * CAPSULE_ARM, ..*query };
    let low_walks = walks.iter().map(lower).collect();
    let directions: Vec<_> = places.far.iter().map(|start| (*start, random.direction())).collect();
    let casts = |length: f64| {
        let query = |(start, direction): &(Point3<f32>, Vector3<f64>)| Query {
            start: *start,
            motion: (direction * length).cast(),
        };
        directions.iter().map(query).collect()
    };
    vec![
        Set { name: "walking moves, ellipsoid", body: Body::Tall, queries: walks },
        Set { name: "walking moves, ball", body: Body::Ball, queries: low_walks },
        Set { name: "10 m, ellipsoid", body: Body::Tall, queries: casts(10.0) },
        Set { name: "10 m, ball", body: Body::Ball, queries: casts(10.0) },
        Set { name: "200 m, ball", body: Body::Ball, queries: casts(200.0) },
        Set { name: "10 m, ray", body: Body::Point, queries: casts(10.0) },
        Set { name: "200 m, ray", body: Body::Point, queries: casts(200.0) },
    ]
}

/// The way of a tick: mostly about level, sometimes down.
fn walk(random: &mut Random) -> Vector3<f32> {
    let direction = if random.unit() < 0.7 {
        random.heading() + Vector3::y() * random.between(-0.3, 0.1)
    } else {
        Vector3::new(0.0, -1.0, 0.0)
    };
    (direction.normalize() * random.between(0.05, 0.15)).cast()
}

impl Places {
    /// Looks for `count` places of each kind around random points of the mesh.
    ///
    /// Where there is next to no room, fewer are found.
    pub(crate) fn find(mesh: &TriMesh<f32>, count: usize, random: &mut Random) -> Result<Self> {
        let surface = Surface::new(mesh);
        let room = Room::new(mesh)?;
        let mut places = Self { near: Vec::with_capacity(count), far: Vec::with_capacity(count) };
        for _ in 0..TRIES * count {
            if places.near.len() == count && places.far.len() == count {
                break;
            }
            let (point, mut normal) = surface.point(random);
            if normal.y < 0.0 || (normal.y < 0.1 && random.unit() < 0.5) {
                normal = -normal; // floors are stood on, walls are approached from either side
            }
            let far = (point + random.direction() * random.between(1.0, 8.0)).cast();
            let near = (point + off_surface(&normal, random.between(0.005, 0.03))).cast();
            if places.near.len() < count && room.is_free(near)? {
                places.near.push((near, normal));
            }
            if places.far.len() < count && room.is_free(far)? {
                places.far.push(far);
            }
        }
        Ok(places)
    }
}

/// How often a place is looked for, for each that is wanted.
const TRIES: usize = 100;

/// From a point of a surface to the centre of a capsule that stands, or leans, on it with a gap.
fn off_surface(normal: &Vector3<f64>, gap: f64) -> Vector3<f64> {
    normal * (f64::from(RADIUS) + gap) + Vector3::y() * f64::from(CAPSULE_ARM).copysign(normal.y)
}

/// The triangles of a mesh, to choose points from evenly by area.
struct Surface<'a> {
    mesh: &'a TriMesh<f32>,
    /// For each triangle its area and that of all before it.
    areas: Vec<f64>,
}

impl<'a> Surface<'a> {
    fn new(mesh: &'a TriMesh<f32>) -> Self {
        let doubled = mesh.iter().map(|triangle| doubled_normal(&triangle.vertices().map(|p| p.cast())).norm());
        let areas = doubled.scan(0.0, |sum, area| {
            *sum += area;
            Some(*sum)
        });
        Self { mesh, areas: areas.collect() }
    }

    /// A point, and the unit normal there; straight up where all triangles are without area.
    fn point(&self, random: &mut Random) -> (Point3<f64>, Vector3<f64>) {
        let total = self.areas.last().copied().unwrap_or(0.0);
        let chosen = random.between(0.0, total);
        let index = self.areas.partition_point(|area| *area <= chosen).min(self.areas.len() - 1);
        let corners = self.mesh.triangle(index as u32).vertices().map(|p| p.cast());
        let [a, b, c] = corners;
        let (mut u, mut v) = (random.unit(), random.unit());
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        let normal = doubled_normal(&corners).try_normalize(0.0).unwrap_or_else(Vector3::y);
        (a + (b - a) * u + (c - a) * v, normal)
    }
}

/// The normal of a triangle, as long as twice its area.
fn doubled_normal([a, b, c]: &[Point3<f64>; 3]) -> Vector3<f64> {
    (b - a).cross(&(c - a))
}

/// Tells where the capsule overlaps nothing.
struct Room {
    tree: Octree<f32>,
    ball: Ellipsoid<f32>,
}

/// How far a free body is from everything, at least: more than any library's rounding.
const CLEARANCE: f32 = 1e-3;

impl Room {
    fn new(mesh: &TriMesh<f32>) -> Result<Self> {
        Ok(Self { tree: Octree::new(mesh.clone()), ball: Ellipsoid::sphere(RADIUS + CLEARANCE)? })
    }

    /// A capsule is what its lower ball passes on the way to its upper one.
    fn is_free(&self, center: Point3<f32>) -> Result<bool> {
        let arm = Vector3::y() * CAPSULE_ARM;
        Ok(self.tree.sweep(&Sweep::new(&self.ball, center - arm, 2.0 * arm)?).is_none())
    }
}
