//! Derivatives of the next step, world by world on all cores; Ctrl-C ends them after a piece.

use crate::batch::PATIENCE;
use crate::error::{Problem, said};
use crate::worlds::Worlds;
use crate::wrt::{Block, block, expand};
use bellcrank::collide::ContactPlan;
use bellcrank::gradient::{StepDerivatives, Wrt};
use bellcrank::model::Model;
use bellcrank::sim::{Batch, BatchError, Method};
use pyo3::prelude::*;
use std::sync::Arc;
use std::time::Instant;

/// κ of batches that have none of their own [N·s·m].
const KAPPA: f64 = 1e-4;

/// What is asked.
pub struct Derivatives<'a> {
    batch: &'a Batch,
    worlds: &'a [usize],
    kappa: f64,
    /// A step that does not converge is an error; otherwise its numbers are not numbers.
    strict: bool,
    model: Arc<Model>,
    wrt: Vec<Wrt>,
    /// One list of blocks for all worlds, or one each where their frictions differ.
    blocks: Vec<Vec<Block>>,
}

impl<'a> Derivatives<'a> {
    pub fn new(
        batch: &'a Batch,
        all: &Worlds,
        worlds: &'a [usize],
        (names, kappa, strict): (&[String], Option<f64>, bool),
    ) -> PyResult<Self> {
        let Some(&first) = worlds.first() else {
            return Err(said("NoWorlds", "no world was chosen", ""));
        };
        let m = all.place(first).0;
        if let Some(other) = worlds.iter().find(|world| all.place(**world).0 != m) {
            let text = format!("the worlds {first} and {other} are of different models");
            return Err(said("MixedModels", text, "differentiate one model at a time: worlds=..."));
        }
        let model = all.models()[m].clone();
        let names = expand(&model, names)?;
        let (plan, parameters) = (ContactPlan::of(&model), batch.parameters(m).map_err(Problem::from)?);
        let of = |world: &usize| {
            let local = all.place(*world).1;
            names.iter().map(|name| block(name, &model, &plan, (parameters, local))).collect()
        };
        let differ = names.iter().any(|name| name.ends_with("friction")) && all.solids_differ(batch, m);
        let blocks: Vec<Vec<Block>> =
            worlds.iter().take(if differ { worlds.len() } else { 1 }).map(of).collect();
        let wrt = blocks[0].iter().flat_map(|block| block.wrt.iter().copied()).collect();
        Ok(Derivatives { batch, worlds, kappa: smoothing(batch, kappa)?, strict, model, wrt, blocks })
    }

    /// Names and shapes.
    pub fn blocks(&self) -> Vec<(&'static str, Vec<usize>)> {
        self.blocks[0].iter().map(|block| (block.name, block.shape.clone())).collect()
    }

    pub fn columns(&self) -> usize {
        self.blocks[0].iter().map(Block::len).sum()
    }

    /// Twelve per body.
    pub fn rows(&self) -> usize {
        12 * self.model.bodies().len()
    }

    /// World after world, row after row.
    pub fn jacobians(&self, py: Python<'_>, threads: usize) -> PyResult<Vec<f64>> {
        let (rows, columns) = (self.rows(), self.columns());
        self.pieces((py, threads), rows * columns, |k, out| {
            let jacobian = self.batch.step_jacobian(self.worlds[k], self.kappa, &self.wrt)?;
            let engine = jacobian.values.chunks_exact(self.wrt.len().max(1));
            for (engine, out) in engine.zip(out.chunks_exact_mut(columns.max(1))) {
                self.gather(k, engine, out);
            }
            Ok(())
        })
    }

    /// World after world, from rows at the end of the step.
    pub fn vjps(&self, how: (Python<'_>, usize), cotangents: &[f64]) -> PyResult<Vec<f64>> {
        let rows = self.rows();
        self.pieces(how, self.columns(), |k, out| {
            let own = &cotangents[k * rows..(k + 1) * rows];
            let back = self.batch.step_vjp(self.worlds[k], self.kappa, own, &self.wrt)?;
            self.gather(k, &back.cotangents, out);
            Ok(())
        })
    }

    /// Where steps may fail to converge, their numbers are not numbers.
    fn forgive(&self, done: Result<(), BatchError>, out: &mut [f64]) -> Result<(), BatchError> {
        match done {
            Err(BatchError::NotConverged { .. }) if !self.strict => {
                out.fill(f64::NAN);
                Ok(())
            }
            done => done,
        }
    }

    /// The columns of all blocks from the engine's.
    fn gather(&self, k: usize, mut engine: &[f64], mut out: &mut [f64]) {
        for block in self.blocks.get(k).unwrap_or(&self.blocks[0]) {
            let (own, rest) = engine.split_at(block.wrt.len());
            let (place, others) = std::mem::take(&mut out).split_at_mut(block.len());
            block.gather(own, place);
            (engine, out) = (rest, others);
        }
    }

    /// Calls `f` with the number of every chosen world and its part of the result, without the interpreter and on the
    /// batch's threads (zero: all cores), and looks for Ctrl-C between pieces.
    fn pieces<F>(&self, (py, threads): (Python<'_>, usize), size: usize, f: F) -> PyResult<Vec<f64>>
    where
        F: Fn(usize, &mut [f64]) -> Result<(), BatchError> + Sync,
    {
        let mut all = vec![0.0; size * self.worlds.len()];
        let all_cores = std::thread::available_parallelism().map_or(1, usize::from);
        let cores = if threads == 0 { all_cores } else { threads };
        let (mut done, mut each) = (0, 1);
        while done < self.worlds.len() {
            let begin = Instant::now();
            let now = (each * cores).min(self.worlds.len() - done);
            let piece = &mut all[size * done..size * (done + now)];
            let one = |k: usize, out: &mut [f64]| self.forgive(f(k, out), out);
            py.detach(|| on_cores(piece, (size, done, each), &one)).map_err(Problem::from)?;
            done += now;
            py.check_signals()?;
            if begin.elapsed() < PATIENCE / 4 {
                each *= 2;
            } else if begin.elapsed() > PATIENCE {
                each = (each / 2).max(1);
            }
        }
        Ok(all)
    }
}

/// `each` worlds to a thread.
fn on_cores<F>(piece: &mut [f64], (size, first, each): (usize, usize, usize), f: &F) -> Result<(), BatchError>
where
    F: Fn(usize, &mut [f64]) -> Result<(), BatchError> + Sync,
{
    if size == 0 {
        return Ok(());
    }
    let share = |t: usize, part: &mut [f64]| {
        part.chunks_exact_mut(size).enumerate().try_for_each(|(k, out)| f(first + t * each + k, out))
    };
    let parts: Vec<&mut [f64]> = piece.chunks_mut(size * each).collect();
    std::thread::scope(|scope| {
        let share = &share;
        let threads = parts.into_iter().enumerate().map(|(t, part)| scope.spawn(move || share(t, part)));
        let threads: Vec<_> = threads.collect();
        let broken = || BatchError::Threads("a thread of derivatives ended early".to_owned());
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(|_| Err(broken())))
    })
}

/// The given κ, or the batch's own.
fn smoothing(batch: &Batch, given: Option<f64>) -> PyResult<f64> {
    let own = match batch.settings().method {
        Method::InteriorPoint(point) => point.kappa,
        _ => KAPPA,
    };
    let kappa = given.unwrap_or(own);
    if kappa > 0.0 && kappa.is_finite() {
        return Ok(kappa);
    }
    Err(said(
        "WrongValue",
        format!("kappa is {kappa}, but must be above zero"),
        "1e-4 is smooth, 1e-6 nearly hard",
    ))
}
