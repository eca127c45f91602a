//! The equations of an implicit step as the interior point asks for them.

use super::body::{BodyStep, angular_momentum, turns_too_far};
use super::held::{self, End};
use super::touch::ROWS;
use super::workspace::InteriorWorkspace;
use super::{matrix, scalar, stage};
use crate::constants::Constants;
use crate::layout::Layout;
use crate::motion;
use crate::rows::{push_joint, push_row, sum_rows};
use crate::state::{Control, State};
use crate::status::Report;
use crate::step::{Integrator, Settings};
use crate::workspace::Workspace;
use bellcrank_collide::tangents;
use bellcrank_math::{Inline, Real, Twist, Vec3};
use bellcrank_solve::{Aim, InteriorPoint, MOST_DIRECTIONS, Newton, Solution, Violation};

/// One block of worlds in the middle of a step. The iterate is `ws.u` with the multipliers and slacks in `own`.
pub(crate) struct System<'a, R: Real> {
    pub layout: &'a Layout,
    pub constants: &'a Constants<R>,
    pub settings: &'a Settings,
    pub point: &'a InteriorPoint,
    pub dt: R,
    pub state: &'a State<R>,
    pub control: &'a Control<R>,
    pub ws: &'a mut Workspace<R>,
    pub own: &'a mut InteriorWorkspace<R>,
}

impl<R: Real> System<'_, R> {
    /// What does not change while Newton iterates: the momentum before the step and the rows at its start.
    pub fn prepare(&mut self) {
        let System { layout, constants, settings, dt, state, control, .. } = *self;
        let (ws, own) = (&mut *self.ws, &mut *self.own);
        stage!(R, {
            for (b, body) in constants.bodies.iter().enumerate() {
                own.bodies[b] = BodyStep::at(body, state.X_WB[b]);
            }
        });
        match settings.integrator {
            Integrator::Variational => stage!(R, arriving_momentum(layout, constants, state, dt, ws, own)),
            _ => stage!(R, motion::momentum(layout, constants, state, dt, ws)),
        }
        stage!(R, motion::external_impulses(layout, control, dt, ws));
        stage!(R, {
            let stiffness = R::constant(1.0 / settings.softness);
            for (c, coupling) in layout.couplings.iter().enumerate() {
                sum_rows(layout, &coupling.terms, &coupling.bodies, &ws.joints, &mut ws.couplings[c]);
                ws.coupling_weight[c] = held::coupling_weight(constants, c, stiffness);
            }
        });
    }

    /// End poses of the iterate.
    fn advance_bodies(&mut self) {
        let (integrator, dt) = (self.settings.integrator, self.dt);
        let (layout, state, ws, own) = (self.layout, self.state, &mut *self.ws, &mut *self.own);
        stage!(R, {
            for b in 0..layout.position.len() {
                let V = Twist::from_array(ws.u[layout.position[b]]);
                ws.X_next[b] = own.bodies[b].advance(integrator, state.X_WB[b], V, dt);
            }
        });
    }
}

/// P⁻ of all bodies and what gravity adds.
#[inline(always)]
fn arriving_momentum<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &State<R>,
    dt: R,
    ws: &mut Workspace<R>,
    own: &InteriorWorkspace<R>,
) {
    for (b, body) in constants.bodies.iter().enumerate() {
        let V = state.V_WB[b];
        let p = constants.gravity * (dt * body.heavy_mass) + V.linear * body.mass;
        let L = angular_momentum(own.bodies[b].inertia, V.angular, dt, -1.0);
        ws.momentum[layout.position[b]] = [p.x, p.y, p.z, L.x, L.y, L.z];
    }
}

