//! Bodies of several ellipsoids at offsets.

use nalgebra::{Point3, UnitQuaternion, Vector3, point, vector};
use sidle::{
    Ellipsoid, InputError, Octree, QueryFilter, Real, World,
    character::{
        Body, BodyPart, BodyShape, Character, CharacterConfig, CharacterId, Crowd, GroundState, MAX_PARTS, Scratch,
        TickInput, has_room, move_and_slide,
    },
    mesh::primitives::{self, MeshBuilder},
    sweep::ellipsoid_distance,
    world::Placement,
};

use crate::random::Random;

const DT: f64 = 1.0 / 60.0;
const SKIN: f64 = 0.02;

fn shape_of<T: Real>(parts: &[([f64; 3], [f64; 3])]) -> BodyShape<T> {
    let vector = |numbers: [f64; 3]| Vector3::from(numbers.map(T::nearest));
    let part = |(radii, offset): &([f64; 3], [f64; 3])| {
        BodyPart::new(Ellipsoid::new(vector(*radii)).expect("good radii"), vector(*offset)).expect("a good offset")
    };
    BodyShape::new(parts.iter().map(part)).expect("a good number of parts")
}

/// Its position is at its feet.
fn snowman<T: Real>() -> BodyShape<T> {
    shape_of(&[
        ([0.45, 0.4, 0.45], [0.0, 0.4, 0.0]),
        ([0.35, 0.35, 0.3], [0.0, 1.0, 0.0]),
        ([0.2, 0.22, 0.2], [0.0, 1.5, 0.0]),
    ])
}

fn character<T: Real>(shape: impl Into<BodyShape<T>>, at: [f64; 3]) -> Character<T> {
    Character::new(shape, CharacterConfig::default(), Point3::from(at.map(T::nearest))).expect("good numbers")
}

fn walking<T: Real>(velocity: [f64; 3]) -> TickInput<T> {
    TickInput { velocity: Vector3::from(velocity.map(T::nearest)), ..TickInput::default() }
}

/// A floor at height 0 with blocks on and over it, each by its centre and half its size.
fn blocks(blocks: &[([f64; 3], [f64; 3])]) -> World<f64> {
    let mut level = MeshBuilder::new();
    level.append(&primitives::floor::<f64>(20.0, 20.0, 4, 4).expect("a floor"), [0.0; 3]);
    for (center, half) in blocks {
        level.append(&primitives::cuboid::<f64>(*half).expect("a block"), *center);
    }
    World::of_level(Octree::new(level.build().expect("a level")))
}

/// Walks for some ticks; the touched parts of each.
fn walk(character: &mut Character<f64>, world: &World<f64>, velocity: [f64; 3], ticks: usize) -> Vec<Vec<u8>> {
    let mut scratch = Scratch::default();
    let mut tick = || character.tick(world, &walking(velocity), DT, &mut scratch).expect("good numbers");
    (0..ticks).map(|_| tick().lateral.touches.iter().map(|touch| touch.part).collect()).collect()
}

/// How deep a part without its skin is in any triangle of the world, by brute force over all of them.
fn deepest<T: Real>(shape: &BodyShape<T>, at: Point3<T>, world: &World<T>) -> f64 {
    let mut deepest = 0.0_f64;
    for part in shape.parts() {
        for instance in world.instances() {
            let tree = world.mesh_of(instance).expect("it has a mesh");
            let center = at + part.offset();
            for index in 0..tree.mesh().len() as u32 {
                let found = sidle::shape::ellipsoid_triangle(part.ellipsoid(), center, &tree.mesh().triangle(index));
                if let Some(overlap) = found.expect("good numbers") {
                    deepest = deepest.max(overlap.penetration.depth.to_f64());
                }
            }
        }
    }
    deepest
}

