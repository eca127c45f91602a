//! What a learner needs of worlds, whoever steps them: [`Env`] for tasks in Rust, the Python package for tasks in Python.

use crate::env::{Env, EnvError};
use crate::task::{Mirror, Spec, Tracking};

/// Worlds that a policy acts in and learns from. Arrays have one row per world; worlds that end begin anew in the same step.
pub trait Environment: Send {
    /// Number of worlds.
    fn worlds(&self) -> usize;

    /// The figures of the task.
    fn spec(&self) -> Spec;

    /// Begins a first episode in every world; all chance from here on follows from the seed.
    ///
    /// # Errors
    /// When the environment fails.
    fn reset(&mut self, seed: u64) -> Result<(), EnvError>;

    /// Makes worlds of different age, so that they are not all cut off at once.
    fn stagger(&mut self);

    /// One action per world.
    ///
    /// # Errors
    /// When the environment fails.
    fn step(&mut self, actions: &[f32]) -> Result<(), EnvError>;

    /// `(worlds, observation_count)` after the last step or reset; of the new episode where one has ended.
    fn observations(&self) -> &[f32];

    /// The same, but of the episode that has ended.
    fn final_observations(&self) -> &[f32];

    /// `(worlds,)` of the last step.
    fn rewards(&self) -> &[f32];

    /// `(worlds, terms)` of the last step: what the rewards are the sums of.
    fn reward_terms(&self) -> &[f32];

    /// Their names.
    fn reward_term_names(&self) -> Vec<&str>;

    /// `(worlds,)`: the robot failed in the last step.
    fn terminated(&self) -> &[bool];

    /// `(worlds,)`: the episode was cut off after the last step.
    fn truncated(&self) -> &[bool];

    /// `(worlds,)`: how commands were followed in the last step; empty where there are none.
    fn tracking(&self) -> &[Tracking] {
        &[]
    }

    /// `(worlds,)`: the robot was pushed before the last action; empty where nobody pushes.
    fn pushed(&self) -> &[bool] {
        &[]
    }

    /// Left and right exchanged in observations and in actions, where the task has such a symmetry.
    fn mirrors(&self) -> Option<[Mirror; 2]> {
        None
    }

    /// The environment as bytes, to go on from bit for bit; none where it has no such form.
    fn snapshot(&self) -> Option<Vec<u8>> {
        None
    }

    /// Takes a snapshot back.
    ///
    /// # Errors
    /// When the bytes are damaged or of another environment.
    fn restore(&mut self, _bytes: &[u8]) -> Result<(), EnvError> {
        Err(EnvError::BadSnapshot("of an environment that cannot be resumed"))
    }
}

impl Environment for Env {
    fn worlds(&self) -> usize {
        self.batch().worlds()
    }

    fn spec(&self) -> Spec {
        self.spec()
    }

    fn reset(&mut self, seed: u64) -> Result<(), EnvError> {
        self.reset(Some(seed))
    }

    fn stagger(&mut self) {
        self.stagger();
    }

    fn step(&mut self, actions: &[f32]) -> Result<(), EnvError> {
        self.step(actions)
    }

    fn observations(&self) -> &[f32] {
        self.observations()
    }

    fn final_observations(&self) -> &[f32] {
        self.final_observations()
    }

    fn rewards(&self) -> &[f32] {
        self.rewards()
    }

    fn reward_terms(&self) -> &[f32] {
        self.reward_terms()
    }

    fn reward_term_names(&self) -> Vec<&str> {
        self.reward_term_names().to_vec()
    }

    fn terminated(&self) -> &[bool] {
        self.terminated()
    }

    fn truncated(&self) -> &[bool] {
        self.truncated()
    }

    fn tracking(&self) -> &[Tracking] {
        self.tracking()
    }

    fn pushed(&self) -> &[bool] {
        self.pushed()
    }

    fn mirrors(&self) -> Option<[Mirror; 2]> {
        self.mirrors()
    }

    fn snapshot(&self) -> Option<Vec<u8>> {
        Some(self.snapshot())
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), EnvError> {
        self.restore(bytes)
    }
}
