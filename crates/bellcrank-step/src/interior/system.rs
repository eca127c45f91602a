//! The equations of an implicit step as the interior point asks for them.

use super::body::{BodyStep, angular_momentum, force_time};
use super::direction::{follow, right_hand_side};
use super::held::{self, End};
use super::start::{First, place_scalars, place_touches, twists};
use super::units::Path;
use super::workspace::InteriorWorkspace;
use super::{Implicit, accuracy, matrix, scalar, start};
use crate::layout::{JointLayout, Layout};
use crate::rows::{
    couplings::{push_row, sum_rows},
    push_joint,
};
use crate::settings::Integrator;
use crate::state::{Control, State};
use crate::step::motion;
use crate::workspace::{JointRows, Workspace};
use bellcrank_math::enter;
use bellcrank_math::{Elem, Real, Twist};
use bellcrank_solve::{Aim, MOST_DIRECTIONS, Newton, Start, Violation};

/// One block of worlds in the middle of a step. The iterate is `ws.u` with the multipliers and slacks in `own`.
pub struct System<'a, R: Real> {
    pub this: Implicit<'a, R>,
    pub state: &'a State<R>,
    pub control: &'a Control<R>,
    pub ws: &'a mut Workspace<R>,
    pub own: &'a mut InteriorWorkspace<R>,
}

impl<R: Real> System<'_, R> {
    /// What does not change while Newton iterates: the momentum before the step and the rows at its start.
    pub fn prepare(&mut self) {
        let Implicit { layout, constants, settings, dt, .. } = self.this;
        let (state, control) = (self.state, self.control);
        let (ws, own) = (&mut *self.ws, &mut *self.own);
        enter!(R, {
            for (b, body) in constants.bodies.iter().enumerate() {
                own.bodies[b] = BodyStep::at(body, state.X_WB[b]);
            }
        });
        match settings.integrator {
            Integrator::Variational => {
                enter!(R, arriving_momentum(&self.this, state, ws, own));
            }
            _ => enter!(R, motion::momentum(layout, constants, state, dt, ws)),
        }
        let force = enter!(R, force_time(settings.integrator, state.interval, dt));
        enter!(R, motion::external_impulses(layout, control, force, ws));
        enter!(R, {
            let stiffness = R::constant(super::stiffer::<R>() / settings.softness);
            for (c, coupling) in layout.couplings.iter().enumerate() {
                sum_rows(layout, &coupling.terms, &coupling.bodies, &ws.joints, &mut ws.couplings[c]);
                ws.coupling_weight[c] = held::coupling_weight(constants, c, stiffness);
            }
        });
    }

    /// End poses of the iterate.
    pub fn advance_bodies(&mut self) {
        let Implicit { layout, settings, dt, .. } = self.this;
        let (state, ws, own) = (self.state, &mut *self.ws, &mut *self.own);
        enter!(R, {
            for b in 0..layout.position.len() {
                let V = Twist::from_array(ws.u[layout.position[b]]);
                ws.X_next[b] = own.bodies[b].advance(settings.integrator, state.X_WB[b], V, dt);
            }
        });
    }
}

/// P⁻ of all bodies and what gravity adds.
#[inline(always)]
fn arriving_momentum<R: Real>(
    this: &Implicit<'_, R>,
    state: &State<R>,
    ws: &mut Workspace<R>,
    own: &InteriorWorkspace<R>,
) {
    let Implicit { layout, constants, dt, .. } = *this;
    let force = force_time(Integrator::Variational, state.interval, dt);
    let interval = state.interval * dt;
    for (b, body) in constants.bodies.iter().enumerate() {
        let V = state.V_WB[b];
        let p = constants.gravity * (force * body.heavy_mass) + V.linear * body.mass;
        let L = angular_momentum(own.bodies[b].inertia, V.angular, interval, -1.0);
        ws.momentum[layout.position[b]] = [p.x, p.y, p.z, L.x, L.y, L.z];
    }
}

