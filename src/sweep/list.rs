//! [`TriangleList`]: triangles that are swept without a tree, eight at a time.

use arrayvec::ArrayVec;

use super::{Contact, Sweep, packed::Packed, packet::TrianglePacket};
use crate::{
    input_error::{InputError, bounded_point},
    mesh::Sides,
    real::Real,
    shape::{Aabb3, Triangle},
    wide::{LANES, Simd, SimdLevel, dispatch, set_bits},
};

/// Triangles without a tree. Every query looks at all of them, in packets of eight, and the exact kernel only at those that
/// the packets cannot reject.
///
/// Right for a few dozen triangles that are gone in the next tick, for which a tree would not pay; and a measure of how fast
/// packets are where nothing else is in the way (`cargo bench --bench sweep`). Triangles are solid from both sides.
///
/// # Example
/// ```
/// # use nalgebra::{point, vector};
/// use sidle::{Ellipsoid, Sweep, Triangle, sweep::TriangleList};
///
/// let floor = Triangle::new(point![-9.0, 0.0, -9.0], point![0.0, 0.0, 9.0], point![9.0, 0.0, -9.0]);
/// let table = Triangle::new(point![-1.0, 0.8, -1.0], point![0.0, 0.8, 1.0], point![1.0, 0.8, -1.0]);
/// let list = TriangleList::new([floor, table])?;
///
/// let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
/// let fall = Sweep::new(&body, point![0.0, 3.7, 0.0], vector![0.0, -4.0, 0.0])?;
/// let (triangle, contact) = list.sweep(&fall).expect("it falls on the table");
/// assert_eq!((triangle, contact.fraction), (1, 0.5));
/// # Ok::<(), sidle::InputError>(())
/// ```
#[derive(Debug, Clone)]
pub struct TriangleList<T: Real> {
    triangles: Vec<Triangle<T>>,
    packed: Packed,
    level: SimdLevel,
}

/// So many packets before it is looked at, a packet is asked for: more than memory needs, less than what the first cache
/// holds.
const AHEAD: usize = 16;

impl<T: Real> TriangleList<T> {
    /// A list of triangles, possibly none; of which the packets are made in the order given.
    ///
    /// # Errors
    /// If a coordinate is not finite or beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE), or there are more triangles than
    /// a 32-bit index can name.
    pub fn new(triangles: impl IntoIterator<Item = Triangle<T>>) -> Result<Self, InputError> {
        let triangles: Vec<_> = triangles.into_iter().collect();
        if u32::try_from(triangles.len()).is_err() {
            return Err(InputError::OutOfRange { what: "the number of triangles", range: "0..2^32" });
        }
        let mut bounds = Aabb3::empty();
        for vertex in triangles.iter().flat_map(Triangle::vertices) {
            bounded_point(&vertex, "a vertex")?;
            bounds = bounds.include(&vertex);
        }
        let mut packed = Packed::default();
        packed.clear(bounds.exact_origin(), T::IS_F32);
        for few in triangles.chunks(LANES) {
            let few: ArrayVec<_, LANES> = few.iter().map(Triangle::widen).collect();
            packed.push(few.iter());
        }
        Ok(Self { triangles, packed, level: SimdLevel::best() })
    }

    /// All triangles.
    pub fn triangles(&self) -> &[Triangle<T>] {
        &self.triangles
    }

    /// The vector instructions with which queries work.
    pub fn simd_level(&self) -> SimdLevel {
        self.level
    }

    /// The same list, whose queries work with other vector instructions and give the same answers.
    pub fn with_simd_level(mut self, level: SimdLevel) -> Self {
        self.level = level;
        self
    }

    /// Bytes of all packets, each of which every query reads.
    pub fn packet_bytes(&self) -> usize {
        size_of_val(self.packed.packets())
    }

    /// The first triangle that the body touches on its way, by its index, and how.
    ///
    /// Of equal contacts the lowest index wins; of several overlaps at the start the deepest in unit space.
    pub fn sweep(&self, sweep: &Sweep) -> Option<(usize, Contact<T>)> {
        let mut best = None;
        self.each_survivor(sweep, |packet, lane, limit| {
            let triangle = self.exact(packet, lane);
            if let Some(answer) = sweep.touch(&triangle, Sides::Both, *limit)
                && best.as_ref().is_none_or(|(_, earlier, _)| answer.is_before(earlier))
            {
                *limit = answer.fraction;
                best = Some((packet.id(lane), answer, triangle));
            }
        });
        best.map(|(id, answer, triangle)| (id as usize, sweep.leave(&answer, &triangle).cast()))
    }

    /// Every triangle that the body touches on its way, at the time at which it touches that one alone; from the lowest
    /// index on.
    pub fn each_contact(&self, sweep: &Sweep, mut visit: impl FnMut(usize, Contact<T>)) {
        self.each_survivor(sweep, |packet, lane, _| {
            let triangle = self.exact(packet, lane);
            if let Some(answer) = sweep.touch(&triangle, Sides::Both, 1.0) {
                visit(packet.id(lane) as usize, sweep.leave(&answer, &triangle).cast());
            }
        });
    }

    /// The triangles that the packets cannot reject: all that the body touches on its way, and a few that it comes close to.
    pub fn each_candidate(&self, sweep: &Sweep, mut visit: impl FnMut(usize)) {
        self.each_survivor(sweep, |packet, lane, _| visit(packet.id(lane) as usize));
    }

    /// Hands out what the packets cannot reject up to a limit, a share of the motion, that `visit` may lower.
    fn each_survivor(&self, sweep: &Sweep, visit: impl FnMut(&TrianglePacket, usize, &mut f64)) {
        dispatch!(self.level.0, simd => self.each_survivor_on(simd, sweep, visit));
    }

    #[inline(always)]
    fn each_survivor_on<S: Simd>(
        &self,
        simd: S,
        sweep: &Sweep,
        mut visit: impl FnMut(&TrianglePacket, usize, &mut f64),
    ) {
        let packets = self.packed.packets();
        let (way, wide) = (self.packed.way(sweep), self.packed.aim(simd, sweep));
        let mut limit = 1.0;
        for (index, packet) in packets.iter().enumerate() {
            if let Some(later) = packets.get(index + AHEAD) {
                later.prefetch();
            }
            let near = way.meets(simd, packet);
            if near != 0 {
                let (lanes, _) = wide.entries(simd, packet, wide.distance(limit));
                for lane in set_bits(lanes & near) {
                    visit(packet, lane, &mut limit);
                }
            }
        }
    }

    /// The triangle in a lane of a packet, exactly.
    #[inline(always)]
    fn exact(&self, packet: &TrianglePacket, lane: usize) -> Triangle<f64> {
        if T::IS_F32 { self.packed.stored(packet, lane) } else { self.triangles[packet.id(lane) as usize].widen() }
    }
}
