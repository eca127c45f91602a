//! Which instruction set? Asked once, at run time, so that one generic build is both portable and fast.
//!
//! Which of them a build contains is decided by `build.rs`: that of the machine that compiles, or all of them. A
//! processor that lacks what was built runs the scalar.

#[cfg(any(bellcrank_avx2, bellcrank_avx512, bellcrank_neon))]
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

    /// Whether this build contains it and this processor has it.
    pub fn available(self) -> bool {
        match self {
            Level::Scalar => true,
            Level::Neon => cfg!(all(target_arch = "aarch64", bellcrank_neon)),
            Level::Avx2 => cfg!(bellcrank_avx2) && has_fma(),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                cfg!(bellcrank_avx512)
                    && has_fma()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx512 => false,
        }
    }

    /// The widest that this processor has.
    pub fn best() -> Level {
        Level::ALL.into_iter().rev().find(|level| level.available()).unwrap_or(Level::Scalar)
    }

    /// Runs `job` on lanes of `f64` at this level, or on plain `f64` where the processor lacks it.
    pub fn f64<J: LaneJob<f64>>(self, job: J) -> J::Output {
        match self {
            #[cfg(all(target_arch = "x86_64", bellcrank_avx512))]
            Level::Avx512 if self.available() => job.run::<Lanes<f64, 8, super::avx512::Avx512>>(),
            #[cfg(all(target_arch = "x86_64", bellcrank_avx2))]
            Level::Avx2 if self.available() => job.run::<Lanes<f64, 4, super::avx2::Avx2>>(),
            #[cfg(all(target_arch = "aarch64", bellcrank_neon))]
            Level::Neon => job.run::<Lanes<f64, 8, super::neon::Neon>>(),
            _ => job.run::<f64>(),
        }
    }

    /// Runs `job` on lanes of `f32` at this level, or on plain `f32` where the processor lacks it.
    pub fn f32<J: LaneJob<f32>>(self, job: J) -> J::Output {
        match self {
            #[cfg(all(target_arch = "x86_64", bellcrank_avx512))]
            Level::Avx512 if self.available() => job.run::<Lanes<f32, 16, super::avx512::Avx512>>(),
            #[cfg(all(target_arch = "x86_64", bellcrank_avx2))]
            Level::Avx2 if self.available() => job.run::<Lanes<f32, 8, super::avx2::Avx2>>(),
            #[cfg(all(target_arch = "aarch64", bellcrank_neon))]
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

/// Whether this processor has AVX2 and FMA. On other architectures fused multiply–add is part of the base set.
fn has_fma() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Why this processor cannot run this build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedProcessor;

impl fmt::Display for UnsupportedProcessor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "this processor lacks AVX2 and FMA, which x86 builds need (every x86 processor for desktops and servers \
             since 2015 has them)\n  hint: build with the feature \"any-x86\" for older ones, at a hundredth of the speed",
        )
    }
}

impl core::error::Error for UnsupportedProcessor {}

/// Whether this processor can run what this build contains. Asked at every door of the product, so that nobody meets
/// the panic of a kernel that cannot run.
pub fn check_processor() -> Result<(), UnsupportedProcessor> {
    if cfg!(not(target_arch = "x86_64")) || cfg!(feature = "any-x86") || has_fma() {
        Ok(())
    } else {
        Err(UnsupportedProcessor)
    }
}

/// Runs `kernel` on scalars or plain arrays. x86 code is compiled for AVX2 and FMA and for nothing else: a second copy
/// for processors without them was half of the program and half of the time to compile it. The feature `any-x86` brings
/// it back; `mul_add` then calls the system's exact but slow routine, for the same bits.
#[inline(always)]
pub(crate) fn enter_scalar<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if has_fma() {
            // SAFETY: the processor has just said that it has AVX2 and FMA.
            return unsafe { super::avx2::enter(kernel) };
        }
        #[cfg(not(feature = "any-x86"))]
        refuse();
    }
    #[cfg(any(not(target_arch = "x86_64"), feature = "any-x86"))]
    kernel.run()
}

#[cfg(all(target_arch = "x86_64", not(feature = "any-x86")))]
#[cold]
#[inline(never)]
fn refuse() -> ! {
    panic!("{UnsupportedProcessor}")
}
