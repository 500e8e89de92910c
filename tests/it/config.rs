//! What a config may hold, and what is said of a number that it may not.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{Point3, vector};
use sidle::{Character, CharacterConfig, Ellipsoid, InputError, Real};

/// A number of the config: its name in errors, how it is set, and its range.
struct Number<T: Real> {
    name: &'static str,
    set: fn(&mut CharacterConfig<T>, T),
    most: f64,
    range: &'static str,
    may_be_zero: bool,
}

fn numbers<T: Real>() -> [Number<T>; 5] {
    let length = |name, set| Number { name, set, most: 1e9, range: "0..=1e9", may_be_zero: true };
    [
        length("the skin", |config: &mut CharacterConfig<T>, x| config.skin = x),
        length("the step height", |config, x| config.step_height = x),
        length("the snap distance", |config, x| config.snap_distance = x),
        Number { may_be_zero: false, ..length("the tread depth", |config, x| config.tread_depth = Some(x)) },
        Number { most: FRAC_PI_2, range: "0..=π/2", ..length("the slope limit", |config, x| config.max_slope = x) },
    ]
}

fn made<T: Real>(number: &Number<T>, x: f64) -> Result<(), InputError> {
    let mut config = CharacterConfig::default();
    (number.set)(&mut config, T::nearest(x));
    let body = Ellipsoid::new(vector![0.4, 0.9, 0.4].map(T::nearest)).expect("good radii");
    Character::new(body, config, Point3::origin()).map(|_| ())
}

fn a_number_out_of_range_is_named<T: Real>() {
    for number in numbers::<T>() {
        let (what, range) = (number.name, number.range);
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(made(&number, x), Err(InputError::NotFinite { what }), "{x}");
        }
        for x in [-1e-6, -1.0, -1e30] {
            let not_positive = InputError::NotPositive { what };
            let error = if number.may_be_zero { InputError::Negative { what } } else { not_positive };
            assert_eq!(made(&number, x), Err(error), "{x}");
        }
        for x in [number.most * 1.001, number.most * 1e6] {
            assert_eq!(made(&number, x), Err(InputError::OutOfRange { what, range }), "{x}");
        }
        let zero = if number.may_be_zero { Ok(()) } else { Err(InputError::NotPositive { what }) };
        assert_eq!(made(&number, 0.0), zero, "{what} of 0");
        for x in [1e-6, 0.5 * number.most, number.most] {
            assert_eq!(made(&number, x), Ok(()), "{what} of {x}");
        }
    }
}

#[test]
fn a_number_out_of_range_is_a_typed_error_that_names_it() {
    a_number_out_of_range_is_named::<f32>();
    a_number_out_of_range_is_named::<f64>();
}

#[test]
fn the_defaults_are_those_that_are_documented() {
    let CharacterConfig { skin, step_height, tread_depth, max_slope, snap_distance, slope_speed, ceiling } =
        CharacterConfig::<f64>::default();
    assert_eq!((skin, step_height, tread_depth, snap_distance), (0.02, 0.3, None, 0.2));
    assert_eq!(max_slope, FRAC_PI_2 / 2.0);
    assert_eq!(slope_speed, sidle::character::SlopeSpeed::Horizontal);
    assert_eq!(ceiling, sidle::character::CeilingResponse::Stop);
}

/// What was written before there was a choice still is a config.
#[cfg(feature = "serde")]
#[test]
fn choices_may_be_left_out() {
    let config = CharacterConfig::<f64>::default();
    let mut written = serde_json::to_value(config).expect("it can be written");
    let fields = written.as_object_mut().expect("fields");
    assert!(fields.remove("slope_speed").is_some() && fields.remove("ceiling").is_some());
    assert_eq!(serde_json::from_value::<CharacterConfig<f64>>(written).expect("it can be read"), config);
}