#[test]
fn a_body_has_one_to_eight_parts_at_finite_offsets() {
    let ball = Ellipsoid::sphere(0.5).expect("a radius");
    let part = BodyPart::new(ball, vector![0.0, 1.0, 0.0]).expect("an offset");
    let parts = |count| BodyShape::new(std::iter::repeat_n(part, count));
    assert!(matches!(parts(0), Err(InputError::OutOfRange { .. })));
    assert!(matches!(parts(MAX_PARTS + 1), Err(InputError::OutOfRange { .. })));
    assert!(parts(1).is_ok() && parts(MAX_PARTS).is_ok_and(|shape| shape.parts().len() == MAX_PARTS));
    for bad in [f64::NAN, f64::INFINITY] {
        assert!(matches!(BodyPart::new(ball, vector![0.0, bad, 0.0]), Err(InputError::NotFinite { .. })));
    }
    assert!(matches!(BodyPart::new(ball, vector![0.0, 0.0, -2e9]), Err(InputError::OutOfRange { .. })));
    assert_eq!(BodyShape::from(ball).parts(), [BodyPart::new(ball, Vector3::zeros()).expect("an offset")]);
}

fn two_equal_ellipsoids_are_one<T: Real>() {
    let world = World::of_level(Octree::new(primitives::playground::<T>()));
    let radii = [0.4, 0.9, 0.4];
    let one = Ellipsoid::new(Vector3::from(radii.map(T::nearest))).expect("good radii");
    let two = shape_of(&[(radii, [0.0; 3]), (radii, [0.0; 3])]);
    for (round, start) in [[-17.5, 0.92, 6.0], [0.0, 3.0, 0.0], [5.0, 2.0, 5.0]].into_iter().enumerate() {
        let (mut single, mut double) = (character(one, start), character(&two, start));
        let (mut first, mut second) = (Scratch::default(), Scratch::default());
        for tick in 0..400 {
            let (sine, cosine) = libm::sincos(f64::from(tick / 60 * 2) + round as f64);
            let input = TickInput {
                jump: (tick % 90 == 45).then_some(T::nearest(4.0)),
                ..walking([3.0 * cosine, 0.0, 3.0 * sine])
            };
            let a = single.tick(&world, &input, T::nearest(DT), &mut first).expect("good numbers");
            let b = double.tick(&world, &input, T::nearest(DT), &mut second).expect("good numbers");
            assert_eq!(single.state(), double.state(), "tick {tick}");
            assert_eq!(a, b, "tick {tick}");
        }
    }
}

#[test]
fn two_equal_ellipsoids_at_one_place_are_one_to_the_bit() {
    two_equal_ellipsoids_are_one::<f32>();
    two_equal_ellipsoids_are_one::<f64>();
}

#[test]
fn an_ellipsoid_at_an_offset_is_that_ellipsoid_elsewhere() {
    let world = World::of_level(Octree::new(primitives::playground::<f64>()));
    let radii = [0.4, 0.9, 0.4];
    let mut centered = character(shape_of(&[(radii, [0.0; 3])]), [-17.5, 0.92, 6.0]);
    let offset = vector![0.25, 0.5, -0.125];
    let mut beside = character(shape_of(&[(radii, offset.into())]), [-17.75, 0.42, 6.125]);
    let (mut first, mut second) = (Scratch::default(), Scratch::default());
    for _ in 0..200 {
        let input = walking([3.0, 0.0, 0.4]);
        centered.tick(&world, &input, DT, &mut first).expect("good numbers");
        beside.tick(&world, &input, DT, &mut second).expect("good numbers");
        let apart = (beside.position() + offset - centered.position()).norm();
        assert!(apart < 1e-9, "{apart} m");
        let apart = (beside.feet(Vector3::y_axis()) - centered.feet(Vector3::y_axis())).norm();
        assert!(apart < 1e-9, "{apart} m");
    }
    assert!(centered.position().y > 2.0, "both have climbed the stairs");
}

#[test]
fn a_snowman_walks_stairs_as_its_lowest_part_alone_does() {
    let world = World::of_level(Octree::new(primitives::stairs::<f64>(10, 0.2, 0.3, 4.0).expect("stairs")));
    // All with the same smallest semi-axis, by which tolerances go.
    let lowest = ([0.4, 0.3, 0.4], [0.0; 3]);
    let whole = shape_of(&[lowest, ([0.3, 0.4, 0.3], [0.0, 0.6, 0.0]), ([0.3; 3], [0.0, 1.2, 0.0])]);
    for (z, turn) in [(0.0, 0.0), (0.3, 0.2)] {
        // Up, and down again.
        let mut alone = character(shape_of(&[lowest]), [-1.5, 2.0, z]);
        let mut whole = character(&whole, [-1.5, 2.0, z]);
        let floor = blocks(&[]);
        let mut level = MeshBuilder::new();
        for world in [&floor, &world] {
            level.append(world.mesh_of(world.instances().next().expect("one")).expect("a mesh").mesh(), [0.0; 3]);
        }
        let world = World::of_level(Octree::new(level.build::<f64>().expect("a level")));
        for speed in [0.0, 3.0, -3.0] {
            for tick in 0..100 {
                walk(&mut alone, &world, [speed, 0.0, turn * speed], 1);
                let touched = walk(&mut whole, &world, [speed, 0.0, turn * speed], 1);
                assert_eq!(alone.state(), whole.state(), "{speed} m/s, tick {tick}, parts {touched:?}");
            }
            if speed > 0.0 {
                assert!(alone.position().y > 1.0, "it is on the stairs at {}", alone.position());
            }
        }
    }
}

