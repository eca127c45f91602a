//! Nesterov and Todd's scaling of a pair of vectors inside second-order cones.
//!
//! The product ξ ∘ η = κ e is linearised where a scaling W has made both vectors the same, λ = W η = W⁻¹ ξ:
//! λ ∘ (W⁻¹ δξ + W δη) = μ e − λ ∘ λ, so that δη = τ − W⁻² δξ with τ = μ ξ⁻¹ − η. W⁻² is symmetric and positive definite however
//! far the pair is from the centre; linearised as it stands the product gives neither.

use super::cone::{Aim, Directions, FrictionLinearization, MOST_DIRECTIONS, RoundFriction, dot};
use bellcrank_math::Real;

/// The least y² − ‖y₂‖² that is told from zero.
pub(super) const LEAST: f64 = 1e-30;

/// Nesterov and Todd's scaling, the W with W η = W⁻¹ ξ = λ: W = β [w₀ wᵀ; w 1 + w wᵀ/(1 + w₀)], W⁻² = (2 Jw̄ (Jw̄)ᵀ − J)/β²
/// with w̄ = (w₀, w), w₀² − ‖w‖² = 1 and J = diag(1, −1, …).
pub(super) struct Scaling<R> {
    w0: R,
    w: Directions<R>,
    /// β²
    square: R,
}

impl<R: Real> Scaling<R> {
    /// w̄ = (ξ̄ + J η̄)/(2γ), γ² = (1 + ξ̄·η̄)/2, β⁴ = det ξ/det η; a bar divides by √det.
    #[inline(always)]
    pub fn of(rub: &RoundFriction<R>) -> Self {
        let n = rub.n;
        let (b, w) = (dot(n, &rub.b, &rub.b).sqrt(), dot(n, &rub.w, &rub.w).sqrt());
        let least = R::constant(LEAST);
        // y² − ‖y₂‖² without cancellation
        let det_xi = ((rub.xi - b) * (rub.xi + b)).max(least).sqrt();
        let det_eta = ((rub.eta - w) * (rub.eta + w)).max(least).sqrt();
        let (over_xi, over_eta) = (det_xi.recip(), det_eta.recip());
        let mut own = [R::zero(); MOST_DIRECTIONS];
        let mut square = R::zero();
        let inner = rub.xi.mul_add(rub.eta, dot(n, &rub.b, &rub.w)) * over_xi * over_eta;
        let half = ((R::one() + inner) * R::constant(2.0)).sqrt().recip();
        for i in 0..n {
            own[i] = (rub.b[i] * over_xi - rub.w[i] * over_eta) * half;
            square = own[i].mul_add(own[i], square);
        }
        Scaling { w0: (R::one() + square).sqrt(), w: own, square: det_xi * over_eta }
    }

    /// How friction answers: the lower rows of δη = τ − W⁻² δξ solved for δb, by
    /// (1 + 2 w wᵀ)⁻¹ = 1 − 2 w wᵀ/(1 + 2‖w‖²).
    #[inline(always)]
    pub fn linearize(&self, rub: &RoundFriction<R>) -> FrictionLinearization<R> {
        let (n, none) = (rub.n, [R::zero(); MOST_DIRECTIONS]);
        let mut line = FrictionLinearization { along: [none; MOST_DIRECTIONS], across: none };
        let two = R::constant(2.0);
        let twice = two / two.mul_add(dot(n, &self.w, &self.w), R::one());
        for i in 0..n {
            for j in 0..n {
                let one = if i == j { R::one() } else { R::zero() };
                let share = (self.w[i] * self.w[j]).neg_mul_add(twice, one);
                line.along[i][j] = R::select(rub.acts, share * self.square, R::zero());
            }
            line.across[i] = R::select(rub.acts, self.w0 * self.w[i] * twice, R::zero());
        }
        line
    }

