//! `bellcrank._native.Batch`: many worlds, their arrays, and what can be done with them.

use crate::checks::{c_order, check_finite, check_length, in_use, not_writable, wrong_dtype};
use crate::convert::array;
use crate::derivatives::{Asked, in_pieces, prepare};
use crate::error::{Problem, said};
use crate::held::{Guard, Shared, show};
use crate::model::Model;
use crate::queries::{Rays, find_body, ray_cast, vector};
use crate::render::{Looks, Wanted, arrays, film};
use crate::report::{StepReport, merge};
use crate::settings::{read_precision, read_settings};
use bellcrank::devices;
use bellcrank::math::{Pose, Quat};
use bellcrank::model::ShapeId;
use bellcrank::render::Size;
use bellcrank::sim::{self, BatchError, BatchOptions, BodyContact, Number, Precision, Quantity};
use bellcrank::view::{Live, LiveOptions};
use bellcrank_gradient::{Dense, QuantityDerivatives, Transition, transition_freedoms, transitions};
use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;
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
}

impl Batch {
    /// Worlds that somebody else steps too.
    pub fn of(shared: Arc<Shared>, precision: Precision) -> Self {
        Batch { shared, precision }
    }

    fn lock(&self, py: Python<'_>) -> PyResult<Guard<'_>> {
        self.shared.lock(py)
    }

    /// Looks at the worlds.
    pub fn look<T>(&self, py: Python<'_>, work: impl FnOnce(&sim::Batch) -> T) -> PyResult<T> {
        let mut guard = self.lock(py)?;
        Ok(work(guard.batch()?))
    }

    /// Fills an array of numbers.
    fn read_into<T: Number + numpy::Element>(
        &self,
        py: Python<'_>,
        quantity: Quantity,
        out: &Bound<'_, PyArrayDyn<T>>,
    ) -> PyResult<()> {
        let (mut guard, name) = (self.lock(py)?, quantity.name());
        let batch = guard.batch()?;
        let count = batch.shape(quantity).iter().product();
        let contiguous = out.is_c_contiguous();
        c_order(name, contiguous, out.try_readwrite().map_err(|_| not_writable(name))?.as_slice_mut())?;
        check_length(name, out.len(), count)?;
        // not into the array itself: other threads run meanwhile, and may do with it what they like
        let mut values = vec![T::from_f64(0.0); count];
        py.detach(|| batch.read(quantity, &mut values)).map_err(Problem::from)?;
        let mut out = out.try_readwrite().map_err(|_| not_writable(name))?;
        c_order(name, contiguous, out.as_slice_mut())?.copy_from_slice(&values);
        Ok(())
    }

    /// Takes an array of numbers.
    fn write_from<T: Number + numpy::Element>(
        &self,
        py: Python<'_>,
        quantity: Quantity,
        values: &Bound<'_, PyArrayDyn<T>>,
    ) -> PyResult<()> {
        let (mut guard, name) = (self.lock(py)?, quantity.name());
        let batch = guard.batch()?;
        let contiguous = values.is_c_contiguous();
        let borrowed = values.try_readonly().map_err(|_| in_use(name))?;
        // copied before they are looked at: what other threads write from here on does not get in
        let values = c_order(name, contiguous, borrowed.as_slice())?.to_vec();
        drop(borrowed);
        let shape = batch.shape(quantity);
        check_length(name, values.len(), shape.iter().product())?;
        let all_finite = values.iter().fold(true, |fine, x| fine & x.to_f64().is_finite()); // no branch: in vectors
        let unbounded = quantity.may_be_infinite();
        let wrong = |x: &T| x.to_f64().is_nan() || !(unbounded || x.to_f64().is_finite());
        let bad = if all_finite { None } else { values.iter().position(wrong) };
        check_finite(name, bad, shape[1..].iter().product())?;
        Ok(py.detach(move || batch.write(quantity, &values)).map_err(Problem::from)?)
    }
}

fn named(name: &str) -> PyResult<Quantity> {
    Ok(Quantity::by_name(name).map_err(Problem::from)?)
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (models, dt, precision, threads, settings, contact_capacity, device))]
    #[expect(clippy::too_many_arguments)] // what Python's class gives by position
    fn new(
        py: Python<'_>,
        models: Vec<Py<Model>>,
        dt: f64,
        precision: &str,
        threads: usize,
        settings: &Bound<'_, PyDict>,
        contact_capacity: Option<usize>,
        device: &str,
    ) -> PyResult<Self> {
        let models: Vec<_> = models.iter().map(|model| model.get().inner.clone()).collect();
        let precision = read_precision(precision)?;
        let settings = read_settings(py, precision, settings)?;
        let options = BatchOptions {
            dt: Some(dt),
            precision,
            threads,
            contact_capacity,
            settings,
            ..BatchOptions::default()
        };
        let inner = py.detach(|| devices::batch_on(device, &models, options)).map_err(Problem::from)?;
        Ok(Batch { shared: Shared::new(inner), precision })
    }

    /// What may go wrong with the settings.
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.lock(py)?.batch()?.warnings())
    }

    /// The shape of an array.
    fn shape(&self, py: Python<'_>, name: &str) -> PyResult<Vec<usize>> {
        let quantity = named(name)?;
        Ok(self.lock(py)?.batch()?.shape(quantity))
    }

    /// Fills a C-contiguous array of float32 or float64.
    fn read(&self, py: Python<'_>, name: &str, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let quantity = named(name)?;
        if let Ok(out) = out.cast::<PyArrayDyn<f32>>() {
            self.read_into(py, quantity, out)
        } else if let Ok(out) = out.cast::<PyArrayDyn<f64>>() {
            self.read_into(py, quantity, out)
        } else {
            Err(wrong_dtype(name, out))
        }
    }

    /// Takes the numbers of a C-contiguous array of float32 or float64; all must be finite.
    fn write(&self, py: Python<'_>, name: &str, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let quantity = named(name)?;
        if let Ok(values) = values.cast::<PyArrayDyn<f32>>() {
            self.write_from(py, quantity, values)
        } else if let Ok(values) = values.cast::<PyArrayDyn<f64>>() {
            self.write_from(py, quantity, values)
        } else {
            Err(wrong_dtype(name, values))
        }
    }

    /// Gives a parameter one row per world.
    fn spread(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        let quantity = named(name)?;
        Ok(self.lock(py)?.batch()?.spread(quantity).map_err(Problem::from)?)
    }

    /// Draws parameters of some worlds anew: (name, lower, upper bound) of each.
    fn randomize(
        &self,
        py: Python<'_>,
        seed: u64,
        ranges: Vec<(String, f64, f64)>,
        worlds: Vec<usize>,
    ) -> PyResult<()> {
        let found = |(name, low, high): (String, f64, f64)| Ok((named(&name)?, [low, high]));
        let ranges = ranges.into_iter().map(found).collect::<PyResult<Vec<_>>>()?;
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
        asked: Asked,
    ) -> PyResult<Derivative<'py>> {
        let mut guard = self.lock(py)?;
        let work = prepare(guard.batch()?, &worlds, &asked)?;
        let numbers = in_pieces(py, worlds.len(), |some| work.jacobians(some))?;
        Ok((blocks(&work), array(py, numbers, &[worlds.len(), work.rows(), work.columns()])?))
    }

    /// The same blocks, and cotangents (worlds, rows) of the next step taken back to them: (worlds, columns).
    fn step_vjp<'py>(
        &self,
        py: Python<'py>,
        worlds: Vec<usize>,
        asked: Asked,
        cotangents: PyReadonlyArrayDyn<'py, f64>,
    ) -> PyResult<Derivative<'py>> {
        let mut guard = self.lock(py)?;
        let work = prepare(guard.batch()?, &worlds, &asked)?;
        let (numbers, rows) =
            (c_order("cotangent", cotangents.is_c_contiguous(), cotangents.as_slice())?, work.rows());
        check_length("cotangent", numbers.len(), worlds.len() * rows)?;
        check_finite("cotangent", numbers.iter().position(|x| !x.is_finite()), rows)?;
        let back = in_pieces(py, worlds.len(), |some| {
            let own = &numbers[some.start * rows..some.end * rows];
            work.vjps(some, own)
        })?;
        Ok((blocks(&work), array(py, back, &[worlds.len(), work.columns()])?))
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
    fn keyframe_fault(&self, py: Python<'_>, world: usize, name: &str) -> PyResult<Option<String>> {
        let mut guard = self.lock(py)?;
        let batch = guard.batch_to_change()?;
        let trouble = batch.keyframe_fault(world, name).map_err(Problem::from)?;
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

    /// The numbers of several sensors, (worlds, numbers).
    fn sensors<'py>(
        &self,
        py: Python<'py>,
        worlds: Vec<usize>,
        names: Vec<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut guard = self.lock(py)?;
        let batch = guard.batch()?;
        let numbers = py.detach(|| batch.sensors(&worlds, &names)).map_err(Problem::from)?;
        let width = numbers.len() / worlds.len().max(1);
        array(py, numbers, &[worlds.len(), width])
    }

    /// A and B of the next step in minimal coordinates.
    fn transition<'py>(
        &self,
        py: Python<'py>,
        worlds: Vec<usize>,
        kappa: Option<f64>,
    ) -> PyResult<[Bound<'py, PyAny>; 2]> {
        let mut guard = self.lock(py)?;
        let batch = guard.batch()?;
        let found = py.detach(|| transitions(batch, &worlds, kappa)).map_err(Problem::from)?;
        let together = |of: fn(&Transition) -> &Dense| {
            let (rows, columns) = found.first().map_or((0, 0), |first| (of(first).rows(), of(first).columns));
            let all: Vec<f64> = found.iter().flat_map(|world| of(world).values.iter().copied()).collect();
            array(py, all, &[worlds.len(), rows, columns])
        };
        Ok([together(|world| &world.A)?, together(|world| &world.B)?])
    }

    /// The names of its coordinates.
    fn transition_names(&self, py: Python<'_>, world: usize) -> PyResult<Vec<String>> {
        let mut guard = self.lock(py)?;
        let batch = guard.batch()?;
        let freedoms = transition_freedoms(batch, world).map_err(Problem::from)?;
        let model = batch.model(world).map_err(Problem::from)?;
        Ok(freedoms.iter().map(|freedom| freedom.name(model)).collect())
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
        Ok(py.detach(move || batch.energy_of(&worlds)).map_err(Problem::from)?)
    }

    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut guard = self.lock(py)?;
        let batch = guard.batch()?;
        let bytes = py.detach(move || batch.snapshot());
        Ok(PyBytes::new(py, &bytes))
    }

    /// Takes a snapshot back; if not `exact`, also one of another precision, time step or solver.
    fn restore(&self, py: Python<'_>, bytes: &[u8], exact: bool) -> PyResult<()> {
        let mut guard = self.lock(py)?;
        let batch = guard.batch_to_change()?;
        let restored = py.detach(|| if exact { batch.restore(bytes) } else { batch.adopt(bytes) });
        Ok(restored.map_err(Problem::from)?)
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
        let hits = py.detach(|| ray_cast(batch, &worlds, &rays)).map_err(Problem::from)?;
        let count = hits.distance.len();
        Ok([
            array(py, hits.distance, &[count])?,
            array(py, hits.shape, &[count])?,
            array(py, hits.point, &[count, 3])?,
            array(py, hits.normal, &[count, 3])?,
        ])
    }

    /// Pictures of worlds, one each: `color`, `depth` or `segmentation`; by a camera and the body that carries it, or by a camera of
    /// the models.
    fn render<'py>(
        &self,
        py: Python<'py>,
        worlds: Vec<usize>,
        what: (String, usize, usize),
        by: (Option<Looks>, Option<String>, Option<String>),
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut guard = self.lock(py)?;
        let batch = guard.batch()?;
        let (camera, carrier, named) = by;
        let body = match (&carrier, worlds.first()) {
            (Some(name), Some(world)) => Some(find_body(batch, *world, name).map_err(Problem::from)?.index()),
            _ => None,
        };
        let (kind, width, height) = what;
        let wanted = Wanted { kind, size: Size { width, height }, camera, body, named };
        let pixels = py.detach(|| wanted.draw(batch, &worlds))?;
        arrays(py, pixels, worlds.len(), wanted.size)
    }

    /// Draws the frames of a recorded page as a film.
    fn film(
        &self,
        py: Python<'_>,
        page: &[u8],
        path: PathBuf,
        size: (usize, usize),
        camera: Option<String>,
    ) -> PyResult<()> {
        let mut guard = self.lock(py)?;
        let batch = guard.batch()?;
        let size = Size { width: size.0, height: size.1 };
        Ok(py.detach(|| film(batch, page, &path, size, camera))?)
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
        let mut live = Live::start(&held.batch, options).map_err(Problem::from)?;
        live.pose_with(Box::new(bellcrank::posing::Puppet::default()));
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

fn blocks(work: &QuantityDerivatives<'_>) -> Vec<(&'static str, Vec<usize>)> {
    work.blocks().iter().map(|block| (block.quantity.name(), block.shape.clone())).collect()
}

/// Shapes a and b, depth, then point, normal, force and moment.
type Touch = (String, String, f64, [[f64; 3]; 4]);

fn pairs<'a>(names: &'a [String], values: &'a [Vec<f64>]) -> Vec<(&'a str, &'a [f64])> {
    names.iter().map(String::as_str).zip(values.iter().map(Vec::as_slice)).collect()
}
