//! Who stands does not move: the position stays the same to the bit, wherever one can stand.

use nalgebra::{Rotation3, Vector3, point};
use sidle::{
    Real, TriMesh,
    mesh::primitives::{MeshBuilder, playground, stairs},
};

use crate::{
    person::{Person, RATES, STANDS},
    random::Random,
};

/// So many ticks at 60 Hz. At other frame rates fewer: a tick is a function of the state, so one that changes nothing says it all.
const TICKS: usize = 10_000;
const TICKS_AT_OTHER_RATES: usize = 300;

/// Somewhere to stand.
struct Place {
    name: String,
    level: TriMesh<f64>,
    /// Where the centre starts, in the air.
    start: [f64; 3],
    /// Where to, before standing still, in metres a second and for how many seconds.
    push: ([f64; 3], f64),
}

/// What may not change: all bits of the position.
fn bits<T: Real>(person: &Person<T>) -> [u64; 6] {
    let state = person.character.state();
    let [p, r] = [state.position.coords, state.remainder].map(|v| v.map(|x| x.to_f64().to_bits()));
    [p.x, p.y, p.z, r.x, r.y, r.z]
}

impl Place {
    fn new(name: String, level: &TriMesh<f64>, start: [f64; 3]) -> Self {
        Self { name, level: level.clone(), start, push: ([0.0; 3], 0.0) }
    }

    fn pushed(self, velocity: [f64; 3], seconds: f64) -> Self {
        Self { push: (velocity, seconds), ..self }
    }

    /// Lands, is pushed, settles, and then stands for as many ticks as are asked for.
    fn is_still<T: Real>(&self, hz: u32, ticks: usize) {
        let level = TriMesh::new(
            self.level.vertices().iter().map(|v| v.map(T::nearest)).collect(),
            self.level.indices().collect(),
        );
        let mut person = Person::at(level.expect("the same mesh"), self.start, hz);
        let mut is_on_ground = false;
        let (push, seconds) = self.push;
        person.walk([0.0; 3], 0.8, |_, _| ());
        person.walk(push, seconds, |_, _| ());
        person.walk([0.0; 3], 4.0, |_, report| is_on_ground = report.ground.touch.is_some());
        let settled = (bits(&person), person.character.state().ground);
        for tick in 0..ticks {
            person.tick([0.0; 3]);
            let now = (bits(&person), person.character.state().ground);
            assert!(now == settled, "{} at {hz} Hz: it moves in tick {tick}, at {}", self.name, person.place());
        }
        assert!(is_on_ground, "{}: it stands on nothing, at {}", self.name, person.place());
    }
}

/// A plane through the origin that rises by so many degrees along `x`, in strips, turned about the vertical.
fn add_slope(level: &mut MeshBuilder, degrees: f64, from: f64, to: f64, turn: f64) {
    let turned = Rotation3::from_axis_angle(&Vector3::y_axis(), turn.to_radians());
    let at = |x: f64, z: f64| -> [f64; 3] { (turned * point![x, x * degrees.to_radians().tan(), z]).into() };
    for strip in -4..4 {
        let (near, far) = (2.1 * f64::from(strip), 2.1 * f64::from(strip + 1));
        level.quad([at(from, near), at(from, far), at(to, far), at(to, near)]);
    }
}

/// A wall across `x` or `z`.
fn add_wall(level: &mut MeshBuilder, axis: usize, offset: f64) {
    let at = |along: f64, y: f64| if axis == 0 { [offset, y, along] } else { [along, y, offset] };
    level.quad([at(-9.0, -9.0), at(9.0, -9.0), at(9.0, 12.0), at(-9.0, 12.0)]);
}

/// Slopes up to the limit in several directions: in the open, beside a wall, in the corner of two.
fn slopes(places: &mut Vec<Place>) {
    for (degrees, turn) in [0.0, 3.0, 20.0, 37.0, 44.9, 45.0]
        .into_iter()
        .flat_map(|degrees| [0.0, 17.0, 133.0].map(|turn| (degrees, turn)))
    {
        for walls in 0..3 {
            let mut level = MeshBuilder::new();
            add_slope(&mut level, degrees, -8.0, 8.0, turn);
            (0..walls).for_each(|axis| add_wall(&mut level, axis, 1.5));
            let level = level.build().expect("a slope");
            let name = format!("a slope of {degrees}° turned by {turn}° with {walls} walls");
            let place = Place::new(name, &level, [0.3, 2.0, 0.2]);
            places.push(place.pushed(if walls == 1 { [3.0, 0.0, 0.7] } else { [2.0, 0.0, 2.0] }, 1.0));
        }
    }
}

