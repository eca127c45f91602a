//! Poses from goals, `bellcrank.kinematics`: arrays in, arrays out. Shapes are checked in Python, sizes again by the engine.

use crate::error::said;
use crate::model::Model;
use bellcrank::kinematics::{
    self, Bounds, Clearance, Contact, Goal, KinematicsError, Pace, Priority, Retargeting, Sampler, Sampling,
    Settings, Solution, Track, What, Workspace,
};
use bellcrank::math::{Pose, Quat, Vec3};
use bellcrank::model;
use pyo3::prelude::*;
use std::sync::Arc;

/// A mechanism, ready for questions about its poses.
#[pyclass(frozen, module = "bellcrank._native", name = "Kinematics")]
pub struct Kinematics {
    model: Arc<model::Model>,
    robot: kinematics::Kinematics<f64>,
}

/// A goal as Python hands it over: what, name, point or axis, other frame, number of the coordinate, weight, axes, second priority.
type Told = (String, String, [f64; 3], Option<String>, usize, f64, [f64; 3], bool);

/// How to search: restarts, iterations, free base, tolerances of positions, angles and loops and what contradictions may leave open, seed,
/// threads.
type How = (usize, usize, bool, [f64; 4], u64, usize);

/// Configurations, solved, errors of goals, gaps, steps.
type Found = (Vec<f64>, Vec<bool>, Vec<f64>, Vec<f64>, Vec<u32>);

/// Configurations, velocities, solved, errors of goals.
type Stepped = (Vec<f64>, Vec<f64>, Vec<bool>, Vec<f64>);

/// Times, configurations, velocities, solved, errors of goals.
type Path = (Vec<f64>, Vec<f64>, Vec<f64>, Vec<bool>, Vec<f64>);

/// Joints, margins (of limits, clearance, singular value, loops that stay open), feet, attempts, seed, threads.
type Draw = (Vec<String>, [f64; 4], Vec<String>, usize, u64, usize);

/// A track: frame, whether it is a foot, whether it turns, seven numbers per pose.
type Tracked = (String, bool, bool, Vec<f64>);

/// Configurations, coordinates of all joints, targets of motors, solved, contacts, errors of tracks.
type Done = (Vec<f64>, Vec<f64>, Vec<f64>, Vec<bool>, Vec<bool>, Vec<f64>);

#[pymethods]
impl Kinematics {
    #[new]
    fn new(model: &Model) -> Self {
        Kinematics { model: model.inner.clone(), robot: kinematics::Kinematics::new(&model.inner) }
    }

    /// The reference pose.
    fn rest(&self) -> Vec<f64> {
        self.robot.rest().to_vec()
    }

    /// The pose of a keyframe.
    fn keyframe(&self, name: &str) -> PyResult<Vec<f64>> {
        let found = self.model.keyframes().iter().find(|keyframe| keyframe.name == name);
        let missing = || said("NoSuchName", format!("there is no keyframe {name:?}"), "");
        Ok(self.robot.keyframe(found.ok_or_else(missing)?))
    }

    fn solve(
        &self,
        py: Python<'_>,
        goals: Vec<Told>,
        targets: Vec<f64>,
        start: Vec<f64>,
        how: How,
    ) -> PyResult<Found> {
        let goals = read_goals(goals)?;
        let settings = read_settings(how);
        let found =
            py.detach(|| self.robot.problem(&goals, settings)?.solve(&targets, &start)).map_err(wrong)?;
        Ok(told(found))
    }

    /// Likewise with distances kept; the least distance by pose.
    fn solve_clear(
        &self,
        py: Python<'_>,
        goals: Vec<Told>,
        targets: Vec<f64>,
        start: Vec<f64>,
        how: How,
        least: f64,
    ) -> PyResult<(Found, Vec<f64>)> {
        let goals = read_goals(goals)?;
        let asked = (&goals[..], read_settings(how));
        let clearance = Clearance { least, ..Clearance::default() };
        let solve = || self.robot.solve_clear(&self.model, asked, &clearance, (&targets, &start));
        let found = py.detach(solve).map_err(wrong)?;
        Ok((told(found.pose), found.distance))
    }

    /// One period towards goals: poses, velocities, solved, errors.
    fn step(
        &self,
        py: Python<'_>,
        goals: Vec<Told>,
        targets: Vec<f64>,
        q: Vec<f64>,
        given: (How, f64, Vec<f64>),
    ) -> PyResult<Stepped> {
        let goals = read_goals(goals)?;
        let (how, dt, speed) = given;
        let pace = Pace { dt, speed };
        let stepped = py
            .detach(|| self.robot.problem(&goals, read_settings(how))?.step(&targets, &q, &pace))
            .map_err(wrong)?;
        Ok((stepped.pose.q, stepped.v, stepped.pose.solved, stepped.pose.error))
    }

