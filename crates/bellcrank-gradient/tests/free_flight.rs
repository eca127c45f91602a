//! Robots in empty space, by the variational integrator: springs swing, motors push, and what discrete mechanics keeps stays.

use crate::common::{built, noise, tight, variational};
use bellcrank_gradient::{MinimalCoordinates, MinimalState};
use bellcrank_math::{Pose, Twist, Vec3};
use bellcrank_model::{
    Actuator, Body, Control, Dof, Joint, JointId, JointKind, Model, ModelBuilder, PerWorld, Spring, WORLD,
    library,
};
use bellcrank_sim::{Batch, InteriorPoint};
use std::sync::Arc;

/// A robot high above its ground, weightless, with one spring and one damper in every hinge and motors that only push.
fn adrift(model: &Arc<Model>, stiffness: f64, damping: f64) -> Batch {
    // joints are held as rates: a position of 5 m is known to 1e-15 m, 1e-13 m/s
    let mut b = variational(model, 0.01, InteriorPoint { tolerance: 1e-11, ..tight() });
    b.change_parameters(0, |p| {
        p.gravity = PerWorld::Shared(Vec3::zero());
        for j in 0..model.joints().len() {
            let PerWorld::Shared(joint) = p.joint_mut(JointId::new(j)) else { continue };
            for dof in &mut joint.dofs {
                let spring = dof.spring.map_or(0.0, |s| s.rest);
                dof.spring = Some(Spring { stiffness, rest: spring });
                dof.damping = damping;
            }
        }
        for a in 0..model.actuators().len() {
            let PerWorld::Shared(motor) = p.actuator_mut(a) else { continue };
            motor.control = Control::Effort;
        }
    })
    .unwrap();
    for body in 0..model.bodies().len() {
        let X = b.body_pose(0, body).unwrap();
        b.set_body_pose(0, body, Pose::new(X.R, X.p + Vec3::new(0.0, 0.0, 5.0))).unwrap();
    }
    b
}

/// Gives every joint a rate, and the base a throw and a spin; joints stay closed.
pub fn throw(b: &mut Batch, rate: f64) {
    let MinimalState { coordinates, mut rates } = b.minimal_state(0).unwrap();
    for (k, r) in rates.iter_mut().enumerate() {
        *r = rate * noise(k, 7);
    }
    b.set_minimal_state(0, &MinimalState { coordinates, rates }).unwrap();
}

fn spread_of_energy(b: &mut Batch, steps: usize) -> f64 {
    b.step(1);
    let start = b.energy(0).unwrap();
    let mut worst = 0.0_f64;
    for i in 0..steps {
        let report = b.step(1);
        assert_eq!(report.converged[0], 1, "step {i}: {report:?}");
        worst = worst.max((b.energy(0).unwrap() / start - 1.0).abs());
    }
    worst
}

/// Bounds as published for robots of this kind: 2e-3, 3e-3 and 1e-2 of the energy over 3 to 5 s at 10 ms.
#[test]
fn robots_on_springs_keep_their_energy() {
    let mut humanoid = adrift(&built(library::humanoid()), 1.0, 0.0);
    throw(&mut humanoid, 0.5);
    let wide = spread_of_energy(&mut humanoid, 300);
    let mut quadruped = adrift(&built(library::quadruped()), 10.0, 0.0);
    throw(&mut quadruped, 0.5);
    let narrow = spread_of_energy(&mut quadruped, 500);
    println!("energy: humanoid {wide:e}, quadruped {narrow:e}");
    assert!(wide < 2e-3 && narrow < 1e-2, "{wide:e} {narrow:e}");
}

