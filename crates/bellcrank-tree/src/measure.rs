//! How long operators take on this machine.
//!
//! Timing on a shared machine: contestants take turns, and the best time counts, because other work can only make a run
//! longer. On one thread a run is cut into pieces of a fraction of a millisecond, which often escape other work, and the
//! best times of all pieces add up; the arrays are as long as the batch all the same. Several threads run whole batches,
//! each twice in a row: the second call finds them awake, as a program that calls again and again does.

use crate::error::TreeError;
use crate::kernels::frames::Reference;
use crate::layout::Layout;
use crate::model::{FrameId, TreeModel};
use crate::operators::{AbaGradients, Batch, operator};
use crate::precision::Precision;
use bellcrank_math::Level;
use bellcrank_model::Model;
use std::ops::Range;
use std::time::Instant;

/// What can be measured. `fk`: poses of all moving bodies; `jacobian`: of the last of them; `aba_vjp`: forward dynamics
/// with its gradient by q, v and τ; `…_entries`: without the zeros of the matrix; `arrays`: what `rnea` reads and writes
/// and nothing else, the price of arrays with a row per state.
pub const OPERATORS: [&str; 11] = [
    "arrays",
    "fk",
    "jacobian",
    "rnea",
    "crba",
    "crba_entries",
    "aba",
    "rnea_derivatives",
    "rnea_derivatives_entries",
    "aba_vjp",
    "aba_derivatives",
];

const V: Layout<'static> = Layout::Tangent;
/// Time of a piece \[ns\].
const PIECE: f64 = 2e5;
/// No piece has fewer states: what a call costs by itself must not show.
const FEWEST: usize = 128;

/// How to measure.
#[derive(Clone, Debug)]
pub struct Settings {
    /// States per call.
    pub batch: usize,
    /// Time for each operator and precision, all contestants together \[s\].
    pub seconds: f64,
    /// Who takes part.
    pub contestants: Vec<Contestant>,
    /// Which operators, out of [`OPERATORS`].
    pub operators: Vec<&'static str>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { batch: 4096, seconds: 0.2, contestants: contestants(), operators: OPERATORS.to_vec() }
    }
}

/// A way to run an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contestant {
    /// The instruction set; [`Level::Scalar`]: one state after the other.
    pub level: Level,
    /// Threads.
    pub threads: usize,
    /// Results are written to arrays with a row per state; otherwise they stay in lanes, for code of one's own to use
    /// there (see [`crate::batch::Operator`]). Inputs always come from such arrays.
    pub rows: bool,
}

/// One by one; every instruction set that this processor has and this program was built for, with results in lanes and
/// in rows; the widest one on two threads.
pub fn contestants() -> Vec<Contestant> {
    let levels = Level::ALL.into_iter().filter(|level| *level != Level::Scalar && level.available());
    let mut all = vec![Contestant { level: Level::Scalar, threads: 1, rows: true }];
    for level in levels {
        all.extend([false, true].map(|rows| Contestant { level, threads: 1, rows }));
    }
    all.push(Contestant { level: Level::best(), threads: 2, rows: true });
    all
}

/// One figure.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Out of [`OPERATORS`].
    pub operator: &'static str,
    /// `f64` or `f32`.
    pub precision: &'static str,
    /// How it ran.
    pub contestant: Contestant,
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

fn measure_one<E: Precision>(
    model: &Model,
    precision: &'static str,
    settings: &Settings,
    timings: &mut Vec<Timing>,
) -> Result<(), TreeError> {
    let tree = TreeModel::<E>::new(model);
    let mut arrays = Arrays::new(&tree, settings.batch)?;
    for operator in &settings.operators {
        let mut runs = Vec::new();
        for contestant in &settings.contestants {
            runs.push(Run::new(&tree, *contestant, operator, &mut arrays)?);
        }
        let (start, mut rounds) = (Instant::now(), 0);
        while rounds < 3 || start.elapsed().as_secs_f64() < settings.seconds {
            for run in &mut runs {
                run.again(operator, &mut arrays)?;
            }
            rounds += 1;
        }
        timings.extend(runs.iter().zip(&settings.contestants).map(|(run, &contestant)| Timing {
            operator,
            precision,
            contestant,
            ns_per_state: run.best.iter().sum::<f64>() / settings.batch as f64,
        }));
    }
    Ok(())
}

/// One contestant's best times so far.
struct Run<'a, E: Precision> {
    batch: Batch<'a, E>,
    threads: usize,
    /// States per piece.
    piece: usize,
    /// By piece \[ns\].
    best: Vec<f64>,
}

