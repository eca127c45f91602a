//! Derivatives of the next step, a piece of the worlds at a time: Ctrl-C ends them between pieces.

use crate::batch::PATIENCE;
use crate::error::Problem;
use bellcrank::sim::{Batch, BatchError};
use bellcrank_gradient::{QuantityDerivatives, Smoothness, differentiable};
use pyo3::prelude::*;
use std::ops::Range;
use std::time::Instant;

/// What Python asks: names of quantities and groups, κ, and whether a step that does not converge is an error.
pub type Asked = (Vec<String>, Option<f64>, bool);

/// Finds the quantities and prepares for their columns.
pub fn prepare<'a>(
    batch: &'a Batch,
    worlds: &'a [usize],
    (names, kappa, strict): &Asked,
) -> PyResult<QuantityDerivatives<'a>> {
    let first = worlds.first().copied().ok_or(BatchError::NoWorlds).map_err(Problem::from)?;
    let model = batch.model(first).map_err(Problem::from)?;
    let quantities = differentiable(model, names).map_err(Problem::from)?;
    let how = Smoothness { kappa: *kappa, lenient: !strict };
    Ok(QuantityDerivatives::new(batch, worlds, &quantities, how).map_err(Problem::from)?)
}

/// Calls `f` with parts of a list of `count` worlds, without the interpreter, and looks for Ctrl-C between them; the results one
/// after the other.
pub fn in_pieces<F>(py: Python<'_>, count: usize, f: F) -> PyResult<Vec<f64>>
where
    F: Fn(Range<usize>) -> Result<Vec<f64>, BatchError> + Sync,
{
    let (mut all, mut done, mut size) = (Vec::new(), 0, 16);
    while done < count {
        let begin = Instant::now();
        let now = done..(done + size).min(count);
        done = now.end;
        all.extend(py.detach(|| f(now)).map_err(Problem::from)?);
        py.check_signals()?;
        if begin.elapsed() < PATIENCE / 4 {
            size *= 2;
        } else if begin.elapsed() > PATIENCE {
            size = (size / 2).max(1);
        }
    }
    Ok(all)
}
