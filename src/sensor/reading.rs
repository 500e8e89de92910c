//! [`Reading`]: what a fan meets from one place.

use nalgebra::{Point, Point3, Rotation, Rotation3, SVector, Unit};

use super::{
    ObstacleId, Obstacles, RayFan,
    target::{SensorRay, sphere_sweep},
};
use crate::{
    InputError,
    input_error::{bounded_point, finite},
    real::{Real, narrow, narrow_point},
    shape::{Aabb, Ray3},
    world::{InstanceId, QueryFilter, World},
};

/// One ray meets one object.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sighting<T: Real, const D: usize, I> {
    /// What is met.
    pub object: I,
    /// The tag of the obstacle; of an instance of a world, the material of the triangle.
    pub tag: u64,
    /// The index of the ray in its fan.
    pub ray: u32,
    /// From the actor, in metres; of a thick ray, that of its middle. The inner radius where the ray starts in the object.
    pub distance: T,
    /// Where the ray (the middle of a thick one) is then.
    pub point: Point<T, D>,
    /// Unit normal of the object's surface on the ray's side; `None` if the ray starts in the object.
    pub normal: Option<Unit<SVector<T, D>>>,
}

/// What the rays of a fan meet, seen from one place; kept and used again, it takes no memory.
///
/// `I` names objects: [`ObstacleId`] for [`Obstacles`], [`InstanceId`] for a [`World`].
#[derive(Debug, Clone)]
pub struct Reading<T: Real, const D: usize, I = ObstacleId> {
    /// By ray, then distance, then object.
    sightings: Vec<Sighting<T, D, I>>,
    /// Where the sightings of each ray end.
    ends: Vec<u32>,
    /// Indices of sightings by object, then distance, then ray.
    by_object: Vec<u32>,
    /// Obstacles whose box meets the fan's.
    near: Vec<u32>,
    range: T,
}

impl<T: Real, const D: usize, I> Default for Reading<T, D, I> {
    fn default() -> Self {
        Self { sightings: Vec::new(), ends: Vec::new(), by_object: Vec::new(), near: Vec::new(), range: T::zero() }
    }
}

impl<T: Real, const D: usize, I: Copy + Ord> Reading<T, D, I> {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many rays were read.
    pub fn rays(&self) -> usize {
        self.ends.len()
    }

    /// Everything that a ray meets, nearest first; of equal distances the lower name. Empty for a ray that the fan does not
    /// have.
    pub fn ray(&self, ray: usize) -> &[Sighting<T, D, I>] {
        let Some(end) = self.ends.get(ray) else { return &[] };
        let start = if ray == 0 { 0 } else { self.ends[ray - 1] };
        &self.sightings[start as usize..*end as usize]
    }

    /// How far a ray gets, in metres from the actor: to the first object, or the whole range.
    pub fn reach(&self, ray: usize) -> T {
        self.ray(ray).first().map_or(self.range, |sighting| sighting.distance)
    }

    /// All that was met, ray by ray.
    pub fn sightings(&self) -> &[Sighting<T, D, I>] {
        &self.sightings
    }

    /// The nearest of all; of equal ones that of the lower ray.
    pub fn nearest(&self) -> Option<&Sighting<T, D, I>> {
        let firsts = (0..self.rays()).filter_map(|ray| self.ray(ray).first());
        firsts.reduce(|best, other| if other.distance < best.distance { other } else { best })
    }

    /// For each object that any ray meets, in the order of names, the nearest sighting of it.
    pub fn nearest_by_object(&self) -> impl Iterator<Item = &Sighting<T, D, I>> {
        let sighting = |place: usize| &self.sightings[self.by_object[place] as usize];
        let is_first = move |place: &usize| *place == 0 || sighting(place - 1).object != sighting(*place).object;
        (0..self.by_object.len()).filter(is_first).map(sighting)
    }

