//! A step that says `Ok` did what was asked. Random mechanisms with random gains, limits and contacts are stepped by
//! solvers with their defaults and by solvers that are starved of iterations; whatever they say, joints, momentum,
//! contacts, motors and limits are then worked out from poses, velocities and forces alone, in 64 bits.

use crate::common::{built, noise};
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{
    Actuator, Body, Control, Geometry, Joint, JointKind, Link, Model, ModelBuilder, Shape, WORLD, kinematics,
};
use bellcrank_sim::{Batch, BatchOptions, Padmm, Precision, Quantity, Settings, WorldStatus};
use bellcrank_step::settings as engine;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Numbers that depend on a seed only.
struct Dice {
    seed: usize,
    thrown: usize,
}

impl Dice {
    /// Between `low` and `high`.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.thrown += 1;
        low + (high - low) * 0.5 * (noise(self.seed + 1, self.thrown) + 1.0)
    }

    /// Between `low` and `high`, every order of magnitude as likely as the others.
    fn of_size(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }

    fn below(&mut self, count: usize) -> usize {
        (self.between(0.0, count as f64) as usize).min(count - 1)
    }

    fn vector(&mut self, size: f64) -> Vec3 {
        Vec3::new(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }
}

/// Random scenes of each test.
const SCENES: usize = 150;
/// Radius of the ball around each centre of mass [m].
const RADIUS: f64 = 0.06;
/// Friction of balls and ground.
const FRICTION: f64 = 0.6;

/// A tree of balls, floating or fastened to the world, with a loop now and then, above or on the ground.
fn random_mechanism(dice: &mut Dice) -> Arc<Model> {
    let mut m = ModelBuilder::new("random");
    let count = 2 + dice.below(5);
    let is_floating = dice.below(3) > 0;
    let mut places = vec![Vec3::new(0.0, 0.0, dice.between(0.08, 0.6))];
    for _ in 1..count {
        let parent = places[dice.below(places.len())];
        let mut p = parent + dice.vector(0.3);
        p.z = p.z.max(RADIUS + 1e-3);
        places.push(p);
    }
    let bodies: Vec<_> = places
        .iter()
        .enumerate()
        .map(|(k, &p)| {
            let body = Body::new(format!("body{k}")).at(Pose::from_position(p));
            m.body(body.solid_sphere(dice.of_size(0.03, 10.0), RADIUS))
        })
        .collect();
    if !is_floating {
        add_joint(dice, &mut m, "base", (WORLD, bodies[0].into()), places[0]);
    }
    for k in 1..count {
        let parent = dice.below(k);
        let middle = (places[parent] + places[k]) * 0.5;
        add_joint(dice, &mut m, &format!("joint{k}"), (bodies[parent].into(), bodies[k].into()), middle);
    }
    if count > 3 && dice.below(2) == 0 {
        let joint = Joint::spherical("loop", bodies[1], bodies[count - 1]);
        let middle = (places[1] + places[count - 1]) * 0.5;
        m.joint(joint.placed(middle, Vec3::x_axis()).closing_loop());
    }
    for (k, body) in bodies.iter().enumerate() {
        m.shape(
            Shape::new(format!("ball{k}"), *body, Geometry::Sphere { radius: RADIUS }).friction(FRICTION),
        );
    }
    m.shape(Shape::new("ground", WORLD, Geometry::Plane).friction(FRICTION));
    built(m)
}

/// A joint of any kind with limits, friction or a motor now and then.
fn add_joint(dice: &mut Dice, m: &mut ModelBuilder, name: &str, (from, to): (Link, Link), at: Vec3) {
    let joint = match dice.below(6) {
        0 => Joint::prismatic(name, from, to),
        1 => Joint::spherical(name, from, to),
        2 => Joint::universal(name, from, to),
        _ => Joint::revolute(name, from, to),
    };
    let joint = joint.placed(at, dice.vector(1.0).normalized());
    let kind = joint.kind;
    m.joint(match (kind, dice.below(3)) {
        (JointKind::Revolute, 0) => joint.limits(-0.3, 0.3),
        (JointKind::Prismatic, _) => joint.limits(-0.1, 0.1),
        (JointKind::Revolute, 1) => joint.friction(dice.of_size(0.01, 1.0)),
        _ => joint,
    });
    if kind.has_scalar_coordinates() && kind.dof_count() == 1 && dice.below(3) > 0 {
        let kp = dice.of_size(1.0, 1e4);
        let kd = kp * dice.of_size(1e-3, 0.3);
        let motor = Actuator::position(format!("motor of {name}"), name, kp, kd);
        m.actuator(if dice.below(2) == 0 { motor.effort_limit(dice.of_size(0.1, 100.0)) } else { motor });
    }
}

