//! What surfaces are to a character: conveyor belts, ice that is no ground, fences that are no steps, floors with a way up, and what
//! a caller forbids.

use nalgebra::{Point3, UnitQuaternion, Vector3, point, vector};
use sidle::{
    CharacterConfig, MaterialTag, Octree, Real, TriMesh, World,
    character::GroundState,
    mesh::{
        Sides,
        primitives::{self, MeshBuilder},
    },
    world::{Altered, InstanceId, Placement, Surface, WorldTriangle},
};

use crate::person::{Person, STANDS};

/// A floor of stone with a block of something else on it.
fn level_with(half: [f64; 3], center: [f64; 3]) -> TriMesh<f64> {
    let mut level = MeshBuilder::new();
    level.material("stone").append(&primitives::floor::<f64>(40.0, 40.0, 4, 4).expect("a floor"), [0.0; 3]);
    level.material("other").append(&primitives::cuboid::<f64>(half).expect("a block"), center);
    level.build().expect("a level")
}

/// A world in which the other material is something special.
fn world_with<T: Real>(mesh: TriMesh<T>, surface: Surface) -> (World<T>, InstanceId) {
    let mut world = World::new();
    let id = world.add_mesh(Octree::new(mesh));
    world.set_surface(id, MaterialTag(1), surface).expect("there is such a mesh");
    let id = world.place(id, &Placement::default()).expect("it is placed");
    (world, id)
}

fn belt(velocity: [f64; 3]) -> Surface {
    Surface { velocity: velocity.into(), ..Surface::default() }
}

fn person(world: World<f64>, center: [f64; 3]) -> Person<f64> {
    let mut person = Person::of(CharacterConfig::default(), world, center, 60);
    person.walk([0.0; 3], 0.2, |_, _| ());
    person
}

#[test]
fn a_conveyor_belt_carries_who_stands_and_adds_to_who_walks() {
    let (world, _) = world_with(level_with([8.0, 0.1, 2.0], [0.0, 0.0, 0.0]), belt([1.5, 0.0, 0.0]));
    let mut person = Person::of(CharacterConfig::default(), world, [-6.0, 0.1 + STANDS, 0.0], 60);
    person.tick([0.0; 3]);
    let start = person.place();
    person.walk([0.0; 3], 2.0, |_, report| assert!((report.velocity.x - 1.5).abs() < 1e-9));
    assert!((person.place() - start - vector![3.0, 0.0, 0.0]).norm() < 1e-9);
    person.walk([-1.5, 0.0, 0.0], 2.0, |_, _| ());
    assert!((person.place() - start - vector![3.0, 0.0, 0.0]).norm() < 1e-9, "it walks on the spot");
    person.walk([0.0, 0.0, 1.0], 1.0, |_, _| ());
    assert!((person.place() - start - vector![4.5, 0.0, 1.0]).norm() < 1e-9);
}

#[test]
fn a_belt_lets_go_of_who_walks_off_and_throws_who_jumps() {
    let (world, _) = world_with(level_with([4.0, 0.1, 2.0], [0.0, 0.0, 0.0]), belt([3.0, 0.0, 0.0]));
    let mut person = Person::of(CharacterConfig::default(), world, [-3.0, 0.1 + STANDS, 0.0], 60);
    person.tick([0.0; 3]);
    let start = person.place();
    person.tick_jumping([0.0; 3], Some(4.0));
    while !person.character.is_on_ground() {
        person.tick([0.0; 3]);
    }
    // 4 m/s up is 0.8155 s of flight; it lands within a tick.
    assert!((person.place().x - start.x - 3.0 * 0.8155).abs() < 3.0 / 60.0, "{}", person.place().x - start.x);
    person.walk([0.0; 3], 3.0, |_, _| ());
    let end = person.place();
    assert!(end.x > 4.0 && end.x < 5.0 && (end.y - STANDS).abs() < 0.01, "{end}");
    person.walk([0.0; 3], 1.0, |_, _| ());
    assert_eq!(person.place(), end, "the floor beside it rests");
}

/// The belt runs along its mesh's axis, wherever that points.
#[test]
fn a_belt_turns_with_its_instance() {
    let mut world = World::<f64>::new();
    let mesh = world.add_mesh(Octree::new(primitives::floor(20.0, 20.0, 1, 1).expect("a floor")));
    world.set_surface(mesh, MaterialTag(0), belt([1.0, 0.0, 0.0])).expect("there is such a mesh");
    let turned = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2);
    world.place(mesh, &Placement::default().turned(turned)).expect("it is placed");
    let mut person = Person::of(CharacterConfig::default(), world, [0.0, STANDS, 0.0], 60);
    person.tick([0.0; 3]);
    let start = person.place();
    person.walk([0.0; 3], 1.0, |_, _| ());
    assert!((person.place() - start - vector![0.0, 0.0, -1.0]).norm() < 1e-9, "{}", person.place() - start);
}

#[test]
fn nobody_stands_on_what_is_no_ground() {
    let slippery = Surface { is_ground: false, ..Surface::default() };
    let (world, _) = world_with(level_with([1.0, 1.0, 1.0], [0.0, 0.0, 0.0]), slippery);
    let mut person = Person::of(CharacterConfig::default(), world, [0.3, 1.5 + STANDS, 0.0], 60);
    person.walk([0.0; 3], 2.0, |_, report| {
        assert_ne!(report.ground.state, GroundState::OnGround);
    });
    assert_eq!(person.tick([0.0; 3]).ground.state, GroundState::OnSteepGround);
    assert!((person.place().y - 1.0 - STANDS).abs() < 0.01, "it lies on top: {}", person.place());
    person.tick_jumping([0.0; 3], Some(4.0));
    assert!((person.place().y - 1.0 - STANDS).abs() < 0.01, "it cannot jump from there");
    person.walk([2.0, 0.0, 0.0], 2.0, |_, _| ());
    assert!(person.character.is_on_ground(), "off it stands: {}", person.place());
}

