//! Tendons: weighted sums of joint coordinates, or ways through space, that have limits, springs and motors of their own.
//!
//! A cable over pulleys of fixed radii on joint axes has the length Σ rᵢ qᵢ; so has the differential of two fingers.
//! What acts on the tendon with effort f acts on coordinate i with cᵢ f.

use crate::coupling::CouplingTerm;
use crate::fault::Place;
use crate::ids::{JointId, Ref};
use crate::joint::{Dof, Spring};
use crate::path::Waypoint;
use crate::softness::DofSoftness;

/// length = Σ coefficient · coordinate, or that of a path, with what bounds or resists it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tendon {
    /// Unique among tendons.
    pub name: String,
    /// The coordinates that it sums up; empty where it has a path.
    pub terms: Vec<CouplingTerm>,
    /// What it goes by, where it runs through space.
    pub path: Vec<Waypoint>,
    /// Its spring is slack until the length is so much above its rest [m or rad].
    pub slack: f64,
    /// Limits, spring, damping, friction, armature and effort limit of the length.
    pub dof: Dof,
    /// How its limits and dry friction give way; `None` where they are hard.
    pub softness: Option<DofSoftness>,
    /// Where it was said.
    pub place: Option<Place>,
}

impl Tendon {
    /// A tendon over no joint yet.
    pub fn new(name: impl Into<String>) -> Self {
        Tendon {
            name: name.into(),
            terms: Vec::new(),
            path: Vec::new(),
            slack: 0.0,
            dof: Dof::default(),
            softness: None,
            place: None,
        }
    }

    /// Adds the first coordinate of a joint.
    pub fn term(self, joint: impl Into<Ref<JointId>>, coefficient: f64) -> Self {
        self.term_of(joint, 0, coefficient)
    }

    /// Adds any coordinate of a joint.
    pub fn term_of(mut self, joint: impl Into<Ref<JointId>>, dof: usize, coefficient: f64) -> Self {
        self.terms.push(CouplingTerm { joint: joint.into(), dof, coefficient });
        self
    }

    /// What it goes by, in order: then it is as long as its way through space.
    pub fn path(mut self, path: impl Into<Vec<Waypoint>>) -> Self {
        self.path = path.into();
        self
    }

    /// Least and largest length.
    pub fn limits(mut self, low: f64, high: f64) -> Self {
        self.dof.limits = [low, high];
        self
    }

    /// A spring that pulls to a length.
    pub fn spring(mut self, stiffness: f64, rest: f64) -> Self {
        self.dof.spring = Some(Spring { stiffness, rest });
        self
    }

    /// Viscous damping.
    pub fn damping(mut self, damping: f64) -> Self {
        self.dof.damping = damping;
        self
    }

    /// Says where the tendon was described; otherwise it is the caller's line.
    pub fn place(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }
}
