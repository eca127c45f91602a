//! Planners, `bellcrank.control`: the plant is a batch, the worlds in which controls are tried are the planner's own.

use crate::batch::Batch;
use crate::error::{Problem, said};
use crate::model::Model;
use crate::settings::{read_precision, read_settings};
use bellcrank::control::{
    self, Action, ControlError, Cost, CostError, Method, Near, Options, PlantState, Seen, Spline, Sum,
    Temperature, Term,
};
use bellcrank::math::Vec3;
use bellcrank::model;
use bellcrank::sim::{self, BatchOptions, Owner, Quantity};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::{Arc, Mutex, PoisonError};

/// Number of worlds, step [s], precision, threads, solver.
pub type Worlds<'py> = (usize, f64, String, usize, Bound<'py, PyDict>);
/// Method with its two numbers, horizon, knots, spline, sigma, largest increment and whether numbers are offsets, iterations, anneal and
/// settled and hopeless, seed.
pub type How =
    ((String, f64, f64), usize, Option<usize>, String, Vec<f64>, (Option<f64>, bool), usize, [f64; 4], u64);
/// Kind of a term, names of its parts, its numbers, weight.
pub type ToldTerm = (String, Vec<String>, Vec<Vec<f64>>, f64);
/// Best, nominal and mean cost, spread, effective samples, seconds; best sample, usable, frozen, not finite and hopeless ones.
pub type Told = ([f64; 6], [usize; 5]);

/// A planner with its cost.
#[pyclass(frozen, module = "bellcrank._native", name = "Planner")]
pub struct Planner {
    inner: Mutex<Inner>,
    trouble: Trouble,
}

struct Inner {
    planner: control::Planner,
    cost: Box<dyn Cost>,
    state: PlantState,
}

/// The exception that a cost has raised.
type Trouble = Arc<Mutex<Option<PyErr>>>;

#[pymethods]
impl Planner {
    /// A cost is two lists of terms, or an object that is called after every step, with the names of what it looks at.
    #[new]
    fn new(
        py: Python<'_>,
        model: &Model,
        worlds: Worlds<'_>,
        how: How,
        terms: Option<[Vec<ToldTerm>; 2]>,
        called: Option<(Py<PyAny>, Vec<String>)>,
    ) -> PyResult<Self> {
        let batch = read_worlds(py, model, worlds)?;
        let trouble = Trouble::default();
        let cost: Box<dyn Cost> = match (terms, called) {
            (Some(terms), _) => Box::new(read_sum(&model.inner, terms)?),
            (None, Some((object, needs))) => Box::new(Called::new(&batch, object, &needs, trouble.clone())?),
            (None, None) => return Err(said("WrongValue", "a planner needs a cost", "terms, or a function")),
        };
        let planner = control::Planner::new(batch, &*cost, read_how(how)?).map_err(wrong)?;
        let inner = Mutex::new(Inner { planner, cost, state: PlantState::default() });
        Ok(Planner { inner, trouble })
    }

    /// Plans from the state of a world.
    fn plan(&self, py: Python<'_>, plant: &Batch, world: usize, elapsed: f64) -> PyResult<Told> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let Inner { planner, cost, state } = &mut *inner;
        plant.look(py, |batch| state.read(batch, world))?.map_err(wrong)?;
        let done = py.detach(|| planner.plan(state, &mut **cost, elapsed));
        if let Some(error) = self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(error);
        }
        Ok(told(&done.map_err(wrong)?))
    }

    /// What offsets are added to.
    fn set_reference(&self, controls: Vec<f64>) -> PyResult<()> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.planner.set_reference(&controls).map_err(wrong)
    }

    /// Takes controls as the plan at hand, from the state of the last plan.
    fn adopt(&self, controls: Vec<f64>) -> PyResult<()> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let Inner { planner, state, .. } = &mut *inner;
        planner.adopt(&controls, &state.control).map_err(wrong)
    }

    /// Sets a parameter of all its worlds to one row.
    fn set_parameter(&self, name: &str, row: Vec<f64>) -> PyResult<()> {
        let quantity = Quantity::by_name(name).map_err(Problem::from)?;
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(inner.planner.batch_mut().write_shared_parameter(quantity, &row).map_err(Problem::from)?)
    }

    /// What the motors shall be told, step after step.
    fn sequence<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        PyArray1::from_slice(py, inner.planner.sequence())
    }

    /// What each sample costs.
    fn costs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        PyArray1::from_slice(py, inner.planner.costs())
    }

    /// Forgets the plan at hand.
    fn rest(&self) {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).planner.rest();
    }
}

