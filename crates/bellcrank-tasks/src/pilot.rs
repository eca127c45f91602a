//! A task in somebody else's batch: some of its worlds are observed and driven as an environment would, without its chance.
//! For viewers and demos, whose batches hold other machines too.

use crate::episode::Rows;
use crate::task::{Controls, Task};
use bellcrank_math::Random;
use bellcrank_sim::{Batch, BatchError};

/// A robot that has gone further than this between two actions was put there by somebody [m].
const LONGEST_WAY: f64 = 0.5;

/// Some worlds of a batch, all of the task's model.
pub struct Pilot {
    task: Box<dyn Task>,
    worlds: Vec<usize>,
    commands: Vec<[f32; 3]>,
    memory: Vec<f32>,
    /// Where the robots' first bodies were at the last action.
    before: Vec<[f32; 3]>,
    observations: Vec<f32>,
    rows: Option<Rows>,
}

impl Pilot {
    /// Drives these worlds with one command each: forward and sideways velocity [m/s], turning rate [rad/s].
    pub fn new(task: Box<dyn Task>, worlds: Vec<(usize, [f32; 3])>) -> Self {
        let (spec, count) = (task.spec(), worlds.len());
        let mut pilot = Pilot {
            task,
            commands: worlds.iter().map(|(_, command)| *command).collect(),
            worlds: worlds.into_iter().map(|(world, _)| world).collect(),
            memory: vec![0.0; count * spec.memory_count],
            before: vec![[0.0; 3]; count],
            observations: vec![0.0; count * spec.observation_count],
            rows: None,
        };
        (0..count).for_each(|k| pilot.begin(k));
        pilot
    }

    /// Forgets what a robot has done.
    fn begin(&mut self, k: usize) {
        let count = self.task.spec().memory_count;
        let memory = &mut self.memory[k * count..(k + 1) * count];
        memory.fill(0.0);
        self.task.start(&mut Random::new(0, self.worlds[k], 0), memory);
        self.task.tell(memory, self.commands[k]);
    }

    /// What the policy sees, one row per driven world. Robots that have fallen are put back to the reference pose.
    ///
    /// # Errors
    /// When a world is not in the batch.
    pub fn observe(&mut self, batch: &mut Batch) -> Result<&[f32], BatchError> {
        self.read(batch)?;
        let mut terms = vec![0.0; self.task.reward_terms().len()];
        let count = self.task.spec().memory_count;
        let mut fallen = false;
        for k in 0..self.worlds.len() {
            let Some(rows) = &self.rows else { continue };
            let world = rows.world(self.worlds[k]);
            let at = [world.positions[0], world.positions[1], world.positions[2]];
            let way = (0..2).map(|i| f64::from(at[i] - self.before[k][i]).powi(2)).sum::<f64>().sqrt();
            let lost = self.task.judge(world, &mut self.memory[k * count..(k + 1) * count], &mut terms);
            self.before[k] = at;
            if lost || way > LONGEST_WAY {
                self.begin(k);
            }
            if lost {
                batch.reset(self.worlds[k])?;
                fallen = true;
            }
        }
        if fallen {
            self.read(batch)?;
        }
        let n = self.task.spec().observation_count;
        for (k, out) in self.observations.chunks_exact_mut(n).enumerate() {
            if let Some(rows) = &self.rows {
                let memory = &self.memory[k * count..(k + 1) * count];
                self.task.observe(rows.world(self.worlds[k]), memory, out);
            }
        }
        Ok(&self.observations)
    }

    fn read(&mut self, batch: &Batch) -> Result<(), BatchError> {
        let count = batch.worlds();
        if let Some(world) = self.worlds.iter().find(|world| **world >= count) {
            return Err(BatchError::NoSuchWorld { world: *world, count });
        }
        let task = self.task.as_ref();
        self.rows.get_or_insert_with(|| Rows::new(task, batch)).read(batch, None)
    }

    /// Gives the motors what actions, one row per driven world, ask for.
    ///
    /// # Errors
    /// When a world is not in the batch.
    pub fn drive(&mut self, batch: &mut Batch, actions: &[f32]) -> Result<(), BatchError> {
        let (spec, motors) = (self.task.spec(), self.task.model().actuators().len());
        let [mut position, mut velocity, mut effort] = [(); 3].map(|()| vec![0.0; motors]);
        for ((k, world), action) in
            self.worlds.iter().enumerate().zip(actions.chunks_exact(spec.action_count))
        {
            let memory = &mut self.memory[k * spec.memory_count..(k + 1) * spec.memory_count];
            let controls = Controls {
                target_position: &mut position,
                target_velocity: &mut velocity,
                effort: &mut effort,
            };
            self.task.drive(action, memory, controls);
            for a in 0..motors {
                batch.set_target_position(*world, a, position[a].into())?;
                batch.set_target_velocity(*world, a, velocity[a].into())?;
                batch.set_effort(*world, a, effort[a].into())?;
            }
        }
        Ok(())
    }
}