/// What a world was before a step.
struct Before {
    velocity: Vec<Vec3>,
    height: Vec<f64>,
    q: Vec<f64>,
    interval: f64,
}

impl Before {
    fn of(batch: &Batch) -> Self {
        let bodies = 0..batch.model(0).unwrap().bodies().len();
        Before {
            velocity: bodies.clone().map(|b| batch.body_velocity(0, b).unwrap().linear).collect(),
            height: bodies.map(|b| batch.body_pose(0, b).unwrap().p.z).collect(),
            q: batch.joint_position(0).unwrap(),
            interval: interval(batch),
        }
    }
}

/// Length of the interval that velocities belong to, in steps.
fn interval(batch: &Batch) -> f64 {
    let mut interval = [0.0];
    batch.read(Quantity::VelocityInterval, &mut interval).unwrap();
    interval[0]
}

/// What may be asked of a precision.
struct Promise {
    dt: f64,
    /// Rounding, relative.
    epsilon: f64,
    /// Of joints [m].
    gap: f64,
    /// Of rows of contacts and limits [m/s or rad/s]: the solver's own tolerance, which it holds in the metric of each
    /// row; thirty times that in metres per second.
    speed: f64,
    /// Share of an impulse that Newton's law may miss: what two rounds leave of the factor's error 2⁻²⁴/ε or 2⁻⁵³/ε.
    newton: f64,
    /// Speed that rounding of a joint's gap is worth where rows are 1/ε times as stiff as masses, for some thirty
    /// rows that push at once [m/s]; in a part of a step so much more.
    rounding: f64,
}

impl Promise {
    fn of(precision: Precision, settings: &Settings, dt: f64) -> Self {
        let settings = settings.for_precision(precision);
        let engine::Solver::Padmm(solver) = &settings.solver else { panic!("the default solver") };
        let epsilon = match precision {
            Precision::F64 => f64::EPSILON,
            Precision::F32 => f64::from(f32::EPSILON),
        };
        let factor = epsilon / settings.softness;
        Promise {
            dt,
            epsilon,
            gap: settings.gap_tolerance,
            speed: 30.0 * solver.tolerance,
            newton: factor * factor + 20.0 * epsilon,
            rounding: 30.0 * factor * settings.gap_tolerance / dt,
        }
    }
}

/// How far each law is from being kept, in shares of what is allowed.
type Shares = BTreeMap<&'static str, f64>;

fn note(shares: &mut Shares, law: &'static str, share: f64) {
    let worst = shares.entry(law).or_default();
    *worst = worst.max(if share.is_nan() { f64::INFINITY } else { share });
}

/// All laws, after one step.
fn judge(batch: &Batch, before: &Before, promise: &Promise) -> Shares {
    let mut shares = Shares::new();
    joints_are_closed(batch, promise, &mut shares);
    momentum_is_what_came_from_outside(batch, before, promise, &mut shares);
    if interval(batch) == 1.0 {
        the_ground_holds(batch, before, promise, &mut shares);
    }
    if before.interval == 1.0 && interval(batch) == 1.0 {
        // the parts of a divided step each have forces and ends of their own
        contacts_push_and_rub(batch, promise, &mut shares);
        motors_and_limits(batch, before, promise, &mut shares);
    }
    shares
}

