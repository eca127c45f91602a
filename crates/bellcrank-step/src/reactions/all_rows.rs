//! The step as [Kamino] takes it: all rows, joints included, inside Proximal-ADMM on the Delassus matrix D = J M⁻¹ Jᵀ + R,
//! joints stabilised at the level of velocities. Kept for comparison: `bellcrank-bench solvers` shows what eliminating
//! the joints exactly and closing them at the end of the step is worth. Rows are on two bodies at most: couplings, tendons
//! and motors at sites do not act in it.

use crate::constants::Constants;
use crate::layout::{JointLayout, Layout};
use crate::reactions::{collect, cones};
use crate::rows::drives::row_velocity;
use crate::state::{Control, State};
use crate::status::Report;
use crate::step::{beyond_bounds, blank_report, motion, rounds, scene::Scene};
use crate::workspace::{ConeSource, Workspace};
use bellcrank_math::{Cholesky, Mask, Real, kernel};
use bellcrank_solve::{
    Cone, Dense, DenseWorkspace, DualProblem, Iterate, LinearSolver, Outcome, Padmm, Penalty, SparseRow,
};

/// Settings of the published method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AllRows {
    /// With the linear solver of choice.
    pub solver: Padmm,
    /// α: share of a joint's gap that is taken out per step.
    pub recovery: f64,
    /// Share of the last step's reactions that the iteration starts from.
    pub warm_start: f64,
}

impl Default for AllRows {
    /// The defaults of the published engine ([Kamino] notes 1.8, 1.9).
    fn default() -> Self {
        let solver = Padmm {
            max_iterations: 200,
            tolerance: 1e-6,
            proximal: 1e-5,
            penalty: Penalty::Fixed(1.0),
            newton_steps: 0,
            linear: LinearSolver::Dense,
            ..Padmm::default()
        };
        AllRows { solver, recovery: 0.01, warm_start: 0.9 }
    }
}

/// Memory of such a step; empty until one is taken.
#[derive(Clone, Debug)]
pub struct AllRowsWorkspace<R: Real> {
    /// 1/√m, and the factor of the inertia in world axes, by body.
    roots: Vec<(R, Cholesky<R, 3>)>,
    lines: Vec<Line<R>>,
    problem: DualProblem<R>,
    lambda: Vec<R>,
    dense: DenseWorkspace<R>,
    iterate: Iterate<R>,
}

/// A row on two bodies.
#[derive(Clone, Copy, Debug)]
struct Line<R> {
    bodies: (Option<usize>, usize),
    jacobian: [[R; 6]; 2],
    bias: R,
    compliance: R,
}

impl<R: Real> Default for AllRowsWorkspace<R> {
    fn default() -> Self {
        AllRowsWorkspace {
            roots: Vec::new(),
            lines: Vec::new(),
            problem: DualProblem::with_capacity(0),
            lambda: Vec::new(),
            dense: DenseWorkspace::with_capacity(0),
            iterate: Iterate::with_capacity(0),
        }
    }
}

/// Δu and all reactions by the published method, with bounds on drives that need them.
pub fn solve<R: Real>(
    scene: &Scene<'_, R>,
    settings: &AllRows,
    state: &State<R>,
    control: &Control<R>,
    ws: &mut Workspace<R>,
) -> Report<R> {
    let report = solve_once(scene, settings, state, control, ws);
    if beyond_bounds(scene, ws).any() { solve_once(scene, settings, state, control, ws) } else { report }
}

fn solve_once<R: Real>(
    scene: &Scene<'_, R>,
    settings: &AllRows,
    state: &State<R>,
    control: &Control<R>,
    ws: &mut Workspace<R>,
) -> Report<R> {
    motion::impulses(scene, state, control, ws); // M, Δt f
    collect::collect(scene, state, ws); // limits, boxes, contacts
    collect(scene, settings, state, ws); // D = J M⁻¹ Jᵀ + R, v_f
    let mut report = blank_report(ws);
    let outcome = iterate(scene.layout, settings, scene.lanes, ws);
    ws.x.fill([R::zero(); 6]);
    ws.fresh.fill([R::zero(); 6]);
    cones::add_change(scene.lanes, outcome, ws, &mut report);
    (report.gap_metres, report.gap_radians) = rounds::end_gap(scene, state, ws);
    report
}

