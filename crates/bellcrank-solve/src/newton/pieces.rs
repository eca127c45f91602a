//! The pieces of r: how a contact's reactions follow w there.

use crate::cone::MOST_ROWS;
use bellcrank_math::Elem;

/// y = Π_K(w) and r = P v + s(z) − z of one contact whose w, with tangents of this length, is not within its cone: on the cone, or at its
/// tip.
#[inline(always)]
pub(crate) fn push_from_outside<E: Elem>(
    mu: E,
    length: E,
    (w, v): (&[E], &[E]),
    (y, r): (&mut [E], &mut [E]),
) {
    let n = w.len() - 1;
    let apart = mu * length <= -w[n];
    let on = if apart { E::zero() } else { mu.mul_add(length, w[n]) / mu.mul_add(mu, E::one()) };
    let share = if apart { E::zero() } else { mu * on / length };
    for k in 0..n {
        y[k] = w[k] * share;
        r[k] = v[k] - (y[k] - w[k]);
    }
    y[n] = on;
    // ‖z_t‖ is what the tangents lost
    r[n] = mu.mul_add(share.neg_mul_add(length, length).abs(), v[n] - (on - w[n]));
}

/// A small matrix of one cone's rows.
pub(crate) type Small<E> = [[E; MOST_ROWS]; MOST_ROWS];

/// D = ∂Π_K(w)/∂w and E = (S − 1)(D − 1) of one contact.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Piece<E> {
    /// Apart: D = 0, and E is 1 with `slip` in its last row.
    Rests {
        /// μ u
        slip: [E; MOST_ROWS],
    },
    /// Inside the cone: D = 1, E = 0.
    Follows,
    /// On its surface.
    Slides {
        /// D
        D: Small<E>,
        /// E
        E: Small<E>,
    },
}

impl<E: Elem> Piece<E> {
    /// At w, the contact's rows.
    #[inline(always)]
    pub fn of(mu: E, w: &[E]) -> Self {
        match w.len() {
            3 => contact::<E, 3>(mu, w),
            4 => contact::<E, 4>(mu, w),
            _ => contact::<E, MOST_ROWS>(mu, w),
        }
    }
}

/// Inside the cone D = 1, in its polar cone D = 0. On the way to its surface, with t = ‖w_t‖, u = w_t/t and
/// c = (μ t + n)/(1 + μ²): y = c (μ u, 1), so D = (μ u, 1)(μ u, 1)ᵀ/(1 + μ²) + μ c/t (1 − u uᵀ). z_t = y_t − w_t points against u
/// there, so S has −μ u in its last row, and E = (1 − D) − S (1 − D), of which (1 − D) u = u − (μ u + e_n) μ/(1 + μ²).
#[inline(always)]
fn contact<E: Elem, const N: usize>(mu: E, w: &[E]) -> Piece<E> {
    let (n, one, zero) = (N - 1, E::one(), E::zero());
    let mut square = zero;
    for k in 0..n {
        square = w[k].mul_add(w[k], square);
    }
    let length = square.sqrt();
    let inverse = if length > zero { length.recip() } else { zero };
    let mut a = [zero; MOST_ROWS]; // (μ u, 1)
    for k in 0..n {
        a[k] = mu * w[k] * inverse;
    }
    if mu * length <= -w[n] {
        return Piece::Rests { slip: a }; // z = −w slips against u as well
    }
    if length <= mu * w[n] {
        return Piece::Follows;
    }
    a[n] = one;
    let share = mu.mul_add(mu, one).recip();
    let turn = mu * (mu.mul_add(length, w[n]) * share) * inverse;
    let (mut D, mut E) = ([[zero; MOST_ROWS]; MOST_ROWS], [[zero; MOST_ROWS]; MOST_ROWS]);
    for k in 0..N {
        for l in 0..N {
            let same = if k == l { one } else { zero };
            D[k][l] = share * a[k] * a[l];
            if k < n && l < n {
                D[k][l] = turn.mul_add((w[k] * inverse).neg_mul_add(w[l] * inverse, same), D[k][l]);
            }
            E[k][l] = same - D[k][l];
        }
    }
    // −S (1 − D): its last row is +μ uᵀ(1 − D)
    for l in 0..N {
        let mut slip = zero;
        for k in 0..n {
            slip = a[k].mul_add(E[k][l], slip);
        }
        E[n][l] += slip;
    }
    Piece::Slides { D, E }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::Cone;
    use proptest::prelude::*;

    /// D and E of any piece as full matrices.
    fn matrices(piece: &Piece<f64>, rows: usize) -> (Small<f64>, Small<f64>) {
        let mut unit = [[0.0; MOST_ROWS]; MOST_ROWS];
        (0..rows).for_each(|k| unit[k][k] = 1.0);
        let none = [[0.0; MOST_ROWS]; MOST_ROWS];
        match piece {
            Piece::Follows => (unit, none),
            Piece::Slides { D, E } => (*D, *E),
            Piece::Rests { slip } => {
                (0..rows - 1).for_each(|k| unit[rows - 1][k] += slip[k]);
                (none, unit)
            }
        }
    }

    proptest! {
        /// D and E against central differences of y and s(z) − z, away from the edges between pieces.
        #[test]
        fn derivatives_are_those_of_the_projection(mu in 0.1..1.5_f64, x in prop::array::uniform4(-2.0..2.0_f64)) {
            let cone = Cone::Coulomb { mu, rows: 4 };
            let mut w = [0.0; MOST_ROWS];
            w[..4].copy_from_slice(&x);
            let length = (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]).sqrt();
            prop_assume!(length > 0.1 && (length - mu * x[3]).abs() > 0.01 && (mu * length + x[3]).abs() > 0.01);
            let (D, E) = matrices(&Piece::of(mu, &w[..4]), 4);
            let at = |w: [f64; MOST_ROWS]| {
                let mut y = w;
                cone.project(1.0, &mut y);
                let mut v = [0.0; MOST_ROWS];
                for k in 0..4 {
                    v[k] = y[k] - w[k];
                }
                let z = v;
                cone.add_slip(&mut v);
                (y, v, z)
            };
            for l in 0..4 {
                let (mut up, mut down) = (w, w);
                up[l] += 1e-6;
                down[l] -= 1e-6;
                let ((y1, v1, z1), (y0, v0, z0)) = (at(up), at(down));
                for k in 0..4 {
                    // r holds s(z) − z: the slip alone is v − z
                    let own = (v1[k] - z1[k]) - (v0[k] - z0[k]) - (z1[k] - z0[k]);
                    prop_assert!((D[k][l] - (y1[k] - y0[k]) / 2e-6).abs() < 1e-6);
                    prop_assert!((E[k][l] - own / 2e-6).abs() < 1e-6, "{k} {l} {} {}", E[k][l], own / 2e-6);
                }
            }
        }
    }
}
