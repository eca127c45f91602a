//! What can be wrong with a model, where, and the way out.
//!
//! The texts are part of the product: they are snapshot-tested, and read
//! ```text
//! robots/leg.urdf:2: <joint name="knee_rod">: the axis has no direction
//!   hint: a joint that does not move is type="fixed"
//! ```

use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// Where something was said: a file and line, and the element there.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The file, or the source file of the program that built the model.
    pub file: Arc<str>,
    /// Line number, from 1.
    pub line: u32,
    /// The element, as in `<joint name="knee">`.
    pub element: String,
}

impl Place {
    /// A place in a file; the element is filled in by the part that is added there.
    pub fn new(file: impl Into<Arc<str>>, line: u32) -> Self {
        Place { file: file.into(), line, element: String::new() }
    }

    pub(crate) fn of_caller(location: &Location<'_>) -> Self {
        Place::new(location.file(), location.line())
    }

    pub(crate) fn element(mut self, tag: &str, name: &str) -> Self {
        self.element = format!("<{tag} name={name:?}>");
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.element)
    }
}

/// One thing that is wrong and that the author of the model can mend.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Where it was said.
    pub place: Place,
    /// What is wrong.
    pub kind: FaultKind,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\n  hint: {}", self.place, self.kind, self.kind.hint())
    }
}