#[test]
fn nobody_steps_on_what_is_no_step() {
    for (is_step, gets_there) in [(true, true), (false, false)] {
        let surface = Surface { is_step, ..Surface::default() };
        let (world, _) = world_with(level_with([1.0, 0.2, 3.0], [2.0, 0.0, 0.0]), surface);
        let mut person = person(world, [-1.0, STANDS, 0.0]);
        person.walk([2.0, 0.0, 0.0], 1.5, |_, _| ());
        let feet = person.place().y - STANDS;
        assert_eq!(feet > 0.15, gets_there, "feet at {feet}");
        assert_eq!(person.place().x > 1.0, gets_there, "{}", person.place());
    }
}

/// A floor at 1 m with a way up from below.
fn way_up(by_material: bool) -> Person<f64> {
    let mut level = MeshBuilder::new();
    level.append(&primitives::floor::<f64>(20.0, 20.0, 2, 2).expect("a floor"), [0.0; 3]);
    let mut world = World::of_level(Octree::new(level.build().expect("a level")));
    let sheet = primitives::floor::<f64>(6.0, 6.0, 2, 2).expect("a floor");
    let sheet = if by_material { sheet } else { sheet.with_sides(Sides::OneWay) };
    let mesh = world.add_mesh(Octree::new(sheet));
    if by_material {
        let one_way = Surface { is_one_way: true, ..Surface::default() };
        world.set_surface(mesh, MaterialTag(0), one_way).expect("there is such a mesh");
    }
    world.place(mesh, &Placement::at(point![0.0, 1.2, 0.0])).expect("it is placed");
    person(world, [0.0, STANDS, 0.0])
}

#[test]
fn a_jump_from_below_leads_through_a_one_way_floor_and_lands_on_it() {
    for by_material in [true, false] {
        let mut person = way_up(by_material);
        assert!(person.place().y < 1.0, "it stands below");
        person.tick_jumping([0.0; 3], Some(6.0));
        person.walk([0.0; 3], 2.0, |_, _| ());
        assert!(person.character.is_on_ground());
        assert!((person.place().y - 1.2 - STANDS).abs() < 0.01, "{}", person.place());
        person.walk([1.0, 0.0, 0.0], 1.0, |_, _| ());
        assert!((person.place().y - 1.2 - STANDS).abs() < 0.01, "it walks on it: {}", person.place());
    }
}

/// A jump that does not lead all of the body through falls back; at no tick is it moved by more than its speed.
#[test]
fn a_jump_that_ends_halfway_through_a_one_way_floor_falls_back_without_a_pop() {
    for by_material in [true, false] {
        // From the middle of the body at the floor to the feet just below it.
        for speed in [2.5, 3.0, 4.0, 4.5, 4.7] {
            let mut person = way_up(by_material);
            person.tick_jumping([0.0; 3], Some(speed));
            let mut highest = 0.0_f64;
            for _ in 0..90 {
                let before = person.place();
                person.tick([0.0; 3]);
                highest = highest.max(person.place().y);
                let way = (person.place() - before).norm();
                assert!(way < 5.0 / 60.0 * 1.2, "{speed} m/s: moved by {way} m in a tick at {before}");
            }
            assert!(highest < speed * speed / 19.62 + STANDS + 0.01, "{speed} m/s: up to {highest}");
            assert!(person.place().y < 1.0 && person.character.is_on_ground(), "{speed} m/s: {}", person.place());
        }
    }
}

/// A caller's veto: a ghost walks through walls of one material, and stands on the others.
#[test]
fn a_caller_may_forbid_contacts() {
    let (world, id) = world_with(level_with([0.2, 2.0, 4.0], [1.0, 2.0, 0.0]), Surface::default());
    for (is_ghost, passes) in [(true, true), (false, false)] {
        let ghostly = |near: WorldTriangle| {
            let is_refused = is_ghost && near.instance == id && near.material == MaterialTag(1);
            (!is_refused).then_some(near)
        };
        let altered = Altered::new(&world, ghostly);
        let mut person = Person::of(CharacterConfig::default(), World::<f64>::new(), [0.0, STANDS, 0.0], 60);
        for _ in 0..60 {
            person.tick_in(&altered, [2.5, 0.0, 0.0]);
        }
        assert_eq!(person.place().x > 2.0, passes, "{}", person.place());
        assert!(person.character.is_on_ground());
    }
}

/// What belongs to another engine can move, too: here a lift behind a world that a caller looks through.
#[test]
fn a_lift_in_an_altered_world_carries() {
    let mut world = World::<f64>::new();
    let mesh = world.add_mesh(Octree::new(primitives::cuboid([1.0, 0.1, 1.0]).expect("a block")));
    let lift = world.place(mesh, &Placement::default()).expect("it is placed");
    let mut person = Person::of(CharacterConfig::default(), World::<f64>::new(), [0.0, 0.1 + STANDS, 0.0], 60);
    person.tick_in(&Altered::new(&world, Some), [0.0; 3]);
    for tick in 1..=60 {
        world.settle();
        let place = Point3::new(0.0, f64::from(tick) / 60.0, 0.0);
        world.drive(lift, &Placement::at(place), 1.0 / 60.0).expect("it is driven");
        person.tick_in(&Altered::new(&world, Some), [0.0; 3]);
    }
    assert!((person.place() - point![0.0, 1.1 + STANDS, 0.0]).norm() < 1e-9, "{}", person.place());
}
