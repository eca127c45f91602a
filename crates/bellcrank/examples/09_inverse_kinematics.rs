//! Say what a hand or foot does, and the linkage follows. Twin of `examples/09_inverse_kinematics.py`.

use bellcrank::kinematics::{Goal, Kinematics, Sampler, Sampling, Settings};
use bellcrank::math::so3;
use bellcrank::prelude::*;
use std::error::Error;
use std::f64::consts::TAU;

fn main() -> Result<(), Box<dyn Error>> {
    circle_of_a_delta_robot()?;
    legs_of_a_stewart_platform()?;
    squat_of_a_biped()
}

/// Where a body or site is at rest.
fn at_rest(robot: &Kinematics, frame: &str) -> Result<Pose, Box<dyn Error>> {
    Ok(robot.frame_pose(robot.rest(), robot.tree().frame(frame)?)?)
}

fn circle_of_a_delta_robot() -> Result<(), Box<dyn Error>> {
    let robot = Kinematics::<f64>::new(&library::delta().build()?);
    let home = at_rest(&robot, "tool")?.p;
    let turns = (0..200).map(|i| TAU * f64::from(i) / 200.0);
    let circle: Vec<f64> =
        turns.flat_map(|a| (home + Vec3::new(a.cos(), a.sin(), 0.0) * 0.06).to_array()).collect();
    let found = robot.problem(&[Goal::position("tool")], Settings::default())?.solve(&circle, &[])?;
    let gap = found.loop_gap.iter().fold(0.0, |most: f64, gap| most.max(*gap));
    println!("delta: {} of 200 points, loops open by {gap:.0e} at most", count(&found.solved));
    assert!(found.solved.iter().all(|solved| *solved) && gap < 1e-9);
    Ok(())
}

fn legs_of_a_stewart_platform() -> Result<(), Box<dyn Error>> {
    let model = library::stewart().build()?;
    let robot = Kinematics::<f64>::new(&model);
    let top = at_rest(&robot, "platform")?.p;
    let mut targets = Vec::new();
    for i in 0..100 {
        let t = TAU * f64::from(i) / 99.0;
        let p = top + Vec3::new(t.sin(), (2.0 * t).sin(), 0.5 * t.cos()) * 0.03;
        targets.extend(p.to_array().into_iter().chain(so3::exp(Vec3::x_axis() * (0.1 * t.sin())).to_wxyz()));
    }
    let goals = [Goal::position("platform"), Goal::orientation("platform")];
    let found = robot.problem(&goals, Settings::default())?.solve(&targets, &[])?;
    let (mut least, mut most) = (0.0_f64, 0.0_f64);
    for q in found.q.chunks_exact(robot.tree().coordinate_count()) {
        for leg in 0..6 {
            let slot = robot.tree().slot(&format!("slide_{leg}")).ok_or("a leg that closes a loop")?;
            (least, most) = (least.min(q[slot.q.start]), most.max(q[slot.q.start]));
        }
    }
    println!(
        "stewart: {} of 100 poses, legs {:.1} to {:.1} mm",
        count(&found.solved),
        1e3 * least,
        1e3 * most
    );
    assert!(found.solved.iter().all(|solved| *solved));
    Ok(())
}

fn squat_of_a_biped() -> Result<(), Box<dyn Error>> {
    let model = library::hybrid_biped().build()?;
    let robot = Kinematics::<f64>::new(&model);
    let (mut com, mut jacobian) = ([0.0; 3], vec![0.0; 3 * robot.tree().dof_count()]);
    robot.tree().batch().center_of_mass(robot.rest(), &mut com, &mut jacobian)?;
    let mut goals = vec![Goal::center_of_mass()];
    let mut standing = Vec::new();
    for foot in ["left_foot", "right_foot"] {
        let X = at_rest(&robot, foot)?;
        goals.extend([Goal::position(foot), Goal::orientation(foot)]);
        standing.extend(X.p.to_array().into_iter().chain(X.R.to_wxyz()));
    }
    let mut targets = Vec::new();
    for i in 0..20 {
        targets.extend([com[0], com[1], com[2] - 0.05 * f64::from(i) / 19.0]);
        targets.extend_from_slice(&standing);
    }
    let settings = Settings { free_base: true, ..Settings::default() };
    let found = robot.problem(&goals, settings)?.solve(&targets, &[])?;
    println!("biped: {} of 20 poses of a squat by 5 cm", count(&found.solved));
    assert!(found.solved.iter().all(|solved| *solved));

    let feet = vec!["left_foot".to_owned(), "right_foot".to_owned()];
    let sampling = Sampling { clearance: 0.002, singular_margin: 0.05, feet, ..Sampling::default() };
    let safe = Sampler::<f64>::new(&model, sampling)?.draw(50)?;
    println!("biped: {} of 50 random poses with both feet on the ground", count(&safe.found));
    assert!(safe.found.iter().all(|found| *found));
    Ok(())
}

fn count(yes: &[bool]) -> usize {
    yes.iter().filter(|yes| **yes).count()
}