/// Springs, dampers and motors are inside: momenta stay to 1e-8 over ten seconds, motors pushing in the first.
#[test]
fn robots_keep_both_momenta_whatever_their_motors_do() {
    for (model, stiffness, damping) in
        [(library::humanoid(), 1.0, 1.0), (library::humanoid(), 10.0, 1.0), (library::quadruped(), 0.3, 0.1)]
    {
        let model = built(model);
        let mut b = adrift(&model, stiffness, damping);
        throw(&mut b, 0.2);
        (0..model.actuators().len()).for_each(|a| b.set_effort(0, a, 0.5 * noise(a, 3)).unwrap());
        b.step(1);
        let (p, L) = b.momentum(0).unwrap();
        b.step(99);
        (0..model.actuators().len()).for_each(|a| b.set_effort(0, a, 0.0).unwrap());
        let report = b.step(900);
        assert_eq!(report.converged[0], 900, "{report:?}");
        let (p1, L1) = b.momentum(0).unwrap();
        println!("{}: {:e} {:e}", model.name(), (p1 - p).norm(), (L1 - L).norm());
        assert!((p1 - p).norm() < 1e-8 && (L1 - L).norm() < 1e-8, "{:?} {:?}", p1 - p, L1 - L);
    }
}

/// A cube that spins about its diagonal for five seconds.
#[test]
fn a_spinning_cube_keeps_both_momenta() {
    let mut m = ModelBuilder::new("cube");
    m.gravity(Vec3::zero());
    m.body(Body::new("cube").solid_box(1.0, Vec3::new(0.5, 0.5, 0.5)));
    let mut b = variational(&built(m), 0.01, tight());
    b.set_body_velocity(0, 0, Twist::new(Vec3::new(1.0, 0.0, 0.5), Vec3::new(10.0, 10.0, 10.0))).unwrap();
    b.step(1);
    let (p, L) = b.momentum(0).unwrap();
    b.step(500);
    let (p1, L1) = b.momentum(0).unwrap();
    assert!((p1 - p).norm() < 1e-8 && (L1 - L).norm() < 1e-8, "{:?} {:?}", p1 - p, L1 - L);
}

/// Kinds of joints that a twister may have: all that hold something.
pub fn kinds() -> impl Iterator<Item = JointKind> {
    JointKind::ALL.into_iter().filter(|kind| *kind != JointKind::Free)
}

/// Five links in a row whose joints have axes along x, y, z in turn; springs, dampers and motors on all freedoms.
pub fn twister(kind: JointKind, stiffness: f64, damping: f64) -> ModelBuilder {
    let mut m = ModelBuilder::new("twister");
    m.gravity(Vec3::zero());
    for i in 0..5 {
        let at = Pose::translation(0.0, 0.0, i as f64);
        m.body(Body::new(format!("link{i}")).at(at).solid_box(1.0, Vec3::new(0.1, 0.2, 0.9)));
    }
    let axes = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()];
    for i in 0..4 {
        let (name, from, to) = (format!("joint{i}"), format!("link{i}"), format!("link{}", i + 1));
        let at = Vec3::new(0.0, 0.0, i as f64 + 0.5);
        let mut joint = Joint::new(&name, kind, from.as_str(), to.as_str()).placed(at, axes[i % 3]);
        for k in 0..kind.dof_count() {
            let spring = kind.has_scalar_coordinates().then_some(Spring { stiffness, rest: 0.0 });
            joint = joint.dof(k, Dof { damping, spring, ..Dof::default() });
        }
        m.joint(joint);
        for k in 0..kind.dof_count() {
            m.actuator(Actuator::effort(format!("motor{i}_{k}"), name.as_str()).dof(k));
        }
    }
    m
}

/// Springs of 0.01 in every freedom, 3 s: 1e-3 of the energy for hinges, 1e-2 for every other joint.
#[test]
fn a_twister_of_any_joint_keeps_its_energy() {
    for kind in kinds() {
        let mut b = variational(&built(twister(kind, 0.01, 0.0)), 0.01, tight());
        throw(&mut b, 0.3);
        let wide = spread_of_energy(&mut b, 300);
        println!("{kind:?}: {wide:e}");
        assert!(wide < if kind == JointKind::Revolute { 1e-3 } else { 1e-2 }, "{kind:?}: {wide:e}");
    }
}

