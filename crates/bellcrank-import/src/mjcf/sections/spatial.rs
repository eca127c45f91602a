//! `<spatial>`: tendons that run through sites, around balls and cylinders, and over pulleys.

use crate::mjcf::assemble::assembly::{Assembly, Coordinate};
use crate::mjcf::bodies::joints::JointType;
use crate::mjcf::bodies::spec::{Section, Spec};
use crate::mjcf::vocabulary::references::{Lookup, missing};
use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::{BodyId, Link, Ref, SiteId, Way, Waypoint};
use std::collections::HashMap;

/// A path, and what of it is known before the model is built.
pub(super) struct Spatial {
    pub path: Vec<Waypoint>,
    /// Its length where all springs of joints are slack.
    pub rest: f64,
    /// How its length grows with hinges and slides at the reference pose.
    pub joints: Vec<(Coordinate, f64)>,
}

/// Reads a path; `None` where it names what is not there, which has been said.
pub(super) fn read(assembly: &Assembly<'_>, section: &Section) -> Option<Spatial> {
    let element = &section.element;
    let path: Vec<Option<Waypoint>> =
        element.children.iter().map(|child| waypoint(assembly, &inner(section, child))).collect();
    let path: Vec<Waypoint> = path.into_iter().collect::<Option<_>>()?;
    let way = Way::of(&path, assembly.builder.sites(), assembly.builder.shapes());
    if way.stretches.is_empty() {
        let hint = "give it two sites or more";
        element.fault_said("the tendon goes from nowhere to nowhere", hint);
        return None;
    }
    let owners = owners(assembly);
    let at_rest = spring_poses(assembly.spec);
    let pose = |poses: &[Pose], link: &Link| match link.body() {
        Some(body) => poses[owners[&body]],
        None => Pose::identity(),
    };
    let rest = way.state(|link| pose(&at_rest, link), |_, _| Vec3::zero())[0];
    let reference: Vec<Pose> = assembly.spec.bodies.iter().map(|body| body.X_WL).collect();
    let joints = assembly.coordinates.values().filter_map(|at| {
        let arm = arm(assembly.spec, at.at, |velocity| {
            let moved = |link: &Link, point: Vec3| match link.body() {
                Some(body) => velocity(owners[&body], point),
                None => Vec3::zero(),
            };
            way.state(|link| pose(&reference, link), moved)[1]
        });
        (arm != 0.0).then_some((*at, arm))
    });
    let mut joints: Vec<(Coordinate, f64)> = joints.collect();
    joints.sort_by_key(|(at, _)| at.at); // the order of a map is nobody's
    Some(Spatial { path, rest, joints })
}

fn inner(section: &Section, child: &crate::xml::Element) -> Section {
    Section {
        kind: "tendon",
        element: child.clone(),
        defaults: Default::default(),
        scope: section.scope.clone(),
    }
}

fn waypoint(assembly: &Assembly<'_>, section: &Section) -> Option<Waypoint> {
    let element = &section.element;
    element.see();
    match element.tag.as_str() {
        "site" => Some(Waypoint::Site(site(assembly, section, "site")?)),
        "pulley" => {
            let divisor = element.required_number("divisor")?;
            if divisor > 0.0 {
                return Some(Waypoint::Pulley { divisor });
            }
            element.fault_said(format!("divisor={divisor} of a pulley"), "a divisor is above zero");
            None
        }
        "geom" => {
            let full = section.scope.name(element.required("geom")?);
            let Some(&shape) = assembly.shapes.get(&full) else {
                missing(assembly.context.notes, section, "geom", &full, assembly.shapes.keys());
                return None;
            };
            let side = match element.has("sidesite") {
                true => Some(site(assembly, section, "sidesite")?),
                false => None,
            };
            Some(Waypoint::Around { shape: Ref::Id(shape), side })
        }
        _ => {
            element.fault_said(
                format!("<{}> is nothing that a tendon goes by", element.tag),
                "site, geom or pulley",
            );
            None
        }
    }
}

fn site(assembly: &Assembly<'_>, section: &Section, attribute: &str) -> Option<Ref<SiteId>> {
    assembly.site(section, attribute)?;
    let full = section.scope.name(section.element.attribute(attribute)?);
    assembly.sites.get(&full).map(|(id, ..)| Ref::Id(*id))
}

/// By body of the model, the body of the file whose frame it has.
fn owners(assembly: &Assembly<'_>) -> HashMap<BodyId, usize> {
    let own = assembly.carriers.iter().enumerate().filter(|(b, _)| assembly.is_own[*b]);
    own.filter_map(|(b, (link, _))| Some((link.body()?, b))).collect()
}

/// Where the bodies of the file are when all joints are where their springs are slack.
fn spring_poses(spec: &Spec) -> Vec<Pose> {
    let mut poses: Vec<Pose> = Vec::with_capacity(spec.bodies.len());
    for body in &spec.bodies {
        let mut X = poses.get(body.parent).map_or(body.X_PL, |parent| *parent * body.X_PL);
        for joint in &body.joints {
            let by = joint.spring_reference - joint.reference;
            X = X * match joint.kind {
                JointType::Slide => Pose::from_position(joint.axis * by),
                JointType::Hinge => {
                    let turn = Quat::from_axis_angle(joint.axis, by);
                    Pose::new(turn, joint.position - turn.rotate(joint.position))
                }
                JointType::Ball | JointType::Free => Pose::identity(),
            };
        }
        poses.push(X);
    }
    poses
}

/// The rate of a length while one hinge or slide moves with unit speed at the reference pose; `rate` is told how points of the file's
/// bodies move.
fn arm(spec: &Spec, (b, j): (usize, usize), rate: impl FnOnce(&dyn Fn(usize, Vec3) -> Vec3) -> f64) -> f64 {
    let (body, joint) = (&spec.bodies[b], &spec.bodies[b].joints[j]);
    let (axis, centre) = (body.X_WL.R.rotate(joint.axis), body.X_WL * joint.position);
    let carried = |mut other: usize| {
        // parents have smaller numbers than their children
        while other > b {
            other = spec.bodies[other].parent;
        }
        other == b
    };
    rate(&|other, point| match joint.kind {
        JointType::Slide if carried(other) => axis,
        JointType::Hinge if carried(other) => axis.cross(point - centre),
        _ => Vec3::zero(),
    })
}
