//! Conventions of other libraries, and of this engine's own joints, mapped to the tree's.
//!
//! | | tree | Pinocchio | MuJoCo | model's joints (`batch.joint_velocity`) |
//! |---|---|---|---|---|
//! | quaternion | w x y z | **x y z w** | w x y z | w x y z |
//! | free: linear velocity | body axes | body axes | **world axes** | **F's axes** |
//! | free, ball: angular velocity | body axes | body axes | body axes | **F's axes** |
//! | joint walked backwards by the tree | child from parent | – | – | **M from F** |
//! | order of joints | floating bases, then as in the model | depth first, siblings by name | as in the file | as in the model |
//! | continuous joint | one angle | cos, sin | one angle | one angle |
//! | derivative by q | tangent, body axes | the same | – | – |
//!
//! "World" is the predecessor's joint frame F for joints that do not hang from the world. For the order of joints use
//! [`TreeModel::order_by_names`]. Gravity is the model's; Pinocchio's is 9.81 m/s².

use crate::error::TreeError;
use crate::model::{Slot, TreeModel};
use bellcrank_math::{Elem, Quat, Vec3};
use bellcrank_model::JointKind;

/// Whose numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// Quaternions xyzw, velocities in body axes.
    Pinocchio,
    /// Quaternions wxyz, linear velocity of free joints in world axes, angular velocities in body axes.
    Mujoco,
    /// The model's own joint definitions: velocities in the predecessor's joint frame.
    Model,
}

/// Which way to convert.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    To,
    From,
}

impl<E: Elem> TreeModel<E> {
    /// Rewrites states `(batch, nq)` and their velocities `(batch, nv)` from the tree's convention to another, in
    /// place. `v` may be empty.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn to_convention(&self, convention: Convention, q: &mut [E], v: &mut [E]) -> Result<(), TreeError> {
        self.convert(convention, Way::To, q, v)
    }

    /// Rewrites states and velocities of another convention to the tree's, in place. `v` may be empty.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn from_convention(&self, convention: Convention, q: &mut [E], v: &mut [E]) -> Result<(), TreeError> {
        self.convert(convention, Way::From, q, v)
    }

    /// Where in the tree's `q` and `v` the numbers of these joints stand, in the order given: to reorder arrays of
    /// another library. A floating base goes by its body's name.
    ///
    /// # Errors
    /// Names the first joint that the tree has not.
    pub fn order_by_names(&self, names: &[&str]) -> Result<(Vec<usize>, Vec<usize>), TreeError> {
        let (mut q, mut v) = (Vec::new(), Vec::new());
        for name in names {
            let slot = self.slot(name).ok_or_else(|| TreeError::NoSuchJoint((*name).to_owned()))?;
            q.extend(slot.q.clone());
            v.extend(slot.v.clone());
        }
        Ok((q, v))
    }

    fn convert(&self, convention: Convention, way: Way, q: &mut [E], v: &mut [E]) -> Result<(), TreeError> {
        let (nq, nv) = (self.coordinate_count(), self.dof_count());
        if nq == 0 || !q.len().is_multiple_of(nq) {
            return Err(TreeError::NotWholeStates { what: "q", found: q.len(), width: nq });
        }
        let batch = q.len() / nq;
        if !v.is_empty() && v.len() != batch * nv {
            return Err(TreeError::WrongSize { what: "v", found: v.len(), batch, width: nv });
        }
        let quaternions = |slot: &&Slot| matches!(slot.kind, JointKind::Free | JointKind::Spherical);
        for s in 0..batch {
            let q = &mut q[s * nq..(s + 1) * nq];
            let v = if v.is_empty() { &mut [][..] } else { &mut v[s * nv..(s + 1) * nv] };
            for slot in self.slots().iter().filter(quaternions) {
                let v = if v.is_empty() { &mut [][..] } else { &mut v[slot.v.clone()] };
                convert_joint(convention, way, slot, &mut q[slot.q.clone()], v);
            }
        }
        Ok(())
    }
}

