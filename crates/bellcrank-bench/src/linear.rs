//! `bellcrank-bench linear`: factor and twenty solves, with 6×6 blocks in body space and dense over all rows.

use crate::{Bench, Record};
use bellcrank::math::{Elem, Inline, LaneJob, Real, factor_cholesky, solve_cholesky};
use bellcrank::model::{Model, library};
use bellcrank::solve::{BlockFactor, BlockPattern};
use bellcrank_cli::Error;
use std::time::Instant;

/// Solves per factor: what one step of an iterative solver needs.
const SOLVES: usize = 20;

pub fn run(bench: &Bench) -> Result<Vec<Record>, Error> {
    let model = library::hybrid_biped().build().map_err(Error::Faults)?;
    let mut records = Vec::new();
    for (precision, [blocks, dense]) in [
        ("f64", <f64 as Elem>::with_lanes(Times { model: &model, seconds: bench.seconds })),
        ("f32", <f32 as Elem>::with_lanes(Times { model: &model, seconds: bench.seconds })),
    ] {
        for (method, time) in [("blocks", blocks), ("dense", dense)] {
            records.push(Record(vec![
                ("model", model.name().into()),
                ("method", method.into()),
                ("precision", precision.into()),
                ("microseconds_per_world", (time * 1e6).into()),
                ("times_as_long_as_blocks", (time / blocks).into()),
            ]));
        }
    }
    Ok(records)
}

/// Seconds per world of factor and solves: blocks, dense.
struct Times<'a> {
    model: &'a Model,
    seconds: f64,
}

impl<E: Elem> LaneJob<E> for Times<'_> {
    type Output = [f64; 2];
    fn run<R: Real<Elem = E>>(self) -> [f64; 2] {
        let ends = |j: &bellcrank::model::Joint| j.predecessor.body().zip(j.successor.body());
        let edges: Vec<(usize, usize)> =
            self.model.joints().iter().filter_map(ends).map(|(a, b)| (a.index(), b.index())).collect();
        let bodies = self.model.bodies().len();
        let pattern = BlockPattern::new(bodies, edges.iter().copied());
        let (mut factor, mut x) = (BlockFactor::<R>::new(&pattern), vec![[R::one(); 6]; bodies]);
        let blocks = best(self.seconds, || {
            factor.clear();
            for k in 0..bodies {
                (0..6).for_each(|i| factor.diagonal_mut(k)[i][i] = R::constant(4.0));
            }
            for &(a, b) in &edges {
                if let Some((block, _)) = pattern.block(a, b) {
                    (0..6).for_each(|i| factor.off_diagonal_mut(block)[i][i] = R::constant(-0.5));
                }
            }
            R::run(Inline(
                #[inline(always)]
                || {
                    factor.factor(&pattern);
                    for _ in 0..SOLVES {
                        factor.solve(&pattern, &mut x);
                    }
                },
            ));
        });
        let n = self.model.row_count();
        let (mut matrix, mut y) = (vec![R::zero(); n * n], vec![R::one(); n]);
        let dense = best(self.seconds, || {
            for i in 0..n {
                for j in 0..n {
                    matrix[i * n + j] = R::constant(if i == j { 4.0 } else { 0.5 / n as f64 });
                }
            }
            R::run(Inline(
                #[inline(always)]
                || {
                    factor_cholesky(&mut matrix, n);
                    for _ in 0..SOLVES {
                        solve_cholesky(&matrix, n, &mut y);
                    }
                },
            ));
        });
        std::hint::black_box((&x, &y));
        [blocks / R::LANES as f64, dense / R::LANES as f64]
    }
}

/// The shortest time of a call [s].
fn best(seconds: f64, mut work: impl FnMut()) -> f64 {
    let (start, mut least) = (Instant::now(), f64::INFINITY);
    while start.elapsed().as_secs_f64() < seconds || least.is_infinite() {
        let before = Instant::now();
        work();
        least = least.min(before.elapsed().as_secs_f64());
    }
    least
}
