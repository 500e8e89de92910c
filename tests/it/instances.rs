//! Worlds of many instances against a plain list of worlds of one, to the bit, whatever is placed, moved and removed.

use nalgebra::{Point3, Vector3, point};
use sidle::{
    Aabb3, CollisionWorld, Ellipsoid, Octree, QueryFilter, Ray3, StartOverlap, Sweep, World,
    mesh::primitives,
    world::{InstanceId, Layers, MeshId, Placement, RayHit, SweepHit, WorldPoint, WorldTriangle},
};

use crate::random::Random;

/// A world, and each of its instances in a world of its own.
struct Both {
    world: World<f64>,
    meshes: Vec<(MeshId, Octree<f64>)>,
    alone: Vec<(InstanceId, World<f64>)>,
    /// Instances are placed in a cube of so many metres.
    side: usize,
}

impl Both {
    fn new(side: usize) -> Self {
        let mut world = World::new();
        let cube = primitives::cuboid([1.0, 1.0, 1.0]).expect("a cube");
        let plate = primitives::floor(3.0, 2.0, 2, 1).expect("a floor");
        let ball = primitives::sphere(0.8, 5, 7).expect("a ball");
        let meshes = [cube, plate, ball].map(|mesh| (world.add_mesh(Octree::new(mesh.clone())), Octree::new(mesh)));
        Self { world, meshes: meshes.into(), alone: Vec::new(), side }
    }

    /// On a coarse grid, so that instances often touch, and sometimes are in the same place; at times turned, scaled, and on
    /// another layer.
    fn placement(&self, random: &mut Random) -> Placement<f64> {
        let position = Point3::from(Vector3::from_fn(|_, _| random.below(self.side) as f64));
        let mut placement = Placement::at(position).on(Layers(1 << random.below(3)));
        if random.below(4) == 0 {
            placement = placement.turned(random.rotation());
        }
        if random.below(8) == 0 {
            placement = placement.scaled(Vector3::from_fn(|_, _| [-1.0, 0.5, 20.0][random.below(3)]));
        }
        placement
    }

    fn place(&mut self, random: &mut Random) {
        let placement = self.placement(random);
        let (mesh, tree) = &self.meshes[random.below(self.meshes.len())];
        let id = self.world.place(*mesh, &placement).expect("a good placement");
        self.alone.push((id, Self::alone(tree, &placement)));
        self.alone.sort_by_key(|(id, _)| *id);
    }

    fn alone(tree: &Octree<f64>, placement: &Placement<f64>) -> World<f64> {
        let mut world = World::new();
        let mesh = world.add_mesh(tree.clone());
        world.place(mesh, placement).expect("a good placement");
        world
    }

    /// At times a short way, at times anywhere.
    fn move_one(&mut self, random: &mut Random) {
        let at = random.below(self.alone.len());
        let mut placement = self.placement(random);
        let (id, alone) = &mut self.alone[at];
        if random.below(3) > 0 {
            placement = *self.world.placement(*id).expect("it is there");
            placement.pose.position += Vector3::from_fn(|_, _| random.below(3) as f64 - 1.0) * 0.125;
        }
        let tree = alone.mesh_of(InstanceId::foreign(0)).expect("its only instance").clone();
        self.world.move_to(*id, &placement).expect("it is there");
        *alone = Self::alone(&tree, &placement);
    }

    fn remove(&mut self, random: &mut Random) {
        let (id, _) = self.alone.remove(random.below(self.alone.len()));
        self.world.remove(id).expect("it is there");
        assert!(self.world.placement(id).is_none());
    }

