//! Planar linkages out of the textbooks, without motors: they swing under gravity.
//!
//! | | bodies | hinges | loops | mobility | what it is known for |
//! |---|---|---|---|---|---|
//! | `watt` | 5 | 7 | 2 | 1 | Watt's six-bar chain, two ternary links side by side |
//! | `peaucellier` | 7 | 10 | 3 | 1 | its tip draws an exact straight line (Peaucellier 1864, Lipkin 1871) |
//! | `three_rrr` | 7 | 9 | 2 | 3 | a platform on three arms that moves in its plane |
//!
//! Each independent planar loop has three redundant rows.

use super::parts::{AMBER, CORAL, Color, PLUM, SAND, Side, TEAL, bar, frame_bar, meet, plate, stock};
use crate::{BodyId, Joint, ModelBuilder, WORLD};
use bellcrank_math::Vec3;

/// Mass per length of every bar [kg/m], and its radius [m].
const DENSITY: f64 = 0.62;
const RADIUS: f64 = 0.005;

fn point(x: f64, z: f64) -> Vec3 {
    Vec3::new(x, 0.0, z)
}

#[track_caller]
fn link(b: &mut ModelBuilder, name: &str, from: Vec3, to: Vec3, color: Color) -> BodyId {
    bar(b, name, from, to, stock(RADIUS, DENSITY * (to - from).norm(), color))
}

/// Hinges about y: name, from, to, where.
#[track_caller]
fn hinge(b: &mut ModelBuilder, name: &str, ends: (Option<BodyId>, BodyId), at: Vec3) {
    let joint = match ends.0 {
        Some(from) => Joint::revolute(name, from, ends.1),
        None => Joint::revolute(name, WORLD, ends.1),
    };
    b.joint(joint.placed(at, Vec3::y_axis()));
}

/// Watt's six-bar chain: a four-bar whose coupler and rocker are triangles that carry two more bars.
///
/// ```text
///        E ------- G
///       / \       /         A, D on the world
///      B --- C - F          triangles B C E and D C F share the hinge C
///     /       \ /
///    A ....... D
/// ```
pub fn watt() -> ModelBuilder {
    let mut b = ModelBuilder::new("watt");
    let (A, D) = (point(0.0, 0.0), point(0.36, 0.0));
    let B = point(0.12 * 2.0_f64.cos(), 0.12 * 2.0_f64.sin());
    let C = meet(B, 0.34, D, 0.24, Side::Left);
    let E = meet(B, 0.20, C, 0.22, Side::Left);
    let F = meet(D, 0.22, C, 0.16, Side::Right);
    let G = meet(E, 0.30, F, 0.26, Side::Left);
    let crank = link(&mut b, "crank", A, B, AMBER);
    let coupler = plate(&mut b, "coupler", [B, C, E], stock(RADIUS, 0.3, TEAL)).0;
    let rocker = plate(&mut b, "rocker", [D, C, F], stock(RADIUS, 0.25, CORAL)).0;
    let upper = link(&mut b, "upper", E, G, PLUM);
    let outer = link(&mut b, "outer", F, G, SAND);
    hinge(&mut b, "A", (None, crank), A);
    hinge(&mut b, "B", (Some(crank), coupler), B);
    hinge(&mut b, "C", (Some(coupler), rocker), C);
    hinge(&mut b, "D", (None, rocker), D);
    hinge(&mut b, "E", (Some(coupler), upper), E);
    hinge(&mut b, "F", (Some(rocker), outer), F);
    hinge(&mut b, "G", (Some(upper), outer), G);
    frame_bar(&mut b, "frame", A, D, 0.8 * RADIUS);
    b
}

/// Distances of Peaucellier's linkage: ground and crank, long arms, sides of the rhombus [m].
const INVERSOR: (f64, f64, f64) = (0.12, 0.30, 0.14);

