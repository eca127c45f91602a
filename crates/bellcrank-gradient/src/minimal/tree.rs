//! Poses of all bodies from the coordinates of the spanning tree, and how they change with these.

use bellcrank_math::{Pose, Real, Twist, Vec3};
use bellcrank_model::{JointKind, Model, kinematics};
use bellcrank_step::constants::Constants;
use bellcrank_step::layout::{JointLayout, Layout};
use bellcrank_step::rows::joint_pose;

/// One degree of freedom of the spanning tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// Of a floating base: its centre of mass along the world's axes (0 to 2), turns about them (3 to 5).
    Base {
        /// The body, counted as in the model.
        body: usize,
        /// 0 to 5.
        axis: usize,
    },
    /// Of a joint.
    Joint {
        /// The joint, counted as in the model.
        joint: usize,
        /// Which of its degrees of freedom.
        dof: usize,
    },
}

/// A dense matrix, by rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    /// Number of columns.
    pub columns: usize,
    /// Row after row.
    pub values: Vec<f64>,
}

impl Dense {
    /// All zero.
    pub fn zero(rows: usize, columns: usize) -> Self {
        Dense { columns, values: vec![0.0; rows * columns] }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.values.len().checked_div(self.columns).unwrap_or(0)
    }

    /// One row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns..][..self.columns]
    }

    /// One row, to be written.
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[row * self.columns..][..self.columns]
    }

    /// One number.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.columns + column]
    }

    /// row `to` += factor · row `from` of another matrix
    pub(crate) fn add_row(&mut self, to: usize, factor: f64, other: &Dense, from: usize) {
        if factor != 0.0 {
            let (columns, values) = (self.columns, other.row(from));
            let own = &mut self.values[to * columns..][..columns];
            own.iter_mut().zip(values).for_each(|(y, x)| *y += factor * x);
        }
    }
}

/// The spanning tree of a model with the numbers of one world.
#[derive(Clone, Copy)]
pub(crate) struct Tree<'a, N: Real = f64> {
    pub model: &'a Model,
    pub layout: &'a Layout,
    pub constants: &'a Constants<N>,
}

