//! How a batch runs, from Python's words.

use crate::error::said;
use crate::options::Options;
use bellcrank::sim::{
    FrictionCone, ImplicitIntegrator, Integrator, InteriorPoint, Precision, Settings, Smoothing, Solver,
};
use bellcrank::solve::{ComFree, Impedance, Padmm, Penalty};
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

/// One of the integrators that go with a solver; the first where none is given.
fn read_integrator<T: Copy>(o: &mut Options<'_>, solver: &str, known: [(&'static str, T); 2]) -> PyResult<T> {
    let Some(name) = o.typed::<String>("integrator", "a text")? else { return Ok(known[0].1) };
    known.iter().find(|(own, _)| *own == name).map(|(_, integrator)| *integrator).ok_or_else(|| {
        let hint = format!("{:?} or {:?}", known[0].0, known[1].0);
        said("WrongValue", format!("{solver} has no integrator {name:?}"), hint)
    })
}

pub fn read_settings(py: Python<'_>, precision: Precision, given: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let mut o = Options::new(py, "solver".to_owned(), Some(given))?;
    let plain =
        [("semi_implicit_euler", Integrator::SemiImplicitEuler), ("moreau_jean", Integrator::MoreauJean)];
    let implicit = [
        ("semi_implicit_euler", ImplicitIntegrator::SemiImplicitEuler),
        ("variational", ImplicitIntegrator::Variational),
    ];
    let solver = match o.typed::<String>("solver", "a text")?.as_deref() {
        Some("comfree") => Solver::ComFree {
            integrator: read_integrator(&mut o, "ComFree", plain)?,
            law: read_comfree(&mut o)?,
        },
        Some("interiorpoint") => Solver::InteriorPoint {
            integrator: read_integrator(&mut o, "InteriorPoint", implicit)?,
            point: Some(read_interior_point(precision, &mut o)?),
        },
        _ => Solver::Exact {
            integrator: read_integrator(&mut o, "Exact", plain)?,
            padmm: Some(read_padmm(precision, &mut o)?),
        },
    };
    let mut s = Settings { rounds: o.typed("rounds", "two whole numbers")?, ..Settings::from(solver) };
    let places = [
        ("softness", &mut s.softness),
        ("gap_tolerance", &mut s.gap_tolerance),
        ("contact_recovery", &mut s.contact_recovery),
        ("limit_recovery", &mut s.limit_recovery),
        ("recovery_speed", &mut s.recovery_speed),
        ("bounce_speed", &mut s.bounce_speed),
    ];
    for (name, place) in places {
        *place = o.number(name)?;
        check(name, place.unwrap_or(0.0))?;
    }
    o.finish()?;
    Ok(s)
}

fn read_padmm(precision: Precision, o: &mut Options<'_>) -> PyResult<Padmm> {
    let mut padmm = Solver::padmm_of(precision);
    padmm.max_iterations = o.typed("max_iterations", "a whole number")?.unwrap_or(padmm.max_iterations);
    let mut share = match padmm.penalty {
        Penalty::Share(share) | Penalty::Fixed(share) => share,
    };
    let (usual, in_pile) = (padmm.tolerance, padmm.pile_tolerance);
    let places = [
        ("tolerance", &mut padmm.tolerance),
        ("pile_tolerance", &mut padmm.pile_tolerance),
        ("proximal", &mut padmm.proximal),
        ("penalty_share", &mut share),
    ];
    read_numbers(o, places)?;
    if padmm.tolerance != usual && padmm.pile_tolerance == in_pile {
        padmm.pile_tolerance = padmm.tolerance; // who names one tolerance means all worlds
    }
    padmm.penalty = Penalty::Share(share);
    Ok(padmm)
}

fn read_interior_point(precision: Precision, o: &mut Options<'_>) -> PyResult<InteriorPoint> {
    let mut point = Solver::point_of(precision);
    point.max_iterations = o.typed("max_iterations", "a whole number")?.unwrap_or(point.max_iterations);
    let friction: Option<String> = o.typed("friction", "a name")?;
    point.friction = match friction.as_deref() {
        None => point.friction,
        Some("nonlinear") => FrictionCone::Nonlinear,
        Some("linear") => FrictionCone::Linear,
        Some("frictionless") => FrictionCone::Frictionless,
        Some(other) => {
            let what = format!("solver: there is no friction cone {other:?}");
            return Err(said("WrongValue", what, "\"nonlinear\", \"linear\" or \"frictionless\""));
        }
    };
    let (kappa, smoothing) = (o.number("kappa")?, o.typed::<String>("smoothing", "a name")?);
    point.kappa = kappa.unwrap_or(point.kappa);
    check("kappa", point.kappa)?;
    let places = [
        ("tolerance", &mut point.tolerance),
        ("centring", &mut point.centring),
        ("warm_start", &mut point.warm_start),
        ("reach", &mut point.reach),
    ];
    read_numbers(o, places)?;
    point.smoothing = match smoothing.as_deref() {
        None if kappa.is_none() => Smoothing::Relative,
        None | Some("absolute") => Smoothing::Absolute,
        Some("relative") => Smoothing::Relative,
        Some(other) => {
            let what = format!("solver: there is no smoothing {other:?}");
            return Err(said("WrongValue", what, "\"relative\" or \"absolute\""));
        }
    };
    if point.kappa > 0.0 {
        return Ok(point);
    }
    Err(said(
        "WrongValue",
        "solver: kappa is 0, but must be above zero",
        "1e-6 is hard contact for most purposes",
    ))
}

/// The normalised law, or the published one where its gains are given.
fn read_comfree(o: &mut Options<'_>) -> PyResult<ComFree> {
    let sweeps = o.typed("sweeps", "a whole number")?;
    let gains = [o.number("stiffness")?, o.number("damping")?];
    let mut impedance = Impedance::default();
    let places = [(gains[0], &mut impedance.stiffness), (gains[1], &mut impedance.damping)];
    for (given, place) in places {
        *place = given.unwrap_or(*place);
        check("stiffness and damping", *place)?;
    }
    let variant: Option<String> = o.typed("variant", "a name")?;
    let law = match variant.as_deref() {
        None if gains == [None, None] => ComFree::default(),
        Some("normalised") if gains == [None, None] => ComFree::default(),
        None | Some("published") => ComFree::published(impedance.stiffness, impedance.damping),
        Some("normalised") => {
            let what = "solver: the normalised variant has no stiffness and damping".to_owned();
            return Err(said("WrongValue", what, "leave them out, or take variant=\"published\""));
        }
        Some(other) => {
            let what = format!("solver: variant is {other:?}, but must be \"normalised\" or \"published\"");
            return Err(said("WrongValue", what, ""));
        }
    };
    let mut law = ComFree { sweeps: sweeps.unwrap_or(law.sweeps), ..law };
    let places = [("memory", &mut law.memory), ("tolerance", &mut law.tolerance), ("depth", &mut law.depth)];
    read_numbers(o, places)?;
    Ok(law)
}

fn read_numbers<const N: usize>(o: &mut Options<'_>, places: [(&'static str, &mut f64); N]) -> PyResult<()> {
    for (name, place) in places {
        *place = o.number(name)?.unwrap_or(*place);
        check(name, *place)?;
    }
    Ok(())
}

fn check(name: &str, value: f64) -> PyResult<()> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(said("WrongValue", format!("solver: {name} is {value}, but must be zero or above"), ""))
}
