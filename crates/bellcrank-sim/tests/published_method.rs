//! The published method, with all rows inside the solver, finds the same motions where it converges; what it does not do
//! is keep joints closed.

use crate::common::{built, cube_on_slope, push};
use bellcrank_math::{Pose, Twist, Vec3};
use bellcrank_model::{Body, Joint, Model, ModelBuilder, WORLD};
use bellcrank_sim::{AllRows, Batch, BatchOptions, Solver};
use bellcrank_solve::{LinearSolver, Padmm, Penalty};
use std::sync::Arc;

fn with(solver: Solver, model: &Arc<Model>, dt: f64) -> Batch {
    let settings = solver.into();
    let options = BatchOptions { dt: Some(dt), settings, scalar: true, ..BatchOptions::default() };
    Batch::new(model.clone(), 1, options).unwrap()
}

fn all_rows(linear: LinearSolver) -> Solver {
    let all = AllRows::default();
    Solver::AllRows(AllRows { solver: Padmm { linear, penalty: Penalty::Fixed(0.1), ..all.solver }, ..all })
}

/// v = v₀ − μ g t, whichever linear solver iterates.
#[test]
fn a_sliding_cube_slows_alike() {
    let model = built(cube_on_slope(0.5, 0.0));
    for linear in [LinearSolver::Dense, LinearSolver::ConjugateResidual { iterations: 9 }] {
        let mut b = with(all_rows(linear), &model, 0.002);
        push(&mut b, 0, Vec3::new(3.0, 0.0, 0.0), Vec3::zero());
        let report = b.step(50);
        let v = b.body_velocity(0, 0).unwrap().linear.x;
        assert!((v - (3.0 - 0.5 * 9.81 * 0.1)).abs() < 1e-4, "{linear:?}: {v}");
        assert_eq!(report.converged[0], 50, "{linear:?}: residual {}", report.residual[0]);
    }
}

/// A fast pendulum: velocities alone leave the circle by a = l θ²/2 in each step, θ = ω Δt, in a direction that turns by θ
/// per step, and come back by α of the gap: Σ a (1 − α)ᵏ e^{ikθ} spirals to a/√(α² + θ²) and is 1 + e^{−πα/θ} times
/// that after half a turn. Held at the end of the step the hinge stays closed.
#[test]
fn velocities_alone_let_a_hinge_drift() {
    let (l, omega, dt) = (0.5, 6.0, 0.004);
    let mut m = ModelBuilder::new("pendulum");
    m.gravity(Vec3::zero());
    let bob = m.body(Body::new("bob").at(Pose::translation(0.0, 0.0, -l)).solid_sphere(1.0, 0.05));
    m.joint(Joint::revolute("hinge", WORLD, bob).placed(Vec3::zero(), Vec3::y_axis()));
    let model = built(m);
    let gap = |solver: Solver| {
        let mut b = with(solver, &model, dt);
        let V = Twist::new(Vec3::new(-l * omega, 0.0, 0.0), Vec3::new(0.0, omega, 0.0));
        b.set_body_velocity(0, 0, V).unwrap();
        b.step(500).loop_gap[0].0
    };
    let (published, ours) = (gap(all_rows(LinearSolver::Dense)), gap(Solver::exact()));
    let (theta, alpha) = (omega * dt, AllRows::default().recovery);
    let settled = 0.5 * l * theta * theta / alpha.hypot(theta);
    let expected = settled * (1.0 + (-std::f64::consts::PI * alpha / theta).exp());
    assert!((published - expected).abs() < 0.05 * expected, "{published} against {expected}");
    assert!(ours < 1e-7, "{ours}");
}
