//! Any two convex solids, one world at a time, in `f64`.
//!
//! A solid is a *core* (point, segment, box, …) with a radius around it, known by its support function alone.
//! `between` tells in all lanes at once whether a known direction parts the two, `gjk` gives the distance of two cores that are apart, `separate` the shortest way to part two that overlap,
//! `manifold` the points that stand for the common area, `triangle` what is different on ground made of triangles. Nothing allocates, nothing loops without bound.

mod between;
mod core;
mod gjk;
mod manifold;
mod separate;
mod simplex;
mod triangle;

pub(crate) use self::core::Core;
pub(crate) use between::far_along;
pub(crate) use gjk::gjk;
pub(crate) use manifold::{MANIFOLD, Manifold, manifold};
pub(crate) use separate::part;
pub(crate) use triangle::{OnTriangle, touch_triangle};
