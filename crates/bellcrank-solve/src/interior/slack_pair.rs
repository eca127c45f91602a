//! A slack and a multiplier that only push, and their part of Newton's step in closed form.

use super::cone::Aim;
use bellcrank_math::Real;

/// A slack and a multiplier that only push.
#[derive(Clone, Copy, Debug)]
pub struct SlackPair<R: Real> {
    /// Slack.
    pub s: R,
    /// Multiplier.
    pub gamma: R,
    /// Lanes in which the row acts.
    pub acts: R::Mask,
    /// φ − s at the iterate.
    pub rest: R,
    /// The direction.
    pub ds: R,
    /// The direction.
    pub dgamma: R,
    /// δγ = k₀ − k δφ
    k0: R,
    k: R,
    /// Force per slack where both count the same.
    pub scale: R,
    /// What the product is told in: s γ is κ times this.
    pub unit: R,
    from: (R, R),
}

impl<R: Real> SlackPair<R> {
    /// At rest in the cold start's place.
    #[inline(always)]
    pub fn new(acts: R::Mask) -> Self {
        let (one, zero) = (R::one(), R::zero());
        SlackPair {
            s: one,
            gamma: one,
            acts,
            rest: zero,
            ds: zero,
            dgamma: zero,
            k0: zero,
            k: zero,
            scale: one,
            unit: one,
            from: (one, one),
        }
    }

    /// Remembers where the direction starts.
    #[inline(always)]
    pub fn save_iterate(&mut self) {
        self.from = (self.s, self.gamma);
    }

    /// To the point with product μ that has the a s − γ of where this share of the direction leads to.
    #[inline(always)]
    pub fn project_to_path(&mut self, lanes: R::Mask, alpha: R, mu: R) {
        let (s, gamma) = (alpha.mul_add(self.ds, self.from.0), alpha.mul_add(self.dgamma, self.from.1));
        let (s, gamma) = split(self.scale.mul_add(s, -gamma), self.scale * self.unit * mu);
        self.s = R::select(lanes, s / self.scale, self.s);
        self.gamma = R::select(lanes, gamma, self.gamma);
    }

    /// A start from a slack and a force that are known, both at least `least`, the force in units.
    #[inline(always)]
    pub fn place(&mut self, lanes: R::Mask, s: R, gamma: R, least: R) {
        self.s = R::select(lanes, s.max(least), self.s);
        self.gamma = R::select(lanes, gamma.max(least * self.unit), self.gamma);
        // an attempt that ended in no number must not be multiplied by zero later
        self.ds = R::select(lanes, R::zero(), self.ds);
        self.dgamma = R::select(lanes, R::zero(), self.dgamma);
    }

    /// A start from a slack and a force that are known, of any sign.
    #[inline(always)]
    pub fn take(&mut self, lanes: R::Mask, s: R, gamma: R) {
        self.s = R::select(lanes, s, self.s);
        self.gamma = R::select(lanes, gamma, self.gamma);
        self.ds = R::select(lanes, R::zero(), self.ds);
        self.dgamma = R::select(lanes, R::zero(), self.dgamma);
    }

    /// The same for a row that is far from acting most of the time, such as a joint's limit: the force is at least what
    /// makes the product the square of `least`, so that it starts near the centre and pushes nobody.
    #[inline(always)]
    pub fn place_far(&mut self, lanes: R::Mask, s: R, gamma: R, least: R) {
        let s = s.max(least);
        self.place(lanes, s, gamma.max(least * least * self.unit / s), R::zero());
    }

    /// Takes the product to within a tenth and ten times the mean.
    #[inline(always)]
    pub fn centre(&mut self, lanes: R::Mask, mean: R) {
        let centre = mean * self.unit / self.s;
        let (low, high) = (centre * R::constant(0.1), centre * R::constant(10.0));
        self.gamma = R::select(lanes & self.acts, self.gamma.clamp(low, high), self.gamma);
    }

    /// Notes φ; gives |φ − s|.
    #[inline(always)]
    pub fn evaluate(&mut self, phi: R) -> R {
        self.rest = R::select(self.acts, phi - self.s, R::zero());
        self.rest.abs()
    }

    /// a (φ − s)²: an energy where slacks are velocities, and an energy times Δt where they are lengths.
    #[inline(always)]
    pub fn merit(&self) -> R {
        self.scale * self.rest * self.rest
    }

    /// |φ − s|/s
    #[inline(always)]
    pub fn off_slack(&self) -> R {
        self.rest.abs() / self.s
    }

    /// |s γ − κ|, in units.
    #[inline(always)]
    pub fn off_centre(&self, kappa: R) -> R {
        R::select(self.acts, (self.s * self.gamma / self.unit - kappa).abs(), R::zero())
    }

    /// k of δγ = k₀ − k δφ.
    #[inline(always)]
    pub fn stiffness(&self) -> R {
        R::select(self.acts, self.gamma / self.s, R::zero())
    }

    /// k₀ for an aim: γ δs + s δγ = t − s γ with δs = δφ + (φ − s). The last direction is that of the predictor.
    #[inline(always)]
    pub fn aim(&mut self, aim: Aim<R>) -> R {
        let target = (self.ds * self.dgamma).neg_mul_add(aim.second, aim.mu * self.unit);
        let missing = self.s.neg_mul_add(self.gamma, target) * aim.products;
        let k0 = self.gamma.neg_mul_add(self.rest, missing) / self.s;
        self.k = self.stiffness();
        self.k0 = R::select(self.acts, k0, R::zero());
        self.k0
    }

    /// The direction that follows from δφ; gives δγ.
    #[inline(always)]
    pub fn follow(&mut self, dphi: R) -> R {
        self.ds = R::select(self.acts, dphi + self.rest, R::zero());
        self.dgamma = self.k.neg_mul_add(dphi, self.k0);
        self.dgamma
    }

    /// The longest step, up to one, that leaves 1 − τ of both.
    #[inline(always)]
    pub fn max_step_length(&self, tau: R) -> R {
        let step = shrink(self.s, self.ds, tau).min(shrink(self.gamma, self.dgamma, tau));
        R::select(self.acts, step, R::one())
    }

    /// (s + α δs)(γ + α δγ) in units, and one where the row acts.
    #[inline(always)]
    pub fn product(&self, alpha: R) -> (R, R) {
        let product = alpha.mul_add(self.ds, self.s) * alpha.mul_add(self.dgamma, self.gamma) / self.unit;
        (R::select(self.acts, product, R::zero()), R::select(self.acts, R::one(), R::zero()))
    }

    /// Takes the step in the lanes that go on.
    #[inline(always)]
    pub fn advance(&mut self, going: R::Mask, alpha: R) {
        self.s = R::select(going, alpha.mul_add(self.ds, self.s), self.s);
        self.gamma = R::select(going, alpha.mul_add(self.dgamma, self.gamma), self.gamma);
    }
}

/// The largest α ≤ 1 with y + α δ ≥ (1 − τ) y.
#[inline(always)]
pub(super) fn shrink<R: Real>(y: R, delta: R, tau: R) -> R {
    let falls = delta.lt(R::zero());
    let most = tau * y / R::select(falls, -delta, R::one());
    R::select(falls, most.min(R::one()), R::one())
}

/// (x, y) with x − y = d and x y = m.
#[inline(always)]
pub(super) fn split<R: Real>(d: R, m: R) -> (R, R) {
    let large = (d.abs() + d.mul_add(d, m * R::constant(4.0)).sqrt()) * R::constant(0.5);
    let small = m / large;
    let up = R::zero().lt(d);
    (R::select(up, large, small), R::select(up, small, large))
}
