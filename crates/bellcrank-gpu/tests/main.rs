//! Laws of recorded kernels.

mod recorder;
mod states;
mod tree_bits;
