//! Which pairs may touch, beyond the shapes' own groups.

use crate::fault::Place;
use crate::ids::{BodyId, Ref, ShapeId};
use crate::shape::Material;
use crate::softness::Softness;

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
        /// What holds between these two, whatever the shapes say.
        surface: PairSurface,
        /// Where it was said.
        place: Place,
    },
}

/// Properties of one pair of shapes; `None` where those of the shapes hold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairSurface {
    /// How they rub and bounce.
    pub material: Option<Material>,
    /// They rest this far apart [m].
    pub margin: Option<f64>,
    /// Contacts are looked for within this distance beyond [m].
    pub gap: Option<f64>,
    /// How it gives way in a model that is soft.
    pub softness: Option<Softness>,
}
