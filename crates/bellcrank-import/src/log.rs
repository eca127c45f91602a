//! Where readers put what they find: faults, and things that have no effect.

use crate::error::{ImportFault, ImportTrouble};
use bellcrank_model::{Ignored, Place};
use std::cell::RefCell;

/// More faults than this are not kept: a file of noise shall not fill the memory.
const FAULTS_KEPT: usize = 10_000;

/// Faults and ignored things, collected while reading. Shared by all documents of one import.
#[derive(Debug, Default)]
pub struct Log {
    faults: RefCell<Vec<ImportFault>>,
    ignored: RefCell<Vec<Ignored>>,
}

impl Log {
    /// Something is wrong here.
    pub fn fault(&self, place: Place, trouble: ImportTrouble) {
        let mut faults = self.faults.borrow_mut();
        if faults.len() < FAULTS_KEPT {
            faults.push(ImportFault { place, trouble });
        }
    }

    /// Something here was understood but has no effect.
    pub fn ignore(&self, place: Place, why: impl Into<String>) {
        self.ignored.borrow_mut().push(Ignored { place, why: why.into() });
    }

    /// Whether anything is wrong so far.
    pub fn has_faults(&self) -> bool {
        !self.faults.borrow().is_empty()
    }

    pub(crate) fn take_faults(&self) -> Vec<ImportFault> {
        std::mem::take(&mut self.faults.borrow_mut())
    }

    /// In the order of the files' lines.
    pub(crate) fn take_ignored(&self) -> Vec<Ignored> {
        let mut ignored = std::mem::take(&mut *self.ignored.borrow_mut());
        ignored.sort_by(|a, b| (&a.place.file, a.place.line).cmp(&(&b.place.file, b.place.line)));
        ignored
    }
}
