//! Worlds of many loose bodies: contacts by a broad phase, reactions through the bodies.
//!
//! A hundred bodies make thousands of pairs, and which of them touch is different in every world. Such a world is stepped
//! alone, not in lanes: it lists the contacts that exist, up to a capacity, and its solver works on the bodies instead of
//! on the matrix of all rows ([`BodySpace`]). The step is the same.

use crate::constants::Constants;
use crate::layout::{ContactLayout, Layout};
use crate::reactions::cones::{places, row_mobility};
use crate::reactions::per_world::WorldRows;
use crate::state::State;
use crate::workspace::{ConeRows, Found, Touching};
use bellcrank_collide::{PairKind, Pile};
use bellcrank_math::{Elem, Inline, Real};
use bellcrank_model::BodyId;
use bellcrank_solve::{
    BlockFactor, BodyNewton, BodySpace, BodySpaceWorkspace, Budget, Outcome, Padmm, Path, Penalty, SparseRow,
    Sweeps,
};
use std::sync::Arc;

/// Features of a pair of shapes at most.
const FEATURES: usize = 8;

/// What a pile does differently.
pub trait PileWork<R: Real>: Send + Sync {
    /// Lists what touches, sorted by name, with the reactions that the last step left there; says how many contacts there are, listed
    /// or not.
    fn find(
        &mut self,
        layout: &Layout,
        constants: &Constants<R>,
        state: &State<R>,
        reach: R,
        found: &mut Found<R>,
    ) -> usize;
    /// Bytes of memory taken.
    fn size_of(&self) -> usize;
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

/// Sweeps of one solve at most.
const MOST_SWEEPS: usize = 1000;
/// Where they fail, Newton's method and PADMM go on, as far as the budget allows: so many times what all of those sweeps cost.
const SPARE: f64 = 3.0;
const LEAST_BUDGET: f64 = 1e7;
/// But only on so many rows: factors of larger piles fill in, and one of them takes longer than all sweeps.
const NEWTON_ROWS: usize = 2400;

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
        paths: [Vec::new(), Vec::new()],
        rows: Vec::new(),
        reach: Vec::new(),
        sweeps: (layout.pattern.off_diagonal_count() == 0).then(Sweeps::default),
        is_ready: false,
        is_fresh: true,
        before: Vec::new(),
        space: BodySpaceWorkspace::default(),
        newton: BodyNewton::default(),
        diagonal: Vec::new(),
    })
}

struct PileOf<E: Elem> {
    search: Pile<E>,
    /// Of pairs that touch, sorted by name: in this step and in the last.
    paths: [Vec<(Name, Arc<Path>)>; 2],
    /// H
    matrix: BlockFactor<E>,
    /// In the order of the problem.
    rows: Vec<SparseRow<E>>,
    /// The same times L⁻¹, for sweeps: where no joint connects bodies.
    reach: Vec<SparseRow<E>>,
    sweeps: Option<Sweeps<E>>,
    /// Whether Newton's method has been told of the rows.
    is_ready: bool,
    /// Whether a step has just begun, whose budget is not known yet.
    is_fresh: bool,
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
        state: &State<E>,
        reach: E,
        found: &mut Found<E>,
    ) -> usize {
        let dropped = self.search.collide(&layout.plan, &constants.shapes, &state.X_WB, reach);
        self.list(layout, found);
        match_reactions(layout, state, found);
        dropped.map_or(found.touching.len(), |dropped| dropped.wanted)
    }

    fn size_of(&self) -> usize {
        let paths = self
            .paths
            .iter()
            .map(|list| list.capacity() * (size_of::<(Name, Arc<Path>)>() + 64))
            .sum::<usize>();
        let rows = (self.rows.capacity() + self.reach.capacity()) * size_of::<SparseRow<E>>();
        let swept = self.sweeps.as_ref().map_or(0, Sweeps::size_of);
        self.search.size_of() + paths + rows + swept + self.diagonal.capacity() * size_of::<E>()
    }

    fn refill(&mut self) {
        self.is_fresh = true;
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
        if std::mem::take(&mut self.is_fresh) {
            // a step that is hard takes as long as some dozens of others, never seconds
            let most = (SPARE * MOST_SWEEPS as f64 * sweeps.work()).max(LEAST_BUDGET);
            self.newton.budget = Budget::of(most).least(Budget::default());
        }
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
        let many = cones.worlds[0].problem.rows() > NEWTON_ROWS;
        match swept {
            Some(outcome) if outcome.converged || many => return outcome,
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

/// What the pair of two shapes is called: names sort as contacts do.
type Name = (PairKind, [usize; 2]);

/// The reactions of the last step, where the same features touch still.
fn match_reactions<E: Elem>(layout: &Layout, state: &State<E>, found: &mut Found<E>) {
    let key = |name: &[E; 2]| {
        let [a, feature] = name.map(|x| x.to_f64() as usize);
        (layout.plan.kind(a, feature / FEATURES), a, feature)
    };
    let listed = state.contact_name.iter().zip(&state.contact_impulse);
    let mut old =
        listed.take_while(|(name, _)| name[0] >= E::zero()).map(|(name, own)| (key(name), own)).peekable();
    for (touching, name) in found.touching.iter_mut().zip(&found.names) {
        let own = key(name);
        while old.next_if(|(other, _)| *other < own).is_some() {}
        if let Some((_, impulse)) = old.next_if(|(other, _)| *other == own) {
            touching.guess = *impulse;
        }
    }
}

impl<E: Elem> PileOf<E> {
    /// Lists what the search has found.
    fn list(&mut self, layout: &Layout, found: &mut Found<E>) {
        found.touching.clear();
        found.contacts.clear();
        found.names.clear();
        found.surfaces.clear();
        found.surfaces.extend(self.search.pairs().iter().map(|near| near.surface));
        let [paths, last] = &mut self.paths;
        std::mem::swap(paths, last);
        paths.clear();
        let mut old = last.iter().peekable();
        for own in self.search.contacts() {
            let near = &self.search.pairs()[own.pair as usize];
            let name = (near.pair.kind, near.shapes());
            let [a, b] = near.shapes().map(|shape| layout.plan.shapes()[shape].body.map(BodyId::index));
            let Some(b) = b else { continue }; // never: a plan sees to it
            if paths.last().is_none_or(|(other, _)| *other != name) {
                while old.next_if(|(other, _)| *other < name).is_some() {}
                let known = old.next_if(|(other, _)| *other == name).map(|(_, path)| path.clone());
                let new = || Arc::new(layout.pattern.path(&a.into_iter().chain([b]).collect::<Vec<_>>()));
                paths.push((name, known.unwrap_or_else(new)));
            }
            let Some((_, path)) = paths.last() else { continue };
            let [x, y] = near.shapes();
            let rows = layout.shape_rows[x].max(layout.shape_rows[y]);
            let (pair, soft, path) = (own.pair as usize, near.pair.soft, path.clone());
            let slot = found.contacts.len();
            found.contacts.push(ContactLayout { a, b, pair, rows, soft, path });
            found.touching.push(Touching { slot, contact: own.contact, guess: [E::zero(); 6] });
            let feature = (FEATURES * y + own.feature as usize) as f64;
            found.names.push([E::from_f64(x as f64), E::from_f64(feature)]);
        }
    }

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
