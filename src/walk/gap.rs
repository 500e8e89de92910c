//! How near those of a walk come to each other.

use std::iter;

use super::{Track, Walk};
use crate::{real::Real, sweep::ellipsoid_distance};

/// The least distance of bodies (without their skins) after any tick between one of a walk and all others, in metres; less than zero if two
/// overlap. The first is the walk's own character. `None` if there is nobody else, or a number makes no sense.
pub(super) fn least_gap<T: Real>(walk: &Walk, track: &Track, who: usize) -> Option<f64> {
    let others = walk.others.iter().map(|other| other.character.as_ref().unwrap_or(&walk.character));
    let bodies = iter::once(&walk.character).chain(others);
    let tracks = iter::once(track).chain(&track.others);
    let all = bodies.zip(tracks).map(|(body, track)| Some((body.wide_shape::<T>().ok()?, track)));
    let all: Vec<_> = all.collect::<Option<_>>()?;
    let (own, own_track) = all.get(who)?;
    let mut least: Option<f64> = None;
    for (other, track) in all.iter().enumerate().filter(|(i, _)| *i != who).map(|(_, other)| other) {
        for (here, there) in own_track.ticks.iter().zip(&track.ticks) {
            for part in own.parts() {
                for opposite in other.parts() {
                    let centers = [here.position + part.offset(), there.position + opposite.offset()];
                    let found =
                        ellipsoid_distance(part.ellipsoid(), centers[0], opposite.ellipsoid(), centers[1]).ok()?;
                    least = Some(least.map_or(found.distance, |least| least.min(found.distance)));
                }
            }
        }
    }
    least
}
