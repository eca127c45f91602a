//! What the reactions of one world may cost in one step.
//!
//! Work is counted, not timed, so that a world does the same on every machine: multiplications of factors and of iterations, which
//! grow with the cube and with the square of the rows of a dense problem: an inverse of sixty rows is 2·10⁵. A robot whose shapes
//! overlap everywhere has hundreds of contacts without an answer, and without a bound its step has taken 37 s.

/// Multiplications of one step at most: about a second's work of one core.
const MOST: f64 = 1.5e9;

/// What is left of a step's work.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    whole: f64,
    left: f64,
}

impl Default for Budget {
    fn default() -> Self {
        Budget::of(MOST)
    }
}

impl Budget {
    /// So many multiplications.
    pub fn of(whole: f64) -> Self {
        Budget { whole, left: whole }
    }

    /// The smaller one.
    pub fn least(self, other: Self) -> Self {
        if other.left < self.left { other } else { self }
    }

    /// A new step begins.
    pub fn refill(&mut self) {
        self.left = self.whole;
    }

    /// Whether nothing is left.
    #[inline(always)]
    pub fn is_spent(&self) -> bool {
        self.left <= 0.0
    }

    /// Whether nothing would be left after so much more.
    #[inline(always)]
    pub fn is_spent_after(&self, work: f64) -> bool {
        self.left <= work
    }

    /// Takes some work off.
    #[inline(always)]
    pub fn spend(&mut self, work: f64) {
        self.left -= work;
    }

    /// How many times a work of this size fits in, but `most` at most.
    #[inline(always)]
    pub fn times(&self, work: f64, most: usize) -> usize {
        most.min((self.left.max(0.0) / work.max(1.0)) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_comes_back_with_the_next_step() {
        let mut budget = Budget::of(100.0);
        assert_eq!((budget.times(30.0, 9), budget.times(30.0, 2)), (3, 2));
        budget.spend(100.0);
        assert!(budget.is_spent() && budget.times(1.0, 9) == 0);
        budget.refill();
        assert!(!budget.is_spent());
    }
}
