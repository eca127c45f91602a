//! A mechanism as kinematics sees it: the spanning tree, what closes its loops, how far joints may go.

use crate::joints::{Readable, Term};
use crate::precision::Number;
use bellcrank_math::{Elem, Pose};
use bellcrank_model::{JointId, JointKind, Keyframe, Model, kinematics};
use bellcrank_tree::loops::Source;
use bellcrank_tree::{Slot, TreeModel};

/// A scalar coordinate of a joint that closes a loop, and how far it may go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClosingLimit<E> {
    pub closure: usize,
    pub dof: usize,
    pub limits: [E; 2],
}

/// A mechanism, ready for questions about its poses.
///
/// Poses are configurations `q` of the spanning tree (see [`TreeModel::slots`]): joints that close loops follow from them.
#[derive(Clone, Debug)]
pub struct Kinematics<E: Elem = f64> {
    tree: TreeModel<E>,
    pub(crate) joints: Vec<Readable>,
    /// By velocity of the tree, in tree order and sign; infinite where there is none.
    pub(crate) limits: Vec<[E; 2]>,
    pub(crate) closing_limits: Vec<ClosingLimit<E>>,
    /// Coordinates that motors drive, each once.
    pub(crate) motors: Vec<Source>,
    /// Velocities, in tree order, of bases that float.
    pub(crate) floating: Vec<usize>,
    /// Largest speeds that the model states, by velocity in the user's order.
    pub(crate) speeds: Vec<f64>,
    /// What each actuator's own coordinate is the sum of.
    pub(crate) drives: Vec<Vec<Term>>,
    rest: Vec<E>,
}

impl<E: Number> Kinematics<E> {
    /// Of a model, at rest in its reference pose.
    pub fn new(model: &Model) -> Self {
        let tree = TreeModel::<E>::new(model);
        Kinematics {
            joints: model.joints().iter().map(Readable::of).collect(),
            limits: limits(model, &tree),
            closing_limits: closing_limits(model, &tree),
            motors: motors(model, &tree),
            floating: floating(&tree),
            speeds: crate::servo::model_speeds(model, &tree),
            drives: crate::joints::drives(model),
            rest: rest(model, &tree),
            tree,
        }
    }

    /// The spanning tree, whose coordinates poses are told in.
    pub fn tree(&self) -> &TreeModel<E> {
        &self.tree
    }

    /// The reference pose.
    pub fn rest(&self) -> &[E] {
        &self.rest
    }

    /// The same mechanism with another pose to start from: a configuration of the tree. What has the wrong length changes nothing.
    pub fn with_rest(mut self, q: &[E]) -> Self {
        if q.len() == self.rest.len() {
            self.rest.copy_from_slice(q);
        }
        self
    }

    /// The same mechanism with limits drawn in from both sides by this share of each range, between 0 and 1/2.
    pub fn with_margin(mut self, share: f64) -> Self {
        let share = E::from_f64(share.clamp(0.0, 0.5));
        let draw_in = |[low, high]: [E; 2]| match (high - low).is_finite() {
            true => [low + (high - low) * share, high - (high - low) * share],
            false => [low, high],
        };
        self.limits.iter_mut().for_each(|limits| *limits = draw_in(*limits));
        self.closing_limits.iter_mut().for_each(|limit| limit.limits = draw_in(limit.limits));
        self
    }

    /// The pose of a keyframe: what it does not mention is as at rest. Loops are as open as the keyframe leaves them.
    pub fn keyframe(&self, keyframe: &Keyframe) -> Vec<E> {
        let mut q = self.rest.clone();
        for slot in self.tree.slots() {
            let numbers: Option<Vec<f64>> = match slot.joint {
                None => {
                    let told = keyframe.bodies.iter().find(|(body, _)| body.id() == slot.body);
                    told.map(|(_, X_WL)| free_numbers(*X_WL))
                }
                Some(id) => {
                    let told = keyframe.joints.iter().find(|(joint, _)| joint.id() == id);
                    told.map(|(_, x)| if slot.reversed { reversed(slot.kind, x) } else { x.clone() })
                }
            };
            for (k, x) in slot.q.clone().zip(numbers.unwrap_or_default()) {
                q[k] = E::from_f64(x);
            }
        }
        q
    }

    /// Least and largest value of every velocity's coordinate, in the user's order; infinite where there is no limit.
    pub fn limits(&self) -> Vec<[E; 2]> {
        let order = &self.tree.v_order;
        let mut limits =
            vec![[E::from_f64(f64::NEG_INFINITY), E::from_f64(f64::INFINITY)]; order.place.len()];
        for (k, [low, high]) in self.limits.iter().enumerate() {
            limits[order.place[k]] = if order.sign[k] < E::zero() { [-*high, -*low] } else { [*low, *high] };
        }
        limits
    }
}

