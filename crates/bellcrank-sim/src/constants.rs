//! The numbers of a model for one block of worlds, derived from its parameters.

use crate::layout::{Layout, LineLayout, LineSource};
use bellcrank_collide::ShapeData;
use bellcrank_math::{Elem, Pose, Quat, Real, Sym3, Vec3, Wrench};
use bellcrank_model::{BodyId, Control as ControlLaw, Dof, JointId, Model, Parameters, kinematics};

/// Constants per lane. Rebuilt when a parameter of one of its worlds changes.
#[derive(Clone, Debug)]
pub struct Constants<R> {
    pub(crate) gravity: Vec3<R>,
    /// Factors on contacts' stiffness and damping.
    pub(crate) contact_gain: [R; 2],
    pub(crate) bodies: Vec<BodyConstants<R>>,
    pub(crate) joints: Vec<JointConstants<R>>,
    /// By joint velocity, joint after joint.
    pub(crate) dofs: Vec<DofConstants<R>>,
    pub(crate) actuators: Vec<ActuatorConstants<R>>,
    pub(crate) lines: Vec<LineConstants<R>>,
    /// 1/D of each coupling.
    pub(crate) coupling_weight: Vec<R>,
    pub(crate) shapes: ShapeData<R>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyConstants<R> {
    pub mass: R,
    /// Mass on which gravity acts: what nothing outside the model carries.
    pub heavy_mass: R,
    /// About the centre of mass, body axes [kg·m²].
    pub inertia: Sym3<R>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct JointConstants<R> {
    /// In body frames (origin at the centre of mass).
    pub X_PF: Pose<R>,
    pub X_SM: Pose<R>,
    /// 1/Dᵢᵢ of each constraint row at the reference pose: its effective mass.
    pub weight: [R; 6],
    /// The same of its degrees of freedom.
    pub dof_weight: [R; 6],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct DofConstants<R> {
    pub low: R,
    pub high: R,
    pub armature: R,
    pub damping: R,
    pub friction: R,
    pub stiffness: R,
    pub rest: R,
    /// Least and largest effort of all drives together.
    pub effort_low: R,
    pub effort_high: R,
    pub velocity_limit: R,
}

/// A tendon or a motor at a site.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineConstants<R> {
    pub armature: R,
    pub damping: R,
    pub stiffness: R,
    pub rest: R,
    /// Least and largest effort of all motors together.
    pub effort_low: R,
    pub effort_high: R,
    /// The site in its body's frame; nothing for tendons.
    pub X_BS: Pose<R>,
}

/// effort = gear (kp₀ target − kp g q + kd₀ target velocity − kd g q̇ + gain u + bias), with q, q̇ implicit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActuatorConstants<R> {
    pub kp: R,
    pub kd: R,
    /// kp and kd for the targets; zero where the law has none.
    pub target_kp: R,
    pub target_kd: R,
    pub gain: R,
    pub bias: R,
    pub gear: R,
    pub control_low: R,
    pub control_high: R,
}

impl<R: Real> Constants<R> {
    /// Gathers the parameters of the worlds that the lanes hold; `world` says which lane is which world.
    pub fn of(
        model: &Model,
        layout: &Layout,
        parameters: &Parameters,
        world: impl Fn(usize) -> usize,
    ) -> Self {
        let world = &world;
        let gravity = vector(|lane| *parameters.gravity.get(world(lane)));
        let contact_gain = [0, 1].map(|k| lanes(|l| parameters.contact_gain.get(world(l))[k]));
        let bodies: Vec<BodyConstants<R>> = (0..model.bodies().len())
            .map(|b| {
                let body = |lane: usize| *parameters.body(BodyId::new(b)).get(world(lane));
                let share = 1.0 - model.bodies()[b].gravity_compensation;
                BodyConstants {
                    mass: lanes(|l| body(l).mass),
                    heavy_mass: lanes(|l| share * body(l).mass),
                    inertia: symmetric(|l| body(l).inertia),
                }
            })
            .collect();
        let joints =
            (0..model.joints().len()).map(|j| joint_constants(model, parameters, j, world)).collect();
        let dofs = dof_constants(model, parameters, world);
        let actuators =
            (0..model.actuators().len()).map(|a| actuator_constants(parameters, a, world)).collect();
        let lines = layout.lines.iter().map(|line| line_constants(model, parameters, line, world)).collect();
        let coupling_weight =
            layout.couplings.iter().map(|c| R::constant(coupling_weight(model, c))).collect();
        let shapes = ShapeData::of(&layout.plan, parameters, world);
        Constants { gravity, contact_gain, bodies, joints, dofs, actuators, lines, coupling_weight, shapes }
    }
}

fn lanes<R: Real>(value: impl Fn(usize) -> f64) -> R {
    R::from_lanes(|lane| Elem::from_f64(value(lane)))
}

fn vector<R: Real>(value: impl Fn(usize) -> Vec3) -> Vec3<R> {
    Vec3::new(lanes(|l| value(l).x), lanes(|l| value(l).y), lanes(|l| value(l).z))
}

pub(crate) fn pose<R: Real>(value: impl Fn(usize) -> Pose) -> Pose<R> {
    let part = |k: usize| lanes(|l| value(l).R.to_wxyz()[k]);
    Pose::new(Quat::from_wxyz([part(0), part(1), part(2), part(3)]), vector(|l| value(l).p))
}

fn symmetric<R: Real>(value: impl Fn(usize) -> Sym3) -> Sym3<R> {
    Sym3 {
        xx: lanes(|l| value(l).xx),
        xy: lanes(|l| value(l).xy),
        xz: lanes(|l| value(l).xz),
        yy: lanes(|l| value(l).yy),
        yz: lanes(|l| value(l).yz),
        zz: lanes(|l| value(l).zz),
    }
}

fn joint_constants<R: Real>(
    model: &Model,
    parameters: &Parameters,
    j: usize,
    world: &impl Fn(usize) -> usize,
) -> JointConstants<R> {
    let joint = &model.joints()[j];
    let at = |lane: usize| parameters.joint(JointId::new(j)).get(world(lane));
    let com = |body: Option<BodyId>, lane: usize| {
        body.map_or(Vec3::zero(), |b| parameters.body(b).get(world(lane)).com)
    };
    let shifted = |X: Pose, p: Vec3| Pose::new(X.R, X.p - p);
    let X_PF = |lane: usize| shifted(at(lane).X_PF, com(joint.predecessor.body(), lane));
    let X_SM = |lane: usize| shifted(at(lane).X_SM, com(joint.successor.body(), lane));
    let X_FM = model.reference_joint_pose(JointId::new(j));
    let (held, free) =
        (kinematics::constraint_axes(joint.kind, X_FM), kinematics::rate_axes(joint.kind, X_FM));
    let effective = |lane: usize, row: Wrench| {
        let side = |body: Option<BodyId>, X: Pose| body.map(|b| (*parameters.body(b).get(world(lane)), X));
        let sides =
            [side(joint.predecessor.body(), X_PF(lane) * X_FM), side(joint.successor.body(), X_SM(lane))];
        // rows are told in F's axes; on both bodies they are turned into M's first
        let in_M = row.rotated(X_FM.R.inverse());
        let mobility: f64 = sides.iter().flatten().map(|(body, X)| row_mobility(body, *X, in_M)).sum();
        if mobility > 0.0 { 1.0 / mobility } else { 0.0 }
    };
    JointConstants {
        X_PF: pose(X_PF),
        X_SM: pose(X_SM),
        weight: core::array::from_fn(|i| lanes(|l| effective(l, held[i]))),
        dof_weight: core::array::from_fn(|i| lanes(|l| effective(l, free[i]))),
    }
}

/// a M⁻¹ aᵀ of a row a (told at M's origin in M's axes) on one body; X_BM places M in the body frame.
fn row_mobility(body: &bellcrank_model::BodyParameters, X_BM: Pose, row: bellcrank_math::Wrench) -> f64 {
    let at_com = row.transformed(X_BM);
    at_com.force.norm_squared() / body.mass + at_com.moment.dot(body.inertia.inverse() * at_com.moment)
}

fn dof_constants<R: Real>(
    model: &Model,
    parameters: &Parameters,
    world: &impl Fn(usize) -> usize,
) -> Vec<DofConstants<R>> {
    let mut all = Vec::new();
    for (j, joint) in model.joints().iter().enumerate() {
        for k in 0..joint.kind.dof_count() {
            let dof = |lane: usize| parameters.joint(JointId::new(j)).get(world(lane)).dofs[k];
            let here = |a: &usize| model.actuators()[*a].drives(j, k);
            let drives: Vec<usize> = (0..model.actuators().len()).filter(here).collect();
            let effort = |l: usize| effort_bounds(parameters, &drives, &dof(l), world(l));
            all.push(DofConstants {
                low: lanes(|l| bound(dof(l).limits[0])),
                high: lanes(|l| bound(dof(l).limits[1])),
                armature: lanes(|l| dof(l).armature),
                damping: lanes(|l| dof(l).damping),
                friction: lanes(|l| dof(l).friction),
                stiffness: lanes(|l| dof(l).spring.map_or(0.0, |s| s.stiffness)),
                rest: lanes(|l| dof(l).spring.map_or(0.0, |s| s.rest)),
                effort_low: lanes(|l| effort(l)[0]),
                effort_high: lanes(|l| effort(l)[1]),
                velocity_limit: lanes(|l| bound(dof(l).velocity_limit)),
            });
        }
    }
    all
}

/// Infinite bounds become large ones: lanes must not compute with infinities.
fn bound(x: f64) -> f64 {
    x.clamp(-1e9, 1e9)
}

/// What motors have together, as far as the joint or tendon bears it.
fn effort_bounds(parameters: &Parameters, motors: &[usize], dof: &Dof, world: usize) -> [f64; 2] {
    let mut sum = [0.0; 2];
    for a in motors {
        let own = parameters.actuator(*a).get(world).effort_bounds();
        sum = [sum[0] + own[0], sum[1] + own[1]];
    }
    let [low, high] = dof.effort_bounds();
    sum.map(|x| bound(x.max(low).min(high)))
}

fn line_constants<R: Real>(
    model: &Model,
    parameters: &Parameters,
    line: &LineLayout,
    world: &impl Fn(usize) -> usize,
) -> LineConstants<R> {
    let (dof, X_LS) = match &line.source {
        LineSource::Tendon { index, .. } => (model.tendons()[*index].dof, None),
        LineSource::Site { index, .. } => (Dof::default(), Some(model.sites()[*index].X_LS)),
    };
    let com = |lane: usize| parameters.body(BodyId::new(line.bodies[0])).get(world(lane)).com;
    let place = |lane: usize| X_LS.map_or(Pose::identity(), |X| Pose::new(X.R, X.p - com(lane)));
    let effort = |l: usize| effort_bounds(parameters, &line.motors, &dof, world(l));
    LineConstants {
        armature: R::constant(dof.armature),
        damping: R::constant(dof.damping),
        stiffness: R::constant(dof.spring.map_or(0.0, |s| s.stiffness)),
        rest: R::constant(dof.spring.map_or(0.0, |s| s.rest)),
        effort_low: lanes(|l| effort(l)[0]),
        effort_high: lanes(|l| effort(l)[1]),
        X_BS: pose(place),
    }
}

fn actuator_constants<R: Real>(
    parameters: &Parameters,
    a: usize,
    world: &impl Fn(usize) -> usize,
) -> ActuatorConstants<R> {
    let own = |lane: usize| parameters.actuator(a).get(world(lane));
    let law = |lane: usize| match own(lane).control {
        ControlLaw::Position { kp, kd } => [kp, kd, 1.0, 0.0, 1.0],
        ControlLaw::Velocity { kd } => [0.0, kd, 1.0, 0.0, 1.0],
        ControlLaw::Effort => [0.0, 0.0, 1.0, 0.0, 1.0],
        // bias₁ q + bias₂ q̇ is a spring to zero and a damper; it has no targets
        ControlLaw::Affine { gain, bias } => [-bias[1], -bias[2], gain, bias[0], 0.0],
    };
    ActuatorConstants {
        kp: lanes(|l| law(l)[0]),
        kd: lanes(|l| law(l)[1]),
        target_kp: lanes(|l| law(l)[0] * law(l)[4]),
        target_kd: lanes(|l| law(l)[1] * law(l)[4]),
        gain: lanes(|l| law(l)[2]),
        bias: lanes(|l| law(l)[3]),
        gear: lanes(|l| own(l).gear),
        control_low: lanes(|l| bound(own(l).control_range[0])),
        control_high: lanes(|l| bound(own(l).control_range[1])),
    }
}

/// 1/D of a coupling at the reference pose, from its joints' own effective masses.
fn coupling_weight(model: &Model, coupling: &crate::layout::CouplingLayout) -> f64 {
    let mobility: f64 = coupling
        .terms
        .iter()
        .map(|(at, coefficient)| {
            let joint = &model.joints()[at.joint];
            let X_FM = model.reference_joint_pose(JointId::new(at.joint));
            let (X_PF, X_SM) = model.joint_frames(JointId::new(at.joint));
            let row = kinematics::rate_axes(joint.kind, X_FM)[at.dof].rotated(X_FM.R.inverse());
            let sides = [(joint.predecessor.body(), X_PF * X_FM), (joint.successor.body(), X_SM)];
            let parameters = |b: BodyId| {
                let body = &model.bodies()[b.index()];
                let inertia = body.inertia.unwrap_or_default();
                bellcrank_model::BodyParameters { mass: body.mass, com: body.com, inertia }
            };
            let each =
                sides.into_iter().filter_map(|(body, X)| body.map(|b| row_mobility(&parameters(b), X, row)));
            coefficient * coefficient * each.sum::<f64>()
        })
        .sum();
    1.0 / mobility
}

impl<R> Constants<R> {
    /// Memory in use [bytes].
    pub(crate) fn size_of(&self) -> usize {
        size_of_val(&*self.bodies)
            + size_of_val(&*self.joints)
            + size_of_val(&*self.dofs)
            + size_of_val(&*self.actuators)
            + size_of_val(&*self.lines)
            + size_of_val(&*self.shapes.X_BG)
            + size_of_val(&*self.shapes.surfaces)
    }
}