/// A hinge with two bodies fixed to each other behind it, or one body with the mass of both: the same motion.
#[test]
fn a_fixed_joint_makes_one_body_of_two() {
    let half = Vec3::new(0.1, 0.1, 0.4);
    let run = |merged: bool| {
        let mut m = ModelBuilder::new("rod");
        if merged {
            let size = Vec3::new(0.1, 0.1, 0.8);
            m.body(
                Body::new("rod")
                    .at(Pose::translation(0.0, 0.4, 0.0))
                    .solid_box(2.0, Vec3::new(0.1, size.z, 0.1)),
            );
        } else {
            let size = Vec3::new(half.x, half.z, half.y);
            m.body(Body::new("rod").at(Pose::translation(0.0, 0.2, 0.0)).solid_box(1.0, size));
            m.body(Body::new("tip").at(Pose::translation(0.0, 0.6, 0.0)).solid_box(1.0, size));
            m.joint(Joint::fixed("weld", "rod", "tip").placed(Vec3::new(0.0, 0.4, 0.0), Vec3::y_axis()));
        }
        m.joint(Joint::revolute("hinge", WORLD, "rod").placed(Vec3::zero(), Vec3::x_axis()));
        let mut b = variational(&built(m), 0.01, tight());
        let report = b.step(500);
        assert_eq!(report.converged[0], 500, "{report:?}");
        b.joint_position(0).unwrap()[0]
    };
    let (one, two) = (run(true), run(false));
    assert!((one - two).abs() < 1e-5, "{one} {two}");
}

/// A motor's effort is a pair of opposite moments from outside.
#[test]
fn an_effort_is_a_pair_of_moments() {
    let model = built(twister(JointKind::Revolute, 0.0, 0.0));
    let run = |motor: bool| {
        let mut b = variational(&model, 0.01, tight());
        for _ in 0..100 {
            if motor {
                b.set_effort(0, 0, 0.2).unwrap();
            } else {
                // the hinge's axis turns with its predecessor
                let axis = b.body_pose(0, 0).unwrap().R.rotate(Vec3::x_axis()) * 0.2;
                b.set_body_wrench(0, 0, Vec3::zero(), -axis).unwrap();
                b.set_body_wrench(0, 1, Vec3::zero(), axis).unwrap();
            }
            b.step(1);
        }
        b.joint_position(0).unwrap()
    };
    let (motor, moments) = (run(true), run(false));
    assert!(motor[0].abs() > 0.1);
    assert!(motor.iter().zip(&moments).all(|(a, b)| (a - b).abs() < 1e-9), "{motor:?} {moments:?}");
}

/// A stone on a rope of 2 m, made of a ball joint and a slider with a limit: thrown away, it never gets further than that.
#[test]
fn a_rope_does_not_get_longer() {
    let mut m = ModelBuilder::new("rope");
    let reel = Body::new("reel").mass(0.05).inertia_diagonal(1e-3, 1e-3, 1e-3);
    m.body(reel);
    m.body(Body::new("stone").at(Pose::translation(1.0, 0.0, 0.0)).solid_sphere(1.0, 0.1));
    m.joint(Joint::spherical("knot", WORLD, "reel").placed(Vec3::zero(), Vec3::x_axis()));
    m.joint(Joint::prismatic("rope", "reel", "stone").placed(Vec3::zero(), Vec3::x_axis()).limits(-2.0, 1.0));
    let point = InteriorPoint { kappa: 1e-6, tolerance: 1e-9, ..InteriorPoint::default() };
    let mut b = variational(&built(m), 0.01, point);
    b.set_body_velocity(0, 1, Twist::new(Vec3::new(4.0, 0.0, 0.0), Vec3::zero())).unwrap();
    let (mut far, mut taut) = (0.0_f64, 0);
    for i in 0..400 {
        let report = b.step(1);
        assert_eq!(report.converged[0], 1, "step {i}: {report:?}");
        let length = b.body_pose(0, 1).unwrap().p.norm();
        far = far.max(length);
        taut += usize::from(length > 1.999);
    }
    assert!(far < 2.0 && taut > 50, "{far} m, taut in {taut} steps");
}
