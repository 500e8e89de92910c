//! Rays spread about an actor: what it sees, how high it stands, what is near it.
//!
//! A [`RayFan`] is a set of directions with a range. A [`Reading`] holds what the fan's rays meet, seen from one place:
//! per ray every object in the order of distance, per object the rays that see it, and the nearest of all. Objects are
//! [`Obstacles`] (boxes along the axes, convex polygons, meshes), or the instances of a [`World`].
//!
//! A picture in words: a guard stands in the middle of a clock face and looks along its hands. Each hand ends at the first
//! wall that it meets, or at the rim. The shape that the ends of all hands enclose is what the guard sees.
//!
//! # Uses
//! - *Perception*: [`Reading::rays_seeing`] tells whether, and how much of, an object is in view; tags tell friend from foe.
//! - *Fog of war*: [`Reading::reach`] tells how far each ray gets; what lies nearer is seen.
//! - *Height*: a ray straight down tells how far the ground is.
//!
//! # Cost
//! An object whose box does not meet the box of the whole fan costs one comparison for each reading; every other one is
//! tried by every ray. A reading takes no memory once it has had as many hits.

mod obstacles;
mod reading;
mod target;

use nalgebra::{SVector, Vector2, Vector3};

pub use obstacles::{ObstacleId, Obstacles, SensorError};
pub use reading::{Reading, Sighting};

#[cfg(doc)]
use crate::World;
use crate::{
    InputError,
    input_error::{MAX_COORDINATE, bounded, finite, not_negative, positive},
    real::Real,
};

/// Directions about an actor, with a range; turned and moved with the actor when it is read.
///
/// ```
/// # use nalgebra::{point, vector, Rotation2};
/// use sidle::{Aabb2, sensor::{Obstacles, RayFan, Reading}};
/// let mut walls = Obstacles::new();
/// let crate_ = walls.add_box(Aabb2::new(point![3.0, -1.0], point![4.0, 1.0]), 7)?;
/// // Four rays: east, north, west, south.
/// let fan = RayFan::around(4, 10.0)?;
/// let mut reading = Reading::new();
/// reading.read(&fan, point![0.0, 0.0], &Rotation2::identity(), &walls)?;
/// let nearest = reading.nearest().expect("one ray hits");
/// assert_eq!((nearest.object, nearest.tag, nearest.ray, nearest.distance), (crate_, 7, 0, 3.0));
/// assert_eq!(reading.reach(1), 10.0); // nothing in the north
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "Unchecked<T, D>"))]
#[doc(alias = "raycast")]
pub struct RayFan<T: Real, const D: usize> {
    /// Unit vectors.
    directions: Vec<SVector<f64, D>>,
    range: T,
    inner_radius: T,
    thickness: T,
}

/// The most rays of a fan.
const MAX_RAYS: usize = 1 << 20;

impl<T: Real, const D: usize> RayFan<T, D> {
    /// Rays along the given directions, of any length but zero, up to `range` metres from the actor.
    ///
    /// # Errors
    /// If there is no direction or more than a million, one has no length, or a number is not finite or the range not above
    /// zero.
    pub fn of_directions(directions: impl IntoIterator<Item = SVector<T, D>>, range: T) -> Result<Self, InputError> {
        let mut fan = Self { directions: Vec::new(), range, inner_radius: T::zero(), thickness: T::zero() };
        for direction in directions.into_iter().take(MAX_RAYS + 1) {
            bounded(&direction, "a direction of the fan")?;
            fan.directions.push(unit(&direction.map(T::to_f64), "a direction of the fan")?);
        }
        fan.checked()
    }

    /// The same fan whose rays begin `radius` metres from the actor, so that they do not meet its own body. Distances still
    /// count from the actor.
    ///
    /// # Errors
    /// If the radius is not finite, negative, or not less than the range.
    pub fn with_inner_radius(self, radius: T) -> Result<Self, InputError> {
        not_negative(radius, "the inner radius")?;
        if radius >= self.range {
            return Err(InputError::OutOfRange { what: "the inner radius", range: "0..range" });
        }
        Ok(Self { inner_radius: radius, ..self })
    }

    /// The same fan with thick rays: circles (spheres) of this radius, in metres, that move along them. Zero is a plain
    /// ray. Distances are those of their middle.
    ///
    /// # Errors
    /// If the radius is not finite, negative, or above zero and not in `1e-9..=1e9`.
    pub fn with_thickness(self, radius: T) -> Result<Self, InputError> {
        let wide = not_negative(radius, "the thickness")?.to_f64();
        if wide != 0.0 && !(1e-9..=1e9).contains(&wide) {
            return Err(InputError::OutOfRange { what: "the thickness", range: "0 or 1e-9..=1e9" });
        }
        Ok(Self { thickness: radius, ..self })
    }

    /// How many rays there are.
    pub fn len(&self) -> usize {
        self.directions.len()
    }

    /// A fan has at least one ray.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The direction of a ray before the actor turns: a unit vector.
    pub fn direction(&self, ray: usize) -> Option<SVector<T, D>> {
        self.directions.get(ray).map(|direction| direction.map(T::nearest))
    }

    /// How far the rays reach from the actor, in metres.
    pub fn range(&self) -> T {
        self.range
    }

    /// How far from the actor they begin, in metres.
    pub fn inner_radius(&self) -> T {
        self.inner_radius
    }

    /// The radius of thick rays, in metres; zero for plain ones.
    pub fn thickness(&self) -> T {
        self.thickness
    }

