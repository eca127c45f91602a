//! Motions: a circle as fast as motors allow, two fingertips that grasp, weight that shifts from foot to foot, and a walk that is made of
//! tracks of feet and then tracked in simulation. A gripper's file and the names of its two fingertips may be given:
//! `10_motions gripper.xml left_pad right_pad`. Twin of `examples/11_motions.py`, which does not walk.

use bellcrank::kinematics::{Bounds, Contact, Goal, Kinematics, Pace, Retargeted, Settings, Track};
use bellcrank::prelude::*;
use std::error::Error;
use std::f64::consts::{PI, TAU};

fn main() -> Result<(), Box<dyn Error>> {
    circle_in_time()?;
    fingertips(&std::env::args().skip(1).collect::<Vec<_>>())?;
    weight_from_foot_to_foot()?;
    walk()
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

/// Period of the motion, and how long a step takes [s].
const DT: f64 = 0.008;
const STEP: f64 = 3.6;
const STEPS: usize = 6;
/// Length of a step and height of the foot [m].
const LENGTH: f64 = 0.03;
const LIFT: f64 = 0.03;
/// How far the pelvis goes towards the standing foot: less than all the way, since motors that hold by springs give way by as much again.
const SWAY: f64 = 0.44;
/// Pelvis below its rest [m].
const LOW: f64 = 0.03;

/// From 0 to 1, at rest at both ends.
fn smooth(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// A slow walk: the weight goes over one foot, the other is lifted and set down ahead.
fn tracks(robot: &Kinematics) -> Result<Vec<Track>, Box<dyn Error>> {
    let names = ["left_foot", "right_foot", "pelvis"];
    let rest = [at_rest(robot, names[0])?, at_rest(robot, names[1])?, at_rest(robot, names[2])?];
    let count = ((STEPS as f64 + 1.0) * STEP / DT) as usize;
    let mut poses: [Vec<Pose>; 3] = [Vec::new(), Vec::new(), Vec::new()];
    for i in 0..count {
        let t = i as f64 * DT / STEP - 1.0; // the first step's time is for lowering the pelvis
        let mut ahead = [0.0; 2];
        let (mut lift, mut side) = ([0.0; 2], 0.0);
        for step in 0..STEPS {
            let (own, swings) = (t - step as f64, step % 2);
            let way = if step == 0 || step == STEPS - 1 { LENGTH } else { 2.0 * LENGTH };
            let share = (own - 0.45) / 0.4;
            ahead[swings] += way * smooth(share);
            lift[swings] += if (0.0..1.0).contains(&share) { LIFT * (PI * share).sin().powi(2) } else { 0.0 };
            let over = smooth(own / 0.4) - smooth((own - 0.9) / 0.4);
            side += SWAY * over * rest[1 - swings].p.y;
        }
        for foot in 0..2 {
            let p = rest[foot].p + Vec3::new(ahead[foot], 0.0, lift[foot]);
            poses[foot].push(Pose::new(rest[foot].R, p));
        }
        let forward = 0.5 * (ahead[0] + ahead[1]);
        let p = rest[2].p + Vec3::new(forward, side, -LOW * smooth(t + 1.0));
        poses[2].push(Pose::new(rest[2].R, p));
    }
    let track = |(frame, poses): (&str, Vec<Pose>)| {
        let foot = frame.ends_with("foot");
        Track { frame: frame.to_owned(), poses, foot, turns: true }
    };
    Ok(names.into_iter().zip(poses).map(track).collect())
}

fn walk() -> Result<(), Box<dyn Error>> {
    let model = library::hybrid_biped().build()?;
    let robot = Kinematics::<f64>::new(&model);
    let contact = Contact { height: 0.004, speed: 0.02, least: 0.1 };
    let motion = robot.retarget(&tracks(&robot)?, DT, contact)?;
    let solved = motion.solved.iter().filter(|solved| **solved).count();
    let standing = motion.contact.iter().filter(|stands| **stands).count() as f64;
    println!(
        "biped: {solved} of {} poses of a walk, feet stand for {:.0} % of it",
        motion.solved.len(),
        100.0 * standing / motion.contact.len() as f64
    );
    assert_eq!(solved, motion.solved.len());
    let [start, end] = track_in_simulation(model, &motion)?;
    println!(
        "biped: walked {:.0} of {:.0} mm in simulation, pelvis {:.0} mm high",
        1e3 * (end.p.x - start.p.x),
        1e3 * LENGTH * (STEPS as f64 - 1.0),
        1e3 * end.p.z
    );
    // nobody balances it, so that it slips and sways; it does not fall
    assert!(end.p.z > 0.85 * start.p.z && end.p.x - start.p.x > 0.04);
    Ok(())
}

/// Motors follow the motion: the pelvis before and after.
fn track_in_simulation(model: Model, motion: &Retargeted) -> Result<[Pose; 2], Box<dyn Error>> {
    let pelvis = model.bodies().iter().position(|body| body.name == "pelvis").ok_or("no pelvis")?;
    let width: usize = model.joints().iter().map(|joint| joint.kind.coordinate_count()).sum();
    let place = |joint: usize| -> usize {
        model.joints()[..joint].iter().map(|joint| joint.kind.coordinate_count()).sum()
    };
    let motors: Vec<usize> = (model.actuators().iter())
        .filter_map(|actuator| actuator.coordinate())
        .map(|(joint, dof)| place(joint.index()) + dof)
        .collect();
    let mut batch =
        Batch::new(model.into(), 1, BatchOptions { dt: Some(0.5 * DT), ..BatchOptions::default() })?;
    let start = batch.body_pose(0, pelvis)?;
    for row in motion.joint_position.chunks_exact(width) {
        for (actuator, k) in motors.iter().enumerate() {
            batch.set_target_position(0, actuator, row[*k])?;
        }
        batch.step(2);
    }
    Ok([start, batch.body_pose(0, pelvis)?])
}
