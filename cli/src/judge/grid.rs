//! [`Grid`]: the triangles of a level in cubes of equal size, so that those near a box are found without a tree.

use nalgebra::{Point3, Vector3};
use sidle::{Real, TriMesh};

use super::closest::{Corners, crossing, normal};

/// Edge of a cube, in metres, where the level is not too large for it.
const CUBE: f64 = 1.0;
/// Most cubes, and most entries of triangles in cubes beyond eight for each triangle; larger cubes are taken where there are more.
const MOST: usize = 8_000_000;

/// The triangles of a level, and which of them reach into each cube of a regular lattice.
pub(crate) struct Grid {
    triangles: Vec<Corners>,
    low: Point3<f64>,
    high: Point3<f64>,
    cube: f64,
    counts: [usize; 3],
    /// Where the list of each cube begins in `entries`, and at last where all end.
    starts: Vec<u32>,
    entries: Vec<u32>,
}

/// Where a segment first passes through a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hit {
    /// Share of the segment.
    pub(super) share: f64,
    /// Unit normal of the triangle, on the side from which the segment comes.
    pub(super) normal: Vector3<f64>,
    /// Whether it comes from the triangle's front.
    pub(super) is_front: bool,
}

impl Grid {
    /// Of a mesh only its vertices and indices are used.
    #[cfg(test)]
    pub(crate) fn new<T: Real>(mesh: &TriMesh<T>) -> Self {
        Self::of(triangles_of(mesh).collect())
    }

    /// # Panics
    /// If there are no triangles, or 2³² entries.
    pub(crate) fn of(triangles: Vec<Corners>) -> Self {
        let low = triangles.iter().flatten().fold(triangles[0][0], |low, p| low.inf(p));
        let high = triangles.iter().flatten().fold(triangles[0][0], |high, p| high.sup(p));
        let mut grid =
            Self { triangles, low, high, cube: CUBE, counts: [1; 3], starts: Vec::new(), entries: Vec::new() };
        grid.choose_cube();
        grid.fill();
        grid
    }

    fn choose_cube(&mut self) {
        loop {
            let size = self.high - self.low;
            self.counts = [0, 1, 2].map(|axis| (size[axis] / self.cube) as usize + 1);
            let cubes = self.counts.iter().fold(1.0, |product, count| product * *count as f64);
            if cubes <= MOST as f64 {
                let entries: usize = self.triangles.iter().map(|t| cubes_in(&self.range_of(t))).sum();
                if entries <= 8 * self.triangles.len() + MOST {
                    return;
                }
            }
            self.cube *= 1.5;
        }
    }