impl Tree<'_> {
    /// All degrees of freedom in the order of the tree.
    pub fn freedoms(&self) -> Vec<Freedom> {
        let mut all = Vec::new();
        for node in self.model.graph().tree() {
            match node.joint {
                None => {
                    let body = node.body.index();
                    all.extend((0..6).map(|axis| Freedom::Base { body, axis }));
                }
                Some(joint) => {
                    let joint = joint.index();
                    let count = self.layout.joints[joint].kind.dof_count();
                    all.extend((0..count).map(|dof| Freedom::Joint { joint, dof }));
                }
            }
        }
        all
    }

    /// The joints that the tree leaves out.
    pub fn closing(&self) -> impl Iterator<Item = usize> + '_ {
        self.model.graph().loops().iter().map(|l| l.closing.index())
    }

    /// Whether loops or couplings make some freedoms follow others.
    pub fn is_closed(&self) -> bool {
        !self.model.graph().loops().is_empty() || !self.layout.couplings.is_empty()
    }

    /// ∂X/∂q: for every body six rows (δx, δθ, world axes), for every freedom of the tree a column. Joints are taken as
    /// closed.
    pub fn tangent(&self, X_WB: &[Pose], columns: usize) -> Dense {
        let mut T = Dense::zero(6 * X_WB.len(), columns);
        let mut first = 0;
        for node in self.model.graph().tree() {
            let b = node.body.index();
            let Some(joint) = node.joint else {
                (0..6).for_each(|i| T.row_mut(6 * b + i)[first + i] = 1.0);
                first += 6;
                continue;
            };
            let (layout, c) = (&self.layout.joints[joint.index()], &self.constants.joints[joint.index()]);
            let (X_WF, X_WM, X_FM) = joint_pose(layout, c, X_WB);
            if let Some(p) = node.parent {
                let p = p.index();
                // δx_b = δx_p + δθ_p × (x_b − x_p)
                let r = X_WB[b].p - X_WB[p].p;
                let arm = [[0.0, r.z, -r.y], [-r.z, 0.0, r.x], [r.y, -r.x, 0.0]];
                let (low, high) = (6 * p.min(b), 6 * p.max(b));
                let (before, after) = T.values.split_at_mut(high * columns);
                let (parent, child) = if p < b {
                    (&before[low * columns..][..6 * columns], &mut after[..6 * columns])
                } else {
                    (&after[..6 * columns], &mut before[low * columns..][..6 * columns])
                };
                child.copy_from_slice(parent);
                for i in 0..3 {
                    for k in 0..3 {
                        for column in 0..first {
                            child[i * columns + column] += arm[i][k] * parent[(3 + k) * columns + column];
                        }
                    }
                }
            }
            let axes = kinematics::motion_axes(layout.kind, X_FM);
            let sign = if node.reversed { -1.0 } else { 1.0 };
            for k in 0..layout.kind.dof_count() {
                let (v, w) = (X_WF.R.rotate(axes[k].linear) * sign, X_WF.R.rotate(axes[k].angular) * sign);
                let at = v + w.cross(X_WB[b].p - X_WM.p);
                for (i, x) in at.to_array().into_iter().chain(w.to_array()).enumerate() {
                    T.row_mut(6 * b + i)[first + k] = x;
                }
            }
            first += layout.kind.dof_count();
        }
        T
    }

    /// Poses from coordinates: of each base position and quaternion wxyz, of each joint its own.
    pub fn poses(&self, coordinates: &[f64]) -> Vec<Pose> {
        let mut X_WB = vec![Pose::identity(); self.layout.position.len()];
        let mut rest = coordinates;
        for node in self.model.graph().tree() {
            let b = node.body.index();
            let kind = node.joint.map_or(JointKind::Free, |j| self.layout.joints[j.index()].kind);
            let (own, others) = rest.split_at(kind.coordinate_count());
            rest = others;
            let mut q = [0.0; 7];
            q[..own.len()].copy_from_slice(own);
            let X_FM = kinematics::pose(kind, &q);
            let Some(joint) = node.joint else {
                X_WB[b] = X_FM;
                continue;
            };
            let c = &self.constants.joints[joint.index()];
            let X_WP = node.parent.map_or(Pose::identity(), |p| X_WB[p.index()]);
            X_WB[b] = if node.reversed {
                X_WP * c.X_SM * X_FM.inverse() * c.X_PF.inverse()
            } else {
                X_WP * c.X_PF * X_FM * c.X_SM.inverse()
            };
        }
        X_WB
    }

    /// The reverse, joint by joint.
    pub fn coordinates(&self, X_WB: &[Pose]) -> Vec<f64> {
        let mut all = Vec::new();
        for node in self.model.graph().tree() {
            match node.joint {
                None => {
                    let X = X_WB[node.body.index()];
                    all.extend(kinematics::coordinates(JointKind::Free, X));
                }
                Some(joint) => {
                    let joint = joint.index();
                    let layout = &self.layout.joints[joint];
                    let X_FM = joint_pose(layout, &self.constants.joints[joint], X_WB).2;
                    let q = kinematics::coordinates(layout.kind, X_FM);
                    all.extend(&q[..layout.kind.coordinate_count()]);
                }
            }
        }
        all
    }

    /// Rows on the two bodies of a joint: held ones first, then those of its degrees of freedom; (successor, predecessor).
    pub fn joint_rows(&self, joint: &JointLayout, index: usize, X_WB: &[Pose]) -> [([f64; 6], [f64; 6]); 6] {
        let (X_WF, X_WM, X_FM) = joint_pose(joint, &self.constants.joints[index], X_WB);
        let held = kinematics::constraint_axes(joint.kind, X_FM);
        let free = kinematics::rate_axes(joint.kind, X_FM);
        let count = joint.kind.row_count();
        core::array::from_fn(|i| {
            let row = if i < count { held[i] } else { free[i - count] }.rotated(X_WF.R);
            let on = |b: usize| row.at_point(X_WB[b].p - X_WM.p).to_array();
            (on(joint.successor), joint.predecessor.map_or([0.0; 6], |p| on(p).map(|x| -x)))
        })
    }
}

impl<N: Real> Tree<'_, N> {
    /// The row of one degree of freedom of a joint on its two bodies; (successor, predecessor).
    #[inline(always)]
    pub fn free_row(&self, index: usize, dof: usize, X_WB: &[Pose<N>]) -> ([N; 6], [N; 6]) {
        let joint = &self.layout.joints[index];
        let (X_WF, X_WM, X_FM) = joint_pose(joint, &self.constants.joints[index], X_WB);
        let row = kinematics::rate_axes(joint.kind, X_FM)[dof].rotated(X_WF.R);
        let on_s = row.at_point(X_WB[joint.successor].p - X_WM.p).to_array();
        match joint.predecessor {
            Some(p) => (on_s, (-row.at_point(X_WB[p].p - X_WM.p)).to_array()),
            None => (on_s, [N::zero(); 6]),
        }
    }
}

/// The twist of a small change of a pose: six rows of a column.
pub(crate) fn twist(six: [f64; 6]) -> Twist {
    Twist::new(Vec3::new(six[0], six[1], six[2]), Vec3::new(six[3], six[4], six[5]))
}
