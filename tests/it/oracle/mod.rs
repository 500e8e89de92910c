//! The library against reference values of 77 digits.
//!
//! The files, what their fields mean and the tolerances are described in the README beside them. Every input is exactly
//! an `f32`, so that the same cases serve both scalars. Run them alone with `cargo test --release oracle`.

mod broadphase;
mod closest_point;
mod error_bound;
mod overlap2d;
mod ray;
mod scene;
mod slide;
mod sweep_mesh;
mod sweep_triangle;

use std::{
    collections::BTreeMap,
    env, fs,
    io::Read,
    path::{Path, PathBuf},
};

use nalgebra::{Point, SVector};
use serde::{Deserialize, de::DeserializeOwned};
use sidle::{Feature, Real};

/// What the tests want to know about a scalar.
trait Scalar: Real {
    /// The end of the names of the flags that apply to it.
    const NAME: &'static str;
}

impl Scalar for f32 {
    const NAME: &'static str = "f32";
}

impl Scalar for f64 {
    const NAME: &'static str = "f64";
}

/// The rounding of `f64`, in which the library computes for either scalar.
const EPS: f64 = f64::EPSILON / 2.0;

/// The fields of an answer that are named one by one nowhere else: the flags.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
struct Flags(BTreeMap<String, serde_json::Value>);

impl Flags {
    /// A flag of a scalar, such as `hit_ambiguous_f32`.
    fn get<T: Scalar>(&self, name: &str) -> bool {
        let name = format!("{name}_{}", T::NAME);
        self.0[&name].as_bool().unwrap_or_else(|| panic!("{name} is no flag"))
    }
}

/// The cases of a file, or `None` where there are no reference values and none were asked for.
///
/// # Panics
/// If `SIDLE_ORACLE` or `SIDLE_SHARED` names a folder without the file, and if the file has no cases.
fn read<C: DeserializeOwned>(name: &str) -> Option<Vec<C>> {
    let path = folder()?.join(name);
    let text = read_text(&path).unwrap_or_else(|| panic!("there is neither {0} nor {0}.gz", path.display()));
    let cases = text.lines().enumerate().map(|(i, line)| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{}:{}: {error}", path.display(), i + 1))
    });
    let cases: Vec<C> = cases.collect();
    assert!(!cases.is_empty(), "{} has no cases", path.display());
    Some(cases)
}

fn folder() -> Option<PathBuf> {
    let named = env::var_os("SIDLE_ORACLE").map(PathBuf::from);
    let folder = named.or_else(|| Some(crate::shared::shared_folder()?.join("oracle")))?;
    let is_asked_for = env::var_os("SIDLE_ORACLE").or_else(|| env::var_os("SIDLE_SHARED")).is_some();
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(!is_asked_for, "there is no folder {} with reference values", folder.display());
    println!("SKIPPED: there is no {}; set SIDLE_ORACLE to the folder with the reference values", folder.display());
    None
}

/// The text of a file, which may be compressed under the same name with `.gz`.
fn read_text(path: &Path) -> Option<String> {
    let mut text = String::new();
    if path.is_file() {
        text = fs::read_to_string(path).expect("a readable file");
    } else {
        let packed = fs::File::open(path.with_added_extension("gz")).ok()?;
        flate2::read::GzDecoder::new(packed).read_to_string(&mut text).expect("gzip of text");
    }
    Some(text)
}

/// A point of an input. Inputs are numbers of `f32`: the cast takes away what the parser's last bit may have added.
///
/// Not for answers, which are no numbers of `f32`.
fn point<T: Real, const D: usize>(xs: &[f64; D]) -> Point<T, D> {
    Point::from(vector(xs))
}

/// A vector of an input, see [`point`].
fn vector<T: Real, const D: usize>(xs: &[f64; D]) -> SVector<T, D> {
    SVector::from(*xs).map(|x| T::nearest(f64::from(x as f32)))
}

/// A triangle of an input.
fn triangle<T: Real>([a, b, c]: &[[f64; 3]; 3]) -> sidle::Triangle<T> {
    sidle::Triangle::new(point(a), point(b), point(c))
}

/// Numbers of the library, exactly.
fn wide<T: Real, const D: usize>(xs: &SVector<T, D>) -> SVector<f64, D> {
    xs.map(Real::to_f64)
}

/// The name that the files give to a feature.
fn name_of(feature: Feature) -> (&'static str, u8) {
    match feature {
        Feature::Face => ("face", 0),
        Feature::Edge(index) => ("edge", index),
        Feature::Vertex(index) => ("vertex", index),
    }
}

/// Compares, counts, and remembers what failed and how near the rest came to it.
struct Tally {
    title: String,
    quantities: BTreeMap<&'static str, Quantity>,
    failures: Vec<String>,
}

/// What was seen of one quantity.
#[derive(Default)]
struct Quantity {
    compared: usize,
    /// Largest error, in units of its tolerance.
    worst: f64,
    worst_case: String,
}

impl Tally {
    fn new<T: Scalar>(what: &str) -> Self {
        Self { title: format!("{what}, {}", T::NAME), quantities: BTreeMap::new(), failures: Vec::new() }
    }

    /// Two numbers, or the length of the difference of two vectors.
    fn near(&mut self, quantity: &'static str, case: &str, error: f64, tolerance: f64) {
        let row = self.quantities.entry(quantity).or_default();
        row.compared += 1;
        let share = if error == 0.0 { 0.0 } else { error / tolerance };
        if share > 1.0 || share.is_nan() {
            self.failures.push(format!("{case}: {quantity} is off by {error:e}, which may be {tolerance:e}"));
        }
        if share > row.worst || share.is_nan() {
            (row.worst, row.worst_case) = (share, case.to_owned());
        }
    }

    /// Something that has no tolerance.
    fn exact<V: PartialEq + std::fmt::Debug>(&mut self, quantity: &'static str, case: &str, got: V, expected: V) {
        self.quantities.entry(quantity).or_default().compared += 1;
        if got != expected {
            self.failures.push(format!("{case}: {quantity} is {got:?}, and should be {expected:?}"));
        }
    }

    /// Prints what was compared.
    ///
    /// # Panics
    /// If a comparison failed, or fewer were made of a quantity than `least` says.
    fn finish(self, least: &[(&str, usize)]) {
        println!("{}", self.title);
        for (name, row) in &self.quantities {
            print!("  {name:<22} {:>6} compared", row.compared);
            if row.worst > 0.0 {
                print!(", worst {:.3} of the tolerance ({})", row.worst, row.worst_case);
            }
            println!();
        }
        let shown: Vec<_> = self.failures.iter().take(20).map(String::as_str).collect();
        assert!(shown.is_empty(), "{}: {} failures\n{}", self.title, self.failures.len(), shown.join("\n"));
        assert!(!self.quantities.is_empty(), "{}: nothing was compared", self.title);
        for (quantity, count) in least {
            let compared = self.quantities.get(quantity).map_or(0, |row| row.compared);
            assert!(compared >= *count, "{}: {quantity}: only {compared} of at least {count}", self.title);
        }
    }
}
