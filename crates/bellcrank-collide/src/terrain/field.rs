//! Height fields: every cell of the grid is two triangles.

use super::{Bounds, Triangle};
use bellcrank_math::Vec3;
use bellcrank_model::HeightField;

/// A walk over the cells under a box.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cells {
    columns: (usize, usize),
    rows: (usize, usize),
    /// Column, row, and which triangle of the cell.
    at: (usize, usize, usize),
}

/// The grid point in column i and row j.
#[inline(always)]
fn point(field: &HeightField, i: usize, j: usize) -> Vec3 {
    let step = |size: f64, count: usize| size / (count - 1) as f64;
    Vec3::new(
        i as f64 * step(field.size[0], field.columns) - 0.5 * field.size[0],
        j as f64 * step(field.size[1], field.rows) - 0.5 * field.size[1],
        field.heights[j * field.columns + i],
    )
}

impl Cells {
    /// The cells below `near`.
    #[inline(always)]
    pub fn under(field: &HeightField, near: &Bounds) -> Self {
        let range = |low: f64, high: f64, size: f64, points: usize| {
            let cells = points - 1;
            let scale = cells as f64 / size;
            // `as` saturates: below zero is zero
            let first = ((low + 0.5 * size) * scale).floor() as usize;
            let last = ((high + 0.5 * size) * scale).floor();
            if last < 0.0 { (0, 0) } else { (first.min(cells), (last as usize + 1).min(cells)) }
        };
        let columns = range(near.low.x, near.high.x, field.size[0], field.columns);
        let rows = range(near.low.y, near.high.y, field.size[1], field.rows);
        Cells { columns, rows, at: (columns.0, rows.0, 0) }
    }

    /// The next triangle that reaches up to `near`.
    #[inline(always)]
    pub fn next(&mut self, field: &HeightField, near: &Bounds) -> Option<Triangle> {
        while self.at.1 < self.rows.1 && self.columns.0 < self.columns.1 {
            let (i, j, half) = self.at;
            self.at = match half {
                0 => (i, j, 1),
                _ if i + 1 < self.columns.1 => (i + 1, j, 0),
                _ => (self.columns.0, j + 1, 0),
            };
            let corners = corners_of(field, i, j, half);
            if corners.iter().any(|p| p.z >= near.low.z) {
                let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalized();
                return Some(Triangle { corners, normal, across: across(field, i, j, half) });
            }
        }
        None
    }
}

/// Half 0 lies below the diagonal from the first to the last point of the cell, half 1 above it.
#[inline(always)]
fn corners_of(field: &HeightField, i: usize, j: usize, half: usize) -> [Vec3; 3] {
    let (first, last) = (point(field, i, j), point(field, i + 1, j + 1));
    match half {
        0 => [first, point(field, i + 1, j), last],
        _ => [first, last, point(field, i, j + 1)],
    }
}

/// Far corners of the neighbours, in the order of the edges.
#[inline(always)]
fn across(field: &HeightField, i: usize, j: usize, half: usize) -> [Option<Vec3>; 3] {
    let inside = |exists: bool, i: usize, j: usize| exists.then(|| point(field, i, j));
    match half {
        0 => [
            inside(j > 0, i, j.wrapping_sub(1)),
            inside(i + 2 < field.columns, i + 2, j + 1),
            inside(true, i, j + 1),
        ],
        _ => [
            inside(true, i + 1, j),
            inside(j + 2 < field.rows, i + 1, j + 2),
            inside(i > 0, i.wrapping_sub(1), j),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terrain::Ground;

    /// Every neighbour's far corner must be a corner of a triangle that shares the edge.
    #[test]
    fn neighbours_share_their_edge() {
        let heights = (0..20).map(|k| ((k * 7) % 5) as f64 * 0.1).collect();
        let field = HeightField { rows: 4, columns: 5, size: [4.0, 3.0], heights };
        let all = Bounds { low: Vec3::new(-9.0, -9.0, -9.0), high: Vec3::new(9.0, 9.0, 9.0) };
        let mut walk = Ground::Field(&field).walk(all);
        let mut triangles = Vec::new();
        while let Some(triangle) = walk.next() {
            assert!(triangle.normal.z > 0.0);
            triangles.push(triangle);
        }
        assert_eq!(triangles.len(), 3 * 4 * 2);
        let mut borders = 0;
        for triangle in &triangles {
            for k in 0..3 {
                let Some(far) = triangle.across[k] else {
                    borders += 1;
                    continue;
                };
                let (p, q) = (triangle.corners[k], triangle.corners[(k + 1) % 3]);
                let shared = |t: &&Triangle| [p, q, far].iter().all(|corner| t.corners.contains(corner));
                assert_eq!(triangles.iter().filter(shared).count(), 1);
            }
        }
        assert_eq!(borders, 2 * (3 + 4));
    }
}
