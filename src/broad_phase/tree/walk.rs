//! The two walks through the tree: all that a box meets, and from the nearest on.

use arrayvec::ArrayVec;

use super::{Child, MAX_HEIGHT, Node, TOP, Tree};
use crate::{Real, broad_phase::overlap, shape::Aabb};

/// One child of each node on the path may wait, and two more are written down before it is known whether they have to.
const STACK: usize = MAX_HEIGHT + 2;

impl<T: Real, const D: usize> Tree<T, D> {
    /// Visits the leaves whose boxes meet a box, until `visit` returns false.
    ///
    /// Which children meet it no processor can foresee: so both are written down, and the place advances only past those
    /// that do.
    #[inline]
    pub(crate) fn each_meeting(&self, bounds: &Aabb<T, D>, mut visit: impl FnMut(u32) -> bool) {
        let top = &self.nodes[TOP as usize];
        if top.children[0] == Child::NONE || !overlap(&top.bounds[0], bounds) {
            return;
        }
        let mut waiting = [top.children[0]; STACK];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            match waiting[count].key() {
                Some(key) if !visit(key) => return,
                Some(_) => {}
                None => {
                    let node = &self.nodes[waiting[count].0 as usize];
                    for side in [0, 1] {
                        waiting[count] = node.children[side];
                        count += usize::from(overlap(&node.bounds[side], bounds));
                    }
                }
            }
        }
    }

    /// Visits leaves from the cheapest on, until none costs at most what the last visit returned.
    ///
    /// `bound` is a lower bound of the cost of anything in a box, infinity where nothing in it matters, and always a number. What costs as much
    /// as the limit is visited, so that ties can be settled by key.
    #[inline]
    pub(crate) fn nearest_first(
        &self,
        limit: f64,
        bound: impl Fn(&Aabb<T, D>) -> f64,
        mut visit: impl FnMut(u32, f64) -> f64,
    ) {
        if limit.is_nan() {
            return;
        }
        let mut limit = limit.min(f64::MAX);
        let mut waiting = ArrayVec::<(f64, Child), STACK>::new();
        let root = &self.nodes[TOP as usize];
        if root.children[0] != Child::NONE {
            waiting.push((bound(&root.bounds[0]), root.children[0]));
        }
        while let Some((cost, mut child)) = waiting.pop() {
            if cost > limit {
                continue; // something cheaper was found since it was left waiting
            }
            loop {
                if let Some(key) = child.key() {
                    limit = visit(key, limit).min(f64::MAX);
                    break;
                }
                let Node { bounds, children, .. } = &self.nodes[child.0 as usize];
                let costs = [bound(&bounds[0]), bound(&bounds[1])];
                let near = usize::from(costs[1] < costs[0]);
                if costs[near] > limit {
                    break;
                }
                if costs[1 - near] <= limit {
                    waiting.push((costs[1 - near], children[1 - near]));
                }
                child = children[near];
            }
        }
    }
}
