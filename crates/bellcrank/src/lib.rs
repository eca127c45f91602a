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
//! (files), [`collide`] (what touches), [`solve`] (linear algebra and solvers), [`sim`] (the time step and batches of worlds),
//! [`tree`] (batched operators on the spanning tree), [`tasks`] (learning tasks), [`learn`] (policies that learn them), [`view`] (recordings and the browser
//! viewer), [`cli`] (the command line).

extern crate self as bellcrank; // the command line's files name the crate as its users do

pub mod cli;

pub use bellcrank_collide as collide;
pub use bellcrank_import as import;
pub use bellcrank_kinematics as kinematics;
pub use bellcrank_learn as learn;
pub use bellcrank_math as math;
pub use bellcrank_model as model;
pub use bellcrank_sim as sim;
pub use bellcrank_solve as solve;
pub use bellcrank_tasks as tasks;
pub use bellcrank_tree as tree;
pub use bellcrank_view as view;

/// What most programs need.
pub mod prelude {
    pub use bellcrank_import::{load, loads};
    pub use bellcrank_math::{Pose, Quat, Real, Sym3, Vec3};
    pub use bellcrank_model::{
        Actuator, Body, Coupling, Faults, Geometry, Joint, JointKind, Keyframe, Model, ModelBuilder, Sensor,
        Shape, Site, WORLD, library,
    };
    pub use bellcrank_sim::{Batch, BatchOptions, Precision, WorldStatus};
}

/// The README's example, compiled and run.
#[doc = include_str!("../../../README.md")]
#[cfg(doctest)]
struct Readme;

/// The guide's example, compiled and run.
#[doc = include_str!("../../../docs/guides/viewer.md")]
#[cfg(doctest)]
struct ViewerGuide;
