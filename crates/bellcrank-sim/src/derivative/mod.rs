//! Derivatives of a step, implicit: with r(w, θ) = 0 the equations of the implicit step at κ and w their unknowns,
//! δw = −(∂r/∂w)⁻¹ ∂r/∂θ δθ. ∂r/∂w is Newton's matrix, factored already; ∂r/∂θ comes from evaluating the same equations once
//! more in dual numbers that carry twelve derivatives, collisions included: whatever the step depends on can be asked
//! for, and no formula can be forgotten.
//!
//! A step by Proximal-ADMM is differentiated as the implicit step with the same integrator from the same state: polished
//! by the interior point at κ.

mod inputs;
mod wrt;

pub use wrt::Wrt;

use crate::batch::BatchError;
use crate::interior::{self, InteriorWorkspace, System};
use crate::layout::Layout;
use crate::step::{Settings, stage};
use crate::workspace::Workspace;
use bellcrank_collide::PairKind;
use bellcrank_math::{Dual, Inline, Pose, Real, Vec3};
use bellcrank_solve::{Aim, InteriorPoint, Newton};
pub(crate) use inputs::{Inputs, Source};

/// Derivatives that one evaluation in dual numbers carries.
const CARRIED: usize = 12;
type Many = Dual<f64, CARRIED>;

/// The Jacobian of a step.
#[derive(Clone, Debug)]
pub struct StepJacobian {
    /// What each column belongs to.
    pub wrt: Vec<Wrt>,
    /// By column: for every body δx, δθ, δv, δω at the end of the step, world axes.
    pub columns: Vec<Vec<f64>>,
}

impl StepJacobian {
    /// The derivative of row `row` (12 per body) with respect to column `column`.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.columns[column][row]
    }

    /// Cotangents of the end of the step, 12 per body, become cotangents of all that the columns belong to.
    pub fn vjp(&self, cotangent: &[f64]) -> Vec<f64> {
        let dot = |column: &Vec<f64>| column.iter().zip(cotangent).map(|(a, b)| a * b).sum();
        self.columns.iter().map(dot).collect()
    }
}

/// How a step is solved for its derivatives.
pub(crate) fn implicit(settings: &Settings, kappa: f64) -> (Settings, InteriorPoint) {
    let own = match settings.method {
        crate::step::Method::InteriorPoint(point) => point,
        _ => InteriorPoint::default(),
    };
    let point = InteriorPoint { kappa, tolerance: 1e-11, max_iterations: 80, ..own }.exact();
    (*settings, point)
}

/// Newton steps after convergence.
const POLISH: usize = 2;

/// A solved step.
struct Solved {
    inputs: Inputs<f64>,
    ws: Workspace<f64>,
    own: InteriorWorkspace<f64>,
    reach: f64,
}

fn solve(
    source: &Source<'_>,
    (settings, point): (&Settings, &InteriorPoint),
    nudge: Option<(Wrt, f64)>,
) -> Result<Solved, BatchError> {
    let layout = source.layout;
    let mut inputs = Inputs::<f64>::of(source);
    let reach = interior::reach(&inputs.constants, &inputs.state, (source.dt, point.reach));
    if let Some((wrt, amount)) = nudge {
        inputs.nudge(source, wrt, amount);
    }
    inputs.settle(layout);
    let (mut ws, mut own) = (Workspace::new(layout), InteriorWorkspace::new(layout));
    let Inputs { state, control, constants, dt } = &inputs;
    let how = (settings, point);
    interior::begin(layout, constants, how, (*dt, reach), (state, control, &mut ws), &mut own);
    let report = interior::solve(layout, constants, how, *dt, (state, control, &mut ws), &mut own);
    if !report.converged {
        return Err(BatchError::NotConverged { world: source.world, residual: report.residual });
    }
    // down to rounding: Newton doubles the digits, and derivatives want them all
    let mut system =
        System { layout, constants, settings, point, dt: *dt, state, control, ws: &mut ws, own: &mut own };
    for _ in 0..POLISH {
        system.factor();
        system.direct(Aim { mu: point.kappa, second: 0.0, products: 1.0 });
        system.advance(true, 1.0);
        system.evaluate(point.kappa);
    }
    Ok(Solved { inputs, ws, own, reach })
}

/// The end of the step as numbers: poses, then velocities by body.
fn end(layout: &Layout, ws: &Workspace<f64>) -> (Vec<Pose>, Vec<[f64; 6]>) {
    let u = layout.position.iter().map(|k| ws.u[*k]).collect();
    (ws.X_next.clone(), u)
}

/// The central difference of the same step: to check a column.
pub(crate) fn difference(
    source: &Source<'_>,
    (settings, point): (&Settings, &InteriorPoint),
    (wrt, amount): (Wrt, f64),
) -> Result<Vec<f64>, BatchError> {
    let at = |amount: f64| {
        solve(source, (settings, point), Some((wrt, amount))).map(|s| end(source.layout, &s.ws))
    };
    let ((X1, u1), (X0, u0)) = (at(amount)?, at(-amount)?);
    let mut column = Vec::new();
    for b in 0..X1.len() {
        let dx = X1[b].p - X0[b].p;
        let dtheta = bellcrank_math::so3::log(X1[b].R * X0[b].R.inverse());
        let moved = dx.to_array().into_iter().chain(dtheta.to_array());
        let change = moved.chain((0..6).map(|k| u1[b][k] - u0[b][k]));
        column.extend(change.map(|x| x / (2.0 * amount)));
    }
    Ok(column)
}

