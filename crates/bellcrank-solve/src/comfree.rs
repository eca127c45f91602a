//! Reactions in closed form: no matrix, no convergence, cost linear in contacts ([ComFree]).
//!
//! *Published*: every contact is a bundle of facets J_n ∓ μ J_t of the dual cone, and each pushes for itself with
//!
//! Λ = max(0, −m [k (Δt s + φ) + d s]),   m = r/(1 − r) / W,
//!
//! s its velocity without contacts, φ the gap, W the mean inverse mass of the two bodies, r MuJoCo's impedance curve. The
//! paper's Eq. 8; the force line of its Algorithm 1 lacks both signs. Stiffness grows with the number of facets and
//! contacts, friction is viscous.
//!
//! *Normalised*: a contact looks at the block B of its own rows in G, the exact mobility of its place through all joints.
//! From the last step's reactions, λ_n ← [λ_n − v_n/B_nn]₊, then friction by the velocity that is left, once, on the cone.
//! Contacts are visited one after the other, each with the velocity that those before it left, until a sweep over all of
//! them changes nothing that counts. Stiffness does not grow with the number of contacts.

use crate::cone::{Cone, MOST_ROWS};
use bellcrank_math::Real;

/// Settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComFree {
    /// Which law.
    pub variant: Variant,
    /// Sweeps over all contacts in a round at most; they end when the residual is a tenth of `tolerance`.
    pub sweeps: usize,
    /// Share of the last step's reactions that the normalised law starts from.
    pub memory: f64,
    /// A step is exact where one more visit to a contact would change none of its velocities by more than this [m/s]. What
    /// keeps sinking at this rate comes to rest `tolerance` · Δt/recovery deep, 40 µm at 4 ms and the default recovery.
    pub tolerance: f64,
    /// A step that leaves a contact deeper than this is not exact [m].
    pub depth: f64,
}

/// The published law, or the repaired one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Variant {
    /// Gains from the mechanism itself; nothing to tune.
    Normalised,
    /// As published, with its two gains.
    Published(Impedance),
}

/// Gains of the published law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impedance {
    /// k [1/s]
    pub stiffness: f64,
    /// d
    pub damping: f64,
    /// r at the surface and from `width` on.
    pub range: [f64; 2],
    /// Depth at which r is largest [m].
    pub width: f64,
}

impl Default for Impedance {
    /// The published engine's; the width is the paper's.
    fn default() -> Self {
        Impedance { stiffness: 0.2, damping: 0.001, range: [0.9, 0.95], width: 1e-3 }
    }
}

impl Default for ComFree {
    fn default() -> Self {
        ComFree { variant: Variant::Normalised, sweeps: 100, memory: 1.0, tolerance: 1e-3, depth: 1e-3 }
    }
}

impl ComFree {
    /// The law as published, with gains k [1/s] and d.
    pub fn published(stiffness: f64, damping: f64) -> Self {
        let impedance = Impedance { stiffness, damping, ..Impedance::default() };
        let variant = Variant::Published(impedance);
        ComFree { variant, sweeps: 1, memory: 0.0, depth: 1e-2, ..ComFree::default() }
    }
}

impl Impedance {
    /// r/(1 − r) at the largest r: the factor of the stability bound.
    pub fn stiffest(&self) -> f64 {
        let r = self.range[1].clamp(1e-4, 0.9999);
        r / (1.0 - r)
    }

    /// n r/(1 − r) (3 k Δt + 2 d): a body on n facets is stable below 4 and falls without reversal at a quarter or less
    /// (Jury's test of the vertical mode).
    pub fn stability(&self, facets: usize, dt: f64) -> f64 {
        facets as f64 * self.stiffest() * (3.0 * self.stiffness * dt + 2.0 * self.damping)
    }

    /// r/(1 − r) by MuJoCo's curve: two parabolas that meet at half the width.
    #[inline(always)]
    fn gain<R: Real>(&self, gap: R) -> R {
        let x = (gap.abs() * R::constant(1.0 / self.width)).min(R::one());
        let half = R::constant(0.5);
        let rest = R::one() - x;
        let two = R::constant(2.0);
        let y = R::select(x.lt(half), two * x * x, R::one() - two * rest * rest);
        let [low, high] = self.range;
        let r = R::constant(high - low).mul_add(y, R::constant(low));
        let r = r.max(R::constant(1e-4)).min(R::constant(0.9999));
        r / (R::one() - r)
    }

