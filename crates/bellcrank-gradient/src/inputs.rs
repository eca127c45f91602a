//! All that a step depends on, in any numbers: plain ones, or dual ones that carry derivatives.

use super::{CARRIED, Many, Wrt};
use bellcrank_math::enter;
use bellcrank_math::{Quat, Real, Vec3, so3};
use bellcrank_model::{Model, Parameters};
use bellcrank_step::constants::Constants;
use bellcrank_step::lane_access::write_lane;
use bellcrank_step::layout::{Layout, LineSource};
use bellcrank_step::rows;
use bellcrank_step::state::{Control, State};
use std::any::Any;

/// One world.
pub(crate) struct Inputs<R: Real> {
    pub state: State<R>,
    pub control: Control<R>,
    pub constants: Constants<R>,
    pub dt: R,
    /// Something other than state and control is no longer the source's.
    pub changed: bool,
}

/// Where the numbers come from.
pub(crate) struct Source<'a> {
    pub model: &'a Model,
    pub layout: &'a Layout,
    pub parameters: &'a Parameters,
    pub world: usize,
    /// State and control, as `lane_access` lists them.
    pub values: &'a [f64],
    /// In place of these: state and control of as many worlds as there are lanes, of which this is the first.
    pub block: Option<(&'a dyn Any, &'a dyn Any)>,
    pub dt: f64,
}

impl Inputs<Many> {
    /// Forgets all derivatives; values stay.
    pub fn forget(&mut self, source: &Source<'_>, constants: &Constants<Many>) {
        let (state, control) = (&mut self.state, &mut self.control);
        for X in &mut state.X_WB {
            let (R, p) = (&mut X.R, &mut X.p);
            for x in [&mut R.w, &mut R.x, &mut R.y, &mut R.z, &mut p.x, &mut p.y, &mut p.z] {
                x.tangent = [0.0; CARRIED];
            }
        }
        for V in &mut state.V_WB {
            let (v, w) = (&mut V.linear, &mut V.angular);
            for x in [&mut v.x, &mut v.y, &mut v.z, &mut w.x, &mut w.y, &mut w.z] {
                x.tangent = [0.0; CARRIED];
            }
        }
        let targets = control.target_position.iter_mut().chain(&mut control.target_velocity);
        let efforts = control.effort.iter_mut().chain(control.wrench.iter_mut().flatten());
        state.q.iter_mut().chain(targets).chain(efforts).for_each(|x| x.tangent = [0.0; CARRIED]);
        self.restore(source, constants);
    }

    /// The derivative `k` is that by this number: a nudge by a variable, without arithmetic for states and controls.
    pub fn ride(&mut self, source: &Source<'_>, wrt: Wrt, k: usize) {
        let (state, control) = (&mut self.state, &mut self.control);
        let number = match wrt {
            Wrt::Position { body, axis } => entry(&mut state.X_WB[body].p, axis),
            Wrt::LinearVelocity { body, axis } => entry(&mut state.V_WB[body].linear, axis),
            Wrt::AngularVelocity { body, axis } => entry(&mut state.V_WB[body].angular, axis),
            Wrt::Effort(a) => &mut control.effort[a],
            Wrt::TargetPosition(a) => &mut control.target_position[a],
            Wrt::TargetVelocity(a) => &mut control.target_velocity[a],
            Wrt::Force { body, axis } => &mut control.wrench[body][axis],
            Wrt::Moment { body, axis } => &mut control.wrench[body][3 + axis],
            Wrt::Rotation { body, axis: i } => {
                // δq = ½ (0, e) q
                let q = &mut state.X_WB[body].R;
                let half = axis(i, 0.5);
                let known = Quat::from_wxyz(q.to_wxyz().map(|x| x.value));
                let turned = Quat::from_parts(0.0, half) * known;
                q.w.tangent[k] += turned.w;
                q.x.tangent[k] += turned.x;
                q.y.tangent[k] += turned.y;
                q.z.tangent[k] += turned.z;
                return;
            }
            _ => return self.nudge(source, wrt, Many::variable(0.0, k)),
        };
        number.tangent[k] += 1.0;
    }
}

