//! A and B of a step are what differences of the engine's own steps are, in joint coordinates and velocities: on trees, with loops,
//! with floating bases.

use crate::common::{built, noise};
use bellcrank_gradient::{Freedom, transition_freedoms, transitions};
use bellcrank_math::{Pose, Twist, Vec3, so3};
use bellcrank_model::{Actuator, Body, Joint, JointKind, Model, ModelBuilder, library};
use bellcrank_sim::{Batch, BatchOptions, InteriorPoint, Quantity, Smoothing, Solver};
use std::sync::Arc;

const DT: f64 = 0.004;
/// How far worlds start from each other [rad, m, rad/s, m/s].
const AMOUNT: f64 = 1e-3;

/// Smoothing of contacts, of which there are none here, and of limits [N·s·m].
const KAPPA: f64 = 1e-6;

/// Every model by the step that is differentiated, and by the default one, with what their differences may be off by.
fn cases() -> Vec<(Arc<Model>, (Solver, f64))> {
    let point = InteriorPoint { kappa: KAPPA, centring: 1e-6, tolerance: 1e-11, ..InteriorPoint::default() };
    let point = InteriorPoint { smoothing: Smoothing::Absolute, ..point };
    let solvers = [(point.into(), 1e-5), (Solver::exact(), 2e-4)];
    models().into_iter().flat_map(|model| solvers.map(|solver| (model.clone(), solver))).collect()
}

/// Where a world is, freedom by freedom: q and q̇ of joints, pose and twist of the base of bases.
struct State {
    joints: Vec<[f64; 2]>,
    bases: Vec<(Pose, Twist)>,
}

fn read(b: &Batch, world: usize, freedoms: &[Freedom]) -> State {
    let (q, v) = (b.joint_position(world).unwrap(), b.joint_velocity(world).unwrap());
    let model = b.model(world).unwrap();
    let first = |joint: usize, count: fn(JointKind) -> usize| -> usize {
        model.joints()[..joint].iter().map(|joint: &Joint| count(joint.kind)).sum()
    };
    let mut state = State { joints: Vec::new(), bases: Vec::new() };
    for freedom in freedoms {
        let (joint, base) = match *freedom {
            Freedom::Joint { joint, dof } => {
                let at = first(joint, JointKind::coordinate_count) + dof;
                ([q[at], v[first(joint, JointKind::dof_count) + dof]], (Pose::identity(), Twist::zero()))
            }
            Freedom::Base { body, .. } => {
                ([0.0; 2], (b.body_pose(world, body).unwrap(), b.body_velocity(world, body).unwrap()))
            }
        };
        state.joints.push(joint);
        state.bases.push(base);
    }
    state
}

/// From one state to another: δq, then δq̇.
fn difference(freedoms: &[Freedom], from: &State, to: &State) -> Vec<f64> {
    let each = |(k, freedom): (usize, &Freedom)| match freedom {
        Freedom::Joint { .. } => [0, 1].map(|i| to.joints[k][i] - from.joints[k][i]),
        Freedom::Base { axis, .. } => {
            let ((X0, V0), (X1, V1)) = (from.bases[k], to.bases[k]);
            let turn = so3::log((X1.R * X0.R.inverse()).short_way());
            let moved = [X1.p - X0.p, turn].map(Vec3::to_array).concat();
            [moved[*axis], V1.to_array()[*axis] - V0.to_array()[*axis]]
        }
    };
    let pairs: Vec<[f64; 2]> = freedoms.iter().enumerate().map(each).collect();
    pairs.iter().map(|pair| pair[0]).chain(pairs.iter().map(|pair| pair[1])).collect()
}

/// One world in the middle, and two for each of as many directions as there are numbers, all told the same. Joints are assembled, whole
/// robots placed and thrown.
fn scattered(model: &Arc<Model>, solver: Solver) -> (Batch, Vec<Freedom>) {
    let options = BatchOptions { dt: Some(DT), settings: solver.into(), ..BatchOptions::default() };
    let freedoms = transition_freedoms(&Batch::new(model.clone(), 1, options).unwrap(), 0).unwrap();
    let directions = 2 * freedoms.len();
    let worlds = 1 + 2 * directions;
    let mut b = Batch::new(model.clone(), worlds, options).unwrap();
    // world 1 + 2 d to one side of direction d, world 2 + 2 d to the other
    let off = |world: usize, k: usize| match (world, world % 2) {
        (0, _) => 0.0,
        (_, 1) => AMOUNT * noise(world / 2 + 7, k),
        _ => -AMOUNT * noise((world - 1) / 2 + 7, k),
    };
    let mut targets: Vec<(String, [Vec<f64>; 2])> = Vec::new();
    let middle = read(&b, 0, &freedoms);
    for (k, freedom) in freedoms.iter().enumerate() {
        if let Freedom::Joint { .. } = freedom {
            let q = (0..worlds).map(|w| middle.joints[k][0] + 0.2 * noise(1, k) + off(w, k));
            let v = (0..worlds).map(|w| 2.0 * noise(2, k) + off(w, freedoms.len() + k));
            targets.push((freedom.name(model), [q.collect(), v.collect()]));
        }
    }
    let of = |which: usize| -> Vec<(&str, &[f64])> {
        targets.iter().map(|(name, x)| (name.as_str(), &x[which][..])).collect()
    };
    let all: Vec<usize> = (0..worlds).collect();
    assert!(b.assemble_moving(&all, &of(0), &of(1)).unwrap().iter().all(|done| *done), "it closes");
    for world in 0..worlds {
        for (k, freedom) in freedoms.iter().enumerate() {
            let Freedom::Base { body, axis: 0 } = *freedom else { continue };
            let d = |first: usize| Vec3::new(off(world, first), off(world, first + 1), off(world, first + 2));
            let X = b.body_pose(world, body).unwrap();
            let turn = so3::exp(Vec3::new(0.2, -0.1, 0.3) + d(k + 3));
            b.place(world, body, Pose::new(turn * X.R, Vec3::new(0.0, 0.0, 3.0) + d(k))).unwrap();
            let at = b.body_pose(world, body).unwrap().p;
            let n = freedoms.len();
            let (v, w) = (Vec3::new(0.5, -0.4, 0.3) + d(n + k), Vec3::new(0.7, -1.1, 0.9) + d(n + k + 3));
            for other in 0..model.bodies().len() {
                let (X, V) = (b.body_pose(world, other).unwrap(), b.body_velocity(world, other).unwrap());
                let whole = Twist::new(V.linear + v + w.cross(X.p - at), V.angular + w);
                b.set_body_velocity(world, other, whole).unwrap();
            }
        }
    }
    let told: Vec<f64> =
        (0..worlds * model.actuators().len()).map(|k| noise(3, k % model.actuators().len().max(1))).collect();
    b.write(Quantity::Control, &told).unwrap();
    (b, freedoms)
}