    /// The reactions of one cone from the velocities `v` of its rows without contacts; `inverse_mass` is W.
    #[inline(always)]
    pub fn push<R: Real>(&self, cone: &Cone<R>, v: &[R], contact: ContactState<R>, lambda: &mut [R]) {
        let ContactState { gap, inverse_mass, dt, gain: [stiffer, damper] } = contact;
        let (k, d) = (R::constant(self.stiffness) * stiffer, R::constant(self.damping) * damper);
        let m = self.gain(gap) / inverse_mass;
        let touches = gap.lt(R::zero());
        match cone {
            Cone::Coulomb { mu, rows } => {
                let n = rows - 1;
                // without friction all facets are one
                let one = R::constant(1.0 / (2 * n) as f64);
                let m = m * R::select(mu.le(R::zero()), one, R::one());
                lambda[n] = R::zero();
                for t in 0..n {
                    let mut sides = [R::zero(); 2];
                    for (side, sign) in sides.iter_mut().zip([R::one(), -R::one()]) {
                        let s = (*mu * sign).neg_mul_add(v[t], v[n]);
                        let push = (-(m * k.mul_add(dt.mul_add(s, gap), d * s))).max(R::zero());
                        *side = R::select(touches, push, R::zero());
                    }
                    lambda[n] += sides[0] + sides[1];
                    lambda[t] = *mu * (sides[1] - sides[0]);
                }
            }
            _ => {
                let push = (-(m * k.mul_add(dt.mul_add(v[0], gap), d * v[0]))).max(R::zero());
                lambda[0] = R::select(touches, push, R::zero());
            }
        }
    }
}

/// What the published law knows of a contact.
#[derive(Clone, Copy, Debug)]
pub struct ContactState<R> {
    /// φ [m]
    pub gap: R,
    /// W [1/kg]
    pub inverse_mass: R,
    /// Step [s].
    pub dt: R,
    /// Factors on k and d.
    pub gain: [R; 2],
}

/// The normalised law: moves `lambda` by the velocities `v` (bias included) of one cone's rows, B by rows.
#[inline(always)]
pub fn move_reactions<R: Real>(cone: &Cone<R>, block: &[R], v: &[R], lambda: &mut [R]) {
    match cone {
        Cone::Coulomb { mu, rows } => match rows {
            3 => move_contact::<R, 3>(*mu, block, v, lambda),
            4 => move_contact::<R, 4>(*mu, block, v, lambda),
            _ => move_contact::<R, MOST_ROWS>(*mu, block, v, lambda),
        },
        _ => {
            let mut own = [R::zero(); MOST_ROWS];
            own[0] = lambda[0] - v[0] * inverse(block[0]);
            cone.project(R::one(), &mut own);
            lambda[0] = own[0];
        }
    }
}

#[inline(always)]
fn move_contact<R: Real, const N: usize>(mu: R, block: &[R], v: &[R], lambda: &mut [R]) {
    let n = N - 1;
    let before = lambda[n];
    lambda[n] = (before - v[n] * inverse(block[n * N + n])).max(R::zero());
    let pushed = lambda[n] - before;
    // the largest eigenvalue of the tangential part, by Gershgorin
    let (mut largest, mut square) = (R::zero(), R::zero());
    for r in 0..n {
        let mut sum = R::zero();
        for s in 0..n {
            sum += block[r * N + s].abs();
        }
        largest = largest.max(sum);
    }
    let gain = inverse(largest);
    for r in 0..n {
        let left = block[r * N + n].mul_add(pushed, v[r]);
        lambda[r] = left.neg_mul_add(gain, lambda[r]);
        square = lambda[r].mul_add(lambda[r], square);
    }
    let most = mu * lambda[n];
    let slides = (most * most).lt(square);
    let shrink = R::select(slides, most / R::select(slides, square, R::one()).sqrt(), R::one());
    for r in 0..n {
        lambda[r] *= shrink;
    }
}

/// 1/x, or zero where nothing moves.
#[inline(always)]
fn inverse<R: Real>(x: R) -> R {
    let none = x.le(R::zero());
    R::select(none, R::zero(), R::select(none, R::one(), x).recip())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A unit mass falls at 0.1 m/s and slides at 1 m/s, μ = ½, alone on its contact: as Coulomb has it.
    #[test]
    fn one_contact_is_exact() {
        let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let mut lambda = [0.0; 3];
        move_reactions(&Cone::Coulomb { mu: 0.5, rows: 3 }, &unit, &[1.0, 0.0, -0.1], &mut lambda);
        assert!((lambda[0] + 0.05).abs() < 1e-15 && lambda[1] == 0.0 && (lambda[2] - 0.1).abs() < 1e-15);
    }

    /// r/(1 − r) is 9 at the surface and 19 from the width on.
    #[test]
    fn the_gain_follows_the_curve() {
        let impedance = Impedance::default();
        assert!((impedance.gain(0.0) - 9.0).abs() < 1e-12);
        assert!((impedance.gain(-5e-3) - 19.0).abs() < 1e-9);
        // half-way: r = 0.925
        assert!((impedance.gain(-0.5e-3) - 0.925 / 0.075).abs() < 1e-9);
    }

    /// One facet, no friction: Λ = −m [k (Δt s + φ) + d s] by hand.
    #[test]
    fn the_published_push_has_its_signs() {
        let impedance = Impedance { range: [0.5, 0.5], ..Impedance::default() }; // r/(1 − r) = 1
        let mut lambda = [0.0; 3];
        let touch = ContactState { gap: -0.01, inverse_mass: 0.5, dt: 0.002, gain: [1.0, 1.0] };
        impedance.push(&Cone::Coulomb { mu: 0.0, rows: 3 }, &[0.3, 0.0, -1.0], touch, &mut lambda);
        let by_hand = 2.0 * (0.2 * (0.002 + 0.01) + 0.001);
        assert!((lambda[2] - by_hand).abs() < 1e-15 && lambda[0] == 0.0, "{lambda:?} {by_hand}");
    }
}
