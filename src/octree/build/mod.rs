//! Building the tree, in two steps.
//!
//! First the triangles are parted in two, and these again, where the surface-area measure is least (MacDonald and Booth
//! 1990), in sixteen bins along each axis (Wald 2007), until at most eight are left. The measure counts packets, not
//! triangles, so that packets come out full. Then nodes of eight children are chosen from that binary tree so that the sum
//! of their surfaces is the least of all choices, by dynamic programming (Ylitie, Karras and Laine 2017). Costs
//! O(n · depth). The same mesh gives the same tree, however many threads build it.

mod bounds;
mod choice;
mod leaf;
mod parting;

use std::{ops::Range, sync::Arc};

use arrayvec::ArrayVec;
use nalgebra::Point3;

pub(super) use self::bounds::Bounds;
use self::{
    bounds::Item,
    choice::{Branch, Choice, close},
    parting::split,
};
use super::Octree;
use crate::{
    mesh::TriMesh,
    real::Real,
    sweep::packet::TrianglePacket,
    wide::{LANES, SimdLevel},
};

/// Partings by the surface-area measure on the way to a packet; below, cells are halved by number, which ends after at
/// most 32 more.
const MEASURED_PARTINGS: usize = 48;

/// No path from the root to a packet has more nodes than this: every level parts a cell at least once.
pub(super) const MAX_DEPTH: usize = MEASURED_PARTINGS + 32;

/// Parts of the tree with fewer triangles are not worth the handing over to another thread.
const WORTH_A_THREAD: usize = 4096;

struct Builder<'a, T: Real> {
    mesh: &'a TriMesh<T>,
    origin: Point3<f64>,
    in_parallel: bool,
    /// What a body adds to the size of a box that it is swept against; only a guess is needed.
    growth: f32,
}

impl<T: Real> Octree<T> {
    /// Builds the tree of a mesh. The same mesh always gives the same tree.
    ///
    /// With the feature `parallel` the threads of rayon's current pool take part.
    pub fn new(mesh: impl Into<Arc<TriMesh<T>>>) -> Self {
        Self::build(mesh.into(), cfg!(feature = "parallel"))
    }

    /// Builds the same tree as [`Octree::new`] on the calling thread alone.
    pub fn new_serial(mesh: impl Into<Arc<TriMesh<T>>>) -> Self {
        Self::build(mesh.into(), false)
    }

    fn build(mesh: Arc<TriMesh<T>>, in_parallel: bool) -> Self {
        let bounds = mesh.bounds();
        let origin = bounds.exact_origin();
        let mut items = items_of(&mesh, &origin, in_parallel);
        let builder = Builder { mesh: &mesh, origin, in_parallel, growth: usual_size(&items) };
        let mut branches = Vec::new();
        builder.part(&mut items, 0, &mut branches);
        let (Choice { mut nodes, mut leaves, packets, depth, .. }, root) = Choice::of(&branches);
        nodes.shrink_to_fit();
        leaves.shrink_to_fit();
        let packets = builder.packets(&items, &packets);
        let (extent, level) = (branches[0].bounds.extent(), SimdLevel::best());
        Self { bounds, origin, extent, nodes, leaves, packets, root, depth, level, mesh }
    }
}

fn items_of<T: Real>(mesh: &TriMesh<T>, origin: &Point3<f64>, in_parallel: bool) -> Vec<Item> {
    let item = |id: u32| {
        let Bounds { min, max } = Bounds::of(&mesh.triangle(id).widen(), origin);
        Item { min, max, id }
    };
    let ids = 0..mesh.len() as u32;
    #[cfg(feature = "parallel")]
    if in_parallel {
        use rayon::prelude::*;
        return ids.into_par_iter().map(item).collect();
    }
    let _ = in_parallel;
    ids.map(item).collect()
}

/// Twice the mean size of a triangle's box: a body of that size is neither small nor large here.
fn usual_size(items: &[Item]) -> f32 {
    let size = |item: &Item| (0..3).map(|axis| f64::from(item.max[axis] - item.min[axis])).sum::<f64>() / 3.0;
    (2.0 * items.iter().map(size).sum::<f64>() / items.len() as f64) as f32
}

