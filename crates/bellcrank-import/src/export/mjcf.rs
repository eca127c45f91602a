//! MJCF: nested bodies, and `<equality>` for loops.
//!
//! MJCF describes the reference pose, as a [`Model`] does, so link frames stay where they are; a joint whose
//! coordinate is not zero there says so by `ref`.

use super::Exported;
use super::equality::{add_couplings, add_loops, is_closable};
use super::mjcf_drives::add_actuators;
use super::mjcf_joints::add_joints;
use super::mjcf_keyframes::add_keyframes;
use super::mjcf_parts::{add_assets, add_body_content, add_contacts};
use super::mjcf_sensors::{add_sensors, magnetic};
use super::softness;
use super::tree::{Carried, Tree};
use super::write::{Xml, number, numbers, vector};
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{CombineRule, JointKind, Medium, Model};

/// Writes a model as MJCF.
///
/// Ball and hinge joints that close loops become one and two `connect`s, fixed ones a `weld`; the spanning tree is
/// chosen so that other kinds need not close loops where that is possible.
pub fn to_mjcf(model: &Model) -> Exported {
    // free joints belong to the world's own bodies: they are never needed in the tree
    let tree = Tree::of(model, |joint| match joint.kind {
        // what gives way can only be said of a loop
        _ if joint.held.is_some() => 3,
        JointKind::Free => 2,
        _ if is_closable(joint) => 1,
        _ => 0,
    });
    let mut writer = Writer { model, xml: Xml::default(), out: Exported::default() };
    writer.xml.open("mujoco", &[("model", model.name().to_owned())]);
    writer.xml.leaf("compiler", &[("angle", "radian".into()), ("autolimits", "true".into())]);
    let (dt, gravity) = (number(model.time_step()), vector(model.gravity()));
    let Medium { density, viscosity, wind } = model.medium();
    let resists = [("density", density), ("viscosity", viscosity)].into_iter().filter(|(_, x)| *x != 0.0);
    let medium = resists.map(|(name, x)| (name, number(x)));
    let medium = medium.chain((wind != Vec3::zero()).then(|| ("wind", vector(wind))));
    let option = [("timestep", dt), ("gravity", gravity)].into_iter().chain(magnetic(model)).chain(medium);
    let option = option.chain(softness::of_model(model.compliance()));
    writer.xml.leaf("option", &option.collect::<Vec<_>>());
    add_assets(model, &mut writer.xml, &mut writer.out);
    let order = writer.bodies(&tree);
    add_contacts(model, &mut writer.xml);
    let leftovers = add_loops(model, &tree, &mut writer.xml, &mut writer.out);
    add_couplings(model, leftovers, &mut writer.xml, &mut writer.out);
    let actuators = add_actuators(model, &tree.closing, &mut writer.xml, &mut writer.out);
    add_sensors(model, &mut writer.xml, &mut writer.out);
    add_keyframes(model, &order, &actuators, &mut writer.xml, &mut writer.out);
    writer.xml.close();
    if model.material_rules().friction != CombineRule::Maximum && !model.shapes().is_empty() {
        writer.out.left_out.push("the rule by which frictions combine: MJCF takes the larger".into());
    }
    Exported { text: writer.xml.text, ..writer.out }
}

struct Writer<'a> {
    model: &'a Model,
    xml: Xml,
    out: Exported,
}

impl Writer<'_> {
    /// Writes the tree; gives the bodies in the order in which they stand.
    fn bodies(&mut self, tree: &Tree) -> Vec<Carried> {
        let mut children = vec![Vec::new(); self.model.bodies().len() + 1];
        let world = self.model.bodies().len();
        for carried in &tree.order {
            // a free body is the world's child whoever it was free from
            let is_free =
                carried.joint.is_none_or(|j| self.model.joints()[j.index()].kind == JointKind::Free);
            let parent = carried.parent.filter(|_| !is_free);
            children[parent.map_or(world, |p| p.index())].push(*carried);
        }
        self.xml.open("worldbody", &[]);
        add_body_content(self.model, None, &mut self.xml, &mut self.out);
        // nested as deep as the chain is long: a list of what is still to be opened or closed
        let mut order = Vec::new();
        let mut waiting: Vec<Option<Carried>> = children[world].iter().rev().map(|c| Some(*c)).collect();
        while let Some(next) = waiting.pop() {
            let Some(carried) = next else {
                self.xml.close();
                continue;
            };
            self.open_body(&carried);
            order.push(carried);
            waiting.push(None);
            waiting.extend(children[carried.body.index()].iter().rev().map(|c| Some(*c)));
        }
        self.xml.close();
        order
    }

    fn open_body(&mut self, carried: &Carried) {
        let body = &self.model.bodies()[carried.body.index()];
        let is_free = carried.joint.is_none_or(|j| self.model.joints()[j.index()].kind == JointKind::Free);
        let parent = carried.parent.filter(|_| !is_free);
        let X_WP = parent.map_or(Pose::identity(), |p| self.model.bodies()[p.index()].X_WL);
        let X_PS = X_WP.inverse_mul(body.X_WL);
        let mut place =
            vec![("name", body.name.clone()), ("pos", vector(X_PS.p)), ("quat", numbers(&X_PS.R.to_wxyz()))];
        if body.gravity_compensation != 0.0 {
            place.push(("gravcomp", number(body.gravity_compensation)));
        }
        if body.mocap {
            place.push(("mocap", "true".into()));
        }
        self.xml.open("body", &place);
        let i = body.inertia.unwrap_or_default();
        let moments = numbers(&[i.xx, i.yy, i.zz, i.xy, i.xz, i.yz]);
        let inertial = [("pos", vector(body.com)), ("mass", number(body.mass)), ("fullinertia", moments)];
        self.xml.leaf("inertial", &inertial);
        match carried.joint {
            Some(joint) => add_joints(self.model, joint, carried.reversed, &mut self.xml, &mut self.out),
            None => self.xml.leaf("freejoint", &[("name", format!("{}_free", body.name))]),
        }
        add_body_content(self.model, Some(carried.body), &mut self.xml, &mut self.out);
    }
}
