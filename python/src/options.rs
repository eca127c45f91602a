//! Keyword arguments, taken one by one; what is left over is an error with the nearest known name.

use crate::convert;
use crate::error::said;
use bellcrank::math::{Pose, Vec3};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The keyword arguments of a call.
pub struct Options<'py> {
    /// What is being made, for error texts.
    what: String,
    given: Bound<'py, PyDict>,
    known: Vec<&'static str>,
}

impl<'py> Options<'py> {
    pub fn new(py: Python<'py>, what: String, given: Option<&Bound<'py, PyDict>>) -> PyResult<Self> {
        let given = given.map_or_else(|| Ok(PyDict::new(py)), |options| options.copy())?;
        Ok(Options { what, given, known: Vec::new() })
    }

    /// The value under a name; `None` where there is none.
    pub fn take(&mut self, name: &'static str) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.known.push(name);
        let value = self.given.get_item(name)?;
        if value.is_some() {
            self.given.del_item(name)?;
        }
        Ok(value.filter(|value| !value.is_none()))
    }

    pub fn number(&mut self, name: &'static str) -> PyResult<Option<f64>> {
        Ok(self.numbers::<1>(name)?.map(|[x]| x))
    }

    pub fn numbers<const N: usize>(&mut self, name: &'static str) -> PyResult<Option<[f64; N]>> {
        let what = format!("{}: {name}", self.what);
        self.take(name)?.map(|value| convert::numbers(&what, &value)).transpose()
    }

    pub fn vec3(&mut self, name: &'static str) -> PyResult<Option<Vec3>> {
        Ok(self.numbers::<3>(name)?.map(Vec3::from_array))
    }

    /// The pose under `position` and `quat_wxyz`; `None` where neither is given.
    pub fn pose(&mut self) -> PyResult<Option<Pose>> {
        let p = self.vec3("position")?;
        let what = format!("{}: quat_wxyz", self.what);
        let q = self.take("quat_wxyz")?.map(|value| convert::quat(&what, &value)).transpose()?;
        if p.is_none() && q.is_none() {
            return Ok(None);
        }
        Ok(Some(Pose::new(q.unwrap_or_else(bellcrank::math::Quat::identity), p.unwrap_or_else(Vec3::zero))))
    }

    pub fn typed<T>(&mut self, name: &'static str, expected: &str) -> PyResult<Option<T>>
    where
        T: for<'a> FromPyObject<'a, 'py>,
    {
        let Some(value) = self.take(name)? else { return Ok(None) };
        let found = convert::type_name(&value);
        let taken = value.extract::<T>().ok();
        taken.map(Some).ok_or_else(|| {
            said("WrongType", format!("{}: {name} must be {expected}, not {found}", self.what), "")
        })
    }

    /// The value under a name, which must be there.
    pub fn required<T>(&self, name: &str, value: Option<T>) -> PyResult<T> {
        value.ok_or_else(|| {
            said("WrongType", format!("{}: {name}= is missing", self.what), format!("add {name}=..."))
        })
    }

    /// Complains about names that nobody took.
    pub fn finish(self) -> PyResult<()> {
        let Some((name, _)) = self.given.iter().next() else { return Ok(()) };
        let name = name.to_string();
        let known: Vec<String> = self.known.iter().map(|&known| known.to_owned()).collect();
        let hint = match bellcrank::model::nearest(&name, known.iter()) {
            Some(near) => format!("did you mean {near}=?"),
            None => format!("known are {}", self.known.join(", ")),
        };
        Err(said("WrongType", format!("{}: there is no option {name}=", self.what), hint))
    }
}
