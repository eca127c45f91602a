//! Rigid-body operators on the spanning tree's reduced coordinates: kinematics, dynamics and their derivatives,
//! for many states at once.
//!
//! ```
//! use bellcrank_model::library;
//! use bellcrank_tree::TreeModel;
//!
//! let model = library::double_pendulum().build()?;
//! let tree = TreeModel::<f64>::new(&model);
//! let (q, v, a) = (vec![0.1; 2 * 3], vec![0.0; 2 * 3], vec![0.0; 2 * 3]); // three states
//! let mut tau = vec![0.0; 2 * 3];
//! tree.batch().rnea(&q, &v, &a, &mut tau)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Arrays are row-major `(batch, n)`; wrong sizes are errors, not panics. Lanes run across the batch, threads over
//! tiles of it, and a state's result depends on neither.
//!
//! | file | what |
//! |---|---|
//! | `model` `build` `node` `solid` `axis` `branches` | the tree: nodes, frames, which coordinate goes where |
//! | `batch` `pool` `layout` `operators/` | from arrays to lanes and back, on several threads, one method per operator |
//! | `kernels/` | the algorithms, generic over the scalar |
//! | `precision` `operators/any` | what keeps operators from being compiled again in other crates |
//! | `operators/operation` | operators in numbers of the caller's own |
//! | `loops` | what closes loops |
//! | `measure` | how long operators take |
//! | `convention` | conversion to and from the conventions of Pinocchio and MuJoCo |

mod articulated;
mod axis;
pub mod batch;
mod branches;
mod build;
mod convention;
#[cfg(test)]
mod dual_tests;
mod error;
pub mod kernels;
pub mod layout;
pub mod loops;
pub mod measure;
mod model;
mod node;
mod operators;
mod pool;
mod precision;
mod solid;

pub use articulated::Articulated;
pub use axis::Axis;
pub use branches::Branches;
pub use convention::Convention;
pub use error::TreeError;
pub use kernels::frames::Reference;
pub use model::{Frame, FrameId, Order, Slot, TreeModel};
pub use node::{Motion, Node, Place, WORLD};
pub use operators::{AbaGradients, Batch, Consistency, External, Operation, RneaGradients, Which};
pub use precision::Precision;