impl<R: Real> Newton<R> for System<'_, R> {
    fn has_cones(&self) -> bool {
        !(self.own.touches.is_empty() && self.own.pushes.is_empty() && self.own.rubs.is_empty())
    }

    fn start(&mut self, lanes: R::Mask, warm: bool) {
        let (layout, state) = (self.layout, self.state);
        let (ws, own) = (&mut *self.ws, &mut *self.own);
        stage!(R, {
            for b in 0..layout.position.len() {
                let (u, V) = (&mut ws.u[layout.position[b]], state.V_WB[b].to_array());
                for k in 0..6 {
                    u[k] = R::select(lanes, V[k], u[k]);
                }
            }
            for (rows, last) in own.joints.iter_mut().zip(&state.joint_impulse) {
                for i in 0..6 {
                    let known = if warm { last[i] } else { R::zero() };
                    rows.lambda[i] = R::select(lanes, known, rows.lambda[i]);
                }
            }
            for coupling in &mut own.couplings {
                coupling.lambda = R::select(lanes, R::zero(), coupling.lambda);
            }
        });
        self.advance_bodies();
        let least = if warm { R::constant(self.point.warm_start) } else { R::one() };
        let (ws, own) = (&mut *self.ws, &mut *self.own);
        stage!(R, place_touches(layout, state, (lanes, warm, least), ws, own));
        stage!(R, place_scalars(layout, self.constants, (state, self.dt), (lanes, warm, least), ws, own));
    }

    fn evaluate(&mut self, kappa: R) -> Violation<R> {
        self.advance_bodies();
        let System { layout, constants, settings, dt, state, .. } = *self;
        let (ws, own) = (&mut *self.ws, &mut *self.own);
        let held = stage!(R, evaluate_held(layout, constants, (settings.integrator, dt), state, ws, own));
        let cones = stage!(R, evaluate_cones(layout, (state, dt, kappa), ws, own));
        stage!(R, {
            let mut worst = held.max(cones.equations);
            for row in &own.residual {
                for k in 0..6 {
                    worst = worst.max((row[k] * own.lightness).abs());
                }
            }
            // a maximum forgets what is not a number
            let mut sum = R::zero();
            for row in &own.residual {
                for k in 0..6 {
                    sum += row[k];
                }
            }
            let worst = R::select(sum.is_finite(), worst, sum);
            Violation { equations: worst, products: cones.products }
        })
    }

    fn factor(&mut self) {
        let (layout, ws, own) = (self.layout, &*self.ws, &mut *self.own);
        let how = (self.settings.integrator, self.dt);
        stage!(R, matrix::fill(layout, ws, how, own));
        stage!(R, matrix::fill_touches(layout, how.1, own));
        stage!(R, own.lu.factor(&own.pattern));
    }

    fn direct(&mut self, aim: Aim<R>) {
        let System { layout, dt, .. } = *self;
        let (ws, own) = (&*self.ws, &mut *self.own);
        stage!(R, right_hand_side(layout, aim, ws, own));
        stage!(R, own.lu.solve(&own.pattern, &mut own.du));
        stage!(R, follow(layout, dt, ws, own));
    }

    fn longest(&self, [push, rub]: [R; 2]) -> R {
        let own = &*self.own;
        stage!(R, {
            let mut step = R::one();
            for touch in &own.touches {
                step = step.min(touch.push.longest(push)).min(touch.rub.longest(rub));
            }
            for row in &own.pushes {
                step = step.min(row.push.longest(push));
            }
            for row in &own.rubs {
                step = step.min(row.rub.longest(rub));
            }
            step
        })
    }

    fn mean_product(&self, alpha: R) -> R {
        let own = &*self.own;
        stage!(R, {
            let (mut sum, mut count) = (R::zero(), R::constant(1e-30));
            for touch in &own.touches {
                let ((p, i), (q, j)) = (touch.push.product(alpha), touch.rub.product(alpha));
                (sum, count) = (sum + p + q, count + i + j);
            }
            for row in &own.pushes {
                let (p, i) = row.push.product(alpha);
                (sum, count) = (sum + p, count + i);
            }
            for row in &own.rubs {
                let (p, i) = row.rub.product(alpha);
                (sum, count) = (sum + p, count + i);
            }
            sum / count
        })
    }

    fn advance(&mut self, going: R::Mask, alpha: R) {
        let (ws, own) = (&mut *self.ws, &mut *self.own);
        stage!(R, {
            for (u, du) in ws.u.iter_mut().zip(&own.du) {
                for k in 0..6 {
                    u[k] = R::select(going, alpha.mul_add(du[k], u[k]), u[k]);
                }
            }
            for rows in &mut own.joints {
                for i in 0..6 {
                    let next = alpha.mul_add(rows.dlambda[i], rows.lambda[i]);
                    rows.lambda[i] = R::select(going, next, rows.lambda[i]);
                }
            }
            for c in &mut own.couplings {
                c.lambda = R::select(going, alpha.mul_add(c.dlambda, c.lambda), c.lambda);
            }
            for touch in &mut own.touches {
                touch.push.advance(going, alpha);
                touch.rub.advance(going, alpha);
            }
            for row in &mut own.pushes {
                row.push.advance(going, alpha);
            }
            for row in &mut own.rubs {
                row.rub.advance(going, alpha);
            }
        })
    }
}

