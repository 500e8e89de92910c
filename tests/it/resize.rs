//! Crouching, standing up and being put elsewhere: only where there is room, and with the feet kept.

use nalgebra::{Point3, Unit, UnitQuaternion, Vector3, point, vector};
use sidle::{
    Character, CharacterConfig, Ellipsoid, InputError, Octree, QueryFilter, Ray3, Real, Scratch, TickInput, World,
    character::{Body, GroundState, has_room},
    mesh::primitives,
    world::{InstanceId, Placement},
};

use crate::random::Random;

const DT: f64 = 1.0 / 60.0;

/// A person who crouches: the two bodies, and all that a tick needs.
struct Person<T: Real> {
    tall: Ellipsoid<T>,
    low: Ellipsoid<T>,
    character: Character<T>,
    scratch: Scratch,
}

impl<T: Real> Person<T> {
    /// Stands on `world` over a point of level ground.
    fn on(world: &World<T>, x: f64, y: f64, z: f64) -> Self {
        Self::with(world, CharacterConfig::default(), x, y, z)
    }

    fn with(world: &World<T>, config: CharacterConfig<T>, x: f64, y: f64, z: f64) -> Self {
        let body = |height: f64| Ellipsoid::new(vec3(0.4, height, 0.4)).expect("valid");
        let (tall, low) = (body(0.9), body(0.5));
        let character = Character::new(tall, config, Point3::from(vec3(x, y + 0.92, z))).expect("valid");
        let mut person = Self { tall, low, character, scratch: Scratch::default() };
        person.walk(world, 0.0, 2);
        person
    }

    /// Walks along X, in metres a second.
    fn walk(&mut self, world: &World<T>, speed: f64, ticks: u32) {
        let input = TickInput { velocity: vec3(speed, 0.0, 0.0), ..TickInput::default() };
        for _ in 0..ticks {
            self.character.tick(world, &input, T::nearest(DT), &mut self.scratch).expect("good numbers");
        }
    }

    fn crouch(&mut self, world: &World<T>) -> bool {
        self.character.resize(world, self.low, Vector3::y_axis(), &mut self.scratch).expect("good numbers")
    }

    fn stand_up(&mut self, world: &World<T>) -> bool {
        self.character.resize(world, self.tall, Vector3::y_axis(), &mut self.scratch).expect("good numbers")
    }

    /// Height of the feet, with all that is known of the position.
    fn feet(&self) -> f64 {
        self.character.state().exact_position().y - self.character.ellipsoid().radii().y.to_f64()
    }

    /// Whether the body, without its skin, is in nothing.
    fn is_free(&self, world: &World<T>) -> bool {
        let (body, center) = (self.character.ellipsoid(), self.character.position());
        world.has_room(body, center, &QueryFilter::default()).expect("good numbers")
    }
}

fn vec3<T: Real>(x: f64, y: f64, z: f64) -> Vector3<T> {
    vector![T::nearest(x), T::nearest(y), T::nearest(z)]
}

fn put<T: Real>(world: &mut World<T>, half: [f64; 3], at: [f64; 3]) -> InstanceId {
    let block = world.add_mesh(Octree::new(primitives::cuboid(half).expect("valid")));
    world.place(block, &Placement::at(Point3::from(vec3(at[0], at[1], at[2])))).expect("valid")
}

fn floor<T: Real>() -> World<T> {
    World::of_level(Octree::new(primitives::floor::<T>(40.0, 40.0, 20, 20).expect("valid")))
}

/// A table: its top is 1.3 m to 1.4 m high, and 2 m long from x = 1 to 3.
fn with_table<T: Real>() -> World<T> {
    let mut world = floor();
    put(&mut world, [1.0, 0.05, 1.0], [2.0, 1.35, 0.0]);
    world
}

