//! The surface of every form as triangles with normals at their corners.

use bellcrank_math::Vec3;
use bellcrank_model::{Geometry, HeightField, Mesh, convex_hull};
use std::f32::consts::TAU;

pub(crate) type V = Vec3<f32>;

/// A surface in the shape's own frame [m].
#[derive(Clone, Debug, Default)]
pub(crate) struct Triangles {
    pub points: Vec<V>,
    /// One per point, outwards.
    pub normals: Vec<V>,
    /// Where each point lies in a picture; empty without one.
    pub uvs: Vec<[f32; 2]>,
    /// Three numbers of points each.
    pub faces: Vec<[u32; 3]>,
}

/// Edges of faces that meet at less than this stay sharp: cosine of 40°.
const SHARP: f32 = 0.766;

impl Triangles {
    /// `round` is the number of corners of a circle.
    pub fn of(geometry: &Geometry, round: usize) -> Self {
        match geometry {
            Geometry::Plane => Self::plane(),
            &Geometry::Sphere { radius } => Self::capsule(radius as f32, 0.0, round),
            &Geometry::Capsule { radius, half_length } => {
                Self::capsule(radius as f32, half_length as f32, round)
            }
            Geometry::Box { half } => Self::cuboid(Vec3::constant(*half)),
            &Geometry::Cylinder { radius, half_length } => {
                Self::frustum([radius as f32; 2], half_length as f32, round)
            }
            &Geometry::Cone { radius, half_length } => {
                Self::frustum([radius as f32, 0.0], half_length as f32, round)
            }
            Geometry::Ellipsoid { radii } => Self::capsule(1.0, 0.0, round).stretched(Vec3::constant(*radii)),
            Geometry::ConvexMesh(mesh) => Self::hull(mesh),
            Geometry::TriangleMesh(mesh) => Self::creased(&mesh.vertices, &mesh.triangles, &mesh.uvs),
            Geometry::HeightField(field) => Self::terrain(field),
        }
    }

    /// Adds a point and gives its number.
    fn point(&mut self, p: V, normal: V) -> u32 {
        self.points.push(p);
        self.normals.push(normal);
        self.points.len() as u32 - 1
    }

    /// Adds both triangles of a strip's cell: a and b on one rim, c and d beyond them on the next.
    fn cell(&mut self, [a, b, c, d]: [u32; 4]) {
        self.faces.extend([[a, b, d], [a, d, c]]);
    }

    /// A wall that is not the floor: a square of 10 m.
    fn plane() -> Self {
        let mut out = Self::default();
        let corners = [[-5.0, -5.0], [5.0, -5.0], [-5.0, 5.0], [5.0, 5.0]];
        let rim = corners.map(|[x, y]| out.point(V::new(x, y, 0.0), V::z_axis()));
        out.cell(rim);
        out
    }

    /// Rims of points from the lower pole to the upper; the middle of a capsule is one strip between two halves of a sphere.
    fn capsule(radius: f32, half_length: f32, round: usize) -> Self {
        let mut out = Self::default();
        let quarter = (round / 4).max(1);
        let rims = 2 * quarter + 2;
        for rim in 0..rims {
            let lower = rim <= quarter;
            let step = if lower { rim } else { rim - 1 };
            let (sin, cos) = (TAU / 4.0 * (step as f32 / quarter as f32 - 1.0)).sin_cos();
            let z = if lower { -half_length } else { half_length };
            for k in 0..=round {
                let (s, c) = (TAU * k as f32 / round as f32).sin_cos();
                let n = V::new(cos * c, cos * s, sin);
                out.point(n * radius + V::new(0.0, 0.0, z), n);
            }
        }
        out.strips(rims, round + 1);
        out
    }

    /// Joins rims of equally many points.
    fn strips(&mut self, rims: usize, across: usize) {
        for rim in 0..rims as u32 - 1 {
            for k in 0..across as u32 - 1 {
                let a = rim * across as u32 + k;
                self.cell([a, a + 1, a + across as u32, a + across as u32 + 1]);
            }
        }
    }

    fn stretched(mut self, by: V) -> Self {
        for (p, n) in self.points.iter_mut().zip(&mut self.normals) {
            *p = V::new(p.x * by.x, p.y * by.y, p.z * by.z);
            *n = V::new(n.x / by.x, n.y / by.y, n.z / by.z).normalized();
        }
        self
    }

