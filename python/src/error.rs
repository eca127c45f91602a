//! Rust's errors as the exceptions of `bellcrank.errors`. A variant and its exception have the same name.

use bellcrank::import::ImportError;
use bellcrank::learn::LearnError;
use bellcrank::model::{Faults, Place};
use bellcrank::render::RenderError;
use bellcrank::sim::BatchError;
use bellcrank::tasks::EnvError;
use bellcrank::view::ViewError;
use bellcrank_tree::TreeError;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::fmt::Debug;

/// Anything that goes wrong here, until it becomes an exception.
pub enum Problem {
    /// Faults of a file and of the model in it.
    Import(ImportError),
    /// Faults of a model made in Python.
    Model(Faults),
    /// What a batch refuses.
    Batch(BatchError),
    /// What a tree operator refuses.
    Tree(TreeError),
    /// What an environment refuses.
    Env(EnvError),
    /// What learning refuses.
    Learn(LearnError),
    /// What a recording or a viewer refuses.
    View(ViewError),
    Render(RenderError),
    /// Found by this layer: the exception's name, what is wrong, the way out.
    Said(&'static str, String, String),
}

/// Something that this layer finds wrong: exception, text, way out.
pub fn said(class: &'static str, text: impl Into<String>, hint: impl Into<String>) -> PyErr {
    Problem::Said(class, text.into(), hint.into()).into()
}

/// A name that is not there; the nearest known one is the hint.
pub fn no_such_name<'a>(noun: &str, name: &str, known: impl Iterator<Item = &'a String>) -> PyErr {
    let hint = match bellcrank::model::nearest(name, known) {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("the model lists its names: model.{noun}_names"),
    };
    said("NoSuchName", format!("there is no {noun} {name:?}"), hint)
}

impl From<Problem> for PyErr {
    fn from(problem: Problem) -> PyErr {
        Python::attach(|py| exception(py, problem).unwrap_or_else(|error| error))
    }
}

macro_rules! from {
    ($($error:ident => $variant:ident),*) => {
        $(impl From<$error> for Problem {
            fn from(error: $error) -> Self {
                Problem::$variant(error)
            }
        })*
    };
}
from!(ImportError => Import, Faults => Model, BatchError => Batch, TreeError => Tree, EnvError => Env, ViewError => View,
    RenderError => Render, LearnError => Learn);

fn exception(py: Python<'_>, problem: Problem) -> PyResult<PyErr> {
    let errors = py.import("bellcrank.errors")?;
    match problem {
        Problem::Import(error) => {
            let faults = error.faults.iter();
            let faults =
                faults.map(|f| fault(py, variant(&f.kind), (f.kind.to_string(), f.kind.hint()), &f.place));
            raise_faults(&errors, "LoadError", error.to_string(), faults.collect::<PyResult<Vec<_>>>()?)
        }
        Problem::Model(error) => {
            let faults = error.0.iter();
            let faults =
                faults.map(|f| fault(py, variant(&f.kind), (f.kind.to_string(), f.kind.hint()), &f.place));
            raise_faults(&errors, "ModelError", error.to_string(), faults.collect::<PyResult<Vec<_>>>()?)
        }
        Problem::Batch(error) => raise(&errors, (&variant(&error), "BatchError"), error.to_string(), None),
        Problem::Env(EnvError::Batch(error)) => exception(py, Problem::Batch(error)),
        Problem::Env(EnvError::Model(error)) => exception(py, Problem::Model(error)),
        Problem::Env(error) => raise(&errors, (&variant(&error), "EnvError"), error.to_string(), None),
        Problem::Learn(LearnError::Env(error)) => exception(py, Problem::Env(error)),
        Problem::Learn(error) => raise(&errors, (&variant(&error), "LearnError"), error.to_string(), None),
        Problem::Render(RenderError::Batch(error)) => exception(py, Problem::Batch(error)),
        Problem::Render(RenderError::View(error)) => exception(py, Problem::View(error)),
        Problem::Render(error) => raise(&errors, (&variant(&error), "ViewError"), error.to_string(), None),
        Problem::View(ViewError::Batch(error)) => exception(py, Problem::Batch(error)),
        Problem::View(error) => raise(&errors, (&variant(&error), "ViewError"), error.to_string(), None),
        Problem::Tree(error) => raise(&errors, (&variant(&error), "TreeError"), error.to_string(), None),
        Problem::Said(class, text, hint) => raise(&errors, (class, "BellcrankError"), text, Some(hint)),
    }
}

/// The name of an enum's variant.
fn variant(error: &impl Debug) -> String {
    let text = format!("{error:?}");
    let name = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    // a model's trouble inside an importer's: the inner name says more
    match text.strip_prefix("Model(") {
        Some(inner) => inner.split(|c: char| !c.is_alphanumeric()).next().unwrap_or(name).to_owned(),
        None => name.to_owned(),
    }
}

fn fault<'py>(
    py: Python<'py>,
    kind: String,
    (text, hint): (String, String),
    place: &Place,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = (kind, text, &*place.file, place.line, place.element.as_str(), hint);
    py.import("bellcrank.errors")?.getattr("Fault")?.call1(arguments)
}

fn raise_faults(
    errors: &Bound<'_, PyModule>,
    class: &str,
    text: String,
    faults: Vec<Bound<'_, PyAny>>,
) -> PyResult<PyErr> {
    let faults = PyTuple::new(errors.py(), faults)?;
    Ok(PyErr::from_value(errors.getattr(class)?.call1((text, faults))?))
}

/// An exception by name, or its family's where Python does not know that one.
fn raise(
    errors: &Bound<'_, PyModule>,
    (class, family): (&str, &str),
    text: String,
    hint: Option<String>,
) -> PyResult<PyErr> {
    let class = errors.getattr(class).or_else(|_| errors.getattr(family))?;
    let details = PyDict::new(errors.py());
    // the engine's own texts carry their hint
    let (text, hint) = match text.split_once("\n  hint: ") {
        Some((text, hint)) => (text.to_owned(), Some(hint.to_owned())),
        None => (text, hint),
    };
    if let Some(hint) = hint.filter(|hint| !hint.is_empty()) {
        details.set_item("hint", hint)?;
    }
    Ok(PyErr::from_value(class.call((text,), Some(&details))?))
}

/// For things that cannot happen; an exception all the same.
pub fn broken(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("bellcrank: {what}; please report this"))
}
