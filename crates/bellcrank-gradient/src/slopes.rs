//! ∂r/∂θ, equation by equation: the right-hand sides of Newton's system that a change of θ leaves.
//!
//! The unknowns stay as they are. What an equation of motion is short of is a push on its body; what a contact, a limit or
//! dry friction is short of becomes a push by its own law (δf = −W δ, as in Newton's matrix); what joints and couplings are
//! short of is kept, because their small compliance is taken out while solving.

use super::{CARRIED, Many};
use bellcrank_math::enter;
use bellcrank_math::{Real, Twist};
use bellcrank_solve::MOST_DIRECTIONS;
use bellcrank_step::constants::Constants;
use bellcrank_step::interior::{self, End, InteriorWorkspace, joint_amounts, slack, twists};
use bellcrank_step::layout::{JointLayout, Layout};
use bellcrank_step::settings::Integrator;
use bellcrank_step::state::State;
use bellcrank_step::workspace::{JointRows, Workspace};

/// One number by derivative.
pub(crate) type Slope = [f64; CARRIED];
/// A wrench, or a change of a pose.
pub(crate) type Six = [Slope; 6];

const NONE: Slope = [0.0; CARRIED];

/// All equations of one evaluation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slopes {
    pub bodies: Vec<Six>,
    /// How end poses move by themselves.
    pub ends: Vec<Six>,
    pub joints: Vec<JointSlopes>,
    /// Pushes by body of the layout, and what is left open.
    pub couplings: Vec<(Vec<Six>, Slope)>,
    pub lines: Vec<Vec<Six>>,
    /// Pushes on A and on B.
    pub touches: Vec<[Six; 2]>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct JointSlopes {
    /// Pushes on the successor and the predecessor.
    pub s: Six,
    pub p: Six,
    pub rest: Six,
}

/// The equations in dual numbers, and the answer in plain ones.
pub(crate) struct Evaluated<'a> {
    pub layout: &'a Layout,
    pub constants: &'a Constants<Many>,
    pub state: &'a State<Many>,
    pub integrator: Integrator,
    pub dt: Many,
    pub ws: &'a mut Workspace<Many>,
    pub own: &'a mut InteriorWorkspace<Many>,
    pub answer: (&'a Workspace<f64>, &'a InteriorWorkspace<f64>),
}

#[inline(always)]
fn tangents(x: &[Many; 6], sign: f64) -> Six {
    let mut all = [NONE; 6];
    for i in 0..6 {
        for k in 0..CARRIED {
            all[i][k] = sign * x[i].tangent[k];
        }
    }
    all
}

/// y += a x
#[inline(always)]
fn add(y: &mut Slope, a: f64, x: &Slope) {
    for k in 0..CARRIED {
        y[k] = a.mul_add(x[k], y[k]);
    }
}

/// y += a xᵀ for a row a.
#[inline(always)]
fn add_row(y: &mut Six, row: &[f64; 6], x: &Slope) {
    for i in 0..6 {
        add(&mut y[i], row[i], x);
    }
}

/// y += the tangents of force · row
#[inline(always)]
fn add_pushed(y: &mut Six, row: &[Many; 6], force: Many) {
    for i in 0..6 {
        let push = row[i] * force;
        add(&mut y[i], 1.0, &push.tangent);
    }
}

/// What a joint's amounts along its rows push; nothing left open.
#[inline(always)]
fn pushed(joint: &JointLayout, start: &JointRows<Many>, amount: &[Many; 6], used: usize) -> JointSlopes {
    let mut slopes = JointSlopes { s: [NONE; 6], p: [NONE; 6], rest: [NONE; 6] };
    for i in 0..used {
        add_pushed(&mut slopes.s, &start.s[i], -amount[i]);
        if joint.predecessor.is_some() {
            add_pushed(&mut slopes.p, &start.p[i], -amount[i]);
        }
    }
    slopes
}

impl Slopes {
    pub fn read(&mut self, all: &mut Evaluated<'_>) {
        enter!(Many, self.read_bodies(all));
        enter!(Many, self.read_joints(all));
        enter!(Many, self.read_limits(all));
        enter!(Many, self.read_several(all));
        enter!(Many, self.read_touches(all));
    }

