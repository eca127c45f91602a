//! `<joint>`, `<loop_joint>` and `<transmission>`.

use super::control::{self, Motor};
use super::link::Links;
use super::{NO_BOUND, origin};
use crate::error::ImportFaultKind;
use crate::xml::Element;
use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::nearest;
use bellcrank_model::{Dof, JointKind, Place, Spring};
use std::collections::HashMap;

/// One joint of the file, loops included.
pub(super) struct UrdfJoint {
    pub name: String,
    pub kind: JointKind,
    pub parent: usize,
    pub child: usize,
    /// X_PF in the parent link, x along the axis.
    pub X_PF: Pose,
    /// X_SM in the child link; `None` to be closed at the zero configuration.
    pub X_SM: Option<Pose>,
    pub dof: Dof,
    pub mimic: Option<Mimic>,
    /// Coordinate of the reference pose [rad or m]; zero in plain URDF.
    pub reference: f64,
    /// A `<loop_joint>`: never carries a link.
    pub closes_loop: bool,
    pub place: Place,
}

/// q = multiplier · q_other + offset.
pub(super) struct Mimic {
    pub joint: String,
    pub multiplier: f64,
    pub offset: f64,
    pub place: Place,
}

/// All joints, in the order of the file.
pub(super) struct Joints {
    pub all: Vec<UrdfJoint>,
    /// No joint had to be left out because of its faults.
    pub complete: bool,
    /// The joints that have a motor, and its name, where the file says so.
    pub driven: Option<HashMap<String, Motor>>,
}

impl Joints {
    pub fn read(robot: &Element, links: &Links) -> Self {
        let mut all: Vec<UrdfJoint> = Vec::new();
        let mut lines: HashMap<String, u32> = HashMap::new();
        let mut complete = true;
        for element in &robot.children {
            let closes_loop = matches!(element.tag.as_str(), "loop_joint" | "constraint");
            if element.tag != "joint" && !closes_loop {
                continue;
            }
            element.see();
            let Some(joint) = (Reader { element, links, closes_loop }).joint() else {
                complete = false;
                continue;
            };
            if let Some(first) = lines.insert(joint.name.clone(), element.line) {
                let name = joint.name.clone();
                element.fault(ImportFaultKind::RepeatedName { noun: "joint", name, first });
                continue;
            }
            all.push(joint);
        }
        Joints { all, complete, driven: control::motors(robot) }
    }
}

struct Reader<'a> {
    element: &'a Element,
    links: &'a Links,
    closes_loop: bool,
}

/// The joint types, URDF's own first.
const KINDS: [(&str, JointKind); 14] = [
    ("revolute", JointKind::Revolute),
    ("continuous", JointKind::Revolute),
    ("prismatic", JointKind::Prismatic),
    ("fixed", JointKind::Fixed),
    ("floating", JointKind::Free),
    ("planar", JointKind::Planar),
    ("spherical", JointKind::Spherical),
    ("ball", JointKind::Spherical),
    ("universal", JointKind::Universal),
    ("cylindrical", JointKind::Cylindrical),
    ("gimbal", JointKind::Gimbal),
    ("cartesian", JointKind::Cartesian),
    ("screw", JointKind::Screw { pitch: 1.0 }),
    ("free", JointKind::Free),
];

