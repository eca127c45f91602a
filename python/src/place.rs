//! The line of the Python program that calls.

use bellcrank::model::Place;
use pyo3::prelude::*;

/// File and line of the running Python code: native functions have no frame of their own.
pub fn of_caller(py: Python<'_>) -> Place {
    let find = || -> PyResult<Place> {
        let frame = py.import("sys")?.call_method1("_getframe", (0,))?;
        let file: String = frame.getattr("f_code")?.getattr("co_filename")?.extract()?;
        Ok(Place::new(file, frame.getattr("f_lineno")?.extract()?))
    };
    find().unwrap_or_else(|_| Place::new("model", 0))
}
