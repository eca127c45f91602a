//! Derivatives of what is joined and presses: joints stay closed, conventions are those of what is written, any batch has them.

use crate::common::built;
use crate::gradients::{KAPPA, batch};
use bellcrank_gradient::{StepDerivatives, Wrt};
use bellcrank_math::{Pose, Twist, Vec3};
use bellcrank_model::{Actuator, Body, BodyId, Geometry, Joint, ModelBuilder, Shape, WORLD, library};
use bellcrank_sim::{Batch, BatchOptions, ImplicitIntegrator, InteriorPoint, Solver};

/// A bar on a hinge about y is pressed onto the ground by 40 N·m, with friction that holds its tip: at any κ the columns that open the hinge
/// leave it closed at the end of the step. The bar's centre, moved along y by δ, is taken back by −δ/Δt; nothing spins about the axes
/// that the hinge holds.
#[test]
fn a_hinge_stays_closed_while_its_foot_sticks() {
    let mut m = ModelBuilder::new("bar");
    let bar = m.body(
        Body::new("bar").at(Pose::translation(0.5, 0.0, 0.05)).solid_box(1.0, Vec3::new(1.0, 0.1, 0.1)),
    );
    m.joint(Joint::revolute("hinge", WORLD, bar).placed(Vec3::new(0.0, 0.0, 0.05), Vec3::y_axis()));
    m.actuator(Actuator::effort("press", "hinge"));
    m.shape(
        Shape::new("tip", bar, Geometry::Sphere { radius: 0.05 })
            .at(Pose::translation(0.45, 0.0, 0.0))
            .friction(0.8),
    );
    m.shape(Shape::new("ground", WORLD, Geometry::Plane).friction(0.8));
    let dt = 0.01;
    let mut b = batch(&built(m), dt);
    b.set_effort(0, 0, 40.0).unwrap();
    b.step(20);
    for kappa in [1e-4, 1e-5, 1e-6, 1e-7, 1e-8] {
        let wrt: Vec<Wrt> = Wrt::state(1);
        let jacobian = b.step_jacobian(0, kappa, &wrt).unwrap();
        let pullback = b.step_vjp(0, kappa, &[0., 0., 0., 0., 0., 0., 0., 1., 0., 0., 0., 0.], &wrt).unwrap();
        let y = wrt.iter().position(|w| *w == Wrt::Position { body: 0, axis: 1 }).unwrap();
        println!("κ {kappa:e}: {:?}", jacobian.column(y));
        assert!((jacobian.get(7, y) + 1.0 / dt).abs() < 1e-4, "κ {kappa:e}: {}", jacobian.get(7, y));
        assert!((pullback.cotangents[y] + 1.0 / dt).abs() < 1e-4, "κ {kappa:e}: {}", pullback.cotangents[y]);
        assert!(
            jacobian.get(9, y).abs() < 1e-3 && jacobian.get(11, y).abs() < 1e-3,
            "κ {kappa:e}: {:?}",
            jacobian.column(y)
        );
    }
}

/// Writing a centre of mass leaves the link where it is and as fast as it is, and so does the column by it: differences of what the batch itself
/// does after the parameter was written agree, for a spinning body, with either integrator.
#[test]
fn a_centre_of_mass_moves_as_it_does_where_it_is_written() {
    for integrator in [ImplicitIntegrator::Variational, ImplicitIntegrator::SemiImplicitEuler] {
        let start = |axis: usize, amount: f64| {
            let mut m = ModelBuilder::new("spinner");
            m.body(Body::new("spinner").solid_box(1.0, Vec3::new(0.1, 0.2, 0.3)));
            let point = Some(InteriorPoint { tolerance: 1e-12, ..InteriorPoint::default() });
            let settings = Solver::InteriorPoint { point, integrator }.into();
            let options = BatchOptions { dt: Some(0.01), settings, ..BatchOptions::default() };
            let mut b = Batch::new(built(m), 1, options).unwrap();
            let V = Twist::new(Vec3::new(1.0, 0.5, 0.0), Vec3::new(3.0, -2.0, 5.0));
            b.set_body_velocity(0, 0, V).unwrap();
            b.step(3);
            b.change_parameters(0, |p| {
                let com = &mut p.body_mut(BodyId::new(0)).spread(1)[0].com;
                *com += [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()][axis] * amount;
            })
            .unwrap();
            b
        };
        for axis in 0..3 {
            let column =
                start(axis, 0.0).step_jacobian(0, KAPPA, &[Wrt::CentreOfMass { body: 0, axis }]).unwrap();
            let after = |amount: f64| {
                let mut b = start(axis, amount);
                b.step(1);
                let (X, V) = (b.body_pose(0, 0).unwrap(), b.body_velocity(0, 0).unwrap());
                [X.p.to_array(), V.linear.to_array(), V.angular.to_array()].concat()
            };
            let (high, low) = (after(1e-4), after(-1e-4));
            for (i, row) in [0, 1, 2, 6, 7, 8, 9, 10, 11].into_iter().enumerate() {
                let (difference, found) = ((high[i] - low[i]) / 2e-4, column.get(row, 0));
                assert!(
                    (difference - found).abs() < 1e-7,
                    "{integrator:?} {axis} {row}: {difference} {found}"
                );
            }
        }
    }
}

/// A batch in 32 bits is differentiated in 64: from the same state the columns are those of a batch in 64 bits, loops and contacts included.
#[test]
fn batches_in_single_precision_have_derivatives() {
    for build in
        [library::hybrid_biped as fn() -> ModelBuilder, library::four_bar, library::five_bar_quadruped]
    {
        let model = built(build());
        let single = |implicit: bool| {
            let settings = if implicit { Solver::variational() } else { Solver::exact() }.into();
            let precision = bellcrank_sim::Precision::F32;
            let options = BatchOptions { dt: Some(0.004), settings, precision, ..BatchOptions::default() };
            Batch::new(model.clone(), 1, options).unwrap()
        };
        for implicit in [false, true] {
            let mut b = single(implicit);
            b.step(50);
            let wrt = Wrt::state(model.bodies().len());
            for kappa in [1e-3, 1e-4, 1e-5] {
                let found = b.step_jacobian(0, kappa, &wrt);
                assert!(found.is_ok(), "{} implicit {implicit} κ {kappa:e}: {:?}", model.name(), found.err());
            }
        }
    }
}

/// The closed form leaves feet in the ground; from there, too, there is a derivative at any κ, however deep.
#[test]
fn a_state_of_the_closed_form_has_derivatives() {
    for build in [library::hybrid_biped as fn() -> ModelBuilder, library::five_bar_quadruped] {
        let model = built(build());
        for (dt, depth) in [(0.004, 1e-4), (0.004, 5e-4), (0.004, 2e-3), (0.01, 5e-4)] {
            let settings = Solver::comfree().into();
            let options = BatchOptions { dt: Some(dt), settings, ..BatchOptions::default() };
            let mut b = Batch::new(model.clone(), 1, options).unwrap();
            b.step(100);
            for body in 0..model.bodies().len() {
                let X = b.body_pose(0, body).unwrap();
                b.set_body_pose(0, body, Pose::new(X.R, X.p - Vec3::new(0.0, 0.0, depth))).unwrap();
            }
            for kappa in [1e-3, 1e-4, 1e-5, 1e-6] {
                let found = b.step_jacobian(0, kappa, &[Wrt::LinearVelocity { body: 0, axis: 0 }]);
                assert!(found.is_ok(), "{}, {dt} s, κ {kappa:e}, {depth} m: {:?}", model.name(), found.err());
            }
        }
    }
}
