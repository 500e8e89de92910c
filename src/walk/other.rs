//! [`WalkOther`]: who else is about in a walk.

use serde::{Deserialize, Serialize};

use super::{Expect, Move, Number, Walk, WalkCharacter, is_default};

/// A further character of a [`Walk`]. All are solid to each other, as far as their layers have it, and are moved at once as those of a
/// [`Crowd`](crate::character::Crowd).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WalkOther {
    /// The body and its settings; by default those of the walk's own character.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub character: Option<WalkCharacter>,
    /// Position before the first tick, as that of the walk.
    pub start: [Number; 3],
    /// Gravity along `-up`; 0 means flying. By default that of the walk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gravity: Option<Number>,
    /// What it is asked to do. The walk is as long as that of its own character; who has no more moves by then goes on with the last
    /// one, and who has none stands still.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<Move>,
    /// What should come of it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub expect: Expect,
}

impl Walk {
    /// The walk of one of the others, as if it were alone.
    pub(super) fn of_other(&self, other: &WalkOther) -> Self {
        Self {
            name: self.name.clone(),
            level: self.level.clone(),
            layers: self.layers,
            surfaces: self.surfaces.clone(),
            meshes: self.meshes.clone(),
            up: self.up,
            character: other.character.as_ref().unwrap_or(&self.character).clone(),
            start: other.start,
            gravity: other.gravity.unwrap_or(self.gravity),
            dt: self.dt,
            moves: fitted(&other.moves, self.ticks()),
            expect: other.expect.clone(),
            others: Vec::new(),
            recording: None,
        }
    }
}

/// Moves that take so many ticks: cut off there, or the last goes on.
fn fitted(moves: &[Move], mut ticks: usize) -> Vec<Move> {
    let mut all: Vec<Move> = moves.to_vec();
    if all.is_empty() {
        all.push(Move { ticks, velocity: [0.0; 3].map(Number), jump: None });
    }
    for each in &mut all {
        each.ticks = each.ticks.min(ticks);
        ticks -= each.ticks;
    }
    if let Some(last) = all.last_mut() {
        last.ticks += ticks;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_cut_off_or_go_on_with_the_last() {
        let moves: Vec<Move> = [3, 4].map(|ticks| Move { ticks, velocity: [1.0; 3].map(Number), jump: None }).to_vec();
        let ticks = |moves: &[Move], of| fitted(moves, of).iter().map(|each| each.ticks).collect::<Vec<_>>();
        assert_eq!(ticks(&moves, 7), [3, 4]);
        assert_eq!(ticks(&moves, 10), [3, 7]);
        assert_eq!(ticks(&moves, 5), [3, 2]);
        assert_eq!(ticks(&moves, 2), [2, 0]);
        assert_eq!(fitted(&[], 9), [Move { ticks: 9, velocity: [0.0; 3].map(Number), jump: None }]);
    }
}
