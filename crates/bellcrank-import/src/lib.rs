//! Robot files into [`Model`]s, and back: "my robot loads, or I am told exactly why not".
//!
//! ```no_run
//! use bellcrank_import::{Options, load};
//!
//! let model = load("robots/leg.urdf", &Options::default())?;
//! for ignored in model.ignored() {
//!     println!("{}: {}", ignored.place, ignored.why);
//! }
//! # Ok::<(), bellcrank_import::ImportError>(())
//! ```
//!
//! Faults are collected, each with file, line, element and a hint; what the file says and the engine does not
//! do is listed in `model.ignored()`. Files are not trusted: sizes, depths and counts are bounded
//! ([`Limits`]), entities are refused, and nothing outside the allowed folders is opened.
//!
//! | file | what |
//! |---|---|
//! | `error` `log` | faults with their places and hints; where readers put faults and ignored things |
//! | `options` `format` | what the caller may choose; which format a file is in |
//! | `xml/` | safe XML: bounded, with line numbers, typed attributes, and a record of what was read |
//! | `files` | which files may be opened, `package://` and relative names, files in memory |
//! | `meshes/` | STL, OBJ, DAE and glTF into [`bellcrank_model::Mesh`] |
//! | `urdf/` `mjcf/` `usd/` | one reader per format |
//! | `solid` `mend` `reverse` `size` | joined masses; impossible masses; a joint seen from its other end; too much to analyse |
//! | `export/` | a model as URDF, MJCF or USD text |
//! | `pack/` | a model as bytes, every number exact |
//!
//! A reader gets a [`xml::Document`] (or text), the [`Files`] and the [`Options`]. It pushes faults into the
//! log and goes on; it gives up with an error only where going on makes no sense. Afterwards this file lists
//! every element and attribute that nobody read, so that nothing is dropped silently.
#![forbid(unsafe_code)]

mod error;
mod export;
mod files;
mod format;
mod log;
mod mend;
pub mod meshes;
mod mjcf;
mod options;
mod pack;
mod reverse;
mod size;
mod solid;
mod urdf;
mod usd;
pub mod xml;

pub use error::{ImportError, ImportFault, ImportFaultKind};
pub use export::{Exported, to_mjcf, to_urdf, to_usd};
pub use files::{File, Files};
pub use format::Format;
pub use log::Log;
pub use options::{Base, Compliance, FixedJoints, Limits, Options};
pub use pack::{UnpackError, pack, unpack};

use bellcrank_model::{Model, ModelBuilder, Place};
use std::path::Path;
use std::rc::Rc;

/// Reads a robot from a file; the format follows from its name and content.
///
/// # Errors
/// All faults of the file and of the model in it.
pub fn load(path: impl AsRef<Path>, options: &Options) -> Result<Model, ImportError> {
    build(load_builder(path, options)?)
}

/// Reads a robot from a string. Other files that it names are taken from [`Options::memory`].
///
/// # Errors
/// All faults of the text and of the model in it.
pub fn loads(text: &str, format: Format, options: &Options) -> Result<Model, ImportError> {
    build(loads_builder(text, format, options)?)
}

/// Like [`load`], but the parts may still be added to before the model is built.
///
/// # Errors
/// All faults of the file; if there are any, those of the model with them.
pub fn load_builder(path: impl AsRef<Path>, options: &Options) -> Result<ModelBuilder, ImportError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    let fail = |kind| ImportError::one(Place::new(name.as_str(), 0), kind);
    let (files, file) = Files::open(path, options).map_err(fail)?;
    let format = Format::detect(path, &file.bytes).ok_or_else(|| fail(ImportFaultKind::UnknownFormat))?;
    read(file, format, &files, options)
}

/// Like [`loads`], but the parts may still be added to before the model is built.
///
/// # Errors
/// All faults of the text; if there are any, those of the model with them.
pub fn loads_builder(text: &str, format: Format, options: &Options) -> Result<ModelBuilder, ImportError> {
    let files = Files::in_memory(options);
    let file = File::new(format!("text.{}", format.extension()), text.as_bytes().to_vec());
    read(file, format, &files, options)
}

fn read(file: File, format: Format, files: &Files, options: &Options) -> Result<ModelBuilder, ImportError> {
    let log = Rc::new(Log::default());
    if options.compliance == Compliance::Mujoco && format != Format::Mjcf {
        let why = "compliance: only MJCF files say how soft contacts are; they stay exact";
        log.ignore(bellcrank_model::Place::new(file.name.as_str(), 0), why);
    }
    let mut builder = match format {
        Format::Urdf | Format::Mjcf => {
            let mut document = xml::Document::parse(&file, &options.limits, &log)?;
            format.check_root(&document)?;
            let builder = match format {
                Format::Urdf => urdf::read(&mut document, files, options, &log)?,
                _ => mjcf::read(&mut document, files, options, &log)?,
            };
            document.report_unread();
            builder
        }
        Format::Usd => usd::read(file, files, options, &log)?,
    };
    for ignored in log.take_ignored() {
        builder.ignore(ignored.place, ignored.why);
    }
    let faults = log.take_faults();
    if faults.is_empty() && options.hold {
        builder.hold()?;
    }
    if faults.is_empty() { Ok(builder) } else { Err(ImportError::with_model_faults(faults, builder)) }
}

fn build(builder: ModelBuilder) -> Result<Model, ImportError> {
    builder.build().map_err(ImportError::from)
}
