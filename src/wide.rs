//! Eight lanes of `f32` and the instruction level that computes them: the only file that knows how wide the machine is.
//!
//! Code that works on lanes is generic over `S: Simd` and inlined into one function for each level; [`wide!`] chooses
//! among them, once for a query. Only additions, multiplications, divisions, square roots, comparisons, minimum and
//! maximum of numbers that are not NaN are used, which every level rounds alike: the level changes the time, never a bit.

use std::{
    fmt,
    ops::{Add, Mul, Sub},
};

use fearless_simd::prelude::*;

pub(crate) use fearless_simd::{
    Level, Simd, dispatch, f32x4, f32x8, f64x4, mask8x64, mask32x8, mask64x4, prelude, u8x64, u32x8,
};

/// Number of lanes.
pub(crate) const LANES: usize = 8;

/// Eight numbers in memory.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct F32x8(pub(crate) [f32; LANES]);

impl F32x8 {
    /// The same number in all lanes.
    pub(crate) const fn splat(x: f32) -> Self {
        Self([x; LANES])
    }

    /// The numbers, ready to be computed with.
    #[inline(always)]
    pub(crate) fn load<S: Simd>(&self, simd: S) -> f32x8<S> {
        f32x8::simd_from(simd, self.0)
    }
}

/// Bit `i` is set where lane `i` of `a` is at most that of `b`.
#[inline(always)]
pub(crate) fn at_most<S: Simd>(a: f32x8<S>, b: f32x8<S>) -> u8 {
    a.simd_le(b).to_bitmask() as u8
}

/// The least of eight numbers that are not NaN.
#[inline(always)]
pub(crate) fn least<S: Simd>(numbers: f32x8<S>) -> f32 {
    let (low, high) = numbers.split();
    let [a, b, c, d] = low.min(high).to_array();
    let (a, b) = (if b < a { b } else { a }, if d < c { d } else { c });
    if b < a { b } else { a }
}

/// Eight small whole numbers.
#[inline(always)]
pub(crate) fn from_bytes<S: Simd>(simd: S, bytes: &[u8; LANES]) -> f32x8<S> {
    let mut numbers = [0.0; LANES];
    for lane in 0..LANES {
        numbers[lane] = f32::from(bytes[lane]);
    }
    f32x8::simd_from(simd, numbers)
}

/// The indices of the bits that are set, from the lowest on.
#[inline(always)]
pub(crate) fn set_bits(mut bits: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (bits != 0).then(|| {
            let lane = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            lane
        })
    })
}

/// Lanes that are set, with their costs, from the cheapest on.
#[inline(always)]
pub(crate) fn nearest_first(mut lanes: u8, costs: [f32; LANES]) -> impl Iterator<Item = (usize, f32)> {
    std::iter::from_fn(move || {
        if lanes == 0 {
            return None;
        }
        let mut nearest = lanes.trailing_zeros() as usize;
        for lane in set_bits(lanes & (lanes - 1)) {
            if costs[lane] < costs[nearest] {
                nearest = lane;
            }
        }
        lanes &= !(1 << nearest);
        Some((nearest, costs[nearest]))
    })
}

/// A vector in each lane.
#[derive(Clone, Copy)]
pub(crate) struct WideVector<V> {
    pub(crate) x: V,
    pub(crate) y: V,
    pub(crate) z: V,
}

impl<V: Copy + Add<Output = V> + Sub<Output = V> + Mul<Output = V>> WideVector<V> {
    #[inline(always)]
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }

    #[inline(always)]
    pub(crate) fn minus(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }

    #[inline(always)]
    pub(crate) fn times(self, factor: V) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }

    #[inline(always)]
    pub(crate) fn dot(self, other: Self) -> V {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline(always)]
    pub(crate) fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }
}

