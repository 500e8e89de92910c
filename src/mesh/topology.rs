//! What the triangles of a mesh are to each other: which edges are convex, and which defects there are.
//!
//! Vertices at equal positions count as one (files often repeat them), and edges between equal ends as one edge.

use nalgebra::Point3;

use crate::real::{Length, Real, widen_point};

/// For each edge of a triangle and each side of it, whether a body on that side can touch the edge before the faces.
///
/// It can where the surface is convex there or ends; where it is flat or concave a face is always met first, and a
/// contact with the edge is an artefact of looking at one triangle alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EdgeBits(u8);

impl EdgeBits {
    /// All edges from both sides: what holds for a triangle alone.
    pub const ALL: Self = Self(0b11_1111);

    /// Whether a body in front of the triangle can touch the edge (0 from a to b, 1 from b to c, 2 from c to a).
    pub fn front(self, edge: u8) -> bool {
        self.0 >> edge & 1 == 1
    }

    /// Whether a body behind the triangle can touch the edge.
    pub fn back(self, edge: u8) -> bool {
        self.0 >> (edge + 3) & 1 == 1
    }

    /// The bits as a number: those of the front from the lowest on, then those of the back.
    #[cfg(feature = "save")]
    pub(crate) fn to_bits(self) -> u8 {
        self.0
    }

    /// What [`EdgeBits::to_bits`] gave, or `None` where it cannot have given that.
    #[cfg(feature = "save")]
    pub(crate) fn from_bits(bits: u8) -> Option<Self> {
        (bits & !Self::ALL.0 == 0).then_some(Self(bits))
    }

    fn clear_front(&mut self, edge: u8) {
        self.0 &= !(1 << edge);
    }

    fn clear_back(&mut self, edge: u8) {
        self.0 &= !(1 << (edge + 3));
    }
}

/// Counts of what a careful level designer would mend. None of it stops a mesh from being used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshDefects {
    /// Triangles with two corners at one place.
    pub collapsed: usize,
    /// Such triangles that a reader was told to leave out. They are not in the mesh.
    pub dropped: usize,
    /// Triangles with three different corners on a line: the least height is below 1e-6 m.
    pub flat: usize,
    /// Triangles with a least height from 1e-6 m to 1 mm.
    pub needles: usize,
    /// Triangles with the same three places as an earlier one, either way round.
    pub duplicates: usize,
    /// Edges of a single triangle.
    pub border_edges: usize,
    /// Edges of three or more triangles.
    pub non_manifold_edges: usize,
    /// Edges whose two triangles disagree about the front.
    pub turned_edges: usize,
    /// Distinct positions of vertices.
    pub positions: usize,
}

const FLAT_HEIGHT: f64 = 1e-6;
const NEEDLE_HEIGHT: f64 = 1e-3;

/// Two faces count as flat where the sine of their angle is below this. Taking a face's contact for that of an edge which
/// is convex by so little moves it by less than 1e-8 of the body's size.
const FLAT_SINE: f64 = 1e-4;

/// Neighbours over one edge that are looked at, so that ten thousand triangles on one edge do not cost their square.
/// Those left out hide nothing, which is always safe.
const MOST_NEIGHBOURS: usize = 64;

/// An edge of a triangle; its ends are positions, the lower one first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    ends: [u32; 2],
    triangle: u32,
    edge: u8,
    runs_up: bool,
}

