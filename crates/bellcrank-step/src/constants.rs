//! The numbers of a model for one block of worlds, derived from its parameters.

use crate::drag::DragConstants;
use crate::effort::{EffortConstants, bound};
use crate::ellipsoid::EllipsoidConstants;
use crate::law;
use crate::layout::{JointLayout, Layout, LineSource, TendonLayout};
use bellcrank_collide::ShapeData;
use bellcrank_math::{Elem, Inline, Numbers, Pose, Real, Sym3, Vec3, Wrench, numbers};
use bellcrank_model::{
    Actuator, ActuatorParameters, BodyId, BodyParameters, Control as ControlLaw, Dof, JointId,
    JointParameters, Link, Medium, Model, Parameters, ShapeId, kinematics,
};
use std::ops::Range;

/// Constants per lane. Rebuilt when a parameter of one of its worlds changes.
#[derive(Clone, Debug)]
pub struct Constants<R> {
    pub gravity: Vec3<R>,
    /// Factors on contacts' stiffness and damping.
    pub contact_gain: [R; 2],
    pub bodies: Vec<BodyConstants<R>>,
    pub joints: Vec<JointConstants<R>>,
    /// By joint velocity, joint after joint.
    pub dofs: Vec<DofConstants<R>>,
    pub actuators: Vec<ActuatorConstants<R>>,
    /// Numbers of motors with a law of their own, one motor after the other.
    pub laws: Vec<R>,
    pub lines: Vec<LineConstants<R>>,
    /// Places of tendons that run through space, in the frames of their bodies or in the world.
    pub places: Vec<Pose<R>>,
    /// By body; empty where nothing surrounds them.
    pub drag: Vec<DragConstants<R>>,
    pub ellipsoids: Vec<EllipsoidConstants<R>>,
    /// 1/D of each coupling.
    pub coupling_weight: Vec<R>,
    pub shapes: ShapeData<R>,
}

#[derive(Clone, Copy, Debug)]
pub struct BodyConstants<R> {
    pub mass: R,
    /// Mass on which gravity acts: what nothing outside the model carries.
    pub heavy_mass: R,
    /// About the centre of mass, body axes [kg·m²].
    pub inertia: Sym3<R>,
}

#[derive(Clone, Copy, Debug)]
pub struct JointConstants<R> {
    /// In body frames (origin at the centre of mass).
    pub X_PF: Pose<R>,
    pub X_SM: Pose<R>,
    /// 1/Dᵢᵢ of each constraint row at the reference pose: its effective mass.
    pub weight: [R; 6],
    /// The same of its degrees of freedom.
    pub dof_weight: [R; 6],
}

#[derive(Clone, Copy, Debug)]
pub struct DofConstants<R> {
    pub low: R,
    pub high: R,
    pub armature: R,
    pub damping: R,
    pub friction: R,
    pub stiffness: R,
    pub rest: R,
    /// Of all drives together.
    pub effort: EffortConstants<R>,
    pub velocity_limit: R,
}

/// A tendon or a motor at a site.
#[derive(Clone, Copy, Debug)]
pub struct LineConstants<R> {
    pub armature: R,
    pub damping: R,
    pub stiffness: R,
    pub rest: R,
    /// Of all motors together.
    pub effort: EffortConstants<R>,
    /// The site in its body's frame; nothing for tendons.
    pub X_BS: Pose<R>,
    /// Least and largest length.
    pub low: R,
    pub high: R,
    pub friction: R,
}

/// effort = gear (kp₀ target − kp g q + kd₀ target velocity − kd g q̇ + gain u + bias), with q, q̇ implicit.
#[derive(Clone, Copy, Debug)]
pub struct ActuatorConstants<R> {
    pub kp: R,
    pub kd: R,
    /// kp and kd for the targets; zero where the law has none.
    pub target_kp: R,
    pub target_kd: R,
    pub gain: R,
    pub bias: R,
    pub gear: R,
    /// What acts is clamped to this: a control, or the state in its place.
    pub control_low: R,
    pub control_high: R,
    /// What the user tells a motor with a state is clamped to this.
    pub told_low: R,
    pub told_high: R,
}

numbers!(BodyConstants { mass, heavy_mass, inertia });
numbers!(JointConstants { X_PF, X_SM, weight, dof_weight });
numbers!(DofConstants { low, high, armature, damping, friction, stiffness, rest, effort, velocity_limit });
numbers!(LineConstants { armature, damping, stiffness, rest, effort, X_BS, low, high, friction });
numbers!(ActuatorConstants {
    kp,
    kd,
    target_kp,
    target_kd,
    gain,
    bias,
    gear,
    control_low,
    control_high,
    told_low,
    told_high,
});

