//! A robot on two legs, and how it stands.

use super::trial::BalanceOptions;
use crate::start::listened_to;
use crate::{ControlError, Near, Sum};
use bellcrank_math::Vec3;
use bellcrank_model::{Control, Model, ModelBuilder, library};
use bellcrank_sim::Batch;
use bellcrank_step::field::Field;
use std::sync::Arc;

/// A robot whose motors hold positions.
#[derive(Clone, Debug)]
pub struct Walker {
    /// As reports name it.
    pub name: String,
    /// The robot on its ground.
    pub builder: ModelBuilder,
    /// What is to stay up, and is pushed.
    pub torso: String,
    /// Bodies of the feet, left first, and the middle of the sole in each link frame [m].
    pub feet: [(String, Vec3); 2],
    /// In which keyframe it stands.
    pub keyframe: String,
    /// It has fallen when the torso's centre of mass is below this share of its height in the keyframe.
    pub fallen: f64,
    /// How far targets are moved to try something [rad]: where it stands, which takes wide steps after a push, and where it steps.
    pub sigma: [f64; 2],
    /// How high feet are lifted when it steps [m].
    pub lift: f64,
}

/// Gains of Cassie's motors as seen at the joints [N·m/rad, N·m·s/rad], by the end of the motor's name: hips and knees carry, feet are
/// light.
const CASSIE: [(&str, f64, f64); 5] = [
    ("hip-roll", 400.0, 8.0),
    ("hip-yaw", 200.0, 4.0),
    ("hip-pitch", 400.0, 8.0),
    ("knee", 500.0, 10.0),
    ("foot", 30.0, 1.0),
];

impl Walker {
    /// Ours, every leg of which is a parallel robot.
    pub fn hybrid_biped() -> Self {
        let foot = |side: &str| (format!("{side}_foot"), Vec3::zero());
        Walker {
            name: "hybrid_biped".into(),
            builder: library::hybrid_biped(),
            torso: "pelvis".into(),
            feet: [foot("left"), foot("right")],
            keyframe: "stand".into(),
            fallen: 0.6,
            sigma: [0.15, 0.08],
            lift: 0.04,
        }
    }

    /// Cassie as the MJCF file of MuJoCo's menagerie has it. Its motors give efforts; here they hold positions, with the same largest
    /// efforts and with gains of ours, which is how such legs are driven.
    ///
    /// # Errors
    /// When a motor's name ends as none of Cassie's does.
    pub fn cassie(mut builder: ModelBuilder) -> Result<Self, ControlError> {
        let mut k = 0;
        while let Some(motor) = builder.actuator_mut(k) {
            let found = CASSIE.iter().find(|(part, ..)| motor.name.ends_with(part));
            let Some((_, kp, kd)) = found else {
                let text = format!(
                    "motor {:?} is none of Cassie's: expected names that end in {}",
                    motor.name,
                    ends()
                );
                return Err(ControlError::BadModel(text));
            };
            let most = motor.control_range[1].min(motor.effort_limit) * motor.gear.abs();
            motor.control = Control::Position { kp: *kp, kd: *kd };
            (motor.gear, motor.effort_limit) = (1.0, most);
            motor.control_range = [f64::NEG_INFINITY, f64::INFINITY];
            k += 1;
        }
        // the middle of the foot's lower edge, between the ends of its capsule
        let foot = |side: &str| (format!("{side}-foot"), Vec3::new(0.0085, 0.0412, 0.0));
        Ok(Walker {
            name: "cassie".into(),
            builder,
            torso: "cassie-pelvis".into(),
            feet: [foot("left"), foot("right")],
            keyframe: "home".into(),
            fallen: 0.6,
            sigma: [0.1, 0.1],
            lift: 0.08,
        })
    }

    /// How trials with this robot go unless told otherwise.
    pub fn options(&self) -> BalanceOptions {
        BalanceOptions::default()
    }

    /// The robot, built.
    ///
    /// # Errors
    /// The faults of the model.
    pub fn model(&self) -> Result<Arc<Model>, ControlError> {
        let built = self.builder.clone().build();
        built.map(Arc::new).map_err(|faults| ControlError::BadModel(faults.to_string()))
    }

    /// Puts a world into the keyframe, and tells its motors to stay there. Returns what they are told.
    ///
    /// # Errors
    /// When there is no such keyframe, loops do not close in it, or a motor holds no position.
    pub fn stand(&self, batch: &mut Batch, world: usize) -> Result<Vec<f64>, ControlError> {
        if !batch.reset_to_keyframe(world, &self.keyframe)? {
            let fault = batch.keyframe_fault(world, &self.keyframe)?;
            let why = fault.map_or_else(|| "it cannot be taken".into(), |fault| fault.to_string());
            return Err(ControlError::BadModel(why));
        }
        let model = batch.model(world)?.clone();
        let q = batch.joint_position(world)?;
        let mut home = Vec::new();
        for (a, motor) in model.actuators().iter().enumerate() {
            let joint = motor.coordinate().filter(|_| listened_to(&motor.control) == Field::TargetPosition);
            let Some((joint, dof)) = joint else {
                let text = format!(
                    "motor {:?} holds no position of a joint, so nothing keeps the robot up",
                    motor.name
                );
                return Err(ControlError::BadModel(text));
            };
            let before = model.joints()[..joint.index()].iter().map(|joint| joint.kind.coordinate_count());
            let target = motor.gear * q[before.sum::<usize>() + dof];
            batch.set_target_position(world, a, target)?;
            home.push(target);
        }
        Ok(home)
    }

    /// The middles of the soles as points of bodies.
    ///
    /// # Errors
    /// When the model lacks one of the bodies.
    pub fn soles(&self, model: &Model) -> Result<[Near; 2], ControlError> {
        let point = |(name, p_L): &(String, Vec3)| {
            let body = Sum::body(model, name)?;
            Ok::<_, ControlError>(Near { body, point: *p_L - model.bodies()[body].X_LB().p })
        };
        Ok([point(&self.feet[0])?, point(&self.feet[1])?])
    }
}

fn ends() -> String {
    CASSIE.map(|(part, ..)| part).join(", ")
}
