//! What a device could do at best: bytes and flops of a kernel, counted from its recording, against a card's peaks.

use crate::count::Cost;

/// A card by its data sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Card {
    /// Its name.
    pub name: &'static str,
    /// Operations on numbers of 32 bits in a second, a fused product and sum counting two.
    pub flops: f64,
    /// Bytes that its memory moves in a second.
    pub bandwidth: f64,
}

/// Three of them: what vendors' data sheets say of single precision (without tensor cores) and memory.
pub const CARDS: [Card; 3] = [
    Card { name: "A100 80 GB (SXM)", flops: 19.5e12, bandwidth: 2.039e12 },
    Card { name: "RTX 4090", flops: 82.6e12, bandwidth: 1.008e12 },
    Card { name: "RTX 5090", flops: 104.8e12, bandwidth: 1.792e12 },
];

/// The most worlds a second, by arithmetic and by memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// If memory cost nothing.
    pub by_flops: f64,
    /// If arithmetic cost nothing, and every number that is read or written went to the card's memory.
    pub by_bytes: f64,
}

impl Bound {
    /// The smaller of the two.
    pub fn worlds_per_second(self) -> f64 {
        self.by_flops.min(self.by_bytes)
    }
}

impl Card {
    /// For a kernel's cost per world.
    pub fn bound(&self, cost: &Cost) -> Bound {
        Bound {
            by_flops: self.flops / cost.flops.max(1) as f64,
            by_bytes: self.bandwidth / cost.bytes().max(1) as f64,
        }
    }
}
