//! Laws of recorded kernels.

mod block_bits;
mod host;
mod recorder;
mod states;
mod tree_bits;
