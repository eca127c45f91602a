//! The rows with cones of each world: a small dense problem of its own.
//!
//! Everything before is computed in lanes, and so are the reactions of worlds that go on as they are
//! ([`bellcrank_solve::StickingRows`]). But otherwise worlds of a block touch at different places, push against different limits
//! and need different numbers of steps to find their reactions: sixteen tumbling robots in lanes would all have as many rows
//! as the one with most of each kind, and wait for the slowest. So the rows that act in a lane are handed to that
//! world's own problem, which is solved for itself.

use crate::reactions::restitution::Impact;
use crate::workspace::ConeRows;
use bellcrank_math::{Elem, Mask, Real, kernel};
use bellcrank_solve::{DualProblem, Outcome, Padmm, PadmmWorkspace};

/// Lanes at most.
const LANES: usize = 16;

/// One world's problem, its reactions, and the memory of its solver.
#[derive(Clone, Debug, Default)]
pub struct WorldRows<E> {
    pub problem: DualProblem<E>,
    pub lambda: Vec<E>,
    pub solver: PadmmWorkspace<E>,
    /// Contacts that can bounce.
    pub impacts: Vec<Impact<E>>,
}

impl<E: Elem> WorldRows<E> {
    /// Room for problems of up to `rows` rows.
    pub fn with_capacity(rows: usize) -> Self {
        WorldRows {
            problem: DualProblem::with_capacity(rows),
            lambda: Vec::with_capacity(rows),
            solver: PadmmWorkspace::with_capacity(rows),
            impacts: Vec::with_capacity(rows),
        }
    }
}

/// Where each world has its rows: by group and lane, the first one.
pub type Places = Vec<[u32; LANES]>;

/// The lanes of a mask, one after the other.
#[inline(always)]
pub fn lanes_of<M: Mask>(mask: M) -> Bits {
    Bits(mask.bits())
}

/// The positions of ones.
pub struct Bits(u32);

impl Iterator for Bits {
    type Item = usize;
    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let first = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(first)
    }
}

/// Gives these worlds their rows, with room for a matrix or without. `places` is empty, or holds those of other worlds.
#[kernel]
pub fn scatter_rows_to_worlds<R: Real>(dense: bool, lanes: R::Mask, cones: &mut ConeRows<R>) {
    let ConeRows { groups, worlds, places, .. } = cones;
    places.resize(groups.len(), [0; LANES]);
    for lane in lanes_of(lanes) {
        worlds[lane].problem.clear();
    }
    for (group, first) in groups.iter().zip(places) {
        for lane in lanes_of(group.acts & lanes) {
            first[lane] = worlds[lane].problem.rows() as u32;
            worlds[lane].problem.push(group.cone.lane(lane));
        }
    }
    for lane in lanes_of(lanes) {
        let world = &mut worlds[lane];
        if dense {
            world.problem.finish();
        } else {
            world.problem.finish_without_matrix();
        }
        world.lambda.clear();
        world.lambda.resize(world.problem.rows(), R::Elem::zero());
    }
}

/// Puts the entries of G between two groups where both act.
#[inline(always)]
pub fn scatter_block<R: Real, const A: usize, const B: usize>(
    both: R::Mask,
    (g, h): (usize, usize),
    product: &[[R; B]; A],
    rows: [usize; 2],
    places: &Places,
    worlds: &mut [WorldRows<R::Elem>],
) {
    let mut entries = [[[R::Elem::zero(); LANES]; B]; A];
    for r in 0..rows[0].min(A) {
        for s in 0..rows[1].min(B) {
            product[r][s].store(&mut entries[r][s][..R::LANES]);
        }
    }
    for lane in lanes_of(both) {
        let (i, j) = (places[g][lane] as usize, places[h][lane] as usize);
        worlds[lane].problem.set_block(
            (i, rows[0].min(A)),
            (j, rows[1].min(B)),
            #[inline(always)]
            |r, s| entries[r][s][lane],
        );
    }
}

/// Puts a row's reaction and velocity where it acts.
#[inline(always)]
pub fn scatter_row<R: Real>(
    g: usize,
    acts: R::Mask,
    row: usize,
    [lambda, velocity]: [R; 2],
    places: &Places,
    worlds: &mut [WorldRows<R::Elem>],
) {
    let mut numbers = [[R::Elem::zero(); LANES]; 2];
    lambda.store(&mut numbers[0][..R::LANES]);
    velocity.store(&mut numbers[1][..R::LANES]);
    for lane in lanes_of(acts) {
        let (at, world) = (places[g][lane] as usize + row, &mut worlds[lane]);
        world.lambda[at] = numbers[0][lane];
        world.problem.g_mut()[at] = numbers[1][lane];
    }
}

/// A row's reactions, zero where it does not act.
#[inline(always)]
pub fn gather_row<R: Real>(
    g: usize,
    acts: R::Mask,
    row: usize,
    places: &Places,
    worlds: &[WorldRows<R::Elem>],
) -> R {
    let mut numbers = [R::Elem::zero(); LANES];
    for lane in lanes_of(acts) {
        numbers[lane] = worlds[lane].lambda[places[g][lane] as usize + row];
    }
    R::load(&numbers[..R::LANES])
}

/// Makes ready for solves with the matrices of these worlds.
#[kernel]
pub fn factor<R: Real>(solver: &Padmm, lanes: R::Mask, worlds: &mut [WorldRows<R::Elem>]) {
    for lane in lanes_of(lanes) {
        solver.factor::<R>(&worlds[lane].problem, &mut worlds[lane].solver);
    }
}

/// Solves the problems of the worlds that are `going`, each from its last reactions.
#[kernel]
pub fn solve<R: Real>(solver: &Padmm, going: R::Mask, worlds: &mut [WorldRows<R::Elem>]) -> Outcome<R> {
    let none = [R::Elem::zero(); LANES];
    let (mut iterations, mut primal, mut dual, mut product) = (none, none, none, none);
    let mut converged = u32::MAX;
    for lane in lanes_of(going) {
        let WorldRows { problem, lambda, solver: memory, .. } = &mut worlds[lane];
        if problem.rows() == 0 {
            continue;
        }

        let outcome = solver.solve::<R>(problem, lambda, memory);
        (iterations[lane], primal[lane]) = (outcome.iterations, outcome.primal);
        (dual[lane], product[lane]) = (outcome.dual, outcome.complementarity);
        if !outcome.converged {
            converged &= !(1 << lane);
        }
    }
    Outcome {
        iterations: R::load(&iterations[..R::LANES]),
        primal: R::load(&primal[..R::LANES]),
        dual: R::load(&dual[..R::LANES]),
        complementarity: R::load(&product[..R::LANES]),
        converged: R::Mask::from_bits(converged),
    }
}
