//! Which pairs may touch, beyond the shapes' own groups.

use crate::fault::Place;
use crate::ids::{BodyId, Ref, ShapeId};

/// An exception from the rule of groups.
///
/// By default two shapes may touch when their groups allow it and their bodies are neither the same, nor welded
/// together, nor joined by a joint. A joint to the world hides nothing but a weld: a cart may hit the floor.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactFilter {
    /// These two bodies never touch.
    Exclude {
        /// One.
        a: Ref<BodyId>,
        /// The other.
        b: Ref<BodyId>,
        /// Where it was said.
        place: Place,
    },
    /// These two shapes may touch whatever their groups and joints say.
    Pair {
        /// One.
        a: Ref<ShapeId>,
        /// The other.
        b: Ref<ShapeId>,
        /// Where it was said.
        place: Place,
    },
}
