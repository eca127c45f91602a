//! Numbers and parts from Python's values.

use crate::error::said;
use bellcrank::math::{Pose, Quat, Vec3};
use bellcrank::model::{Link, Ref};
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;

/// `N` numbers from any sequence of numbers.
pub fn numbers<const N: usize>(what: &str, value: &Bound<'_, PyAny>) -> PyResult<[f64; N]> {
    let list = list(what, value)?;
    let found = list.len();
    list.try_into()
        .map_err(|_| said("WrongShape", format!("{what}: {found} numbers were given, expected: {N}"), ""))
}

/// Any number of numbers.
pub fn list(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let flat = value.py().import("numpy")?.call_method1("asarray", (value, "float64"));
    let flat = flat.and_then(|array| array.call_method1("reshape", (-1,)));
    flat.and_then(|array| array.extract::<Vec<f64>>())
        .map_err(|_| said("WrongType", format!("{what} must be numbers, not {}", type_name(value)), ""))
}

pub fn vec3(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec3> {
    Ok(Vec3::from_array(numbers(what, value)?))
}

/// A rotation from `(w, x, y, z)`, which need not have length one. Length zero is left for the model to report.
pub fn quat(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Quat> {
    let q = Quat::from_wxyz(numbers(what, value)?);
    Ok(if q.norm_squared() > 0.0 { q.normalized() } else { q })
}

/// A pose from `(position, quat_wxyz)`.
pub fn pose(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Pose> {
    let (p, q): (Bound<'_, PyAny>, Bound<'_, PyAny>) = value.extract().map_err(|_| {
        said(
            "WrongType",
            format!("{what} must be a pair (position, quat_wxyz), not {}", type_name(value)),
            "",
        )
    })?;
    Ok(Pose::new(quat(what, &q)?, vec3(what, &p)?))
}

/// A part by number or name.
pub fn part<I>(what: &str, value: &Bound<'_, PyAny>, id: fn(usize) -> I) -> PyResult<Ref<I>> {
    if let Ok(name) = value.extract::<String>() {
        return Ok(Ref::Name(name));
    }
    let number: PyResult<usize> = value.extract();
    number.map(|index| Ref::Id(id(index))).map_err(|_| {
        said("WrongType", format!("{what} must be a name or a number, not {}", type_name(value)), "")
    })
}

/// A body by number or name, or the world for `None`.
pub fn link(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Link> {
    if value.is_none() {
        return Ok(Link::World);
    }
    Ok(Link::Body(part(what, value, bellcrank::model::BodyId::new)?))
}

pub fn type_name(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "that".to_owned(), |name| name.to_string())
}

/// A numpy array of a shape.
pub fn array<'py, T: Element>(py: Python<'py>, data: Vec<T>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    Ok(PyArray1::from_vec(py, data).reshape(shape.to_vec())?.into_any())
}
