//! The time step: hard loops, drives, limits and contacts solved together, thousands of worlds at once.
//!
//! | file | what |
//! |---|---|
//! | `layout` | the structure of a model's step, worked out once |
//! | `constants` | its numbers per block of worlds, from the parameters |
//! | `state` `workspace` | what must be saved; what may be thrown away |
//! | `step` | one time step on one screen |
//! | `motion` `rows` `drives` `cones` | its parts: momentum and poses, joints, motors, what pushes only |
//! | `assemble` | poses that close, from any subset of joint coordinates |
//! | `batch` `group` `lane_access` `snapshot` | many worlds in blocks of lanes over threads, read, written, saved |
//! | `status` | what became of a world |

mod assemble;
mod batch;
mod cones;
mod constants;
mod drives;
mod group;
mod lane_access;
mod layout;
mod motion;
mod rows;
mod snapshot;
mod state;
mod status;
mod step;
mod workspace;

pub use batch::{Batch, BatchError, BatchOptions, Precision, StepReport};
pub use constants::Constants;
pub use layout::Layout;
pub use state::{Control, State};
pub use status::{Report, WorldStatus};
pub use step::{Settings, step};
pub use workspace::Workspace;
