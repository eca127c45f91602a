//! URDF: a tree of joints, and `<loop_joint>` for the rest.
//!
//! A URDF link's frame is where its joint is. So the origin of every link moves to the joint that carries it, and everything on the
//! link is told from there; poses in the world stay what they were. Its axes stay, too, where the direction of one axis says all
//! of the joint, so that a file that is read and written says the same again.

use super::Exported;
use super::tree::{Carried, Tree};
use super::urdf_parts::{add_joint_numbers, add_link_content, add_origin};
use super::write::{Xml, number, vector};
use crate::reverse::reversed;
use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::{BodyId, Joint, JointId, JointKind, Material, Model, Shape, WORLD};

/// Writes a model as URDF.
///
/// Kinds of joint that URDF does not have, `<loop_joint>`, `<plane>`, `<ellipsoid>`, `<cone>` and `<reference>` are
/// extensions, which this crate reads back. Read a model that floats with `Base::Floating`.
pub fn to_urdf(model: &Model) -> Exported {
    let tree = Tree::of(model, |_| 0);
    let mut writer = Writer::new(model, &tree);
    writer.xml.open("robot", &[("name", model.name().to_owned())]);
    if writer.has_world {
        writer.xml.open("link", &[("name", "world".into())]);
        add_link_content(model, None, Pose::identity(), &mut writer.xml, &mut writer.out);
        writer.xml.close();
    }
    for carried in &tree.order {
        writer.link(carried);
    }
    for joint in &tree.closing {
        writer.loop_joint(*joint);
    }
    writer.sites();
    writer.motors();
    writer.xml.close();
    writer.note_the_rest();
    Exported { text: writer.xml.text, ..writer.out }
}

struct Writer<'a> {
    model: &'a Model,
    xml: Xml,
    out: Exported,
    has_world: bool,
    /// X_LU of each body: the frame of its URDF link in its link frame.
    frames: Vec<Pose>,
    /// The joint's axis in that frame.
    axes: Vec<Vec3>,
}

impl<'a> Writer<'a> {
    fn new(model: &'a Model, tree: &Tree) -> Self {
        let mut frames = vec![Pose::identity(); model.bodies().len()];
        let mut axes = vec![Vec3::x_axis(); model.bodies().len()];
        for carried in &tree.order {
            if let Some(joint) = carried.joint {
                let (joint, b) = (&model.joints()[joint.index()], carried.body.index());
                (frames[b], axes[b]) = link_frame(joint.kind, ends(joint, carried.reversed).1);
            }
        }
        let floats_alone = tree.order.iter().filter(|c| c.parent.is_none()).count() == 1
            && tree.order.first().is_some_and(|c| {
                // a root that nothing carries is at the world's origin
                c.joint.is_none() && model.bodies()[c.body.index()].X_WL == Pose::identity()
            })
            && !model.shapes().iter().any(|s| s.link == WORLD)
            && !model.sites().iter().any(|s| s.link == WORLD);
        Writer {
            model,
            xml: Xml::default(),
            out: Exported::default(),
            has_world: !floats_alone,
            frames,
            axes,
        }
    }

    fn name(&self, body: Option<BodyId>) -> String {
        body.map_or("world".to_owned(), |b| self.model.bodies()[b.index()].name.clone())
    }

    /// X_LU of a body, or of the world.
    fn frame(&self, body: Option<BodyId>) -> Pose {
        body.map_or(Pose::identity(), |b| self.frames[b.index()])
    }

    /// A link, and the joint that carries it.
    fn link(&mut self, carried: &Carried) {
        let (body, frame) = (carried.body, self.frame(Some(carried.body)));
        self.xml.open("link", &[("name", self.name(Some(body)))]);
        add_link_content(self.model, Some(body), frame, &mut self.xml, &mut self.out);
        self.xml.close();
        match carried.joint {
            Some(joint) => self.joint(carried, joint),
            None if self.has_world => self.floating(carried),
            None => {}
        }
    }

