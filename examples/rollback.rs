//! Rollback, as in a game over a network: a hundred characters, whose inputs arrive ten ticks late. A client goes on with what it
//! guesses, and when it turns out otherwise it puts the crowd back and plays those ticks again.
//!
//! ```text
//! cargo run --release --example rollback
//! ```

use std::{collections::VecDeque, error::Error, time::Instant};

use nalgebra::{point, vector};
use sidle::{
    Character, CharacterConfig, CharacterState, Ellipsoid, Octree, TickInput, World,
    character::{CharacterId, Crowd, CrowdError},
    mesh::primitives::terrain,
};

const DT: f32 = 1.0 / 60.0;
const CHARACTERS: u32 = 100;
/// So many ticks an input is under way.
const LATE: usize = 10;
const TICKS: usize = 1_200;

fn main() -> Result<(), Box<dyn Error>> {
    let world = World::of_level(Octree::new(terrain::<f32>(64, 5)?));
    // The server knows all inputs at once; the client starts as its copy.
    let (mut server, ids) = crowd()?;
    let mut client = server.clone();

    let mut history = VecDeque::<Vec<(CharacterId, CharacterState<f32>)>>::new();
    let (mut rollbacks, mut wrong, mut seconds) = (0, 0, 0.0);
    for tick in 0..TICKS {
        tick_with(&mut server, &world, &ids, |number| input(number, tick))?;

        // The client is told the inputs of a tick that is past. Did it guess them?
        let begin = Instant::now();
        if tick >= LATE {
            let told = tick - LATE;
            let guessed = |number| guess(number, told, told.saturating_sub(LATE));
            let is_wrong = |number: &u32| guessed(*number) != input(*number, told);
            wrong += (0..CHARACTERS).filter(is_wrong).count();
            if (0..CHARACTERS).any(|number| is_wrong(&number)) {
                rollbacks += 1;
                put_back(&mut client, history.front().ok_or("there is a history")?)?;
                history.clear();
                for again in told..tick {
                    history.push_back(client.states().collect());
                    tick_with(&mut client, &world, &ids, |number| guess(number, again, told))?;
                }
                seconds += begin.elapsed().as_secs_f64();
            }
            history.pop_front();
        }
        history.push_back(client.states().collect());
        tick_with(&mut client, &world, &ids, |number| guess(number, tick, tick.saturating_sub(LATE)))?;
    }

    // When all has arrived, both have walked the same way, to the bit.
    put_back(&mut client, history.front().ok_or("there is a history")?)?;
    for tick in TICKS - history.len()..TICKS {
        tick_with(&mut client, &world, &ids, |number| input(number, tick))?;
    }
    assert!(client.states().eq(server.states()), "the client is somewhere else than the server");
    assert!(rollbacks > TICKS / 4, "only {rollbacks} rollbacks");

    let bytes = size_of::<(CharacterId, CharacterState<f32>)>();
    println!(
        "{rollbacks} rollbacks in {TICKS} ticks, for {wrong} inputs guessed wrong; the end is the same to the bit"
    );
    println!("{bytes} bytes for the state of a character");
    println!(
        "{:.2} ms to put {CHARACTERS} characters back and to play {LATE} ticks again",
        1e3 * seconds / rollbacks as f64
    );
    Ok(())
}

/// Some dozen metres of hills with a hundred on them.
fn crowd() -> Result<(Crowd<f32>, Vec<CharacterId>), Box<dyn Error>> {
    let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
    let mut crowd = Crowd::new();
    let mut ids = Vec::new();
    for number in 0..CHARACTERS {
        let place = point![(number % 10) as f32 * 1.5 - 7.0, 6.0, (number / 10) as f32 * 1.5 - 7.0];
        ids.push(crowd.add(Character::new(body, CharacterConfig::default(), place)?)?);
    }
    Ok((crowd, ids))
}

fn tick_with(
    crowd: &mut Crowd<f32>,
    world: &World<f32>,
    ids: &[CharacterId],
    input: impl Fn(u32) -> TickInput<f32> + Sync,
) -> Result<(), CrowdError> {
    // The names are in order, as nobody was removed.
    crowd.tick(world, DT, |id, _| ids.binary_search(&id).map_or_else(|_| TickInput::default(), |n| input(n as u32)))
}

fn put_back(crowd: &mut Crowd<f32>, states: &[(CharacterId, CharacterState<f32>)]) -> Result<(), CrowdError> {
    states.iter().try_for_each(|(id, state)| crowd.restore(*id, *state))
}

/// What a player does in a tick: turns every second or so, and jumps now and then.
fn input(number: u32, tick: usize) -> TickInput<f32> {
    let turn = f64::from(number) * 2.4 + ((tick + 7 * number as usize) / 70) as f64 * 1.9;
    let jump = (tick + 13 * number as usize).is_multiple_of(200);
    TickInput {
        velocity: vector![libm::cos(turn) as f32, 0.0, libm::sin(turn) as f32] * 3.0,
        jump: jump.then_some(4.0),
        ..TickInput::default()
    }
}

/// What the client takes for it that knows all up to a tick: the same as then, and no jump.
fn guess(number: u32, tick: usize, known: usize) -> TickInput<f32> {
    if tick <= known { input(number, tick) } else { TickInput { jump: None, ..input(number, known) } }
}
