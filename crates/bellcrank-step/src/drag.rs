//! What the medium takes from bodies, as forces of one step; see [`bellcrank_model::Medium`] for the law.
//!
//! The coefficient of a direction, c = c₁ + c₂ |v|, is that of the start of the step, and the velocity that of its end were nothing else there:
//! f = −c v/(1 + Δt c/m). So a body comes to rest in any medium, whatever the step, and the first order in Δt is MuJoCo's.

use crate::constants::Constants;
use crate::state::{Control, State};
use bellcrank_math::{Mat3, Pose, Quat, Real, Vec3, kernel, numbers};
use bellcrank_model::Medium;
use std::f64::consts::PI;

/// Of one body.
#[derive(Clone, Copy, Debug)]
pub struct DragConstants<R> {
    /// The principal axes in the body.
    pub X_BI: Pose<R>,
    /// 3π β d and π β d³, of force and moment.
    pub linear: [R; 2],
    /// What stands before |v| v and |ω| ω, by axis.
    pub quadratic: [[R; 3]; 2],
    pub inverse_mass: R,
    pub inverse_moments: [R; 3],
    pub wind: Vec3<R>,
}

numbers!(DragConstants { X_BI, linear, quadratic, inverse_mass, inverse_moments, wind });

impl DragConstants<f64> {
    /// Of a body with this mass and inertia about its centre of mass.
    pub fn of(medium: &Medium, mass: f64, inertia: bellcrank_math::Sym3) -> Self {
        let (moments, axes) = inertia.eigen();
        let right = Mat3::from_columns(axes.x, axes.y, axes.x.cross(axes.y));
        let [a, b, c] = moments;
        // the box of edges b has the moments m (b_j² + b_k²)/12
        let edge =
            |own: f64, other: f64, another: f64| ((other + another - own).max(0.0) * 6.0 / mass).sqrt();
        let box_edges = [edge(a, b, c), edge(b, c, a), edge(c, a, b)];
        let d = box_edges.iter().sum::<f64>() / 3.0;
        let Medium { density, viscosity, wind } = *medium;
        let side = |i: usize| {
            let (j, k) = (box_edges[(i + 1) % 3], box_edges[(i + 2) % 3]);
            [0.5 * density * j * k, density * box_edges[i] * (j.powi(4) + k.powi(4)) / 64.0]
        };
        DragConstants {
            X_BI: Pose::new(Quat::from_mat3(right), Vec3::zero()),
            linear: [3.0 * PI * viscosity * d, PI * viscosity * d * d * d],
            quadratic: [0, 1].map(|part| [0, 1, 2].map(|i| side(i)[part])),
            inverse_mass: 1.0 / mass,
            inverse_moments: moments.map(|moment| if moment > 0.0 { 1.0 / moment } else { 0.0 }),
            wind,
        }
    }
}

/// −c v/(1 + Δt c/m) along one axis.
#[inline(always)]
fn resist<R: Real>(v: R, (linear, quadratic): (R, R), inverse: R, dt: R) -> R {
    let c = quadratic.mul_add(v.abs(), linear);
    -(c * v) / (dt * c).mul_add(inverse, R::one())
}

/// Adds the drag of all bodies to what pushes them from outside.
#[kernel]
pub fn add<R: Real>(constants: &Constants<R>, dt: R, state: &State<R>, told: &mut Control<R>) {
    for (b, c) in constants.drag.iter().enumerate() {
        let (R_WI, V) = (state.X_WB[b].R * c.X_BI.R, state.V_WB[b]);
        let v = R_WI.rotate_inverse(V.linear - c.wind).to_array();
        let w = R_WI.rotate_inverse(V.angular).to_array();
        let (mut force, mut moment) = ([R::zero(); 3], [R::zero(); 3]);
        for i in 0..3 {
            force[i] = resist(v[i], (c.linear[0], c.quadratic[0][i]), c.inverse_mass, dt);
            moment[i] = resist(w[i], (c.linear[1], c.quadratic[1][i]), c.inverse_moments[i], dt);
        }
        let (force, moment) = (R_WI.rotate(Vec3::from_array(force)), R_WI.rotate(Vec3::from_array(moment)));
        let all = [force.x, force.y, force.z, moment.x, moment.y, moment.z];
        for (push, more) in told.wrench[b].iter_mut().zip(all) {
            *push += more;
        }
    }
}
