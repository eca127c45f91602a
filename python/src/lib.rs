//! The Python package's native part: a thin layer that checks what Python hands over, releases the interpreter
//! and calls the façade. Nothing is computed here.
//!
//! | file | what |
//! |---|---|
//! | `error` | Rust's errors as Python exceptions |
//! | `checks` `convert` `options` `place` | arrays, numbers, keyword arguments, the caller's line |
//! | `load` `model` `model_arrays` | files and text into `Model`; what a model tells |
//! | `builder` `builder_parts` | building a model in Python |
//! | `batch` `held` `settings` | many worlds, behind a lock, with recording and viewer; how they run |
//! | `quantities` `report` `queries` | what their arrays are; what a step reports; what rays hit |
//! | `derivatives` | how the next step depends on everything |
//! | `tree` `tree_run` | operators on the spanning tree |
//! | `kinematics` | poses from goals, and poses that are safe |
//! | `control` `control_gradient` `control_follow` | planners that try controls in many worlds; that follow derivatives; motions made dynamic |
//! | `env` `learn` `learn_env` | learning tasks; policies and what trains them; tasks in Python as the learner sees them |
//! | `distributed` | the halves of a trainer, for worlds on several machines |
//! | `cli` | the command line |

use pyo3::prelude::*;

mod batch;
mod builder;
mod builder_parts;
mod checks;
mod cli;
mod control;
mod control_follow;
mod control_gradient;
mod convert;
mod derivatives;
mod distributed;
mod env;
mod error;
mod held;
mod kinematics;
mod learn;
mod learn_env;
mod load;
mod model;
mod model_arrays;
mod options;
mod place;
mod quantities;
mod queries;
mod render;
mod report;
mod settings;
mod tree;
mod tree_run;

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::builder::ModelBuilder;
    #[pymodule_export]
    use crate::cli::run_command_line;
    #[pymodule_export]
    use crate::control::Planner;
    #[pymodule_export]
    use crate::control_follow::Following;
    #[pymodule_export]
    use crate::control_gradient::Ilqr;
    #[pymodule_export]
    use crate::distributed::{Learner, Sampler};
    #[pymodule_export]
    use crate::env::{Env, tasks_known};
    #[pymodule_export]
    use crate::kinematics::Kinematics;
    #[pymodule_export]
    use crate::learn::{Policy, Trainer, holds_run};
    #[pymodule_export]
    use crate::load::{library, load, load_builder, loads, loads_builder};
    #[pymodule_export]
    use crate::model::{Model, unpack_model};
    #[pymodule_export]
    use crate::quantities::{quantities, quantity_labels};
    #[pymodule_export]
    use crate::report::StepReport;
    #[pymodule_export]
    use crate::tree::{tree_describe, tree_run};

    #[pymodule_export]
    const DEVICES: &[&str] = bellcrank::devices::NAMES;

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
