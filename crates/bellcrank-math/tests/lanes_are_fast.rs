//! A guard, not a benchmark: lanes must be at least four times as fast per world as the scalar.
//!
//! What it catches is a lost `#[inline(always)]`: a kernel compiled outside its instruction set is some thirty
//! times slower, so the bar stands far from both the normal ratio and the fault. Both sides run alternately
//! in this process, the best of many short runs counts. Meaningful with optimisation only.
#![cfg(not(debug_assertions))]

use bellcrank_math::{Elem, Kernel, LaneJob, Level, Pose, Real, Twist, Vec3, so3};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// A chain of moving frames: poses and velocities of 30 bodies, each turned against the one before.
struct Chain<'a, R> {
    angles: &'a [R; 30],
    tip: &'a mut Twist<R>,
}

impl<R: Real> Kernel for Chain<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let (mut X, mut V) = (Pose::identity(), Twist::zero());
        for q in self.angles {
            let step = Pose::new(so3::exp(Vec3::new(*q, R::zero(), *q * *q)), Vec3::x_axis());
            X = X * step;
            V = V.transformed(step.inverse()) + Twist::new(Vec3::zero(), X.p);
        }
        *self.tip = V;
    }
}

/// Best time of one pass over 16 worlds.
struct Time;

impl<E: Elem> LaneJob<E> for Time {
    type Output = Duration;
    fn run<R: Real<Elem = E>>(self) -> Duration {
        let angles: [R; 30] = core::array::from_fn(|i| R::constant(0.01 * i as f64));
        let mut tip = Twist::zero();
        let mut pass = || {
            let start = Instant::now();
            for _ in 0..50 * 16 / R::LANES {
                R::run(Chain { angles: black_box(&angles), tip: &mut tip });
                black_box(&tip);
            }
            start.elapsed() / 50
        };
        (0..40).map(|_| pass()).min().unwrap_or_default()
    }
}

fn ratio<E: Elem>() -> f64 {
    let best = |times: [Duration; 5]| times.into_iter().min().unwrap_or_default().as_secs_f64();
    let both: [(Duration, Duration); 5] = core::array::from_fn(|_| (Time.run::<E>(), E::with_lanes(Time)));
    best(both.map(|t| t.0)) / best(both.map(|t| t.1))
}

#[test]
#[cfg_attr(
    not(any(bellcrank_avx2, bellcrank_avx512)),
    ignore = "this build has no wide vectors: BELLCRANK_LANES or the target leaves them out"
)]
fn lanes_are_at_least_four_times_as_fast_as_the_scalar() {
    assert!(Level::best() >= Level::Avx2, "{}: this processor has no wide vectors", Level::best());
    let (double, single) = (ratio::<f64>(), ratio::<f32>());
    println!("{}: f64 lanes {double:.1} times, f32 lanes {single:.1} times the scalar", Level::best());
    assert!(double >= 4.0, "f64 lanes are only {double:.2} times as fast as f64");
    assert!(single >= 4.0, "f32 lanes are only {single:.2} times as fast as f32");
}
