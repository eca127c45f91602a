//! Keyframes in MuJoCo's order of coordinates.

use super::Exported;
use super::tree::Carried;
use super::write::{Xml, numbers};
use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::{ActuatorId, BodyId, JointId, JointKind, Keyframe, Model, kinematics};

/// The section `<keyframe>`. `order` are the bodies as they stand in the file, `actuators` those that were written.
pub(super) fn add_keyframes(
    model: &Model,
    order: &[Carried],
    actuators: &[ActuatorId],
    xml: &mut Xml,
    out: &mut Exported,
) {
    xml.open("keyframe", &[]);
    for key in model.keyframes() {
        let mut row = Row { model, key, qpos: Vec::new(), qvel: Vec::new(), lost: Vec::new() };
        order.iter().for_each(|carried| row.add(carried));
        let control = |id: &ActuatorId| {
            key.controls.iter().find(|(a, _)| a.id() == *id).map_or(0.0, |(_, value)| *value)
        };
        let controls: Vec<f64> = actuators.iter().map(control).collect();
        let mut said = vec![("name", key.name.clone()), ("qpos", numbers(&row.qpos))];
        if row.qvel.iter().any(|v| *v != 0.0) {
            said.push(("qvel", numbers(&row.qvel)));
        }
        if controls.iter().any(|u| *u != 0.0) {
            said.push(("ctrl", numbers(&controls)));
        }
        let with_state = actuators.iter().filter(|a| model.actuators()[a.index()].activation.is_some());
        let state = |id: &ActuatorId| {
            key.activations.iter().find(|(a, _)| a.id() == *id).map_or(0.0, |(_, value)| *value)
        };
        let states: Vec<f64> = with_state.map(state).collect();
        if states.iter().any(|x| *x != 0.0) {
            said.push(("act", numbers(&states)));
        }
        for joint in row.lost {
            out.left_out.push(format!("keyframe {:?}: coordinates of joint {joint:?}", key.name));
        }
        xml.leaf("key", &said);
    }
    xml.close_or_drop();
}

struct Row<'a> {
    model: &'a Model,
    key: &'a Keyframe,
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    /// Joints whose coordinates are told from the other side in the file.
    lost: Vec<&'a str>,
}

impl Row<'_> {
    /// Velocity of the origin in world axes and angular velocity in the body's own, as in `qvel`.
    fn rate(&self, body: BodyId, X_WL: Pose) -> [f64; 6] {
        let Some((_, V)) = self.key.twists.iter().find(|(b, _)| b.id() == body) else { return [0.0; 6] };
        let to_origin = X_WL.R.rotate(-self.model.bodies()[body.index()].com);
        let (v, w) = (V.linear + V.angular.cross(to_origin), X_WL.R.rotate_inverse(V.angular));
        [v.x, v.y, v.z, w.x, w.y, w.z]
    }

    fn add(&mut self, carried: &Carried) {
        let Some(id) = carried.joint else {
            let stated = self.key.bodies.iter().find(|(body, _)| body.id() == carried.body);
            let X_WL = stated.map_or(self.model.bodies()[carried.body.index()].X_WL, |(_, X)| *X);
            return self.free(X_WL, self.rate(carried.body, X_WL));
        };
        let joint = &self.model.joints()[id.index()];
        let one_axis = matches!(
            joint.kind,
            JointKind::Revolute | JointKind::Prismatic | JointKind::Cylindrical | JointKind::Screw { .. }
        );
        let (mut q, mut v) = (self.coordinates(id), self.velocities(id));
        if carried.reversed && !one_axis && joint.kind != JointKind::Fixed {
            if self.mentions(id) {
                self.lost.push(&joint.name);
            }
            (q, v) = (self.reference(id), [0.0; 6]);
        }
        let X_FM = kinematics::pose(joint.kind, &q);
        match joint.kind {
            JointKind::Free => {
                let p = joint.predecessor.body().map(|b| self.model.bodies()[b.index()].X_WL);
                let X_WL = p.unwrap_or_default() * joint.X_PF * X_FM * joint.X_SM.inverse();
                self.free(X_WL, v);
            }
            JointKind::Spherical => {
                let X_ref = self.model.reference_joint_pose(id);
                let on_child = |X_FM: Pose| X_FM.R * joint.X_SM.R.inverse();
                // how the child is turned against its reference pose, in its own axes
                let turn = on_child(X_ref).inverse() * on_child(X_FM);
                let turn = if carried.reversed { Quat::identity() } else { turn };
                self.qpos.extend(turn.to_wxyz());
                let w_F = Vec3::new(v[0], v[1], v[2]);
                self.qvel.extend(on_child(X_FM).inverse().rotate(w_F).to_array());
            }
            JointKind::Screw { pitch } => {
                self.qpos.extend([pitch * q[0], q[0]]);
                self.qvel.extend([pitch * v[0], v[0]]);
            }
            kind => {
                self.qpos.extend(&q[..kind.dof_count()]);
                self.qvel.extend(&v[..kind.dof_count()]);
            }
        }
    }

    /// A free body: its pose, the velocity of its origin in world axes, its turning in its own.
    fn free(&mut self, X_WL: Pose, v: [f64; 6]) {
        self.qpos.extend(X_WL.p.to_array());
        self.qpos.extend(X_WL.R.to_wxyz());
        self.qvel.extend(&v[..3]);
        self.qvel.extend(X_WL.R.inverse().rotate(Vec3::new(v[3], v[4], v[5])).to_array());
    }

    fn mentions(&self, id: JointId) -> bool {
        let mut all = self.key.joints.iter().chain(&self.key.velocities);
        all.any(|(joint, _)| joint.id() == id)
    }

    fn reference(&self, id: JointId) -> [f64; 7] {
        self.model.reference_coordinates(id)
    }

    fn coordinates(&self, id: JointId) -> [f64; 7] {
        let mut q = self.reference(id);
        if let Some((_, stated)) = self.key.joints.iter().find(|(joint, _)| joint.id() == id) {
            q.iter_mut().zip(stated).for_each(|(q, stated)| *q = *stated);
        }
        q
    }

    fn velocities(&self, id: JointId) -> [f64; 6] {
        let mut v = [0.0; 6];
        if let Some((_, stated)) = self.key.velocities.iter().find(|(joint, _)| joint.id() == id) {
            v.iter_mut().zip(stated).for_each(|(v, stated)| *v = *stated);
        }
        v
    }
}
