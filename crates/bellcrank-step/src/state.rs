//! What must be saved to resume bit for bit, and what the user writes.

use crate::layout::{DriveLayout, Layout, LineSource};
use crate::rows::tendons::{line_length, path_length};
use bellcrank_math::{Mask, Pose, Real, Twist, Vec3};
use bellcrank_model::{JointId, Model};

/// Everything needed to resume, bit for bit. If it is not in here, a replay may not depend on it.
#[derive(Clone, Debug)]
pub struct State<R: Real> {
    /// X_WB, origin at the centre of mass.
    pub X_WB: Vec<Pose<R>>,
    /// Twists of the centres of mass, world axes.
    pub V_WB: Vec<Twist<R>>,
    /// What rounding has cut off the positions so far [m]; see `motion::end_poses`.
    pub p_rest: Vec<Vec3<R>>,
    /// Joint coordinates, joint after joint; angles are counted through whole turns.
    pub q: Vec<R>,
    /// Reactions of the last step [N·s or N·m·s]: limits, friction, effort.
    pub scalar_impulse: Vec<R>,
    /// Reactions of the last step by joint and row: forces [N or N·m], from which the next step starts; impulses [N·s or
    /// N·m·s] where the solver iterates on them ([`crate::AllRows`], the interior point).
    pub joint_impulse: Vec<[R; 6]>,
    /// Reactions of the last step by contact slot: force (t, o, n) [N·s] and moment (about n, t, o) [N·m·s].
    pub contact_impulse: Vec<[R; 6]>,
    /// For a pile: what each entry of `contact_impulse` is called, rising: the positions a and 8 b + feature of its shapes; below zero behind the last.
    pub contact_name: Vec<[R; 2]>,
    /// States of motors that have one, in their order.
    pub activation: Vec<R>,
    /// The interval whose velocity the twists are, in steps: one after a step, zero where velocities were written, which are those of the
    /// instant. [`crate::Integrator::Variational`] asks for it; see `interior`.
    pub interval: R,
    /// Worlds that still run.
    pub alive: R::Mask,
}

/// What the user writes each step, by actuator.
#[derive(Clone, Debug)]
pub struct Control<R> {
    /// [rad or m]
    pub target_position: Vec<R>,
    /// [rad/s or m/s]
    pub target_velocity: Vec<R>,
    /// Effort, or the control of an affine actuator [N·m or N].
    pub effort: Vec<R>,
    /// External force and moment at each body's centre of mass, world axes [N, N·m].
    pub wrench: Vec<[R; 6]>,
}

impl<R: Real> State<R> {
    /// The reference pose at rest.
    pub fn reference(model: &Model, layout: &Layout) -> Self {
        let mut q = Vec::with_capacity(layout.coordinate_count);
        for (j, joint) in model.joints().iter().enumerate() {
            let here = model.reference_coordinates(JointId::new(j));
            q.extend(here[..joint.kind.coordinate_count()].iter().map(|x| R::constant(*x)));
        }
        State {
            X_WB: model.bodies().iter().map(|body| Pose::constant(body.X_WB())).collect(),
            V_WB: vec![Twist::zero(); model.bodies().len()],
            p_rest: vec![Vec3::zero(); model.bodies().len()],
            q,
            scalar_impulse: vec![R::zero(); layout.scalars.len()],
            joint_impulse: vec![[R::zero(); 6]; layout.joints.len()],
            contact_impulse: vec![[R::zero(); 6]; layout.contact_room()],
            contact_name: vec![[-R::one(); 2]; layout.pile.unwrap_or(0)],
            activation: vec![R::zero(); layout.activations.len()],
            interval: R::zero(),
            alive: R::Mask::splat(true),
        }
    }
}

