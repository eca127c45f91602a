//! Which method of the engine an operator's name stands for, in either precision.

use crate::error::Problem;
use bellcrank_tree::{
    AbaGradients, Consistency, External, FrameId, Precision, Reference, RneaGradients, TreeModel,
};

/// A call, apart from its arrays.
pub struct Call {
    pub operator: String,
    /// Names of frames, where the operator has any.
    pub frames: Vec<String>,
    pub reference: Reference,
    pub held: Vec<usize>,
    pub iterations: usize,
    pub pull: f64,
    pub threads: usize,
    /// Rows of the arrays.
    pub states: usize,
}

/// Runs it. Inputs and outputs come in the order of the engine's arguments.
pub fn run<E: Precision>(
    tree: &TreeModel<E>,
    call: &Call,
    inputs: &[&[E]],
    mut outputs: Vec<&mut [E]>,
) -> Result<(), Problem> {
    let names = call.frames.iter();
    let frames: Vec<FrameId> = names.map(|name| tree.frame(name)).collect::<Result<_, _>>()?;
    let (batch, reference) = (tree.batch().threads(call.threads), call.reference);
    let options = Consistency { held: call.held.clone(), iterations: call.iterations };
    let external = |wrenches| External { frames: &frames, wrenches };
    match (call.operator.as_str(), inputs, &mut outputs[..], frames.first()) {
        ("fk", [q], [X], _) => batch.fk(q, &frames, X)?,
        ("jacobian", [q], [J], Some(&frame)) => batch.jacobian(q, frame, reference, J)?,
        ("jacobian_rate", [q, v], [J], Some(&frame)) => batch.jacobian_rate(q, v, frame, reference, J)?,
        ("frame_motion", [q, v, a], [m], Some(&frame)) => {
            batch.frame_motion(q, v, a, (frame, reference), m)?
        }
        ("frame_motion_derivatives", [q, v, a], [d], Some(&frame)) => {
            batch.frame_motion_derivatives(q, v, a, (frame, reference), d)?;
        }
        ("integrate", [q, delta], [moved], _) => batch.integrate(q, delta, moved)?,
        ("difference", [from, to], [delta], _) => batch.difference(from, to, delta)?,
        ("rnea", [q, v, a, wrenches], [tau], _) => batch.rnea_with(q, v, a, external(wrenches), tau)?,
        ("aba", [q, v, tau, wrenches], [a], _) => batch.aba_with(q, v, tau, external(wrenches), a)?,
        ("bias", [q, v], [tau], _) => batch.bias(q, v, tau)?,
        ("gravity", [q], [tau], _) => batch.gravity(q, tau)?,
        ("crba", [q], [mass], _) => batch.crba(q, mass)?,
        ("mass_inverse", [q], [inverse], _) => batch.mass_inverse(q, inverse)?,
        ("rnea_derivatives", [q, v, a], [by_q, by_v], _) => batch.rnea_derivatives(q, v, a, by_q, by_v)?,
        ("aba_derivatives", [q, v, tau], [by_q, by_v, by_tau], _) => {
            batch.aba_derivatives(q, v, tau, [by_q, by_v, by_tau])?;
        }
        ("rnea_vjp", [q, v, a, lambda], [by_q, by_v, by_a, parameters], _) => {
            let out = RneaGradients { q: by_q, v: by_v, a: by_a, parameters };
            batch.rnea_vjp(q, v, a, lambda, out)?;
        }
        ("aba_vjp", [q, v, tau, g], [a, by_q, by_v, by_tau, parameters], _) => {
            batch.aba_vjp(q, v, tau, g, AbaGradients { a, q: by_q, v: by_v, tau: by_tau, parameters })?;
        }
        ("loop_closure", [q], [c, G], _) => batch.loop_closure(q, c, G)?,
        ("loop_drift", [q, v], [drift], _) => batch.loop_drift(q, v, drift)?,
        ("constrained_forward_dynamics", [q, v, tau], [a, lambda], _) => {
            batch.constrained_forward_dynamics(q, v, tau, E::from_f64(call.pull), [a, lambda])?;
        }
        ("actuated_inverse_dynamics", [q, v, a], [tau, missing], _) => {
            batch.actuated_inverse_dynamics(q, v, a, [tau, missing])?;
        }
        ("constraint_consistent", [q], [closed, gap], _) => {
            batch.constraint_consistent(q, &options, [closed, gap])?;
        }
        ("centroidal", [q], [com, A_g], _) => batch.centroidal(q, com, A_g)?,
        ("center_of_mass", [q], [com, J], _) => batch.center_of_mass(q, com, J)?,
        ("energies", [q, v], [energies], _) => batch.energies(q, v, energies)?,
        ("torque_regressor", [q, v, a], [Y], _) => batch.torque_regressor(q, v, a, Y)?,
        (name, ..) => {
            let text = format!("there is no operator {name:?} with these arrays");
            return Err(Problem::Said("WrongValue", text, String::new()));
        }
    }
    Ok(())
}