#[test]
fn a_head_stops_under_a_beam_that_the_torso_would_pass() {
    let world = blocks(&[([3.0, 1.4, 0.0], [0.1, 0.1, 2.0])]);
    let torso = ([0.4, 0.55, 0.4], [0.0, 0.55, 0.0]);
    let mut headless = character(shape_of(&[torso]), [0.0, SKIN, 0.0]);
    walk(&mut headless, &world, [3.0, 0.0, 0.0], 120);
    assert!(headless.position().x > 5.0, "it passes under the beam: {}", headless.position());

    let mut person = character(shape_of(&[torso, ([0.2; 3], [0.0, 1.4, 0.0])]), [0.0, SKIN, 0.0]);
    let touched = walk(&mut person, &world, [3.0, 0.0, 0.0], 120);
    let gap = (3.0 - 0.1) - (person.position().x + 0.2);
    // The head is a little above the beam's middle, and touches its side.
    assert!((gap - SKIN).abs() < 1e-9, "the head keeps {gap} m from the beam");
    assert_eq!(touched.last(), Some(&vec![1]), "the head is what touches it");
    assert!(person.is_on_ground());
}

#[test]
fn a_narrow_waist_passes_between_bars_in_which_its_hull_sticks() {
    // Two bars along the way, 0.44 m apart, at the height of the waist.
    let bar = |side: f64| ([3.0, 0.85, 0.26 * side], [1.0, 0.03, 0.04]);
    let world = blocks(&[bar(1.0), bar(-1.0)]);
    let waisted = shape_of(&[
        ([0.35; 3], [0.0, 0.35, 0.0]),
        ([0.15, 0.4, 0.15], [0.0, 0.85, 0.0]),
        ([0.35; 3], [0.0, 1.35, 0.0]),
    ]);
    let mut person = character(&waisted, [0.0, SKIN, 0.0]);
    walk(&mut person, &world, [3.0, 0.0, 0.0], 120);
    assert!((person.position().x - 6.0).abs() < 1e-9, "it is not even held up: {}", person.position());

    let mut hull = character(shape_of(&[([0.35, 0.85, 0.35], [0.0, 0.85, 0.0])]), [0.0, SKIN, 0.0]);
    walk(&mut hull, &world, [3.0, 0.0, 0.0], 120);
    assert!(hull.position().x < 2.0, "its hull sticks: {}", hull.position());
}

#[test]
fn a_snowman_that_stands_rests() {
    let ramp = primitives::ramp::<f64>(6.0, 0.5, 4.0).expect("a ramp");
    let world = World::of_level(Octree::new(ramp));
    let mut person = character(snowman(), [2.0, 2.5, 0.0]);
    walk(&mut person, &world, [0.0; 3], 60);
    let at = person.state();
    assert_eq!(at.ground, GroundState::OnGround);
    walk(&mut person, &world, [0.0; 3], 600);
    assert_eq!(person.state(), at);
}

