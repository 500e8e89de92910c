//! Faults as scenario files, which `sidle replay` runs and fails.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context, Result};
use nalgebra::Point3;
use sidle::{
    Real,
    walk::{Expect, Move, Number, TrackTick, Walk, WalkCharacter, WalkLayers, WalkOther, WalkPart, judge, replay_in},
};

use super::life::{Arena, Run};
use crate::{
    judge::{Body, Kind, Life, Part, Sample, Violation},
    platforms::put_to_start,
};

/// A scenario begins so many seconds before its fault if the fault is the same from there, else longer before, else at the
/// spawn.
const RUN_UPS: [f64; 6] = [0.0, 0.5, 1.0, 2.0, 5.0, 15.0];
/// A wish that is not kept for this long, in seconds, is stuck.
const STUCK_FOR: f64 = 1.0;
/// Stuck is who comes less far than this, in metres.
const PROGRESS: f64 = 0.05;
/// Deeper penetrations are faults, in metres.
const DEEPEST_ALLOWED: f64 = 1e-3;

/// The fault is the same if it is no farther from where it was, in metres: who stands elsewhere may do so before a wall.
const SAME_PLACE: f64 = 0.05;

/// Faults of a kind that follow each other within so many seconds are one occasion, with one scenario.
const OCCASION: f64 = 3.0;

/// Of a crowd those are in the scenario who are within so many metres as it begins, or as the fault happens.
const COMPANY: f64 = 4.0;

/// Writes a scenario for each occasion of a fault, and returns for each fault the file, with a remark if it does not repeat it.
/// `crowd` are the lives of all who were in each other's way, if they were.
pub(super) fn write_all<T: Real>(
    arena: &Arena<'_, T>,
    run: &Run,
    crowd: &[Life],
    level: &Path,
    out: &Path,
) -> Result<Vec<String>> {
    let (mut written, mut number) = (Vec::new(), 0);
    for (life, verdict) in &run.faulty {
        // For each kind the last fault, and its scenario.
        let mut last: BTreeMap<Kind, (usize, String)> = BTreeMap::new();
        for violation in &verdict.violations {
            if let Some((tick, file)) = last.get_mut(&violation.kind)
                && (violation.tick - *tick) as f64 * arena.setup.dt <= OCCASION
            {
                *tick = violation.tick;
                written.push(file.clone());
                continue;
            }
            number += 1;
            let name = format!("soak_{}_{}_{number}", violation.kind.name(), run.record.index);
            let (walk, repeats) = shortest(arena, life, crowd, violation, &name, level)?;
            let path = out.join(format!("{name}.json"));
            let text = serde_json::to_string_pretty(&walk)?;
            fs::write(&path, text + "\n").with_context(|| format!("cannot write {}", path.display()))?;
            let remark = if repeats { "" } else { " (does not show it again)" };
            let file = format!("{}{remark}", path.display());
            last.insert(violation.kind, (violation.tick, file.clone()));
            written.push(file);
        }
    }
    Ok(written)
}

/// The scenario with the shortest run-up that shows the fault again, and whether there is one.
fn shortest<T: Real>(
    arena: &Arena<'_, T>,
    life: &Life,
    crowd: &[Life],
    violation: &Violation,
    name: &str,
    level: &Path,
) -> Result<(Walk, bool)> {
    let Life { samples, .. } = life;
    let takes = if violation.kind == Kind::Stuck { STUCK_FOR } else { 0.0 };
    let starts = RUN_UPS.iter().filter_map(|run_up| {
        let ticks = ((run_up + takes) / arena.setup.dt).ceil() as usize;
        violation.tick.checked_sub(ticks).filter(|start| {
            *start > 0 && *start < violation.tick && arena.court.is_safe(&samples[*start].position, life.begin + *start)
        })
    });
    let walk_from = |start: usize| -> Result<Walk> {
        Ok(Walk {
            name: name.to_owned(),
            level: level.to_owned(),
            layers: WalkLayers::default(),
            surfaces: Vec::new(),
            meshes: arena.platforms.meshes_after(life.begin + start)?,
            up: [0.0, 1.0, 0.0].map(Number),
            character: character(arena, life.who),
            start: <[f64; 3]>::from(samples[start].position.coords).map(Number),
            gravity: Number(arena.setup.rules.gravity),
            dt: Number(arena.setup.dt),
            moves: moves_of(arena, samples, start, violation),
            expect: expectation(arena, samples, start, violation),
            others: company(crowd, life, start, violation, |who| {
                // Of the same body; only its team is its own.
                arena.setup.teams.map(|_| character(arena, who))
            }),
            recording: None,
        })
    };
    let shows_it = |walk: &Walk| -> Result<bool> {
        let world = put_to_start(&walk.meshes, arena.world)?;
        let fault = Point3::from(violation.position);
        // What is no number is nowhere.
        let is_there = |end: &TrackTick| (end.position - fault).norm() <= SAME_PLACE || !end.position.x.is_finite();
        Ok(replay_in(walk, &world)
            .is_ok_and(|track| track.ticks.last().is_some_and(is_there) && !judge(walk, &track, &world).is_empty()))
    };
    for start in starts {
        let walk = walk_from(start)?;
        if shows_it(&walk)? {
            return Ok((walk, true));
        }
    }
    let walk = walk_from(0)?;
    let repeats = shows_it(&walk)?;
    Ok((walk, repeats))
}

