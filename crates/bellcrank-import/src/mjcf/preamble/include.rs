//! `<include>`: other files in this one's place.
//!
//! A name is looked up from the main model's folder, then from the folder of the file that says it.

use crate::xml::{Document, Element};
use crate::{File, Files, ImportError, ImportFaultKind, Log};
use std::rc::Rc;

/// Attributes that are words of the format or names of classes: an empty one is none of them.
const WORDS: &[&str] = &[
    "type",
    "class",
    "childclass",
    "limited",
    "inertia",
    "ctrllimited",
    "forcelimited",
    "dyntype",
    "gaintype",
    "biastype",
];

/// Splices every included file into the tree.
pub(in crate::mjcf) struct Includer<'a> {
    pub files: &'a Files,
    pub log: &'a Rc<Log>,
    /// The model's own file; `None` for the main model.
    pub by: Option<&'a File>,
    included: usize,
    elements: usize,
}

/// The files around the current one, innermost last, as they were named.
type Around = Vec<File>;

impl<'a> Includer<'a> {
    pub fn new(files: &'a Files, log: &'a Rc<Log>, by: Option<&'a File>) -> Self {
        Includer { files, log, by, included: 0, elements: 0 }
    }

    /// Replaces all `<include>` elements below.
    pub fn expand(&mut self, root: &mut Element) -> Result<(), ImportError> {
        self.expand_in(root, &mut Vec::new(), 1)
    }

    fn expand_in(
        &mut self,
        element: &mut Element,
        around: &mut Around,
        depth: usize,
    ) -> Result<(), ImportError> {
        if depth > self.files.limits().depth {
            return Err(fail(element, ImportFaultKind::TooDeep(self.files.limits().depth)));
        }
        // numbers and names that are empty say nothing; words must be known
        element.attributes.retain(|a| !a.value.trim().is_empty() || WORDS.contains(&a.name.as_str()));
        let children = std::mem::take(&mut element.children);
        for mut child in children {
            if child.tag == "include" {
                let mut found = self.open(&child, around, depth)?;
                element.children.append(&mut found);
            } else {
                self.expand_in(&mut child, around, depth + 1)?;
                element.children.push(child);
            }
        }
        Ok(())
    }

    /// The content of an included file, itself expanded.
    fn open(
        &mut self,
        element: &Element,
        around: &mut Around,
        depth: usize,
    ) -> Result<Vec<Element>, ImportError> {
        let Some(name) = element.required("file") else { return Ok(Vec::new()) };
        self.included += 1;
        let limit = self.files.limits().includes;
        if self.included > limit {
            return Err(fail(element, too_many("the number of included files", self.included, limit)));
        }
        let file = match self.find(name, around.last()) {
            Ok(file) => file,
            Err(kind) => {
                element.fault(kind);
                return Ok(Vec::new());
            }
        };
        if around.iter().any(|open| open.name == file.name) || *element.file == *file.name {
            let what = format!("the file {name:?} includes itself");
            return Err(fail(element, ImportFaultKind::other(what, "remove one <include> of the circle")));
        }
        let mut document = Document::parse(&file, self.files.limits(), self.log)?;
        self.elements += count(&document.root);
        let limit = self.files.limits().elements as usize;
        if self.elements > limit {
            return Err(fail(element, too_many("the number of elements", self.elements, limit)));
        }
        around.push(File { name: file.name, folder: file.folder, bytes: Vec::new() });
        self.expand_in(&mut document.root, around, depth + 1)?;
        around.pop();
        Ok(document.root.children)
    }

    fn find(&self, name: &str, beside: Option<&File>) -> Result<File, ImportFaultKind> {
        match (self.files.text(name, self.by), beside) {
            (Err(ImportFaultKind::NoSuchFile(_)), Some(file)) => self.files.text(name, Some(file)),
            (found, _) => found,
        }
    }
}

fn fail(element: &Element, kind: ImportFaultKind) -> ImportError {
    ImportError::one(element.place(), kind)
}

fn too_many(what: &str, found: usize, limit: usize) -> ImportFaultKind {
    ImportFaultKind::TooLarge { what: what.into(), found: found as u64, limit: limit as u64 }
}

fn count(element: &Element) -> usize {
    1 + element.children.iter().map(count).sum::<usize>()
}
