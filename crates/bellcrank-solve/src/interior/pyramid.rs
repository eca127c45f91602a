//! Friction bounded by a pyramid instead of a round cone: the linear law of older solvers, for comparison.
//!
//! With directions ±e_i of the tangent plane, β ≥ 0 along each of them, ψ the speed of sliding and v the velocity
//! ([Dojo] notes 1.5): η = ±v + ψ, σ = bound − Σ β, β∘η = κ, ψ σ = κ. All are orthants, so that friction may be more by √2 on
//! the edges than on the faces, and pulls aside where sliding is not along an edge.

use super::cone::{Aim, Directions, FrictionLinearization, MOST_DIRECTIONS};
use super::slack_pair::{shrink, split};
use bellcrank_math::Real;

const FACETS: usize = 2 * MOST_DIRECTIONS;

/// Friction of up to [`MOST_DIRECTIONS`] directions with two facets each: that along +e_i is number 2 i.
#[derive(Clone, Copy, Debug)]
pub struct Pyramid<R: Real> {
    /// Directions.
    pub n: usize,
    /// Lanes in which there is friction.
    pub acts: R::Mask,
    beta: [R; FACETS],
    eta: [R; FACETS],
    psi: R,
    slack: R,
    rest_bound: R,
    rest: [R; FACETS],
    dbeta: [R; FACETS],
    deta: [R; FACETS],
    dpsi: R,
    dslack: R,
    /// Right-hand sides of the products.
    q: [R; FACETS],
    q0: R,
    b0: Directions<R>,
    /// Force per velocity where both count the same [kg].
    pub scale: R,
    /// What products are told in: each is κ times this.
    pub unit: R,
    from: ([R; FACETS], [R; FACETS], R, R),
}

impl<R: Real> Pyramid<R> {
    /// At the cold start's place.
    #[inline(always)]
    pub fn new(n: usize, acts: R::Mask) -> Self {
        let (one, zero) = (R::one(), R::zero());
        let (ones, none) = ([one; FACETS], [zero; FACETS]);
        Pyramid {
            n,
            acts,
            beta: ones,
            eta: ones,
            psi: one,
            slack: one,
            rest_bound: zero,
            rest: none,
            dbeta: none,
            deta: none,
            dpsi: zero,
            dslack: zero,
            q: none,
            q0: zero,
            b0: [zero; MOST_DIRECTIONS],
            scale: one,
            unit: one,
            from: (ones, ones, one, one),
        }
    }

    /// Friction.
    #[inline(always)]
    pub fn friction(&self) -> Directions<R> {
        let mut b = [R::zero(); MOST_DIRECTIONS];
        for i in 0..self.n {
            b[i] = self.beta[2 * i] - self.beta[2 * i + 1];
        }
        b
    }

    /// Any facets that have this friction together.
    #[inline(always)]
    pub(super) fn set_friction(&mut self, b: &Directions<R>) {
        for i in 0..self.n {
            (self.beta[2 * i], self.beta[2 * i + 1]) = (b[i], R::zero());
        }
    }

    /// A start from a friction and a velocity that are known.
    #[inline(always)]
    pub fn place(&mut self, lanes: R::Mask, (bound, b): (R, &Directions<R>), v: &Directions<R>, least: R) {
        let zero = R::zero();
        let (mut psi, mut sum) = (zero, zero);
        for i in 0..self.n {
            psi = psi.max(v[i].abs());
        }
        psi += least;
        let force = least * self.unit;
        for i in 0..self.n {
            let (plus, minus) = (b[i].max(zero) + force, (-b[i]).max(zero) + force);
            sum = sum + plus + minus;
            self.beta[2 * i] = R::select(lanes, plus, self.beta[2 * i]);
            self.beta[2 * i + 1] = R::select(lanes, minus, self.beta[2 * i + 1]);
            self.eta[2 * i] = R::select(lanes, psi + v[i], self.eta[2 * i]);
            self.eta[2 * i + 1] = R::select(lanes, psi - v[i], self.eta[2 * i + 1]);
            for f in [2 * i, 2 * i + 1] {
                (self.dbeta[f], self.deta[f]) =
                    (R::select(lanes, zero, self.dbeta[f]), R::select(lanes, zero, self.deta[f]));
            }
        }
        (self.dpsi, self.dslack) = (R::select(lanes, zero, self.dpsi), R::select(lanes, zero, self.dslack));
        self.psi = R::select(lanes, psi, self.psi);
        self.slack = R::select(lanes, (bound - sum).max(force), self.slack);
    }

