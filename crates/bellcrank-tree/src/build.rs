//! From a model to its tree: merging, decomposing, choosing frames.
//!
//! * Bodies held by fixed joints are merged into the node that carries them.
//! * Joints with several scalar coordinates become chains of single motions without mass between them
//!   (universal: two turns; planar: two slides and a turn), so that kernels know five motions only.
//! * A node's axes are free to choose. Where the joint's axis is a coordinate axis of the parent's frame, the
//!   node takes the parent's axes (at zero), and the constant rotation of the tree vanishes: a planar rotation is
//!   all that is left. That holds for most joints of most robots, however their files turn the link frames.
//! * A joint that the tree walks backwards turns the other way: X_MF(q) = X_FM(q)⁻¹.

use crate::axis::Axis;
use crate::branches::Branches;
use crate::loops::{LoopModel, Source};
use crate::model::{Frame, Order, Slot, TreeModel};
use crate::node::{Motion, Node, WORLD};
use crate::solid::Solid;
use bellcrank_math::{Inertia, Mat3, Pose, Vec3};
use bellcrank_model::{BodyId, JointKind, Model, TreeNode};

/// A direction is a coordinate axis when it is one to this; ten times what a product of ten rotations rounds by.
pub(crate) const ALIGNED: f64 = 1e-14;

pub(crate) fn tree(model: &Model) -> TreeModel<f64> {
    let mut build = Build::new(model);
    for tree_node in model.graph().tree() {
        build.add(tree_node);
    }
    build.finish()
}

/// A placement with its rotation as a matrix: quarter turns stay exact.
#[derive(Clone, Copy)]
struct Placement {
    R: Mat3,
    p: Vec3,
}

impl Placement {
    fn of(X: Pose) -> Self {
        Placement { R: straightened(X.R.to_mat3()), p: X.p }
    }
    fn then(self, X: Placement) -> Self {
        Placement { R: straightened(self.R * X.R), p: self.R * X.p + self.p }
    }
}

/// The rotation next to `m`. Without it the rounding of long chains grows with each product by a transpose.
fn straightened(m: Mat3) -> Mat3 {
    let x = m.x.normalized();
    let z = x.cross(m.y).normalized();
    Mat3::from_columns(x, z.cross(x), z)
}

/// One scalar motion or one quaternion motion of a joint, in the joint's own axes.
#[derive(Clone, Copy)]
enum Step {
    Turn(Axis),
    Slide(Axis),
    Screw(f64),
    Ball,
    Free,
}

struct Build<'a> {
    model: &'a Model,
    slots: Vec<Slot>,
    /// Slot of each joint, and of each floating body.
    slot_of_joint: Vec<Option<usize>>,
    slot_of_body: Vec<Option<usize>>,
    nodes: Vec<Node<f64>>,
    armature: Vec<f64>,
    q_order: Order<f64>,
    v_order: Order<f64>,
    /// Node and X_NL of each body.
    placed: Vec<(usize, Placement)>,
    /// R_WN at zero coordinates.
    R_WN_zero: Vec<Mat3>,
}

impl<'a> Build<'a> {
    fn new(model: &'a Model) -> Self {
        let nowhere = (WORLD, Placement::of(Pose::identity()));
        let mut build = Build {
            model,
            slots: Vec::new(),
            slot_of_joint: vec![None; model.joints().len()],
            slot_of_body: vec![None; model.bodies().len()],
            nodes: Vec::new(),
            armature: Vec::new(),
            q_order: Order::default(),
            v_order: Order::default(),
            placed: vec![nowhere; model.bodies().len()],
            R_WN_zero: Vec::new(),
        };
        build.lay_out_slots();
        build
    }

    /// Floating bases in tree order, then joints in the model's.
    fn lay_out_slots(&mut self) {
        let tree = self.model.graph().tree();
        let mut entries: Vec<&TreeNode> = tree.iter().filter(|node| node.joint.is_none()).collect();
        let mut jointed: Vec<&TreeNode> = tree.iter().filter(|node| node.joint.is_some()).collect();
        jointed.sort_by_key(|node| node.joint);
        entries.extend(jointed);
        let (mut q, mut v) = (0, 0);
        for node in entries {
            let joint = node.joint.map(|id| &self.model.joints()[id.index()]);
            let kind = joint.map_or(JointKind::Free, |joint| joint.kind);
            let body = &self.model.bodies()[node.body.index()];
            let (nq, nv) = (kind.coordinate_count(), kind.dof_count());
            self.slots.push(Slot {
                name: joint.map_or(&body.name, |joint| &joint.name).clone(),
                joint: node.joint,
                body: node.body,
                kind,
                reversed: node.reversed,
                q: q..q + nq,
                v: v..v + nv,
            });
            (q, v) = (q + nq, v + nv);
        }
        self.slots.retain(|slot| slot.kind != JointKind::Fixed);
        self.reindex_slots();
    }

