//! Back to a keyframe, and why one does not hold together.

use super::reset::{ASSEMBLE_ITERATIONS, no_such};
use super::{Batch, BatchError};
use bellcrank_math::{Pose, Twist};
use bellcrank_model::{
    BodyId, Coupling, CouplingTerm, Joint, JointId, JointKind, Keyframe, Model, kinematics,
};
use bellcrank_step::assemble::{Asked, Goal};
use bellcrank_step::field::Field;
use bellcrank_step::layout::DofLayout;
use bellcrank_step::rows::unwrap;
use std::fmt;

/// What a keyframe leaves open: its own coordinates on the tree, before anything is moved to close the loops.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyframeFault {
    /// The keyframe.
    pub keyframe: String,
    /// Joints that close loops and are open by more than the tolerance: name, [m], [rad]; the worst first.
    pub joints: Vec<(String, f64, f64)>,
    /// Couplings that do not hold: name and what is left of their sum [rad or m]; the worst first.
    pub couplings: Vec<(String, f64)>,
}

impl fmt::Display for KeyframeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "keyframe {:?} does not hold together, and no pose near it does", self.keyframe)?;
        let joint = |(name, m, rad): &(String, f64, f64)| {
            format!("joint {name:?} is open by {:.3} mm and {:.2}°", m * 1e3, rad.to_degrees())
        };
        let coupling = |(name, left): &(String, f64)| format!("coupling {name:?} is off by {left:.4}");
        let all: Vec<String> =
            self.joints.iter().map(joint).chain(self.couplings.iter().map(coupling)).collect();
        match &all[..] {
            [] => write!(f, ": what moves does not meet its velocities, or is not finite"),
            [first] => write!(f, ": {first}"),
            [first, rest @ ..] => write!(f, ": {first}, and {} more", rest.len()),
        }
    }
}

impl Batch {
    /// Back to a keyframe of the model: the tree takes the keyframe's coordinates, angles counted through whole turns, then
    /// loops are closed, and joints move as it says. Joints of which it says nothing stand; in a mechanism with loops they
    /// move as the loops demand. False when loops do not close from there; the world is as it was then, and
    /// [`Batch::keyframe_fault`] says why.
    ///
    /// # Errors
    /// When there is no such world or keyframe.
    pub fn reset_to_keyframe(&mut self, world: usize, name: &str) -> Result<bool, BatchError> {
        Ok(self.reset_worlds_to_keyframe(&[world], name)?[0])
    }

    /// The same for many worlds at once, in lanes and threads: says which of them closed. All must be of one model.
    ///
    /// # Errors
    /// When there is no such world or keyframe, or the worlds are of different models.
    pub fn reset_worlds_to_keyframe(
        &mut self,
        worlds: &[usize],
        name: &str,
    ) -> Result<Vec<bool>, BatchError> {
        let Some((g, local)) = self.one_model(worlds)? else { return Ok(Vec::new()) };
        let model = self.models[g].clone();
        let keyframe = find(&model, name)?;
        let before: Vec<_> = local.iter().map(|&w| self.groups[g].save(w)).collect();
        let poses = keyframe_poses(&model, keyframe);
        let counted = counted(&model, keyframe, &poses);
        for (&world, &w) in worlds.iter().zip(&local) {
            self.groups[g].reset(w);
            self.place_mocaps(world, &poses)?;
            self.set_body_poses(world, &poses)?;
            for b in 0..poses.len() {
                self.set_body_velocity(world, b, Twist::zero())?;
            }
            // last: angles were counted on from those of the model
            for (k, &q) in counted.iter().enumerate() {
                self.groups[g].set(w, Field::JointPosition, k, q);
            }
        }
        let goal = Goal {
            positions: Vec::new(),
            velocities: keyframe_rates(&model, keyframe, worlds.len()),
            iterations: vec![ASSEMBLE_ITERATIONS; local.len()],
            tolerance: self.engine.assembly_tolerance(),
        };
        let closed = self.groups[g].assemble(&local, &goal);
        for (k, &world) in worlds.iter().enumerate() {
            if closed[k] {
                // bodies that nothing carries: closing loops brings all others to rest
                for (body, V_WB) in &keyframe.twists {
                    self.set_body_velocity(world, body.id().index(), *V_WB)?;
                }
                self.hold_keyframe(world, keyframe)?;
            } else {
                self.groups[g].load(local[k], &before[k]);
            }
        }
        Ok(closed)
    }