    fn cuboid(half: V) -> Self {
        let mut out = Self::default();
        let at = |u: V| V::new(u.x * half.x, u.y * half.y, u.z * half.z);
        for (n, a) in [(V::x_axis(), V::y_axis()), (V::y_axis(), V::z_axis()), (V::z_axis(), V::x_axis())] {
            for sign in [1.0, -1.0] {
                let (n, b) = (n * sign, (n * sign).cross(a));
                let corners = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
                let rim = corners.map(|[s, t]| out.point(at(n + a * s + b * t), n));
                out.cell(rim);
            }
        }
        out
    }

    /// Radii below and above: a cylinder, or a cone.
    fn frustum(radii: [f32; 2], half_length: f32, round: usize) -> Self {
        let mut out = Self::default();
        let slope = (radii[0] - radii[1]) / (2.0 * half_length).max(1e-9);
        for (radius, z) in [(radii[0], -half_length), (radii[1], half_length)] {
            for k in 0..=round {
                let (s, c) = (TAU * k as f32 / round as f32).sin_cos();
                out.point(V::new(radius * c, radius * s, z), V::new(c, s, slope).normalized());
            }
        }
        out.strips(2, round + 1);
        for (radius, z) in [(radii[0], -half_length), (radii[1], half_length)] {
            let up = V::new(0.0, 0.0, z.signum());
            let middle = out.point(V::new(0.0, 0.0, z), up);
            for k in 0..=round {
                let (s, c) = (TAU * k as f32 / round as f32).sin_cos();
                out.point(V::new(radius * c, radius * s, z), up);
            }
            let turn = |k: u32| if z < 0.0 { [middle, k + 1, k] } else { [middle, k, k + 1] };
            out.faces.extend((1..=round as u32).map(|k| turn(middle + k)));
        }
        out
    }

    fn hull(mesh: &Mesh) -> Self {
        Self::creased(&mesh.vertices, &convex_hull(&mesh.vertices), &[])
    }

