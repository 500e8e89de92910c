//! [`CollisionWorld`]: what a character needs of a world, and [`Nearby`]: the triangles gathered for one tick.
//!
//! A tick asks the world once for the triangles that can matter; all sweeps of the tick run over that list. It is small,
//! stays in the cache, and is the *union* of all surfaces near the body, whatever mesh or instance they belong to: there,
//! a contact with an edge inside a surface can be told from one with an edge that stands out.

use std::cell::Cell;

use arrayvec::ArrayVec;
use nalgebra::{Point3, Vector3};

use super::{
    HalfSpace, InstanceId, QueryFilter, RigidMotion, Stamp, Surface, World,
    debug::{DebugEventKind, Recorder},
};
use crate::{
    MaterialTag,
    mesh::Sides,
    real::{Length, Real, larger, smaller},
    shape::{Aabb3, EllipsoidSpace, Feature, Triangle},
    sweep::{Contact, StartOverlap, Sweep, packed::Packed, triangle::UnitContact},
    wide::{LANES, Simd, SimdLevel, dispatch, prefetch_line},
};

/// A triangle of the world. Geometry crosses this border in `f64`, so that nothing is lost whatever it is stored in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorldTriangle {
    /// The vertices in the world.
    pub triangle: Triangle<f64>,
    /// The instance to which the triangle belongs.
    pub instance: InstanceId,
    /// Index of the triangle in the instance's mesh.
    pub index: u32,
    /// What it is made of.
    pub material: MaterialTag,
    /// From which sides it is solid.
    pub sides: Sides,
    /// Whether the instance is mirrored, so that the vertices run clockwise as seen from the front.
    pub is_mirrored: bool,
}

impl WorldTriangle {
    /// By which ties are broken.
    #[inline(always)]
    fn id(&self) -> (InstanceId, u32) {
        (self.instance, self.index)
    }
}

/// Where a character can walk: anything that can tell which triangles are near a box.
///
/// [`World`] is one; implement it to walk on the geometry of another engine.
pub trait CollisionWorld {
    /// Hands out every triangle that meets a box, and possibly more, in an order that depends on nothing else.
    fn each_triangle_near(&self, bounds: &Aabb3<f64>, filter: &QueryFilter, visit: &mut dyn FnMut(WorldTriangle));

    /// Another stamp whenever anything in the world has changed. `None` if the world does not keep one; then the triangles near
    /// a body are gathered anew for each tick.
    fn stamp(&self) -> Option<Stamp> {
        None
    }

    /// How an instance moves in the step that ends with its triangles where they are; `None` for one at rest. By default all rest.
    ///
    /// Worlds with moving platforms give this and [`CollisionWorld::each_motion_near`].
    fn motion_of(&self, instance: InstanceId) -> Option<RigidMotion> {
        let _ = instance;
        None
    }

    /// Hands out what moves and comes into a box in this step, and possibly more.
    fn each_motion_near(
        &self,
        bounds: &Aabb3<f64>,
        filter: &QueryFilter,
        visit: &mut dyn FnMut(InstanceId, &RigidMotion),
    ) {
        let _ = (bounds, filter, visit);
    }

    /// What a material of an instance is to characters; its velocity along the axes of the world. By default all are plain.
    fn surface_of(&self, instance: InstanceId, material: MaterialTag) -> Surface {
        let _ = (instance, material);
        Surface::default()
    }

    /// The first contact along a sweep.
    ///
    /// Looks at all triangles near the whole way; worlds with a tree of their own replace it.
    fn first_contact_near(&self, sweep: &Sweep, filter: &QueryFilter) -> Option<NearContact> {
        let mut best: Option<(UnitContact, WorldTriangle)> = None;
        self.each_triangle_near(&sweep.bounds(), filter, &mut |candidate| {
            let limit = best.as_ref().map_or(1.0, |(contact, _)| contact.fraction);
            if let Some(contact) = touch(sweep, &candidate, limit)
                && best.as_ref().is_none_or(|(other, _)| contact.is_before(other))
            {
                best = Some((contact, candidate));
            }
        });
        best.map(|(contact, source)| NearContact { contact: sweep.leave(&contact, &source.triangle), source })
    }
}

