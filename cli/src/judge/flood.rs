//! [`Flood`]: the cells of one metre that can be reached on foot from some places, and the ways between them.
//!
//! A breadth-first fill over a lattice of half a metre. From a place, the body can go to a neighbour if it fits there, with its
//! skin, on walkable ground that is not higher than a step above the ground here, or to which a slope leads. It may also drop from a ledge, however
//! deep, where it fits above the drop and at its foot. Nothing here knows of jumps: what only a jump reaches is not asked for.

use std::collections::{HashMap, VecDeque};

use nalgebra::{Point3, Vector3};

use super::{Court, standing::IN_PLACE};

/// Distance of neighbours, in metres: no wall fits between two places of a body that is half a metre wide or more.
const STRIDE: f64 = 0.5;
/// The way to a neighbour is looked at in so many stretches.
const STRETCHES: i32 = 4;
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
    /// Number of its cell.
    cell: u32,
    neighbors: [Option<NodeId>; 4],
    /// A level way, along the lattice, on which something is in the way.
    obstacle: Option<[i32; 2]>,
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
                let Some(place) = self.walk_to(&from, column) else {
                    if self.is_in_the_way(&from, [x, z]) {
                        flood.nodes[id as usize].obstacle = Some([x, z]);
                    }
                    continue;
                };
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
        Some(Node { center, ground: floor.height, column, cell: 0, neighbors: [None; 4], obstacle: None })
    }

    fn walk_to(&self, from: &Node, column: [i32; 2]) -> Option<Node> {
        let highest = self.ground_towards(from, column) + self.rules.step_height + IN_PLACE;
        let place = self.stand(column, highest, highest - self.grid.low().y + 1.0)?;
        if from.ground - place.ground > self.rules.snap {
            let over = Point3::new(place.center.x, from.center.y + IN_PLACE, place.center.z);
            if !self.body.is_free(self.grid, &over, IN_PLACE) {
                return None;
            }
        }
        Some(place)
    }

    /// The height up to which walkable ground rises on the way to a neighbour, each stretch by no more than a step: on a slope that
    /// is more than a step over all.
    fn ground_towards(&self, from: &Node, column: [i32; 2]) -> f64 {
        (1..STRETCHES).fold(from.ground, |ground, i| {
            let share = f64::from(i) / f64::from(STRETCHES);
            let [x, z] =
                [0, 1].map(|k| STRIDE * (f64::from(from.column[k]) * (1.0 - share) + f64::from(column[k]) * share));
            let above = Point3::new(x, ground + self.rules.step_height, z);
            let floor = self.floor_below(&above, self.rules.step_height).filter(|floor| self.is_walkable(floor));
            floor.map_or(ground, |floor| floor.height)
        })
    }

    /// Whether the way from a place to a neighbour that is none leads into something, and not over the brink of a ledge.
    fn is_in_the_way(&self, from: &Node, [x, z]: [i32; 2]) -> bool {
        let column = [from.column[0] + x, from.column[1] + z];
        let rise = self.ground_towards(from, column) - from.ground + self.rules.step_height;
        let way = Vector3::new(f64::from(x) * STRIDE, rise, f64::from(z) * STRIDE);
        !self.body.is_free(self.grid, &(from.center + way), IN_PLACE)
    }
}

