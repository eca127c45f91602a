//! The spanning tree of a model, ready for kernels.

use crate::branches::Branches;
use crate::build;
use crate::error::TreeError;
use crate::loops::LoopModel;
use crate::node::{Motion, Node};
use bellcrank_math::{Elem, Inertia, Mat3, Sym3, Vec3};
use bellcrank_model::{BodyId, JointId, JointKind, Model};
use std::ops::Range;

/// Where a joint's numbers stand in `q` and `v`.
///
/// Floating bases (components that no joint ties to the world) come first, then the tree's joints in the order
/// of the model. Scalar coordinates are the joint's own. For ball and free joints, and for floating bases:
///
/// * `q`: position \[m\] (free only), then quaternion **wxyz**, of frame M (of the link frame for a floating base)
///   seen from F (the world);
/// * `v`: velocity of M's origin \[m/s\] (free only), then angular velocity \[rad/s\], **both in M's own axes**.
///
/// Where the tree walks such a joint backwards (`reversed`), M and F change places.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// Name of the joint, or of the floating body.
    pub name: String,
    /// The joint; `None` for a floating base.
    pub joint: Option<JointId>,
    /// The body that it carries.
    pub body: BodyId,
    /// Its kind; `Free` for a floating base.
    pub kind: JointKind,
    /// The tree goes from the joint's successor to its predecessor.
    pub reversed: bool,
    /// Places in `q`.
    pub q: Range<usize>,
    /// Places in `v`, and in everything that has velocities' order: efforts, rows and columns of matrices.
    pub v: Range<usize>,
}

/// Which frame of a tree: the link frames of all bodies, then the sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameId(pub(crate) usize);

impl FrameId {
    /// Position in [`TreeModel::frame_names`].
    pub fn index(self) -> usize {
        self.0
    }
}

/// A frame fixed to a node, or to the world.
#[derive(Clone, Copy, Debug)]
pub struct Frame<E> {
    /// The node that carries it; `None` for the world.
    pub node: Option<usize>,
    /// R_NF
    pub R: Mat3<E>,
    /// p_NF \[m\]
    pub p: Vec3<E>,
}

/// From the user's order and signs to the tree's, for one vector.
#[derive(Clone, Debug, Default)]
pub struct Order<E> {
    /// Place in the user's vector of the tree's `k`-th number.
    pub place: Vec<usize>,
    /// ±1: the tree's number is this times the user's.
    pub sign: Vec<E>,
}

/// The spanning tree of a model: constants of every node, and where every coordinate goes.
#[derive(Clone, Debug)]
pub struct TreeModel<E = f64> {
    /// Moving bodies, parents first.
    pub nodes: Vec<Node<E>>,
    /// Acceleration of free fall \[m/s²\].
    pub gravity: Vec3<E>,
    /// Rotor inertia by velocity, in tree order \[kg·m² or kg\].
    pub armature: Vec<E>,
    /// Link frames of all bodies by [`BodyId`], then the sites.
    pub frames: Vec<Frame<E>>,
    /// Order of coordinates.
    pub q_order: Order<E>,
    /// Order of velocities.
    pub v_order: Order<E>,
    /// Which velocities lie between each other and the root, in tree order.
    pub branches: Branches,
    /// For each velocity in tree order, its node.
    pub v_node: Vec<usize>,
    /// What closes loops and couples coordinates.
    pub loops: LoopModel<E>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) frame_names: Vec<String>,
    pub(crate) body_count: usize,
}

impl<E: Elem> TreeModel<E> {
    /// The spanning tree of `model`; fixed joints are merged into the bodies that they hold.
    pub fn new(model: &Model) -> Self {
        build::tree(model).cast()
    }

    /// Length of a configuration `q`.
    pub fn coordinate_count(&self) -> usize {
        self.q_order.place.len()
    }

    /// Length of a velocity `v`, of accelerations and of efforts.
    pub fn dof_count(&self) -> usize {
        self.v_order.place.len()
    }

    /// Number of bodies of the model, fixed ones included.
    pub fn body_count(&self) -> usize {
        self.body_count
    }

    /// Where every joint's numbers stand.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The joint (or floating body) of that name.
    pub fn slot(&self, name: &str) -> Option<&Slot> {
        self.slots.iter().find(|slot| slot.name == name)
    }

    /// One name per coordinate: the joint's, with a suffix where it has several.
    pub fn coordinate_names(&self) -> Vec<String> {
        self.slots.iter().flat_map(|slot| names(slot, coordinate_suffixes(slot.kind))).collect()
    }

    /// One name per velocity.
    pub fn dof_names(&self) -> Vec<String> {
        self.slots.iter().flat_map(|slot| names(slot, velocity_suffixes(slot.kind))).collect()
    }

    /// Names of all frames: bodies, then sites.
    pub fn frame_names(&self) -> &[String] {
        &self.frame_names
    }

    /// The frame of that name; where a body and a site share it, the body.
    ///
    /// # Errors
    /// When there is none.
    pub fn frame(&self, name: &str) -> Result<FrameId, TreeError> {
        let found = self.frame_names.iter().position(|known| known == name);
        found.map(FrameId).ok_or_else(|| TreeError::NoSuchFrame(name.to_owned()))
    }

    /// The link frame of a body of the model.
    pub fn body_frame(&self, body: BodyId) -> FrameId {
        FrameId(body.index())
    }

    /// Row and column of every number of [`crate::Batch::crba_entries`]: the mass matrix without the zeros between
    /// unrelated branches. Of an entry and its mirror image only one is listed.
    pub fn mass_entries(&self) -> Vec<(usize, usize)> {
        let place = &self.v_order.place;
        self.branches.pairs().map(|(k, j)| (place[k], place[j])).collect()
    }

