//! The time step: hard loops, drives, limits and contacts solved together, thousands of worlds at once.
//!
//! | file | what |
//! |---|---|
//! | `layout` | the structure of a model's step, worked out once |
//! | `constants` | its numbers per block of worlds, from the parameters |
//! | `state` `workspace` | what must be saved; what may be thrown away |
//! | `step` | one time step on one screen |
//! | `motion` `balance` `third_law` `rows` `couplings` `drives` `lines` `limits` `cone_rows` `cones` `worlds` | its parts: momentum and poses, joints, couplings between them, motors, tendons, what pushes only |
//! | `recovery` `restitution` | what is inside wants out, at bounded speed and force; what is hit hits the next |
//! | `comfree` `pile` | reactions in closed form; worlds of many loose bodies |
//! | `interior/` | the implicit step: everything met at its end, by the interior point |
//! | `derivative/` | how a step depends on state, control and parameters |
//! | `all_rows` | the published method, all rows inside the solver: for comparison |
//! | `assemble` | poses that close, from any subset of joint coordinates |
//! | `readout` | what a step leaves behind: reactions, efforts, how well the equations are met |
//! | `batch` | many worlds: step, read and write, reset, parameters, measurements |
//! | `group` `group_access` `field` `lane_access` `snapshot` | behind it: blocks of lanes over threads, read, written, saved |
//! | `parameter/` | the table of physical parameters |
//! | `status` | what became of a world |

mod activation;
mod assemble;
mod batch;
mod constants;
mod derivative;
mod drag;
mod field;
mod group;
mod group_access;
mod interior;
mod lane_access;
mod layout;
mod parameter;
mod reactions;
mod readout;
mod rows;
mod settings;
mod snapshot;
mod state;
mod status;
mod step;
mod workspace;

/// What the library checks about itself from within, one function per law; they panic where it does not hold.
#[cfg(feature = "checks")]
#[doc(hidden)]
pub mod checks {
    pub use crate::derivative::blocks::*;

    /// D and ∂P⁺/∂ω of the implicit step against dual numbers.
    pub fn slopes_of_momentum_and_of_the_end_pose_are_those_of_dual_numbers() {
        crate::interior::slopes_of_momentum_and_of_the_end_pose_are_those_of_dual_numbers();
    }
}

pub use batch::{Batch, BatchError, BatchOptions, BodyContact, KeyframeTrouble, Precision, StepReport};
pub use bellcrank_solve::{ComFree, FrictionCone, Impedance, InteriorPoint, Padmm, Smoothing, Variant};
pub use constants::Constants;
pub use derivative::{
    Dense, Freedom, MinimalJacobian, MinimalState, MinimalStep, StepEnd, StepJacobian, StepPullback, Wrt,
};
pub use field::Field;
pub use layout::Layout;
pub use parameter::{Owner, Parameter};
pub use reactions::all_rows::AllRows;
pub use readout::{Metrics, Readout};
pub use settings::{Integrator, Method, Settings, Solver};
pub use state::{Control, State};
pub use status::{Report, WorldStatus};
pub use workspace::Workspace;