/// Under a free sky on some ground: crouches and stands up a thousand times, with and without ticks between.
fn crouches_a_thousand_times<T: Real>(world: &World<T>, mut person: Person<T>, what: &str) {
    assert_eq!(person.character.state().ground, GroundState::OnGround, "{what}");
    let (feet, place) = (person.feet(), person.character.state().exact_position());
    // A state holds the normal of the ground in its own scalar.
    let rounding = 1e-9_f64.max(8.0 * T::ROUNDING);
    let mut low_feet = None;
    for round in 0..1000 {
        assert!(person.crouch(world), "{what}: crouch {round}");
        person.walk(world, 0.0, round % 3);
        let now = person.feet();
        assert!((now - *low_feet.get_or_insert(now)).abs() < rounding, "{what}: round {round} {low_feet:?} {now}");
        assert!(person.character.is_on_ground(), "{what}: crouched in the air, round {round}");
        assert!(person.is_free(world), "{what}");
        assert!(person.stand_up(world), "{what}: stand up {round}");
        person.walk(world, 0.0, round % 2);
        assert!(person.character.is_on_ground(), "{what}: stands in the air, round {round}");
        assert!((person.feet() - feet).abs() < rounding, "{what}: {} m off after {round}", person.feet() - feet);
    }
    let gone = (person.character.state().exact_position() - place).norm();
    println!("{what}: {gone:.1e} m off after a thousand times");
    assert!(gone < rounding, "{what}: {gone}");
}

fn on_all_grounds<T: Real>() {
    let world = floor::<T>();
    crouches_a_thousand_times(&world, Person::on(&world, 0.3, 0.0, 0.2), "on a floor");
    let stiff = CharacterConfig { snap_distance: T::zero(), step_height: T::zero(), ..CharacterConfig::default() };
    crouches_a_thousand_times(&world, Person::with(&world, stiff, 0.3, 0.0, 0.2), "on a floor, without snap");

    for degrees in [10.0_f64, 30.0, 44.0] {
        let angle = degrees.to_radians();
        let slope = World::of_level(Octree::new(primitives::ramp::<T>(8.0, angle, 6.0).expect("valid")));
        let person = Person::on(&slope, 4.0, 4.0 * libm::tan(angle) + 0.3, 0.1);
        let mut person = person;
        person.walk(&slope, 0.0, 60);
        crouches_a_thousand_times(&slope, person, &format!("on a slope of {degrees}°"));
    }
}

#[test]
fn crouching_and_standing_up_a_thousand_times_moves_nobody_and_keeps_the_ground() {
    on_all_grounds::<f32>();
    on_all_grounds::<f64>();
}

fn keeps_feet<T: Real>() {
    let world = floor::<T>();
    let mut person = Person::on(&world, 0.0, 0.0, 0.0);
    let (feet, state) = (person.feet(), person.character.state());
    assert!(person.crouch(&world));
    assert!((person.feet() - feet).abs() < 1e-12 && (feet - 0.02).abs() < 1e-6);
    let crouched = person.character.state();
    assert_eq!((crouched.ground, crouched.standing_on), (state.ground, state.standing_on));
    assert!((crouched.feet_above_support - state.feet_above_support).to_f64().abs() < 1e-9);
    // And in a jump, at the height that it has then.
    person.stand_up(&world);
    let jump = TickInput { jump: Some(T::nearest(5.0)), ..TickInput::default() };
    person.character.tick(&world, &jump, T::nearest(DT), &mut person.scratch).expect("good numbers");
    person.walk(&world, 0.0, 10);
    let (feet, momentum) = (person.feet(), person.character.state().momentum);
    assert!(feet > 0.4 && person.crouch(&world));
    assert!((person.feet() - feet).abs() < 1e-12);
    assert_eq!(person.character.state().momentum, momentum, "it rises as before");
    assert!(!person.character.is_on_ground());
}

#[test]
fn crouching_keeps_the_feet_where_they_are() {
    keeps_feet::<f32>();
    keeps_feet::<f64>();
}

