//! The quadruped's reward, per action at most about 7.
//!
//! | term | weight |
//! |---|---|
//! | velocity, forward, sideways, turning: as the command is followed, now and on average | 1, 1.5, 0.5, 0.5 |
//! | heading: exp(−e²/0.1) | 0.5 |
//! | contact: toes touch when the trot says so | 0.25 each |
//! | clearance of a swinging toe, up to 4 cm | 0.25 each |
//! | slip: horizontal velocity² of a toe that touches | −0.5 |
//! | upright trunk: exp(−tilt²/0.05) | 0.5 |
//! | alive | 0.5 |
//! | torque: Σ τ² | −0.0005 |
//! | action_rate: Σ (a − a′)² | −0.02 |
//! | bounce and tumble: vertical and tumbling velocity² | −0.5, −0.05 |
//! | fall: failed | −1 |

use crate::quadruped::{MOTORS, Quadruped, memory};
use crate::task::World;
use crate::walking::{follow, heading, velocity_ahead, wrapped};
use bellcrank_math::Vec3;

/// Names in the order of the terms.
pub(crate) const TERMS: [&str; 15] = [
    "velocity",
    "forward",
    "sideways",
    "turning",
    "heading",
    "contact",
    "clearance",
    "slip",
    "upright",
    "alive",
    "torque",
    "action_rate",
    "bounce",
    "tumble",
    "fall",
];
/// Place of the last.
pub(crate) const FALL: usize = 14;

/// A toe stands below this clearance [m].
const TOUCH: f64 = 0.002;
/// Clearance that earns the whole reward [m].
const CLEARANCE: f64 = 0.04;

/// Fills all terms but the last.
pub(crate) fn reward(robot: &Quadruped, world: World<'_>, memory: &mut [f32], terms: &mut [f32]) {
    let (R, V) = (world.quat(0), world.twist(0));
    let told = [0, 1, 2].map(|k| f64::from(memory[memory::COMMAND + k]));
    let followed = follow(velocity_ahead(R, V), told, &mut memory[memory::MEAN..memory::MEAN + 3]);
    let error = wrapped(heading(R) - f64::from(memory[memory::HEADING]));
    let up = R.rotate(Vec3::z_axis());
    let [contact, clearance, slip] = gait(robot, world, f64::from(memory[memory::PHASE]));
    let torques: f64 = (0..MOTORS).map(|k| robot.torque(k, world, memory).powi(2)).sum();
    let history = &memory[memory::ACTIONS..];
    let change: f64 = (0..MOTORS).map(|k| f64::from(history[k] - history[MOTORS + k]).powi(2)).sum();
    let all = [
        followed.now,
        1.5 * followed.mean[0],
        0.5 * followed.mean[1],
        0.5 * followed.mean[2],
        0.5 * (-error * error / 0.1).exp(),
        contact,
        clearance,
        slip,
        0.5 * (-(up.x * up.x + up.y * up.y) / 0.05).exp(),
        0.5,
        -0.0005 * torques,
        -0.02 * change,
        -0.5 * V.linear.z.powi(2),
        -0.05 * (V.angular.x.powi(2) + V.angular.y.powi(2)),
    ];
    terms.iter_mut().zip(all).for_each(|(term, x)| *term = x as f32);
}

/// Contacts that match the trot, clearance of swinging toes, no sliding.
fn gait(robot: &Quadruped, world: World<'_>, phase: f64) -> [f64; 3] {
    let [mut contact, mut clear, mut slip] = [0.0; 3];
    for (k, toe) in robot.toes.iter().enumerate() {
        let clearance = toe.lowest(world.pose(toe.body));
        let (touches, stands) = (clearance < TOUCH, Quadruped::stands(k, phase));
        if touches == stands {
            contact += 0.25;
        }
        if !stands {
            clear += 0.25 * (clearance / CLEARANCE).clamp(0.0, 1.0);
        }
        if touches {
            let V = world.twist(toe.body);
            let at = V.linear + V.angular.cross(world.quat(toe.body).rotate(toe.p_BG));
            slip -= 0.5 * (at.x * at.x + at.y * at.y);
        }
    }
    [contact, clear, slip]
}

/// Mechanical power of all motors [W]: Σ |τ q̇|.
pub(crate) fn power(robot: &Quadruped, world: World<'_>, memory: &[f32]) -> f64 {
    let of = |k: usize| robot.torque(k, world, memory) * f64::from(world.v[robot.motors[k].coordinate]);
    (0..MOTORS).map(of).map(f64::abs).sum()
}
