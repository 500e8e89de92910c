//! Being stuck: hardly any progress in a second, though there is a place to go, not far and not far off the wish.

use nalgebra::{Point3, Vector3};

use super::{
    Court, Kind, Piece, Sample, Verdict, Violation,
    closest::{normal, on_triangle},
    level,
    standing::{Floor, IN_PLACE, LIFT},
};

/// Less progress than this, in metres, in so many seconds is none.
const PROGRESS: f64 = 0.05;
const WHILE: f64 = 1.0;
/// The wish counts as the same while it turns by less than this cosine, about 15°.
const STEADY: f64 = 0.966;
/// Slower wishes would not come 5 cm far for sure, in metres a second.
const SLOWEST: f64 = 0.2;
/// A place is looked for at this distance, in metres,
const AHEAD: f64 = 0.3;
/// in so many directions on either side of the wish, so many degrees apart.
const DIRECTIONS: i32 = 12;
const APART: f64 = 5.0;
/// The way there is looked at in so many stretches.
const STRETCHES: i32 = 8;
/// Ground that is less than this below the slope limit, in degrees, is not asked of anyone: who stands at its border may lean on
/// something steeper.
const MARGIN: f64 = 2.0;
/// A body is let down in steps of this height, in metres, so often, and turned aside by so many surfaces in each.
const SINK: f64 = 4e-3;
const SINKS: usize = 64;
const MOST_TOUCHED: usize = 4;
/// A ledge on which the flank rests must go on for this share of the body's radius.
const TREAD: f64 = 0.25;

