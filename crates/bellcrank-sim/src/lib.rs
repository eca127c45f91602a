//! Batches of worlds: thousands of mechanisms, the same or different, stepped, reset, read and written together.
//!
//! The time step itself is `bellcrank-step`.
//!
//! | file | what |
//! |---|---|
//! | `batch/` | many worlds: step, read and write, reset, parameters, measurements, sensors |
//! | `parameter/` | the table of physical parameters |
//! | `snapshot` | states as bytes |

mod batch;
mod parameter;
mod snapshot;

pub use batch::{Batch, BatchError, BatchOptions, KeyframeTrouble, StepReport};
pub use bellcrank_solve::{ComFree, FrictionCone, Impedance, InteriorPoint, Padmm, Smoothing, Variant};
pub use bellcrank_step::constants::Constants;
pub use bellcrank_step::contact::BodyContact;
pub use bellcrank_step::field::Field;
pub use bellcrank_step::group::Precision;
pub use bellcrank_step::layout::Layout;
pub use bellcrank_step::reactions::all_rows::AllRows;
pub use bellcrank_step::readout::{Metrics, Readout};
pub use bellcrank_step::settings::{Integrator, Method, Settings, Solver};
pub use bellcrank_step::state::{Control, State};
pub use bellcrank_step::status::{Report, WorldStatus};
pub use bellcrank_step::workspace::Workspace;
pub use parameter::{Owner, Parameter};