/// Peaucellier's inversor, hanging from O: O C · O P = (long arm)² − (side)² is constant, and as C runs on a circle through
/// O, P runs on a straight line, (long² − side²)/(2 · ground) below O. The crank is raised by 60°.
pub fn peaucellier() -> ModelBuilder {
    let mut b = ModelBuilder::new("peaucellier");
    let (ground, long, side) = INVERSOR;
    let (O, Q) = (point(0.0, 0.0), point(0.0, -ground));
    let turn = core::f64::consts::FRAC_PI_3;
    let C = Q + point(turn.sin(), -turn.cos()) * ground;
    let A = meet(O, long, C, side, Side::Left);
    let B = meet(O, long, C, side, Side::Right);
    let P = A + B - C;
    let crank = link(&mut b, "crank", Q, C, AMBER);
    let arms = [("left_arm", A), ("right_arm", B)].map(|(name, to)| link(&mut b, name, O, to, TEAL));
    let inner = [("left_inner", A), ("right_inner", B)].map(|(name, to)| link(&mut b, name, C, to, CORAL));
    let outer = [("left_outer", A), ("right_outer", B)].map(|(name, to)| link(&mut b, name, P, to, PLUM));
    hinge(&mut b, "Q", (None, crank), Q);
    for (i, (name, corner)) in [("left", A), ("right", B)].into_iter().enumerate() {
        hinge(&mut b, &format!("{name}_O"), (None, arms[i]), O);
        hinge(&mut b, &format!("{name}_C"), (Some(crank), inner[i]), C);
        hinge(&mut b, &format!("{name}_inner"), (Some(arms[i]), inner[i]), corner);
        hinge(&mut b, &format!("{name}_outer"), (Some(arms[i]), outer[i]), corner);
    }
    hinge(&mut b, "P", (Some(outer[0]), outer[1]), P);
    frame_bar(&mut b, "frame", O, Q, 0.8 * RADIUS);
    b
}

/// A triangular platform on three arms of two bars each, hanging in a vertical plane.
pub fn three_rrr() -> ModelBuilder {
    let mut b = ModelBuilder::new("three_rrr");
    let around = |radius: f64, i: usize, turn: f64| {
        let angle = turn + core::f64::consts::TAU * (i as f64 / 3.0 + 0.25);
        point(radius * angle.cos(), radius * angle.sin())
    };
    let corners: [Vec3; 3] = core::array::from_fn(|i| around(0.20, i, 0.3) + point(0.04, 0.06));
    let platform = plate(&mut b, "platform", corners, stock(2.0 * RADIUS, 1.2, TEAL)).0;
    for (i, corner) in corners.into_iter().enumerate() {
        let base = around(0.60, i, 0.0);
        let elbow = meet(base, 0.34, corner, 0.38, Side::Left);
        let upper = link(&mut b, &format!("upper_{i}"), base, elbow, AMBER);
        let fore = link(&mut b, &format!("fore_{i}"), elbow, corner, CORAL);
        hinge(&mut b, &format!("base_{i}"), (None, upper), base);
        hinge(&mut b, &format!("elbow_{i}"), (Some(upper), fore), elbow);
        hinge(&mut b, &format!("corner_{i}"), (Some(fore), platform), corner);
        frame_bar(&mut b, &format!("frame_{i}"), base, around(0.60, i + 1, 0.0), 0.8 * RADIUS);
    }
    b
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    #[test]
    fn watts_chain_has_one_freedom_and_two_loops() {
        Figures { bodies: 5, joints: 7, loops: 2, mobility: 1, redundant: 6 }.check(watt());
    }

    #[test]
    fn peaucelliers_linkage_has_one_freedom_and_three_loops() {
        Figures { bodies: 7, joints: 10, loops: 3, mobility: 1, redundant: 9 }.check(peaucellier());
    }

    #[test]
    fn a_platform_on_three_arms_has_the_three_freedoms_of_its_plane() {
        Figures { bodies: 7, joints: 9, loops: 2, mobility: 3, redundant: 6 }.check(three_rrr());
    }
}
