//! The contestants: each library answers the same questions through its usual interface.

mod bvh;
mod parry;
mod rapier;
mod sidle;

use ::sidle::TriMesh;
use anyhow::Result;
use cpu_time::ThreadTime;

use crate::{
    course::{Course, Walked},
    sets::{Body, Set},
};

/// The share of each motion that is free, `None` where all is.
pub(crate) type Fractions = Vec<Option<f32>>;

/// A mesh, with what a library builds to answer queries.
pub(crate) trait Contestant {
    /// Memory that is kept, the mesh included.
    fn bytes(&self) -> usize;

    /// Whether it can be asked for such a body.
    fn takes(&self, body: Body) -> bool;

    /// Answers all queries in their order. What was in `fractions` goes; its memory is used.
    fn answer(&self, set: &Set, fractions: &mut Fractions) -> Result<()>;
}

/// A world, with a library's controller in it.
pub(crate) trait Walker {
    /// Lets new characters walk the whole course.
    fn walk(&self, course: &Course) -> Result<Walked>;
}

/// Builds a contestant, and says how many seconds of CPU time that took without bringing the mesh into its format.
pub(crate) type BuildContestant = fn(&TriMesh<f32>) -> Result<(Box<dyn Contestant>, f64)>;
/// Builds a walker.
pub(crate) type BuildWalker = fn(&TriMesh<f32>) -> Result<Box<dyn Walker>>;

/// All who answer queries; the others are measured against the first.
pub(crate) const CONTESTANTS: [(&str, BuildContestant); 3] =
    [("sidle", sidle::build), ("parry3d", parry::build), ("bvh", bvh::build)];

/// All who walk.
pub(crate) const WALKERS: [(&str, BuildWalker); 2] = [("sidle", sidle::walker), ("rapier3d", rapier::walker)];

/// What `work` gives, and how many seconds of the thread's CPU time it took.
pub(crate) fn time<R>(work: impl FnOnce() -> Result<R>) -> Result<(R, f64)> {
    let begin = ThreadTime::now();
    let result = work()?;
    Ok((result, begin.elapsed().as_secs_f64()))
}