    /// Why a world cannot be reset to a keyframe, or none where it can. The world stays as it is.
    ///
    /// # Errors
    /// When there is no such world or keyframe.
    pub fn keyframe_fault(&mut self, world: usize, name: &str) -> Result<Option<KeyframeFault>, BatchError> {
        let (g, w) = self.find(world)?;
        let before = self.groups[g].save(w);
        let closed = self.reset_to_keyframe(world, name)?;
        self.groups[g].load(w, &before);
        if closed {
            return Ok(None);
        }
        let model = self.models[g].clone();
        let keyframe = find(&model, name)?;
        let poses = keyframe_poses(&model, keyframe);
        let tolerance = self.engine.assembly_tolerance();
        Ok(Some(KeyframeFault {
            keyframe: name.to_owned(),
            joints: open_joints(&model, &poses, tolerance),
            couplings: broken_couplings(&model, &counted(&model, keyframe, &poses), tolerance),
        }))
    }

    /// Motors hold where they are, or what the keyframe tells them.
    fn hold_keyframe(&mut self, world: usize, keyframe: &Keyframe) -> Result<(), BatchError> {
        for a in 0..self.model(world)?.actuators().len() {
            let here = self.motor_coordinate(world, a)?[0];
            self.set_target_position(world, a, here)?;
        }
        for (actuator, value) in &keyframe.controls {
            self.set_control(world, actuator.id().index(), *value)?;
        }
        for (actuator, value) in &keyframe.activations {
            self.set_activation(world, actuator.id().index(), *value)?;
        }
        Ok(())
    }

    /// A keyframe's control goes where the actuator listens.
    fn set_control(&mut self, world: usize, actuator: usize, value: f64) -> Result<(), BatchError> {
        match self.model(world)?.actuators()[actuator].control {
            bellcrank_model::Control::Position { .. } => self.set_target_position(world, actuator, value),
            bellcrank_model::Control::Velocity { .. } => self.set_target_velocity(world, actuator, value),
            _ => self.set_effort(world, actuator, value),
        }
    }
}

fn find<'a>(model: &'a Model, name: &str) -> Result<&'a Keyframe, BatchError> {
    model.keyframes().iter().find(|key| key.name == name).ok_or_else(|| {
        let names = model.keyframes().iter().map(|key| &key.name);
        no_such("keyframe", name, names)
    })
}

fn given(keyframe: &Keyframe, joint: usize) -> Option<&Vec<f64>> {
    keyframe.joints.iter().find(|(j, _)| j.id().index() == joint).map(|(_, q)| q)
}

/// Joints that are open by more than a tolerance [m or rad] with bodies at these poses, the worst first.
fn open_joints(model: &Model, X_WB: &[Pose], tolerance: f64) -> Vec<(String, f64, f64)> {
    let gap = |(j, joint): (usize, &Joint)| {
        let (metres, radians) = kinematics::gap(joint.kind, joint_pose(model, j, X_WB));
        (joint.name.clone(), metres, radians)
    };
    let mut open: Vec<_> = model.joints().iter().enumerate().map(gap).collect();
    open.retain(|(_, metres, radians)| metres.max(*radians) > tolerance);
    open.sort_by(|a, b| b.1.max(b.2).total_cmp(&a.1.max(a.2)));
    open
}

/// Couplings of whose sum more than a tolerance is left at these coordinates, the worst first.
fn broken_couplings(model: &Model, q: &[f64], tolerance: f64) -> Vec<(String, f64)> {
    let first = first_coordinates(model);
    let left = |coupling: &Coupling| {
        let term = |t: &CouplingTerm| t.coefficient * q[first[t.joint.id().index()] + t.dof];
        (coupling.name.clone(), coupling.terms.iter().map(term).sum::<f64>() - coupling.constant)
    };
    let mut broken: Vec<_> = model.couplings().iter().map(left).collect();
    broken.retain(|(_, left)| left.abs() > tolerance);
    broken.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    broken
}

/// Where the coordinates of each joint begin.
fn first_coordinates(model: &Model) -> Vec<usize> {
    let mut next = 0;
    let mut first = Vec::with_capacity(model.joints().len());
    for joint in model.joints() {
        first.push(next);
        next += joint.kind.coordinate_count();
    }
    first
}

