//! Laws of the walking tasks: symmetry, long random rollouts, what doing nothing does.

mod quiet;

use bellcrank_math::Vec3;
use bellcrank_sim::{Precision, Quantity};
use bellcrank_tasks::{Choice, Env, EnvError, EnvOptions, ModelBuilder, Random};
use quiet::quiet;

const WALKERS: [&str; 4] = ["biped_walk", "biped_rough", "quadruped_walk", "jansen_walk"];

/// A thousand actions of a random policy: everything stays finite, terms add up to the reward, and observations that say nothing of the
/// future differ between worlds.
#[test]
fn a_thousand_random_actions_leave_everything_finite() {
    for task in WALKERS {
        let options = EnvOptions { worlds: 4, ..EnvOptions::default() };
        let mut env = Env::new(task, options).expect("a task");
        let (n, terms) = (env.spec().action_count, env.reward_term_names().len());
        let mut random = Random::new(3, 1, 4);
        for step in 0..1000 {
            let actions: Vec<f32> = (0..4 * n).map(|_| random.between(-1.0, 1.0) as f32).collect();
            env.step(&actions).expect("steps");
            let all = env.observations().iter().chain(env.rewards()).chain(env.reward_terms());
            assert!(all.into_iter().all(|x| x.is_finite()), "{task}, step {step}");
            for (reward, row) in env.rewards().iter().zip(env.reward_terms().chunks_exact(terms)) {
                assert!((reward - row.iter().sum::<f32>()).abs() < 1e-5, "{task}");
            }
        }
        assert_eq!(env.tracking().len(), 4, "{task}");
    }
}

fn settings_of(task: &str) -> Vec<(String, f64)> {
    let mut settings = quiet(0.1);
    if task == "quadruped_get_up" {
        let known = ["friction", "mass", "strength", "delay"];
        settings.retain(|(name, _)| known.iter().any(|known| name.starts_with(known)));
    }
    if task == "biped_rough" {
        settings.extend([("roughness".to_owned(), 0.0), ("slope".to_owned(), 0.0)]);
    }
    settings
}

/// As `left_is_right_in_the_mirror` for the biped: a robot that is pushed and driven as the mirror image of another moves as its mirror
/// image, within what the solver leaves (1e-6) times the growth of errors in 0.3 s (e^(t/0.2 s) = 5); contacts that come a step earlier or
/// later are why velocities are compared within 1e-3. A wrong sign or exchange is larger than 1e-2. Phases of gaits are chance.
#[test]
fn the_mirror_images_of_walkers_move_as_mirror_images() {
    for (task, chance) in [("quadruped_walk", 14..16), ("jansen_walk", 0..0), ("quadruped_get_up", 0..0)] {
        let options =
            EnvOptions { worlds: 2, threads: 1, precision: Precision::F64, ..EnvOptions::default() };
        let mut env = Env::with_settings(task, options, &settings_of(task)).expect("a task");
        let [seen, acted] = env.mirrors().expect("a symmetric robot");
        let (n, m) = (env.spec().observation_count, env.spec().action_count);
        for world in 0..2 {
            env.batch_mut().reset(world).expect("a world");
            let told = env.tell(world, [0.1, 0.0, if world == 0 { 0.1 } else { -0.1 }]);
            assert_eq!(told.is_err(), task == "quadruped_get_up", "who lies is told nothing");
        }
        env.push(0, Vec3::new(0.02, 0.05, 0.0)).expect("a push");
        env.push(1, Vec3::new(0.02, -0.05, 0.0)).expect("a push");
        let mut random = Random::new(1, 2, 3);
        let mut actions = vec![0.0; 2 * m];
        let mut moved = false;
        let most = if task == "quadruped_get_up" { 0.15 } else { 0.3 }; // its actions reach twice as far
        for step in 0..15 {
            (0..m).for_each(|k| actions[k] = most * random.between(-1.0, 1.0) as f32);
            let (one, other) = actions.split_at_mut(m);
            acted.apply(one, other);
            env.step(&actions).expect("steps");
            let mut image = vec![0.0; n];
            seen.apply(&env.observations()[..n], &mut image);
            let mut twice = vec![0.0; n];
            seen.apply(&image, &mut twice);
            assert_eq!(twice, env.observations()[..n], "{task}: the image of the image is the thing itself");
            for (k, (a, b)) in image.iter().zip(&env.observations()[n..]).enumerate() {
                assert!(chance.contains(&k) || (a - b).abs() < 1e-3, "{task}, step {step}, {k}: {a} and {b}");
            }
            moved |= env.observations()[..n] != env.observations()[n..];
        }
        assert!(moved, "{task}: two different robots");
    }
}

