//! Sweeps bodies at the edges and corners of closed meshes, and counts those that get in: `watertight [count]`.
//!
//! The same as the test of that name, at any length; 10 million sweeps unless told otherwise, half of them in `f32`.

#[allow(dead_code)]
#[path = "../tests/it/random.rs"]
mod random;
#[path = "../tests/it/watertight/sweeps.rs"]
mod sweeps;

use std::{process::ExitCode, time::Instant};

fn main() -> ExitCode {
    let count = match std::env::args().nth(1).map(|count| count.parse::<usize>()) {
        None => 10_000_000,
        Some(Ok(count)) => count,
        Some(Err(error)) => {
            eprintln!("the number of sweeps: {error}");
            return ExitCode::from(2);
        }
    };
    let began = Instant::now();
    let single = sweeps::fire::<f32>(100, count / 2, report);
    let double = sweeps::fire::<f64>(200, count - count / 2, report);
    println!("f32: {single:?}\nf64: {double:?}\n{:.1} s", began.elapsed().as_secs_f64());
    let leaks = [single, double].map(|tally| tally.leaks + tally.ray_leaks).iter().sum::<usize>();
    println!("{} sweeps, {leaks} leaks", single.sweeps + double.sweeps);
    if leaks == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn report<T: sidle::Real>(_: &sweeps::Closed<T>, shot: &sweeps::Shot<T>) {
    println!("leak: {:?} from {:?} by {:?}, grazing: {}", shot.body, shot.start, shot.motion, shot.is_grazing);
}