impl<T: Real> CollisionWorld for World<T> {
    fn each_triangle_near(&self, bounds: &Aabb3<f64>, filter: &QueryFilter, visit: &mut dyn FnMut(WorldTriangle)) {
        for (id, instance, tree) in self.seen(filter, bounds) {
            let mesh = tree.mesh();
            let has_rules = self.has_surfaces();
            tree.each_triangle_in_box(
                &instance.bounds_to_mesh(bounds),
                #[inline(always)]
                |index, triangle| {
                    let material = mesh.material(index);
                    let one_way = if has_rules { self.sides_of(instance, material) } else { None };
                    visit(WorldTriangle {
                        triangle: instance.triangle_to_world(triangle),
                        instance: id,
                        index,
                        material,
                        sides: one_way.unwrap_or(mesh.sides()),
                        is_mirrored: instance.is_mirrored,
                    });
                },
            );
        }
    }

    fn stamp(&self) -> Option<Stamp> {
        Some(self.stamp)
    }

    fn motion_of(&self, instance: InstanceId) -> Option<RigidMotion> {
        self.motion(instance).copied()
    }

    fn each_motion_near(
        &self,
        bounds: &Aabb3<f64>,
        filter: &QueryFilter,
        visit: &mut dyn FnMut(InstanceId, &RigidMotion),
    ) {
        self.each_moving(bounds, filter, visit);
    }

    fn surface_of(&self, instance: InstanceId, material: MaterialTag) -> Surface {
        World::surface_of(self, instance, material)
    }

    fn first_contact_near(&self, sweep: &Sweep, filter: &QueryFilter) -> Option<NearContact> {
        let hit = self.sweep(sweep, filter)?;
        let mesh = self.mesh_of(hit.instance)?.mesh();
        let instance = self.instance(hit.instance)?;
        let source = WorldTriangle {
            triangle: instance.triangle_to_world(&mesh.triangle(hit.triangle).widen()),
            instance: hit.instance,
            index: hit.triangle,
            material: hit.material,
            sides: mesh.sides(),
            is_mirrored: instance.is_mirrored,
        };
        Some(NearContact { contact: hit.contact.cast(), source })
    }
}

/// A contact with one of the triangles near a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearContact {
    /// Where and how.
    pub contact: Contact<f64>,
    /// The triangle that is touched.
    pub source: WorldTriangle,
}

/// How much larger than asked for a box is made in which triangles are gathered, in metres.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Margin {
    /// On all sides.
    pub(crate) around: f64,
    /// The way that the body goes.
    pub(crate) ahead: f64,
}

impl Margin {
    pub(crate) const NONE: Self = Self { around: 0.0, ahead: 0.0 };
}

/// The triangles near a body, gathered once for a tick.
#[derive(Debug, Clone)]
pub struct Nearby {
    triangles: Vec<WorldTriangle>,
    /// The same, for a first look.
    packed: Packed,
    /// The box around which they were gathered.
    bounds: Aabb3<f64>,
    /// The same box, smaller by what the corners of a box inside it may be rounded by.
    surely_inside: Aabb3<f64>,
    /// The middle of what was asked for then, without a margin.
    asked_around: Point3<f64>,
    /// The world from which they are, if it would tell a change, and the filter.
    source: (Option<Stamp>, QueryFilter),
    /// Whether a question went beyond that box.
    was_left: Cell<bool>,
    level: SimdLevel,
    /// Where the body's centre may be, for this tick: others move at the same time.
    half_spaces: Vec<HalfSpace>,
    /// Triangles that the next tick is likely to look at.
    closest: ArrayVec<u32, MOST_CLOSE>,
    recorder: Recorder,
}

/// So many triangles are asked for ahead of time, of those that are about as near as this, in the unit space of the body.
const MOST_CLOSE: usize = 3;
const CLOSE: f32 = 0.02;

impl Default for Nearby {
    fn default() -> Self {
        Self {
            triangles: Vec::new(),
            packed: Packed::default(),
            bounds: Aabb3::empty(),
            surely_inside: Aabb3::empty(),
            asked_around: Point3::origin(),
            source: (None, QueryFilter::default()),
            was_left: Cell::new(false),
            level: SimdLevel::best(),
            half_spaces: Vec::new(),
            closest: ArrayVec::new(),
            recorder: Recorder::default(),
        }
    }
}

/// Two surfaces meet at a point if both come this near to it, relative to the smallest semi-axis of the body.
pub(crate) const MEETING: f64 = 1e-4;

/// So many contacts with edges and corners that hardly can be are looked at again, the earliest.
const MOST_DOUBTFUL: usize = 16;

/// A triangle rises above a tangent plane if the sine of its angle with it is larger.
const RISING: f64 = 1e-9;