    /// Takes all products to within a tenth and ten times the mean.
    #[inline(always)]
    pub fn centre(&mut self, lanes: R::Mask, mean: R) {
        let (lanes, mean) = (lanes & self.acts, mean * self.unit);
        let (low, high) = (mean * R::constant(0.1), mean * R::constant(10.0));
        self.slack = R::select(lanes, self.slack.clamp(low / self.psi, high / self.psi), self.slack);
        for f in 0..2 * self.n {
            let (low, high) = (low / self.eta[f], high / self.eta[f]);
            self.beta[f] = R::select(lanes, self.beta[f].clamp(low, high), self.beta[f]);
        }
    }

    /// Remembers where the direction starts.
    #[inline(always)]
    pub fn save_iterate(&mut self) {
        self.from = (self.beta, self.eta, self.psi, self.slack);
    }

    /// To the nearest point with products μ of where the step leads to.
    #[inline(always)]
    pub fn project_to_path(&mut self, lanes: R::Mask, alpha: R, mu: R) {
        let (a, mu) = (self.scale, mu * self.unit);
        let (psi, slack) = (alpha.mul_add(self.dpsi, self.from.2), alpha.mul_add(self.dslack, self.from.3));
        let (slack, psi) = split(a.neg_mul_add(psi, slack), a * mu);
        self.psi = R::select(lanes, psi / a, self.psi);
        self.slack = R::select(lanes, slack, self.slack);
        for f in 0..2 * self.n {
            let (beta, eta) =
                (alpha.mul_add(self.dbeta[f], self.from.0[f]), alpha.mul_add(self.deta[f], self.from.1[f]));
            let (beta, eta) = split(a.neg_mul_add(eta, beta), a * mu);
            self.beta[f] = R::select(lanes, beta, self.beta[f]);
            self.eta[f] = R::select(lanes, eta / a, self.eta[f]);
        }
    }

    /// Notes bound and velocity; gives the largest error of their equations as a velocity.
    #[inline(always)]
    pub fn evaluate(&mut self, bound: R, v: &Directions<R>) -> R {
        let mut open = bound - self.slack;
        let mut worst = R::zero();
        for i in 0..self.n {
            open = open - self.beta[2 * i] - self.beta[2 * i + 1];
            for (f, along) in [(2 * i, v[i]), (2 * i + 1, -v[i])] {
                self.rest[f] = R::select(self.acts, along + self.psi - self.eta[f], R::zero());
                worst = worst.max(self.rest[f].abs());
            }
        }
        self.rest_bound = R::select(self.acts, open, R::zero());
        worst.max(self.rest_bound.abs() / self.scale)
    }

    /// Squares of what is left, as an energy [J].
    #[inline(always)]
    pub fn merit(&self) -> R {
        let mut sum = R::zero();
        for f in 0..2 * self.n {
            sum = self.rest[f].mul_add(self.rest[f], sum);
        }
        self.scale.mul_add(sum, self.rest_bound * self.rest_bound / self.scale)
    }

    /// The largest |product − κ|.
    #[inline(always)]
    pub fn off_centre(&self, kappa: R) -> R {
        let kappa = kappa * self.unit;
        let mut worst = self.psi.mul_add(self.slack, -kappa).abs();
        for f in 0..2 * self.n {
            worst = worst.max(self.beta[f].mul_add(self.eta[f], -kappa).abs());
        }
        R::select(self.acts, worst / self.unit, R::zero())
    }

    /// k = β/η by facet, and m = σ + ψ Σ k.
    #[inline(always)]
    fn stiffness(&self) -> ([R; FACETS], R) {
        let (mut k, mut sum) = ([R::zero(); FACETS], R::zero());
        for f in 0..2 * self.n {
            k[f] = self.beta[f] / self.eta[f];
            sum += k[f];
        }
        (k, self.psi.mul_add(sum, self.slack))
    }

    /// How friction answers: δb_i = b₀ − (k₊ + k₋) δv_i − (k₊ − k₋) δψ, m δψ = … − ψ (δbound + Σ (k₊ − k₋) δv).
    #[inline(always)]
    pub fn linearize(&self) -> FrictionLinearization<R> {
        let none = [R::zero(); MOST_DIRECTIONS];
        let mut line = FrictionLinearization { along: [none; MOST_DIRECTIONS], across: none };
        let (k, m) = self.stiffness();
        let share = self.psi / m;
        for i in 0..self.n {
            let uneven = k[2 * i] - k[2 * i + 1];
            line.across[i] = R::select(self.acts, uneven * share, R::zero());
            for j in 0..self.n {
                let even = if i == j { k[2 * i] + k[2 * i + 1] } else { R::zero() };
                let slope = (uneven * share).neg_mul_add(k[2 * j] - k[2 * j + 1], even);
                line.along[i][j] = R::select(self.acts, slope, R::zero());
            }
        }
        line
    }

