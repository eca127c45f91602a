//! Timing on a shared machine: the best of many short runs, contestants taking turns.

use bellcrank_math::Elem;
use bellcrank_tree::{AbaGradients, Batch, FrameId, Reference, TreeModel};
use std::time::Instant;

/// States of one run: enough that making the memory of a call does not count, few enough that a run is short.
pub const STATES: usize = 1024;

/// Arrays for every operator.
pub struct Arrays<E> {
    q: Vec<E>,
    v: Vec<E>,
    a: Vec<E>,
    out: Vec<E>,
    rows: [Vec<E>; 4],
    poses: Vec<E>,
    square: [Vec<E>; 3],
    frames: Vec<FrameId>,
}

pub const OPERATORS: [&str; 8] =
    ["fk", "jacobian", "rnea", "crba", "aba", "rnea_derivatives", "aba_vjp", "aba_derivatives"];

impl<E: Elem> Arrays<E> {
    pub fn new(tree: &TreeModel<E>) -> Self {
        let (nq, nv) = (tree.coordinate_count(), tree.dof_count());
        let mut dice = super::Dice(1);
        let mut random =
            |n: usize| -> Vec<E> { dice.many(STATES * n, 1.0).into_iter().map(E::from_f64).collect() };
        let (v, a) = (random(nv), random(nv));
        let start: Vec<E> = (0..STATES).flat_map(|_| tree.neutral()).collect();
        let mut q = vec![E::zero(); STATES * nq];
        tree.batch().integrate(&start, &v, &mut q).unwrap();
        let zeros = |n: usize| vec![E::zero(); STATES * n];
        let frames: Vec<FrameId> = tree.slots().iter().map(|slot| tree.body_frame(slot.body)).collect();
        Arrays {
            out: zeros(nv),
            rows: [zeros(nv), zeros(nv), zeros(nv), zeros(nv)],
            poses: zeros(12 * frames.len()),
            square: [zeros(nv * nv.max(6)), zeros(nv * nv), zeros(nv * nv)],
            q,
            v,
            a,
            frames,
        }
    }

    /// Runs an operator on all states.
    pub fn run(&mut self, batch: Batch<'_, E>, operator: &str) {
        let Arrays { q, v, a, out, rows, poses, square, frames } = self;
        let tip = frames[frames.len() - 1];
        let [x, y, z, w] = rows;
        let [s, t, u] = square;
        let result = match operator {
            "fk" => batch.fk(q, frames, poses),
            "jacobian" => batch.jacobian(q, tip, Reference::Local, &mut s[..6 * v.len()]),
            "rnea" => batch.rnea(q, v, a, out),
            "crba" => batch.crba(q, t),
            "aba" => batch.aba(q, v, a, out),
            "rnea_derivatives" => batch.rnea_derivatives(q, v, a, u, t),
            "aba_derivatives" => batch.aba_derivatives(q, v, a, [&mut s[..t.len()], t, u]),
            "aba_vjp" => {
                let gradients = AbaGradients { a: x, q: y, v: z, tau: w, parameters: &mut [] };
                batch.aba_vjp(q, v, a, out, gradients)
            }
            other => panic!("no operator {other}"),
        };
        result.unwrap();
    }

    /// Nanoseconds per state of one run.
    pub fn time(&mut self, batch: Batch<'_, E>, operator: &str) -> f64 {
        let start = Instant::now();
        self.run(batch, operator);
        start.elapsed().as_nanos() as f64 / STATES as f64
    }
}

/// Best of `rounds` for each plan, taking turns.
pub fn best<E: Elem, const N: usize>(
    tree: &TreeModel<E>,
    operator: &str,
    plans: [Batch<'_, E>; N],
    rounds: usize,
) -> [f64; N] {
    let mut arrays = Arrays::new(tree);
    let mut best = [f64::INFINITY; N];
    for _ in 0..rounds {
        for (best, plan) in best.iter_mut().zip(plans) {
            *best = best.min(arrays.time(plan, operator));
        }
    }
    best
}