    fn floating(&mut self, carried: &Carried) {
        let name = format!("{}_floating", self.name(Some(carried.body)));
        self.xml.open("joint", &[("name", name), ("type", "floating".into())]);
        add_origin("origin", self.model.bodies()[carried.body.index()].X_WL, &mut self.xml);
        self.xml.leaf("parent", &[("link", "world".into())]);
        self.xml.leaf("child", &[("link", self.name(Some(carried.body)))]);
        self.xml.close();
    }

    fn joint(&mut self, carried: &Carried, id: JointId) {
        let joint = &self.model.joints()[id.index()];
        let (X_PF, X_SM) = ends(joint, carried.reversed);
        // the child's frame where the joint is at zero
        let X_PU = X_PF * X_SM.inverse_mul(self.frame(Some(carried.body)));
        self.xml.open("joint", &[("name", joint.name.clone()), ("type", type_name(joint))]);
        add_origin("origin", self.frame(carried.parent).inverse_mul(X_PU), &mut self.xml);
        self.xml.leaf("parent", &[("link", self.name(carried.parent))]);
        self.xml.leaf("child", &[("link", self.name(Some(carried.body)))]);
        self.common(joint, id, self.axes[carried.body.index()]);
        self.reference(joint, id);
        self.xml.close();
        let own =
            [JointKind::Revolute, JointKind::Prismatic, JointKind::Fixed, JointKind::Free, JointKind::Planar];
        if !own.contains(&joint.kind) {
            let kind = joint.kind.name();
            let why = format!("joint {:?}: URDF has no {kind} joint; other readers refuse it", joint.name);
            self.out.left_out.push(why);
        }
    }

    /// Axis, pitch, limits and the like, mimic.
    fn common(&mut self, joint: &Joint, id: JointId, axis: Vec3) {
        self.xml.leaf("axis", &[("xyz", vector(axis))]);
        if let JointKind::Screw { pitch } = joint.kind {
            self.xml.leaf("screw", &[("pitch", number(pitch))]);
        }
        add_joint_numbers(self.model, joint, id, &mut self.xml, &mut self.out);
    }

    /// Where the reference pose is not the zero configuration.
    fn reference(&mut self, joint: &Joint, id: JointId) {
        let q = self.model.reference_coordinates(id);
        let at_zero = match joint.kind {
            JointKind::Spherical => q[1].abs() + q[2].abs() + q[3].abs() < 1e-12,
            JointKind::Free => q[..3].iter().chain(&q[4..]).all(|x| x.abs() < 1e-12),
            _ => q[..joint.kind.dof_count()].iter().all(|x| x.abs() < 1e-12),
        };
        if at_zero {
            return;
        }
        if joint.kind.dof_count() == 1 {
            self.xml.leaf("reference", &[("position", number(q[0]))]);
        } else {
            self.out
                .left_out
                .push(format!("joint {:?}: it is not at zero in the reference pose", joint.name));
        }
    }

    fn loop_joint(&mut self, id: JointId) {
        let joint = &self.model.joints()[id.index()];
        let (P, S) = (joint.predecessor.body(), joint.successor.body());
        self.xml.open("loop_joint", &[("name", joint.name.clone()), ("type", type_name(joint))]);
        self.xml.leaf("parent", &[("link", self.name(P))]);
        add_origin("parent_origin", self.frame(P).inverse_mul(joint.X_PF), &mut self.xml);
        self.xml.leaf("child", &[("link", self.name(S))]);
        add_origin("child_origin", self.frame(S).inverse_mul(joint.X_SM), &mut self.xml);
        self.common(joint, id, Vec3::x_axis());
        self.xml.close();
    }