    fn checked(self) -> Result<Self, InputError> {
        if !(1..=MAX_RAYS).contains(&self.directions.len()) {
            return Err(InputError::OutOfRange { what: "the number of rays", range: "1..=1048576" });
        }
        if positive(self.range, "the range")?.to_f64() > MAX_COORDINATE {
            return Err(InputError::TooLarge { what: "the range" });
        }
        Ok(self)
    }

    /// `count` rays in the plane of two unit vectors, over an angle of which `forward` is the middle.
    fn between(
        count: usize,
        forward: &SVector<f64, D>,
        left: &SVector<f64, D>,
        opening: f64,
        range: T,
    ) -> Result<Self, InputError> {
        if !(0.0..=std::f64::consts::TAU + 1e-6).contains(&opening) {
            return Err(InputError::OutOfRange { what: "the opening angle", range: "0..=2π" });
        }
        // A million directions too many must not be worked out first.
        let count = count.min(MAX_RAYS + 1);
        let is_circle = opening >= std::f64::consts::TAU - 1e-6;
        let angle = |i: usize| match (is_circle, count) {
            (true, _) => std::f64::consts::TAU * i as f64 / count as f64,
            (false, 1) => 0.0,
            (false, _) => opening * (i as f64 / (count - 1) as f64 - 0.5),
        };
        let directions = (0..count).map(|i| {
            let direction = forward * libm::cos(angle(i)) + left * libm::sin(angle(i));
            // A quarter turn is meant to be one: then the ray is parallel to an axis, exactly.
            direction.map(|x| if x.abs() < 1e-15 { 0.0 } else { x }).normalize()
        });
        Self { directions: directions.collect(), range, inner_radius: T::zero(), thickness: T::zero() }.checked()
    }
}

impl<T: Real> RayFan<T, 2> {
    /// `count` rays all around, the first along +x, counter-clockwise, up to `range` metres.
    ///
    /// # Errors
    /// If there is no ray or more than a million, or the range is not finite and above zero.
    pub fn around(count: usize, range: T) -> Result<Self, InputError> {
        Self::between(count, &Vector2::x(), &Vector2::y(), std::f64::consts::TAU, range)
    }

    /// `count` rays over an angle of `opening` radians with `forward` in its middle, from right to left; both borders
    /// have a ray. An opening of 2π is a full circle that begins at `forward`.
    ///
    /// # Errors
    /// If there is no ray or more than a million, `forward` has no direction, the opening is not in `0..=2π`, or the range
    /// is not finite and above zero.
    pub fn spread(count: usize, forward: Vector2<T>, opening: T, range: T) -> Result<Self, InputError> {
        bounded(&forward, "the forward direction")?;
        let forward = unit(&forward.map(T::to_f64), "the forward direction")?;
        let left = Vector2::new(-forward.y, forward.x);
        Self::between(count, &forward, &left, finite(opening, "the opening angle")?.to_f64(), range)
    }
}

impl<T: Real> RayFan<T, 3> {
    /// `count` rays in the plane of `forward` and `left`, over an angle of `opening` radians with `forward` in its middle;
    /// both borders have a ray. An opening of 2π is a full circle that begins at `forward`. Only the part of `left` across
    /// `forward` counts.
    ///
    /// # Errors
    /// As [`RayFan::spread`], and if `left` is parallel to `forward`.
    ///
    /// ```
    /// # use nalgebra::vector;
    /// use sidle::sensor::RayFan;
    /// let scan = RayFan::in_plane(3, vector![0.0, -1.0, 0.0], vector![1.0, 0.0, 0.0], 1.0, 50.0)?;
    /// assert_eq!(scan.direction(1), Some(vector![0.0, -1.0, 0.0])); // the middle one looks down
    /// # Ok::<(), sidle::InputError>(())
    /// ```
    pub fn in_plane(
        count: usize,
        forward: Vector3<T>,
        left: Vector3<T>,
        opening: T,
        range: T,
    ) -> Result<Self, InputError> {
        bounded(&forward, "the forward direction")?;
        bounded(&left, "the direction to the left")?;
        let forward = unit(&forward.map(T::to_f64), "the forward direction")?;
        let left = unit(&left.map(T::to_f64), "the direction to the left")?;
        let across = left - forward * left.dot(&forward);
        if across.norm() < 1e-9 {
            return Err(InputError::NoDirection { what: "what is across of the direction to the left" });
        }
        Self::between(count, &forward, &across.normalize(), finite(opening, "the opening angle")?.to_f64(), range)
    }
}

fn unit<const D: usize>(v: &SVector<f64, D>, what: &'static str) -> Result<SVector<f64, D>, InputError> {
    let largest = v.amax();
    if largest == 0.0 {
        return Err(InputError::NoDirection { what });
    }
    // By the largest first: the square of a tiny number would be none.
    Ok((v / largest).normalize())
}

/// What a file holds, before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Unchecked<T: Real, const D: usize> {
    directions: Vec<SVector<f64, D>>,
    range: T,
    inner_radius: T,
    thickness: T,
}

#[cfg(feature = "serde")]
impl<T: Real, const D: usize> TryFrom<Unchecked<T, D>> for RayFan<T, D> {
    type Error = InputError;

    fn try_from(fan: Unchecked<T, D>) -> Result<Self, InputError> {
        for direction in &fan.directions {
            bounded(direction, "a direction of the fan")?;
            // Kept to the bit, and not made unit vectors again.
            if (direction.norm_squared() - 1.0).abs() > 1e-6 {
                return Err(InputError::OutOfRange { what: "the length of a direction of the fan", range: "1" });
            }
        }
        let Unchecked { directions, range, inner_radius, thickness } = fan;
        let plain = Self { directions, range, inner_radius: T::zero(), thickness: T::zero() };
        plain.checked()?.with_inner_radius(inner_radius)?.with_thickness(thickness)
    }
}
