//! Joints of all kinds as MJCF's hinges, slides, balls and free joints.

use super::Exported;
use super::mjcf_drives::effort_range;
use super::softness;
use super::write::{Xml, number, numbers, vector};
use crate::reverse::reversed;
use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::{Dof, Joint, JointId, JointKind, Link, Model, kinematics};

/// The MJCF joint of one degree of freedom of a joint.
pub(super) fn joint_name(joint: &Joint, dof: usize) -> String {
    // several joints of a file that became one here have all their names
    let own: Vec<&str> = joint.name.split('+').collect();
    if own.len() == joint.dofs.len() && joint.kind.has_scalar_coordinates() {
        return own[dof].to_owned();
    }
    let names: &[&str] = match joint.kind {
        JointKind::Cylindrical => &["_slide", "_turn"],
        JointKind::Universal => &["_x", "_y"],
        JointKind::Gimbal | JointKind::Cartesian => &["_x", "_y", "_z"],
        JointKind::Planar => &["_y", "_z", "_turn"],
        _ => &[""],
    };
    format!("{}{}", joint.name, names.get(dof).unwrap_or(&""))
}

/// The name of the slide that follows a screw's hinge.
pub(super) fn screw_slide(joint: &Joint) -> String {
    format!("{}_advance", joint.name)
}

/// All MJCF joints of a joint, inside the body that it carries.
pub(super) fn add_joints(model: &Model, id: JointId, is_reversed: bool, xml: &mut Xml, out: &mut Exported) {
    let joint = &model.joints()[id.index()];
    let at = |link: &Link| link.body().map_or(Pose::identity(), |b| model.bodies()[b.index()].X_WL);
    let (mut X_WP, mut X_WS) = (at(&joint.predecessor), at(&joint.successor));
    let (mut X_PF, mut X_SM) = (joint.X_PF, joint.X_SM);
    if is_reversed {
        (X_WP, X_WS) = (X_WS, X_WP);
        (X_PF, X_SM) = reversed(joint.kind, X_PF, X_SM);
    }
    let R_SF = (X_WS.R.inverse() * X_WP.R) * X_PF.R;
    let mut q = kinematics::coordinates(joint.kind, (X_WP * X_PF).inverse_mul(X_WS * X_SM));
    if matches!(joint.kind, JointKind::Revolute | JointKind::Cylindrical) || !is_reversed {
        q = counted_on(joint, q);
    }
    Write { joint, p: X_SM.p, R_SF, q }.all(xml, out);
}

/// Coordinates with the whole turns that they have behind them.
fn counted_on(joint: &Joint, mut q: [f64; 7]) -> [f64; 7] {
    for (k, dof) in joint.dofs.iter().enumerate() {
        if joint.kind.has_scalar_coordinates() && joint.kind.is_angle(k) {
            q[k] += std::f64::consts::TAU * f64::from(dof.turns);
        }
    }
    q
}

struct Write<'a> {
    joint: &'a Joint,
    /// Where the joint is on the child [m].
    p: Vec3,
    /// F's axes in the child's link frame at the reference pose.
    R_SF: Quat,
    /// Coordinates at the reference pose.
    q: [f64; 7],
}

