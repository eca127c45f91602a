//! Learning on batches of worlds: proximal policy optimisation with small networks, on the processor.
//!
//! ```no_run
//! use bellcrank_learn::{Config, Trainer};
//!
//! let mut trainer = Trainer::new("cartpole_swing_up", Config::of_task("cartpole_swing_up"), 1, 0)?;
//! for _ in 0..100 {
//!     trainer.update()?;
//! }
//! trainer.policy().save("policy.safetensors".as_ref())?;
//! # Ok::<(), bellcrank_learn::LearnError>(())
//! ```
//!
//! The same seed gives the same policy, bit for bit, for any number of threads: rows are worked out in chunks of a fixed size
//! and added in a fixed order, and all chance is a function of seed, world and moment.
//!
//! | file | what |
//! |---|---|
//! | `product` `elu` `network` `adam` | layers forwards and backwards, and how parameters move |
//! | `normaliser` `agent` | what networks see; actor, critic and the distribution of actions |
//! | `sampler` `part` | worlds that a policy acts in, and what they did |
//! | `rollout` `advantage` `update` `learner` | gathering, judging, learning |
//! | `trainer` `curve` `checkpoint` | all of it in turn, its figures, its files |
//! | `policy` `tensors` `onnx` | trained policies and their files |
//! | `evaluate` | how good a policy is |
//! | `page` `events` `wire` | curves for a browser and for TensorBoard |

mod adam;
mod advantage;
mod agent;
mod checkpoint;
mod config;
mod curve;
mod elu;
mod error;
mod evaluate;
mod events;
mod learner;
mod network;
mod normaliser;
mod onnx;
mod page;
mod part;
mod policy;
mod product;
mod rollout;
mod sampler;
mod tensors;
mod trainer;
mod update;
mod wire;

pub use checkpoint::{CHECKPOINT, Files, POLICY};
pub use config::Config;
pub use curve::Record;
pub use error::LearnError;
pub use evaluate::{EvaluateOptions, Evaluation, evaluate, evaluate_in};
pub use events::Events;
pub use learner::Learner;
pub use part::Part;
pub use policy::Policy;
pub use sampler::Sampler;
pub use trainer::Trainer;