/// Contacts that collision finds world by world have no derivatives yet.
fn check_pairs(layout: &Layout, own: &InteriorWorkspace<f64>) -> Result<(), BatchError> {
    for touch in &own.touches {
        let pair = &layout.plan.pairs()[layout.contacts[touch.slot].pair];
        if matches!(pair.kind, PairKind::ConvexConvex | PairKind::SphereGround | PairKind::ConvexGround) {
            return Err(BatchError::NoDerivative(format!("{:?}", pair.kind)));
        }
    }
    Ok(())
}

/// The Jacobian of the step from the source's state.
pub(crate) fn jacobian(
    source: &Source<'_>,
    how: (&Settings, &InteriorPoint),
    wrt: &[Wrt],
) -> Result<StepJacobian, BatchError> {
    let mut solved = solve(source, how, None)?;
    check_pairs(source.layout, &solved.own)?;
    factor(source.layout, how, &mut solved);
    let (mut ws, mut own) = (Workspace::<Many>::new(source.layout), InteriorWorkspace::new(source.layout));
    let mut columns = Vec::with_capacity(wrt.len());
    for some in wrt.chunks(CARRIED) {
        linearise(source, how, some, &solved, (&mut ws, &mut own));
        for k in 0..some.len() {
            columns.push(column(source.layout, (&ws, &own), k, &mut solved));
        }
    }
    Ok(StepJacobian { wrt: wrt.to_vec(), columns })
}

/// Newton's matrix at the answer.
fn factor(layout: &Layout, (settings, point): (&Settings, &InteriorPoint), solved: &mut Solved) {
    let Solved { inputs, ws, own, .. } = solved;
    let Inputs { state, control, constants, dt } = &*inputs;
    let mut system = System { layout, constants, settings, point, dt: *dt, state, control, ws, own };
    system.factor();
}

/// The equations at the answer in dual numbers.
fn linearise(
    source: &Source<'_>,
    (settings, point): (&Settings, &InteriorPoint),
    wrt: &[Wrt],
    solved: &Solved,
    (ws, own): (&mut Workspace<Many>, &mut InteriorWorkspace<Many>),
) {
    let layout = source.layout;
    let mut inputs = Inputs::<Many>::of(source);
    for (k, wrt) in wrt.iter().enumerate() {
        inputs.nudge(source, *wrt, Many::variable(0.0, k));
    }
    inputs.settle(layout);
    let Inputs { state, control, constants, dt } = &inputs;
    let reach = Many::constant_of(solved.reach);
    interior::begin(layout, constants, (settings, point), (*dt, reach), (state, control, ws), own);
    for (row, known) in ws.dofs.iter_mut().zip(&solved.ws.dofs) {
        // drives that gave their bound
        if row.drive_mass.value > 0.0 && known.drive_mass == 0.0 {
            row.drive_mass = Many::zero();
            row.drive_impulse = *dt * Many::constant_of(known.drive_impulse / solved.inputs.dt);
        }
    }
    for (row, known) in ws.lines.iter_mut().zip(&solved.ws.lines) {
        row.cut = known.cut;
        row.bound = *dt * Many::constant_of(known.bound / solved.inputs.dt);
    }
    stage!(Many, crate::drives::set_weights(layout, ws));
    copy_iterate(solved, ws, own);
    let (kappa, dt) = (Many::constant_of(point.kappa), *dt);
    let mut system = System { layout, constants, settings, point, dt, state, control, ws, own };
    system.prepare();
    system.evaluate(kappa);
}

/// The unknowns of the answer, as constants.
fn copy_iterate(solved: &Solved, ws: &mut Workspace<Many>, own: &mut InteriorWorkspace<Many>) {
    let fixed = Many::constant_of;
    for (u, known) in ws.u.iter_mut().zip(&solved.ws.u) {
        *u = known.map(fixed);
    }
    for (rows, known) in own.joints.iter_mut().zip(&solved.own.joints) {
        rows.lambda = known.lambda.map(fixed);
    }
    for (c, known) in own.couplings.iter_mut().zip(&solved.own.couplings) {
        c.lambda = fixed(known.lambda);
    }
    for (touch, known) in own.touches.iter_mut().zip(&solved.own.touches) {
        touch.push.s = fixed(known.push.s);
        touch.push.gamma = fixed(known.push.gamma);
        (touch.rub.xi, touch.rub.eta) = (fixed(known.rub.xi), fixed(known.rub.eta));
        (touch.rub.b, touch.rub.w) = (known.rub.b.map(fixed), known.rub.w.map(fixed));
    }
    for (row, known) in own.pushes.iter_mut().zip(&solved.own.pushes) {
        (row.push.s, row.push.gamma) = (fixed(known.push.s), fixed(known.push.gamma));
    }
    for (row, known) in own.rubs.iter_mut().zip(&solved.own.rubs) {
        (row.rub.xi, row.rub.eta) = (fixed(known.rub.xi), fixed(known.rub.eta));
        (row.rub.b, row.rub.w) = (known.rub.b.map(fixed), known.rub.w.map(fixed));
    }
}

