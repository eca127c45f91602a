//! Many worlds at once.

use crate::assemble::Goal;
use crate::group::{ControlField, Figures, Group, ITERATION_BINS, LaneGroup, MakeGroup};
use crate::layout::DofLayout;
use crate::snapshot::Writer;
use crate::status::WorldStatus;
use crate::step::Settings;
use bellcrank_math::{Elem, Pose, Twist};
use bellcrank_model::{Model, Parameters};
use std::sync::Arc;

/// Numbers of 64 or 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 64 bits, eight worlds to a block.
    F64,
    /// 32 bits, sixteen worlds to a block.
    F32,
}

/// How a batch runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchOptions {
    /// Step [s].
    pub dt: f64,
    /// Numbers of 64 or 32 bits.
    pub precision: Precision,
    /// Threads; zero for one per core.
    pub threads: usize,
    /// One world per value instead of lanes: slow, for comparison.
    pub scalar: bool,
    /// How a step is computed; `None` for the defaults of the precision.
    pub settings: Option<Settings>,
}

impl Default for BatchOptions {
    fn default() -> Self {
        BatchOptions { dt: 0.004, precision: Precision::F64, threads: 1, scalar: false, settings: None }
    }
}

/// Why a batch cannot be made or asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)]
pub enum BatchError {
    #[error("a batch needs at least one world")]
    NoWorlds,
    #[error("the time step must be a number above zero, not {0}")]
    BadTimeStep(f64),
    #[error("there is no world {world}; the batch has {count}")]
    NoSuchWorld { world: usize, count: usize },
    #[error("there is no {what} number {index}; the model has {count}")]
    NoSuchPart { what: &'static str, index: usize, count: usize },
    #[error("this is no snapshot of the batch: {0}")]
    BadSnapshot(&'static str),
    #[error("there is no joint {0:?} with plain coordinates")]
    NoSuchJoint(String),
    #[error("{what}: {found} values were given, expected: {expected}")]
    WrongCount { what: &'static str, found: usize, expected: usize },
    #[error("threads could not be started: {0}")]
    Threads(String),
}

/// Worlds of one or several models, stepped together. A world's result does not depend on its neighbours, on the
/// number of worlds, nor on the number of threads.
pub struct Batch {
    groups: Vec<Box<dyn Group>>,
    models: Vec<Arc<Model>>,
    /// Group and number in it, by world.
    place: Vec<(usize, usize)>,
    dt: f64,
    settings: Settings,
    pool: Option<rayon::ThreadPool>,
}

/// Figures of a call of [`Batch::step`], by world.
#[derive(Clone, Debug, Default)]
pub struct StepReport {
    /// What became of it.
    pub status: Vec<WorldStatus>,
    /// Largest joint gap over the steps: metres and radians.
    pub loop_gap: Vec<(f64, f64)>,
    /// Solver iterations of the last step.
    pub iterations: Vec<f64>,
    /// Largest residual over the steps.
    pub residual: Vec<f64>,
    /// Deepest penetration over the steps [m].
    pub penetration: Vec<f64>,
    /// Contacts of the last step.
    pub contact_count: Vec<usize>,
    /// Steps that met all tolerances.
    pub converged: Vec<usize>,
}

impl Batch {
    /// `worlds` copies of one model.
    ///
    /// # Errors
    /// When there is no world, or the options make no sense.
    pub fn new(model: Arc<Model>, worlds: usize, options: BatchOptions) -> Result<Self, BatchError> {
        Self::of(&vec![model; worlds], options)
    }

    /// One world per entry; equal models (the same `Arc`) share blocks of lanes.
    ///
    /// # Errors
    /// When there is no world, or the options make no sense.
    pub fn of(worlds: &[Arc<Model>], options: BatchOptions) -> Result<Self, BatchError> {
        if worlds.is_empty() {
            return Err(BatchError::NoWorlds);
        }
        if !(options.dt > 0.0 && options.dt.is_finite()) {
            return Err(BatchError::BadTimeStep(options.dt));
        }
        let mut models: Vec<(Arc<Model>, usize)> = Vec::new();
        let mut place = Vec::with_capacity(worlds.len());
        for model in worlds {
            let known = models.iter().position(|(other, _)| Arc::ptr_eq(other, model));
            let g = known.unwrap_or_else(|| {
                models.push((model.clone(), 0));
                models.len() - 1
            });
            place.push((g, models[g].1));
            models[g].1 += 1;
        }
        let groups = models.iter().map(|(model, count)| make_group(model, *count, &options)).collect();
        let fallback = match options.precision {
            Precision::F64 => Settings::default(),
            Precision::F32 => Settings::single(),
        };
        Ok(Batch {
            groups,
            models: models.into_iter().map(|(model, _)| model).collect(),
            place,
            dt: options.dt,
            settings: options.settings.unwrap_or(fallback),
            pool: pool(options.threads)?,
        })
    }

    /// Number of worlds.
    pub fn worlds(&self) -> usize {
        self.place.len()
    }

    /// Step [s].
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// The model of a world.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn model(&self, world: usize) -> Result<&Arc<Model>, BatchError> {
        Ok(&self.models[self.find(world)?.0])
    }

    /// Advances all worlds by `count` steps.
    pub fn step(&mut self, count: usize) -> StepReport {
        let (dt, settings) = (self.dt, self.settings);
        match &self.pool {
            None => self.groups.iter_mut().for_each(|group| group.step(count, dt, &settings, 1)),
            Some(pool) => {
                let (groups, threads) = (&mut self.groups, pool.current_num_threads());
                pool.install(|| {
                    groups.iter_mut().for_each(|group| group.step(count, dt, &settings, threads))
                });
            }
        }
        self.report()
    }

    /// Figures of the last call of [`Batch::step`].
    pub fn report(&self) -> StepReport {
        let figures: Vec<Figures> = self.place.iter().map(|&(g, w)| self.groups[g].figures(w)).collect();
        StepReport {
            status: figures.iter().map(|f| f.status).collect(),
            loop_gap: figures.iter().map(|f| (f.gap_metres, f.gap_radians)).collect(),
            iterations: figures.iter().map(|f| f.iterations).collect(),
            residual: figures.iter().map(|f| f.residual).collect(),
            penetration: figures.iter().map(|f| f.penetration).collect(),
            contact_count: figures.iter().map(|f| f.contacts as usize).collect(),
            converged: figures.iter().map(|f| f.converged).collect(),
        }
    }

    /// How many world-steps of the last call took so many solver iterations; the last entry counts all above.
    pub fn iteration_counts(&self) -> Vec<u64> {
        let mut counts = [0; ITERATION_BINS];
        self.groups.iter().for_each(|group| group.add_iterations(&mut counts));
        counts.to_vec()
    }

    /// Kinetic plus potential energy of a world [J]; potential is zero at the origin.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn energy(&self, world: usize) -> Result<f64, BatchError> {
        let model = self.model(world)?;
        let mut sum = 0.0;
        for (b, body) in model.bodies().iter().enumerate() {
            let (X, V) = (self.body_pose(world, b)?, self.body_velocity(world, b)?);
            let w = X.R.rotate_inverse(V.angular);
            let spin = body.inertia.map_or(0.0, |inertia| w.dot(inertia * w));
            let kinetic = 0.5 * (body.mass * V.linear.norm_squared() + spin);
            sum += kinetic - body.mass * model.gravity().dot(X.p);
        }
        Ok(sum)
    }

    /// X_WB of a body, origin at its centre of mass.
    ///
    /// # Errors
    /// When there is no such world or body.
    pub fn body_pose(&self, world: usize, body: usize) -> Result<Pose, BatchError> {
        let (g, w) = self.find_body(world, body)?;
        Ok(self.groups[g].body_pose(w, body))
    }

    /// Twist of a body's centre of mass, world axes.
    ///
    /// # Errors
    /// When there is no such world or body.
    pub fn body_velocity(&self, world: usize, body: usize) -> Result<Twist, BatchError> {
        let (g, w) = self.find_body(world, body)?;
        Ok(self.groups[g].body_velocity(w, body))
    }

    /// Places a body; joints close again in the next step.
    ///
    /// # Errors
    /// When there is no such world or body.
    pub fn set_body_pose(&mut self, world: usize, body: usize, X_WB: Pose) -> Result<(), BatchError> {
        let (g, w) = self.find_body(world, body)?;
        self.groups[g].set_body_pose(w, body, X_WB);
        Ok(())
    }

    /// Sets a body's velocity.
    ///
    /// # Errors
    /// When there is no such world or body.
    pub fn set_body_velocity(&mut self, world: usize, body: usize, V: Twist) -> Result<(), BatchError> {
        let (g, w) = self.find_body(world, body)?;
        self.groups[g].set_body_velocity(w, body, V);
        Ok(())
    }

    /// Joint coordinates of a world, joint after joint.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn joint_position(&self, world: usize) -> Result<Vec<f64>, BatchError> {
        let (g, w) = self.find(world)?;
        Ok(self.groups[g].joint_position(w))
    }

