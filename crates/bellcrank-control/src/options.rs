//! How to plan, and what plans mean to the motors.

use crate::ControlError;
use crate::knots::Spline;
use crate::method::{Method, Temperature};
use bellcrank_model::{Control as Law, Model};

/// What the numbers of a plan mean to the motors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// What each motor is told.
    Absolute,
    /// Changes of it, step after step.
    Increment {
        /// The largest change in a step, in the unit of the control.
        limit: f64,
    },
    /// What is added to the controls of [`crate::Planner::set_reference`], step by step.
    Offset,
}

/// How to plan. The number of samples is that of the batch's worlds.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How samples and their costs become the next controls.
    pub method: Method,
    /// Steps.
    pub horizon: usize,
    /// Numbers per motor over the horizon; `None` for one per step.
    pub knots: Option<usize>,
    /// What is between them.
    pub spline: Spline,
    /// Standard deviation of the noise, in the unit of the action: one for all motors, or one each.
    pub sigma: Vec<f64>,
    /// What the numbers mean to the motors.
    pub action: Action,
    /// Rounds of trying and learning in a plan.
    pub iterations: usize,
    /// Noise of a round as a share of that of the round before (annealing).
    pub anneal: f64,
    /// Noise at the start of the horizon as a share of that at its end: what comes soon is settled already (annealing).
    pub settled: f64,
    /// Rollouts that cost more are given up.
    pub hopeless: f64,
    /// Share of the samples that go on after half of the horizon, the cheapest by then and the plan at hand: the others are given up,
    /// and their time is saved. One for all of them.
    pub survivors: f64,
    /// Plans are the same for the same seed, whatever the number of threads.
    pub seed: u64,
}

impl Default for Options {
    /// MPPI as in [ComFree] section V: 48 steps, deviation 0.02, λ = 0.002, changes of at most 0.1.
    fn default() -> Self {
        Options {
            method: Method::Mppi { temperature: Temperature::Absolute(2e-3) },
            horizon: 48,
            knots: None,
            spline: Spline::Hold,
            sigma: vec![0.02],
            action: Action::Increment { limit: 0.1 },
            iterations: 1,
            anneal: 0.7,
            settled: 1.0,
            hopeless: f64::INFINITY,
            survivors: 1.0,
            seed: 0,
        }
    }
}

impl Options {
    pub(crate) fn check(&self, model: &Model) -> Result<(), ControlError> {
        let bad = |what, expected, found| Err(ControlError::BadOption { what, expected, found });
        let motors = model.actuators().len();
        if self.horizon == 0 {
            return bad("the horizon", "one step or more", 0.0);
        }
        if let Some(knots) = self.knots.filter(|knots| *knots == 0 || *knots > self.horizon) {
            return bad("the number of knots", "between one and the steps of the horizon", knots as f64);
        }
        if self.sigma.len() != 1 && self.sigma.len() != motors {
            return Err(ControlError::WrongCount {
                what: "sigma",
                found: self.sigma.len(),
                expected: motors,
            });
        }
        if let Some(sigma) = self.sigma.iter().find(|sigma| !(**sigma >= 0.0 && sigma.is_finite())) {
            return bad("sigma", "a number from zero up", *sigma);
        }
        if self.iterations == 0 {
            return bad("the number of iterations", "one or more", 0.0);
        }
        for (what, share) in
            [("anneal", self.anneal), ("settled", self.settled), ("survivors", self.survivors)]
        {
            if !(share > 0.0 && share <= 1.0) {
                return bad(what, "above zero and at most one", share);
            }
        }
        match self.method {
            Method::Mppi { temperature: Temperature::Absolute(x) | Temperature::Relative(x) }
                if !(x > 0.0 && x.is_finite()) =>
            {
                return bad("the temperature", "a number above zero", x);
            }
            Method::CrossEntropy { elites, .. } if elites < 2 => {
                return bad("the number of elites", "two or more", elites as f64);
            }
            Method::CrossEntropy { floor, .. } if !(0.0..=1.0).contains(&floor) => {
                return bad("the floor of the noise", "between zero and one", floor);
            }
            _ => {}
        }
        match self.action {
            Action::Increment { limit } if limit.is_nan() || limit <= 0.0 => {
                bad("the largest change", "above zero", limit)
            }
            _ if self.hopeless.is_nan() => bad("hopeless", "a number", f64::NAN),
            _ => Ok(()),
        }
    }
}

/// Bounds of one motor's action, and of what it is told.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub action: [f64; 2],
    pub control: [f64; 2],
}

/// The bounds of all motors.
pub(crate) fn bounds(model: &Model, action: Action) -> Vec<Bounds> {
    let each = model.actuators().iter().map(|motor| {
        let [mut low, mut high] = motor.control_range;
        if motor.control == Law::Effort {
            low = low.max(-motor.effort_limit);
            high = high.min(motor.effort_limit).max(low); // a range beyond the limit is an empty one: its nearer end
        }
        let action = match action {
            Action::Absolute => [low, high],
            Action::Increment { limit } => [-limit, limit],
            Action::Offset => [f64::NEG_INFINITY, f64::INFINITY],
        };
        Bounds { action, control: [low, high] }
    });
    each.collect()
}

/// What a motor is told after it was told `last`; of an offset, `last` is what it is added to.
#[inline]
pub(crate) fn next_control(action: Action, bounds: &Bounds, number: f64, last: f64) -> f64 {
    let [low, high] = bounds.action;
    let number = number.clamp(low, high);
    match action {
        Action::Absolute => number,
        Action::Increment { .. } | Action::Offset => {
            (last + number).clamp(bounds.control[0], bounds.control[1])
        }
    }
}