/// c(q⁺) = 0
fn joints_are_closed(batch: &Batch, promise: &Promise, shares: &mut Shares) {
    let model = batch.model(0).unwrap();
    let place = |link: &Link, X: Pose| match link.body() {
        Some(b) => batch.body_pose(0, b.index()).unwrap() * X,
        None => X,
    };
    for joint in model.joints() {
        let (X_WF, X_WM) = (place(&joint.predecessor, joint.X_PF), place(&joint.successor, joint.X_SM));
        let (metres, radians) = kinematics::gap(joint.kind, X_WF.inverse_mul(X_WM));
        // poses are rounded, and so are the points that the step puts on them
        let allowed = promise.gap + 8.0 * promise.epsilon * (1.0 + X_WM.p.norm());
        note(shares, "joints are closed", metres.max(0.2 * radians) / (2.0 * allowed));
    }
}

/// Σ m (v⁺ − v⁻) = g Σ m Δt + forces of the ground, where nothing else holds the mechanism.
fn momentum_is_what_came_from_outside(
    batch: &Batch,
    before: &Before,
    promise: &Promise,
    shares: &mut Shares,
) {
    let model = batch.model(0).unwrap();
    if model.joints().iter().any(|j| j.predecessor.body().is_none()) {
        return;
    }
    let is_near = before.height.iter().any(|z| z - RADIUS < 0.02);
    if is_near && interval(batch) < 1.0 {
        return; // what was pushed in one part of a step and is apart since is not listed any more
    }
    // forces act at the nodes between intervals, for half of both
    let time = promise.dt * (0.5 * before.interval + 1.0 - 0.5 * interval(batch));
    let (mut missing, mut size) = (Vec3::zero(), 0.0);
    for (b, body) in model.bodies().iter().enumerate() {
        let v = batch.body_velocity(0, b).unwrap().linear;
        missing += (v - before.velocity[b]) * body.mass + Vec3::new(0.0, 0.0, 9.81 * body.mass * time);
        size += (v.norm() + before.velocity[b].norm() + 9.81 * time) * body.mass;
    }
    for contact in batch.contacts(0).unwrap() {
        size += contact.force.norm() * promise.dt;
        if contact.body_a.is_none() {
            missing -= contact.force * promise.dt;
        }
    }
    for j in 0..model.joints().len() {
        let reaction = batch.joint_reaction(0, j).unwrap();
        // a moment pushes at the ends of a link
        size += (reaction.force.norm() + reaction.moment.norm() / 0.1) * promise.dt;
    }
    let mass: f64 = model.bodies().iter().map(|body| body.mass).sum();
    let part = interval(batch).min(before.interval);
    let allowed = promise.newton * size + promise.rounding / part * mass;
    note(shares, "momentum", missing.norm() / allowed);
}

/// No ball goes deeper into the ground than it was.
fn the_ground_holds(batch: &Batch, before: &Before, promise: &Promise, shares: &mut Shares) {
    for (b, height) in before.height.iter().enumerate() {
        let (old, new) = (height - RADIUS, batch.body_pose(0, b).unwrap().p.z - RADIUS);
        let allowed = promise.speed * promise.dt + 4.0 * promise.epsilon;
        note(shares, "the ground holds", (old.min(0.0) - new) / allowed);
    }
}

/// Forces lie in their cones; what is apart is not pushed; what does not slide is not at the edge of its cone.
fn contacts_push_and_rub(batch: &Batch, promise: &Promise, shares: &mut Shares) {
    let least_mass = batch.model(0).unwrap().bodies().iter().map(|b| b.mass).fold(f64::INFINITY, f64::min);
    for contact in batch.contacts(0).unwrap().iter().filter(|c| c.body_a.is_none()) {
        let impulse = contact.force * promise.dt;
        let (normal, total) = (impulse.dot(contact.normal), impulse.norm());
        let rubbing = (impulse - contact.normal * normal).norm();
        let rounding = 8.0 * promise.epsilon * total + promise.speed * least_mass;
        note(shares, "contacts push", -normal / rounding);
        note(shares, "friction is within its cone", (rubbing - FRICTION * normal) / rounding);
        if total < 1e3 * rounding {
            continue;
        }
        note(
            shares,
            "what is apart is not pushed",
            -contact.depth / (promise.speed * promise.dt + 4.0 * promise.epsilon),
        );
        let V = batch.body_velocity(0, contact.body_b.index()).unwrap();
        let v = V.linear + V.angular.cross(contact.normal * -RADIUS);
        let sliding = (v - contact.normal * v.dot(contact.normal)).norm();
        if rubbing < 0.99 * FRICTION * normal {
            note(shares, "what sticks does not slide", sliding / promise.speed);
        }
    }
}

