//! What kernels are tried on.
#![allow(dead_code)] // not every program of tests needs all of it

use bellcrank_model::library;
use bellcrank_tree::{Reference, TreeModel, Which};

/// Numbers that look random and are the same everywhere (xorshift).
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Between −2 and 2.
    pub fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1_u64 << 22) as f32 - 2.0
    }

    pub fn some(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.next()).collect()
    }
}

/// The spanning tree of a shipped model in 32 bits.
pub fn tree(name: &str) -> TreeModel<f32> {
    TreeModel::new(&library::by_name(name).expect("a shipped model").build().expect("a valid model"))
}

/// Every operator, frames being the last of the model.
pub fn operators(tree: &TreeModel<f32>) -> Vec<Which> {
    let frames: Vec<_> =
        tree.frame_names().iter().map(|name| tree.frame(name).expect("its own frame")).collect();
    let last = *frames.last().expect("a frame");
    vec![
        Which::Fk(frames),
        Which::Jacobian(last, Reference::LocalWorldAligned),
        Which::FrameMotion(last, Reference::Local),
        Which::Rnea,
        Which::Bias,
        Which::Gravity,
        Which::Aba,
        Which::RneaVjp,
        Which::AbaVjp,
        Which::Energies,
        Which::Crba,
        Which::MassInverse,
        Which::RneaDerivatives,
        Which::AbaDerivatives,
        Which::Centroidal,
    ]
}

/// Rows of a state one after the other, from numbers one after the other.
pub fn by_world(columns: &[f32], worlds: usize) -> Vec<f32> {
    let width = columns.len() / worlds.max(1);
    (0..worlds).flat_map(|w| (0..width).map(move |k| columns[k * worlds + w])).collect()
}
