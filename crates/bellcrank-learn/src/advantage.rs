//! Generalised advantage estimation [Schulman et al. 2016, Eq. (16)]:
//! δₜ = rₜ + γ·V(sₜ₊₁) − V(sₜ), Âₜ = δₜ + γλ·Âₜ₊₁; where an episode ends after t, V(sₜ₊₁) and Âₜ₊₁ count as zero. An episode
//! that was only cut off has γ·V of its last state added to its last reward beforehand.

/// What a rollout of `steps × worlds` led to, step after step.
pub(crate) struct Outcomes<'a> {
    pub rewards: &'a [f32],
    /// One row more than rewards.
    pub values: &'a [f32],
    pub ended: &'a [bool],
    pub worlds: usize,
}

/// Advantages of all steps.
pub(crate) fn advantages(outcomes: &Outcomes<'_>, discount: f32, trace: f32) -> Vec<f32> {
    let Outcomes { rewards, values, ended, worlds } = *outcomes;
    let mut out = vec![0.0; rewards.len()];
    for k in (0..rewards.len()).rev() {
        let goes_on = if ended[k] { 0.0 } else { 1.0 };
        let later = if k + worlds < rewards.len() { out[k + worlds] } else { 0.0 };
        let delta = rewards[k] + discount * goes_on * values[k + worlds] - values[k];
        out[k] = delta + discount * trace * goes_on * later;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// γ = ½, λ = ½. World 0 does not end: δ₁ = 2 + ½·4 − 2 = 2, δ₀ = 1 + ½·2 − 1 = 1, Â₁ = 2, Â₀ = 1 + ¼·2 = 1.5.
    /// World 1 ends after step 0: Â₁ = δ₁ = 5 + ½·2 − 1 = 5, Â₀ = δ₀ = 3 − 1 = 2.
    #[test]
    fn two_worlds_and_two_steps_as_on_paper() {
        let outcomes = Outcomes {
            rewards: &[1.0, 3.0, 2.0, 5.0],
            values: &[1.0, 1.0, 2.0, 1.0, 4.0, 2.0],
            ended: &[false, true, false, false],
            worlds: 2,
        };
        assert_eq!(advantages(&outcomes, 0.5, 0.5), [1.5, 2.0, 2.0, 5.0]);
    }
}
