//! Every analytical derivative against dual numbers, on one follower for every kind of joint and on robots with loops.
//!
//! Both sides are exact up to rounding; sums of some hundred terms stay within 1e-11 of the largest entry.

use crate::batch::Operator;
use crate::kernels::chain::moving;
use crate::kernels::frames::Reference;
use crate::model::TreeModel;
use crate::operators::tests_only::{
    AbaJacobian, AbaVjp, FrameMotion, FrameMotionDerivatives, LoopClosure, LoopDrift, Rnea, RneaJacobian,
    RneaVjp, plain_aba,
};
use bellcrank_math::{Dual, Quat};
use bellcrank_model::library;

type D = Dual<f64, 1>;

fn dice(seed: u64, n: usize) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1_u64 << 30) as f64 - 1.0
    };
    (0..n).map(|_| next()).collect()
}

/// Trees of every kind, with a random state each: q, v, a or τ, in tree order.
fn cases() -> Vec<(TreeModel<f64>, [Vec<f64>; 3])> {
    let names = ["all_joints", "hybrid_biped", "stewart", "cartpole"];
    let models = names.iter().filter_map(|name| library::by_name(name)?.build().ok());
    let trees = models.map(|model| TreeModel::<f64>::new(&model));
    trees
        .map(|tree| {
            let mut q = dice(7, tree.coordinate_count());
            for node in &tree.nodes {
                let at = match node.motion {
                    crate::Motion::Ball => node.q,
                    crate::Motion::Free => node.q + 3,
                    _ => continue,
                };
                let unit = Quat::from_wxyz([q[at], q[at + 1], q[at + 2], q[at + 3]]).normalized();
                q[at..at + 4].copy_from_slice(&unit.to_wxyz());
            }
            let nv = tree.dof_count();
            (tree, [q, dice(8, nv), dice(9, nv)])
        })
        .collect()
}

fn constants(x: &[f64]) -> Vec<D> {
    x.iter().map(|x| D::constant_of(*x)).collect()
}

/// x moving along its `k`-th number.
fn varied(x: &[f64], k: usize) -> Vec<D> {
    let mut x = constants(x);
    x[k].tangent = [1.0];
    x
}

fn run<O: Operator<f64>>(operator: &O, tree: &TreeModel<f64>, input: &[f64], outputs: usize) -> Vec<f64> {
    let mut out = vec![0.0; outputs];
    let mut scratch = operator.scratch::<f64>(tree);
    operator.run(tree, &mut scratch, input, &mut out);
    out
}

fn tangents<O: Operator<f64>>(operator: &O, tree: &TreeModel<f64>, input: &[D], outputs: usize) -> Vec<f64> {
    let mut out = vec![D::default(); outputs];
    let mut scratch = operator.scratch::<D>(tree);
    operator.run(tree, &mut scratch, input, &mut out);
    out.iter().map(|x| x.tangent[0]).collect()
}

/// Derivatives of an operator on (q, v, x) by the tangent of q, by v and by x, column by column.
fn jacobians<O: Operator<f64>>(
    operator: &O,
    tree: &TreeModel<f64>,
    [q, v, x]: &[Vec<f64>; 3],
    outputs: usize,
) -> [Vec<Vec<f64>>; 3] {
    let nv = tree.dof_count();
    let mut by = [vec![], vec![], vec![]];
    for k in 0..nv {
        let mut unit = vec![0.0; nv];
        unit[k] = 1.0;
        let mut q_moving = constants(q);
        moving(tree, q, &unit, &mut q_moving);
        by[0].push(tangents(operator, tree, &[q_moving, constants(v), constants(x)].concat(), outputs));
        by[1].push(tangents(operator, tree, &[constants(q), varied(v, k), constants(x)].concat(), outputs));
        by[2].push(tangents(operator, tree, &[constants(q), constants(v), varied(x, k)].concat(), outputs));
    }
    by
}

#[track_caller]
fn same_columns(what: &str, matrix: &[f64], columns: &[Vec<f64>]) {
    let n = columns.len();
    let scale = matrix.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    for (k, column) in columns.iter().enumerate() {
        for (r, x) in column.iter().enumerate() {
            let error = (matrix[r * n + k] - x).abs();
            assert!(error <= 1e-11 * scale, "{what}: row {r}, column {k}: {} against {x}", matrix[r * n + k]);
        }
    }
}

#[test]
fn jacobians_of_inverse_dynamics_are_its_derivatives() {
    for (tree, state) in cases() {
        let nv = tree.dof_count();
        let [by_q, by_v, _] = jacobians(&Rnea::<f64, true, true> { frames: vec![] }, &tree, &state, nv);
        let half = 2 * tree.branches.entries();
        let got = run(&RneaJacobian, &tree, &state.concat(), 2 * half);
        let dense = |packed: &[f64]| -> Vec<f64> {
            let places = (0..nv * nv).map(|at| tree.branches.place_of_any(at / nv, at % nv));
            places.map(|place| place.map_or(0.0, |place| packed[place])).collect()
        };
        same_columns("by q", &dense(&got[..half]), &by_q);
        same_columns("by v", &dense(&got[half..]), &by_v);
    }
}

