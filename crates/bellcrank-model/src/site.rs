//! Named frames on bodies: where sensors sit, where a tool ends.

use crate::fault::Place;
use crate::ids::Link;
use bellcrank_math::Pose;

/// A named frame fixed to a body or to the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// Unique among sites.
    pub name: String,
    /// What it is fixed to.
    pub link: Link,
    /// X_LS: its place in the link frame (or in the world).
    pub X_LS: Pose,
    /// Where it was said.
    pub place: Option<Place>,
}

impl Site {
    /// A frame that coincides with the link frame.
    pub fn new(name: impl Into<String>, link: impl Into<Link>) -> Self {
        Site { name: name.into(), link: link.into(), X_LS: Pose::identity(), place: None }
    }

    /// X_LS: where it sits on its link.
    pub fn at(mut self, X_LS: Pose) -> Self {
        self.X_LS = X_LS;
        self
    }

    /// Says where the site was described; otherwise it is the caller's line.
    pub fn place(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }
}
