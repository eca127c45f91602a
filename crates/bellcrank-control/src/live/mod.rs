//! A planner in a thread of its own beside the plant.
//!
//! The plant's side is [`Live::tick`]: it takes the newest plan if there is one, leaves the newest state, and says what the motors shall be
//! told. It never waits: what cannot be exchanged at once is exchanged at the next tick. A plan that was asked for at time t₀ arrives
//! later, by a latency that is measured; the planner therefore moves the state on by it, with the controls that the plant will
//! have been told by then, and plans from there. All times are those of the plant's clock.
//!
//! Whatever fails is a [`Fault`], and the last safe control goes on.

mod aside;
mod predictor;
mod slot;

use crate::{ControlError, Cost, Plan, Planner, PlantState};
use aside::{Aside, Sampled};
pub(crate) use predictor::Predictor;
use slot::Slot;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Why the motors are told what they were told before.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)]
pub enum Fault {
    #[error("the plant: {0}")]
    Plant(ControlError),
    #[error("the planner: {0}")]
    Planner(ControlError),
    #[error("the planner is late: the last plan ended {by:.3} s ago")]
    Late { by: f64 },
    #[error("the planner has stopped: its thread has ended, as it does where a cost panics")]
    Stopped,
}

/// What the plant is to do now.
#[derive(Clone, Copy, Debug)]
pub struct Command<'a> {
    /// What the motors shall be told: (actuators,).
    pub control: &'a [f64],
    /// What is wrong, if anything.
    pub fault: Option<&'a Fault>,
}

/// Figures since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LiveReport {
    /// Plans that have arrived.
    pub plans: usize,
    /// Plans that failed.
    pub failed: usize,
    /// Ticks in which the last safe control was held.
    pub held: usize,
    /// From a state to the plan that was made from it, smoothed [s of the plant].
    pub latency: f64,
    /// The longest [s].
    pub latency_max: f64,
    /// The last plan.
    pub plan: Plan,
}

/// A state on its way to the planner.
#[derive(Clone, Debug, Default)]
struct Observation {
    time: f64,
    latency: f64,
    state: PlantState,
}

/// A plan on its way to the plant.
#[derive(Clone, Debug)]
struct Answer {
    /// The time of the state that it was made from.
    asked: f64,
    /// When its first control is due.
    start: f64,
    sequence: Vec<f64>,
    result: Result<Plan, ControlError>,
}

/// The plant's side of a planner that runs in its own thread.
pub struct Live {
    states: Arc<Slot<Observation>>,
    answers: Arc<Slot<Answer>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    dt: f64,
    /// The plan in force, once there is one.
    plan: Option<Answer>,
    /// What arrives is exchanged with this.
    spare: Answer,
    last: Vec<f64>,
    fault: Option<Fault>,
    report: LiveReport,
}

/// A new measurement counts this much in the smoothed latency.
const NEW: f64 = 0.2;

impl Live {
    /// Starts the thread. Until the first plan arrives the motors are told `rest`.
    ///
    /// # Errors
    /// When `rest` has another number of motors, the planner's model cannot be predicted, or there is no thread to be had.
    pub fn start(planner: Planner, cost: Box<dyn Cost>, rest: &[f64]) -> Result<Self, ControlError> {
        Live::beside(Box::new(Sampled { planner, cost }), rest)
    }

