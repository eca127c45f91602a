//! What is left of κ in a simulation: bodies at rest hover and creep by little, whatever the step and the mass.

use crate::common::{built, cube_on_slope};
use crate::light_and_heavy::implicit;
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{Actuator, Body, Geometry, Joint, ModelBuilder, Shape, WORLD};
use bellcrank_sim::{ImplicitIntegrator as Integrator, Precision};

/// A cube of 1 kg has a corner with γ = m g Δt/4 and κ in units of m a Δt · 0.1 m with a = 10 m/s²: it hovers by 0.4 κ a/g = 4.1e-7 m, at any
/// step and of any mass.
#[test]
fn a_cube_hovers_alike_at_any_step_and_mass() {
    for integrator in [Integrator::Variational, Integrator::SemiImplicitEuler] {
        for dt in [0.02, 0.01, 0.004, 0.002, 0.001, 0.0005] {
            for mass in [1e-3, 1.0, 100.0] {
                let mut m = ModelBuilder::new("cube");
                let size = Vec3::new(0.2, 0.2, 0.2);
                let at = Pose::translation(0.0, 0.0, 0.1);
                let cube = m.body(Body::new("cube").at(at).solid_box(mass, size));
                m.shape(Shape::new("cube", cube, Geometry::Box { half: size * 0.5 }).friction(0.5));
                m.shape(Shape::new("ground", WORLD, Geometry::Plane).friction(0.5));
                let mut b = implicit(&built(m), dt, integrator, Precision::F64);
                let report = b.step((0.5 / dt) as usize);
                assert_eq!(report.converged[0], (0.5 / dt) as usize, "{report:?}");
                let hover = b.body_pose(0, 0).unwrap().p.z - 0.1;
                println!("{integrator:?} Δt {dt} mass {mass}: {hover:e}");
                assert!(
                    (hover / 4.08e-7 - 1.0).abs() < 0.02,
                    "{integrator:?}, {dt} s, {mass} kg: {hover:e} m"
                );
            }
        }
    }
}

/// Friction that holds at the share ρ of its bound creeps by κ V e a Δt/β · ρ/(1 − ρ²), V = 0.1 m/s: on a slope of 26.5° with μ = 0.5, ρ = 0.997 and
/// four corners, 1.7e-4 m/s at any step; at 20°, ρ = 0.73, 1.5e-6 m/s.
#[test]
fn a_cube_on_a_slope_creeps_alike_at_any_step() {
    for (degrees, most) in [(20.0_f64, 4e-6), (26.5, 4e-4)] {
        for dt in [0.01, 0.004, 0.001] {
            let model = built(cube_on_slope(0.5, degrees.to_radians()));
            let mut b = implicit(&model, dt, Integrator::Variational, Precision::F64);
            b.step((0.5 / dt) as usize);
            let from = b.body_pose(0, 0).unwrap().p.x;
            b.step((1.0 / dt) as usize);
            let creep = b.body_pose(0, 0).unwrap().p.x - from;
            println!("slope {degrees} Δt {dt}: {creep:e} m/s");
            assert!(creep < most, "{degrees}°, {dt} s: {creep:e} m/s");
        }
    }
}

/// Dry friction of a joint at 99.5 % of its bound for 5 s: κ V ρ/(1 − ρ²) t = 5e-5 rad.
#[test]
fn dry_friction_holds_almost_all_of_its_bound() {
    for dt in [0.01, 0.004, 0.001] {
        let mut m = ModelBuilder::new("rotor");
        m.gravity(Vec3::zero());
        m.body(Body::new("rotor").solid_box(1.0, Vec3::new(0.5, 0.1, 0.1)));
        let hinge = Joint::revolute("hinge", WORLD, "rotor").placed(Vec3::zero(), Vec3::z_axis());
        m.joint(hinge.friction(2.0));
        m.actuator(Actuator::effort("motor", "hinge"));
        let mut b = implicit(&built(m), dt, Integrator::Variational, Precision::F64);
        b.set_effort(0, 0, 0.995 * 2.0).unwrap();
        b.step((5.0 / dt) as usize);
        let q = b.joint_position(0).unwrap()[0];
        println!("dry friction Δt {dt}: {q:e} rad");
        assert!(q.abs() < 1e-4, "{dt} s: {q:e} rad");
    }
}

/// A block three times as high as wide topples at atan(1/3) = 18.43°: it stands at 18.2° and falls at 18.7°.
#[test]
fn a_block_topples_where_statics_say() {
    for (degrees, falls) in [(17.5_f64, false), (18.2, false), (18.7, true)] {
        let mut m = ModelBuilder::new("block");
        let slope = degrees.to_radians();
        m.gravity(Vec3::new(9.81 * slope.sin(), 0.0, -9.81 * slope.cos()));
        let size = Vec3::new(0.1, 0.1, 0.3);
        let block = m.body(Body::new("block").at(Pose::translation(0.0, 0.0, 0.15)).solid_box(1.0, size));
        m.shape(Shape::new("block", block, Geometry::Box { half: size * 0.5 }).friction(1.0));
        m.shape(Shape::new("ground", WORLD, Geometry::Plane).friction(1.0));
        let mut b = implicit(&built(m), 0.004, Integrator::Variational, Precision::F64);
        b.step(1000);
        let height = b.body_pose(0, 0).unwrap().p.z;
        println!("topple {degrees}: {height}");
        assert_eq!(height < 0.14, falls, "{degrees}°: {height} m");
    }
}
