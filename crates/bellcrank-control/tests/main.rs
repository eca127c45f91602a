//! What planners must do, by law.

mod hand;
mod live;
mod planning;
mod slider;
