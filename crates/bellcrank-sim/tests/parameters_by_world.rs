//! Masses, frictions, gains and gravity may differ from world to world.

use crate::common::{batch, bits, built, cube_on_slope};
use bellcrank_math::{Twist, Vec3};
use bellcrank_model::{Actuator, Body, BodyId, Control, Joint, ModelBuilder, ShapeId, WORLD, library};
use bellcrank_sim::{Precision, Quantity};

/// v = v₀ − μ g t with another μ in every world; 9 worlds fill more than a block of lanes.
#[test]
fn every_world_has_its_own_friction() {
    let mut b = batch(&built(cube_on_slope(0.5, 0.0)), 9, 0.002, Precision::F64);
    let mu = |world: usize| 0.1 + 0.08 * world as f64;
    b.change_parameters(0, |p| {
        for shape in 0..2 {
            let each = p.shape_mut(ShapeId::new(shape)).spread(9);
            each.iter_mut().enumerate().for_each(|(world, shape)| shape.material.sliding = mu(world));
        }
    })
    .unwrap();
    for world in 0..9 {
        b.set_body_velocity(world, 0, Twist::new(Vec3::new(3.0, 0.0, 0.0), Vec3::zero())).unwrap();
    }
    b.step(50);
    for world in 0..9 {
        let v = b.body_velocity(world, 0).unwrap().linear.x;
        assert!((v - (3.0 - mu(world) * 9.81 * 0.1)).abs() < 1e-4, "world {world}: {v}");
    }
}

/// a = F/m − g with another mass and another gravity in every world.
#[test]
fn every_world_has_its_own_mass_and_gravity() {
    let mut m = ModelBuilder::new("ball");
    m.body(Body::new("ball").solid_sphere(1.0, 0.1));
    let mut b = batch(&built(m), 3, 0.001, Precision::F64);
    b.change_parameters(0, |p| {
        p.body_mut(BodyId::new(0)).spread(3)[1].mass = 4.0;
        p.gravity.spread(3)[2] = Vec3::new(0.0, 0.0, -1.62);
    })
    .unwrap();
    for world in 0..3 {
        b.set_body_wrench(world, 0, Vec3::new(2.0, 0.0, 0.0), Vec3::zero()).unwrap();
    }
    b.step(100);
    for (world, (m, g)) in [(1.0, 9.81), (4.0, 9.81), (1.0, 1.62)].into_iter().enumerate() {
        let v = b.body_velocity(world, 0).unwrap().linear;
        assert!((v.x - 2.0 / m * 0.1).abs() < 1e-12 && (v.z + g * 0.1).abs() < 1e-12, "world {world}: {v:?}");
        let (p, _) = b.momentum(world).unwrap();
        assert!((p.x - 0.2).abs() < 1e-12, "the push is the same in all worlds");
    }
}

/// q = target − m g l sin q / kp: a softer motor sags more.
#[test]
fn every_world_has_its_own_gain() {
    let mut m = ModelBuilder::new("arm");
    let arm =
        m.body(Body::new("arm").at(bellcrank_math::Pose::translation(0.5, 0.0, 0.0)).solid_sphere(1.0, 0.05));
    m.joint(Joint::revolute("shoulder", WORLD, arm).placed(Vec3::zero(), Vec3::y_axis()));
    m.actuator(Actuator::position("motor", "shoulder", 100.0, 20.0));
    let mut b = batch(&built(m), 2, 0.002, Precision::F64);
    b.change_parameters(0, |p| {
        p.actuator_mut(0).spread(2)[1].control = Control::Position { kp: 400.0, kd: 40.0 }
    })
    .unwrap();
    b.step(3000);
    for (world, kp) in [100.0, 400.0].into_iter().enumerate() {
        let q = b.joint_position(world).unwrap()[0];
        assert!((q * kp - 9.81 * 0.5 * q.cos()).abs() < 1e-5, "world {world}: {q}");
    }
}

/// A heavier foot moves the centre of mass, not the link: loops stay closed.
#[test]
fn a_moved_centre_of_mass_opens_no_joint() {
    let mut b = batch(&built(library::hybrid_biped()), 2, 0.004, Precision::F64);
    b.step(5);
    b.change_parameters(0, |p| {
        for body in 0..31 {
            p.body_mut(BodyId::new(body)).spread(2)[1].com += Vec3::new(0.004, -0.003, 0.002);
        }
    })
    .unwrap();
    let report = b.step(1);
    assert!(report.loop_gap[1].0 < 1e-6, "{:?}", report.loop_gap);
}

