//! What the crates that differentiate a batch, or find poses with it, see of its inside.

use super::{Batch, BatchError};
use crate::threads::Threads;
use bellcrank_step::group::Group;
use rayon::prelude::*;
use std::any::Any;
use std::sync::PoisonError;

impl Batch {
    /// Calls `f` on the entries of a list, over the threads of the batch, with their numbers in it.
    ///
    /// # Errors
    /// The first that `f` tells of.
    pub fn over<W: Clone + Sync, T: Send>(
        &self,
        list: &[W],
        f: impl Fn(usize, W) -> Result<T, BatchError> + Sync,
    ) -> Result<Vec<T>, BatchError> {
        match self.pool() {
            None => list.iter().enumerate().map(|(k, entry)| f(k, entry.clone())).collect(),
            Some(pool) => {
                pool.install(|| list.par_iter().enumerate().map(|(k, entry)| f(k, entry.clone())).collect())
            }
        }
    }

    /// Threads of this process that may help; none for one thread.
    pub(super) fn pool(&self) -> Option<&rayon::ThreadPool> {
        self.threads.as_ref().and_then(Threads::pool)
    }

    /// The worlds of a model; `model` counts as in [`Batch::models`].
    pub fn group(&self, model: usize) -> &dyn Group {
        &*self.groups[model]
    }

    /// The same, to be changed.
    pub fn group_mut(&mut self, model: usize) -> &mut dyn Group {
        &mut *self.groups[model]
    }

    /// Memory that somebody has left with [`Batch::leave_memory`] for a model since its parameters last changed.
    pub fn take_memory<T: Any + Send>(&self, model: usize) -> Option<Box<T>> {
        let mut all = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let k = all.iter().position(|(m, memory)| *m == model && memory.is::<T>())?;
        all.swap_remove(k).1.downcast().ok()
    }

    /// Leaves memory for who needs the same next.
    pub fn leave_memory<T: Any + Send>(&self, model: usize, memory: Box<T>) {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).push((model, memory));
    }

    /// Parameters have changed: what was worked out from them is worth nothing.
    pub(super) fn forget_memory(&mut self) {
        self.memory.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
