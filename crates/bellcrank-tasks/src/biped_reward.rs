//! The biped's reward: the terms of [Kamino] section 6.3 and a few more, with weights of our own. Per action, at most
//! about 8.
//!
//! | term | weight |
//! |---|---|
//! | velocity: exp(−(eₓ² + e_y²/4)/0.05) with e = v − v*: a step sways by more than it may miss | 1.0 |
//! | forward and sideways: exp(−ē²/0.01), ē over about half a second | 1.5, 0.5 |
//! | heading: exp(−e²/0.1) | 0.75 |
//! | turning: exp(−(ω̄ − ω*)²/0.02), likewise | 0.5 |
//! | contact: feet touch when the gait says so, share of the two | 1.5 |
//! | clearance of the swinging foot, up to 3 cm | 1.0 |
//! | slip: horizontal and turning velocity² of a foot that touches | −2.0, −0.1 |
//! | upright pelvis: exp(−tilt²/0.05) | 0.5 |
//! | parallel feet: exp(−Σ angle²/0.1) | 0.25 |
//! | alive | 0.5 |
//! | torque: Σ τ² | −0.001 |
//! | action_rate: Σ (a − a′)² | −0.02 |
//! | bounce and tumble: vertical and tumbling velocity² | −0.5, −0.05 |
//! | spin: (ω − ω*)² | −0.1 |
//! | touchdown: speed of a foot at touchdown² | −0.5 |
//! | fall: failed | −1 |

use crate::biped::{Biped, memory};
use crate::task::World;
use crate::walking::{follow, heading, wrapped};
use bellcrank_math::Vec3;

/// Names in the order of the terms.
pub(crate) const TERMS: [&str; 18] = [
    "velocity",
    "forward",
    "sideways",
    "heading",
    "turning",
    "contact",
    "clearance",
    "slip",
    "upright",
    "parallel_feet",
    "alive",
    "torque",
    "action_rate",
    "bounce",
    "tumble",
    "spin",
    "touchdown",
    "fall",
];
/// Place of the last.
pub(crate) const FALL: usize = 17;

/// Share of a gait cycle that a foot is on the ground.
const STANCE: f64 = 0.6;
/// Clearance that earns the whole reward [m].
const CLEARANCE: f64 = 0.03;

/// Fills all terms but the last.
pub(crate) fn reward(biped: &Biped, world: World<'_>, memory: &mut [f32], terms: &mut [f32]) {
    let tracking = tracking(biped, world, memory);
    let [contact, clearance, slip, touchdown] = gait(biped, world, memory);
    let [upright, parallel, bounce, tumble] = posture(biped, world);
    let [torque, change] = effort(biped, world, memory);
    let [velocity, forward, sideways, heading, turning, spin] = tracking;
    let all = [
        velocity, forward, sideways, heading, turning, contact, clearance, slip, upright, parallel, 0.5,
        torque, change, bounce, tumble, spin, touchdown,
    ];
    terms.iter_mut().zip(all).for_each(|(term, x)| *term = x as f32);
}

/// Velocity in the heading's axes, now and on average, heading, and turning rate on average.
fn tracking(biped: &Biped, world: World<'_>, memory: &mut [f32]) -> [f64; 6] {
    let velocity = biped.velocity(world);
    let told = [0, 1, 2].map(|k| f64::from(memory[memory::COMMAND + k]));
    let followed = follow(velocity, told, &mut memory[memory::MEAN..memory::MEAN + 3]);
    let R = world.quat(biped.robot.pelvis);
    let error = wrapped(heading(R) - f64::from(memory[memory::HEADING]));
    [
        followed.now,
        1.5 * followed.mean[0],
        0.5 * followed.mean[1],
        0.75 * (-error * error / 0.1).exp(),
        0.5 * followed.mean[2],
        -0.1 * (velocity[2] - told[2]).powi(2),
    ]
}

/// Upright pelvis, parallel feet, no bouncing, no tumbling.
fn posture(biped: &Biped, world: World<'_>) -> [f64; 4] {
    let (R, V) = (world.quat(biped.robot.pelvis), world.twist(biped.robot.pelvis));
    let up = R.rotate(Vec3::z_axis());
    let tilt = up.x * up.x + up.y * up.y;
    let ahead = heading(R);
    let twisted: f64 =
        biped.robot.feet.iter().map(|foot| wrapped(heading(world.quat(*foot)) - ahead).powi(2)).sum();
    let tumbling = V.angular.x * V.angular.x + V.angular.y * V.angular.y;
    [0.5 * (-tilt / 0.05).exp(), 0.25 * (-twisted / 0.1).exp(), -0.5 * V.linear.z.powi(2), -0.05 * tumbling]
}

/// Contacts that match the gait, clearance of the swinging foot, no sliding, soft touchdowns. Remembers contacts and speeds.
fn gait(biped: &Biped, world: World<'_>, memory: &mut [f32]) -> [f64; 4] {
    let [mut contact, mut clear, mut slip, mut touchdown] = [0.0; 4];
    for (k, foot) in biped.robot.feet.into_iter().enumerate() {
        let (clearance, touches) = (biped.clearance(world, k), biped.touches(world, k));
        let phase = (f64::from(memory[memory::PHASE]) + 0.5 * k as f64).fract();
        let stance = !biped.walks() || phase < STANCE;
        if touches == stance {
            contact += 0.75;
        }
        if !stance {
            clear += (clearance / CLEARANCE).clamp(0.0, 1.0);
        }
        if touches && memory[memory::TOUCHED + k] == 0.0 {
            touchdown -= 0.5 * f64::from(memory[memory::FOOT_SPEED + k]).min(0.0).powi(2);
        }
        let V = world.twist(foot);
        if touches {
            slip -= 2.0 * (V.linear.x.powi(2) + V.linear.y.powi(2)) + 0.1 * V.angular.z.powi(2);
        }
        memory[memory::TOUCHED + k] = if touches { 1.0 } else { 0.0 };
        memory[memory::FOOT_SPEED + k] = V.linear.z as f32;
    }
    [contact, clear, slip, touchdown]
}

/// Torque [N·m] of a motor that follows the last action without delay, with the model's own gains.
fn torque(biped: &Biped, k: usize, world: World<'_>, memory: &[f32]) -> f64 {
    biped.robot.motors[k].torque(biped.target(memory[memory::ACTIONS + k]), world)
}

/// Torques as the motors give them, and changes of the action.
fn effort(biped: &Biped, world: World<'_>, memory: &[f32]) -> [f64; 2] {
    let history = &memory[memory::ACTIONS..];
    let n = biped.robot.motors.len();
    let (mut torques, mut change) = (0.0, 0.0);
    for k in 0..n {
        torques += torque(biped, k, world, memory).powi(2);
        change += f64::from(history[k] - history[n + k]).powi(2);
    }
    [-0.001 * torques, -0.02 * change]
}

/// Mechanical power of all motors [W]: Σ |τ q̇|.
pub(crate) fn power(biped: &Biped, world: World<'_>, memory: &[f32]) -> f64 {
    let of = |(k, motor): (usize, &crate::walking::Motor)| {
        torque(biped, k, world, memory) * f64::from(world.v[motor.coordinate])
    };
    biped.robot.motors.iter().enumerate().map(of).map(f64::abs).sum()
}
