//! Which instruction set? Asked once, at run time, so that one generic build is both portable and fast.

use super::Lanes;
use crate::real::{Kernel, Real};
use core::fmt;

/// An instruction set that lanes can be computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// One world at a time: any processor.
    Scalar,
    /// aarch64: four registers per value.
    Neon,
    /// x86-64 with AVX2 and FMA: one register of half the width per value.
    Avx2,
    /// x86-64 with AVX-512 (F, DQ, BW, VL): one register per value.
    Avx512,
}

/// Work that is written once and run on the lane type of the processor at hand.
///
/// `run` itself is ordinary code; the numeric parts inside go through [`Real::run`].
pub trait LaneJob<E> {
    /// What the work gives back.
    type Output;
    /// The work, on `R::LANES` worlds at a time.
    fn run<R: Real<Elem = E>>(self) -> Self::Output;
}

impl Level {
    /// All levels, from the plainest to the widest.
    pub const ALL: [Level; 4] = [Level::Scalar, Level::Neon, Level::Avx2, Level::Avx512];

    /// Whether this processor has it.
    pub fn available(self) -> bool {
        match self {
            Level::Scalar => true,
            Level::Neon => cfg!(target_arch = "aarch64"),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                Level::Avx2.available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 => false,
        }
    }

    /// The widest that this processor has.
    pub fn best() -> Level {
        Level::ALL.into_iter().rev().find(|level| level.available()).unwrap_or(Level::Scalar)
    }

    /// Runs `job` on lanes of `f64` at this level, or on plain `f64` where the processor lacks it.
    pub fn f64<J: LaneJob<f64>>(self, job: J) -> J::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 if self.available() => job.run::<Lanes<f64, 8, super::avx512::Avx512>>(),
            #[cfg(all(target_arch = "x86_64", not(bellcrank_quick_build)))]
            Level::Avx2 if self.available() => job.run::<Lanes<f64, 4, super::avx2::Avx2>>(),
            #[cfg(target_arch = "aarch64")]
            Level::Neon => job.run::<Lanes<f64, 8, super::neon::Neon>>(),
            _ => job.run::<f64>(),
        }
    }

    /// Runs `job` on lanes of `f32` at this level, or on plain `f32` where the processor lacks it.
    pub fn f32<J: LaneJob<f32>>(self, job: J) -> J::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 if self.available() => job.run::<Lanes<f32, 16, super::avx512::Avx512>>(),
            #[cfg(all(target_arch = "x86_64", not(bellcrank_quick_build)))]
            Level::Avx2 if self.available() => job.run::<Lanes<f32, 8, super::avx2::Avx2>>(),
            #[cfg(target_arch = "aarch64")]
            Level::Neon => job.run::<Lanes<f32, 16, super::neon::Neon>>(),
            _ => job.run::<f32>(),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Scalar => "scalar",
            Level::Neon => "NEON",
            Level::Avx2 => "AVX2",
            Level::Avx512 => "AVX-512",
        })
    }
}

/// Runs `kernel` on scalars or plain arrays. Where the processor can fuse multiply and add, the code is
/// compiled so; elsewhere `mul_add` calls the system's exact but slow routine, for the same bits.
#[inline(always)]
pub(crate) fn enter_scalar<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if Level::Avx2.available() {
        // SAFETY: the processor has just said that it has AVX2 and FMA.
        return unsafe { super::avx2::enter(kernel) };
    }
    kernel.run()
}
