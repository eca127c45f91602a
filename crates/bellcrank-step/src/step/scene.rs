//! What every stage of a step is told.

use crate::constants::Constants;
use crate::layout::Layout;
use crate::rows::RowSettings;
use crate::settings::{Integrator, Settings, Times};
use crate::state::State;
use crate::step::pace::Pace;
use bellcrank_math::{Mask, Real, kernel};

/// The mechanism and its numbers, how the step is computed, how long it is, and who takes it.
#[derive(Clone, Copy)]
pub struct Scene<'a, R: Real> {
    pub layout: &'a Layout,
    pub constants: &'a Constants<R>,
    pub settings: &'a Settings,
    /// Of the whole step only `dt` counts.
    pub times: Times<R>,
    /// Lanes that take this part of the step.
    pub lanes: R::Mask,
}

impl<'a, R: Real> Scene<'a, R> {
    /// Of a whole step of `dt` [s].
    pub fn of_step(layout: &'a Layout, constants: &'a Constants<R>, settings: &'a Settings, dt: R) -> Self {
        let times = Times { dt, drift: dt, damper: dt, before: dt };
        Scene { layout, constants, settings, times, lanes: R::Mask::splat(true) }
    }

    /// The part of a step that comes next.
    #[kernel]
    pub fn part(&self, pace: &Pace<R>, state: &State<R>) -> Self {
        let (dt, integrator) = (self.times.dt, self.settings.integrator);
        let times = integrator.times(dt * pace.share(), dt * state.interval);
        Scene { times, lanes: pace.going, ..*self }
    }

    /// How held rows are weighed, and how fast they may close.
    #[inline(always)]
    pub fn held(&self) -> RowSettings<R> {
        self.settings.rows(self.times.drift)
    }

    /// Whether forces and rows are told in the middle of the step.
    #[inline(always)]
    pub fn is_halfway(&self) -> bool {
        self.settings.integrator == Integrator::MoreauJean
    }
}
