//! How many ways a mechanism can move, and how many of its constraint rows say nothing new.
//!
//! All joints together hold m rows on 6n velocities. The rows of the spanning tree are always independent; what
//! can be redundant are the rows that close loops and couple coordinates. So the rank is found on the small
//! matrix G of those rows over the tree's velocities:
//!
//! mobility = columns(G) − rank(G),  redundant rows = rows(G) − rank(G).
//!
//! A planar four-bar written in space has three redundant rows: planarity is said once more than needed.

use crate::builder::Parts;
use crate::coupling::Coupling;
use crate::graph::{Forest, JointGraph};
use crate::ids::{BodyId, JointId};
use crate::joint::{JointKind, kinematics};
use bellcrank_math::{Matrix, Pose, Twist, Vec3, Wrench};
use std::collections::BTreeMap;
use std::ops::Range;

/// Rows that stand out by less than this from the span of the others are redundant, where every row acts with
/// strength one on motions of size one. Far above rounding (1e-15), near what files with six digits express.
const RANK_TOLERANCE: f64 = 1e-6;

/// Degrees of freedom and redundancy at the reference pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mobility {
    /// Independent velocities.
    pub dofs: usize,
    /// Constraint rows of all joints and couplings.
    pub rows: usize,
    /// Rows that follow from the others.
    pub redundant_rows: usize,
}

impl Mobility {
    pub(crate) fn of(parts: &Parts, graph: &JointGraph) -> Self {
        let tree = TreeVelocities::of(parts, graph);
        let rows = tree.loop_rows(parts, graph);
        let count = rows.len();
        let rank: usize = independent_blocks(rows, tree.columns.len()).iter().map(|rows| rank(rows)).sum();
        let joint_rows: usize = parts.joints.iter().map(|joint| joint.kind.row_count()).sum();
        Mobility {
            dofs: tree.columns.len() - rank,
            rows: joint_rows + parts.couplings.len(),
            redundant_rows: count - rank,
        }
    }
}

/// A row of G: the columns where it is not zero, in order, and its values there. Loops are short and chains are
/// long, so most of G is zero.
type Row = Vec<(usize, f64)>;

/// Rows that share no column say nothing about each other: each block has its own rank.
fn independent_blocks(rows: Vec<Row>, columns: usize) -> Vec<Vec<Row>> {
    let mut forest = Forest::new(columns);
    for row in &rows {
        for pair in row.windows(2) {
            forest.join(pair[0].0, pair[1].0);
        }
    }
    let mut blocks: BTreeMap<usize, Vec<Row>> = BTreeMap::new();
    for row in rows {
        // a row without any entry holds nothing
        if let Some(&(column, _)) = row.first() {
            blocks.entry(forest.root(column)).or_default().push(row);
        }
    }
    blocks.into_values().collect()
}

/// The rank of a block, over the columns that occur in it.
fn rank(rows: &[Row]) -> usize {
    let mut columns: Vec<usize> = rows.iter().flatten().map(|(column, _)| *column).collect();
    columns.sort_unstable();
    columns.dedup();
    let mut matrix = Matrix::zero(rows.len(), columns.len());
    for (r, row) in rows.iter().enumerate() {
        for (column, value) in row {
            let c = columns.partition_point(|known| known < column);
            matrix.row_mut(r)[c] = *value;
        }
    }
    matrix.rank(RANK_TOLERANCE)
}

/// X_FM of a joint at the reference pose, with X_WF.
pub(crate) fn reference_frames(parts: &Parts, joint: JointId) -> (Pose, Pose) {
    let joint = &parts.joints[joint.index()];
    let link = |body: Option<BodyId>| body.map_or(Pose::identity(), |b| parts.bodies[b.index()].X_WL);
    let X_WF = link(joint.predecessor.body()) * joint.X_PF;
    let X_WM = link(joint.successor.body()) * joint.X_SM;
    (X_WF, X_WF.inverse_mul(X_WM))
}

/// What each velocity of the spanning tree moves: its twist in the world, told at a common point and in units of a
/// common length, so that turning and sliding weigh alike.
struct TreeVelocities {
    center: Vec3,
    length: f64,
    /// Unit twists.
    columns: Vec<Twist>,
    /// Their size per unit of the joint's own velocity.
    sizes: Vec<f64>,
    /// For each body: the body before it in the tree, the columns between the two, and how deep it is.
    above: Vec<Above>,
    /// First column of each tree joint.
    first: Vec<Option<usize>>,
}

#[derive(Clone, Default)]
struct Above {
    parent: Option<BodyId>,
    columns: Range<usize>,
    depth: usize,
}

