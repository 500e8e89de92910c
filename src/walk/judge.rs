//! [`judge`]: holds a track against what was expected of it.

use nalgebra::{Point3, Vector3};

use super::{Number, Scalar, Track, TrackTick, Walk, gap::least_gap, moving::Moving};
use crate::{
    real::Real,
    shape::{Aabb3, ellipsoid_triangle},
    world::{CollisionWorld, QueryFilter, World},
};

/// An expectation that did not hold.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{key}: {found}")]
pub struct Difference {
    /// The expectation's key.
    pub key: &'static str,
    /// What was found instead, in words.
    pub found: String,
}

/// Every expectation of a walk that its track does not keep.
///
/// A recording is part of it where it was made in the world's scalar; the other scalar has other bits.
///
/// What is expected of the others is judged, too; of them `found` says which it is, from 1.
pub fn judge<T: Real>(walk: &Walk, track: &Track, world: &World<T>) -> Vec<Difference> {
    let mut differences = judge_one(walk, track, world);
    differences.extend(too_near::<T>(walk, track, 0, walk.expect.min_gap_to_others));
    if track.others.len() != walk.others.len() {
        let found = format!("the track has {} others, the walk {}", track.others.len(), walk.others.len());
        differences.push(Difference { key: "others", found });
    }
    for (number, (other, own_track)) in (1..).zip(walk.others.iter().zip(&track.others)) {
        let found = judge_one(&walk.of_other(other), own_track, world);
        let found = found.into_iter().chain(too_near::<T>(walk, track, number, other.expect.min_gap_to_others));
        let named = |Difference { key, found }| Difference { key, found: format!("other {number}: {found}") };
        differences.extend(found.map(named));
    }
    differences
}

/// Whether one comes too near to any of the others.
fn too_near<T: Real>(walk: &Walk, track: &Track, who: usize, least: Option<f64>) -> Option<Difference> {
    let least = least?;
    let found = least_gap::<T>(walk, track, who);
    let holds = found.is_some_and(|found| found >= least);
    let found = found.map_or_else(|| "there are no others".into(), |found| format!("{found:.6} m"));
    (!holds).then_some(Difference { key: "min_gap_to_others", found })
}

/// What is expected of one, apart from the others.
fn judge_one<T: Real>(walk: &Walk, track: &Track, world: &World<T>) -> Vec<Difference> {
    let mut differences = Vec::new();
    let mut check = |key, holds: bool, found: String| {
        if !holds {
            differences.push(Difference { key, found });
        }
    };
    let expect = &walk.expect;
    check("error", expect.error != Some(true), "the walk ran to its end".into());
    let last = track.ticks.last().map_or(track.start, |tick| tick.position);
    let all = || track.ticks.iter().map(|tick| tick.position);
    check("finite", all().all(|p| p.iter().all(|x| x.is_finite())), "a position is not finite".into());

    if let Some(end) = expect.end {
        let off = (last - Point3::from(end)).norm();
        let tolerance = expect.tolerance.unwrap_or(0.0);
        check("final", off <= tolerance, format!("{off:.4} m off, at {}", show(&last)));
    } else {
        check("tolerance", expect.tolerance.is_none(), "there is no `final` to be within it".into());
    }
    check("final_min", is_above(&last, &expect.final_min), show(&last));
    check("final_max", is_below(&last, &expect.final_max), show(&last));
    if let Some(p) = all().find(|p| !is_above(p, &expect.always_min)) {
        check("always_min", false, show(&p));
    }
    if let Some(p) = all().find(|p| !is_below(p, &expect.always_max)) {
        check("always_max", false, show(&p));
    }
    if let Some(grounded) = expect.grounded {
        let state = track.ticks.last().map(|tick| tick.ground).unwrap_or_default();
        check("grounded", is_on_ground(state) == grounded, format!("{state:?}"));
    }
    if let Some(crushed) = expect.crushed {
        let first = track.ticks.iter().position(|tick| tick.is_crushed);
        check("crushed", first.is_some() == crushed, format!("{first:?} is the first tick of being crushed"));
    }
    if let Some(most) = expect.max_penetration {
        let deepest = deepest_penetration(walk, track, world);
        check("max_penetration", deepest <= most, format!("{deepest:.6} m"));
    }
    if let Some(least) = expect.min_travel {
        let travel = level(&track.up, last - track.start).norm();
        check("min_travel", travel >= least, format!("{travel:.4} m"));
    }
    if let Some(most) = expect.max_tick_displacement {
        let longest = longest_tick(track);
        check("max_tick_displacement", longest <= most, format!("{longest:.4} m"));
    }
    if let Some(most) = expect.max_vertical_jitter {
        let heights = last_move(walk, track).1.iter().map(|tick| tick.position.coords.dot(&track.up));
        let (low, high) = heights.fold((f64::MAX, f64::MIN), |(low, high), h| (low.min(h), high.max(h)));
        check("max_vertical_jitter", high - low <= most, format!("{:.6} m", high - low));
    }
    if let Some(most) = expect.max_horizontal_jitter {
        let widest = widest_spread(track, last_move(walk, track).1);
        check("max_horizontal_jitter", widest <= most, format!("{widest:.6} m"));
    }
    if let Some(least) = expect.grounded_ratio_min {
        let counted = track.ticks.get(expect.settling_ticks()..).unwrap_or_default();
        let grounded = counted.iter().filter(|tick| is_on_ground(tick.ground)).count();
        let share = grounded as f64 / counted.len().max(1) as f64;
        check("grounded_ratio_min", share >= least, format!("{share:.4}"));
    }
    if let Some(most) = expect.max_speed_loss {
        let loss = speed_loss(walk, track);
        check("max_speed_loss", loss <= most, format!("{loss:.4}"));
    }
    if let Some(recording) = walk.recording.as_ref().filter(|recording| recording.scalar == Scalar::of::<T>()) {
        let difference = recording.first_difference(track);
        check("recording", difference.is_none(), difference.unwrap_or_default());
    }
    differences
}