    /// Likewise with distances kept; the least distance by pose.
    fn step_clear(
        &self,
        py: Python<'_>,
        goals: Vec<Told>,
        targets: Vec<f64>,
        q: Vec<f64>,
        given: (How, f64, Vec<f64>),
        least: f64,
    ) -> PyResult<(Stepped, Vec<f64>)> {
        let goals = read_goals(goals)?;
        let (how, dt, speed) = given;
        let (pace, clearance) = (Pace { dt, speed }, Clearance { least, ..Clearance::default() });
        let asked = (&goals[..], read_settings(how));
        let step = || self.robot.step_clear(&self.model, asked, &clearance, (&targets, &q, &pace));
        let kinematics::SteppedClear { stepped, distance } = py.detach(step).map_err(wrong)?;
        Ok(((stepped.pose.q, stepped.v, stepped.pose.solved, stepped.pose.error), distance))
    }

    /// A path of goals: times, poses, velocities, solved, errors.
    fn follow(
        &self,
        py: Python<'_>,
        goals: Vec<Told>,
        targets: Vec<f64>,
        start: Vec<f64>,
        given: (How, Vec<f64>, Vec<f64>),
    ) -> PyResult<Path> {
        let goals = read_goals(goals)?;
        let (how, speed, acceleration) = given;
        let bounds = Bounds { speed, acceleration };
        let path = py
            .detach(|| self.robot.problem(&goals, read_settings(how))?.follow(&targets, &start, &bounds))
            .map_err(wrong)?;
        Ok((path.times, path.q, path.v, path.solved, path.error))
    }

    /// Largest speeds of the model.
    fn speeds(&self) -> Vec<f64> {
        self.robot.speeds().to_vec()
    }

    /// The same bound for all driven joints of the tree, none for others.
    fn motor_bounds(&self, value: f64) -> Vec<f64> {
        self.robot.motor_bounds(&self.model, value)
    }

    /// Places of a frame, singular values there, and a picture.
    fn workspace(
        &self,
        py: Python<'_>,
        frame: &str,
        count: usize,
        seed: u64,
    ) -> PyResult<(Vec<f64>, Vec<f64>, String)> {
        let draw = || Workspace::draw::<f64>(&self.model, frame, count, seed);
        let space = py.detach(draw).map_err(wrong)?;
        let svg = space.svg(&format!("{}: {frame}", self.model.name()));
        Ok((space.points.iter().flat_map(|p| p.to_array()).collect(), space.holds, svg))
    }

    /// Coordinates of all joints.
    fn joint_positions(&self, py: Python<'_>, q: Vec<f64>) -> PyResult<Vec<f64>> {
        py.detach(|| self.robot.joint_positions(&q)).map_err(wrong)
    }

    /// Centre of mass and quaternion of every body, seven numbers each.
    fn body_poses(&self, py: Python<'_>, q: Vec<f64>) -> PyResult<Vec<f64>> {
        let poses = py.detach(|| self.robot.body_poses(&q)).map_err(wrong)?;
        let bodies = self.model.bodies();
        let of_all =
            poses.iter().flat_map(|row| row.iter().zip(bodies).map(|(X_WL, body)| *X_WL * body.X_LB()));
        Ok(of_all.flat_map(|X| X.p.to_array().into_iter().chain(X.R.to_wxyz())).collect())
    }

    /// Smallest singular value and mobility by pose.
    fn holds(&self, py: Python<'_>, q: Vec<f64>, threads: usize) -> PyResult<(Vec<f64>, Vec<usize>)> {
        let holds = py.detach(|| self.robot.analysis(threads)?.holds(&q)).map_err(wrong)?;
        Ok((
            holds.iter().map(|pose| pose.smallest).collect(),
            holds.iter().map(|pose| pose.mobility).collect(),
        ))
    }

    fn motor_jacobian(&self, q: Vec<f64>, frame: &str) -> PyResult<Vec<f64>> {
        self.robot.analysis(1).and_then(|analysis| analysis.motor_jacobian(&q, frame)).map_err(wrong)
    }

    fn branch(&self, q: Vec<f64>) -> PyResult<Vec<i8>> {
        self.robot.analysis(1).and_then(|analysis| analysis.branch(&q)).map_err(wrong)
    }

    fn frame_singular_values(&self, q: Vec<f64>, frame: &str) -> PyResult<[f64; 3]> {
        self.robot.analysis(1).and_then(|analysis| analysis.frame_singular_values(&q, frame)).map_err(wrong)
    }

    /// Names of the driven joints, and the force that each holds.
    fn mechanical_advantage(
        &self,
        q: Vec<f64>,
        frame: &str,
        along: [f64; 3],
    ) -> PyResult<(Vec<String>, Vec<f64>)> {
        let forces = self.robot.mechanical_advantage(&q, frame, Vec3::from_array(along)).map_err(wrong)?;
        Ok((self.robot.motor_joints(&self.model), forces))
    }

    fn transmission_angle(&self, q: Vec<f64>, start: &str, end: &str, about: &str) -> PyResult<f64> {
        self.robot.transmission_angle(&q, start, end, about).map_err(wrong)
    }

