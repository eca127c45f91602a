//! Worlds of many loose bodies: contacts by a broad phase, reactions through the bodies.
//!
//! A hundred bodies make thousands of pairs, and which of them touch is different in every world. Such a world is stepped
//! alone, not in lanes: it lists the contacts that exist, up to a capacity, and its solver works on the bodies instead of
//! on the matrix of all rows ([`BodySpace`]). The step is the same.

use crate::constants::Constants;
use crate::layout::Layout;
use crate::reactions::per_world::WorldRows;
use crate::workspace::{ConeRows, Touching};
use bellcrank_collide::Pile;
use bellcrank_math::{Elem, Inline, Pose, Real};
use bellcrank_solve::{
    BlockFactor, BodyNewton, BodySpace, BodySpaceWorkspace, Outcome, Padmm, Penalty, SparseRow,
};

/// What a pile does differently.
pub trait PileWork<R: Real>: Send + Sync {
    /// Lists what touches, sorted by slot; says how many contacts there are, listed or not.
    fn find(
        &mut self,
        layout: &Layout,
        constants: &Constants<R>,
        X_WB: &[Pose<R>],
        reach: R,
        touching: &mut Vec<Touching<R>>,
    ) -> usize;
    /// Remembers H before it is factored.
    fn keep_matrix(&mut self, matrix: &BlockFactor<R>);
    /// Makes ready to solve for the reactions of the rows.
    fn prepare(&mut self, layout: &Layout, factor: &BlockFactor<R>, cones: &ConeRows<R>);
    /// A new step begins, with all of its budget.
    fn refill(&mut self);
    /// Whether the step's budget is spent.
    fn is_spent(&self) -> bool;
    /// Solves for them; the velocities in the problem contain the present reactions.
    fn solve(
        &mut self,
        solver: &Padmm,
        layout: &Layout,
        factor: &BlockFactor<R>,
        cones: &mut ConeRows<R>,
    ) -> Outcome<R>;
}

/// Makes the memory of a pile's step; nothing for worlds in lanes.
pub type MakePile<R> = Option<fn(&Layout) -> Box<dyn PileWork<R>>>;

/// Where Newton's method does not converge, many contacts slide and hit at once: PADMM's ρ starts so many times larger and follows
/// so many times slower, and there may be so many times more iterations. Measured on 30 falling dominoes in 64 bits with PADMM
/// alone: 94 iterations per step, none of which fails, where it was 225 with every second one failing.
const STIFFER: f64 = 20.0;
const SLOWER: usize = 2;
const LONGER: usize = 3;

/// The solver as a pile uses it.
fn of_a_pile(solver: &Padmm) -> Padmm {
    let penalty = match solver.penalty {
        Penalty::Share(share) => Penalty::Share(STIFFER * share),
        fixed => fixed,
    };
    let (patience, max_iterations) = (SLOWER * solver.patience, LONGER * solver.max_iterations);
    Padmm { penalty, patience, max_iterations, ..*solver }
}

/// For numbers of one world.
pub fn make_pile<E: Elem>(layout: &Layout) -> Box<dyn PileWork<E>> {
    Box::new(PileOf::<E> {
        search: Pile::new(&layout.plan, layout.pile.unwrap_or(0)),
        matrix: BlockFactor::new(&layout.pattern),
        rows: Vec::new(),
        space: BodySpaceWorkspace::default(),
        newton: BodyNewton::default(),
        diagonal: Vec::new(),
    })
}

struct PileOf<E: Elem> {
    search: Pile<E>,
    /// H
    matrix: BlockFactor<E>,
    /// In the order of the problem.
    rows: Vec<SparseRow<E>>,
    space: BodySpaceWorkspace<E>,
    newton: BodyNewton<E>,
    /// G's diagonal.
    diagonal: Vec<E>,
}

impl<E: Elem> PileWork<E> for PileOf<E> {
    fn find(
        &mut self,
        layout: &Layout,
        constants: &Constants<E>,
        X_WB: &[Pose<E>],
        reach: E,
        touching: &mut Vec<Touching<E>>,
    ) -> usize {
        let dropped = self.search.collide(&layout.plan, &constants.shapes, X_WB, reach);
        for found in self.search.contacts() {
            touching.push(Touching {
                slot: found.slot as usize,
                contact: found.contact,
                guess: [E::zero(); 6],
            });
        }
        dropped.map_or(touching.len(), |dropped| dropped.wanted)
    }

    fn refill(&mut self) {
        self.newton.budget.refill();
    }

    fn is_spent(&self) -> bool {
        self.newton.budget.is_spent()
    }

    fn keep_matrix(&mut self, matrix: &BlockFactor<E>) {
        self.matrix.copy_from(matrix);
    }

    fn prepare(&mut self, layout: &Layout, factor: &BlockFactor<E>, cones: &ConeRows<E>) {
        let blank = SparseRow { bodies: (None, 0), blocks: [[E::zero(); 6]; 2], compliance: E::zero() };
        let count = cones.worlds[0].problem.rows();
        self.diagonal.clear();
        self.diagonal.resize(count, E::zero());
        self.rows.clear();
        self.rows.resize(count, blank);
        for (g, group) in cones.groups.iter().enumerate() {
            let (a, b, _) = crate::reactions::cones::places(layout, group.source);
            for row in 0..group.rows {
                let (i, at) = (group.first_row + row, cones.places[g][0] as usize + row);
                let blocks = cones.jacobian[i];
                self.rows[at] = SparseRow { bodies: (a, b), blocks, compliance: cones.compliance[i] };
                self.diagonal[at] =
                    crate::reactions::cones::row_mobility(layout, cones, group, row) + cones.compliance[i];
            }
        }
        let mut space = BodySpace {
            rows: &self.rows,
            matrix: &self.matrix,
            factor,
            pattern: &layout.pattern,
            ws: &mut self.space,
        };
        space.analyse(self.diagonal.iter().copied());
        let newton = &mut self.newton;
        E::run(Inline(
            #[inline(always)]
            || newton.prepare(&cones.worlds[0].problem, &space),
        ));
    }

    fn solve(
        &mut self,
        solver: &Padmm,
        layout: &Layout,
        factor: &BlockFactor<E>,
        cones: &mut ConeRows<E>,
    ) -> Outcome<E> {
        let mut space = BodySpace {
            rows: &self.rows,
            matrix: &self.matrix,
            factor,
            pattern: &layout.pattern,
            ws: &mut self.space,
        };
        let newton = &mut self.newton;
        E::run(Inline(
            #[inline(always)]
            || {
                let WorldRows { problem, lambda, .. } = &mut cones.worlds[0];
                newton.solve(&of_a_pile(solver), (problem, &mut space), lambda)
            },
        ))
    }
}
