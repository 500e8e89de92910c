//! The shape of a tree that was read: nodes, leaves and packets, each of which is checked before a query relies on it.

use crate::{
    octree::{
        Child, Content, LEAF_GROUPS, Leaf, TreeError,
        build::{Bounds, MAX_DEPTH},
    },
    sweep::packet::TrianglePacket,
    wide::LANES,
};

/// Checks that every node and every leaf can be reached from the root in one way, which is not too long; returns the number
/// of nodes on the longest.
///
/// Nodes come after their parents, so that no path can come back to where it was, and one pass sees every node after
/// the one that it is a child of.
pub(super) fn examine(root: Child, nodes: &[[Child; LANES]], leaves: usize) -> Result<usize, TreeError> {
    let mut depth = 0;
    // Number of nodes on the path to each node, itself included, and to each leaf; zero where there is none yet.
    let (mut levels, mut ends) = (vec![0_u8; nodes.len()], vec![0_u8; leaves]);
    match (root.content(), nodes.len(), leaves) {
        (Content::Node(0), 1.., _) => levels[0] = 1,
        (Content::Leaf(0), 0, 1) => ends[0] = 1,
        _ => return Err(TreeError::Root { root: root.0, nodes: nodes.len() }),
    }
    for (node, children) in nodes.iter().enumerate() {
        let level = levels[node];
        if level == 0 {
            return Err(TreeError::Unused { what: "node", index: node });
        }
        if level as usize > MAX_DEPTH {
            return Err(TreeError::TooDeep { node, limit: MAX_DEPTH });
        }
        if children.iter().all(|child| *child == Child::NONE) {
            return Err(TreeError::Childless { node });
        }
        depth = depth.max(level as usize);
        for (lane, child) in children.iter().enumerate().filter(|(_, child)| **child != Child::NONE) {
            let (what, index, mark) = match child.content() {
                Content::Node(index) => ("node", index, levels.get_mut(index)),
                Content::Leaf(index) => ("leaf", index, ends.get_mut(index)),
                Content::Packet(index) => ("packet", index, None),
            };
            let mark = mark.ok_or(TreeError::NoSuchChild { node, lane, what, index })?;
            if what == "node" && index <= node {
                return Err(TreeError::Backwards { node, lane, index });
            }
            if *mark != 0 {
                return Err(TreeError::Twice { what, index });
            }
            *mark = level + 1;
        }
    }
    match ends.iter().position(|level| *level == 0) {
        Some(index) => Err(TreeError::Unused { what: "leaf", index }),
        None => Ok(depth),
    }
}

/// Leaves that hold so many packets each, and all packets together.
pub(super) fn leaves(sizes: &[u8], packets: usize) -> Result<Vec<Leaf>, TreeError> {
    let mut first = 0;
    let mut leaves = Vec::with_capacity(sizes.len());
    for (index, &size) in sizes.iter().enumerate() {
        if !(1..=LEAF_GROUPS * LANES).contains(&usize::from(size)) {
            return Err(TreeError::Size { what: "leaf", index, size });
        }
        leaves.push(Leaf { len: size.into(), ..Leaf::new(&Bounds::EMPTY, first) });
        first += usize::from(size);
    }
    if first == packets { Ok(leaves) } else { Err(TreeError::LeafSizes { held: first, packets }) }
}

/// The packets that hold each triangle once.
pub(super) fn packets(sizes: &[u8], ids: &[u32], triangles: usize) -> Result<Vec<TrianglePacket>, TreeError> {
    if let Some(index) = sizes.iter().position(|size| !(1..=LANES).contains(&usize::from(*size))) {
        return Err(TreeError::Size { what: "packet", index, size: sizes[index] });
    }
    let held = sizes.iter().map(|size| usize::from(*size)).sum();
    if held != triangles {
        return Err(TreeError::PacketSizes { held, triangles });
    }
    let mut is_held = vec![false; triangles];
    for (place, &triangle) in ids.iter().enumerate() {
        let is_held = is_held.get_mut(triangle as usize);
        let is_held = is_held.ok_or(TreeError::NoSuchTriangle { place, triangle, triangles })?;
        if std::mem::replace(is_held, true) {
            return Err(TreeError::Twice { what: "triangle", index: triangle as usize });
        }
    }
    let mut rest = ids;
    let packet = |size: &u8| {
        let (ids, others) = rest.split_at(usize::from(*size));
        rest = others;
        TrianglePacket::of_ids(ids)
    };
    Ok(sizes.iter().map(packet).collect())
}
