//! Overlaps of bodies that move at the same time, and who is beside whom.

use std::{
    collections::BTreeMap,
    f64::consts::{FRAC_PI_4, TAU},
};

use nalgebra::{Point3, Vector3};

use super::{Body, Court, Kind, Sample, Verdict, Violation, verdict::DEEPEST_ALLOWED};

/// The track of one of many, from some tick of all on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Life {
    /// Whose it is.
    pub(crate) who: usize,
    /// The tick of all at its first sample.
    pub(crate) begin: usize,
    pub(crate) samples: Vec<Sample>,
}

/// Directions that are looked along, and the best of them that are looked around.
const DIRECTIONS: usize = 200;
const BEST: usize = 4;
/// A direction is not made better by turns that are smaller, in radians.
const FINEST: f64 = 1e-5;
/// Who is nearer than this, in metres, along each axis, may be what holds another up.
const WITHIN_REACH: f64 = 0.5;
/// Being stuck is judged by what was in the last second.
const WHILE: f64 = 1.0;

impl Life {
    /// Where it was in a tick of all.
    pub(crate) fn at(&self, tick: usize) -> Option<&Sample> {
        self.samples.get(tick.checked_sub(self.begin)?)
    }

    fn end(&self) -> usize {
        self.begin + self.samples.len()
    }
}

impl Court<'_> {
    /// Adds to the verdicts of lives what is wrong with them together: two that are in each other and should be solid to each other,
    /// which `are_solid` knows by whose they are. An overlap is a fault of the one that comes first. Who is said to be stuck is forgiven
    /// if another that is solid to it was within reach.
    pub(crate) fn judge_together(
        &self,
        lives: &[Life],
        are_solid: impl Fn(usize, usize) -> bool,
        verdicts: &mut [Verdict],
    ) {
        // In which ticks another was within reach, for each life.
        let mut beside: Vec<Vec<usize>> = vec![Vec::new(); lives.len()];
        // Overlaps that go on, by the places of the two.
        let mut current: BTreeMap<[usize; 2], Violation> = BTreeMap::new();
        for tick in 0..lives.iter().map(Life::end).max().unwrap_or(0) {
            let here: Vec<(usize, Point3<f64>)> = lives
                .iter()
                .enumerate()
                .filter_map(|(i, life)| Some((i, life.at(tick)?.position)))
                .filter(|(_, position)| position.iter().all(|x| x.is_finite()))
                .collect();
            let mut goes_on = BTreeMap::new();
            for [a, b] in near_pairs(here, &self.body.half_extents()) {
                if !are_solid(lives[a.0].who, lives[b.0].who) {
                    continue;
                }
                for one in [a.0, b.0] {
                    let ticks = &mut beside[one];
                    if ticks.last() != Some(&tick) {
                        ticks.push(tick);
                    }
                }
                let depth = overlap(&self.body, &self.body, &(b.1 - a.1));
                let pair = [a.0, b.0];
                let verdict = &mut verdicts[a.0];
                verdict.deepest_overlap = Some(verdict.deepest_overlap.unwrap_or(0.0).max(depth));
                if depth > DEEPEST_ALLOWED {
                    let fault = current.remove(&pair).unwrap_or_else(|| {
                        let fault = Violation::new(Kind::Overlap, tick - lives[a.0].begin, depth, &a.1);
                        Violation { other: Some(lives[b.0].who), ..fault }
                    });
                    goes_on.insert(pair, Violation { amount: fault.amount.max(depth), ..fault });
                }
            }
            for ([first, _], fault) in std::mem::replace(&mut current, goes_on) {
                verdicts[first].add(fault);
            }
        }
        for ([first, _], fault) in current {
            verdicts[first].add(fault);
        }
        for ((life, verdict), beside) in lives.iter().zip(verdicts).zip(&beside) {
            verdict.violations.retain(|fault| fault.kind != Kind::Stuck || !was_beside(life, fault.tick, beside));
            verdict.violations.sort_by_key(|fault| fault.tick);
        }
    }
}

