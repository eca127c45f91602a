//! Pairs of a slack and its multiplier, relaxed to a product of κ, with their part of Newton's step in closed form.
//!
//! [`Push`]: φ(u) = s, s γ = κ, s > 0, γ > 0. A normal force, a joint limit.
//!
//! [`RoundFriction`]: Coulomb's law as two second-order cones ([Dojo] notes 1.5). With v the sliding velocity, b the friction and
//! β its bound, ξ = (ξ₁, b) and η = (η₁, w) inside the cone, and
//! ξ₁ = β, w = v(u), ξ ∘ η = κ e, where x ∘ y = (x·y, x₁ y₂ + y₁ x₂): friction opposes sliding with β, or holds.
//! Dry friction of a joint is the same with one direction and a bound that is a number; torsional and rolling
//! friction are more directions of the same cone.
//!
//! Both give the change of the force as an affine function of the change of (v, φ): [`Push`] δγ = k₀ − k δφ, [`RoundFriction`] a
//! matrix of a few rows. That is all that Newton's matrix sees of a contact.

use super::scaling::{LEAST, Scaling};
use super::slack_pair::SlackPair;
use bellcrank_math::{Mask, Real};

/// Directions of friction at most: two of sliding, one of spinning, two of rolling.
pub const MOST_DIRECTIONS: usize = 5;

/// What the next direction aims at: products of `mu`, with or without Mehrotra's second-order term.
#[derive(Clone, Copy, Debug)]
pub struct Aim<R> {
    /// The product that is aimed at.
    pub mu: R,
    /// 1 takes the product of the last direction's two parts into account, 0 does not.
    pub second: R,
    /// 1 to change the products; 0 to leave them as they are, where only the equations' errors are answered: derivatives.
    pub products: R,
}

/// Friction of up to [`MOST_DIRECTIONS`] directions. Entries beyond `n` are zero.
#[derive(Clone, Copy, Debug)]
pub struct RoundFriction<R: Real> {
    /// Directions.
    pub n: usize,
    /// ξ₁: what friction may be, and b.
    pub xi: R,
    /// Friction.
    pub b: [R; MOST_DIRECTIONS],
    /// η₁ and w.
    pub eta: R,
    /// Sliding velocity.
    pub w: [R; MOST_DIRECTIONS],
    /// Lanes in which there is friction.
    pub acts: R::Mask,
    /// Products are linearised by Nesterov and Todd's scaling, and not as they stand. Near the answer it does not matter, and
    /// a warm start goes faster without; far from it the scaling jams less. Where ξ ∘ η = κ e both are the same.
    pub scaled: bool,
    /// β − ξ₁ at the iterate.
    pub rest_bound: R,
    /// v − w at the iterate.
    pub rest: [R; MOST_DIRECTIONS],
    pub(super) dxi: R,
    pub(super) db: [R; MOST_DIRECTIONS],
    pub(super) deta: R,
    pub(super) dw: [R; MOST_DIRECTIONS],
    /// Right-hand sides of ξ ∘ η, or τ of the scaled product.
    pub(super) q0: R,
    pub(super) q: [R; MOST_DIRECTIONS],
    /// b₀ of the last aim.
    b0: [R; MOST_DIRECTIONS],
    /// Force per velocity where both count the same [kg].
    pub scale: R,
    /// What the product is told in: ξ ∘ η is κ e times this.
    pub unit: R,
    from: (R, [R; MOST_DIRECTIONS], R, [R; MOST_DIRECTIONS]),
}

/// δb = b₀ + across · δβ − Σ along[·][j] δv_j
#[derive(Clone, Copy, Debug)]
pub struct FrictionLinearization<R> {
    /// By direction and direction.
    pub along: [[R; MOST_DIRECTIONS]; MOST_DIRECTIONS],
    /// How friction follows its bound.
    pub across: [R; MOST_DIRECTIONS],
}

/// One number per direction of friction.
pub type Directions<R> = [R; MOST_DIRECTIONS];

#[inline(always)]
pub(super) fn dot<R: Real>(n: usize, a: &Directions<R>, b: &Directions<R>) -> R {
    let mut sum = R::zero();
    for i in 0..n {
        sum = a[i].mul_add(b[i], sum);
    }
    sum
}

impl<R: Real> RoundFriction<R> {
    /// At the cold start's place: ξ = η = (1, 0).
    #[inline(always)]
    pub fn new(n: usize, acts: R::Mask) -> Self {
        let (one, zero, none) = (R::one(), R::zero(), [R::zero(); MOST_DIRECTIONS]);
        RoundFriction {
            n,
            xi: one,
            b: none,
            eta: one,
            w: none,
            acts,
            scaled: false,
            rest_bound: zero,
            rest: none,
            dxi: zero,
            db: none,
            deta: zero,
            dw: none,
            q0: zero,
            q: none,
            b0: none,
            scale: one,
            unit: one,
            from: (one, none, one, none),
        }
    }

