//! Learning tasks: observations, rewards, terminations and resets for thousands of worlds, none of it per world in
//! the caller's language.
//!
//! ```
//! use bellcrank_tasks::{Env, EnvOptions};
//!
//! let mut env = Env::new("cartpole_swing_up", EnvOptions { worlds: 8, ..EnvOptions::default() })?;
//! env.reset(Some(1))?;
//! let actions = vec![0.5; 8 * env.spec().action_count];
//! env.step(&actions)?;
//! assert_eq!(env.observations().len(), 8 * env.spec().observation_count);
//! # Ok::<(), bellcrank_tasks::EnvError>(())
//! ```
//!
//! Worlds that end begin anew in the same step; their last observations are in [`Env::final_observations`]. All
//! chance comes from the seed, the world's number and the episode's, so that a rollout is the same, bit for bit,
//! whatever the number of threads.
//!
//! | file | what |
//! |---|---|
//! | `task` | what a task has to say; one world as it sees it |
//! | `env` `read_out` `episode` `starts` | many worlds of a task: step, judge, reset |
//! | `outcome` `snapshot` | what an action led to, by all threads; an environment as bytes |
//! | `environment` | what a learner needs of worlds, whoever steps them |
//! | `pilot` | a task in somebody else's batch |
//! | `mirror` | left and right exchanged |
//! | `cartpole` `ant` `hopper` `biped` `biped_reward` `biped_chance` | the tasks |
#![forbid(unsafe_code)]

mod ant;
mod biped;
mod biped_chance;
mod biped_reward;
mod cartpole;
mod env;
mod environment;
mod episode;
mod hopper;
mod mirror;
mod outcome;
mod pilot;
mod read_out;
mod snapshot;
mod starts;
mod task;

pub use bellcrank_math::Random;
pub use env::{Env, EnvError, EnvOptions};
pub use environment::Environment;
pub use pilot::Pilot;
pub use task::{Controls, Mirror, Spec, Start, Task, Tracking, World};

use bellcrank_model::Faults;

/// Makes a task.
type Make = fn() -> Result<Box<dyn Task>, Faults>;

/// Name, one line about it, and the function that makes it.
pub const TASKS: &[(&str, &str, Make)] = &[
    ("cartpole_swing_up", "swing a hanging pole up and balance it", || {
        Ok(Box::new(cartpole::SwingUp::new()?))
    }),
    ("ant", "run forward on four legs with eight motors", || Ok(Box::new(ant::Ant::new()?))),
    ("hopper", "hop forward in a plane on a five-bar leg", || Ok(Box::new(hopper::Hopper::new()?))),
    ("biped_stand", "stand on two legs with six loops", || Ok(Box::new(biped::Biped::stand()?))),
    ("biped_walk", "walk at a commanded velocity on two legs with six loops", || {
        Ok(Box::new(biped::Biped::walk()?))
    }),
];

/// The task of that name.
pub fn by_name(name: &str) -> Option<Result<Box<dyn Task>, Faults>> {
    TASKS.iter().find(|(known, _, _)| *known == name).map(|(_, _, make)| make())
}