/// Whether another was within reach in the second before a tick of a life; `beside` are the ticks of all in which one was.
fn was_beside(life: &Life, tick: usize, beside: &[usize]) -> bool {
    let Some(end) = life.samples.get(tick) else { return false };
    let since = life.samples.partition_point(|sample| sample.time < end.time - WHILE - 1e-9);
    let found = beside.partition_point(|known| *known < life.begin + since);
    beside.get(found).is_some_and(|known| *known <= life.begin + tick)
}

/// Those pairs whose boxes come within reach, in the order of their places: sorted along x, and looked through from each on.
fn near_pairs(mut all: Vec<(usize, Point3<f64>)>, half: &Vector3<f64>) -> Vec<[(usize, Point3<f64>); 2]> {
    let reach = (half * 2.0).add_scalar(WITHIN_REACH);
    all.sort_by(|(_, a), (_, b)| a.x.total_cmp(&b.x));
    let mut pairs = Vec::new();
    for (i, a) in all.iter().enumerate() {
        for b in all[i + 1..].iter().take_while(|b| b.1.x - a.1.x <= reach.x) {
            let off = (b.1 - a.1).abs();
            if off.y <= reach.y && off.z <= reach.z {
                pairs.push(if a.0 < b.0 { [*a, *b] } else { [*b, *a] });
            }
        }
    }
    pairs.sort_by_key(|[a, b]| [a.0, b.0]);
    pairs
}

/// How deep two bodies are in each other, in metres, or an upper bound below what is allowed; less than zero is a gap, or a part of it.
///
/// Along any direction two convex bodies are apart by how far the centres are, less how far each reaches. The largest
/// of these is the distance, or, less than zero, the way out. Looked for along many directions, then around the best of them.
fn overlap(a: &Body, b: &Body, offset: &Vector3<f64>) -> f64 {
    let pairs = a.convex().flat_map(|a| b.convex().map(move |b| (a.clone(), b)));
    let each = pairs.map(|((a, a_at), (b, b_at))| convex_overlap(&a, &b, &(offset + b_at - a_at)));
    each.fold(f64::NEG_INFINITY, f64::max)
}

/// The same for bodies of one part each.
fn convex_overlap(a: &Body, b: &Body, offset: &Vector3<f64>) -> f64 {
    let apart = |way: &Vector3<f64>| way.dot(offset) - a.reach(way) - b.reach(way);
    let straight = offset.try_normalize(0.0).unwrap_or_else(Vector3::y);
    let mut ways: Vec<(f64, Vector3<f64>)> = vec![(apart(&straight), straight)];
    if ways[0].0 >= 0.0 {
        return -ways[0].0;
    }
    ways.extend((0..DIRECTIONS).map(direction).map(|way| (apart(&way), way)));
    ways.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let best = ways.into_iter().take(BEST).map(|(_, way)| climbed(&apart, way));
    -best.fold(f64::NEG_INFINITY, f64::max)
}

/// The best that is found by small turns of a direction.
fn climbed(apart: &impl Fn(&Vector3<f64>) -> f64, mut way: Vector3<f64>) -> f64 {
    let mut best = apart(&way);
    let mut turn = FRAC_PI_4 / 2.0;
    while turn > FINEST {
        let side = way.cross(&if way.x.abs() < 0.6 { Vector3::x() } else { Vector3::y() }).normalize();
        let other = way.cross(&side);
        let turned = [side, -side, other, -other].map(|aside| (way + aside * turn).normalize());
        let better = turned.into_iter().map(|way| (apart(&way), way)).max_by(|(a, _), (b, _)| a.total_cmp(b));
        match better.filter(|(found, _)| *found > best) {
            Some((found, to)) => (best, way) = (found, to),
            None => turn /= 2.0,
        }
    }
    best
}