    /// What pushes alone: bodies, joints and lines.
    pub fn read_light(&mut self, all: &mut Evaluated<'_>) {
        enter!(Many, self.read_bodies(all));
        enter!(Many, {
            let (layout, ws, own) = (all.layout, &*all.ws, &*all.own);
            self.joints.clear();
            for (j, joint) in layout.joints.iter().enumerate() {
                let start = &ws.joints[j];
                let (amount, used) = joint_amounts(layout, joint, start, &own.joints[j].lambda, &ws.u);
                self.joints.push(pushed(joint, start, &amount, used));
            }
        });
        enter!(Many, self.read_lines(all));
    }

    #[inline(always)]
    fn read_bodies(&mut self, all: &mut Evaluated<'_>) {
        let (ws, own) = (&*all.ws, &*all.own);
        self.bodies.clear();
        self.ends.clear();
        for b in 0..own.bodies.len() {
            let k = all.layout.position[b];
            let P = own.bodies[b].momentum(all.integrator, Twist::from_array(ws.u[k]), all.dt);
            let mut push = [Many::zero(); 6];
            for i in 0..6 {
                push[i] = ws.momentum[k][i] - P[i];
            }
            self.bodies.push(tangents(&push, 1.0));
            // δθ = 2 vec(δq q̄)
            let (X, mut end) = (&ws.X_next[b], [NONE; 6]);
            let (q, p) = (X.R.to_wxyz(), X.p.to_array());
            let [w, x, y, z] = [q[0].value, q[1].value, q[2].value, q[3].value];
            for k in 0..CARRIED {
                let [dw, dx, dy, dz] = [q[0].tangent[k], q[1].tangent[k], q[2].tangent[k], q[3].tangent[k]];
                for i in 0..3 {
                    end[i][k] = p[i].tangent[k];
                }
                end[3][k] = 2.0 * (w * dx - dw * x - (dy * z - dz * y));
                end[4][k] = 2.0 * (w * dy - dw * y - (dz * x - dx * z));
                end[5][k] = 2.0 * (w * dz - dw * z - (dx * y - dy * x));
            }
            self.ends.push(end);
        }
    }

    #[inline(always)]
    fn read_joints(&mut self, all: &mut Evaluated<'_>) {
        let (ws, own) = (&*all.ws, &mut *all.own);
        self.joints.clear();
        let end = End { X_WB: &ws.X_next, bodies: &own.bodies, inverse_dt: all.dt.recip() };
        for (j, joint) in all.layout.joints.iter().enumerate() {
            let (rows, c, start) = (&mut own.joints[j], &all.constants.joints[j], &ws.joints[j]);
            interior::evaluate_joint(joint, c, &end, &start.target, own.free[j], rows);
            let (amount, used) = joint_amounts(all.layout, joint, start, &rows.lambda, &ws.u);
            let mut slopes = pushed(joint, start, &amount, used);
            for i in 0..joint.kind.row_count() {
                slopes.rest[i] = rows.rest[i].tangent;
            }
            self.joints.push(slopes);
        }
    }

    /// Limits, speed limits and dry friction push on their joints' bodies.
    #[inline(always)]
    fn read_limits(&mut self, all: &mut Evaluated<'_>) {
        let (layout, ws, own) = (all.layout, &*all.ws, &*all.own);
        let (plain, answer) = all.answer;
        for (row, known) in own.pushes.iter().zip(&answer.pushes) {
            if !known.push.acts {
                continue;
            }
            let at = layout.scalars[row.scalar].at;
            let i = layout.joints[at.joint].kind.row_count() + at.dof;
            let open = slack(layout, row, &ws.joints, &own.joints, all.state, &ws.u);
            let mut force = NONE;
            add(&mut force, -known.push.stiffness() * known.sign, &open.tangent);
            let (rows, value) = (&ws.joints[at.joint], &plain.joints[at.joint]);
            let slopes = &mut self.joints[at.joint];
            add_pushed(&mut slopes.s, &rows.s[i], row.push.gamma * row.sign);
            add_pushed(&mut slopes.p, &rows.p[i], row.push.gamma * row.sign);
            add_row(&mut slopes.s, &value.s[i], &force);
            add_row(&mut slopes.p, &value.p[i], &force);
        }
        for (row, known) in own.rubs.iter().zip(&answer.rubs) {
            if !known.rub.acts {
                continue;
            }
            let at = layout.scalars[row.scalar].at;
            let joint = &layout.joints[at.joint];
            let i = joint.kind.row_count() + at.dof;
            let rate = interior::rate(layout, joint, (&ws.joints[at.joint], i), &ws.u);
            let (line, mut force) = (known.rub.linearize(), NONE);
            add(&mut force, line.across[0], &row.bound.tangent);
            add(&mut force, -line.along[0][0], &rate.tangent);
            let (rows, value) = (&ws.joints[at.joint], &plain.joints[at.joint]);
            let slopes = &mut self.joints[at.joint];
            add_pushed(&mut slopes.s, &rows.s[i], row.rub.b[0]);
            add_pushed(&mut slopes.p, &rows.p[i], row.rub.b[0]);
            add_row(&mut slopes.s, &value.s[i], &force);
            add_row(&mut slopes.p, &value.p[i], &force);
        }
    }

