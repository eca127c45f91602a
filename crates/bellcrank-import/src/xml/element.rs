//! Elements, what they say, and whether anyone has read it.

use super::text::{clipped, parse_number, parse_numbers};
use crate::error::ImportFaultKind;
use crate::log::{Log, Mark};
use bellcrank_model::Place;
use std::rc::Rc;
use std::sync::Arc;

/// The most numbers that one attribute may hold; MJCF writes whole meshes into attributes.
const NUMBERS: usize = 4_000_000;

/// One attribute. Copies share the mark that says whether it was read.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Its name, without prefix.
    pub name: String,
    /// Its value, entities resolved.
    pub value: String,
    mark: Mark,
}

impl Attribute {
    pub(super) fn new(name: &str, value: &str, log: &Log) -> Self {
        Attribute { name: name.to_owned(), value: value.to_owned(), mark: log.mark() }
    }
}

/// One element of a file.
///
/// Readers of attributes mark them as read; [`Element::child`] and [`Element::children_named`] mark the elements they
/// give. What is never marked ends up in the model's list of ignored things. A copy of an element is the same element:
/// what is read of the copy is read of the original.
#[derive(Clone, Debug)]
pub struct Element {
    /// Its name with its prefix.
    pub tag: String,
    /// In the order of the file.
    pub attributes: Vec<Attribute>,
    /// In the order of the file. A reader may splice included files in here.
    pub children: Vec<Element>,
    /// All text directly inside, joined.
    pub text: String,
    /// The file it comes from.
    pub file: Arc<str>,
    /// Its line there, from 1.
    pub line: u32,
    /// The nearest element around it that has a name.
    pub(super) owner: Option<Rc<str>>,
    seen: Mark,
    log: Rc<Log>,
}

impl Element {
    /// An element without content; readers may make some of their own.
    pub fn new(tag: impl Into<String>, file: Arc<str>, line: u32, log: Rc<Log>) -> Self {
        Element {
            tag: tag.into(),
            attributes: Vec::new(),
            children: Vec::new(),
            text: String::new(),
            file,
            line,
            owner: None,
            seen: log.mark(),
            log,
        }
    }

    /// Where it stands: `<joint name="knee">`, or `<link name="shank"><mass>` where it has no name of its own.
    pub fn place(&self) -> Place {
        let mut place = Place::new(self.file.clone(), self.line);
        let owner = self.owner.as_deref().unwrap_or("");
        place.element = self.title().unwrap_or_else(|| format!("{owner}<{}>", self.tag));
        place
    }

    /// The element with what tells it from its like, if it has that.
    pub(super) fn title(&self) -> Option<String> {
        let (key, value) = ["name", "class", "joint", "file"].iter().find_map(|key| {
            self.attributes.iter().find(|a| a.name == *key).map(|a| (*key, clipped(&a.value)))
        })?;
        Some(format!("<{} {key}={value:?}>", self.tag))
    }

    /// Something is wrong with it.
    pub fn fault(&self, kind: ImportFaultKind) {
        self.log.fault(self.place(), kind);
    }

    /// Something is wrong elsewhere, found while reading this.
    pub fn fault_at(&self, place: Place, kind: ImportFaultKind) {
        self.log.fault(place, kind);
    }

    /// Something is wrong with it that needs words of its own.
    pub fn fault_said(&self, what: impl Into<String>, hint: impl Into<String>) {
        self.fault(ImportFaultKind::other(what, hint));
    }

    /// It is understood and has no effect, nor has anything in it.
    pub fn ignore(&self, why: impl Into<String>) {
        self.log.ignore(self.place(), why);
        self.see_all();
    }

    /// Something that it says has no effect; the rest counts.
    pub fn note(&self, why: impl Into<String>) {
        self.log.ignore(self.place(), why);
    }

    /// If the attribute is there, it is understood and has no effect.
    pub fn ignore_attribute(&self, name: &str, why: &str) {
        if let Some(value) = self.attribute(name) {
            self.log.ignore(self.place(), format!("{name}={:?}: {why}", clipped(value)));
        }
    }

