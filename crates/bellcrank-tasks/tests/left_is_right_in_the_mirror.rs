//! Physics knows no left and right: a robot that is pushed and driven as the mirror image of another moves as its mirror image.

mod quiet;

use bellcrank_math::Vec3;
use bellcrank_sim::Precision;
use bellcrank_tasks::{Env, EnvOptions, Random};
use quiet::quiet;

/// Nothing by chance, so that both robots start alike. After half a second in 64 bits the two differ by what the solver leaves
/// (1e-6) times the growth of a falling robot's errors (e^(t/0.2 s) = 12): 1e-4 is ample, and any wrong sign or exchange is
/// larger than 1e-2.
#[test]
fn a_mirrored_robot_moves_as_the_mirror_image() {
    let options = EnvOptions { worlds: 2, threads: 1, precision: Precision::F64, ..EnvOptions::default() };
    let mut env = Env::with_settings("biped_walk", options, &quiet(0.2)).expect("a task");
    let [seen, acted] = env.mirrors().expect("a symmetric robot");
    let (n, m) = (env.spec().observation_count, env.spec().action_count);
    // both from the reference pose at rest, with opposite phases of the gait
    for world in 0..2 {
        env.batch_mut().reset(world).expect("a world");
        env.tell(world, if world == 0 { [0.2, 0.05, 0.1] } else { [0.2, -0.05, -0.1] }).expect("a command");
    }
    env.push(0, Vec3::new(0.05, 0.1, 0.0)).expect("a push");
    env.push(1, Vec3::new(0.05, -0.1, 0.0)).expect("a push");
    let gait = 18..22;
    let mut actions = vec![0.0; 2 * m];
    let mut random = Random::new(1, 2, 3);
    for step in 0..25 {
        for k in 0..m {
            actions[k] = 0.3 * random.between(-1.0, 1.0) as f32;
        }
        let (one, other) = actions.split_at_mut(m);
        acted.apply(one, other);
        env.step(&actions).expect("steps");
        let mut image = vec![0.0; n];
        seen.apply(&env.observations()[..n], &mut image);
        for (k, (a, b)) in image.iter().zip(&env.observations()[n..]).enumerate() {
            assert!(gait.contains(&k) || (a - b).abs() < 1e-4, "step {step}, number {k}: {a} and {b}");
        }
    }
}
