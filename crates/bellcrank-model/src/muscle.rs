//! Muscles.

/// A muscle that pulls along its actuator's length, in series with a tendon that does not give.
///
/// With the length ℓ and its rate ℓ̇, L = (ℓ − ℓ_T)/ℓ₀ and V = ℓ̇/(ℓ₀ v_max), it gives −F₀ (a F_L(L) F_V(V) + F_P(L)):
/// `a` is its [activation](crate::ActivationLaw::Muscle), or the control where it has none. F_L is one at L = 1 and
/// falls to zero at `shortest` and `longest` through four parabolas that meet smoothly. F_V = (1 + V)² while it
/// shortens, f_V − (f_V − 1 − V)²/(f_V − 1) while it lengthens up to V = f_V − 1, and f_V beyond. F_P = ½ f_P x² for
/// x = (L − 1)/(b − 1) in (0, 1) with b = ½ (1 + `longest`), and f_P (x − ½) beyond.
/// (MuJoCo's model, "Muscles" in its chapter on modeling.)
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Muscle {
    /// F₀, at L = 1 and at rest [N or N·m].
    pub force: f64,
    /// ℓ₀, the length at which it is strongest [m or rad].
    pub optimal_length: f64,
    /// ℓ_T, of the tendon [m or rad].
    pub tendon_length: f64,
    /// L below which nothing is left.
    pub shortest: f64,
    /// L above which nothing is left.
    pub longest: f64,
    /// v_max: optimal lengths per second at which it shortens without force.
    pub fastest: f64,
    /// f_P, the passive force at x = 1 as a share of twice F₀.
    pub passive: f64,
    /// f_V, the force while it is drawn out as a share of F₀.
    pub eccentric: f64,
}

impl Muscle {
    /// A muscle of this force that is strongest at this length.
    pub fn new(force: f64, optimal_length: f64) -> Self {
        Muscle {
            force,
            optimal_length,
            tendon_length: 0.0,
            shortest: 0.5,
            longest: 1.6,
            fastest: 1.5,
            passive: 1.3,
            eccentric: 1.2,
        }
    }

    /// In series with a tendon of this length.
    pub fn tendon_length(mut self, length: f64) -> Self {
        self.tendon_length = length;
        self
    }

    /// All numbers, in their order.
    pub fn numbers(&self) -> [f64; 8] {
        let Muscle { force, optimal_length, tendon_length, shortest, longest, fastest, passive, eccentric } =
            *self;
        [force, optimal_length, tendon_length, shortest, longest, fastest, passive, eccentric]
    }
}