#[test]
fn jacobians_of_forward_dynamics_are_its_derivatives() {
    for (tree, state) in cases() {
        let nv = tree.dof_count();
        let [by_q, by_v, by_tau] = jacobians(&plain_aba(), &tree, &state, nv);
        let got = run(&AbaJacobian, &tree, &state.concat(), 3 * nv * nv);
        same_columns("by q", &got[..nv * nv], &by_q);
        same_columns("by v", &got[nv * nv..2 * nv * nv], &by_v);
        same_columns("by tau", &got[2 * nv * nv..], &by_tau);
    }
}

#[test]
fn gradients_are_products_with_the_derivatives() {
    for (tree, state) in cases() {
        let nv = tree.dof_count();
        let lambda = dice(10, nv);
        let product = |columns: &[Vec<f64>]| -> Vec<Vec<f64>> {
            columns.iter().map(|c| vec![c.iter().zip(&lambda).map(|(a, b)| a * b).sum()]).collect()
        };
        let input = [state.concat(), lambda.clone()].concat();
        let by = jacobians(&Rnea::<f64, true, true> { frames: vec![] }, &tree, &state, nv);
        let got = run(&RneaVjp { parameters: false }, &tree, &input, 3 * nv);
        for (k, by) in by.iter().enumerate() {
            same_columns("inverse dynamics", &got[k * nv..(k + 1) * nv], &product(by));
        }
        let by = jacobians(&plain_aba(), &tree, &state, nv);
        let got = run(&AbaVjp { parameters: false }, &tree, &input, 4 * nv);
        for (k, by) in by.iter().enumerate() {
            same_columns("forward dynamics", &got[(k + 1) * nv..(k + 2) * nv], &product(by));
        }
    }
}

#[test]
fn derivatives_of_frame_motion_are_right_in_all_references() {
    for (tree, state) in cases() {
        let nv = tree.dof_count();
        for frame in [tree.frames[0], *tree.frames.last().expect("bodies")] {
            for reference in [Reference::Local, Reference::World, Reference::LocalWorldAligned] {
                let by = jacobians(&FrameMotion { frame, reference }, &tree, &state, 18);
                let got = run(&FrameMotionDerivatives { frame, reference }, &tree, &state.concat(), 18 * nv);
                let part = |columns: &[Vec<f64>], k: usize| -> Vec<Vec<f64>> {
                    columns.iter().map(|c| c[6 * k..6 * k + 6].to_vec()).collect()
                };
                same_columns("∂V/∂q", &got[..6 * nv], &part(&by[0], 0));
                same_columns("∂A/∂q", &got[6 * nv..12 * nv], &part(&by[0], 1));
                same_columns("∂A/∂v", &got[12 * nv..], &part(&by[1], 1));
            }
        }
    }
}

/// c is a function of q: its derivative is G. Duals over duals would give Ġ; here Ġ v is compared with a central
/// difference of G v along q ⊕ t v, h = 1e-6: an error of order 1e-9.
#[test]
fn the_loop_closure_jacobian_is_the_derivative_of_the_residual() {
    for (tree, [q, v, _]) in cases() {
        let (nv, rows) = (tree.dof_count(), tree.loops.rows);
        let closure = |q: &[f64]| run(&LoopClosure, &tree, q, rows + rows * nv);
        let G = closure(&q)[rows..].to_vec();
        let columns: Vec<Vec<f64>> = (0..nv)
            .map(|k| {
                let mut unit = vec![0.0; nv];
                unit[k] = 1.0;
                let mut q_moving = constants(&q);
                moving(&tree, &q, &unit, &mut q_moving);
                tangents(&LoopClosure, &tree, &q_moving, rows + rows * nv)[..rows].to_vec()
            })
            .collect();
        same_columns("G", &G, &columns);
        let drift = run(&LoopDrift, &tree, &[q.clone(), v.clone()].concat(), rows);
        let at = |h: f64| {
            let mut moved = q.clone();
            let step: Vec<f64> = v.iter().map(|v| v * h).collect();
            crate::kernels::manifold::integrate(&tree, &q, &step, &mut moved);
            let G = closure(&moved)[rows..].to_vec();
            (0..rows).map(|r| (0..nv).map(|k| G[r * nv + k] * v[k]).sum::<f64>()).collect::<Vec<f64>>()
        };
        let (ahead, back) = (at(1e-6), at(-1e-6));
        let scale = drift.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        for r in 0..rows {
            let difference = (ahead[r] - back[r]) / 2e-6;
            assert!(
                (drift[r] - difference).abs() < 1e-7 * scale,
                "row {r}: {} against {difference}",
                drift[r]
            );
        }
    }
}
