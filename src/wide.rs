//! Eight lanes of `f32`, and nothing else: the only file that knows how wide the machine is.
//!
//! Each operation is a plain loop over eight numbers, which the compiler turns into vector instructions of whatever
//! level it builds for. Only additions, multiplications, comparisons, minimum and maximum are used, so that every level
//! gives the same bits.

use std::ops::{Add, Mul, Neg, Sub};

/// Number of lanes.
pub(crate) const LANES: usize = 8;

/// Eight numbers that are computed with together.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct F32x8(pub(crate) [f32; LANES]);

impl F32x8 {
    /// The same number in all lanes.
    #[inline(always)]
    pub(crate) fn splat(x: f32) -> Self {
        Self([x; LANES])
    }

    /// Lane by lane the smaller number.
    #[inline(always)]
    pub(crate) fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }

    /// Lane by lane the larger number.
    #[inline(always)]
    pub(crate) fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    /// Lane by lane the square root.
    #[inline(always)]
    pub(crate) fn sqrt(self) -> Self {
        self.map(f32::sqrt)
    }

    /// Bit `i` is set where lane `i` is at most that of `other`.
    #[inline(always)]
    pub(crate) fn at_most(self, other: Self) -> u8 {
        let mut bits = 0;
        for lane in 0..LANES {
            bits |= u8::from(self.0[lane] <= other.0[lane]) << lane;
        }
        bits
    }

    #[inline(always)]
    fn map(self, f: impl Fn(f32) -> f32) -> Self {
        Self(self.0.map(f))
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let mut out = [0.0; LANES];
        for (lane, x) in out.iter_mut().enumerate() {
            *x = f(self.0[lane], other.0[lane]);
        }
        Self(out)
    }
}

impl Add for F32x8 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl Sub for F32x8 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl Mul for F32x8 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
}

impl Neg for F32x8 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|a| -a)
    }
}

/// The indices of the bits that are set, from the lowest on.
pub(crate) fn set_bits(mut bits: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (bits != 0).then(|| {
            let lane = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            lane
        })
    })
}