/// Velocities of a contact's bodies.
#[inline(always)]
fn twists<R: Real>(layout: &Layout, (a, b): (Option<usize>, usize), u: &[[R; 6]]) -> [Twist<R>; 2] {
    let on_a = match a {
        Some(a) => Twist::from_array(u[layout.position[a]]),
        None => Twist::zero(),
    };
    [on_a, Twist::from_array(u[layout.position[b]])]
}

/// The first slacks and forces of contacts: those of the last step, kept away from the boundary; or one.
#[inline(always)]
fn place_touches<R: Real>(
    layout: &Layout,
    state: &State<R>,
    (lanes, warm, least): (R::Mask, bool, R),
    ws: &Workspace<R>,
    own: &mut InteriorWorkspace<R>,
) {
    for touch in &mut own.touches {
        let (distance, v) = touch.place(&ws.X_next, twists(layout, (touch.a, touch.b), &ws.u));
        let zero = [R::zero(); MOST_DIRECTIONS];
        if !warm {
            touch.push.place(lanes, R::zero(), R::zero(), least);
            touch.rub.place(lanes, (R::zero(), &zero), &zero, least);
            continue;
        }
        let last = state.contact_impulse[touch.slot];
        touch.push.place(lanes, distance, last[2], least);
        let mut b = zero;
        for k in 0..touch.n {
            b[k] = if k < 2 {
                last[k]
            } else {
                let arm = touch.arms[k - 2];
                let some = R::zero().lt(arm);
                R::select(some, last[k + 1] / R::select(some, arm, R::one()), R::zero())
            };
        }
        let bound = touch.mu * touch.push.gamma;
        touch.rub.place(lanes, (bound, &b), &v, least);
    }
}

#[inline(always)]
fn place_scalars<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    (state, dt): (&State<R>, R),
    (lanes, warm, least): (R::Mask, bool, R),
    ws: &Workspace<R>,
    own: &mut InteriorWorkspace<R>,
) {
    let zero = [R::zero(); MOST_DIRECTIONS];
    let end = End { X_WB: &ws.X_next, bodies: &own.bodies, inverse_dt: dt.recip() };
    for row in &mut own.pushes {
        if !warm {
            row.push.place(lanes, R::zero(), R::zero(), least);
            continue;
        }
        let j = layout.scalars[row.scalar].at.joint;
        let target = &ws.joints[j].target;
        held::evaluate_joint(
            &layout.joints[j],
            &constants.joints[j],
            &end,
            (target, true),
            &mut own.joints[j],
        );
        let slack = scalar::slack(layout, row, (&ws.joints, &own.joints), (state, &ws.u));
        row.push.place(lanes, slack, state.scalar_impulse[row.scalar], least);
    }
    for row in &mut own.rubs {
        if !warm {
            row.rub.place(lanes, (R::zero(), &zero), &zero, least);
            continue;
        }
        let at = layout.scalars[row.scalar].at;
        let joint = &layout.joints[at.joint];
        let rows = (&ws.joints[at.joint], joint.kind.row_count() + at.dof);
        let (mut v, mut b) = (zero, zero);
        v[0] = scalar::rate(layout, joint, rows, &ws.u);
        b[0] = state.scalar_impulse[row.scalar];
        row.rub.place(lanes, (row.bound, &b), &v, least);
    }
}

