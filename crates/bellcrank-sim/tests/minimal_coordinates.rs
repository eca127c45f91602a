//! Minimal and maximal coordinates: there and back, their tangents, and the step between them.

use crate::common::{built, noise};
use crate::discrete_mechanics::variational;
use crate::free_flight::{kinds, twister};
use bellcrank_math::{Pose, Quat, Twist, Vec3, so3};
use bellcrank_model::{JointKind, Model, library};
use bellcrank_sim::{Batch, BatchOptions, Freedom, InteriorPoint, MinimalState, Wrt};
use std::sync::Arc;

const DT: f64 = 0.01;

fn batch(model: &Arc<Model>) -> Batch {
    variational(model, DT, InteriorPoint { kappa: 1e-4, ..InteriorPoint::default() })
}

/// Trees of every kind.
fn trees() -> Vec<Arc<Model>> {
    let mut all: Vec<_> = kinds().map(|kind| built(twister(kind, 0.1, 0.1))).collect();
    let named = [library::humanoid, library::quadruped, library::arm, library::cartpole, library::all_joints];
    all.extend(named.iter().map(|build| built(build())));
    all
}

/// Every coordinate and rate moved by noise; quaternions stay of length one.
fn shaken(b: &Batch, seed: usize) -> MinimalState {
    let MinimalState { mut coordinates, mut rates } = b.minimal_state(0).unwrap();
    for (k, rate) in rates.iter_mut().enumerate() {
        *rate = noise(seed, k);
    }
    let mut at = 0;
    let tree = b.model(0).unwrap().clone();
    for node in tree.graph().tree() {
        let kind = node.joint.map_or(JointKind::Free, |j| tree.joints()[j.index()].kind);
        let (count, first) = (kind.coordinate_count(), at);
        let rotation = match kind {
            JointKind::Spherical => Some(0),
            JointKind::Free => Some(3),
            _ => None,
        };
        for k in 0..count {
            coordinates[first + k] +=
                if rotation.is_none_or(|r| k < r) { 0.3 * noise(seed + 1, first + k) } else { 0.0 };
        }
        if let Some(r) = rotation {
            let q = &mut coordinates[first + r..first + r + 4];
            let turn: Quat = so3::exp(Vec3::new(noise(seed, 1), noise(seed, 2), noise(seed, 3)));
            q.copy_from_slice(&(turn * Quat::from_wxyz([q[0], q[1], q[2], q[3]])).to_wxyz());
        }
        at += count;
    }
    MinimalState { coordinates, rates }
}

fn bodies(b: &Batch) -> Vec<(Pose, Twist)> {
    let count = b.model(0).unwrap().bodies().len();
    (0..count).map(|k| (b.body_pose(0, k).unwrap(), b.body_velocity(0, k).unwrap())).collect()
}

/// Any coordinates and rates place the bodies so that the same coordinates and rates are read back, with joints closed.
#[test]
fn minimal_to_maximal_and_back_is_the_same() {
    for model in trees() {
        let mut b = batch(&model);
        for seed in 0..5 {
            let state = shaken(&b, seed);
            b.set_minimal_state(0, &state).unwrap();
            let back = b.minimal_state(0).unwrap();
            let off = |a: &[f64], c: &[f64]| a.iter().zip(c).fold(0.0_f64, |m, (a, c)| m.max((a - c).abs()));
            // a quaternion and its negative are one rotation
            let turned = |q: &[f64]| q.iter().map(|x| x.abs()).collect::<Vec<_>>();
            let far = off(&turned(&state.coordinates), &turned(&back.coordinates));
            assert!(far < 1e-8, "{}: {far:e}", model.name());
            let fast = off(&state.rates, &back.rates);
            assert!(fast < 1e-8, "{}: {fast:e}", model.name());
        }
    }
}