#[test]
fn who_crouches_under_a_beam_stands_up_when_the_head_has_room() {
    let world = blocks(&[([3.0, 1.45, 0.0], [0.5, 0.1, 2.0])]);
    let tall = snowman::<f64>();
    let low = shape_of(&[([0.45, 0.4, 0.45], [0.0, 0.4, 0.0]), ([0.2, 0.22, 0.2], [0.1, 0.95, 0.0])]);
    let mut person = character(&tall, [0.0, SKIN, 0.0]);
    walk(&mut person, &world, [3.0, 0.0, 0.0], 90);
    assert!(person.position().x < 2.5, "the head stops it");
    let mut scratch = Scratch::default();
    let feet = person.feet(Vector3::y_axis());
    assert_eq!(person.resize(&world, &low, Vector3::y_axis(), &mut scratch), Ok(true));
    assert!((person.feet(Vector3::y_axis()) - feet).norm() < 1e-12, "its feet are kept");
    let (mut refused, mut stood_up_at) = (0, None);
    for _ in 0..90 {
        walk(&mut person, &world, [3.0, 0.0, 0.0], 1);
        assert!(person.is_on_ground());
        if person.shape() == &low {
            match person.resize(&world, &tall, Vector3::y_axis(), &mut scratch) {
                Ok(true) if person.position().x > 3.0 => stood_up_at = Some(person.position().x),
                Ok(true) => assert_eq!(person.resize(&world, &low, Vector3::y_axis(), &mut scratch), Ok(true)),
                other => refused += usize::from(other == Ok(false)),
            }
        }
    }
    // Of the beam's far side the head has to be away by its radius and the skin, at most.
    let past = stood_up_at.expect("it stands up") - 3.5;
    assert!((0.0..=0.22 + 3.0 * DT).contains(&past) && refused > 15, "{past} m past the beam, {refused} refused");
}

/// Bodies of any kind, with parts that are turned, overlap, or are apart.
fn any_shape(random: &mut Random) -> BodyShape<f64> {
    let parts = 2 + random.below(3);
    let part = |random: &mut Random| {
        let radii = Vector3::from_fn(|_, _| random.between(0.15, 0.5));
        let ellipsoid = Ellipsoid::turned(radii, random.rotation()).expect("good radii");
        BodyPart::new(ellipsoid, Vector3::from_fn(|_, _| random.between(-0.6, 0.6))).expect("a good offset")
    };
    BodyShape::new((0..parts).map(|_| part(random))).expect("a good number of parts")
}

fn soup(random: &mut Random, triangles: usize, half: f64) -> World<f64> {
    let mut level = MeshBuilder::new();
    for _ in 0..triangles {
        let center = Vector3::from_fn(|_, _| random.between(-half, half));
        level.triangle([0; 3].map(|_| (center + random.direction() * random.between(0.1, 1.5)).into()));
    }
    World::of_level(Octree::new(level.build().expect("a level")))
}

#[test]
fn the_first_contact_is_the_earliest_of_all_parts() {
    let mut random = Random(11);
    let (filter, mut scratch) = (QueryFilter::default(), Scratch::default());
    let (mut hits, mut by_part) = (0, [0; MAX_PARTS]);
    for _ in 0..40 {
        let world = soup(&mut random, 60, 4.0);
        for _ in 0..50 {
            let shape = any_shape(&mut random);
            let start = Point3::from(Vector3::from_fn(|_, _| random.between(-4.0, 4.0)));
            let motion = random.direction() * random.between(0.1, 4.0);
            let mut first = |shape: &BodyShape<f64>, start| {
                let body = Body::new(shape, SKIN).expect("a skin");
                let slide = move_and_slide(&world, &body, start, motion, &filter, &mut scratch);
                slide.expect("good numbers").touches.first().copied()
            };
            let singles = shape.parts().iter().map(|part| first(&(*part.ellipsoid()).into(), start + part.offset()));
            let singles: Vec<_> = singles.collect();
            let earliest = (0..).zip(&singles).filter_map(|(part, touch)| Some((part, (*touch)?)));
            let earliest = earliest.reduce(|a, b| if b.1.fraction < a.1.fraction { b } else { a });
            let found = first(&shape, start);
            assert_eq!(found.map(|touch| (touch.part, touch.fraction)), earliest.map(|(part, t)| (part, t.fraction)));
            if let (Some(found), Some((part, touch))) = (found, earliest) {
                assert_eq!(found, sidle::character::Touch { part, ..touch });
                hits += 1;
                by_part[usize::from(part)] += 1;
            }
        }
    }
    assert!(hits > 500 && by_part[..4].iter().all(|count| *count > 20), "{hits} hits, {by_part:?}");
}

