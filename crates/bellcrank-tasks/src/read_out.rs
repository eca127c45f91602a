//! What an environment tells, and what may be told to it.

use crate::env::{BETWEEN, Env, EnvError, row_mut};
use crate::task::{Mirror, Spec, Tracking};
use bellcrank_math::Random;
use bellcrank_model::Model;
use bellcrank_sim::{Batch, BatchError};
use std::sync::Arc;

impl Env {
    /// The task's figures.
    pub fn spec(&self) -> Spec {
        self.spec
    }

    /// The worlds themselves.
    pub fn batch(&self) -> &Batch {
        &self.batch
    }

    /// The worlds, for a viewer that pulls at them; whoever resets a world by itself must call [`Env::reset_worlds`] too.
    pub fn batch_mut(&mut self) -> &mut Batch {
        &mut self.batch
    }

    /// Exchanges its worlds for somebody else's, of the same model and number: so that a batch can be read, recorded and shown
    /// while the environment does not need it. It must have its own again before it is asked for anything.
    pub fn exchange_worlds(&mut self, batch: &mut Batch) {
        std::mem::swap(&mut self.batch, batch);
    }

    /// The robot.
    pub fn model(&self) -> &Arc<Model> {
        self.task.model()
    }

    /// A number of the task by the name under which a config changes it. What worlds were made with (masses, the ground) stays as it is.
    pub fn setting(&mut self, name: &str) -> Option<&mut f64> {
        self.task.settings().into_iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Gives a world's robot a command: forward and sideways velocity [m/s], turning rate [rad/s].
    ///
    /// # Errors
    /// When there is no such world, or the task takes no commands.
    pub fn tell(&mut self, world: usize, command: [f32; 3]) -> Result<(), EnvError> {
        let count = self.batch.worlds();
        if world >= count {
            return Err(BatchError::NoSuchWorld { world, count }.into());
        }
        let memory = row_mut(&mut self.memory, self.spec.memory_count, world);
        if self.task.tell(memory, command) { Ok(()) } else { Err(EnvError::NoCommands) }
    }

    /// `(worlds, observation_count)` after the last step or reset; of the new episode where one has ended.
    pub fn observations(&self) -> &[f32] {
        &self.observations
    }

    /// The same, but of the episode that has ended.
    pub fn final_observations(&self) -> &[f32] {
        &self.final_observations
    }

    /// `(worlds,)` of the last step.
    pub fn rewards(&self) -> &[f32] {
        &self.outcome.rewards
    }

    /// `(worlds, terms)` of the last step: what the rewards are the sums of.
    pub fn reward_terms(&self) -> &[f32] {
        &self.outcome.terms
    }

    /// Their names.
    pub fn reward_term_names(&self) -> &'static [&'static str] {
        self.task.reward_terms()
    }

    /// `(worlds,)`: how commands were followed in the last step; empty where there are none.
    pub fn tracking(&self) -> &[Tracking] {
        &self.outcome.tracking
    }

    /// `(worlds,)`: the robot was pushed before the last action.
    pub fn pushed(&self) -> &[bool] {
        &self.pushed
    }

    /// Makes worlds of different age, as if their episodes had begun at different times: they are not all cut off at once.
    pub fn stagger(&mut self) {
        let (seed, steps) = (self.seed ^ BETWEEN, self.spec.episode_steps as f64);
        for (world, age) in self.age.iter_mut().enumerate() {
            *age = Random::new(seed, self.first_world + world, 2).between(0.0, steps) as usize;
        }
    }

    /// `(worlds,)`: the robot failed in the last step.
    pub fn terminated(&self) -> &[bool] {
        &self.outcome.terminated
    }

    /// `(worlds,)`: the episode was cut off after the last step.
    pub fn truncated(&self) -> &[bool] {
        &self.outcome.truncated
    }

    /// Left and right exchanged in observations and in actions, where the task has such a symmetry.
    pub fn mirrors(&self) -> Option<[Mirror; 2]> {
        self.task.mirrors()
    }
}
