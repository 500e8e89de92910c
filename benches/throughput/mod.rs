//! Triangles a second and core through the packets of the library, beside what memory could deliver.
//!
//! A [`TriangleList`] has no tree: every sweep reads every packet, 40 bytes a triangle, looks at the box of each triangle, where
//! a box of eight is near at the rest of the packet's test, and with the exact kernel at what is left over. Reading as many
//! bytes alternates with the sweeps, and of each part the fastest run counts: on a machine that others use too, a run can
//! only be too slow.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use nalgebra::{Point3, Vector3, point, vector};
use sidle::{Aabb3, Ellipsoid, SimdLevel, Sweep, Triangle, sweep::TriangleList};

use crate::inputs::Random;

const SEED: u64 = 1;
/// Different triangles of a mix; larger sets repeat them.
const TRIANGLES: usize = 4096;
/// What stays in a core's own cache, and what is larger than any cache.
const SETS: [Set; 2] = [
    Set { name: "in cache", lists: 1, len: TRIANGLES, sweeps: 128, runs: 100 },
    Set { name: "out of cache", lists: 128, len: 32 * TRIANGLES, sweeps: 1, runs: 10 },
];
/// Motions of the body; the runs over the small set go through them in turn.
const SWEEPS: usize = 16;

/// How many triangles there are, and how often they are looked at.
struct Set {
    name: &'static str,
    /// Looked at in turn, and timed one by one: such a time is over before something else wants the core.
    lists: usize,
    /// Triangles of a list.
    len: usize,
    /// Sweeps through a list that are timed together.
    sweeps: usize,
    runs: usize,
}

/// What becomes of the triangles of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mix {
    /// All are out of reach of the whole way: their boxes reject them.
    Far,
    /// The boxes of all meet that of the way; none comes to the exact kernel.
    Near,
    /// As in the leaves that a body comes to in a level: some are near, and some of these are hit.
    Typical,
    /// All are hit.
    Hit,
}

/// Measures and prints all rows.
pub(crate) fn print() {
    let sweeps = sweeps();
    println!("triangles a second and core, in f32; {} is what the library chooses here", SimdLevel::best());
    println!(
        "{:<13} {:<9} {:<7} {:>11} {:>6} {:>7} {:>13} {:>13} {:>7}",
        "set", "mix", "level", "candidates", "hits", "M/s", "reads, GB/s", "could, GB/s", "share"
    );
    for set in SETS {
        // As many bytes as the packets have.
        let words: Vec<u64> = (0..set.lists * set.len * 5).map(|i| i as u64).collect();
        let mut reading = vec![Duration::MAX; set.lists];
        for (name, mix) in [("far", Mix::Far), ("near", Mix::Near), ("typical", Mix::Typical), ("hit", Mix::Hit)] {
            let few = triangles(mix, &sweeps);
            let [candidates, hits] = shares(&few, &sweeps);
            let list = TriangleList::new(few.into_iter().cycle().take(set.len)).expect("finite numbers");
            let bytes = set.lists * set.sweeps * list.packet_bytes();
            let mut lists = vec![list; set.lists];
            // The exact kernel takes the same time on every level.
            let is_rejected = matches!(mix, Mix::Far | Mix::Near);
            let levels = if is_rejected { SimdLevel::available() } else { vec![SimdLevel::best()] };
            let mut fastest = vec![vec![Duration::MAX; set.lists]; levels.len()];
            // A triangle that is hit costs so much that more runs would tell nothing new.
            let runs = if mix == Mix::Hit { 1 } else { set.runs };
            for _ in 0..runs {
                for (words, reading) in words.chunks_exact(set.len * 5).zip(&mut reading) {
                    *reading = (*reading).min(timed(|| read(words, set.sweeps)));
                }
                for (level, fastest) in levels.iter().zip(&mut fastest) {
                    lists = lists.into_iter().map(|list| list.with_simd_level(*level)).collect();
                    for (list, fastest) in lists.iter().zip(fastest) {
                        *fastest = (*fastest).min(timed(|| look(list, &sweeps, set.sweeps)));
                    }
                }
            }
            let could = bytes as f64 / reading.iter().sum::<Duration>().as_secs_f64();
            for (level, fastest) in levels.iter().zip(fastest) {
                let seconds = fastest.iter().sum::<Duration>().as_secs_f64();
                let (per_second, reads) = ((set.lists * set.sweeps * set.len) as f64 / seconds, bytes as f64 / seconds);
                println!(
                    "{:<13} {name:<9} {:<7} {:>9.1} % {:>4.0} % {:>7.0} {:>13.1} {:>13.1} {:>5.0} %",
                    set.name,
                    level.to_string(),
                    100.0 * candidates,
                    100.0 * hits,
                    per_second / 1e6,
                    reads / 1e9,
                    could / 1e9,
                    100.0 * reads / could
                );
            }
        }
    }
}

