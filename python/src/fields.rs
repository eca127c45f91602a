//! The arrays of a batch by name, `(rows, …)` row-major: its state and controls ([`Field`]) and its physical parameters
//! ([`Parameter`]). The one place that knows how the engine hands them out.

use crate::error::said;
use crate::worlds::Worlds;
use bellcrank::model::{Model, nearest};
use bellcrank::sim::{Batch, BatchError, Field, Owner, Parameter};
use pyo3::prelude::*;
use std::sync::Arc;

/// Something that can be read for all worlds at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Array {
    /// State or control, one row per world.
    Field(Field),
    /// A physical parameter, one row for all worlds until spread.
    Parameter(Parameter),
}

impl Array {
    pub fn by_name(name: &str) -> PyResult<Array> {
        let field = Field::ALL.into_iter().find(|field| field.name() == name).map(Array::Field);
        let found = field.or_else(|| Parameter::by_name(name).map(Array::Parameter));
        found.ok_or_else(|| {
            let fields = Field::ALL.into_iter().map(|field| field.name().to_owned());
            let known: Vec<String> =
                fields.chain(Parameter::all().map(|parameter| parameter.name().to_owned())).collect();
            let hint = match nearest(name, known.iter()) {
                Some(near) => format!("did you mean {near:?}?"),
                None => format!("known are {}", known.join(", ")),
            };
            said("NoSuchName", format!("a batch has no array {name:?}"), hint)
        })
    }

    /// Parts of a model that have it.
    fn parts(self, model: &Model) -> usize {
        match self {
            Array::Field(field) => field.parts(model),
            Array::Parameter(parameter) => parameter.parts(model),
        }
    }

    /// The axes after worlds and parts.
    fn tail(self) -> &'static [usize] {
        match self {
            Array::Field(field) => match field.components() {
                1 => &[],
                3 => &[3],
                4 => &[4],
                _ => &[6],
            },
            Array::Parameter(parameter) => parameter.tail(),
        }
    }

    /// The shape of the whole array; rows are as wide as the largest model needs.
    pub fn shape(self, batch: &Batch, worlds: &Worlds) -> Vec<usize> {
        let parts = worlds.models().iter().map(|model| self.parts(model)).max().unwrap_or(0);
        match self {
            Array::Field(_) => [&[batch.worlds(), parts], self.tail()].concat(),
            Array::Parameter(parameter) => {
                let rows = if batch.is_spread(parameter) { batch.worlds() } else { 1 };
                match parameter.owner() {
                    Owner::World => [&[rows], self.tail()].concat(),
                    _ => [&[rows, parts], self.tail()].concat(),
                }
            }
        }
    }
}

/// `f32` or `f64`.
pub trait Number: numpy::Element + Copy {
    fn is_finite(self) -> bool;
    fn read_field(batch: &Batch, field: Field, out: &mut [Self]) -> Result<(), BatchError>;
    fn write_field(batch: &mut Batch, field: Field, values: &[Self]) -> Result<(), BatchError>;
    fn of(value: f64) -> Self;
    fn to_f64(self) -> f64;
}

impl Number for f64 {
    fn is_finite(self) -> bool {
        f64::is_finite(self)
    }
    fn read_field(batch: &Batch, field: Field, out: &mut [f64]) -> Result<(), BatchError> {
        batch.read(field, out)
    }
    fn write_field(batch: &mut Batch, field: Field, values: &[f64]) -> Result<(), BatchError> {
        batch.write(field, values)
    }
    fn of(value: f64) -> f64 {
        value
    }
    fn to_f64(self) -> f64 {
        self
    }
}

impl Number for f32 {
    fn is_finite(self) -> bool {
        f32::is_finite(self)
    }
    fn read_field(batch: &Batch, field: Field, out: &mut [f32]) -> Result<(), BatchError> {
        batch.read_f32(field, out)
    }
    fn write_field(batch: &mut Batch, field: Field, values: &[f32]) -> Result<(), BatchError> {
        batch.write_f32(field, values)
    }
    fn of(value: f64) -> f32 {
        value as f32
    }
    fn to_f64(self) -> f64 {
        self.into()
    }
}

/// Fills `out`, which has the right size; what a world does not have becomes zero.
pub fn read<T: Number>(batch: &Batch, array: Array, out: &mut [T]) -> Result<(), BatchError> {
    match array {
        Array::Field(field) => T::read_field(batch, field, out),
        Array::Parameter(parameter) => {
            let width = batch.parameter_width(parameter);
            let mut row = vec![0.0; width];
            for (world, out) in out.chunks_exact_mut(width.max(1)).enumerate() {
                row.fill(0.0);
                batch.read_parameter(parameter, world, &mut row)?;
                out.iter_mut().zip(&row).for_each(|(out, value)| *out = T::of(*value));
            }
            Ok(())
        }
    }
}

/// Writes what a user put into an array of the right size.
pub fn write<T: Number>(batch: &mut Batch, array: Array, values: &[T]) -> Result<(), BatchError> {
    match array {
        Array::Field(field) => T::write_field(batch, field, values),
        Array::Parameter(parameter) => {
            let values: Vec<f64> = values.iter().map(|x| x.to_f64()).collect();
            if batch.is_spread(parameter) {
                let all: Vec<usize> = (0..batch.worlds()).collect();
                batch.write_parameter(parameter, &all, &values)
            } else {
                batch.write_shared_parameter(parameter, &values)
            }
        }
    }
}

/// The different models among some worlds.
pub fn different(models: &[Arc<Model>]) -> Vec<Arc<Model>> {
    let mut different: Vec<Arc<Model>> = Vec::new();
    for model in models {
        if !different.iter().any(|known| Arc::ptr_eq(known, model)) {
            different.push(model.clone());
        }
    }
    different
}
