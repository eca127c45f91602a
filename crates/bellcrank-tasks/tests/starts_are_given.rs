//! Episodes may begin in poses that the caller has found: here those that kinematics draws as safe.

use bellcrank_kinematics::{Sampler, Sampling};
use bellcrank_math::Pose;
use bellcrank_model::library;
use bellcrank_tasks::{Env, EnvError, EnvOptions};

const WORLDS: usize = 16;

/// Forty safe poses of the walking biped, as poses of its bodies' centres of mass.
fn safe_poses() -> (Vec<Pose>, usize) {
    let model = library::hybrid_biped().build().expect("builds");
    let sampling = Sampling { singular_margin: 0.05, clearance: 0.002, ..Sampling::default() };
    let sampler = Sampler::<f64>::new(&model, sampling).expect("there");
    let samples = sampler.draw(40).expect("goals");
    assert!(samples.found.iter().all(|found| *found));
    let rows = sampler.robot().body_poses(&samples.q).expect("sizes");
    let of_all = rows.iter().flat_map(|row| row.iter().zip(model.bodies()).map(|(X, body)| *X * body.X_LB()));
    (of_all.collect(), model.bodies().len())
}

/// Every world begins in one of the poses, put down on the ground as a whole, and not all in the same; observations are as many as before, and the
/// same seed gives the same episodes.
#[test]
fn episodes_begin_in_safe_poses() {
    let (poses, bodies) = safe_poses();
    let options = EnvOptions { worlds: WORLDS, threads: 1, ..EnvOptions::default() };
    let mut env = Env::new("biped_walk", options).expect("a task");
    let observations = env.spec().observation_count;
    env.begin_from(&poses).expect("whole robots");
    env.reset(Some(3)).expect("starts");
    let mut chosen = Vec::new();
    for world in 0..WORLDS {
        let at = |body: usize| env.batch().body_pose(world, body).expect("there");
        let way = at(1).p - at(0).p;
        let near = |k: &usize| (poses[k * bodies + 1].p - poses[k * bodies].p - way).norm() < 1e-5;
        let k = (0..poses.len() / bodies).find(near).expect("one of the poses");
        for body in 2..bodies {
            let (is, was) = (at(body).p - at(0).p, poses[k * bodies + body].p - poses[k * bodies].p);
            assert!((is - was).norm() < 1e-5, "world {world} body {body}");
        }
        chosen.push(k);
    }
    chosen.sort_unstable();
    chosen.dedup();
    assert!(chosen.len() > 4, "{chosen:?}");
    assert_eq!(env.observations().len(), WORLDS * observations);
    let first = env.observations().to_vec();
    env.reset(Some(3)).expect("starts");
    assert_eq!(env.observations(), first);
}

#[test]
fn what_are_no_poses_of_whole_robots_is_refused() {
    let (mut poses, bodies) = safe_poses();
    let options = EnvOptions { worlds: 1, threads: 1, ..EnvOptions::default() };
    let mut env = Env::new("biped_walk", options).expect("a task");
    let wrong = |found| Err(EnvError::BadStarts { found, bodies });
    assert_eq!(env.begin_from(&[]), wrong(0));
    assert_eq!(env.begin_from(&poses[..bodies + 1]), wrong(bodies + 1));
    poses[3].p.x = f64::NAN;
    assert_eq!(env.begin_from(&poses), wrong(poses.len()));
}