    fn reindex_slots(&mut self) {
        self.slot_of_joint.fill(None);
        self.slot_of_body.fill(None);
        for (s, slot) in self.slots.iter().enumerate() {
            match slot.joint {
                Some(id) => self.slot_of_joint[id.index()] = Some(s),
                None => self.slot_of_body[slot.body.index()] = Some(s),
            }
        }
    }

    fn add(&mut self, tree_node: &TreeNode) {
        let parent =
            tree_node.parent.map_or((WORLD, Placement::of(Pose::identity())), |b| self.placed[b.index()]);
        let (kind, X_PF, X_LM, slot) = self.joint_at(tree_node);
        let X_NF = parent.1.then(Placement::of(X_PF)); // the near joint frame, seen from the parent's node
        let X_ML = Placement::of(X_LM.inverse());
        let placed = match slot {
            None => (parent.0, X_NF.then(X_ML)), // fixed: part of the parent
            Some(slot) => self.add_chain(parent.0, X_NF, kind, slot, X_ML),
        };
        self.placed[tree_node.body.index()] = placed;
        self.add_inertia(tree_node.body, placed);
    }

    /// Kind, near frame on the parent, far frame on the child, and slot (none for a fixed joint).
    fn joint_at(&self, node: &TreeNode) -> (JointKind, Pose, Pose, Option<usize>) {
        match node.joint {
            None => {
                let slot = self.slot_of_body[node.body.index()];
                (JointKind::Free, Pose::identity(), Pose::identity(), slot)
            }
            Some(id) => {
                let joint = &self.model.joints()[id.index()];
                let (near, far) =
                    if node.reversed { (joint.X_SM, joint.X_PF) } else { (joint.X_PF, joint.X_SM) };
                (joint.kind, near, far, self.slot_of_joint[id.index()])
            }
        }
    }

    /// Adds the joint's motions one after the other; gives the last node with X_NL.
    fn add_chain(
        &mut self,
        parent: usize,
        X_PF: Placement,
        kind: JointKind,
        slot: usize,
        X_ML: Placement,
    ) -> (usize, Placement) {
        let mut steps: Vec<(usize, Step)> = steps(kind).into_iter().enumerate().collect();
        let reversed = self.slots[slot].reversed;
        if reversed {
            steps.reverse();
        }
        let (mut at, mut X_PT) = (parent, X_PF);
        for (dof, step) in steps {
            let (axes, sign) = self.add_node(at, X_PT, step, reversed);
            self.add_coordinates(slot, dof, step, sign);
            at = self.nodes.len() - 1;
            X_PT = Placement { R: axes, p: Vec3::zero() }; // the joint's axes, seen from the node's
        }
        (at, X_PT.then(X_ML))
    }

    /// Adds one node; gives R_NJ (the joint's axes J in the node's, at zero) and the sign of its coordinate.
    fn add_node(&mut self, parent: usize, X_PT: Placement, step: Step, reversed: bool) -> (Mat3, f64) {
        let R_WP = if parent == WORLD { Mat3::identity() } else { self.R_WN_zero[parent] };
        let flip = if reversed { -1.0 } else { 1.0 };
        let (motion, R_PN, sign) = match step {
            Step::Turn(axis) => {
                let (axis, R_PN, sign) = choose_axes(X_PT.R, axis, R_WP);
                (Motion::Turn(axis), R_PN, sign * flip)
            }
            Step::Screw(pitch) => {
                let (axis, R_PN, sign) = choose_axes(X_PT.R, Axis::X, R_WP);
                (Motion::Screw(axis, pitch), R_PN, sign * flip)
            }
            Step::Slide(axis) => (Motion::Slide(axis.column(X_PT.R)), Mat3::identity(), flip),
            Step::Ball => (Motion::Ball, X_PT.R, 1.0),
            Step::Free => (Motion::Free, X_PT.R, 1.0),
        };
        self.R_WN_zero.push(straightened(R_WP * R_PN));
        self.nodes.push(Node {
            parent,
            motion,
            tilt: (R_PN != Mat3::identity()).then_some(R_PN),
            p: X_PT.p,
            inertia: Inertia::default(),
            solid: Solid::default(),
            q: self.q_order.place.len(),
            v: self.v_order.place.len(),
            end: 0,
            level: if parent == WORLD { 0 } else { self.nodes[parent].level + 1 },
        });
        (straightened(R_PN.transpose() * X_PT.R), sign)
    }

