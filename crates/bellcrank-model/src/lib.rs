//! What a mechanism *is*: bodies, joints between any two of them, motors, shapes — before anything moves.
//!
//! A [`ModelBuilder`] collects the parts and reports every fault at once; a [`Model`] is the checked, immutable
//! result that simulation, tree operators and viewers share. Loops are ordinary joints: the joint graph
//! ([`JointGraph`]) finds them, along with a spanning tree, the mobility and the redundant rows.
//!
//! | file | what |
//! |---|---|
//! | `ids` | newtype indices, references by id or name, [`Link`] |
//! | `body` `joint/` `coupling` `tendon` `actuator` `torque_speed` `muscle` `voltage` `shape` `mesh` `texture` `hull` `site` `in_medium` `camera` `sensor` `keyframe` `contact` `combine` | the parts |
//! | `joint/kind` `joint/kinematics` | the one definition of every joint type: rows, axes, coordinates |
//! | `builder` `resolve` `validate` `fault` | from parts to a model, or to a list of faults |
//! | `model` `graph` `mobility` `size` `warnings` | the result, its joint graph, rank and redundancy, what looks wrong |
//! | `feature` | what a model can say and no simulation does yet |
//! | `parameters` | physical parameters, shared or one per world |
//! | `library` | the mechanisms that ship with Bellcrank |
//! | `adrift` | any mechanism in empty space, to see whether it keeps what Newton's laws say |
#![forbid(unsafe_code)]

mod actuator;
mod adrift;
mod body;
mod builder;
mod camera;
mod combine;
mod contact;
mod coupling;
mod fault;
mod feature;
mod fingerprint;
mod graph;
mod hold;
mod hull;
mod ids;
mod in_medium;
mod joint;
mod keyframe;
pub mod library;
pub mod magnitude;
mod medium;
mod mesh;
mod mobility;
mod model;
mod muscle;
mod parameters;
pub mod path;
mod resolve;
mod sensor;
mod shape;
mod show;
mod site;
mod size;
mod softness;
mod tendon;
mod texture;
mod torque_speed;
mod validate;
mod voltage;
mod warnings;
mod zone;

pub use actuator::{Activation, ActivationLaw, Actuator, Control, Target};
pub use adrift::{FRAME, adrift, adrift_at};
pub use body::Body;
pub use builder::ModelBuilder;
pub use camera::{Camera, CameraMode};
pub use combine::{CombineRule, MaterialRules};
pub use contact::{ContactFilter, PairSurface};
pub use coupling::{Coupling, CouplingTerm};
pub use fault::{Fault, FaultKind, Faults, Ignored, Place, Warning};
pub use feature::Feature;
pub use fingerprint::{Checksum, Fingerprint};
pub use graph::{Component, JointGraph, Loop, TreeNode};
pub use hull::convex_hull;
pub use ids::{
    ActuatorId, BodyId, CameraId, CouplingId, JointId, KeyframeId, Link, Ref, SensorId, ShapeId, SiteId,
    TendonId, WORLD,
};
pub use in_medium::InMedium;
pub use joint::kinematics;
pub use joint::{Dof, Joint, JointKind, Spring};
pub use keyframe::Keyframe;
pub use medium::Medium;
pub use mesh::{HeightField, Mesh};
pub use mobility::Mobility;
pub use model::Model;
pub use muscle::Muscle;
pub use parameters::{
    ActuatorParameters, BodyParameters, JointParameters, Parameters, PerWorld, ShapeParameters,
};
pub use path::{Way, Waypoint};
pub use resolve::nearest;
pub use sensor::{Frame, Sensor, SensorKind};
pub use shape::{Geometry, Material, Shape};
pub use show::{Part, Show};
pub use site::Site;
pub use softness::{Compliance, DofSoftness, HeldSoftness, ShapeSoftness, SoftRow, Softness};
pub use tendon::Tendon;
pub use texture::Texture;
pub use torque_speed::TorqueSpeed;
pub use voltage::DcMotor;
pub use zone::Zone;
