//! Bellcrank: the physics engine for mechanisms that close on themselves.
//!
//! ```
//! use bellcrank::prelude::*;
//!
//! let model = library::four_bar().build()?;
//! println!("{}: {} loop, {} degree of freedom", model.name(), model.loops().len(), model.mobility());
//! # Ok::<(), Faults>(())
//! ```
//!
//! This crate gathers the others: [`math`] (numbers, lanes, spatial algebra), [`model`] (mechanisms), [`import`]
//! (files), [`collide`] (what touches), [`solve`] (linear algebra and solvers), [`sim`] (batches of worlds), [`gradient`] (derivatives of steps),
//! [`control`] (planners that try controls in many worlds),
//! [`kinematics`] (poses from goals), [`tree`] (batched operators on the spanning tree), [`tasks`] (learning tasks), [`learn`] (policies that learn them), [`view`] (recordings and the browser
//! viewer), [`render`] (pictures and films). All but the engine itself are features, on by default; `gpu` (kernels for graphics processors) is one that is off; the command line is the crate `bellcrank-cli`.
#![forbid(unsafe_code)]

pub use bellcrank_collide as collide;
#[cfg(feature = "control")]
pub use bellcrank_control as control;
#[cfg(feature = "gpu")]
pub use bellcrank_gpu as gpu;
#[cfg(feature = "gradient")]
pub use bellcrank_gradient as gradient;
#[cfg(feature = "import")]
pub use bellcrank_import as import;
#[cfg(feature = "kinematics")]
pub use bellcrank_kinematics as kinematics;
#[cfg(feature = "learn")]
pub use bellcrank_learn as learn;
pub use bellcrank_math as math;
pub use bellcrank_model as model;
#[cfg(feature = "render")]
pub use bellcrank_render as render;
pub use bellcrank_sim as sim;
pub use bellcrank_solve as solve;
#[cfg(feature = "learn")]
pub use bellcrank_tasks as tasks;
#[cfg(feature = "tree")]
pub use bellcrank_tree as tree;
#[cfg(feature = "view")]
pub use bellcrank_view as view;

pub mod devices;
#[cfg(all(feature = "kinematics", feature = "view"))]
pub mod posing;
#[cfg(all(feature = "kinematics", feature = "learn"))]
pub mod starts;

/// What most programs need.
pub mod prelude {
    #[cfg(feature = "gradient")]
    pub use bellcrank_gradient::{MinimalCoordinates, StepDerivatives, Transition, Wrt, transitions};
    #[cfg(feature = "import")]
    pub use bellcrank_import::{load, loads};
    pub use bellcrank_math::{Pose, Quat, Real, Sym3, Twist, Vec3, Wrench};
    pub use bellcrank_model::{
        Actuator, Body, BodyId, Coupling, Faults, Geometry, Joint, JointId, JointKind, Keyframe, Model,
        ModelBuilder, Sensor, Shape, ShapeId, Site, SiteId, WORLD, library,
    };
    pub use bellcrank_sim::{
        Batch, BatchError, BatchOptions, ComFree, ImplicitIntegrator, Integrator, InteriorPoint, Padmm,
        Precision, Quantity, Settings, Solver, StepReport, WorldStatus,
    };
}

/// The README's example, compiled and run.
#[doc = include_str!("../../../README.md")]
#[cfg(all(
    doctest,
    feature = "gradient",
    feature = "import",
    feature = "learn",
    feature = "tree",
    feature = "view"
))]
struct Readme;

/// The guide's example, compiled and run.
#[doc = include_str!("../../../docs/guides/control.md")]
#[cfg(all(doctest, feature = "control"))]
struct ControlGuide;

/// The guide's example, compiled and run.
#[doc = include_str!("../../../docs/guides/viewer.md")]
#[cfg(all(
    doctest,
    feature = "gradient",
    feature = "import",
    feature = "learn",
    feature = "tree",
    feature = "view"
))]
struct ViewerGuide;
