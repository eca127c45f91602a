//! Mehrotra's predictor–corrector on a system that linearises itself.
//!
//! [Dojo] Alg. 2 with the corrections of the notes: the second-order term −Δs∘Δγ of the predictor is there; the
//! predictor's search leaves a twentieth; the target never falls below κ, and once all products are near κ
//! plain Newton steps at that κ follow, so that κ is what was asked for and not where the iteration happened to stop.

use super::cone::Aim;
use bellcrank_math::{Inline, Mask, Real};

/// Settings of the interior point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InteriorPoint {
    /// κ: what every product of slack and multiplier is at the end, told as `smoothing` says.
    pub kappa: f64,
    /// What κ is told in.
    pub smoothing: Smoothing,
    /// Equations are met to this [m/s, rad/s, m]: those of motion as the velocity that a body is off by, whatever its mass. What
    /// rounding leaves of an equation is allowed for beside it.
    pub tolerance: f64,
    /// Products may be off κ by this share of it. 1 is enough to simulate, derivatives want 1e-6.
    pub centring: f64,
    /// Newton steps at most.
    pub max_iterations: usize,
    /// A warm start keeps this distance from the boundary; 0 for a cold start in every step.
    pub warm_start: f64,
    /// The friction cone.
    pub friction: FrictionCone,
    /// Contacts are taken into account up to this distance [m], and further where bodies are fast.
    pub reach: f64,
}

/// What κ is told in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Smoothing {
    /// Each row has a unit of its own: the impulse that its bodies' weight gives in a step or that stops them, times 0.1 m or 0.1 m/s. What rests
    /// hovers by some κ decimetres, whatever its mass and the step.
    #[default]
    Relative,
    /// All rows alike, in [N·s·m] and [N·s·m/s]: a light body hovers more, and so does any body at a small step. Derivatives are taken so: κ
    /// does not depend on what they are taken by.
    Absolute,
}

/// What friction is bounded by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionCone {
    /// Coulomb's round cone.
    #[default]
    Nonlinear,
    /// A pyramid along and across the contact's tangents: for comparison. It pulls aside.
    Linear,
    /// No friction at all.
    Frictionless,
}

impl Default for InteriorPoint {
    fn default() -> Self {
        InteriorPoint {
            kappa: 1e-6,
            smoothing: Smoothing::Relative,
            tolerance: 1e-8,
            centring: 1.0,
            max_iterations: 50,
            warm_start: 1e-2,
            friction: FrictionCone::Nonlinear,
            reach: 0.05,
        }
    }
}

impl InteriorPoint {
    /// For numbers of 32 bits: what rounding allows.
    pub fn single() -> Self {
        InteriorPoint { kappa: 1e-5, tolerance: 1e-5, ..InteriorPoint::default() }
    }

    /// Products are κ to rounding: for derivatives.
    pub fn exact(self) -> Self {
        InteriorPoint { centring: 1e-6, ..self }
    }
}

/// How far the iterate is from the answer.
#[derive(Clone, Copy, Debug)]
pub struct Violation<R> {
    /// The largest equation.
    pub equations: R,
    /// The largest |s∘γ − κ e|.
    pub products: R,
    /// What is left of all equations together, as an energy [J].
    pub merit: R,
    /// The largest |φ − s|/s: below one nothing is below the ground. Zero where numbers have 32 bits, which cannot tell.
    pub slack: R,
}

/// Where an iteration starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At the last step's answer, on whatever side of its cones the motion takes it.
    Last,
    /// Near there, inside all cones.
    Inside,
    /// In the middle of all cones.
    Middle,
}

/// A nonlinear system with cones, at an iterate of its own.
pub trait Newton<R: Real> {
    /// Whether some cone acts.
    fn has_cones(&self) -> bool;
    /// Sets the iterate of the masked lanes to a start.
    fn start(&mut self, lanes: R::Mask, from: Start);
    /// Evaluates the equations at the iterate.
    fn evaluate(&mut self, kappa: R) -> Violation<R>;
    /// Linearises at the evaluated iterate and factors.
    fn factor(&mut self);
    /// Solves for a direction.
    fn solve_direction(&mut self, aim: Aim<R>);
    /// The longest step along the direction: τ for what pushes, τ for what rubs.
    fn max_step_length(&self, tau: [R; 2]) -> R;
    /// The mean product after such a step.
    fn mean_product(&self, alpha: R) -> R;
    /// Takes the step in the lanes that go on.
    fn advance(&mut self, going: R::Mask, alpha: R);
    /// Whether μ is that of velocities from here on, and slacks that are lengths get as many times less as their velocities are larger; or
    /// μ is that of all products alike. κ is κ either way.
    fn weigh_slacks(&mut self, as_velocities: bool);
    /// Remembers where the direction starts.
    fn save_iterate(&mut self);
    /// Takes a share of the direction from there in the masked lanes, and all pairs to where their product is μ.
    fn project_to_path(&mut self, lanes: R::Mask, share: R, mu: R);
    /// Takes what is at the boundary of its cone back inside, products to about the mean; equations may suffer.
    fn centre(&mut self, lanes: R::Mask, mean: R);
}

