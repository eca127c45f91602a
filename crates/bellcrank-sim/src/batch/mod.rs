//! Many worlds at once.
//!
//! | file | what |
//! |---|---|
//! | `mod` | make a batch and step it |
//! | `access` | poses, velocities, targets: one world, or all of them as arrays |
//! | `inside` | what other crates see of its inside |
//! | `reset` | back to a known state: reference pose, assembly, snapshots |
//! | `keyframe` | the same for keyframes, and why one does not hold together |
//! | `parameter_arrays` | the same as arrays, some worlds at a time; random draws |
//! | `parameters` | masses, frictions, gains: for all worlds or one each |
//! | `measure` | energy, momentum, reactions, contacts |
//! | `sensors` | what the sensors of a model show |
//! | `warnings` | what will go wrong with these settings |

mod access;
mod activation;
mod check_parameters;
mod inside;
mod keyframe;
mod measure;
mod parameter_arrays;
mod parameters;
mod place;
mod reset;
mod sensors;
mod warnings;

pub use keyframe::KeyframeTrouble;

use bellcrank_model::{Model, Parameters};
use bellcrank_step::group::{self, Figures, Group, ITERATION_BINS, Precision};
use bellcrank_step::layout::Layout;
use bellcrank_step::settings::{Integrator, Method, Settings};
use bellcrank_step::status::WorldStatus;
use std::any::Any;
use std::sync::{Arc, Mutex};

/// How a batch runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchOptions {
    /// Step [s].
    pub dt: f64,
    /// Numbers of 64 or 32 bits.
    pub precision: Precision,
    /// Threads; zero for one per core.
    pub threads: usize,
    /// One world per value instead of lanes, whatever their number: slow, for comparison. Worlds that are one or two of a
    /// model are computed so anyway; their bits are the same.
    pub scalar: bool,
    /// Contacts that a world of many loose bodies has room for; `None` for twelve per shape.
    pub contact_capacity: Option<usize>,
    /// How a step is computed; `None` for the defaults of the precision.
    pub settings: Option<Settings>,
}

