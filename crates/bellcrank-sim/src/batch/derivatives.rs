//! Derivatives of a step.

use super::{Batch, BatchError};
use crate::derivative::{self, Moving, Scratch, Source, StepJacobian, StepPullback, Wrt};
use crate::settings::Settings;
use bellcrank_math::{Elem, Pose, Twist};
use bellcrank_solve::InteriorPoint;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::PoisonError;

impl Batch {
    /// How the step that world `world` would take next depends on its state, its controls and its parameters; the state
    /// does not change. `kappa` is the smoothing of contacts: the derivative is exactly that of the step whose contacts
    /// have slack times force = κ [N·s·m]. Steps of other methods are polished by the interior point at κ first.
    ///
    /// # Errors
    /// When there is no such world or part, when the step does not converge at κ, or where a contact has no derivative.
    pub fn step_jacobian(&self, world: usize, kappa: f64, wrt: &[Wrt]) -> Result<StepJacobian, BatchError> {
        self.on_scratch(world, kappa, wrt, |scratch, source, how| scratch.jacobian(source, how, wrt))
    }

    /// The same for several worlds, over the threads of the batch.
    ///
    /// # Errors
    /// As there; the first of them.
    pub fn step_jacobians(
        &self,
        worlds: &[usize],
        kappa: f64,
        wrt: &[Wrt],
    ) -> Result<Vec<StepJacobian>, BatchError> {
        self.over(worlds, |_, world| self.step_jacobian(world, kappa, wrt))
    }

    /// Takes the step at κ in the listed worlds, and gives their Jacobians: a rollout needs one solve per step. The other
    /// worlds stay as they are.
    ///
    /// # Errors
    /// As [`Batch::step_jacobian`]; no world has moved then.
    pub fn advance_with_jacobians(
        &mut self,
        worlds: &[usize],
        kappa: f64,
        wrt: &[Wrt],
    ) -> Result<Vec<StepJacobian>, BatchError> {
        let both = self.over(worlds, |_, world| {
            self.on_scratch(world, kappa, wrt, |scratch, source, how| {
                let jacobian = scratch.jacobian(source, how, wrt)?;
                Ok((jacobian, scratch.take_step(source, how.0)))
            })
        })?;
        let mut jacobians = Vec::with_capacity(worlds.len());
        for (&world, (jacobian, mut values)) in worlds.iter().zip(both) {
            let (g, w) = self.find(world)?;
            values.extend([self.groups[g].age(w) as f64 + 1.0, -1.0, 0.0]);
            self.groups[g].load(w, &values);
            jacobians.push(jacobian);
        }
        Ok(jacobians)
    }

    /// What a cotangent of the next step's end (12 numbers per body: δx, δθ, δv, δω) is as a cotangent of all in `wrt`: one
    /// solve with the transposed factor, and no Jacobian.
    ///
    /// # Errors
    /// As [`Batch::step_jacobian`], and when the cotangent has not 12 numbers per body.
    pub fn step_vjp(
        &self,
        world: usize,
        kappa: f64,
        cotangent: &[f64],
        wrt: &[Wrt],
    ) -> Result<StepPullback, BatchError> {
        let (found, expected) = (cotangent.len(), 12 * self.models[self.find(world)?.0].bodies().len());
        if found != expected {
            return Err(BatchError::WrongCount { what: "cotangent", found, expected });
        }
        self.on_scratch(world, kappa, wrt, |scratch, source, how| {
            scratch.pullback(source, how, (cotangent, wrt))
        })
    }

    /// The same for several worlds, over the threads of the batch; one cotangent each.
    ///
    /// # Errors
    /// As there; the first of them.
    pub fn step_vjps(
        &self,
        worlds: &[usize],
        kappa: f64,
        cotangents: &[Vec<f64>],
        wrt: &[Wrt],
    ) -> Result<Vec<StepPullback>, BatchError> {
        if cotangents.len() != worlds.len() {
            let (found, expected) = (cotangents.len(), worlds.len());
            return Err(BatchError::WrongCount { what: "cotangents", found, expected });
        }
        self.over(worlds, |k, world| self.step_vjp(world, kappa, &cotangents[k], wrt))
    }

    /// The central difference of the same step in one of its numbers, to check a column of [`Batch::step_jacobian`].
    ///
    /// # Errors
    /// As there.
    pub fn step_difference(
        &self,
        world: usize,
        kappa: f64,
        wrt: Wrt,
        amount: f64,
    ) -> Result<Vec<f64>, BatchError> {
        self.on_scratch(world, kappa, &[wrt], |scratch, source, how| {
            scratch.difference(source, how, (wrt, amount))
        })
    }