impl Constants<f64> {
    /// From the parameters of one world.
    fn of_world(model: &Model, layout: &Layout, parameters: &Parameters, world: usize) -> Self {
        let body = |b: usize| {
            let BodyParameters { mass, inertia, .. } = *parameters.body(BodyId::new(b)).get(world);
            let share = 1.0 - model.bodies()[b].gravity_compensation;
            BodyConstants { mass, heavy_mass: share * mass, inertia }
        };
        let drag = |b: usize| {
            let BodyParameters { mass, inertia, .. } = *parameters.body(BodyId::new(b)).get(world);
            // a body with ellipsoids of its own is met by them alone
            let medium = match layout.ellipsoids.iter().any(|(own, _)| *own == b) {
                true => Medium::default(),
                false => model.medium(),
            };
            DragConstants::of(&medium, mass, inertia)
        };
        let ellipsoid = |(b, shape): &(usize, ShapeId)| {
            let count = layout.ellipsoids.iter().filter(|(other, _)| other == b).count();
            let body = parameters.body(BodyId::new(*b)).get(world);
            EllipsoidConstants::of(model, parameters, world, (*shape, body), count)
        };
        let joint = |j: usize| {
            let own = &model.joints()[j];
            let bodies = [own.predecessor.body(), own.successor.body()];
            let bodies = bodies.map(|body| body.map(|b| parameters.body(b).get(world)));
            joint_constants(&layout.joints[j], parameters.joint(JointId::new(j)).get(world), bodies)
        };
        Constants {
            gravity: *parameters.gravity.get(world),
            contact_gain: *parameters.contact_gain.get(world),
            bodies: (0..model.bodies().len()).map(body).collect(),
            joints: (0..model.joints().len()).map(joint).collect(),
            dofs: dof_constants(model, parameters, world),
            actuators: (0..model.actuators().len())
                .map(|a| actuator_constants(&model.actuators()[a], parameters.actuator(a).get(world)))
                .collect(),
            laws: (0..model.actuators().len())
                .flat_map(|a| law::numbers(parameters.actuator(a).get(world).control))
                .collect(),
            lines: layout.lines.iter().map(|line| line_constants(model, parameters, line, world)).collect(),
            places: layout.lines.iter().flat_map(|line| places(parameters, line, world)).collect(),
            drag: match model.medium().resists() {
                true => (0..model.bodies().len()).map(drag).collect(),
                false => Vec::new(),
            },
            ellipsoids: layout.ellipsoids.iter().map(ellipsoid).collect(),
            coupling_weight: layout.couplings.iter().map(|coupling| coupling.weight).collect(),
            shapes: ShapeData::of(&layout.plan, parameters, world),
        }
    }

    /// The same parts in other numbers, all of them zero.
    fn blank<R: Real>(&self) -> Constants<R> {
        Constants {
            gravity: Numbers::zero(),
            contact_gain: Numbers::zero(),
            bodies: vec![Numbers::zero(); self.bodies.len()],
            joints: vec![Numbers::zero(); self.joints.len()],
            dofs: vec![Numbers::zero(); self.dofs.len()],
            actuators: vec![Numbers::zero(); self.actuators.len()],
            laws: vec![Numbers::zero(); self.laws.len()],
            lines: vec![Numbers::zero(); self.lines.len()],
            places: vec![Numbers::zero(); self.places.len()],
            drag: vec![Numbers::zero(); self.drag.len()],
            ellipsoids: vec![Numbers::zero(); self.ellipsoids.len()],
            coupling_weight: vec![Numbers::zero(); self.coupling_weight.len()],
            shapes: self.shapes.blank(),
        }
    }
}

impl<R: Real> Constants<R> {
    /// Gathers the parameters of the worlds that the lanes hold; `world` says which lane is which world.
    pub fn of(
        model: &Model,
        layout: &Layout,
        parameters: &Parameters,
        world: impl Fn(usize) -> usize,
    ) -> Self {
        let mut one = Constants::of_world(model, layout, parameters, world(0));
        let mut all = one.blank();
        all.write_lanes(0..R::LANES, &mut one);
        if !parameters.is_shared() {
            for lane in 1..R::LANES {
                all.set_lanes(model, layout, parameters, lane..lane + 1, world(lane));
            }
        }
        all
    }

