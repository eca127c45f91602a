//! From links and joints to a builder.

use super::control::Motor;
use super::groups::{Group, Groups};
use super::joint::{Joints, UrdfJoint};
use super::link::{Link as UrdfLink, Links};
use super::tree::Tree;
use crate::error::ImportFaultKind;
use crate::log::Log;
use crate::mend::mended;
use crate::options::{Base, Options};
use crate::reverse::reversed;
use bellcrank_math::Pose;
use bellcrank_model::{
    Actuator, Body, BodyId, Control, Coupling, Geometry, Joint, JointKind, Link, ModelBuilder, Shape, Site,
    Target, WORLD,
};
use std::collections::HashMap;

/// Everything that was read.
pub(super) struct Assembly<'a> {
    pub links: &'a Links,
    pub joints: &'a Joints,
    pub tree: &'a Tree,
    pub groups: &'a Groups,
    pub options: &'a Options,
    pub log: &'a Log,
}

impl Assembly<'_> {
    /// Adds everything; gives the body of each group.
    pub fn add_to(&self, builder: &mut ModelBuilder) -> Vec<Option<BodyId>> {
        let bodies: Vec<Option<BodyId>> =
            self.groups.all.iter().map(|group| self.add_body(group, builder)).collect();
        let link_of = |link: usize| bodies[self.groups.of[link]].map_or(WORLD, Link::from);
        self.add_base(bodies[self.groups.of[self.tree.root]], builder);
        for (j, joint) in self.joints.all.iter().enumerate() {
            if !self.is_inside_group(j) {
                builder.joint(self.joint(joint, link_of(joint.parent), link_of(joint.child), j));
            }
        }
        self.add_mimics(builder);
        self.add_motors(builder);
        let mut names = HashMap::new();
        for (link, said) in self.links.all.iter().enumerate() {
            self.add_shapes(said, link_of(link), self.groups.X_GL[link], &mut names, builder);
            if self.groups.all[self.groups.of[link]].first != link {
                let site = Site::new(&*said.name, link_of(link)).at(self.groups.X_GL[link]);
                builder.site(site.place(said.place.clone()));
            }
        }
        bodies
    }

    fn add_body(&self, group: &Group, builder: &mut ModelBuilder) -> Option<BodyId> {
        if group.is_world {
            return None;
        }
        let first = &self.links.all[group.first];
        let mut body = Body::new(&*first.name).at(self.tree.X_WL[group.first]).place(first.place.clone());
        let solid = match (group.solid, self.options.mend_inertia) {
            (solid, true) => {
                let whole = self.groups.all.iter().filter_map(|g| g.solid).map(|s| s.mass).sum();
                let (solid, said) = mended(solid, whole);
                said.into_iter().for_each(|why| self.log.ignore(first.place.clone(), why));
                Some(solid)
            }
            (None, false) => {
                let what = "the link moves, but neither it nor anything fixed to it has a mass";
                let hint = "give it an <inertial>, fix its joint, or load with the option mend_inertia";
                self.log.fault(first.place.clone(), ImportFaultKind::other(what, hint));
                None
            }
            (solid, false) => solid,
        };
        if let Some(solid) = solid {
            body = body.mass(solid.mass).com(solid.com).inertia(solid.inertia);
        }
        Some(builder.body(body))
    }

    /// What holds the root link: nothing where it is the world itself.
    fn add_base(&self, root: Option<BodyId>, builder: &mut ModelBuilder) {
        let Some(root) = root else { return };
        let kind = match self.options.base {
            Base::Fixed => JointKind::Fixed,
            Base::Floating => JointKind::Free,
        };
        let taken = |name: &str| self.joints.all.iter().any(|joint| joint.name == name);
        let name = if taken("root_joint") { "root_joint_of_the_base" } else { "root_joint" };
        let place = self.links.all[self.tree.root].place.clone();
        builder.joint(Joint::new(name, kind, WORLD, root).place(place));
    }

    /// A fixed joint that was used up in making one body of two links.
    fn is_inside_group(&self, j: usize) -> bool {
        let joint = &self.joints.all[j];
        joint.kind == JointKind::Fixed
            && self.tree.carrier[joint.child] == Some(j)
            && self.groups.of[joint.parent] == self.groups.of[joint.child]
    }

    fn joint(&self, joint: &UrdfJoint, parent: Link, child: Link, j: usize) -> Joint {
        let (X_PG, X_SG) = (self.groups.X_GL[joint.parent], self.groups.X_GL[joint.child]);
        let X_SM = joint.X_SM.unwrap_or_else(|| {
            let X_WF = self.tree.X_WL[joint.parent] * joint.X_PF;
            self.tree.X_WL[joint.child].inverse_mul(X_WF)
        });
        let (mut X_PF, mut X_SM) = (X_PG * joint.X_PF, X_SG * X_SM);
        let (mut parent, mut child) = (parent, child);
        if child == WORLD {
            // the world is never a successor: the same joint seen from the other side
            (parent, child) = (child, parent);
            (X_PF, X_SM) = reversed(joint.kind, X_PF, X_SM);
        }
        let mut made = Joint::new(&*joint.name, joint.kind, parent, child).frames(X_PF, X_SM);
        made.dofs.iter_mut().for_each(|dof| *dof = joint.dof);
        if joint.kind == JointKind::Revolute {
            made = made.counted_from(&[joint.reference, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        }
        made.closes_loop = self.tree.carrier[joint.child] != Some(j);
        made.place(joint.place.clone())
    }

    fn add_mimics(&self, builder: &mut ModelBuilder) {
        let by_name: HashMap<&str, &UrdfJoint> = self.joints.all.iter().map(|j| (&*j.name, j)).collect();
        for joint in &self.joints.all {
            let Some(mimic) = &joint.mimic else { continue };
            let follows = by_name.get(&*mimic.joint);
            let why = match follows {
                _ if joint.kind.dof_count() == 0 => "<mimic>: a fixed joint follows nothing",
                None => "<mimic>: the joint that it follows is not in the file; it moves by itself",
                Some(other) if other.kind.dof_count() == 0 => "<mimic>: the joint that it follows is fixed",
                Some(_) => "",
            };
            if !why.is_empty() {
                self.log.ignore(mimic.place.clone(), why);
                continue;
            }
            let name = format!("{}_mimic", joint.name);
            let mut coupling = Coupling::new(name).term(&*joint.name, 1.0).constant(mimic.offset);
            if mimic.multiplier != 0.0 {
                coupling = coupling.term(&*mimic.joint, -mimic.multiplier);
            }
            builder.coupling(coupling.place(mimic.place.clone()));
        }
    }

    /// One motor per joint that a transmission or `<ros2_control>` names or, without these, that has an effort limit.
    fn add_motors(&self, builder: &mut ModelBuilder) {
        let mut names = HashMap::new();
        for joint in &self.joints.all {
            let name = joint.name.clone();
            let plain = Motor { name, control: Control::Effort, range: [f64::NEG_INFINITY, f64::INFINITY] };
            let motor = match &self.joints.driven {
                Some(driven) => driven.get(&joint.name).cloned(),
                None => Some(plain).filter(|_| joint.dof.effort_limit.is_finite()),
            };
            let Some(motor) = motor.filter(|_| joint.kind.dof_count() == 1 && joint.mimic.is_none()) else {
                continue;
            };
            let Motor { name, control, range: [low, high] } = motor;
            let made = Actuator::new(unused(name, &mut names), Target::joint(&*joint.name), control);
            let made = made.effort_limit(joint.dof.effort_limit).control_range(low, high);
            builder.actuator(made.place(joint.place.clone()));
        }
    }

    fn add_shapes(
        &self,
        said: &UrdfLink,
        link: Link,
        X_GL: Pose,
        names: &mut HashMap<String, usize>,
        builder: &mut ModelBuilder,
    ) {
        for shape in &said.shapes {
            let noun = if shape.collides { "collision" } else { "visual" };
            let wanted = shape.name.clone().unwrap_or_else(|| format!("{}_{noun}", said.name));
            let geometry = match (&shape.geometry, &link) {
                // what stands still may keep its hollows
                (Geometry::ConvexMesh(mesh), Link::World) => Geometry::TriangleMesh(mesh.clone()),
                (geometry, _) => geometry.clone(),
            };
            let mut made = Shape::new(unused(wanted, names), link.clone(), geometry).at(X_GL * shape.X_LG);
            made.collides = shape.collides;
            made.color = shape.color.unwrap_or(made.color);
            builder.shape(made.place(shape.place.clone()));
        }
    }
}

/// The name, or the name with the first number that makes it new.
fn unused(wanted: String, names: &mut HashMap<String, usize>) -> String {
    let Some(count) = names.get_mut(&wanted) else {
        names.insert(wanted.clone(), 1);
        return wanted;
    };
    let mut number = *count;
    while names.contains_key(&format!("{wanted}_{number}")) {
        number += 1;
    }
    let name = format!("{wanted}_{number}");
    names.insert(wanted, number + 1); // where the search goes on next time
    names.insert(name.clone(), 1);
    name
}
