//! Operators on the spanning tree as kernels: [`bellcrank_tree`]'s own functions, recorded.
//!
//! A tree's constants are printed as literals and its nodes one after the other, so every model has kernels of its own. For forward
//! kinematics, dynamics and their derivatives that is what compilers like: no table is read, and what is zero for this robot is
//! folded away. Where it would become too long for them, it is refused.

use crate::graph::Folding;
use crate::recorded::{NotRecordable, Recorded, record};
use crate::straight::{Array, StraightKernel};
use bellcrank_tree::{TreeError, TreeModel, Which};

/// Operations of one kernel at most. NVIDIA's compiler takes 81 s for 13,500 in one piece where all of them depend on each other, and
/// a few seconds for 5,000.
pub const MOST_OPERATIONS: usize = 100_000;

/// Why there is no kernel.
#[derive(Debug, thiserror::Error)]
pub enum TreeKernelError {
    /// The tree has no such frame.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// It cannot be recorded.
    #[error(transparent)]
    NotRecordable(#[from] NotRecordable),
    /// It would be too long.
    #[error(
        "{name} of this model has {operations} operations in one piece, and no compiler takes more than {MOST_OPERATIONS} well; \
         compute it on the processor (device=\"cpu\")"
    )]
    TooLong {
        /// The operator.
        name: String,
        /// Its length.
        operations: usize,
    },
}

/// The kernel of an operator for one model. Its arrays are those of the method of [`bellcrank_tree::Batch`] of that name, in the same
/// order within a state, but with the states of each number side by side.
///
/// # Errors
/// When a frame is not the tree's, or the kernel would be too long.
pub fn tree_kernel(
    tree: &TreeModel<f32>,
    which: &Which,
    folding: Folding,
) -> Result<StraightKernel, TreeKernelError> {
    let operation = tree.operation(which)?;
    let name = name_of(which).to_owned();
    let array = |name: &str, width: usize| Array { name: name.to_owned(), width };
    let inputs: Vec<Array> =
        operation.inputs().iter().map(|(name, layout)| array(name, layout.width(tree))).collect();
    let outputs: Vec<Array> =
        operation.outputs().iter().map(|(name, layout)| array(name, layout.width(tree))).collect();
    let total = inputs.iter().map(|array| array.width).sum();
    let mut failed = None;
    let recording = record(&name, total, folding, |numbers| {
        let mut rest = numbers;
        let mut rows: Vec<&[Recorded]> = Vec::new();
        for array in &inputs {
            let (row, others) = rest.split_at(array.width);
            rows.push(row);
            rest = others;
        }
        operation.run(tree, &rows).map(|rows| rows.concat()).unwrap_or_else(|error| {
            failed = Some(error);
            vec![]
        })
    })?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    let operations = recording.graph.ops().len();
    if operations > MOST_OPERATIONS {
        return Err(TreeKernelError::TooLong { name, operations });
    }
    Ok(StraightKernel { name, inputs, outputs, recording: recording.with_fewest_alive() })
}

/// The operator's name in texts.
pub fn name_of(which: &Which) -> &'static str {
    match which {
        Which::Fk(_) => "fk",
        Which::Jacobian(..) => "jacobian",
        Which::FrameMotion(..) => "frame_motion",
        Which::Rnea => "rnea",
        Which::Bias => "bias",
        Which::Gravity => "gravity",
        Which::Crba => "crba",
        Which::MassInverse => "mass_inverse",
        Which::Aba => "aba",
        Which::RneaDerivatives => "rnea_derivatives",
        Which::AbaDerivatives => "aba_derivatives",
        Which::RneaVjp => "rnea_vjp",
        Which::AbaVjp => "aba_vjp",
        Which::Centroidal => "centroidal",
        Which::Energies => "energies",
    }
}
