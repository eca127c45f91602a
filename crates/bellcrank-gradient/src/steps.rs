//! Derivatives of a step.

use crate::{Moving, Scratch, Smoothed, Source, StepJacobian, StepPullback, Wrt};
use bellcrank_math::{Elem, Pose, Twist};
use bellcrank_sim::{Batch, BatchError};
use bellcrank_step::law::LawLayout;
use bellcrank_step::layout::{LineSource, TendonLayout};
use std::borrow::BorrowMut;
use std::ops::Range;

/// Derivatives of the steps of a batch.
pub trait StepDerivatives: BorrowMut<Batch> {
    /// How the step that world `world` would take next depends on its state, its controls and its parameters; the state
    /// does not change. `kappa` is the smoothing of contacts: the derivative is exactly that of the step whose contacts
    /// have slack times force = κ [N·s·m]. Steps of other methods are polished by the interior point at κ first.
    ///
    /// # Errors
    /// When there is no such world or part, when the step does not converge at κ, or where a contact has no derivative.
    fn step_jacobian(&self, world: usize, kappa: f64, wrt: &[Wrt]) -> Result<StepJacobian, BatchError> {
        let batch: &Batch = self.borrow();
        on_scratch(batch, world, kappa, wrt, |scratch, source, how| scratch.jacobian(source, how, wrt))
    }

    /// The same for several worlds, over the threads of the batch.
    ///
    /// # Errors
    /// As there; the first of them.
    fn step_jacobians(
        &self,
        worlds: &[usize],
        kappa: f64,
        wrt: &[Wrt],
    ) -> Result<Vec<StepJacobian>, BatchError> {
        let batch: &Batch = self.borrow();
        batch.over(worlds, |_, world| batch.step_jacobian(world, kappa, wrt))
    }

    /// Takes the step at κ in the listed worlds, and gives their Jacobians: a rollout needs one solve per step. The other
    /// worlds stay as they are.
    ///
    /// # Errors
    /// As [`Batch::step_jacobian`]; no world has moved then.
    fn advance_with_jacobians(
        &mut self,
        worlds: &[usize],
        kappa: f64,
        wrt: &[Wrt],
    ) -> Result<Vec<StepJacobian>, BatchError> {
        let batch: &mut Batch = self.borrow_mut();
        let both = batch.over(worlds, |_, world| {
            on_scratch(batch, world, kappa, wrt, |scratch, source, how| {
                let jacobian = scratch.jacobian(source, how, wrt)?;
                Ok((jacobian, scratch.take_step(source, how)))
            })
        })?;
        let mut jacobians = Vec::with_capacity(worlds.len());
        for (&world, (jacobian, mut values)) in worlds.iter().zip(both) {
            let (g, w) = batch.find(world)?;
            values.extend([batch.group(g).age(w) as f64 + 1.0, -1.0, 0.0]);
            batch.group_mut(g).load(w, &values);
            jacobians.push(jacobian);
        }
        Ok(jacobians)
    }

    /// What a cotangent of the next step's end (12 numbers per body: δx, δθ, δv, δω) is as a cotangent of all in `wrt`: one
    /// solve with the transposed factor, and no Jacobian.
    ///
    /// # Errors
    /// As [`Batch::step_jacobian`], and when the cotangent has not 12 numbers per body.
    fn step_vjp(
        &self,
        world: usize,
        kappa: f64,
        cotangent: &[f64],
        wrt: &[Wrt],
    ) -> Result<StepPullback, BatchError> {
        let batch: &Batch = self.borrow();
        let (found, expected) = (cotangent.len(), 12 * batch.model(world)?.bodies().len());
        if found != expected {
            return Err(BatchError::WrongCount { what: "cotangent", found, expected });
        }
        on_scratch(batch, world, kappa, wrt, |scratch, source, how| {
            scratch.pullback(source, how, cotangent, wrt)
        })
    }

    /// The same for several worlds, over the threads of the batch; one cotangent each.
    ///
    /// # Errors
    /// As there; the first of them.
    fn step_vjps(
        &self,
        worlds: &[usize],
        kappa: f64,
        cotangents: &[Vec<f64>],
        wrt: &[Wrt],
    ) -> Result<Vec<StepPullback>, BatchError> {
        let batch: &Batch = self.borrow();
        if cotangents.len() != worlds.len() {
            let (found, expected) = (cotangents.len(), worlds.len());
            return Err(BatchError::WrongCount { what: "cotangents", found, expected });
        }
        batch.over(worlds, |k, world| batch.step_vjp(world, kappa, &cotangents[k], wrt))
    }

    /// The central difference of the same step in one of its numbers, to check a column of [`Batch::step_jacobian`].
    ///
    /// # Errors
    /// As there.
    fn step_difference(
        &self,
        world: usize,
        kappa: f64,
        wrt: Wrt,
        amount: f64,
    ) -> Result<Vec<f64>, BatchError> {
        let batch: &Batch = self.borrow();
        on_scratch(batch, world, kappa, &[wrt], |scratch, source, how| {
            scratch.difference(source, how, wrt, amount)
        })
    }

    /// Every parameter of a world's model.
    ///
    /// # Errors
    /// When there is no such world.
    fn all_parameters(&self, world: usize) -> Result<Vec<Wrt>, BatchError> {
        let batch: &Batch = self.borrow();
        let (g, _) = batch.find(world)?;
        Ok(Wrt::parameters(&batch.models()[g], batch.group(g).layout()))
    }
}

impl StepDerivatives for Batch {}