/// A step leaves a state that minimal coordinates tell entirely: maximal to minimal and back loses nothing, with loops too.
#[test]
fn a_step_leaves_nothing_that_minimal_coordinates_do_not_tell() {
    for build in [library::humanoid, library::hybrid_biped, library::four_bar, library::delta] {
        let mut b = batch(&built(build()));
        b.step(10);
        let before = bodies(&b);
        let state = b.minimal_state(0).unwrap();
        b.set_minimal_state(0, &state).unwrap();
        for ((X, V), (X1, V1)) in before.iter().zip(bodies(&b)) {
            assert!((X.p - X1.p).norm() < 1e-9 && so3::log(X.R * X1.R.inverse()).norm() < 1e-9);
            assert!(
                (V.linear - V1.linear).norm() < 1e-6 && (V.angular - V1.angular).norm() < 1e-6,
                "{V:?} {V1:?}"
            );
        }
    }
}

/// Moves a minimal state by a tangent: one freedom or rate.
fn nudged(b: &Batch, state: &MinimalState, index: usize, amount: f64) -> MinimalState {
    let (mut out, freedoms) = (state.clone(), b.freedoms(0).unwrap());
    if index >= freedoms.len() {
        out.rates[index - freedoms.len()] += amount;
        return out;
    }
    // where the coordinates of this freedom are
    let model = b.model(0).unwrap();
    let (mut coordinate, mut freedom) = (0, 0);
    for node in model.graph().tree() {
        let kind = node.joint.map_or(JointKind::Free, |j| model.joints()[j.index()].kind);
        let own = index.wrapping_sub(freedom);
        if own < kind.dof_count() {
            let rotation = match kind {
                JointKind::Spherical => Some(0),
                JointKind::Free => Some(3),
                _ => None,
            };
            match rotation {
                Some(r) if own >= r => {
                    let axis = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()][own - r] * amount;
                    let q = &mut out.coordinates[coordinate + r..coordinate + r + 4];
                    q.copy_from_slice(
                        &(so3::exp(axis) * Quat::from_wxyz([q[0], q[1], q[2], q[3]])).to_wxyz(),
                    );
                }
                _ => out.coordinates[coordinate + own] += amount,
            }
        }
        coordinate += kind.coordinate_count();
        freedom += kind.dof_count();
    }
    out
}

/// δ maximal / δ minimal against central differences, and both tangents undo each other.
#[test]
fn tangents_of_both_maps_are_those_of_their_differences() {
    for model in trees() {
        let mut b = batch(&model);
        let state = shaken(&b, 11);
        b.set_minimal_state(0, &state).unwrap();
        let all: Vec<usize> = (0..b.freedoms(0).unwrap().len()).collect();
        let jacobian = b.minimal_jacobian(0, &all).unwrap();
        let (N, M, step) = (&jacobian.to_maximal, &jacobian.to_minimal, 1e-6);
        let size = N.values.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        let mut worst = 0.0_f64;
        for k in 0..2 * all.len() {
            let [high, low] = [step, -step].map(|amount| {
                let mut other = batch(&model);
                other.set_minimal_state(0, &nudged(&b, &state, k, amount)).unwrap();
                bodies(&other)
            });
            for (body, ((X1, V1), (X0, V0))) in high.iter().zip(&low).enumerate() {
                let turn = so3::log(X1.R * X0.R.inverse());
                let parts = [X1.p - X0.p, turn, V1.linear - V0.linear, V1.angular - V0.angular];
                for (i, x) in parts.iter().flat_map(|v| v.to_array()).enumerate() {
                    worst = worst.max((x / (2.0 * step) - N.get(12 * body + i, k)).abs() / size);
                }
            }
        }
        // velocities are differences of poses over Δt: 1e-16/1e-6/Δt
        assert!(worst < 1e-7, "{}: {worst:e}", model.name());
        for r in 0..2 * all.len() {
            for c in 0..2 * all.len() {
                let product: f64 = (0..N.rows()).map(|k| M.get(r, k) * N.get(k, c)).sum();
                let expected = if r == c { 1.0 } else { 0.0 };
                assert!((product - expected).abs() < 1e-8 * size, "{} {r} {c}: {product}", model.name());
            }
        }
    }
}