impl TreeVelocities {
    fn of(parts: &Parts, graph: &JointGraph) -> Self {
        let (center, length) = extent(parts);
        let mut tree = TreeVelocities {
            center,
            length,
            columns: Vec::new(),
            sizes: Vec::new(),
            above: vec![Above::default(); parts.bodies.len()],
            first: vec![None; parts.joints.len()],
        };
        for node in graph.tree() {
            let start = tree.columns.len();
            match node.joint {
                None => {
                    tree.columns.extend(kinematics::motion_axes::<f64>(JointKind::Free, Pose::identity()));
                    tree.sizes.resize(tree.columns.len(), 1.0);
                }
                Some(joint) => {
                    tree.first[joint.index()] = Some(start);
                    let kind = parts.joints[joint.index()].kind;
                    let (X_WF, X_FM) = reference_frames(parts, joint);
                    let axes = kinematics::motion_axes(kind, X_FM);
                    let sign = if node.reversed { -1.0 } else { 1.0 };
                    for axis in &axes[..kind.dof_count()] {
                        let V = tree.to_common(*axis, X_WF, X_FM);
                        let size = norm(V.to_array());
                        tree.columns.push(V * (sign / size));
                        tree.sizes.push(size);
                    }
                }
            }
            tree.above[node.body.index()] = Above {
                parent: node.parent,
                columns: start..tree.columns.len(),
                depth: 1 + node.parent.map_or(0, |p| tree.above[p.index()].depth),
            };
        }
        tree
    }

    /// A twist of M's origin in F's axes, told at the common point in common units.
    fn to_common(&self, V: Twist, X_WF: Pose, X_FM: Pose) -> Twist {
        let p_WM = X_WF * X_FM.p;
        let told = V.rotated(X_WF.R).at_point(self.center - p_WM);
        Twist::new(told.linear * (1.0 / self.length), told.angular)
    }

    /// A row that acts on twists of M's origin in F's axes, as one that acts on common twists.
    fn row_to_common(&self, row: Wrench, X_WF: Pose, X_FM: Pose) -> Wrench {
        let p_WM = X_WF * X_FM.p;
        let told = row.rotated(X_WF.R).at_point(self.center - p_WM);
        Wrench::new(told.force * self.length, told.moment)
    }

    /// The rows of closing joints and couplings over the tree's velocities.
    fn loop_rows(&self, parts: &Parts, graph: &JointGraph) -> Vec<Row> {
        let mut rows = Vec::new();
        for closed in graph.loops() {
            let (X_WF, X_FM) = reference_frames(parts, closed.closing);
            let kind = parts.joints[closed.closing.index()].kind;
            let axes = kinematics::constraint_axes(kind, X_FM);
            for axis in &axes[..kind.row_count()] {
                let row = self.row_to_common(*axis, X_WF, X_FM);
                rows.push(self.relative(parts, closed.closing, row * (1.0 / norm(row.to_array()))));
            }
        }
        for coupling in &parts.couplings {
            rows.push(self.coupling_row(parts, coupling));
        }
        rows
    }

    /// A coupling as a row of strength one: lengths are counted in units of the common length.
    fn coupling_row(&self, parts: &Parts, coupling: &Coupling) -> Row {
        let mut sum: BTreeMap<usize, f64> = BTreeMap::new();
        let mut strength = 0.0;
        for term in &coupling.terms {
            let joint = term.joint.id();
            for (column, rate) in self.rate(parts, joint, term.dof) {
                *sum.entry(column).or_default() += term.coefficient * rate;
            }
            let unit = if parts.joints[joint.index()].kind.is_angle(term.dof) { 1.0 } else { self.length };
            strength += (term.coefficient * unit).powi(2);
        }
        sum.into_iter().map(|(column, x)| (column, x / strength.sqrt())).collect()
    }

    /// The velocity of a joint's coordinate over the tree's velocities.
    fn rate(&self, parts: &Parts, joint: JointId, dof: usize) -> Row {
        if let Some(first) = self.first[joint.index()] {
            return vec![(first + dof, 1.0 / self.sizes[first + dof])];
        }
        let (X_WF, X_FM) = reference_frames(parts, joint);
        let axis = kinematics::rate_axes(parts.joints[joint.index()].kind, X_FM)[dof];
        self.relative(parts, joint, self.row_to_common(axis, X_WF, X_FM))
    }

    /// A row on the relative twist of a joint's two bodies. What moves both moves neither against the other, so
    /// only the columns up to where their two ways meet take part.
    fn relative(&self, parts: &Parts, joint: JointId, row: Wrench) -> Row {
        let joint = &parts.joints[joint.index()];
        let depth = |body: Option<BodyId>| body.map_or(0, |b| self.above[b.index()].depth);
        let (mut s, mut p) = (joint.successor.body(), joint.predecessor.body());
        let mut over = Row::new();
        while s != p {
            let (end, sign) = if depth(s) >= depth(p) { (&mut s, 1.0) } else { (&mut p, -1.0) };
            // the deeper end is a body: the world has depth zero, and two ends of depth zero are both the world
            let Some(body) = *end else { break };
            let above = &self.above[body.index()];
            over.extend(above.columns.clone().map(|k| (k, sign * self.columns[k].dot(row))));
            *end = above.parent;
        }
        over.sort_unstable_by_key(|(column, _)| *column);
        over
    }
}

fn norm(v: [f64; 6]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The middle of all joints and a typical distance from it.
fn extent(parts: &Parts) -> (Vec3, f64) {
    let points: Vec<Vec3> =
        (0..parts.joints.len()).map(|j| reference_frames(parts, JointId::new(j)).0.p).collect();
    let share = 1.0 / points.len().max(1) as f64;
    let center = points.iter().fold(Vec3::zero(), |sum, p| sum + *p * share);
    let mean_square: f64 = points.iter().map(|p| (*p - center).norm_squared() * share).sum();
    (center, if mean_square > 0.0 { mean_square.sqrt() } else { 1.0 })
}
