//! Many worlds at once.
//!
//! | file | what |
//! |---|---|
//! | `mod` | make a batch and step it |
//! | `access` | poses, velocities, targets of one world |
//! | `arrays` | quantities of all worlds as arrays |
//! | `inside` | what other crates see of its inside |
//! | `reset` | back to a known state: reference pose, assembly, snapshots |
//! | `keyframe` | the same for keyframes, and why one does not hold together |
//! | `part` | bodies, joints and actuators by identifier or number |
//! | `parameters` | masses, frictions, gains: for all worlds or one each |
//! | `parameter_arrays` | the same as arrays, some worlds at a time; random draws |
//! | `readouts` | link frames, sites, efforts, reactions: rows of arrays |
//! | `energy` | energy of worlds |
//! | `measure` | momentum, reactions, contacts |
//! | `sensors` | what the sensors of a model show |
//! | `warnings` | what will go wrong with these settings |

mod access;
mod activation;
mod arrays;
mod check_parameters;
mod energy;
mod inside;
mod keyframe;
mod measure;
mod parameter_arrays;
mod parameters;
mod part;
mod paths;
mod place;
mod readouts;
mod reset;
mod sensors;
mod warnings;

pub use arrays::Number;
pub use keyframe::KeyframeFault;
pub use part::Part;

use crate::memory::free_memory;
use crate::settings::{Settings, Solver};
use crate::snapshot::SnapshotHead;
use crate::threads::Threads;
use bellcrank_model::{Dof, Model, Parameters, Target};
use bellcrank_step::group::{self, Figures, Group, ITERATION_BINS, Precision};
use bellcrank_step::layout::Layout;
use bellcrank_step::settings as engine;
use bellcrank_step::status::WorldStatus;
use std::any::Any;
use std::sync::{Arc, Mutex, OnceLock};

/// How a batch runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchOptions {
    /// Step [s]; `None` for the first model's own.
    pub dt: Option<f64>,
    /// Floating-point numbers of 64 or 32 bits.
    pub precision: Precision,
    /// Threads; zero, the default, for one per core.
    pub threads: usize,
    /// One world per value instead of lanes, whatever their number: slow, for comparison. Worlds that are one or two of a
    /// model are computed so anyway; their bits are the same.
    pub scalar: bool,
    /// Contacts that a world of many loose bodies has room for; `None` for twelve per shape.
    pub contact_capacity: Option<usize>,
    /// How a step is computed.
    pub settings: Settings,
}

impl Default for BatchOptions {
    fn default() -> Self {
        BatchOptions {
            dt: None,
            precision: Precision::F64,
            threads: 0,
            scalar: false,
            contact_capacity: None,
            settings: Settings::default(),
        }
    }
}

