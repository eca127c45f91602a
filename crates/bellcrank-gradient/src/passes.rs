//! Which numbers share an evaluation in dual numbers.
//!
//! A number enters a few equations only: a body's pose those of the body, its joints and its contacts. Two numbers that
//! enter no equation together may use the same derivative of the same evaluation, as long as equations are read one by one.
//! On a tree two neighbours differ and all others repeat: the states of any number of bodies need 24 derivatives.

use super::formulas::is_state_or_control;
use super::{CARRIED, Wrt};
use bellcrank_step::interior::InteriorWorkspace;
use bellcrank_step::layout::{DriveLayout, Layout, LineSource};

/// An equation, counted as bodies, joints (with their limits and friction), couplings, tendons, contacts of this step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Equation {
    Body(usize),
    Joint(usize),
    Coupling(usize),
    Line(usize),
    Contact(usize),
}

/// Who enters which equations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Incidence {
    /// By body: what its pose enters.
    poses: Vec<Vec<Equation>>,
    /// By body: what its velocity enters.
    velocities: Vec<Vec<Equation>>,
    /// By joint: what its frames enter.
    frames: Vec<Vec<Equation>>,
    /// Joint by degree of freedom.
    joint_of: Vec<usize>,
    /// By contact of this step: its slot.
    slots: Vec<usize>,
    /// Entries of `poses` that do not change with contacts.
    fixed: Vec<usize>,
}

impl Incidence {
    /// Everything but contacts.
    pub fn of(layout: &Layout) -> Self {
        let bodies = layout.position.len();
        let mut poses: Vec<Vec<Equation>> = (0..bodies).map(|b| vec![Equation::Body(b)]).collect();
        let mut velocities = poses.clone();
        let mut frames: Vec<Vec<Equation>> =
            (0..layout.joints.len()).map(|j| vec![Equation::Joint(j)]).collect();
        let mut joint_of = vec![0; layout.dof_count];
        for (j, joint) in layout.joints.iter().enumerate() {
            joint_of[joint.first_dof..joint.first_dof + joint.kind.dof_count()].fill(j);
            for b in joint.predecessor.into_iter().chain([joint.successor]) {
                poses[b].push(Equation::Joint(j));
                velocities[b].push(Equation::Joint(j));
            }
        }
        for (c, coupling) in layout.couplings.iter().enumerate() {
            coupling.bodies.iter().for_each(|b| poses[*b].push(Equation::Coupling(c)));
            coupling.terms.iter().for_each(|(at, _)| frames[at.joint].push(Equation::Coupling(c)));
        }
        for (l, line) in layout.lines.iter().enumerate() {
            for &b in &line.bodies {
                poses[b].push(Equation::Line(l));
                velocities[b].push(Equation::Line(l));
            }
            if let LineSource::Tendon { terms, .. } = &line.source {
                terms.iter().for_each(|(at, _)| frames[at.joint].push(Equation::Line(l)));
            }
        }
        let fixed = poses.iter().map(Vec::len).collect();
        Incidence { poses, velocities, frames, joint_of, slots: Vec::new(), fixed }
    }

    /// Takes the contacts of this step in; says whether they differ from those before.
    pub fn set_touches(&mut self, own: &InteriorWorkspace<f64>) -> bool {
        if self.slots.iter().copied().eq(own.touches.iter().map(|touch| touch.slot)) {
            return false;
        }
        self.slots = own.touches.iter().map(|touch| touch.slot).collect();
        for (list, fixed) in self.poses.iter_mut().zip(&self.fixed) {
            list.truncate(*fixed);
        }
        for (t, touch) in own.touches.iter().enumerate() {
            for b in touch.a.into_iter().chain([touch.b]) {
                self.poses[b].push(Equation::Contact(t));
            }
        }
        true
    }

    /// Calls `f` for every equation that a number enters.
    pub fn each(&self, layout: &Layout, wrt: Wrt, mut f: impl FnMut(Equation)) {
        match wrt {
            Wrt::Position { body, .. } | Wrt::Rotation { body, .. } | Wrt::CentreOfMass { body, .. } => {
                self.poses[body].iter().copied().for_each(f)
            }
            Wrt::LinearVelocity { body, .. } | Wrt::AngularVelocity { body, .. } => {
                self.velocities[body].iter().copied().for_each(f)
            }
            Wrt::Force { body, .. } | Wrt::Moment { body, .. } | Wrt::Inertia { body, .. } => {
                f(Equation::Body(body))
            }
            Wrt::Mass(body) => f(Equation::Body(body)),
            Wrt::Effort(a) | Wrt::TargetPosition(a) | Wrt::TargetVelocity(a) => drive(layout, a, f),
            Wrt::Kp(a) | Wrt::Kd(a) | Wrt::Gear(a) => drive(layout, a, f),
            Wrt::Friction { pair } | Wrt::Torsional { pair } | Wrt::Rolling { pair } => {
                self.touches(|slot| layout.contacts[slot].pair == pair, f)
            }
            Wrt::ShapePosition { shape, .. }
            | Wrt::ShapeRotation { shape, .. }
            | Wrt::ShapeSize { shape, .. } => {
                let on = |slot: usize| {
                    let pair = &layout.plan.pairs()[layout.contacts[slot].pair];
                    pair.shape_a.index() == shape || pair.shape_b.index() == shape
                };
                self.touches(on, f)
            }
            Wrt::AnchorOnPredecessor { joint, .. }
            | Wrt::AnchorOnSuccessor { joint, .. }
            | Wrt::AxesOnPredecessor { joint, .. }
            | Wrt::AxesOnSuccessor { joint, .. } => self.frames[joint].iter().copied().for_each(f),
            Wrt::Stiffness(dof) | Wrt::Rest(dof) | Wrt::Damping(dof) | Wrt::Armature(dof) => {
                f(Equation::Joint(self.joint_of[dof]))
            }
            Wrt::JointFriction(dof) | Wrt::LowerLimit(dof) | Wrt::UpperLimit(dof) => {
                f(Equation::Joint(self.joint_of[dof]))
            }
            Wrt::Gravity { .. } => (0..self.poses.len()).map(Equation::Body).for_each(f),
            Wrt::TimeStep => {
                (0..self.poses.len()).map(Equation::Body).for_each(&mut f);
                (0..layout.joints.len()).map(Equation::Joint).for_each(&mut f);
                (0..layout.couplings.len()).map(Equation::Coupling).for_each(&mut f);
                (0..layout.lines.len()).map(Equation::Line).for_each(&mut f);
                (0..self.slots.len()).map(Equation::Contact).for_each(f);
            }
        }
    }