impl<'a, E: Precision> Run<'a, E> {
    /// Looks how long the whole batch takes, to cut it into pieces.
    fn new(
        tree: &'a TreeModel<E>,
        contestant: Contestant,
        operator: &str,
        arrays: &mut Arrays<E>,
    ) -> Result<Self, TreeError> {
        let batch = tree.batch().level(contestant.level).threads(contestant.threads);
        let batch = if contestant.rows { batch } else { batch.without_results() };
        let states = arrays.states;
        let whole = arrays.time(batch, operator, 0..states)?;
        let pieces = if contestant.threads > 1 { 1 } else { (whole / PIECE).ceil() as usize };
        let piece = states.div_ceil(pieces.max(1)).max(FEWEST).next_multiple_of(FEWEST);
        let best = vec![f64::INFINITY; states.div_ceil(piece)];
        Ok(Run { batch, threads: contestant.threads, piece, best })
    }

    fn again(&mut self, operator: &str, arrays: &mut Arrays<E>) -> Result<(), TreeError> {
        if self.threads > 1 {
            arrays.time(self.batch, operator, 0..arrays.states)?;
        }
        for (k, best) in self.best.iter_mut().enumerate() {
            let states = k * self.piece..arrays.states.min((k + 1) * self.piece);
            *best = best.min(arrays.time(self.batch, operator, states)?);
        }
        Ok(())
    }
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
    /// Numbers per state of a symmetric matrix and of another one, without zeros.
    entries: [usize; 2],
}

impl<E: Precision> Arrays<E> {
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
            entries: [tree.mass_entries().len(), tree.derivative_entries().len()],
        })
    }

    /// Runs an operator on some states; gives nanoseconds.
    fn time(&mut self, batch: Batch<'_, E>, operator: &str, states: Range<usize>) -> Result<f64, TreeError> {
        let part = |numbers: &'_ [E]| {
            let width = numbers.len() / self.states;
            width * states.start..width * states.end
        };
        let (q, v, a) = (&self.q[part(&self.q)], &self.v[part(&self.v)], &self.a[part(&self.a)]);
        let (vector, pose) = (part(&self.v), part(&self.poses));
        let (six, square) = (part(&self.jacobian), part(&self.square[0]));
        let entries = self.entries.map(|n| n * states.start..n * states.end);
        let [x, y, z, w, out] = self.rows.each_mut().map(|row| &mut row[vector.clone()]);
        let [s, t, u] = self.square.each_mut();
        let start = Instant::now();
        match (operator, self.frames.last()) {
            ("arrays", _) => {
                let inputs = [("q", Layout::Configuration, q), ("v", V, v), ("a", V, a)];
                batch.run_operator(&Carry, &inputs, &mut [("out", V, out)])?;
            }
            ("fk", _) => batch.fk(q, &self.frames, &mut self.poses[pose])?,
            ("jacobian", Some(tip)) => {
                batch.jacobian(q, *tip, Reference::Local, &mut self.jacobian[six])?;
            }
            ("rnea", _) => batch.rnea(q, v, a, out)?,
            ("crba", _) => batch.crba(q, &mut t[square])?,
            ("crba_entries", _) => batch.crba_entries(q, &mut t[entries[0].clone()])?,
            ("aba", _) => batch.aba(q, v, a, out)?,
            ("rnea_derivatives", _) => {
                batch.rnea_derivatives(q, v, a, &mut s[square.clone()], &mut t[square])?;
            }
            ("rnea_derivatives_entries", _) => {
                let outputs = [&mut s[entries[1].clone()], &mut t[entries[1].clone()]];
                batch.rnea_derivatives_entries(q, v, a, outputs)?;
            }
            ("aba_derivatives", _) => {
                let outputs = [&mut s[square.clone()], &mut t[square.clone()], &mut u[square]];
                batch.aba_derivatives(q, v, a, outputs)?;
            }
            ("aba_vjp", _) => {
                let gradients = AbaGradients { a: x, q: y, v: z, tau: w, parameters: &mut [] };
                batch.aba_vjp(q, v, a, out, gradients)?;
            }
            _ => {}
        }
        Ok(start.elapsed().as_nanos() as f64)
    }
}

/// Computes nothing: its results are the zeros that were there.
struct Carry;

operator! {
    Carry;
    scratch () = |this, tree| ();
    run |this, tree, s, input, output| {}
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
