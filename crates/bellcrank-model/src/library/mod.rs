//! The mechanisms that ship with Bellcrank, built in code.
//!
//! Every function gives a [`ModelBuilder`], not yet built, so that a user may add to it. Where a mechanism
//! has natural dimensions they are the fields of a struct with a `builder()`, because whole batches of
//! different linkages are made that way.
//!
//! Planar linkages lie in the x–z plane and turn about +y: with x to the right and z up, y points away from
//! the reader and a positive angle turns clockwise. Zero of every joint coordinate is the pose as built.

mod all_joints;
mod arm;
mod bennett;
mod blocks;
mod bricard;
mod cartpole;
mod classic_linkages;
mod delta;
mod four_bar;
mod gyroscope;
mod humanoid;
mod hybrid_biped;
mod jansen;
mod jansen_walker;
mod legged_tree;
mod linkage_hand;
pub mod parts;
mod pendulums;
mod piles;
mod quadruped;
mod slider_crank;
mod stewart;
mod tie_rod;
mod tree_and_loops;

pub use all_joints::all_joints;
pub use arm::arm;
pub use bennett::{Bennett, bennett};
pub use blocks::{box_on_plane, sphere, stack};
pub use bricard::bricard;
pub use cartpole::cartpole;
pub use classic_linkages::{peaucellier, three_rrr, watt};
pub use delta::{Delta, delta};
pub use four_bar::{FourBar, four_bar};
pub use gyroscope::gyroscope;
pub use humanoid::{Humanoid, humanoid};
pub use hybrid_biped::hybrid_biped;
pub use jansen::{JansenLeg, jansen_leg};
pub use jansen_walker::jansen_walker;
pub use legged_tree::quadruped;
pub use linkage_hand::linkage_hand;
pub use pendulums::{Chain, chain, double_pendulum, pendulum};
pub use piles::{Pile, Solid, pile, small_pile};
pub use quadruped::{five_bar_quadruped, tumbling_quadruped};
pub use slider_crank::{SliderCrank, slider_crank};
pub use stewart::{Stewart, stewart};
pub use tie_rod::four_bar_tie_rod;
pub use tree_and_loops::{TreeAndLoops, tree_and_loops};

use crate::ModelBuilder;

/// Name, one line about it, and the function that builds it.
pub type Entry = (&'static str, &'static str, fn() -> ModelBuilder);

/// Every shipped mechanism, the simple ones first.
pub const ALL: &[Entry] = &[
    ("box", "a cube of 0.2 m and 1 kg lying on a plane", box_on_plane),
    ("stack", "five cubes, one on the other", stack),
    ("sphere", "a ball a little above a plane", sphere),
    ("small_pile", "twelve cubes, capsules and balls that fall on a plane", small_pile),
    ("pile", "125 solids of five kinds that fall on a plane", pile),
    ("pendulum", "one bar on one hinge", pendulum),
    ("double_pendulum", "two bars, a motor at the elbow", double_pendulum),
    ("chain", "ten links held out straight", chain),
    ("cartpole", "a cart on a rail that balances a pole", cartpole),
    ("gyroscope", "a spinning wheel in two gimbal rings", gyroscope),
    ("four_bar", "planar crank and rocker, one loop", four_bar),
    (
        "four_bar_tie_rod",
        "crank and rocker in two planes, joined by a tie rod with ball ends",
        four_bar_tie_rod,
    ),
    ("slider_crank", "crank, connecting rod and piston", slider_crank),
    ("bennett", "four skew hinges that move although counting says they cannot", bennett),
    ("bricard", "a ring of six hinges that moves although counting says it cannot", bricard),
    ("watt", "Watt's six-bar chain, two loops, swinging", watt),
    ("peaucellier", "seven bars whose tip draws a straight line, three loops", peaucellier),
    ("three_rrr", "a platform on three arms in a vertical plane, two loops", three_rrr),
    ("jansen_leg", "Theo Jansen's walking leg, three loops, one motor", jansen_leg),
    ("jansen_walker", "eight of Jansen's legs under a body, 24 loops, a motor on each side", jansen_walker),
    ("delta", "three arms with parallelogram forearms carry a platform", delta),
    ("stewart", "six hydraulic legs under a platform", stewart),
    ("arm", "seven hinges and a gripper, nine motors", arm),
    (
        "linkage_hand",
        "three fingers and a thumb, each bent through a four-bar, four loops, twelve motors",
        linkage_hand,
    ),
    ("quadruped", "a dog-sized robot, legs without loops, twelve motors", quadruped),
    ("five_bar_quadruped", "four legs, each a five-bar, twelve motors", five_bar_quadruped),
    (
        "tumbling_quadruped",
        "the same between two round shields, on which it rolls until it can get up",
        tumbling_quadruped,
    ),
    ("hybrid_biped", "a biped of four half-legs, six loops, twelve motors", hybrid_biped),
    ("humanoid", "human-sized, 31 bodies, 175 kg, thirty motors", humanoid),
    ("tree_and_loops", "nine limbs, 151 bodies, 45 loops, for benchmarks", tree_and_loops),
    ("all_joints", "one follower on every kind of joint, for tests", all_joints),
];

/// The names of all shipped mechanisms.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(name, _, _)| *name)
}

/// The mechanism of that name.
pub fn by_name(name: &str) -> Option<ModelBuilder> {
    ALL.iter().find(|(known, _, _)| *known == name).map(|(_, _, build)| build())
}

#[cfg(test)]
mod tests;