/// What is left of the equations of motion without contacts, and of joints and couplings; gives the latter's largest.
#[inline(always)]
fn evaluate_held<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    (integrator, dt): (Integrator, R),
    state: &State<R>,
    ws: &mut Workspace<R>,
    own: &mut InteriorWorkspace<R>,
) -> R {
    for (b, body) in own.bodies.iter().enumerate() {
        let k = layout.position[b];
        let P = body.momentum(integrator, Twist::from_array(ws.u[k]), dt);
        for i in 0..6 {
            own.residual[k][i] = P[i] - ws.momentum[k][i];
        }
    }
    let mut worst = R::zero();
    own.gap = (R::zero(), R::zero());
    for (j, joint) in layout.joints.iter().enumerate() {
        let end = End { X_WB: &ws.X_next, bodies: &own.bodies, inverse_dt: dt.recip() };
        let (rows, c, start) = (&mut own.joints[j], &constants.joints[j], &ws.joints[j]);
        let (far, turned) = held::evaluate_joint(joint, c, &end, (&start.target, own.free[j]), rows);
        own.gap = (own.gap.0.max(far), own.gap.1.max(turned));
        let count = joint.kind.row_count();
        let mut amount = [R::zero(); 6];
        for i in 0..count {
            amount[i] = -rows.lambda[i];
            worst = worst.max(rows.rest[i].abs());
        }
        let used = if joint.soft { count + joint.kind.dof_count() } else { count };
        for i in count..used {
            let rate = scalar::rate(layout, joint, (start, i), &ws.u);
            amount[i] = start.weight[i].mul_add(rate, -start.rate[i]);
        }
        push_joint(layout, joint, (start, used), &amount, &mut own.residual);
    }
    for (c, at) in layout.couplings.iter().enumerate() {
        held::evaluate_coupling(layout, c, &own.joints, (state, dt.recip()), &mut own.couplings[c]);
        let coupling = &own.couplings[c];
        worst = worst.max(coupling.rest.abs());
        push_row(layout, &at.bodies, &ws.couplings[c], -coupling.lambda, &mut own.residual);
    }
    for (line, row) in layout.lines.iter().zip(&ws.lines) {
        let rate = crate::lines::end_rate(layout, line, row, &ws.u);
        let amount = row.mass().mul_add(rate, -row.impulse());
        push_row(layout, &line.bodies, &row.row, amount, &mut own.residual);
    }
    worst
}

/// x += Σ wrenches on a contact's bodies.
#[inline(always)]
fn push_contact<R: Real>(
    layout: &Layout,
    (a, b): (Option<usize>, usize),
    wrench: &[[R; 6]; 2],
    sign: R,
    x: &mut [[R; 6]],
) {
    for k in 0..6 {
        let x = &mut x[layout.position[b]][k];
        *x = sign.mul_add(wrench[1][k], *x);
    }
    if let Some(a) = a {
        for k in 0..6 {
            let x = &mut x[layout.position[a]][k];
            *x = sign.mul_add(wrench[0][k], *x);
        }
    }
}

