//! A model's parameters as arrays, as authored.

use crate::convert::array;
use crate::error::said;
use bellcrank::math::Sym3;
use bellcrank::model::{Dof, Model, Shape};
use pyo3::prelude::*;

/// One array by name; see `bellcrank.Model` for shapes and units.
pub fn read<'py>(py: Python<'py>, model: &Model, what: &str) -> PyResult<Bound<'py, PyAny>> {
    let (bodies, shapes) = (model.bodies(), model.shapes());
    let nb = bodies.len();
    let dofs = |get: fn(&Dof) -> f64| {
        let values: Vec<f64> = model.joints().iter().flat_map(|joint| &joint.dofs).map(get).collect();
        let count = values.len();
        array(py, values, &[count])
    };
    let surfaces = |get: fn(&Shape) -> f64| array(py, shapes.iter().map(get).collect(), &[shapes.len()]);
    match what {
        "body_mass" => array(py, bodies.iter().map(|b| b.mass).collect(), &[nb]),
        "body_com" => array(py, bodies.iter().flat_map(|b| b.com.to_array()).collect(), &[nb, 3]),
        "body_inertia" => {
            let full = |s: Sym3| [s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz];
            array(py, bodies.iter().flat_map(|b| full(b.inertia.unwrap_or_default())).collect(), &[nb, 3, 3])
        }
        "body_position" => array(py, bodies.iter().flat_map(|b| b.X_WB().p.to_array()).collect(), &[nb, 3]),
        "body_quat_wxyz" => array(py, bodies.iter().flat_map(|b| b.X_WB().R.to_wxyz()).collect(), &[nb, 4]),
        "limits" => {
            let values: Vec<f64> =
                model.joints().iter().flat_map(|joint| &joint.dofs).flat_map(|d| d.limits).collect();
            let count = values.len() / 2;
            array(py, values, &[count, 2])
        }
        "armature" => dofs(|d| d.armature),
        "damping" => dofs(|d| d.damping),
        "joint_friction" => dofs(|d| d.friction),
        "effort_limit" => dofs(|d| d.effort_limit),
        "velocity_limit" => dofs(|d| d.velocity_limit),
        "friction" => surfaces(|s| s.material.sliding),
        "restitution" => surfaces(|s| s.material.restitution),
        _ => Err(said("NoSuchName", format!("a model has no array {what:?}"), "")),
    }
}
