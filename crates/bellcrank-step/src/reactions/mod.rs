//! The reactions of limits, boxes and contacts: all of them together, to a tolerance, or each for itself in closed form.
//!
//! | function | what |
//! |---|---|
//! | [`begin`] | what of the last step's reactions counts, and who has to get out of something first |
//! | [`prepare`] | G = J H⁻¹ Jᵀ, or what stands for it |
//! | [`let_out`] | a push for what is inside, as far as it gives way |
//! | [`solve`] | λ ← the reactions at the present velocities; Δu += H⁻¹ Jᵀ Δλ |
//! | [`judge`] | whether they are what was asked for |

pub mod all_rows;
pub mod collect;
pub mod comfree;
pub mod cones;
pub mod per_world;
pub mod pile;
pub mod recovery;
pub mod restitution;
pub mod way;

use crate::layout::Layout;
use crate::reactions::per_world::WorldRows;
use crate::settings::Solver;
use crate::status::Report;
use crate::step::scene::Scene;
use crate::workspace::{ConeRows, Workspace};
use bellcrank_math::{Mask, Real, kernel};
use bellcrank_solve::{ComFree, Outcome, Padmm, Variant};

/// A new step begins: every world has its whole budget of work.
pub fn refill<R: Real>(ws: &mut Workspace<R>) {
    ws.cones.worlds.iter_mut().for_each(|world| world.solver.budget.refill());
    if let Some(pile) = &mut ws.pile {
        pile.refill();
    }
}

/// Lanes whose step has spent its budget: what it has found has to do.
pub fn spent<R: Real>(ws: &Workspace<R>) -> R::Mask {
    let is_spent = |world: &WorldRows<R::Elem>| world.solver.budget.is_spent();
    let lanes = ws.cones.worlds.iter().enumerate().filter(|(_, world)| is_spent(world));
    let all = ws.pile.as_ref().is_some_and(|pile| pile.is_spent());
    R::Mask::splat(all) | R::Mask::from_bits(lanes.fold(0, |bits, (lane, _)| bits | 1 << lane))
}

/// Makes the first guess. Gives the lanes in which something is inside and wants out.
pub fn begin<R: Real>(scene: &Scene<'_, R>, strained: R::Mask, ws: &mut Workspace<R>) -> R::Mask {
    match &scene.settings.solver {
        Solver::ComFree(solver) => {
            comfree::fade(solver, &mut ws.cones);
            R::Mask::splat(false)
        }
        Solver::Padmm(_) => scene.lanes & recovery::withhold(scene.settings, strained, &mut ws.cones),
    }
}

/// What the solver needs to know of the mechanism: G, or what stands for it.
pub fn prepare<R: Real>(scene: &Scene<'_, R>, strained: R::Mask, ws: &mut Workspace<R>) {
    match &scene.settings.solver {
        Solver::ComFree(solver) => comfree::prepare(scene.layout, solver, ws),
        Solver::Padmm(solver) => {
            cones::whiten(scene.layout, ws);
            recovery::give_up(scene, strained, ws);
            cones::set_velocities(scene.layout, ws);
            prepare_matrix(scene, solver, true, ws);
        }
    }
}

/// G, and its factors. The first time in a step, what bounces is passed on.
fn prepare_matrix<R: Real>(scene: &Scene<'_, R>, solver: &Padmm, is_first: bool, ws: &mut Workspace<R>) {
    if let Some(pile) = &mut ws.pile {
        ws.cones.places.clear();
        per_world::scatter_rows_to_worlds(false, R::Mask::splat(true), &mut ws.cones);
        return pile.prepare(scene.layout, &ws.cones);
    }
    cones::select_sticking_worlds(solver, scene.lanes, &mut ws.cones);
    cones::build_matrix(scene.layout, ws);
    if is_first {
        restitution::pass_on(scene.settings, scene.times.drift, &mut ws.cones);
    }
    let together = ws.cones.sticking.lanes();
    if together.any() {
        cones::factor_together(&mut ws.cones);
    }
    per_world::factor::<R>(solver, scene.lanes & !together, &mut ws.cones.worlds);
}

