//! Friction of a contact by either law.

use super::cone::{Aim, Directions, FrictionLinearization, RoundFriction};
use super::pyramid::Pyramid;
use bellcrank_math::Real;

/// The law of friction of a contact.
#[derive(Clone, Copy, Debug)]
pub enum Friction<R: Real> {
    /// Coulomb's round cone.
    Round(RoundFriction<R>),
    /// A pyramid.
    Linear(Pyramid<R>),
}

macro_rules! either {
    ($self:ident, $law:ident => $value:expr) => {
        match $self {
            Friction::Round($law) => $value,
            Friction::Linear($law) => $value,
        }
    };
}

impl<R: Real> Friction<R> {
    /// Lanes in which there is friction.
    #[inline(always)]
    pub fn acts(&self) -> R::Mask {
        either!(self, law => law.acts)
    }

    /// Whether products of the round cone are linearised by scaling.
    #[inline(always)]
    pub fn set_scaled(&mut self, scaled: bool) {
        if let Friction::Round(rub) = self {
            rub.scaled = scaled;
        }
    }

    /// There is friction in these lanes, too.
    #[inline(always)]
    pub fn act_in(&mut self, lanes: R::Mask) {
        either!(self, law => law.acts = law.acts | lanes)
    }

    /// The friction.
    #[inline(always)]
    pub fn friction(&self) -> Directions<R> {
        match self {
            Friction::Round(rub) => rub.b,
            Friction::Linear(pyramid) => pyramid.friction(),
        }
    }

    /// A start from a friction and a velocity that are known, at least `least` inside all cones.
    #[inline(always)]
    pub fn place(&mut self, lanes: R::Mask, known: (R, &Directions<R>), v: &Directions<R>, least: R) {
        either!(self, law => law.place(lanes, known, v, least))
    }

    /// A start from a friction and a velocity that are known, inside their cones or not.
    #[inline(always)]
    pub fn take(&mut self, lanes: R::Mask, known: (R, &Directions<R>), v: &Directions<R>) {
        match self {
            Friction::Round(rub) => rub.take(lanes, known, v),
            Friction::Linear(pyramid) => pyramid.place(lanes, known, v, R::zero()),
        }
    }

    /// Takes everything well inside its cones, products to about the mean.
    #[inline(always)]
    pub fn centre(&mut self, lanes: R::Mask, mean: R) {
        either!(self, law => law.centre(lanes, mean))
    }

    /// See [`RoundFriction::remember`].
    #[inline(always)]
    pub fn save_iterate(&mut self) {
        either!(self, law => law.save_iterate())
    }

    /// See [`RoundFriction::settle`].
    #[inline(always)]
    pub fn project_to_path(&mut self, lanes: R::Mask, alpha: R, mu: R, bound: R) {
        match self {
            Friction::Round(rub) => rub.project_to_path(lanes, alpha, mu, bound),
            Friction::Linear(pyramid) => pyramid.project_to_path(lanes, alpha, mu),
        }
    }

    /// Sets the force per velocity where both count the same.
    #[inline(always)]
    pub fn set_scale(&mut self, scale: R) {
        either!(self, law => law.scale = scale)
    }

    /// Sets what products are told in.
    #[inline(always)]
    pub fn set_unit(&mut self, unit: R) {
        either!(self, law => law.unit = unit)
    }

    /// What products are told in.
    #[inline(always)]
    pub fn unit(&self) -> R {
        either!(self, law => law.unit)
    }

    /// Sets it in the masked lanes.
    #[inline(always)]
    pub fn set_unit_in(&mut self, lanes: R::Mask, unit: R) {
        either!(self, law => law.unit = R::select(lanes, unit, law.unit))
    }

    /// Notes bound and velocity; gives the largest error of their equations.
    #[inline(always)]
    pub fn evaluate(&mut self, bound: R, v: &Directions<R>) -> R {
        either!(self, law => law.evaluate(bound, v))
    }

    /// See [`RoundFriction::merit`].
    #[inline(always)]
    pub fn merit(&self) -> R {
        either!(self, law => law.merit())
    }

    /// How far products are from κ.
    #[inline(always)]
    pub fn off_centre(&self, kappa: R) -> R {
        either!(self, law => law.off_centre(kappa))
    }

    /// How friction answers to bound and velocity.
    #[inline(always)]
    pub fn linearize(&self) -> FrictionLinearization<R> {
        either!(self, law => law.linearize())
    }

    /// b₀ for an aim.
    #[inline(always)]
    pub fn aim(&mut self, aim: Aim<R>, line: &FrictionLinearization<R>) -> Directions<R> {
        match self {
            Friction::Round(rub) => rub.aim(aim, line),
            Friction::Linear(pyramid) => pyramid.aim(aim),
        }
    }

    /// b₀ of the last aim.
    #[inline(always)]
    pub fn last_aim(&self) -> Directions<R> {
        either!(self, law => law.last_aim())
    }

    /// The direction that follows from the changes of friction, bound and velocity.
    #[inline(always)]
    pub fn follow(&mut self, db: &Directions<R>, dbound: R, dv: &Directions<R>) {
        match self {
            Friction::Round(rub) => rub.follow(db, dbound, dv),
            Friction::Linear(pyramid) => pyramid.follow(dbound, dv),
        }
    }

    /// The longest step, up to one, that stays inside all cones.
    #[inline(always)]
    pub fn max_step_length(&self, tau: R) -> R {
        either!(self, law => law.max_step_length(tau))
    }

    /// The sum of products after a step, and their number.
    #[inline(always)]
    pub fn product(&self, alpha: R) -> (R, R) {
        either!(self, law => law.product(alpha))
    }

    /// Takes the step in the lanes that go on.
    #[inline(always)]
    pub fn advance(&mut self, going: R::Mask, alpha: R) {
        either!(self, law => law.advance(going, alpha))
    }

    /// Gives it this friction, to evaluate forces elsewhere; nothing else of the law is set.
    #[inline(always)]
    pub fn set_friction(&mut self, b: &Directions<R>) {
        match self {
            Friction::Round(rub) => rub.b = *b,
            Friction::Linear(pyramid) => pyramid.set_friction(b),
        }
    }
}
