//! What can be wrong with a call, as a value.

use thiserror::Error;

/// Why an operator did nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TreeError {
    /// An array does not hold `batch` rows of the expected width.
    #[error("{what} has {found} numbers, but {batch} states of {width} need {}", batch * width)]
    WrongSize {
        /// Which argument.
        what: &'static str,
        /// Its length.
        found: usize,
        /// Number of states, from the first argument.
        batch: usize,
        /// Numbers per state.
        width: usize,
    },
    /// The first array's length is not a multiple of its width, so that the number of states is unknown.
    #[error("{what} has {found} numbers, which is no whole number of states of {width}")]
    NotWholeStates {
        /// Which argument.
        what: &'static str,
        /// Its length.
        found: usize,
        /// Numbers per state.
        width: usize,
    },
    /// There is no such frame.
    #[error("the tree has no frame {0:?}: frames are named after bodies and sites")]
    NoSuchFrame(String),
    /// There is no such joint.
    #[error("the tree has no joint {0:?}: joints that close loops are not part of it")]
    NoSuchJoint(String),
    /// A frame number of another tree.
    #[error("the tree has no frame number {index}; it has {count}")]
    NoSuchFrameId {
        /// The number given.
        index: usize,
        /// How many there are.
        count: usize,
    },
}