    /// m δψ without the changes of bound and velocity.
    #[inline(always)]
    fn own_speed(&self, k: &[R; FACETS]) -> R {
        let mut sum = -self.rest_bound;
        for f in 0..2 * self.n {
            sum += self.q[f] / self.eta[f] - k[f] * self.rest[f];
        }
        self.psi.mul_add(sum, self.q0)
    }

    /// b₀ for an aim. The last direction is that of the predictor.
    #[inline(always)]
    pub fn aim(&mut self, aim: Aim<R>) -> Directions<R> {
        let aim = Aim { mu: aim.mu * self.unit, ..aim };
        self.q0 = missing(aim, (self.psi, self.dpsi), (self.slack, self.dslack));
        for f in 0..2 * self.n {
            self.q[f] = missing(aim, (self.beta[f], self.dbeta[f]), (self.eta[f], self.deta[f]));
        }
        let (k, m) = self.stiffness();
        let dpsi = self.own_speed(&k) / m;
        for i in 0..self.n {
            let (f, g) = (2 * i, 2 * i + 1);
            let plus = self.q[f] / self.eta[f] - k[f] * (self.rest[f] + dpsi);
            let minus = self.q[g] / self.eta[g] - k[g] * (self.rest[g] + dpsi);
            self.b0[i] = R::select(self.acts, plus - minus, R::zero());
        }
        self.b0
    }

    /// b₀ of the last aim.
    #[inline(always)]
    pub fn last_aim(&self) -> Directions<R> {
        self.b0
    }

    /// The direction that follows from the changes of bound and velocity.
    #[inline(always)]
    pub fn follow(&mut self, dbound: R, dv: &Directions<R>) {
        let (k, m) = self.stiffness();
        let mut pull = dbound;
        for i in 0..self.n {
            pull = (k[2 * i] - k[2 * i + 1]).mul_add(dv[i], pull);
        }
        let dpsi = self.psi.neg_mul_add(pull, self.own_speed(&k)) / m;
        self.dpsi = R::select(self.acts, dpsi, R::zero());
        let mut left = dbound + self.rest_bound;
        for i in 0..self.n {
            for (f, along) in [(2 * i, dv[i]), (2 * i + 1, -dv[i])] {
                let deta = along + self.dpsi + self.rest[f];
                let dbeta = self.q[f] / self.eta[f] - k[f] * deta;
                self.deta[f] = R::select(self.acts, deta, R::zero());
                self.dbeta[f] = R::select(self.acts, dbeta, R::zero());
                left -= self.dbeta[f];
            }
        }
        self.dslack = R::select(self.acts, left, R::zero());
    }

    /// The longest step, up to one, that leaves 1 − τ of everything.
    #[inline(always)]
    pub fn max_step_length(&self, tau: R) -> R {
        let mut step = shrink(self.psi, self.dpsi, tau).min(shrink(self.slack, self.dslack, tau));
        for f in 0..2 * self.n {
            step = step.min(shrink(self.beta[f], self.dbeta[f], tau));
            step = step.min(shrink(self.eta[f], self.deta[f], tau));
        }
        R::select(self.acts, step, R::one())
    }

    /// The sum of all products after a step, and their number.
    #[inline(always)]
    pub fn product(&self, alpha: R) -> (R, R) {
        let mut sum = alpha.mul_add(self.dpsi, self.psi) * alpha.mul_add(self.dslack, self.slack);
        for f in 0..2 * self.n {
            let (beta, eta) =
                (alpha.mul_add(self.dbeta[f], self.beta[f]), alpha.mul_add(self.deta[f], self.eta[f]));
            sum = beta.mul_add(eta, sum);
        }
        let count = R::constant((2 * self.n + 1) as f64);
        (R::select(self.acts, sum / self.unit, R::zero()), R::select(self.acts, count, R::zero()))
    }

    /// Takes the step in the lanes that go on.
    #[inline(always)]
    pub fn advance(&mut self, going: R::Mask, alpha: R) {
        self.psi = R::select(going, alpha.mul_add(self.dpsi, self.psi), self.psi);
        self.slack = R::select(going, alpha.mul_add(self.dslack, self.slack), self.slack);
        for f in 0..2 * self.n {
            self.beta[f] = R::select(going, alpha.mul_add(self.dbeta[f], self.beta[f]), self.beta[f]);
            self.eta[f] = R::select(going, alpha.mul_add(self.deta[f], self.eta[f]), self.eta[f]);
        }
    }
}

/// What a product y z is short of its target, with Mehrotra's second-order term.
#[inline(always)]
fn missing<R: Real>(aim: Aim<R>, (y, dy): (R, R), (z, dz): (R, R)) -> R {
    let target = (dy * dz).neg_mul_add(aim.second, aim.mu);
    y.neg_mul_add(z, target) * aim.products
}
