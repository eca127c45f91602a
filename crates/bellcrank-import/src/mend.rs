//! Masses and inertias that no rigid body has, mended where the caller asks for it.
//!
//! Files from CAD programs contain links with no mass, with no inertia, or with moments that belong to no body.
//! By default that is a fault. With `Options::mend_inertia` the smallest change is made that lets the body move,
//! and it is listed as ignored what the file had said.

use crate::solid::Solid;
use bellcrank_math::{Mat3, Sym3, Vec3};

/// A body without mass gets this part of the whole mass.
const MASS_SHARE: f64 = 1e-4;
/// No body is smaller than a ball of this radius [m].
const LEAST_RADIUS: f64 = 2e-3;

/// A body that can move, and what was changed, if anything.
pub(crate) fn mended(solid: Option<Solid>, whole_mass: f64) -> (Solid, Option<String>) {
    let Some(solid) = solid.filter(|s| s.mass > 0.0) else {
        let mass = MASS_SHARE * if whole_mass > 0.0 { whole_mass } else { 1.0 };
        let i = 0.4 * mass * 1e-4; // a ball of 1 cm
        let ball = Solid { mass, com: Vec3::zero(), inertia: Sym3::diagonal(i, i, i) };
        return (ball, Some(format!("it has no mass; mended to a ball of {mass:.3e} kg")));
    };
    let (moments, axes) = solid.inertia.eigen();
    let floor = 0.4 * solid.mass * LEAST_RADIUS * LEAST_RADIUS;
    let mut new = moments.map(|m| m.max(floor));
    // the largest moment may not exceed the sum of the others
    new[0] = new[0].max(new[2] - new[1]);
    let finite = moments.iter().all(|m| m.is_finite());
    let impossible = moments[0] <= 0.0 || moments[2] > (moments[0] + moments[1]) * (1.0 + 1e-6);
    if !finite || !impossible {
        return (solid, None);
    }
    let said = format!(
        "no rigid body has the moments ({:.3e}, {:.3e}, {:.3e}) kg·m²; mended to ({:.3e}, {:.3e}, {:.3e})",
        moments[0], moments[1], moments[2], new[0], new[1], new[2]
    );
    let inertia = turned_back(new, axes);
    (Solid { inertia, ..solid }, Some(said))
}

fn turned_back(moments: [f64; 3], axes: Mat3) -> Sym3 {
    Sym3::diagonal(moments[0], moments[1], moments[2]).rotated(axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solid(xx: f64, yy: f64, zz: f64) -> Option<Solid> {
        Some(Solid { mass: 1.0, com: Vec3::zero(), inertia: Sym3::diagonal(xx, yy, zz) })
    }

    #[test]
    fn what_can_move_is_left_alone() {
        let (same, said) = mended(solid(1.0, 2.0, 3.0), 10.0);
        assert_eq!((Some(same), said), (solid(1.0, 2.0, 3.0), None));
    }

    /// 5 > 1 + 2: the smallest becomes 5 − 2 = 3.
    #[test]
    fn the_smallest_moment_is_raised_until_the_triangle_closes() {
        let (new, said) = mended(solid(1.0, 2.0, 5.0), 10.0);
        assert_eq!(Some(new), solid(3.0, 2.0, 5.0));
        assert!(said.is_some());
    }

    #[test]
    fn a_body_without_mass_gets_a_little() {
        assert_eq!(mended(None, 10.0).0.mass, 1e-3);
    }
}