/// The worlds whose parameters stay are not disturbed by those whose parameters change.
#[test]
fn other_worlds_keep_their_bits() {
    let model = built(library::hybrid_biped());
    let mut plain = batch(&model, 3, 0.004, Precision::F64);
    let mut spread = batch(&model, 3, 0.004, Precision::F64);
    spread.change_parameters(0, |p| p.body_mut(BodyId::new(0)).spread(3)[1].mass *= 1.2).unwrap();
    plain.step(20);
    spread.step(20);
    for world in [0, 2] {
        assert_eq!(bits(&plain, world), bits(&spread, world), "world {world}");
    }
    assert_ne!(bits(&plain, 1), bits(&spread, 1));
}

#[test]
fn what_makes_no_sense_is_refused_and_changes_nothing() {
    let model = built(cube_on_slope(0.5, 0.0));
    let mut b = batch(&model, 2, 0.004, Precision::F64);
    let mut refused = |change: &dyn Fn(&mut bellcrank_model::Parameters)| {
        b.change_parameters(0, |p| change(p)).unwrap_err().to_string()
    };
    let body = BodyId::new(0);
    assert_eq!(
        refused(&|p| p.body_mut(body).spread(2)[1].mass = -1.0),
        "body \"cube\": mass and principal moments of inertia must be above zero (world 1)"
    );
    assert_eq!(
        refused(&|p| p.gravity.set_all(Vec3::new(0.0, f64::NAN, 0.0))),
        "gravity: every number must be finite (world 0)"
    );
    assert_eq!(
        refused(&|p| {
            p.body_mut(body).spread(3);
        }),
        "body \"cube\": 3 values were given for 2 worlds"
    );
    assert_eq!(b.parameters(0).unwrap().body(body).get(1).mass, 1.0);
    assert_eq!(b.parameters(1).unwrap_err().to_string(), "there is no model number 1; there are 1");
}

/// Rows of some worlds do what a change of all parameters does; a row that makes no sense changes nothing; draws follow from the seed.
#[test]
fn rows_of_some_worlds_are_written_and_drawn() {
    let model = built(library::hybrid_biped());
    let bodies = model.bodies().len();
    let [mut rows, mut whole] = [(), ()].map(|()| batch(&model, 37, 0.004, Precision::F32));
    let heavy: Vec<f64> = model.bodies().iter().map(|body| 1.5 * body.mass).collect();
    rows.write_parameter(Quantity::BodyMass, &[36, 5], &[heavy.clone(), heavy].concat()).unwrap();
    whole
        .change_parameters(0, |p| {
            for b in 0..bodies {
                let each = p.body_mut(BodyId::new(b)).spread(37);
                each[5].mass *= 1.5;
                each[36].mass *= 1.5;
            }
        })
        .unwrap();
    rows.step(10);
    whole.step(10);
    (0..37).for_each(|world| assert_eq!(bits(&rows, world), bits(&whole, world), "world {world}"));

    let mut row = vec![0.0; bodies];
    rows.read_parameter(Quantity::BodyMass, 7, &mut row).unwrap();
    let kept = row.clone();
    row[3] = -1.0;
    let refused =
        rows.write_parameter(Quantity::BodyMass, &[6, 7], &[kept.clone(), row].concat()).unwrap_err();
    assert!(refused.to_string().ends_with("(world 7)"), "{refused}");
    let mut now = vec![0.0; bodies];
    rows.read_parameter(Quantity::BodyMass, 7, &mut now).unwrap();
    assert_eq!(now, kept);

    let ranges = [(Quantity::BodyMass, [0.8, 1.2]), (Quantity::BodyCom, [-0.01, 0.01])];
    for batch in [&mut rows, &mut whole] {
        batch.randomize(7, &ranges, &[4, 20]).unwrap();
        batch.step(10);
    }
    assert_eq!(bits(&rows, 20), bits(&whole, 20));
    assert_ne!(bits(&rows, 4), bits(&rows, 20));
    assert_eq!(bits(&rows, 1), bits(&rows, 2));
}
