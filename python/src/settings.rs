//! How a batch runs, from Python's words.

use crate::error::said;
use crate::options::Options;
use bellcrank::sim::{Integrator, Precision, Settings};
use bellcrank::solve::Penalty;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// `"f32"` or `"f64"`.
pub fn read_precision(name: &str) -> PyResult<Precision> {
    match name {
        "f32" => Ok(Precision::F32),
        "f64" => Ok(Precision::F64),
        _ => Err(said("WrongValue", format!("there is no precision {name:?}"), "\"f32\" or \"f64\"")),
    }
}

fn read_integrator(name: &str) -> PyResult<Integrator> {
    match name {
        "semi_implicit_euler" => Ok(Integrator::SemiImplicitEuler),
        "moreau_jean" => Ok(Integrator::MoreauJean),
        _ => {
            let hint = "\"semi_implicit_euler\" or \"moreau_jean\"";
            Err(said("WrongValue", format!("there is no integrator {name:?}"), hint))
        }
    }
}

pub fn read_settings(py: Python<'_>, precision: Precision, given: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let mut s = match precision {
        Precision::F64 => Settings::default(),
        Precision::F32 => Settings::single(),
    };
    let mut o = Options::new(py, "solver".to_owned(), Some(given))?;
    if let Some(name) = o.typed::<String>("integrator", "a text")? {
        s.integrator = read_integrator(&name)?;
    }
    let solver = &mut s.solver;
    solver.max_iterations = o.typed("max_iterations", "a whole number")?.unwrap_or(solver.max_iterations);
    let mut share = match solver.penalty {
        Penalty::Share(share) | Penalty::Fixed(share) => share,
    };
    s.rounds = o.typed("rounds", "two whole numbers")?.unwrap_or(s.rounds);
    for (name, place) in [
        ("tolerance", &mut solver.tolerance),
        ("proximal", &mut solver.proximal),
        ("penalty_share", &mut share),
        ("softness", &mut s.softness),
        ("gap_tolerance", &mut s.gap_tolerance),
        ("contact_recovery", &mut s.contact_recovery),
        ("limit_recovery", &mut s.limit_recovery),
        ("recovery_speed", &mut s.recovery_speed),
        ("bounce_speed", &mut s.bounce_speed),
    ] {
        *place = o.number(name)?.unwrap_or(*place);
        if !(place.is_finite() && *place >= 0.0) {
            let text = format!("solver: {name} is {place}, but must be zero or above");
            return Err(said("WrongValue", text, ""));
        }
    }
    s.solver.penalty = Penalty::Share(share);
    o.finish()?;
    Ok(s)
}