/// The grid's diagonals know left and right, so that motion on rough ground has no exact mirror image; what the biped sees of it has: place
/// (x, y) of three by three around the left foot is the image of (x, −y) around the right one.
#[test]
fn the_ground_seen_by_one_foot_is_the_image_of_that_seen_by_the_other() {
    let env = Env::new("biped_rough", EnvOptions::default()).expect("a task");
    let [seen, _] = env.mirrors().expect("a symmetric robot");
    for (foot, x, y) in (0..18).map(|k| (k / 9, k % 9 / 3, k % 3)) {
        let (from, sign) = seen.entries[94 + 9 * foot + 3 * x + y];
        assert_eq!((from, sign), (94 + 9 * (1 - foot) + 3 * x + 2 - y, 1.0));
    }
}

/// Action zero is the standing pose of the quadruped, whose motors sag by less than 0.03 rad.
#[test]
fn a_quadruped_that_does_nothing_stands() {
    let options = EnvOptions { worlds: 4, ..EnvOptions::default() };
    let mut env =
        Env::with_settings("quadruped_walk", options, &settings_of("quadruped_walk")).expect("a task");
    for _ in 0..100 {
        env.step(&[0.0; 48]).expect("steps");
        assert_eq!(env.terminated(), [false; 4]);
    }
    let place = |name: &str| env.reward_term_names().iter().position(|term| *term == name).expect("a term");
    let term = |name: &str| env.reward_terms()[place(name)];
    assert!(term("upright") > 0.49 && term("alive") == 0.5 && term("slip") > -1e-3);
}

/// Equal cranks at full speed: 5 rad/s · 0.07 m/rad = 0.35 m/s forward and no turn.
#[test]
fn jansens_machine_goes_where_its_cranks_turn() {
    let options = EnvOptions { worlds: 1, precision: Precision::F64, ..EnvOptions::default() };
    let mut env = Env::with_settings("jansen_walk", options, &settings_of("jansen_walk")).expect("a task");
    for _ in 0..150 {
        env.step(&[0.6, 0.6]).expect("steps");
    }
    let x = env.batch().body_pose(0, 0).expect("a body").p;
    // 3 s at 3 rad/s, with the first steps to get going
    assert!((0.4..0.8).contains(&x.x) && x.y.abs() < 0.1, "{x:?}");
    // two motors of at most 8 N·m at about 3 rad/s
    let power = env.tracking()[0].power;
    assert!(power > 0.01 && power < 2.0 * 8.0 * 4.0, "{power} W");
}

/// What the policy sees of the ground is the ground that carries: with feet flat on smooth ground every sample is the height of a foot's
/// centre of mass over its sole, 18 mm; and on rough ground robots start at different places and still stand on it.
#[test]
fn the_ground_around_the_feet_is_seen() {
    let options = EnvOptions { worlds: 3, ..EnvOptions::default() };
    let mut flat = Env::with_settings("biped_rough", options, &settings_of("biped_rough")).expect("a task");
    for _ in 0..5 {
        flat.step(&[0.0; 36]).expect("steps");
    }
    let seen = &flat.observations()[94..112];
    assert!(seen.iter().all(|z| (z - 0.018).abs() < 0.01), "{seen:?}");
    let mut rough = Env::new("biped_rough", options).expect("a task");
    let place = |env: &Env, world: usize| env.batch().body_pose(world, 0).expect("a body").p;
    assert!((place(&rough, 0) - place(&rough, 1)).norm() > 0.1);
    let mut carried = 0;
    for _ in 0..10 {
        rough.step(&[0.0; 36]).expect("steps");
        let mut forces = vec![0.0_f32; 3 * 3 * 31];
        rough.batch().read(Quantity::ContactForce, &mut forces).expect("forces");
        carried += usize::from(forces.iter().any(|z| *z > 1.0));
    }
    assert!(carried > 5);
    let seen = &rough.observations()[94..112];
    assert!(seen.iter().any(|z| (z - seen[0]).abs() > 1e-3), "{seen:?}");
}

#[test]
fn a_robot_that_does_not_ship_must_be_brought() {
    let options = EnvOptions::default();
    let told = |task: Choice| Env::new(task, options).err().expect("refused");
    let missing = told("dr_legs_walk".into());
    assert!(matches!(missing, EnvError::NeedsRobot { .. }) && missing.to_string().contains("--model FILE"));
    let robot = || Some(ModelBuilder::new("nothing"));
    let other = told(Choice { name: "ant".into(), robot: robot(), draw_poses: None });
    assert!(matches!(other, EnvError::HasRobot { .. }), "{other}");
    let wrong = told(Choice { name: "dr_legs_walk".into(), robot: robot(), draw_poses: None });
    assert!(matches!(wrong, EnvError::OtherRobot { .. } | EnvError::Model(_)), "{wrong}");
}
