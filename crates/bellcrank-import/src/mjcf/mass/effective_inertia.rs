//! How much coordinates and sums of coordinates resist at the reference pose while everything else is free:
//! 1 / (w M⁻¹ wᵀ) for the sum Σ wᵢ qᵢ.
//!
//! Damping ratios and spring time constants of the file refer to it. M is the mass matrix of the tree,
//! Mᵢⱼ = Sᵢ · Iⱼ Sⱼ, with Iⱼ all that hangs on joint j and i at or above j, plus the armature of joints on its
//! diagonal and that of tendons, a wᵀw.

use crate::mjcf::bodies::joints::{JointSpec, JointType};
use crate::mjcf::bodies::spec::{BodySpec, Spec};
use bellcrank_math::{Twist, Vec3};
use std::collections::HashMap;

/// Larger trees than this use the diagonal of M alone: the time grows with the cube.
const LARGEST: usize = 1_500;

/// Two joints that move a body alike make M singular; a pivot is never smaller than this [kg·m² or kg].
const LEAST_PIVOT: f64 = 1e-15;

/// A hinge or slide with its body, its number there and its weight in a sum.
pub(in crate::mjcf) type Weighted = (usize, usize, f64);

/// M at the reference pose, ready to be asked.
pub(in crate::mjcf) struct EffectiveInertia {
    /// First axis of every joint of every body.
    first: Vec<Vec<usize>>,
    axes: Vec<Axis>,
    matrix: Factored,
}

enum Factored {
    /// L of M = L Lᵀ.
    Whole(Vec<Vec<f64>>),
    /// The diagonal of M.
    Diagonal(Vec<f64>),
}

impl EffectiveInertia {
    pub fn of(spec: &Spec) -> Self {
        let axes = axes(spec);
        let mut count = 0;
        let mut place = |joint: &JointSpec| {
            count += joint.kind.freedoms();
            count - joint.kind.freedoms()
        };
        let first: Vec<Vec<usize>> =
            spec.bodies.iter().map(|body| body.joints.iter().map(&mut place).collect()).collect();
        let matrix = match axes.len() {
            0..=LARGEST => {
                let mut matrix = mass_matrix(spec, &axes);
                add_tendons(spec, &first, &mut matrix);
                Factored::Whole(factor(matrix))
            }
            _ => {
                let hanging = spec.subtree_inertia();
                let own = |a: &Axis| a.motion.dot(hanging[a.body].apply(a.motion)) + a.armature;
                Factored::Diagonal(axes.iter().map(own).collect())
            }
        };
        EffectiveInertia { first, axes, matrix }
    }

    /// Of a joint [kg·m² or kg]; the mean over its axes for balls and free bodies.
    pub fn of_joint(&self, b: usize, j: usize, kind: JointType) -> f64 {
        let first = self.first[b][j];
        let sum: f64 = (first..first + kind.freedoms()).map(|axis| self.inverse(&[(axis, 1.0)])).sum();
        kind.freedoms() as f64 / sum
    }

    /// Of a sum of hinges and slides.
    pub fn of_sum(&self, terms: &[Weighted]) -> f64 {
        let terms: Vec<(usize, f64)> = terms.iter().map(|&(b, j, w)| (self.first[b][j], w)).collect();
        1.0 / self.inverse(&terms)
    }

    /// How fast all coordinates together are accelerated by a unit of effort on a sum of them: |M⁻¹ wᵀ|.
    pub fn acceleration(&self, terms: &[Weighted]) -> f64 {
        let terms: Vec<(usize, f64)> = terms.iter().map(|&(b, j, w)| (self.first[b][j], w)).collect();
        match &self.matrix {
            Factored::Whole(factor) => {
                let mut x = reduced(factor, &terms);
                for i in (0..x.len()).rev() {
                    let sum: f64 = (i + 1..x.len()).map(|k| factor[k][i] * x[k]).sum();
                    x[i] = (x[i] - sum) / factor[i][i];
                }
                x.iter().map(|x| x * x).sum::<f64>().sqrt()
            }
            Factored::Diagonal(own) => {
                terms.iter().map(|&(axis, w)| (w / own[axis]).powi(2)).sum::<f64>().sqrt()
            }
        }
    }

