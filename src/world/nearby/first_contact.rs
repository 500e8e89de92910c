//! Sweeps of a body among the triangles near it: [`Nearby::first_contact`], which is one with the union of their surfaces.

use arrayvec::ArrayVec;
use nalgebra::{Point3, Vector3};

use super::{
    MEETING, Nearby, WorldTriangle,
    probe::{about, comes_within},
};
use crate::{
    mesh::Sides,
    real::{Length, larger, smaller},
    shape::{Aabb3, EllipsoidSpace, Feature, Triangle},
    sweep::{Contact, StartOverlap, Sweep, triangle::UnitContact},
    wide::{Simd, SimdLevel, dispatch},
    world::debug::DebugEventKind,
};

/// A contact with one of the triangles near a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearContact {
    /// Where and how.
    pub contact: Contact<f64>,
    /// The triangle that is touched.
    pub source: WorldTriangle,
}

/// So many contacts with edges and corners that hardly can be are looked at again, the earliest.
const MOST_DOUBTFUL: usize = 16;

/// A triangle rises above a tangent plane if the sine of its angle with it is larger.
const RISING: f64 = 1e-9;

impl Nearby {
    /// The first contact along a sweep that is one with the *union* of all surfaces gathered.
    ///
    /// A contact with an edge or a corner whose normal no body could have there, because another triangle at the same
    /// point rises above the tangent plane, is no contact: the body meets that triangle no later, and in earnest. Where it
    /// does not, as at a corner at which two edges of a column are not quite in one line, the contact counts after all: what tells
    /// is that the body would sink in.
    ///
    /// Of equal contacts the lower instance, then the lower triangle counts.
    #[inline(always)] // so that no caller copies what it takes over only a part of
    pub fn first_contact(&self, sweep: &Sweep) -> Option<NearContact> {
        let mut found = None;
        self.find_first(sweep, &mut found);
        Some(found?.leave(sweep))
    }

    /// The same, in unit space. It is written where it is kept: each copy would wait for the one before.
    #[inline(never)]
    fn find_first<'a>(&'a self, sweep: &Sweep, found: &mut Option<Candidate<'a>>) {
        if !self.holds_way(sweep) {
            self.was_left.set(true);
        }
        dispatch!(self.level.0, simd => self.find_first_on(simd, sweep, found));
        self.recorder.note(|| DebugEventKind::Sweep {
            from: sweep.start,
            motion: sweep.motion,
            contact: found.as_ref().map(|found| found.leave(sweep)),
        });
    }

    #[inline(always)]
    fn find_first_on<'a, S: Simd>(&'a self, simd: S, sweep: &Sweep, best: &mut Option<Candidate<'a>>) {
        let mut doubtful = ArrayVec::new();
        self.find_first_proper(simd, sweep, best, &mut doubtful);
        if !doubtful.is_empty() {
            doubtful.sort_unstable_by_key(|other: &Candidate<'_>| other.near.id());
            let end = best.as_ref().map_or(1.0, |best| best.contact.fraction);
            for candidate in doubtful {
                if best.as_ref().is_none_or(|best| candidate.contact.is_before(&best.contact))
                    && sinks_in(sweep, &candidate, end)
                {
                    *best = Some(candidate);
                }
            }
        }
    }

    /// The first contact with a face, or a part of the union's border; the others that may come before go to `doubtful`.
    #[inline(always)]
    fn find_first_proper<'a, S: Simd>(
        &'a self,
        simd: S,
        sweep: &Sweep,
        best: &mut Option<Candidate<'a>>,
        doubtful: &mut ArrayVec<Candidate<'a>, MOST_DOUBTFUL>,
    ) {
        let mut first = FirstProper { near: self, sweep, best, doubtful };
        if sweep.motion == Vector3::zeros() {
            let look = |index| first.look(simd, index, &mut 1.0);
            self.packed.each_overlap(simd, &sweep.space, &sweep.start, look);
        } else {
            self.packed.each_survivor(simd, sweep, |index, limit| first.look(simd, index, limit));
        }
    }

    /// Whether the box holds the whole way of a body, rounding included.
    #[inline(always)]
    fn holds_way(&self, sweep: &Sweep) -> bool {
        let half = sweep.space.half_extents();
        let (from, to) = (sweep.start, sweep.start + sweep.motion);
        let (min, max) = (self.surely_inside.min, self.surely_inside.max);
        let holds = |axis: usize| {
            let (low, high) = (smaller(from[axis], to[axis]), larger(from[axis], to[axis]));
            min[axis] <= low - half[axis] && high + half[axis] <= max[axis]
        };
        holds(0) && holds(1) && holds(2)
    }

    /// Whether no triangle rises above the tangent plane at a contact with an edge or a corner.
    #[inline(never)] // which is seldom asked
    fn is_proper(&self, sweep: &Sweep, Candidate { contact, near }: &Candidate<'_>) -> bool {
        let (normal, _) = sweep.space.leave_normal(&contact.normal);
        let point = near.triangle.at(&contact.barycentrics);
        let tolerance = MEETING * sweep.space.half_extents().min();
        let rounding = 8.0 * f64::EPSILON * point.coords.largest(); // of the point itself, far from the origin
        let rises = |other: &Triangle<f64>| {
            other.vertices().iter().any(|vertex| {
                let offset = vertex - point;
                offset.dot(&normal) > RISING * (offset.length() + tolerance) + rounding
            })
        };
        // Hardly any rises; whether one comes as near as that takes longer to find out.
        let above = self.find_in_box(&about(&point, tolerance), |other| {
            (rises(&other.triangle) && comes_within(&other.triangle, &point, tolerance)).then_some(())
        });
        above.is_none()
    }

    /// Whether a body at `center` may be deeper in a triangle than `depth`, in metres. Most bodies stand on something and are
    /// in nothing, which the planes alone tell.
    pub(crate) fn may_overlap(&self, space: &EllipsoidSpace, center: &Point3<f64>, depth: f64) -> bool {
        self.note(&Aabb3 { min: *center, max: *center }.grow(&space.half_extents()));
        // A depth in unit space becomes longer by this factor at most, whatever the part of the triangle that is touched.
        let [_, longest] = space.norms();
        let held_off = 1.0 - depth / longest;
        let mut may_overlap = false;
        dispatch!(self.level.0, simd => self.packed.each_overlap(simd, space, center, |index| {
            may_overlap |= !is_held_off(space, center, &self.triangles[index].triangle, held_off);
        }));
        may_overlap
    }
}

