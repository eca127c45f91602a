//! Motions made dynamic: a path of poses that a robot could take becomes what its motors must be told so that it really does, balance
//! included, by planning in receding horizon [SPIDER; ComFree section VI].
//!
//! | file | what |
//! |---|---|
//! | `motion` | poses in time |
//! | `cost` | how far the robot is from them |
//! | `run` | window after window: plan, act, measure |

mod cost;
mod motion;
mod run;

pub use cost::{Follow, FollowWeights};
pub use motion::Motion;
pub use run::{Errors, FollowOptions, Following, Tracked};
