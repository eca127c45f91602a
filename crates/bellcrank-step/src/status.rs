//! What became of a world in the last step.

use crate::readout::{Metrics, measure};
use crate::step::scene::Scene;
use crate::workspace::Workspace;
use bellcrank_math::{Real, kernel};

/// One world's trouble is one world's. The batch never panics because one world did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorldStatus {
    /// All equations are met to their tolerances.
    Ok,
    /// The solver ran out of iterations; the state is usable, its residual is in the report.
    Inexact,
    /// More contacts than room for them; those beyond `capacity` were left out.
    ContactsDropped {
        /// Contacts found.
        wanted: u32,
        /// Contacts that there is room for.
        capacity: u32,
    },
    /// A value stopped being finite. The world keeps its last good state and stands still until reset.
    Frozen {
        /// The first body whose state was not finite.
        body: u32,
        /// The step in which it happened, counted from the last reset.
        step: u64,
    },
}

impl WorldStatus {
    /// In a word, for counts.
    pub fn name(self) -> &'static str {
        match self {
            WorldStatus::Ok => "ok",
            WorldStatus::Inexact => "inexact",
            WorldStatus::ContactsDropped { .. } => "contacts_dropped",
            WorldStatus::Frozen { .. } => "frozen",
        }
    }
}

/// The figures of one step, per lane.
#[derive(Clone, Copy, Debug)]
pub struct Report<R: Real> {
    /// Largest gap of a joint or coupling after the step [m].
    pub gap_metres: R,
    /// Largest misalignment of a joint, or gap of a coupling of angles, after the step [rad, for small ones].
    pub gap_radians: R,
    /// The larger of both before the step.
    pub gap_before: R,
    /// Both are within their tolerance.
    pub closed: R::Mask,
    /// Joints are open by more than rounding explains.
    pub open: R::Mask,
    /// Work that joints seem to do, as a share of the kinetic energy; measured where they close slowly.
    pub seeming_work: R,
    /// Iterations of the solver, all rounds together.
    pub iterations: R,
    /// Largest of the three residuals.
    pub residual: R,
    /// Deepest penetration at the start of the step [m].
    pub penetration: R,
    /// Contacts that were looked at.
    pub contacts: R,
    /// Contacts that exist: more than those looked at where a pile has no room for all.
    pub wanted: R,
    /// All equations are met.
    pub converged: R::Mask,
    /// The new state is finite; elsewhere the old one was kept.
    pub finite: R::Mask,
    /// Number of the first body that was not finite.
    pub bad_body: R,
    /// How well the equations are met, where that was asked for.
    pub metrics: Metrics<R>,
}

impl<R: Real> Report<R> {
    /// What was known before reactions were: how far joints were open, and how many contacts there are.
    #[kernel]
    pub fn note(&mut self, scene: &Scene<'_, R>, gap: R, contacts: usize, ws: &mut Workspace<R>) {
        self.gap_before = gap;
        if scene.layout.pile.is_some() {
            self.wanted = R::constant(contacts as f64);
        }
        if scene.settings.metrics {
            self.metrics = measure(scene.layout, scene.constants, scene.times.turn(), ws);
        }
    }

    /// Of the first part of a step what counts in the lanes that take it: the others try again.
    #[inline(always)]
    pub fn only(mut self, lanes: R::Mask) -> Self {
        self.converged = self.converged | !lanes;
        self.finite = self.finite | !lanes;
        self.residual = R::select(lanes, self.residual, R::zero());
        self
    }

    /// This part of a step and, in some lanes, the next one.
    #[inline(always)]
    pub fn and(mut self, lanes: R::Mask, next: &Report<R>) -> Self {
        let most = |old: R, new: R| R::select(lanes, old.max(new), old);
        self.gap_metres = R::select(lanes, next.gap_metres, self.gap_metres);
        self.gap_radians = R::select(lanes, next.gap_radians, self.gap_radians);
        self.closed = (self.closed & !lanes) | (next.closed & lanes);
        self.iterations += R::select(lanes, next.iterations, R::zero());
        self.residual = most(self.residual, next.residual);
        self.penetration = most(self.penetration, next.penetration);
        self.contacts = R::select(lanes, next.contacts, self.contacts);
        self.wanted = most(self.wanted, next.wanted);
        self.converged = self.converged & (next.converged | !lanes);
        self.finite = self.finite & (next.finite | !lanes);
        self.bad_body = R::select(lanes, next.bad_body, self.bad_body);
        self.metrics = next.metrics;
        self
    }
}
