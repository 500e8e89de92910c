//! The same wishes lead to the same places, to the bit.

#[cfg(feature = "serde")]
use sidle::character::{CharacterId, TickInput};
use sidle::{
    Real, World,
    character::{Character, Crowd, Scratch},
};

#[cfg(feature = "parallel")]
use super::with_threads;
use super::{by_label, place, wander, yard};
use crate::{
    people::{DT, deepest_overlap, player, walking},
    random::Random,
};

/// Wanderers in a yard, added in an order, after some ticks: their states, to the bit, by label.
fn run_in_order<T: Real>(order: &[u64], ticks: u64, world: &World<T>) -> Vec<String> {
    let mut crowd = Crowd::new();
    let ids: Vec<_> = order.iter().map(|label| (*label, place(&mut crowd, *label))).collect();
    let label_of = |id| ids.iter().find(|(_, known)| *known == id).map_or(0, |(label, _)| *label);
    for tick in 0..ticks {
        crowd.tick(world, T::nearest(DT), |id, _| walking(wander(label_of(id), tick))).expect("good numbers");
    }
    assert!(deepest_overlap(&crowd) < 0.0);
    by_label(&crowd, &ids).iter().map(|state| format!("{state:?}")).collect()
}

#[test]
fn it_does_not_matter_in_which_order_they_came() {
    let world = yard::<f32>(4.0);
    let order: Vec<u64> = (0..36).collect();
    let mut other: Vec<u64> = order.iter().rev().copied().collect();
    let there = run_in_order(&order, 600, &world);
    assert_eq!(there, run_in_order(&other, 600, &world));
    let mut random = Random(7);
    for i in (1..other.len()).rev() {
        other.swap(i, random.below(i + 1));
    }
    assert_eq!(there, run_in_order(&other, 600, &world));
}

/// Of one, two and three threads, where there are some.
#[cfg(feature = "parallel")]
#[test]
fn it_does_not_matter_how_many_threads_move_them() {
    let world = yard::<f32>(4.0);
    let order: Vec<u64> = (0..36).collect();
    let there = [1, 2, 3].map(|threads| with_threads(threads, || run_in_order(&order, 600, &world)));
    assert_eq!(there[0], there[1]);
    assert_eq!(there[0], there[2]);
}

#[cfg(feature = "serde")]
#[test]
fn a_crowd_that_is_saved_and_put_back_goes_on_to_the_bit() {
    fn goes_on<T: Real + serde::Serialize + serde::de::DeserializeOwned>() {
        let world = yard::<T>(4.0);
        let mut crowd = Crowd::new();
        let ids: Vec<_> = (0..36).map(|label| place(&mut crowd, label)).collect();
        let run = |crowd: &mut Crowd<T>, ticks: std::ops::Range<u64>| {
            for tick in ticks {
                let wish = |id, _: &_| {
                    let label = ids.iter().position(|known| *known == id).unwrap_or(0) as u64;
                    let jump = (label + tick).is_multiple_of(53);
                    TickInput { jump: jump.then(|| T::nearest(3.0)), ..walking(wander(label, tick)) }
                };
                crowd.tick(&world, T::nearest(DT), wish).expect("good numbers");
            }
            crowd.states().collect::<Vec<_>>()
        };
        let saved = run(&mut crowd, 0..200);
        let text = serde_json::to_string(&saved).expect("it can be written");
        let first = run(&mut crowd, 200..400);
        let read: Vec<(CharacterId, sidle::CharacterState<T>)> = serde_json::from_str(&text).expect("it can be read");
        assert_eq!(read, saved);
        for (id, state) in read {
            crowd.restore(id, state).expect("it is there");
        }
        assert_eq!(run(&mut crowd, 200..400), first);
    }
    goes_on::<f32>();
    goes_on::<f64>();
}

#[test]
fn alone_in_a_crowd_is_alone() {
    let world = yard::<f32>(4.0);
    let mut crowd = Crowd::new();
    let mut alone = player(-1.0, 0.0);
    let id = crowd.add(alone.clone()).expect("room");
    let mut scratch = Scratch::default();
    for tick in 0..600 {
        let input = walking(wander(3, tick));
        let report = alone.tick(&world, &input, DT as f32, &mut scratch).expect("good numbers");
        crowd.tick(&world, DT as f32, |_, _| input).expect("good numbers");
        assert_eq!(crowd.report(id), Some(&report));
        assert_eq!(crowd.character(id).map(Character::state), Some(alone.state()));
    }
}