impl Reader<'_> {
    fn joint(&self) -> Option<UrdfJoint> {
        let e = self.element;
        let name = e.required("name");
        let kind = e.required("type").and_then(|_| e.choice("type", &KINDS));
        let (parent, child) = (self.link("parent"), self.link("child"));
        let axis = self.axis("axis").unwrap_or_else(Vec3::x_axis);
        let A = Quat::x_axis_to(axis);
        let mut X_PF = origin(e.child(if self.closes_loop { "parent_origin" } else { "origin" }));
        X_PF.R = X_PF.R * self.axis("parent_axis").map_or(A, Quat::x_axis_to);
        let A_S = self.axis("child_axis").map_or(A, Quat::x_axis_to);
        let X_SM = match (self.closes_loop, e.child("child_origin")) {
            (false, _) => Some(Pose::new(A, Vec3::zero())),
            (true, None) => None,
            (true, given) => Some(origin(given) * Pose::new(A_S, Vec3::zero())),
        };
        let (dof, mimic) = (self.dof(kind), self.mimic());
        let reference = e.child("reference").and_then(|r| r.number("position")).unwrap_or(0.0);
        self.ignore_the_rest();
        Some(UrdfJoint {
            name: name?.to_owned(),
            kind: self.with_pitch(kind?),
            parent: parent?,
            child: child?,
            X_PF,
            X_SM,
            dof,
            mimic,
            reference,
            closes_loop: self.closes_loop,
            place: e.place(),
        })
    }

    fn link(&self, tag: &str) -> Option<usize> {
        let Some(end) = self.element.child(tag) else {
            self.element.fault(ImportFaultKind::MissingElement(tag.into()));
            return None;
        };
        let name = end.required("link")?;
        let found = self.links.get(name);
        if found.is_none() {
            // looking for similar names among very many would take longer than reading the file
            let few = self.links.all.len() < 2_000;
            let nearest = if few { nearest(name, self.links.names()) } else { None };
            let kind = ImportFaultKind::UnknownName { noun: "link", name: name.into(), nearest };
            self.element.fault(kind);
        }
        found
    }

    /// A direction of length one.
    fn axis(&self, tag: &str) -> Option<Vec3> {
        let axis = Vec3::from_array(self.element.child(tag)?.vector("xyz")?);
        let length = axis.norm();
        if length > 0.0 && length.is_finite() {
            return Some(axis * (1.0 / length));
        }
        // exporters write "0 0 0" on fixed joints, where it does no harm
        if self.element.attribute("type") != Some("fixed") {
            self.element.fault(bellcrank_model::FaultKind::ZeroAxis.into());
        }
        None
    }

    fn with_pitch(&self, kind: JointKind) -> JointKind {
        match kind {
            JointKind::Screw { .. } => {
                let pitch = self.element.child("screw").and_then(|s| s.required_number("pitch"));
                if pitch.is_none() {
                    self.element.fault(ImportFaultKind::MissingElement("screw pitch=\"...\"".into()));
                }
                JointKind::Screw { pitch: pitch.unwrap_or(1.0) }
            }
            other => other,
        }
    }

    fn dof(&self, kind: Option<JointKind>) -> Dof {
        let mut dof = Dof::default();
        if let Some(limit) = self.element.child("limit") {
            self.limit(limit, kind, &mut dof);
        } else if matches!(self.element.attribute("type"), Some("revolute" | "prismatic"))
            && !self.closes_loop
        {
            self.element.fault(ImportFaultKind::MissingElement("limit".into()));
        }
        if let Some(dynamics) = self.element.child("dynamics") {
            dof.damping = dynamics.number("damping").unwrap_or(0.0);
            dof.friction = dynamics.number("friction").unwrap_or(0.0);
            dof.armature = dynamics.number("armature").unwrap_or(0.0);
            let rest = dynamics.number("spring_reference").unwrap_or(0.0);
            let spring = dynamics.number("spring_stiffness").filter(|k| *k != 0.0);
            dof.spring = spring.map(|stiffness| Spring { stiffness, rest });
        }
        dof
    }

    fn limit(&self, limit: &Element, kind: Option<JointKind>, dof: &mut Dof) {
        let one_dof = kind.is_some_and(|k| k.dof_count() == 1);
        let bound = |name: &str| {
            let value = limit.number_or_infinite(name)?;
            Some(if value.abs() < NO_BOUND { value } else { value * f64::INFINITY }) // NaN stays
        };
        let (low, high) = (bound("lower"), bound("upper"));
        if self.element.attribute("type") == Some("continuous") {
            if low.is_some() || high.is_some() {
                limit.note("a continuous joint has no bounds");
            }
        } else if one_dof && (low.is_some() || high.is_some() || !self.closes_loop) {
            // URDF: a bound that is not given is zero
            dof.limits = [low.unwrap_or(0.0), high.unwrap_or(0.0)];
        }
        for (name, limit_of) in [("effort", &mut dof.effort_limit), ("velocity", &mut dof.velocity_limit)] {
            match bound(name) {
                Some(value) if value > 0.0 => *limit_of = value,
                Some(0.0) => {
                    limit.note(format!("{name}=\"0\" would hold the joint for good; taken as no limit"));
                }
                Some(value) => limit.fault_said(format!("{name} is {value}"), "give a limit above zero"),
                None => {}
            }
        }
        limit.ignore_attribute("acceleration", "accelerations are not limited");
        limit.ignore_attribute("jerk", "jerk is not limited");
    }

    fn mimic(&self) -> Option<Mimic> {
        let mimic = self.element.child("mimic")?;
        Some(Mimic {
            joint: mimic.required("joint")?.to_owned(),
            multiplier: mimic.number("multiplier").unwrap_or(1.0),
            offset: mimic.number("offset").unwrap_or(0.0),
            place: self.element.place(),
        })
    }

    fn ignore_the_rest(&self) {
        for element in &self.element.children {
            match element.tag.as_str() {
                "safety_controller" => element.ignore("soft limits belong to the controller"),
                "calibration" => element.ignore("the rising edge of a sensor has no effect on motion"),
                "hardwareInterface" => element.ignore("the interface to real hardware"),
                _ => {}
            }
        }
    }
}
