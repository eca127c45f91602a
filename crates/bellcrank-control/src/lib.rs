//! Control by simulation: planners that try many controls in a batch of worlds and keep what was cheap.
//!
//! | file | what |
//! |---|---|
//! | `cost` | what a rollout costs: a trait that sees arrays of all worlds |
//! | `terms` | costs that ship: pose of a body, posture, control, fingertips, falls |
//! | `knots` | controls over a horizon as a few numbers: held, linear or cubic between knots |
//! | `noise` | numbers to perturb them, from seed, sample and plan alone |
//! | `method` | how samples and their costs become the next controls: MPPI and others |
//! | `options` | how to plan, and what plans mean to the motors |
//! | `start` | where a plan begins: the plant's state as it is known |
//! | `rollouts` | the worlds in which controls are tried |
//! | `planner`, `report`, `paths` | one planning step, what it found, and where samples went |
//! | `retarget/` | motions of poses, made dynamic |
//! | `live` | a planner in a thread beside the plant, and what happens when it fails |
//! | `balance/` | two-legged robots that stand and step: scenes, plant, pushes, trials |
//! | `gradient/` | planners that follow derivatives of steps (feature `gradient`) |
//! | `hand/` | turning objects in a hand: scenes, plant, trials |
#![forbid(unsafe_code)]

pub mod balance;
mod cost;
#[cfg(feature = "gradient")]
pub mod gradient;
pub mod hand;
mod knots;
pub mod live;
mod method;
mod noise;
mod options;
mod paths;
mod planner;
mod report;
pub mod retarget;
mod rollouts;
mod start;
mod terms;

pub use cost::{Cost, CostError, Seen};
pub use knots::Spline;
pub use method::{Method, Temperature};
pub use options::{Action, Options};
pub use paths::Paths;
pub use planner::Planner;
pub use report::{Plan, Trouble, Unusable};
pub use start::PlantState;
pub use terms::{Near, Sum, Term};

use bellcrank_sim::BatchError;

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)]
pub enum ControlError {
    #[error("{what} must be {expected}, not {found}")]
    BadOption { what: &'static str, expected: &'static str, found: f64 },
    #[error("{what}: {found} values were given, expected: {expected}")]
    WrongCount { what: &'static str, found: usize, expected: usize },
    #[error("{0} has no motor, so there is nothing to plan")]
    NoMotors(String),
    #[error("there is no {what} {name:?} in {model}{hint}")]
    NoSuchName { what: &'static str, name: String, model: String, hint: String },
    #[error("the plant is frozen: {body} stopped being finite in step {step}; reset it before planning")]
    PlantFrozen { body: String, step: u64 },
    #[error("the state of the plant is not finite: {quantity} number {index}; plan again when it is")]
    StateNotFinite { quantity: &'static str, index: usize },
    #[error(
        "no sample can be used: {frozen} worlds froze, {not_finite} costs are not finite, {hopeless} are above the bound; \
         the controls of the last plan stay"
    )]
    NoUsableSample { frozen: usize, not_finite: usize, hopeless: usize },
    #[error("actions are no offsets, so there is nothing to add to a reference: plan with Action::Offset")]
    NoOffsets,
    #[error("{0}")]
    BadModel(String),
    #[error("the thread of the planner could not be started: {0}")]
    Thread(String),
    #[error(transparent)]
    Cost(#[from] CostError),
    #[error(transparent)]
    Batch(#[from] BatchError),
}
