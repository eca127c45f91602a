//! What a step leaves behind for those who want to look: reactions, efforts, how well the equations are met.

use crate::constants::Constants;
use crate::layout::{Layout, ScalarKind};
use crate::reactions::collect::zero_unless;
use crate::rows::{self, tendons};
use crate::state::State;
use crate::step::balance::unbalanced;
use crate::workspace::{ConeSource, Workspace};
use bellcrank_math::{Elem, Inline, Real, Twist, kernel};
use bellcrank_solve::MOST_ROWS;

/// Impulses and velocities of the last step of a call. It follows from state and control, so it is not saved.
#[derive(Clone, Debug)]
pub struct Readout<R> {
    /// By joint: impulses along its rows [N·s or N·m·s], first what it holds, then its degrees of freedom (motors,
    /// springs, limits and friction together).
    pub joint_impulse: Vec<[R; 6]>,
    /// Impulse of all motors on a degree of freedom, joint after joint.
    pub drive_impulse: Vec<R>,
    /// By actuator: impulse of all motors on its tendon, or its own at a site; zero for motors of joints.
    pub line_impulse: Vec<R>,
    /// Twists before the step.
    pub V_before: Vec<Twist<R>>,
}

impl<R: Real> Readout<R> {
    /// Nothing has happened yet.
    pub fn blank(layout: &Layout) -> Self {
        Readout {
            joint_impulse: vec![[R::zero(); 6]; layout.joints.len()],
            drive_impulse: vec![R::zero(); layout.dof_count],
            line_impulse: vec![R::zero(); layout.actuators.len()],
            V_before: vec![Twist::zero(); layout.position.len()],
        }
    }

    /// Takes the reactions that the workspace has just computed, in lanes that take its part of a step; those of the first
    /// part replace what was here.
    pub fn note(&mut self, layout: &Layout, is_first: bool, lanes: R::Mask, ws: &Workspace<R>) {
        if is_first {
            self.joint_impulse.fill([R::zero(); 6]);
            self.drive_impulse.fill(R::zero());
            self.line_impulse.fill(R::zero());
        }
        note_impulses(layout, lanes, ws, self);
    }

    /// One world.
    pub fn lane(&self, lane: usize) -> Readout<f64> {
        let read = |x: &R| x.lane(lane).to_f64();
        Readout {
            joint_impulse: self.joint_impulse.iter().map(|rows| rows.each_ref().map(read)).collect(),
            drive_impulse: self.drive_impulse.iter().map(read).collect(),
            line_impulse: self.line_impulse.iter().map(read).collect(),
            V_before: self
                .V_before
                .iter()
                .map(|V| Twist::from_array(V.to_array().each_ref().map(read)))
                .collect(),
        }
    }

    /// Memory in use [bytes].
    pub fn size_of(&self) -> usize {
        size_of_val(&*self.joint_impulse)
            + size_of_val(&*self.drive_impulse)
            + size_of_val(&*self.line_impulse)
            + size_of_val(&*self.V_before)
    }
}

impl Readout<f64> {
    /// A world that is frozen at these velocities: nothing acts in it and nothing is accelerated, whatever the step that was not taken
    /// came to.
    pub fn stand_still(&mut self, velocities: impl Iterator<Item = Twist<f64>>) {
        self.joint_impulse.fill([0.0; 6]);
        self.drive_impulse.fill(0.0);
        self.line_impulse.fill(0.0);
        self.V_before.iter_mut().zip(velocities).for_each(|(before, now)| *before = now);
    }
}