    /// Couplings and lines, which may push on more than two bodies.
    #[inline(always)]
    fn read_several(&mut self, all: &mut Evaluated<'_>) {
        let (layout, ws, own) = (all.layout, &*all.ws, &mut *all.own);
        self.couplings.resize_with(layout.couplings.len(), Default::default);
        for c in 0..layout.couplings.len() {
            let inverse_dt = all.dt.recip();
            interior::evaluate_coupling(layout, c, &own.joints, all.state, inverse_dt, &mut own.couplings[c]);
            let (pushes, rest) = &mut self.couplings[c];
            *rest = own.couplings[c].rest.tangent;
            pushes.clear();
            for row in &ws.couplings[c] {
                let mut push = [NONE; 6];
                add_pushed(&mut push, row, own.couplings[c].lambda);
                pushes.push(push);
            }
        }
        self.read_lines(all);
    }

    #[inline(always)]
    fn read_lines(&mut self, all: &mut Evaluated<'_>) {
        let (layout, ws) = (all.layout, &*all.ws);
        self.lines.resize_with(layout.lines.len(), Vec::new);
        for (l, line) in layout.lines.iter().enumerate() {
            let row = &ws.lines[l];
            let rate = bellcrank_step::rows::tendons::end_rate(layout, line, row, &ws.u);
            let amount = row.impulse() - row.mass() * rate;
            self.lines[l].clear();
            for j in &row.row {
                let mut push = [NONE; 6];
                add_pushed(&mut push, j, amount);
                self.lines[l].push(push);
            }
        }
    }

    #[inline(always)]
    fn read_touches(&mut self, all: &mut Evaluated<'_>) {
        let (layout, ws, own) = (all.layout, &*all.ws, &mut *all.own);
        self.touches.clear();
        for (touch, known) in own.touches.iter_mut().zip(&all.answer.1.touches) {
            if !known.push.acts {
                self.touches.push([[NONE; 6]; 2]);
                continue;
            }
            let (distance, v) = touch.place(&ws.X_next, twists(layout, (touch.a, touch.b), &ws.u));
            let bound = touch.mu * touch.push.gamma;
            let wrench = touch.wrenches(&touch.reactions());
            let mut pushes = [tangents(&wrench[0], 1.0), tangents(&wrench[1], 1.0)];
            let mut normal = NONE;
            add(&mut normal, -known.push.stiffness(), &distance.tangent);
            for i in 0..known.n {
                let mut force = NONE;
                add(&mut force, known.line.across[i] * known.mu, &normal);
                add(&mut force, known.line.across[i], &bound.tangent);
                for j in 0..known.n.min(MOST_DIRECTIONS) {
                    add(&mut force, -known.line.along[i][j], &v[j].tangent);
                }
                let row = known.row(i);
                add_row(&mut pushes[0], &row[0], &force);
                add_row(&mut pushes[1], &row[1], &force);
            }
            let row = known.row(known.n);
            add_row(&mut pushes[0], &row[0], &normal);
            add_row(&mut pushes[1], &row[1], &normal);
            self.touches.push(pushes);
        }
    }
}