/// Everything that is wrong with a model, in the order in which it was said.
#[derive(Clone, Debug, PartialEq)]
pub struct Faults(pub Vec<Fault>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.0.iter().enumerate() {
            let separator = if i == 0 { "" } else { "\n" };
            write!(f, "{separator}{fault}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}

/// Understood but not simulated. Never dropped silently: the model keeps the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Ignored {
    /// Where it was said.
    pub place: Place,
    /// Why it has no effect.
    pub why: String,
}

/// Legal, but probably not meant.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// Where it was said.
    pub place: Place,
    /// What a mechanic would say.
    pub text: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}

/// One variant per thing that an author can mend.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the texts say it
pub enum FaultKind {
    #[error("the model has no bodies")]
    NoBodies,
    #[error("the name is empty")]
    EmptyName,
    #[error("there is another {noun} of this name at {first}")]
    DuplicateName { noun: &'static str, first: String },
    #[error("there is no {noun} {name:?}")]
    DanglingName { noun: &'static str, name: String, nearest: Option<String> },
    #[error("there is no {noun} number {index}; the model has {count}")]
    DanglingId { noun: &'static str, index: usize, count: usize },
    #[error("{what}: {value} is not a finite number")]
    NotFinite { what: String, value: f64 },
    #[error("{what} is {value}, but must be {rule}")]
    OutOfRange { what: String, value: f64, rule: &'static str },
    #[error("{what} is {value:e}, but nothing can be computed beyond {limit:e}")]
    TooLarge { what: String, value: f64, limit: f64 },
    #[error("{what} is {value:e}, but nothing can be computed below {limit:e}")]
    TooSmall { what: String, value: f64, limit: f64 },
    #[error("{what}: the lower bound {low} is above the upper bound {high}")]
    InvertedRange { what: String, low: f64, high: f64 },
    #[error("the mass is {0} kg")]
    Massless(f64),
    #[error("no inertia is given")]
    NoInertia,
    #[error("the inertia matrix is not positive definite: its principal moments are ({:.3e}, {:.3e}, {:.3e}) kg·m²", .0[0], .0[1], .0[2])]
    IndefiniteInertia([f64; 3]),
    #[error("principal inertias ({:.3e}, {:.3e}, {:.3e}) kg·m² belong to no rigid body: the largest exceeds the sum of the others", .0[0], .0[1], .0[2])]
    ImpossibleInertia([f64; 3]),
    #[error("{0}: the rotation is a quaternion of length zero")]
    ZeroQuaternion(String),
    #[error("the axis has no direction")]
    ZeroAxis,
    #[error("the joint connects {0} to itself")]
    SelfJoint(String),
    #[error("the successor is the world")]
    SuccessorIsWorld,
    #[error("degree of freedom {dof} was given, but a {kind} joint has {count}")]
    NoSuchDof { dof: usize, kind: &'static str, count: usize },
    #[error("the coupling has no terms")]
    EmptyCoupling,
    #[error("a current in a winding belongs to a motor at a voltage")]
    CurrentWithoutVoltage,
    #[error("the tendon has no path: {0}")]
    BadPath(&'static str),
    #[error("a {0} joint has no scalar coordinates to couple")]
    NoScalarCoordinate(&'static str),
    #[error("a plane is attached to a body that moves")]
    MovingPlane,
    #[error("the {what} has {found} {of}, at least {least} are needed")]
    TooFew { what: &'static str, found: usize, of: &'static str, least: usize },
    #[error("triangle {triangle} names vertex {vertex}, but there are only {count}")]
    NoSuchVertex { triangle: usize, vertex: u32, count: usize },
    #[error("the {what} has {found} values, expected: {expected}")]
    WrongCount { what: String, found: usize, expected: usize },
    #[error("the two bodies are the same")]
    SameBody,
}

impl FaultKind {
    /// The way out.
    pub fn hint(&self) -> String {
        match self {
            FaultKind::NoBodies => "add at least one body".into(),
            FaultKind::EmptyName => "every part needs a name by which it can be found".into(),
            FaultKind::DuplicateName { noun, .. } => format!("rename one {noun} of the two"),
            FaultKind::DanglingName { nearest: Some(near), .. } => format!("did you mean {near:?}?"),
            FaultKind::DanglingName { noun, .. } => format!("check the spelling, or add the {noun}"),
            FaultKind::DanglingId { noun, .. } => {
                format!("use an id that this builder returned for a {noun}")
            }
            FaultKind::NotFinite { .. } => {
                "look for a division by zero or an unset value where it was computed".into()
            }
            FaultKind::OutOfRange { .. } => "leave the value out to get the default".into(),
            FaultKind::TooLarge { .. } | FaultKind::TooSmall { .. } => {
                "check its unit: metres, kilograms, seconds and radians are meant".into()
            }
            FaultKind::InvertedRange { .. } => "swap the two bounds".into(),
            FaultKind::Massless(_) => {
                "give the body a mass above zero, or merge it into the body that carries it".into()
            }
            FaultKind::NoInertia => {
                "give the inertia about the centre of mass, or a solid such as a box".into()
            }
            FaultKind::IndefiniteInertia(_) => {
                "check the signs of the products of inertia: CAD programs disagree about them".into()
            }
            FaultKind::ImpossibleInertia(_) => {
                "check the unit of the CAD export, and that the inertia is about the centre of mass".into()
            }
            FaultKind::ZeroQuaternion(_) => {
                "the rotation that turns nothing is (w, x, y, z) = (1, 0, 0, 0)".into()
            }
            FaultKind::ZeroAxis => "a joint that does not move is type=\"fixed\"".into(),
            FaultKind::SelfJoint(_) => {
                "a joint connects two different bodies, or a body and the world".into()
            }
            FaultKind::SuccessorIsWorld => "make the world the predecessor and the body the successor".into(),
            FaultKind::NoSuchDof { count: 0, .. } => "choose a joint that moves".into(),
            FaultKind::NoSuchDof { count: 1, .. } => "its one degree of freedom has number 0".into(),
            FaultKind::NoSuchDof { count, .. } => {
                format!("degrees of freedom are numbered 0 to {}", count - 1)
            }
            FaultKind::BadPath(_) => {
                "a path is a site, what the tendon goes around, a site, and so on".into()
            }
            FaultKind::CurrentWithoutVoltage => {
                "give the actuator Control::Voltage, or another activation".into()
            }
            FaultKind::EmptyCoupling => "name the joints that it couples, with a coefficient each".into(),
            FaultKind::NoScalarCoordinate(_) => {
                "couple revolute, prismatic or other joints with plain coordinates".into()
            }
            FaultKind::MovingPlane => "a plane is infinite: attach it to the world, or use a box".into(),
            FaultKind::TooFew { .. } => "check that the mesh was read completely".into(),
            FaultKind::NoSuchVertex { .. } => {
                "vertices are numbered from zero; the file may be damaged".into()
            }
            FaultKind::WrongCount { .. } => "give one value for each, in the model's order".into(),
            FaultKind::SameBody => "name two different bodies".into(),
        }
    }
}
