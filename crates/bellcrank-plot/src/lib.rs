//! Curves, bars and points as SVG: the one place where pictures are drawn without a browser.
//!
//! | module | what |
//! |---|---|
//! | `svg` | elements of a picture |
//! | `axis` | numbers to places |
//! | `chart` | curves over axes, rows of bars |
#![forbid(unsafe_code)]

mod axis;
mod chart;
mod svg;

pub use axis::{Scale, short};
pub use chart::{Bars, Chart, Curve};
pub use svg::{Anchor, COLORS, Svg, escape};
