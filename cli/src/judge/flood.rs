//! [`Flood`]: the cells of one metre that can be reached on foot from some places, and the ways between them.
//!
//! A breadth-first fill over a lattice of half a metre. From a place, the body can go to a neighbour if it fits there, with its
//! skin, on walkable ground that is not higher than a step above the ground here. It may also drop from a ledge, however
//! deep, where it fits above the drop and at its foot. Nothing here knows of jumps: what only a jump reaches is not asked for.

use std::collections::{HashMap, VecDeque};

use nalgebra::{Point3, Vector3};

use super::{Court, standing::IN_PLACE};

/// Distance of neighbours, in metres: no wall fits between two places of a body that is half a metre wide or more.
const STRIDE: f64 = 0.5;
/// Two floors of a cell are different cells if they are as far apart, in metres.
const STOREY: f64 = 1.0;

/// Names a place of a [`Flood`].
pub(crate) type NodeId = u32;

/// A place where the body can stand.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    center: Point3<f64>,
    /// Height of the ground under the centre.
    ground: f64,
    column: [i32; 2],
    neighbors: [Option<NodeId>; 4],
}

/// All places that were reached, and the cells in which they are.
pub(crate) struct Flood {
    nodes: Vec<Node>,
    columns: HashMap<[i32; 2], Vec<NodeId>>,
    /// For each square metre the floors found there: their height and their number.
    cells: HashMap<[i32; 2], Vec<(f64, u32)>>,
    cell_count: u32,
}

impl Court<'_> {
    /// Floods from where the feet can stand, until there are `most` cells or no more are found.
    pub(crate) fn flood(&self, feet: &[Point3<f64>], most: usize) -> Flood {
        let mut flood = Flood { nodes: Vec::new(), columns: HashMap::new(), cells: HashMap::new(), cell_count: 0 };
        let mut queue = VecDeque::new();
        for start in feet {
            for (column, node) in self.places_around(start) {
                if flood.at(column, node.ground).is_none() {
                    queue.push_back(flood.add(node));
                }
            }
        }
        while let Some(id) = queue.pop_front() {
            for (direction, [x, z]) in [[1, 0], [-1, 0], [0, 1], [0, -1]].into_iter().enumerate() {
                let from = flood.nodes[id as usize];
                let column = [from.column[0] + x, from.column[1] + z];
                let Some(place) = self.walk_to(&from, column) else { continue };
                let known = flood.at(column, place.ground);
                let is_full = flood.cell_count as usize >= most;
                let to = match known {
                    Some(known) => Some(known),
                    None if is_full => None,
                    None => {
                        let new = flood.add(place);
                        queue.push_back(new);
                        Some(new)
                    }
                };
                flood.nodes[id as usize].neighbors[direction] = to;
            }
        }
        flood
    }

    /// The places of the lattice next to where feet stand.
    fn places_around(&self, feet: &Point3<f64>) -> impl Iterator<Item = ([i32; 2], Node)> {
        let corner = [feet.x, feet.z].map(|x| (x / STRIDE).floor() as i32);
        let columns = [[0, 0], [1, 0], [0, 1], [1, 1]].map(|[x, z]| [corner[0] + x, corner[1] + z]);
        let from = feet.y + self.rules.step_height + IN_PLACE;
        columns.into_iter().filter_map(move |column| {
            let place = self.stand(column, from, self.rules.step_height + self.rules.snap)?;
            Some((column, place))
        })
    }

    /// Where the body stands on the first surface below `from`, if that can be walked on and there is room.
    fn stand(&self, column: [i32; 2], from: f64, distance: f64) -> Option<Node> {
        let above = Point3::new(f64::from(column[0]) * STRIDE, from, f64::from(column[1]) * STRIDE);
        let floor = self.floor_below(&above, distance).filter(|floor| self.is_walkable(floor))?;
        let center = self.rest_over(&above, &floor, self.rules.step_height)?;
        Some(Node { center, ground: floor.height, column, neighbors: [None; 4] })
    }

    fn walk_to(&self, from: &Node, column: [i32; 2]) -> Option<Node> {
        let highest = from.ground + self.rules.step_height + IN_PLACE;
        let place = self.stand(column, highest, highest - self.grid.low().y + 1.0)?;
        if from.ground - place.ground > self.rules.snap {
            let over = Point3::new(place.center.x, from.center.y + IN_PLACE, place.center.z);
            if !self.body.is_free(self.grid, &over, IN_PLACE) {
                return None;
            }
        }
        Some(place)
    }
}

impl Flood {
    fn add(&mut self, node: Node) -> NodeId {
        let id = self.nodes.len() as NodeId;
        self.columns.entry(node.column).or_default().push(id);
        let floors = self.cells.entry(square_of(&node.center)).or_default();
        if !floors.iter().any(|(height, _)| (height - node.ground).abs() < STOREY) {
            floors.push((node.ground, self.cell_count));
            self.cell_count += 1;
        }
        self.nodes.push(node);
        id
    }

    /// The place of a column whose ground is at a height.
    fn at(&self, column: [i32; 2], ground: f64) -> Option<NodeId> {
        let places = self.columns.get(&column)?.iter().copied();
        let off = |id: NodeId| (self.nodes[id as usize].ground - ground).abs();
        places.filter(|id| off(*id) < STOREY / 2.0).min_by(|a, b| off(*a).total_cmp(&off(*b)))
    }

