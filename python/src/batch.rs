//! `bellcrank._native.Batch`: worlds behind a lock, so that no thread can disturb a step, and gone once closed.

use crate::convert::type_name;
use crate::error::{Problem, broken, said};
use crate::fields::{self, Array, Number};
use crate::model::Model;
use crate::options::Options;
use crate::parameters::{Parameter, Worlds, spread};
use crate::report::{StepReport, merge};
use bellcrank::model::ShapeId;
use bellcrank::sim::{self, BatchError, BatchOptions, BodyContact, Precision, Settings};
use bellcrank::solve::Penalty;
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

/// Signals (Ctrl-C) are looked at about this often.
const PATIENCE: Duration = Duration::from_millis(50);

#[pyclass(frozen, module = "bellcrank._native", name = "Batch")]
pub struct Batch {
    /// `None` once closed.
    inner: Mutex<Option<sim::Batch>>,
    precision: Precision,
    worlds: Worlds,
}

impl Batch {
    fn lock(&self) -> PyResult<Guard<'_>> {
        let guard = match self.inner.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                let hint = "one thread at a time: give each thread a batch of its own";
                return Err(said("BatchBusy", "another thread is using this batch", hint));
            }
        };
        if guard.is_none() {
            return Err(said("BatchClosed", "the batch is closed", "make a new one"));
        }
        Ok(Guard(guard))
    }

    /// Fills an array of numbers.
    fn read_into<T: Number>(
        &self,
        py: Python<'_>,
        (name, array): (&str, Array),
        out: &Bound<'_, PyArrayDyn<T>>,
    ) -> PyResult<()> {
        let mut guard = self.lock()?;
        let (batch, worlds) = (guard.get()?, &self.worlds);
        let contiguous = out.is_c_contiguous();
        let mut out = out.try_readwrite().map_err(|_| not_writable(name))?;
        let out = c_order(name, contiguous, out.as_slice_mut())?;
        check_length(name, out.len(), array.shape(batch, worlds).iter().product())?;
        Ok(py.detach(move || fields::read(batch, worlds, array, out)).map_err(Problem::from)?)
    }

    /// Takes an array of numbers.
    fn write_from<T: Number>(
        &self,
        py: Python<'_>,
        (name, array): (&str, Array),
        values: &Bound<'_, PyArrayDyn<T>>,
    ) -> PyResult<()> {
        let mut guard = self.lock()?;
        let (batch, worlds) = (guard.get()?, &self.worlds);
        let contiguous = values.is_c_contiguous();
        let values = values.readonly();
        let values = c_order(name, contiguous, values.as_slice())?;
        let shape = array.shape(batch, worlds);
        check_length(name, values.len(), shape.iter().product())?;
        let unbounded = matches!(array, Array::Parameter(Parameter::Limits | Parameter::MotorEffortLimit));
        let bad = values.iter().position(|x| x.to_f64().is_nan() || !(unbounded || x.is_finite()));
        check_finite(name, bad, shape[1..].iter().product())?;
        Ok(py.detach(move || fields::write(batch, worlds, array, values)).map_err(Problem::from)?)
    }
}

/// A locked batch that is open.
struct Guard<'a>(MutexGuard<'a, Option<sim::Batch>>);