    fn fill(&mut self) {
        let cubes = self.counts.iter().product();
        let mut starts = vec![0_u32; cubes + 1];
        for triangle in &self.triangles {
            each_cube(&self.range_of(triangle), |cube| starts[self.index(cube) + 1] += 1);
        }
        for i in 0..cubes {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut entries = vec![0; starts[cubes] as usize];
        for (id, triangle) in (0..).zip(&self.triangles) {
            each_cube(&self.range_of(triangle), |cube| {
                let place = &mut next[self.index(cube)];
                entries[*place as usize] = id;
                *place += 1;
            });
        }
        (self.starts, self.entries) = (starts, entries);
    }

    /// The lowest point of the level.
    pub(crate) fn low(&self) -> Point3<f64> {
        self.low
    }

    /// The highest point of the level.
    pub(crate) fn high(&self) -> Point3<f64> {
        self.high
    }

    /// Whether any triangle whose box meets this one satisfies the condition.
    pub(super) fn any_near(
        &self,
        low: &Point3<f64>,
        high: &Point3<f64>,
        mut condition: impl FnMut(&Corners) -> bool,
    ) -> bool {
        let range = self.range(low, high);
        let mut is_any = false;
        each_cube(&range, |cube| {
            let list = self.index(cube);
            let entries = &self.entries[self.starts[list] as usize..self.starts[list + 1] as usize];
            is_any = is_any
                || entries.iter().any(|id| {
                    let triangle = &self.triangles[*id as usize];
                    // A triangle in several cubes is looked at in the first that it shares with the box.
                    let first = self.range_of(triangle)[0];
                    let is_first = (0..3).all(|axis| cube[axis] == first[axis].max(range[0][axis]));
                    is_first && meets(triangle, low, high) && condition(triangle)
                });
        });
        is_any
    }

    /// Looks at all triangles whose box meets this one.
    pub(super) fn each_near(&self, low: &Point3<f64>, high: &Point3<f64>, mut visit: impl FnMut(&Corners)) {
        self.any_near(low, high, |triangle| {
            visit(triangle);
            false
        });
    }

    /// Where a segment first passes through a triangle, from either side.
    pub(super) fn first_hit(&self, from: &Point3<f64>, to: &Point3<f64>) -> Option<Hit> {
        let mut first: Option<Hit> = None;
        self.each_near(&from.inf(to), &from.sup(to), |triangle| {
            if let Some(share) = crossing(from, to, triangle)
                && first.is_none_or(|first| share < first.share)
                && let Some(normal) = normal(triangle)
            {
                let is_front = normal.dot(&(to - from)) < 0.0;
                first = Some(Hit { share, normal: if is_front { normal } else { -normal }, is_front });
            }
        });
        first
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (x * self.counts[1] + y) * self.counts[2] + z
    }

    fn range_of(&self, [a, b, c]: &Corners) -> [[usize; 3]; 2] {
        self.range(&a.inf(b).inf(c), &a.sup(b).sup(c))
    }

    /// The first and the last cube of a box on each axis. What is outside counts to the outermost cubes.
    fn range(&self, low: &Point3<f64>, high: &Point3<f64>) -> [[usize; 3]; 2] {
        [low, high].map(|p| {
            // The cast takes what is below zero to zero.
            [0, 1, 2].map(|axis| (((p[axis] - self.low[axis]) / self.cube) as usize).min(self.counts[axis] - 1))
        })
    }
}

/// The triangles of a mesh.
pub(crate) fn triangles_of<T: Real>(mesh: &TriMesh<T>) -> impl Iterator<Item = Corners> {
    let vertices: Vec<Point3<f64>> = mesh.vertices().iter().map(|vertex| vertex.map(Real::to_f64)).collect();
    mesh.indices().map(move |corners| corners.map(|i| vertices[i as usize]))
}

fn cubes_in([first, last]: &[[usize; 3]; 2]) -> usize {
    (0..3).map(|axis| last[axis] - first[axis] + 1).product()
}

fn each_cube([first, last]: &[[usize; 3]; 2], mut visit: impl FnMut([usize; 3])) {
    for x in first[0]..=last[0] {
        for y in first[1]..=last[1] {
            for z in first[2]..=last[2] {
                visit([x, y, z]);
            }
        }
    }
}

/// Whether the box of a triangle meets a box.
pub(super) fn meets([a, b, c]: &Corners, low: &Point3<f64>, high: &Point3<f64>) -> bool {
    (0..3).all(|axis| a[axis].min(b[axis]).min(c[axis]) <= high[axis] && a[axis].max(b[axis]).max(c[axis]) >= low[axis])
}

#[cfg(test)]
mod tests {
    use nalgebra::point;
    use sidle::mesh::primitives::playground;

    use super::*;

    #[test]
    fn each_triangle_near_a_box_is_visited_once() {
        let grid = Grid::new(&playground::<f64>());
        for (x, y, z, size) in
            [(0.0, 0.0, 14.0, 0.5), (3.0, 1.0, -2.0, 2.5), (-50.0, 0.0, 0.0, 45.0), (0.3, 0.2, 0.1, 9.0)]
        {
            let (low, high) = (point![x - size, y - size, z - size], point![x + size, y + size, z + size]);
            let mut found = Vec::new();
            grid.each_near(&low, &high, |triangle| found.push(*triangle));
            let expected = grid.triangles.iter().filter(|t| meets(t, &low, &high)).count();
            assert_eq!(found.len(), expected);
        }
    }

    #[test]
    fn the_first_of_two_floors_is_hit_from_either_side() {
        let floor = |y: f64| [point![-9.0, y, -9.0], point![0.0, y, 9.0], point![9.0, y, -9.0]];
        let grid = Grid::of(vec![floor(0.0), floor(1.0)]);
        let down = grid.first_hit(&point![0.0, 2.0, 0.0], &point![0.0, -2.0, 0.0]);
        assert_eq!(down, Some(Hit { share: 0.25, normal: Vector3::y(), is_front: true }));
        let up = grid.first_hit(&point![0.0, -1.0, 0.0], &point![0.0, 3.0, 0.0]);
        assert_eq!(up, Some(Hit { share: 0.25, normal: -Vector3::y(), is_front: false }));
    }
}