    /// All that those see that the filter does not ignore, in the order of their ids.
    fn seen<'a>(&'a self, filter: &'a QueryFilter) -> impl Iterator<Item = (InstanceId, &'a World<f64>)> {
        self.alone.iter().filter(|(id, _)| !filter.ignored.contains(id)).map(|(id, world)| (*id, world))
    }

    fn contacts(&self, sweep: &Sweep, filter: &QueryFilter) -> Vec<SweepHit<f64>> {
        let layers = QueryFilter::of_layers(filter.layers);
        let mut hits = Vec::new();
        for (instance, world) in self.seen(filter) {
            world.each_contact(sweep, &layers, |hit| hits.push(SweepHit { instance, ..hit }));
        }
        hits
    }

    fn cast_ray(&self, ray: &Ray3<f64>, max_t: f64, filter: &QueryFilter) -> Option<RayHit<f64>> {
        let layers = QueryFilter::of_layers(filter.layers);
        let hits = self
            .seen(filter)
            .filter_map(|(instance, world)| Some(RayHit { instance, ..world.cast_ray(ray, max_t, &layers)? }));
        hits.reduce(|best, hit| if hit.t < best.t { hit } else { best })
    }

    fn closest_point(&self, point: Point3<f64>, max: f64, filter: &QueryFilter) -> Option<WorldPoint<f64>> {
        let layers = QueryFilter::of_layers(filter.layers);
        let points = self.seen(filter).filter_map(|(instance, world)| {
            let closest = world.closest_point(point, max, &layers).expect("a good point")?;
            Some(WorldPoint { instance, ..closest })
        });
        points.reduce(|best, point| if point.distance < best.distance { point } else { best })
    }

    fn triangles(&self, bounds: &Aabb3<f64>, filter: &QueryFilter) -> Vec<WorldTriangle> {
        let layers = QueryFilter::of_layers(filter.layers);
        let mut found = Vec::new();
        for (instance, world) in self.seen(filter) {
            world.each_triangle_near(bounds, &layers, &mut |near| found.push(WorldTriangle { instance, ..near }));
        }
        found
    }

    /// Asks both the same; returns how many answers there were, and for how many of them another instance ties.
    fn ask(&self, random: &mut Random) -> [usize; 2] {
        let mut filter =
            if random.below(3) == 0 { QueryFilter::of_layers(Layers(0b011)) } else { QueryFilter::default() };
        if random.below(3) == 0 && !self.alone.is_empty() {
            filter.ignored.push(self.alone[random.below(self.alone.len())].0);
        }
        // Along the axes from places on the grid half of the time: many instances are touched at once then.
        let is_straight = random.below(2) == 0;
        let start = Point3::from(Vector3::from_fn(|_, _| random.between(-2.0, self.side as f64 + 2.0)));
        let start = if is_straight { start.map(f64::round) } else { start };
        let mut way = random.direction();
        if is_straight {
            let axis = random.below(3);
            way = Vector3::zeros();
            way[axis] = if random.below(2) == 0 { 1.0 } else { -1.0 };
        }
        let length = [0.5, 4.0, 30.0][random.below(3)];
        let body = Ellipsoid::sphere([0.25, 0.5, 1.0][random.below(3)]).expect("a ball");
        let overlap = [StartOverlap::Report, StartOverlap::LetLeave][random.below(2)];
        let sweep = Sweep::new(&body, start, way * length).expect("good numbers").with_start_overlap(overlap);

        let hit = self.world.sweep(&sweep, &filter);
        let contacts = self.contacts(&sweep, &filter);
        assert_first(hit.as_ref(), &contacts);
        let mut found = Vec::new();
        self.world.each_contact(&sweep, &filter, |hit| found.push(hit));
        assert_eq!(found, contacts);
        assert_eq!(
            self.world.has_room(&body, start, &filter).expect("a good place"),
            self.contacts(&Sweep::new(&body, start, Vector3::zeros()).expect("good numbers"), &filter).is_empty()
        );

        let ray = Ray3::new(start, way).expect("a ray");
        let max_t = if random.below(3) == 0 { f64::INFINITY } else { length };
        let seen = self.world.cast_ray(&ray, max_t, &filter);
        assert_eq!(seen, self.cast_ray(&ray, max_t, &filter));
        let closest = self.world.closest_point(start, max_t, &filter).expect("a good point");
        assert_eq!(closest, self.closest_point(start, max_t, &filter));

        let bounds = Aabb3::new(start, start + random.direction() * length);
        let mut near = Vec::new();
        self.world.each_triangle_near(&bounds, &filter, &mut |triangle| near.push(triangle));
        assert_eq!(near, self.triangles(&bounds, &filter));

        let ties = hit.map_or(0, |hit| {
            let same = |other: &&SweepHit<f64>| {
                other.contact.fraction == hit.contact.fraction && other.contact.overlap == hit.contact.overlap
            };
            usize::from(contacts.iter().filter(same).any(|other| other.instance != hit.instance))
        });
        [usize::from(hit.is_some()) + usize::from(seen.is_some()) + usize::from(closest.is_some()), ties]
    }
}

