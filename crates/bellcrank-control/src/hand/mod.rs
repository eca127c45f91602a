//! Turning objects in a hand by planning: the task of [ComFree] section V, on a plant that differs from the planner's model.
//!
//! | file | what |
//! |---|---|
//! | `object` | what is held |
//! | `scene` | a hand with something in it |
//! | `weights` | the cost |
//! | `trial` | plant, measurements, planner and goal |

mod object;
mod scene;
mod trial;
mod weights;

pub use object::Object;
pub use scene::Hand;
pub use trial::{Goal, Standing, Trial, TrialOptions};
pub use weights::Weights;
