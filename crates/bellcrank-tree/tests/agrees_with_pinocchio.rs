//! Seven robots against Pinocchio 4.1 in double precision (twenty random states each). Ignored where the reference
//! data is not beside the repository; small references of our own are in `agrees_with_references.rs`.

use crate::support::{close, robots::Robot};
use bellcrank_tree::{AbaGradients, External, FrameId, Reference, RneaGradients};

#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn inverse_and_forward_dynamics_agree() {
    for robot in Robot::all() {
        let (q, v, a, tau) = (robot.q("q"), robot.v("v"), robot.v("a"), robot.v("tau"));
        let batch = robot.tree.batch();
        let mut out = vec![0.0; v.len()];
        batch.rnea(&q, &v, &a, &mut out).unwrap();
        close(&format!("{} rnea", robot.name), &out, &robot.v("rnea"), 1e-13);
        batch.bias(&q, &v, &mut out).unwrap();
        close(&format!("{} bias", robot.name), &out, &robot.v("nle"), 1e-13);
        batch.gravity(&q, &mut out).unwrap();
        close(&format!("{} gravity", robot.name), &out, &robot.v("gravity"), 1e-13);
        batch.aba(&q, &v, &tau, &mut out).unwrap();
        close(&format!("{} aba", robot.name), &out, &robot.v("aba"), 1e-11);
        let mut mass = vec![0.0; out.len() * robot.nv()];
        batch.crba(&q, &mut mass).unwrap();
        close(&format!("{} crba", robot.name), &mass, &robot.square("crba"), 1e-13);
    }
}

#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn frames_are_where_pinocchio_puts_them() {
    for robot in Robot::all() {
        let q = robot.q("q");
        let all = robot.npz.get("oMf");
        let names = robot.meta["frames"].as_array().unwrap();
        let known: Vec<(usize, FrameId)> = (0..names.len())
            .filter_map(|i| Some((i, robot.tree.frame(names[i]["name"].as_str()?).ok()?)))
            .collect();
        let frames: Vec<FrameId> = known.iter().map(|(_, id)| *id).collect();
        let mut poses = vec![0.0; robot.states * frames.len() * 12];
        robot.tree.batch().fk(&q, &frames, &mut poses).unwrap();
        let mut expected = Vec::new();
        for state in 0..robot.states {
            for (i, _) in &known {
                expected.extend_from_slice(&all[(state * names.len() + i) * 12..][..12]);
            }
        }
        close(&format!("{} fk", robot.name), &poses, &expected, 1e-14);
    }
}

/// The two test frames of a robot.
fn test_frames(robot: &Robot) -> Vec<FrameId> {
    let names = robot.meta["test_frames"].as_array().unwrap();
    names.iter().map(|name| robot.tree.frame(name.as_str().unwrap()).unwrap()).collect()
}

const REFERENCES: [Reference; 3] = [Reference::Local, Reference::World, Reference::LocalWorldAligned];

/// The part of a reference array `(state, frame, reference, width)` for one frame and reference.
fn pick(data: &[f64], states: usize, frame: usize, reference: usize, width: usize) -> Vec<f64> {
    (0..states).flat_map(|s| data[((s * 2 + frame) * 3 + reference) * width..][..width].to_vec()).collect()
}

#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn jacobians_velocities_and_accelerations_agree_in_all_three_references() {
    for robot in Robot::all() {
        let (q, v, a, nv, n) = (robot.q("q"), robot.v("v"), robot.v("a"), robot.nv(), robot.states);
        let batch = robot.tree.batch();
        for (f, frame) in test_frames(&robot).into_iter().enumerate() {
            for (r, reference) in REFERENCES.into_iter().enumerate() {
                let what = |name: &str| format!("{} {name} of frame {f}, {reference:?}", robot.name);
                let mut J = vec![0.0; n * 6 * nv];
                batch.jacobian(&q, frame, reference, &mut J).unwrap();
                close(&what("J"), &J, &pick(&robot.columns("frame_J"), n, f, r, 6 * nv), 1e-13);
                batch.jacobian_rate(&q, &v, frame, reference, &mut J).unwrap();
                close(&what("J rate"), &J, &pick(&robot.columns("frame_dJ"), n, f, r, 6 * nv), 1e-13);
                let mut motion = vec![0.0; n * 18];
                batch.frame_motion(&q, &v, &a, (frame, reference), &mut motion).unwrap();
                for (k, name) in ["frame_vel", "frame_acc", "frame_acc_classical"].into_iter().enumerate() {
                    let part: Vec<f64> =
                        motion.chunks(18).flat_map(|m| m[6 * k..6 * k + 6].to_vec()).collect();
                    close(&what(name), &part, &pick(robot.npz.get(name), n, f, r, 6), 1e-13);
                }
            }
        }
    }
}

