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

/// A plateau that is a square on edge, seen from -x, with sides of such a slope in degrees.
fn plateau(height: f64, slope: f64) -> TriMesh<f64> {
    let (top, foot) = (1.5, 1.5 + std::f64::consts::SQRT_2 * height / tangent(slope));
    let corners = |out: f64, y: f64| [[-out, y, 0.0], [0.0, y, out], [out, y, 0.0], [0.0, y, -out]];
    let (low, high) = (corners(foot, 0.0), corners(top, height));
    let mut level = MeshBuilder::new();
    level.quad([[-9.0, 0.0, -9.0], [-9.0, 0.0, 9.0], [9.0, 0.0, 9.0], [9.0, 0.0, -9.0]]);
    level.quad(high);
    for (i, j) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
        level.quad([low[i], low[j], high[j], high[i]]);
    }
    level.build().expect("a plateau")
}

#[test]
fn a_plateau_higher_than_a_step_is_not_climbed_over_its_corner() {
    // Beside the corner the feet of a body that leans on it are lower than a step.
    for slope in [50.0, 55.0, 60.0, 70.0, 80.0] {
        for hz in [30, 60, 240] {
            let low = walk(plateau(0.29, slope), [-3.0, 0.0, 0.0], [2.0, 0.0, 0.0], 3.0, hz);
            assert!(low.x > 2.9, "a step, {slope} degrees, {hz} Hz: {low}");
            for height in [0.32, 0.34] {
                for aside in [0.0, 0.02, 0.05, 0.1] {
                    let mut person = Person::at(plateau(height, slope), [-3.0, STANDS, aside], hz);
                    person.walk([2.0, 0.0, 0.0], 3.0, |place, _| {
                        assert!(place.y < STANDS + 0.3, "{height} m, {slope} degrees, {aside} m, {hz} Hz: at {place}");
                    });
                }
            }
        }
    }
}