/// The search of [`Nearby::find_first_proper`].
struct FirstProper<'a, 'b> {
    near: &'a Nearby,
    sweep: &'b Sweep,
    best: &'b mut Option<Candidate<'a>>,
    doubtful: &'b mut ArrayVec<Candidate<'a>, MOST_DOUBTFUL>,
}

impl FirstProper<'_, '_> {
    /// Looks at one triangle; a contact that counts lowers the limit.
    #[inline(always)]
    fn look<S: Simd>(&mut self, simd: S, index: usize, limit: &mut f64) {
        let (near, sweep) = (&self.near.triangles[index], self.sweep);
        let touch = simd.vectorize(
            #[inline(always)]
            || touch_on(simd, sweep, near, *limit),
        );
        let Some(contact) = touch else { return };
        if near.sides == Sides::OneWay && sweep.is_passing(&contact, &near.triangle, near.is_mirrored) {
            return;
        }
        let candidate = Candidate { contact, near };
        if self.best.as_ref().is_some_and(|best| !candidate.is_before(best)) {
            return;
        }
        if contact.feature == Feature::Face || self.near.is_proper(sweep, &candidate) {
            *limit = contact.fraction;
            *self.best = Some(candidate);
        } else {
            keep_earliest(self.doubtful, candidate);
        }
    }
}

/// A contact with one triangle, before it is known whether it is one with all of them.
struct Candidate<'a> {
    contact: UnitContact,
    near: &'a WorldTriangle,
}

impl Candidate<'_> {
    /// The contact as seen from outside.
    #[inline(always)]
    fn leave(&self, sweep: &Sweep) -> NearContact {
        NearContact { contact: sweep.leave(&self.contact, &self.near.triangle), source: *self.near }
    }

    /// Whether it counts before another one: by time, then by depth, then by triangle.
    #[inline(always)]
    fn is_before(&self, other: &Self) -> bool {
        self.contact.is_before(&other.contact)
            || (self.contact.ties_with(&other.contact) && self.near.id() < other.near.id())
    }
}

/// Adds a candidate; where there is no room, the last of all gives way.
fn keep_earliest<'a>(kept: &mut ArrayVec<Candidate<'a>, MOST_DOUBTFUL>, candidate: Candidate<'a>) {
    let Err(full) = kept.try_push(candidate) else { return };
    let candidate = full.element();
    let last = kept.iter_mut().reduce(|last, other| if last.is_before(other) { other } else { last });
    if let Some(last) = last
        && candidate.is_before(last)
    {
        *last = candidate;
    }
}

/// Whether the plane of a triangle keeps a body at `center` from coming nearer to it than `distance`, in its unit space.
fn is_held_off(space: &EllipsoidSpace, center: &Point3<f64>, triangle: &Triangle<f64>, distance: f64) -> bool {
    let normal = triangle.scaled_normal();
    let reach = space.reach(&normal);
    reach > 0.0 && normal.dot(&(center - triangle.a)).abs() >= reach * distance
}

/// Whether a body that passes by a contact is deep in the triangle at the end of its way.
fn sinks_in(sweep: &Sweep, Candidate { contact, near }: &Candidate<'_>, end: f64) -> bool {
    let there = Sweep {
        start: sweep.start + sweep.motion * end,
        motion: Vector3::zeros(),
        unit_motion: Vector3::zeros(),
        start_overlap: StartOverlap::Report,
        ..*sweep
    };
    let depth = touch(&there, near, 1.0).and_then(|overlap| overlap.depth);
    depth.is_some_and(|depth| depth > contact.depth.unwrap_or(0.0) + MEETING)
}

pub(super) fn touch(sweep: &Sweep, near: &WorldTriangle, limit: f64) -> Option<UnitContact> {
    dispatch!(SimdLevel::best().0, simd => touch_on(simd, sweep, near, limit))
}

#[inline(always)]
fn touch_on<S: Simd>(simd: S, sweep: &Sweep, near: &WorldTriangle, limit: f64) -> Option<UnitContact> {
    if near.is_mirrored && near.sides != Sides::Both {
        return Sweep { is_mirrored: true, ..*sweep }.touch_on(simd, &near.triangle, near.sides, limit);
    }
    sweep.touch_on(simd, &near.triangle, near.sides, limit)
}
