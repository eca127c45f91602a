//! What the spanning tree leaves out: joints that close loops, and couplings between coordinates.
//!
//! Both become rows of c(q) = 0 with the loop-closure Jacobian G = ∂c/∂q (columns: the tree's velocities):
//!
//! * a closing joint between F on one body and M on another: c(X_FM), ċ = A(X_FM) V, with V the twist of M's
//!   origin relative to F in F's axes; the functions are the model's own ([`bellcrank_model::kinematics`]);
//! * a coupling: Σ coefficient · coordinate − constant.

use crate::model::{Frame, cast_frame, cast_number};
use bellcrank_math::Elem;
use bellcrank_model::{JointId, JointKind};

/// All rows that close loops or couple coordinates.
#[derive(Clone, Debug, Default)]
pub struct LoopModel<E = f64> {
    /// Joints outside the tree.
    pub closures: Vec<Closure<E>>,
    /// Linear relations, after the closures' rows.
    pub couplings: Vec<Relation<E>>,
    /// Rows of all of them.
    pub rows: usize,
    /// Which of the tree's velocities (in tree order) a motor drives.
    pub driven: Vec<bool>,
}

/// A joint that closes a loop.
#[derive(Clone, Copy, Debug)]
pub struct Closure<E> {
    /// Which.
    pub joint: JointId,
    /// Its kind.
    pub kind: JointKind,
    /// F, on the predecessor's node.
    pub F: Frame<E>,
    /// M, on the successor's node.
    pub M: Frame<E>,
    /// First row.
    pub row: usize,
}

/// A linear relation between coordinates.
#[derive(Clone, Debug)]
pub struct Relation<E> {
    /// Coordinates and coefficients.
    pub terms: Vec<(Source, E)>,
    /// What the sum shall be.
    pub constant: E,
}

/// Where a coupled coordinate comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// The tree's own, by its place in tree order; `sign` turns it into the joint's.
    #[allow(missing_docs)]
    Tree { q: usize, v: usize, sign: f64 },
    /// A coordinate of a closing joint.
    #[allow(missing_docs)]
    Closing { closure: usize, dof: usize },
}

impl LoopModel<f64> {
    pub(crate) fn add_closure(&mut self, joint: JointId, kind: JointKind, [F, M]: [Frame<f64>; 2]) {
        self.closures.push(Closure { joint, kind, F, M, row: self.rows });
        self.rows += kind.row_count();
    }

    pub(crate) fn closing_coordinate(&self, joint: JointId, dof: usize) -> Option<Source> {
        let closure = self.closures.iter().position(|closure| closure.joint == joint)?;
        Some(Source::Closing { closure, dof })
    }

    pub(crate) fn add_coupling(&mut self, terms: Vec<(Source, f64)>, constant: f64) {
        self.couplings.push(Relation { terms, constant });
        self.rows += 1;
    }
}

impl<E: Elem> LoopModel<E> {
    pub(crate) fn cast<F: Elem>(&self) -> LoopModel<F> {
        let closure = |c: &Closure<E>| Closure {
            joint: c.joint,
            kind: c.kind,
            F: cast_frame(&c.F),
            M: cast_frame(&c.M),
            row: c.row,
        };
        let relation = |r: &Relation<E>| Relation {
            terms: r.terms.iter().map(|(source, k)| (*source, cast_number(*k))).collect(),
            constant: cast_number(r.constant),
        };
        LoopModel {
            closures: self.closures.iter().map(closure).collect(),
            couplings: self.couplings.iter().map(relation).collect(),
            rows: self.rows,
            driven: self.driven.clone(),
        }
    }
}
