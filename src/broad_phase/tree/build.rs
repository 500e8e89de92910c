//! A balanced tree, for many new leaves at once, or in place of one that has grown too high.

use super::{Below, Child, NOWHERE, Node, TOP, Tree};
use crate::{Real, shape::Aabb};

impl<T: Real, const D: usize> Tree<T, D> {
    /// The same leaves in a new tree.
    pub(super) fn build_anew(&mut self) {
        let keys = 0..self.parents.len() as u32;
        let mut leaves = std::mem::take(&mut self.leaves);
        leaves.extend(keys.filter_map(|key| self.place(key)).map(|(node, side)| self.nodes[node as usize].below(side)));
        self.build_from(leaves);
    }

    /// A new tree of the boxes that are not empty, by key, in place of what is there.
    pub(crate) fn build_of(&mut self, bounds: &[Aabb<T, D>]) {
        self.parents.clear();
        self.parents.resize(bounds.len(), NOWHERE);
        let leaf = |(key, bounds): (u32, &Aabb<T, D>)| Below { child: Child::leaf(key), bounds: *bounds, height: 0 };
        let mut leaves = std::mem::take(&mut self.leaves);
        leaves.extend((0..).zip(bounds).filter(|(_, bounds)| !bounds.is_empty()).map(leaf));
        self.build_from(leaves);
    }

    fn build_from(&mut self, mut leaves: Vec<Below<T, D>>) {
        self.nodes.truncate(1);
        self.nodes[TOP as usize] = Node::new(TOP);
        self.free.clear();
        self.build(TOP, 0, &mut leaves);
        leaves.clear();
        self.leaves = leaves;
    }

    /// Halves the leaves by where their middles are on the axis on which these lie farthest apart, and the halves again.
    fn build(&mut self, parent: u32, side: usize, leaves: &mut [Below<T, D>]) {
        let below = match leaves {
            [] => return,
            [leaf] => *leaf,
            _ => {
                let middle =
                    |leaf: &Below<T, D>, axis: usize| leaf.bounds.min[axis].to_f64() + leaf.bounds.max[axis].to_f64();
                let middles =
                    leaves.iter().map(|leaf| nalgebra::Point::from(leaf.bounds.min.coords + leaf.bounds.max.coords));
                let spread = Aabb::around(middles).size();
                let axis = (1..D).fold(0, |best, axis| if spread[axis] > spread[best] { axis } else { best });
                let half = leaves.len() / 2;
                leaves.select_nth_unstable_by(half, |a, b| {
                    middle(a, axis).total_cmp(&middle(b, axis)).then(a.child.cmp(&b.child))
                });
                let node = self.new_node();
                let (lower, upper) = leaves.split_at_mut(half);
                self.build(node, 0, lower);
                self.build(node, 1, upper);
                self.nodes[node as usize].whole(node)
            }
        };
        self.attach(parent, side, below);
    }
}