    /// Impulse (t, o, n) of a contact slot in the last step [N·s].
    ///
    /// # Errors
    /// When there is no such world.
    pub fn contact_impulse(&self, world: usize, slot: usize) -> Result<[f64; 3], BatchError> {
        let (g, w) = self.find(world)?;
        Ok(self.groups[g].contact_impulse(w, slot))
    }

    /// Target coordinate of an actuator [rad or m].
    ///
    /// # Errors
    /// When there is no such world or actuator.
    pub fn set_target_position(
        &mut self,
        world: usize,
        actuator: usize,
        value: f64,
    ) -> Result<(), BatchError> {
        self.set_control(world, actuator, ControlField::Position, value)
    }

    /// Target velocity of an actuator [rad/s or m/s].
    ///
    /// # Errors
    /// When there is no such world or actuator.
    pub fn set_target_velocity(
        &mut self,
        world: usize,
        actuator: usize,
        value: f64,
    ) -> Result<(), BatchError> {
        self.set_control(world, actuator, ControlField::Velocity, value)
    }

    /// Effort of an actuator [N·m or N], or its control.
    ///
    /// # Errors
    /// When there is no such world or actuator.
    pub fn set_effort(&mut self, world: usize, actuator: usize, value: f64) -> Result<(), BatchError> {
        self.set_control(world, actuator, ControlField::Effort, value)
    }