    /// Attributes that nobody read.
    pub fn unread(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|a| !self.log.is_read(a.mark))
    }

    /// What its attributes say concerns others, each of which reads it for itself: until then nothing is missing.
    pub fn lend(&self) {
        self.attributes.iter().for_each(|a| self.log.lend(a.mark));
    }

    /// What it lent has to be read from now on.
    pub fn claim(&self) {
        self.attributes.iter().for_each(|a| self.log.borrowed(a.mark));
    }

    /// Another element's attribute, which now has to be read here.
    pub fn borrow(&mut self, attribute: &Attribute) {
        self.log.borrowed(attribute.mark);
        self.attributes.push(attribute.clone());
    }

    /// Whether anyone has looked at it.
    pub fn is_seen(&self) -> bool {
        self.log.is_read(self.seen)
    }

    /// Marks the element as read (not its attributes, nor what is in it).
    pub fn see(&self) {
        self.log.read(self.seen);
    }

    /// Marks the element and everything in it as read.
    pub fn see_all(&self) {
        self.see();
        self.attributes.iter().for_each(|a| self.log.read(a.mark));
        self.children.iter().for_each(Element::see_all);
    }

    /// The first child of that name.
    pub fn child(&self, tag: &str) -> Option<&Element> {
        let child = self.children.iter().find(|e| e.tag == tag);
        child.inspect(|e| e.see())
    }

    /// All children of that name.
    pub fn children_named<'a>(&'a self, tag: &'a str) -> impl Iterator<Item = &'a Element> + 'a {
        self.children.iter().filter(move |e| e.tag == tag).inspect(|e| e.see())
    }

    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let attribute = self.attributes.iter().find(|a| a.name == name)?;
        self.log.read(attribute.mark);
        Some(&attribute.value)
    }

    /// Whether the attribute is there; does not count as reading it.
    pub fn has(&self, name: &str) -> bool {
        self.attributes.iter().any(|a| a.name == name)
    }

    /// The value of an attribute that must be there and not be empty.
    pub fn required(&self, name: &str) -> Option<&str> {
        let value = self.attribute(name).filter(|v| !v.is_empty());
        if value.is_none() {
            self.fault(ImportFaultKind::MissingAttribute(name.into()));
        }
        value
    }

    /// A finite number.
    pub fn number(&self, name: &str) -> Option<f64> {
        let value = self.number_or_infinite(name)?;
        self.finite(name, value)
    }

    /// A finite number that must be there.
    pub fn required_number(&self, name: &str) -> Option<f64> {
        self.required(name)?;
        self.number(name)
    }

    /// A number that may be infinite, as bounds are.
    pub fn number_or_infinite(&self, name: &str) -> Option<f64> {
        let text = self.attribute(name)?;
        self.kept(parse_number(name, text.trim()))
    }

    /// Finite numbers, as many as there are.
    pub fn numbers(&self, name: &str) -> Option<Vec<f64>> {
        let text = self.attribute(name)?;
        let numbers = self.kept(parse_numbers(name, text, NUMBERS))?;
        numbers.into_iter().map(|x| self.finite(name, x)).collect()
    }

    /// Exactly `N` finite numbers.
    pub fn vector<const N: usize>(&self, name: &str) -> Option<[f64; N]> {
        let numbers = self.numbers(name)?;
        let found = numbers.len();
        let array: Result<[f64; N], _> = numbers.try_into();
        let (attribute, expected) = (name.to_owned(), N.to_string());
        self.kept(array.map_err(|_| ImportFaultKind::WrongCount { attribute, found, expected }))
    }

    /// From `least` to `most` finite numbers.
    pub fn numbers_between(&self, name: &str, least: usize, most: usize) -> Option<Vec<f64>> {
        let numbers = self.numbers(name)?;
        let found = numbers.len();
        if found < least || found > most {
            let expected = format!("{least} to {most}");
            self.fault(ImportFaultKind::WrongCount { attribute: name.into(), found, expected });
            return None;
        }
        Some(numbers)
    }

    /// `true` or `false`, also `1` or `0`.
    pub fn boolean(&self, name: &str) -> Option<bool> {
        self.choice(name, &[("true", true), ("false", false), ("1", true), ("0", false)])
    }

    /// One of a list of words.
    pub fn choice<T: Copy>(&self, name: &str, known: &[(&str, T)]) -> Option<T> {
        let text = self.attribute(name)?.trim();
        let found = known.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        if found.is_none() {
            let known = known.iter().map(|(word, _)| (*word).to_owned()).collect();
            let (attribute, text) = (name.to_owned(), clipped(text));
            self.fault(ImportFaultKind::UnknownChoice { attribute, text, known });
        }
        found
    }

    /// The value, or the fault noted.
    pub fn kept<T>(&self, result: Result<T, ImportFaultKind>) -> Option<T> {
        result.map_err(|kind| self.fault(kind)).ok()
    }

    fn finite(&self, name: &str, value: f64) -> Option<f64> {
        if !value.is_finite() {
            self.fault(ImportFaultKind::NotFinite { attribute: name.into(), text: value.to_string() });
        }
        value.is_finite().then_some(value)
    }

    /// Lists everything in here that nobody read as ignored.
    pub fn report_unread(&self) {
        if !self.is_seen() {
            return self.log.ignore(self.place(), "this element is not known here");
        }
        for attribute in self.unread() {
            self.log.ignore(self.place(), format!("the attribute {:?} is not known here", attribute.name));
        }
        self.children.iter().for_each(Element::report_unread);
    }
}