    /// Remembers where the direction starts.
    #[inline(always)]
    pub fn save_iterate(&mut self) {
        self.from = (self.xi, self.b, self.eta, self.w);
    }

    /// To the point with product μ e that has this bound and the b − a w of where the step leads to.
    ///
    /// With ξ₁ = β and η = μ ξ⁻¹ that is b (1 + a μ/(β² − ‖b‖²)) = d: with k = a μ/β², q = ‖d‖/β and δ = 1 − ‖b‖/β the cubic
    /// (q − 1 + δ) δ (2 − δ) = k (1 − δ), of which three of Halley's steps from the root of 2 δ (q − 1 + δ) = k find the root to rounding.
    #[inline(always)]
    pub fn project_to_path(&mut self, lanes: R::Mask, alpha: R, mu: R, bound: R) {
        let (n, a, one, two) = (self.n, self.scale, R::one(), R::constant(2.0));
        let mu = mu * self.unit;
        let mut d = [R::zero(); MOST_DIRECTIONS];
        for i in 0..n {
            let (b, w) =
                (alpha.mul_add(self.db[i], self.from.1[i]), alpha.mul_add(self.dw[i], self.from.3[i]));
            d[i] = a.neg_mul_add(w, b);
        }
        let k = a * mu / (bound * bound);
        let q = dot(n, &d, &d).sqrt() / bound;
        let e = q - one;
        let root = e.mul_add(e, two * k).sqrt();
        let x = R::select(R::zero().lt(e), k / (e.abs() + root), (root - e) * R::constant(0.5));
        let mut x = x.max(one - q / (one + k)).min(one);
        for _ in 0..3 {
            let y = x * (two - x);
            let f = (e + x).mul_add(y, -(k * (one - x)));
            let slope = (e + x).mul_add(two * (one - x), y + k);
            let bend = two * (one - x) - (e + x);
            let step = f / (slope - f * bend / slope);
            x = (x - step).clamp(x * R::constant(0.1), one);
        }
        let y = x * (two - x);
        let share = y / (y + k);
        let rest = k / (y + k) / a;
        self.xi = R::select(lanes, bound, self.xi);
        self.eta = R::select(lanes, mu / (bound * y), self.eta);
        for i in 0..n {
            self.b[i] = R::select(lanes, d[i] * share, self.b[i]);
            self.w[i] = R::select(lanes, -(d[i] * rest), self.w[i]);
        }
    }

    /// Notes bound and velocity; gives the largest error of ξ₁ = β and w = v, both as a velocity.
    #[inline(always)]
    pub fn evaluate(&mut self, bound: R, v: &Directions<R>) -> R {
        self.rest_bound = R::select(self.acts, bound - self.xi, R::zero());
        let mut worst = self.rest_bound.abs() / self.scale;
        for i in 0..self.n {
            self.rest[i] = R::select(self.acts, v[i] - self.w[i], R::zero());
            worst = worst.max(self.rest[i].abs());
        }
        worst
    }

    /// Takes both vectors well inside their cones, and the product to at least half the mean.
    #[inline(always)]
    pub fn centre(&mut self, lanes: R::Mask, mean: R) {
        let (lanes, inside) = (lanes & self.acts, R::constant(0.8));
        let length = dot(self.n, &self.b, &self.b).sqrt();
        let most = self.xi * inside;
        let share = most / length.max(most);
        for i in 0..self.n {
            self.b[i] = R::select(lanes, self.b[i] * share, self.b[i]);
        }
        let fast = dot(self.n, &self.w, &self.w).sqrt() / inside;
        let eta = self.eta.max(fast).max(mean * self.unit * R::constant(0.5) / self.xi);
        self.eta = R::select(lanes, eta, self.eta);
    }

    /// a |v − w|² + (β − ξ₁)²/a [J]
    #[inline(always)]
    pub fn merit(&self) -> R {
        let bound = self.rest_bound * self.rest_bound / self.scale;
        self.scale.mul_add(dot(self.n, &self.rest, &self.rest), bound)
    }

    /// The largest entry of |ξ ∘ η − κ e|, in units.
    #[inline(always)]
    pub fn off_centre(&self, kappa: R) -> R {
        let kappa = kappa * self.unit;
        let mut worst = (self.xi.mul_add(self.eta, dot(self.n, &self.b, &self.w)) - kappa).abs();
        for i in 0..self.n {
            worst = worst.max(self.xi.mul_add(self.w[i], self.eta * self.b[i]).abs());
        }
        R::select(self.acts, worst / self.unit, R::zero())
    }