#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn derivatives_of_frame_motion_agree() {
    for robot in Robot::all() {
        let (nv, nq, n) = (robot.nv(), robot.tree.coordinate_count(), 4);
        let (q, v, a) = (robot.q("q"), robot.v("v"), robot.v("a"));
        let (q, v, a) = (&q[..n * nq], &v[..n * nv], &a[..n * nv]);
        let expected = robot.columns("frame_acc_deriv_local"); // v_dq, a_dq, a_dv, a_da
        for (f, frame) in test_frames(&robot).into_iter().enumerate() {
            let mut got = vec![0.0; n * 18 * nv];
            robot
                .tree
                .batch()
                .frame_motion_derivatives(q, v, a, (frame, Reference::Local), &mut got)
                .unwrap();
            let wanted: Vec<f64> =
                (0..n).flat_map(|s| expected[(s * 2 + f) * 24 * nv..][..18 * nv].to_vec()).collect();
            close(&format!("{} frame motion derivatives", robot.name), &got, &wanted, 1e-13);
        }
    }
}

#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn whole_body_quantities_agree() {
    for robot in Robot::all() {
        let (q, v, nv, n) = (robot.q("q"), robot.v("v"), robot.nv(), robot.states);
        let batch = robot.tree.batch();
        let (mut com, mut A_g, mut J, mut energies) =
            (vec![0.0; 3 * n], vec![0.0; 6 * nv * n], vec![0.0; 3 * nv * n], vec![0.0; 2 * n]);
        batch.centroidal(&q, &mut com, &mut A_g).unwrap();
        close(&format!("{} com", robot.name), &com, robot.npz.get("com"), 1e-13);
        close(&format!("{} A_g", robot.name), &A_g, &robot.columns("Ag"), 1e-13);
        let mut rate = A_g.clone();
        batch.centroidal_rate(&q, &robot.v("v"), &mut rate).unwrap();
        close(&format!("{} rate of A_g", robot.name), &rate, &robot.columns("dAg"), 1e-12);
        batch.center_of_mass(&q, &mut com, &mut J).unwrap();
        close(&format!("{} J_com", robot.name), &J, &robot.columns("Jcom"), 1e-13);
        batch.energies(&q, &v, &mut energies).unwrap();
        close(&format!("{} energies", robot.name), &energies, robot.npz.get("energy"), 1e-13);
        let mut inverse = vec![0.0; nv * nv * n];
        batch.mass_inverse(&q, &mut inverse).unwrap();
        close(&format!("{} M⁻¹", robot.name), &inverse, &robot.square("minv"), 1e-11);
    }
}

#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn integrate_and_difference_agree() {
    for robot in Robot::all() {
        let (q, delta) = (robot.q("q"), robot.v("dt_v"));
        let (mut moved, mut back) = (vec![0.0; q.len()], vec![0.0; delta.len()]);
        robot.tree.batch().integrate(&q, &delta, &mut moved).unwrap();
        let mut expected = robot.q("integrate");
        if robot.floating {
            // q and −q are the same rotation
            let nq = robot.tree.coordinate_count();
            for (got, wanted) in moved.chunks(nq).zip(expected.chunks_mut(nq)) {
                let same = got[3..7].iter().zip(&wanted[3..7]).map(|(a, b)| a * b).sum::<f64>();
                wanted[3..7].iter_mut().for_each(|x| *x *= same.signum());
            }
        }
        close(&format!("{} integrate", robot.name), &moved, &expected, 1e-13);
        robot.tree.batch().difference(&q, &moved, &mut back).unwrap();
        close(&format!("{} difference", robot.name), &back, &robot.v("difference"), 1e-13);
    }
}

#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn derivatives_of_dynamics_agree() {
    for robot in Robot::all() {
        let (q, v, a, tau, nv, n) =
            (robot.q("q"), robot.v("v"), robot.v("a"), robot.v("tau"), robot.nv(), robot.states);
        let batch = robot.tree.batch();
        let mut m = vec![vec![0.0; nv * nv * n]; 3];
        let [by_q, by_v, by_tau] = &mut m[..] else { unreachable!() };
        batch.rnea_derivatives(&q, &v, &a, by_q, by_v).unwrap();
        close(&format!("{} rnea_dq", robot.name), by_q, &robot.square("rnea_dq"), 1e-12);
        close(&format!("{} rnea_dv", robot.name), by_v, &robot.square("rnea_dv"), 1e-12);
        batch.aba_derivatives(&q, &v, &tau, [by_q, by_v, by_tau]).unwrap();
        close(&format!("{} aba_dq", robot.name), by_q, &robot.square("aba_dq"), 1e-10);
        close(&format!("{} aba_dv", robot.name), by_v, &robot.square("aba_dv"), 1e-10);
        close(&format!("{} aba_dtau", robot.name), by_tau, &robot.square("minv"), 1e-11);
    }
}