fn timed<A>(run: impl FnOnce() -> A) -> Duration {
    let begin = Instant::now();
    black_box(run());
    begin.elapsed()
}

/// Adds all words, several times; written so that the compiler makes vector instructions of it, and with the same requests
/// ahead of time as the packets have.
fn read(words: &[u64], times: usize) -> u64 {
    const PART: usize = 16;
    const AHEAD: usize = 40;
    let mut sums = [0_u64; PART];
    for _ in 0..times {
        let parts = black_box(words).as_chunks::<PART>().0;
        for (index, part) in parts.iter().enumerate() {
            #[cfg(target_arch = "x86_64")]
            if let Some(later) = parts.get(index + AHEAD) {
                safe_arch::prefetch_t0(&later[0]);
                safe_arch::prefetch_t0(&later[PART / 2]);
            }
            for (sum, word) in sums.iter_mut().zip(part) {
                *sum = sum.wrapping_add(*word);
            }
        }
    }
    sums.iter().fold(0, |all, sum| all.wrapping_add(*sum))
}

/// Sweeps through a list several times, and counts all contacts.
fn look(list: &TriangleList<f32>, sweeps: &[Sweep], times: usize) -> usize {
    let mut contacts = 0;
    for sweep in sweeps.iter().cycle().take(times) {
        black_box(list).each_contact(black_box(sweep), |_, contact| {
            black_box(contact);
            contacts += 1;
        });
    }
    contacts
}

/// A body that falls by 4 m, with a little to the sides.
fn sweeps() -> Vec<Sweep> {
    let mut random = Random(SEED);
    let body = Ellipsoid::new(vector![0.4_f32, 0.9, 0.4]).expect("positive radii");
    let sweep = |_| {
        let motion = vector![random.between(-0.1, 0.1) as f32, -4.0, random.between(-0.1, 0.1) as f32];
        Sweep::new(&body, point![0.0, 2.0, 0.0], motion).expect("finite numbers")
    };
    (0..SWEEPS).map(sweep).collect()
}

/// Triangles with edges of about a metre around the way of the body.
fn triangles(mix: Mix, sweeps: &[Sweep]) -> Vec<Triangle<f32>> {
    let mut random = Random(SEED);
    // No smaller than the box of any sweep below.
    let way = Aabb3::new(point![-0.5, -2.9, -0.5], point![0.5, 2.9, 0.5]);
    let mut found = Vec::with_capacity(TRIANGLES);
    while found.len() < TRIANGLES {
        let reach = match mix {
            Mix::Far => 8.0,
            Mix::Near => 0.7,
            Mix::Typical => 3.0,
            Mix::Hit => 0.3,
        };
        let center = Vector3::from_fn(|_, _| random.between(-reach, reach));
        let mut corner = || Point3::from((center + random.direction() * random.between(0.3, 0.7)).map(|x| x as f32));
        let triangle = Triangle::new(corner(), corner(), corner());
        let is_near = triangle.bounds().overlaps(&way);
        let is_wanted = match mix {
            Mix::Far => !is_near,
            Mix::Near => is_near && shares(&[triangle], sweeps)[0] == 0.0,
            Mix::Typical => true,
            Mix::Hit => shares(&[triangle], sweeps)[1] == 1.0,
        };
        if is_wanted {
            found.push(triangle);
        }
    }
    found
}

/// Shares of the pairs of a triangle and a sweep that packets do not reject, and that are hits.
fn shares(triangles: &[Triangle<f32>], sweeps: &[Sweep]) -> [f64; 2] {
    let list = TriangleList::new(triangles.iter().copied()).expect("finite numbers");
    let mut counts = [0; 2];
    for sweep in sweeps {
        list.each_candidate(sweep, |_| counts[0] += 1);
        list.each_contact(sweep, |_, _| counts[1] += 1);
    }
    counts.map(|count| f64::from(count) / (triangles.len() * sweeps.len()) as f64)
}
