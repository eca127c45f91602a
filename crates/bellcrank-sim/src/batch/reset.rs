//! Back to a known state: reference pose, keyframes, assembly, snapshots.

use super::{Batch, BatchError};
use crate::assemble::{Asked, Goal};
use crate::layout::DofLayout;
use crate::snapshot::Writer;
use bellcrank_math::{Pose, Twist};
use bellcrank_model::{BodyId, JointId, Keyframe, Model, kinematics, nearest};

/// Iterations of an assembly at most: a whole turn in steps of a tenth of a radian, and then some.
const ASSEMBLE_ITERATIONS: usize = 100;

impl Batch {
    /// Back to the reference pose at rest, as if fresh.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn reset(&mut self, world: usize) -> Result<(), BatchError> {
        let (g, w) = self.find(world)?;
        self.groups[g].reset(w);
        Ok(())
    }

    /// Back to a keyframe of the model: the tree takes the keyframe's coordinates, then loops are closed, and joints move
    /// as it says. Joints of which it says nothing stand; in a mechanism with loops they move as the loops demand. False
    /// when loops do not close from there; the world is as it was then.
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
        let Some(keyframe) = model.keyframes().iter().find(|key| key.name == name) else {
            let names = model.keyframes().iter().map(|key| &key.name);
            return Err(no_such("keyframe", name, names));
        };
        let before: Vec<_> = local.iter().map(|&w| self.groups[g].save(w)).collect();
        let poses = keyframe_poses(&model, keyframe);
        for (&world, &w) in worlds.iter().zip(&local) {
            self.groups[g].reset(w);
            for (b, &X_WB) in poses.iter().enumerate() {
                self.set_body_pose(world, b, X_WB)?;
                self.set_body_velocity(world, b, Twist::zero())?;
            }
        }
        let goal = Goal {
            positions: Vec::new(),
            velocities: keyframe_rates(&model, keyframe, worlds.len()),
            iterations: ASSEMBLE_ITERATIONS,
            tolerance: self.settings.gap_tolerance,
        };
        let closed = self.groups[g].assemble(&local, &goal);
        for (k, &world) in worlds.iter().enumerate() {
            if closed[k] {
                self.hold_keyframe(world, keyframe)?;
            } else {
                self.groups[g].load(local[k], &before[k]);
            }
        }
        Ok(closed)
    }

    /// The group of these worlds and their places in it; none for no worlds.
    fn one_model(&self, worlds: &[usize]) -> Result<Option<(usize, Vec<usize>)>, BatchError> {
        let Some(&first) = worlds.first() else { return Ok(None) };
        let group = self.find(first)?.0;
        let mut local = Vec::with_capacity(worlds.len());
        for &world in worlds {
            let (g, w) = self.find(world)?;
            if g != group {
                return Err(BatchError::MixedModels(first, world));
            }
            local.push(w);
        }
        Ok(Some((group, local)))
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

    /// Moves worlds to poses that close with the asked coordinates: for each joint one value per listed world. A joint
    /// with several coordinates is `name[1]` for its second. Says which worlds succeeded; the others stay as they
    /// were. Velocities become zero.
    ///
    /// # Errors
    /// When a world or joint does not exist, or the numbers of values do not fit. All worlds must be of one model.
    pub fn assemble(
        &mut self,
        worlds: &[usize],
        targets: &[(&str, &[f64])],
    ) -> Result<Vec<bool>, BatchError> {
        self.assemble_moving(worlds, targets, &[])
    }

    /// The same with velocities: joints that are named move so fast, all others as the loops demand and with the least
    /// kinetic energy; floating bases stand.
    ///
    /// # Errors
    /// As [`Batch::assemble`].
    pub fn assemble_moving(
        &mut self,
        worlds: &[usize],
        positions: &[(&str, &[f64])],
        velocities: &[(&str, &[f64])],
    ) -> Result<Vec<bool>, BatchError> {
        let Some((group, local)) = self.one_model(worlds)? else { return Ok(Vec::new()) };
        let goal = Goal {
            positions: asked(&self.models[group], worlds.len(), positions)?,
            velocities: asked(&self.models[group], worlds.len(), velocities)?,
            iterations: ASSEMBLE_ITERATIONS,
            tolerance: self.settings.gap_tolerance,
        };
        Ok(self.groups[group].assemble(&local, &goal))
    }

    /// The whole batch as bytes: with [`Batch::restore`] it resumes bit for bit.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut writer = Writer::new(self.worlds());
        self.place.iter().for_each(|&(g, w)| writer.world(&self.groups[g].save(w)));
        writer.finish()
    }

    /// Takes a snapshot of a batch of the same models back.
    ///
    /// # Errors
    /// When the bytes are damaged, of another version, or of other models; the batch is unchanged then.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), BatchError> {
        let all = crate::snapshot::read(bytes, self.worlds())?;
        let fits = |&(g, w): &(usize, usize), values: &Vec<f64>| self.groups[g].save(w).len() == values.len();
        if !self.place.iter().zip(&all).all(|(place, values)| fits(place, values)) {
            return Err(BatchError::BadSnapshot("a world is of another model"));
        }
        for (&(g, w), values) in self.place.iter().zip(&all) {
            self.groups[g].load(w, values);
        }
        Ok(())
    }
}

/// Finds the named coordinates, with one value per world each.
fn asked(model: &Model, worlds: usize, list: &[(&str, &[f64])]) -> Result<Vec<Asked>, BatchError> {
    let find = |&(name, values): &(&str, &[f64])| {
        let (plain, dof) = split_index(name);
        let joint = model.joint_id(plain).map(|id| (id, &model.joints()[id.index()]));
        let fits = |joint: &bellcrank_model::Joint| {
            joint.kind.has_scalar_coordinates() && dof < joint.kind.coordinate_count()
        };
        let Some((id, _)) = joint.filter(|(_, joint)| fits(joint)) else {
            let names = model.joints().iter().filter(|j| fits(j)).map(|j| &j.name);
            let hint =
                nearest(plain, names).map_or_else(String::new, |other| format!("; did you mean {other:?}?"));
            return Err(BatchError::NoSuchJoint(name.to_owned(), hint));
        };
        if values.len() != worlds {
            let (found, expected) = (values.len(), worlds);
            return Err(BatchError::WrongCount { what: "assemble", found, expected });
        }
        Ok(Asked { at: DofLayout { joint: id.index(), dof }, values: values.to_vec() })
    };
    list.iter().map(find).collect()
}

/// `"hip[1]"` is the second coordinate of `"hip"`.
fn split_index(name: &str) -> (&str, usize) {
    let inner = name.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    inner.and_then(|(plain, index)| Some((plain, index.parse().ok()?))).unwrap_or((name, 0))
}

pub(super) fn no_such<'a>(
    what: &'static str,
    name: &str,
    names: impl Iterator<Item = &'a String>,
) -> BatchError {
    let hint = nearest(name, names).map_or_else(String::new, |other| format!("; did you mean {other:?}?"));
    BatchError::NoSuchName { what, name: name.to_owned(), hint }
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
    let given = |joint: JointId| keyframe.joints.iter().find(|(j, _)| j.id() == joint).map(|(_, q)| q);
    for node in model.graph().tree() {
        let Some(joint) = node.joint else { continue };
        let (part, (X_PF, X_SM)) = (&model.joints()[joint.index()], model.joint_frames(joint));
        let X_FM = match given(joint) {
            Some(values) => {
                let mut q = [0.0; 7];
                q.iter_mut().zip(values).for_each(|(q, value)| *q = *value);
                kinematics::pose(part.kind, &q)
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
