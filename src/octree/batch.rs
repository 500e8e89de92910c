//! Many queries at once: several walks in one thread, and runs of queries on all threads.
//!
//! A query on a large mesh spends much of its time waiting for memory: which node comes next is not known before the last
//! one is there. Walks of different queries do not wait for each other. So a thread keeps several going and takes a step of
//! each in turn; what the step asked for arrives while the others take theirs. A query that has its answer is replaced
//! at once by the next (Kocberber, Falsafi and Grot 2015, *Asynchronous Memory Access Chaining*).
//!
//! Every query walks as if it were alone, so that the answers are those of single calls, whatever the order of the steps
//! and the number of threads.

use std::array;

use arrayvec::ArrayVec;
use nalgebra::Point3;

use super::{
    MeshHit, MeshPoint, MeshRayHit, Octree, Visits,
    contact::FirstContact,
    query::{Closest, FirstRayHit, Line, above, mesh_hit, mesh_point, mesh_ray_hit},
    traverse::{DistanceBound, Search, Walk},
};
use crate::{
    real::{Real, widen, widen_point},
    shape::{Ray3, Triangle},
    sweep::Sweep,
    wide::{Simd, dispatch},
};

/// Walks that a thread keeps going. Half as many gain some percent less.
const WALKS: usize = 16;

/// Queries that a thread takes at once: at least so many that starting and ending a run costs little beside them, and
/// no more where that leaves threads without work.
#[cfg(feature = "parallel")]
const RUN: std::ops::RangeInclusive<usize> = 64..=512;

/// Runs for each thread, so that one that is held up does not hold up the others.
#[cfg(feature = "parallel")]
const RUNS_A_THREAD: usize = 4;

/// # Many at once
/// A batch gives the answers of single calls, to the bit and in the order of the queries, sooner: a thread goes on with
/// one query while another waits for memory. With the feature `parallel` the threads of rayon's current pool take part,
/// whose number changes no answer. All answers are overwritten; without `parallel` nothing is allocated.
impl<T: Real> Octree<T> {
    /// [`Octree::sweep`] for each of many sweeps.
    ///
    /// # Panics
    /// If there are not as many `hits` as `sweeps`.
    ///
    /// # Example
    /// ```
    /// # use nalgebra::{point, vector};
    /// use sidle::{Ellipsoid, InputError, Octree, Sweep, mesh::primitives};
    ///
    /// let level = Octree::new(primitives::floor::<f32>(20.0, 20.0, 10, 10)?);
    /// let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
    /// let fall = |i: u8| Sweep::new(&body, point![f32::from(i) - 10.5, 2.9, 0.0], vector![0.0, -4.0, 0.0]);
    /// let falls = (0..22).map(fall).collect::<Result<Vec<_>, InputError>>()?;
    /// let mut hits = vec![None; falls.len()];
    /// level.sweep_many(&falls, &mut hits);
    /// assert_eq!(hits.iter().flatten().count(), 20); // the first and the last fall past the floor
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "batch")]
    #[track_caller]
    pub fn sweep_many(&self, sweeps: &[Sweep], hits: &mut [Option<MeshHit<T>>]) {
        in_runs(sweeps, hits, |sweeps, hits| {
            dispatch!(self.level.0, simd => self.sweep_run(simd, sweeps, hits));
        });
    }

    #[inline(always)]
    fn sweep_run<S: Simd>(&self, simd: S, sweeps: &[Sweep], hits: &mut [Option<MeshHit<T>>]) {
        let start = |sweep| Some((1.0, FirstContact::new(simd, self, sweep, 1.0)));
        let end = |sweep: &Sweep, first: &FirstContact<'_>| Some(mesh_hit(&self.mesh, sweep, &first.answer()?));
        interleave(simd, self, sweeps, hits, start, end);
    }

    /// [`Octree::cast_ray`] for each of many rays. Rays need no unit directions: where one is the way to a target, `max_t`
    /// 1 is the target.
    ///
    /// # Panics
    /// If there are not as many `hits` as `rays`.
    ///
    /// # Example
    /// ```
    /// # use nalgebra::{point, vector};
    /// use sidle::{InputError, Octree, Ray3, mesh::primitives};
    ///
    /// let wall = Octree::new(primitives::cuboid::<f32>([0.1, 1.0, 5.0])?);
    /// let eye = point![-2.0, 0.0, 0.0];
    /// let targets = [point![2.0, 0.0, 0.0], point![2.0, 4.0, 0.0], point![-1.0, 0.0, 3.0]];
    /// let views = targets.map(|target| Ray3::new(eye, target - eye)).into_iter().collect::<Result<Vec<_>, InputError>>()?;
    /// let mut hits = [None; 3];
    /// wall.cast_ray_many(&views, 1.0, &mut hits);
    /// assert_eq!(hits.map(|hit| hit.is_some()), [true, false, false]); // behind, over and in front of the wall
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn cast_ray_many(&self, rays: &[Ray3<T>], max_t: T, hits: &mut [Option<MeshRayHit<T>>]) {
        in_runs(rays, hits, |rays, hits| {
            dispatch!(self.level.0, simd => self.cast_ray_run(simd, rays, max_t.to_f64(), hits));
        });
    }

    #[inline(always)]
    fn cast_ray_run<S: Simd>(&self, simd: S, rays: &[Ray3<T>], max_t: f64, hits: &mut [Option<MeshRayHit<T>>]) {
        let start = |ray: &Ray3<T>| {
            let line = Line::new(self, &widen_point(&ray.origin()), &widen(&ray.direction()), max_t)?;
            Some((1.0, FirstRayHit { line, best: None }))
        };
        let end = |_: &Ray3<T>, first: &FirstRayHit| Some(mesh_ray_hit(&self.mesh, first.best.as_ref()?));
        interleave(simd, self, rays, hits, start, end);
    }

    /// [`Octree::closest_point`] for each of many points.
    ///
    /// # Panics
    /// If there are not as many elements in `found` as in `points`.
    ///
    /// # Example
    /// ```
    /// # use nalgebra::point;
    /// use sidle::{Octree, mesh::primitives};
    ///
    /// let block = Octree::new(primitives::cuboid::<f32>([1.0, 1.0, 1.0])?);
    /// let points = [point![0.0, 3.0, 0.0], point![0.0, 9.0, 0.0]];
    /// let mut found = [None; 2];
    /// block.closest_point_many(&points, 5.0, &mut found);
    /// assert_eq!(found.map(|found| found.map(|found| found.distance)), [Some(2.0), None]);
    /// # Ok::<(), sidle::mesh::MeshError>(())
    /// ```
    #[track_caller]
    pub fn closest_point_many(&self, points: &[Point3<T>], max_distance: T, found: &mut [Option<MeshPoint<T>>]) {
        in_runs(points, found, |points, found| {
            dispatch!(self.level.0, simd => self.closest_point_run(simd, points, max_distance.to_f64(), found));
        });
    }

    #[inline(always)]
    fn closest_point_run<S: Simd>(
        &self,
        simd: S,
        points: &[Point3<T>],
        max_distance: f64,
        found: &mut [Option<MeshPoint<T>>],
    ) {
        let start = |point: &Point3<T>| {
            let point = widen_point(point);
            let bound = DistanceBound::new(&(point - self.origin), self.extent)?;
            let measure = move |triangle: &Triangle<f64>| triangle.closest_point_f64(&point);
            Some((above(max_distance), Closest { bound, least_scale: 1.0, limit: max_distance, measure, best: None }))
        };
        let end = |_: &Point3<T>, closest: &Closest<_>| Some(mesh_point(&self.mesh, closest.best.as_ref()?));
        interleave(simd, self, points, found, start, end);
    }
}