impl<T: Real> Builder<'_, T> {
    /// Appends the binary tree of some triangles to `out`.
    fn part(&self, items: &mut [Item], partings: usize, out: &mut Vec<Branch>) {
        let index = out.len();
        if items.len() <= LANES {
            out.push(Branch::packet(Bounds::around(items), items.len()));
            return;
        }
        out.push(Branch::packet(Bounds::EMPTY, items.len()));
        let split = split(items, partings, self.growth);
        let (low, high) = items.split_at_mut(split);
        let is_shared = self.in_parallel && low.len().min(high.len()) > WORTH_A_THREAD;
        if is_shared {
            let (low, high) = self.part_on_threads(low, high, partings + 1);
            out.extend(low);
            out[index].upper = (out.len() - index) as u32;
            out.extend(high);
        } else {
            self.part(low, partings + 1, out);
            out[index].upper = (out.len() - index) as u32;
            self.part(high, partings + 1, out);
        }
        close(index, out, self.growth);
    }

    #[cfg(feature = "parallel")]
    fn part_on_threads(&self, low: &mut [Item], high: &mut [Item], partings: usize) -> (Vec<Branch>, Vec<Branch>) {
        let branches = |items: &mut [Item]| {
            let mut out = Vec::new();
            self.part(items, partings, &mut out);
            out
        };
        rayon::join(|| branches(low), || branches(high))
    }

    #[cfg(not(feature = "parallel"))]
    fn part_on_threads(&self, _: &mut [Item], _: &mut [Item], _: usize) -> (Vec<Branch>, Vec<Branch>) {
        (Vec::new(), Vec::new())
    }

    /// The packets of some ranges of triangles.
    fn packets(&self, items: &[Item], ranges: &[Range<usize>]) -> Vec<TrianglePacket> {
        let packet = |range: &Range<usize>| {
            let mut ids: ArrayVec<u32, LANES> = items[range.clone()].iter().map(|item| item.id).collect();
            ids.sort_unstable();
            TrianglePacket::new(ids.iter().map(|id| (*id, self.mesh.triangle(*id).widen())), &self.origin)
        };
        #[cfg(feature = "parallel")]
        if self.in_parallel {
            use rayon::prelude::*;
            return ranges.par_iter().map(packet).collect();
        }
        ranges.iter().map(packet).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::TriMesh;

    fn tree_of(centers: impl IntoIterator<Item = Point3<f64>>) -> Octree<f64> {
        let mut vertices = Vec::new();
        for center in centers {
            vertices.extend(
                [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]].map(|d| center + nalgebra::Vector3::from(d)),
            );
        }
        let triangles = (0..vertices.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        Octree::new(TriMesh::new(vertices, triangles).expect("good numbers"))
    }

    /// How often a triangle is looked at while triangles of 10 cm at these places are parted, on average.
    fn looks(centers: impl Iterator<Item = Point3<f32>>) -> f64 {
        let mut items: Vec<Item> = (0..)
            .zip(centers)
            .map(|(id, p)| Item { min: [p.x, p.y, p.z, 0.0], max: [p.x + 0.1, p.y + 0.1, p.z + 0.1, 0.0], id })
            .collect();
        let corners = vec![Point3::origin(); 3];
        let mesh = TriMesh::<f32>::new(corners, vec![[0, 1, 2]]).expect("good numbers");
        let builder = Builder { mesh: &mesh, origin: Point3::origin(), in_parallel: false, growth: 0.2 };
        let mut branches = Vec::new();
        builder.part(&mut items, 0, &mut branches);
        branches.iter().map(|branch| f64::from(branch.triangles)).sum::<f64>() / items.len() as f64
    }

    #[test]
    fn no_places_make_the_work_quadratic() {
        const COUNT: u16 = 50_000;
        let halvings = f64::from(COUNT).log2();
        let equal = looks((0..COUNT).map(|_| Point3::origin()));
        let in_line = looks((0..COUNT).map(|i| Point3::new(f32::from(i), 0.0, 0.0)));
        let one_far = looks((0..COUNT).map(|i| Point3::new(if i == 0 { 1e15 } else { f32::from(i) }, 0.0, 0.0)));
        // Wherever such places are parted by measure, a few are left on the side of the origin, and all others beyond.
        let ever_nearer = looks((0..COUNT).map(|i| Point3::new(1e15 * 0.5_f32.powi(i32::from(i) / 256), 0.0, 0.0)));
        let all = [equal, in_line, one_far, ever_nearer];
        println!("looks at a triangle, with {halvings:.0} halvings: {all:?}");
        assert!(equal <= halvings && in_line <= halvings + 2.0 && one_far <= halvings + 4.0, "{all:?}");
        assert!(all.iter().all(|looks| *looks <= (MEASURED_PARTINGS + 17) as f64), "{all:?}");
    }

    #[test]
    fn many_equal_triangles_give_a_shallow_tree() {
        let tree = tree_of((0..20_000).map(|_| Point3::origin()));
        assert!(tree.statistics().depth <= 8, "{:?}", tree.statistics());
        assert!(tree.statistics().packet_fill > 4.0, "{:?}", tree.statistics());
    }

    #[test]
    fn a_geometric_series_of_places_does_not_exceed_the_depth() {
        let tree = tree_of((0..300).map(|i| Point3::new(1e14 * 0.5_f64.powi(i), 0.0, 0.0)));
        assert!(tree.statistics().depth <= MAX_DEPTH);
    }
}