/// Whether a hit is the first of all contacts: the earliest, then the deepest, then that of the lowest ids.
///
/// Which one is deeper is decided in unit space. Depths in metres are rounded once more, so that of equal ones only those with
/// equal normals are certain to tie.
fn assert_first(hit: Option<&SweepHit<f64>>, contacts: &[SweepHit<f64>]) {
    let Some(hit) = hit else { return assert!(contacts.is_empty()) };
    assert!(contacts.contains(hit));
    let depth = |hit: &SweepHit<f64>| hit.contact.overlap.unwrap_or(0.0);
    for other in contacts {
        let (time, other_time) = (hit.contact.fraction, other.contact.fraction);
        assert!(time <= other_time);
        assert!(time < other_time || depth(hit) >= depth(other) - 4.0 * f64::EPSILON);
        let is_same = depth(hit) == depth(other) && (depth(hit) == 0.0 || hit.contact.normal == other.contact.normal);
        let ties = time == other_time && is_same;
        assert!(!ties || (hit.instance, hit.triangle) <= (other.instance, other.triangle), "{hit:?} {other:?}");
    }
}

/// Some instances or many, by how often one is placed rather than removed.
fn a_world_answers_as_a_list(seed: u64, most: usize, side: usize, rounds: usize) {
    let mut random = Random(seed);
    let mut both = Both::new(side);
    let [mut answers, mut ties] = [0; 2];
    for _ in 0..rounds {
        for _ in 0..1 + most / 16 {
            match random.below(5) {
                0..2 if both.alone.len() < most => both.place(&mut random),
                2 if both.alone.len() > most / 2 => both.remove(&mut random),
                _ if !both.alone.is_empty() => both.move_one(&mut random),
                _ => {}
            }
        }
        for _ in 0..4 {
            let [found, tied] = both.ask(&mut random);
            answers += found;
            ties += tied;
        }
    }
    assert!(answers > rounds, "{answers} answers");
    assert!(ties > rounds / 20, "{ties} ties");
}

#[test]
fn a_world_of_few_instances_answers_as_a_list() {
    a_world_answers_as_a_list(1, 12, 3, 800);
}

#[test]
fn a_world_of_many_instances_answers_as_a_list() {
    a_world_answers_as_a_list(2, 400, 8, 150);
}

#[test]
fn far_from_the_origin_a_world_answers_as_a_list() {
    let mut world = World::new();
    let cube = Octree::new(primitives::cuboid::<f64>([1.0, 1.0, 1.0]).expect("a cube"));
    let mesh = world.add_mesh(cube);
    let far = point![3e7, -2e7, 5e7];
    let ids: Vec<_> = (0..50)
        .map(|i| world.place(mesh, &Placement::at(far + Vector3::x() * f64::from(i) * 3.0)).expect("a good placement"))
        .collect();
    for (i, id) in (0..).zip(ids) {
        let above = far + Vector3::new(f64::from(i) * 3.0, 4.0, 0.25);
        let ray = Ray3::new(above, -Vector3::y()).expect("a ray");
        assert_eq!(world.cast_ray(&ray, f64::INFINITY, &QueryFilter::default()).map(|hit| hit.instance), Some(id));
        let closest = world.closest_point(above, 10.0, &QueryFilter::default()).expect("a good point");
        assert_eq!(closest.map(|point| point.instance), Some(id));
    }
}

#[test]
fn a_ray_or_a_distance_without_a_limit_that_is_a_number_finds_nothing() {
    let mut random = Random(3);
    let mut both = Both::new(6);
    (0..5).for_each(|_| both.place(&mut random));
    let ray = Ray3::new(point![-5.0, 3.0, 3.0], Vector3::x()).expect("a ray");
    let filter = QueryFilter::default();
    for none in [f64::NAN, -1.0] {
        assert_eq!(both.world.cast_ray(&ray, none, &filter), None);
        assert_eq!(both.world.closest_point(point![0.0, 0.0, 0.0], none, &filter).expect("a good point"), None);
    }
}
