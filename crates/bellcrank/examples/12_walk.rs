//! A walk cycle onto robots with loops: paths of two feet and of the pelvis become poses, and motors track these.
//!
//! The hybrid biped walks; so does a robot from a file, by its feet and pelvis: `12_walk dr_legs.usda foot_l foot_r pelvis`. Nobody balances:
//! steps are slow enough for the robot to stand on one foot at any time. Twin of `examples/12_walk.py`.

use bellcrank::collide::{Queries, Ray};
use bellcrank::import::{Options, load_builder};
use bellcrank::kinematics::{Contact, Kinematics, Retargeted, Retargeting, Track};
use bellcrank::prelude::*;
use std::error::Error;
use std::f64::consts::PI;

/// How many steps, and how long each takes [s].
const STEPS: usize = 6;
const STEP: f64 = 1.5;
/// Length of a step, height of the foot, and how low the pelvis goes, in heights of the pelvis above the feet.
const LENGTH: f64 = 0.15;
const LIFT: f64 = 0.08;
const LOW: f64 = 0.05;
/// Share of the way that the pelvis goes until it is above the standing foot.
const SWAY: f64 = 0.8;
/// Time between poses [s], and steps of the simulation in it.
const DT: f64 = 0.02;
const SUBSTEPS: usize = 5;

/// A robot, its left and right foot and its pelvis, and how stiff its motors are [N·m/rad].
struct Walker {
    model: Model,
    frames: [String; 3],
    stiffness: f64,
    loop_floor: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let model = library::hybrid_biped().build()?;
    let frames = ["left_foot", "right_foot", "pelvis"].map(str::to_owned);
    walk(Walker { model, frames, stiffness: 600.0, loop_floor: 0.0 })?;
    if let [file, left, right, pelvis] = &std::env::args().skip(1).collect::<Vec<_>>()[..] {
        walk(from_file(file, [left, right, pelvis].map(String::to_owned))?)?;
    }
    Ok(())
}

/// A robot in a file, with ground under its feet, and motors that hold positions.
fn from_file(file: &str, frames: [String; 3]) -> Result<Walker, Box<dyn Error>> {
    let options = Options { hold: true, ..Options::default() };
    let mut builder = load_builder(file, &options)?;
    let alone = builder.clone().build()?;
    let X_WB: Vec<Pose> = alone.bodies().iter().map(|body| body.X_WL * body.X_LB()).collect();
    let foot = alone.bodies().iter().position(|body| body.name == frames[0]).ok_or("no such foot")?;
    let below = X_WB[foot].p - Vec3::z_axis() * 5.0;
    let sole = Queries::of(&alone).ray_cast(&X_WB, &Ray::new(below, Vec3::z_axis())).ok_or("no sole")?;
    let level = Pose::translation(0.0, 0.0, sole.point.z);
    builder.shape(Shape::new("ground", WORLD, Geometry::Plane).at(level).friction(0.8));
    Ok(Walker { model: builder.build()?, frames, stiffness: 100.0, loop_floor: 1e-6 })
}

/// From 0 to 1, at rest at both ends.
fn smooth(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// The weight goes over one foot, the other is lifted and set down ahead; the first step's time is for crouching.
fn walk_cycle(robot: &Kinematics, frames: &[String; 3]) -> Result<Vec<Track>, Box<dyn Error>> {
    let mut tracks = Vec::new();
    for frame in frames {
        let X = robot.frame_pose(robot.rest(), robot.tree().frame(frame)?)?;
        tracks.push(Track { frame: frame.clone(), poses: vec![X], foot: *frame != frames[2], turns: true });
    }
    let rest = [tracks[0].poses[0], tracks[1].poses[0], tracks[2].poses[0]];
    let size = rest[2].p.z - rest[0].p.z;
    for i in 1..((STEPS as f64 + 1.0) * STEP / DT) as usize {
        let t = i as f64 * DT / STEP - 1.0;
        let (mut ahead, mut lift, mut side) = ([0.0; 2], [0.0; 2], 0.0);
        for step in 0..STEPS {
            let (own, foot) = (t - step as f64, step % 2);
            let share = (own - 0.45) / 0.4;
            let way = if step == 0 || step == STEPS - 1 { 0.5 * LENGTH } else { LENGTH };
            ahead[foot] += way * size * smooth(share);
            lift[foot] += LIFT * size * (PI * share.clamp(0.0, 1.0)).sin().powi(2);
            side += SWAY * rest[1 - foot].p.y * (smooth(own / 0.4) - smooth((own - 0.9) / 0.4));
        }
        let forward = 0.5 * (ahead[0] + ahead[1]);
        let ways = [
            Vec3::new(ahead[0], 0.0, lift[0]),
            Vec3::new(ahead[1], 0.0, lift[1]),
            Vec3::new(forward, side, -LOW * size * smooth(t + 1.0)),
        ];
        for ((track, X), way) in tracks.iter_mut().zip(rest).zip(ways) {
            track.poses.push(Pose::new(X.R, X.p + way));
        }
    }
    Ok(tracks)
}

fn walk(walker: Walker) -> Result<(), Box<dyn Error>> {
    let name = walker.model.name().to_owned();
    let robot = Kinematics::<f64>::new(&walker.model);
    let tracks = walk_cycle(&robot, &walker.frames)?;
    let contact = Contact { height: 0.004, speed: 0.03, ..Contact::default() };
    let how = Retargeting { contact, loop_floor: walker.loop_floor, ..Retargeting::every(DT) };
    let motion = robot.retarget(&tracks, how)?;
    let solved = motion.solved.iter().filter(|solved| **solved).count();
    let standing = motion.contact.iter().filter(|stands| **stands).count() as f64;
    let share = standing / motion.contact.len() as f64;
    println!(
        "{name}: {solved} of {} poses, feet stand for {:.0}% of the time",
        motion.solved.len(),
        100.0 * share
    );
    assert!(solved == motion.solved.len() && (0.5..0.95).contains(&share));
    let [start, end] = tracked(walker, &motion)?;
    let wanted = &tracks[2].poses;
    let (first, last) = (wanted[0].p, wanted[wanted.len() - 1].p);
    let (way, asked, sunk) = (end.x - start.x, last.x - first.x, last.z - first.z - (end.z - start.z));
    println!(
        "{name}: walked {:.0} of {:.0} mm in simulation, pelvis {:.0} mm too low",
        1e3 * way,
        1e3 * asked,
        1e3 * sunk
    );
    assert!(way > 0.85 * asked && sunk.abs() < 0.02);
    Ok(())
}

/// Motors follow the motion in simulation: where the pelvis is before and after.
fn tracked(walker: Walker, motion: &Retargeted) -> Result<[Vec3; 2], Box<dyn Error>> {
    let pelvis = walker.model.bodies().iter().position(|body| body.name == walker.frames[2]);
    let pelvis = pelvis.ok_or("no such pelvis")?;
    let motors = walker.model.actuators().len();
    let options =
        BatchOptions { dt: Some(DT / SUBSTEPS as f64), precision: Precision::F64, ..BatchOptions::default() };
    let mut batch = Batch::new(walker.model.into(), 1, options)?;
    batch.write_shared_parameter(Quantity::Gain, &vec![walker.stiffness; motors])?;
    batch.write_shared_parameter(Quantity::RateGain, &vec![0.04 * walker.stiffness; motors])?;
    let start = batch.body_pose(0, pelvis)?;
    for targets in motion.target_position.chunks_exact(motors) {
        batch.write(Quantity::TargetPosition, targets)?;
        batch.step(SUBSTEPS);
    }
    Ok([start.p, batch.body_pose(0, pelvis)?.p])
}