impl Court<'_> {
    pub(super) fn find_stuck(&self, piece: &Piece<'_>, verdict: &mut Verdict) {
        let samples = piece.samples;
        // Since when the wish has been what it is, and when a fault was last looked for.
        let (mut steady_since, mut looked_at) = (0, f64::NEG_INFINITY);
        let mut back = 0;
        for (i, now) in samples.iter().enumerate().skip(1) {
            if steady_since == 0 || !is_like(&samples[steady_since].wish, &now.wish) {
                steady_since = i;
            }
            while back + 1 < i && now.time - samples[back + 1].time >= WHILE - 1e-9 {
                back += 1;
            }
            let then = &samples[back];
            let lasts = now.time - then.time >= WHILE - 1e-9 && steady_since <= back + 1;
            let progress = (now.position - then.position).norm();
            let is_due = lasts && progress < PROGRESS && now.time - looked_at >= WHILE;
            if !is_due || self.has_jumped_or_fallen(&samples[back..=i]) {
                continue;
            }
            let clock = |k| piece.clock(piece.first + k);
            if (back..=i).any(|k| self.is_beside_mover(&samples[k].position, clock(k))) {
                continue;
            }
            looked_at = now.time;
            if let Some(place) = self.place_ahead(&now.position, &samples[back + 1..=i]) {
                let fault = Violation::new(Kind::Stuck, piece.first + i, progress, &now.position);
                verdict.add(Violation { way_on: Some(place.coords.into()), ..fault });
            }
        }
    }

    /// Whether the body rose or fell by more than ground is followed down: who comes back to where it was on a jump is not stuck.
    fn has_jumped_or_fallen(&self, samples: &[Sample]) -> bool {
        let heights = || samples.iter().map(|sample| sample.position.y);
        heights().fold(f64::MIN, f64::max) - heights().fold(f64::MAX, f64::min) > self.rules.snap.max(PROGRESS)
    }

    /// A free place of the body's size 0.3 m ahead, within 60° of all wishes of a second, on walkable ground that is not deeper
    /// below the feet than the snap nor higher above them than a step.
    fn place_ahead(&self, center: &Point3<f64>, second: &[Sample]) -> Option<Point3<f64>> {
        let wish = level(&second.last()?.wish).try_normalize(0.0)?;
        let turns = (0..=DIRECTIONS).flat_map(|i| if i == 0 { vec![0] } else { vec![i, -i] });
        let ways = turns.map(|turn| turned(&wish, f64::from(turn) * APART));
        let mut asked = ways.filter(|way| second.iter().all(|sample| is_towards(way, &sample.wish)));
        asked.find_map(|way| self.place_towards(center, &way))
    }

    /// Goes up along the column: where the body becomes free of something below it, that is what it stands on.
    fn place_towards(&self, center: &Point3<f64>, way: &Vector3<f64>) -> Option<Point3<f64>> {
        let body = self.body.grown(self.rules.skin);
        let column = center + way * AHEAD;
        let mut below = column - Vector3::y() * (self.rules.snap + LIFT);
        let mut was_free = body.is_free(self.grid, &below, IN_PLACE);
        let heights = ((self.rules.snap + self.rules.step_height) / LIFT) as usize + 1;
        for _ in 0..heights {
            let place = below + Vector3::y() * LIFT;
            let is_free = body.is_free(self.grid, &place, IN_PLACE);
            if is_free
                && !was_free
                && self.stands_on_walkable(center, &place, &below)
                && self.is_way_free(center, &place)
            {
                return Some(place);
            }
            (below, was_free) = (place, is_free);
        }
        None
    }

    /// Whether the body gets straight there, at any heights between both: a place behind a post is no way on.
    fn is_way_free(&self, from: &Point3<f64>, to: &Point3<f64>) -> bool {
        let body = self.body.grown(self.rules.skin);
        let (low, high) = (from.y.min(to.y), from.y.max(to.y));
        let heights = ((high - low) / LIFT) as i32 + 1;
        (1..STRETCHES).all(|i| {
            let here = from + (to - from) * (f64::from(i) / f64::from(STRETCHES));
            // From high to low: over a ledge first.
            let mut places =
                (0..=heights).map(|k| Point3::new(here.x, (high + LIFT - LIFT * f64::from(k)).max(low), here.z));
            places.any(|place| body.is_free(self.grid, &place, IN_PLACE))
        })
    }

    /// Whether a body that is let down at a place comes to rest there, and is not turned aside by something too steep for more
    /// than what counts as progress: on a steep face, a little above walkable ground, it would not stay.
    fn stays(&self, place: &Point3<f64>) -> bool {
        let body = self.body.grown(self.rules.skin);
        let mut here = *place;
        for _ in 0..SINKS {
            here.y -= SINK;
            for _ in 0..MOST_TOUCHED {
                let Some(touch) = body.deepest(self.grid, &here).filter(|touch| touch.depth > IN_PLACE) else { break };
                let normal = body.normal_at(&(touch.point - here));
                if self.is_walkable(&Floor { height: touch.point.y, normal }) && self.has_walkable_face(&touch.point) {
                    return true;
                }
                here += normal * touch.depth;
            }
            if level(&(here - place)).norm() > PROGRESS {
                return false;
            }
        }
        true // wedged
    }

    /// Whether any face at a point can be walked on: on a ridge between two that are too steep the body slides off, whatever its own
    /// tangent is there.
    fn has_walkable_face(&self, point: &Point3<f64>) -> bool {
        let around = Vector3::repeat(IN_PLACE);
        self.grid.any_near(&(point - around), &(point + around), |triangle| {
            let is_here = (on_triangle(point, triangle) - point).norm() <= IN_PLACE;
            is_here && normal(triangle).is_some_and(|normal| normal.y.abs() >= self.rules.least_walkable())
        })
    }

    fn is_surely_walkable(&self, floor: &Floor) -> bool {
        floor.normal.y >= libm::cos((self.rules.max_slope - MARGIN).max(0.0).to_radians()).min(1.0 - 1e-9)
    }

    /// Whether what the body at `below` is in, and at `place` no longer, is ground to walk on.
    fn stands_on_walkable(&self, center: &Point3<f64>, place: &Point3<f64>, below: &Point3<f64>) -> bool {
        let body = self.body.grown(self.rules.skin);
        let feet = center.y - body.half_height();
        let heights = feet - self.rules.snap - LIFT..=feet + self.rules.step_height - LIFT;
        // Ledges that are nearly too high are not asked of anyone: beside them they may be too high. Ground is
        // under the centre, as near as it can be on a slope like this.
        let floor = self.floor_below(place, body.half_height() + self.rules.snap + self.rules.step_height);
        let is_below = floor.is_some_and(|floor| {
            let rest = floor.height + body.reach(&floor.normal) / floor.normal.y.max(1e-9);
            self.is_surely_walkable(&floor) && heights.contains(&floor.height) && place.y - rest <= 2.0 * LIFT
        });
        if is_below {
            return self.stays(place);
        }
        // or under the flank, on a ledge that goes on for a tread; what is no ledge, but a steep face, must hold it.
        let Some(contact) = body.deepest(self.grid, below) else { return false };
        let Some(outwards) = level(&(contact.point - below)).try_normalize(1e-6) else { return false };
        let tread = TREAD * body.half_extents().x.min(body.half_extents().z);
        let from = contact.point + outwards * tread + Vector3::y() * tread;
        let goes_on = self.floor_below(&from, 2.0 * tread).is_some_and(|floor| {
            self.is_surely_walkable(&floor) && heights.contains(&floor.height) && heights.contains(&contact.point.y)
        });
        goes_on && (self.has_walkable_face(&contact.point) || self.stays(place))
    }
}

fn is_like(a: &Vector3<f64>, b: &Vector3<f64>) -> bool {
    let (a, b) = (level(a), level(b));
    a.norm() >= SLOWEST && b.norm() >= SLOWEST && a.dot(&b) >= STEADY * a.norm() * b.norm()
}

/// Whether a level unit vector is within the directions that are looked at for a wish, the outermost too.
fn is_towards(way: &Vector3<f64>, wish: &Vector3<f64>) -> bool {
    let least = libm::cos((f64::from(DIRECTIONS) * APART).to_radians()) - 1e-9;
    way.dot(wish) >= least * level(wish).norm()
}

fn turned(way: &Vector3<f64>, degrees: f64) -> Vector3<f64> {
    let (sine, cosine) = (libm::sin(degrees.to_radians()), libm::cos(degrees.to_radians()));
    Vector3::new(cosine * way.x + sine * way.z, 0.0, cosine * way.z - sine * way.x)
}
