//! What planners must do, by law.

mod balance;
mod hand;
mod live;
mod planning;
mod slider;