    /// Books the coordinates and velocities of the node just added.
    fn add_coordinates(&mut self, slot: usize, dof: usize, step: Step, sign: f64) {
        let slot = &self.slots[slot];
        let (nq, nv) = match step {
            Step::Ball => (4, 3),
            Step::Free => (7, 6),
            _ => (1, 1),
        };
        for k in 0..nq {
            self.q_order.place.push(slot.q.start + dof + k);
            self.q_order.sign.push(sign);
        }
        // a free joint has no rotor: armature that a file gives it is left out
        let joint = slot.joint.filter(|_| nv < 6).map(|id| &self.model.joints()[id.index()]);
        for k in 0..nv {
            self.v_order.place.push(slot.v.start + dof + k);
            self.v_order.sign.push(sign);
            let armature = joint.and_then(|joint| joint.dofs.get(dof + k)).map_or(0.0, |dof| dof.armature);
            self.armature.push(armature);
        }
    }

    fn add_inertia(&mut self, body: BodyId, (node, X_NL): (usize, Placement)) {
        let Some(node) = self.nodes.get_mut(node) else { return }; // fixed to the world: it never moves
        let body = &self.model.bodies()[body.index()];
        let about_com = body.inertia.unwrap_or_default().rotated(X_NL.R);
        let com = X_NL.R * body.com + X_NL.p;
        node.inertia = node.inertia + Inertia::from_com(body.mass, com, about_com);
    }

    fn finish(mut self) -> TreeModel<f64> {
        for i in (0..self.nodes.len()).rev() {
            let node = &mut self.nodes[i];
            (node.end, node.solid) = (node.end.max(i + 1), Solid::new(&node.inertia));
            let (end, parent) = (node.end, node.parent);
            if parent != WORLD {
                self.nodes[parent].end = self.nodes[parent].end.max(end);
            }
        }
        let (v_parent, v_node) = self.velocity_tree();
        let (frames, frame_names) = self.frames();
        let loops = self.loop_model();
        TreeModel {
            gravity: self.model.gravity(),
            loops,
            nodes: self.nodes,
            armature: self.armature,
            frames,
            q_order: self.q_order,
            v_order: self.v_order,
            branches: Branches::new(v_parent),
            v_node,
            slots: self.slots,
            frame_names,
            body_count: self.model.bodies().len(),
        }
    }

    /// The velocity before each on the way to the root, and the node of each.
    fn velocity_tree(&self) -> (Vec<usize>, Vec<usize>) {
        let (mut before, mut of) = (Vec::new(), Vec::new());
        for (i, node) in self.nodes.iter().enumerate() {
            for k in 0..node.motion.dofs() {
                before.push(match (k, self.nodes.get(node.parent)) {
                    (0, None) => WORLD,
                    (0, Some(parent)) => parent.v + parent.motion.dofs() - 1,
                    _ => node.v + k - 1,
                });
                of.push(i);
            }
        }
        (before, of)
    }

    fn frames(&self) -> (Vec<Frame<f64>>, Vec<String>) {
        let bodies = self.model.bodies();
        let mut frames: Vec<Frame<f64>> =
            (0..bodies.len()).map(|b| self.frame_on(Some(BodyId::new(b)), Pose::identity())).collect();
        let mut names: Vec<String> = bodies.iter().map(|body| body.name.clone()).collect();
        for site in self.model.sites() {
            frames.push(self.frame_on(site.link.body(), site.X_LS));
            names.push(site.name.clone());
        }
        (frames, names)
    }

    /// A frame given in the link frame of a body (or in the world), as one on its node.
    fn frame_on(&self, body: Option<BodyId>, X_LF: Pose) -> Frame<f64> {
        let world = (WORLD, Placement::of(Pose::identity()));
        let (node, X_NL) = body.map_or(world, |body| self.placed[body.index()]);
        let X_NF = X_NL.then(Placement::of(X_LF));
        Frame { node: (node != WORLD).then_some(node), R: X_NF.R, p: X_NF.p }
    }