/// The worlds in which something is tried.
pub fn read_worlds(py: Python<'_>, model: &Model, worlds: Worlds<'_>) -> PyResult<sim::Batch> {
    let (samples, dt, precision, threads, settings) = worlds;
    let precision = read_precision(&precision)?;
    let settings = read_settings(py, precision, &settings)?;
    let options = BatchOptions { dt: Some(dt), precision, threads, settings, ..BatchOptions::default() };
    Ok(sim::Batch::new(model.inner.clone(), samples, options).map_err(Problem::from)?)
}

/// A cost of terms, in every step and at the end.
pub fn read_sum(model: &model::Model, [running, terminal]: [Vec<ToldTerm>; 2]) -> PyResult<Sum> {
    let read =
        |list: Vec<ToldTerm>| list.into_iter().map(|term| read_term(model, term)).collect::<PyResult<_>>();
    let sum = Sum { running: read(running)?, terminal: read(terminal)? };
    sum.check(model).map_err(wrong)?;
    Ok(sum)
}

/// The figures of a plan.
pub fn told(p: &control::Plan) -> Told {
    (
        [p.best_cost, p.nominal_cost, p.mean_cost, p.spread, p.effective_samples, p.seconds],
        [p.best, p.usable, p.frozen, p.not_finite, p.hopeless],
    )
}

pub fn wrong(error: ControlError) -> PyErr {
    let text = error.to_string();
    match error {
        ControlError::Batch(error) => Problem::from(error).into(),
        ControlError::BadOption { .. } => said("WrongValue", text, ""),
        ControlError::WrongCount { .. } => said("WrongShape", text, ""),
        ControlError::NoSuchName { .. } => said("NoSuchName", text, ""),
        _ => said("PlanError", text, ""),
    }
}

pub fn read_how(how: How) -> PyResult<Options> {
    let ((method, first, second), horizon, knots, spline, sigma, limit, iterations, shares, seed) = how;
    let method = match method.as_str() {
        "mppi" => Method::Mppi { temperature: Temperature::Absolute(first) },
        "mppi_relative" => Method::Mppi { temperature: Temperature::Relative(first) },
        "predictive_sampling" => Method::PredictiveSampling,
        _ => Method::CrossEntropy { elites: first as usize, floor: second },
    };
    let known = "\"hold\", \"linear\" or \"cubic\"";
    let spline = Spline::by_name(&spline)
        .ok_or_else(|| said("WrongValue", format!("there is no spline {spline:?}"), known))?;
    let action = match limit {
        (_, true) => Action::Offset,
        (Some(limit), _) => Action::Increment { limit },
        (None, _) => Action::Absolute,
    };
    let [anneal, settled, hopeless, survivors] = shares;
    let rounds = Options { iterations, anneal, settled, hopeless, survivors, seed, ..Options::default() };
    Ok(Options { method, horizon, knots, spline, sigma, action, ..rounds })
}