impl<R: Real> Newton<R> for System<'_, R> {
    fn has_cones(&self) -> bool {
        !(self.own.touches.is_empty() && self.own.pushes.is_empty() && self.own.rubs.is_empty())
    }

    fn start(&mut self, lanes: R::Mask, from: Start) {
        let (layout, state) = (self.this.layout, self.state);
        let (ws, own) = (&mut *self.ws, &mut *self.own);
        enter!(R, {
            for b in 0..layout.position.len() {
                let (u, V) = (&mut ws.u[layout.position[b]], state.V_WB[b].to_array());
                for k in 0..6 {
                    u[k] = R::select(lanes, V[k], u[k]);
                }
            }
            for (rows, last) in own.joints.iter_mut().zip(&state.joint_impulse) {
                for i in 0..6 {
                    let known = if from == Start::Middle { R::zero() } else { last[i] };
                    rows.lambda[i] = R::select(lanes, known, rows.lambda[i]);
                }
            }
            for coupling in &mut own.couplings {
                coupling.lambda = R::select(lanes, R::zero(), coupling.lambda);
            }
        });
        self.advance_bodies();
        let away = if from == Start::Middle { R::one() } else { R::constant(self.this.point.warm_start) };
        let (ws, own) = (&mut *self.ws, &mut *self.own);
        let first = First { lanes, from, away };
        enter!(R, place_touches(layout, state, &first, ws, own));
        enter!(R, place_scalars(&self.this, state, &first, ws, own));
    }

    fn evaluate(&mut self, kappa: R) -> Violation<R> {
        self.advance_bodies();
        let (layout, state) = (self.this.layout, self.state);
        let (ws, own) = (&mut *self.ws, &mut *self.own);
        let (held, joints) = enter!(R, evaluate_held(&self.this, state, ws, own));
        enter!(R, accuracy::sum_sizes(layout, ws, own));
        let cones = enter!(R, evaluate_cones(&self.this, state, kappa, ws, own));
        enter!(R, {
            let worst = held.max(cones.equations).max(accuracy::off_by(layout, own));
            let mut motion = R::zero();
            for row in &own.residual {
                for k in 0..6 {
                    motion = row[k].mul_add(row[k], motion);
                }
            }
            let merit = motion.mul_add(own.lightness, joints + cones.merit) / own.unit;
            // a maximum forgets what is not a number
            let worst = R::select(merit.is_finite(), worst, merit);
            Violation { equations: worst, merit, ..cones }
        })
    }

    fn factor(&mut self) {
        let (ws, own) = (&*self.ws, &mut *self.own);
        enter!(R, matrix::fill(&self.this, ws, own));
        enter!(R, matrix::fill_touches(self.this.layout, self.this.dt, own));
        enter!(R, own.lu.factor(&own.pattern));
    }

    fn solve_direction(&mut self, aim: Aim<R>) {
        let Implicit { layout, dt, .. } = self.this;
        let (ws, own) = (&*self.ws, &mut *self.own);
        enter!(R, right_hand_side(layout, aim, ws, own));
        enter!(R, own.lu.solve(&own.pattern, &mut own.du));
        enter!(R, follow(layout, dt, ws, own));
    }

    fn max_step_length(&self, [push, rub]: [R; 2]) -> R {
        let own = &*self.own;
        enter!(R, {
            let mut step = R::one();
            for touch in &own.touches {
                step = step.min(touch.push.max_step_length(push)).min(touch.rub.max_step_length(rub));
            }
            for row in &own.pushes {
                step = step.min(row.push.max_step_length(push));
            }
            for row in &own.rubs {
                step = step.min(row.rub.max_step_length(rub));
            }
            step
        })
    }

    fn mean_product(&self, alpha: R) -> R {
        let own = &*self.own;
        enter!(R, {
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

    fn weigh_slacks(&mut self, as_velocities: bool) {
        let kappa = R::constant(self.this.point.kappa);
        if as_velocities {
            // on the path it does not matter how products are linearised: the same way in all lanes, whatever went before
            self.own.touches.iter_mut().for_each(|touch| touch.rub.set_scaled(false));
            self.own.rubs.iter_mut().for_each(|row| row.rub.scaled = false);
        }
        self.own.path = match as_velocities {
            true => Path::Energy { dt: self.this.dt, kappa, unit: self.own.unit },
            false => Path::Alike,
        };
    }

    fn save_iterate(&mut self) {
        let (ws, own) = (&*self.ws, &mut *self.own);
        enter!(R, start::save_iterate(ws, own));
    }

    fn project_to_path(&mut self, lanes: R::Mask, share: R, mu: R) {
        let (ws, own) = (&mut *self.ws, &mut *self.own);
        enter!(R, start::project_to_path(lanes, share, mu, ws, own));
    }

    fn centre(&mut self, lanes: R::Mask, mean: R) {
        let own = &mut *self.own;
        enter!(R, {
            for touch in &mut own.touches {
                touch.push.centre(lanes, mean);
                touch.rub.centre(lanes, mean);
            }
            for row in &mut own.pushes {
                row.push.centre(lanes, mean);
            }
            for row in &mut own.rubs {
                row.rub.centre(lanes, mean);
            }
        })
    }

    fn advance(&mut self, going: R::Mask, alpha: R) {
        let (ws, own) = (&mut *self.ws, &mut *self.own);
        enter!(R, {
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

/// What is left of the equations of motion without contacts, and of joints and couplings; gives the latter's largest, and the sum of their
/// squares as an energy [J].
#[inline(always)]
fn evaluate_held<R: Real>(
    this: &Implicit<'_, R>,
    state: &State<R>,
    ws: &mut Workspace<R>,
    own: &mut InteriorWorkspace<R>,
) -> (R, R) {
    let Implicit { layout, constants, settings, dt, .. } = *this;
    for (b, body) in own.bodies.iter().enumerate() {
        let k = layout.position[b];
        let P = body.momentum(settings.integrator, Twist::from_array(ws.u[k]), dt);
        for i in 0..6 {
            own.residual[k][i] = P[i] - ws.momentum[k][i];
            own.size[k][i] = P[i].abs() + ws.momentum[k][i].abs();
        }
    }
    let (mut worst, mut sum) = (R::zero(), R::zero());
    own.gap = (R::zero(), R::zero());
    for (j, joint) in layout.joints.iter().enumerate() {
        let end = End { X_WB: &ws.X_next, bodies: &own.bodies, inverse_dt: dt.recip() };
        let (rows, c, start) = (&mut own.joints[j], &constants.joints[j], &ws.joints[j]);
        let (far, turned) = held::evaluate_joint(joint, c, &end, &start.target, own.free[j], rows);
        own.gap = (own.gap.0.max(far), own.gap.1.max(turned));
        let known = accuracy::gap_rounding(joint, &ws.X_next) * dt.recip();
        for i in 0..joint.kind.row_count() {
            worst = worst.max(rows.rest[i].abs() - known);
            sum = (c.weight[i] * rows.rest[i]).mul_add(rows.rest[i], sum);
        }
        let (amount, used) = joint_amounts(layout, joint, start, &rows.lambda, &ws.u);
        push_joint(layout, joint, (start, used), &amount, &mut own.residual);
    }
    for (c, at) in layout.couplings.iter().enumerate() {
        held::evaluate_coupling(layout, c, &own.joints, state, dt.recip(), &mut own.couplings[c]);
        let coupling = &own.couplings[c];
        worst = worst.max(coupling.rest.abs());
        sum = (constants.coupling_weight[c] * coupling.rest).mul_add(coupling.rest, sum);
        push_row(layout, &at.bodies, &ws.couplings[c], -coupling.lambda, &mut own.residual);
    }
    for (line, row) in layout.lines.iter().zip(&ws.lines) {
        let rate = crate::rows::tendons::end_rate(layout, line, row, &ws.u);
        let amount = row.mass().mul_add(rate, -row.impulse());
        push_row(layout, &line.bodies, &row.row, amount, &mut own.residual);
    }
    (worst, sum)
}

/// What a joint takes from the momentum of its bodies along its rows: multipliers, and what resists its motion. Gives the
/// number of rows, too.
#[inline(always)]
pub fn joint_amounts<R: Real>(
    layout: &Layout,
    joint: &JointLayout,
    start: &JointRows<R>,
    lambda: &[R; 6],
    u: &[[R; 6]],
) -> ([R; 6], usize) {
    let count = joint.kind.row_count();
    let mut amount = [R::zero(); 6];
    for i in 0..count {
        amount[i] = -lambda[i];
    }
    let used = if joint.soft { count + joint.kind.dof_count() } else { count };
    for i in count..used {
        let rate = scalar::rate(layout, joint, (start, i), u);
        amount[i] = start.weight[i].mul_add(rate, -start.rate[i]);
    }
    (amount, used)
}

/// x += Σ wrenches on a contact's bodies.
#[inline(always)]
pub fn push_contact<R: Real>(
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
    this: &Implicit<'_, R>,
    state: &State<R>,
    kappa: R,
    ws: &Workspace<R>,
    own: &mut InteriorWorkspace<R>,
) -> Violation<R> {
    let Implicit { layout, dt, .. } = *this;
    let (mut equations, mut products, mut merit, mut slack) = (R::zero(), R::zero(), R::zero(), R::zero());
    let per_dt = dt.recip();
    for touch in &mut own.touches {
        let bodies = (touch.a, touch.b);
        let (distance, v) = touch.place(&ws.X_next, twists(layout, bodies, &ws.u));
        equations = equations.max(touch.push.evaluate(distance));
        slack = slack.max(touch.push.off_slack());
        equations = equations.max(touch.rub.evaluate(touch.mu * touch.push.gamma, &v));
        products = products.max(touch.push.off_centre(kappa)).max(touch.rub.off_centre(kappa));
        merit += touch.push.merit().mul_add(per_dt, touch.rub.merit());
        let wrench = touch.wrenches(&touch.reactions());
        push_contact(layout, bodies, &wrench, -R::one(), &mut own.residual);
        accuracy::add_contact(layout, bodies, &wrench, &mut own.size);
    }
    for row in &mut own.pushes {
        let asked = scalar::slack(layout, row, &ws.joints, &own.joints, state, &ws.u);
        equations = equations.max(row.push.evaluate(asked));
        slack = slack.max(row.push.off_slack());
        merit += row.push.merit() * if row.speed { R::one() } else { per_dt };
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
        merit += row.rub.merit();
        let force = R::select(row.rub.acts, row.rub.b[0], R::zero());
        push_scalar(layout, row.scalar, -force, ws, &mut own.residual);
    }
    // a distance is known to rounding, which is more than some slacks where numbers have 32 bits
    let slack = if R::Elem::EPSILON.to_f64() < 1e-12 { slack } else { R::zero() };
    Violation { equations, products, merit, slack }
}

/// x += amount along the start row of a degree of freedom.
#[inline(always)]
pub fn push_scalar<R: Real>(layout: &Layout, index: usize, amount: R, ws: &Workspace<R>, x: &mut [[R; 6]]) {
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