/// Has runs of queries answered by `ask`, each with the room for its answers; with the feature `parallel` by all threads.
#[track_caller]
pub(crate) fn in_runs<Q: Sync, A: Send>(queries: &[Q], answers: &mut [A], ask: impl Fn(&[Q], &mut [A]) + Sync) {
    assert_eq!(queries.len(), answers.len(), "there must be room for as many answers as there are queries");
    #[cfg(feature = "parallel")]
    if queries.len() > *RUN.start() {
        use rayon::prelude::*;
        let share = queries.len().div_ceil(RUNS_A_THREAD * rayon::current_num_threads());
        let run = share.clamp(*RUN.start(), *RUN.end());
        queries.par_chunks(run).zip(answers.par_chunks_mut(run)).for_each(|(queries, answers)| ask(queries, answers));
        return;
    }
    ask(queries, answers);
}

/// A query that has a walk.
struct Going<'a, 'w, Q, F, A> {
    query: &'a Q,
    search: F,
    answer: &'a mut Option<A>,
    walk: &'w mut Walk,
}

/// Answers queries, several at a time. `start` gives a search and its first limit, `end` what came of it.
#[inline(always)]
fn interleave<'a, T: Real, S: Simd, Q, F: Search<T, S>, A>(
    simd: S,
    tree: &Octree<T>,
    queries: &'a [Q],
    answers: &'a mut [Option<A>],
    start: impl Fn(&'a Q) -> Option<(f32, F)>,
    end: impl Fn(&'a Q, &F) -> Option<A>,
) {
    let mut waiting = queries.iter().zip(answers).filter_map(|(query, answer)| {
        *answer = None;
        let (limit, search) = start(query)?;
        Some((query, answer, limit, search))
    });
    let mut visits = Visits::default();
    let mut walks: [Walk; WALKS] = array::from_fn(|_| Walk::ended());
    let mut going = ArrayVec::<_, WALKS>::new();
    for walk in &mut walks {
        let Some((query, answer, limit, search)) = waiting.next() else { break };
        walk.begin(tree, limit);
        going.push(Going { query, search, answer, walk });
    }
    while !going.is_empty() {
        let mut place = 0;
        while place < going.len() {
            let this = &mut going[place];
            if this.walk.step(simd, tree, &mut this.search, &mut visits) {
                this.walk.ask_ahead(tree);
                place += 1;
                continue;
            }
            *this.answer = end(this.query, &this.search);
            if let Some((query, answer, limit, search)) = waiting.next() {
                (this.query, this.answer, this.search) = (query, answer, search);
                this.walk.begin(tree, limit);
            } else {
                going.swap_remove(place);
            }
        }
    }
}