fn entry(v: &mut Vec3<Many>, i: usize) -> &mut Many {
    match i {
        0 => &mut v.x,
        1 => &mut v.y,
        _ => &mut v.z,
    }
}

fn axis<R: Real>(i: usize, amount: R) -> Vec3<R> {
    match i {
        0 => Vec3::x_axis() * amount,
        1 => Vec3::y_axis() * amount,
        _ => Vec3::z_axis() * amount,
    }
}

impl<R: Real> Inputs<R> {
    pub fn of(source: &Source<'_>, constants: &Constants<R>) -> Self {
        let state = State::reference(source.model, source.layout);
        let control = Control::rest(source.model, source.layout, &state);
        let (constants, dt) = (constants.clone(), R::constant(source.dt));
        Inputs { state, control, constants, dt, changed: false }
    }

    /// The numbers of the source; nothing nudged.
    pub fn reset(&mut self, source: &Source<'_>, constants: &Constants<R>) {
        write_lane(&mut self.state, &mut self.control, 0, source.values);
        self.restore(source, constants);
    }

    fn restore(&mut self, source: &Source<'_>, constants: &Constants<R>) {
        if self.changed {
            self.constants.clone_from(constants);
        }
        self.dt = R::constant(source.dt);
        self.changed = false;
    }

    /// Adds an amount to one of the numbers. Poses take joint coordinates with them.
    pub fn nudge(&mut self, source: &Source<'_>, wrt: Wrt, amount: R) {
        self.changed = true;
        self.nudge_state(source.layout, wrt, amount);
        self.nudge_parts(source, wrt, amount);
        self.nudge_joints(wrt, amount);
    }

    /// Joint coordinates that belong to the poses.
    pub fn read_coordinates(&mut self, layout: &Layout) {
        let (constants, state) = (&self.constants, &mut self.state);
        enter!(R, rows::read_coordinates(layout, constants, state));
    }

    fn nudge_state(&mut self, layout: &Layout, wrt: Wrt, amount: R) {
        let (state, control) = (&mut self.state, &mut self.control);
        match wrt {
            Wrt::Position { body, axis: i } => state.X_WB[body].p += axis(i, amount),
            Wrt::Rotation { body, axis: i } => {
                let X = &mut state.X_WB[body];
                X.R = so3::exp(axis(i, amount)) * X.R;
            }
            Wrt::LinearVelocity { body, axis: i } => state.V_WB[body].linear += axis(i, amount),
            Wrt::AngularVelocity { body, axis: i } => state.V_WB[body].angular += axis(i, amount),
            Wrt::Effort(a) => control.effort[a] += amount,
            Wrt::TargetPosition(a) => control.target_position[a] += amount,
            Wrt::TargetVelocity(a) => control.target_velocity[a] += amount,
            Wrt::Force { body, axis: i } => control.wrench[body][i] += amount,
            Wrt::Moment { body, axis: i } => control.wrench[body][3 + i] += amount,
            Wrt::TimeStep => self.dt += amount,
            Wrt::Gravity { axis: i } => self.constants.gravity += axis(i, amount),
            Wrt::CentreOfMass { body, axis: i } => {
                // the link and all on it stay where they are and as fast as they are, as in `Batch::change_parameters`
                let moved = axis(i, amount);
                let turned = state.X_WB[body].R.rotate(moved);
                state.X_WB[body].p += turned;
                let V = &mut state.V_WB[body];
                V.linear += V.angular.cross(turned);
                for (at, joint) in layout.joints.iter().zip(&mut self.constants.joints) {
                    if at.predecessor == Some(body) {
                        joint.X_PF.p -= moved;
                    }
                    if at.successor == body {
                        joint.X_SM.p -= moved;
                    }
                }
                for (shape, X) in layout.plan.shapes().iter().zip(&mut self.constants.shapes.X_BG) {
                    if shape.body.is_some_and(|b| b.index() == body) {
                        X.p -= moved;
                    }
                }
                for (line, c) in layout.lines.iter().zip(&mut self.constants.lines) {
                    if matches!(line.source, LineSource::Site { .. }) && line.bodies[0] == body {
                        c.X_BS.p -= moved;
                    }
                }
            }
            _ => {}
        }
    }

