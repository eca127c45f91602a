//! A learning loop without Python: bipeds with six loops each and a random policy. Twin of `examples/07_gymnasium_loop.py`.

use bellcrank::tasks::{Env, EnvError, EnvOptions, Random, TASKS};

fn main() -> Result<(), EnvError> {
    for (name, about, _) in TASKS {
        println!("{name}: {about}");
    }
    let mut env = Env::new("biped_walk", EnvOptions { worlds: 64, ..EnvOptions::default() })?;
    env.reset(Some(0))?;
    let (mut falls, mut total) = (0, 0.0);
    for step in 0..100 {
        let mut random = Random::new(1, 0, step);
        let actions: Vec<f32> = (0..64 * 12).map(|_| random.between(-0.3, 0.3) as f32).collect();
        env.step(&actions)?;
        falls += env.terminated().iter().filter(|ended| **ended).count();
        total += env.rewards().iter().sum::<f32>() / 64.0;
    }
    println!("{falls} falls, mean reward per step {:.2}", total / 100.0);
    assert!(env.observations().iter().all(|x| x.is_finite()) && total.is_finite());
    Ok(())
}
