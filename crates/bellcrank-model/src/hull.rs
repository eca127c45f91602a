//! The convex hull of a set of points, for masses and pictures of meshes without faces.
//!
//! Incremental with conflict lists (quickhull): every point outside is kept with one face that it can see; the
//! farthest point of a face is added, the faces that it sees are replaced by a fan over their outline.

use bellcrank_math::Vec3;
use std::collections::HashMap;

/// More faces than this are not built: no robot's part needs them, and the time grows with their square.
const FACES: usize = 40_000;

struct Face {
    corners: [u32; 3],
    normal: Vec3,
    offset: f64,
    /// Points outside this face.
    outside: Vec<u32>,
    alive: bool,
}

/// Triangles of the hull, counter-clockwise seen from outside. Empty for fewer than four points, flat ones,
/// or far too many.
pub fn convex_hull(points: &[Vec3]) -> Vec<[u32; 3]> {
    let Some((corners, tolerance)) = first_tetrahedron(points) else { return Vec::new() };
    let mut hull = Hull { points, faces: Vec::new(), tolerance };
    hull.start(corners);
    let mut next = 0;
    while next < hull.faces.len() {
        if hull.faces.len() > FACES {
            return Vec::new();
        }
        if hull.faces[next].alive && !hull.faces[next].outside.is_empty() {
            hull.add_farthest(next);
        } else {
            next += 1;
        }
    }
    hull.faces.iter().filter(|face| face.alive).map(|face| face.corners).collect()
}

/// Four points that span a volume, and the distance that counts as zero.
fn first_tetrahedron(points: &[Vec3]) -> Option<([u32; 4], f64)> {
    let first = points.first()?;
    let farthest = |distance: &dyn Fn(Vec3) -> f64| {
        let (mut best, mut at) = (-1.0, 0);
        for (i, p) in points.iter().enumerate() {
            let d = distance(*p);
            if d > best {
                (best, at) = (d, i);
            }
        }
        (at, best)
    };
    let (a, _) = farthest(&|p| (p - *first).norm());
    let (b, size) = farthest(&|p| (p - points[a]).norm());
    let tolerance = size * 1e-12;
    let along = (points[b] - points[a]) * (1.0 / size);
    let (c, away) = farthest(&|p| (p - points[a]).cross(along).norm());
    let normal = (points[b] - points[a]).cross(points[c] - points[a]);
    let normal = normal * (1.0 / normal.norm());
    let (d, height) = farthest(&|p| (p - points[a]).dot(normal).abs());
    let solid = size.is_finite() && away > 1e-9 * size && height > 1e-9 * size;
    solid.then_some(([a as u32, b as u32, c as u32, d as u32], tolerance))
}

struct Hull<'a> {
    points: &'a [Vec3],
    faces: Vec<Face>,
    tolerance: f64,
}

impl Hull<'_> {
    fn point(&self, i: u32) -> Vec3 {
        self.points[i as usize]
    }

    fn start(&mut self, [a, b, c, d]: [u32; 4]) {
        let n = (self.point(b) - self.point(a)).cross(self.point(c) - self.point(a));
        // d must lie behind the first face
        let (b, c) = if n.dot(self.point(d) - self.point(a)) > 0.0 { (c, b) } else { (b, c) };
        for corners in [[a, b, c], [a, d, b], [b, d, c], [c, d, a]] {
            self.push(corners);
        }
        let all: Vec<u32> = (0..self.points.len() as u32).collect();
        self.assign(&all, 0);
    }

    fn push(&mut self, corners: [u32; 3]) {
        let [a, b, c] = corners.map(|i| self.point(i));
        let n = (b - a).cross(c - a);
        let normal = n * (1.0 / n.norm().max(f64::MIN_POSITIVE));
        self.faces.push(Face { corners, normal, offset: normal.dot(a), outside: Vec::new(), alive: true });
    }

    fn height(&self, face: usize, point: u32) -> f64 {
        self.faces[face].normal.dot(self.point(point)) - self.faces[face].offset
    }

    /// Gives each point to the first face from `from` on that it can see.
    fn assign(&mut self, points: &[u32], from: usize) {
        for &point in points {
            let seen = (from..self.faces.len()).find(|f| self.height(*f, point) > self.tolerance);
            if let Some(face) = seen {
                self.faces[face].outside.push(point);
            }
        }
    }

    fn add_farthest(&mut self, face: usize) {
        let outside = &self.faces[face].outside;
        let mut apex = outside[0];
        for &point in outside {
            if self.height(face, point) > self.height(face, apex) {
                apex = point;
            }
        }
        let visible: Vec<usize> = (0..self.faces.len())
            .filter(|f| self.faces[*f].alive && (*f == face || self.height(*f, apex) > self.tolerance))
            .collect();
        let mut edges: HashMap<(u32, u32), ()> = HashMap::new();
        let mut orphans = Vec::new();
        for f in visible {
            self.faces[f].alive = false;
            orphans.append(&mut self.faces[f].outside);
            let [a, b, c] = self.faces[f].corners;
            for (from, to) in [(a, b), (b, c), (c, a)] {
                // an edge between two visible faces is inside the outline
                if edges.remove(&(to, from)).is_none() {
                    edges.insert((from, to), ());
                }
            }
        }
        let mut outline: Vec<(u32, u32)> = edges.into_keys().collect();
        outline.sort_unstable(); // the order of a hash map is not the same twice
        let from = self.faces.len();
        for (a, b) in outline {
            self.push([a, b, apex]);
        }
        orphans.retain(|point| *point != apex);
        self.assign(&orphans, from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of 5³ points in the unit cube: the hull is the cube, volume 1.
    #[test]
    fn the_hull_of_a_grid_is_its_box() {
        let mut points = Vec::new();
        for i in 0..125 {
            points.push(Vec3::new((i % 5) as f64, (i / 5 % 5) as f64, (i / 25) as f64) * 0.25);
        }
        let hull = convex_hull(&points);
        // tetrahedra from the origin: Σ a · (b × c) / 6, and their middles by volume
        let (mut volume, mut moment) = (0.0, Vec3::zero());
        for face in hull {
            let [a, b, c] = face.map(|k| points[k as usize]);
            let part = a.dot(b.cross(c)) / 6.0;
            volume += part;
            moment += (a + b + c) * (0.25 * part);
        }
        assert!((volume - 1.0).abs() < 1e-12, "{volume}");
        assert!((moment - Vec3::new(0.5, 0.5, 0.5)).norm() < 1e-12);
    }

    #[test]
    fn points_in_a_plane_have_no_hull() {
        let points: Vec<Vec3> = (0..10).map(|i| Vec3::new(i as f64, (i * i) as f64, 0.0)).collect();
        assert!(convex_hull(&points).is_empty());
        assert!(convex_hull(&[]).is_empty());
    }
}