fn character<T: Real>(arena: &Arena<'_, T>, who: usize) -> WalkCharacter {
    let rules = &arena.setup.rules;
    let [layers, sees] = arena.setup.layers_of(who).map(WalkLayers);
    let body = match &arena.setup.body {
        Body::Ellipsoid(radii) => WalkCharacter::of(radii.map(Number)),
        _ => WalkCharacter::of_parts(arena.setup.parts().iter().map(walk_part).collect()),
    };
    WalkCharacter {
        skin: Number(rules.skin),
        step_height: Number(rules.step_height),
        max_slope_deg: Number(rules.max_slope),
        snap_distance: Number(rules.snap),
        layers,
        sees,
        ..body
    }
}

fn walk_part(part: &Part) -> WalkPart {
    WalkPart {
        radii: part.radii.map(Number),
        offset: part.offset.map(Number),
        rotation: [0.0, 0.0, 0.0, 1.0].map(Number),
    }
}

/// Those of a crowd who were near, from the same tick of all on.
fn company(
    crowd: &[Life],
    life: &Life,
    start: usize,
    violation: &Violation,
    character_of: impl Fn(usize) -> Option<WalkCharacter>,
) -> Vec<WalkOther> {
    let [from, to] = [start, violation.tick].map(|tick| life.begin + tick);
    let is_near = |other: &Life, tick: usize| {
        let places = life.at(tick).zip(other.at(tick));
        places.is_some_and(|(here, there)| (here.position - there.position).norm() <= COMPANY)
    };
    let near = crowd.iter().filter(|other| other.who != life.who && (is_near(other, from) || is_near(other, to)));
    let other_of = |other: &Life| {
        let ticks: Vec<Sample> = (from + 1..=to).map_while(|tick| other.at(tick).copied()).collect();
        let start = <[f64; 3]>::from(other.at(from)?.position.coords).map(Number);
        let moves = moves(&ticks);
        Some(WalkOther { character: character_of(other.who), start, gravity: None, moves, expect: Expect::default() })
    };
    near.filter_map(other_of).collect()
}

/// The moves from a start to a fault. The second in which it is stuck is a move of its own: that is what is judged.
fn moves_of<T: Real>(arena: &Arena<'_, T>, life: &[Sample], start: usize, violation: &Violation) -> Vec<Move> {
    let ticks = &life[start + 1..=violation.tick];
    if violation.kind != Kind::Stuck {
        return moves(ticks);
    }
    let second = (STUCK_FOR / arena.setup.dt).round() as usize;
    let (before, during) = ticks.split_at(ticks.len().saturating_sub(second));
    [moves(before), moves(during)].concat()
}

/// The wishes of ticks, those that follow each other and are alike as one move.
fn moves(ticks: &[Sample]) -> Vec<Move> {
    let mut moves: Vec<Move> = Vec::new();
    for tick in ticks {
        let jump = (tick.jump > 0.0).then_some(Number(tick.jump));
        Move::add_tick(&mut moves, <[f64; 3]>::from(tick.wish).map(Number), jump);
    }
    moves
}