/// Rounds of taking the joints' small compliance out of a solution: each leaves a millionth.
const REFINEMENTS: usize = 2;

/// One column: ∂r/∂θ from the dual numbers, then a solve with the factor.
fn column(
    layout: &Layout,
    (dual, given): (&Workspace<Many>, &InteriorWorkspace<Many>),
    k: usize,
    solved: &mut Solved,
) -> Vec<f64> {
    let Solved { inputs, ws, own, .. } = solved;
    load(given, k, own);
    let aim = Aim { mu: 0.0, second: 0.0, products: 0.0 };
    let dt = inputs.dt;
    let mut du = vec![[0.0; 6]; own.du.len()];
    for round in 0..=REFINEMENTS {
        interior::right_hand_side(layout, aim, ws, own);
        own.lu.solve(&own.pattern, &mut own.du);
        interior::follow(layout, dt, ws, own);
        for (sum, x) in du.iter_mut().flatten().zip(own.du.iter().flatten()) {
            *sum += x;
        }
        if round < REFINEMENTS {
            leave_compliance(ws, own);
        }
    }
    let mut column = Vec::with_capacity(12 * layout.position.len());
    for (b, &at) in layout.position.iter().enumerate() {
        let (X, step) = (&dual.X_next[b], &du[at]);
        let p = [X.p.x.tangent[k], X.p.y.tangent[k], X.p.z.tangent[k]];
        let turn = own.bodies[b].turn * Vec3::new(step[3], step[4], step[5]) * dt + turned(X, k);
        column.extend((0..3).map(|i| p[i] + dt * step[i]));
        column.extend(turn.to_array());
        column.extend(step);
    }
    column
}

/// δθ of a dual rotation: 2 vec(δq q̄).
fn turned(X: &Pose<Many>, k: usize) -> Vec3 {
    let q = X.R.to_wxyz();
    let part = |f: fn(&Many, usize) -> f64| {
        bellcrank_math::Quat::from_wxyz([f(&q[0], k), f(&q[1], k), f(&q[2], k), f(&q[3], k)])
    };
    let (value, change) = (part(|x, _| x.value), part(|x, k| x.tangent[k]));
    (change * value.inverse()).vector() * 2.0
}

/// ∂r/∂θ as what is left of the equations.
fn load(given: &InteriorWorkspace<Many>, k: usize, own: &mut InteriorWorkspace<f64>) {
    for (r, d) in own.residual.iter_mut().flatten().zip(given.residual.iter().flatten()) {
        *r = d.tangent[k];
    }
    for (rows, d) in own.joints.iter_mut().zip(&given.joints) {
        rows.rest = d.rest.map(|x| x.tangent[k]);
    }
    for (c, d) in own.couplings.iter_mut().zip(&given.couplings) {
        c.rest = d.rest.tangent[k];
    }
    for (touch, d) in own.touches.iter_mut().zip(&given.touches) {
        touch.push.rest = d.push.rest.tangent[k];
        touch.rub.rest_bound = d.rub.rest_bound.tangent[k];
        touch.rub.rest = d.rub.rest.map(|x| x.tangent[k]);
    }
    for (row, d) in own.pushes.iter_mut().zip(&given.pushes) {
        row.push.rest = d.push.rest.tangent[k];
    }
    for (row, d) in own.rubs.iter_mut().zip(&given.rubs) {
        row.rub.rest_bound = d.rub.rest_bound.tangent[k];
        row.rub.rest = d.rub.rest.map(|x| x.tangent[k]);
    }
}

/// What the compliance 1/w of held rows has left open is the next right-hand side: C δu + δλ/w = −∂c.
fn leave_compliance(ws: &Workspace<f64>, own: &mut InteriorWorkspace<f64>) {
    own.residual.fill([0.0; 6]);
    for (rows, start) in own.joints.iter_mut().zip(&ws.joints) {
        for i in 0..6 {
            rows.rest[i] = if start.weight[i] > 0.0 { -rows.dlambda[i] / start.weight[i] } else { 0.0 };
        }
    }
    for (c, coupling) in own.couplings.iter_mut().enumerate() {
        coupling.rest = -coupling.dlambda / ws.coupling_weight[c];
    }
    for touch in &mut own.touches {
        (touch.push.rest, touch.rub.rest_bound) = (0.0, 0.0);
        touch.rub.rest.fill(0.0);
    }
    for row in &mut own.pushes {
        row.push.rest = 0.0;
    }
    for row in &mut own.rubs {
        row.rub.rest_bound = 0.0;
        row.rub.rest.fill(0.0);
    }
}
