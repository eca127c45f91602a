//! Planners that follow derivatives of steps, `bellcrank.control.Ilqr`.

use crate::batch::Batch;
use crate::control::{Told, ToldTerm, Worlds, read_sum, read_worlds, told, wrong};
use crate::model::Model;
use bellcrank::control::gradient::{self, IlqrOptions, Receding};
use bellcrank::control::{PlantState, Sum};
use numpy::PyArray1;
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Horizon, iterations, tolerance, κ or that of the solver, each length as a share of the one before.
type How = (usize, usize, f64, Option<f64>, f64);

/// iLQR with its cost.
#[pyclass(frozen, module = "bellcrank._native", name = "Ilqr")]
pub struct Ilqr {
    inner: Mutex<Inner>,
}

struct Inner {
    planner: gradient::Ilqr,
    cost: Sum,
    state: PlantState,
}

impl Ilqr {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Ilqr {
    #[new]
    fn new(
        py: Python<'_>,
        model: &Model,
        worlds: Worlds<'_>,
        how: How,
        terms: [Vec<ToldTerm>; 2],
    ) -> PyResult<Self> {
        let (horizon, iterations, tolerance, kappa, shorter) = how;
        let threads = worlds.3;
        let batch = read_worlds(py, model, worlds)?;
        let cost = read_sum(&model.inner, terms)?;
        let options = IlqrOptions { horizon, iterations, tolerance, kappa, shorter, threads };
        let planner = gradient::Ilqr::new(batch, &cost, options).map_err(wrong)?;
        Ok(Ilqr { inner: Mutex::new(Inner { planner, cost, state: PlantState::default() }) })
    }

    /// Plans from the state of a world.
    fn plan(&self, py: Python<'_>, plant: &Batch, world: usize, elapsed: f64) -> PyResult<Told> {
        let mut inner = self.lock();
        let Inner { planner, cost, state } = &mut *inner;
        plant.look(py, |batch| state.read(batch, world))?.map_err(wrong)?;
        Ok(told(&py.detach(|| planner.plan(state, cost, elapsed)).map_err(wrong)?))
    }

    /// What the motors shall be told, step after step.
    fn sequence<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.lock().planner.sequence())
    }

    /// How controls follow the state in the first step.
    fn feedback<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.lock().planner.feedback())
    }

    /// Takes controls as the plan at hand.
    fn adopt(&self, controls: Vec<f64>) -> PyResult<()> {
        self.lock().planner.adopt(&controls).map_err(wrong)
    }

    /// Forgets the plan at hand.
    fn rest(&self) {
        self.lock().planner.rest();
    }
}
