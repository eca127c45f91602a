//! A cart on a rail along x that balances a pole: 2 bodies, 2 joints, no loop, mobility 2.
//!
//! ```text
//!        |   pole, hinged about y, upright at zero
//!      __|__
//!  ===|_____|=======  rail along x, ends at ±1.5 m
//! ```

use super::parts::{AMBER, CORAL, bar, frame_bar, stock};
use crate::{Actuator, Body, Geometry, Joint, Keyframe, ModelBuilder, Shape, WORLD};
use bellcrank_math::{Pose, Vec3};

/// The cart, its pole upright, and a force motor on the cart.
pub fn cartpole() -> ModelBuilder {
    const RAIL: f64 = 1.5; // [m] from the middle to either end
    const HEIGHT: f64 = 1.0; // [m] of the rail over the origin
    const POLE: f64 = 0.8; // [m]
    let mut b = ModelBuilder::new("cartpole");
    let centre = Vec3::new(0.0, 0.0, HEIGHT);
    let size = Vec3::new(0.20, 0.12, 0.08);
    let cart = b.body(Body::new("cart").at(Pose::translation(0.0, 0.0, HEIGHT)).solid_box(1.2, size));
    let look = Geometry::Box { half: size * 0.5 };
    b.shape(Shape::new("cart", cart, look).color(AMBER).visual_only());
    let pole = bar(&mut b, "pole", centre, centre + Vec3::new(0.0, 0.0, POLE), stock(0.01, 0.15, CORAL));

    let slide = Joint::prismatic("slide", WORLD, cart).placed(centre, Vec3::x_axis());
    let slide = b.joint(slide.limits(-RAIL, RAIL).damping(0.5));
    let hinge = b.joint(Joint::revolute("hinge", cart, pole).placed(centre, Vec3::y_axis()));
    b.actuator(Actuator::effort("slide_motor", slide).effort_limit(20.0));
    b.keyframe(Keyframe::new("hanging").joint(hinge, [std::f64::consts::PI]));

    let end = Vec3::new(RAIL + 0.12, 0.0, 0.0);
    frame_bar(&mut b, "rail", centre - end, centre + end, 0.012);
    b
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    #[test]
    fn a_cart_and_its_pole_have_one_freedom_each() {
        Figures { bodies: 2, joints: 2, loops: 0, mobility: 2, redundant: 0 }.check(cartpole());
    }
}