#[test]
fn no_part_ever_gets_into_anything() {
    let mut random = Random(5);
    let (filter, mut scratch) = (QueryFilter::default(), Scratch::default());
    let (mut ticks, mut blocked) = (0, 0);
    for round in 0..60 {
        let world = soup(&mut random, 60, 3.0);
        let shape = any_shape(&mut random);
        let body = Body::new(&shape, SKIN).expect("a skin");
        let mut start = || Point3::from(Vector3::from_fn(|_, _| random.between(-4.0, 4.0)));
        let free = (0..200).map(|_| start()).find(|at| has_room(&world, &body, *at, &filter, &mut scratch) == Ok(true));
        let Some(start) = free else { continue };
        assert_eq!(deepest(&shape, start, &world), 0.0);
        let (mut character, mut velocity) = (character(&shape, start.into()), Vector3::zeros());
        for tick in 0..90 {
            if tick % 15 == 0 {
                velocity = random.direction() * 5.0;
            }
            let input = walking(velocity.into());
            // Every second one flies.
            let report = if round % 2 == 0 {
                character.fly(&world, &input, DT, &mut scratch)
            } else {
                character.tick(&world, &input, DT, &mut scratch)
            };
            let deep = deepest(&shape, character.position(), &world);
            assert!(deep < 1e-9, "{deep} m deep in tick {tick} of round {round}");
            blocked += usize::from(report.expect("good numbers").touches().next().is_some());
            ticks += 1;
        }
    }
    assert!(ticks > 2_000 && blocked > 500, "{ticks} ticks, {blocked} with contacts");
}

fn two_kinds(i: usize) -> BodyShape<f64> {
    if i.is_multiple_of(2) {
        return snowman();
    }
    // Narrow below, and wide at the height of the others' heads.
    shape_of(&[([0.25, 0.6, 0.25], [0.0, 0.6, 0.0]), ([0.5, 0.2, 0.4], [0.1, 1.4, 0.0])])
}

/// A crowd that walks to and fro through its middle; the order in which it is made is up to the caller.
fn crowd_of(order: impl Iterator<Item = usize>) -> (Crowd<f64>, Vec<(usize, CharacterId)>) {
    let mut crowd = Crowd::new();
    let ids = order.map(|i| {
        let (sine, cosine) = libm::sincos(i as f64 * 0.5);
        let far = 2.0 + (i % 3) as f64 * 1.2;
        let id = crowd.add(character(two_kinds(i), [cosine * far, SKIN, sine * far])).expect("room");
        (i, id)
    });
    let ids: Vec<_> = ids.collect();
    (crowd, ids)
}

fn to_and_fro(tick: usize, at: Point3<f64>) -> TickInput<f64> {
    let way = if tick % 120 < 80 { -2.5 } else { 2.0 };
    let to = vector![at.x, 0.0, at.z + 1e-3].normalize() * way;
    // Some turn aside.
    walking([to.x + 0.3 * to.z, 0.0, to.z])
}

#[test]
fn a_crowd_of_two_kinds_keeps_all_parts_apart_whatever_their_order() {
    let world = blocks(&[([0.0, 0.5, 1.0], [0.3, 0.5, 0.3])]);
    const ALL: usize = 12;
    let (mut crowd, ids) = crowd_of(0..ALL);
    let (mut other, other_ids) = crowd_of((0..ALL).rev());
    let (mut nearest, mut closest_pairs) = (f64::INFINITY, std::collections::BTreeSet::new());
    for tick in 0..480 {
        for crowd in [&mut crowd, &mut other] {
            crowd.tick(&world, DT, |_, each| to_and_fro(tick, each.position())).expect("good numbers");
        }
        for (i, id) in &ids {
            let (_, other_id) = other_ids[ALL - 1 - i];
            let [a, b] = [(&crowd, *id), (&other, other_id)].map(|(crowd, id)| crowd.character(id).expect("there"));
            assert_eq!(a.state(), b.state(), "character {i}, tick {tick}");
        }
        let all: Vec<_> = crowd.iter().map(|(_, character)| character).collect();
        for (i, a) in all.iter().enumerate() {
            for b in &all[..i] {
                for (p, part) in a.shape().parts().iter().enumerate() {
                    for (q, other) in b.shape().parts().iter().enumerate() {
                        let centers = [a.position() + part.offset(), b.position() + other.offset()];
                        let apart = ellipsoid_distance(part.ellipsoid(), centers[0], other.ellipsoid(), centers[1]);
                        let apart = apart.expect("good numbers").distance;
                        nearest = nearest.min(apart);
                        if apart < 2.0 * SKIN + 1e-3 {
                            closest_pairs.insert((p, q));
                        }
                    }
                }
            }
        }
        let touches = crowd.iter().filter_map(|(id, _)| Some((id, crowd.report(id)?)));
        for (id, touch) in touches.flat_map(|(id, report)| report.touches().map(move |touch| (id, touch))) {
            assert!(usize::from(touch.part) < crowd.character(id).expect("there").shape().parts().len());
        }
    }
    assert!(nearest > 0.0, "two parts are {} m in each other", -nearest);
    assert!(closest_pairs.iter().any(|(p, q)| p != q), "also unequal parts meet: {closest_pairs:?}");
}

