//! What moves as one body: links joined by fixed joints, and frames without mass.
//!
//! Under [`FixedJoints::Merge`] a link on a fixed joint becomes part of the link that carries it. Under
//! [`FixedJoints::Keep`] only where one of the two has no mass. A link with mass never becomes part of the
//! world, so that the robot keeps all its mass.

use super::joint::Joints;
use super::link::Links;
use super::tree::Tree;
use crate::options::{Base, FixedJoints, Options};
use crate::solid::Solid;
use bellcrank_math::Pose;
use bellcrank_model::JointKind;

/// Which group each link is in, and where.
pub(super) struct Groups {
    pub all: Vec<Group>,
    /// The group of each link.
    pub of: Vec<usize>,
    /// X_LG of each link in its group's first link.
    pub X_GL: Vec<Pose>,
}

/// Links that move as one.
pub(super) struct Group {
    /// The link nearest to the root; the group has its frame and its name.
    pub first: usize,
    /// In the first link's frame; `None` for frames without mass.
    pub solid: Option<Solid>,
    /// Part of the world.
    pub is_world: bool,
}

impl Groups {
    pub fn find(links: &Links, joints: &Joints, tree: &Tree, options: &Options) -> Groups {
        let count = links.all.len();
        let mut groups = Groups { all: Vec::new(), of: vec![0; count], X_GL: vec![Pose::identity(); count] };
        for &link in &tree.order {
            let solid = links.all[link].solid;
            let joined = tree.carrier[link].and_then(|j| groups.joined(&joints.all[j], solid, options));
            let Some((group, X_GL)) = joined else {
                let is_world = link == tree.root && root_is_world(links, joints, tree, options);
                groups.of[link] = groups.all.len();
                groups.all.push(Group { first: link, solid, is_world });
                continue;
            };
            (groups.of[link], groups.X_GL[link]) = (group, X_GL);
            if let Some(added) = solid {
                let added = added.transformed(X_GL);
                let sum = groups.all[group].solid.map_or(added, |sum| sum.joined(added));
                groups.all[group].solid = Some(sum);
            }
        }
        groups
    }

    /// The group of the parent, if the child becomes part of it, and the child's frame there.
    fn joined(
        &self,
        joint: &super::joint::UrdfJoint,
        child: Option<Solid>,
        options: &Options,
    ) -> Option<(usize, Pose)> {
        let group = self.of[joint.parent];
        let parent = &self.all[group];
        let merges = joint.kind == JointKind::Fixed
            && match (parent.is_world, options.fixed_joints) {
                (true, _) => child.is_none(),
                (false, FixedJoints::Merge) => true,
                (false, FixedJoints::Keep) => child.is_none() || parent.solid.is_none(),
            };
        let X_PS = joint.X_PF * joint.X_SM.unwrap_or(Pose::identity()).inverse();
        merges.then(|| (group, self.X_GL[joint.parent] * X_PS))
    }
}

/// A root link without mass is the world itself if it says so by its name, or if nothing fixed to it has mass.
fn root_is_world(links: &Links, joints: &Joints, tree: &Tree, options: &Options) -> bool {
    if links.all[tree.root].name == "world" {
        return links.all[tree.root].solid.is_none();
    }
    let mut is_fixed = vec![false; links.all.len()];
    for &link in &tree.order {
        let carrier = tree.carrier[link].map(|j| &joints.all[j]);
        is_fixed[link] = carrier.is_none_or(|j| j.kind == JointKind::Fixed && is_fixed[j.parent]);
    }
    let weighs = |link: &usize| is_fixed[*link] && links.all[*link].solid.is_some();
    options.base == Base::Fixed && !tree.order.iter().any(weighs)
}