/// X_FM of a joint with bodies at these poses.
fn joint_pose(model: &Model, joint: usize, X_WB: &[Pose]) -> Pose {
    let (part, (X_PF, X_SM)) = (&model.joints()[joint], model.joint_frames(JointId::new(joint)));
    let place = |body: Option<BodyId>| body.map_or(Pose::identity(), |b| X_WB[b.index()]);
    (place(part.predecessor.body()) * X_PF).inverse_mul(place(part.successor.body()) * X_SM)
}

/// All coordinates at the keyframe's poses. Angles are those of the keyframe, or of the reference pose where it says
/// nothing, up to what the pose shows of them: a pose is the same after a whole turn, and a motor is not.
fn counted(model: &Model, keyframe: &Keyframe, X_WB: &[Pose]) -> Vec<f64> {
    let mut all = Vec::new();
    for (j, joint) in model.joints().iter().enumerate() {
        let shown = kinematics::coordinates(joint.kind, joint_pose(model, j, X_WB));
        let mut near = model.reference_coordinates(JointId::new(j));
        near.iter_mut().zip(given(keyframe, j).into_iter().flatten()).for_each(|(q, value)| *q = *value);
        for k in 0..joint.kind.coordinate_count() {
            let angle = joint.kind.has_scalar_coordinates() && joint.kind.is_angle(k);
            all.push(if angle { unwrap(shown[k], near[k]) } else { shown[k] });
        }
    }
    all
}

/// The velocities that a keyframe asks for, one per world; none where it says nothing of velocities.
fn keyframe_rates(model: &Model, keyframe: &Keyframe, worlds: usize) -> Vec<Asked> {
    let mut rates = Vec::new();
    for (j, joint) in model.joints().iter().enumerate() {
        let given = keyframe.velocities.iter().find(|(id, _)| id.id().index() == j).map(|(_, v)| v);
        let stands = given.is_none() && model.loops().is_empty() && !keyframe.velocities.is_empty();
        for dof in 0..joint.kind.dof_count() {
            let value = given.and_then(|v| v.get(dof).copied()).or(stands.then_some(0.0));
            let at = DofLayout { joint: j, dof };
            rates.extend(value.map(|value| Asked { at, values: vec![value; worlds] }));
        }
    }
    rates
}

/// X_WB of all bodies with the keyframe's coordinates on the spanning tree; loops may be open.
fn keyframe_poses(model: &Model, keyframe: &Keyframe) -> Vec<Pose> {
    let reference = |b: usize| model.bodies()[b].X_WB();
    let mut X_WB: Vec<Pose> = (0..model.bodies().len()).map(reference).collect();
    for (body, X_WL) in &keyframe.bodies {
        let b = body.id().index();
        X_WB[b] = *X_WL * Pose::from_position(model.bodies()[b].com);
    }
    for node in model.graph().tree() {
        let Some(joint) = node.joint else { continue };
        if model.bodies()[node.body.index()].mocap {
            continue; // it is where it was told to be
        }
        let (part, (X_PF, X_SM)) = (&model.joints()[joint.index()], model.joint_frames(joint));
        let X_FM = match given(keyframe, joint.index()) {
            Some(values) => {
                let mut q = [0.0; 7];
                q.iter_mut().zip(values).for_each(|(q, value)| *q = *value);
                kinematics::pose(part.kind, &of_unit_length(part.kind, q))
            }
            None => model.reference_joint_pose(joint),
        };
        let place = |body: Option<BodyId>| body.map_or(Pose::identity(), |b| X_WB[b.index()]);
        X_WB[node.body.index()] = match node.reversed {
            false => place(part.predecessor.body()) * X_PF * X_FM * X_SM.inverse(),
            true => place(part.successor.body()) * X_SM * X_FM.inverse() * X_PF.inverse(),
        };
    }
    X_WB
}

/// Coordinates whose quaternion has length one; one of length zero turns nothing, as in MuJoCo.
fn of_unit_length(kind: JointKind, mut q: [f64; 7]) -> [f64; 7] {
    let first = match kind {
        JointKind::Spherical => 0,
        JointKind::Free => 3,
        _ => return q,
    };
    let wxyz = &mut q[first..first + 4];
    let length = wxyz.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 {
        wxyz.iter_mut().for_each(|x| *x /= length);
    } else {
        wxyz.copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
    }
    q
}