/// Asks for data that are needed soon. Changes nothing but the time; does nothing where there is no such instruction.
#[inline(always)]
pub(crate) fn prefetch<const N: usize>(data: &[F32x8; N]) {
    // A cache line holds two. Written out, as the loop would cost more than what it does.
    #[cfg(target_arch = "x86_64")]
    {
        const { assert!(N == 6 || N == 9, "nodes and packets") };
        safe_arch::prefetch_t0(&data[0]);
        safe_arch::prefetch_t0(&data[2]);
        safe_arch::prefetch_t0(&data[4]);
        safe_arch::prefetch_t0(&data[N - 1]);
        if N > 6 {
            safe_arch::prefetch_t0(&data[6]);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = data;
}

/// As [`prefetch`], for the one cache line in which something begins.
#[inline(always)]
pub(crate) fn prefetch_line<V>(item: &V) {
    #[cfg(target_arch = "x86_64")]
    safe_arch::prefetch_t0(item);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = item;
}

/// As [`prefetch`], for six lists of a cache line each.
#[inline(always)]
pub(crate) fn prefetch_bytes(data: &[[u8; 64]; 6]) {
    #[cfg(target_arch = "x86_64")]
    {
        safe_arch::prefetch_t0(&data[0]);
        safe_arch::prefetch_t0(&data[1]);
        safe_arch::prefetch_t0(&data[2]);
        safe_arch::prefetch_t0(&data[3]);
        safe_arch::prefetch_t0(&data[4]);
        safe_arch::prefetch_t0(&data[5]);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = data;
}

/// A set of vector instructions. The best that the machine has is found out when a tree is built; another one changes
/// how long queries take and nothing else.
///
/// ```
/// # use nalgebra::point;
/// use sidle::{Octree, SimdLevel, TriMesh};
/// let corners = vec![point![0.0, 0.0, 0.0], point![0.0, 0.0, 1.0], point![1.0, 0.0, 0.0]];
/// let tree = Octree::new(TriMesh::new(corners, vec![[0, 1, 2]])?);
/// assert_eq!(tree.simd_level(), SimdLevel::best());
/// let slower = tree.with_simd_level(SimdLevel::available()[0]);
/// # Ok::<(), sidle::mesh::MeshError>(())
/// ```
#[derive(Clone, Copy)]
pub struct SimdLevel(pub(crate) Level);

impl SimdLevel {
    /// The level of this machine with which queries are fastest.
    ///
    /// AVX-512 is left to who asks for it: vectors are eight lanes wide at every level, and with its instructions for them
    /// queries take some percent longer than with those of AVX2.
    pub fn best() -> Self {
        let best = Level::new();
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        if let Some(avx2) = best.as_avx2() {
            return Self(Level::Avx2(avx2));
        }
        Self(best)
    }

    /// All levels of this machine, from the least to the most capable; never empty.
    pub fn available() -> Vec<Self> {
        let best = Level::new();
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        let lower = [
            best.as_sse2().map(Level::Sse2),
            best.as_sse4_2().map(Level::Sse4_2),
            best.as_avx2().map(Level::Avx2),
            best.as_avx512().map(Level::Avx512),
        ];
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
        let lower = [Some(best)];
        let mut levels: Vec<_> = lower.into_iter().flatten().map(Self).collect();
        if levels.is_empty() {
            levels.push(Self(best));
        }
        levels
    }

    /// The level of this machine with a name that [`fmt::Display`] gives, such as `avx2`.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::available().into_iter().find(|level| level.to_string() == name)
    }
}

impl PartialEq for SimdLevel {
    fn eq(&self, other: &Self) -> bool {
        std::mem::discriminant(&self.0) == std::mem::discriminant(&other.0)
    }
}

impl Eq for SimdLevel {}

impl fmt::Display for SimdLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[allow(unreachable_patterns, reason = "which levels exist depends on the target")]
        f.write_str(match self.0 {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Sse2(_) => "sse2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Sse4_2(_) => "sse4.2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Avx2(_) => "avx2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Avx512(_) => "avx512",
            #[cfg(target_arch = "aarch64")]
            Level::Neon(_) => "neon",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Level::WasmSimd128(_) => "simd128",
            _ => "scalar",
        })
    }
}

impl fmt::Debug for SimdLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