impl Write<'_> {
    fn all(&self, xml: &mut Xml, out: &mut Exported) {
        let axes = |R: Quat| [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()].map(|axis| R.rotate(axis));
        let [x, y, z] = axes(self.R_SF);
        let turn = Quat::from_axis_angle;
        let steps: &[(&str, Vec3)] = match self.joint.kind {
            JointKind::Fixed => &[],
            JointKind::Revolute => &[("hinge", x)],
            JointKind::Prismatic => &[("slide", x)],
            JointKind::Cylindrical => &[("slide", x), ("hinge", x)],
            JointKind::Universal | JointKind::Gimbal => {
                // each axis is carried along by the turns before it
                let R1 = self.R_SF * turn(Vec3::x_axis(), self.q[0]);
                let R2 = R1 * turn(Vec3::y_axis(), self.q[1]);
                &[("hinge", x), ("hinge", axes(R1)[1]), ("hinge", axes(R2)[2])][..self.joint.kind.dof_count()]
            }
            JointKind::Planar => &[("slide", y), ("slide", z), ("hinge", x)],
            JointKind::Cartesian => &[("slide", x), ("slide", y), ("slide", z)],
            JointKind::Screw { pitch } => {
                let slide =
                    [("name", screw_slide(self.joint)), ("type", "slide".into()), ("axis", vector(x))];
                let zero = ("ref", number(pitch * self.q[0]));
                xml.leaf("joint", &[&slide[..], &[("pos", vector(self.p)), zero]].concat());
                &[("hinge", x)]
            }
            JointKind::Spherical => return self.ball(xml, out),
            JointKind::Free => return self.free(xml, out),
        };
        for (k, (kind, axis)) in steps.iter().enumerate() {
            self.add(k, kind, *axis, xml, out);
        }
    }

    fn add(&self, k: usize, kind: &str, axis: Vec3, xml: &mut Xml, out: &mut Exported) {
        let dof = &self.joint.dofs[k];
        let mut said = vec![("name", joint_name(self.joint, k)), ("type", kind.to_owned())];
        said.extend([("pos", vector(self.p)), ("axis", vector(axis))]);
        if self.q[k].abs() > 1e-12 {
            said.push(("ref", number(self.q[k])));
        }
        match dof.limits.map(f64::is_finite) {
            [true, true] => said.push(("range", numbers(&dof.limits))),
            [false, false] => {}
            // a bound far away stands for none
            _ => said.push(("range", numbers(&dof.limits.map(|x| x.clamp(-1e6, 1e6))))),
        }
        self.resistance(dof, &mut said, out);
        if let Some(spring) = dof.spring {
            said.extend([("stiffness", number(spring.stiffness)), ("springref", number(spring.rest))]);
        }
        let efforts = effort_range(dof.effort_limit, dof.effort_range);
        if efforts.iter().all(|x| x.is_finite()) {
            said.push(("actuatorfrcrange", numbers(&efforts)));
        }
        said.extend(softness::of_dof(self.joint.softness.get(k)));
        xml.leaf("joint", &said);
    }

    fn resistance(&self, dof: &Dof, said: &mut Vec<(&str, String)>, out: &mut Exported) {
        let numbers = [("damping", dof.damping), ("armature", dof.armature), ("frictionloss", dof.friction)];
        said.extend(numbers.into_iter().filter(|(_, x)| *x != 0.0).map(|(name, x)| (name, number(x))));
        if dof.velocity_limit.is_finite() {
            out.left_out.push(format!("joint {:?}: its speed limit", self.joint.name));
        }
    }

    fn ball(&self, xml: &mut Xml, out: &mut Exported) {
        let first = &self.joint.dofs[0];
        let mut said =
            vec![("name", self.joint.name.clone()), ("type", "ball".into()), ("pos", vector(self.p))];
        self.resistance(first, &mut said, out);
        self.note_the_rest(first, out);
        let moved = self.q[1].abs() + self.q[2].abs() + self.q[3].abs() > 1e-12;
        if moved {
            out.left_out.push(format!(
                "joint {:?}: its zero; a ball counts from the reference pose",
                self.joint.name
            ));
        }
        said.extend(softness::of_dof(self.joint.softness.first()));
        xml.leaf("joint", &said);
    }

    fn free(&self, xml: &mut Xml, out: &mut Exported) {
        let plain = self.joint.dofs.iter().all(|dof| *dof == Dof::default());
        if !plain {
            out.left_out.push(format!("joint {:?}: limits and resistance of a free joint", self.joint.name));
        }
        xml.leaf("freejoint", &[("name", self.joint.name.clone())]);
    }

    fn note_the_rest(&self, first: &Dof, out: &mut Exported) {
        let bounded = |dof: &Dof| dof.limits.iter().any(|x| x.is_finite()) || dof.spring.is_some();
        if self.joint.dofs.iter().any(|dof| bounded(dof) || dof != first) {
            out.left_out.push(format!("joint {:?}: limits and springs of a ball joint", self.joint.name));
        }
    }
}
