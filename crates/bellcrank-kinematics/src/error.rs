//! What can be wrong with a question, as a value. Goals that cannot be reached are no errors: they have a nearest pose.

use bellcrank_tree::TreeError;
use thiserror::Error;

/// Why nothing was solved.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum KinematicsError {
    /// A goal names a body or site that is not there.
    #[error("the goal names frame {0:?}, but no body or site has that name")]
    NoSuchFrame(String),
    /// A goal names a joint that is not there.
    #[error("the goal names joint {0:?}, but no joint has that name")]
    NoSuchJoint(String),
    /// A joint without a coordinate of that number.
    #[error(
        "joint {joint:?} has no coordinate number {dof}: give its orientation as a goal of the body instead"
    )]
    NoSuchCoordinate {
        /// Its name.
        joint: String,
        /// The number asked for.
        dof: usize,
    },
    /// There is nothing to reach.
    #[error("there is no goal: give at least one")]
    NoGoal,
    /// A weight that is negative or no number.
    #[error("goal number {goal} has the weight {weight}: weights are finite and not negative")]
    BadWeight {
        /// Which goal.
        goal: usize,
        /// What it says.
        weight: f64,
    },
    /// A period, speed or acceleration that is none.
    #[error("the {what} is {value}: it must be a positive number")]
    BadBound {
        /// Which.
        what: &'static str,
        /// What it says.
        value: f64,
    },
    /// An array of the wrong length.
    #[error("{what} has {found} numbers, but {rows} rows of {width} need {}", rows * width)]
    WrongSize {
        /// Which argument.
        what: &'static str,
        /// Its length.
        found: usize,
        /// Rows that it should have.
        rows: usize,
        /// Numbers per row.
        width: usize,
    },
    /// From the tree below.
    #[error(transparent)]
    Tree(#[from] TreeError),
}
