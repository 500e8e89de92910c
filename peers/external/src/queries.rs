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
        let [origin, motion] = [query.origin, query.motion].map(stored);
        let origin = Point3::from(origin);
        let fraction = match self.kind {
            Kind::Ellipsoid => {
                let sweep = Sweep::new(&self.body(query.radii)?, origin, motion)?;
                self.tree.sweep(&sweep).map(|hit| hit.contact.fraction)
            }
            Kind::Ray => self.tree.cast_ray(&Ray3::new(origin, motion)?, T::one()).map(|hit| hit.t),
        };
        Ok(fraction.map(Real::to_f64))
    }

    fn body(&mut self, radii: [f32; 3]) -> Result<Ellipsoid<T>, InputError> {
        if let Some((of, body)) = self.body
            && of == radii
        {
            return Ok(body);
        }
        let body = Ellipsoid::new(stored(radii))?;
        self.body = Some((radii, body));
        Ok(body)
    }
}

/// A vector of a file in the scalar of the tree.
pub(crate) fn stored<T: Real>(vector: [f32; 3]) -> Vector3<T> {
    Vector3::from(vector.map(|x| T::nearest(x.into())))
}
