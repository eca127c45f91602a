//! What a call of `step` tells about each world. Figures are gathered when first asked for, or when the batch is about to
//! change them: a report that nobody reads costs nothing.

use crate::convert::array;
use crate::error::broken;
use crate::held::Shared;
use bellcrank::sim::{StepReport as Figures, WorldStatus};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, Weak};

/// Figures by world; every attribute is an array of shape `(worlds,)`.
#[pyclass(frozen, module = "bellcrank", name = "StepReport")]
pub struct StepReport {
    figures: Arc<OnceLock<Figures>>,
    batch: Weak<Shared>,
}

impl StepReport {
    pub fn new(figures: Arc<OnceLock<Figures>>, batch: Weak<Shared>) -> Self {
        StepReport { figures, batch }
    }

    fn figures(&self, py: Python<'_>) -> PyResult<&Figures> {
        if self.figures.get().is_none()
            && let Some(batch) = self.batch.upgrade()
        {
            batch.lock(py)?.get()?.settle_report();
        }
        self.figures.get().ok_or_else(|| broken("a report has no figures"))
    }
}

/// Adds the figures of the steps that followed: the largest, the sum, or the last, as each is defined.
pub fn merge(sum: &mut Figures, next: Figures) {
    let largest = |old: &mut Vec<f64>, new: &[f64]| {
        old.iter_mut().zip(new).for_each(|(old, new)| *old = old.max(*new));
    };
    largest(&mut sum.residual, &next.residual);
    largest(&mut sum.penetration, &next.penetration);
    for (old, new) in sum.loop_gap.iter_mut().zip(&next.loop_gap) {
        *old = (old.0.max(new.0), old.1.max(new.1));
    }
    sum.converged.iter_mut().zip(&next.converged).for_each(|(old, new)| *old += new);
    (sum.status, sum.iterations, sum.contact_count) = (next.status, next.iterations, next.contact_count);
}

#[pymethods]
impl StepReport {
    /// Numbers of :class:`bellcrank.WorldStatus`.
    #[getter]
    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let code = |status: &WorldStatus| match status {
            WorldStatus::Ok => 0_u8,
            WorldStatus::Inexact => 1,
            WorldStatus::ContactsDropped { .. } => 2,
            WorldStatus::Frozen { .. } => 3,
        };
        let codes: Vec<u8> = self.figures(py)?.status.iter().map(code).collect();
        let count = codes.len();
        array(py, codes, &[count])
    }

    /// The body that stopped being finite, -1 where none did.
    #[getter]
    fn frozen_body<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.numbers(py, |status| match status {
            WorldStatus::Frozen { body, .. } => i64::from(*body),
            _ => -1,
        })
    }

    /// The step, counted from the last reset, in which that happened; -1 where it did not.
    #[getter]
    fn frozen_step<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.numbers(py, |status| match status {
            WorldStatus::Frozen { step, .. } => i64::try_from(*step).unwrap_or(i64::MAX),
            _ => -1,
        })
    }

    /// Largest joint gap over the steps [m].
    #[getter]
    fn loop_gap<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        real(py, self.figures(py)?.loop_gap.iter().map(|gap| gap.0).collect())
    }

    /// Largest misalignment of a joint over the steps [rad].
    #[getter]
    fn loop_gap_rad<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        real(py, self.figures(py)?.loop_gap.iter().map(|gap| gap.1).collect())
    }

    /// Solver iterations of the last step.
    #[getter]
    fn iterations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        whole(py, self.figures(py)?.iterations.iter().map(|x| *x as i64).collect())
    }

    /// Largest residual over the steps.
    #[getter]
    fn residual<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        real(py, self.figures(py)?.residual.clone())
    }

    /// Deepest penetration over the steps [m].
    #[getter]
    fn penetration<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        real(py, self.figures(py)?.penetration.clone())
    }

    /// Contacts of the last step.
    #[getter]
    fn contact_count<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        whole(py, self.figures(py)?.contact_count.iter().map(|x| *x as i64).collect())
    }

    /// Steps that met all tolerances.
    #[getter]
    fn converged<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        whole(py, self.figures(py)?.converged.iter().map(|x| *x as i64).collect())
    }

    /// How many worlds are in which state, by name.
    fn status_counts(&self, py: Python<'_>) -> PyResult<BTreeMap<&'static str, usize>> {
        let mut counts = BTreeMap::new();
        self.figures(py)?.status.iter().for_each(|status| *counts.entry(status.name()).or_default() += 1);
        Ok(counts)
    }

    /// Draws how all worlds fare with matplotlib, where that is installed; gives its figure, for notebooks.
    fn plot<'py>(own: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        own.py().import("bellcrank.plots")?.getattr("draw_report")?.call1((own,))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.figures(py)?.status.len())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let gap = self.figures(py)?.loop_gap.iter().fold(0.0_f64, |most, gap| most.max(gap.0));
        let counts: Vec<String> =
            self.status_counts(py)?.into_iter().map(|(name, count)| format!("{count} {name}")).collect();
        Ok(format!("<bellcrank.StepReport: {}; loop gap at most {gap:.1e} m>", counts.join(", ")))
    }
}

impl StepReport {
    fn numbers<'py>(&self, py: Python<'py>, get: fn(&WorldStatus) -> i64) -> PyResult<Bound<'py, PyAny>> {
        whole(py, self.figures(py)?.status.iter().map(get).collect())
    }
}

fn real(py: Python<'_>, values: Vec<f64>) -> PyResult<Bound<'_, PyAny>> {
    let count = values.len();
    array(py, values, &[count])
}

fn whole(py: Python<'_>, values: Vec<i64>) -> PyResult<Bound<'_, PyAny>> {
    let count = values.len();
    array(py, values, &[count])
}
