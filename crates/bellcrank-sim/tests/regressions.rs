//! Bounds of what was observed, not of what theory says: a change that passes one of them is a change for the worse until it
//! is argued for. Laws of the same scenes are elsewhere.

use crate::common::{block, built, variational};
use crate::hard_contact::{fall, lift, point, stiff_quadruped};
use crate::loops_stay_closed::tumble;
use bellcrank_math::{Twist, Vec3};
use bellcrank_model::library;

/// Observed: fifteen Newton steps at most and six for the median, whatever the time step.
#[test]
fn a_dropped_humanoid_takes_no_more_newton_steps_than_it_did() {
    for (dt, seconds) in [(0.1, 5.0), (0.01, 2.0), (0.001, 0.5)] {
        let mut b = variational(&built(library::humanoid()), dt, point(1e-6));
        lift(&mut b, 0.5, Vec3::new(0.0, 0.2, 0.1));
        let run = fall(&mut b, (seconds / dt) as usize, &format!("humanoid Δt {dt}"));
        assert!(run.median <= 6 && run.most <= 15, "Δt {dt}: {}/{} iterations", run.median, run.most);
    }
}

/// Observed: one step in which a foot begins to slide takes 26, since it is solved from inside the cones.
#[test]
fn a_stiff_quadruped_takes_no_more_newton_steps_than_it_did() {
    let most = fall(&mut stiff_quadruped(), 100, "quadruped").most;
    assert!(most <= 26, "{most} iterations");
}

#[test]
fn a_dropped_biped_with_loops_takes_no_more_newton_steps_than_it_did() {
    for (dt, steps) in [(0.1, 20), (0.05, 40), (0.02, 60)] {
        let mut b = variational(&built(library::hybrid_biped()), dt, point(1e-6));
        lift(&mut b, 0.3, Vec3::zero());
        let most = fall(&mut b, steps, &format!("biped Δt {dt}")).most;
        assert!(most <= 15, "Δt {dt}: {most} iterations");
    }
}

#[test]
fn a_tossed_cube_takes_no_more_newton_steps_than_it_did() {
    for dt in [0.1, 0.05, 0.01, 0.005] {
        let mut b = variational(&block(0.1, Vec3::new(0.0, 0.0, 0.75)), dt, point(1e-6));
        let spin = Vec3::new(5.0, 4.0, 2.0) * dt;
        b.set_body_velocity(0, 0, Twist::new(Vec3::new(1.0, 1.5, 1.0), spin)).unwrap();
        let most = fall(&mut b, (5.0 / dt) as usize, &format!("toss Δt {dt}")).most;
        assert!(most <= 15, "Δt {dt}: {most} iterations");
    }
}

/// Observed: 3.4550 m at 10 ms; the law allows 3.42 to 3.49 m.
#[test]
fn a_thrown_cube_slides_as_far_as_it_did() {
    let mut b = variational(&block(0.25, Vec3::new(-1.5, -0.5, 0.5)), 0.01, point(1e-6));
    b.set_body_velocity(0, 0, Twist::new(Vec3::new(4.0, 0.8, 0.0), Vec3::zero())).unwrap();
    b.step(400);
    let way = b.body_pose(0, 0).unwrap().p - Vec3::new(-1.5, -0.5, 0.0);
    assert!((way.x.hypot(way.y) - 3.4550).abs() < 1e-3, "{way:?}");
}

/// Observed: of a hundred steps of a biped that tumbles beyond the dead points of its knees one does not converge.
#[test]
fn a_tumbling_biped_converges_as_often_as_it_did() {
    const WORLDS: usize = 64;
    let converged = tumble(WORLDS);
    assert!(converged >= WORLDS * 500 * 99 / 100, "only {converged} of {} steps converged", WORLDS * 500);
}