    /// A site is a link without mass on a fixed joint.
    fn sites(&mut self) {
        for site in self.model.sites() {
            if self.model.body_id(&site.name).is_some() || site.name == "world" {
                self.out.left_out.push(format!("site {:?}: a body has its name", site.name));
                continue;
            }
            let carrier = site.link.body();
            self.xml.leaf("link", &[("name", site.name.clone())]);
            self.xml.open("joint", &[("name", format!("{}_site", site.name)), ("type", "fixed".into())]);
            add_origin("origin", self.frame(carrier).inverse_mul(site.X_LS), &mut self.xml);
            self.xml.leaf("parent", &[("link", self.name(carrier))]);
            self.xml.leaf("child", &[("link", site.name.clone())]);
            self.xml.close();
        }
    }

    /// A transmission says which joints are driven.
    fn motors(&mut self) {
        for motor in self.model.actuators() {
            let Some((joint, _)) = motor.coordinate() else {
                self.out.left_out.push(format!("actuator {:?}: it drives no single joint", motor.name));
                continue;
            };
            let joint = &self.model.joints()[joint.index()];
            self.xml.open("transmission", &[("name", format!("{}_transmission", motor.name))]);
            self.xml.leaf("joint", &[("name", joint.name.clone())]);
            self.xml.leaf("actuator", &[("name", motor.name.clone())]);
            self.xml.close();
        }
    }

    fn note_the_rest(&mut self) {
        let model = self.model;
        let mut note = |what: String| self.out.left_out.push(what);
        model.sensors().iter().for_each(|s| note(format!("sensor {:?}", s.name)));
        model.cameras().iter().for_each(|c| note(format!("camera {:?}", c.name)));
        model.keyframes().iter().for_each(|k| note(format!("keyframe {:?}", k.name)));
        model.tendons().iter().for_each(|t| note(format!("tendon {:?}", t.name)));
        if !model.filters().is_empty() {
            note("exceptions from contact".into());
        }
        if model.medium().resists() {
            note("the medium around the bodies".into());
        }
        let rubs = |s: &&Shape| s.collides && s.material != Material::default();
        let count = model.shapes().iter().filter(rubs).count();
        if count > 0 {
            note(format!("surfaces: friction and restitution of {count} shapes"));
        }
        for motor in model.actuators() {
            if motor.control != bellcrank_model::Control::Effort || motor.gear != 1.0 {
                note(format!("actuator {:?}: gains and gear", motor.name));
            }
            if motor.torque_speed.is_some() {
                note(format!("actuator {:?}: its torque–speed line", motor.name));
            }
        }
    }
}

/// X_LU, the frame of a link that hangs on a joint, and the joint's axis in it.
///
/// A reader takes the rotation that brings x to the axis by the shortest way as that of F in the joint's origin and of M in the link. Turning both
/// about the axis changes nothing for joints of one axis; others keep the link's axes only where M is turned so.
fn link_frame(kind: JointKind, X_SM: Pose) -> (Pose, Vec3) {
    let axis = X_SM.R.rotate(Vec3::x_axis());
    let turned_so = (Quat::x_axis_to(axis).inverse() * X_SM.R).vector().norm() < 1e-12;
    match kind {
        JointKind::Fixed => (Pose::identity(), Vec3::x_axis()),
        JointKind::Revolute | JointKind::Prismatic | JointKind::Cylindrical | JointKind::Screw { .. } => {
            (Pose::from_position(X_SM.p), axis)
        }
        _ if turned_so => (Pose::from_position(X_SM.p), axis),
        _ => (X_SM, Vec3::x_axis()),
    }
}

/// X_PF and X_SM as seen from the parent in the tree.
fn ends(joint: &Joint, is_reversed: bool) -> (Pose, Pose) {
    if is_reversed { reversed(joint.kind, joint.X_PF, joint.X_SM) } else { (joint.X_PF, joint.X_SM) }
}

fn type_name(joint: &Joint) -> String {
    let bounded = joint.dofs.first().is_some_and(|dof| dof.limits.iter().any(|x| x.is_finite()));
    match joint.kind {
        JointKind::Revolute if !bounded => "continuous".into(),
        JointKind::Free => "floating".into(),
        kind => kind.name().into(),
    }
}
