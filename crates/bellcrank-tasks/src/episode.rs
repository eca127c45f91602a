//! The batch's arrays as a task reads them, refilled after every step.

use crate::task::{Task, World};
use bellcrank_sim::{Batch, BatchError, Quantity};
use rayon::prelude::*;

/// State of all worlds, row by row.
pub(crate) struct Rows {
    /// Those of [`FIELDS`], then those that the task asks for.
    tables: Vec<Table>,
}

/// One quantity of all worlds.
#[derive(Debug)]
pub(crate) struct Table {
    field: Quantity,
    /// Numbers of a world of the task's model, and from world to world: in a batch of different models rows are as long as those of
    /// the largest.
    width: usize,
    stride: usize,
    values: Vec<f32>,
}

impl Table {
    fn row(&self, world: usize) -> &[f32] {
        &self.values[world * self.stride..world * self.stride + self.width]
    }
}

/// What every task reads.
const FIELDS: [Quantity; 5] = [
    Quantity::JointPosition,
    Quantity::JointVelocity,
    Quantity::BodyPosition,
    Quantity::BodyQuatWxyz,
    Quantity::BodyVelocity,
];

/// What a task has asked for besides, of one world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadOuts<'a> {
    tables: &'a [Table],
    world: usize,
}

impl<'a> ReadOuts<'a> {
    pub fn get(&self, quantity: Quantity) -> &'a [f32] {
        self.tables.iter().find(|table| table.field == quantity).map_or(&[], |table| table.row(self.world))
    }
}

impl Rows {
    pub fn new(task: &dyn Task, batch: &Batch) -> Self {
        let table = |field: &Quantity| {
            let (width, stride) = (field.width(task.model()), batch.width(*field));
            Table { field: *field, width, stride, values: vec![0.0; batch.worlds() * stride] }
        };
        Rows { tables: FIELDS.iter().chain(task.read_outs()).map(table).collect() }
    }

    /// Reads all fields, by the threads of a pool where there is one.
    pub fn read(&mut self, batch: &Batch, pool: Option<&rayon::ThreadPool>) -> Result<(), BatchError> {
        let read = |table: &mut Table| batch.read(table.field, &mut table.values);
        match pool {
            None => self.tables.iter_mut().try_for_each(read),
            Some(pool) => pool.install(|| self.tables.par_iter_mut().try_for_each(read)),
        }
    }

    pub fn world(&self, world: usize) -> World<'_> {
        let (state, others) = self.tables.split_at(FIELDS.len());
        World {
            q: state[0].row(world),
            v: state[1].row(world),
            positions: state[2].row(world),
            quats: state[3].row(world),
            twists: state[4].row(world),
            read_outs: ReadOuts { tables: others, world },
        }
    }
}
