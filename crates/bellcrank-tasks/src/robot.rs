//! Bipeds with flat feet, as their tasks know them: which bodies are which, how large they are, and how motors follow.

use crate::env::EnvError;
use crate::ground::Ground;
use crate::walking::{Block, Motor, block_of};
use bellcrank_model::{Control, Geometry, Model, ModelBuilder, Shape, WORLD, library};
use std::sync::Arc;

/// Motors of such a robot.
pub(crate) const MOTORS: usize = 12;
/// Its joints, all of them hinges.
pub(crate) const JOINTS: usize = 36;

/// See the module.
pub(crate) struct Robot {
    pub model: Arc<Model>,
    pub pelvis: usize,
    pub feet: [usize; 2],
    pub hull: Block,
    pub soles: [Block; 2],
    pub motors: Vec<Motor>,
    /// Joints that a start chooses, and by how much it changes them [rad].
    pub start_joints: &'static [&'static str],
    pub start_spread: f64,
    /// Motor target at an action of one [rad].
    pub reach: f32,
}

/// Names of a robot's parts, and how its task starts and drives it.
struct Naming {
    feet: [&'static str; 2],
    start_joints: &'static [&'static str],
    start_spread: f64,
    reach: f32,
}

const HYBRID: Naming = Naming {
    feet: ["left_foot", "right_foot"],
    start_joints: &[
        "left_inner_hip_pitch",
        "left_inner_knee_drive",
        "right_inner_hip_pitch",
        "right_inner_knee_drive",
    ],
    start_spread: 0.08,
    reach: 0.35,
};

const DR_LEGS: Naming = Naming {
    feet: ["foot_l", "foot_r"],
    start_joints: &["j2_l_i", "j7_l_i", "j2_r_i", "j7_r_i"],
    start_spread: 0.05,
    reach: 0.35,
};

/// Gains of every motor of DR Legs [N·m/rad, N·m·s/rad], and the inertia of its rotor [kg·m²]: [Kamino] section 6.3, and the
/// example that its authors publish.
const DR_LEGS_GAINS: Control = Control::Position { kp: 15.0, kd: 0.6 };
const DR_LEGS_ARMATURE: f64 = 0.01;

impl Robot {
    /// The biped that ships.
    pub fn hybrid(ground: &Ground) -> Result<Self, EnvError> {
        let mut b = library::hybrid_biped();
        ground.add_to(&mut b);
        Self::named(b.build()?, &HYBRID)
    }

    /// DR Legs from its authors' file, with the paper's motors, on flat ground.
    pub fn dr_legs(mut b: ModelBuilder) -> Result<Self, EnvError> {
        b.shape(Shape::new("bellcrank_ground", WORLD, Geometry::Plane).friction(0.8));
        let found = b.clone().build()?;
        for (a, actuator) in found.actuators().iter().enumerate() {
            if let Some(own) = b.actuator_mut(a) {
                own.control = DR_LEGS_GAINS;
            }
            if let Some(dof) = b.dof_of(&actuator.target) {
                dof.armature = DR_LEGS_ARMATURE;
            }
        }
        Self::named(b.build()?, &DR_LEGS)
    }

    fn named(model: Model, naming: &Naming) -> Result<Self, EnvError> {
        let missing = |what: String| EnvError::OtherRobot { what };
        let body = |name: &str| {
            let found = model.body_id(name).map(|id| id.index());
            found.ok_or_else(|| missing(format!("a body {name:?}")))
        };
        let block = |body: usize| {
            block_of(&model, body)
                .ok_or_else(|| missing(format!("a box on the body {:?}", model.bodies()[body].name)))
        };
        let (pelvis, feet) = (body("pelvis")?, [body(naming.feet[0])?, body(naming.feet[1])?]);
        if let Some(joint) = naming.start_joints.iter().find(|name| model.joint_id(name).is_none()) {
            return Err(missing(format!("a joint {joint:?}")));
        }
        let hinges = model.joints().iter().all(|joint| joint.kind.coordinate_count() == 1);
        if !hinges || (model.joints().len(), model.actuators().len()) != (JOINTS, MOTORS) {
            return Err(missing(format!("{JOINTS} hinges and {MOTORS} motors")));
        }
        Ok(Robot {
            hull: block(pelvis)?,
            soles: [block(feet[0])?, block(feet[1])?],
            pelvis,
            feet,
            motors: model.actuators().iter().map(Motor::of).collect(),
            start_joints: naming.start_joints,
            start_spread: naming.start_spread,
            reach: naming.reach,
            model: Arc::new(model),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellcrank_math::{Pose, Vec3};

    /// A sole of 0.21 × 0.12 × 0.016 m whose middle lies 10 mm below the foot's centre of mass: its lowest corner is 18 mm below.
    #[test]
    fn soles_are_where_the_model_has_them() {
        let robot = Robot::hybrid(&Ground::Flat).expect("the robot");
        for sole in robot.soles {
            assert!((sole.half - Vec3::new(0.105, 0.06, 0.008)).norm() < 1e-12);
            assert!((sole.X_BG.p - Vec3::new(0.0, 0.0, -0.01)).norm() < 1e-12, "{:?}", sole.X_BG);
            assert!((sole.lowest(Pose::identity()) + 0.018).abs() < 1e-12);
        }
        assert!((robot.hull.half - Vec3::new(0.065, 0.15, 0.045)).norm() < 1e-12);
    }

    #[test]
    fn another_robot_is_refused_by_what_it_lacks() {
        let told = |b: ModelBuilder| Robot::dr_legs(b).err().expect("refused").to_string();
        assert_eq!(
            told(library::cartpole()),
            "the robot is not the one that the task is for: it lacks a body \"pelvis\"\n  hint: give the file that its makers publish"
        );
        assert!(told(library::hybrid_biped()).contains("a body \"foot_l\""));
    }
}