/// What an iteration found.
#[derive(Clone, Copy, Debug)]
pub struct Solution<R: Real> {
    /// Newton steps.
    pub iterations: R,
    /// What is left of the equations.
    pub violation: Violation<R>,
    /// Both tolerances are met.
    pub converged: R::Mask,
}

/// Slacks may be off by this share of them: what is above the ground by its slack is above it by its distance.
const ABOVE: f64 = 0.5;
const SHARE: f64 = 0.95;
const HALVINGS: usize = 10;
/// Where the predictor gets no further than this, its second-order term says nothing; where the corrector does not, the next
/// step goes back to the middle first.
const SHORT: f64 = 0.1;
/// What a careful attempt leaves of the products in each step, and of the way to the boundary.
const CAREFUL: (f64, f64) = (0.3, 0.9);

/// A warm start that jams within so many steps is given up.
const EARLY: f64 = 2.0;

/// How a solve begins and goes.
#[derive(Clone, Copy, PartialEq)]
enum Attempt {
    /// From the last step's answer.
    Warm,
    /// From the middle of all cones.
    Cold,
    /// From there in small steps without prediction: for the few that jam at a boundary.
    Careful,
}

impl Attempt {
    /// Steps shorter than this end the attempt.
    fn jam(self) -> f64 {
        match self {
            Attempt::Warm => 0.02,
            Attempt::Cold => 1e-3,
            Attempt::Careful => 0.0,
        }
    }

    /// Newton steps at most: what has not converged by then jams sooner or later, and goes on along the centre.
    fn most(self) -> usize {
        match self {
            Attempt::Warm => 9,
            Attempt::Cold => 25,
            Attempt::Careful => usize::MAX,
        }
    }
}

/// Below so many κ on average the predictor, which aims at zero, says little about the way to κ: plain Newton steps.
const NEAR: f64 = 10.0;

impl InteriorPoint {
    /// Solves the system in the masked lanes: from the last step's answer along the centre, and from inside where that fails.
    pub fn solve<R: Real>(&self, system: &mut impl Newton<R>, alive: R::Mask) -> Solution<R> {
        if self.warm_start <= 0.0 || !system.has_cones() {
            return self.solve_inside(system, alive);
        }
        self.centre_first(system, alive, true)
    }

    /// Solves the system in the masked lanes from the iterate at hand: that of nearly the same system.
    pub fn solve_again<R: Real>(&self, system: &mut impl Newton<R>, alive: R::Mask) -> Solution<R> {
        self.centre_first(system, alive, false)
    }

    /// Along the centre, from the last step's answer or from the iterate at hand; where that fails from inside, or all anew.
    fn centre_first<R: Real>(&self, system: &mut impl Newton<R>, alive: R::Mask, fresh: bool) -> Solution<R> {
        let solution = self.follow_centre(system, alive, fresh);
        let failed = failed(alive, &solution);
        if !failed.any() {
            return solution;
        }
        let again = if fresh { self.solve_inside(system, failed) } else { self.solve(system, failed) };
        R::run(Inline(
            #[inline(always)]
            || solution.or(failed, &again),
        ))
    }

    /// By predictor and corrector: warm first, cold where that fails, each of them along the centre where it jams; and carefully where that
    /// fails as well.
    fn solve_inside<R: Real>(&self, system: &mut impl Newton<R>, alive: R::Mask) -> Solution<R> {
        let first = if self.warm_start > 0.0 { Attempt::Warm } else { Attempt::Cold };
        let solution = self.run(system, alive, first);
        self.go_on(system, alive, solution, first)
    }

