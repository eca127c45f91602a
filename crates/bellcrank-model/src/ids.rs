//! Indices that cannot be mixed up, and references to parts by index or by name.

use std::fmt;
use std::hash::Hash;

/// An index into one of the model's lists.
pub trait Id: Copy + Eq + Hash + fmt::Debug + 'static {
    /// What it counts: "body", "joint", …
    const NOUN: &'static str;
    /// The `index`-th part.
    fn new(index: usize) -> Self;
    /// Position in the model's list.
    fn index(self) -> usize;
}

macro_rules! id {
    ($name:ident, $noun:literal) => {
        #[doc = concat!("Which ", $noun, " of a model; they are numbered from zero in the order in which they were added.")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// Position in the model's list.
            pub fn index(self) -> usize {
                self.0 as usize
            }
            /// The part at that position.
            pub fn new(index: usize) -> Self {
                $name(u32::try_from(index).unwrap_or(u32::MAX))
            }
        }

        impl Id for $name {
            const NOUN: &'static str = $noun;
            fn new(index: usize) -> Self {
                $name::new(index)
            }
            fn index(self) -> usize {
                $name::index(self)
            }
        }

        impl From<$name> for Ref<$name> {
            fn from(id: $name) -> Self {
                Ref::Id(id)
            }
        }
    };
}
id!(BodyId, "body");
id!(JointId, "joint");
id!(CouplingId, "coupling");
id!(TendonId, "tendon");
id!(ActuatorId, "actuator");
id!(ShapeId, "shape");
id!(SiteId, "site");
id!(CameraId, "camera");
id!(SensorId, "sensor");
id!(KeyframeId, "keyframe");

/// A part of a model, by index or by name. In a built [`crate::Model`] it is always an index.
#[derive(Clone, Debug, PartialEq)]
pub enum Ref<I> {
    /// By index.
    Id(I),
    /// By name, until the model is built.
    Name(String),
}

impl<I: Id> Ref<I> {
    /// The index.
    ///
    /// # Panics
    /// When the reference is still a name, which a built model never contains.
    pub fn id(&self) -> I {
        match self {
            Ref::Id(id) => *id,
            Ref::Name(name) => unreachable!("{} {name:?} was not resolved", I::NOUN),
        }
    }
}

impl<I> From<&str> for Ref<I> {
    fn from(name: &str) -> Self {
        Ref::Name(name.to_owned())
    }
}

impl<I> From<String> for Ref<I> {
    fn from(name: String) -> Self {
        Ref::Name(name)
    }
}

/// What a joint or a shape is attached to: the world or a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Link {
    /// The ground, at rest.
    World,
    /// A body.
    Body(Ref<BodyId>),
}

/// The ground, at rest.
pub const WORLD: Link = Link::World;

impl Link {
    /// The body, or `None` for the world.
    ///
    /// # Panics
    /// When the reference is still a name, which a built model never contains.
    pub fn body(&self) -> Option<BodyId> {
        match self {
            Link::World => None,
            Link::Body(body) => Some(body.id()),
        }
    }
}

impl<T: Into<Ref<BodyId>>> From<T> for Link {
    fn from(body: T) -> Self {
        Link::Body(body.into())
    }
}