/// Contacts, limits and friction at the iterate.
#[inline(always)]
fn evaluate_cones<R: Real>(
    layout: &Layout,
    (state, _dt, kappa): (&State<R>, R, R),
    ws: &Workspace<R>,
    own: &mut InteriorWorkspace<R>,
) -> Violation<R> {
    let (mut equations, mut products) = (R::zero(), R::zero());
    for touch in &mut own.touches {
        let bodies = (touch.a, touch.b);
        let (distance, v) = touch.place(&ws.X_next, twists(layout, bodies, &ws.u));
        equations = equations.max(touch.push.evaluate(distance));
        equations = equations.max(touch.rub.evaluate(touch.mu * touch.push.gamma, &v));
        products = products.max(touch.push.off_centre(kappa)).max(touch.rub.off_centre(kappa));
        let wrench = touch.wrenches(&touch.reactions());
        push_contact(layout, bodies, &wrench, -R::one(), &mut own.residual);
    }
    for row in &mut own.pushes {
        let slack = scalar::slack(layout, row, (&ws.joints, &own.joints), (state, &ws.u));
        equations = equations.max(row.push.evaluate(slack));
        products = products.max(row.push.off_centre(kappa));
        let force = R::select(row.push.acts, row.push.gamma * row.sign, R::zero());
        push_scalar(layout, row.scalar, -force, ws, &mut own.residual);
    }
    for row in &mut own.rubs {
        let at = layout.scalars[row.scalar].at;
        let joint = &layout.joints[at.joint];
        let rows = (&ws.joints[at.joint], joint.kind.row_count() + at.dof);
        let mut v = [R::zero(); MOST_DIRECTIONS];
        v[0] = scalar::rate(layout, joint, rows, &ws.u);
        equations = equations.max(row.rub.evaluate(row.bound, &v));
        products = products.max(row.rub.off_centre(kappa));
        let force = R::select(row.rub.acts, row.rub.b[0], R::zero());
        push_scalar(layout, row.scalar, -force, ws, &mut own.residual);
    }
    Violation { equations, products }
}

/// x += amount along the start row of a degree of freedom.
#[inline(always)]
fn push_scalar<R: Real>(layout: &Layout, index: usize, amount: R, ws: &Workspace<R>, x: &mut [[R; 6]]) {
    let at = layout.scalars[index].at;
    let joint = &layout.joints[at.joint];
    let (rows, i) = (&ws.joints[at.joint], joint.kind.row_count() + at.dof);
    for k in 0..6 {
        let x = &mut x[layout.position[joint.successor]][k];
        *x = rows.s[i][k].mul_add(amount, *x);
    }
    if let Some(p) = joint.predecessor {
        for k in 0..6 {
            let x = &mut x[layout.position[p]][k];
            *x = rows.p[i][k].mul_add(amount, *x);
        }
    }
}

/// du ← −r − J₂ᵀ w c/Δt + what cones push when nothing moves.
#[inline(always)]
pub(crate) fn right_hand_side<R: Real>(
    layout: &Layout,
    aim: Aim<R>,
    ws: &Workspace<R>,
    own: &mut InteriorWorkspace<R>,
) {
    for (x, r) in own.du.iter_mut().zip(&own.residual) {
        for k in 0..6 {
            x[k] = -r[k];
        }
    }
    for (j, joint) in layout.joints.iter().enumerate() {
        let (start, end) = (&ws.joints[j], &own.joints[j]);
        let mut amount = [R::zero(); 6];
        for i in 0..joint.kind.row_count() {
            amount[i] = -(start.weight[i] * end.rest[i]);
        }
        push_joint(layout, joint, (start, joint.kind.row_count()), &amount, &mut own.du);
    }
    for (c, at) in layout.couplings.iter().enumerate() {
        let amount = -(ws.coupling_weight[c] * own.couplings[c].rest);
        push_row(layout, &at.bodies, &ws.couplings[c], amount, &mut own.du);
    }
    for touch in &mut own.touches {
        let k0 = touch.push.aim(aim);
        let b0 = touch.rub.aim(aim, &touch.line);
        let mut reaction = [R::zero(); ROWS];
        for k in 0..touch.n {
            reaction[k] = (touch.line.across[k] * touch.mu).mul_add(k0, b0[k]);
        }
        reaction[touch.n] = k0;
        push_contact(layout, (touch.a, touch.b), &touch.wrenches(&reaction), R::one(), &mut own.du);
    }
    for row in &mut own.pushes {
        let k0 = row.push.aim(aim);
        push_scalar(layout, row.scalar, k0 * row.sign, ws, &mut own.du);
    }
    for row in &mut own.rubs {
        let line = row.rub.line();
        let b0 = row.rub.aim(aim, &line);
        push_scalar(layout, row.scalar, b0[0], ws, &mut own.du);
    }
}