/// Valleys and ridges of two slopes, and the feet of slopes that are too steep to stand on.
fn creases(places: &mut Vec<Place>) {
    for (left, right) in
        [(10.0, 10.0), (30.0, 30.0), (44.0, 10.0), (45.0, 45.0), (30.0, 0.0), (20.0, 60.0), (0.0, 75.0)]
    {
        for (sign, turn) in [(1.0, 0.0), (1.0, 31.0), (-1.0, 0.0), (-1.0, 31.0)] {
            if sign < 0.0 && right > 45.0 {
                continue; // nobody stands on such a ridge
            }
            let mut level = MeshBuilder::new();
            add_slope(&mut level, -sign * left, -8.0, 0.0, turn);
            add_slope(&mut level, sign * right, 0.0, 8.0, turn);
            let level = level.build().expect("two slopes");
            for offset in [-0.5_f64, 0.0, 0.2] {
                let name = format!("slopes of {left}° and {right}° times {sign}, turned by {turn}°, from {offset}");
                // Above the steeper side, turned or not.
                let start = [offset, 2.0 + offset.abs() * f64::tan(left.max(right).to_radians()), 0.3];
                places.push(Place::new(name.clone(), &level, start));
                let back = if offset > 0.0 { -2.0 } else { 2.0 };
                places.push(Place::new(name, &level, start).pushed([back, 0.0, 0.5], 0.4));
            }
        }
    }
}

/// Everywhere on stairs: in the open, beside a wall, on the way up and on the way down.
fn steps(places: &mut Vec<Place>) {
    let mut open = MeshBuilder::new();
    open.append(&stairs::<f64>(10, 0.2, 0.3, 4.0).expect("stairs"), [0.0; 3]);
    let mut beside = MeshBuilder::new();
    beside.append(&stairs::<f64>(10, 0.2, 0.3, 4.0).expect("stairs"), [0.0; 3]);
    add_wall(&mut beside, 2, 1.0);
    let [open, beside] = [open, beside].map(|level| level.build().expect("stairs"));
    for i in 0..16 {
        let x = 0.1 + 0.163 * f64::from(i);
        let start = [x, x / 1.5 + STANDS + 0.4, 0.1];
        places.push(Place::new(format!("stairs at {x}"), &open, start));
        places.push(Place::new(format!("stairs at {x} by a wall"), &beside, start).pushed([0.2, 0.0, 2.0], 0.6));
        let seconds = 0.2 + 0.053 * f64::from(i);
        let up = Place::new(format!("{seconds} s up stairs"), &open, [0.3, 0.4 + STANDS, 0.1]);
        places.push(up.pushed([2.0, 0.0, 0.1], seconds));
        let down = Place::new(format!("{seconds} s down stairs"), &open, [2.7, 2.0 + STANDS, 0.1]);
        places.push(down.pushed([-2.0, 0.0, 0.1], seconds));
    }
}

/// Wherever a random push leads in the playground.
fn anywhere(places: &mut Vec<Place>) {
    let mut random = Random(5);
    for i in 0..40 {
        let [x, z] = [0, 1].map(|_| random.between(-19.0, 19.0));
        let push = [random.between(-3.0, 3.0), 0.0, random.between(-3.0, 3.0)];
        places.push(Place {
            name: format!("place {i} of the playground"),
            level: playground(),
            start: [x, 5.0, z],
            push: (push, 1.5),
        });
    }
}

fn nothing_moves<T: Real>(places: &[Place]) {
    for place in places {
        for hz in RATES {
            place.is_still::<T>(hz, if hz == 60 { TICKS } else { TICKS_AT_OTHER_RATES });
        }
    }
}

fn are_still(gather: fn(&mut Vec<Place>)) {
    let mut places = Vec::new();
    gather(&mut places);
    println!("{} places", places.len());
    nothing_moves::<f32>(&places);
    nothing_moves::<f64>(&places);
}

#[test]
fn nothing_moves_on_slopes_and_beside_walls() {
    are_still(slopes);
}

#[test]
fn nothing_moves_in_creases_and_on_ridges() {
    are_still(creases);
}

#[test]
fn nothing_moves_on_stairs() {
    are_still(steps);
}

#[test]
fn nothing_moves_anywhere_in_the_playground() {
    are_still(anywhere);
}
