//! `bellcrank._native.Batch`: many worlds, their arrays, and what can be done with them.

use crate::checks::{c_order, check_finite, check_length, not_writable, wrong_dtype};
use crate::convert::array;
use crate::derivatives::Derivatives;
use crate::error::{Problem, said};
use crate::fields::{self, Array, Number};
use crate::held::{Guard, Shared, show};
use crate::model::Model;
use crate::queries::{Rays, find_body, ray_cast, vector};
use crate::report::{StepReport, merge};
use crate::settings::{read_precision, read_settings};
use crate::worlds::Worlds;
use bellcrank::math::{Pose, Quat};
use bellcrank::model::ShapeId;
use bellcrank::sim::{self, BatchError, BatchOptions, BodyContact, Parameter, Precision};
use bellcrank::view::{Live, LiveOptions};
use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Signals (Ctrl-C) are looked at about this often.
pub const PATIENCE: Duration = Duration::from_millis(50);

/// Blocks of columns, name and shape each, and an array over worlds.
type Derivative<'py> = (Vec<(&'static str, Vec<usize>)>, Bound<'py, PyAny>);

#[pyclass(frozen, module = "bellcrank._native", name = "Batch")]
pub struct Batch {
    shared: Arc<Shared>,
    precision: Precision,
    /// Zero for one per core.
    threads: usize,
    worlds: Worlds,
}

impl Batch {
    fn lock(&self, py: Python<'_>) -> PyResult<Guard<'_>> {
        self.shared.lock(py)
    }

    /// Fills an array of numbers.
    fn read_into<T: Number>(
        &self,
        py: Python<'_>,
        (name, array): (&str, Array),
        out: &Bound<'_, PyArrayDyn<T>>,
    ) -> PyResult<()> {
        let mut guard = self.lock(py)?;
        let (batch, worlds) = (guard.batch()?, &self.worlds);
        let contiguous = out.is_c_contiguous();
        let mut out = out.try_readwrite().map_err(|_| not_writable(name))?;
        let out = c_order(name, contiguous, out.as_slice_mut())?;
        check_length(name, out.len(), array.shape(batch, worlds).iter().product())?;
        Ok(py.detach(move || fields::read(batch, array, out)).map_err(Problem::from)?)
    }

    /// Takes an array of numbers.
    fn write_from<T: Number>(
        &self,
        py: Python<'_>,
        (name, array): (&str, Array),
        values: &Bound<'_, PyArrayDyn<T>>,
    ) -> PyResult<()> {
        let mut guard = self.lock(py)?;
        let (batch, worlds) = (guard.batch()?, &self.worlds);
        let contiguous = values.is_c_contiguous();
        let values = values.readonly();
        let values = c_order(name, contiguous, values.as_slice())?;
        let shape = array.shape(batch, worlds);
        check_length(name, values.len(), shape.iter().product())?;
        let unbounded = matches!(array, Array::Parameter(parameter) if parameter.may_be_infinite());
        let all_finite = values.iter().fold(true, |fine, x| fine & x.is_finite()); // no branch: in vectors
        let wrong = |x: &T| x.to_f64().is_nan() || !(unbounded || x.is_finite());
        let bad = if all_finite { None } else { values.iter().position(wrong) };
        check_finite(name, bad, shape[1..].iter().product())?;
        Ok(py.detach(move || fields::write(batch, array, values)).map_err(Problem::from)?)
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (models, dt, precision, threads, settings, contact_capacity))]
    fn new(
        py: Python<'_>,
        models: Vec<Py<Model>>,
        dt: f64,
        precision: &str,
        threads: usize,
        settings: &Bound<'_, PyDict>,
        contact_capacity: Option<usize>,
    ) -> PyResult<Self> {
        let models: Vec<_> = models.iter().map(|model| model.get().inner.clone()).collect();
        let precision = read_precision(precision)?;
        let settings = Some(read_settings(py, precision, settings)?);
        let options =
            BatchOptions { dt, precision, threads, contact_capacity, settings, ..BatchOptions::default() };
        let worlds = Worlds::of(&models);
        let inner = py.detach(|| sim::Batch::of(&models, options)).map_err(Problem::from)?;
        Ok(Batch { shared: Shared::new(inner), precision, threads, worlds })
    }

