//! Standing and stepping by planning alone: robots on two legs, pushed, with nothing learnt beforehand.
//!
//! | file | what |
//! |---|---|
//! | `walker` | a robot, and how it stands |
//! | `cost` | what standing and stepping cost |
//! | `trial` | plant, pushes and planner |

mod cost;
mod trial;
mod walker;

pub use cost::{Balance, Clock, Weights};
pub use trial::{BalanceOptions, BalanceTrial, Stance};
pub use walker::Walker;
