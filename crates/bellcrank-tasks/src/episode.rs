//! The batch's arrays as a task reads them, refilled after every step.

use crate::task::World;
use bellcrank_model::Model;
use bellcrank_sim::{Batch, BatchError, Quantity};
use rayon::prelude::*;

/// State of all worlds, row by row.
pub(crate) struct Rows {
    fields: [Table; 5],
}

struct Table {
    field: Quantity,
    width: usize,
    values: Vec<f32>,
}

impl Rows {
    pub fn new(model: &Model, worlds: usize) -> Self {
        let fields = [
            Quantity::JointPosition,
            Quantity::JointVelocity,
            Quantity::BodyPosition,
            Quantity::BodyQuatWxyz,
            Quantity::BodyVelocity,
        ];
        let table = |field: Quantity| {
            let width = field.width(model);
            Table { field, width, values: vec![0.0; worlds * width] }
        };
        Rows { fields: fields.map(table) }
    }

    /// Reads all fields, by the threads of a pool where there is one.
    pub fn read(&mut self, batch: &Batch, pool: Option<&rayon::ThreadPool>) -> Result<(), BatchError> {
        let read = |table: &mut Table| batch.read(table.field, &mut table.values);
        match pool {
            None => self.fields.iter_mut().try_for_each(read),
            Some(pool) => pool.install(|| self.fields.par_iter_mut().try_for_each(read)),
        }
    }

    pub fn world(&self, world: usize) -> World<'_> {
        let [q, v, positions, quats, twists] = &self.fields;
        let row = |table: &'_ Table| world * table.width..(world + 1) * table.width;
        World {
            q: &q.values[row(q)],
            v: &v.values[row(v)],
            positions: &positions.values[row(positions)],
            quats: &quats.values[row(quats)],
            twists: &twists.values[row(twists)],
        }
    }
}
