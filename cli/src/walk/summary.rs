//! What a walk comes to: in words, as JSON, and tick by tick as a table.

use std::fmt::{self, Write};

use nalgebra::Point3;
use serde::Serialize;
use sidle::{Feature, character::GroundState};

use super::{Step, check::Check};

/// The numbers of a walk.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Summary {
    seconds: f64,
    distance: f64,
    on_ground: f64,
    on_steep_ground: f64,
    not_supported: f64,
    in_air: f64,
    steps: usize,
    falls: usize,
    face_contacts: usize,
    edge_contacts: usize,
    vertex_contacts: usize,
    least_gap: Option<f64>,
    deepest_penetration: f64,
    ticks_per_second: f64,
    end: [f64; 3],
}

impl Summary {
    pub(super) fn new(start: Point3<f64>, steps: &[Step], check: Check, took: f64, rate: usize) -> Self {
        let time_in = |state| steps.iter().filter(|s| s.report.ground.state == state).count() as f64 / rate as f64;
        let before = std::iter::once(start).chain(steps.iter().map(|step| step.center));
        let touches = || steps.iter().flat_map(|s| s.report.lateral.touches.iter().chain(&s.report.vertical.touches));
        let contacts = |is: fn(&Feature) -> bool| touches().filter(|touch| is(&touch.feature)).count();
        Self {
            seconds: steps.len() as f64 / rate as f64,
            distance: before
                .zip(steps)
                .filter(|(_, s)| !s.has_fallen_out)
                .map(|(from, s)| (s.center - from).norm())
                .sum(),
            on_ground: time_in(GroundState::OnGround),
            on_steep_ground: time_in(GroundState::OnSteepGround),
            not_supported: time_in(GroundState::NotSupported),
            in_air: time_in(GroundState::InAir),
            steps: steps.iter().filter(|step| step.report.has_stepped).count(),
            falls: steps.iter().filter(|step| step.has_fallen_out).count(),
            face_contacts: contacts(|feature| matches!(feature, Feature::Face)),
            edge_contacts: contacts(|feature| matches!(feature, Feature::Edge(_))),
            vertex_contacts: contacts(|feature| matches!(feature, Feature::Vertex(_))),
            least_gap: check.least_gap,
            deepest_penetration: check.deepest,
            ticks_per_second: steps.len() as f64 / took,
            end: steps.last().map_or(start, |step| step.feet).coords.into(),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.end;
        writeln!(out, "walked        {:.1} m in {:.1} s, to ({x:.2}, {y:.2}, {z:.2})", self.distance, self.seconds)?;
        writeln!(
            out,
            "ground        {:.1} s on ground, {:.1} s on steep ground, {:.1} s touching, {:.1} s in the air",
            self.on_ground, self.on_steep_ground, self.not_supported, self.in_air
        )?;
        writeln!(
            out,
            "contacts      {} with faces, {} with edges, {} with corners; {} ticks on a step",
            self.face_contacts, self.edge_contacts, self.vertex_contacts, self.steps
        )?;
        if self.falls > 0 {
            writeln!(out, "falls         {} out of the level, and back to where it began", self.falls)?;
        }
        match self.least_gap {
            Some(gap) => writeln!(
                out,
                "checked       least gap {:.2} mm, deepest penetration {:.2} mm, by formulas of its own",
                gap * 1e3,
                self.deepest_penetration * 1e3
            )?,
            None => writeln!(out, "checked       never near anything")?,
        }
        writeln!(out, "speed         {:.0} ticks a second", self.ticks_per_second)
    }
}

/// A line for each tick.
pub(super) fn csv(steps: &[Step], rate: usize) -> String {
    let mut out = String::from("time,feet_x,feet_y,feet_z,velocity_x,velocity_y,velocity_z,ground,contacts,stepped\n");
    for (tick, step) in (1..).zip(steps) {
        let (feet, velocity, report) = (step.feet, step.report.velocity, &step.report);
        let contacts = report.lateral.touches.len() + report.vertical.touches.len();
        let ground = match report.ground.state {
            GroundState::OnGround => "on_ground",
            GroundState::OnSteepGround => "on_steep_ground",
            GroundState::NotSupported => "touching",
            GroundState::InAir => "in_air",
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "{:.6},{:.6},{:.6},{:.6},{:.6},{:.6},{:.6},{ground},{contacts},{}",
            tick as f64 / rate as f64,
            feet.x,
            feet.y,
            feet.z,
            velocity.x,
            velocity.y,
            velocity.z,
            u8::from(report.has_stepped)
        );
    }
    out
}
