//! Where readers put what they find: faults, and things that have no effect.

use crate::error::{ImportFault, ImportFaultKind};
use bellcrank_model::{Ignored, Place};
use std::cell::RefCell;

/// More faults than this are not kept: a file of noise shall not fill the memory.
const FAULTS_KEPT: usize = 10_000;

/// Faults and ignored things, collected while reading. Shared by all documents of one import.
#[derive(Debug, Default)]
pub struct Log {
    faults: RefCell<Vec<ImportFault>>,
    ignored: RefCell<Vec<Ignored>>,
    marks: RefCell<Vec<State>>,
}

/// Where the log keeps whether something was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark(u32);

/// What is known about an element or an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Unread,
    /// Lent to others: nobody needs to read it.
    Lent,
    Read,
}

impl Log {
    /// Something is wrong here.
    pub fn fault(&self, place: Place, kind: ImportFaultKind) {
        let mut faults = self.faults.borrow_mut();
        if faults.len() < FAULTS_KEPT {
            faults.push(ImportFault { place, kind });
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

    /// A new thing that nobody has read.
    pub(crate) fn mark(&self) -> Mark {
        let mut marks = self.marks.borrow_mut();
        marks.push(State::Unread);
        Mark((marks.len() - 1) as u32)
    }

    pub(crate) fn read(&self, mark: Mark) {
        self.marks.borrow_mut()[mark.0 as usize] = State::Read;
    }

    /// Nobody needs to read it, until [`Log::borrowed`].
    pub(crate) fn lend(&self, mark: Mark) {
        self.marks.borrow_mut()[mark.0 as usize] = State::Lent;
    }

    /// It was lent to somebody, who must read it now.
    pub(crate) fn borrowed(&self, mark: Mark) {
        let state = &mut self.marks.borrow_mut()[mark.0 as usize];
        if *state == State::Lent {
            *state = State::Unread;
        }
    }

    pub(crate) fn is_read(&self, mark: Mark) -> bool {
        self.marks.borrow()[mark.0 as usize] != State::Unread
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
