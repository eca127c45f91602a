//! Things that many elements say and that deserve one line in the list of ignored things, not a hundred.

use crate::Log;
use crate::xml::Element;
use bellcrank_model::Place;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// After so many suggestions nobody reads on.
const SUGGESTIONS: usize = 100;

/// Reasons that are given once, with the first place and a count.
#[derive(Debug)]
pub(in crate::mjcf) struct Notes {
    log: Rc<Log>,
    once: RefCell<BTreeMap<Cow<'static, str>, (Place, usize)>>,
    suggestions: Cell<usize>,
    /// Whether softness is read, so that it need not be listed.
    pub soft: bool,
}

impl Notes {
    pub fn new(log: &Rc<Log>, soft: bool) -> Self {
        Notes { log: log.clone(), once: RefCell::default(), suggestions: Cell::new(0), soft }
    }

    /// Counts another element that this reason is about.
    pub fn once(&self, element: &Element, why: &'static str) {
        self.once_at(element.place(), why);
    }

    /// The same, where the element is no longer at hand.
    pub fn once_at(&self, place: Place, why: &'static str) {
        self.once.borrow_mut().entry(why.into()).or_insert((place, 0)).1 += 1;
    }

    /// The same with words that are made up on the spot.
    pub fn counted(&self, element: &Element, why: String) {
        self.once.borrow_mut().entry(why.into()).or_insert((element.place(), 0)).1 += 1;
    }

    /// Whether another "did you mean" may be looked for: a file of noise shall not take for ever.
    pub fn may_suggest(&self) -> bool {
        self.suggestions.set(self.suggestions.get() + 1);
        self.suggestions.get() <= SUGGESTIONS
    }

    /// Says something about one place.
    pub fn ignore(&self, element: &Element, why: impl Into<String>) {
        self.log.ignore(element.place(), why);
    }

    /// Where everything is collected.
    pub fn log(&self) -> &Rc<Log> {
        &self.log
    }

    /// Hands the reasons over to the log.
    pub fn flush(&self) {
        for (why, (place, count)) in std::mem::take(&mut *self.once.borrow_mut()) {
            let more = if count > 1 { format!(" ({count} times; first here)") } else { String::new() };
            self.log.ignore(place, format!("{why}{more}"));
        }
    }
}
