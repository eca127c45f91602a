//! All ways to assemble a small linkage with its motors where they are, and how well it passes forces on.

use crate::error::KinematicsError;
use crate::goal::Goal;
use crate::robot::Kinematics;
use crate::solve::{Settings, turn_somehow};
use bellcrank_math::{Random, Vec3};
use bellcrank_model::{JointId, JointKind, Model};

/// Poses whose bodies are nearer to each other than this are the same \[m, rad\].
const SAME: f64 = 1e-4;

impl Kinematics<f64> {
    /// Poses that close with the driven coordinates as in `q`, each once, limits kept: the assembly modes that searches from `starts` random
    /// poses find. A search can miss one; for small linkages a hundred starts are plenty. The first is `q` itself where it closes.
    ///
    /// # Errors
    /// When `q` is not one pose, or the model has no motor that drives a joint.
    pub fn assembly_modes(
        &self,
        model: &Model,
        q: &[f64],
        starts: usize,
    ) -> Result<Vec<Vec<f64>>, KinematicsError> {
        let nq = self.tree().coordinate_count();
        if q.len() != nq {
            return Err(KinematicsError::WrongSize { what: "q", found: q.len(), rows: 1, width: nq });
        }
        let all = self.joint_positions(q)?;
        let (mut goals, mut target) = (Vec::new(), Vec::new());
        for (joint, dof) in model.actuators().iter().filter_map(|actuator| actuator.coordinate()) {
            let before = model.joints()[..joint.index()].iter().map(|joint| joint.kind.coordinate_count());
            let name = model.joints()[joint.index()].name.clone();
            goals.push(Goal::new(crate::What::Joint { joint: name, dof }));
            target.push(all[before.sum::<usize>() + dof]);
        }
        let mut found: Vec<Vec<f64>> = Vec::new();
        let mut places: Vec<Vec<f64>> = Vec::new();
        for seed in 0..=starts {
            // a search of its own from a random pose: the first one starts at q
            let start = if seed == 0 { q.to_vec() } else { self.random_pose(q, seed as u64) };
            let problem = self.problem(&goals, Settings { restarts: 0, ..Settings::default() })?;
            let pose = problem.solve(&target, &start)?;
            if !pose.solved[0] {
                continue;
            }
            let place = self.places(&pose.q)?;
            let same = |other: &Vec<f64>| other.iter().zip(&place).all(|(a, b)| (a - b).abs() < SAME);
            if !places.iter().any(same) {
                places.push(place);
                found.push(pose.q);
            }
        }
        Ok(found)
    }

    /// Any values of all joints, within limits; bases stay.
    fn random_pose(&self, q: &[f64], seed: u64) -> Vec<f64> {
        let (mut random, limits, mut q) = (Random::new(seed, 0, 1), self.limits(), q.to_vec());
        for slot in self.tree().slots() {
            if slot.kind == JointKind::Spherical {
                let at: Vec<usize> = slot.q.clone().collect();
                turn_somehow(&mut random, 2.0, &mut q, &at);
            } else if slot.kind.has_scalar_coordinates() {
                for (d, (k, v)) in slot.q.clone().zip(slot.v.clone()).enumerate() {
                    let reach = if slot.kind.is_angle(d) { core::f64::consts::PI } else { 0.3 };
                    let low = if limits[v][0].is_finite() { limits[v][0] } else { q[k] - reach };
                    let high = if limits[v][1].is_finite() { limits[v][1] } else { q[k] + reach };
                    q[k] = random.between(low, high);
                }
            }
        }
        q
    }

    /// Where all bodies are and which way two of their axes point: numbers that tell poses apart whatever turns joints count.
    fn places(&self, q: &[f64]) -> Result<Vec<f64>, KinematicsError> {
        let bodies = self.body_poses(q)?.remove(0);
        let numbers = |X: &bellcrank_math::Pose| {
            [X.p, X.R.rotate(Vec3::x_axis()), X.R.rotate(Vec3::z_axis())].map(Vec3::to_array).concat()
        };
        Ok(bodies.iter().flat_map(numbers).collect())
    }

    /// The angle at which a rod hands its force on to what it drives: between the rod, from joint `from` to joint `to`, and the way that
    /// `to` moves, which is across its own lever about the joint `about` \[rad\], in [0, π/2]. At π/2 all of the force does work, at 0 none:
    /// the dead point of a four-bar. (Volmer; in German *Übertragungswinkel*.)
    ///
    /// # Errors
    /// When a joint is not there or `q` is not one pose.
    pub fn transmission_angle(
        &self,
        q: &[f64],
        from: &str,
        to: &str,
        about: &str,
    ) -> Result<f64, KinematicsError> {
        let bodies = self.body_poses(q)?;
        let (Some(bodies), 1) = (bodies.first(), bodies.len()) else {
            let width = self.tree().coordinate_count();
            return Err(KinematicsError::WrongSize { what: "q", found: q.len(), rows: 1, width });
        };
        let place = |name: &str| {
            let joint = self.joints.iter().find(|joint| joint.name == *name);
            let joint = joint.ok_or_else(|| KinematicsError::NoSuchJoint(name.to_owned()))?;
            let X_WP = joint.predecessor.map_or(bellcrank_math::Pose::identity(), |body| bodies[body]);
            Ok::<Vec3, KinematicsError>((X_WP * joint.X_PF).p)
        };
        let (a, b, c) = (place(from)?, place(to)?, place(about)?);
        let (rod, lever) = (b - a, b - c);
        let (across, along) = (rod.cross(lever).norm(), rod.dot(lever).abs());
        Ok(across.atan2(along))
    }
}

impl Kinematics<f64> {
    /// Force along a direction of the world that each motor's unit of effort holds at a frame with the others at rest \[N per N·m or N\]: one
    /// over the frame's rate along it per rate of the motor; infinite where that motor does not move it that way.
    ///
    /// # Errors
    /// When there is no such frame, or `q` is not one pose.
    pub fn mechanical_advantage(
        &self,
        q: &[f64],
        frame: &str,
        along: Vec3,
    ) -> Result<Vec<f64>, KinematicsError> {
        let K = self.analysis(1)?.motor_jacobian(q, frame)?;
        let (motors, n) = (K.len() / 6, along.normalized().to_array());
        let rate = |m: usize| (0..3).map(|r| n[r] * K[r * motors + m]).sum::<f64>();
        Ok((0..motors).map(|m| rate(m).recip().abs()).collect())
    }

    /// Names of the driven joints, in the order of motors everywhere here.
    pub fn motor_joints(&self, model: &Model) -> Vec<String> {
        let mut names: Vec<(JointId, usize)> = Vec::new();
        for driven in model.actuators().iter().filter_map(|actuator| actuator.coordinate()) {
            if !names.contains(&driven) {
                names.push(driven);
            }
        }
        names.iter().map(|(joint, _)| model.joints()[joint.index()].name.clone()).collect()
    }
}
