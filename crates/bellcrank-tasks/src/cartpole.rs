//! Swing a hanging pole up and balance it.
//!
//! Observation (5): cart position / 1.5 m, sine and cosine of the pole's angle (zero upright), cart velocity / 3 m/s,
//! pole velocity / 10 rad/s. Action (1): force on the cart, 20 N at one. Reward: (1 + cos θ)/2, less a little for
//! effort and for being off the middle. Episodes of 10 s at 50 Hz; the cart's buffers end nothing.

use crate::task::{Controls, Spec, Start, Task, World};
use bellcrank_math::Random;
use bellcrank_model::{Faults, Model, library};
use std::f64::consts::PI;
use std::sync::Arc;

const RAIL: f32 = 1.5; // [m] from the middle to either end
const FORCE: f32 = 20.0; // [N] at an action of one

/// See the module.
pub(crate) struct SwingUp {
    model: Arc<Model>,
}

impl SwingUp {
    pub fn new() -> Result<Self, Faults> {
        Ok(SwingUp { model: Arc::new(library::cartpole().build()?) })
    }
}

impl Task for SwingUp {
    fn spec(&self) -> Spec {
        Spec {
            dt: 0.01,
            decimation: 2,
            episode_steps: 500,
            observation_count: 5,
            action_count: 1,
            memory_count: 1, // the last action
        }
    }

    fn model(&self) -> &Arc<Model> {
        &self.model
    }

    fn start_joints(&self) -> &[&str] {
        &["slide", "hinge"]
    }

    fn start(&self, random: &mut Random, _memory: &mut [f32]) -> Start {
        let coordinates = vec![random.between(-0.5, 0.5), PI + random.between(-0.3, 0.3)];
        Start { coordinates, ..Start::default() }
    }

    fn drive(&self, action: &[f32], memory: &mut [f32], controls: Controls<'_>) {
        memory[0] = action[0];
        controls.effort[0] = FORCE * action[0];
    }

    fn observe(&self, world: World<'_>, _memory: &[f32], out: &mut [f32]) {
        let (sin, cos) = world.q[1].sin_cos();
        out.copy_from_slice(&[world.q[0] / RAIL, sin, cos, world.v[0] / 3.0, world.v[1] / 10.0]);
    }

    fn judge(&self, world: World<'_>, memory: &mut [f32], terms: &mut [f32]) -> bool {
        let up = 0.5 * (1.0 + world.q[1].cos());
        let off = world.q[0] / RAIL;
        terms[0] = up - 0.1 * off * off - 0.01 * memory[0] * memory[0];
        false
    }
}