/// Makes so many worlds of a model on another device, for steps of that length and kind; says why it cannot.
pub type MakeGroup<'a> =
    &'a dyn Fn(&Arc<Model>, usize, (f64, engine::Settings)) -> Result<Box<dyn Group>, String>;

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
    #[error("there is no {what} number {index}; there are {count}")]
    NoSuchPart { what: &'static str, index: usize, count: usize },
    #[error("this is no snapshot of the batch: {0}")]
    BadSnapshot(String),
    #[error("there is no joint {0:?} with plain coordinates{1}")]
    NoSuchJoint(String, String),
    #[error("there is no {what} {name:?}{hint}")]
    NoSuchName { what: &'static str, name: String, hint: String },
    #[error(
        "{0} has couplings, tendons or motors at sites, which Solver::AllRows does not know; use Solver::Exact"
    )]
    NotForAllRows(String),
    #[error("{0}: {1} bounces (restitution), which Solver::InteriorPoint does not know; use Solver::Exact")]
    NotForInteriorPoint(String, String),
    #[error("{0} is a pile of loose bodies, which Solver::InteriorPoint does not know; use Solver::Exact")]
    PileInInteriorPoint(String),
    #[error("{0} has {1}, which Solver::{2} does not know; use Solver::Exact")]
    NotForSolver(String, &'static str, &'static str),
    #[error(
        "world {world}: the step does not converge at this κ (residual {residual:.1e}); choose a larger one"
    )]
    NotConverged { world: usize, residual: f64 },
    #[error(
        "the chosen freedoms do not tell where the mechanism is; choose them afresh by Batch::independent_freedoms"
    )]
    NotIndependent,
    #[error("{0}: {1} have no derivatives yet; take them out of the model, or difference steps")]
    NotDifferentiable(String, &'static str),
    #[error("kappa must be a number above zero, not {0}; 1e-4 is smooth, 1e-6 nearly hard")]
    BadKappa(f64),
    #[error("{0}")]
    NoDerivative(String),
    #[error("{0} follows from the bodies and cannot be written; use assemble")]
    ReadOnly(&'static str),
    #[error("{0} is a read-out and cannot be written")]
    ReadOut(&'static str),
    #[error("{0} is known to derivatives only: there is no array of it")]
    NoArray(&'static str),
    #[error("{0} is no parameter: it has one row per world already")]
    NotAParameter(&'static str),
    #[error("{0:?} is fastened to the world and cannot be placed; assemble moves its joints")]
    Fastened(String),
    #[error("the pose for {0:?} is not finite, or its quaternion is zero")]
    BadPose(String),
    #[error("the worlds {0} and {1} are of different models; take them one model at a time")]
    MixedModels(usize, usize),
    #[error("{part}: {what}")]
    BadParameter { part: String, what: String },
    #[error("{what}: {found} values were given, expected: {expected}")]
    WrongCount { what: &'static str, found: usize, expected: usize },
    #[error(
        "{worlds} worlds need {:.1} GB of memory and {:.1} GB are free",
        *need as f64 / 1e9, *free as f64 / 1e9
    )]
    OutOfMemory { worlds: usize, need: u64, free: u64 },
    #[error("threads could not be started: {0}")]
    Threads(String),
    #[error("{0}")]
    NotOnDevice(String),
    #[error(transparent)]
    Processor(#[from] bellcrank_math::UnsupportedProcessor),
}

/// Worlds of one or several models, stepped together. A world's result does not depend on its neighbours, on the
/// number of worlds, nor on the number of threads.
pub struct Batch {
    groups: Vec<Box<dyn Group>>,
    models: Vec<Arc<Model>>,
    /// By model.
    parameters: Vec<Parameters>,
    /// By model: which world of the batch each of its worlds is.
    rows: Vec<Vec<usize>>,
    /// Group and number in it, by world.
    place: Vec<(usize, usize)>,
    dt: f64,
    precision: Precision,
    settings: Settings,
    /// What follows from them for the precision.
    engine: engine::Settings,
    /// What snapshots say of the batch; emptied when its settings change.
    head: OnceLock<SnapshotHead>,
    threads: Option<Threads>,
    /// Memory of derivatives and such, by model; emptied when parameters change.
    memory: Mutex<Vec<(usize, Box<dyn Any + Send>)>>,
}

/// Figures of a call of [`Batch::step`], by world.
#[derive(Clone, Debug, Default)]
pub struct StepReport {
    /// What became of it.
    pub status: Vec<WorldStatus>,
    /// Largest gap of a joint or coupling over the steps: metres and radians.
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
        check_memory(&[(model.clone(), worlds)], &options)?; // before so much as a list of them is made
        Self::of(&vec![model; worlds], options)
    }

    /// One world per entry; equal models (the same `Arc`) share blocks of lanes.
    ///
    /// # Errors
    /// When there is no world, or the options make no sense.
    pub fn of(worlds: &[Arc<Model>], options: BatchOptions) -> Result<Self, BatchError> {
        Self::of_groups(worlds, options, &|model, count, _| Ok(make_group(model, count, &options)))
    }

    /// The same with worlds that `make` makes, a model at a time: those of another device.
    ///
    /// # Errors
    /// When there is no world, the options make no sense, or worlds cannot be made there.
    pub fn of_groups(
        worlds: &[Arc<Model>],
        options: BatchOptions,
        make: MakeGroup<'_>,
    ) -> Result<Self, BatchError> {
        bellcrank_math::check_processor()?;
        if worlds.is_empty() {
            return Err(BatchError::NoWorlds);
        }
        let dt = options.dt.unwrap_or(worlds[0].time_step());
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(BatchError::BadTimeStep(dt));
        }
        let mut models: Vec<(Arc<Model>, usize)> = Vec::new();
        let mut place = Vec::with_capacity(worlds.len());
        let mut rows: Vec<Vec<usize>> = Vec::new();
        for (world, model) in worlds.iter().enumerate() {
            let known = models.iter().position(|(other, _)| Arc::ptr_eq(other, model));
            let g = known.unwrap_or_else(|| {
                models.push((model.clone(), 0));
                rows.push(Vec::new());
                models.len() - 1
            });
            place.push((g, models[g].1));
            models[g].1 += 1;
            rows[g].push(world);
        }
        check_memory(&models, &options)?;
        let settings = options.settings;
        let known: Vec<Arc<Model>> = models.iter().map(|(model, _)| model.clone()).collect();
        check_method(&known, &settings)?;
        let how = (dt, settings.for_precision(options.precision));
        let groups = models.iter().map(|(model, count)| make(model, *count, how));
        let groups = groups.collect::<Result<_, _>>().map_err(BatchError::NotOnDevice)?;
        let models = known;
        Ok(Batch {
            groups,
            parameters: models.iter().map(|model| Parameters::of(model)).collect(),
            rows,
            models,
            place,
            dt,
            precision: options.precision,
            settings,
            engine: settings.for_precision(options.precision),
            head: OnceLock::new(),
            threads: threads(options.threads)?,
            memory: Mutex::default(),
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

    /// Floating-point precision: f64 or f32.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// The model of a world.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn model(&self, world: usize) -> Result<&Arc<Model>, BatchError> {
        Ok(&self.models[self.find(world)?.0])
    }

    /// The different models, in the order of their first world.
    pub fn models(&self) -> &[Arc<Model>] {
        &self.models
    }

    /// How steps are computed.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What the engine is told: the settings with every number, for the batch's precision.
    pub fn engine_settings(&self) -> &engine::Settings {
        &self.engine
    }

    /// Changes how steps are computed from now on.
    ///
    /// # Errors
    /// When the method cannot take one of the models.
    pub fn set_settings(&mut self, settings: Settings) -> Result<(), BatchError> {
        check_method(&self.models, &settings)?;
        self.settings = settings;
        self.engine = settings.for_precision(self.precision);
        self.head = OnceLock::new();
        Ok(())
    }

    /// Advances all worlds by `count` steps and reports.
    pub fn step(&mut self, count: usize) -> StepReport {
        self.advance(count);
        self.report()
    }

    /// Advances all worlds by `count` steps; [`Batch::report`] gathers the figures for who wants them.
    pub fn advance(&mut self, count: usize) {
        self.advance_each(count, None);
    }

    /// The same for the first `worlds` worlds of each model, which are as many lanes' blocks as it takes: a world that shares a block
    /// with the last of them goes along, and all after it stand still. Rollouts that go on with fewer worlds than they began with
    /// bring those that are left to the front ([`Batch::copy_world`]).
    pub fn advance_first(&mut self, worlds: usize, count: usize) {
        self.advance_each(count, Some(worlds));
    }

    fn advance_each(&mut self, count: usize, worlds: Option<usize>) {
        let (dt, settings) = (self.dt, self.engine);
        let step = |group: &mut Box<dyn Group>, threads: usize| match worlds {
            None => group.step(count, dt, &settings, threads),
            Some(worlds) => group.step_first(worlds, count, dt, &settings, threads),
        };
        // a thread without a block has nothing to do, and waking it costs more than a step of one robot
        let shared = self.groups.iter().any(|group| group.block_count() > 1);
        match self.threads.as_ref().and_then(Threads::pool).filter(|_| shared) {
            None => self.groups.iter_mut().for_each(|group| step(group, 1)),
            Some(pool) => {
                let (groups, threads) = (&mut self.groups, pool.current_num_threads());
                pool.install(|| groups.iter_mut().for_each(|group| step(group, threads)));
            }
        }
    }

    /// Figures of the last call of [`Batch::step`] or [`Batch::advance`].
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

    /// State, controls, read-outs and constants of a world [bytes].
    pub fn memory_bytes_per_world(&self) -> usize {
        let total: usize = self.place.iter().map(|&(g, _)| self.groups[g].bytes_per_world()).sum();
        total / self.worlds()
    }

    /// Which model a world is of, and its number among the worlds of that model.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn find(&self, world: usize) -> Result<(usize, usize), BatchError> {
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

/// Whether a tendon is bounded or rubs.
fn has_stops(model: &Model) -> bool {
    let bounded = |dof: &Dof| dof.friction > 0.0 || dof.limits.iter().any(|limit| limit.is_finite());
    model.tendons().iter().any(|tendon| bounded(&tendon.dof))
}

/// The published method knows rows on two bodies only.
fn check_method(models: &[Arc<Model>], settings: &Settings) -> Result<(), BatchError> {
    let lines = |m: &Model| {
        !m.couplings().is_empty()
            || !m.tendons().is_empty()
            || m.actuators().iter().any(|a| a.coordinate().is_none())
    };
    let other = match settings.solver {
        Solver::InteriorPoint { .. } => Some("InteriorPoint"),
        Solver::AllRows(_) => Some("AllRows"),
        Solver::ComFree { .. } => Some("ComFree"),
        Solver::Exact { .. } => None,
    };
    for (model, solver) in models.iter().flat_map(|model| other.map(|solver| (model, solver))) {
        if model.compliance().is_some() {
            let what = "contacts that give way (compliance)";
            return Err(BatchError::NotForSolver(model.name().to_owned(), what, solver));
        }
        if solver == "InteriorPoint" && model.actuators().iter().any(|a| matches!(a.target, Target::Body(_)))
        {
            let what = "motors that make a body sticky";
            return Err(BatchError::NotForSolver(model.name().to_owned(), what, solver));
        }
        if solver == "InteriorPoint" && has_stops(model) {
            let what = "tendons with limits or dry friction";
            return Err(BatchError::NotForSolver(model.name().to_owned(), what, solver));
        }
    }
    if let Solver::InteriorPoint { .. } = settings.solver {
        for model in models {
            if Layout::of(model).pile.is_some() {
                return Err(BatchError::PileInInteriorPoint(model.name().to_owned()));
            }
            if let Some(shape) = model.shapes().iter().find(|s| s.material.restitution > 0.0) {
                let (model, shape) = (model.name().to_owned(), shape.name.clone());
                return Err(BatchError::NotForInteriorPoint(model, shape));
            }
        }
    }
    let all_rows = matches!(settings.solver, Solver::AllRows(_));
    let other = models.iter().find(|model| all_rows && lines(model));
    other.map_or(Ok(()), |model| Err(BatchError::NotForAllRows(model.name().to_owned())))
}

/// So many worlds are made without asking whether there is memory for them.
const SURELY_FITS: usize = 1_000;
/// So many are made to see how much one of them needs.
const SAMPLE: usize = 64;

/// Whether there is memory for very many worlds: what cannot be had ends the program, and no error is left to be told.
fn check_memory(models: &[(Arc<Model>, usize)], options: &BatchOptions) -> Result<(), BatchError> {
    let many = || models.iter().filter(|(_, count)| *count > SURELY_FITS);
    if many().next().is_none() {
        return Ok(());
    }
    let Some(free) = free_memory() else { return Ok(()) };
    let need_of = |(model, count): &(Arc<Model>, usize)| {
        let sample = make_group(model, SAMPLE, options);
        (sample.bytes_per_world() as u64).saturating_mul(*count as u64)
    };
    let need = many().map(need_of).fold(0, u64::saturating_add);
    let worlds = models.iter().map(|(_, count)| count).sum();
    if need > free { Err(BatchError::OutOfMemory { worlds, need, free }) } else { Ok(()) }
}

fn make_group(model: &Arc<Model>, worlds: usize, options: &BatchOptions) -> Box<dyn Group> {
    let solver = options.settings.for_precision(options.precision).solver;
    let layout = Layout::for_solver(model, &solver, options.contact_capacity);
    group::make(model, layout, worlds, options.precision, options.scalar)
}

fn threads(count: usize) -> Result<Option<Threads>, BatchError> {
    if count == 1 {
        return Ok(None);
    }
    Threads::new(count).map(Some).map_err(BatchError::Threads)
}
