//! Names of characters, and errors that name them.

use nalgebra::Vector3;
use sidle::character::{Crowd, CrowdError, TickInput};

use crate::people::{DT, floor, player, walking};

#[test]
fn the_names_of_those_who_left_mean_nobody() {
    let mut crowd = Crowd::<f64>::new();
    let first = crowd.add(player(0.0, 0.0)).expect("room");
    let second = crowd.add(player(3.0, 0.0)).expect("room");
    assert_eq!(crowd.len(), 2);
    let state = crowd.remove(first).expect("it was there").state();
    let third = crowd.add(player(6.0, 0.0)).expect("room");
    assert!(third != first && third != second);
    assert!(crowd.character(first).is_none() && crowd.remove(first).is_none() && crowd.report(first).is_none());
    assert_eq!(crowd.restore(first, state), Err(CrowdError::NoSuchCharacter));
    crowd.tick(&floor::<f64>(), DT, |_, _| TickInput::default()).expect("good numbers");
    assert_eq!(crowd.iter().count(), 2);
}

#[test]
fn a_wish_that_is_no_number_moves_nobody_and_says_whose_it_is() {
    let world = floor::<f64>();
    let mut crowd = Crowd::new();
    crowd.add(player(0.0, 0.0)).expect("room");
    let confused = crowd.add(player(3.0, 0.0)).expect("room");
    let before: Vec<_> = crowd.states().collect();
    let wish = |id, _: &_| walking(Vector3::x() * if id == confused { f64::NAN } else { 1.0 });
    let error = crowd.tick(&world, DT, wish).expect_err("not a number");
    assert!(matches!(error, CrowdError::Input { character, .. } if character == confused), "{error}");
    assert_eq!(before, crowd.states().collect::<Vec<_>>());
    assert!(crowd.tick(&world, 0.0, |_, _| TickInput::default()).is_err());
}
