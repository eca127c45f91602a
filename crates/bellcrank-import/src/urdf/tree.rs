//! Which joint carries which link, and where everything is at the reference configuration.

use super::joint::{Joints, UrdfJoint};
use super::link::Links;
use crate::error::{ImportError, ImportFaultKind};
use crate::xml::Element;
use bellcrank_math::Pose;
use bellcrank_model::{JointKind, kinematics};

/// The tree under the root link; joints outside it close loops.
pub(super) struct Tree {
    pub root: usize,
    /// Links, parents before children.
    pub order: Vec<usize>,
    /// The joint that carries each link; `None` for the root.
    pub carrier: Vec<Option<usize>>,
    /// X_WL of each link.
    pub X_WL: Vec<Pose>,
}

impl Tree {
    pub fn find(robot: &Element, links: &Links, joints: &Joints) -> Result<Tree, ImportError> {
        let mut carrier = vec![None; links.all.len()];
        for (j, joint) in joints.all.iter().enumerate().filter(|(_, joint)| !joint.closes_loop) {
            if joint.parent != joint.child && carrier[joint.child].is_none() {
                carrier[joint.child] = Some(j);
            }
        }
        let root = root(robot, links, &mut carrier)?;
        let mut tree =
            Tree { root, order: vec![root], carrier, X_WL: vec![Pose::identity(); links.all.len()] };
        tree.walk(joints);
        tree.take_in_the_rest(robot, links, joints);
        Ok(tree)
    }

    fn walk(&mut self, joints: &Joints) {
        let mut children = vec![Vec::new(); self.carrier.len()];
        for (link, carrier) in self.carrier.iter().enumerate() {
            if let Some(j) = carrier {
                children[joints.all[*j].parent].push((*j, link));
            }
        }
        // children in the order of their joints in the file, each branch to its end, as the file reads
        children.iter_mut().for_each(|list| list.sort_unstable());
        let mut waiting: Vec<(usize, usize)> = children[self.root].iter().rev().copied().collect();
        while let Some((j, link)) = waiting.pop() {
            self.X_WL[link] = self.X_WL[joints.all[j].parent] * child_pose(&joints.all[j]);
            self.order.push(link);
            waiting.extend(children[link].iter().rev());
        }
    }

    /// Links that do not hang on the root are at fault, unless a joint that is at fault itself should carry them.
    /// They are kept, so that everything else that is wrong with them is told as well.
    fn take_in_the_rest(&mut self, robot: &Element, links: &Links, joints: &Joints) {
        let mut reached = vec![false; links.all.len()];
        self.order.iter().for_each(|link| reached[*link] = true);
        for (number, link) in links.all.iter().enumerate().filter(|(number, _)| !reached[*number]) {
            self.order.push(number);
            self.carrier[number] = None;
            if joints.complete {
                let root = &links.all[self.root].name;
                let what = format!("the link does not hang on the root link {root:?}");
                let hint = "join it to another link; a second robot belongs into a file of its own";
                robot.fault_at(link.place.clone(), ImportFaultKind::other(what, hint));
            }
        }
    }
}

/// The one link that no joint carries. In a ring, where every link is carried, the first link of the file.
fn root(robot: &Element, links: &Links, carrier: &mut [Option<usize>]) -> Result<usize, ImportError> {
    if let Some(root) = carrier.iter().position(Option::is_none) {
        return Ok(root);
    }
    if links.all.is_empty() {
        let kind = ImportFaultKind::other("the robot has no links", "add at least one <link>");
        return Err(ImportError::one(robot.place(), kind));
    }
    carrier[0] = None;
    Ok(0)
}

/// X_PS at the reference coordinate.
fn child_pose(joint: &UrdfJoint) -> Pose {
    let X_SM = joint.X_SM.unwrap_or(Pose::identity());
    let moved = match joint.kind {
        JointKind::Revolute | JointKind::Prismatic | JointKind::Screw { .. } if joint.reference != 0.0 => {
            let q = [joint.reference, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
            joint.X_PF * kinematics::pose(joint.kind, &q)
        }
        _ => joint.X_PF,
    };
    // X_PF and X_SM contain the same turn of the axis: the origin comes out as the file gives it
    moved * X_SM.inverse()
}
