//! Flat polygons as triangles: quads along their shorter diagonal, others by cutting off ears, one after the other from the
//! first corner on. (As tinyobjloader does, so that masses of hollow faces agree with MuJoCo's.)

use bellcrank_math::Vec3;

/// Polygons of more corners are cut as a fan: the time for ears grows with the square.
const EARS: usize = 2_000;

/// Numbers of the corners of each triangle.
/// `patience` is how many corners may still be compared with candidates for ears, in this polygon and in those that follow; without
/// any left, the rest is a fan.
pub(super) fn triangles(corners: &[Vec3], patience: &mut usize) -> Vec<[usize; 3]> {
    match corners.len() {
        0..3 => Vec::new(),
        3 => vec![[0, 1, 2]],
        4 => {
            let diagonal = |a: usize, b: usize| (corners[a] - corners[b]).norm();
            match diagonal(0, 2) < diagonal(1, 3) {
                true => vec![[0, 1, 2], [0, 2, 3]],
                false => vec![[0, 1, 3], [1, 2, 3]],
            }
        }
        5..=EARS => ears(&flat(corners), patience),
        count => (2..count).map(|k| [0, k - 1, k]).collect(),
    }
}

/// The corners on the coordinate plane that the polygon is most parallel to.
fn flat(corners: &[Vec3]) -> Vec<[f64; 2]> {
    let mut normal = Vec3::zero();
    for k in 0..corners.len() {
        normal += corners[k].cross(corners[(k + 1) % corners.len()]);
    }
    let [x, y, z] = normal.to_array().map(f64::abs);
    let project = |v: &Vec3| {
        if x > y && x > z {
            [v.y, v.z]
        } else if y > z {
            [v.x, v.z]
        } else {
            [v.x, v.y]
        }
    };
    corners.iter().map(project).collect()
}

fn ears(points: &[[f64; 2]], patience: &mut usize) -> Vec<[usize; 3]> {
    let mut left: Vec<usize> = (0..points.len()).collect();
    let mut found = Vec::new();
    let turn = |[a, b, c]: [usize; 3]| {
        let (p, q, r) = (points[a], points[b], points[c]);
        (q[0] - p[0]) * (r[1] - q[1]) - (q[1] - p[1]) * (r[0] - q[0])
    };
    let sector = |k: usize| {
        let (p, q) = (points[k], points[(k + 1) % points.len()]);
        p[0] * q[1] - p[1] * q[0]
    };
    let area: f64 = (0..points.len()).map(sector).sum();
    let (mut at, mut tries) = (0, left.len());
    while left.len() > 3 && tries > 0 && *patience > left.len() {
        let count = left.len();
        at %= count;
        tries -= 1;
        *patience -= count;
        let ear = [0, 1, 2].map(|k| left[(at + k) % count]);
        let others = (3..count).map(|k| points[left[(at + k) % count]]);
        if turn(ear) * area < 0.0 || others.into_iter().any(|p| inside(ear.map(|k| points[k]), p)) {
            at += 1;
            continue;
        }
        found.push(ear);
        left.remove((at + 1) % count);
        tries = left.len();
    }
    // three are left; or a polygon that crosses itself, of which the rest is taken as a fan
    found.extend((2..left.len()).map(|k| [left[0], left[k - 1], left[k]]));
    found
}

/// Whether a line from the point to one side crosses the outline an odd number of times.
fn inside(triangle: [[f64; 2]; 3], p: [f64; 2]) -> bool {
    let mut odd = false;
    for (i, j) in [(0, 2), (1, 0), (2, 1)] {
        let (a, b) = (triangle[i], triangle[j]);
        if (a[1] > p[1]) != (b[1] > p[1]) && p[0] < (b[0] - a[0]) * (p[1] - a[1]) / (b[1] - a[1]) + a[0] {
            odd = !odd;
        }
    }
    odd
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(corners: &[Vec3], cut: &[[usize; 3]]) -> f64 {
        let of = |t: &[usize; 3]| {
            let [a, b, c] = t.map(|k| corners[k]);
            0.5 * (b - a).cross(c - a).norm()
        };
        cut.iter().map(of).sum()
    }

    /// By hand: an L of 2 × 1 and 1 × 2 has the area 4; a fan from its first corner would cover 2 × 3 less one corner twice.
    #[test]
    fn hollow_polygons_are_covered_once() {
        let outline = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
        for start in 0..6 {
            let corner = |k: usize| outline[(start + k) % 6];
            let upright: Vec<Vec3> = (0..6).map(|k| Vec3::new(0.3, corner(k)[0], corner(k)[1])).collect();
            let cut = triangles(&upright, &mut 1000);
            assert_eq!(cut.len(), 4);
            assert!((area(&upright, &cut) - 4.0).abs() < 1e-12, "from corner {start}: {cut:?}");
        }
    }

    #[test]
    fn quads_are_cut_along_the_shorter_diagonal() {
        let kite = [[0.0, 0.0], [2.0, -1.0], [4.0, 0.0], [2.0, 1.0]].map(|[x, y]| Vec3::new(x, y, 0.0));
        assert_eq!(triangles(&kite, &mut 1000), [[0, 1, 3], [1, 2, 3]]);
    }
}
