//! Batches of worlds: thousands of mechanisms, the same or different, stepped, reset, read and written together.
//!
//! The time step itself is `bellcrank-step`.
//!
//! | file | what |
//! |---|---|
//! | `batch/` | many worlds: step, read and write, reset, parameters, measurements, sensors |
//! | `memory` | how much there is |
//! | `quantity/` | the table of quantities: states, controls, parameters, read-outs |
//! | `settings` | one choice of solver with its integrator, and numbers |
//! | `snapshot` | states as bytes |
//! | `threads` | pools that outlive a fork |
#![forbid(unsafe_code)]

mod batch;
mod memory;
mod quantity;
mod settings;
mod snapshot;
mod threads;

pub use batch::{Batch, BatchError, BatchOptions, KeyframeFault, MakeGroup, Number, Part, StepReport};
pub use bellcrank_solve::{ComFree, FrictionCone, Impedance, InteriorPoint, Padmm, Smoothing, Variant};
pub use bellcrank_step::constants::Constants;
pub use bellcrank_step::contact::BodyContact;
pub use bellcrank_step::group::Precision;
pub use bellcrank_step::layout::Layout;
pub use bellcrank_step::reactions::all_rows::AllRows;
pub use bellcrank_step::readout::{Metrics, Readout};
pub use bellcrank_step::state::{Control, State};
pub use bellcrank_step::status::{Report, WorldStatus};
pub use bellcrank_step::workspace::Workspace;
pub use memory::free_memory;
pub use quantity::{Kind, Owner, Quantity};
pub use settings::{ImplicitIntegrator, Integrator, Settings, Solver};
pub use threads::Threads;
