//! What planners must do, by law.

mod balance;
mod gradient;
mod hand;
mod live;
mod planning;
mod retarget;
mod slider;