/// All other directions from that of the velocities.
#[inline(always)]
pub(crate) fn follow<R: Real>(layout: &Layout, dt: R, ws: &Workspace<R>, own: &mut InteriorWorkspace<R>) {
    for (j, joint) in layout.joints.iter().enumerate() {
        let (start, end) = (&ws.joints[j], &mut own.joints[j]);
        for i in 0..joint.kind.row_count() {
            let mut rate = crate::drives::row_velocity(&end.s[i], &own.du[layout.position[joint.successor]]);
            if let Some(p) = joint.predecessor {
                rate += crate::drives::row_velocity(&end.p[i], &own.du[layout.position[p]]);
            }
            end.dlambda[i] = -(start.weight[i] * (end.rest[i] + rate));
        }
    }
    for (c, at) in layout.couplings.iter().enumerate() {
        let coupling = &mut own.couplings[c];
        let mut rate = coupling.rest;
        for (row, &body) in coupling.row.iter().zip(&at.bodies) {
            rate += crate::drives::row_velocity(row, &own.du[layout.position[body]]);
        }
        coupling.dlambda = -(ws.coupling_weight[c] * rate);
    }
    for touch in &mut own.touches {
        let rows = matrix::all_rows(touch);
        let force = touch.force(&touch.reactions());
        let mut moved = [R::zero(); ROWS];
        for side in if touch.a.is_some() { 0..2 } else { 1..2 } {
            let body = if side == 0 { touch.a.unwrap_or(touch.b) } else { touch.b };
            let du = &own.du[layout.position[body]];
            let turn = own.bodies[body].turn * Vec3::new(du[3], du[4], du[5]);
            let change = touch.change(side, Vec3::new(du[0], du[1], du[2]) * dt, turn * dt, force);
            for k in 0..=touch.n {
                let direct = crate::drives::row_velocity(&rows[k][side], du);
                moved[k] += change.rows[k] + if k < touch.n { direct } else { R::zero() };
            }
        }
        let (dgamma, b0) = (touch.push.follow(moved[touch.n]), touch.rub.last_aim());
        let (mut db, mut dv) = ([R::zero(); MOST_DIRECTIONS], [R::zero(); MOST_DIRECTIONS]);
        for i in 0..touch.n {
            db[i] = (touch.line.across[i] * touch.mu).mul_add(dgamma, b0[i]);
            for k in 0..touch.n {
                db[i] = touch.line.along[i][k].neg_mul_add(moved[k], db[i]);
            }
            dv[i] = moved[i];
        }
        touch.rub.follow(&db, touch.mu * dgamma, &dv);
    }
    follow_scalars(layout, dt, ws, own);
}

#[inline(always)]
fn follow_scalars<R: Real>(layout: &Layout, dt: R, ws: &Workspace<R>, own: &mut InteriorWorkspace<R>) {
    for row in &mut own.pushes {
        let at = layout.scalars[row.scalar].at;
        let joint = &layout.joints[at.joint];
        let i = joint.kind.row_count() + at.dof;
        let change = if row.speed {
            scalar::rate(layout, joint, (&ws.joints[at.joint], i), &own.du)
        } else {
            let end = &own.joints[at.joint];
            let mut rate = crate::drives::row_velocity(&end.s[i], &own.du[layout.position[joint.successor]]);
            if let Some(p) = joint.predecessor {
                rate += crate::drives::row_velocity(&end.p[i], &own.du[layout.position[p]]);
            }
            rate * dt
        };
        row.push.follow(change * row.sign);
    }
    for row in &mut own.rubs {
        let at = layout.scalars[row.scalar].at;
        let joint = &layout.joints[at.joint];
        let rows = (&ws.joints[at.joint], joint.kind.row_count() + at.dof);
        let (mut db, mut dv) = ([R::zero(); MOST_DIRECTIONS], [R::zero(); MOST_DIRECTIONS]);
        dv[0] = scalar::rate(layout, joint, rows, &own.du);
        db[0] = row.rub.line().along[0][0].neg_mul_add(dv[0], row.rub.last_aim()[0]);
        row.rub.follow(&db, R::zero(), &dv);
    }
}