    /// The same for a planner that follows derivatives.
    ///
    /// # Errors
    /// As [`Live::start`].
    #[cfg(feature = "gradient")]
    pub fn start_gradient<R: crate::gradient::Receding + Send + 'static>(
        planner: R,
        cost: Box<dyn crate::gradient::SmoothCost>,
        rest: &[f64],
    ) -> Result<Self, ControlError> {
        Live::beside(Box::new(aside::Sloped { planner, cost }), rest)
    }

    fn beside(planner: Box<dyn Aside>, rest: &[f64]) -> Result<Self, ControlError> {
        let motors = planner.batch().models()[0].actuators().len();
        if rest.len() != motors {
            return Err(ControlError::WrongCount { what: "rest", found: rest.len(), expected: motors });
        }
        let blank = Answer {
            asked: 0.0,
            start: 0.0,
            sequence: vec![0.0; planner.sequence().len()],
            result: Ok(Plan::default()),
        };
        let dt = planner.batch().dt();
        let predictor = Predictor::new(planner.batch())?;
        let (states, answers) =
            (Arc::new(Slot::new(Observation::default())), Arc::new(Slot::new(blank.clone())));
        let stop = Arc::new(AtomicBool::new(false));
        let side = PlannerSide {
            planner,
            predictor,
            states: states.clone(),
            answers: answers.clone(),
            stop: stop.clone(),
            last_start: None,
        };
        let thread = std::thread::Builder::new().name("bellcrank-planner".into()).spawn(move || side.run());
        let thread = thread.map_err(|error| ControlError::Thread(error.to_string()))?;
        Ok(Live {
            states,
            answers,
            stop,
            thread: Some(thread),
            dt,
            plan: None,
            spare: blank,
            last: rest.to_vec(),
            fault: None,
            report: LiveReport::default(),
        })
    }

    /// What the motors shall be told now, `now` on the plant's clock [s]. `state` is the plant's, or why it is not known.
    pub fn tick(&mut self, now: f64, state: Result<&PlantState, ControlError>) -> Command<'_> {
        self.fault = None;
        self.take_answer(now);
        match state {
            Ok(state) => {
                let latency = self.report.latency;
                self.states.offer(|slot| {
                    (slot.time, slot.latency) = (now, latency);
                    slot.state.clone_from(state);
                });
                self.choose(now);
            }
            Err(error) => self.fault = Some(Fault::Plant(error)),
        }
        self.report.held += usize::from(self.fault.is_some());
        Command { control: &self.last, fault: self.fault.as_ref() }
    }

    /// Figures since the start.
    pub fn report(&self) -> &LiveReport {
        &self.report
    }

    fn take_answer(&mut self, now: f64) {
        if !self.answers.take(&mut self.spare) {
            return;
        }
        match &self.spare.result {
            Ok(plan) => {
                let latency = (now - self.spare.asked).max(0.0);
                let report = &mut self.report;
                let share = if report.plans == 0 { 1.0 } else { NEW };
                report.latency += share * (latency - report.latency);
                report.latency_max = report.latency_max.max(latency);
                (report.plans, report.plan) = (report.plans + 1, *plan);
                match &mut self.plan {
                    Some(plan) => std::mem::swap(plan, &mut self.spare),
                    None => self.plan = Some(self.spare.clone()),
                }
            }
            Err(error) => {
                self.report.failed += 1;
                self.fault = Some(Fault::Planner(error.clone()));
            }
        }
    }

    /// The control of the plan in force that is due; past its end the last one stays.
    fn choose(&mut self, now: f64) {
        if self.thread.as_ref().is_none_or(JoinHandle::is_finished) {
            self.fault = Some(Fault::Stopped);
        }
        let Some(plan) = &self.plan else { return };
        let motors = self.last.len();
        let (step, horizon) =
            (((now - plan.start) / self.dt).max(0.0) as usize, plan.sequence.len() / motors);
        if step < horizon {
            self.last.copy_from_slice(&plan.sequence[step * motors..][..motors]);
        } else if self.fault.is_none() {
            self.fault = Some(Fault::Late { by: now - plan.start - horizon as f64 * self.dt });
        }
    }
}

impl Drop for Live {
    /// Ends the thread, after the plan that it is at.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.states.wake();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // a cost that panicked was told of as a fault
        }
    }
}

/// What runs in the thread.
struct PlannerSide {
    planner: Box<dyn Aside>,
    predictor: Predictor,
    states: Arc<Slot<Observation>>,
    answers: Arc<Slot<Answer>>,
    stop: Arc<AtomicBool>,
    /// When the first control of the last plan was due.
    last_start: Option<f64>,
}

impl PlannerSide {
    fn run(mut self) {
        let mut seen = Observation::default();
        while self.states.wait(&mut seen, &self.stop) {
            let start = seen.time + seen.latency;
            let result = self.answer(&mut seen, start);
            if result.is_ok() {
                self.last_start = Some(start);
            }
            let sequence = self.planner.sequence();
            self.answers.put(|slot| {
                (slot.asked, slot.start) = (seen.time, start);
                slot.sequence.copy_from_slice(sequence);
                slot.result = result;
            });
        }
    }

    fn answer(&mut self, seen: &mut Observation, start: f64) -> Result<Plan, ControlError> {
        if let Some(last_start) = self.last_start {
            let planner = &self.planner;
            let told = |ahead: f64| planner.control_at(seen.time + ahead - last_start);
            self.predictor.advance(&mut seen.state, seen.latency, told)?;
        }
        let elapsed = self.last_start.map_or(0.0, |last| start - last);
        self.planner.plan(&seen.state, elapsed)
    }
}
