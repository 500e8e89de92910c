//! Sweeps that no closed mesh may let through: from outside, to a place inside, past an edge or a corner.

use std::sync::Arc;

use nalgebra::{Point3, UnitQuaternion, Vector3};
use sidle::{Ellipsoid, Octree, Ray3, Real, Sweep, TriMesh, mesh::primitives, octree::MeshHit};

use crate::random::Random;

/// Sweeps against each mesh before there is another.
const SWEEPS_OF_A_MESH: usize = 1000;

/// A closed mesh that is seen whole from one point inside.
pub(crate) struct Closed<T: Real> {
    pub(crate) tree: Octree<T>,
    center: Vector3<f64>,
    /// Distance of the farthest vertex from the centre.
    size: f64,
    is_convex: bool,
    /// The triangles around each vertex.
    around: Vec<Vec<u32>>,
}

/// A body on its way from outside of a closed mesh to a place inside.
pub(crate) struct Shot<T: Real> {
    pub(crate) body: Ellipsoid<T>,
    pub(crate) start: Point3<T>,
    pub(crate) motion: Vector3<T>,
    pub(crate) is_grazing: bool,
}

/// What became of a number of shots.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) sweeps: usize,
    pub(crate) grazing: usize,
    /// Contacts with a face, an edge, a corner.
    pub(crate) features: [usize; 3],
    /// Sweeps that found nothing, or only what came after the body's centre had passed the surface.
    pub(crate) leaks: usize,
    /// Rays along the way of the centre that found nothing.
    pub(crate) ray_leaks: usize,
}

impl<T: Real> Closed<T> {
    /// A sphere, a box or a rock, of 1 mm to 10 km, at the origin or away from it by up to ten times its size.
    pub(crate) fn random(random: &mut Random) -> Self {
        let scale = 10.0_f64.powf(random.between(-3.0, 4.0));
        let (rings, sectors) = (2 + random.below(12) as u32, 3 + random.below(20) as u32);
        let kind = random.below(3);
        let shape = match kind {
            0 => primitives::cuboid::<f64>([0, 1, 2].map(|_| random.between(0.3, 1.0))),
            _ => primitives::sphere::<f64>(1.0, rings, sectors),
        }
        .expect("a shape");
        let away = if random.below(2) == 0 { 0.0 } else { random.between(0.0, 10.0) };
        let center = random.direction() * (away * scale);
        let turn = random.rotation::<f64>();
        let place = |vertex: &Point3<f64>| {
            let bump = if kind == 2 { random.between(0.7, 1.0) } else { 1.0 };
            Point3::from(turn * vertex.coords * (bump * scale) + center).map(T::nearest)
        };
        let vertices: Vec<Point3<T>> = shape.vertices().iter().map(place).collect();
        let mesh = TriMesh::new(vertices, shape.indices().collect()).expect("a mesh");
        assert_eq!(mesh.defects().border_edges, 0, "the mesh is closed");
        let mut around = vec![Vec::new(); mesh.vertices().len()];
        for (triangle, corners) in (0..).zip(mesh.indices()) {
            corners.iter().for_each(|corner| around[*corner as usize].push(triangle));
        }
        let tree = Octree::new(Arc::new(mesh));
        // Rounding makes a box and a sphere a little less than convex, which matters to no shot.
        Self { tree, center, size: scale * 1.8, is_convex: kind != 2, around }
    }

