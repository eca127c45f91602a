//! The laws of the step, one module each. They are one program, so that the engine is linked once.

mod assembled_velocities;
mod assembly;
mod closed_form_contact;
mod closed_form_stacks;
mod common;
mod couplings;
mod discrete_mechanics;
mod drag;
mod ellipsoids;
mod energy;
mod hand_calculations;
mod hard_contact;
mod hovering;
mod impacts_in_a_row;
mod implicit_contact;
mod integrators;
mod keyframes;
mod lanes_are_the_scalar;
mod laws_in_both_precisions;
mod light_and_heavy;
mod loops_stay_closed;
mod magnitudes;
#[allow(dead_code)] // for the tests at its foot: the library has no test program of its own
#[path = "../src/memory.rs"]
mod memory;
mod model_features;
mod moreau_jean;
mod motors_at_speed;
mod motors_with_state;
mod muscles;
mod muscles_and_windings;
mod parameters_by_world;
mod piles;
mod placed_from_outside;
mod published_method;
mod quantities;
mod readouts;
mod regressions;
mod replay_is_bitwise;
mod same_bits_as_before;
mod sensors;
mod soft_rows;
mod stacks;
mod status_is_true;
mod sticky_bodies;
mod tendons_and_sites;
mod thin_rods;
#[allow(dead_code)] // as above
#[path = "../src/threads.rs"]
mod threads;
mod what_is_inside;
mod worlds_do_not_matter_to_each_other;