    /// Everything that any ray meets of an object, nearest first, whether something else is before it or not.
    pub fn of_object(&self, object: I) -> impl Iterator<Item = &Sighting<T, D, I>> {
        let named = |index: &u32| self.sightings[*index as usize].object;
        let start = self.by_object.partition_point(|index| named(index) < object);
        let end = self.by_object.partition_point(|index| named(index) <= object);
        self.by_object[start..end].iter().map(|index| &self.sightings[*index as usize])
    }

    /// The rays that see an object: those for which nothing else is before it; nearest first.
    pub fn rays_seeing(&self, object: I) -> impl Iterator<Item = u32> {
        let is_first = move |ray: u32| self.ray(ray as usize).first().is_some_and(|first| first.object == object);
        self.of_object(object).map(|sighting| sighting.ray).filter(move |ray| is_first(*ray))
    }

    fn begin(&mut self, fan: &RayFan<T, D>) {
        self.sightings.clear();
        self.ends.clear();
        self.by_object.clear();
        self.near.clear();
        self.range = fan.range;
    }

    fn add(&mut self, ray: &SensorRay<D>, fan: &RayFan<T, D>, distance: f64, seen: (I, u64, Option<SVector<f64, D>>)) {
        let (object, tag, normal) = seen;
        self.sightings.push(Sighting {
            object,
            tag,
            ray: self.ends.len() as u32,
            distance: T::nearest(fan.inner_radius.to_f64() + distance),
            point: (ray.origin + ray.direction * distance).map(T::nearest),
            normal: normal.map(|normal| Unit::new_unchecked(normal.map(T::nearest))),
        });
    }

    /// Sorts what was added since the last ray.
    fn end_ray(&mut self) {
        let start = self.ends.last().map_or(0, |end| *end as usize);
        self.sightings[start..].sort_unstable_by(|a, b| {
            a.distance.partial_cmp(&b.distance).expect("distances are numbers").then(a.object.cmp(&b.object))
        });
        self.ends.push(self.sightings.len() as u32);
    }

    fn end(&mut self) {
        let sightings = &self.sightings;
        self.by_object.extend(0..sightings.len() as u32);
        self.by_object.sort_unstable_by(|i, j| {
            let (a, b) = (&sightings[*i as usize], &sightings[*j as usize]);
            let nearer = a.distance.partial_cmp(&b.distance).expect("distances are numbers");
            a.object.cmp(&b.object).then(nearer).then(a.ray.cmp(&b.ray))
        });
    }
}

impl<T: Real, const D: usize> Reading<T, D, ObstacleId> {
    /// Casts the rays of a fan, turned by `rotation`, from `position` among obstacles.
    ///
    /// # Errors
    /// If a number is not finite, or the position beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE). The reading is empty then.
    pub fn read(
        &mut self,
        fan: &RayFan<T, D>,
        position: Point<T, D>,
        rotation: &Rotation<T, D>,
        obstacles: &Obstacles<T, D>,
    ) -> Result<(), InputError> {
        self.begin(fan);
        let actor = Actor::new(position, rotation)?;
        let whole = actor.rays(fan).fold(Aabb::empty(), |bounds: Aabb<f64, D>, ray| bounds.union(&ray.bounds()));
        self.near.extend(obstacles.near(&whole));
        for ray in actor.rays(fan) {
            let bounds = ray.bounds();
            for i in 0..self.near.len() {
                let slot = self.near[i];
                if let Some((id, tag, hit)) = obstacles.cast_within(slot, &ray, &bounds) {
                    self.add(&ray, fan, hit.distance, (id, tag, hit.normal));
                }
            }
            self.end_ray();
        }
        self.end();
        Ok(())
    }
}

/// A ray through a world tells the nearest so many instances, which is what a filter can ignore and one more.
pub(super) const MOST_INSTANCES: usize = 9;

