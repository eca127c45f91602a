//! What Python hands over as arrays, checked; messages say what was expected.

use crate::convert::type_name;
use crate::error::said;
use pyo3::prelude::*;

pub fn not_writable(name: &str) -> PyErr {
    said("WrongValue", format!("{name}: the array to fill is read-only, or in use"), "give a writable array")
}

pub fn in_use(name: &str) -> PyErr {
    said(
        "BatchBusy",
        format!("{name}: another thread is filling this array"),
        "give each thread arrays of its own",
    )
}

/// The numbers of an array whose rows follow each other in memory.
pub fn c_order<T, E>(name: &str, contiguous: bool, numbers: Result<T, E>) -> PyResult<T> {
    numbers.ok().filter(|_| contiguous).ok_or_else(|| {
        let hint = "numpy.ascontiguousarray makes one";
        said("WrongShape", format!("{name}: the array must be C-contiguous"), hint)
    })
}

pub fn wrong_dtype(name: &str, found: &Bound<'_, PyAny>) -> PyErr {
    let dtype = found.getattr("dtype").map_or_else(|_| type_name(found), |dtype| dtype.to_string());
    said("WrongType", format!("{name}: expected an array of float32 or float64, not {dtype}"), "")
}

pub fn check_length(name: &str, found: usize, expected: usize) -> PyResult<()> {
    if found == expected {
        return Ok(());
    }
    Err(said("WrongShape", format!("{name}: the array has {found} numbers, expected: {expected}"), ""))
}

pub fn check_finite(name: &str, bad: Option<usize>, stride: usize) -> PyResult<()> {
    let Some(at) = bad else { return Ok(()) };
    let (world, place) = (at / stride.max(1), at % stride.max(1));
    let text = format!("{name}: number {place} of world {world} is not finite");
    Err(said("NotFinite", text, "look for a division by zero or an unset value where it was computed"))
}
