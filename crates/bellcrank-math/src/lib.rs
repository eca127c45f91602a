//! The ground floor of Bellcrank: numbers, lanes of worlds, and the algebra of rigid motions.
//!
//! Everything above is written once, generic over one scalar [`Real`]: `f64`, `f32`, lanes of either
//! ([`Lanes`], one lane per world) and forward-mode [`Dual`] numbers over any of them. There are no
//! branches on numbers; comparisons give a [`Mask`], and [`Real::select`] chooses.
//!
//! | file | what |
//! |---|---|
//! | `real` | the traits [`Real`], [`Mask`], [`Elem`] |
//! | `scalar` | `f64` and `f32` as `Real` |
//! | `trig` | sine, cosine and arctangent without branches, the same bits in every lane |
//! | `lanes` | [`Lanes`], one backend file per instruction set, run-time dispatch |
//! | `dual` | [`Dual`] numbers: exact derivatives for tests and odd parameters |
//! | `vec3` `mat3` `sym3` `quat` `so3` `pose` | vectors and rotations |
//! | `twist` `inertia` | spatial vectors and inertia |
//! | `numbers` | structures made of numbers, filled lane by lane |
//! | `random` | numbers that depend on seed, world and draw alone |
//! | `dense` | Cholesky, elimination, rank of a matrix |

extern crate self as bellcrank_math; // `#[kernel]` names it

mod dense;
mod dual;
mod inertia;
pub mod lanes;
mod mat3;
mod numbers;
mod pose;
mod quat;
mod random;
mod real;
mod scalar;
pub mod so3;
mod sym3;
pub mod trig;
mod twist;
mod vec3;

pub use bellcrank_kernel::kernel;
pub use dense::{Cholesky, Matrix, factor_cholesky, solve_cholesky};
pub use dual::Dual;
pub use inertia::Inertia;
pub use lanes::{LaneJob, Lanes, Level, UnsupportedProcessor, check_processor};
pub use mat3::Mat3;
pub use numbers::Numbers;
pub use pose::Pose;
pub use quat::Quat;
pub use random::Random;
pub use real::{Elem, Inline, Kernel, Mask, Real};
pub use sym3::Sym3;
pub use twist::{Twist, Wrench};
pub use vec3::Vec3;