    /// τ = μ ξ⁻¹ − η − second · W⁻¹ (λ \\ (W⁻¹δξ ∘ Wδη)); the last direction is that of the predictor.
    #[inline(always)]
    pub fn aim(&self, rub: &RoundFriction<R>, aim: Aim<R>) -> (R, Directions<R>) {
        let length = dot(rub.n, &rub.b, &rub.b).sqrt();
        let inverse = aim.mu / ((rub.xi - length) * (rub.xi + length)).max(R::constant(LEAST));
        let (late, late2) = self.second_order(rub);
        let first = late.neg_mul_add(aim.second, rub.xi.mul_add(inverse, -rub.eta)) * aim.products;
        let mut rest = [R::zero(); MOST_DIRECTIONS];
        for i in 0..rub.n {
            let plain = -(rub.b[i].mul_add(inverse, rub.w[i]));
            rest[i] = late2[i].neg_mul_add(aim.second, plain) * aim.products;
        }
        (first, rest)
    }

    /// b₀ of an aim whose τ is known.
    #[inline(always)]
    pub fn respond(rub: &RoundFriction<R>, line: &FrictionLinearization<R>) -> Directions<R> {
        let (mut y, mut b0) = ([R::zero(); MOST_DIRECTIONS], [R::zero(); MOST_DIRECTIONS]);
        for i in 0..rub.n {
            y[i] = rub.q[i] - rub.rest[i];
        }
        for i in 0..rub.n {
            let moved = line.across[i].mul_add(rub.rest_bound, dot(rub.n, &line.along[i], &y));
            b0[i] = R::select(rub.acts, moved, R::zero());
        }
        b0
    }

    /// δη₁ = τ₁ − ((2w₀² − 1) δξ₁ − 2 w₀ w·δb)/β²
    #[inline(always)]
    pub fn follow(&self, rub: &RoundFriction<R>) -> R {
        let two = R::constant(2.0) * self.w0;
        let pulled = two.mul_add(self.w0, -R::one()) * rub.dxi - two * dot(rub.n, &self.w, &rub.db);
        rub.q0 - pulled / self.square
    }

    /// W x/β, or W⁻¹ x β where `sign` is −1.
    #[inline(always)]
    fn apply(&self, n: usize, (x, x2): (R, &Directions<R>), sign: R) -> (R, Directions<R>) {
        let inner = dot(n, &self.w, x2) * sign;
        let factor = (x + inner / (R::one() + self.w0)) * sign;
        let mut y = [R::zero(); MOST_DIRECTIONS];
        for i in 0..n {
            y[i] = self.w[i].mul_add(factor, x2[i]);
        }
        (self.w0.mul_add(x, inner), y)
    }

    /// W⁻¹ (λ \\ (W⁻¹δξ ∘ Wδη)) of the direction: what Mehrotra's corrector takes into account. β cancels but for one.
    #[inline(always)]
    fn second_order(&self, rub: &RoundFriction<R>) -> (R, Directions<R>) {
        let (n, plus, minus) = (rub.n, R::one(), -R::one());
        let (a, a2) = self.apply(n, (rub.dxi, &rub.db), minus);
        let (c, c2) = self.apply(n, (rub.deta, &rub.dw), plus);
        let (l, l2) = self.apply(n, (rub.eta, &rub.w), plus);
        // x of λ ∘ x = a ∘ c
        let product = a.mul_add(c, dot(n, &a2, &c2));
        let mut r = [R::zero(); MOST_DIRECTIONS];
        for i in 0..n {
            r[i] = a.mul_add(c2[i], c * a2[i]);
        }
        let length = dot(n, &l2, &l2).sqrt();
        let det = ((l - length) * (l + length)).max(R::constant(LEAST));
        let x = l.mul_add(product, -dot(n, &l2, &r)) / det;
        for i in 0..n {
            r[i] = x.neg_mul_add(l2[i], r[i]) / l;
        }
        let (y, mut y2) = self.apply(n, (x, &r), minus);
        let over = self.square.recip();
        for i in 0..n {
            y2[i] *= over;
        }
        (y * over, y2)
    }
}
