//! A guard, not a benchmark: kernels on lanes must be at least four times as fast per state as on the scalar.
//!
//! What it catches is a lost `#[inline(always)]`, or a closure in a kernel: code compiled outside the lanes'
//! instruction set is ten to thirty times slower. Both sides take turns in this process, the best of many short runs
//! counts. Meaningful with optimisation only.
#![cfg(not(debug_assertions))]

use bellcrank_math::{Elem, Kernel, LaneJob, Level, Real};
use bellcrank_model::library;
use bellcrank_tree::TreeModel;
use bellcrank_tree::kernels::{aba, rnea};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Inverse and forward dynamics of a biped once, for as many states as there are lanes.
struct Both<'a, E, R> {
    tree: &'a TreeModel<E>,
    rnea: &'a mut rnea::Scratch<R>,
    aba: &'a mut aba::Scratch<R>,
    q: &'a [R],
    v: &'a [R],
    tau: &'a mut [R],
    a: &'a mut [R],
}

impl<E: Elem, R: Real<Elem = E>> Kernel for Both<'_, E, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let nothing = (&[][..], &[][..]);
        rnea::rnea::<E, R, true, true>(self.tree, self.rnea, [self.q, self.v, self.v], nothing, self.tau);
        aba::aba(self.tree, self.aba, [self.q, self.v, self.tau], nothing, self.a);
    }
}

/// Best time of sixteen states.
struct Time<'a, E>(&'a TreeModel<E>);

impl<E: Elem> LaneJob<E> for Time<'_, E> {
    type Output = Duration;
    fn run<R: Real<Elem = E>>(self) -> Duration {
        let tree = self.0;
        let (mut rnea, mut aba) = (rnea::Scratch::new(tree.nodes.len()), aba::Scratch::new(tree));
        // the only quaternion is the floating base's, which comes first in tree order, too
        let q: Vec<R> = tree.neutral().into_iter().map(R::splat).collect();
        let v = vec![R::constant(0.1); tree.dof_count()];
        let (mut tau, mut a) = (v.clone(), v.clone());
        let mut pass = || {
            let start = Instant::now();
            for _ in 0..20 * 16 / R::LANES {
                R::run(Both {
                    tree,
                    rnea: &mut rnea,
                    aba: &mut aba,
                    q: black_box(&q),
                    v: black_box(&v),
                    tau: &mut tau,
                    a: &mut a,
                });
                black_box(&a);
            }
            start.elapsed() / 20
        };
        (0..40).map(|_| pass()).min().unwrap_or_default()
    }
}

fn ratio<E: Elem>() -> f64 {
    let tree = TreeModel::<E>::new(&library::hybrid_biped().build().expect("shipped"));
    let best = |times: [Duration; 5]| times.into_iter().min().unwrap_or_default().as_secs_f64();
    let both: [(Duration, Duration); 5] =
        core::array::from_fn(|_| (Time(&tree).run::<E>(), E::with_lanes(Time(&tree))));
    best(both.map(|t| t.0)) / best(both.map(|t| t.1))
}

#[test]
fn lanes_are_at_least_four_times_as_fast_as_the_scalar() {
    if Level::best() < Level::Avx2 {
        println!("skipped: {} has no wide vectors", Level::best());
        return;
    }
    let (double, single) = (ratio::<f64>(), ratio::<f32>());
    println!("{}: f64 lanes {double:.1} times, f32 lanes {single:.1} times the scalar", Level::best());
    assert!(double >= 4.0, "f64 lanes are only {double:.2} times as fast as f64");
    assert!(single >= 4.0, "f32 lanes are only {single:.2} times as fast as f32");
}
