//! The model as the file has it: a tree of bodies with their joints, geoms and sites, in MuJoCo's order.

use super::joints::JointSpec;
use crate::mjcf::preamble::source::{Scope, Source};
use crate::solid::Solid;
use crate::xml::Element;
use bellcrank_math::{Inertia, Pose};
use bellcrank_model::{Geometry, InMedium, Material, Place, Softness, Texture, Zone};
use std::rc::Rc;
use std::sync::Arc;

/// Everything the file says that moves, touches or is looked at.
#[derive(Debug)]
pub(in crate::mjcf) struct Spec {
    /// The world first, then depth first.
    pub bodies: Vec<BodySpec>,
    /// Elements of `<equality>`, `<tendon>`, `<actuator>`, `<contact>`, `<sensor>` and `<keyframe>`.
    pub sections: Vec<Section>,
}

/// An element outside the tree of bodies, with its class's attributes, and where it comes from.
#[derive(Debug)]
pub(in crate::mjcf) struct Section {
    /// The section's tag.
    pub kind: &'static str,
    pub element: Element,
    /// Defaults of actuators, the outermost first.
    pub defaults: Rc<Vec<Element>>,
    pub scope: Scope,
}

/// A body of the file.
#[derive(Debug)]
pub(in crate::mjcf) struct BodySpec {
    pub name: String,
    pub parent: usize,
    /// In the parent's frame.
    pub X_PL: Pose,
    /// In the world at the reference pose.
    pub X_WL: Pose,
    pub joints: Vec<JointSpec>,
    pub geoms: Vec<GeomSpec>,
    pub sites: Vec<SiteSpec>,
    pub cameras: Vec<CameraSpec>,
    /// What it weighs, in its own frame.
    pub solid: Solid,
    /// The principal axes of inertia.
    pub X_LI: Pose,
    /// Share of its weight that is carried from outside.
    pub gravity_compensation: f64,
    /// What `<inertial>` said, before geoms were looked at.
    pub stated: Option<Solid>,
    /// It is placed from outside.
    pub mocap: bool,
    /// The file that it comes from.
    pub source: Rc<Source>,
    pub place: Place,
}

/// A geom of the file.
#[derive(Debug)]
pub(in crate::mjcf) struct GeomSpec {
    pub name: String,
    pub X_LG: Pose,
    /// Where its principal axes are on the body.
    pub X_LI: Pose,
    /// How air or water pushes it.
    pub in_medium: Option<InMedium>,
    /// `None` where the shape could not be read or has no counterpart, which has been said.
    pub geometry: Option<Geometry>,
    /// What it weighs, in the body's frame.
    pub solid: Solid,
    /// Its mass could not be found, because its mesh is not there.
    pub mass_unknown: bool,
    pub inertia_group: f64,
    pub contype: u32,
    pub conaffinity: u32,
    pub surface: Surface,
    pub priority: i32,
    pub margin: f64,
    pub gap: f64,
    pub softness: Softness,
    /// Its weight where two are mixed.
    pub softness_mix: f64,
    pub color: [f32; 4],
    pub texture: Option<Arc<Texture>>,
    pub place: Place,
}

/// Friction as the file says it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::mjcf) struct Surface {
    /// Sliding, torsional, rolling.
    pub friction: [f64; 3],
    /// How many directions of contact forces count: 1, 3, 4 or 6.
    pub dimensions: u8,
}

impl Surface {
    /// The number of contact dimensions says which coefficients count.
    pub fn material(self) -> Material {
        let [sliding, torsional, rolling] = self.friction;
        let from = |least: u8, x: f64| if self.dimensions >= least { x } else { 0.0 };
        Material {
            sliding: from(3, sliding),
            torsional: from(4, torsional),
            rolling: from(6, rolling),
            restitution: 0.0,
        }
    }
}

/// A site of the file.
#[derive(Debug)]
pub(in crate::mjcf) struct SiteSpec {
    pub name: String,
    pub X_LS: Pose,
    /// Its volume, for touch sensors.
    pub zone: Zone,
    pub place: Place,
}

/// A camera of the file.
#[derive(Debug)]
pub(in crate::mjcf) struct CameraSpec {
    pub name: String,
    pub X_LC: Pose,
    /// Angle between the lower and the upper edge of the picture [rad].
    pub field_of_view: f64,
    pub aim: Aim,
    pub place: Place,
}

/// How a camera moves; the body that it looks at by its full name.
#[derive(Debug)]
pub(in crate::mjcf) enum Aim {
    Fixed,
    Track,
    TrackCenterOfMass,
    Target(String),
    TargetCenterOfMass(String),
}

impl Spec {
    /// Mass that hangs on a body, seen in the world at the reference pose.
    pub fn subtree_inertia(&self) -> Vec<Inertia> {
        let mut inertia: Vec<Inertia> =
            self.bodies.iter().map(|body| about_world(body.solid, body.X_WL)).collect();
        // children come after their parents
        for b in (1..self.bodies.len()).rev() {
            let parent = self.bodies[b].parent;
            inertia[parent] = inertia[parent] + inertia[b];
        }
        inertia
    }
}

fn about_world(solid: Solid, X_WL: Pose) -> Inertia {
    let Solid { mass, com, inertia } = solid.transformed(X_WL);
    Inertia::from_com(mass, com, inertia)
}