    /// Closing joints in the order of the loops, then couplings.
    fn loop_model(&self) -> LoopModel<f64> {
        let mut loops = LoopModel { driven: self.driven(), ..LoopModel::default() };
        for found in self.model.loops() {
            let joint = &self.model.joints()[found.closing.index()];
            let F = self.frame_on(joint.predecessor.body(), joint.X_PF);
            let M = self.frame_on(joint.successor.body(), joint.X_SM);
            loops.add_closure(found.closing, joint.kind, [F, M]);
        }
        for coupling in self.model.couplings() {
            let mut terms = Vec::new();
            for term in &coupling.terms {
                let joint = term.joint.id();
                let source = match self.slot_of_joint[joint.index()] {
                    Some(slot) => self.tree_coordinate(self.slots[slot].q.start + term.dof),
                    None => loops.closing_coordinate(joint, term.dof),
                };
                terms.extend(source.map(|source| (source, term.coefficient)));
            }
            loops.add_coupling(terms, coupling.constant);
        }
        loops
    }

    /// Which velocities a motor drives, in tree order. Motors of closing joints have no velocity of the tree's own.
    fn driven(&self) -> Vec<bool> {
        let mut places = Vec::new();
        for actuator in self.model.actuators() {
            let Some((joint, dof)) = actuator.coordinate() else { continue };
            let slot = self.slot_of_joint[joint.index()];
            places.extend(slot.map(|slot| self.slots[slot].v.start + dof));
        }
        self.v_order.place.iter().map(|place| places.contains(place)).collect()
    }

    /// The tree's own place for a scalar coordinate of the user's.
    fn tree_coordinate(&self, q: usize) -> Option<Source> {
        let k = self.q_order.place.iter().position(|place| *place == q)?;
        let node = self.nodes.iter().rfind(|node| node.q <= k)?;
        Some(Source::Tree { q: k, v: node.v, sign: self.q_order.sign[k] })
    }
}

/// Every kind of joint as a chain of motions, from F to M, in the order of its coordinates.
fn steps(kind: JointKind) -> Vec<Step> {
    use Axis::{X, Y, Z};
    match kind {
        JointKind::Fixed => vec![],
        JointKind::Revolute => vec![Step::Turn(X)],
        JointKind::Prismatic => vec![Step::Slide(X)],
        JointKind::Cylindrical => vec![Step::Slide(X), Step::Turn(X)],
        JointKind::Universal => vec![Step::Turn(X), Step::Turn(Y)],
        JointKind::Spherical => vec![Step::Ball],
        JointKind::Gimbal => vec![Step::Turn(X), Step::Turn(Y), Step::Turn(Z)],
        JointKind::Planar => vec![Step::Slide(Y), Step::Slide(Z), Step::Turn(X)],
        JointKind::Cartesian => vec![Step::Slide(X), Step::Slide(Y), Step::Slide(Z)],
        JointKind::Screw { pitch } => vec![Step::Screw(pitch)],
        JointKind::Free => vec![Step::Free],
    }
}

/// Axes for a turning node: the axis in them, R_PN at zero, and which way the coordinate counts.
///
/// First choice: the parent's axes, no constant rotation at all. Second: the world's axes at zero, so that the
/// descendants have the first choice again after an oblique joint. Third: the joint's own axes.
fn choose_axes(R_PJ: Mat3, axis: Axis, R_WP: Mat3) -> (Axis, Mat3, f64) {
    let direction_P = axis.column(R_PJ);
    if let Some((axis, sign)) = aligned(direction_P) {
        return (axis, Mat3::identity(), sign);
    }
    if let Some((axis, sign)) = aligned(R_WP * direction_P) {
        return (axis, R_WP.transpose(), sign);
    }
    (axis, R_PJ, 1.0)
}

/// The coordinate axis along which `direction` points, and which way.
fn aligned(direction: Vec3) -> Option<(Axis, f64)> {
    Axis::ALL.into_iter().find_map(|axis| {
        let along = axis.of(direction);
        let across = direction - axis.unit::<f64>() * along.signum();
        (across.norm() < ALIGNED).then_some((axis, along.signum()))
    })
}
