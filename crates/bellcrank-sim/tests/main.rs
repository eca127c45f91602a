//! The laws of the step, one module each. They are one program, so that the engine is linked once.

mod assembly;
mod blocks_of_derivatives;
mod closed_form_contact;
mod common;
mod discrete_mechanics;
mod energy;
mod free_flight;
mod gradients;
mod hand_calculations;
mod hard_contact;
mod implicit_contact;
mod integrators;
mod keyframes;
mod loops_stay_closed;
mod minimal_coordinates;
mod model_features;
mod parameters_by_world;
mod piles;
mod published_method;
mod readouts;
mod replay_is_bitwise;
mod sensors;
mod stacks;
mod tendons_and_sites;
mod worlds_do_not_matter_to_each_other;