    /// How easily a body of the file moves at its centre of mass and turns, the mean over all directions [1/kg, 1/(kg·m²)].
    pub fn mobility(&self, spec: &Spec, b: usize) -> [f64; 2] {
        let p = spec.bodies[b].X_WL * spec.bodies[b].solid.com;
        let mean = |rate: &dyn Fn(Twist, Vec3) -> f64| {
            let base = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()];
            let along = |e: Vec3| self.inverse(&self.chain(spec, b, |motion| rate(motion, e)));
            base.map(along).iter().sum::<f64>() / 3.0
        };
        let moves = mean(&|motion, e| e.dot(motion.linear + motion.angular.cross(p)));
        let turns = mean(&|motion, e| e.dot(motion.angular));
        [moves, turns]
    }

    /// The axes that move a body, each with its weight.
    fn chain(&self, spec: &Spec, mut b: usize, weight: impl Fn(Twist) -> f64) -> Vec<(usize, f64)> {
        let mut terms = Vec::new();
        while b != 0 {
            for (joint, first) in spec.bodies[b].joints.iter().zip(&self.first[b]) {
                terms.extend(
                    (*first..first + joint.kind.freedoms()).map(|i| (i, weight(self.axes[i].motion))),
                );
            }
            b = spec.bodies[b].parent;
        }
        terms
    }

    /// w M⁻¹ wᵀ
    fn inverse(&self, terms: &[(usize, f64)]) -> f64 {
        match &self.matrix {
            Factored::Whole(factor) => inverse_of_sum(factor, terms),
            Factored::Diagonal(own) => terms.iter().map(|&(axis, w)| w * w / own[axis]).sum(),
        }
    }
}

/// Adds a wᵀw for every fixed tendon with armature a; as in MuJoCo, only between joints of which one carries the other.
/// What is wrong with a tendon is told where it is read.
fn add_tendons(spec: &Spec, first: &[Vec<usize>], matrix: &mut [Vec<f64>]) {
    let mut named: HashMap<&str, (usize, usize)> = HashMap::new();
    for (b, (body, first)) in spec.bodies.iter().zip(first).enumerate() {
        for (joint, axis) in body.joints.iter().zip(first) {
            if matches!(joint.kind, JointType::Hinge | JointType::Slide) {
                named.insert(&joint.name, (b, *axis));
            }
        }
    }
    for section in spec.sections.iter().filter(|s| s.kind == "tendon" && s.element.tag == "fixed") {
        let value =
            |text: Option<&str>| text.and_then(|t| t.trim().parse::<f64>().ok()).filter(|x| x.is_finite());
        let Some(armature) = value(section.element.attribute("armature")).filter(|a| *a > 0.0) else {
            continue;
        };
        let terms = section.element.children_named("joint").filter_map(|joint| {
            let at = named.get(section.scope.name(joint.attribute("joint")?).as_str())?;
            Some((*at, value(joint.attribute("coef"))?))
        });
        let terms: Vec<((usize, usize), f64)> = terms.collect();
        for &((b, i), v) in &terms {
            for &((c, j), w) in &terms {
                if carries(spec, b, c) || carries(spec, c, b) {
                    matrix[i][j] += armature * v * w;
                }
            }
        }
    }
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

/// Whether a body is the other, or somewhere above it.
fn carries(spec: &Spec, body: usize, mut other: usize) -> bool {
    // parents have smaller numbers than their children
    while other > body {
        other = spec.bodies[other].parent;
    }
    other == body
}

/// L of A = L Lᵀ, below and on the diagonal.
fn factor(mut a: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = a.len();
    for j in 0..n {
        for i in j..n {
            let sum: f64 = (0..j).map(|k| a[i][k] * a[j][k]).sum();
            let value = a[i][j] - sum;
            a[i][j] = if i == j { value.max(LEAST_PIVOT).sqrt() } else { value / a[j][j] };
        }
    }
    a
}

/// w A⁻¹ wᵀ = |L⁻¹ wᵀ|² with A = L Lᵀ.
fn inverse_of_sum(factor: &[Vec<f64>], terms: &[(usize, f64)]) -> f64 {
    reduced(factor, terms).iter().map(|x| x * x).sum()
}

/// L⁻¹ wᵀ
fn reduced(factor: &[Vec<f64>], terms: &[(usize, f64)]) -> Vec<f64> {
    let n = factor.len();
    let start = terms.iter().map(|(axis, _)| *axis).min().unwrap_or(n);
    let mut x = vec![0.0; n];
    for (axis, weight) in terms {
        x[*axis] += weight;
    }
    for i in start..n {
        let sum: f64 = (start..i).map(|k| factor[i][k] * x[k]).sum();
        x[i] = (x[i] - sum) / factor[i][i];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: A = [2 1; 1 2] has the inverse [2 −1; −1 2]/3, and (1, 1) A⁻¹ (1, 1)ᵀ = (2 − 1 − 1 + 2)/3.
    #[test]
    fn the_inverse_of_two_by_two_has_two_thirds_on_its_diagonal() {
        let factor = factor(vec![vec![2.0, 1.0], vec![1.0, 2.0]]);
        for (terms, expected) in
            [(&[(0, 1.0)][..], 2.0 / 3.0), (&[(1, 1.0)], 2.0 / 3.0), (&[(0, 1.0), (1, 1.0)], 2.0 / 3.0)]
        {
            assert!((inverse_of_sum(&factor, terms) - expected).abs() < 1e-15);
        }
    }
}
