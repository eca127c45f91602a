//! A picture as arrays.

/// Rows from top to bottom, pixels from left to right.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Red, green and blue (sRGB), one byte each.
    pub rgb: Vec<u8>,
}