/// The reactions of held rows, h − m q̇ of degrees of freedom, and the cones on them.
#[kernel]
fn note_impulses<R: Real>(layout: &Layout, lanes: R::Mask, ws: &Workspace<R>, out: &mut Readout<R>) {
    for (j, joint) in layout.joints.iter().enumerate() {
        let count = joint.kind.row_count();
        let impulse = &ws.reaction[j];
        for i in 0..6 {
            out.joint_impulse[j][i] += zero_unless(lanes, impulse[i]);
        }
        let rates = rows::joint_rates(layout, joint, (&ws.joints[j], 6), &ws.u);
        for k in 0..joint.kind.dof_count() {
            let dof = &ws.dofs[joint.first_dof + k];
            let free = dof.drive_mass.neg_mul_add(rates[count + k], dof.drive_impulse);
            out.drive_impulse[joint.first_dof + k] += zero_unless(lanes & !dof.boxed, free);
        }
    }
    for (l, line) in layout.lines.iter().enumerate() {
        let row = &ws.lines[l];
        let impulse = row.drive(tendons::end_rate(layout, line, row, &ws.u));
        for &a in &line.motors {
            out.line_impulse[a] += zero_unless(lanes, impulse);
        }
    }
    for group in &ws.cones.groups {
        let ConeSource::Scalar(s) = group.source else { continue };
        let scalar = &layout.scalars[s];
        let joint = &layout.joints[scalar.at.joint];
        let lambda = zero_unless(lanes, ws.cones.lambda[group.first_row]);
        let signed = match scalar.kind {
            ScalarKind::Upper | ScalarKind::SlowUp => -lambda,
            _ => lambda,
        };
        out.joint_impulse[scalar.at.joint][joint.kind.row_count() + scalar.at.dof] += signed;
        if scalar.kind == ScalarKind::Effort {
            out.drive_impulse[joint.first_dof + scalar.at.dof] += lambda;
        }
    }
}

/// q̇ of all degrees of freedom at the present state, joint after joint.
pub fn joint_rates<R: Real>(layout: &Layout, constants: &Constants<R>, state: &State<R>) -> Vec<R> {
    let mut rates = vec![R::zero(); layout.dof_count];
    R::run(Inline(
        #[inline(always)]
        || rows::read_rates(layout, constants, state, &mut rates),
    ));
    rates
}

/// How well the equations of a step are met, measured from its result alone ([Kamino] notes 1.10).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Metrics<R> {
    /// M (u⁺ − u⁻) − Δt f − Jᵀλ, largest entry [N·s or N·m·s].
    pub equation_of_motion: R,
    /// Distance of the reactions from their cones [N·s].
    pub primal: R,
    /// Distance of the velocities from the dual cones [m/s].
    pub dual: R,
    /// |λ·v| [J]
    pub complementarity: R,
    /// λ − Π_K(λ − w v), as a velocity [m/s].
    pub natural_map: R,
}

impl Metrics<f64> {
    /// Of a step that could not be taken.
    pub fn unmet() -> Self {
        let x = f64::INFINITY;
        Metrics { equation_of_motion: x, primal: x, dual: x, complementarity: x, natural_map: x }
    }
}

impl<R: Real> Metrics<R> {
    /// One world.
    pub fn lane(&self, lane: usize) -> Metrics<f64> {
        let read = |x: R| x.lane(lane).to_f64();
        Metrics {
            equation_of_motion: read(self.equation_of_motion),
            primal: read(self.primal),
            dual: read(self.dual),
            complementarity: read(self.complementarity),
            natural_map: read(self.natural_map),
        }
    }
}

/// Measures the step that the workspace holds; the state is still that before it.
#[inline(always)]
pub fn measure<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    dt: R,
    ws: &mut Workspace<R>,
) -> Metrics<R> {
    let mut metrics =
        Metrics { equation_of_motion: unbalanced(layout, constants, dt, ws), ..Metrics::default() };
    let cones = &ws.cones;
    let mut i = 0;
    for group in &cones.groups {
        let mut v = [R::zero(); MOST_ROWS];
        for k in 0..group.rows {
            v[k] = crate::reactions::cones::row_speed(layout, group.source, &cones.jacobian[i + k], &ws.u)
                + cones.compliance[i + k].mul_add(cones.lambda[i + k], cones.bias[i + k]);
        }
        let diagonal = crate::reactions::cones::row_mobility(layout, cones, group, group.rows - 1);
        let none = diagonal.le(R::zero());
        let weight = R::select(none, R::one(), diagonal).recip();
        let check = group.cone.check(&cones.lambda[i..i + group.rows], &v[..group.rows], weight);
        metrics.primal = metrics.primal.max(check.primal);
        metrics.dual = metrics.dual.max(check.dual);
        metrics.complementarity = metrics.complementarity.max(check.product);
        metrics.natural_map = metrics.natural_map.max(check.natural_map);
        i += group.rows;
    }
    metrics
}
