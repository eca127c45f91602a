//! How large and how small numbers may be that steps compute with.
//!
//! A step multiplies masses by squares of lengths and divides by them; results must stay far from the ends of 32-bit numbers
//! (about 1e38 and 1e-38). Within these bounds mass · length² is at most 1e33 and at least 1e-39 · 1e6: what lies outside is a slip of the
//! pen, or a file that means harm, and is refused where it is said.

/// Lengths, positions, speeds and accelerations in metres and seconds, and angles in radians, are at most this.
pub const LENGTH: f64 = 1e9;
/// Sizes of solids are at least this [m].
pub const LEAST_LENGTH: f64 = 1e-12;
/// Masses, moments of inertia, efforts and gains in SI units are at most this.
pub const STRENGTH: f64 = 1e15;
/// Masses [kg] and principal moments of inertia [kg·m²] are at least this.
pub const LEAST_INERTIA: f64 = 1e-24;

/// Whether a number is one and not beyond a bound, on either side of zero.
pub fn within(x: f64, bound: f64) -> bool {
    x.abs() <= bound // not so where x is no number
}
