//! [`Corners`]: which vertices the triangles of a mesh have.

/// The corners of triangles, as indices of vertices.
///
/// Triangles that share nothing, each with three vertices of its own and in their order, say nothing that would have to be
/// stored: scans and many files are such soups, and twelve bytes a triangle are a sixth of all that a tree of them takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Corners {
    /// Triangle `i` has the corners `3i`, `3i + 1` and `3i + 2`; so many triangles.
    InOrder(u32),
    /// Of each triangle.
    Listed(Vec<[u32; 3]>),
}

impl Corners {
    /// Takes at most 2³⁰ triangles.
    pub(super) fn new(triangles: Vec<[u32; 3]>) -> Self {
        let are_in_order = (0..).zip(&triangles).all(|(i, corners)| *corners == in_order(i));
        if are_in_order { Self::InOrder(triangles.len() as u32) } else { Self::Listed(triangles) }
    }

    /// Number of triangles.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        match self {
            Self::InOrder(count) => *count as usize,
            Self::Listed(triangles) => triangles.len(),
        }
    }

    /// # Panics
    /// If there is no such triangle.
    #[inline(always)]
    pub(super) fn of(&self, triangle: u32) -> [u32; 3] {
        match self {
            Self::InOrder(count) => {
                assert!(triangle < *count, "there is no triangle {triangle} among {count}");
                in_order(triangle)
            }
            Self::Listed(triangles) => triangles[triangle as usize],
        }
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = [u32; 3]> + Clone + '_ {
        (0..self.len() as u32).map(|triangle| self.of(triangle))
    }

    /// Bytes on the heap.
    pub(super) fn memory(&self) -> usize {
        match self {
            Self::InOrder(_) => 0,
            Self::Listed(triangles) => size_of_val(&triangles[..]),
        }
    }
}

/// The corners of a triangle where they are counted through.
fn in_order(triangle: u32) -> [u32; 3] {
    [3 * triangle, 3 * triangle + 1, 3 * triangle + 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_the_same_stored_or_not() {
        for triangles in [vec![[0, 1, 2], [3, 4, 5]], vec![[0, 1, 2], [3, 5, 4]], vec![[1, 2, 3]]] {
            let corners = Corners::new(triangles.clone());
            assert!(corners.iter().eq(triangles.iter().copied()));
            assert_eq!((corners.len(), corners.of(0)), (triangles.len(), triangles[0]));
        }
    }

    #[test]
    fn only_corners_that_are_counted_through_take_no_memory() {
        assert_eq!(Corners::new(vec![[0, 1, 2], [3, 4, 5]]).memory(), 0);
        assert_eq!(Corners::new(vec![[0, 1, 2], [3, 4, 6]]).memory(), 24);
    }

    #[test]
    #[should_panic = "there is no triangle 2 among 2"]
    fn there_are_no_corners_beyond_the_last_triangle() {
        Corners::new(vec![[0, 1, 2], [3, 4, 5]]).of(2);
    }
}