    /// Back to the reference pose at rest, as if fresh.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn reset(&mut self, world: usize) -> Result<(), BatchError> {
        let (g, w) = self.find(world)?;
        self.groups[g].reset(w);
        Ok(())
    }

    /// Moves worlds to poses that close with the asked coordinates: for each joint (its first coordinate) one value
    /// per listed world. Says which worlds succeeded; the others stay as they were. Velocities become zero.
    ///
    /// # Errors
    /// When a world or joint does not exist, or the numbers of values do not fit. All worlds must be of one model.
    pub fn assemble(
        &mut self,
        worlds: &[usize],
        targets: &[(&str, &[f64])],
    ) -> Result<Vec<bool>, BatchError> {
        let Some(&first) = worlds.first() else { return Ok(Vec::new()) };
        let group = self.find(first)?.0;
        let mut local = Vec::with_capacity(worlds.len());
        for &world in worlds {
            let (g, w) = self.find(world)?;
            if g != group {
                return Err(BatchError::NoSuchWorld { world, count: self.place.len() });
            }
            local.push(w);
        }
        let model = &self.models[group];
        let mut asked = Vec::with_capacity(targets.len());
        for (name, values) in targets {
            let joint =
                model.joint_id(name).filter(|j| model.joints()[j.index()].kind.has_scalar_coordinates());
            let joint = joint.ok_or_else(|| BatchError::NoSuchJoint((*name).to_owned()))?;
            if values.len() != worlds.len() {
                let (found, expected) = (values.len(), worlds.len());
                return Err(BatchError::WrongCount { what: "assemble", found, expected });
            }
            asked.push((DofLayout { joint: joint.index(), dof: 0 }, values.to_vec()));
        }
        let goal = Goal { iterations: 100, tolerance: self.settings.gap_tolerance };
        Ok(self.groups[group].assemble(&local, &asked, goal))
    }

    /// The whole batch as bytes: with [`Batch::restore`] it resumes bit for bit.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut writer = Writer::new(self.worlds());
        self.place.iter().for_each(|&(g, w)| writer.world(&self.groups[g].save(w)));
        writer.finish()
    }

    /// Takes a snapshot of a batch of the same models back.
    ///
    /// # Errors
    /// When the bytes are damaged, of another version, or of other models; the batch is unchanged then.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), BatchError> {
        let all = crate::snapshot::read(bytes, self.worlds())?;
        let fits = |&(g, w): &(usize, usize), values: &Vec<f64>| self.groups[g].save(w).len() == values.len();
        if !self.place.iter().zip(&all).all(|(place, values)| fits(place, values)) {
            return Err(BatchError::BadSnapshot("a world is of another model"));
        }
        for (&(g, w), values) in self.place.iter().zip(&all) {
            self.groups[g].load(w, values);
        }
        Ok(())
    }

    /// State, controls and constants of a world [bytes].
    pub fn memory_bytes_per_world(&self) -> usize {
        let total: usize = self.place.iter().map(|&(g, _)| self.groups[g].bytes_per_world()).sum();
        total / self.worlds()
    }

    fn set_control(
        &mut self,
        world: usize,
        actuator: usize,
        field: ControlField,
        value: f64,
    ) -> Result<(), BatchError> {
        let (g, w) = self.find(world)?;
        let count = self.models[g].actuators().len();
        if actuator >= count {
            return Err(BatchError::NoSuchPart { what: "actuator", index: actuator, count });
        }
        self.groups[g].set_control(w, actuator, field, value);
        Ok(())
    }

    fn find(&self, world: usize) -> Result<(usize, usize), BatchError> {
        let count = self.place.len();
        self.place.get(world).copied().ok_or(BatchError::NoSuchWorld { world, count })
    }

    fn find_body(&self, world: usize, body: usize) -> Result<(usize, usize), BatchError> {
        let place = self.find(world)?;
        let count = self.models[place.0].bodies().len();
        if body >= count {
            return Err(BatchError::NoSuchPart { what: "body", index: body, count });
        }
        Ok(place)
    }
}

fn make_group(model: &Arc<Model>, worlds: usize, options: &BatchOptions) -> Box<dyn Group> {
    let parameters = Parameters::of(model);
    let job = MakeGroup { model, parameters: &parameters, worlds };
    match (options.precision, options.scalar) {
        (Precision::F64, true) => Box::new(LaneGroup::<f64>::new(model.clone(), &parameters, worlds)),
        (Precision::F32, true) => Box::new(LaneGroup::<f32>::new(model.clone(), &parameters, worlds)),
        (Precision::F64, false) => f64::with_lanes(job),
        (Precision::F32, false) => f32::with_lanes(job),
    }
}

fn pool(threads: usize) -> Result<Option<rayon::ThreadPool>, BatchError> {
    if threads == 1 {
        return Ok(None);
    }
    let built = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    built.map(Some).map_err(|error| BatchError::Threads(error.to_string()))
}