fn is_on_ground(state: crate::character::GroundState) -> bool {
    state == crate::character::GroundState::OnGround
}

fn is_above(p: &Point3<f64>, bound: &Option<[Option<f64>; 3]>) -> bool {
    bound.is_none_or(|bound| bound.iter().zip(p.iter()).all(|(least, x)| least.is_none_or(|least| *x >= least)))
}

fn is_below(p: &Point3<f64>, bound: &Option<[Option<f64>; 3]>) -> bool {
    bound.is_none_or(|bound| bound.iter().zip(p.iter()).all(|(most, x)| most.is_none_or(|most| *x <= most)))
}

fn show(p: &Point3<f64>) -> String {
    format!("({:.4}, {:.4}, {:.4})", p.x, p.y, p.z)
}

fn level(up: &Vector3<f64>, v: Vector3<f64>) -> Vector3<f64> {
    v - up * v.dot(up)
}

/// Where the last move began, and its ticks.
fn last_move<'a>(walk: &Walk, track: &'a Track) -> (Point3<f64>, &'a [TrackTick]) {
    let ticks = walk.moves.last().map_or(0, |each| each.ticks).min(track.ticks.len());
    let (before, during) = track.ticks.split_at(track.ticks.len() - ticks);
    (before.last().map_or(track.start, |tick| tick.position), during)
}

fn longest_tick(track: &Track) -> f64 {
    let positions = track.ticks.iter().map(|tick| tick.position);
    let before = std::iter::once(track.start).chain(positions.clone());
    before.zip(positions).map(|(a, b)| (b - a).norm()).fold(0.0, f64::max)
}

/// The largest horizontal distance between any two centres.
fn widest_spread(track: &Track, ticks: &[TrackTick]) -> f64 {
    let mut places: Vec<Vector3<f64>> = ticks.iter().map(|tick| level(&track.up, tick.position.coords)).collect();
    places.dedup();
    let pairs = places.iter().enumerate().flat_map(|(i, a)| places[..i].iter().map(move |b| (a - b).norm_squared()));
    pairs.fold(0.0, f64::max).sqrt()
}

fn speed_loss(walk: &Walk, track: &Track) -> f64 {
    let (start, ticks) = last_move(walk, track);
    let Some((end, last)) = ticks.last().zip(walk.moves.last()) else { return 0.0 };
    let velocity = Vector3::from(last.velocity.map(|Number(x)| x));
    let wished = level(&track.up, velocity).norm() * walk.dt.0 * ticks.len() as f64;
    1.0 - level(&track.up, end.position - start).norm() / wished
}

fn deepest_penetration<T: Real>(walk: &Walk, track: &Track, world: &World<T>) -> f64 {
    let Ok(shape) = walk.character.wide_shape::<T>() else { return f64::INFINITY };
    let Ok(moving) = Moving::of(walk, world) else { return f64::INFINITY };
    let mut world = moving.world_for(world);
    let filter = QueryFilter::of_layers(walk.character.sees.0);
    let mut deepest = 0.0_f64;
    for (tick, number) in track.ticks.iter().zip(1..) {
        if moving.drive(&mut world, number).is_err() {
            return f64::INFINITY;
        }
        for part in shape.parts() {
            let center = tick.position + part.offset();
            let bounds = Aabb3 { min: center, max: center }.grow(&part.ellipsoid().space().half_extents());
            world.each_triangle_near(&bounds, &filter, &mut |near| {
                if let Ok(Some(overlap)) = ellipsoid_triangle(part.ellipsoid(), center, &near.triangle) {
                    deepest = deepest.max(overlap.penetration.depth);
                }
            });
        }
    }
    deepest
}