/// A term; lists have the lengths that Python's side has checked, and the engine checks numbers of parts.
fn read_term(model: &model::Model, (kind, names, numbers, weight): ToldTerm) -> PyResult<Term> {
    let short = || said("WrongShape", format!("{kind}: numbers are missing"), "");
    let list = |k: usize| numbers.get(k).ok_or_else(short);
    let body = || Sum::body(model, names.first().map_or("", String::as_str)).map_err(wrong);
    Ok(match kind.as_str() {
        "position" => Term::Position { body: body()?, target: fixed(list(0)?)?, weight: fixed(list(1)?)? },
        "position_squared" => Term::PositionSquared { body: body()?, target: fixed(list(0)?)?, weight },
        "orientation" => Term::Orientation { body: body()?, target_wxyz: fixed(list(0)?)?, weight },
        "velocity" => Term::Velocity { body: body()?, target: fixed(list(0)?)?, weight: fixed(list(1)?)? },
        "fallen" => Term::Fallen { body: body()?, height: fixed::<1>(list(0)?)?[0], weight },
        "posture" => Term::Posture {
            coordinates: parts(model, Owner::Coordinate, &names)?,
            target: list(0)?.clone(),
            weight,
        },
        "joint_rate" => Term::JointRate { dofs: parts(model, Owner::Dof, &names)?, weight },
        "control" => Term::Control { rest: list(0)?.clone(), weight },
        _ => {
            let point = |(name, p): (&String, &Vec<f64>)| {
                let body = Sum::body(model, name).map_err(wrong)?;
                let com = model.bodies()[body].X_LB().p;
                Ok(Near { body, point: Vec3::from_array(fixed(p)?) - com })
            };
            let points = names.iter().skip(1).zip(&numbers).map(point).collect::<PyResult<_>>()?;
            Term::Contact { body: body()?, points, weight }
        }
    })
}

fn fixed<const N: usize>(list: &[f64]) -> PyResult<[f64; N]> {
    list.try_into()
        .map_err(|_| said("WrongShape", format!("{} numbers were given, expected: {N}", list.len()), ""))
}

/// Numbers of coordinates or degrees of freedom by the names of their joints.
fn parts(model: &model::Model, owner: Owner, names: &[String]) -> PyResult<Vec<usize>> {
    let known = owner.names(model);
    let find = |name: &String| {
        known
            .iter()
            .position(|other| other == name)
            .ok_or_else(|| crate::error::no_such_name("joint", name, known.iter()))
    };
    names.iter().map(find).collect()
}

/// A cost in Python: called as `object(arrays, (control, sample), step, time, last)`, it returns an array of one number per world.
struct Called {
    object: Py<PyAny>,
    needs: Vec<(Quantity, Vec<usize>)>,
    motors: usize,
    trouble: Trouble,
}

impl Called {
    fn new(batch: &sim::Batch, object: Py<PyAny>, names: &[String], trouble: Trouble) -> PyResult<Self> {
        let need = |name: &String| {
            let quantity = Quantity::by_name(name).map_err(Problem::from)?;
            Ok((quantity, batch.shape(quantity)))
        };
        let needs = names.iter().map(need).collect::<PyResult<_>>()?;
        Ok(Called { object, needs, motors: batch.models()[0].actuators().len(), trouble })
    }

    fn call(&self, py: Python<'_>, seen: &Seen<'_>, total: &mut [f64]) -> PyResult<()> {
        let arrays = PyList::empty(py);
        for (quantity, shape) in &self.needs {
            let values = seen.array(*quantity).map_err(|error| said("PlanError", error.0, ""))?;
            let mut shape = shape.clone();
            shape[0] = seen.worlds; // samples that are given up are not there any more
            arrays.append(PyArray1::from_slice(py, values).reshape(shape)?)?;
        }
        let control = PyArray1::from_slice(py, seen.control).reshape([seen.worlds, self.motors])?;
        let sample: Vec<i64> = seen.sample.iter().map(|sample| *sample as i64).collect();
        let tried = (control, PyArray1::from_vec(py, sample));
        let last = seen.step + 1 == seen.horizon;
        let cost = self.object.bind(py).call1((arrays, tried, seen.step, seen.time, last))?;
        let cost: PyReadonlyArray1<'_, f64> = cost.extract()?;
        let cost = cost.as_slice()?;
        if cost.len() != total.len() {
            let text =
                format!("the cost has {} numbers, expected: one per world, {}", cost.len(), total.len());
            return Err(said("WrongShape", text, ""));
        }
        total.iter_mut().zip(cost).for_each(|(total, cost)| *total += cost);
        Ok(())
    }
}

impl Cost for Called {
    fn needs(&self) -> Vec<Quantity> {
        self.needs.iter().map(|(quantity, _)| *quantity).collect()
    }

    fn running(&mut self, seen: &Seen<'_>, total: &mut [f64]) -> Result<(), CostError> {
        Python::attach(|py| self.call(py, seen, total)).map_err(|error| {
            let text = error.to_string();
            *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            CostError(text)
        })
    }
}
