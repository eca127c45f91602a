//! Factor and solves of the step's matrix, H = M + Jᵀ S⁻¹ J, as tables: one kernel for all models.
//!
//! Printed in one piece, the factor of a robot with 31 bodies has 13,500 operations that depend on each other; compilers take minutes
//! for it, and registers spill. Here a kernel has the ten operations on 6×6 blocks, each once, and reads from a table what to do next
//! and where. All threads read the same line at the same time, so there is no divergence; a world's blocks stand in its memory, numbers
//! of neighbouring worlds side by side.

mod operations;
mod program;
mod table;

pub use operations::{BlockOperation, DIAGONAL, OFF_DIAGONAL, Operation, Spot, operations};
pub(crate) use program::columns;
pub use program::{Instruction, Program};
pub use table::TableKernel;
