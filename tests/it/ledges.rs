//! Ledges a little higher than a step: one answer to each, and no hopping before it.

use sidle::{TriMesh, character::GroundState, mesh::primitives::MeshBuilder};

use crate::{
    person::{Person, STANDS},
    ways::{tangent, walk},
};

/// Along z, with such a profile in x and y.
fn ledge(profile: &[[f64; 2]]) -> TriMesh<f64> {
    let mut level = MeshBuilder::new();
    for ([ax, ay], [bx, by]) in profile.iter().zip(&profile[1..]) {
        level.quad([[*ax, *ay, 9.0], [*bx, *by, 9.0], [*bx, *by, -9.0], [*ax, *ay, -9.0]]);
    }
    level.build().expect("a ledge")
}

#[test]
fn a_plain_ledge_a_little_higher_than_a_step_is_none_whatever_the_way() {
    let ledge = |height: f64| ledge(&[[-6.0, 0.0], [0.0, 0.0], [0.0, height], [6.0, height]]);
    for degrees in [0.0, 3.0, 10.0, 30.0, 60.0_f64] {
        let (x, z) = (libm::cos(degrees.to_radians()), libm::sin(degrees.to_radians()));
        for hz in [30, 60, 240] {
            let end = |height| walk(ledge(height), [-1.0, 0.0, 0.0], [2.0 * x, 0.0, 2.0 * z], 3.0, hz);
            let low = end(0.3);
            assert!(low.x > 0.5, "a step at {degrees} degrees, {hz} Hz: {low}");
            for height in [0.31, 0.32, 0.33, 0.35] {
                let high = end(height);
                assert!(high.x < 0.1, "{height} m at {degrees} degrees, {hz} Hz: {high}");
            }
        }
    }
}

/// A ledge at x = 0 that is upright up to a height and goes on from there at a slope in degrees, up to its top.
fn bevelled(low: f64, slope: f64, top: f64) -> TriMesh<f64> {
    ledge(&[[-6.0, 0.0], [0.0, 0.0], [0.0, low], [(top - low) / tangent(slope), top], [6.0, top]])
}

#[test]
fn a_ledge_with_a_bevelled_edge_is_not_begun_that_is_higher_than_a_step() {
    for (low, slope) in [(0.05, 46.0), (0.1, 55.0), (0.16, 63.0), (0.2, 50.0), (0.25, 46.0), (0.29, 55.0)] {
        let place = walk(bevelled(low, slope, 0.299), [-1.0, 0.0, 0.0], [3.0, 0.0, 0.0], 2.0, 60);
        assert!(place.x > 0.5, "{low}, {slope} degrees, a step: {place}");
        for top in [0.32, 0.33, 0.35, 0.37] {
            for hz in [30, 60, 240] {
                let mut person = Person::at(bevelled(low, slope, top), [-1.0, STANDS, 0.0], hz);
                person.walk([3.0, 0.0, 0.0], 1.0, |_, _| {});
                let before = person.place();
                person.walk([3.0, 0.0, 0.0], 1.0, |place, report| {
                    let is_still = (place - before).norm() < 1e-3 && report.ground.state == GroundState::OnGround;
                    assert!(is_still, "{low}, {slope} degrees, {top} at {hz} Hz: from {before} to {place}");
                });
            }
        }
    }
}
