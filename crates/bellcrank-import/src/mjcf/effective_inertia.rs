//! How much a coordinate resists while all others are free: 1 / (M⁻¹)ᵢᵢ at the reference pose.
//!
//! Damping ratios and spring time constants of the file refer to it. M is the mass matrix of the tree,
//! Mᵢⱼ = Sᵢ · Iⱼ Sⱼ, with Iⱼ all that hangs on joint j and i at or above j, plus the armature on its diagonal.

use super::joints::{JointSpec, JointType};
use super::spec::{BodySpec, Spec};
use bellcrank_math::{Twist, Vec3};

/// Larger trees than this use the diagonal of M alone: the time grows with the cube.
const LARGEST: usize = 1_500;

/// For every joint of every body [kg·m² or kg]; the mean over its axes for balls and free bodies.
pub(super) fn effective_inertia(spec: &Spec) -> Vec<Vec<f64>> {
    let axes = axes(spec);
    let inverse: Vec<f64> = match axes.len() {
        0..=LARGEST => inverse_diagonal(mass_matrix(spec, &axes)),
        _ => {
            let hanging = spec.subtree_inertia();
            let own = |a: &Axis| a.motion.dot(hanging[a.body].apply(a.motion)) + a.armature;
            axes.iter().map(|axis| 1.0 / own(axis)).collect()
        }
    };
    let mut next = inverse.into_iter();
    let of_joint = |joint: &JointSpec, next: &mut dyn Iterator<Item = f64>| {
        let count = joint.kind.freedoms();
        let sum: f64 = next.take(count).sum();
        count as f64 / sum
    };
    spec.bodies
        .iter()
        .map(|body| body.joints.iter().map(|joint| of_joint(joint, &mut next)).collect())
        .collect()
}

/// One degree of freedom: the body it moves, its motion told of the world's origin, and its armature.
struct Axis {
    body: usize,
    motion: Twist,
    armature: f64,
}

fn axes(spec: &Spec) -> Vec<Axis> {
    let mut axes = Vec::new();
    for (body, part) in spec.bodies.iter().enumerate() {
        for joint in &part.joints {
            let armature = joint.dof.armature;
            axes.extend(motions(part, joint).into_iter().map(|motion| Axis { body, motion, armature }));
        }
    }
    axes
}

fn motions(body: &BodySpec, joint: &JointSpec) -> Vec<Twist> {
    let p = body.X_WL * joint.position;
    let slide = |a: Vec3| Twist::new(a, Vec3::zero());
    let turn = |a: Vec3| Twist::new(p.cross(a), a);
    let base = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()];
    let axis = body.X_WL.R.rotate(joint.axis);
    match joint.kind {
        JointType::Slide => vec![slide(axis)],
        JointType::Hinge => vec![turn(axis)],
        JointType::Ball => base.map(|a| turn(body.X_WL.R.rotate(a))).to_vec(),
        JointType::Free => base.map(slide).into_iter().chain(base.map(turn)).collect(),
    }
}

fn mass_matrix(spec: &Spec, axes: &[Axis]) -> Vec<Vec<f64>> {
    let hanging = spec.subtree_inertia();
    let mut first = vec![axes.len(); spec.bodies.len()];
    let mut count = vec![0; spec.bodies.len()];
    for (i, axis) in axes.iter().enumerate() {
        first[axis.body] = first[axis.body].min(i);
        count[axis.body] += 1;
    }
    let mut matrix = vec![vec![0.0; axes.len()]; axes.len()];
    for (j, axis) in axes.iter().enumerate() {
        let momentum = hanging[axis.body].apply(axis.motion);
        matrix[j][j] = axis.armature;
        let mut body = axis.body;
        while body != 0 {
            for i in (first[body]..first[body].saturating_add(count[body])).filter(|i| *i <= j) {
                let value = axes[i].motion.dot(momentum);
                matrix[j][i] += value;
                if i != j {
                    matrix[i][j] += value;
                }
            }
            body = spec.bodies[body].parent;
        }
    }
    matrix
}

/// (A⁻¹)ⱼⱼ = |L⁻¹ eⱼ|² with A = L Lᵀ.
fn inverse_diagonal(mut a: Vec<Vec<f64>>) -> Vec<f64> {
    let n = a.len();
    for j in 0..n {
        for i in j..n {
            let sum: f64 = (0..j).map(|k| a[i][k] * a[j][k]).sum();
            let value = a[i][j] - sum;
            a[i][j] = if i == j { value.max(1e-300).sqrt() } else { value / a[j][j] };
        }
    }
    let column = |j: usize| {
        let mut x = vec![0.0; n];
        for i in j..n {
            let sum: f64 = (j..i).map(|k| a[i][k] * x[k]).sum();
            x[i] = (f64::from(i == j) - sum) / a[i][i];
        }
        x.iter().map(|x| x * x).sum::<f64>()
    };
    (0..n).map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: A = [2 1; 1 2] has the inverse [2 −1; −1 2]/3.
    #[test]
    fn the_inverse_of_two_by_two_has_two_thirds_on_its_diagonal() {
        let found = inverse_diagonal(vec![vec![2.0, 1.0], vec![1.0, 2.0]]);
        assert!(found.iter().all(|x| (x - 2.0 / 3.0).abs() < 1e-15));
    }
}