fn under_a_table<T: Real>() {
    let world = with_table::<T>();
    let mut person = Person::on(&world, 0.0, 0.0, 0.0);
    person.walk(&world, 2.0, 60);
    assert!(person.character.position().x.to_f64() < 1.0, "who stands does not fit under it");
    assert!(person.crouch(&world));
    person.walk(&world, 2.0, 40);
    assert!((person.character.position().x.to_f64() - 2.0).abs() < 0.5, "under the table");
    let before = person.character.state();
    assert!(!person.stand_up(&world), "no room under the table");
    assert_eq!(person.character.state(), before, "nothing has changed");
    assert_eq!(person.character.ellipsoid(), &person.low);
    person.walk(&world, 2.0, 60);
    assert!(person.character.position().x.to_f64() > 3.4, "it walks on, crouched");
    assert!(person.stand_up(&world), "and stands up behind it");
    assert!(person.character.is_on_ground() && person.is_free(&world));
}

#[test]
fn nobody_stands_up_under_a_table_but_behind_it() {
    under_a_table::<f32>();
    under_a_table::<f64>();
}

/// The ceiling that just lets a body with its skin stand, and one a little lower.
#[test]
fn the_skin_needs_room_too() {
    for (clearance, fits) in [(1.8401, true), (1.8399, false), (1.81, false)] {
        let mut world = floor::<f64>();
        put(&mut world, [2.0, 0.5, 2.0], [0.0, clearance + 0.5, 0.0]);
        let mut person = Person::on(&world, -5.0, 0.0, 0.0);
        assert!(person.crouch(&world));
        person.walk(&world, 5.0, 60);
        assert_eq!(person.stand_up(&world), fits, "{clearance} m");
    }
}

/// The upright body passes over the edge of a step where the blunter one would be in it: that goes aside, and keeps its feet.
#[test]
fn who_crouches_beside_a_curb_is_moved_aside_a_little_and_not_lifted() {
    for height in [0.2, 0.35, 0.45] {
        let mut world = floor::<f64>();
        put(&mut world, [1.0, height / 2.0, 4.0], [2.0, height / 2.0, 0.0]);
        let config = CharacterConfig { step_height: 0.0, ..CharacterConfig::default() };
        let mut person = Person::with(&world, config, 0.0, 0.0, 0.0);
        person.walk(&world, 1.0, 60);
        let (feet, x) = (person.feet(), person.character.position().x);
        assert!(person.crouch(&world), "{height}");
        assert!(person.is_free(&world) && person.character.is_on_ground(), "{height}");
        let (moved, lifted) = (x - person.character.position().x, person.feet() - feet);
        // As much as it is wider at the height of the edge; the depth of an overlap with an edge is an upper bound.
        let half_width = |half: f64| 0.42 * (1.0 - ((half - height) / half) * ((half - height) / half)).sqrt();
        let wider = half_width(0.52) - half_width(0.92);
        println!("{height}: {moved} m aside for {wider} m, lifted by {lifted} m");
        assert!(lifted.abs() < 1e-9, "{height}: lifted by {lifted} m");
        assert!(moved > wider - 1e-4 && moved < wider + 0.01, "{height}: {moved} m aside for {wider} m");
        // From then on there is room.
        let place = person.character.position();
        for _ in 0..100 {
            assert!(person.stand_up(&world) && person.crouch(&world), "{height}");
            person.walk(&world, 0.0, 1);
            assert!(person.character.is_on_ground(), "{height}");
        }
        assert!((person.character.position() - place).norm() < 1e-9, "{height}");
    }
}

