//! Quantities of all worlds as arrays of shape (worlds, …), read and written by name.

use super::{Batch, BatchError};
use crate::quantity::{Kind, Quantity};
use bellcrank_math::Elem;
use bellcrank_step::field::Field;
use bellcrank_step::group::{Numbers, NumbersRef, Table, Values};

/// Numbers that arrays can have: `f32` or `f64`, whatever the batch computes with.
pub trait Number: Elem {
    #[doc(hidden)]
    fn to_fill(numbers: &mut [Self]) -> Numbers<'_>;
    #[doc(hidden)]
    fn to_read(numbers: &[Self]) -> NumbersRef<'_>;
}

impl Number for f64 {
    fn to_fill(numbers: &mut [f64]) -> Numbers<'_> {
        Numbers::F64(numbers)
    }

    fn to_read(numbers: &[f64]) -> NumbersRef<'_> {
        NumbersRef::F64(numbers)
    }
}

impl Number for f32 {
    fn to_fill(numbers: &mut [f32]) -> Numbers<'_> {
        Numbers::F32(numbers)
    }

    fn to_read(numbers: &[f32]) -> NumbersRef<'_> {
        NumbersRef::F32(numbers)
    }
}

impl Batch {
    /// Numbers in a row of a quantity's array: as many as the largest model needs.
    pub fn width(&self, quantity: Quantity) -> usize {
        self.models.iter().map(|model| quantity.width(model)).max().unwrap_or(0)
    }

    /// The shape of a quantity's array: worlds (one row for all of them where a parameter is shared), parts, numbers of a part.
    pub fn shape(&self, quantity: Quantity) -> Vec<usize> {
        let shared = quantity.is_parameter() && !self.is_spread(quantity);
        let rows = if shared { 1 } else { self.worlds() };
        let parts = self.models.iter().map(|model| quantity.parts(model)).max().unwrap_or(0);
        match quantity.owner().axis() {
            None => [&[rows], quantity.tail()].concat(),
            Some(_) => [&[rows, parts], quantity.tail()].concat(),
        }
    }

    /// Copies a quantity of all worlds into an array of the shape that [`Batch::shape`] tells.
    ///
    /// # Errors
    /// When the array has another size, or the quantity has none.
    pub fn read<T: Number>(&self, quantity: Quantity, out: &mut [T]) -> Result<(), BatchError> {
        let stride = self.check_size(quantity, out.len())?;
        match (quantity.field(), quantity.kind()) {
            (_, Kind::Direction) => Err(BatchError::NoArray(quantity.name())),
            (Some(field), _) => {
                out.fill(T::from_f64(0.0));
                for (group, rows) in self.groups.iter().zip(&self.rows) {
                    group.read(field, rows, Table { values: T::to_fill(out), stride });
                }
                Ok(())
            }
            (None, Kind::Parameter) => {
                let rows = self.shape(quantity)[0];
                self.fill_rows(rows, out, |world, row| self.read_parameter(quantity, world, row))
            }
            (None, _) if quantity == Quantity::ContactForce => {
                let forces = self.contact_forces(stride);
                out.iter_mut().zip(forces).for_each(|(out, x)| *out = T::from_f64(x));
                Ok(())
            }
            (None, _) => self.fill_rows(self.worlds(), out, |world, row| {
                let numbers = self.measured(quantity, world)?;
                row[..numbers.len()].copy_from_slice(&numbers);
                Ok(())
            }),
        }
    }

    /// One world's numbers of a quantity, without what larger models have.
    ///
    /// # Errors
    /// When there is no such world, or the quantity has no array.
    pub fn read_world(&self, quantity: Quantity, world: usize) -> Result<Vec<f64>, BatchError> {
        let (g, w) = self.find(world)?;
        match (quantity.field(), quantity.kind()) {
            (_, Kind::Direction) => Err(BatchError::NoArray(quantity.name())),
            (Some(field), _) => Ok(self.groups[g].row(w, field)),
            (None, Kind::Parameter) => {
                let mut row = vec![0.0; quantity.width(&self.models[g])];
                self.read_parameter(quantity, world, &mut row)?;
                Ok(row)
            }
            (None, _) => self.measured(quantity, world),
        }
    }