impl Flood {
    fn add(&mut self, node: Node) -> NodeId {
        let id = self.nodes.len() as NodeId;
        self.columns.entry(node.column).or_default().push(id);
        let floors = self.cells.entry(square_of(&node.center)).or_default();
        let known = floors.iter().find(|(height, _)| (height - node.ground).abs() < STOREY).map(|(_, cell)| *cell);
        let cell = known.unwrap_or_else(|| {
            floors.push((node.ground, self.cell_count));
            self.cell_count += 1;
            self.cell_count - 1
        });
        self.nodes.push(Node { cell, ..node });
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

    /// The number of a place's cell; cells are numbered from 0 on as they are found, the nearest to the spawns first.
    pub(crate) fn cell_of(&self, place: NodeId) -> u32 {
        self.nodes[place as usize].cell
    }

    /// The level way from a place to something that is in the way beside it.
    pub(crate) fn way_into_obstacle(&self, place: NodeId) -> Option<Vector3<f64>> {
        self.nodes[place as usize].obstacle.map(|[x, z]| Vector3::new(f64::from(x), 0.0, f64::from(z)))
    }

    /// The share of places beside which something is in the way.
    pub(crate) fn share_beside_obstacles(&self) -> f64 {
        let beside = self.nodes.iter().filter(|node| node.obstacle.is_some()).count();
        beside as f64 / self.nodes.len().max(1) as f64
    }

    /// Places that can be reached from one, nearest first, each with the place before it: up to the first that `is_wanted`, which
    /// is the last then, or all.
    pub(crate) fn reachable(&self, from: NodeId, is_wanted: impl Fn(NodeId) -> bool) -> Vec<(NodeId, NodeId)> {
        let mut is_seen = vec![false; self.nodes.len()];
        is_seen[from as usize] = true;
        let mut found = vec![(from, from)];
        let mut next = 0;
        while let Some(&(id, _)) = found.get(next) {
            next += 1;
            for to in self.nodes[id as usize].neighbors.iter().flatten() {
                if !std::mem::replace(&mut is_seen[*to as usize], true) {
                    found.push((*to, id));
                    if is_wanted(*to) {
                        return found;
                    }
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
            let court = Court { grid: &grid, body: Body::Ellipsoid([0.4, 0.9, 0.4]), rules: RULES, movers: &[] };
            court.flood(&[point![0.0, 0.0, 3.0]], 1000).cells()
        };
        // 11 squares in a row: the lattice has places on the floor's border.
        assert_eq!(cells(5.0), 11 * 6);
        assert!((115..=121).contains(&cells(3.0)), "{}", cells(3.0));
    }

    #[test]
    fn a_path_leads_through_the_gap() {
        let grid = room(3.0);
        let court = Court { grid: &grid, body: Body::Ellipsoid([0.4, 0.9, 0.4]), rules: RULES, movers: &[] };
        let flood = court.flood(&[point![-4.0, 0.0, 3.0]], 1000);
        let (from, to) = (point![-4.0, 0.0, 3.0], point![-4.0, 0.0, -3.0]);
        let (from, to) = (flood.place_near(&from).expect("a place"), flood.place_near(&to).expect("a place"));
        let found = flood.reachable(from, |_| false);
        let steps = std::iter::successors(Some(to), |id| {
            found.iter().find(|(node, _)| node == id).map(|(_, before)| *before).filter(|before| before != id)
        });
        assert!(steps.map(|id| flood.center(id).x).fold(f64::MIN, f64::max) > 3.0);
    }

    #[test]
    fn a_slope_leads_up_if_it_can_be_walked_on() {
        // From a floor at z > 0 up along −Z.
        let cells = |slope: f64| {
            let mut builder = MeshBuilder::new();
            builder.quad([[-5.0, 0.0, 0.0], [-5.0, 0.0, 5.0], [5.0, 0.0, 5.0], [5.0, 0.0, 0.0]]);
            builder.quad([[-5.0, 0.0, 0.0], [5.0, 0.0, 0.0], [5.0, 5.0 * slope, -5.0], [-5.0, 5.0 * slope, -5.0]]);
            let grid = Grid::new(&builder.build::<f64>().expect("a hillside"));
            let court = Court { grid: &grid, body: Body::Ellipsoid([0.4, 0.9, 0.4]), rules: RULES, movers: &[] };
            let flood = court.flood(&[point![0.0, 0.0, 3.0]], 1000);
            (flood.cells(), flood.share_beside_obstacles())
        };
        let (walkable, steep) = (cells(0.9), cells(1.1));
        assert!(walkable.0 > 110 && walkable.1 <= 0.0, "{walkable:?}");
        assert!(steep.0 < 80 && steep.1 > 0.0, "{steep:?}");
    }

    #[test]
    fn a_fill_ends_at_the_most_cells() {
        let grid = room(3.0);
        let court = Court { grid: &grid, body: Body::Ellipsoid([0.4, 0.9, 0.4]), rules: RULES, movers: &[] };
        assert_eq!(court.flood(&[point![0.0, 0.0, 3.0]], 20).cells(), 20);
    }
}
