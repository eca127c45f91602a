//! Worlds of many loose bodies: contacts by a broad phase, reactions through the bodies.
//!
//! A hundred bodies make thousands of pairs, and which of them touch is different in every world. Such a world is stepped
//! alone, not in lanes: it lists the contacts that exist, up to a capacity, and its solver works on the bodies instead of
//! on the matrix of all rows ([`BodySpace`]). The step is the same.

use crate::constants::Constants;
use crate::layout::Layout;
use crate::reactions::cones::{places, row_mobility};
use crate::reactions::per_world::WorldRows;
use crate::workspace::{ConeRows, Touching};
use bellcrank_collide::Pile;
use bellcrank_math::{Elem, Inline, Pose, Real};
use bellcrank_solve::{
    BlockFactor, BodyNewton, BodySpace, BodySpaceWorkspace, Outcome, Padmm, Penalty, SparseRow, Sweeps,
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
    fn prepare(&mut self, layout: &Layout, cones: &ConeRows<R>);
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

/// Sweeps of one solve at most; then Newton's method and PADMM go on, as far as the budget allows.
const MOST_SWEEPS: usize = 1000;

/// The solver as a pile uses it.
fn of_a_pile(solver: &Padmm) -> Padmm {
    let penalty = match solver.penalty {
        Penalty::Share(share) => Penalty::Share(STIFFER * share),
        fixed => fixed,
    };
    let (patience, max_iterations) = (SLOWER * solver.patience, LONGER * solver.max_iterations);
    Padmm { penalty, patience, max_iterations, tolerance: solver.tolerance_in_a_pile(), ..*solver }
}

/// For numbers of one world.
pub fn make_pile<E: Elem>(layout: &Layout) -> Box<dyn PileWork<E>> {
    Box::new(PileOf::<E> {
        search: Pile::new(&layout.plan, layout.pile.unwrap_or(0)),
        matrix: BlockFactor::new(&layout.pattern),
        rows: Vec::new(),
        reach: Vec::new(),
        sweeps: (layout.pattern.off_diagonal_count() == 0).then(Sweeps::default),
        is_ready: false,
        before: Vec::new(),
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
    /// The same times L⁻¹, for sweeps: where no joint connects bodies.
    reach: Vec<SparseRow<E>>,
    sweeps: Option<Sweeps<E>>,
    /// Whether Newton's method has been told of the rows.
    is_ready: bool,
    /// Reactions that sweeps began with.
    before: Vec<E>,
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

    fn prepare(&mut self, layout: &Layout, cones: &ConeRows<E>) {
        self.is_ready = false;
        let Some(sweeps) = &mut self.sweeps else { return };
        self.reach.clear();
        self.reach.resize(cones.worlds[0].problem.rows(), blank(E::zero()));
        for (g, group) in cones.groups.iter().enumerate() {
            let (a, b, path) = places(layout, group.source);
            let on_b = a.is_some_and(|a| a < b) as usize; // positions rise along the path
            for row in 0..group.rows {
                let w = &cones.w[group.first_w + row * path.len()..][..path.len()];
                let on_a = if a.is_some() { w[1 - on_b] } else { [E::zero(); 6] };
                let compliance = cones.compliance[group.first_row + row];
                let blocks = [on_a, w[on_b]];
                self.reach[cones.places[g][0] as usize + row] =
                    SparseRow { bodies: (a, b), blocks, compliance };
            }
        }
        sweeps.prepare(layout.pattern.nodes(), &cones.worlds[0].problem, &self.reach);
    }

    fn solve(
        &mut self,
        solver: &Padmm,
        layout: &Layout,
        factor: &BlockFactor<E>,
        cones: &mut ConeRows<E>,
    ) -> Outcome<E> {
        let solver = &of_a_pile(solver);
        let swept = self.sweep(solver, &mut cones.worlds[0]);
        match swept {
            Some(outcome) if outcome.converged => return outcome,
            _ => {}
        }
        self.make_ready(layout, factor, cones);
        let mut space = BodySpace {
            rows: &self.rows,
            matrix: &self.matrix,
            factor,
            pattern: &layout.pattern,
            ws: &mut self.space,
        };
        let (newton, before) = (&mut self.newton, &self.before);
        E::run(Inline(
            #[inline(always)]
            || {
                let WorldRows { problem, lambda, .. } = &mut cones.worlds[0];
                if swept.is_some() {
                    space.follow(problem, before, lambda);
                }
                newton.solve(solver, (problem, &mut space), lambda)
            },
        ))
    }
}

/// A row without numbers.
const fn blank<E: Elem>(zero: E) -> SparseRow<E> {
    SparseRow { bodies: (None, 0), blocks: [[zero; 6]; 2], compliance: zero }
}

impl<E: Elem> PileOf<E> {
    /// Sweeps, where they can be made.
    fn sweep(&mut self, solver: &Padmm, world: &mut WorldRows<E>) -> Option<Outcome<E>> {
        let sweeps = self.sweeps.as_mut().filter(|_| solver.newton_steps > 0 && solver.tolerance > 0.0)?;
        let WorldRows { problem, lambda, .. } = world;
        self.before.clone_from(lambda);
        let budget = &mut self.newton.budget;
        let most = budget.times(sweeps.work(), MOST_SWEEPS).max(1);
        let tolerance = E::from_f64(solver.tolerance);
        let swept = sweeps.solve(tolerance, most, problem.g(), lambda)?;
        budget.spend(swept.sweeps as f64 * sweeps.work());
        Some(Outcome {
            iterations: E::from_f64(swept.sweeps as f64),
            dual: swept.residual,
            converged: swept.residual <= tolerance,
            ..Outcome::none()
        })
    }

    /// Tells Newton's method of the rows.
    fn make_ready(&mut self, layout: &Layout, factor: &BlockFactor<E>, cones: &ConeRows<E>) {
        if std::mem::replace(&mut self.is_ready, true) {
            return;
        }
        let count = cones.worlds[0].problem.rows();
        self.diagonal.clear();
        self.diagonal.resize(count, E::zero());
        self.rows.clear();
        self.rows.resize(count, blank(E::zero()));
        for (g, group) in cones.groups.iter().enumerate() {
            let (a, b, _) = places(layout, group.source);
            for row in 0..group.rows {
                let (i, at) = (group.first_row + row, cones.places[g][0] as usize + row);
                let blocks = cones.jacobian[i];
                self.rows[at] = SparseRow { bodies: (a, b), blocks, compliance: cones.compliance[i] };
                self.diagonal[at] = row_mobility(layout, cones, group, row) + cones.compliance[i];
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
}