/// Loops: as many freedoms as the mobility counts, driven ones first, and moving one keeps all joints closed.
#[test]
fn where_loops_close_the_independent_freedoms_are_the_mobility() {
    for build in [library::four_bar, library::hybrid_biped, library::five_bar_quadruped, library::delta] {
        let model = built(build());
        let mut b = batch(&model);
        b.step(3);
        let independent = b.independent_freedoms(0).unwrap();
        assert_eq!(independent.len(), model.mobility(), "{}", model.name());
        let all = b.freedoms(0).unwrap();
        let driven = |f: &Freedom| match *f {
            Freedom::Joint { joint, dof } => model.actuators().iter().any(|a| a.drives(joint, dof)),
            Freedom::Base { .. } => true,
        };
        let motors = independent.iter().filter(|k| driven(&all[**k])).count();
        println!("{}: {motors} of {} freedoms are driven or bases", model.name(), independent.len());
        let jacobian = b.minimal_jacobian(0, &independent).unwrap();
        let (N, M) = (&jacobian.to_maximal, &jacobian.to_minimal);
        for r in 0..2 * independent.len() {
            for c in 0..2 * independent.len() {
                let product: f64 = (0..N.rows()).map(|k| M.get(r, k) * N.get(k, c)).sum();
                let expected = if r == c { 1.0 } else { 0.0 };
                assert!((product - expected).abs() < 1e-6, "{} {r} {c}: {product}", model.name());
            }
        }
    }
}

/// The step from minimal to minimal state is the chain of its three parts, in freedoms with and without loops.
#[test]
fn a_step_in_minimal_coordinates_is_the_chain_of_its_parts() {
    for build in [library::quadruped, library::hybrid_biped] {
        let model = built(build());
        let mut b = batch(&model);
        b.step(20);
        let list = b.independent_freedoms(0).unwrap();
        let besides = [Wrt::TargetPosition(0), Wrt::TargetPosition(3)];
        let found = b.minimal_step_jacobian(0, 1e-4, &list, &besides).unwrap();
        let mut wrt = Wrt::state(model.bodies().len());
        wrt.extend(besides);
        let start = b.minimal_jacobian(0, &list).unwrap().to_maximal;
        let whole = b.advance_with_jacobians(&[0], 1e-4, &wrt).unwrap().remove(0);
        let end = b.minimal_jacobian(0, &list).unwrap().to_minimal;
        let (d, states) = (2 * list.len(), 12 * model.bodies().len());
        let size = found.jacobian.values.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        for r in 0..d {
            let row: Vec<f64> =
                (0..wrt.len()).map(|c| (0..states).map(|k| end.get(r, k) * whole.get(k, c)).sum()).collect();
            for c in 0..d + besides.len() {
                let expected: f64 = if c < d {
                    (0..states).map(|k| row[k] * start.get(k, c)).sum()
                } else {
                    row[states + c - d]
                };
                let off = (found.jacobian.get(r, c) - expected).abs();
                assert!(off < 1e-7 * size, "{} {r} {c}: {off:e} of {size:e}", model.name());
            }
        }
    }
}