    /// What is tried where the first attempt fails.
    fn go_on<R: Real>(
        &self,
        system: &mut impl Newton<R>,
        alive: R::Mask,
        mut solution: Solution<R>,
        first: Attempt,
    ) -> Solution<R> {
        let cones = system.has_cones();
        let cold = [Some(Attempt::Cold), None, Some(Attempt::Careful)];
        let all = [None, Some(Attempt::Cold), None, Some(Attempt::Careful)];
        let left: &[Option<Attempt>] = match first {
            Attempt::Warm if cones => &all,
            Attempt::Warm => &cold[..1],
            _ if cones => &cold[1..],
            _ => &[],
        };
        for (i, attempt) in left.iter().enumerate() {
            let mut failed = failed(alive, &solution);
            if i == 0 && attempt.is_none() && first == Attempt::Warm {
                // where a warm start jams at once it was a bad one: no place to go on from
                failed = R::run(Inline(
                    #[inline(always)]
                    || failed & R::constant(EARLY).lt(solution.iterations),
                ));
                if !failed.any() {
                    continue;
                }
            }
            if !failed.any() {
                break;
            }
            let again = match *attempt {
                Some(attempt) => self.run(system, failed, attempt),
                None => self.follow_centre(system, failed, false),
            };
            solution = R::run(Inline(
                #[inline(always)]
                || solution.or(failed, &again),
            ));
        }
        solution
    }

    fn run<R: Real>(&self, system: &mut impl Newton<R>, lanes: R::Mask, attempt: Attempt) -> Solution<R> {
        let kappa = R::constant(self.kappa);
        system.start(lanes, if attempt == Attempt::Warm { Start::Inside } else { Start::Middle });
        let mut violation = system.evaluate(kappa);
        let mut solution = R::run(Inline(
            #[inline(always)]
            // one step at least: a start that is good enough would stay for ever, and a light body never fall
            || Solution { converged: !lanes, ..self.note(lanes, violation, None) },
        ));
        let mut jammed = R::Mask::splat(false);
        let most =
            if system.has_cones() { attempt.most().min(self.max_iterations) } else { self.max_iterations };
        for _ in 0..most {
            let going = R::run(Inline(
                #[inline(always)]
                || lanes & !solution.converged & !jammed,
            ));
            if !going.any() {
                break;
            }
            system.factor();
            let mut alpha = self.solve_direction(system, going, violation, attempt);
            // too near the boundary it jams there: better begin again, further inside
            jammed = R::run(Inline(
                #[inline(always)]
                || jammed | (going & alpha.lt(R::constant(attempt.jam()))),
            ));
            let before = system.mean_product(R::zero());
            system.advance(going, alpha);
            let mut next = system.evaluate(kappa);
            for _ in 0..HALVINGS {
                // the mean is what every direction brings down; a single product of the scaled one may well rise
                let now = system.mean_product(R::zero());
                let worse = R::run(Inline(
                    #[inline(always)]
                    || going & next.is_worse(&violation) & !(now - kappa).abs().lt((before - kappa).abs()),
                ));
                if !worse.any() {
                    break;
                }
                let back = R::run(Inline(
                    #[inline(always)]
                    || alpha * R::constant(-0.5),
                ));
                alpha = R::run(Inline(
                    #[inline(always)]
                    || R::select(worse, -back, alpha),
                ));
                system.advance(worse, back);
                next = system.evaluate(kappa);
            }
            if attempt == Attempt::Careful {
                let short = R::run(Inline(
                    #[inline(always)]
                    || going & alpha.lt(R::constant(SHORT)),
                ));
                if short.any() {
                    let mean = system.mean_product(R::zero());
                    system.centre(short, mean);
                    next = system.evaluate(kappa);
                }
            }
            violation = next;
            solution = R::run(Inline(
                #[inline(always)]
                || self.note(lanes, violation, Some((going, &solution))),
            ));
        }
        solution
    }

