//! Laws of mechanisms with loops: they close, their dynamics obey the equations, motors and loops share the work.

use crate::support::{Dice, close};
use bellcrank_model::library;
use bellcrank_tree::{Consistency, TreeModel};

const NAMES: [&str; 7] =
    ["four_bar", "slider_crank", "bennett", "delta", "stewart", "five_bar_quadruped", "hybrid_biped"];
const STATES: usize = 9; // more than a block of lanes

fn tree(name: &str) -> TreeModel<f64> {
    TreeModel::new(&library::by_name(name).expect(name).build().expect(name))
}

/// Configurations near the reference pose with closed loops.
fn closed(tree: &TreeModel<f64>, seed: u64) -> Vec<f64> {
    let mut dice = Dice(seed);
    let (nq, nv) = (tree.coordinate_count(), tree.dof_count());
    let start: Vec<f64> = (0..STATES).flat_map(|_| tree.neutral()).collect();
    let (mut near, mut q, mut gap) = (vec![0.0; STATES * nq], vec![0.0; STATES * nq], vec![0.0; STATES]);
    tree.batch().integrate(&start, &dice.many(STATES * nv, 0.1), &mut near).unwrap();
    tree.batch().constraint_consistent(&near, &Consistency::default(), [&mut q, &mut gap]).unwrap();
    assert!(gap.iter().all(|gap| *gap < 1e-13), "loops stay open: {gap:?}");
    q
}

/// v − Gᵀ (G Gᵀ)⁺ G v by many small steps (G Gᵀ is singular): here simply by gradient descent.
fn closed_velocity(G: &[f64], rows: usize, v: &mut [f64]) {
    let nv = v.len();
    let square: f64 = G.iter().map(|x| x * x).sum();
    for _ in 0..20_000 {
        for r in 0..rows {
            let row = &G[r * nv..][..nv];
            let length: f64 = row.iter().map(|x| x * x).sum();
            if length < 1e-12 * square {
                continue;
            }
            let along: f64 = row.iter().zip(v.iter()).map(|(g, v)| g * v).sum::<f64>() / length;
            v.iter_mut().zip(row).for_each(|(v, g)| *v -= along * g); // Kaczmarz's method
        }
    }
}

#[test]
fn disturbed_loops_close_again() {
    for name in NAMES {
        closed(&tree(name), 1);
    }
}

#[test]
fn held_joints_stay_where_they_are() {
    let tree = tree("four_bar");
    let crank = tree.slot("crank_hinge").unwrap().clone();
    let mut q: Vec<f64> = (0..STATES).flat_map(|_| tree.neutral()).collect();
    for (s, q) in q.chunks_mut(3).enumerate() {
        q[crank.q.start] = 0.7 * s as f64; // a crank-rocker: the crank goes right round
    }
    let (mut out, mut gap) = (q.clone(), vec![0.0; STATES]);
    let options = Consistency { held: crank.v.clone().collect(), iterations: 100 };
    tree.batch().constraint_consistent(&q, &options, [&mut out, &mut gap]).unwrap();
    for (s, out) in out.chunks(3).enumerate() {
        assert!((out[crank.q.start] - 0.7 * s as f64).abs() < 1e-15);
        assert!(gap[s] < 1e-13, "state {s}: {}", gap[s]);
    }
}

/// M a + h − τ = Gᵀ λ and G a + Ġ v = 0, in every state.
#[test]
fn constrained_dynamics_obey_newton_and_the_loops() {
    for name in NAMES {
        let tree = tree(name);
        let (nq, nv, rows) = (tree.coordinate_count(), tree.dof_count(), tree.loops.rows);
        let q = closed(&tree, 2);
        let mut dice = Dice(5);
        let (tau, mut v) = (dice.many(STATES * nv, 1.0), dice.many(STATES * nv, 1.0));
        let zeros = |n: usize| vec![0.0; STATES * n];
        let (mut c, mut G, mut drift, mut a, mut lambda, mut needed) =
            (zeros(rows), zeros(rows * nv), zeros(rows), zeros(nv), zeros(rows), zeros(nv));
        let batch = tree.batch();
        batch.loop_closure(&q, &mut c, &mut G).unwrap();
        for (v, G) in v.chunks_mut(nv).zip(G.chunks(rows * nv)) {
            closed_velocity(G, rows, v);
        }
        batch.loop_drift(&q, &v, &mut drift).unwrap();
        batch.constrained_forward_dynamics(&q, &v, &tau, 0.0, [&mut a, &mut lambda]).unwrap();
        batch.rnea(&q, &v, &a, &mut needed).unwrap();
        for s in 0..STATES {
            let (G, a) = (&G[s * rows * nv..][..rows * nv], &a[s * nv..][..nv]);
            let given: Vec<f64> = (0..nv)
                .map(|k| {
                    tau[s * nv + k] + (0..rows).map(|r| G[r * nv + k] * lambda[s * rows + r]).sum::<f64>()
                })
                .collect();
            close(&format!("{name}: efforts"), &given, &needed[s * nv..][..nv], 1e-9);
            let minus_drift: Vec<f64> = drift[s * rows..][..rows].iter().map(|x| -x).collect();
            let closing: Vec<f64> =
                (0..rows).map(|r| (0..nv).map(|k| G[r * nv + k] * a[k]).sum::<f64>()).collect();
            let size = a.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            close(&format!("{name}: loops"), &closing, &minus_drift, 1e-8 * size);
        }
        assert_eq!(q.len(), STATES * nq);
    }
}

/// What the motors did is found again from the accelerations: forward then inverse is the identity.
#[test]
fn inverse_dynamics_of_motors_alone_undo_forward_dynamics() {
    for name in ["four_bar", "slider_crank", "delta"] {
        let tree = tree(name);
        let (nv, rows) = (tree.dof_count(), tree.loops.rows);
        let q = closed(&tree, 3);
        let v = vec![0.0; STATES * nv];
        let mut tau = Dice(6).many(STATES * nv, 1.0);
        for tau in tau.chunks_mut(nv) {
            for k in 0..nv {
                if !tree.loops.driven[k] {
                    tau[tree.v_order.place[k]] = 0.0;
                }
            }
        }
        let (mut a, mut lambda) = (vec![0.0; STATES * nv], vec![0.0; STATES * rows]);
        let (mut found, mut missing) = (vec![0.0; STATES * nv], vec![0.0; STATES]);
        let batch = tree.batch();
        batch.constrained_forward_dynamics(&q, &v, &tau, 0.0, [&mut a, &mut lambda]).unwrap();
        batch.actuated_inverse_dynamics(&q, &v, &a, [&mut found, &mut missing]).unwrap();
        close(&format!("{name}: efforts"), &found, &tau, 1e-7);
        assert!(missing.iter().all(|m| *m < 1e-7), "{name}: {missing:?}");
    }
}