/// Motors do what their gains say, within their limits; coordinates stay within theirs.
fn motors_and_limits(batch: &Batch, before: &Before, promise: &Promise, shares: &mut Shares) {
    let model = batch.model(0).unwrap();
    let (q, rates) = (batch.joint_position(0).unwrap(), batch.joint_velocity(0).unwrap());
    let (mut coordinate, mut dof) = (0, 0);
    for (j, joint) in model.joints().iter().enumerate() {
        let (at, rate) = (coordinate, dof);
        coordinate += joint.kind.coordinate_count();
        dof += joint.kind.dof_count();
        if joint.kind.dof_count() > 1 || !joint.kind.has_scalar_coordinates() {
            continue;
        }
        let [low, high] = joint.dofs[0].limits;
        let beyond = |q: f64| (low - q).max(q - high);
        // what `Settings::limit_softness` promises; and a limit's row is that of the start of the step
        let moved = (q[at] - before.q[at]).abs();
        let allowed = 1e-3 + moved * (moved + 1e-3);
        note(shares, "limits hold", (beyond(q[at]) - beyond(before.q[at]).max(0.0)) / allowed);
        if let Some(a) = model.actuators().iter().position(|a| a.drives(j, 0)) {
            does_what_its_gains_say(batch, (a, joint.kind), (q[at], rates[rate]), promise, shares);
        }
    }
}

/// kp (target − q⁺) − kd q̇⁺, or the limit of the motor.
fn does_what_its_gains_say(
    batch: &Batch,
    (a, kind): (usize, JointKind),
    (q, rate): (f64, f64),
    promise: &Promise,
    shares: &mut Shares,
) {
    let motor = &batch.model(0).unwrap().actuators()[a];
    let Control::Position { kp, kd } = motor.control else { return };
    let (effort, bound) = (batch.actuator_effort(0, a).unwrap(), motor.effort_bounds()[1]);
    note(shares, "motors keep their limit", (effort.abs() / bound - 1.0) / 1e-3);
    let law = kp * (targets(batch)[a] - q) - kd * rate;
    if law.abs() < 0.9 * bound && effort.abs() < 0.9 * bound {
        // the row is that of the start of the step: what its links turn until the end is seen in the third order of an
        // angle, and in the second of a distance, at the arm of the links (0.8 m)
        let turned = (0..batch.model(0).unwrap().bodies().len())
            .map(|b| batch.body_velocity(0, b).unwrap().angular.norm() * promise.dt)
            .fold(0.0, f64::max);
        let stiff = kp + kd / promise.dt;
        let curved = if kind == JointKind::Prismatic { 0.8 } else { turned };
        let off = stiff * (promise.speed * promise.dt + turned * turned * curved);
        let rounding = stiff * 8.0 * promise.epsilon * (1.0 + q.abs());
        note(shares, "motors do what their gains say", (effort - law).abs() / (off + rounding));
    }
}

fn targets(batch: &Batch) -> Vec<f64> {
    let mut targets = vec![0.0; batch.model(0).unwrap().actuators().len()];
    batch.read(Quantity::TargetPosition, &mut targets).unwrap();
    targets
}

