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
//! | `task` `choice` | what a task has to say; one world as it sees it; which task |
//! | `env` `read_out` `episode` `starts` | many worlds of a task: step, judge, reset |
//! | `outcome` `snapshot` | what an action led to, by all threads; an environment as bytes |
//! | `environment` | what a learner needs of worlds, whoever steps them |
//! | `pilot` | a task in somebody else's batch |
//! | `mirror` | left and right exchanged |
//! | `cartpole` `ant` `hopper` `biped` `biped_reward` `biped_chance` `quadruped` `quadruped_reward` `get_up` `jansen` | the tasks |
//! | `walking` `robot` `ground` | what walkers share; bipeds as their tasks know them, and what they walk on |
#![forbid(unsafe_code)]

mod ant;
mod biped;
mod biped_chance;
mod biped_reward;
mod cartpole;
mod choice;
mod env;
mod environment;
mod episode;
mod get_up;
mod ground;
mod hopper;
mod jansen;
mod mirror;
mod outcome;
mod pilot;
mod quadruped;
mod quadruped_reward;
mod read_out;
mod robot;
mod snapshot;
mod starts;
mod task;
mod walking;

pub use bellcrank_math::Random;
pub use bellcrank_model::ModelBuilder;
pub use choice::{Choice, DrawPoses};
pub use env::{Env, EnvError, EnvOptions};
pub use environment::Environment;
pub use pilot::Pilot;
pub use task::{Controls, Mirror, Spec, Start, Task, Tracking, World};

/// Makes a task.
type Make = fn() -> Result<Box<dyn Task>, EnvError>;
/// Makes a task for a robot.
type MakeFor = fn(ModelBuilder) -> Result<Box<dyn Task>, EnvError>;

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
    ("biped_rough", "the same on rough ground and slopes, seeing the ground around the feet", || {
        Ok(Box::new(biped::Biped::rough()?))
    }),
    ("quadruped_walk", "trot at a commanded velocity on four five-bar legs", || {
        Ok(Box::new(quadruped::Quadruped::walk()?))
    }),
    ("quadruped_get_up", "roll over and stand up on four five-bar legs, dropped anyhow", || {
        Ok(Box::new(get_up::GetUp::new()?))
    }),
    ("jansen_walk", "steer a machine on eight of Jansen's legs, 24 loops, by its two cranks", || {
        Ok(Box::new(jansen::JansenWalk::new()?))
    }),
];

/// Tasks for robots that do not ship: the user brings the robot's file.
pub const ROBOT_TASKS: &[(&str, &str, MakeFor)] =
    &[("dr_legs_walk", "walk as biped_walk, with DR Legs from its makers' file", |robot| {
        Ok(Box::new(biped::Biped::dr_legs(robot)?))
    })];

/// The task of that name.
pub fn by_name(name: &str) -> Option<Result<Box<dyn Task>, EnvError>> {
    TASKS.iter().find(|(known, _, _)| *known == name).map(|(_, _, make)| make())
}