    /// Every parameter of a world's model.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn all_parameters(&self, world: usize) -> Result<Vec<Wrt>, BatchError> {
        let (g, _) = self.find(world)?;
        Ok(Wrt::parameters(&self.models[g], self.groups[g].layout()))
    }

    /// Calls `f` with the number in the list and the world.
    pub(super) fn over<W: Clone + Sync, T: Send>(
        &self,
        worlds: &[W],
        f: impl Fn(usize, W) -> Result<T, BatchError> + Sync,
    ) -> Result<Vec<T>, BatchError> {
        match &self.pool {
            None => worlds.iter().enumerate().map(|(k, world)| f(k, world.clone())).collect(),
            Some(pool) => {
                pool.install(|| worlds.par_iter().enumerate().map(|(k, world)| f(k, world.clone())).collect())
            }
        }
    }

    /// Parts of a list of worlds that can be taken at once: of one model, no more than any processor has lanes.
    pub(super) fn chunks(&self, worlds: &[usize]) -> Result<Vec<Range<usize>>, BatchError> {
        let mut all: Vec<Range<usize>> = Vec::new();
        for (k, world) in worlds.iter().enumerate() {
            let (group, _) = self.find(*world)?;
            match all.last_mut() {
                Some(last) if last.len() < f64::LANE_COUNT && self.find(worlds[last.start])?.0 == group => {
                    last.end = k + 1;
                }
                _ => all.push(k..k + 1),
            }
        }
        Ok(all)
    }

    /// Calls `f` with memory for derivatives and the numbers of a world.
    pub(super) fn on_scratch<T>(
        &self,
        world: usize,
        kappa: f64,
        wrt: &[Wrt],
        f: impl FnOnce(&mut Scratch, &Source<'_>, (&Settings, &InteriorPoint)) -> Result<T, BatchError>,
    ) -> Result<T, BatchError> {
        self.on_worlds(&[world], kappa, wrt, |scratch, sources, how| f(scratch, &sources[0], how))
    }

    /// The same with several worlds of one model.
    pub(super) fn on_worlds<T>(
        &self,
        worlds: &[usize],
        kappa: f64,
        wrt: &[Wrt],
        f: impl FnOnce(&mut Scratch, &[Source<'_>], (&Settings, &InteriorPoint)) -> Result<T, BatchError>,
    ) -> Result<T, BatchError> {
        if !(kappa > 0.0 && kappa.is_finite()) {
            return Err(BatchError::BadKappa(kappa));
        }
        let (settings, point) = derivative::implicit(&self.settings, kappa);
        self.with_scratch(worlds, wrt, |scratch, sources| f(scratch, sources, (&settings, &point)))
    }

    /// Calls `f` with the spanning tree of a world's model.
    pub(super) fn on_tree<T>(
        &self,
        world: usize,
        f: impl FnOnce(&Moving<'_>) -> Result<T, BatchError>,
    ) -> Result<T, BatchError> {
        self.with_scratch(&[world], &[], |scratch, sources| f(&scratch.moving(&sources[0], &self.settings)))
    }

    /// Poses and velocities of a world's bodies.
    pub(super) fn bodies(&self, world: usize) -> Result<(Vec<Pose>, Vec<Twist>), BatchError> {
        let count = self.models[self.find(world)?.0].bodies().len();
        let X = (0..count).map(|b| self.body_pose(world, b)).collect::<Result<_, _>>()?;
        let V = (0..count).map(|b| self.body_velocity(world, b)).collect::<Result<_, _>>()?;
        Ok((X, V))
    }

    /// `worlds` is not empty, and all are of one model.
    fn with_scratch<T>(
        &self,
        worlds: &[usize],
        wrt: &[Wrt],
        f: impl FnOnce(&mut Scratch, &[Source<'_>]) -> Result<T, BatchError>,
    ) -> Result<T, BatchError> {
        let places = worlds.iter().map(|world| self.find(*world)).collect::<Result<Vec<_>, _>>()?;
        let g = places[0].0;
        let (model, layout) = (&*self.models[g], self.groups[g].layout());
        if layout.pile.is_some() {
            return Err(BatchError::PileInInteriorPoint(model.name().to_owned()));
        }
        if !layout.activations.is_empty() {
            return Err(BatchError::NotDifferentiable(model.name().to_owned(), "motors with a state"));
        }
        if model.medium().resists() {
            return Err(BatchError::NotDifferentiable(model.name().to_owned(), "forces of air or water"));
        }
        wrt.iter().try_for_each(|wrt| wrt.check(model, layout))?;
        let own: Vec<usize> = places.iter().map(|place| place.1).collect();
        let block = if own.len() > 1 { self.groups[g].block_of(&own) } else { None };
        let save = |world: &usize| {
            let mut values = self.groups[g].save(*world);
            values.truncate(values.len() - 3); // age and frozen body are no part of the state
            values
        };
        let saved: Vec<Vec<f64>> =
            own.iter().map(|world| if block.is_some() { Vec::new() } else { save(world) }).collect();
        let (parameters, dt) = (&self.parameters[g], self.dt);
        let sources: Vec<Source<'_>> = saved
            .iter()
            .zip(&own)
            .map(|(values, world)| Source { model, layout, parameters, world: *world, values, block, dt })
            .collect();
        let mut scratch = self.borrow_scratch(g).unwrap_or_else(|| Box::new(Scratch::new(&sources[0])));
        scratch.visit(&sources[0]);
        let result = f(&mut scratch, &sources);
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner).push((g, scratch));
        result
    }

    /// Memory that nobody uses at present.
    fn borrow_scratch(&self, group: usize) -> Option<Box<Scratch>> {
        let mut all = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let k = all.iter().position(|(g, _)| *g == group)?;
        Some(all.swap_remove(k).1)
    }
}