    /// Corners are smooth where the faces around them nearly agree, and sharp elsewhere: each face has corners of its own, with
    /// the mean normal of those faces there that are turned like it.
    fn creased(points: &[Vec3], faces: &[[u32; 3]], uvs: &[[[f32; 2]; 3]]) -> Self {
        let points: Vec<V> = points.iter().map(|p| Vec3::constant(*p)).collect();
        let sound = |face: &[u32; 3]| face.iter().all(|k| (*k as usize) < points.len());
        let kept: Vec<usize> = (0..faces.len()).filter(|f| sound(&faces[*f])).collect();
        let faces: Vec<[u32; 3]> = kept.iter().map(|f| faces[*f]).collect();
        let normal = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|k| points[k as usize]);
            (b - a).cross(c - a) // its length weighs larger faces more
        };
        let normals: Vec<V> = faces.iter().map(normal).collect();
        let mut around: Vec<Vec<u32>> = vec![Vec::new(); points.len()];
        for (f, face) in faces.iter().enumerate() {
            face.iter().for_each(|k| around[*k as usize].push(f as u32));
        }
        let mut out = Self::default();
        for (face, own) in faces.iter().zip(&normals) {
            let unit = *own * (1.0 / own.norm().max(1e-30));
            let corners = face.map(|k| {
                let like = around[k as usize].iter().map(|f| normals[*f as usize]);
                let like = like.filter(|n| n.dot(unit) > SHARP * n.norm());
                let sum = like.fold(V::zero(), |sum, n| sum + n);
                out.point(points[k as usize], sum * (1.0 / sum.norm().max(1e-30)))
            });
            out.faces.push(corners);
        }
        out.uvs = kept.iter().filter_map(|f| uvs.get(*f)).flatten().copied().collect();
        out
    }

    fn terrain(field: &HeightField) -> Self {
        let (rows, columns) = (field.rows, field.columns);
        if rows < 2 || columns < 2 || field.heights.len() < rows * columns {
            return Self::default();
        }
        let steps = [field.size[0] / (columns - 1) as f64, field.size[1] / (rows - 1) as f64];
        let z = |i: usize, j: usize| field.heights[j.min(rows - 1) * columns + i.min(columns - 1)];
        let mut out = Self::default();
        for j in 0..rows {
            for i in 0..columns {
                let p =
                    [i as f64 * steps[0] - 0.5 * field.size[0], j as f64 * steps[1] - 0.5 * field.size[1]];
                let slope = |low: f64, high: f64, step: f64, span: usize| (high - low) / (step * span as f64);
                let (left, right) = (i.saturating_sub(1), (i + 1).min(columns - 1));
                let (near, far) = (j.saturating_sub(1), (j + 1).min(rows - 1));
                let dx = slope(z(left, j), z(right, j), steps[0], right - left);
                let dy = slope(z(i, near), z(i, far), steps[1], far - near);
                let normal = V::new(-dx as f32, -dy as f32, 1.0).normalized();
                out.point(V::new(p[0] as f32, p[1] as f32, z(i, j) as f32), normal);
            }
        }
        out.strips(rows, columns);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// The area of all faces, and the volume that they enclose (sum of p · n dA / 3, with the faces' own turning).
    fn area_and_volume(t: &Triangles) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for face in &t.faces {
            let [a, b, c] = face.map(|k| t.points[k as usize]);
            let n = (b - a).cross(c - a);
            sums[0] += 0.5 * f64::from(n.norm());
            sums[1] += f64::from(a.dot(n)) / 6.0;
        }
        sums
    }

    /// Surfaces are closed and turned outwards: their volumes are those of the solids, less what flat facets cut off (about 1 % of
    /// a circle with 32 corners: 1 − sin(2π/32)/(2π/32) = 0.6 %, for spheres twice that).
    #[test]
    fn surfaces_enclose_the_volumes_of_their_solids() {
        let pi = std::f64::consts::PI;
        let cube: Vec<Vec3> = (0..8)
            .map(|k: i32| Vec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2 & 1)))
            .collect();
        let mesh = Arc::new(Mesh::new(cube, Vec::new()));
        let cases = [
            (Geometry::Sphere { radius: 2.0 }, 4.0 / 3.0 * pi * 8.0),
            (Geometry::Capsule { radius: 0.5, half_length: 1.0 }, pi * 0.25 * 2.0 + 4.0 / 3.0 * pi * 0.125),
            (Geometry::Box { half: Vec3::new(1.0, 2.0, 3.0) }, 48.0),
            (Geometry::Cylinder { radius: 1.0, half_length: 2.0 }, 4.0 * pi),
            (Geometry::Cone { radius: 1.0, half_length: 1.5 }, pi),
            (Geometry::Ellipsoid { radii: Vec3::new(1.0, 2.0, 0.5) }, 4.0 / 3.0 * pi),
            (Geometry::ConvexMesh(mesh), 1.0),
        ];
        for (geometry, volume) in cases {
            let t = Triangles::of(&geometry, 32);
            let found = area_and_volume(&t)[1];
            assert!(
                found <= volume * (1.0 + 1e-5) && found > 0.975 * volume,
                "{geometry:?}: {found}, {volume}"
            );
            for face in &t.faces {
                let [a, b, c] = face.map(|k| t.points[k as usize]);
                let n = (b - a).cross(c - a);
                if n.norm() > 1e-5 {
                    // at the poles faces are slivers of rounding
                    let agree = face.iter().all(|k| t.normals[*k as usize].dot(n) > 0.0);
                    assert!(agree, "{geometry:?}: a normal points inwards");
                }
            }
        }
    }

    #[test]
    fn terrain_is_where_its_heights_are() {
        let field = HeightField {
            rows: 2,
            columns: 3,
            size: [2.0, 1.0],
            heights: vec![0.0, 1.0, 2.0, 0.0, 1.0, 2.0],
        };
        let t = Triangles::of(&Geometry::HeightField(Arc::new(field)), 8);
        // a plane of slope 1 over 2 m²: area 2 √2
        assert!((area_and_volume(&t)[0] - 2.0 * 2.0_f64.sqrt()).abs() < 1e-6);
        assert!(t.normals.iter().all(|n| (*n - V::new(-1.0, 0.0, 1.0).normalized()).norm() < 1e-6));
        assert_eq!(t.points[0], V::new(-1.0, -0.5, 0.0));
    }
}
