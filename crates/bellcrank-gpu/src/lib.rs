//! The engine's own functions as kernels for graphics processors.
//!
//! All physics is generic over one scalar. [`Recorded`] is a scalar that writes down what is done to it, so that a generic function,
//! called once, becomes a list of operations ([`Graph`]); that list is printed as CUDA C or WGSL ([`Language`]), or run on the processor,
//! operation by operation, to be compared with the function itself. No formula of physics is written here.
//!
//! ```
//! use bellcrank_gpu::{Folding, Language, tree_kernel};
//! use bellcrank_tree::{TreeModel, Which};
//!
//! let tree = TreeModel::<f32>::new(&bellcrank_model::library::double_pendulum().build()?);
//! let kernel = tree_kernel(&tree, &Which::Rnea, Folding::KeepBits)?;
//! let text = kernel.text(Language::Cuda); // extern "C" __global__ void rnea(q, v, a, tau, worlds)
//! assert!(text.contains("__fmaf_rn") && kernel.cost().flops > 50);
//!
//! // number k of world w stands at k · worlds + w
//! let (q, v, a, mut tau) = ([0.1; 2 * 3], [0.0; 2 * 3], [0.0; 2 * 3], [0.0; 2 * 3]);
//! kernel.interpret(3, &[&q, &v, &a], &mut [&mut tau])?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | what |
//! |---|---|
//! | `recorded` | the scalar that writes down |
//! | `graph` `fold` | operations, each once; what is known beforehand |
//! | `interpret` | recordings run on the processor |
//! | `emit` | recordings as CUDA C and WGSL |
//! | `count` | flops, bytes, numbers alive at once |
//! | `roofline` | what a card could do at best |
//! | `straight` | kernels of one piece, a world per thread |
//! | `tree` | operators of the spanning tree |
//! | `order` | which operation first |
//! | `part` | parts cut out of recordings |
//! | `blocks/` | factor and solve as tables, one kernel for all models |
//! | `step/` | stages of the time step by tables |
//! | `cuda` `webgpu` | devices, each a feature |

#![cfg_attr(not(feature = "cuda"), forbid(unsafe_code))]
#![deny(unsafe_code)]

pub mod blocks;
mod count;
#[cfg(feature = "cuda")]
pub mod cuda;
mod device;
mod emit;
mod fold;
mod graph;
mod interpret;
mod order;
mod part;
mod recorded;
mod roofline;
pub mod step;
mod straight;
mod tree;
#[cfg(feature = "wgpu")]
pub mod webgpu;

pub use count::Cost;
pub use device::DeviceError;
pub use emit::{Access, HOST_PRELUDE, Language, statements};
pub use graph::{Folding, Graph, Id, Op};
pub use interpret::{interpret, interpret_batch};
pub use recorded::{NotRecordable, Part, Recorded, RecordedMask, Recording, record, record_part};
pub use roofline::{Bound, CARDS, Card};
pub use straight::{Array, ArrayError, StraightKernel, THREADS};
pub use tree::{MOST_OPERATIONS, TreeKernelError, name_of, tree_kernel};
