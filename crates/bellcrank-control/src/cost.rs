//! What a rollout costs.

use bellcrank_sim::Quantity;

/// Why a cost could not be worked out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CostError(pub String);

/// What rollouts cost, all worlds at once. The total of a world is Σ_t c(x_t, u_t) + V(x_H); a total that is not finite takes the world
/// out of the choice.
pub trait Cost: Send {
    /// Which quantities of the worlds it looks at: these and no others are in [`Seen`]. Asked once by every planner.
    fn needs(&self) -> Vec<Quantity>;

    /// Adds c(x, u) of the step that the worlds have just made to their totals.
    ///
    /// # Errors
    /// When it cannot be worked out; the plan ends and the controls of the last one stay.
    fn running(&mut self, seen: &Seen<'_>, total: &mut [f64]) -> Result<(), CostError>;

    /// Adds V(x) at the end of the horizon.
    ///
    /// # Errors
    /// As [`Cost::running`].
    fn terminal(&mut self, seen: &Seen<'_>, total: &mut [f64]) -> Result<(), CostError> {
        let _ = (seen, total);
        Ok(())
    }
}

/// One quantity of all worlds.
#[derive(Clone, Debug)]
pub(crate) struct Array {
    pub quantity: Quantity,
    /// (worlds, width)
    pub values: Vec<f64>,
}

/// All worlds after a step of the rollout.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    pub(crate) arrays: &'a [Array],
    /// Worlds that the arrays have room for.
    pub(crate) rows: usize,
    /// Number of worlds: samples that go on.
    pub worlds: usize,
    /// Which sample each of them tries. Where samples are given up, those that go on move to the front.
    pub sample: &'a [usize],
    /// Which step of the horizon was made, from zero.
    pub step: usize,
    /// Steps of the horizon.
    pub horizon: usize,
    /// Time since the start of the plan [s].
    pub time: f64,
    /// What the motors were told in this step: (worlds, actuators).
    pub control: &'a [f64],
}

impl<'a> Seen<'a> {
    /// A quantity of all worlds, of the shape that `Batch::shape` tells, worlds first.
    ///
    /// # Errors
    /// When the cost does not list it among its needs.
    pub fn array(&self, quantity: Quantity) -> Result<&'a [f64], CostError> {
        let found = self.arrays.iter().find(|array| array.quantity == quantity);
        let here = |array: &'a Array| &array.values[..array.values.len() / self.rows.max(1) * self.worlds];
        found.map(here).ok_or_else(|| {
            CostError(format!(
                "the cost looks at {0}, which it does not list: add {0} to its needs",
                quantity.name()
            ))
        })
    }

    /// The quantities that are there.
    pub fn quantities(&self) -> impl Iterator<Item = Quantity> + 'a {
        self.arrays.iter().map(|array| array.quantity)
    }
}