    /// Row and column of every number of [`crate::Batch::rnea_derivatives_entries`]: the matrices without zeros.
    pub fn derivative_entries(&self) -> Vec<(usize, usize)> {
        let below = self.mass_entries();
        let above = below.iter().filter(|(r, c)| r != c).map(|&(r, c)| (c, r));
        below.iter().copied().chain(above).collect()
    }

    /// The zero configuration: all coordinates zero, all quaternions one.
    pub fn neutral(&self) -> Vec<E> {
        let mut q = vec![E::zero(); self.coordinate_count()];
        for node in &self.nodes {
            let w = match node.motion {
                Motion::Ball => node.q,
                Motion::Free => node.q + 3,
                _ => continue,
            };
            q[self.q_order.place[w]] = E::one();
        }
        q
    }

    /// The nodes between the world and `node`, root first, itself included.
    pub fn path(&self, node: usize) -> Vec<usize> {
        let up = std::iter::successors(Some(node), |&i| {
            let parent = self.nodes[i].parent;
            (parent != crate::WORLD).then_some(parent)
        });
        let mut path: Vec<usize> = up.collect();
        path.reverse();
        path
    }

    /// The same tree in another precision.
    pub fn cast<F: Elem>(&self) -> TreeModel<F> {
        TreeModel {
            nodes: self.nodes.iter().map(cast_node).collect(),
            gravity: cast_vector(self.gravity),
            armature: cast_all(&self.armature),
            frames: self.frames.iter().map(cast_frame).collect(),
            q_order: cast_order(&self.q_order),
            v_order: cast_order(&self.v_order),
            branches: self.branches.clone(),
            v_node: self.v_node.clone(),
            loops: self.loops.cast(),
            slots: self.slots.clone(),
            frame_names: self.frame_names.clone(),
            body_count: self.body_count,
        }
    }
}

fn names(slot: &Slot, suffixes: &'static [&'static str]) -> impl Iterator<Item = String> {
    suffixes.iter().map(|suffix| format!("{}{suffix}", slot.name))
}

fn coordinate_suffixes(kind: JointKind) -> &'static [&'static str] {
    match kind {
        JointKind::Spherical => &[".qw", ".qx", ".qy", ".qz"],
        JointKind::Free => &[".px", ".py", ".pz", ".qw", ".qx", ".qy", ".qz"],
        _ => velocity_suffixes(kind),
    }
}

fn velocity_suffixes(kind: JointKind) -> &'static [&'static str] {
    match kind {
        JointKind::Fixed => &[],
        JointKind::Revolute | JointKind::Prismatic | JointKind::Screw { .. } => &[""],
        JointKind::Cylindrical => &[".x", ".angle"],
        JointKind::Universal => &[".about_x", ".about_y"],
        JointKind::Gimbal => &[".about_x", ".about_y", ".about_z"],
        JointKind::Planar => &[".y", ".z", ".angle"],
        JointKind::Cartesian => &[".x", ".y", ".z"],
        JointKind::Spherical => &[".wx", ".wy", ".wz"],
        JointKind::Free => &[".vx", ".vy", ".vz", ".wx", ".wy", ".wz"],
    }
}

pub(crate) fn cast_number<E: Elem, F: Elem>(x: E) -> F {
    F::from_f64(x.to_f64())
}

fn cast_all<E: Elem, F: Elem>(numbers: &[E]) -> Vec<F> {
    numbers.iter().map(|x| cast_number(*x)).collect()
}

pub(crate) fn cast_vector<E: Elem, F: Elem>(v: Vec3<E>) -> Vec3<F> {
    Vec3::new(cast_number(v.x), cast_number(v.y), cast_number(v.z))
}

fn cast_matrix<E: Elem, F: Elem>(m: &Mat3<E>) -> Mat3<F> {
    Mat3::from_columns(cast_vector(m.x), cast_vector(m.y), cast_vector(m.z))
}

fn cast_inertia<E: Elem, F: Elem>(i: &Inertia<E>) -> Inertia<F> {
    let (J, c) = (&i.J, cast_number::<E, F>);
    let J = Sym3 { xx: c(J.xx), xy: c(J.xy), xz: c(J.xz), yy: c(J.yy), yz: c(J.yz), zz: c(J.zz) };
    Inertia { mass: c(i.mass), h: cast_vector(i.h), J }
}

pub(crate) fn cast_frame<E: Elem, F: Elem>(frame: &Frame<E>) -> Frame<F> {
    Frame { node: frame.node, R: cast_matrix(&frame.R), p: cast_vector(frame.p) }
}

fn cast_order<E: Elem, F: Elem>(order: &Order<E>) -> Order<F> {
    Order { place: order.place.clone(), sign: cast_all(&order.sign) }
}

fn cast_node<E: Elem, F: Elem>(node: &Node<E>) -> Node<F> {
    let motion = match node.motion {
        Motion::Turn(axis) => Motion::Turn(axis),
        Motion::Slide(direction) => Motion::Slide(cast_vector(direction)),
        Motion::Screw(axis, pitch) => Motion::Screw(axis, cast_number(pitch)),
        Motion::Ball => Motion::Ball,
        Motion::Free => Motion::Free,
    };
    Node {
        parent: node.parent,
        motion,
        tilt: node.tilt.as_ref().map(cast_matrix),
        p: cast_vector(node.p),
        inertia: cast_inertia(&node.inertia),
        solid: node.solid.cast(),
        q: node.q,
        v: node.v,
        end: node.end,
        level: node.level,
    }
}