/// The solver's figures.
#[inline(always)]
pub(crate) fn note<R: Real>(
    layout: &Layout,
    lanes: R::Mask,
    solution: &Solution<R>,
    how: (Integrator, R),
    (ws, own): (&Workspace<R>, &InteriorWorkspace<R>),
    report: &mut Report<R>,
) {
    let mut converged = solution.converged;
    for b in 0..layout.position.len() {
        let u = &ws.u[layout.position[b]];
        converged = converged & !turns_too_far(how.0, Vec3::new(u[3], u[4], u[5]), how.1);
    }
    report.iterations += R::select(lanes, solution.iterations, R::zero());
    report.residual = R::select(lanes, solution.violation.equations, report.residual);
    report.converged = (report.converged & !lanes) | (converged & lanes);
    (report.gap_metres, report.gap_radians) = (own.gap.0.sqrt(), own.gap.1.sqrt());
    report.metrics.equation_of_motion = report.residual;
    report.metrics.complementarity = solution.violation.products;
}

/// Zero where it is no number: the state must stay clean where a world is lost.
#[inline(always)]
fn clean<R: Real>(x: R) -> R {
    R::select(x.is_finite(), x, R::zero())
}

/// Keeps the reactions for the next step and for those who read them.
#[inline(always)]
pub(crate) fn store<R: Real>(
    layout: &Layout,
    state: &mut State<R>,
    ws: &mut Workspace<R>,
    own: &InteriorWorkspace<R>,
) {
    ws.cones.groups.clear();
    state.scalar_impulse.fill(R::zero());
    state.contact_impulse.fill([R::zero(); 6]);
    for (j, joint) in layout.joints.iter().enumerate() {
        let count = joint.kind.row_count();
        ws.pushed[j] = ws.joints[j].rate;
        for i in 0..6 {
            let lambda = clean(own.joints[j].lambda[i]);
            state.joint_impulse[j][i] = lambda;
            if i < count {
                // read-outs take pushed − weight · rate
                (ws.pushed[j][i], ws.joints[j].weight[i]) = (lambda, R::zero());
            }
        }
    }
    for row in &own.pushes {
        let gamma = clean(R::select(row.push.acts, row.push.gamma, R::zero()));
        state.scalar_impulse[row.scalar] = gamma;
        note_scalar(layout, row.scalar, gamma * row.sign, ws);
    }
    for row in &own.rubs {
        let b = clean(R::select(row.rub.acts, row.rub.b[0], R::zero()));
        state.scalar_impulse[row.scalar] = b;
        note_scalar(layout, row.scalar, b, ws);
    }
    for touch in &own.touches {
        let (F, M) = touch.force(&touch.reactions());
        let n = touch.axes.z;
        let (t, o) = tangents(n);
        let parts = [F.dot(t), F.dot(o), F.dot(n), M.dot(n), M.dot(t), M.dot(o)];
        for k in 0..6 {
            state.contact_impulse[touch.slot][k] = R::select(touch.push.acts, clean(parts[k]), R::zero());
        }
    }
}

#[inline(always)]
fn note_scalar<R: Real>(layout: &Layout, scalar: usize, impulse: R, ws: &mut Workspace<R>) {
    let at = layout.scalars[scalar].at;
    ws.pushed[at.joint][layout.joints[at.joint].kind.row_count() + at.dof] += impulse;
}