#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn the_torque_regressor_agrees_for_bodies_that_are_not_merged() {
    for robot in Robot::all() {
        let (nv, nq, n) = (robot.nv(), robot.tree.coordinate_count(), 4);
        let (q, v, a) = (robot.q("q"), robot.v("v"), robot.v("a"));
        let bodies = robot.tree.body_count();
        let mut Y = vec![0.0; n * nv * 10 * bodies];
        robot.tree.batch().torque_regressor(&q[..n * nq], &v[..n * nv], &a[..n * nv], &mut Y).unwrap();
        let expected = robot.npz.get("torque_regressor");
        let joints = robot.meta["joints"].as_array().unwrap();
        for (j, joint) in joints[1..].iter().enumerate() {
            let name = joint["name"].as_str().unwrap();
            let slot = robot.tree.slot(name).unwrap_or(&robot.tree.slots()[0]);
            let (body, width) = (slot.body.index(), 10 * (joints.len() - 1));
            for s in 0..n {
                for r in 0..nv {
                    let wanted = &expected[(s * nv + r) * width + 10 * j..][..10];
                    let got = &Y[(s * nv + robot.v_place[r]) * 10 * bodies + 10 * body..][..10];
                    close(&format!("{} regressor of {name}", robot.name), got, wanted, 1e-12);
                }
            }
        }
    }
}

#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn loads_from_outside_agree() {
    for robot in Robot::all() {
        let (q, v, a, tau, n) = (robot.q("q"), robot.v("v"), robot.v("a"), robot.v("tau"), robot.states);
        // Pinocchio's load acts on the joint that carries the first test frame, in the joint's frame: the link
        // frame of the body behind that joint
        let names = robot.meta["frames"].as_array().unwrap();
        let frame = names.iter().find(|f| f["name"] == robot.meta["test_frames"][0]).unwrap();
        let joint = &robot.meta["joints"][frame["parent_joint"].as_u64().unwrap() as usize];
        let slot = robot.tree.slot(joint["name"].as_str().unwrap()).unwrap();
        let frames = [robot.tree.body_frame(slot.body)];
        let external = External { frames: &frames, wrenches: robot.npz.get("fext") };
        assert_eq!(external.wrenches.len(), 6 * n);
        let mut out = vec![0.0; v.len()];
        robot.tree.batch().rnea_with(&q, &v, &a, external, &mut out).unwrap();
        close(&format!("{} rnea", robot.name), &out, &robot.v("rnea_fext"), 1e-13);
        robot.tree.batch().aba_with(&q, &v, &tau, external, &mut out).unwrap();
        close(&format!("{} aba", robot.name), &out, &robot.v("aba_fext"), 1e-11);
    }
}

#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn gradients_are_products_with_pinocchios_jacobians() {
    for robot in Robot::all() {
        let (q, v, a, tau, nv) = (robot.q("q"), robot.v("v"), robot.v("a"), robot.v("tau"), robot.nv());
        let lambda = crate::support::Dice(3).many(v.len(), 1.0);
        let times = |name: &str, l: &[f64]| -> Vec<f64> {
            let m = robot.square(name);
            m.chunks(nv * nv)
                .zip(l.chunks(nv))
                .flat_map(|(m, l)| (0..nv).map(move |c| (0..nv).map(|r| m[r * nv + c] * l[r]).sum()))
                .collect()
        };
        let mut g = vec![vec![0.0; v.len()]; 4];
        let [by_q, by_v, by_a, acceleration] = &mut g[..] else { unreachable!() };
        let out = RneaGradients { q: by_q, v: by_v, a: by_a, parameters: &mut [] };
        robot.tree.batch().rnea_vjp(&q, &v, &a, &lambda, out).unwrap();
        close(&format!("{} λ rnea_dq", robot.name), by_q, &times("rnea_dq", &lambda), 1e-12);
        close(&format!("{} λ rnea_dv", robot.name), by_v, &times("rnea_dv", &lambda), 1e-12);
        close(&format!("{} λ M", robot.name), by_a, &times("crba", &lambda), 1e-12);
        let out = AbaGradients { a: acceleration, q: by_q, v: by_v, tau: by_a, parameters: &mut [] };
        robot.tree.batch().aba_vjp(&q, &v, &tau, &lambda, out).unwrap();
        close(&format!("{} aba", robot.name), acceleration, &robot.v("aba"), 1e-11);
        close(&format!("{} g aba_dq", robot.name), by_q, &times("aba_dq", &lambda), 1e-10);
        close(&format!("{} g aba_dv", robot.name), by_v, &times("aba_dv", &lambda), 1e-10);
        close(&format!("{} g M⁻¹", robot.name), by_a, &times("minv", &lambda), 1e-11);
    }
}