/// Parts of a list of worlds that can be taken at once: of one model, no more than any processor has lanes.
pub(crate) fn chunks(batch: &Batch, worlds: &[usize]) -> Result<Vec<Range<usize>>, BatchError> {
    let mut all: Vec<Range<usize>> = Vec::new();
    for (k, world) in worlds.iter().enumerate() {
        let (group, _) = batch.find(*world)?;
        match all.last_mut() {
            Some(last) if last.len() < f64::LANE_COUNT && batch.find(worlds[last.start])?.0 == group => {
                last.end = k + 1;
            }
            _ => all.push(k..k + 1),
        }
    }
    Ok(all)
}

/// Calls `f` with memory for derivatives and the numbers of a world.
pub(crate) fn on_scratch<T>(
    batch: &Batch,
    world: usize,
    kappa: f64,
    wrt: &[Wrt],
    f: impl FnOnce(&mut Scratch, &Source<'_>, &Smoothed) -> Result<T, BatchError>,
) -> Result<T, BatchError> {
    on_worlds(batch, &[world], kappa, wrt, |scratch, sources, how| f(scratch, &sources[0], how))
}

/// The same with several worlds of one model.
pub(crate) fn on_worlds<T>(
    batch: &Batch,
    worlds: &[usize],
    kappa: f64,
    wrt: &[Wrt],
    f: impl FnOnce(&mut Scratch, &[Source<'_>], &Smoothed) -> Result<T, BatchError>,
) -> Result<T, BatchError> {
    if !(kappa > 0.0 && kappa.is_finite()) {
        return Err(BatchError::BadKappa(kappa));
    }
    let how = Smoothed::of(batch.engine_settings(), kappa);
    with_scratch(batch, worlds, wrt, |scratch, sources| f(scratch, sources, &how))
}

/// Calls `f` with the spanning tree of a world's model.
pub(crate) fn on_tree<T>(
    batch: &Batch,
    world: usize,
    f: impl FnOnce(&Moving<'_>) -> Result<T, BatchError>,
) -> Result<T, BatchError> {
    with_scratch(batch, &[world], &[], |scratch, sources| {
        f(&scratch.moving(&sources[0], batch.engine_settings()))
    })
}

/// Poses and velocities of a world's bodies.
pub(crate) fn bodies(batch: &Batch, world: usize) -> Result<(Vec<Pose>, Vec<Twist>), BatchError> {
    let count = batch.model(world)?.bodies().len();
    let X = (0..count).map(|b| batch.body_pose(world, b)).collect::<Result<_, _>>()?;
    let V = (0..count).map(|b| batch.body_velocity(world, b)).collect::<Result<_, _>>()?;
    Ok((X, V))
}

/// `worlds` is not empty, and all are of one model.
fn with_scratch<T>(
    batch: &Batch,
    worlds: &[usize],
    wrt: &[Wrt],
    f: impl FnOnce(&mut Scratch, &[Source<'_>]) -> Result<T, BatchError>,
) -> Result<T, BatchError> {
    let places = worlds.iter().map(|world| batch.find(*world)).collect::<Result<Vec<_>, _>>()?;
    let g = places[0].0;
    let (model, layout) = (&*batch.models()[g], batch.group(g).layout());
    if layout.pile.is_some() {
        return Err(BatchError::PileInInteriorPoint(model.name().to_owned()));
    }
    if !layout.activations.is_empty() {
        return Err(BatchError::NotDifferentiable(model.name().to_owned(), "motors with a state"));
    }
    if layout.laws.iter().any(|law| *law != LawLayout::Plain) {
        let what = "muscles, motors at a voltage or varying gains";
        return Err(BatchError::NotDifferentiable(model.name().to_owned(), what));
    }
    if !layout.adhesions.is_empty() {
        let what = "motors that make a body sticky";
        return Err(BatchError::NotDifferentiable(model.name().to_owned(), what));
    }
    if layout.has_torque_speed {
        let what = "motors with a torque–speed line";
        return Err(BatchError::NotDifferentiable(model.name().to_owned(), what));
    }
    if model.medium().resists() {
        return Err(BatchError::NotDifferentiable(model.name().to_owned(), "forces of air or water"));
    }
    if model.compliance().is_some() {
        let what = "contacts that give way (compliance)";
        return Err(BatchError::NotDifferentiable(model.name().to_owned(), what));
    }
    let beyond =
        |line: &TendonLayout| !line.stops.is_empty() || matches!(line.source, LineSource::Path { .. });
    if layout.lines.iter().any(beyond) {
        let what = "tendons that run through space or have limits or dry friction";
        return Err(BatchError::NotDifferentiable(model.name().to_owned(), what));
    }
    wrt.iter().try_for_each(|wrt| wrt.check(model, layout))?;
    let own: Vec<usize> = places.iter().map(|place| place.1).collect();
    let block = if own.len() > 1 { batch.group(g).block_of(&own) } else { None };
    let save = |world: &usize| {
        let mut values = batch.group(g).save(*world);
        values.truncate(values.len() - 3); // age and frozen body are no part of the state
        values
    };
    let saved: Vec<Vec<f64>> =
        own.iter().map(|world| if block.is_some() { Vec::new() } else { save(world) }).collect();
    let (parameters, dt) = (batch.parameters(g)?, batch.dt());
    let sources: Vec<Source<'_>> = saved
        .iter()
        .zip(&own)
        .map(|(values, world)| Source { model, layout, parameters, world: *world, values, block, dt })
        .collect();
    let mut scratch = batch.take_memory::<Scratch>(g).unwrap_or_else(|| Box::new(Scratch::new(&sources[0])));
    scratch.visit(&sources[0]);
    let result = f(&mut scratch, &sources);
    batch.leave_memory(g, scratch);
    result
}
