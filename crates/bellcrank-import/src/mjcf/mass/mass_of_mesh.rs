//! Volume, centre of mass and inertia of a triangle mesh of density one.
//!
//! Every triangle (D, E, F) and a common apex span a tetrahedron; with signed volumes the parts outside the body
//! cancel. Second moments of a tetrahedron with its apex at the origin:
//! ∫ xᵢxⱼ = V/20 · (2 Σ aᵢaⱼ + Σ_{a≠b} aᵢbⱼ) over its three other corners.

use super::solids::nothing;
use crate::solid::Solid;
use bellcrank_math::{Sym3, Vec3};

/// How the mesh is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mjcf) enum Fill {
    /// Signed volumes: right for a closed surface.
    Exact,
    /// Absolute volumes, as MuJoCo does by default: finite for a surface with holes, too large for hollows.
    Absolute,
    /// Mass on the surface only.
    Shell,
}

/// Volume [m³] (area [m²] for a shell) as mass, centre, and inertia, in the mesh's own frame.
pub(in crate::mjcf) fn unit_density(vertices: &[Vec3], triangles: &[[u32; 3]], fill: Fill) -> Solid {
    let corners = |t: &[u32; 3]| t.map(|v| vertices.get(v as usize).copied().unwrap_or_default());
    let faces: Vec<[Vec3; 3]> = triangles.iter().map(corners).collect();
    let middle = area_centroid(&faces);
    let com = if fill == Fill::Shell { middle } else { centre_of_volume(&faces, middle, fill) };
    if !com.is_finite() {
        return nothing();
    }
    let (mut total, mut moments) = (0.0, Sym3::zero());
    for [d, e, f] in faces {
        let (d, e, f) = (d - com, e - com, f - com);
        let weight = match fill {
            Fill::Shell => (e - d).cross(f - d).norm() / 2.0,
            Fill::Exact => volume(d, e, f),
            Fill::Absolute => volume(d, e, f).abs(),
        };
        total += weight;
        let share = if fill == Fill::Shell { 12.0 } else { 20.0 };
        moments = moments + second_moments(d, e, f) * (weight / share);
    }
    let trace = moments.trace();
    let inertia = Sym3::diagonal(trace, trace, trace) - moments;
    Solid { mass: total, com, inertia }
}

/// Signed volume of the tetrahedron from the origin.
fn volume(d: Vec3, e: Vec3, f: Vec3) -> f64 {
    d.dot(e.cross(f)) / 6.0
}

fn area_centroid(faces: &[[Vec3; 3]]) -> Vec3 {
    let (mut area, mut sum) = (0.0, Vec3::zero());
    for [d, e, f] in faces {
        let a = (*e - *d).cross(*f - *d).norm() / 2.0;
        area += a;
        sum += (*d + *e + *f) * (a / 3.0);
    }
    sum * (1.0 / area)
}

fn centre_of_volume(faces: &[[Vec3; 3]], apex: Vec3, fill: Fill) -> Vec3 {
    let (mut total, mut sum) = (0.0, Vec3::zero());
    for [d, e, f] in faces {
        let signed = volume(*d - apex, *e - apex, *f - apex);
        let v = if fill == Fill::Absolute { signed.abs() } else { signed };
        total += v;
        sum += (*d + *e + *f + apex) * (v / 4.0);
    }
    sum * (1.0 / total)
}

/// 2 Σ a aᵀ + Σ_{a≠b} a bᵀ over the three corners = Σ a aᵀ + s sᵀ with s their sum.
fn second_moments(d: Vec3, e: Vec3, f: Vec3) -> Sym3 {
    [d, e, f, d + e + f].into_iter().fold(Sym3::zero(), |sum, v| {
        let square =
            Sym3 { xx: v.x * v.x, xy: v.x * v.y, xz: v.x * v.z, yy: v.y * v.y, yz: v.y * v.z, zz: v.z * v.z };
        sum + square
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The unit cube's twelve triangles, its corner at the origin.
    fn cube() -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let corner = |i: usize| Vec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2 & 1) as f64);
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        ((0..8).map(corner).collect(), triangles)
    }

    /// By hand: m = 1, c = (½, ½, ½), I = 1/6 about each axis through the centre.
    #[test]
    fn a_unit_cube_weighs_one_and_has_a_sixth_as_moments() {
        let (vertices, triangles) = cube();
        for fill in [Fill::Exact, Fill::Absolute] {
            let solid = unit_density(&vertices, &triangles, fill);
            assert!((solid.mass - 1.0).abs() < 1e-14);
            assert!((solid.com - Vec3::new(0.5, 0.5, 0.5)).norm() < 1e-14);
            for moment in solid.inertia.eigen().0 {
                assert!((moment - 1.0 / 6.0).abs() < 1e-14);
            }
        }
    }

    /// By hand: six plates of area 1; about the centre two turn about their normal (1/6 each) and four stand at
    /// ½ from the axis (1/12 + 1/4 each): 2/6 + 4/3 = 5/3.
    #[test]
    fn a_hollow_unit_cube_has_five_thirds_as_moments() {
        let (vertices, triangles) = cube();
        let solid = unit_density(&vertices, &triangles, Fill::Shell);
        assert!((solid.mass - 6.0).abs() < 1e-14);
        for moment in solid.inertia.eigen().0 {
            assert!((moment - 5.0 / 3.0).abs() < 1e-14);
        }
    }

    #[test]
    fn a_mesh_without_volume_weighs_nothing() {
        let solid = unit_density(&[Vec3::zero(); 3], &[[0, 1, 2]], Fill::Absolute);
        assert_eq!(solid.mass, 0.0);
    }
}