/// Directions that are evenly spread over the sphere: on a spiral, by the golden section.
fn direction(i: usize) -> Vector3<f64> {
    let height = 1.0 - 2.0 * (i as f64 + 0.5) / DIRECTIONS as f64;
    let (across, angle) = ((1.0 - height * height).sqrt(), TAU * 0.618_033_988_749_895 * i as f64);
    Vector3::new(across * libm::cos(angle), height, across * libm::sin(angle))
}

#[cfg(test)]
mod tests {
    use nalgebra::{point, vector};

    use super::*;
    use crate::judge::{Grid, Rules};
    use sidle::mesh::primitives::floor;

    const PERSON: Body = Body::Ellipsoid([0.4, 0.9, 0.4]);
    const DT: f64 = 1.0 / 60.0;

    #[test]
    fn depths_of_spheres_and_along_axes_are_exact() {
        let ball = |radius: f64| Body::Ellipsoid([radius; 3]);
        for offset in [vector![0.3, 0.2, -0.5], vector![0.0, 1.0, 0.0], vector![0.6, 0.0, 0.7]] {
            let found = overlap(&ball(0.5), &ball(0.7), &offset);
            assert!((found - (1.2 - offset.norm())).abs() < 1e-9, "{offset}: {found}");
        }
        for (offset, depth) in
            [(vector![0.7, 0.0, 0.0], 0.1), (vector![0.0, 1.5, 0.0], 0.3), (vector![0.0, 0.0, 0.0], 0.8)]
        {
            let found = overlap(&PERSON, &PERSON, &offset);
            assert!((found - depth).abs() < 1e-6, "{offset}: {found}");
        }
    }

    #[test]
    fn it_is_the_least_way_out_of_all() {
        // The plainest oracle: a million directions.
        let all = (0..1000).flat_map(|i| (0..1000).map(move |k| (i, k)));
        let all: Vec<Vector3<f64>> = all
            .map(|(i, k)| {
                let (height, angle) = (f64::from(i) / 499.5 - 1.0, TAU * f64::from(k) / 1000.0);
                let across = (1.0 - height * height).max(0.0).sqrt();
                vector![across * angle.cos(), height, across * angle.sin()]
            })
            .collect();
        let other = Body::Ellipsoid([0.6, 0.3, 0.2]);
        for offset in
            [vector![0.6, 0.5, 0.1], vector![-0.2, 0.9, 0.3], vector![0.05, 0.02, 0.04], vector![0.7, 0.7, 0.0]]
        {
            let apart = |way: &Vector3<f64>| way.dot(&offset) - PERSON.reach(way) - other.reach(way);
            let oracle = -all.iter().map(apart).fold(f64::NEG_INFINITY, f64::max);
            let found = overlap(&PERSON, &other, &offset);
            assert!(found <= oracle + 1e-9 && found > oracle - 1e-3, "{offset}: {found}, not {oracle}");
        }
    }

    fn grid() -> Grid {
        Grid::new(&floor::<f64>(20.0, 20.0, 7, 7).expect("a floor"))
    }

    /// Walks along x at a speed from a place, for some ticks from some tick of all on.
    fn life(who: usize, begin: usize, ticks: usize, from: [f64; 2], speed: f64) -> Life {
        let sample = |tick: usize| Sample {
            time: tick as f64 * DT,
            position: point![from[0] + speed * DT * tick as f64, 0.92, from[1]],
            wish: Vector3::x() * 3.0,
            is_on_ground: true,
            jump: 0.0,
        };
        Life { who, begin, samples: (0..=ticks).map(sample).collect() }
    }

    fn verdicts(lives: &[Life]) -> Vec<Verdict> {
        verdicts_where(lives, |_, _| true)
    }

    fn verdicts_where(lives: &[Life], are_solid: impl Fn(usize, usize) -> bool) -> Vec<Verdict> {
        let grid = grid();
        let rules = Rules { step_height: 0.3, snap: 0.2, max_slope: 45.0, skin: 0.02, gravity: 9.81 };
        let court = Court { grid: &grid, body: PERSON, rules, movers: &[] };
        let mut verdicts: Vec<Verdict> = lives.iter().map(|life| court.judge(&life.samples)).collect();
        court.judge_together(lives, are_solid, &mut verdicts);
        verdicts
    }

