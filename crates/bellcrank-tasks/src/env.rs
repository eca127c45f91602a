//! Many worlds of one task.

use crate::episode::Rows;
use crate::task::{Controls, Spec, Task};
use crate::{TASKS, by_name};
use bellcrank_math::Twist;
use bellcrank_model::Faults;
use bellcrank_sim::{Batch, BatchError, BatchOptions, Field, Precision, WorldStatus};

/// How an environment runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnvOptions {
    /// Number of worlds.
    pub worlds: usize,
    /// Threads; zero for one per core.
    pub threads: usize,
    /// Numbers of 32 or 64 bits inside the simulation; observations and rewards always have 32.
    pub precision: Precision,
    /// Worlds that end begin anew in the same step. Otherwise they go on until [`Env::reset_worlds`].
    pub autoreset: bool,
}

impl Default for EnvOptions {
    fn default() -> Self {
        EnvOptions { worlds: 1, threads: 0, precision: Precision::F32, autoreset: true }
    }
}

/// Why an environment cannot be made or asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum EnvError {
    #[error("there is no task {name:?}; known are {known}")]
    NoSuchTask { name: String, known: String },
    #[error("actions: {found} numbers were given, expected: {expected}")]
    WrongActions { found: usize, expected: usize },
    #[error("actions: number {at} of world {world} is not finite")]
    BadAction { world: usize, at: usize },
    #[error(transparent)]
    Batch(#[from] BatchError),
    #[error(transparent)]
    Model(#[from] Faults),
}

/// Worlds of a task, stepped together; arrays have one row per world.
pub struct Env {
    task: Box<dyn Task>,
    spec: Spec,
    batch: Batch,
    autoreset: bool,
    rows: Rows,
    seed: u64,
    /// By world: which episode, and how many actions of it are done.
    episode: Vec<u64>,
    age: Vec<usize>,
    memory: Vec<f32>,
    controls: [Vec<f32>; 3],
    observations: Vec<f32>,
    final_observations: Vec<f32>,
    rewards: Vec<f32>,
    terminated: Vec<bool>,
    truncated: Vec<bool>,
}

const CONTROLS: [Field; 3] = [Field::TargetPosition, Field::TargetVelocity, Field::Effort];

impl Env {
    /// Worlds of the task of that name, reset with seed 0.
    ///
    /// # Errors
    /// When there is no such task, or the options make no sense.
    pub fn new(name: &str, options: EnvOptions) -> Result<Self, EnvError> {
        let task = by_name(name).ok_or_else(|| {
            let known: Vec<&str> = TASKS.iter().map(|(name, _, _)| *name).collect();
            EnvError::NoSuchTask { name: name.to_owned(), known: known.join(", ") }
        })??;
        Self::of(task, options)
    }

    /// Worlds of a task of your own, reset with seed 0.
    ///
    /// # Errors
    /// When the options make no sense.
    pub fn of(task: Box<dyn Task>, options: EnvOptions) -> Result<Self, EnvError> {
        let (spec, worlds) = (task.spec(), options.worlds);
        let batch_options = BatchOptions {
            dt: spec.dt,
            precision: options.precision,
            threads: options.threads,
            ..BatchOptions::default()
        };
        let batch = Batch::new(task.model().clone(), worlds, batch_options)?;
        let motors = task.model().actuators().len();
        let mut env = Env {
            rows: Rows::new(task.model(), worlds),
            task,
            spec,
            batch,
            autoreset: options.autoreset,
            seed: 0,
            episode: vec![0; worlds],
            age: vec![0; worlds],
            memory: vec![0.0; worlds * spec.memory_count],
            controls: [(); 3].map(|()| vec![0.0; worlds * motors]),
            observations: vec![0.0; worlds * spec.observation_count],
            final_observations: vec![0.0; worlds * spec.observation_count],
            rewards: vec![0.0; worlds],
            terminated: vec![false; worlds],
            truncated: vec![false; worlds],
        };
        env.reset(Some(0))?;
        Ok(env)
    }

    /// Begins a first episode in every world; with a seed all chance from here on follows from it.
    ///
    /// # Errors
    /// Only where the engine itself fails.
    pub fn reset(&mut self, seed: Option<u64>) -> Result<(), EnvError> {
        if let Some(seed) = seed {
            self.seed = seed;
            self.episode.fill(0);
        }
        let all: Vec<usize> = (0..self.batch.worlds()).collect();
        self.reset_worlds(&all)
    }

    /// Begins new episodes in some worlds.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn reset_worlds(&mut self, worlds: &[usize]) -> Result<(), EnvError> {
        self.begin(worlds)?;
        self.rows.read(&self.batch)?;
        self.observe_all();
        Ok(())
    }

    /// One action per world: numbers beyond −1 and 1 are cut.
    ///
    /// # Errors
    /// When there is another number of actions than expected, or one is not finite; nothing has happened then.
    pub fn step(&mut self, actions: &[f32]) -> Result<(), EnvError> {
        self.drive(actions)?;
        for (field, values) in CONTROLS.iter().zip(&self.controls) {
            self.batch.write_f32(*field, values)?;
        }
        let report = self.batch.step(self.spec.decimation);
        self.rows.read(&self.batch)?;
        let mut ended = Vec::new();
        for (world, status) in report.status.iter().enumerate() {
            let memory = row_mut(&mut self.memory, self.spec.memory_count, world);
            let verdict = self.task.judge(self.rows.world(world), memory);
            let frozen = matches!(status, WorldStatus::Frozen { .. });
            self.age[world] += 1;
            self.rewards[world] = if verdict.reward.is_finite() { verdict.reward } else { 0.0 };
            self.terminated[world] = verdict.terminated || frozen;
            self.truncated[world] = !self.terminated[world] && self.age[world] >= self.spec.episode_steps;
            if self.terminated[world] || self.truncated[world] {
                ended.push(world);
            }
        }
        self.observe_all();
        self.final_observations.copy_from_slice(&self.observations);
        if self.autoreset && !ended.is_empty() {
            self.reset_worlds(&ended)?;
        }
        Ok(())
    }

    fn drive(&mut self, actions: &[f32]) -> Result<(), EnvError> {
        let (worlds, n) = (self.batch.worlds(), self.spec.action_count);
        if actions.len() != worlds * n {
            return Err(EnvError::WrongActions { found: actions.len(), expected: worlds * n });
        }
        if let Some(bad) = actions.iter().position(|x| !x.is_finite()) {
            return Err(EnvError::BadAction { world: bad / n, at: bad % n });
        }
        let motors = self.task.model().actuators().len();
        let mut action = vec![0.0; n];
        let [position, velocity, effort] = &mut self.controls;
        for world in 0..worlds {
            action.copy_from_slice(&actions[world * n..(world + 1) * n]);
            action.iter_mut().for_each(|x| *x = x.clamp(-1.0, 1.0));
            let controls = Controls {
                target_position: row_mut(position, motors, world),
                target_velocity: row_mut(velocity, motors, world),
                effort: row_mut(effort, motors, world),
            };
            self.task.drive(&action, row_mut(&mut self.memory, self.spec.memory_count, world), controls);
        }
        Ok(())
    }

    /// Puts worlds to new starts: reference pose, assembled around the chosen coordinates, settled, set in motion.
    fn begin(&mut self, worlds: &[usize]) -> Result<(), EnvError> {
        let mut starts = Vec::with_capacity(worlds.len());
        for &world in worlds {
            self.batch.reset(world)?;
            let memory = row_mut(&mut self.memory, self.spec.memory_count, world);
            memory.fill(0.0);
            let mut random = crate::Random::new(self.seed, world, self.episode[world]);
            starts.push(self.task.start(&mut random, memory));
            self.episode[world] += 1;
            self.age[world] = 0;
        }
        let joints = self.task.start_joints();
        let column = |k: usize| starts.iter().map(|start| start.coordinates[k]).collect::<Vec<f64>>();
        let columns: Vec<Vec<f64>> = (0..joints.len()).map(column).collect();
        let targets: Vec<(&str, &[f64])> =
            joints.iter().copied().zip(columns.iter().map(Vec::as_slice)).collect();
        if !targets.is_empty() {
            // a world that cannot be assembled there begins at the reference pose
            self.batch.assemble(worlds, &targets)?;
        }
        for (&world, start) in worlds.iter().zip(&starts) {
            self.place(world, start.twist)?;
        }
        for (field, values) in CONTROLS.iter().zip(&mut self.controls) {
            self.batch.read_f32(*field, values)?;
        }
        Ok(())
    }

    fn place(&mut self, world: usize, twist: Twist) -> Result<(), EnvError> {
        let bodies = self.task.model().bodies().len();
        let mut poses = Vec::with_capacity(bodies);
        for body in 0..bodies {
            poses.push(self.batch.body_pose(world, body)?);
        }
        self.task.settle(&mut poses);
        for (body, X_WB) in poses.into_iter().enumerate() {
            self.batch.set_body_pose(world, body, X_WB)?;
            let linear = twist.linear + twist.angular.cross(X_WB.p);
            self.batch.set_body_velocity(world, body, Twist::new(linear, twist.angular))?;
        }
        Ok(())
    }

    fn observe_all(&mut self) {
        let (n, m) = (self.spec.observation_count, self.spec.memory_count);
        for world in 0..self.batch.worlds() {
            let memory = &self.memory[world * m..(world + 1) * m];
            self.task.observe(self.rows.world(world), memory, row_mut(&mut self.observations, n, world));
        }
    }

    /// The task's figures.
    pub fn spec(&self) -> Spec {
        self.spec
    }

    /// The worlds themselves.
    pub fn batch(&self) -> &Batch {
        &self.batch
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
        &self.rewards
    }

    /// `(worlds,)`: the robot failed in the last step.
    pub fn terminated(&self) -> &[bool] {
        &self.terminated
    }

    /// `(worlds,)`: the episode was cut off after the last step.
    pub fn truncated(&self) -> &[bool] {
        &self.truncated
    }
}

fn row_mut<T>(table: &mut [T], width: usize, row: usize) -> &mut [T] {
    &mut table[row * width..(row + 1) * width]
}
