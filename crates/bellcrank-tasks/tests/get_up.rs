//! Laws of getting up.

mod quiet;

use bellcrank_math::Vec3;
use bellcrank_tasks::{Env, EnvOptions};

const WORLDS: usize = 48;
const TASK: &str = "quadruped_get_up";

/// Robots that are dropped turned by at most so much [rad], in worlds that do not differ.
fn dropped(tilt_max: f64) -> Env {
    let mut settings = quiet::quiet(0.1);
    settings.retain(|(name, _)| {
        ["friction", "mass", "strength", "delay"].iter().any(|kept| name.starts_with(kept))
    });
    settings.push(("tilt_max".to_owned(), tilt_max));
    Env::with_settings(TASK, EnvOptions { worlds: WORLDS, ..EnvOptions::default() }, &settings)
        .expect("a task")
}

/// In how many worlds an episode has failed after each action, when motors hold the standing pose.
fn fails_of(env: &mut Env, actions: usize) -> Vec<usize> {
    let rest = [0.0; 12 * WORLDS];
    let mut fails = Vec::new();
    for _ in 0..actions {
        env.step(&rest).expect("steps");
        fails.push(env.terminated().iter().filter(|failed| **failed).count());
    }
    fails
}

fn term(env: &Env, world: usize, name: &str) -> f32 {
    let names = env.reward_term_names();
    env.reward_terms()[world * names.len() + names.iter().position(|term| *term == name).expect("a term")]
}

/// Upright, legs anywhere, 2 cm above the ground: motors that hold the standing pose bring it there, but for few that fall over their own
/// legs, and a robot that stands earns nearly all of the terms for it: 1, 1, 1 and 0.5. Its motors sag by less than 0.03 rad.
#[test]
fn whoever_is_dropped_upright_stands_by_holding_still() {
    let mut env = dropped(0.0);
    let fails: usize = fails_of(&mut env, 250).iter().sum();
    assert_eq!(fails, 0, "nobody is given up before 5 s");
    let earned = |world| ["upright", "height", "posture", "still"].map(|name| term(&env, world, name));
    let least = [0.98, 0.95, 0.98, 0.49];
    let stands = |world: &usize| earned(*world).iter().zip(least).all(|(x, least)| *x > least);
    let standing = (0..WORLDS).filter(stands).count();
    assert!(standing >= WORLDS - WORLDS / 8, "only {standing} stand");
}

/// Dropped anyhow, no robot touches the ground or itself at first, up is everywhere, and holding still is not enough: nobody fails before
/// 5 s are over, which is when its 251st action ends, and then many do.
#[test]
fn whoever_lies_does_not_get_up_by_holding_still() {
    let mut env = dropped(std::f64::consts::PI);
    let up = |env: &Env, world| env.batch().body_pose(world, 0).expect("a body").R.rotate(Vec3::z_axis()).z;
    let (mut over, mut under) = (0, 0);
    for world in 0..WORLDS {
        assert!(
            env.batch().contacts(world).expect("a world").iter().all(|c| c.depth <= 0.0),
            "world {world}"
        );
        (over, under) = match up(&env, world) {
            z if z > 0.5 => (over + 1, under),
            z if z < -0.5 => (over, under + 1),
            _ => (over, under),
        };
    }
    assert!(over > WORLDS / 6 && under > WORLDS / 6, "{over} upright, {under} upside down");
    let fails = fails_of(&mut env, 260);
    assert_eq!(fails[..250], [0; 250]);
    assert!(fails[250] > WORLDS / 6, "only {} lie", fails[250]);
}