impl Guard<'_> {
    fn get(&mut self) -> PyResult<&mut sim::Batch> {
        self.0.as_mut().ok_or_else(|| broken("a closed batch was used"))
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (models, dt, precision, threads, settings))]
    fn new(
        py: Python<'_>,
        models: Vec<Py<Model>>,
        dt: f64,
        precision: &str,
        threads: usize,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let models: Vec<_> = models.iter().map(|model| model.get().inner.clone()).collect();
        let precision = match precision {
            "f32" => Precision::F32,
            "f64" => Precision::F64,
            _ => {
                return Err(said(
                    "WrongValue",
                    format!("there is no precision {precision:?}"),
                    "\"f32\" or \"f64\"",
                ));
            }
        };
        let settings = Some(read_settings(py, precision, settings)?);
        let options = BatchOptions { dt, precision, threads, settings, ..BatchOptions::default() };
        let worlds = Worlds::of(&models);
        let inner = py.detach(|| sim::Batch::of(&models, options)).map_err(Problem::from)?;
        Ok(Batch { inner: Mutex::new(Some(inner)), precision, worlds })
    }

    /// The shape of an array.
    fn shape(&self, name: &str) -> PyResult<Vec<usize>> {
        let array = Array::by_name(name)?;
        Ok(array.shape(self.lock()?.get()?, &self.worlds))
    }

    /// Whether an array is a physical parameter.
    #[staticmethod]
    fn is_parameter(name: &str) -> PyResult<bool> {
        Ok(matches!(Array::by_name(name)?, Array::Parameter(_)))
    }

    /// Fills a C-contiguous array of float32 or float64.
    fn read(&self, py: Python<'_>, name: &str, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let array = Array::by_name(name)?;
        if let Ok(out) = out.cast::<PyArrayDyn<f32>>() {
            self.read_into(py, (name, array), out)
        } else if let Ok(out) = out.cast::<PyArrayDyn<f64>>() {
            self.read_into(py, (name, array), out)
        } else {
            Err(wrong_dtype(name, out))
        }
    }

    /// Takes the numbers of a C-contiguous array of float32 or float64; all must be finite.
    fn write(&self, py: Python<'_>, name: &str, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let array = Array::by_name(name)?;
        if let Ok(values) = values.cast::<PyArrayDyn<f32>>() {
            self.write_from(py, (name, array), values)
        } else if let Ok(values) = values.cast::<PyArrayDyn<f64>>() {
            self.write_from(py, (name, array), values)
        } else {
            Err(wrong_dtype(name, values))
        }
    }

    /// Gives a parameter one row per world.
    fn spread(&self, name: &str) -> PyResult<()> {
        let Array::Parameter(parameter) = Array::by_name(name)? else {
            return Err(said(
                "WrongValue",
                format!("{name} is no parameter: it has one row per world already"),
                "",
            ));
        };
        Ok(spread(self.lock()?.get()?, &self.worlds, parameter).map_err(Problem::from)?)
    }

    /// Advances all worlds, and looks for Ctrl-C now and then; steps done before it remain done.
    fn step(&self, py: Python<'_>, count: usize) -> PyResult<StepReport> {
        let mut guard = self.lock()?;
        let batch = guard.get()?;
        let (mut chunk, mut done) = (1, 0);
        let mut sum: Option<sim::StepReport> = None;
        while done < count {
            let now = chunk.min(count - done);
            let begin = Instant::now();
            let report = py.detach(|| batch.step(now));
            done += now;
            match &mut sum {
                None => sum = Some(report),
                Some(sum) => merge(sum, report),
            }
            py.check_signals()?;
            if begin.elapsed() < PATIENCE / 2 {
                chunk *= 2;
            }
        }
        Ok(StepReport::new(sum.unwrap_or_else(|| batch.report())))
    }

    /// Moves worlds to poses that close; one row of `values` per name, one column per listed world.
    fn assemble(
        &self,
        py: Python<'_>,
        worlds: Vec<usize>,
        names: Vec<String>,
        values: Vec<Vec<f64>>,
        moving: (Vec<String>, Vec<Vec<f64>>),
    ) -> PyResult<Vec<bool>> {
        let mut guard = self.lock()?;
        let batch = guard.get()?;
        let (positions, velocities) = (pairs(&names, &values), pairs(&moving.0, &moving.1));
        Ok(py.detach(|| batch.assemble_moving(&worlds, &positions, &velocities)).map_err(Problem::from)?)
    }

    /// Puts worlds to a keyframe; says which succeeded.
    fn reset_to_keyframe(&self, py: Python<'_>, worlds: Vec<usize>, name: &str) -> PyResult<Vec<bool>> {
        let mut guard = self.lock()?;
        let batch = guard.get()?;
        let mut reset = move || worlds.iter().map(|world| batch.reset_to_keyframe(*world, name)).collect();
        let done: Result<Vec<bool>, BatchError> = py.detach(&mut reset);
        Ok(done.map_err(Problem::from)?)
    }

    /// Linear and angular momentum about the origin.
    fn momentum(&self, world: usize) -> PyResult<[f64; 6]> {
        let (p, l) = self.lock()?.get()?.momentum(world).map_err(Problem::from)?;
        Ok([p.x, p.y, p.z, l.x, l.y, l.z])
    }

    /// The numbers of a sensor.
    fn sensor(&self, world: usize, name: &str) -> PyResult<Vec<f64>> {
        Ok(self.lock()?.get()?.sensor(world, name).map_err(Problem::from)?)
    }

    /// What touches: names of both shapes, point, normal, depth, force, moment.
    fn contacts(&self, world: usize) -> PyResult<Vec<Touch>> {
        let mut guard = self.lock()?;
        let batch = guard.get()?;
        let model = batch.model(world).map_err(Problem::from)?.clone();
        let shape = |id: ShapeId| model.shapes()[id.index()].name.clone();
        let told = |c: BodyContact| {
            let vectors = [c.point.to_array(), c.normal.to_array(), c.force.to_array(), c.moment.to_array()];
            (shape(c.shape_a), shape(c.shape_b), c.depth, vectors)
        };
        Ok(batch.contacts(world).map_err(Problem::from)?.into_iter().map(told).collect())
    }

    fn reset(&self, worlds: Vec<usize>) -> PyResult<()> {
        let mut guard = self.lock()?;
        let batch = guard.get()?;
        for world in worlds {
            batch.reset(world).map_err(Problem::from)?;
        }
        Ok(())
    }

    fn energy(&self, world: usize) -> PyResult<f64> {
        Ok(self.lock()?.get()?.energy(world).map_err(Problem::from)?)
    }

    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut guard = self.lock()?;
        let batch = guard.get()?;
        let bytes = py.detach(move || batch.snapshot());
        Ok(PyBytes::new(py, &bytes))
    }

    fn restore(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        let mut guard = self.lock()?;
        let batch = guard.get()?;
        Ok(py.detach(|| batch.restore(bytes)).map_err(Problem::from)?)
    }

    fn memory_bytes_per_world(&self) -> PyResult<usize> {
        Ok(self.lock()?.get()?.memory_bytes_per_world())
    }

    #[getter]
    fn precision(&self) -> &'static str {
        if self.precision == Precision::F32 { "f32" } else { "f64" }
    }

    /// Frees the worlds; every later call raises `BatchClosed`.
    fn close(&self) -> PyResult<()> {
        match self.lock() {
            Ok(mut guard) => *guard.0 = None,
            Err(error) if self.is_closed() => drop(error),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn is_closed(&self) -> bool {
        self.inner.try_lock().is_ok_and(|inner| inner.is_none())
    }
}

/// Shapes a and b, depth, then point, normal, force and moment.
type Touch = (String, String, f64, [[f64; 3]; 4]);

fn pairs<'a>(names: &'a [String], values: &'a [Vec<f64>]) -> Vec<(&'a str, &'a [f64])> {
    names.iter().map(String::as_str).zip(values.iter().map(Vec::as_slice)).collect()
}