impl Nearby {
    /// Asks for what the tick begins with: of many characters, that of the next one is in no near cache.
    #[inline]
    pub(crate) fn prefetch(&self) {
        self.packed.prefetch();
        for index in &self.closest {
            if let Some(near) = self.triangles.get(*index as usize) {
                prefetch_line(&near.triangle.a);
                prefetch_line(&near.material);
            }
        }
    }

    /// Forgets what was gathered, and gathers the triangles that meet a box. Allocates only to hold more than ever before.
    pub fn gather(&mut self, world: &(impl CollisionWorld + ?Sized), bounds: &Aabb3<f64>, filter: &QueryFilter) {
        self.triangles.clear();
        self.packed.clear(bounds.center(), false);
        self.bounds = *bounds;
        self.asked_around = bounds.center();
        let farthest = larger(bounds.min.coords.largest(), bounds.max.coords.largest());
        self.surely_inside = bounds.grow(&Vector3::repeat(-8.0 * f64::EPSILON * farthest));
        self.source = (world.stamp(), filter.clone());
        self.was_left.set(false);
        // A packet at a time: each is written once, and nothing waits for memory that is.
        let mut found = ArrayVec::<WorldTriangle, LANES>::new();
        world.each_triangle_near(bounds, filter, &mut |near| {
            if let Err(full) = found.try_push(near) {
                self.keep(&found);
                found.clear();
                found.push(full.element());
            }
        });
        if !found.is_empty() {
            self.keep(&found);
        }
        self.recorder.note(|| DebugEventKind::Gather { bounds: *bounds, triangles: self.triangles.len() });
    }

    fn keep(&mut self, found: &[WorldTriangle]) {
        self.triangles.extend_from_slice(found);
        self.packed.push(found.iter().map(|near| &near.triangle));
    }