/// Between two curbs there is no aside: it rests on their edges, inside of the body that it was.
#[test]
fn who_crouches_between_two_curbs_rests_on_their_edges() {
    let mut world = floor::<f64>();
    let height = 0.35;
    for side in [-1.0, 1.0] {
        put(&mut world, [4.0, height / 2.0, 1.0], [0.0, height / 2.0, side * 1.34]);
    }
    let config = CharacterConfig { step_height: 0.0, ..CharacterConfig::default() };
    let mut person = Person::with(&world, config, 0.0, 0.0, 0.0);
    let feet = person.feet();
    assert!(person.character.is_on_ground() && (feet - 0.02).abs() < 1e-9);
    for round in 0..100 {
        assert!(person.crouch(&world) && person.is_free(&world), "round {round}");
        let lifted = person.feet() - feet;
        assert!(lifted > 0.05 && lifted < 0.2, "{lifted}");
        person.walk(&world, 0.0, 2);
        assert!(person.character.is_on_ground(), "round {round}");
        assert!(person.stand_up(&world), "round {round}");
        person.walk(&world, 0.0, 2);
        assert!(person.character.is_on_ground() && (person.feet() - feet).abs() < 1e-9, "round {round}");
    }
}

/// Between walls that leave room for the body and not for its skin.
#[test]
fn who_is_squeezed_between_two_walls_may_crouch_and_stand_up() {
    let mut world = floor::<f64>();
    for side in [-1.0, 1.0] {
        put(&mut world, [4.0, 2.0, 1.0], [0.0, 2.0, side * 1.41]);
    }
    let mut person = Person::on(&world, 0.0, 0.0, 0.0);
    assert!(person.is_free(&world));
    for round in 0..10 {
        assert!(person.crouch(&world) && person.is_free(&world), "round {round}");
        person.walk(&world, 1.0, 5);
        assert!(person.stand_up(&world) && person.is_free(&world), "round {round}");
        person.walk(&world, 1.0, 5);
        assert!(person.character.is_on_ground(), "round {round}");
    }
}

#[test]
fn who_crouches_under_a_low_roof_leaves_no_gap_to_jump_through() {
    // A room as high as the body: crouching, jumping and standing up again never leads through its ceiling.
    let mut world = floor::<f64>();
    put(&mut world, [3.0, 0.01, 3.0], [0.0, 1.9, 0.0]);
    let mut person = Person::on(&world, 0.0, 0.0, 0.0);
    for round in 0..300 {
        if round % 2 == 0 {
            assert!(person.crouch(&world));
        } else {
            person.stand_up(&world);
        }
        let jump = TickInput { jump: Some(6.0), ..TickInput::default() };
        for _ in 0..round % 7 {
            person.character.tick(&world, &jump, DT, &mut person.scratch).expect("good numbers");
        }
        let top = person.character.position().y + person.character.ellipsoid().radii().y;
        assert!(top < 1.89 && person.feet() > 0.0 && person.is_free(&world), "round {round}: head at {top}");
    }
}

fn teleports<T: Real>() {
    let mut world = floor::<T>();
    put(&mut world, [1.0, 1.0, 1.0], [5.0, 1.0, 5.0]);
    let mut person = Person::on(&world, 0.0, 0.0, 0.0);
    let before = person.character.state();
    let Person { character, scratch, .. } = &mut person;
    for wall in [[4.0, 0.92, 5.0], [3.7, 0.92, 5.0], [0.0, 0.5, 0.0], [5.0, 2.5, 5.0]] {
        let there = Point3::from(vec3(wall[0], wall[1], wall[2]));
        assert!(!character.teleport(&world, there, scratch).expect("good numbers"), "{wall:?}");
        assert_eq!(character.state(), before, "nothing has changed");
    }
    for ground in [[3.5, 0.0, 5.0], [5.0, 2.0, 5.0], [-7.0, 0.0, 11.0]] {
        let ground = Point3::from(vec3(ground[0], ground[1], ground[2]));
        let there = character.position_over(ground, Vector3::y_axis()).expect("good numbers");
        let rising = TickInput { jump: Some(T::nearest(3.0)), ..TickInput::default() };
        character.tick(&world, &rising, T::nearest(DT), scratch).expect("good numbers");
        assert!(character.teleport(&world, there, scratch).expect("good numbers"), "{ground:?}");
        assert_eq!((character.position(), character.state().momentum), (there, Vector3::zeros()));
        assert!(!character.is_on_ground(), "in the air until it has looked");
        character.tick(&world, &TickInput::default(), T::nearest(DT), scratch).expect("good numbers");
        assert!(character.is_on_ground(), "{ground:?}");
        assert!((character.position() - there).norm().to_f64() < 1e-5);
    }
    // The filter of the character is that of its teleport.
    let block = world.instances().last().expect("there is one");
    let mut filter = QueryFilter::default();
    filter.ignored.push(block);
    character.set_filter(filter);
    let inside = Point3::from(vec3(4.0, 0.92, 5.0));
    assert!(character.teleport(&world, inside, scratch).expect("good numbers"), "what is ignored takes no room");
}