    /// Takes the parameters of a world into the lanes that hold it.
    pub fn set_lanes(
        &mut self,
        model: &Model,
        layout: &Layout,
        parameters: &Parameters,
        lanes: Range<usize>,
        world: usize,
    ) {
        let mut one = Constants::of_world(model, layout, parameters, world);
        self.write_lanes(lanes, &mut one);
    }

    fn write_lanes(&mut self, lanes: Range<usize>, one: &mut Constants<f64>) {
        let mut values: Vec<R::Elem> = Vec::new();
        one.each(&mut |x| values.push(Elem::from_f64(*x)));
        let mut next = values.into_iter();
        self.each(&mut |x| {
            let value = next.next().unwrap_or_default(); // there are as many as numbers
            for lane in lanes.clone() {
                x.set_lane(lane, value);
            }
        });
    }

    /// Calls `visit` on every number, always in the same order.
    fn each(&mut self, visit: &mut dyn FnMut(&mut R)) {
        self.gravity.each(visit);
        self.contact_gain.each(visit);
        self.bodies.iter_mut().for_each(|body| body.each(visit));
        self.joints.iter_mut().for_each(|joint| joint.each(visit));
        self.dofs.iter_mut().for_each(|dof| dof.each(visit));
        self.actuators.iter_mut().for_each(|actuator| actuator.each(visit));
        self.laws.iter_mut().for_each(&mut *visit);
        self.lines.iter_mut().for_each(|line| line.each(visit));
        self.places.iter_mut().for_each(|place| place.each(visit));
        self.drag.iter_mut().for_each(|drag| drag.each(visit));
        self.ellipsoids.iter_mut().for_each(|own| own.each(visit));
        self.coupling_weight.iter_mut().for_each(&mut *visit);
        self.shapes.each(visit);
    }
}

fn joint_constants(
    layout: &JointLayout,
    own: &JointParameters,
    [P, S]: [Option<&BodyParameters>; 2],
) -> JointConstants<f64> {
    let in_body = |X: Pose, body: Option<&BodyParameters>| {
        Pose::new(X.R, X.p - body.map_or(Vec3::zero(), |body| body.com))
    };
    let (X_PF, X_SM, X_FM) = (in_body(own.X_PF, P), in_body(own.X_SM, S), layout.X_FM);
    f64::run(Inline(
        #[inline(always)]
        || {
            let mut sides = [None; 2];
            for (side, (body, X_BM)) in sides.iter_mut().zip([(P, X_PF * X_FM), (S, X_SM)]) {
                if let Some(body) = body {
                    *side = Some(Side::of(body, X_BM));
                }
            }
            let (mut weight, mut dof_weight) = ([0.0; 6], [0.0; 6]);
            let held = kinematics::constraint_axes(layout.kind, X_FM);
            let free = kinematics::rate_axes(layout.kind, X_FM);
            for i in 0..6 {
                weight[i] = effective_mass(&sides, held[i].rotated(X_FM.R.inverse()));
                dof_weight[i] = effective_mass(&sides, free[i].rotated(X_FM.R.inverse()));
            }
            JointConstants { X_PF, X_SM, weight, dof_weight }
        },
    ))
}

/// 1/(a M⁻¹ aᵀ) of a row over both bodies, told at M's origin in M's axes; nothing where it moves neither.
#[inline(always)]
fn effective_mass(sides: &[Option<Side>; 2], row: Wrench) -> f64 {
    let mut mobility = 0.0;
    for side in sides.iter().flatten() {
        mobility += side.mobility(row);
    }
    if mobility > 0.0 { 1.0 / mobility } else { 0.0 }
}

/// One body of a joint, and where the joint's frame M is in it.
#[derive(Clone, Copy)]
pub struct Side {
    mass: f64,
    inverse_inertia: Sym3,
    X_BM: Pose,
}

impl Side {
    #[inline(always)]
    pub fn of(body: &BodyParameters, X_BM: Pose) -> Self {
        Side { mass: body.mass, inverse_inertia: body.inertia.inverse(), X_BM }
    }

    /// a M⁻¹ aᵀ of a row a, told at M's origin in M's axes.
    #[inline(always)]
    pub fn mobility(&self, row: Wrench) -> f64 {
        let at_com = row.transformed(self.X_BM);
        at_com.force.norm_squared() / self.mass + at_com.moment.dot(self.inverse_inertia * at_com.moment)
    }
}