    /// A body that would first touch the mesh at, or within a millionth of, an edge or a corner, and goes on to the inside.
    pub(crate) fn shot(&self, random: &mut Random) -> Shot<T> {
        let mesh = self.tree.mesh();
        let size = self.size;
        let radius = size * 10.0_f64.powf(random.between(-5.0, -1.0));
        let radii = Vector3::from_fn(|_, _| T::nearest(radius * random.between(0.2, 1.0)));
        let rotation: UnitQuaternion<T> = random.rotation();
        let body = Ellipsoid::turned(radii, rotation).expect("good radii");
        let space = body.space();

        let corners = mesh.corners(random.below(mesh.len()) as u32);
        let first = random.below(3);
        let [a, b] = [corners[first], corners[(first + 1) % 3]];
        let at = |vertex: u32| mesh.vertices()[vertex as usize].coords.map(Real::to_f64);
        let of_a = &self.around[a as usize];
        let (place, faces): (_, Vec<u32>) = if random.below(2) == 0 {
            (at(a), of_a.clone())
        } else {
            let faces = of_a.iter().copied().filter(|face| self.around[b as usize].contains(face)).collect();
            (at(a) + (at(b) - at(a)) * random.between(0.0, 1.0), faces)
        };
        // Where the ellipsoid touches that place: a normal between those of the faces there, or that of one of them.
        let only = (random.below(3) == 0).then(|| random.below(faces.len()));
        let mut normal = Vector3::zeros();
        for (i, face) in faces.iter().enumerate() {
            let [p, q, r] = mesh.corners(*face).map(|corner| space.enter(&(at(corner) - place)));
            let weight = only.map_or_else(|| random.between(0.0, 1.0), |only| if i == only { 1.0 } else { 0.0 });
            normal += (q - p).cross(&(r - p)).normalize() * weight;
        }
        let off = if random.below(4) == 0 { 0.0 } else { size * 10.0_f64.powf(random.between(-16.0, -6.0)) };
        let touching = place + space.leave(&normal.normalize()) + random.direction() * off;

        let is_grazing = random.below(3) == 0;
        // Grazing: to a place just below one of the faces there. Else to any place inside.
        let (face, least) = if is_grazing {
            (faces[random.below(faces.len())], if T::ROUNDING > 1e-10 { -4.5 } else { -9.0 })
        } else {
            (random.below(mesh.len()) as u32, -1.3)
        };
        let depth = 10.0_f64.powf(random.between(least, if is_grazing { -1.0 } else { 0.0 }));
        let weights = Vector3::from_fn(|_, _| random.between(0.01, 1.0));
        let corners = mesh.corners(face);
        let on_face = corners.iter().zip(&weights).map(|(corner, weight)| at(*corner) * *weight);
        let on_face = on_face.sum::<Vector3<f64>>() / weights.sum();
        let end = on_face + (self.center - on_face) * depth;

        let direction = (end - touching).normalize();
        // From beyond the mesh, or, where nothing else can be in the way, from close by.
        let far = 2.5 * size + 2.0 * radius;
        let back = if self.is_convex && random.below(2) == 0 { random.between(2.0 * radius, far) } else { far };
        let start = (touching - direction * back).map(T::nearest);
        let motion = (end - start.map(Real::to_f64)).map(T::nearest);
        Shot { body, start: start.into(), motion, is_grazing }
    }
}

impl<T: Real> Shot<T> {
    pub(crate) fn sweep(&self) -> Sweep {
        Sweep::new(&self.body, self.start, self.motion).expect("good numbers")
    }

    /// When the centre passes the surface, as a share of the motion.
    pub(crate) fn passage(&self, tree: &Octree<T>) -> Option<f64> {
        let ray = Ray3::new(self.start, self.motion).expect("good numbers");
        tree.cast_ray(&ray, T::one()).map(|hit| hit.t.to_f64())
    }
}

/// Whether a hit comes before the centre has passed the surface; both times are rounded to `T`.
pub(crate) fn is_in_time<T: Real>(hit: Option<&MeshHit<T>>, passage: Option<f64>) -> bool {
    hit.is_some_and(|hit| hit.contact.fraction.to_f64() <= passage.unwrap_or(1.0) + 4.0 * T::ROUNDING)
}

/// Fires a number of shots at meshes of scalar `T`, and hands out those that leak.
pub(crate) fn fire<T: Real>(seed: u64, sweeps: usize, mut leak: impl FnMut(&Closed<T>, &Shot<T>)) -> Tally {
    let mut random = Random(seed);
    let mut tally = Tally::default();
    while tally.sweeps < sweeps {
        let closed = Closed::<T>::random(&mut random);
        for _ in 0..SWEEPS_OF_A_MESH.min(sweeps - tally.sweeps) {
            let shot = closed.shot(&mut random);
            let hit = closed.tree.sweep(&shot.sweep());
            let passage = shot.passage(&closed.tree);
            tally.sweeps += 1;
            tally.grazing += usize::from(shot.is_grazing);
            tally.ray_leaks += usize::from(passage.is_none());
            if let Some(hit) = &hit {
                tally.features[match hit.contact.feature {
                    sidle::Feature::Face => 0,
                    sidle::Feature::Edge(_) => 1,
                    sidle::Feature::Vertex(_) => 2,
                }] += 1;
            }
            if !is_in_time(hit.as_ref(), passage) {
                tally.leaks += 1;
                leak(&closed, &shot);
            }
        }
    }
    tally
}