/// Worlds in different states, taken together one per lane and more of them than there are lanes: each as if it were alone, to
/// what rounding leaves. With loops and without, standing, falling and in the air; and models in turns.
#[test]
fn worlds_taken_together_are_differentiated_as_each_alone() {
    let quadruped = built(library::quadruped());
    for build in
        [library::quadruped, library::humanoid, library::hybrid_biped, library::four_bar, library::arm]
    {
        let model = built(build());
        let options = BatchOptions { dt: DT, ..BatchOptions::default() };
        let mut models = vec![model.clone(); 11];
        models[9] = quadruped.clone();
        let mut b = Batch::of(&models, options).unwrap();
        for world in (0..11).filter(|world| *world != 9) {
            for a in 0..model.actuators().len() {
                b.set_effort(world, a, 0.1 * noise(world, a)).unwrap();
            }
        }
        b.step(15);
        let list = b.independent_freedoms(0).unwrap();
        let besides = [Wrt::TargetPosition(0), Wrt::Effort(0)];
        let worlds = [4, 0, 1, 2, 3, 10, 8, 7, 6, 5];
        let together = b.minimal_step_jacobians(&worlds, 1e-4, &list, &besides).unwrap();
        assert_eq!(together.len(), worlds.len());
        for (found, &world) in together.iter().zip(&worlds) {
            let alone = b.minimal_step_jacobian(world, 1e-4, &list, &besides).unwrap();
            assert_eq!(found.freedoms, alone.freedoms);
            assert_eq!(found.jacobian.columns, alone.jacobian.columns);
            let size = alone.jacobian.values.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            for (x, y) in found.jacobian.values.iter().zip(&alone.jacobian.values) {
                assert!((x - y).abs() <= 1e-9 * size, "{} {world}: {x} {y}", model.name());
            }
            for (found, alone) in found.end.velocities.iter().zip(&alone.end.velocities) {
                let off = (found.linear - alone.linear).norm() + (found.angular - alone.angular).norm();
                assert!(off < 1e-12, "{} {world}: {off:e}", model.name());
            }
        }
        let [first, second] = [&together[0].jacobian.values, &together[1].jacobian.values];
        assert_ne!(first, second, "worlds that differ");
    }
}

/// A quadruped's step in minimal coordinates against central differences of minimal states.
#[test]
fn a_step_in_minimal_coordinates_has_the_derivative_of_its_differences() {
    let model = built(library::quadruped());
    let mut b = batch(&model);
    b.step(20);
    let all: Vec<usize> = (0..b.freedoms(0).unwrap().len()).collect();
    let jacobian = b.minimal_step_jacobian(0, 1e-4, &all, &[]).unwrap().jacobian;
    let (state, step, exact) = (b.minimal_state(0).unwrap(), 1e-5, b.snapshot());
    let mut worst = 0.0_f64;
    for k in (0..2 * all.len()).step_by(3) {
        let [high, low] = [step, -step].map(|amount| {
            let mut other = batch(&model);
            other.restore(&exact).unwrap();
            other.set_minimal_state(0, &nudged(&b, &state, k, amount)).unwrap();
            other.advance_with_jacobians(&[0], 1e-4, &[]).unwrap();
            other.minimal_state(0).unwrap()
        });
        let size = (0..2 * all.len()).fold(1e-2_f64, |m, r| m.max(jacobian.get(r, k).abs()));
        for r in 6..all.len() {
            // hinges: their coordinates are plain numbers
            let q = (high.coordinates[r + 1] - low.coordinates[r + 1]) / (2.0 * step);
            let rate = (high.rates[r] - low.rates[r]) / (2.0 * step);
            worst = worst.max((q - jacobian.get(r, k)).abs() / size);
            worst = worst.max((rate - jacobian.get(all.len() + r, k)).abs() / size);
        }
    }
    println!("quadruped in minimal coordinates: {worst:e}");
    assert!(worst < 1e-6, "{worst:e}");
}

#[test]
fn wrong_counts_and_freedoms_are_told() {
    let mut b = Batch::new(built(library::four_bar()), 1, BatchOptions::default()).unwrap();
    let short = MinimalState { coordinates: vec![0.0], rates: vec![0.0; 3] };
    let said = b.set_minimal_state(0, &short).unwrap_err().to_string();
    assert_eq!(said, "coordinates: 1 values were given, expected: 3");
    let all = b.minimal_jacobian(0, &[0, 1, 2]).unwrap_err().to_string();
    assert!(all.contains("do not tell where the mechanism is"), "{all}");
    assert_eq!(
        b.minimal_jacobian(0, &[9]).unwrap_err().to_string(),
        "there is no freedom number 9; there are 3"
    );
}
