//! A balanced tree of the same leaves, for one that has grown too high.

use super::{Child, Node, TOP, Tree};
use crate::{Real, shape::Aabb};

impl<T: Real, const D: usize> Tree<T, D> {
    /// Halves the leaves by where their middles are on the axis on which these lie farthest apart, and the halves again.
    pub(super) fn build_anew(&mut self) {
        let mut leaves: Vec<(u32, Aabb<T, D>)> =
            (0..self.parents.len() as u32).filter_map(|key| Some((key, *self.leaf(key)?))).collect();
        self.nodes.truncate(1);
        self.free.clear();
        self.nodes[TOP as usize] = Node::below(TOP);
        self.build(TOP, 0, &mut leaves);
    }

    fn build(&mut self, parent: u32, side: usize, leaves: &mut [(u32, Aabb<T, D>)]) {
        let (child, bounds, height) = match leaves {
            [] => return,
            [(key, bounds)] => (Child::leaf(*key), *bounds, 0),
            _ => {
                let middle = |bounds: &Aabb<T, D>, axis: usize| bounds.min[axis].to_f64() + bounds.max[axis].to_f64();
                let middles =
                    leaves.iter().map(|(_, bounds)| nalgebra::Point::from(bounds.min.coords + bounds.max.coords));
                let spread = Aabb::around(middles).size();
                let axis = (1..D).fold(0, |best, axis| if spread[axis] > spread[best] { axis } else { best });
                let half = leaves.len() / 2;
                leaves.select_nth_unstable_by(half, |(i, a), (j, b)| {
                    middle(a, axis).total_cmp(&middle(b, axis)).then(i.cmp(j))
                });
                let node = self.new_node();
                let (lower, upper) = leaves.split_at_mut(half);
                self.build(node, 0, lower);
                self.build(node, 1, upper);
                let built = &self.nodes[node as usize];
                (Child(node), built.union(), built.height())
            }
        };
        self.attach(parent, side, child, bounds, height);
    }
}