impl<T: Real> Reading<T, 3, InstanceId> {
    /// Casts the rays of a fan, turned by `rotation`, from `position` in a world, among the instances that a filter sees.
    ///
    /// Each ray tells the nearest `through` instances that it meets, at most nine less those that the filter ignores: one is
    /// what the actor sees, more cost a query each.
    ///
    /// # Errors
    /// If a number is not finite, or the position beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE). The reading is empty then.
    ///
    /// ```
    /// # use nalgebra::{point, vector, Rotation3};
    /// use sidle::{Octree, QueryFilter, World, mesh::primitives, sensor::{RayFan, Reading}};
    /// let world = World::of_level(Octree::new(primitives::floor::<f32>(20.0, 20.0, 4, 4)?));
    /// let down = RayFan::of_directions([vector![0.0, -1.0, 0.0]], 100.0)?;
    /// let mut height = Reading::new();
    /// height.read_world(&down, point![1.0, 7.5, 2.0], &Rotation3::identity(), &world, &QueryFilter::default(), 1)?;
    /// assert_eq!(height.reach(0), 7.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_world(
        &mut self,
        fan: &RayFan<T, 3>,
        position: Point3<T>,
        rotation: &Rotation3<T>,
        world: &World<T>,
        filter: &QueryFilter,
        through: usize,
    ) -> Result<(), InputError> {
        self.begin(fan);
        let actor = Actor::new(position, rotation)?;
        for ray in actor.rays(fan) {
            let mut filter = filter.clone();
            for _ in 0..through.min(MOST_INSTANCES) {
                let Some((instance, material, distance, normal)) = first_instance(world, &ray, &filter) else { break };
                self.add(&ray, fan, distance, (instance, material, normal));
                if filter.ignored.try_push(instance).is_err() {
                    break;
                }
            }
            self.end_ray();
        }
        self.end();
        Ok(())
    }
}

type FirstInstance = (InstanceId, u64, f64, Option<SVector<f64, 3>>);

fn first_instance<T: Real>(world: &World<T>, ray: &SensorRay<3>, filter: &QueryFilter) -> Option<FirstInstance> {
    if ray.thickness > 0.0 {
        let sweep = sphere_sweep::<T>(&ray.origin, &ray.direction, ray.length, ray.thickness)?;
        let hit = world.sweep(&sweep, filter)?;
        let normal = hit.contact.overlap.is_none().then(|| hit.contact.normal.map(T::to_f64));
        return Some((hit.instance, hit.material.0.into(), hit.contact.distance.to_f64(), normal));
    }
    let ray3 = Ray3::new(narrow_point::<T>(&ray.origin), narrow(&ray.direction)).ok()?;
    let hit = world.cast_ray(&ray3, T::nearest(ray.length), filter)?;
    Some((hit.instance, hit.material.0.into(), hit.t.to_f64(), Some(hit.normal.map(T::to_f64))))
}

/// Where the fan is and how it is turned.
struct Actor<const D: usize> {
    position: Point<f64, D>,
    rotation: Rotation<f64, D>,
}

impl<const D: usize> Actor<D> {
    fn new<T: Real>(position: Point<T, D>, rotation: &Rotation<T, D>) -> Result<Self, InputError> {
        bounded_point(&position, "the actor's position")?;
        for x in rotation.matrix().iter() {
            finite(*x, "the actor's rotation")?;
        }
        let rotation = Rotation::from_matrix_unchecked(rotation.matrix().map(T::to_f64));
        Ok(Self { position: position.map(T::to_f64), rotation })
    }

    fn rays<T: Real>(&self, fan: &RayFan<T, D>) -> impl Iterator<Item = SensorRay<D>> {
        let (inner, range, thickness) = (fan.inner_radius.to_f64(), fan.range.to_f64(), fan.thickness.to_f64());
        fan.directions.iter().map(move |direction| {
            let direction = self.rotation * direction;
            SensorRay::new(self.position + direction * inner, direction, range - inner, thickness)
        })
    }
}