fn limits<E: Elem>(model: &Model, tree: &TreeModel<E>) -> Vec<[E; 2]> {
    let order = &tree.v_order;
    let mut limits = vec![[E::from_f64(f64::NEG_INFINITY), E::from_f64(f64::INFINITY)]; order.place.len()];
    for slot in tree.slots().iter().filter(|slot| slot.kind.has_scalar_coordinates()) {
        let Some(joint) = slot.joint else { continue };
        for (d, dof) in model.joints()[joint.index()].dofs.iter().enumerate() {
            let Some(k) = order.place.iter().position(|place| *place == slot.v.start + d) else { continue };
            let [low, high] = dof.limits.map(E::from_f64);
            limits[k] = if order.sign[k] < E::zero() { [-high, -low] } else { [low, high] };
        }
    }
    limits
}

fn closing_limits<E: Elem>(model: &Model, tree: &TreeModel<E>) -> Vec<ClosingLimit<E>> {
    let mut found = Vec::new();
    for (closure, closing) in tree.loops.closures.iter().enumerate() {
        let joint = &model.joints()[closing.joint.index()];
        if !joint.kind.has_scalar_coordinates() {
            continue;
        }
        for (dof, bounds) in joint.dofs.iter().enumerate() {
            if bounds.limits.iter().any(|limit| limit.is_finite()) {
                found.push(ClosingLimit { closure, dof, limits: bounds.limits.map(E::from_f64) });
            }
        }
    }
    found
}

fn motors<E: Elem>(model: &Model, tree: &TreeModel<E>) -> Vec<Source> {
    let mut found: Vec<Source> = Vec::new();
    for (joint, dof) in model.actuators().iter().filter_map(|actuator| actuator.coordinate()) {
        found.extend(coordinate(tree, joint, dof).filter(|source| !found.contains(source)));
    }
    found
}

/// Where a joint's scalar coordinate comes from.
pub(crate) fn coordinate<E: Elem>(tree: &TreeModel<E>, joint: JointId, dof: usize) -> Option<Source> {
    if let Some(closure) = tree.loops.closures.iter().position(|closure| closure.joint == joint) {
        return Some(Source::Closing { closure, dof });
    }
    let slot = tree.slots().iter().find(|slot| slot.joint == Some(joint))?;
    let v = tree.v_order.place.iter().position(|place| *place == slot.v.start + dof)?;
    let node = &tree.nodes[tree.v_node[v]];
    (node.motion.coordinates() == 1).then(|| Source::Tree {
        q: node.q,
        v,
        sign: tree.v_order.sign[v].to_f64(),
    })
}

/// Velocities of nodes that hang from the world and move in any way.
fn floating<E: Elem>(tree: &TreeModel<E>) -> Vec<usize> {
    let free = tree.nodes.iter().filter(|node| {
        node.parent == bellcrank_tree::WORLD && matches!(node.motion, bellcrank_tree::Motion::Free)
    });
    free.flat_map(|node| node.v..node.v + 6).collect()
}

/// The reference pose in the tree's coordinates, in the user's order.
fn rest<E: Elem>(model: &Model, tree: &TreeModel<E>) -> Vec<E> {
    let mut q = vec![E::zero(); tree.coordinate_count()];
    for slot in tree.slots() {
        let numbers: Vec<f64> = match slot.joint {
            None => free_numbers(model.bodies()[slot.body.index()].X_WL),
            Some(joint) => joint_numbers(model, slot, joint),
        };
        for (k, x) in slot.q.clone().zip(numbers) {
            q[k] = E::from_f64(x);
        }
    }
    q
}

fn joint_numbers(model: &Model, slot: &Slot, joint: JointId) -> Vec<f64> {
    let X_FM = model.reference_joint_pose(joint);
    let X = if slot.reversed { X_FM.inverse() } else { X_FM };
    match slot.kind {
        JointKind::Free => free_numbers(X),
        JointKind::Spherical => X.R.to_wxyz().to_vec(),
        _ => model.reference_coordinates(joint)[..slot.q.len()].to_vec(),
    }
}

fn free_numbers(X: Pose) -> Vec<f64> {
    X.p.to_array().into_iter().chain(X.R.to_wxyz()).collect()
}

/// Coordinates of a joint as the tree tells them where it walks the joint backwards: those of free and ball joints are of X_MF.
fn reversed(kind: JointKind, x: &[f64]) -> Vec<f64> {
    let mut all = [0.0; 7];
    all.iter_mut().zip(x).for_each(|(all, x)| *all = *x);
    match kind {
        JointKind::Free => free_numbers(kinematics::pose(kind, &all).inverse()),
        JointKind::Spherical => kinematics::pose(kind, &all).inverse().R.to_wxyz().to_vec(),
        _ => x.to_vec(),
    }
}