impl<R: Real> Control<R> {
    /// Nothing asked of any motor, targets where the motors are: gear times the coordinate.
    pub fn rest(model: &Model, layout: &Layout, state: &State<R>) -> Self {
        let coordinate = |drive: &DriveLayout| match drive {
            DriveLayout::Joint(at) => {
                let joint = &layout.joints[at.joint];
                let scalar = joint.kind.has_scalar_coordinates();
                if scalar { state.q[joint.first_coordinate + at.dof] } else { R::zero() }
            }
            DriveLayout::Line(line) => match &layout.lines[*line].source {
                LineSource::Path { way, .. } => path_length(model, way, &state.X_WB),
                _ => line_length(layout, &layout.lines[*line], &state.q),
            },
            DriveLayout::Nothing => R::zero(),
        };
        let gears = model.actuators().iter().map(|actuator| R::constant(actuator.gear));
        let count = layout.actuators.len();
        Control {
            target_position: layout.actuators.iter().zip(gears).map(|(a, g)| g * coordinate(a)).collect(),
            target_velocity: vec![R::zero(); count],
            effort: vec![R::zero(); count],
            wrench: vec![[R::zero(); 6]; state.X_WB.len()],
        }
    }
}

impl<R: Real> State<R> {
    /// All of another state, in the memory of this one.
    pub fn copy_from(&mut self, other: &State<R>) {
        let State {
            X_WB,
            V_WB,
            p_rest,
            q,
            scalar_impulse,
            joint_impulse,
            contact_impulse,
            contact_name,
            activation,
            interval,
            alive,
        } = other;
        self.X_WB.clone_from(X_WB);
        self.V_WB.clone_from(V_WB);
        self.p_rest.clone_from(p_rest);
        self.q.clone_from(q);
        self.scalar_impulse.clone_from(scalar_impulse);
        self.joint_impulse.clone_from(joint_impulse);
        self.contact_impulse.clone_from(contact_impulse);
        self.contact_name.clone_from(contact_name);
        self.activation.clone_from(activation);
        self.interval = *interval;
        self.alive = *alive;
    }

    /// Takes the masked lanes of another state.
    pub fn take(&mut self, lanes: R::Mask, other: &State<R>) {
        let pick = |a: &mut R, b: R| *a = R::select(lanes, b, *a);
        for (a, b) in self.X_WB.iter_mut().zip(&other.X_WB) {
            a.R = bellcrank_math::Quat::select(lanes, b.R, a.R);
            a.p = Vec3::select(lanes, b.p, a.p);
        }
        for (a, b) in self.V_WB.iter_mut().zip(&other.V_WB) {
            a.linear = Vec3::select(lanes, b.linear, a.linear);
            a.angular = Vec3::select(lanes, b.angular, a.angular);
        }
        for (a, b) in self.p_rest.iter_mut().zip(&other.p_rest) {
            *a = Vec3::select(lanes, *b, *a);
        }
        self.q.iter_mut().zip(&other.q).for_each(|(a, b)| pick(a, *b));
        self.scalar_impulse.iter_mut().zip(&other.scalar_impulse).for_each(|(a, b)| pick(a, *b));
        let names = self.contact_name.iter_mut().flatten().zip(other.contact_name.iter().flatten());
        names.for_each(|(a, b)| pick(a, *b));
        let impulses = [
            (&mut self.contact_impulse, &other.contact_impulse),
            (&mut self.joint_impulse, &other.joint_impulse),
        ];
        for (mine, theirs) in impulses {
            mine.iter_mut().flatten().zip(theirs.iter().flatten()).for_each(|(a, b)| pick(a, *b));
        }
        self.activation.iter_mut().zip(&other.activation).for_each(|(a, b)| pick(a, *b));
        pick(&mut self.interval, other.interval);
        self.alive = (self.alive & !lanes) | (other.alive & lanes);
    }
}

impl<R: Real> Control<R> {
    /// All of another control, in the memory of this one.
    pub fn copy_from(&mut self, other: &Control<R>) {
        let Control { target_position, target_velocity, effort, wrench } = other;
        self.target_position.clone_from(target_position);
        self.target_velocity.clone_from(target_velocity);
        self.effort.clone_from(effort);
        self.wrench.clone_from(wrench);
    }

    /// Takes the masked lanes of another control.
    pub fn take(&mut self, lanes: R::Mask, other: &Control<R>) {
        for (mine, theirs) in [
            (&mut self.target_position, &other.target_position),
            (&mut self.target_velocity, &other.target_velocity),
            (&mut self.effort, &other.effort),
        ] {
            mine.iter_mut().zip(theirs).for_each(|(a, b)| *a = R::select(lanes, *b, *a));
        }
        let (mine, theirs) = (self.wrench.iter_mut().flatten(), other.wrench.iter().flatten());
        mine.zip(theirs).for_each(|(a, b)| *a = R::select(lanes, *b, *a));
    }
}