fn dof_constants(model: &Model, parameters: &Parameters, world: usize) -> Vec<DofConstants<f64>> {
    let mut all = Vec::new();
    for (j, joint) in model.joints().iter().enumerate() {
        let dofs = &parameters.joint(JointId::new(j)).get(world).dofs;
        for (k, dof) in dofs[..joint.kind.dof_count()].iter().enumerate() {
            let here = |a: &usize| model.actuators()[*a].drives(j, k);
            let drives = (0..model.actuators().len()).filter(here);
            let motors = drives.map(|a| parameters.actuator(a).get(world));
            let effort = EffortConstants::of(motors, dof);
            all.push(DofConstants {
                low: bound(dof.limits[0]),
                high: bound(dof.limits[1]),
                armature: dof.armature,
                damping: dof.damping,
                friction: dof.friction,
                stiffness: dof.spring.map_or(0.0, |s| s.stiffness),
                rest: dof.spring.map_or(0.0, |s| s.rest),
                effort,
                velocity_limit: bound(dof.velocity_limit),
            });
        }
    }
    all
}

fn line_constants(
    model: &Model,
    parameters: &Parameters,
    line: &TendonLayout,
    world: usize,
) -> LineConstants<f64> {
    let (dof, X_LS) = match &line.source {
        LineSource::Tendon { index, .. } | LineSource::Path { index, .. } => {
            (model.tendons()[*index].dof, None)
        }
        LineSource::Site { index, .. } => (Dof::default(), Some(model.sites()[*index].X_LS)),
    };
    let com = parameters.body(BodyId::new(line.bodies[0])).get(world).com;
    let motors = line.motors.iter().map(|a| parameters.actuator(*a).get(world));
    let effort = EffortConstants::of(motors, &dof);
    LineConstants {
        armature: dof.armature,
        damping: dof.damping,
        stiffness: dof.spring.map_or(0.0, |s| s.stiffness),
        rest: dof.spring.map_or(0.0, |s| s.rest),
        effort,
        X_BS: X_LS.map_or(Pose::identity(), |X| Pose::new(X.R, X.p - com)),
        low: bound(dof.limits[0]),
        high: bound(dof.limits[1]),
        friction: dof.friction,
    }
}

/// The places of a tendon that runs through space, in the frames of their bodies.
fn places(parameters: &Parameters, line: &TendonLayout, world: usize) -> Vec<Pose> {
    let LineSource::Path { way, .. } = &line.source else { return Vec::new() };
    let in_body = |(link, X): &(Link, Pose)| {
        let com = link.body().map_or(Vec3::zero(), |body| parameters.body(body).get(world).com);
        Pose::new(X.R, X.p - com)
    };
    way.places.iter().map(in_body).collect()
}

fn actuator_constants(motor: &Actuator, own: &ActuatorParameters) -> ActuatorConstants<f64> {
    let [told_low, told_high] = own.control_range.map(bound);
    // a state has been clamped to its own range
    let [control_low, control_high] = match motor.activation {
        Some(_) => [f64::NEG_INFINITY, f64::INFINITY].map(bound),
        None => [told_low, told_high],
    };
    let [kp, kd, gain, bias, targets] = match own.control {
        ControlLaw::Position { kp, kd } => [kp, kd, 1.0, 0.0, 1.0],
        ControlLaw::Velocity { kd } => [0.0, kd, 1.0, 0.0, 1.0],
        ControlLaw::Effort => [0.0, 0.0, 1.0, 0.0, 1.0],
        // bias₁ q + bias₂ q̇ is a spring to zero and a damper; it has no targets
        ControlLaw::Affine { gain, bias } => [-bias[1], -bias[2], gain, bias[0], 0.0],
        // what `law` says comes in their place
        ControlLaw::Varying { .. } | ControlLaw::Muscle(_) | ControlLaw::Voltage(_) => [0.0; 5],
    };
    ActuatorConstants {
        kp,
        kd,
        target_kp: kp * targets,
        target_kd: kd * targets,
        gain,
        bias,
        gear: own.gear,
        control_low,
        control_high,
        told_low,
        told_high,
    }
}

impl<R> Constants<R> {
    /// Memory in use [bytes].
    pub fn size_of(&self) -> usize {
        size_of_val(&*self.bodies)
            + size_of_val(&*self.joints)
            + size_of_val(&*self.dofs)
            + size_of_val(&*self.actuators)
            + size_of_val(&*self.laws)
            + size_of_val(&*self.lines)
            + size_of_val(&*self.places)
            + size_of_val(&*self.drag)
            + size_of_val(&*self.ellipsoids)
            + size_of_val(&*self.shapes.X_BG)
            + size_of_val(&*self.shapes.surfaces)
    }
}