/// Solves as if nothing were inside, and then lets out what is, with a push that gives way.
pub fn let_out<R: Real>(
    scene: &Scene<'_, R>,
    [inside, strained]: [R::Mask; 2],
    ws: &mut Workspace<R>,
    report: &mut Report<R>,
) {
    let Solver::Padmm(solver) = &scene.settings.solver else { return };
    solve(scene, inside, ws, report);
    recovery::soften(scene, strained, &mut ws.cones);
    cones::set_velocities(scene.layout, ws);
    prepare_matrix(scene, solver, false, ws);
}

/// λ ← the reactions at the present velocities; Δu += H⁻¹ Jᵀ Δλ.
pub fn solve<R: Real>(scene: &Scene<'_, R>, going: R::Mask, ws: &mut Workspace<R>, report: &mut Report<R>) {
    let outcome = match (&scene.settings.solver, &mut ws.pile) {
        (Solver::ComFree(solver), _) => sweep(scene, solver, going, ws),
        (Solver::Padmm(solver), None) => solve_worlds(solver, going, &mut ws.cones),
        (Solver::Padmm(solver), Some(pile)) => {
            cones::put_velocities(going, &mut ws.cones);
            let outcome = pile.solve(solver, scene.layout, &ws.factor, &mut ws.cones);
            cones::take_reactions(going, &mut ws.cones);
            outcome
        }
    };
    cones::apply_impulse_change(scene.layout, ws);
    solve_factored(scene.layout, ws);
    cones::add_change(going, outcome, ws, report);
}

/// Every contact for itself, once or a few times.
fn sweep<R: Real>(
    scene: &Scene<'_, R>,
    solver: &ComFree,
    going: R::Mask,
    ws: &mut Workspace<R>,
) -> Outcome<R> {
    match solver.variant {
        Variant::Normalised => comfree::sweep(scene.layout, solver, going, ws),
        Variant::Published(law) => comfree::push_facets(scene, law, going, ws),
    }
}

/// The reactions of worlds that go on as they are together, those of the others one by one.
fn solve_worlds<R: Real>(solver: &Padmm, going: R::Mask, cones: &mut ConeRows<R>) -> Outcome<R> {
    let tried = going & cones.sticking.lanes();
    let mut alone = going;
    let mut outcome = Outcome::none();
    if tried.any() {
        outcome = cones::solve_together(solver, going, cones);
        let failed = tried & !outcome.converged;
        if failed.any() {
            cones::move_to_per_world(failed, cones);
            per_world::factor::<R>(solver, failed, &mut cones.worlds);
        }
        alone = going & !outcome.converged;
    }
    if alone.any() {
        cones::put_velocities(alone, cones);
        let own = per_world::solve::<R>(solver, alone, &mut cones.worlds);
        cones::take_reactions(alone, cones);
        outcome = either(outcome, alone, &own);
    }
    outcome
}

#[kernel]
fn either<R: Real>(first: Outcome<R>, lanes: R::Mask, second: &Outcome<R>) -> Outcome<R> {
    first.or(lanes, second)
}

/// Velocities have changed: the next solution starts there.
pub fn see_velocities<R: Real>(scene: &Scene<'_, R>, ws: &mut Workspace<R>) {
    if let Solver::Padmm(_) = scene.settings.solver {
        cones::set_velocities(scene.layout, ws);
    }
}

/// Says where the reactions are not what was asked for.
pub fn judge<R: Real>(scene: &Scene<'_, R>, ws: &mut Workspace<R>, report: &mut Report<R>) {
    match &scene.settings.solver {
        Solver::ComFree(solver) => comfree::judge(scene, solver, ws, report),
        Solver::Padmm(solver) => {
            let in_pile = ws.pile.is_some();
            let tolerance = if in_pile { solver.tolerance_in_a_pile() } else { solver.tolerance };
            recovery::judge(scene.layout, tolerance, ws, report);
        }
    }
}

/// Lanes in which something inside cannot get out with the push that it got.
pub fn strained<R: Real>(scene: &Scene<'_, R>, report: &Report<R>, ws: &Workspace<R>) -> R::Mask {
    match &scene.settings.solver {
        Solver::ComFree(_) => R::Mask::splat(false),
        Solver::Padmm(_) => scene.lanes & recovery::strained(scene, report, &ws.cones),
    }
}

/// x ← H⁻¹ x
#[kernel]
pub fn solve_factored<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    ws.factor.solve(&layout.pattern, &mut ws.x);
}
