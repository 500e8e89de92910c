//! Sweeps and rays: one pass over the records of a file.

use std::{fs, path::Path};

use anyhow::{Context, Result, bail, ensure};
use cpu_time::ThreadTime;
use serde::Serialize;
use sidle::{
    Ellipsoid, InputError, Octree, Ray3, Real, Sweep,
    nalgebra::{Point3, Vector3},
};

use crate::files::Query;

/// What moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An ellipsoid of the record's radii; a ball, where they are equal.
    Ellipsoid,
    /// A point.
    Ray,
}

/// What a pass found, and how long that took.
#[derive(Debug, Serialize)]
pub(crate) struct Pass {
    /// CPU time of the thread.
    ns_per_query: f64,
    hits: usize,
    /// Sum of the fractions of all hits.
    checksum: f64,
    /// Queries that were refused: numbers that are not finite, rays without a direction.
    misses_unknown: usize,
}

/// What stands in a file of fractions for a miss.
const MISS: f64 = 2.0;

impl Kind {
    /// The harness's word. Where its peers sweep a capsule, sidle sweeps the ellipsoid in it.
    pub(crate) fn parse(word: &str) -> Result<Self> {
        match word {
            "sphere" | "capsule" => Ok(Self::Ellipsoid),
            "ray" => Ok(Self::Ray),
            _ => bail!("unknown kind of query `{word}`"),
        }
    }
}

/// Answers all records in their order, and takes the time of that loop.
pub(crate) fn pass<T: Real>(tree: &Octree<T>, kind: Kind, records: &[Query]) -> Result<Pass> {
    ensure!(!records.is_empty(), "the file has no queries");
    let (mut hits, mut checksum, mut misses_unknown) = (0, 0.0, 0);
    let mut caller = Caller::new(tree, kind);
    let begin = ThreadTime::now();
    for record in records {
        match caller.fraction(record) {
            Ok(Some(fraction)) => {
                hits += 1;
                checksum += fraction;
            }
            Ok(None) => (),
            Err(_) => misses_unknown += 1,
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    Ok(Pass { ns_per_query: seconds * 1e9 / records.len() as f64, hits, checksum, misses_unknown })
}

/// Queries of a run.
const RUN: usize = 256;

/// As [`pass`], but asks for many answers at once.
pub(crate) fn pass_in_runs<T: Real>(tree: &Octree<T>, kind: Kind, records: &[Query]) -> Result<Pass> {
    ensure!(!records.is_empty(), "the file has no queries");
    let (mut hits, mut checksum, mut misses_unknown) = (0, 0.0, 0);
    let mut caller = Caller::new(tree, kind);
    let mut count = |fraction: Option<T>| {
        if let Some(fraction) = fraction {
            hits += 1;
            checksum += fraction.to_f64();
        }
    };
    let begin = ThreadTime::now();
    for run in records.chunks(RUN) {
        match kind {
            Kind::Ellipsoid => {
                let sweeps: Vec<_> = run.iter().filter_map(|query| caller.sweep(query).ok()).collect();
                misses_unknown += run.len() - sweeps.len();
                let mut answers = vec![None; sweeps.len()];
                tree.sweep_many(&sweeps, &mut answers);
                answers.iter().for_each(|hit| count(hit.as_ref().map(|hit| hit.contact.fraction)));
            }
            Kind::Ray => {
                let rays: Vec<_> = run.iter().filter_map(|query| caller.ray(query).ok()).collect();
                misses_unknown += run.len() - rays.len();
                let mut answers = vec![None; rays.len()];
                tree.cast_ray_many(&rays, T::one(), &mut answers);
                answers.iter().for_each(|hit| count(hit.as_ref().map(|hit| hit.t)));
            }
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    Ok(Pass { ns_per_query: seconds * 1e9 / records.len() as f64, hits, checksum, misses_unknown })
}

/// Writes the fraction of each record as an `f64`.
pub(crate) fn write_fractions<T: Real>(tree: &Octree<T>, kind: Kind, records: &[Query], path: &Path) -> Result<()> {
    let mut bytes = Vec::with_capacity(size_of::<f64>() * records.len());
    let mut caller = Caller::new(tree, kind);
    for (index, record) in records.iter().enumerate() {
        let fraction = caller.fraction(record).with_context(|| format!("query {index}"))?;
        bytes.extend(fraction.unwrap_or(MISS).to_le_bytes());
    }
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Asks the tree as a game would: a new sweep or ray for each question, but one body for as long as it stays the same.
struct Caller<'a, T: Real> {
    tree: &'a Octree<T>,
    kind: Kind,
    /// The last body, by its radii.
    body: Option<([f32; 3], Ellipsoid<T>)>,
}

impl<'a, T: Real> Caller<'a, T> {
    fn new(tree: &'a Octree<T>, kind: Kind) -> Self {
        Self { tree, kind, body: None }
    }

    /// The share of the motion that is free, or `None` if all is.
    fn fraction(&mut self, query: &Query) -> Result<Option<f64>, InputError> {
        let fraction = match self.kind {
            Kind::Ellipsoid => self.tree.sweep(&self.sweep(query)?).map(|hit| hit.contact.fraction),
            Kind::Ray => self.tree.cast_ray(&self.ray(query)?, T::one()).map(|hit| hit.t),
        };
        Ok(fraction.map(Real::to_f64))
    }

    fn sweep(&mut self, query: &Query) -> Result<Sweep, InputError> {
        let body = match &mut self.body {
            Some((of, body)) if *of == query.radii => body,
            body => &mut body.insert((query.radii, Ellipsoid::new(stored(query.radii))?)).1,
        };
        Sweep::new(body, Point3::from(stored(query.origin)), stored(query.motion))
    }

    fn ray(&self, query: &Query) -> Result<Ray3<T>, InputError> {
        Ray3::new(Point3::from(stored(query.origin)), stored(query.motion))
    }
}

/// A vector of a file in the scalar of the tree.
pub(crate) fn stored<T: Real>(vector: [f32; 3]) -> Vector3<T> {
    Vector3::from(vector.map(|x| T::nearest(x.into())))
}
