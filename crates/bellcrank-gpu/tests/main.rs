//! Laws of recorded kernels.

mod host;
mod recorder;
mod states;
mod tree_bits;