/// Lists all rows and forms D and v_f = J (u⁻ + M⁻¹ Δt f) + bias.
#[kernel]
pub fn collect<R: Real>(scene: &Scene<'_, R>, settings: &AllRows, state: &State<R>, ws: &mut Workspace<R>) {
    let Scene { layout, constants, .. } = *scene;
    let drift = scene.times.drift;
    factor_masses(constants, state, &mut ws.all_rows);
    list_joints(layout, state, settings, drift, ws);
    list_cones(layout, settings, ws);
    for b in 0..layout.position.len() {
        let k = layout.position[b];
        let free = divide_by_mass(&ws.all_rows.roots[b], &ws.impulse[k]);
        for i in 0..6 {
            ws.u[k][i] = ws.u_start[k][i] + free[i];
        }
    }
    let all = &mut ws.all_rows;
    all.problem.finish();
    all.dense.sparse.clear(layout.position.len());
    for line in &all.lines {
        let (a, b) = line.bodies;
        let mut blocks = [[R::zero(); 6]; 2];
        blocks[1] = forward(&all.roots[b], &line.jacobian[1]);
        if let Some(a) = a {
            blocks[0] = forward(&all.roots[a], &line.jacobian[0]);
        }
        let row = SparseRow { bodies: line.bodies, blocks, compliance: line.compliance };
        all.dense.sparse.rows.push(row);
    }
    for i in 0..all.lines.len() {
        for j in 0..=i {
            let entry = all.dense.sparse.entry(i, j);
            all.problem.set(i, j, entry);
        }
        let line = &all.lines[i];
        let mut speed = row_velocity(&line.jacobian[1], &ws.u[layout.position[line.bodies.1]]);
        if let Some(a) = line.bodies.0 {
            speed += row_velocity(&line.jacobian[0], &ws.u[layout.position[a]]);
        }
        all.problem.g_mut()[i] = speed + line.bias;
    }
}

/// Iterates; leaves Δu = M⁻¹ (Δt f + Jᵀλ) and the reactions.
#[kernel]
pub fn iterate<R: Real>(
    layout: &Layout,
    settings: &AllRows,
    alive: R::Mask,
    ws: &mut Workspace<R>,
) -> Outcome<R> {
    let all = &mut ws.all_rows;
    let mut dense = Dense::new(&all.problem, settings.solver.linear, &mut all.dense);
    settings.solver.factor_with(&all.problem, &mut dense, &mut all.iterate);
    let outcome =
        settings.solver.solve_with((&all.problem, &mut dense), alive, &mut all.lambda, &mut all.iterate);
    ws.x.copy_from_slice(&ws.impulse);
    for (line, lambda) in all.lines.iter().zip(&all.lambda) {
        let ends = [line.bodies.0, Some(line.bodies.1)];
        for (body, block) in ends.into_iter().zip(&line.jacobian) {
            if let Some(body) = body {
                let x = &mut ws.x[layout.position[body]];
                for k in 0..6 {
                    x[k] = block[k].mul_add(*lambda, x[k]);
                }
            }
        }
    }
    for b in 0..layout.position.len() {
        let k = layout.position[b];
        ws.du[k] = divide_by_mass(&all.roots[b], &ws.x[k]);
    }
    hand_over(layout, ws);
    outcome
}

/// The reactions to where the rest of the step looks for them.
#[inline(always)]
fn hand_over<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    let mut next = 0;
    for (j, joint) in layout.joints.iter().enumerate() {
        ws.joints[j].weight = [R::zero(); 6];
        ws.reaction[j] = [R::zero(); 6];
        for i in 0..row_count(joint) {
            ws.reaction[j][i] = ws.all_rows.lambda[next];
            next += 1;
        }
    }
    ws.cones.lambda.copy_from_slice(&ws.all_rows.lambda[next..]);
}

