//! Binary USD ("crate" files, `.usdc`), versions 0.4 to 0.13, into the same layers as the text.
//!
//! A file is a table of sections: words, strings (numbers of words), fields (a word and a value each), sets of fields,
//! paths, and specs (a path and a set of fields each). Values are small ones within eight bytes, or the place of a larger
//! one. Everything is bounded: no count is believed that the file cannot hold, and no value is read twice as large as the
//! limits allow. Source: `pxr/usd/usd/crateFile.h` of OpenUSD.

mod assemble;
mod bytes;
mod compress;
mod sections;
mod values;

use super::layer::Layer;
use crate::error::{ImportError, ImportFaultKind};
use crate::files::File;
use crate::options::Limits;
use bellcrank_model::Place;

/// How such a file starts.
pub(super) const START: &[u8] = b"PXR-USDC";

/// Reads a file within the limits.
pub(super) fn parse(file: &File, limits: &Limits) -> Result<Layer, ImportError> {
    read(&file.bytes, limits).map_err(|kind| ImportError::one(Place::new(file.name.as_str(), 0), kind))
}

fn read(bytes: &[u8], limits: &Limits) -> Result<Layer, ImportFaultKind> {
    let sections = sections::Sections::read(bytes, limits)?;
    assemble::layer(&sections, limits)
}
