//! A small helper for jumps, and two ways of moving without ground, all on top of the character and outside of it.
//!
//! - *Height to speed*: to rise by `h` against gravity `g`, take off with `v = √(2 g h)`.
//! - *Coyote time*: who has just walked over an edge may still jump, for a moment.
//! - *Buffer*: a button that was pressed just before landing counts when the feet are down.
//! - *Flying* and *swimming*: `Character::fly` moves as the caller's velocity says; how that comes about is a line or two.

use sidle::nalgebra::{Point3, Vector3};
use sidle::{
    Character, CharacterConfig, Ellipsoid, Octree, Scratch, TickInput, World, mesh::primitives, world::Placement,
};

const DT: f64 = 1.0 / 120.0;
const GRAVITY: f64 = 9.81;

type Failure = Box<dyn std::error::Error>;

/// Decides in each tick whether to jump.
struct JumpHelper {
    /// How high to jump, in metres.
    height: f64,
    /// For how long a jump is possible after the ground was left, in seconds.
    coyote: f64,
    /// For how long a press is remembered, in seconds.
    buffer: f64,
    since_ground: f64,
    since_press: f64,
}

impl JumpHelper {
    fn new(height: f64) -> Self {
        Self { height, coyote: 0.1, buffer: 0.1, since_ground: f64::INFINITY, since_press: f64::INFINITY }
    }

    /// Call it before each tick: puts the jump into the input, or, in the air, into the character's momentum.
    fn before(
        &mut self,
        person: &mut Character<f64>,
        input: &mut TickInput<f64>,
        pressed: bool,
    ) -> Result<bool, Failure> {
        self.since_ground = if person.is_on_ground() { 0.0 } else { self.since_ground + DT };
        self.since_press = if pressed { 0.0 } else { self.since_press + DT };
        let jumps = self.since_press <= self.buffer && self.since_ground <= self.coyote;
        if jumps {
            let speed = (2.0 * input.gravity * self.height).sqrt();
            if person.is_on_ground() {
                input.jump = Some(speed);
            } else {
                // Coyote time: what it has fallen by now is lost, the speed aside is kept.
                let mut state = person.state();
                let up = input.up.into_inner();
                state.momentum += up * (speed - state.momentum.dot(&up));
                person.restore(state)?;
            }
            // Each press and each ground are good for one jump.
            (self.since_ground, self.since_press) = (f64::INFINITY, f64::INFINITY);
        }
        Ok(jumps)
    }
}

/// A floor, and a block 2 m high that ends at x = 0.
fn level() -> Result<World<f64>, Failure> {
    let mut world = World::of_level(Octree::new(primitives::floor(40.0, 40.0, 4, 4)?));
    let block = world.add_mesh(Octree::new(primitives::cuboid([5.0, 1.0, 5.0])?));
    world.place(block, &Placement::at(Point3::new(-5.0, 1.0, 0.0)))?;
    Ok(world)
}

fn person(x: f64, ground: f64) -> Result<Character<f64>, Failure> {
    let body = Ellipsoid::new(Vector3::new(0.4, 0.9, 0.4))?;
    Ok(Character::new(body, CharacterConfig::default(), Point3::new(x, ground + 0.92, 0.0))?)
}

/// Walks for two seconds at `speed` and presses the button once `when` says so: in which tick it jumped, and how high its feet came
/// above those at the press.
fn jump(
    mut person: Character<f64>,
    speed: f64,
    when: impl Fn(&Character<f64>, u32) -> bool,
) -> Result<(u32, f64), Failure> {
    let (world, mut scratch) = (level()?, Scratch::default());
    let mut helper = JumpHelper::new(1.2);
    let (mut pressed, mut jumped, mut from, mut top) = (false, None, 0.0, f64::NEG_INFINITY);
    for tick in 0..240 {
        let presses = tick > 1 && !pressed && when(&person, tick);
        pressed |= presses;
        let mut input = TickInput { velocity: Vector3::x() * speed, gravity: GRAVITY, ..TickInput::default() };
        if helper.before(&mut person, &mut input, presses)? {
            if jumped.is_some() {
                return Err("it jumped twice for one press".into());
            }
            (jumped, from) = (Some(tick), person.position().y);
        }
        person.tick(&world, &input, DT, &mut scratch)?;
        if jumped.is_some() {
            top = f64::max(top, person.position().y - from);
        }
    }
    let jumped = jumped.ok_or("it never jumped")?;
    Ok((jumped, top))
}

fn main() -> Result<(), Failure> {
    // The top lies between two ticks: at most so much of it is not seen.
    let unseen = GRAVITY * DT * DT / 8.0;
    let is_full = |height: f64| height <= 1.2 + 1e-9 && height >= 1.2 - unseen - 1e-9;

    let (_, height) = jump(person(5.0, 0.0)?, 0.0, |_, tick| tick == 10)?;
    println!("from the ground: {height:.4} m of 1.2 m");
    if !is_full(height) {
        return Err("the height is wrong".into());
    }

    // Over the edge of the block; the button comes 60 ms after the ground is gone.
    let late = |person: &Character<f64>, _| !person.is_on_ground() && person.state().momentum.y < -0.06 * GRAVITY;
    let (_, height) = jump(person(-1.0, 2.0)?, 3.0, late)?;
    println!("in coyote time: {height:.4} m");
    if !is_full(height) {
        return Err("coyote time has lost height".into());
    }

    // Falls from 1 m; the button comes less than the buffer's time before the ground.
    let early = |person: &Character<f64>, _| person.position().y < 0.92 + 0.3 && !person.is_on_ground();
    let (_, height) = jump(person(5.0, 1.0)?, 0.0, early)?;
    println!("from the buffer: {height:.4} m");
    if !is_full(height) {
        return Err("the buffer has lost the press".into());
    }

    fly_and_swim()
}

/// Flying: the velocity is the wish. Swimming: water carries what is in it and brakes it, and the strokes are the wish.
fn fly_and_swim() -> Result<(), Failure> {
    let (world, mut scratch) = (level()?, Scratch::default());
    let mut bird = person(5.0, 0.0)?;
    for _ in 0..120 {
        let input = TickInput { velocity: Vector3::new(0.0, 1.0, 2.0), ..TickInput::default() };
        bird.fly(&world, &input, DT, &mut scratch)?;
    }
    let flown = bird.position() - Point3::new(5.0, 0.92, 0.0);
    println!("flown by ({:.2}, {:.2}, {:.2})", flown.x, flown.y, flown.z);

    let surface = 3.0;
    let mut diver = person(5.0, 5.0)?;
    let mut velocity = Vector3::zeros();
    let mut deepest = f64::INFINITY;
    for _ in 0..2400 {
        let under = ((surface - diver.position().y) / 0.9).clamp(-1.0, 1.0);
        let share = (1.0 + under) / 2.0; // of the body that is in the water
        velocity += Vector3::y() * (GRAVITY * (2.0 * share - 1.0) * DT); // half of it floats
        velocity *= 1.0 - 2.0 * share * DT; // the water's drag
        let input = TickInput { velocity, ..TickInput::default() };
        // What the world stops is stopped.
        velocity = diver.fly(&world, &input, DT, &mut scratch)?.velocity;
        deepest = f64::min(deepest, diver.position().y);
    }
    println!("dived to {deepest:.2} m, floats at {:.2} m", diver.position().y);
    let has_flown = (flown - Vector3::new(0.0, 1.0, 2.0)).norm() < 1e-9;
    if !has_flown || deepest > surface - 0.5 || (diver.position().y - surface).abs() > 0.01 {
        return Err("flying or swimming went wrong".into());
    }
    Ok(())
}