fn read_settings(py: Python<'_>, precision: Precision, given: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let mut s = match precision {
        Precision::F64 => Settings::default(),
        Precision::F32 => Settings::single(),
    };
    let mut o = Options::new(py, "solver".to_owned(), Some(given))?;
    let solver = &mut s.solver;
    solver.max_iterations = o.typed("max_iterations", "a whole number")?.unwrap_or(solver.max_iterations);
    let mut share = match solver.penalty {
        Penalty::Share(share) | Penalty::Fixed(share) => share,
    };
    s.rounds = o.typed("rounds", "two whole numbers")?.unwrap_or(s.rounds);
    for (name, place) in [
        ("tolerance", &mut solver.tolerance),
        ("proximal", &mut solver.proximal),
        ("penalty_share", &mut share),
        ("softness", &mut s.softness),
        ("gap_tolerance", &mut s.gap_tolerance),
        ("contact_recovery", &mut s.contact_recovery),
        ("limit_recovery", &mut s.limit_recovery),
        ("recovery_speed", &mut s.recovery_speed),
        ("bounce_speed", &mut s.bounce_speed),
    ] {
        *place = o.number(name)?.unwrap_or(*place);
        if !(place.is_finite() && *place >= 0.0) {
            return Err(said(
                "WrongValue",
                format!("solver: {name} is {place}, but must be zero or above"),
                "",
            ));
        }
    }
    s.solver.penalty = Penalty::Share(share);
    o.finish()?;
    Ok(s)
}

fn not_writable(name: &str) -> PyErr {
    said("WrongValue", format!("{name}: the array to fill is read-only, or in use"), "give a writable array")
}

/// The numbers of an array whose rows follow each other in memory.
fn c_order<T, E>(name: &str, contiguous: bool, numbers: Result<T, E>) -> PyResult<T> {
    numbers.ok().filter(|_| contiguous).ok_or_else(|| {
        let hint = "numpy.ascontiguousarray makes one";
        said("WrongShape", format!("{name}: the array must be C-contiguous"), hint)
    })
}

fn wrong_dtype(name: &str, found: &Bound<'_, PyAny>) -> PyErr {
    let dtype = found.getattr("dtype").map_or_else(|_| type_name(found), |dtype| dtype.to_string());
    said("WrongType", format!("{name}: expected an array of float32 or float64, not {dtype}"), "")
}

fn check_length(name: &str, found: usize, expected: usize) -> PyResult<()> {
    if found == expected {
        return Ok(());
    }
    Err(said("WrongShape", format!("{name}: the array has {found} numbers, expected: {expected}"), ""))
}

fn check_finite(name: &str, bad: Option<usize>, stride: usize) -> PyResult<()> {
    let Some(at) = bad else { return Ok(()) };
    let (world, place) = (at / stride.max(1), at % stride.max(1));
    let text = format!("{name}: number {place} of world {world} is not finite");
    Err(said("NotFinite", text, "look for a division by zero or an unset value where it was computed"))
}