/// A torso that floats, with an arm on a hinge and a forearm on another, and motors of effort.
fn floating_arm() -> ModelBuilder {
    let mut m = ModelBuilder::new("floating_arm");
    m.body(Body::new("torso").solid_box(3.0, Vec3::new(0.2, 0.3, 0.4)));
    m.body(
        Body::new("upper").at(Pose::translation(0.3, 0.0, 0.1)).solid_box(0.8, Vec3::new(0.3, 0.05, 0.06)),
    );
    m.body(
        Body::new("lower").at(Pose::translation(0.6, 0.0, 0.1)).solid_box(0.5, Vec3::new(0.3, 0.04, 0.05)),
    );
    m.joint(Joint::revolute("shoulder", "torso", "upper").placed(Vec3::new(0.1, 0.0, 0.1), Vec3::y_axis()));
    let elbow = Joint::revolute("elbow", "upper", "lower").placed(Vec3::new(0.45, 0.0, 0.1), Vec3::z_axis());
    m.joint(elbow.damping(0.05));
    m.actuator(Actuator::effort("lift", "shoulder"));
    m.actuator(Actuator::effort("bend", "elbow"));
    m
}

/// Without limits and bounds that a difference could step over.
fn models() -> Vec<Arc<Model>> {
    let light = |mut m: ModelBuilder| {
        m.gravity(Vec3::new(0.3, -0.2, -2.0));
        built(m)
    };
    [floating_arm(), library::cartpole(), library::four_bar()].map(light).to_vec()
}

/// A step takes the differences of states that a step has left to those of the next: A δx = δx⁺. Central differences over 1e-3 are off by
/// 1e-6 of the third derivatives. The implicit step is the one that is differentiated; the exact one differs from it in the second
/// order of Δt, 1.6e-5 times squares of rates of some 1/s.
#[test]
fn a_takes_differences_of_states_to_those_of_the_next_step() {
    for (model, (solver, tolerance)) in cases() {
        let (mut b, freedoms) = scattered(&model, solver);
        b.step(1);
        let found = &transitions(&b, &[0], Some(KAPPA)).unwrap()[0];
        assert_eq!(found.freedoms, freedoms);
        let states =
            |b: &Batch| -> Vec<State> { (0..b.worlds()).map(|world| read(b, world, &freedoms)).collect() };
        let before = states(&b);
        b.step(1);
        let after = states(&b);
        for direction in 0..2 * freedoms.len() {
            let (up, down) = (1 + 2 * direction, 2 + 2 * direction);
            let dx = difference(&freedoms, &before[down], &before[up]);
            let end = difference(&freedoms, &after[down], &after[up]);
            let size = dx.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            assert!(size > 0.5 * AMOUNT, "{}: the worlds start apart", model.name());
            for (row, expected) in end.iter().enumerate() {
                let own: f64 = found.A.row(row).iter().zip(&dx).map(|(a, x)| a * x).sum();
                assert!(
                    (own - expected).abs() < tolerance * size,
                    "{}: row {row} of {}: {own:e} is not {expected:e}",
                    model.name(),
                    end.len()
                );
            }
        }
    }
}

/// B δu = δx⁺ by what each motor listens to.
#[test]
fn b_takes_controls_to_the_next_state() {
    for (model, (solver, tolerance)) in cases() {
        let (mut b, freedoms) = scattered(&model, solver);
        b.step(1);
        let found = &transitions(&b, &[0], Some(KAPPA)).unwrap()[0];
        let (start, count) = (b.snapshot(), model.actuators().len());
        let mut told = vec![0.0; b.worlds() * count];
        b.read(Quantity::Control, &mut told).unwrap();
        for motor in 0..count {
            let ends = [-0.01, 0.01].map(|by| {
                b.restore(&start).unwrap();
                let mut told = told.clone();
                told[motor] += by;
                b.write(Quantity::Control, &told).unwrap();
                b.step(1);
                read(&b, 0, &freedoms)
            });
            for (row, change) in difference(&freedoms, &ends[0], &ends[1]).iter().enumerate() {
                let (own, expected) = (found.B.get(row, motor), change / 0.02);
                let scale = 1.0_f64.max(expected.abs());
                assert!(
                    (own - expected).abs() < tolerance * scale,
                    "{}: {own} is not {expected}",
                    model.name()
                );
            }
        }
    }
}
