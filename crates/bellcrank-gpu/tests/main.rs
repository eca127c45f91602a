//! Laws of recorded kernels.

mod block_bits;
mod device_group;
mod host;
mod recorder;
mod states;
mod step_bits;
mod tree_bits;
