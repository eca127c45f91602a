//! What can be wrong with a file, where, and the way out: the same form as [`bellcrank_model::Fault`].

use bellcrank_model::{FaultKind, Faults, ModelBuilder, Place, nearest};
use std::collections::HashSet;
use std::fmt;

/// Faults beyond this number are counted, not listed.
const LISTED: usize = 200;

/// Everything that is wrong with a file and the model in it, in the order in which it was said.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportError {
    /// At least one.
    pub faults: Vec<ImportFault>,
}

/// One thing that is wrong and that the author of the file can mend.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportFault {
    /// Where it was said. Line 0 is the file as a whole.
    pub place: Place,
    /// What is wrong.
    pub kind: ImportFaultKind,
}

/// One variant per kind of thing that an author can mend.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the texts say it
pub enum ImportFaultKind {
    #[error("the file cannot be read: {0}")]
    Unreadable(String),
    #[error("there is no file {0:?}")]
    NoSuchFile(String),
    #[error("there is no package {0:?} here")]
    NoSuchPackage(String),
    #[error("the file {0:?} lies outside the folders that this model may read")]
    OutsideFolder(String),
    #[error("{what} is too large: {found}, at most {limit} is allowed")]
    TooLarge { what: String, found: u64, limit: u64 },
    #[error("elements are nested more than {0} deep")]
    TooDeep(usize),
    #[error("the file has a document type definition, which may contain entities")]
    DocumentType,
    #[error("this is not well-formed: {0}")]
    Malformed(String),
    #[error("the format is not known")]
    UnknownFormat,
    #[error("a {expected} file starts with {wanted}, this one with <{found}>")]
    WrongFormat { expected: &'static str, wanted: &'static str, found: String },
    #[error("the attribute {0:?} is missing")]
    MissingAttribute(String),
    #[error("the element <{0}> is missing")]
    MissingElement(String),
    #[error("{attribute}={text:?} is not a number")]
    NotANumber { attribute: String, text: String },
    #[error("{attribute}={text:?} is not a finite number")]
    NotFinite { attribute: String, text: String },
    #[error("{attribute} has {found} numbers where {expected} are expected")]
    WrongCount { attribute: String, found: usize, expected: String },
    #[error("{attribute}={text:?} is not one of {}", .known.join(", "))]
    UnknownChoice { attribute: String, text: String, known: Vec<String> },
    #[error("there is no {noun} {name:?}")]
    UnknownName { noun: &'static str, name: String, nearest: Option<String> },
    #[error("there is another {noun} {name:?} at line {first}")]
    RepeatedName { noun: &'static str, name: String, first: u32 },
    /// Whatever a reader finds and no other variant says.
    #[error("{what}")]
    Other { what: String, hint: String },
    /// What the model itself found.
    #[error(transparent)]
    Model(#[from] FaultKind),
}

impl ImportFaultKind {
    /// A kind of its own, with its hint.
    pub fn other(what: impl Into<String>, hint: impl Into<String>) -> Self {
        ImportFaultKind::Other { what: what.into(), hint: hint.into() }
    }

    /// The way out.
    pub fn hint(&self) -> String {
        match self {
            ImportFaultKind::Unreadable(_) => "check the path and the permissions".into(),
            ImportFaultKind::NoSuchFile(_) => "paths are relative to the file that names them".into(),
            ImportFaultKind::NoSuchPackage(name) => {
                format!("say where it is: the option packages takes {name:?} and its folder")
            }
            ImportFaultKind::OutsideFolder(_) => {
                "move the file, or add its folder to the option folders".into()
            }
            ImportFaultKind::TooLarge { .. } => {
                "raise the option limits if the file is yours and meant to be so".into()
            }
            ImportFaultKind::TooDeep(_) => "robots are not nested that deep; the file may be damaged".into(),
            ImportFaultKind::DocumentType => "remove the <!DOCTYPE ...> part".into(),
            ImportFaultKind::Malformed(_) => "check this line and the one before it".into(),
            ImportFaultKind::UnknownFormat => {
                "files are .urdf, .xml (MJCF or URDF) or .usda; or name the format".into()
            }
            ImportFaultKind::WrongFormat { .. } => "name the other format, or check the file".into(),
            ImportFaultKind::MissingAttribute(name) => format!("add {name}=\"...\""),
            ImportFaultKind::MissingElement(tag) => format!("add <{tag} .../>"),
            ImportFaultKind::NotANumber { .. } => {
                "numbers are written like -0.25 or 1e-3, separated by spaces".into()
            }
            ImportFaultKind::NotFinite { .. } => "look at the program that wrote the file".into(),
            ImportFaultKind::WrongCount { expected, .. } => format!("give {expected} numbers"),
            ImportFaultKind::UnknownChoice { text, known, .. } => match nearest(text, known.iter()) {
                Some(near) => format!("did you mean {near:?}?"),
                None => "check the spelling; capital letters count".into(),
            },
            ImportFaultKind::UnknownName { nearest: Some(near), .. } => format!("did you mean {near:?}?"),
            ImportFaultKind::UnknownName { noun, .. } => format!("check the spelling, or add the {noun}"),
            ImportFaultKind::RepeatedName { noun, .. } => format!("rename one {noun} of the two"),
            ImportFaultKind::Other { hint, .. } => hint.clone(),
            ImportFaultKind::Model(kind) => kind.hint(),
        }
    }
}

impl fmt::Display for ImportFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { file, line, element } = &self.place;
        write!(f, "{file}:")?;
        if *line > 0 {
            write!(f, "{line}:")?;
        }
        if !element.is_empty() {
            write!(f, " {element}:")?;
        }
        write!(f, " {}\n  hint: {}", self.kind, self.kind.hint())
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.faults.iter().take(LISTED).enumerate() {
            let separator = if i == 0 { "" } else { "\n" };
            write!(f, "{separator}{fault}")?;
        }
        match self.faults.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for ImportError {}

impl From<Faults> for ImportError {
    fn from(faults: Faults) -> Self {
        let faults =
            faults.0.into_iter().map(|f| ImportFault { place: f.place, kind: f.kind.into() }).collect();
        ImportError { faults }
    }
}

impl From<ImportFault> for ImportError {
    fn from(fault: ImportFault) -> Self {
        ImportError { faults: vec![fault] }
    }
}

impl ImportError {
    /// An error of one fault.
    pub fn one(place: Place, kind: ImportFaultKind) -> Self {
        ImportFault { place, kind }.into()
    }

    /// Reading faults, and what the model says about the rest. Where something could not be read the model
    /// knows only a stand-in, so its opinion about that line is left out.
    pub(crate) fn with_model_faults(mut faults: Vec<ImportFault>, builder: ModelBuilder) -> Self {
        let spoilt: HashSet<_> = faults.iter().map(|f| (f.place.file.clone(), f.place.line)).collect();
        if let Err(found) = builder.build() {
            let fresh =
                found.0.into_iter().filter(|f| !spoilt.contains(&(f.place.file.clone(), f.place.line)));
            faults.extend(fresh.map(|f| ImportFault { place: f.place, kind: f.kind.into() }));
        }
        faults.sort_by(|a, b| (&a.place.file, a.place.line).cmp(&(&b.place.file, b.place.line)));
        ImportError { faults }
    }
}
