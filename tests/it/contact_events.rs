//! What begins, stays and ends between two ticks.

use sidle::{
    Real, TriMesh,
    character::{ContactEvent, ContactKey, ContactTracker, MAX_CONTACTS, TickReport, Touch},
    mesh::primitives::{MeshBuilder, floor},
};

use crate::person::{Person, STANDS};

/// An event, without the contact's numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Told {
    Enter(u32),
    Stay(u32),
    Leave(u32),
}

fn told<T: Real>(tracker: &mut ContactTracker, touches: &[Touch<T>]) -> Vec<Told> {
    let mut all = Vec::new();
    tracker.update(touches, |event| {
        all.push(match event {
            ContactEvent::Enter(touch) => Told::Enter(touch.triangle),
            ContactEvent::Stay(touch) => Told::Stay(touch.triangle),
            ContactEvent::Leave(key) => Told::Leave(key.triangle),
        });
    });
    all
}

/// A floor of two triangles (0 and 1), and a wall of one (2) at x = 2.
fn room<T: Real>() -> TriMesh<T> {
    let mut level = MeshBuilder::new();
    level.append(&floor::<f64>(40.0, 40.0, 1, 1).expect("a floor"), [0.0; 3]);
    level.triangle([[2.0, -1.0, -30.0], [2.0, -1.0, 30.0], [2.0, 30.0, 0.0]]);
    level.build().expect("a room")
}

/// Contacts that differ in the triangle only, taken from a body that stands.
fn touches(triangles: &[u32]) -> Vec<Touch<f64>> {
    let report: TickReport<f64> = Person::at(room(), [-3.0, STANDS, 1.0], 60).tick([0.0; 3]);
    let ground = report.ground.touch.expect("it stands");
    triangles.iter().map(|triangle| Touch { triangle: *triangle, ..ground }).collect()
}

#[test]
fn events_are_the_difference_of_two_ticks() {
    use Told::{Enter, Leave, Stay};
    let mut tracker = ContactTracker::default();
    let mut tell = |triangles: &[u32]| told(&mut tracker, &touches(triangles));
    assert_eq!(tell(&[]), []);
    assert_eq!(tell(&[7, 3]), [Enter(7), Enter(3)]);
    // Each triangle once, in the order in which they are met.
    assert_eq!(tell(&[3, 7, 3, 7]), [Stay(3), Stay(7)]);
    assert_eq!(tell(&[5, 7, 9]), [Leave(3), Enter(5), Stay(7), Enter(9)]);
    assert_eq!(tell(&[3]), [Leave(5), Leave(7), Leave(9), Enter(3)]);
    assert_eq!(tell(&[]), [Leave(3)]);
    assert_eq!(tell(&[]), []);
}

#[test]
fn triangles_of_other_instances_are_others() {
    let mut tracker = ContactTracker::default();
    let here = touches(&[4]);
    let there = [Touch { instance: sidle::world::InstanceId::foreign(9), ..here[0] }];
    assert_eq!(told(&mut tracker, &here), [Told::Enter(4)]);
    assert_eq!(told(&mut tracker, &there), [Told::Leave(4), Told::Enter(4)]);
    let key = ContactKey { instance: there[0].instance, triangle: 4, other: None };
    assert!(tracker.contains(key) && !tracker.contains(here[0].key()));
}

#[test]
fn more_contacts_than_are_remembered_are_said_to_be() {
    let mut tracker = ContactTracker::default();
    let most = MAX_CONTACTS as u32;
    let full: Vec<u32> = (0..most).chain(0..most).collect();
    assert_eq!(told(&mut tracker, &touches(&full)).len(), MAX_CONTACTS);
    assert!(!tracker.has_overflowed());
    let more: Vec<u32> = (0..=most).collect();
    assert!(told(&mut tracker, &touches(&more)).iter().all(|event| matches!(event, Told::Stay(_))));
    assert!(tracker.has_overflowed());
    assert_eq!(told(&mut tracker, &touches(&[0])).len(), MAX_CONTACTS);
    assert!(!tracker.has_overflowed());
}

/// Lands, walks into the wall, stays there, walks back and jumps.
fn a_walk_tells_each_contact_once<T: Real>() {
    let mut person = Person::at(room::<T>(), [0.0, STANDS + 0.5, 1.0], 60);
    let mut tracker = ContactTracker::default();
    let mut log: Vec<(usize, Told)> = Vec::new();
    let mut snapshot = None;
    for tick in 0..200 {
        if tick == 100 {
            snapshot = Some((person.character.state(), tracker, log.len()));
        }
        let report = person.tick([if tick < 150 { 3.0 } else { -3.0 }, 0.0, 0.0]);
        let touches: Vec<Touch<T>> = report.touches().copied().collect();
        log.extend(told(&mut tracker, &touches).into_iter().map(|event| (tick, event)));
    }
    let of_the_wall: Vec<(usize, Told)> =
        log.iter().copied().filter(|(_, told)| matches!(told, Told::Enter(2) | Told::Leave(2))).collect();
    let [(entered, Told::Enter(2)), (left, Told::Leave(2))] = of_the_wall[..] else {
        panic!("it meets the wall once: {of_the_wall:?}")
    };
    assert!((20..60).contains(&entered) && left == 150, "from {entered} to {left}");
    let stays = log.iter().filter(|(_, told)| *told == Told::Stay(2)).count();
    assert_eq!(stays, left - entered - 1);
    // It lands once: of the floor's triangles one is entered from the air, and the ground is not lost again.
    let first = log.iter().find(|(_, told)| matches!(told, Told::Enter(0 | 1))).map(|(tick, _)| *tick);
    assert!(first.is_some_and(|tick| (15..25).contains(&tick)), "{first:?}");

    // A rollback: state and tracker copied back repeat the events.
    let (state, mut tracker, told_before) = snapshot.expect("a snapshot");
    person.character.restore(state).expect("a state");
    let mut again = Vec::new();
    for tick in 100..200 {
        let report = person.tick([if tick < 150 { 3.0 } else { -3.0 }, 0.0, 0.0]);
        let touches: Vec<Touch<T>> = report.touches().copied().collect();
        again.extend(told(&mut tracker, &touches).into_iter().map(|event| (tick, event)));
    }
    assert_eq!(again, log[told_before..]);
}

#[test]
fn a_walk_into_a_wall_and_back_is_told() {
    a_walk_tells_each_contact_once::<f32>();
    a_walk_tells_each_contact_once::<f64>();
}
