//! What a planning step found.

/// Why a sample cannot be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// Its world stopped being finite.
    Frozen,
    /// Its cost did.
    NotFinite,
    /// It costs more than [`crate::Options::hopeless`], or was not among the [`crate::Options::survivors`].
    Hopeless,
}

/// The first sample that cannot be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Number of the sample and of its world.
    pub sample: usize,
    /// Step of the horizon after which it was seen.
    pub step: usize,
    /// What is wrong with it.
    pub why: Unusable,
}

/// What a planning step found; figures are of its last round.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plan {
    /// Cost of the cheapest sample.
    pub best_cost: f64,
    /// Which it was; zero is the plan that there was before.
    pub best: usize,
    /// Cost of the plan that there was before.
    pub nominal_cost: f64,
    /// Mean of the costs that can be used.
    pub mean_cost: f64,
    /// Their standard deviation.
    pub spread: f64,
    /// Samples that had a say: (Σw)²/Σw².
    pub effective_samples: f64,
    /// Samples that could be chosen.
    pub usable: usize,
    /// Samples whose world froze.
    pub frozen: usize,
    /// Samples whose cost is not finite.
    pub not_finite: usize,
    /// Samples that were given up.
    pub hopeless: usize,
    /// The first of those three.
    pub trouble: Option<Trouble>,
    /// Wall-clock time of the planning step [s].
    pub seconds: f64,
    /// The part of it that the cost took [s].
    pub cost_seconds: f64,
}