/// Runs one random scene; gives how many steps said `Ok`, of how many, and the worst shares of those that did.
fn run(seed: usize, precision: Precision, starve: bool) -> (usize, usize, Shares) {
    let mut dice = Dice { seed, thrown: 0 };
    let model = random_mechanism(&mut dice);
    let dt = [1e-3, 4e-3, 1e-2][dice.below(3)];
    let mut settings = Settings::default();
    let usual = settings.for_precision(precision);
    if starve {
        let engine::Solver::Padmm(solver) = usual.solver else { panic!("the default solver") };
        settings.solver = Padmm { max_iterations: 2, newton_steps: 1, ..solver }.into();
        settings.rounds = Some([usual.rounds[0], 3]);
    }
    let mut promise = Promise::of(precision, &settings, dt);
    if starve {
        // reactions that still change in the last round: Newton's law misses the factor's share of that change
        promise.newton += 0.1 * promise.epsilon / usual.softness;
    }
    let options = BatchOptions { dt: Some(dt), precision, settings, ..BatchOptions::default() };
    let mut batch = Batch::new(model.clone(), 1, options).unwrap();
    for a in 0..model.actuators().len() {
        batch.set_target_position(0, a, dice.between(-0.5, 0.5)).unwrap();
    }
    batch.step(1); // a first step has no interval before it
    let (mut fine, mut shares) = (0, Shares::new());
    let steps = (0.4 / dt) as usize;
    for _ in 0..steps {
        let before = Before::of(&batch);
        if batch.step(1).status[0] != WorldStatus::Ok {
            continue;
        }
        fine += 1;
        for (law, share) in judge(&batch, &before, &promise) {
            note(&mut shares, law, share);
        }
    }
    (fine, steps, shares)
}

/// Every step of every scene that says `Ok` keeps every law; and most do say so, unless their solver is starved.
fn check(precision: Precision, starve: bool, scenes: usize) -> f64 {
    let (mut fine, mut all) = (0, 0);
    let mut lies = Vec::new();
    for seed in 0..scenes {
        let (ok, steps, shares) = run(seed, precision, starve);
        (fine, all) = (fine + ok, all + steps);
        lies.extend(
            shares.into_iter().filter(|(_, share)| *share > 1.0).map(|(law, share)| (seed, law, share)),
        );
    }
    assert!(lies.is_empty(), "{} of {scenes} scenes say Ok where they should not: {lies:.2?}", lies.len());
    fine as f64 / all as f64
}

#[test]
fn ok_means_that_the_laws_are_kept() {
    for precision in [Precision::F64, Precision::F32] {
        let share = check(precision, false, SCENES);
        println!("{precision:?}: {share:.4} of the steps are Ok");
        assert!(share > 0.95, "{precision:?}: only {share:.3} of the steps are Ok");
    }
}

#[test]
fn a_starved_solver_does_not_say_ok() {
    for precision in [Precision::F64, Precision::F32] {
        let share = check(precision, true, SCENES);
        assert!(share < 0.97, "{precision:?}: {share:.3} of the steps are Ok: nothing was starved");
    }
}

/// A motor that is told to go 0.2 rad beyond the limit of its joint, and is strong enough to be there in one step, is held:
/// the limit is seen coming, and gives way by 1e-4 or less of what it stops, ten times that where it is taken back by a tenth
/// per step.
#[test]
fn a_limit_holds_against_its_own_motor() {
    let mut m = ModelBuilder::new("motor at a limit");
    let arm = m.body(Body::new("arm").at(Pose::translation(0.1, 0.0, 0.0)).solid_sphere(0.03, RADIUS));
    m.joint(Joint::revolute("hinge", WORLD, arm).placed(Vec3::zero(), Vec3::y_axis()).limits(-0.3, 0.3));
    m.actuator(Actuator::position("motor", "hinge", 1e4, 10.0));
    let model = built(m);
    for precision in [Precision::F64, Precision::F32] {
        let options = BatchOptions { dt: Some(0.004), precision, ..BatchOptions::default() };
        let mut batch = Batch::new(model.clone(), 1, options).unwrap();
        batch.set_target_position(0, 0, 0.5).unwrap();
        for _ in 0..100 {
            let status = batch.step(1).status[0];
            let q = batch.joint_position(0).unwrap()[0];
            assert!(
                q < 0.3 + 10.0 * 1e-4 * 0.2 && status == WorldStatus::Ok,
                "{precision:?}: {q} rad, {status:?}"
            );
        }
        let q = batch.joint_position(0).unwrap()[0];
        assert!(q > 0.3 - 1e-6, "{precision:?}: it does not come there, {q} rad");
    }
}