    /// Sets a quantity of all worlds from an array of the shape that [`Batch::shape`] tells. What is written into a parameter's one
    /// row goes to all worlds.
    ///
    /// # Errors
    /// When the array has another size, the quantity cannot be written, or a parameter makes no sense.
    pub fn write<T: Number>(&mut self, quantity: Quantity, values: &[T]) -> Result<(), BatchError> {
        let stride = self.check_size(quantity, values.len())?;
        match quantity.kind() {
            Kind::Direction => return Err(BatchError::NoArray(quantity.name())),
            Kind::Readout => return Err(BatchError::ReadOut(quantity.name())),
            _ if !quantity.is_writable() => return Err(BatchError::ReadOnly(quantity.name())),
            _ => {}
        }
        if let Some(field) = quantity.field() {
            for (group, rows) in self.groups.iter_mut().zip(&self.rows) {
                group.write(field, rows, Values { values: T::to_read(values), stride });
            }
            return Ok(());
        }
        match quantity {
            Quantity::Control => self.write_control(values, stride),
            Quantity::Activation => self.write_activation(values, stride),
            _ => {
                let values: Vec<f64> = values.iter().map(|x| x.to_f64()).collect();
                if self.is_spread(quantity) {
                    let all: Vec<usize> = (0..self.worlds()).collect();
                    self.write_parameter(quantity, &all, &values)
                } else {
                    self.write_shared_parameter(quantity, &values)
                }
            }
        }
    }

    /// Every motor's control goes to the array that it listens to; the other numbers there stay.
    fn write_control<T: Number>(&mut self, values: &[T], stride: usize) -> Result<(), BatchError> {
        for (m, model) in self.models.iter().enumerate() {
            for (a, motor) in model.actuators().iter().enumerate() {
                let field = Quantity::listened_to(motor.control).field().unwrap_or(Field::Effort);
                for (local, world) in self.rows[m].iter().enumerate() {
                    self.groups[m].set(local, field, a, values[world * stride + a].to_f64());
                }
            }
        }
        Ok(())
    }

    fn write_activation<T: Number>(&mut self, values: &[T], stride: usize) -> Result<(), BatchError> {
        for world in 0..self.worlds() {
            for a in 0..self.models[self.place[world].0].actuators().len() {
                self.set_activation(world, a, values[world * stride + a].to_f64())?;
            }
        }
        Ok(())
    }

    /// Rows that `fill` is asked for one by one, over the threads of the batch; what it leaves is zero.
    fn fill_rows<T: Number>(
        &self,
        rows: usize,
        out: &mut [T],
        fill: impl Fn(usize, &mut [f64]) -> Result<(), BatchError> + Sync,
    ) -> Result<(), BatchError> {
        let width = out.len() / rows.max(1);
        let all: Vec<usize> = (0..rows).collect();
        let found = self.over(&all, |_, world| {
            let mut row = vec![0.0; width];
            fill(world, &mut row).map(|()| row)
        })?;
        let numbers = found.into_iter().flatten();
        out.iter_mut().zip(numbers).for_each(|(out, x)| *out = T::from_f64(x));
        Ok(())
    }

    /// Numbers per row, where an array has the right size.
    fn check_size(&self, quantity: Quantity, found: usize) -> Result<usize, BatchError> {
        let (width, shared) = (self.width(quantity), quantity.is_parameter() && !self.is_spread(quantity));
        let expected = width * if shared { 1 } else { self.worlds() };
        if found != expected {
            return Err(BatchError::WrongCount { what: quantity.name(), found, expected });
        }
        Ok(width)
    }
}
