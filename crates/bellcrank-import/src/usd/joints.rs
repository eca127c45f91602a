//! UsdPhysics joints: which bodies, which frames, which motions.

use super::d6;
use super::layer::{Prim, Value, entry};
use super::scene::{Node, Nodes};
use super::xform::unit;
use crate::error::ImportFaultKind;
use crate::log::Log;
use crate::reverse::reversed;
use bellcrank_math::{Mat3, Pose, Quat, Vec3};
use bellcrank_model::{Dof, Joint, JointKind, Link, WORLD};

/// A degree of freedom by its USD name (`transX`, `rotY`, `linear`, `angular`), for limits and drives.
pub(super) type DofName = &'static str;

/// A joint, and what its degrees of freedom are called in the file.
pub(super) struct UsdJoint {
    pub joint: Joint,
    pub names: Vec<DofName>,
}

/// Reads joints of one scene.
pub(super) struct Reader<'a> {
    pub nodes: &'a Nodes<'a>,
    pub log: &'a Log,
    /// The link of each node that is a rigid body.
    pub link: &'a dyn Fn(usize) -> Link,
}

impl Reader<'_> {
    /// The joint that a prim describes, under this name.
    pub fn joint(&self, node: &Node<'_>, name: &str) -> Option<UsdJoint> {
        let prim = node.prim;
        if !prim.is_true("physics:jointEnabled", true) {
            self.log.ignore(node.place.clone(), "the joint is switched off");
            return None;
        }
        let (motion, turn, names) = self.motion(node)?;
        let (P, X_P) = self.end(node, "physics:body0", "0")?;
        let (S, X_S) = self.end(node, "physics:body1", "1")?;
        let turn = Pose::new(turn, Vec3::zero());
        let (mut X_PF, mut X_SM) = (X_P * turn, X_S * turn);
        let (mut P, mut S) = (P, S);
        if S == WORLD {
            (P, S) = (S, P);
            (X_PF, X_SM) = reversed(motion, X_PF, X_SM);
        }
        let mut joint = Joint::new(name, motion, P, S).frames(X_PF, X_SM).place(node.place.clone());
        for (dof, name) in joint.dofs.iter_mut().zip(&names) {
            self.limits(prim, name, dof);
        }
        joint.closes_loop = prim.is_true("physics:excludeFromArticulation", false);
        self.note_the_rest(node);
        Some(UsdJoint { joint, names })
    }

    /// Kind, the turn of the frames that brings the main axis to x, and the names of the degrees of freedom.
    fn motion(&self, node: &Node<'_>) -> Option<(JointKind, Quat, Vec<DofName>)> {
        let prim = node.prim;
        let axis = || axis(prim.token("physics:axis").unwrap_or("X"));
        match prim.kind.as_str() {
            "PhysicsFixedJoint" => Some((JointKind::Fixed, Quat::identity(), Vec::new())),
            "PhysicsRevoluteJoint" | "PhysicsPrismaticJoint" if is_locked(prim) => {
                let turn = axis();
                Some((JointKind::Fixed, turn, Vec::new()))
            }
            "PhysicsRevoluteJoint" => Some((JointKind::Revolute, axis(), vec!["angular"])),
            "PhysicsPrismaticJoint" => Some((JointKind::Prismatic, axis(), vec!["linear"])),
            "PhysicsSphericalJoint" => {
                let cone = |name: &str| prim.number(name).is_some_and(|x| x.is_finite() && x >= 0.0);
                if cone("physics:coneAngle0Limit") | cone("physics:coneAngle1Limit") {
                    self.log.ignore(node.place.clone(), "cone limits of ball joints are not held");
                }
                prim.token("physics:axis");
                Some((JointKind::Spherical, Quat::identity(), vec!["rotX", "rotY", "rotZ"]))
            }
            "PhysicsDistanceJoint" => {
                self.log.ignore(node.place.clone(), "distance joints are not held");
                None
            }
            _ => match dofs(prim) {
                Some(kind) => self.annotated(node, kind),
                None => self.six(node),
            },
        }
    }

    /// `customData = { string dofs = "universal" }` on a joint that says no more.
    fn annotated(&self, node: &Node<'_>, kind: &str) -> Option<(JointKind, Quat, Vec<DofName>)> {
        let (kind, names): (_, &[DofName]) = match kind {
            "fixed" => (JointKind::Fixed, &[]),
            "revolute" => (JointKind::Revolute, &["rotX"]),
            "prismatic" => (JointKind::Prismatic, &["transX"]),
            "cylindrical" => (JointKind::Cylindrical, &["transX", "rotX"]),
            "universal" => (JointKind::Universal, &["rotX", "rotY"]),
            "spherical" => (JointKind::Spherical, &["rotX", "rotY", "rotZ"]),
            "gimbal" => (JointKind::Gimbal, &["rotX", "rotY", "rotZ"]),
            "planar" => (JointKind::Planar, &["transY", "transZ", "rotX"]),
            "cartesian" => (JointKind::Cartesian, &["transX", "transY", "transZ"]),
            "free" => (JointKind::Free, &["transX", "transY", "transZ", "rotX", "rotY", "rotZ"]),
            other => {
                let what = format!("dofs = {other:?} is not a kind of joint");
                self.log.fault(
                    node.place.clone(),
                    ImportFaultKind::other(what, "use revolute, universal, cylindrical, ..."),
                );
                return None;
            }
        };
        // the other motions are locked for readers that do not know the word
        for axis in d6::AXES.into_iter().filter(|axis| !names.contains(axis)) {
            for end in ["low", "high"] {
                node.prim.number(&format!("limit:{axis}:physics:{end}"));
            }
        }
        Some((kind, Quat::identity(), names.to_vec()))
    }

    /// A joint of six degrees of freedom, some of them locked by limits.
    fn six(&self, node: &Node<'_>) -> Option<(JointKind, Quat, Vec<DofName>)> {
        let is_locked = |name: &str| {
            let bound = |end: &str| node.prim.number(&format!("limit:{name}:physics:{end}"));
            matches!((bound("low"), bound("high")), (Some(low), Some(high)) if low > high)
        };
        let found = d6::kind(d6::AXES.map(|name| !is_locked(name)));
        if found.is_none() {
            let free: Vec<_> = d6::AXES.into_iter().filter(|name| !is_locked(name)).collect();
            let what = format!("no joint has just the motions {}", free.join(", "));
            let hint = "split it in two joints with a small body between them";
            self.log.fault(node.place.clone(), ImportFaultKind::other(what, hint));
        }
        found
    }

    /// The link and X_PF or X_SM of one end; the world where no body is named.
    fn end(&self, node: &Node<'_>, body: &str, number: &str) -> Option<(Link, Pose)> {
        let p =
            node.prim.numbers(&format!("physics:localPos{number}")).map_or(Vec3::zero(), Vec3::from_array);
        let R = node
            .prim
            .numbers(&format!("physics:localRot{number}"))
            .and_then(unit)
            .unwrap_or(Quat::identity());
        let Some(path) = node.prim.targets(body).first().copied() else {
            let units = self.nodes.units;
            return Some((WORLD, Pose::new(units.upright * R, units.upright.rotate(p * units.metres))));
        };
        let Some(target) = self.nodes.get(path) else {
            let (noun, name) = ("prim", path.to_owned());
            self.log.fault(node.place.clone(), ImportFaultKind::UnknownName { noun, name, nearest: None });
            return None;
        };
        let X_WT = self.nodes.pose(target);
        let X_WJ = X_WT * Pose::new(R, self.nodes.stretched(target, p));
        // the joint may name a part of a body, or of the world
        Some(match self.nodes.all[target].body {
            Some(body) if body == target => ((self.link)(body), X_WT.inverse_mul(X_WJ)),
            Some(body) => ((self.link)(body), self.nodes.pose(body).inverse_mul(X_WJ)),
            None => (WORLD, X_WJ),
        })
    }

    fn limits(&self, prim: &Prim, name: &str, dof: &mut Dof) {
        let number = |keys: [String; 2]| keys.iter().find_map(|key| prim.number(key));
        let is_angle = name == "angular" || name.starts_with("rot");
        let unit = if is_angle { 1f64.to_radians() } else { self.nodes.units.metres };
        let low = number(["physics:lowerLimit".into(), format!("limit:{name}:physics:low")]);
        let high = number(["physics:upperLimit".into(), format!("limit:{name}:physics:high")]);
        let bound = |x: f64| if x.abs() > 1e30 { f64::INFINITY.copysign(x) } else { x * unit };
        dof.limits = [low.map_or(f64::NEG_INFINITY, bound), high.map_or(f64::INFINITY, bound)];
        let axis = |end: &str| format!("physxJointAxis:{name}:{end}");
        let first = |keys: &[String]| {
            keys.iter().rev().filter_map(|key| prim.number(key)).fold(None, |first, x| first.or(Some(x)))
        };
        let named = |ends: &[&str]| ends.iter().map(|end| (*end).to_owned()).collect::<Vec<_>>();
        let armature = first(
            &[named(&["physxJoint:armature", "newton:armature", "mjc:armature"]), vec![axis("armature")]]
                .concat(),
        );
        dof.armature = armature.unwrap_or(0.0).max(0.0);
        // static friction is not told from dynamic friction here; the latter counts
        let efforts = [axis("staticFrictionEffort"), axis("dynamicFrictionEffort")];
        let friction = first(&[named(&["newton:friction", "mjc:frictionloss"]), efforts.to_vec()].concat());
        dof.friction = friction.unwrap_or(0.0).max(0.0);
        let speeds = named(&["physxJoint:maxJointVelocity", "newton:velocityLimit"]);
        let speed = first(&[speeds, vec![axis("maxJointVelocity")]].concat());
        dof.velocity_limit = speed.filter(|v| *v > 0.0 && *v < 1e6).map_or(f64::INFINITY, |v| v * unit);
        let damping = first(&named(&["newton:damping", "mjc:damping"]));
        dof.damping = damping.unwrap_or(0.0).max(0.0);
    }

    fn note_the_rest(&self, node: &Node<'_>) {
        for name in ["physics:breakForce", "physics:breakTorque"] {
            if node.prim.number(name).is_some_and(|x| x < 1e30) {
                self.log.ignore(node.place.clone(), format!("{name}: joints do not break"));
            }
        }
        if node.prim.number("physxJoint:jointFriction").is_some_and(|x| x != 0.0) {
            let why = "physxJoint:jointFriction is a share of the force that the joint carries, which is not simulated; \
                       dynamicFrictionEffort is";
            self.log.ignore(node.place.clone(), why);
        }
        if node.prim.is_true("physics:collisionEnabled", false) {
            self.log.ignore(
                node.place.clone(),
                "physics:collisionEnabled: joined bodies do not touch each other",
            );
        }
    }
}

/// A lower limit above the upper one locks the axis.
fn is_locked(prim: &Prim) -> bool {
    let bound = |name: &str| prim.number(name);
    matches!((bound("physics:lowerLimit"), bound("physics:upperLimit")), (Some(low), Some(high)) if low > high)
}

fn dofs(prim: &Prim) -> Option<&str> {
    match entry(&prim.metadata, "customData")? {
        Value::Dictionary(entries) => entries.iter().find(|(key, _)| key == "dofs")?.1.text(),
        _ => None,
    }
}

/// The turn that takes x to the named axis and keeps the order of the axes.
fn axis(name: &str) -> Quat {
    let [x, y, z] = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()];
    match name {
        "Y" => Quat::from_mat3(Mat3::from_columns(y, z, x)),
        "Z" => Quat::from_mat3(Mat3::from_columns(z, x, y)),
        _ => Quat::identity(),
    }
}
