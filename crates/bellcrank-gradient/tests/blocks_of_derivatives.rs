//! The blocks that derivatives of a step are made of, each against central differences or dual numbers. The laws look at
//! what the library does not show, and so are functions of it (feature `checks`).

use bellcrank_gradient::blocks as checks;

#[test]
fn newtons_matrix_is_the_slope_of_the_equations() {
    checks::newtons_matrix_is_the_slope_of_the_equations();
}

#[test]
fn right_hand_sides_are_the_slopes_of_what_is_left() {
    checks::right_hand_sides_are_the_slopes_of_what_is_left();
}

#[test]
fn formulas_give_what_dual_numbers_give() {
    checks::formulas_give_what_dual_numbers_give();
}

#[test]
fn wrenches_of_a_contact_change_as_they_say() {
    checks::wrenches_of_a_contact_change_as_they_say();
}

#[test]
fn slopes_of_momentum_and_of_the_end_pose_are_those_of_dual_numbers() {
    checks::slopes_of_momentum_and_of_the_end_pose_are_those_of_dual_numbers();
}