    fn assembly_modes(&self, py: Python<'_>, q: Vec<f64>, starts: usize) -> PyResult<Vec<Vec<f64>>> {
        py.detach(|| self.robot.assembly_modes(&self.model, &q, starts)).map_err(wrong)
    }

    /// Frames of another skeleton as tracks of this one: seven numbers per frame and pose.
    fn tracks_of(
        &self,
        source: &Kinematics,
        q: Vec<f64>,
        pairs: Vec<(String, String)>,
        scale: f64,
    ) -> PyResult<Vec<f64>> {
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(from, to)| (&**from, &**to)).collect();
        let tracks = kinematics::tracks_of(&source.robot, &q, &self.robot, &pairs, scale).map_err(wrong)?;
        let poses = tracks.iter().flat_map(|track| &track.poses);
        Ok(poses.flat_map(|X| X.p.to_array().into_iter().chain(X.R.to_wxyz())).collect())
    }

    /// A motion of others; `how` is the period, then when feet stand (height, speed, time), then how far loops may stay open.
    fn retarget(
        &self,
        py: Python<'_>,
        tracks: Vec<Tracked>,
        start: Vec<f64>,
        how: [f64; 5],
    ) -> PyResult<Done> {
        let tracks: Vec<Track> = tracks.into_iter().map(read_track).collect();
        let [dt, height, speed, least, loop_floor] = how;
        let how = Retargeting { dt, contact: Contact { height, speed, least }, loop_floor };
        let from_start;
        let robot = if start.is_empty() {
            &self.robot
        } else {
            from_start = self.robot.clone().with_rest(&start);
            &from_start
        };
        let done = py.detach(|| robot.retarget(&tracks, how)).map_err(wrong)?;
        Ok((done.q, done.joint_position, done.target_position, done.solved, done.contact, done.error))
    }

    /// The random poses of these numbers that are safe to start from, and which were found.
    fn sample(&self, py: Python<'_>, numbers: Vec<usize>, draw: Draw) -> PyResult<(Vec<f64>, Vec<bool>)> {
        let (joints, margins, feet, attempts, seed, threads) = draw;
        let [limits_margin, clearance, singular_margin, loop_floor] = margins;
        let sampling = Sampling {
            joints,
            limits_margin,
            clearance,
            singular_margin,
            loop_floor,
            feet,
            attempts,
            seed,
            threads,
        };
        let samples = py
            .detach(|| Sampler::<f64>::new(&self.model, sampling)?.draw_numbers(&numbers))
            .map_err(wrong)?;
        Ok((samples.q, samples.found))
    }
}

fn told(found: Solution<f64>) -> Found {
    (found.q, found.solved, found.error, found.loop_gap, found.iterations)
}

fn read_track((frame, foot, turns, numbers): Tracked) -> Track {
    let pose = |x: &[f64]| {
        Pose::new(Quat::from_wxyz([x[3], x[4], x[5], x[6]]).normalized(), Vec3::new(x[0], x[1], x[2]))
    };
    Track { frame, poses: numbers.chunks_exact(7).map(pose).collect(), foot, turns }
}

fn read_settings(how: How) -> Settings {
    let (restarts, iterations, free_base, [position, angle, loops, floor], seed, threads) = how;
    Settings {
        restarts,
        iterations,
        free_base,
        position_tolerance: position,
        angle_tolerance: angle,
        loop_tolerance: loops,
        loop_floor: floor,
        seed,
        threads,
        ..Settings::default()
    }
}

fn read_goals(told: Vec<Told>) -> PyResult<Vec<Goal>> {
    told.into_iter().map(read_goal).collect()
}

fn read_goal((what, name, point, other, dof, weight, axes, second): Told) -> PyResult<Goal> {
    let vector = Vec3::from_array(point);
    let what = match what.as_str() {
        "position" => What::Position { frame: name, point: vector, relative_to: other },
        "quat_wxyz" => What::Orientation { frame: name, relative_to: other },
        "look_at" => What::LookAt { frame: name, axis: vector },
        "center_of_mass" => What::CenterOfMass,
        "joint" => What::Joint { joint: name, dof },
        "pair" => What::Pair { first: name, second: other.unwrap_or_default(), factor: vector.x },
        "hold" => What::Hold { frame: name },
        "stay" => What::Stay,
        other => return Err(said("WrongValue", format!("there is no goal {other:?}"), "")),
    };
    let priority = if second { Priority::Second } else { Priority::First };
    Ok(Goal { what, weight, axes, priority })
}

fn wrong(error: KinematicsError) -> PyErr {
    let text = error.to_string();
    match error {
        KinematicsError::NoSuchFrame(_) => {
            said("NoSuchFrame", text, "model.body_names and model.site_names list them")
        }
        KinematicsError::NoSuchJoint(_) => said("NoSuchJoint", text, "model.joint_names lists them"),
        KinematicsError::WrongSize { .. } => said("WrongShape", text, ""),
        _ => said("WrongValue", text, ""),
    }
}