#[test]
fn a_teleport_into_a_wall_is_refused_and_changes_nothing() {
    teleports::<f32>();
    teleports::<f64>();
}

/// At 10 km the positions of `f32` are a millimetre apart; a place on the floor is one there, too.
#[test]
fn there_is_room_on_the_ground_far_from_the_origin() {
    let mut world = World::<f32>::new();
    let block = world.add_mesh(Octree::new(primitives::cuboid([5.0, 1.0, 5.0]).expect("valid")));
    for far in [1e3_f32, 1e4, 1e5] {
        let id = world.place(block, &Placement::at(point![far, far - 1.0, far])).expect("valid");
        let body = Ellipsoid::new(vector![0.4, 0.9, 0.4]).expect("valid");
        let mut character = Character::new(body, CharacterConfig::default(), point![0.0, 9.0, 0.0]).expect("valid");
        let there = character.position_over(point![far, far, far], Vector3::y_axis()).expect("good numbers");
        assert!(character.teleport(&world, there, &mut Scratch::default()).expect("good numbers"), "{far}");
        let inside = there - vector![0.0, 0.1, 0.0];
        assert!(!character.teleport(&world, inside, &mut Scratch::default()).expect("good numbers"), "{far}");
        world.remove(id).expect("it is there");
    }
}

/// Any up, and a turned body: what counts is the height of its lowest point.
#[test]
fn a_turned_body_crouches_along_any_up() {
    let turn = UnitQuaternion::from_scaled_axis(vector![0.3, 0.5, -0.2]);
    let up = Unit::new_normalize(vector![0.2, -0.9, 0.4]);
    let body = |height: f64| Ellipsoid::turned(vector![0.4, height, 0.3], turn).expect("valid");
    let (tall, low) = (body(0.9), body(0.5));
    let world = World::<f64>::new();
    let config = CharacterConfig::default();
    let mut character = Character::new(tall, config, point![1.0, 2.0, 3.0]).expect("valid");
    let (start, feet) = (character.position(), character.feet(up).coords.dot(&up));
    let mut scratch = Scratch::default();
    assert!(character.resize(&world, low, up, &mut scratch).expect("good numbers"));
    // Its skin keeps a gap that depends a little on its shape.
    assert!((character.feet(up).coords.dot(&up) - feet).abs() < 0.1 * config.skin);
    assert!((character.position() - start).cross(&up).norm() < 1e-12, "along up only");
    assert!(character.resize(&world, tall, up, &mut scratch).expect("good numbers"));
    assert!((character.position() - start).norm() < 1e-12);
}

#[test]
fn a_lift_carries_who_crouches_on_it() {
    let mut world = World::<f64>::new();
    let lift = put(&mut world, [2.0, 0.1, 2.0], [0.0, -0.1, 0.0]);
    let mut person = Person::on(&world, 0.5, 0.0, 0.0);
    for tick in 1..=240_u32 {
        world.settle();
        let top = f64::from(tick) * 2.0 * DT;
        world.drive(lift, &Placement::at(point![0.0, top - 0.1, 0.0]), DT).expect("it is there");
        person.walk(&world, 0.0, 1);
        assert!(person.character.is_on_ground());
        assert!((person.feet() - top - 0.02).abs() < 1e-9, "tick {tick}: {}", person.feet() - top);
        assert!(if tick % 2 == 0 { person.crouch(&world) } else { person.stand_up(&world) });
    }
}