impl Default for BatchOptions {
    fn default() -> Self {
        BatchOptions {
            dt: 0.004,
            precision: Precision::F64,
            threads: 1,
            scalar: false,
            contact_capacity: None,
            settings: None,
        }
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
    #[error("there is no {what} number {index}; there are {count}")]
    NoSuchPart { what: &'static str, index: usize, count: usize },
    #[error("this is no snapshot of the batch: {0}")]
    BadSnapshot(&'static str),
    #[error("there is no joint {0:?} with plain coordinates{1}")]
    NoSuchJoint(String, String),
    #[error("there is no {what} {name:?}{hint}")]
    NoSuchName { what: &'static str, name: String, hint: String },
    #[error(
        "{0} has couplings, tendons or motors at sites, which Method::AllRows does not know; use Method::Eliminate"
    )]
    NotForAllRows(String),
    #[error("Integrator::Variational needs Method::InteriorPoint")]
    NeedsInteriorPoint,
    #[error("Method::InteriorPoint goes with Integrator::Variational or Integrator::SemiImplicitEuler")]
    NoHalfSteps,
    #[error(
        "{0}: {1} bounces (restitution), which Method::InteriorPoint does not know; use Method::Eliminate"
    )]
    NotForInteriorPoint(String, String),
    #[error(
        "{0} is a pile of loose bodies, which Method::InteriorPoint does not know; use Method::Eliminate"
    )]
    PileInInteriorPoint(String),
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
    #[error("κ must be a number above zero, not {0}")]
    BadKappa(f64),
    #[error(
        "the contact of {0:?} and {1:?} is found by a search: it has no derivative with respect to their sizes; leave \
         these out, or use primitive shapes"
    )]
    NoDerivative(String, String),
    #[error("{0} follows from the bodies and cannot be written; use assemble")]
    ReadOnly(&'static str),
    #[error("{0:?} is fastened to the world and cannot be placed; assemble moves its joints")]
    Fastened(String),
    #[error("the pose for {0:?} is not finite, or its quaternion is zero")]
    BadPose(String),
    #[error("the worlds {0} and {1} are of different models; assemble them one model at a time")]
    MixedModels(usize, usize),
    #[error("{part}: {what}")]
    BadParameter { part: String, what: String },
    #[error("{what}: {found} values were given, expected: {expected}")]
    WrongCount { what: &'static str, found: usize, expected: usize },
    #[error("threads could not be started: {0}")]
    Threads(String),
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
    settings: Settings,
    pool: Option<rayon::ThreadPool>,
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
        Self::of(&vec![model; worlds], options)
    }

    /// One world per entry; equal models (the same `Arc`) share blocks of lanes.
    ///
    /// # Errors
    /// When there is no world, or the options make no sense.
    pub fn of(worlds: &[Arc<Model>], options: BatchOptions) -> Result<Self, BatchError> {
        bellcrank_math::check_processor()?;
        if worlds.is_empty() {
            return Err(BatchError::NoWorlds);
        }
        if !(options.dt > 0.0 && options.dt.is_finite()) {
            return Err(BatchError::BadTimeStep(options.dt));
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
        let groups = models.iter().map(|(model, count)| make_group(model, *count, &options)).collect();
        let fallback = match options.precision {
            Precision::F64 => Settings::default(),
            Precision::F32 => Settings::single(),
        };
        let settings = options.settings.unwrap_or(fallback);
        let models: Vec<Arc<Model>> = models.into_iter().map(|(model, _)| model).collect();
        check_method(&models, &settings)?;
        Ok(Batch {
            groups,
            parameters: models.iter().map(|model| Parameters::of(model)).collect(),
            rows,
            models,
            place,
            dt: options.dt,
            settings,
            pool: pool(options.threads)?,
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

    /// Changes how steps are computed from now on.
    ///
    /// # Errors
    /// When the method cannot take one of the models.
    pub fn set_settings(&mut self, settings: Settings) -> Result<(), BatchError> {
        check_method(&self.models, &settings)?;
        self.settings = settings;
        Ok(())
    }

    /// Advances all worlds by `count` steps and reports.
    pub fn step(&mut self, count: usize) -> StepReport {
        self.advance(count);
        self.report()
    }

    /// Advances all worlds by `count` steps; [`Batch::report`] gathers the figures for who wants them.
    pub fn advance(&mut self, count: usize) {
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

/// The published method knows rows on two bodies only.
fn check_method(models: &[Arc<Model>], settings: &Settings) -> Result<(), BatchError> {
    let lines = |m: &Model| {
        !m.couplings().is_empty()
            || !m.tendons().is_empty()
            || m.actuators().iter().any(|a| a.coordinate().is_none())
    };
    let interior = matches!(settings.method, Method::InteriorPoint(_));
    match settings.integrator {
        Integrator::Variational if !interior => return Err(BatchError::NeedsInteriorPoint),
        Integrator::MoreauJean if interior => return Err(BatchError::NoHalfSteps),
        _ => {}
    }
    if interior {
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
    let all_rows = matches!(settings.method, Method::AllRows(_));
    let other = models.iter().find(|model| all_rows && lines(model));
    other.map_or(Ok(()), |model| Err(BatchError::NotForAllRows(model.name().to_owned())))
}

fn make_group(model: &Arc<Model>, worlds: usize, options: &BatchOptions) -> Box<dyn Group> {
    let solver = options.settings.unwrap_or_default().solver;
    let layout = Layout::for_solver(model, &solver, options.contact_capacity);
    group::make(model, layout, worlds, options.precision, options.scalar)
}

fn pool(threads: usize) -> Result<Option<rayon::ThreadPool>, BatchError> {
    if threads == 1 {
        return Ok(None);
    }
    let built = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    built.map(Some).map_err(|error| BatchError::Threads(error.to_string()))
}