/// What does not hold if the same happens again.
fn expectation<T: Real>(arena: &Arena<'_, T>, life: &[Sample], start: usize, violation: &Violation) -> Expect {
    let tick = violation.tick;
    let before = life[tick - 1].position;
    match violation.kind {
        // It stays nearer to where it was than the triangle.
        Kind::Crossing => {
            // What moves may pass it where it stands.
            let max_penetration = (!arena.platforms.is_empty()).then_some(DEEPEST_ALLOWED);
            let tolerance = Some(violation.amount);
            Expect { end: Some(before.coords.into()), tolerance, max_penetration, ..Expect::default() }
        }
        Kind::Penetration => Expect { max_penetration: Some(DEEPEST_ALLOWED), ..Expect::default() },
        Kind::Overlap => Expect { min_gap_to_others: Some(-DEEPEST_ALLOWED), ..Expect::default() },
        Kind::Pop => {
            let allowed = (life[tick].position - before).norm() - violation.amount;
            let longest = life[start..tick].windows(2).map(|pair| (pair[1].position - pair[0].position).norm());
            Expect { max_tick_displacement: Some(longest.fold(allowed, f64::max)), ..Expect::default() }
        }
        Kind::Flip => Expect { grounded: Some(!life[tick].is_on_ground), ..Expect::default() },
        Kind::Stuck if (tick - start) as f64 * arena.setup.dt <= STUCK_FOR + 0.5 * arena.setup.dt => {
            Expect { min_travel: Some(PROGRESS), ..Expect::default() }
        }
        Kind::Stuck => {
            let wished = moves_of(arena, life, start, violation).last().map_or(1.0, |last| {
                let [x, _, z] = last.velocity.map(|Number(x)| x);
                x.hypot(z) * arena.setup.dt * last.ticks as f64
            });
            Expect { max_speed_loss: Some(1.0 - PROGRESS / wished), ..Expect::default() }
        }
        Kind::Nan => Expect::default(),
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Vector3, point};
    use sidle::{
        Octree, TriMesh, World,
        mesh::{
            primitives::{MeshBuilder, floor},
            write_obj,
        },
        walk::replay,
    };

    use super::*;
    use crate::{
        judge::{Court, Grid, Rules, Verdict},
        platforms::Platforms,
        soak::report::{Record, Setup},
    };

    const DT: f64 = 1.0 / 60.0;
    const RULES: Rules = Rules { step_height: 0.3, snap: 0.2, max_slope: 45.0, skin: 0.02, gravity: 9.81 };

    fn room() -> TriMesh<f32> {
        let mut builder = MeshBuilder::new();
        builder.append(&floor::<f64>(20.0, 20.0, 2, 2).expect("a floor"), [0.0; 3]);
        builder.quad([[1.0, 0.0, -10.0], [1.0, 0.0, 10.0], [1.0, 3.0, 10.0], [1.0, 3.0, -10.0]]);
        builder.build().expect("a room")
    }

    /// Walks into the wall at x = 1, and stands there for two seconds.
    fn life() -> Vec<Sample> {
        (0..=180)
            .map(|tick| Sample {
                time: f64::from(tick) * DT,
                position: point![(f64::from(tick) * 3.0 * DT).min(0.58), 0.92, 0.0],
                wish: Vector3::x() * if tick == 0 { 0.0 } else { 3.0 },
                is_on_ground: tick > 0,
                jump: 0.0,
            })
            .collect()
    }

    /// What a judge would say who takes the wall for a fault of the controller.
    fn written_for(kind: Kind, amount: f64) -> Walk {
        written_among(kind, amount, &Platforms::none(DT))
    }

    fn written_among(kind: Kind, amount: f64, platforms: &Platforms) -> Walk {
        let file = file_for(kind, amount, platforms, 0.0);
        assert!(!file.contains("does not show"), "{file}");
        Walk::read(Path::new(&file)).expect("a walk")
    }

    /// The file for a fault that was so far from where a replay leads.
    fn file_for(kind: Kind, amount: f64, platforms: &Platforms, off: f64) -> String {
        let (grid, mesh) = (Grid::new(&room()), room());
        let name = format!("sidle-scenario-{}-{}-{}-{off}", std::process::id(), kind.name(), platforms.is_empty());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("a folder");
        let level = folder.join("room.obj");
        let mut text = Vec::new();
        write_obj(&mesh, &mut text).expect("a text");
        fs::write(&level, text).expect("a file");

        let court = Court { grid: &grid, body: Body::Ellipsoid([0.4, 0.9, 0.4]), rules: RULES, movers: &[] };
        let flood = court.flood(&[point![0.0, 0.0, 0.0]], 10);
        let setup = Setup {
            level: "room.obj".into(),
            triangles: mesh.len(),
            wanderers: 1,
            seconds: 3.0,
            seed: 1,
            dt: DT,
            speed: 3.0,
            body: Body::Ellipsoid([0.4, 0.9, 0.4]),
            rules: RULES,
            scalar: "f32".into(),
            crowd: false,
            teams: None,
            platforms: None,
            spawns: vec![[0.0; 3]],
            cells: flood.cells(),
            beside_obstacles: 0.0,
        };
        let world = match platforms.is_empty() {
            true => World::of_level(Octree::new(mesh)),
            false => platforms.world(level.clone()).expect("a world"),
        };
        let arena = Arena { world: &world, court: &court, flood: &flood, setup: &setup, platforms };
        let life = life();
        let fault = Violation::new(kind, 150, amount, &(life[150].position + Vector3::z() * off));
        let verdict = Verdict { violations: vec![fault], ..Verdict::default() };
        let life = Life { who: 0, begin: 0, samples: life };
        let run = Run { record: Record::default(), faulty: vec![(life, verdict)] };
        let files = write_all(&arena, &run, &[], &level, &folder).expect("a folder to write to");
        files[0].clone()
    }

    #[test]
    fn being_stuck_is_seen_again_by_a_replay() {
        let walk = written_for(Kind::Stuck, 0.0);
        let (track, world) = replay::<f32>(&walk, Path::new("")).expect("a track");
        let differences = judge(&walk, &track, &world);
        assert_eq!(differences.iter().map(|difference| difference.key).collect::<Vec<_>>(), ["min_travel"]);
        assert!(walk.ticks() == 60, "the shortest that shows it: {} ticks", walk.ticks());
    }

    #[test]
    fn being_stuck_elsewhere_is_another_fault() {
        let file = file_for(Kind::Stuck, 0.0, &Platforms::none(DT), 0.1);
        assert!(file.ends_with("(does not show it again)"), "{file}");
    }

    #[test]
    fn a_flag_that_is_on_is_seen_again_by_a_replay() {
        // As if it had to be off before the wall.
        let walk = written_for(Kind::Flip, 0.0);
        assert_eq!((walk.expect.grounded, walk.ticks()), (Some(false), 30));
    }

    #[test]
    fn what_moves_is_in_the_scenario_where_it_is_then() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/walks/door_and_press.json");
        // Without the block that rests, which would stand in the room's wall.
        let mut script = Walk::read(&file).expect("a walk");
        script.meshes.truncate(1);
        script.meshes[0].keyframes.clear();
        script.meshes[0].file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/meshes/cuboid.obj");
        (script.meshes[0].position, script.meshes[0].velocity) =
            ([0.0, 1.05, -6.0].map(Number), [0.0, 0.0, -1.0].map(Number));
        let copy = std::env::temp_dir().join(format!("sidle-scenario-{}-moves.json", std::process::id()));
        fs::write(&copy, serde_json::to_string(&script).expect("a text")).expect("a file");
        let platforms = Platforms::read(&copy, DT).expect("a file with meshes");

        let walk = written_among(Kind::Stuck, 0.0, &platforms);
        let (_, world) = replay::<f32>(&walk, Path::new("")).expect("a track");
        // It begins a second and a half after the start.
        assert_eq!((walk.ticks(), walk.meshes.len(), world.instances().count()), (60, 1, 2));
        let [x, y, z] = walk.meshes[0].position.map(|Number(x)| x);
        assert!(x == 0.0 && (y - 1.05).abs() < 1e-9 && (z + 7.5).abs() < 1e-9, "{z}");
    }

    #[test]
    fn who_was_near_is_in_the_scenario_from_the_same_tick_on() {
        let at = |who, begin, x: f64| {
            let samples =
                life().into_iter().map(|sample| Sample { position: point![x, 0.92, 0.0], ..sample }).collect();
            Life { who, begin, samples }
        };
        // The second is there from tick 20 of all on, the third comes later, the fourth is far off.
        let crowd = [at(0, 10, 0.0), at(1, 20, 1.0), at(2, 300, 1.0), at(3, 0, 9.0)];
        let fault = Violation::new(Kind::Overlap, 100, 0.1, &point![0.0, 0.92, 0.0]);
        let others = company(&crowd, &crowd[0], 40, &fault, |_| None);
        let ticks: usize = others.iter().flat_map(|other| &other.moves).map(|each| each.ticks).sum();
        assert_eq!((others.len(), others[0].start, ticks), (1, [1.0, 0.92, 0.0].map(Number), 60));
        // Nobody is, where it begins before any other was there.
        assert!(company(&crowd, &crowd[0], 5, &fault, |_| None).is_empty());
    }

    #[test]
    fn wishes_that_are_alike_are_one_move_and_each_jump_begins_another() {
        let mut life = life();
        life[20].jump = 4.4;
        let moves = moves(&life[1..31]);
        let ticks: Vec<usize> = moves.iter().map(|each| each.ticks).collect();
        assert_eq!((ticks, moves[1].jump), (vec![19, 11], Some(Number(4.4))));
    }
}