    /// What may go wrong with the settings.
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.lock(py)?.batch()?.warnings())
    }

    /// The shape of an array.
    fn shape(&self, py: Python<'_>, name: &str) -> PyResult<Vec<usize>> {
        let array = Array::by_name(name)?;
        Ok(array.shape(self.lock(py)?.batch()?, &self.worlds))
    }

    /// The arrays that are physical parameters.
    #[staticmethod]
    fn parameter_names() -> Vec<&'static str> {
        Parameter::all().map(Parameter::name).collect()
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
    fn spread(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        let Array::Parameter(parameter) = Array::by_name(name)? else {
            return Err(said(
                "WrongValue",
                format!("{name} is no parameter: it has one row per world already"),
                "",
            ));
        };
        self.lock(py)?.batch()?.spread(parameter);
        Ok(())
    }

    /// Draws parameters of some worlds anew: (name, lower, upper bound) of each.
    fn randomize(
        &self,
        py: Python<'_>,
        seed: u64,
        ranges: Vec<(String, f64, f64)>,
        worlds: Vec<usize>,
    ) -> PyResult<()> {
        let named = |(name, low, high): (String, f64, f64)| match Array::by_name(&name)? {
            Array::Parameter(parameter) => Ok((parameter, [low, high])),
            Array::Field(_) => Err(said("WrongValue", format!("{name} is no parameter"), "")),
        };
        let ranges = ranges.into_iter().map(named).collect::<Result<Vec<_>, _>>()?;
        let mut guard = self.lock(py)?;
        let batch = guard.batch()?;
        Ok(py.detach(move || batch.randomize(seed, &ranges, &worlds)).map_err(Problem::from)?)
    }

    /// Advances all worlds, and looks for Ctrl-C now and then; steps done before it remain done.
    fn step(&self, py: Python<'_>, count: usize) -> PyResult<StepReport> {
        let mut guard = self.lock(py)?;
        let held = guard.get()?;
        held.settle_report();
        let (mut done, mut sum) = (0, None);
        while done < count {
            let begin = Instant::now();
            let most = held.pace.min(count - done);
            let now = py.detach(|| held.advance(most)).map_err(Problem::from)?;
            done += now;
            if now < count {
                // several pieces: the figures of each count
                let figures = py.detach(|| held.batch.report());
                match &mut sum {
                    None => sum = Some(figures),
                    Some(sum) => merge(sum, figures),
                }
            }
            py.check_signals()?;
            if begin.elapsed() > PATIENCE {
                held.pace = (held.pace / 2).max(1);
            } else if now == held.pace && begin.elapsed() < PATIENCE / 4 {
                held.pace *= 2;
            }
        }
        let figures = held.lazy_report();
        if let Some(sum) = sum {
            figures.get_or_init(|| sum);
        }
        Ok(StepReport::new(figures, Arc::downgrade(&self.shared)))
    }

    /// Blocks of columns (name and shape each) and the Jacobian of the next step, (worlds, rows, columns).
    fn step_jacobian<'py>(
        &self,
        py: Python<'py>,
        worlds: Vec<usize>,
        how: (Vec<String>, Option<f64>, bool),
    ) -> PyResult<Derivative<'py>> {
        let mut guard = self.lock(py)?;
        let batch = guard.batch()?;
        let work = Derivatives::new(batch, &self.worlds, &worlds, (&how.0, how.1, how.2))?;
        let numbers = work.jacobians(py, self.threads)?;
        Ok((work.blocks(), array(py, numbers, &[worlds.len(), work.rows(), work.columns()])?))
    }

    /// The same blocks, and cotangents (worlds, rows) of the next step taken back to them: (worlds, columns).
    fn step_vjp<'py>(
        &self,
        py: Python<'py>,
        worlds: Vec<usize>,
        how: (Vec<String>, Option<f64>, bool),
        cotangents: PyReadonlyArrayDyn<'py, f64>,
    ) -> PyResult<Derivative<'py>> {
        let mut guard = self.lock(py)?;
        let batch = guard.batch()?;
        let work = Derivatives::new(batch, &self.worlds, &worlds, (&how.0, how.1, how.2))?;
        let numbers = c_order("cotangent", cotangents.is_c_contiguous(), cotangents.as_slice())?;
        check_length("cotangent", numbers.len(), worlds.len() * work.rows())?;
        check_finite("cotangent", numbers.iter().position(|x| !x.is_finite()), work.rows())?;
        let back = work.vjps((py, self.threads), numbers)?;
        Ok((work.blocks(), array(py, back, &[worlds.len(), work.columns()])?))
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
        let mut guard = self.lock(py)?;
        let batch = guard.batch_to_change()?;
        let (positions, velocities) = (pairs(&names, &values), pairs(&moving.0, &moving.1));
        Ok(py.detach(|| batch.assemble_moving(&worlds, &positions, &velocities)).map_err(Problem::from)?)
    }

    /// Moves whole robots: one position of the body, and one quaternion unless it is to stay, per listed world.
    fn place(
        &self,
        py: Python<'_>,
        worlds: Vec<usize>,
        body: &str,
        positions: Vec<[f64; 3]>,
        quats_wxyz: Option<Vec<[f64; 4]>>,
    ) -> PyResult<()> {
        let mut guard = self.lock(py)?;
        let batch = guard.batch_to_change()?;
        let mut place = || {
            for (k, (&world, position)) in worlds.iter().zip(&positions).enumerate() {
                let body = find_body(batch, world, body)?.index();
                let R = match &quats_wxyz {
                    Some(quats) => Quat::from_wxyz(quats[k]),
                    None => batch.body_pose(world, body)?.R,
                };
                batch.place(world, body, Pose::new(R, vector(position)))?;
            }
            Ok::<(), BatchError>(())
        };
        Ok(py.detach(&mut place).map_err(Problem::from)?)
    }

    /// Puts worlds to a keyframe; says which succeeded.
    fn reset_to_keyframe(&self, py: Python<'_>, worlds: Vec<usize>, name: &str) -> PyResult<Vec<bool>> {
        let mut guard = self.lock(py)?;
        let batch = guard.batch_to_change()?;
        let mut reset = move || worlds.iter().map(|world| batch.reset_to_keyframe(*world, name)).collect();
        let done: Result<Vec<bool>, BatchError> = py.detach(&mut reset);
        Ok(done.map_err(Problem::from)?)
    }

    /// Why a world cannot be put to a keyframe, or nothing.
    fn keyframe_trouble(&self, py: Python<'_>, world: usize, name: &str) -> PyResult<Option<String>> {
        let mut guard = self.lock(py)?;
        let batch = guard.batch_to_change()?;
        let trouble = batch.keyframe_trouble(world, name).map_err(Problem::from)?;
        Ok(trouble.map(|trouble| trouble.to_string()))
    }

    /// Linear and angular momentum about the origin.
    fn momentum(&self, py: Python<'_>, worlds: Vec<usize>) -> PyResult<Vec<[f64; 6]>> {
        let told = |batch: &sim::Batch, world: usize| {
            let (p, l) = batch.momentum(world)?;
            Ok([p.x, p.y, p.z, l.x, l.y, l.z])
        };
        let mut guard = self.lock(py)?;
        let batch = guard.batch()?;
        Ok(py.detach(move || batch.ask_worlds(&worlds, told)).map_err(Problem::from)?)
    }

    /// The numbers of a sensor.
    fn sensor(&self, py: Python<'_>, worlds: Vec<usize>, name: &str) -> PyResult<Vec<Vec<f64>>> {
        let mut guard = self.lock(py)?;
        let batch = guard.batch()?;
        let told = |batch: &sim::Batch, world: usize| batch.sensor(world, name);
        Ok(py.detach(move || batch.ask_worlds(&worlds, told)).map_err(Problem::from)?)
    }

    /// What touches: names of both shapes, point, normal, depth, force, moment.
    fn contacts(&self, py: Python<'_>, world: usize) -> PyResult<Vec<Touch>> {
        let mut guard = self.lock(py)?;
        let batch = guard.batch()?;
        let model = batch.model(world).map_err(Problem::from)?.clone();
        let shape = |id: ShapeId| model.shapes()[id.index()].name.clone();
        let told = |c: BodyContact| {
            let vectors = [c.point.to_array(), c.normal.to_array(), c.force.to_array(), c.moment.to_array()];
            (shape(c.shape_a), shape(c.shape_b), c.depth, vectors)
        };
        Ok(batch.contacts(world).map_err(Problem::from)?.into_iter().map(told).collect())
    }

    fn reset(&self, py: Python<'_>, worlds: Vec<usize>) -> PyResult<()> {
        let mut guard = self.lock(py)?;
        let batch = guard.batch_to_change()?;
        for world in worlds {
            batch.reset(world).map_err(Problem::from)?;
        }
        Ok(())
    }

    fn energy(&self, py: Python<'_>, worlds: Vec<usize>) -> PyResult<Vec<f64>> {
        let mut guard = self.lock(py)?;
        let batch = guard.batch()?;
        Ok(py.detach(move || batch.ask_worlds(&worlds, sim::Batch::energy)).map_err(Problem::from)?)
    }

    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut guard = self.lock(py)?;
        let batch = guard.batch()?;
        let bytes = py.detach(move || batch.snapshot());
        Ok(PyBytes::new(py, &bytes))
    }

    fn restore(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        let mut guard = self.lock(py)?;
        let batch = guard.batch_to_change()?;
        Ok(py.detach(|| batch.restore(bytes)).map_err(Problem::from)?)
    }

    fn memory_bytes_per_world(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.lock(py)?.batch()?.memory_bytes_per_world())
    }

    #[getter]
    fn precision(&self) -> &'static str {
        if self.precision == Precision::F32 { "f32" } else { "f64" }
    }

    /// What rays hit: distances, shapes, points and normals, ray after ray and world after world.
    fn ray_cast<'py>(
        &self,
        py: Python<'py>,
        worlds: Vec<usize>,
        ends: (PyReadonlyArrayDyn<'py, f64>, PyReadonlyArrayDyn<'py, f64>),
        reach: f64,
        ignore: Option<String>,
    ) -> PyResult<[Bound<'py, PyAny>; 4]> {
        let mut guard = self.lock(py)?;
        let batch = guard.batch()?;
        let origins = c_order("origins", true, ends.0.as_slice())?;
        let directions = c_order("directions", true, ends.1.as_slice())?;
        let rays = Rays { origins, directions, reach, ignore: ignore.as_deref() };
        let hits = py.detach(|| ray_cast(batch, &self.worlds, &worlds, &rays)).map_err(Problem::from)?;
        let count = hits.distance.len();
        Ok([
            array(py, hits.distance, &[count])?,
            array(py, hits.shape, &[count])?,
            array(py, hits.point, &[count, 3])?,
            array(py, hits.normal, &[count, 3])?,
        ])
    }

    /// Records frames from now on; of the first worlds when none are listed.
    fn record(&self, py: Python<'_>, frames_per_second: f64, worlds: Vec<usize>) -> PyResult<()> {
        Ok(self.lock(py)?.get()?.record(frames_per_second, worlds)?)
    }

    /// Ends the recording and gives its page.
    fn finish_recording<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut guard = self.lock(py)?;
        let held = guard.get()?;
        let page = py.detach(|| held.finish_recording())?;
        Ok(PyBytes::new(py, &page))
    }

    /// Shows the worlds in the browser from now on and gives the address.
    fn view(&self, py: Python<'_>, worlds: Vec<usize>, port: u16, playing: bool) -> PyResult<String> {
        let mut guard = self.lock(py)?;
        let held = guard.get()?;
        if held.live.is_some() {
            return Err(said(
                "WrongValue",
                "the batch is being shown already",
                "stop the other viewer first",
            ));
        }
        let options = LiveOptions { port, worlds, playing, ..LiveOptions::default() };
        let live = Live::start(&held.batch, options).map_err(Problem::from)?;
        let url = live.address().url.clone();
        held.live = Some(live);
        show(&self.shared).map_err(Problem::from)?;
        Ok(url)
    }

    /// Ends the show.
    fn stop_viewing(&self, py: Python<'_>) -> PyResult<()> {
        let mut guard = self.lock(py)?;
        let held = guard.get()?;
        held.live = None;
        match held.trouble.take() {
            Some(trouble) => Err(Problem::from(trouble).into()),
            None => Ok(()),
        }
    }

    /// Browsers that look on.
    fn watchers(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.lock(py)?.get()?.live.as_ref().map_or(0, Live::watchers))
    }

    /// How often the viewer had the worlds; it gives them up first.
    fn viewer_turns(&self, py: Python<'_>) -> PyResult<u64> {
        if self.shared.is_viewed() {
            drop(self.lock(py)?);
        }
        Ok(self.shared.turns())
    }

    /// Frees the worlds; every later call raises `BatchClosed`.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        match self.lock(py) {
            Ok(guard) => guard.close(),
            Err(error) if self.is_closed() => drop(error),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn is_closed(&self) -> bool {
        self.shared.is_closed()
    }
}

/// Shapes a and b, depth, then point, normal, force and moment.
type Touch = (String, String, f64, [[f64; 3]; 4]);

fn pairs<'a>(names: &'a [String], values: &'a [Vec<f64>]) -> Vec<(&'a str, &'a [f64])> {
    names.iter().map(String::as_str).zip(values.iter().map(Vec::as_slice)).collect()
}