    fn kinds(verdict: &Verdict) -> Vec<(Kind, usize)> {
        verdict.violations.iter().map(|fault| (fault.kind, fault.tick)).collect()
    }

    #[test]
    fn two_who_walk_through_each_other_are_caught_once() {
        // They are in each other while their centres are within 0.8 m: from tick 32 of all on.
        let lives = [life(7, 0, 120, [-3.0, 0.0], 3.0), life(9, 20, 100, [-1.0, 0.0], 0.0)];
        let found = verdicts(&lives);
        let fault = found[0].violations.iter().find(|fault| fault.kind == Kind::Overlap).expect("a fault");
        assert_eq!((fault.tick, fault.other), (25, Some(9)), "{fault}");
        assert!(fault.amount > 0.79, "as deep as can be, in one tick: {fault}");
        assert_eq!(found[0].violations.len(), 1);
        assert!(found[1].violations.iter().all(|fault| fault.kind != Kind::Overlap));
        assert!(found[0].to_string().contains("overlapped    once"), "{}", found[0]);
    }

    #[test]
    fn who_is_not_solid_to_another_may_be_in_it_and_not_in_a_third() {
        let lives = [life(1, 0, 60, [0.0, 0.0], 0.0), life(2, 0, 60, [0.3, 0.0], 0.0), life(3, 0, 60, [0.6, 0.0], 0.0)];
        // The first two are of one team.
        let found = verdicts_where(&lives, |a, b| (a == 3) != (b == 3));
        let overlaps = |verdict: &Verdict| {
            verdict
                .violations
                .iter()
                .filter(|fault| fault.kind == Kind::Overlap)
                .map(|fault| fault.other)
                .collect::<Vec<_>>()
        };
        assert_eq!(found.iter().map(overlaps).collect::<Vec<_>>(), [vec![Some(3)], vec![Some(3)], vec![]]);
    }

    #[test]
    fn half_a_millimetre_is_no_fault_and_two_are() {
        for (overlap, faults) in [(-0.02, 0), (0.0005, 0), (0.002, 1)] {
            let lives = [life(0, 0, 30, [0.0, 0.0], 0.0), life(1, 0, 30, [0.8 - overlap, 0.0], 0.0)];
            let found = verdicts(&lives);
            assert_eq!(found[0].violations.len(), faults, "{overlap}: {}", found[0]);
            let deepest = found[0].deepest_overlap.expect("they were near");
            assert!((deepest - f64::max(overlap, 0.0)).abs() < 1e-6, "{deepest}");
        }
    }

    #[test]
    fn who_comes_and_goes_at_another_time_is_in_nobodys_way() {
        let lives = [life(0, 0, 30, [0.0, 0.0], 0.0), life(1, 31, 30, [0.0, 0.0], 0.0)];
        assert!(verdicts(&lives).iter().all(|verdict| verdict.violations.is_empty()));
    }

    #[test]
    fn who_is_held_up_by_another_is_not_stuck_and_who_stands_alone_is() {
        let alone = verdicts(&[life(0, 0, 90, [0.0, 0.0], 0.0), life(1, 0, 90, [4.0, 0.0], 0.0)]);
        assert_eq!(alone.iter().map(kinds).collect::<Vec<_>>(), vec![vec![(Kind::Stuck, 60)]; 2]);
        let beside = verdicts(&[life(0, 0, 90, [0.0, 0.0], 0.0), life(1, 0, 90, [0.9, 0.0], 0.0)]);
        assert_eq!(beside.iter().map(kinds).collect::<Vec<_>>(), [[]; 2]);
        // The other leaves after half a second: within the next second it may be what held it up, and not from then on.
        let left = verdicts(&[life(0, 0, 180, [0.0, 0.0], 0.0), life(1, 0, 30, [0.9, 0.0], 0.0)]);
        assert_eq!(kinds(&left[0]), [(Kind::Stuck, 120), (Kind::Stuck, 180)]);
    }
}
