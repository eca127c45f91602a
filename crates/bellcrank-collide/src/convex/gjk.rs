//! Distance of two convex cores (Gilbert, Johnson, Keerthi 1988): the point of B − A nearest to the origin, found
//! with a simplex of support points that moves towards it.

use super::core::Core;
use super::simplex::{Corner, Simplex};
use bellcrank_math::Vec3;

/// Rounds; smooth solids take about twenty, polyhedra five.
const ROUNDS: usize = 48;
/// The bounds on the squared distance may differ by this fraction. For smooth solids of radius of curvature ρ at
/// distance d that leaves √(2 · 1e-9 · d / ρ) in the normal, 1e-5 rad at d = ρ / 20.
const RELATIVE: f64 = 1e-9;

/// Two cores that are apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Apart {
    /// From A to B, unit.
    pub normal: Vec3,
    /// Of the cores \[m\].
    pub distance: f64,
    /// Nearest point of B's core.
    pub b: Vec3,
}

/// The lower bound of a distance beyond the limit is good enough when it is this fraction of the upper bound: the
/// direction then parts the two for a while.
const CLEARLY: f64 = 0.7;

/// The distance of A and of B moved by `shift`; `None` when they overlap or touch. Where that is more than `limit`, a
/// lower bound above `limit` will do.
#[inline(always)]
pub(crate) fn gjk(a: &Core<'_>, b: &Core<'_>, (shift, limit): (Vec3, f64), guess: Vec3) -> Option<Apart> {
    let mut v = guess;
    let mut simplex = Simplex::default();
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let (pa, pb) = (a.support(v), b.support(-v) + shift);
        let w = pb - pa;
        // v·w / |v| bounds the distance from below, |v| from above (once there is a simplex)
        let bound = v.dot(w);
        if simplex.count > 0 {
            if least - bound <= RELATIVE * least {
                break;
            }
            if bound * bound > least * limit * limit && bound > CLEARLY * least {
                let length = least.sqrt();
                return Some(Apart { normal: v * (1.0 / length), distance: bound / length, b: pb - shift });
            }
        }
        let before = simplex;
        simplex.corners[simplex.count] = Corner { w, b: pb };
        simplex.count += 1;
        let nearest = simplex.reduce()?;
        let length2 = nearest.norm_squared();
        if length2 >= least {
            simplex = before; // rounding: no further progress
            break;
        }
        (v, least) = (nearest, length2);
        if length2 <= 1e-28 {
            return None;
        }
        if simplex.count == 4 {
            return None; // the origin lies on the boundary of a full simplex: as good as inside
        }
    }
    let b = simplex.witness();
    let distance = least.sqrt();
    Some(Apart { normal: v * (1.0 / distance), distance, b: b - shift })
}