/// Rows of a joint: what it holds and, where something acts on them, its degrees of freedom.
#[inline(always)]
fn row_count(joint: &JointLayout) -> usize {
    joint.kind.row_count() + if joint.soft { joint.kind.dof_count() } else { 0 }
}

#[inline(always)]
fn list_joints<R: Real>(
    layout: &Layout,
    state: &State<R>,
    settings: &AllRows,
    drift: R,
    ws: &mut Workspace<R>,
) {
    let all = &mut ws.all_rows;
    all.problem.clear();
    all.lambda.clear();
    all.lines.clear();
    let (share, warm) = (R::constant(settings.recovery), R::constant(settings.warm_start));
    for (j, joint) in layout.joints.iter().enumerate() {
        let (held, rows) = (joint.kind.row_count(), &ws.joints[j]);
        for i in 0..row_count(joint) {
            // α c/Δt of the whole gap
            let whole = rows.rate[i] + rows.target[i] / drift;
            let (mut bias, mut compliance) = (whole * share, R::zero());
            if i >= held {
                // λ = h − m q̇  ⇔  q̇ − h/m + λ/m = 0; without m the row is so soft that it does nothing
                let dof = &ws.dofs[joint.first_dof + i - held];
                let drive = |x: R| R::select(dof.boxed, R::zero(), x);
                let mass = (dof.passive_mass + drive(dof.drive_mass)).max(R::constant(1e-9));
                compliance = mass.recip();
                bias = -((dof.passive_impulse + drive(dof.drive_impulse)) * compliance);
            }
            let bodies = (joint.predecessor, joint.successor);
            all.lines.push(Line { bodies, jacobian: [rows.p[i], rows.s[i]], bias, compliance });
            all.problem.push(Cone::Free);
            all.lambda.push(state.joint_impulse[j][i] * warm);
        }
    }
}

#[inline(always)]
fn list_cones<R: Real>(layout: &Layout, settings: &AllRows, ws: &mut Workspace<R>) {
    let (all, cones) = (&mut ws.all_rows, &ws.cones);
    for group in &cones.groups {
        let bodies = match group.source {
            ConeSource::Scalar(s) => {
                let joint = &layout.joints[layout.scalars[s].at.joint];
                (joint.predecessor, joint.successor)
            }
            ConeSource::Contact(c) => (layout.contacts[c].a, layout.contacts[c].b),
        };
        for i in group.first_row..group.first_row + group.rows {
            let (bias, compliance) = (cones.bias[i], cones.compliance[i]);
            all.lines.push(Line { bodies, jacobian: cones.jacobian[i], bias, compliance });
            all.lambda.push(cones.lambda[i] * R::constant(settings.warm_start));
        }
        all.problem.push(group.cone);
    }
}

#[inline(always)]
fn factor_masses<R: Real>(constants: &Constants<R>, state: &State<R>, all: &mut AllRowsWorkspace<R>) {
    all.roots.clear();
    for (b, body) in constants.bodies.iter().enumerate() {
        let I = body.inertia.rotated(state.X_WB[b].R.to_mat3());
        let inertia = [[I.xx, I.xy, I.xz], [I.xy, I.yy, I.yz], [I.xz, I.yz, I.zz]];
        all.roots.push((body.mass.sqrt().recip(), Cholesky::factor(&inertia)));
    }
}

/// L⁻¹ j
#[inline(always)]
fn forward<R: Real>((root, inertia): &(R, Cholesky<R, 3>), j: &[R; 6]) -> [R; 6] {
    let [x, y, z] = inertia.forward([j[3], j[4], j[5]]);
    [j[0] * *root, j[1] * *root, j[2] * *root, x, y, z]
}

/// M⁻¹ p
#[inline(always)]
fn divide_by_mass<R: Real>((root, inertia): &(R, Cholesky<R, 3>), p: &[R; 6]) -> [R; 6] {
    let inverse = *root * *root;
    let [x, y, z] = inertia.solve([p[3], p[4], p[5]]);
    [p[0] * inverse, p[1] * inverse, p[2] * inverse, x, y, z]
}
