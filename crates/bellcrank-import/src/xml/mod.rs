//! Safe XML: bounded in size, depth and count, without entities, with line numbers.
//!
//! The tree is owned, so that a reader may splice included files into it; every [`Element`] knows its file and
//! line, and remembers what was read of it.

mod element;
mod parse;
mod text;

pub use element::{Attribute, Element};
pub use parse::Document;
pub use text::parse_numbers;
