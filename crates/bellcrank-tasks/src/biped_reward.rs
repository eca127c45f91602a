//! The biped's reward: the terms of [Kamino] section 6.3 with weights of our own. Per action, at most about 5.
//!
//! | term | weight |
//! |---|---|
//! | velocity tracking exp(−|v − v*|²/0.05) | 1.5 |
//! | heading tracking exp(−e²/0.1) | 0.75 |
//! | feet touch when the gait says so, share of the two | 0.75 |
//! | the swinging foot's clearance, up to 3 cm | 0.5 |
//! | pelvis upright exp(−tilt²/0.05) | 0.5 |
//! | feet parallel to the pelvis exp(−Σ angle²/0.1) | 0.25 |
//! | survival | 0.5 |
//! | torques Σ τ² | −0.002 |
//! | action rate Σ (a − a′)² | −0.02 |
//! | vertical and tumbling velocity | −0.5, −0.05 |
//! | speed of a foot at touchdown² | −0.5 |

use crate::biped::{Biped, heading, memory, wrapped};
use crate::task::World;
use bellcrank_math::Vec3;

/// A foot is on the ground below this clearance [m].
const TOUCH: f64 = 0.002;
/// Share of a gait cycle that a foot is on the ground.
const STANCE: f64 = 0.6;
/// Clearance that earns the whole reward [m].
const CLEARANCE: f64 = 0.03;

pub(crate) fn reward(biped: &Biped, world: World<'_>, memory: &mut [f32], walks: bool) -> f32 {
    let gait = gait_terms(biped, world, memory, walks);
    (tracking(biped, world, memory) + posture(biped, world) + gait + 0.5 - effort(biped, world, memory))
        as f32
}

/// Velocity in the heading's axes, and heading.
fn tracking(biped: &Biped, world: World<'_>, memory: &[f32]) -> f64 {
    let (R, V) = (world.quat(biped.pelvis), world.twist(biped.pelvis));
    let (sin, cos) = heading(R).sin_cos();
    let forward = cos * V.linear.x + sin * V.linear.y;
    let sideways = cos * V.linear.y - sin * V.linear.x;
    let command = |k: usize| f64::from(memory[memory::COMMAND + k]);
    let miss = (forward - command(0)).powi(2) + (sideways - command(1)).powi(2);
    let error = wrapped(heading(R) - f64::from(memory[memory::HEADING]));
    1.5 * (-miss / 0.05).exp() + 0.75 * (-error * error / 0.1).exp()
}

/// Upright pelvis, parallel feet, no bouncing, no tumbling.
fn posture(biped: &Biped, world: World<'_>) -> f64 {
    let (R, V) = (world.quat(biped.pelvis), world.twist(biped.pelvis));
    let up = R.rotate(Vec3::z_axis());
    let tilt = up.x * up.x + up.y * up.y;
    let twisted: f64 =
        biped.feet.iter().map(|foot| wrapped(heading(world.quat(*foot)) - heading(R)).powi(2)).sum();
    let tumbling = V.angular.x * V.angular.x + V.angular.y * V.angular.y;
    0.5 * (-tilt / 0.05).exp() + 0.25 * (-twisted / 0.1).exp() - 0.5 * V.linear.z.powi(2) - 0.05 * tumbling
}

/// Contacts that match the gait, clearance of the swinging foot, soft touchdowns. Remembers contacts and speeds.
fn gait_terms(biped: &Biped, world: World<'_>, memory: &mut [f32], walks: bool) -> f64 {
    let mut sum = 0.0;
    for (k, foot) in biped.feet.into_iter().enumerate() {
        let clearance = biped.clearance(world, foot);
        let touches = clearance < TOUCH;
        let phase = (f64::from(memory[memory::PHASE]) + 0.5 * k as f64).fract();
        let stance = !walks || phase < STANCE;
        if touches == stance {
            sum += 0.375;
        }
        if !stance {
            sum += 0.5 * (clearance / CLEARANCE).clamp(0.0, 1.0);
        }
        if touches && memory[memory::TOUCHED + k] == 0.0 {
            sum -= 0.5 * f64::from(memory[memory::FOOT_SPEED + k]).min(0.0).powi(2);
        }
        memory[memory::TOUCHED + k] = if touches { 1.0 } else { 0.0 };
        memory[memory::FOOT_SPEED + k] = world.twist(foot).linear.z as f32;
    }
    sum
}

/// Torques as the motors give them, and changes of the action.
fn effort(biped: &Biped, world: World<'_>, memory: &[f32]) -> f64 {
    let history = &memory[memory::ACTIONS..];
    let n = biped.motors.len();
    let (mut torques, mut change) = (0.0, 0.0);
    for (k, motor) in biped.motors.iter().enumerate() {
        let target = Biped::target(history[k]);
        let torque = motor.kp * (target - world.q[motor.coordinate]) - motor.kd * world.v[motor.coordinate];
        let torque = f64::from(torque.clamp(-motor.limit, motor.limit));
        torques += torque * torque;
        change += f64::from(history[k] - history[n + k]).powi(2);
    }
    0.002 * torques + 0.02 * change
}
