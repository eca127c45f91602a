//! Motions: a circle as fast as motors allow, two fingertips that grasp, weight that shifts from foot to foot. A gripper's file and the names of its
//! two fingertips may be given: `10_motions gripper.xml left_pad right_pad`. Twin of `examples/11_motions.py`.

use bellcrank::kinematics::{Bounds, Goal, Kinematics, Pace, Settings};
use bellcrank::prelude::*;
use std::error::Error;
use std::f64::consts::TAU;

fn main() -> Result<(), Box<dyn Error>> {
    circle_in_time()?;
    fingertips(&std::env::args().skip(1).collect::<Vec<_>>())?;
    weight_from_foot_to_foot()
}

/// Where a body or site is at rest.
fn at_rest(robot: &Kinematics, frame: &str) -> Result<Pose, Box<dyn Error>> {
    Ok(robot.frame_pose(robot.rest(), robot.tree().frame(frame)?)?)
}

fn circle_in_time() -> Result<(), Box<dyn Error>> {
    let model = library::delta().build()?;
    let robot = Kinematics::<f64>::new(&model);
    let home = at_rest(&robot, "tool")?.p;
    let turns = (0..200).map(|i| TAU * f64::from(i) / 199.0);
    let circle: Vec<f64> =
        turns.flat_map(|a| (home + Vec3::new(a.cos(), a.sin(), 0.0) * 0.06).to_array()).collect();
    let bounds =
        Bounds { speed: robot.motor_bounds(&model, 3.0), acceleration: robot.motor_bounds(&model, 20.0) };
    let path =
        robot.problem(&[Goal::position("tool")], Settings::default())?.follow(&circle, &[], &bounds)?;
    assert!(path.solved.iter().all(|solved| *solved));
    let time = path.times.last().copied().unwrap_or_default();
    println!("delta: a circle of 6 cm in {time:.2} s at 3 rad/s and 20 rad/s²");
    Ok(())
}

/// Two fingertips close on a ball, led by hand in periods of 1 ms: each goes to its own side of the ball.
fn fingertips(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let (model, tips) = match arguments {
        [file, left, right] => (load(file, &Default::default())?, [left.as_str(), right.as_str()]),
        _ => (library::five_bar_quadruped().build()?, ["front_left_toe", "front_right_toe"]),
    };
    let robot = Kinematics::<f64>::new(&model);
    let (a, b) = (at_rest(&robot, tips[0])?.p, at_rest(&robot, tips[1])?.p);
    // both come nearer to each other by a quarter of their distance
    let (middle, way) = ((a + b) * 0.5, (b - a) * 0.375);
    let target: Vec<f64> = (middle - way).to_array().into_iter().chain((middle + way).to_array()).collect();
    let problem = robot.problem(&tips.map(Goal::position), Settings::default())?;
    let pace = Pace { dt: 1e-3, speed: robot.motor_bounds(&model, 4.0) };
    let (mut q, mut missed) = (robot.rest().to_vec(), f64::INFINITY);
    let mut periods = 0;
    while missed > 1e-6 && periods < 2000 {
        let stepped = problem.step(&target, &q, &pace)?;
        missed = stepped.pose.error.iter().fold(0.0, |most: f64, x| most.max(*x));
        q = stepped.pose.q;
        periods += 1;
    }
    println!(
        "{}: fingertips {:.0} mm apart after {periods} ms, off by {:.3} mm",
        model.name(),
        2e3 * way.norm(),
        1e3 * missed
    );
    assert!(missed < 1e-3, "{missed} m off");
    Ok(())
}

fn weight_from_foot_to_foot() -> Result<(), Box<dyn Error>> {
    let model = library::hybrid_biped().build()?;
    let robot = Kinematics::<f64>::new(&model);
    let (mut com, mut jacobian) = ([0.0; 3], vec![0.0; 3 * robot.tree().dof_count()]);
    robot.tree().batch().center_of_mass(robot.rest(), &mut com, &mut jacobian)?;
    let aside = at_rest(&robot, "left_foot")?.p.y;
    let goals = [Goal::hold("left_foot"), Goal::hold("right_foot"), Goal::center_of_mass()];
    let sway = |i: i32| 0.9 * aside * (TAU * f64::from(i) / 40.0).sin();
    let targets: Vec<f64> = (0..40).flat_map(|i| [com[0], com[1] + sway(i), com[2] - 0.04]).collect();
    let settings = Settings { free_base: true, ..Settings::default() };
    let found = robot.problem(&goals, settings)?.solve(&targets, &[])?;
    assert!(found.solved.iter().all(|solved| *solved));
    println!("biped: centre of mass {:.0} mm to both sides, 4 cm low, feet in place", 900.0 * aside);
    Ok(())
}
