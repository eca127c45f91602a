//! `<muscle>`: its lengths and its strength, which the file may leave to be worked out.

use super::actuators::Transmission;
use crate::mjcf::mass::effective_inertia::{EffectiveInertia, Weighted};
use crate::xml::Element;
use bellcrank_model::{Muscle, Target};

/// The muscle with these numbers: operating range, force, scale, shortest, longest, fastest, passive, eccentric. The
/// lengths of the range are those of the actuator's longest way: what `lengthrange` says, else between the limits of
/// what it moves.
pub(super) fn muscle(
    element: &Element,
    numbers: [f64; 9],
    by: &Transmission,
    inertias: &EffectiveInertia,
) -> Result<Muscle, &'static str> {
    let [from, to, force, scale, shortest, longest, fastest, passive, eccentric] = numbers;
    let [low, high] = match element.vector::<2>("lengthrange") {
        Some(said) => said.map(|length| length - by.offset),
        None => lengths(by)?,
    };
    if to - from <= 0.0 || high - low <= 0.0 {
        return Err("a muscle whose range or lengthrange is empty is left out");
    }
    let optimal_length = (high - low) / (to - from);
    let terms: Vec<Weighted> = by.joints.iter().map(|(at, w)| (at.at.0, at.at.1, *w)).collect();
    let force = match force < 0.0 {
        // as strong as what it moves is heavy
        true if terms.is_empty() => {
            return Err("a muscle without force at a site is left out: say how strong it is");
        }
        true => scale / inertias.acceleration(&terms).max(1e-15),
        false => force,
    };
    let tendon_length = low - from * optimal_length;
    Ok(Muscle { force, optimal_length, tendon_length, shortest, longest, fastest, passive, eccentric })
}

/// Between the limits of the joint, or of the tendon; MuJoCo pulls at it until it is at its ends.
fn lengths(by: &Transmission) -> Result<[f64; 2], &'static str> {
    let why = "a muscle without lengthrange is left out where no limits tell its shortest and longest length";
    let weight = match by.target {
        Target::Joint { .. } | Target::Tendon(_) => by.gear,
        Target::Site { .. } | Target::Body(_) => return Err(why),
    };
    let ends = by.limits.map(|end| end * weight);
    if !ends.iter().all(|end| end.is_finite()) {
        return Err(why);
    }
    Ok([ends[0].min(ends[1]), ends[0].max(ends[1])])
}