#[test]
fn a_head_slides_along_anothers_hips() {
    // One stands lower by a step, so that its head is beside the other's hips.
    let world = blocks(&[([3.0, 0.5, 0.0], [1.5, 0.5, 2.0])]);
    let mut crowd = Crowd::new();
    let nosy =
        shape_of(&[([0.45, 0.4, 0.45], [0.0, 0.4, 0.0]), ([0.3; 3], [0.0, 0.9, 0.0]), ([0.2; 3], [0.4, 1.4, 0.0])]);
    let low = crowd.add(character(nosy, [0.0, SKIN, 0.0])).expect("room");
    let high = crowd.add(character(snowman(), [1.9, 1.0 + SKIN, 0.1])).expect("room");
    let mut touched = Vec::new();
    for _ in 0..240 {
        let wish = |id, _: &_| walking([if id == low { 2.0 } else { -2.0 }, 0.0, 0.0]);
        crowd.tick(&world, DT, wish).expect("good numbers");
        let [a, b] = [low, high].map(|id| crowd.character(id).expect("it is there"));
        for part in a.shape().parts() {
            for other in b.shape().parts() {
                let centers = [a.position() + part.offset(), b.position() + other.offset()];
                let apart = ellipsoid_distance(part.ellipsoid(), centers[0], other.ellipsoid(), centers[1]);
                assert!(apart.expect("good numbers").distance > 0.0);
            }
        }
        let report = crowd.report(low).expect("it is there");
        touched.extend(report.touches().filter(|touch| touch.other == Some(high)).map(|touch| touch.part));
    }
    assert!(touched.contains(&2), "the head of the lower one is touched: {touched:?}");
}

#[test]
fn a_snowman_rides_a_platform_that_turns_and_rises() {
    let mut world = blocks(&[]);
    let plate = world.add_mesh(Octree::new(primitives::cuboid::<f64>([3.0, 0.1, 3.0]).expect("a plate")));
    let pose = |tick: usize| {
        let time = tick as f64 * DT;
        Placement::at(point![libm::sin(time), 1.0 + 0.5 * time, 0.0])
            .turned(UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.8 * time))
    };
    let plate = world.place(plate, &pose(0)).expect("it is placed");
    let (start, mut scratch) = (point![1.5, 1.1 + SKIN, 0.5], Scratch::default());
    let mut person = character(snowman(), start.into());
    walk(&mut person, &world, [0.0; 3], 1);
    for tick in 1..=600 {
        world.settle();
        world.drive(plate, &pose(tick), DT).expect("it is driven");
        person.tick(&world, &TickInput::default(), DT, &mut scratch).expect("good numbers");
        assert!(person.is_on_ground(), "tick {tick}");
    }
    let [from, to] = [0, 600].map(|tick| pose(tick).pose);
    let there = to.position + to.rotation * (from.rotation.inverse() * (start - from.position));
    let drift = (person.position() - there).norm();
    assert!(drift < 1e-3, "{drift} m off");
}

#[test]
fn who_has_two_feet_rides_a_platform_that_rocks_without_jumping_from_one_to_the_other() {
    let mut world = World::<f64>::new();
    let plate = world.add_mesh(Octree::new(primitives::cuboid::<f64>([3.0, 0.1, 3.0]).expect("a plate")));
    let pose = |tick: usize| {
        let lean = 0.1 * libm::sin(tick as f64 * DT * 2.0);
        Placement::at(Point3::origin()).turned(UnitQuaternion::from_axis_angle(&Vector3::z_axis(), lean))
    };
    let plate = world.place(plate, &pose(0)).expect("it is placed");
    let feet = [-0.4, 0.4].map(|x| ([0.2, 0.4, 0.2], [x, 0.4, 0.0]));
    let mut horse = character(shape_of(&feet), [0.0, 0.1 + SKIN, 0.0]);
    let mut scratch = Scratch::default();
    for tick in 1..=600 {
        let before = horse.position();
        world.settle();
        world.drive(plate, &pose(tick), DT).expect("it is driven");
        horse.tick(&world, &TickInput::default(), DT, &mut scratch).expect("good numbers");
        assert!(horse.is_on_ground(), "tick {tick}");
        let way = (horse.position() - before).norm();
        assert!(way < 0.02, "{way} m in tick {tick}");
    }
    assert!(horse.position().x.abs() < 0.3, "it is still about where it was: {}", horse.position());
}