/// Finds the edge bits of all triangles, and counts defects.
pub(super) fn examine<T: Real>(
    vertices: &[Point3<T>],
    triangles: impl ExactSizeIterator<Item = [u32; 3]>,
) -> (Vec<EdgeBits>, MeshDefects) {
    let (position_of, representatives) = weld(vertices);
    let places: Vec<Point3<f64>> =
        representatives.iter().map(|vertex| widen_point(&vertices[*vertex as usize])).collect();
    let place = |position: u32| places[position as usize];
    let corners: Vec<[u32; 3]> = triangles.map(|t| t.map(|vertex| position_of[vertex as usize])).collect();
    let mut defects = MeshDefects { positions: places.len(), ..MeshDefects::default() };
    let is_collapsed = |t: &[u32; 3]| t[0] == t[1] || t[1] == t[2] || t[2] == t[0];

    let mut sides = Vec::with_capacity(3 * corners.len());
    for (triangle, t) in (0u32..).zip(&corners) {
        if is_collapsed(t) {
            defects.collapsed += 1;
            continue;
        }
        let height = least_height(&t.map(place));
        if height < FLAT_HEIGHT {
            defects.flat += 1;
        } else if height < NEEDLE_HEIGHT {
            defects.needles += 1;
        }
        for edge in 0..3u8 {
            let (from, to) = (t[edge as usize], t[(edge as usize + 1) % 3]);
            sides.push(Side { ends: [from.min(to), from.max(to)], triangle, edge, runs_up: from < to });
        }
    }

    let sides = sorted(&sides, places.len());
    let mut bits = vec![EdgeBits::ALL; corners.len()];
    let mut apexes = Vec::new();
    for shared in sides.chunk_by(|a, b| a.ends == b.ends) {
        match shared {
            [_] => defects.border_edges += 1,
            [a, b] => defects.turned_edges += usize::from(a.runs_up == b.runs_up),
            _ => defects.non_manifold_edges += 1,
        }
        apexes.clear();
        apexes.extend(shared.iter().map(|side| opposite(&corners[side.triangle as usize], side.edge)));
        apexes.sort_unstable();
        // Every triangle counts once: at the side that is opposite to its highest corner.
        let is_duplicate = |pair: &&[u32]| pair[0] == pair[1] && pair[0] > shared[0].ends[1];
        defects.duplicates += apexes.windows(2).filter(is_duplicate).count();
        apexes.dedup();
        apexes.truncate(MOST_NEIGHBOURS);
        for side in shared {
            let own = corners[side.triangle as usize];
            let own_apex = opposite(&own, side.edge);
            for apex in apexes.iter().filter(|apex| **apex != own_apex) {
                hide_edge(&mut bits[side.triangle as usize], side.edge, &own.map(place), &place(*apex));
            }
        }
    }
    (bits, defects)
}

/// The sides in order: first by counting how many have which lower end, which leaves few to compare for each.
fn sorted(sides: &[Side], positions: usize) -> Vec<Side> {
    let mut next = vec![0; positions];
    for side in sides {
        next[side.ends[0] as usize] += 1;
    }
    let mut start = 0_usize;
    for count in &mut next {
        (*count, start) = (start, start + *count);
    }
    let mut sorted = sides.to_vec();
    for side in sides {
        let place = &mut next[side.ends[0] as usize];
        sorted[*place] = *side;
        *place += 1;
    }
    sorted.chunk_by_mut(|a, b| a.ends[0] == b.ends[0]).for_each(<[Side]>::sort_unstable);
    sorted
}

/// The corner that does not lie on an edge.
fn opposite(corners: &[u32; 3], edge: u8) -> u32 {
    corners[(edge as usize + 2) % 3]
}

/// Clears the bits of the sides on which the neighbour with the given apex covers the edge.
fn hide_edge(bits: &mut EdgeBits, edge: u8, own: &[Point3<f64>; 3], apex: &Point3<f64>) {
    let [from, to, third] = [0, 1, 2].map(|i| own[(edge as usize + i) % 3]);
    let along = to - from;
    let across = |p: &Point3<f64>| {
        let v = p - from;
        v - along * (v.dot(&along) / along.norm_squared())
    };
    let (inwards, outwards) = (across(&third), across(apex));
    let lengths = inwards.length() * outwards.length();
    if lengths == 0.0 {
        return; // one of them has no area and cannot cover anything
    }
    // The apex seen along the edge: height over the own plane, relative to its distance.
    let sine = along.cross(&inwards).dot(&outwards) / (along.length() * lengths);
    let continues = inwards.dot(&outwards) < 0.0;
    if sine > FLAT_SINE || (sine >= -FLAT_SINE && continues) {
        bits.clear_front(edge);
    }
    if sine < -FLAT_SINE || (sine <= FLAT_SINE && continues) {
        bits.clear_back(edge);
    }
}

