//! How long operators take on this machine, row-major arrays in and out.
//!
//! Timing on a shared machine: contestants take turns in short runs over the whole batch, and the best run of each
//! counts, because other work can only make a run longer. Compiled here for both precisions, so that programs which
//! show figures need not compile every kernel again.

use crate::error::TreeError;
use crate::kernels::frames::Reference;
use crate::model::{FrameId, TreeModel};
use crate::operators::{AbaGradients, Batch};
use bellcrank_math::Elem;
use bellcrank_model::Model;
use std::time::Instant;

/// What can be measured. `fk`: poses of all moving bodies; `jacobian`: of the last of them; `aba_vjp`: forward dynamics
/// with its gradient by q, v and τ.
pub const OPERATORS: [&str; 8] =
    ["fk", "jacobian", "rnea", "crba", "aba", "rnea_derivatives", "aba_vjp", "aba_derivatives"];

/// How to measure.
#[derive(Clone, Debug)]
pub struct Settings {
    /// States per call.
    pub batch: usize,
    /// Time for each operator and precision, all contestants together \[s\].
    pub seconds: f64,
    /// Threads of the contestants that run on lanes; one by one always runs on one.
    pub threads: Vec<usize>,
    /// Which operators, out of [`OPERATORS`].
    pub operators: Vec<&'static str>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { batch: 4096, seconds: 0.2, threads: vec![1, 2], operators: OPERATORS.to_vec() }
    }
}

/// One figure.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Out of [`OPERATORS`].
    pub operator: &'static str,
    /// `f64` or `f32`.
    pub precision: &'static str,
    /// Several states at a time, or one after the other.
    pub lanes: bool,
    /// Threads.
    pub threads: usize,
    /// Wall time per state \[ns\].
    pub ns_per_state: f64,
}

/// Measures operators on random states of a model.
///
/// # Errors
/// When an operator refuses its arrays, which would be a fault of this module.
pub fn measure(model: &Model, settings: &Settings) -> Result<Vec<Timing>, TreeError> {
    let mut timings = Vec::new();
    measure_one::<f64>(model, "f64", settings, &mut timings)?;
    measure_one::<f32>(model, "f32", settings, &mut timings)?;
    Ok(timings)
}

fn measure_one<E: Elem>(
    model: &Model,
    precision: &'static str,
    settings: &Settings,
    timings: &mut Vec<Timing>,
) -> Result<(), TreeError> {
    let tree = TreeModel::<E>::new(model);
    let mut arrays = Arrays::new(&tree, settings.batch)?;
    let mut plans = vec![(false, 1)];
    plans.extend(settings.threads.iter().map(|threads| (true, *threads)));
    for operator in &settings.operators {
        let mut best = vec![f64::INFINITY; plans.len()];
        let (start, mut rounds) = (Instant::now(), 0);
        while rounds < 3 || start.elapsed().as_secs_f64() < settings.seconds {
            for (best, (lanes, threads)) in best.iter_mut().zip(&plans) {
                let batch = tree.batch().threads(*threads);
                let batch = if *lanes { batch } else { batch.one_by_one() };
                *best = best.min(arrays.time(batch, operator)?);
            }
            rounds += 1;
        }
        timings.extend(best.into_iter().zip(&plans).map(|(ns_per_state, &(lanes, threads))| Timing {
            operator,
            precision,
            lanes,
            threads,
            ns_per_state,
        }));
    }
    Ok(())
}

/// Arrays for every operator.
struct Arrays<E> {
    states: usize,
    q: Vec<E>,
    v: Vec<E>,
    a: Vec<E>,
    rows: [Vec<E>; 5],
    poses: Vec<E>,
    jacobian: Vec<E>,
    square: [Vec<E>; 3],
    frames: Vec<FrameId>,
}

impl<E: Elem> Arrays<E> {
    fn new(tree: &TreeModel<E>, states: usize) -> Result<Self, TreeError> {
        let (nq, nv) = (tree.coordinate_count(), tree.dof_count());
        let mut seed = 1_u64;
        let mut random =
            |n: usize| -> Vec<E> { (0..states * n).map(|_| E::from_f64(dice(&mut seed))).collect() };
        let (v, a) = (random(nv), random(nv));
        let start: Vec<E> = (0..states).flat_map(|_| tree.neutral()).collect();
        let mut q = vec![E::zero(); states * nq];
        tree.batch().integrate(&start, &v, &mut q)?;
        let zeros = |n: usize| vec![E::zero(); states * n];
        let frames: Vec<FrameId> = tree.slots().iter().map(|slot| tree.body_frame(slot.body)).collect();
        Ok(Arrays {
            states,
            q,
            v,
            a,
            rows: core::array::from_fn(|_| zeros(nv)),
            poses: zeros(12 * frames.len()),
            jacobian: zeros(6 * nv),
            square: core::array::from_fn(|_| zeros(nv * nv)),
            frames,
        })
    }

    /// Runs an operator on all states; gives nanoseconds per state.
    fn time(&mut self, batch: Batch<'_, E>, operator: &str) -> Result<f64, TreeError> {
        let start = Instant::now();
        let Arrays { q, v, a, frames, poses, jacobian, .. } = self;
        let [x, y, z, w, out] = &mut self.rows;
        let [s, t, u] = &mut self.square;
        match (operator, frames.last()) {
            ("fk", _) => batch.fk(q, frames, poses)?,
            ("jacobian", Some(tip)) => batch.jacobian(q, *tip, Reference::Local, jacobian)?,
            ("rnea", _) => batch.rnea(q, v, a, out)?,
            ("crba", _) => batch.crba(q, t)?,
            ("aba", _) => batch.aba(q, v, a, out)?,
            ("rnea_derivatives", _) => batch.rnea_derivatives(q, v, a, s, t)?,
            ("aba_derivatives", _) => batch.aba_derivatives(q, v, a, [s, t, u])?,
            ("aba_vjp", _) => {
                let gradients = AbaGradients { a: x, q: y, v: z, tau: w, parameters: &mut [] };
                batch.aba_vjp(q, v, a, out, gradients)?;
            }
            _ => {}
        }
        Ok(start.elapsed().as_nanos() as f64 / self.states as f64)
    }
}

/// Reproducible numbers in [−1, 1] (SplitMix64).
fn dice(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^= z >> 31;
    (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}