#[test]
fn bad_numbers_are_errors_and_change_nothing() {
    let world = floor::<f64>();
    let Person { mut character, low, mut scratch, .. } = Person::on(&world, 0.0, 0.0, 0.0);
    let before = character.state();
    for up in [vector![f64::NAN, 1.0, 0.0], vector![0.0, f64::INFINITY, 0.0], Vector3::zeros()] {
        let up = Unit::new_unchecked(up);
        assert!(character.resize(&world, low, up, &mut scratch).is_err(), "{up:?}");
        assert!(character.position_over(Point3::origin(), up).is_err(), "{up:?}");
    }
    let body = Body::new(low, 0.02).expect("valid");
    for x in [f64::NAN, f64::NEG_INFINITY, 1e16] {
        let there = point![x, 1.0, 0.0];
        let error = character.teleport(&world, there, &mut scratch).expect_err("no number");
        assert!(matches!(error, InputError::NotFinite { .. } | InputError::TooLarge { .. }));
        assert!(has_room(&world, &body, there, &QueryFilter::default(), &mut scratch).is_err());
        assert!(character.position_over(there, Vector3::y_axis()).is_err());
    }
    assert_eq!(character.state(), before);
    assert_ne!(character.ellipsoid(), &low);
}

/// Walks, jumps, crouches and stands up at random over the playground: never in anything, never through anything.
fn strolls<T: Real>(seed: u64) {
    let world = World::of_level(Octree::new(primitives::playground::<T>()));
    let corners = primitives::playground_tour();
    let mut random = Random(seed);
    let (mut crouched, mut stood_up, mut refused) = (0, 0, 0);
    for [x, y, z] in corners {
        let mut person = Person::on(&world, x, y + 0.05, z);
        for tick in 0..240 {
            let wished = if random.between(0.0, 1.0) < 0.5 { person.low } else { person.tall };
            if tick % 7 == 0 && *person.character.ellipsoid() != wished {
                let (before, is_low) = (person.character.state(), wished == person.low);
                let has_changed = if is_low { person.crouch(&world) } else { person.stand_up(&world) };
                assert!(has_changed || !is_low, "a smaller body always finds room: {before:?}");
                assert!(has_changed || person.character.state() == before);
                let way = person.character.state().exact_position() - before.exact_position();
                if way.norm() > 0.0 {
                    let ray = Ray3::new(before.position, way.map(T::nearest)).expect("good numbers");
                    let met = world.cast_ray(&ray, T::one(), &QueryFilter::default());
                    assert!(met.is_none(), "through {met:?} at {before:?}");
                }
                *match (has_changed, is_low) {
                    (true, true) => &mut crouched,
                    (true, false) => &mut stood_up,
                    (false, _) => &mut refused,
                } += 1;
            }
            let input = TickInput {
                velocity: vec3(random.between(-4.0, 4.0), 0.0, random.between(-4.0, 4.0)),
                jump: (random.between(0.0, 1.0) < 0.02).then(|| T::nearest(5.0)),
                ..TickInput::default()
            };
            for _ in 0..4 {
                person.character.tick(&world, &input, T::nearest(DT), &mut person.scratch).expect("good numbers");
                assert!(person.is_free(&world), "at {:?}", person.character.state());
            }
        }
    }
    println!("crouched {crouched} times, stood up {stood_up} times, found no room {refused} times");
    assert!(crouched > 100 && stood_up > 100);
}

#[test]
fn crouching_and_standing_up_at_random_leads_into_nothing_and_through_nothing() {
    strolls::<f32>(11);
    strolls::<f64>(12);
}
