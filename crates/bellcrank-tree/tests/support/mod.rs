//! What several tests need.
#![allow(dead_code)]

pub mod npz;
pub mod robots;
pub mod urdf;

/// Reproducible numbers in [−1, 1] (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn many(&mut self, n: usize, size: f64) -> Vec<f64> {
        (0..n).map(|_| self.next() * size).collect()
    }
}

/// Fails when two arrays differ by more than `tolerance` times the largest expected number (at least one).
#[track_caller]
pub fn close(what: &str, got: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(got.len(), expected.len(), "{what}: sizes differ");
    let scale = expected.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    let worst =
        got.iter().zip(expected).map(|(g, e)| (g - e).abs()).fold(0.0_f64, |m, d| if d <= m { m } else { d });
    assert!(worst <= tolerance * scale, "{what}: differs by {worst:.2e} at a scale of {scale:.2e}");
}
