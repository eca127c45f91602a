//! The table of quantities, as Python sees it.

use crate::error::Problem;
use crate::model::Model;
use bellcrank::sim::{Kind, Quantity};
use pyo3::prelude::*;

/// Of every quantity: name, kind, whether it can be written, whether a step can be differentiated by it.
#[pyfunction]
pub fn quantities() -> Vec<(&'static str, &'static str, bool, bool)> {
    let kind = |quantity: Quantity| match quantity.kind() {
        Kind::State => "state",
        Kind::Control => "control",
        Kind::Parameter => "parameter",
        Kind::Readout => "readout",
        Kind::Direction => "direction",
    };
    Quantity::all().map(|q| (q.name(), kind(q), q.is_writable(), q.is_differentiable())).collect()
}

/// Names of all numbers of a model's row of a quantity, as `limits[knee].lower`.
#[pyfunction]
pub fn quantity_labels(model: &Model, name: &str) -> PyResult<Vec<String>> {
    Ok(Quantity::by_name(name).map_err(Problem::from)?.labels(&model.inner))
}