    /// Number of cells.
    pub(crate) fn cells(&self) -> usize {
        self.cell_count as usize
    }

    /// Number of places.
    pub(crate) fn places(&self) -> usize {
        self.nodes.len()
    }

    /// The cell in which feet are.
    pub(crate) fn cell_at(&self, feet: &Point3<f64>) -> Option<u32> {
        let floors = self.cells.get(&square_of(feet))?;
        let off = |height: f64| (height - feet.y).abs();
        let nearest = floors.iter().min_by(|(a, _), (b, _)| off(*a).total_cmp(&off(*b)))?;
        (off(nearest.0) <= STOREY).then_some(nearest.1)
    }

    /// The place that is nearest to feet, if there is one at hand.
    pub(crate) fn place_near(&self, feet: &Point3<f64>) -> Option<NodeId> {
        let middle = [feet.x, feet.z].map(|x| (x / STRIDE).round() as i32);
        let around = (-1..=1).flat_map(|x| (-1..=1).map(move |z| [middle[0] + x, middle[1] + z]));
        let found = around.filter_map(|column| self.at(column, feet.y));
        let off = |id: NodeId| level_distance(&self.nodes[id as usize].center, feet);
        found.min_by(|a, b| off(*a).total_cmp(&off(*b)))
    }

    /// Where the body's centre is at a place.
    pub(crate) fn center(&self, place: NodeId) -> Point3<f64> {
        self.nodes[place as usize].center
    }

    /// All places that can be reached from one, nearest first, each with the place before it.
    pub(crate) fn reachable(&self, from: NodeId) -> Vec<(NodeId, NodeId)> {
        let mut is_seen = vec![false; self.nodes.len()];
        is_seen[from as usize] = true;
        let mut found = vec![(from, from)];
        let mut next = 0;
        while let Some(&(id, _)) = found.get(next) {
            next += 1;
            for to in self.nodes[id as usize].neighbors.iter().flatten() {
                if !std::mem::replace(&mut is_seen[*to as usize], true) {
                    found.push((*to, id));
                }
            }
        }
        found
    }
}

fn square_of(p: &Point3<f64>) -> [i32; 2] {
    [p.x, p.z].map(|x| x.floor() as i32)
}

fn level_distance(a: &Point3<f64>, b: &Point3<f64>) -> f64 {
    Vector3::new(a.x - b.x, 0.0, a.z - b.z).norm()
}

#[cfg(test)]
mod tests {
    use nalgebra::point;
    use sidle::mesh::primitives::{MeshBuilder, floor};

    use super::*;
    use crate::judge::{Body, Grid, Rules};

    const RULES: Rules = Rules { step_height: 0.3, snap: 0.2, max_slope: 45.0, skin: 0.02, gravity: 9.81 };

    /// A floor of 10 m, and a wall across it that reaches from one side to `end`.
    fn room(end: f64) -> Grid {
        let mut builder = MeshBuilder::new();
        builder.append(&floor::<f64>(10.0, 10.0, 1, 1).expect("a floor"), [0.0; 3]);
        builder.quad([[-5.0, 0.0, 0.0], [end, 0.0, 0.0], [end, 3.0, 0.0], [-5.0, 3.0, 0.0]]);
        Grid::new(&builder.build::<f64>().expect("a room"))
    }

    #[test]
    fn a_wall_halves_a_room_unless_there_is_a_gap() {
        let cells = |end: f64| {
            let grid = room(end);
            let court = Court { grid: &grid, body: Body::Ellipsoid([0.4, 0.9, 0.4]), rules: RULES };
            court.flood(&[point![0.0, 0.0, 3.0]], 1000).cells()
        };
        // 11 squares in a row: the lattice has places on the floor's border.
        assert_eq!(cells(5.0), 11 * 6);
        assert!((115..=121).contains(&cells(3.0)), "{}", cells(3.0));
    }

    #[test]
    fn a_path_leads_through_the_gap() {
        let grid = room(3.0);
        let court = Court { grid: &grid, body: Body::Ellipsoid([0.4, 0.9, 0.4]), rules: RULES };
        let flood = court.flood(&[point![-4.0, 0.0, 3.0]], 1000);
        let (from, to) = (point![-4.0, 0.0, 3.0], point![-4.0, 0.0, -3.0]);
        let (from, to) = (flood.place_near(&from).expect("a place"), flood.place_near(&to).expect("a place"));
        let found = flood.reachable(from);
        let steps = std::iter::successors(Some(to), |id| {
            found.iter().find(|(node, _)| node == id).map(|(_, before)| *before).filter(|before| before != id)
        });
        assert!(steps.map(|id| flood.center(id).x).fold(f64::MIN, f64::max) > 3.0);
    }

    #[test]
    fn a_fill_ends_at_the_most_cells() {
        let grid = room(3.0);
        let court = Court { grid: &grid, body: Body::Ellipsoid([0.4, 0.9, 0.4]), rules: RULES };
        assert_eq!(court.flood(&[point![0.0, 0.0, 3.0]], 20).cells(), 20);
    }
}