fn convert_joint<E: Elem>(convention: Convention, way: Way, slot: &Slot, q: &mut [E], v: &mut [E]) {
    let free = slot.kind == JointKind::Free;
    let quaternion = if free { &q[3..7] } else { &q[..4] };
    let rotation = Quat::from_wxyz([quaternion[0], quaternion[1], quaternion[2], quaternion[3]]);
    match convention {
        Convention::Pinocchio => {
            let quaternion = if free { &mut q[3..7] } else { &mut q[..4] };
            if way == Way::To { quaternion.rotate_left(1) } else { quaternion.rotate_right(1) }
        }
        Convention::Mujoco if free && !v.is_empty() => turn(rotation, way, &mut v[..3]),
        Convention::Mujoco => {}
        Convention::Model if slot.reversed => reverse(free, rotation, way, q, v),
        Convention::Model => v.chunks_exact_mut(3).for_each(|v| turn(rotation, way, v)),
    }
}

fn turn<E: Elem>(rotation: Quat<E>, way: Way, v: &mut [E]) {
    let x = Vec3::new(v[0], v[1], v[2]);
    let turned = if way == Way::To { rotation.rotate(x) } else { rotation.rotate_inverse(x) };
    v.copy_from_slice(&turned.to_array());
}

/// A joint that the tree walks backwards: the tree tells F from M in F's axes, the model M from F in F's axes.
/// X_FM = X_MF⁻¹, ω ↦ −ω, and the origins' velocity v ↦ −(v + ω × p_FM). The way back has the same form.
fn reverse<E: Elem>(free: bool, rotation: Quat<E>, way: Way, q: &mut [E], v: &mut [E]) {
    let back = rotation.inverse();
    let mut p_FM = Vec3::zero();
    if free {
        let p = Vec3::new(q[0], q[1], q[2]);
        let inverse = -back.rotate(p);
        p_FM = if way == Way::To { inverse } else { p };
        q[..3].copy_from_slice(&inverse.to_array());
    }
    let at = if free { 3 } else { 0 };
    q[at..at + 4].copy_from_slice(&back.to_wxyz());
    if v.is_empty() {
        return;
    }
    let w = Vec3::new(v[at], v[at + 1], v[at + 2]);
    if free {
        let linear = Vec3::new(v[0], v[1], v[2]);
        // to: −(v + ω × p); from: v = −v′ − ω × p with ω = −ω′, so −v′ + ω′ × p
        let arm = w.cross(p_FM);
        let linear = if way == Way::To { -(linear + arm) } else { arm - linear };
        v[..3].copy_from_slice(&linear.to_array());
    }
    v[at..at + 3].copy_from_slice(&(-w).to_array());
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellcrank_model::library;

    fn state() -> (TreeModel<f64>, Vec<f64>, Vec<f64>) {
        let tree = TreeModel::new(&library::all_joints().build().expect("shipped"));
        let delta: Vec<f64> = (0..tree.dof_count()).map(|k| (k as f64 * 0.7).sin()).collect();
        let mut q = tree.neutral();
        tree.batch().integrate(&tree.neutral(), &delta, &mut q).expect("sizes");
        (tree, q, delta)
    }

    #[test]
    fn there_and_back_is_the_identity() {
        let (tree, q, v) = state();
        for convention in [Convention::Pinocchio, Convention::Mujoco, Convention::Model] {
            let (mut q2, mut v2) = (q.clone(), v.clone());
            tree.to_convention(convention, &mut q2, &mut v2).expect("sizes");
            tree.from_convention(convention, &mut q2, &mut v2).expect("sizes");
            for (a, b) in q.iter().chain(&v).zip(q2.iter().chain(&v2)) {
                assert!((a - b).abs() < 1e-15, "{convention:?}");
            }
        }
    }

    /// In Pinocchio's order the scalar part comes last; in MuJoCo's a free body that is turned by 90° about z and
    /// moves along its own x moves along the world's y.
    #[test]
    fn quaternions_and_velocities_are_rewritten_as_the_table_says() {
        let tree = TreeModel::<f64>::new(&library::box_on_plane().build().expect("shipped"));
        let half = 0.5_f64.sqrt();
        let q = [1.0, 2.0, 3.0, half, 0.0, 0.0, half];
        let (mut p, mut none) = (q, []);
        tree.to_convention(Convention::Pinocchio, &mut p, &mut none).expect("sizes");
        assert_eq!(p, [1.0, 2.0, 3.0, 0.0, 0.0, half, half]);
        let (mut m, mut v) = (q, [1.0, 0.0, 0.0, 0.1, 0.2, 0.3]);
        tree.to_convention(Convention::Mujoco, &mut m, &mut v).expect("sizes");
        assert!((v[0]).abs() < 1e-15 && (v[1] - 1.0).abs() < 1e-15 && v[3..] == [0.1, 0.2, 0.3]);
    }
}
