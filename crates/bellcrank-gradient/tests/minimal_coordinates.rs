//! Minimal and maximal coordinates: there and back, their tangents, and the step between them.

use crate::common::{built, noise, variational};
use crate::free_flight::{kinds, twister};
use bellcrank_gradient::{Freedom, MinimalCoordinates, MinimalState, StepDerivatives, Wrt};
use bellcrank_math::{Pose, Quat, Twist, Vec3, so3};
use bellcrank_model::{
    Actuator, Body, BodyId, Coupling, Dof, Joint, JointKind, Model, ModelBuilder, Parameters, WORLD, library,
};
use bellcrank_sim::{Batch, BatchOptions, ImplicitIntegrator, InteriorPoint, Smoothing, Solver};
use std::sync::Arc;

const DT: f64 = 0.01;

fn batch(model: &Arc<Model>) -> Batch {
    let smoothing = Smoothing::Absolute; // as derivatives have it
    variational(model, DT, InteriorPoint { kappa: 1e-4, smoothing, ..InteriorPoint::default() })
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

/// Five links whose joints point from the later link to the earlier one: the tree goes through all of them backwards.
fn backwards(kind: JointKind) -> ModelBuilder {
    let mut m = ModelBuilder::new("backwards");
    for i in 0..5 {
        let at = Pose::translation(0.0, 0.1 * f64::from(i), f64::from(i));
        m.body(Body::new(format!("link{i}")).at(at).solid_box(1.0, Vec3::new(0.1, 0.2, 0.9)));
    }
    for i in 0..4 {
        let (name, from, to) = (format!("joint{i}"), format!("link{}", i + 1), format!("link{i}"));
        let at = Vec3::new(0.0, 0.1 * f64::from(i), f64::from(i) + 0.5);
        let mut joint =
            Joint::new(&name, kind, from.as_str(), to.as_str()).placed(at, Vec3::new(1.0, 0.3, 0.2));
        for k in 0..kind.dof_count() {
            joint = joint.dof(k, Dof { damping: 0.1, ..Dof::default() });
        }
        m.joint(joint);
        for k in 0..kind.dof_count() {
            m.actuator(Actuator::effort(format!("motor{i}_{k}"), name.as_str()).dof(k));
        }
    }
    m
}

/// A four-bar with a geared follower on each of its hinges, the one that closes the loop among them.
fn geared_four_bar() -> ModelBuilder {
    let mut m = library::four_bar();
    for (i, joint) in built(library::four_bar()).joints().iter().enumerate() {
        let (at, axle) = (Vec3::new(i as f64, 2.0, 0.0), format!("axle{i}"));
        let body = Body::new(format!("follower{i}")).at(Pose::from_position(at));
        m.body(body.solid_box(0.2, Vec3::new(0.1, 0.1, 0.2)));
        let hinge = Joint::revolute(&axle, WORLD, format!("follower{i}").as_str());
        m.joint(hinge.placed(at + Vec3::new(0.0, 0.0, 0.1), Vec3::y_axis()));
        m.coupling(
            Coupling::new(format!("gear{i}")).term(joint.name.as_str(), 1.0).term(axle.as_str(), -0.5),
        );
    }
    m
}

/// The step from minimal to minimal state is the chain of its three parts: every kind of joint in both directions, with and
/// without loops, couplings and contacts, both integrators. Columns of all bodies may open joints by 1e-7 of their velocities, which go
/// with 1/Δt where positions change: 1e-5. Robots with motors and contacts, which hold them, are better.
#[test]
fn a_step_in_minimal_coordinates_is_the_chain_of_its_parts() {
    let mut models = trees();
    models.extend(kinds().map(|kind| built(backwards(kind))));
    let loops = [
        library::hybrid_biped,
        library::four_bar,
        library::bennett,
        library::delta,
        library::stewart,
        library::five_bar_quadruped,
        library::stack,
    ];
    models.extend(loops.iter().map(|build| built(build())));
    models.push(built(geared_four_bar()));
    for model in models {
        for integrator in [ImplicitIntegrator::Variational, ImplicitIntegrator::SemiImplicitEuler] {
            let point = Some(InteriorPoint { kappa: 1e-4, ..InteriorPoint::default() });
            let settings = Solver::InteriorPoint { point, integrator }.into();
            let options = BatchOptions { dt: Some(DT), settings, scalar: true, ..BatchOptions::default() };
            let mut b = Batch::new(model.clone(), 1, options).unwrap();
            let off = off_the_chain(&model, &mut b);
            let held =
                ["quadruped", "humanoid", "hybrid_biped", "arm", "delta", "stack"].contains(&model.name());
            assert!(off < if held { 1e-7 } else { 5e-5 }, "{} {integrator:?}: {off:e}", model.name());
        }
    }
}

/// How far it is from that, as a share of the largest number.
fn off_the_chain(model: &Model, b: &mut Batch) -> f64 {
    let motors = model.actuators().len();
    for a in 0..motors {
        b.set_effort(0, a, 0.3 * noise(2, a)).unwrap();
    }
    b.step(20);
    let list = b.independent_freedoms(0).unwrap();
    let besides: Vec<Wrt> =
        (0..motors.min(3)).flat_map(|a| [Wrt::TargetPosition(a), Wrt::Effort(a)]).collect();
    let found = b.minimal_step_jacobian(0, 1e-4, &list, &besides).unwrap();
    // with a parameter besides, columns of all bodies are solved for
    let longer = b.minimal_step_jacobian(0, 1e-4, &list, &[Wrt::Mass(0)]).unwrap();
    let mut wrt = Wrt::state(model.bodies().len());
    wrt.extend(&besides);
    let start = b.minimal_jacobian(0, &list).unwrap().to_maximal;
    let whole = b.advance_with_jacobians(&[0], 1e-4, &wrt).unwrap().remove(0);
    let end = b.minimal_jacobian(0, &list).unwrap().to_minimal;
    let (d, states) = (2 * list.len(), 12 * model.bodies().len());
    let size = found.jacobian.values.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    let mut worst = 0.0_f64;
    for r in 0..d {
        let row: Vec<f64> =
            (0..wrt.len()).map(|c| (0..states).map(|k| end.get(r, k) * whole.get(k, c)).sum()).collect();
        for c in 0..d + besides.len() {
            let expected: f64 =
                if c < d { (0..states).map(|k| row[k] * start.get(k, c)).sum() } else { row[states + c - d] };
            worst = worst.max((found.jacobian.get(r, c) - expected).abs() / size);
        }
        for c in 0..d {
            worst = worst.max((found.jacobian.get(r, c) - longer.jacobian.get(r, c)).abs() / size);
        }
    }
    worst
}

/// Worlds in different states, taken together one per lane and more of them than there are lanes: each as if it were alone, to
/// what rounding leaves. With loops and without, standing, falling and in the air; models in turns, and masses that differ. In
/// the order of the batch or in another: the same bits.
#[test]
fn worlds_taken_together_are_differentiated_as_each_alone() {
    let quadruped = built(library::quadruped());
    for build in
        [library::quadruped, library::humanoid, library::hybrid_biped, library::four_bar, library::arm]
    {
        let model = built(build());
        let options = BatchOptions { dt: Some(DT), ..BatchOptions::default() };
        let mut models = vec![model.clone(); 11];
        models[9] = quadruped.clone();
        let mut b = Batch::of(&models, options).unwrap();
        for world in (0..11).filter(|world| *world != 9) {
            for a in 0..model.actuators().len() {
                b.set_effort(world, a, 0.1 * noise(world, a)).unwrap();
            }
        }
        let heavier = |p: &mut Parameters| {
            for (world, body) in p.body_mut(BodyId::new(1)).spread(10).iter_mut().enumerate() {
                body.mass *= 1.0 + 0.02 * world as f64;
            }
        };
        b.change_parameters(0, heavier).unwrap();
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
        let in_order = b.minimal_step_jacobians(&[0, 1, 2, 3, 4, 5, 6, 7], 1e-4, &list, &besides).unwrap();
        for (found, &world) in together.iter().zip(&worlds).filter(|(_, world)| **world < 8) {
            assert_eq!(found.jacobian, in_order[world].jacobian, "{} {world}", model.name());
        }
        let [first, second] = [&together[0].jacobian.values, &together[1].jacobian.values];
        assert_ne!(first, second, "worlds that differ");
    }
}

/// Steps in minimal coordinates against central differences of minimal states: a quadruped on its feet, and every kind of joint in both
/// directions, bent and in motion. Steps are solved to about 1e-14, which a difference of 2e-5 and rates over 0.01 s make 1e-7.
#[test]
fn a_step_in_minimal_coordinates_has_the_derivative_of_its_differences() {
    let mut standing = batch(&built(library::quadruped()));
    standing.step(20);
    let off = off_differences(&standing);
    println!("quadruped in minimal coordinates: {off:e}");
    assert!(off < 1e-6, "{off:e}");
    for kind in kinds() {
        for build in [twister(kind, 0.1, 0.1), backwards(kind)] {
            let model = built(build);
            let mut b = batch(&model);
            b.set_minimal_state(0, &shaken(&b, 5)).unwrap();
            for a in 0..model.actuators().len() {
                b.set_effort(0, a, noise(3, a)).unwrap();
            }
            b.step(2);
            let off = off_differences(&b);
            println!("{} {kind:?} in minimal coordinates: {off:e}", model.name());
            assert!(off < 1e-6, "{} {kind:?}: {off:e}", model.name());
        }
    }
}

/// How far the next step's derivative is from differences, as a share of each column.
fn off_differences(b: &Batch) -> f64 {
    let (model, freedoms) = (b.model(0).unwrap().clone(), b.freedoms(0).unwrap());
    let all: Vec<usize> = (0..freedoms.len()).collect();
    let jacobian = b.minimal_step_jacobian(0, 1e-4, &all, &[]).unwrap().jacobian;
    let (state, step, exact) = (b.minimal_state(0).unwrap(), 1e-5, b.snapshot());
    let plain = plain_coordinates(&model);
    let mut worst = 0.0_f64;
    for k in (0..2 * all.len()).step_by(3) {
        let [high, low] = [step, -step].map(|amount| {
            let mut other = batch(&model);
            other.restore(&exact).unwrap();
            other.set_minimal_state(0, &nudged(b, &state, k, amount)).unwrap();
            other.advance_with_jacobians(&[0], 1e-4, &[]).unwrap();
            other.minimal_state(0).unwrap()
        });
        let size = (0..2 * all.len()).fold(1e-2_f64, |m, r| m.max(jacobian.get(r, k).abs()));
        for r in 0..all.len() {
            let rate = (high.rates[r] - low.rates[r]) / (2.0 * step);
            worst = worst.max((rate - jacobian.get(all.len() + r, k)).abs() / size);
            if let Some(at) = plain[r] {
                let q = (high.coordinates[at] - low.coordinates[at]) / (2.0 * step);
                worst = worst.max((q - jacobian.get(r, k)).abs() / size);
            }
        }
    }
    worst
}

/// By freedom: its coordinate, where that is a plain number and no part of a quaternion.
fn plain_coordinates(model: &Model) -> Vec<Option<usize>> {
    let (mut all, mut at) = (Vec::new(), 0);
    for node in model.graph().tree() {
        let kind = node.joint.map_or(JointKind::Free, |j| model.joints()[j.index()].kind);
        let plain = match kind {
            JointKind::Spherical => 0,
            JointKind::Free => 3,
            _ => kind.dof_count(),
        };
        all.extend((0..kind.dof_count()).map(|k| (k < plain).then_some(at + k)));
        at += kind.coordinate_count();
    }
    all
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
