//! Debug events: what a tick asked, as a list to draw; and recording them changes nothing.

use nalgebra::{Point3, point, vector};
use sidle::{
    Character, CharacterConfig, Ellipsoid, Octree, Scratch, TickInput, World,
    character::Crowd,
    mesh::primitives::{MeshBuilder, cuboid, floor},
    world::{DebugEvent, DebugEventKind, TickPart},
};

/// A floor with a ledge of 0.2 m from x = 1 on.
fn ledge() -> World<f64> {
    let mut level = MeshBuilder::new();
    level.append(&floor::<f64>(20.0, 20.0, 4, 4).expect("a floor"), [0.0; 3]);
    level.append(&cuboid::<f64>([1.5, 0.1, 5.0]).expect("a block"), [2.5, 0.1, 0.0]);
    World::of_level(Octree::new(level.build().expect("a level")))
}

fn person(center: Point3<f64>) -> Character<f64> {
    let body = Ellipsoid::new(vector![0.4, 0.9, 0.4]).expect("good radii");
    Character::new(body, CharacterConfig::default(), center).expect("a character")
}

fn towards_x() -> TickInput<f64> {
    TickInput { velocity: vector![3.0, 0.0, 0.0], ..TickInput::default() }
}

/// Walks up the ledge; hands out the events of each tick. Returns where it ends.
fn walk(is_recorded: bool, mut each: impl FnMut(bool, &[DebugEvent])) -> Point3<f64> {
    let (world, mut character, mut scratch) = (ledge(), person(point![0.0, 0.92, 0.0]), Scratch::default());
    let still = TickInput::default();
    character.tick(&world, &still, 1.0 / 60.0, &mut scratch).expect("good numbers"); // it comes to stand
    scratch.record(is_recorded);
    for _ in 0..40 {
        let report = character.tick(&world, &towards_x(), 1.0 / 60.0, &mut scratch).expect("good numbers");
        each(report.has_stepped, scratch.events());
    }
    character.position()
}

#[test]
fn each_part_of_a_tick_that_was_is_told_and_no_other() {
    let mut steps = 0;
    walk(true, |has_stepped, events| {
        let has = |part| events.iter().any(|event| event.during == part);
        assert!(has(TickPart::Ground) && has(TickPart::Sideways) && !has(TickPart::Vertical));
        assert!(!has_stepped || has(TickPart::Step), "{events:?}");
        steps += usize::from(has_stepped);
        // The last look is at what is stood on.
        let mut sweeps = events.iter().filter_map(|event| match event.kind {
            DebugEventKind::Sweep { motion, contact, .. } if event.during == TickPart::Ground => {
                Some((motion, contact))
            }
            _ => None,
        });
        assert!(sweeps.next_back().is_some_and(|(motion, contact)| motion.y < 0.0 && contact.is_some()));
    });
    assert!(steps > 0);
}

#[test]
fn a_step_tells_its_probes_for_the_top_of_the_ledge() {
    let mut tops = Vec::new();
    walk(true, |_, events| {
        for event in events {
            if let DebugEventKind::Probe { origin, way, hit: Some((t, normal)) } = event.kind
                && event.during == TickPart::Step
            {
                tops.push((origin.y + t * way.y, normal.y));
            }
        }
    });
    assert!(!tops.is_empty());
    assert!(tops.iter().all(|(top, up)| (top - 0.2_f64).abs() < 1e-9 && *up == 1.0), "{tops:?}");
}

#[test]
fn recording_changes_nothing_and_is_off_unless_asked_for() {
    let silent = walk(false, |_, events| assert!(events.is_empty()));
    assert_eq!(silent, walk(true, |_, events| assert!(!events.is_empty())));
}

#[test]
fn the_list_is_that_of_one_tick_even_where_a_tick_is_done_again_with_more_triangles() {
    let mut most = 0;
    walk(true, |_, events| {
        let part_begins = |part| events.iter().filter(|event| event.during == part).count();
        most = most.max(part_begins(TickPart::PushOut));
        let gathers = events.iter().filter(|event| matches!(event.kind, DebugEventKind::Gather { .. }));
        assert!(gathers.count() <= 1);
    });
    // One gathering, and looks at what is overlapped: those of two attempts would be twice as many.
    assert!(most <= 2, "{most}");
}

#[test]
fn two_of_a_crowd_are_told_the_plane_between_them() {
    let world = ledge();
    let mut crowd = Crowd::new();
    let left = crowd.add(person(point![-3.0, 0.92, 0.0])).expect("room");
    let right = crowd.add(person(point![-2.0, 0.92, 0.0])).expect("room");
    crowd.record(left, true).expect("it is there");
    for _ in 0..10 {
        crowd.tick(&world, 1.0 / 60.0, |_, _| towards_x()).expect("good numbers");
    }
    assert!(crowd.events(right).is_empty());
    let [a, b] = [left, right].map(|id| crowd.character(id).expect("it is there").position());
    let planes: Vec<_> = crowd
        .events(left)
        .iter()
        .filter_map(|event| match event.kind {
            DebugEventKind::Plane { point, normal } => Some((point, normal)),
            _ => None,
        })
        .collect();
    let [(on_plane, normal)] = planes[..] else { panic!("{planes:?}") };
    assert!((normal - vector![-1.0, 0.0, 0.0]).norm() < 1e-6, "{normal}");
    // In front of the one with its skin, and not inside the other with its own; both go on as fast.
    assert!(
        on_plane.x >= a.x - 0.05 + 0.42 - 1e-9 && on_plane.x <= b.x - 0.42 + 1e-9,
        "{on_plane} between {a} and {b}"
    );
    crowd.remove(left);
    assert!(crowd.record(left, true).is_err() && crowd.events(left).is_empty());
}