#[test]
fn who_has_one_foot_over_the_edge_stands_on_the_other() {
    let mut level = MeshBuilder::new();
    level.append(&primitives::cuboid::<f64>([2.0, 0.5, 2.0]).expect("a block"), [0.0, -0.5, 0.0]);
    let world = World::of_level(Octree::new(level.build::<f64>().expect("a level")));
    for side in [1.0, -1.0] {
        let feet = [-0.4, 0.4].map(|x| ([0.2, 0.4, 0.2], [x, 0.4, 0.0]));
        let mut horse = character(shape_of(&feet), [1.9 * side, SKIN, 0.0]);
        walk(&mut horse, &world, [0.0; 3], 10);
        let at = horse.state();
        assert_eq!(at.ground, GroundState::OnGround);
        walk(&mut horse, &world, [0.0; 3], 60);
        assert_eq!(horse.state(), at, "it rests");
        walk(&mut horse, &world, [side, 0.0, 0.0], 60);
        assert!(horse.position().y < -0.5, "with both over the edge it falls");
    }
}

#[test]
fn states_alone_bring_a_snowman_back() {
    let world = World::of_level(Octree::new(primitives::playground::<f32>()));
    let mut person = character(snowman::<f32>(), [-17.5, 0.1, 6.0]);
    let mut scratch = Scratch::default();
    let run = |person: &mut Character<f32>, scratch: &mut Scratch| {
        let states = (0..200).map(|tick| {
            let input = TickInput { jump: (tick % 70 == 60).then_some(4.0), ..walking([3.0, 0.0, 0.5]) };
            person.tick(&world, &input, 1.0 / 60.0, scratch).expect("good numbers");
            person.state()
        });
        states.collect::<Vec<_>>()
    };
    run(&mut person, &mut scratch);
    let saved = person.state();
    let first = run(&mut person, &mut scratch);
    person.restore(saved).expect("a good state");
    assert_eq!(run(&mut person, &mut Scratch::default()), first);
    assert!(first.iter().any(|state| state.ground != GroundState::OnGround), "it jumps");
}

#[test]
fn a_snowman_is_put_where_all_of_it_has_room() {
    let world = blocks(&[([3.0, 1.5, 0.0], [0.3, 0.1, 0.3])]);
    let mut person = character(snowman(), [0.0, SKIN, 0.0]);
    let mut scratch = Scratch::default();
    let door = person.position_over(point![3.0, 0.0, 2.0], Vector3::y_axis()).expect("good numbers");
    assert!((door - point![3.0, SKIN, 2.0]).norm() < 1e-12, "its position is at its feet: {door}");
    assert_eq!(person.teleport(&world, door, &mut scratch), Ok(true));
    assert_eq!(
        person.teleport(&world, point![3.0, SKIN, 0.0], &mut scratch),
        Ok(false),
        "its head would be in the block"
    );
    assert_eq!(person.position(), door);
    let low = shape_of::<f64>(&[([0.45, 0.4, 0.45], [0.0, 0.4, 0.0])]);
    let low = Body::new(&low, SKIN).expect("a skin");
    let filter = QueryFilter::default();
    assert_eq!(has_room(&world, &low, point![3.0, SKIN, 0.0], &filter, &mut scratch), Ok(true));
}

#[cfg(feature = "serde")]
#[test]
fn shapes_go_through_files() {
    let shape = snowman::<f64>();
    let text = serde_json::to_string(&shape).expect("it is written");
    assert_eq!(serde_json::from_str::<BodyShape<f64>>(&text).expect("it is read"), shape);
    assert!(serde_json::from_str::<BodyShape<f64>>("[]").is_err());
}
