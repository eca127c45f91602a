//! What lanes are when columns are solved for: columns of one world, or one column of several worlds.

use bellcrank_math::{Mask as _, Real};
use bellcrank_solve::{BlockLu, BlockPattern};
use core::marker::PhantomData;

/// Truth by lane.
type Mask<S> = <<S as Spread>::Many as Real>::Mask;

/// Numbers of the step, and numbers of its columns.
pub(super) trait Spread {
    /// Of matrices: plain, or one world per lane.
    type Number: Real<Elem = f64>;
    /// Of columns.
    type Many: Real<Elem = f64>;
    /// Columns in one of these.
    const COLUMNS: usize;
    /// How many of these are solved for together: a matrix of several worlds is large, and better read once for all.
    const PACKS: usize;

    /// A number of the matrix, for all columns.
    fn lift(x: Self::Number) -> Self::Many;

    /// What holds for some column holds for all of its world.
    fn of_one_world(mask: Mask<Self>) -> Mask<Self>;

    /// Adds a number to one of the columns at hand.
    fn add(x: &mut Self::Many, column: usize, amount: Self::Number);

    /// Solves for all packs, which are next to each other at every position; `reached` says which positions are not zero, and grows to those that elimination
    /// reaches.
    fn solve(
        lu: &BlockLu<Self::Number>,
        pattern: &BlockPattern,
        x: &mut [[Self::Many; 6]],
        reached: &mut [bool],
    );

    /// Puts the numbers of the columns from `at` on, in every world's list.
    fn store(x: Self::Many, out: &mut [Vec<f64>], at: usize, columns: usize);
}

/// One world; lanes are columns.
pub(super) struct ColumnLanes<R>(PhantomData<R>);

/// One column; lanes are worlds.
pub(super) struct WorldLanes<R>(PhantomData<R>);

impl<R: Real<Elem = f64>> Spread for ColumnLanes<R> {
    type Number = f64;
    type Many = R;
    const COLUMNS: usize = R::LANES;
    const PACKS: usize = 1;

    #[inline(always)]
    fn lift(x: f64) -> R {
        R::splat(x)
    }
    #[inline(always)]
    fn of_one_world(mask: R::Mask) -> R::Mask {
        R::Mask::splat(mask.any())
    }
    #[inline(always)]
    fn add(x: &mut R, column: usize, amount: f64) {
        *x = x.with_lane(column, x.lane(column) + amount);
    }
    #[inline(always)]
    fn solve(lu: &BlockLu<f64>, pattern: &BlockPattern, x: &mut [[R; 6]], reached: &mut [bool]) {
        lu.solve_many_from(pattern, x, reached);
    }
    #[inline(always)]
    fn store(x: R, out: &mut [Vec<f64>], at: usize, columns: usize) {
        x.store(&mut out[0][at..at + columns]);
    }
}

impl<R: Real<Elem = f64>> Spread for WorldLanes<R> {
    type Number = R;
    type Many = R;
    const COLUMNS: usize = 1;
    /// As many columns as one world would have in its lanes: what is refined together is the same either way.
    const PACKS: usize = R::LANES;

    #[inline(always)]
    fn lift(x: R) -> R {
        x
    }
    #[inline(always)]
    fn of_one_world(mask: R::Mask) -> R::Mask {
        mask
    }
    #[inline(always)]
    fn add(x: &mut R, _: usize, amount: R) {
        *x += amount;
    }
    #[inline(always)]
    fn solve(lu: &BlockLu<R>, pattern: &BlockPattern, x: &mut [[R; 6]], reached: &mut [bool]) {
        lu.solve_from(pattern, (x, Self::PACKS), reached);
    }
    #[inline(always)]
    fn store(x: R, out: &mut [Vec<f64>], at: usize, _: usize) {
        for (lane, out) in out.iter_mut().enumerate() {
            out[at] = x.lane(lane);
        }
    }
}