    /// The slot of a contact of this step.
    pub fn slot(&self, touch: usize) -> usize {
        self.slots[touch]
    }

    fn touches(&self, on: impl Fn(usize) -> bool, f: impl FnMut(Equation)) {
        let here = self.slots.iter().enumerate().filter(|(_, slot)| on(**slot));
        here.map(|(t, _)| Equation::Contact(t)).for_each(f)
    }
}

fn drive(layout: &Layout, actuator: usize, mut f: impl FnMut(Equation)) {
    match layout.actuators[actuator] {
        DriveLayout::Joint(at) => f(Equation::Joint(at.joint)),
        DriveLayout::Line(line) => f(Equation::Line(line)),
        DriveLayout::Nothing => {}
    }
}

/// One evaluation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pass {
    /// Column and derivative of all that ride in it.
    pub riders: Vec<(usize, usize)>,
    /// All that changes is what pushes: velocities, controls, masses, gains. Geometry stays as it is.
    pub light: bool,
}

/// Evaluations, and who rides in each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passes {
    wrt: Vec<Wrt>,
    covered: bool,
    pub list: Vec<Pass>,
}

/// Numbers that change neither where anything is nor which contacts and limits there are.
fn is_light(wrt: Wrt) -> bool {
    matches!(
        wrt,
        Wrt::LinearVelocity { .. }
            | Wrt::AngularVelocity { .. }
            | Wrt::Effort(_)
            | Wrt::TargetPosition(_)
            | Wrt::TargetVelocity(_)
            | Wrt::Force { .. }
            | Wrt::Moment { .. }
            | Wrt::Mass(_)
            | Wrt::Inertia { .. }
            | Wrt::Stiffness(_)
            | Wrt::Rest(_)
            | Wrt::Damping(_)
            | Wrt::Armature(_)
            | Wrt::Kp(_)
            | Wrt::Kd(_)
            | Wrt::Gear(_)
            | Wrt::Gravity { .. }
    )
}

impl Passes {
    /// First fit, in the order of the list; what formulas cover is left out if so. Nothing is done where list and contacts
    /// are those of the last call.
    pub fn plan(
        &mut self,
        layout: &Layout,
        incidence: &Incidence,
        wrt: &[Wrt],
        covered: bool,
        changed: bool,
    ) {
        if !changed && self.wrt == wrt && self.covered == covered {
            return;
        }
        self.wrt.clear();
        self.wrt.extend(wrt);
        self.covered = covered;
        self.list.clear();
        let counts = [layout.position.len(), layout.joints.len(), layout.couplings.len(), layout.lines.len()];
        let number = |equation: Equation| match equation {
            Equation::Body(b) => b,
            Equation::Joint(j) => counts[0] + j,
            Equation::Coupling(c) => counts[0] + counts[1] + c,
            Equation::Line(l) => counts[0] + counts[1] + counts[2] + l,
            Equation::Contact(t) => counts.iter().sum::<usize>() + t,
        };
        let words = (counts.iter().sum::<usize>() + incidence.slots.len()).div_ceil(64);
        let mut mine = vec![0_u64; words];
        for light in [false, true] {
            // by derivative of all evaluations of this kind: equations that it enters already
            let (mut taken, first): (Vec<Vec<u64>>, usize) = (Vec::new(), self.list.len());
            for (column, wrt) in wrt.iter().enumerate() {
                if is_light(*wrt) != light || (covered && is_state_or_control(*wrt)) {
                    continue;
                }
                mine.fill(0);
                incidence.each(layout, *wrt, |e| mine[number(e) / 64] |= 1 << (number(e) % 64));
                let free = |other: &Vec<u64>| other.iter().zip(&mine).all(|(a, b)| a & b == 0);
                let at = taken.iter().position(free).unwrap_or_else(|| {
                    taken.push(vec![0; words]);
                    taken.len() - 1
                });
                taken[at].iter_mut().zip(&mine).for_each(|(a, b)| *a |= b);
                let count = first + taken.len().div_ceil(CARRIED);
                self.list.resize_with(count, || Pass { riders: Vec::new(), light });
                self.list[first + at / CARRIED].riders.push((column, at % CARRIED));
            }
        }
    }
}