    /// P⁻¹ y with P = η₁ 1 − b wᵀ/ξ₁ (Sherman–Morrison); η₁ ξ₁ > |b·w| inside the cones.
    #[inline(always)]
    fn undo(&self, y: &Directions<R>) -> Directions<R> {
        let scale = dot(self.n, &self.w, y) / (self.xi.mul_add(self.eta, -dot(self.n, &self.w, &self.b)));
        let mut x = [R::zero(); MOST_DIRECTIONS];
        for i in 0..self.n {
            x[i] = self.b[i].mul_add(scale, y[i]) / self.eta;
        }
        x
    }

    /// How friction answers: P δb = (b η₁/ξ₁ − w) δξ₁ − (ξ₁ 1 − b bᵀ/ξ₁) δw + (q − b q₀/ξ₁).
    #[inline(always)]
    pub fn linearize(&self) -> FrictionLinearization<R> {
        if self.scaled {
            return Scaling::of(self).linearize(self);
        }
        let none = [R::zero(); MOST_DIRECTIONS];
        let mut line = FrictionLinearization { along: [none; MOST_DIRECTIONS], across: none };
        let mut y = none;
        for i in 0..self.n {
            y[i] = self.b[i].mul_add(self.eta / self.xi, -self.w[i]);
        }
        let across = self.undo(&y);
        for j in 0..self.n {
            for i in 0..self.n {
                let one = if i == j { self.xi } else { R::zero() };
                y[i] = (self.b[i] * self.b[j]).neg_mul_add(self.xi.recip(), one);
            }
            let column = self.undo(&y);
            for i in 0..self.n {
                line.along[i][j] = R::select(self.acts, column[i], R::zero());
            }
            line.across[j] = R::select(self.acts, across[j], R::zero());
        }
        line
    }

    /// b₀ for an aim: δb where neither bound nor velocity change beyond their own errors. The last direction is that of
    /// the predictor.
    #[inline(always)]
    pub fn aim(&mut self, aim: Aim<R>, line: &FrictionLinearization<R>) -> Directions<R> {
        let n = self.n;
        let aim = Aim { mu: aim.mu * self.unit, ..aim };
        if self.scaled {
            (self.q0, self.q) = Scaling::of(self).aim(self, aim);
            self.b0 = Scaling::respond(self, line);
            return self.b0;
        }
        let cross = self.dxi.mul_add(self.deta, dot(n, &self.db, &self.dw));
        let product = self.xi.mul_add(self.eta, dot(n, &self.b, &self.w));
        self.q0 = (cross.neg_mul_add(aim.second, aim.mu) - product) * aim.products;
        let mut y = [R::zero(); MOST_DIRECTIONS];
        for i in 0..n {
            let second = self.dxi.mul_add(self.dw[i], self.deta * self.db[i]);
            let product = self.xi.mul_add(self.w[i], self.eta * self.b[i]);
            self.q[i] = -(second.mul_add(aim.second, product) * aim.products);
            y[i] = (self.b[i] * self.q0).neg_mul_add(self.xi.recip(), self.q[i]);
        }
        let own = self.undo(&y);
        let mut b0 = [R::zero(); MOST_DIRECTIONS];
        for i in 0..n {
            let moved = line.across[i].mul_add(self.rest_bound, own[i]) - dot(n, &line.along[i], &self.rest);
            b0[i] = R::select(self.acts, moved, R::zero());
        }
        self.b0 = b0;
        b0
    }

    /// b₀ of the last aim.
    #[inline(always)]
    pub fn last_aim(&self) -> Directions<R> {
        self.b0
    }

    /// The direction that follows from the changes of friction, bound and velocity.
    #[inline(always)]
    pub fn follow(&mut self, db: &Directions<R>, dbound: R, dv: &Directions<R>) {
        let n = self.n;
        self.dxi = R::select(self.acts, dbound + self.rest_bound, R::zero());
        for i in 0..n {
            self.db[i] = R::select(self.acts, db[i], R::zero());
            self.dw[i] = R::select(self.acts, dv[i] + self.rest[i], R::zero());
        }
        let deta = if self.scaled {
            Scaling::of(self).follow(self)
        } else {
            let moved = dot(n, &self.w, &self.db) + dot(n, &self.b, &self.dw);
            (self.eta.neg_mul_add(self.dxi, self.q0) - moved) / self.xi
        };
        self.deta = R::select(self.acts, deta, R::zero());
    }

    /// The longest step, up to one, that stays inside both cones.
    #[inline(always)]
    pub fn max_step_length(&self, tau: R) -> R {
        let step = stay_inside(self.n, (self.xi, &self.b), (self.dxi, &self.db), tau).min(stay_inside(
            self.n,
            (self.eta, &self.w),
            (self.deta, &self.dw),
            tau,
        ));
        R::select(self.acts, step, R::one())
    }

