//! How near those of a walk come to each other.

use std::iter;

use super::{Number, Track, Walk};
use crate::{real::Real, shape::Ellipsoid, sweep::ellipsoid_distance};

/// The least distance of bodies (without their skins) after any tick between one of a walk and all others, in metres; less than zero if two
/// overlap. The first is the walk's own character. `None` if there is nobody else, or a number makes no sense.
pub(super) fn least_gap<T: Real>(walk: &Walk, track: &Track, who: usize) -> Option<f64> {
    let bodies =
        iter::once(walk.character).chain(walk.others.iter().map(|other| other.character.unwrap_or(walk.character)));
    let tracks = iter::once(track).chain(&track.others);
    let radii = |radii: [Number; 3]| radii.map(|Number(x)| T::nearest(x).to_f64());
    let all: Vec<(Ellipsoid<f64>, &Track)> = bodies
        .zip(tracks)
        .map(|(body, track)| Some((Ellipsoid::new(radii(body.radii).into()).ok()?, track)))
        .collect::<Option<_>>()?;
    let (own, own_track) = all.get(who)?;
    let mut least: Option<f64> = None;
    for (other, track) in all.iter().enumerate().filter(|(i, _)| *i != who).map(|(_, other)| other) {
        for (here, there) in own_track.ticks.iter().zip(&track.ticks) {
            let found = ellipsoid_distance(own, here.position, other, there.position).ok()?;
            least = Some(least.map_or(found.distance, |least| least.min(found.distance)));
        }
    }
    least
}