/// For each vertex the number of its position, and for each position the first vertex there.
fn weld<T: Real>(vertices: &[Point3<T>]) -> (Vec<u32>, Vec<u32>) {
    // Adding zero makes −0 and 0 one position.
    let key = |i: u32| vertices[i as usize].coords.map(|x| (x.to_f64() + 0.0).to_bits()).data.0[0];
    let mut order: Vec<([u64; 3], u32)> = (0..vertices.len() as u32).map(|i| (key(i), i)).collect();
    order.sort_unstable();
    let (mut position_of, mut representatives) = (vec![0; vertices.len()], Vec::new());
    for equal in order.chunk_by(|a, b| a.0 == b.0) {
        for (_, vertex) in equal {
            position_of[*vertex as usize] = representatives.len() as u32;
        }
        representatives.push(equal[0].1);
    }
    (position_of, representatives)
}

fn least_height(corners: &[Point3<f64>; 3]) -> f64 {
    let [a, b, c] = corners;
    let longest = (b - a).length().max((c - b).length()).max((a - c).length());
    (b - a).cross(&(c - a)).length() / longest
}

#[cfg(test)]
mod tests {
    use nalgebra::point;

    use super::*;

    /// Two triangles over the edge from (0,0,0) to (0,0,1); the second one's apex is at (1, height, 0.5).
    fn roof(height: f64) -> EdgeBits {
        let vertices = [point![0.0, 0.0, 0.0], point![0.0, 0.0, 1.0], point![-1.0, 0.0, 0.5], point![1.0, height, 0.5]];
        // The first one faces down from a to b, so turn it: its front is up.
        examine(&vertices, [[1, 0, 2], [0, 1, 3]].into_iter()).0[0]
    }

    #[test]
    fn only_the_convex_side_can_touch_an_edge() {
        assert_eq!((roof(-0.5).front(0), roof(-0.5).back(0)), (true, false), "a ridge");
        assert_eq!((roof(0.5).front(0), roof(0.5).back(0)), (false, true), "a valley");
        assert_eq!((roof(0.0).front(0), roof(0.0).back(0)), (false, false), "flat");
        assert!(roof(0.0).front(1) && roof(0.0).back(1), "a border");
    }

    #[test]
    fn a_hundred_thousand_triangles_on_one_edge_are_no_trouble() {
        let vertices: Vec<_> = (0..100_002).map(|i| point![f64::from(i), f64::from(i).sqrt(), 0.0]).collect();
        let book: Vec<_> = (2..100_002).map(|i| [0, 1, i]).collect();
        assert_eq!(examine(&vertices, book.into_iter()).1.non_manifold_edges, 1);
        assert_eq!(examine(&vertices, std::iter::repeat_n([0, 1, 2], 100_000)).1.duplicates, 99_999);
    }

    #[test]
    fn defects_are_counted_by_position() {
        let vertices = [
            point![0.0, 0.0, 0.0],
            point![1.0, 0.0, 0.0],
            point![0.0, 1.0, 0.0],
            point![0.0, 0.0, -0.0],
            point![2.0, 0.0, 0.0],
        ];
        let (_, defects) = examine(&vertices, [[0, 1, 2], [3, 2, 1], [0, 3, 1], [0, 1, 4]].into_iter());
        assert_eq!((defects.duplicates, defects.collapsed, defects.flat), (1, 1, 1));
        assert_eq!((defects.positions, defects.border_edges), (4, 2));
    }
}