    /// ξ·η in units after a step, and one where there is friction.
    #[inline(always)]
    pub fn product(&self, alpha: R) -> (R, R) {
        let mut sum = alpha.mul_add(self.dxi, self.xi) * alpha.mul_add(self.deta, self.eta);
        for i in 0..self.n {
            let (b, w) = (alpha.mul_add(self.db[i], self.b[i]), alpha.mul_add(self.dw[i], self.w[i]));
            sum = b.mul_add(w, sum);
        }
        (R::select(self.acts, sum / self.unit, R::zero()), R::select(self.acts, R::one(), R::zero()))
    }

    /// Takes the step in the lanes that go on.
    #[inline(always)]
    pub fn advance(&mut self, going: R::Mask, alpha: R) {
        self.xi = R::select(going, alpha.mul_add(self.dxi, self.xi), self.xi);
        self.eta = R::select(going, alpha.mul_add(self.deta, self.eta), self.eta);
        for i in 0..self.n {
            self.b[i] = R::select(going, alpha.mul_add(self.db[i], self.b[i]), self.b[i]);
            self.w[i] = R::select(going, alpha.mul_add(self.dw[i], self.w[i]), self.w[i]);
        }
    }
}

/// The largest α ≤ 1 for which y + (α/τ) δ is still in the second-order cone.
///
/// The hyperbolic rotation that takes y to √ν e takes δ to √ν ρ, and 1 + α ρ stays inside while α (‖ρ₂‖ − ρ₁) < 1.
#[inline(always)]
fn stay_inside<R: Real>(n: usize, (y, y2): (R, &Directions<R>), (d, d2): (R, &Directions<R>), tau: R) -> R {
    let length = dot(n, y2, y2).sqrt();
    // y² − ‖y₂‖² without cancellation
    let nu = ((y - length) * (y + length)).max(R::constant(LEAST));
    let root = nu.sqrt();
    let inner = y.mul_add(d, -dot(n, y2, d2)) / root;
    let factor = (inner + d) / (y + root);
    let mut square = R::zero();
    for i in 0..n {
        let rho = y2[i].neg_mul_add(factor, d2[i]);
        square = rho.mul_add(rho, square);
    }
    let excess = (square.sqrt() - inner) / root;
    let falls = R::zero().lt(excess);
    let most = tau / R::select(falls, excess, R::one());
    R::select(falls, most.min(R::one()), R::one())
}

impl<R: Real> RoundFriction<R> {
    /// A start from a friction and a velocity that are known, both at least `least` inside their cones, friction in units.
    #[inline(always)]
    pub fn place(&mut self, lanes: R::Mask, (bound, b): (R, &Directions<R>), v: &Directions<R>, least: R) {
        let n = self.n;
        let xi = bound.max(least * self.unit);
        // friction on the cone's boundary is pulled inside
        let length = dot(n, b, b).sqrt();
        let most = xi * R::constant(0.9);
        let share = R::select(most.lt(length), most / R::select(most.lt(length), length, R::one()), R::one());
        let eta = dot(n, v, v).sqrt() + least;
        let zero = R::zero();
        self.xi = R::select(lanes, xi, self.xi);
        self.eta = R::select(lanes, eta, self.eta);
        (self.dxi, self.deta) = (R::select(lanes, zero, self.dxi), R::select(lanes, zero, self.deta));
        for i in 0..n {
            self.b[i] = R::select(lanes, b[i] * share, self.b[i]);
            self.w[i] = R::select(lanes, v[i], self.w[i]);
            (self.db[i], self.dw[i]) =
                (R::select(lanes, zero, self.db[i]), R::select(lanes, zero, self.dw[i]));
        }
    }
}

impl<R: Real> RoundFriction<R> {
    /// A start from a friction and a velocity that are known, inside their cones or not.
    #[inline(always)]
    pub fn take(&mut self, lanes: R::Mask, (bound, b): (R, &Directions<R>), v: &Directions<R>) {
        let (n, zero) = (self.n, R::zero());
        self.xi = R::select(lanes, bound, self.xi);
        self.eta = R::select(lanes, dot(n, v, v).sqrt(), self.eta);
        (self.dxi, self.deta) = (R::select(lanes, zero, self.dxi), R::select(lanes, zero, self.deta));
        for i in 0..n {
            self.b[i] = R::select(lanes, b[i], self.b[i]);
            self.w[i] = R::select(lanes, v[i], self.w[i]);
            (self.db[i], self.dw[i]) =
                (R::select(lanes, zero, self.db[i]), R::select(lanes, zero, self.dw[i]));
        }
    }
}

/// True where no row of a list acts anywhere: there is nothing to be inside of.
#[inline(always)]
pub fn none_acts<R: Real>(pushes: &[SlackPair<R>], rubs: &[RoundFriction<R>]) -> bool {
    for push in pushes {
        if push.acts.any() {
            return false;
        }
    }
    for rub in rubs {
        if rub.acts.any() {
            return false;
        }
    }
    true
}