    fn nudge_parts(&mut self, source: &Source<'_>, wrt: Wrt, amount: R) {
        let c = &mut self.constants;
        let shape_at = |shape: usize| source.layout.plan.shapes().iter().position(|s| s.id.index() == shape);
        match wrt {
            Wrt::Mass(body) => {
                let share = 1.0 - source.model.bodies()[body].gravity_compensation;
                c.bodies[body].mass += amount;
                c.bodies[body].heavy_mass += amount * R::constant(share);
            }
            Wrt::Inertia { body, entry } => {
                let I = &mut c.bodies[body].inertia;
                let entries = [&mut I.xx, &mut I.xy, &mut I.xz, &mut I.yy, &mut I.yz, &mut I.zz];
                for (k, x) in entries.into_iter().enumerate() {
                    *x += if k == entry { amount } else { R::zero() };
                }
            }
            Wrt::Friction { pair } => c.shapes.surfaces[pair].sliding += amount,
            Wrt::Torsional { pair } => c.shapes.surfaces[pair].torsional += amount,
            Wrt::Rolling { pair } => c.shapes.surfaces[pair].rolling += amount,
            Wrt::ShapePosition { shape, axis: i } => {
                if let Some(s) = shape_at(shape) {
                    c.shapes.X_BG[s].p += axis(i, amount);
                }
            }
            Wrt::ShapeRotation { shape, axis: i } => {
                if let Some(s) = shape_at(shape) {
                    c.shapes.X_BG[s].R = c.shapes.X_BG[s].R * so3::exp(axis(i, amount));
                }
            }
            Wrt::ShapeSize { shape, axis: i } => {
                if let Some(s) = shape_at(shape) {
                    c.shapes.size[s] += axis(i, amount);
                }
            }
            Wrt::Kp(a) => {
                let has_target = R::zero().lt(c.actuators[a].target_kp.abs());
                c.actuators[a].kp += amount;
                c.actuators[a].target_kp += R::select(has_target, amount, R::zero());
            }
            Wrt::Kd(a) => {
                let has_target = R::zero().lt(c.actuators[a].target_kd.abs());
                c.actuators[a].kd += amount;
                c.actuators[a].target_kd += R::select(has_target, amount, R::zero());
            }
            Wrt::Gear(a) => c.actuators[a].gear += amount,
            _ => {}
        }
    }

    fn nudge_joints(&mut self, wrt: Wrt, amount: R) {
        let c = &mut self.constants;
        match wrt {
            Wrt::AnchorOnPredecessor { joint, axis: i } => c.joints[joint].X_PF.p += axis(i, amount),
            Wrt::AnchorOnSuccessor { joint, axis: i } => c.joints[joint].X_SM.p += axis(i, amount),
            Wrt::AxesOnPredecessor { joint, axis: i } => {
                c.joints[joint].X_PF.R = c.joints[joint].X_PF.R * so3::exp(axis(i, amount));
            }
            Wrt::AxesOnSuccessor { joint, axis: i } => {
                c.joints[joint].X_SM.R = c.joints[joint].X_SM.R * so3::exp(axis(i, amount));
            }
            Wrt::Stiffness(dof) => c.dofs[dof].stiffness += amount,
            Wrt::Rest(dof) => c.dofs[dof].rest += amount,
            Wrt::Damping(dof) => c.dofs[dof].damping += amount,
            Wrt::Armature(dof) => c.dofs[dof].armature += amount,
            Wrt::JointFriction(dof) => c.dofs[dof].friction += amount,
            Wrt::LowerLimit(dof) => c.dofs[dof].low += amount,
            Wrt::UpperLimit(dof) => c.dofs[dof].high += amount,
            _ => {}
        }
    }
}
