//! What planners must do, by law.

mod balance;
mod given_up;
mod gradient;
mod hand;
mod live;
mod live_gradient;
mod planning;
mod retarget;
mod slider;