    /// As [`Nearby::gather`], but keeps what was gathered where it will do: if the box is inside the one before, and the world
    /// tells that it is still the same. For a body that goes on from there, triangles are gathered in a box that is larger by
    /// a margin, so that they will do for a while.
    ///
    /// No answer depends on what was gathered in addition.
    pub(crate) fn gather_or_keep(
        &mut self,
        world: &(impl CollisionWorld + ?Sized),
        bounds: &Aabb3<f64>,
        margin: Margin,
        filter: &QueryFilter,
    ) {
        let is_same = self.source.0.is_some() && self.source.0 == world.stamp() && self.source.1 == *filter;
        if is_same && self.holds(bounds) {
            self.was_left.set(false);
        } else if is_same && self.bounds.contains(&bounds.center()) {
            // Where it went since it was gathered the last time, it is likely to go on.
            let way = bounds.center() - self.asked_around;
            let ahead = way * (margin.ahead / way.length().max(f64::MIN_POSITIVE));
            self.gather(world, &bounds.grow(&Vector3::repeat(margin.around)).swept(&ahead), filter);
            self.asked_around = bounds.center();
        } else {
            self.gather(world, bounds, filter);
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

    fn holds(&self, bounds: &Aabb3<f64>) -> bool {
        self.bounds.contains(&bounds.min) && self.bounds.contains(&bounds.max)
    }

    /// Finds out how far all triangles are from a part of a body, the first or a further one, whose centre is at `center`, which
    /// makes its short sweeps cheap.
    pub(crate) fn measure(&mut self, part: usize, space: &EllipsoidSpace, center: Point3<f64>) {
        self.packed.measure(self.level, part, space, center);
        self.closest.clear();
        self.closest.extend(self.packed.nearest_within(CLOSE).take(MOST_CLOSE));
    }

    /// The half-spaces in which the centre of the body has to stay, whatever is gathered; none unless someone sets them.
    #[inline]
    pub(crate) fn half_spaces(&self) -> &[HalfSpace] {
        &self.half_spaces
    }

    /// To set the half-spaces.
    pub(crate) fn half_spaces_mut(&mut self) -> &mut Vec<HalfSpace> {
        &mut self.half_spaces
    }

    /// Keeps a list of the questions asked.
    #[inline(always)]
    pub(crate) fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// To switch that on and off.
    pub(crate) fn recorder_mut(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    /// Whether any question since went beyond the box, so that its answer may lack triangles.
    pub fn was_left(&self) -> bool {
        self.was_left.get()
    }

    /// Takes note of a question about this box.
    #[inline]
    fn note(&self, asked: &Aabb3<f64>) {
        if !self.holds(asked) {
            self.was_left.set(true);
        }
    }

    /// Number of triangles gathered.
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Whether there is nothing near.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// The vertices of one of the triangles, if it was gathered.
    pub(crate) fn triangle(&self, instance: InstanceId, index: u32) -> Option<&Triangle<f64>> {
        self.triangles.iter().find(|near| near.id() == (instance, index)).map(|near| &near.triangle)
    }

    /// The triangles whose boxes meet a box, and possibly a few that only come close; in no order.
    pub fn in_box(&self, bounds: Aabb3<f64>) -> impl Iterator<Item = &WorldTriangle> {
        self.note(&bounds);
        self.packed.near(self.level, bounds).map(|index| &self.triangles[index])
    }

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

    /// Looks at the triangles whose boxes meet a box, and possibly at a few that only come close, until one is what is looked for.
    #[inline(always)]
    fn find_in_box<'a, R>(
        &'a self,
        bounds: &Aabb3<f64>,
        mut visit: impl FnMut(&'a WorldTriangle) -> Option<R>,
    ) -> Option<R> {
        self.note(bounds);
        let look = |index: usize| visit(&self.triangles[index]);
        dispatch!(self.level.0, simd => self.packed.find_near(simd, bounds, look))
    }

    /// The normal of the most walkable face that meets a point: the one with the largest part along `up`, each turned to
    /// the side of `normal`. `None` where no triangle within `tolerance` has an area.
    pub fn most_walkable_normal(
        &self,
        point: Point3<f64>,
        normal: &Vector3<f64>,
        up: &Vector3<f64>,
        tolerance: f64,
    ) -> Option<Vector3<f64>> {
        let mut best: Option<(f64, &WorldTriangle, Vector3<f64>)> = None;
        self.find_in_box(&about(&point, tolerance), |near| {
            let face = near.triangle.unit_normal()?;
            let face = if face.dot(normal) < 0.0 { -face } else { face };
            let rise = face.dot(up);
            let is_better = best.is_none_or(|(most, other, _)| rise > most || (rise == most && near.id() < other.id()));
            if is_better && comes_within(&near.triangle, &point, tolerance) {
                best = Some((rise, near, face));
            }
            None::<()>
        });
        best.map(|(_, _, face)| face)
    }

    /// The first triangle that a ray meets, at a parameter of at most 1: the parameter and the normal on the ray's side.
    pub fn cast_ray(&self, origin: &Point3<f64>, way: &Vector3<f64>) -> Option<(f64, Vector3<f64>)> {
        let bounds = Aabb3 { min: *origin, max: *origin }.swept(way);
        let mut best: Option<(f64, &WorldTriangle, Vector3<f64>)> = None;
        self.find_in_box(&bounds, |near| {
            if let Some(hit) = crate::shape::ray::cast_triangle(origin, way, &near.triangle)
                && hit.t <= 1.0
                && best.is_none_or(|(t, other, _)| hit.t < t || (hit.t == t && near.id() < other.id()))
            {
                best = Some((hit.t, near, hit.normal));
            }
            None::<()>
        });
        let hit = best.map(|(t, _, normal)| (t, normal));
        self.recorder.note(|| DebugEventKind::Probe { origin: *origin, way: *way, hit });
        hit
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

/// The box around all that comes within `tolerance` of a point.
fn about(point: &Point3<f64>, tolerance: f64) -> Aabb3<f64> {
    Aabb3 { min: *point, max: *point }.grow(&Vector3::repeat(tolerance))
}

/// Whether a triangle comes within `tolerance` of a point.
fn comes_within(triangle: &Triangle<f64>, point: &Point3<f64>, tolerance: f64) -> bool {
    triangle.closest_point_f64(point).distance <= tolerance
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

fn touch(sweep: &Sweep, near: &WorldTriangle, limit: f64) -> Option<UnitContact> {
    dispatch!(SimdLevel::best().0, simd => touch_on(simd, sweep, near, limit))
}

#[inline(always)]
fn touch_on<S: Simd>(simd: S, sweep: &Sweep, near: &WorldTriangle, limit: f64) -> Option<UnitContact> {
    if near.is_mirrored && near.sides != Sides::Both {
        return Sweep { is_mirrored: true, ..*sweep }.touch_on(simd, &near.triangle, near.sides, limit);
    }
    sweep.touch_on(simd, &near.triangle, near.sides, limit)
}
