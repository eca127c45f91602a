//! Many worlds of one task.

use crate::Random;
use crate::choice::Choice;
use crate::episode::Rows;
use crate::outcome::Outcome;
use crate::starts::{Poses, assemble, poses_of};
use crate::task::{Controls, Spec, Start, Task};
use bellcrank_math::{Pose, Quat, Twist, Vec3};
use bellcrank_model::{Faults, Parameters};
use bellcrank_sim::{Batch, BatchError, BatchOptions, Precision, Quantity, WorldStatus};

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
    /// Steps of the simulation per step of the task's own: two halve the time step, and actions come as often as before.
    pub finer: usize,
    /// Number of the first world. All chance goes by a world's number, so that worlds of several environments are those of one.
    pub first_world: usize,
}

impl Default for EnvOptions {
    fn default() -> Self {
        EnvOptions {
            worlds: 1,
            threads: 0,
            precision: Precision::F32,
            autoreset: true,
            finer: 1,
            first_world: 0,
        }
    }
}

/// Why an environment cannot be made or asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum EnvError {
    #[error("there is no task {name:?}; known are {known}")]
    NoSuchTask { name: String, known: String },
    #[error(
        "{name} is for a robot that does not ship\n  hint: give its file (--model FILE; model= in Python)"
    )]
    NeedsRobot { name: String },
    #[error("{name} has a robot of its own\n  hint: leave the model out")]
    HasRobot { name: String },
    #[error(
        "the robot is not the one that the task is for: it lacks {what}\n  hint: give the file that its makers publish"
    )]
    OtherRobot { what: String },
    #[error("the task has no setting {name:?}; it has {known}")]
    NoSuchSetting { name: String, known: String },
    #[error("the task's setting {name:?} must be a finite number, not {value}")]
    BadSetting { name: String, value: f64 },
    #[error("actions: {found} numbers were given, expected: {expected}")]
    WrongActions { found: usize, expected: usize },
    #[error("actions: number {at} of world {world} is not finite")]
    BadAction { world: usize, at: usize },
    #[error(
        "poses to begin from: {found} numbers of bodies' poses were given, expected: a whole number of times {bodies}, all finite"
    )]
    BadStarts { found: usize, bodies: usize },
    #[error("the task takes no commands")]
    NoCommands,
    #[error("the state of an environment is {0}")]
    BadSnapshot(&'static str),
    #[error("{0}")]
    Elsewhere(String),
    #[error(transparent)]
    Batch(#[from] BatchError),
    #[error(transparent)]
    Model(#[from] Faults),
}

/// Worlds of a task, stepped together; arrays have one row per world.
pub struct Env {
    pub(crate) task: Box<dyn Task>,
    pub(crate) spec: Spec,
    pub(crate) batch: Batch,
    pub(crate) autoreset: bool,
    pub(crate) rows: Rows,
    pub(crate) poses: Poses,
    pub(crate) seed: u64,
    pub(crate) first_world: usize,
    /// By world: which episode, and how many actions of it are done.
    pub(crate) episode: Vec<u64>,
    pub(crate) age: Vec<usize>,
    /// By world: steps for which motors still follow the last action.
    pub(crate) delay: Vec<usize>,
    /// By world: pushed before the last action.
    pub(crate) pushed: Vec<bool>,
    pub(crate) memory: Vec<f32>,
    pub(crate) controls: [Vec<f32>; 3],
    pub(crate) observations: Vec<f32>,
    pub(crate) final_observations: Vec<f32>,
    pub(crate) outcome: Outcome,
}

const CONTROLS: [Quantity; 3] = [Quantity::TargetPosition, Quantity::TargetVelocity, Quantity::Effort];
/// Chance within an episode has streams of its own: the seed is changed by this.
const WITHIN: u64 = 0x5851_F42D_4C95_7F2D;
/// And so has what makes worlds differ from each other.
pub(crate) const BETWEEN: u64 = 0x1405_7B7E_F767_814F;

impl Env {
    /// Worlds of the task of that name, reset with seed 0.
    ///
    /// # Errors
    /// When there is no such task, or the options make no sense.
    pub fn new(task: impl Into<Choice>, options: EnvOptions) -> Result<Self, EnvError> {
        Self::with_settings(task, options, &[])
    }

    /// The same with some of the task's settings changed.
    ///
    /// # Errors
    /// When there is no such task or setting, or the options make no sense.
    pub fn with_settings(
        task: impl Into<Choice>,
        options: EnvOptions,
        settings: &[(String, f64)],
    ) -> Result<Self, EnvError> {
        Self::of(task.into().make(settings)?, options)
    }

    /// Episodes that begin from now on begin in one of these poses, at random, instead of the task's own: poses of all bodies' centres of mass
    /// \[m\], one robot after another. `bellcrank-kinematics` draws such that close and are free of overlap. Observations stay what they are.
    ///
    /// # Errors
    /// When that is no whole number of robots, none, or not finite.
    pub fn begin_from(&mut self, poses: &[Pose]) -> Result<(), EnvError> {
        self.poses = Poses::given(self.task.as_ref(), poses)?;
        Ok(())
    }

    /// Worlds of a task of your own, reset with seed 0.
    ///
    /// # Errors
    /// When the options make no sense.
    pub fn of(task: Box<dyn Task>, options: EnvOptions) -> Result<Self, EnvError> {
        let (mut spec, worlds) = (task.spec(), options.worlds);
        let finer = options.finer.max(1);
        (spec.dt, spec.decimation) = (spec.dt / finer as f64, spec.decimation * finer);
        let batch_options = BatchOptions {
            dt: Some(spec.dt),
            precision: options.precision,
            threads: options.threads,
            ..BatchOptions::default()
        };
        let batch = Batch::new(task.model().clone(), worlds, batch_options)?;
        let motors = task.model().actuators().len();
        let mut env = Env {
            rows: Rows::new(task.as_ref(), &batch),
            poses: Poses::of(task.as_ref())?,
            outcome: Outcome::new(task.as_ref(), worlds, options.threads)?,
            task,
            spec,
            batch,
            autoreset: options.autoreset,
            seed: 0,
            first_world: options.first_world,
            episode: vec![0; worlds],
            age: vec![0; worlds],
            delay: vec![0; worlds],
            pushed: vec![false; worlds],
            memory: vec![0.0; worlds * spec.memory_count],
            controls: [(); 3].map(|()| vec![0.0; worlds * motors]),
            observations: vec![0.0; worlds * spec.observation_count],
            final_observations: vec![0.0; worlds * spec.observation_count],
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
            self.randomise()?;
        }
        let all: Vec<usize> = (0..self.batch.worlds()).collect();
        self.reset_worlds(&all)
    }

    /// What worlds differ in follows from the seed and the world's number.
    pub(crate) fn randomise(&mut self) -> Result<(), EnvError> {
        let (seed, worlds, task) = (self.seed ^ BETWEEN, self.batch.worlds(), &self.task);
        let first = self.first_world;
        self.batch.change_parameters(0, |parameters| {
            *parameters = Parameters::of(task.model()); // those of the last seed are gone
            task.randomise(worlds, &|world| Random::new(seed, first + world, 0), parameters);
        })?;
        let finer = self.spec.decimation / task.spec().decimation;
        for (world, delay) in self.delay.iter_mut().enumerate() {
            *delay = finer * task.delay(&mut Random::new(seed, first + world, 1));
        }
        Ok(())
    }

    /// Begins new episodes in some worlds.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn reset_worlds(&mut self, worlds: &[usize]) -> Result<(), EnvError> {
        self.begin(worlds)?;
        self.rows.read(&self.batch, self.outcome.pool())?;
        let (n, m) = (self.spec.observation_count, self.spec.memory_count);
        for &world in worlds {
            let memory = &self.memory[world * m..(world + 1) * m];
            self.task.observe(self.rows.world(world), memory, row_mut(&mut self.observations, n, world));
        }
        Ok(())
    }

    /// Observes all worlds as they stand.
    pub(crate) fn look(&mut self) -> Result<(), EnvError> {
        self.rows.read(&self.batch, self.outcome.pool())?;
        let (n, m) = (self.spec.observation_count, self.spec.memory_count);
        for world in 0..self.batch.worlds() {
            let memory = &self.memory[world * m..(world + 1) * m];
            self.task.observe(self.rows.world(world), memory, row_mut(&mut self.observations, n, world));
        }
        Ok(())
    }

    /// One action per world: numbers beyond −1 and 1 are cut.
    ///
    /// # Errors
    /// When there is another number of actions than expected, or one is not finite; nothing has happened then.
    pub fn step(&mut self, actions: &[f32]) -> Result<(), EnvError> {
        self.step_by(actions, &mut |batch, count| batch.advance(count))
    }

    /// The same where someone else advances the batch by a number of steps: a viewer with its mouse, say.
    ///
    /// # Errors
    /// As those of [`Env::step`].
    pub fn step_by(
        &mut self,
        actions: &[f32],
        advance: &mut dyn FnMut(&mut Batch, usize),
    ) -> Result<(), EnvError> {
        self.check(actions)?;
        self.disturb()?;
        let old = self.drive(actions);
        let frozen = self.simulate(&old, advance)?;
        self.rows.read(&self.batch, self.outcome.pool())?;
        let places = (&mut self.memory[..], &mut self.observations[..]);
        self.outcome.judge(self.task.as_ref(), &self.rows, places);
        let mut ended = Vec::new();
        for world in 0..self.batch.worlds() {
            self.age[world] += 1;
            if self.outcome.end(world, frozen[world], self.age[world] >= self.spec.episode_steps) {
                ended.push(world);
            }
        }
        self.final_observations.copy_from_slice(&self.observations);
        if self.autoreset && !ended.is_empty() {
            self.reset_worlds(&ended)?;
        }
        Ok(())
    }

    /// Commands change and robots are pushed, by chance that follows from seed, world, episode and age.
    fn disturb(&mut self) -> Result<(), EnvError> {
        for world in 0..self.batch.worlds() {
            let moment = self.episode[world] << 32 | self.age[world] as u64;
            let mut random = Random::new(self.seed ^ WITHIN, self.first_world + world, moment);
            let memory = row_mut(&mut self.memory, self.spec.memory_count, world);
            let push = self.task.disturb(&mut random, memory);
            self.pushed[world] = push != Vec3::zero();
            if self.pushed[world] {
                self.push(world, push)?;
            }
        }
        Ok(())
    }

    /// Gives every body of a world some velocity more [m/s], so that joints do not open.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn push(&mut self, world: usize, by: Vec3) -> Result<(), EnvError> {
        for body in 0..self.task.model().bodies().len() {
            let V = self.batch.body_velocity(world, body)?;
            self.batch.set_body_velocity(world, body, Twist::new(V.linear + by, V.angular))?;
        }
        Ok(())
    }

    /// Steps until the next action. Motors of world `w` follow the old controls for the first `delay[w]` steps. Says which
    /// worlds stand frozen.
    fn simulate(
        &mut self,
        old: &[Vec<f32>; 3],
        advance: &mut dyn FnMut(&mut Batch, usize),
    ) -> Result<Vec<bool>, EnvError> {
        let n = self.spec.decimation;
        let mut switches: Vec<usize> = self.delay.iter().map(|delay| (*delay).min(n)).collect();
        switches.extend([0, n]);
        switches.sort_unstable();
        switches.dedup();
        let motors = self.task.model().actuators().len();
        for piece in switches.windows(2) {
            // what has not changed stands there already
            for ((field, new), old) in
                CONTROLS.iter().zip(&self.controls).zip(old).filter(|((_, new), old)| new != old)
            {
                let mut values = new.clone();
                for (world, _) in self.delay.iter().enumerate().filter(|(_, delay)| **delay > piece[0]) {
                    let row = world * motors..(world + 1) * motors;
                    values[row.clone()].copy_from_slice(&old[row]);
                }
                self.batch.write(*field, &values)?;
            }
            advance(&mut self.batch, piece[1] - piece[0]);
        }
        let status = self.batch.report().status;
        Ok(status.iter().map(|status| matches!(status, WorldStatus::Frozen { .. })).collect())
    }

    /// Gives all controls to the batch.
    pub(crate) fn write_controls(&mut self) -> Result<(), EnvError> {
        for (field, values) in CONTROLS.iter().zip(&self.controls) {
            self.batch.write(*field, values)?;
        }
        Ok(())
    }

    fn check(&self, actions: &[f32]) -> Result<(), EnvError> {
        let (worlds, n) = (self.batch.worlds(), self.spec.action_count);
        if actions.len() != worlds * n {
            return Err(EnvError::WrongActions { found: actions.len(), expected: worlds * n });
        }
        match actions.iter().position(|x| !x.is_finite()) {
            Some(bad) => Err(EnvError::BadAction { world: bad / n, at: bad % n }),
            None => Ok(()),
        }
    }

    /// Turns actions into controls; gives those that stood before.
    fn drive(&mut self, actions: &[f32]) -> [Vec<f32>; 3] {
        let old = self.controls.clone();
        let n = self.spec.action_count;
        let motors = self.task.model().actuators().len();
        let mut action = vec![0.0; n];
        let [position, velocity, effort] = &mut self.controls;
        for world in 0..self.batch.worlds() {
            action.copy_from_slice(&actions[world * n..(world + 1) * n]);
            action.iter_mut().for_each(|x| *x = x.clamp(-1.0, 1.0));
            let controls = Controls {
                target_position: row_mut(position, motors, world),
                target_velocity: row_mut(velocity, motors, world),
                effort: row_mut(effort, motors, world),
            };
            self.task.drive(&action, row_mut(&mut self.memory, self.spec.memory_count, world), controls);
        }
        old
    }

    /// Puts worlds to new starts: reference pose, assembled around the chosen coordinates, settled, set in motion. A robot
    /// with loops starts in one of the poses that were assembled beforehand.
    fn begin(&mut self, worlds: &[usize]) -> Result<(), EnvError> {
        let mut starts = Vec::with_capacity(worlds.len());
        for &world in worlds {
            self.batch.reset(world)?;
            let memory = row_mut(&mut self.memory, self.spec.memory_count, world);
            memory.fill(0.0);
            let mut random = Random::new(self.seed, self.first_world + world, self.episode[world]);
            let start = self.task.start(&mut random, memory);
            starts.push((start, self.poses.choose(&mut random)));
            self.episode[world] += 1;
            self.age[world] = 0;
        }
        if self.poses.is_empty() {
            let coordinates: Vec<&[f64]> = starts.iter().map(|(start, _)| &start.coordinates[..]).collect();
            assemble(&mut self.batch, self.task.as_ref(), worlds, &coordinates)?;
        }
        for (&world, (start, pose)) in worlds.iter().zip(&starts) {
            self.place(world, start, *pose)?;
        }
        for (field, values) in CONTROLS.iter().zip(&mut self.controls) {
            self.batch.read(*field, values)?;
        }
        Ok(())
    }

    fn place(&mut self, world: usize, start: &Start, pose: Option<usize>) -> Result<(), EnvError> {
        let mut poses = match pose {
            Some(k) => self.poses.get(k).to_vec(),
            None => {
                let mut poses = poses_of(&self.batch, world)?;
                self.task.settle(&mut poses);
                poses
            }
        };
        if start.turn != Quat::identity() {
            poses.iter_mut().for_each(|X| *X = Pose::new(start.turn, Vec3::zero()) * *X);
            self.task.settle(&mut poses);
        }
        poses.iter_mut().for_each(|X| X.p += start.place);
        let twist = start.twist;
        self.batch.set_body_poses(world, &poses)?;
        for (body, X_WB) in poses.into_iter().enumerate() {
            let linear = twist.linear + twist.angular.cross(X_WB.p);
            self.batch.set_body_velocity(world, body, Twist::new(linear, twist.angular))?;
        }
        Ok(())
    }
}

pub(crate) fn row_mut<T>(table: &mut [T], width: usize, row: usize) -> &mut [T] {
    &mut table[row * width..(row + 1) * width]
}
