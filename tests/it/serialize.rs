//! Checked types in files: what comes back is the same to the bit, and what no constructor would make is refused.

use nalgebra::{UnitQuaternion, point, vector};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use sidle::{
    Ray3,
    flat::{Circle, Rectangle, TurnedBox},
    sensor::RayFan,
};

fn comes_back<S: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &S) -> Value {
    let text = serde_json::to_string(value).expect("it can be written");
    assert_eq!(&serde_json::from_str::<S>(&text).expect("it can be read"), value);
    serde_json::from_str(&text).expect("JSON")
}

/// Each change in turn makes what is refused.
fn refuses<S: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &S, changes: &[(&str, Value)]) {
    let whole = comes_back(value);
    for (place, bad) in changes {
        let mut spoiled = whole.clone();
        *spoiled.pointer_mut(place).expect("there is such a number") = bad.clone();
        let error = serde_json::from_value::<S>(spoiled).expect_err("it makes no sense").to_string();
        assert!(["missing", "invalid type"].iter().all(|other| !error.contains(other)), "{place}: {error}");
    }
}

#[test]
fn checked_types_are_checked_when_they_are_read() {
    let circle = Circle::new(point![1.0, 2.0], 0.1).expect("a circle");
    refuses(&circle, &[("/radius", 0.0.into()), ("/center/0", 1e300.into())]);

    let turn = UnitQuaternion::from_euler_angles(0.1, 0.2, 0.3);
    let block = TurnedBox::turned(point![0.1, 0.2, 0.3], vector![1.0, 2.0, 3.0], &turn).expect("a box");
    refuses(&block, &[("/half_extents/1", (-1.0).into()), ("/rotation/0", 2.0.into())]);
    comes_back(&Rectangle::<f32>::new(point![0.1, 0.2], vector![1.0, 2.0]).expect("a rectangle"));

    let ray = Ray3::new(point![0.0, 0.0, 0.0], vector![0.0, 3.0, 0.0]).expect("a ray");
    refuses(&ray, &[("/direction/1", 0.0.into()), ("/origin/2", 1e300.into())]);

    let fan = RayFan::around(7, 10.0).expect("a fan").with_inner_radius(0.5).expect("a fan");
    let fan = fan.with_thickness(0.1).expect("a fan");
    let none = Value::Array(Vec::new());
    let changes = [
        ("/range", 0.0.into()),
        ("/inner_radius", 10.0.into()),
        ("/thickness", (-1.0).into()),
        ("/directions/3/0", 2.0.into()),
        ("/directions", none),
    ];
    refuses::<RayFan<f64, 2>>(&fan, &changes);
}