    /// A direction and how far to go along it.
    fn solve_direction<R: Real>(
        &self,
        system: &mut impl Newton<R>,
        going: R::Mask,
        violation: Violation<R>,
        attempt: Attempt,
    ) -> R {
        let (zero, one, kappa) = (R::zero(), R::one(), R::constant(self.kappa));
        if !system.has_cones() {
            system.solve_direction(Aim { mu: zero, second: zero, products: one });
            return R::one();
        }
        let now = system.mean_product(zero);
        let far = R::run(Inline(
            #[inline(always)]
            || (kappa * R::constant(NEAR)).lt(now),
        ));
        if attempt == Attempt::Careful {
            system.solve_direction(R::run(Inline(
                #[inline(always)]
                || Aim { mu: (now * R::constant(CAREFUL.0)).max(kappa), second: zero, products: one },
            )));
            return system.max_step_length([R::constant(CAREFUL.1); 2]);
        }
        let (mut aim, predict) =
            (Aim { mu: kappa, second: zero, products: one }, Aim { mu: zero, second: zero, products: one });
        if (far & going).any() {
            system.solve_direction(predict);
            let share = R::constant(SHARE);
            let alpha = system.max_step_length([share, share]);
            let then = system.mean_product(alpha);
            aim = R::run(Inline(
                #[inline(always)]
                || aim_at(far, (now, then), alpha, kappa),
            ));
        }
        system.solve_direction(aim);
        let tau = R::run(Inline(
            #[inline(always)]
            || {
                let worst = violation.equations.max(violation.products);
                let share = R::constant(SHARE);
                [worst.neg_mul_add(worst, R::one()).max(share), (R::one() - worst).max(share)]
            },
        ));
        let alpha = system.max_step_length(tau);
        let short = R::run(Inline(
            #[inline(always)]
            || far & going & alpha.lt(R::constant(SHORT)),
        ));
        if !short.any() {
            return alpha;
        }
        // the other lanes take the same direction once more: their second-order term wants the predictor
        system.solve_direction(predict);
        system.solve_direction(R::run(Inline(
            #[inline(always)]
            || aim.centred(short, now),
        )));
        system.max_step_length(tau)
    }

    /// The figures after another step, if there was one.
    #[inline(always)]
    pub(super) fn note<R: Real>(
        &self,
        lanes: R::Mask,
        violation: Violation<R>,
        last: Option<(R::Mask, &Solution<R>)>,
    ) -> Solution<R> {
        let met = violation.equations.le(R::constant(self.tolerance))
            & violation.products.le(R::constant(self.centring * self.kappa))
            & violation.slack.le(R::constant(ABOVE));
        match last {
            None => Solution { iterations: R::zero(), violation, converged: !lanes | met },
            Some((going, old)) => Solution {
                iterations: old.iterations + R::select(going, R::one(), R::zero()),
                violation,
                converged: old.converged | (going & met),
            },
        }
    }
}

/// Lanes that have not converged.
fn failed<R: Real>(alive: R::Mask, solution: &Solution<R>) -> R::Mask {
    R::run(Inline(
        #[inline(always)]
        || alive & !solution.converged,
    ))
}

impl<R: Real> Aim<R> {
    /// The masked lanes aim at the mean product, without a second-order term.
    #[inline(always)]
    fn centred(self, lanes: R::Mask, mean: R) -> Self {
        let second = R::select(lanes, R::zero(), self.second);
        Aim { mu: R::select(lanes, mean, self.mu), second, products: self.products }
    }
}

/// Mehrotra's σ = (ν_aff/ν)³; lanes that are near take a plain step to κ. `alpha` is how far the predictor got.
#[inline(always)]
fn aim_at<R: Real>(far: R::Mask, (now, then): (R, R), alpha: R, kappa: R) -> Aim<R> {
    let ratio = (then / now.max(R::constant(1e-30))).clamp(R::zero(), R::one());
    let mu = (ratio * ratio * ratio * now).max(kappa);
    let second = R::select(far & R::constant(SHORT).le(alpha), R::one(), R::zero());
    Aim { mu: R::select(far, mu, kappa), second, products: R::one() }
}

impl<R: Real> Violation<R> {
    /// Both have grown, or are no longer numbers.
    #[inline(always)]
    fn is_worse(&self, old: &Self) -> R::Mask {
        (!self.equations.le(old.equations)) & (!self.products.le(old.products))
    }
}

impl<R: Real> Solution<R> {
    /// This one, but `other` in the masked lanes, whose iterations come on top.
    #[inline(always)]
    fn or(self, lanes: R::Mask, other: &Self) -> Self {
        Solution {
            iterations: self.iterations + R::select(lanes, other.iterations, R::zero()),
            violation: Violation {
                equations: R::select(lanes, other.violation.equations, self.violation.equations),
                products: R::select(lanes, other.violation.products, self.violation.products),
                merit: R::select(lanes, other.violation.merit, self.violation.merit),
                slack: R::select(lanes, other.violation.slack, self.violation.slack),
            },
            converged: (self.converged & !lanes) | (other.converged & lanes),
        }
    }
}
