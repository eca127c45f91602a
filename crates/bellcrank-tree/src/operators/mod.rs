//! One method per operator, on arrays.

mod any;
mod derivatives;
mod dynamics;
mod kinematics;
mod loops;
mod macros;
mod operation;
mod whole;

pub use any::AnyOperator;
pub(crate) use any::run_any;
pub use derivatives::{AbaGradients, RneaGradients};
pub use dynamics::External;
pub use loops::Consistency;
pub(crate) use macros::operator;
pub use operation::{Operation, Which};

use crate::batch::{self, Input, Operator, Output, Plan};
use crate::error::TreeError;
use crate::model::{Frame, FrameId, TreeModel};
use crate::precision::Precision;
use bellcrank_math::{Elem, Level};

/// A tree with settings for batched calls.
///
/// Inputs and outputs are row-major arrays with one row per state; see each method for the row. Errors are wrong
/// sizes only.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a, E: Elem> {
    tree: &'a TreeModel<E>,
    plan: Plan,
}

impl<E: Elem> TreeModel<E> {
    /// Operators on arrays, on one thread.
    pub fn batch(&self) -> Batch<'_, E> {
        Batch { tree: self, plan: Plan::default() }
    }

    /// The constants of some frames.
    pub(crate) fn frames_of(&self, frames: &[FrameId]) -> Result<Vec<Frame<E>>, TreeError> {
        let count = self.frames.len();
        let find = |id: &FrameId| {
            self.frames.get(id.0).copied().ok_or(TreeError::NoSuchFrameId { index: id.0, count })
        };
        frames.iter().map(find).collect()
    }
}

impl<'a, E: Elem> Batch<'a, E> {
    /// How many threads may take part, the caller's among them; 0 for one per processor core. Sleeping ones are woken
    /// only where that pays, in calls of more than 60 µs. They stay awake for 50 µs after a call, and help with shorter
    /// ones that come meanwhile.
    pub fn threads(mut self, threads: usize) -> Self {
        self.plan.threads = threads;
        self
    }

    /// One state after the other instead of several at a time: the same bits, slowly, for comparison.
    pub fn one_by_one(self) -> Self {
        self.level(Level::Scalar)
    }

    /// Lanes of this instruction set instead of the widest; one by one where the processor lacks it. The same bits.
    pub fn level(mut self, level: Level) -> Self {
        self.plan.level = level;
        self
    }

    /// Computes everything and writes no results: the array's share of the time is the rest.
    pub(crate) fn without_results(mut self) -> Self {
        self.plan.results = false;
        self
    }

    /// Runs an operator of one's own on every state: see [`crate::batch`] for an example.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn run_operator<O: Operator<E>>(
        &self,
        operator: &O,
        inputs: &[Input<'_, E>],
        outputs: &mut [Output<'_, E>],
    ) -> Result<(), TreeError>
    where
        E: Precision,
    {
        batch::run(self.tree, self.plan, operator, inputs, outputs)
    }

    fn run<O: Into<AnyOperator<E>>>(
        &self,
        operator: O,
        inputs: &[Input<'_, E>],
        outputs: &mut [Output<'_, E>],
    ) -> Result<(), TreeError>
    where
        E: Precision,
    {
        E::work(self.tree, self.plan, &operator.into(), (inputs, outputs))
    }
}

/// Splits a block into pieces of these widths.
#[inline(always)]
pub(crate) fn split<const N: usize, R>(block: &[R], widths: [usize; N]) -> [&[R]; N] {
    let mut start = 0;
    widths.map(|width| {
        let piece = &block[start..start + width];
        start += width;
        piece
    })
}

/// What the tests of derivatives look into.
#[cfg(test)]
pub(crate) mod tests_only {
    pub(crate) use super::derivatives::{AbaJacobian, AbaVjp, RneaJacobian, RneaVjp};
    pub(crate) use super::dynamics::{Aba, Rnea};
    pub(crate) use super::kinematics::{FrameMotion, FrameMotionDerivatives};
    pub(crate) use super::loops::{LoopClosure, LoopDrift};

    pub(crate) fn plain_aba() -> Aba<f64> {
        Aba { frames: vec![] }
    }
}
