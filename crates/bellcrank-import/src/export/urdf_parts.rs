//! What stands inside `<link>` and `<joint>`.

use super::Exported;
use super::write::{Attributes, Xml, color, number, numbers, obj, rpy, vector};
use crate::solid::Solid;
use crate::urdf::NO_BOUND;
use bellcrank_math::Pose;
use bellcrank_model::{BodyId, Dof, Geometry, Joint, JointId, JointKind, Model, Shape};

pub(super) fn add_origin(tag: &str, X: Pose, xml: &mut Xml) {
    xml.leaf(tag, &[("xyz", vector(X.p)), ("rpy", numbers(&rpy(X.R)))]);
}

/// Inertia and shapes of a body (or of the world), told from the frame U of its URDF link.
pub(super) fn add_link_content(
    model: &Model,
    body: Option<BodyId>,
    X_LU: Pose,
    xml: &mut Xml,
    out: &mut Exported,
) {
    let X_UL = X_LU.inverse();
    if let Some(body) = body.map(|b| &model.bodies()[b.index()]) {
        let solid = Solid { mass: body.mass, com: body.com, inertia: body.inertia.unwrap_or_default() };
        let Solid { mass, com, inertia: i } = solid.transformed(X_UL);
        xml.open("inertial", &[]);
        xml.leaf("origin", &[("xyz", vector(com))]);
        xml.leaf("mass", &[("value", number(mass))]);
        let moments =
            [("ixx", i.xx), ("ixy", i.xy), ("ixz", i.xz), ("iyy", i.yy), ("iyz", i.yz), ("izz", i.zz)];
        xml.leaf("inertia", &moments.map(|(name, value)| (name, number(value))));
        xml.close();
    }
    for shape in model.shapes().iter().filter(|shape| shape.link.body() == body) {
        add_shape(shape, X_UL * shape.X_LG, xml, out);
    }
}

fn add_shape(shape: &Shape, X_UG: Pose, xml: &mut Xml, out: &mut Exported) {
    if let Geometry::HeightField(_) = shape.geometry {
        return out.left_out.push(format!("shape {:?}: a height field", shape.name));
    }
    xml.open(if shape.collides { "collision" } else { "visual" }, &[("name", shape.name.clone())]);
    add_origin("origin", X_UG, xml);
    xml.open("geometry", &[]);
    let round = |radius: &f64, half_length: &f64| {
        [("radius", number(*radius)), ("length", number(2.0 * half_length))]
    };
    match &shape.geometry {
        Geometry::Plane => xml.leaf("plane", &[]),
        Geometry::Sphere { radius } => xml.leaf("sphere", &[("radius", number(*radius))]),
        Geometry::Box { half } => xml.leaf("box", &[("size", vector(*half * 2.0))]),
        Geometry::Ellipsoid { radii } => xml.leaf("ellipsoid", &[("radii", vector(*radii))]),
        Geometry::Cylinder { radius, half_length } => xml.leaf("cylinder", &round(radius, half_length)),
        Geometry::Capsule { radius, half_length } => xml.leaf("capsule", &round(radius, half_length)),
        Geometry::Cone { radius, half_length } => xml.leaf("cone", &round(radius, half_length)),
        Geometry::ConvexMesh(mesh) | Geometry::TriangleMesh(mesh) => {
            let file = format!("meshes/{}.obj", shape.name.replace(['/', '\\', ':'], "_"));
            out.files.insert(file.clone(), obj(mesh));
            xml.leaf("mesh", &[("filename", file)]);
        }
        Geometry::HeightField(_) => {}
    }
    xml.close();
    // other readers look for colours in visuals only, and pass over them elsewhere
    let usual = Shape::new("", bellcrank_model::WORLD, Geometry::Plane).color;
    if !shape.collides || shape.color != usual {
        xml.open("material", &[("name", format!("{}_color", shape.name))]);
        xml.leaf("color", &[("rgba", color(shape.mean_color()))]);
        xml.close();
    }
    if shape.texture.is_some() {
        out.left_out
            .push(format!("shape {:?}: its picture, in place of which is its mean colour", shape.name));
    }
    xml.close();
}

/// Limits, dynamics and mimic of a joint.
pub(super) fn add_joint_numbers(
    model: &Model,
    joint: &Joint,
    id: JointId,
    xml: &mut Xml,
    out: &mut Exported,
) {
    let Some(dof) = joint.dofs.first() else { return };
    if joint.dofs.iter().any(|other| other != dof) {
        out.left_out.push(format!("joint {:?}: its degrees of freedom differ; the first counts", joint.name));
    }
    let loads = [effort_limit(model, dof, id), dof.velocity_limit];
    // a sliding joint without bounds must say so, too: URDF reads a missing bound as zero
    let is_bounded = joint.dofs.len() == 1
        && (joint.kind != JointKind::Revolute || dof.limits.iter().any(|x| x.is_finite()));
    let mut said = Vec::new();
    if is_bounded {
        said.extend([("lower", bound(dof.limits[0])), ("upper", bound(dof.limits[1]))]);
    }
    if is_bounded || loads.iter().any(|x| x.is_finite()) {
        said.extend([("effort", bound(loads[0])), ("velocity", bound(loads[1]))]);
        xml.leaf("limit", &said);
    }
    add_dynamics(dof, xml);
    add_mimic(model, joint, id, xml, out);
}

/// URDF has one limit for the joint and its motors.
fn effort_limit(model: &Model, dof: &Dof, id: JointId) -> f64 {
    let motors = model.actuators().iter().filter(|motor| motor.coordinate().is_some_and(|(j, _)| j == id));
    motors.map(|motor| (motor.effort_limit * motor.gear).abs()).fold(dof.effort_limit, f64::min)
}

/// A bound, however far away. Other readers of URDF want every `<limit>` to say effort and velocity, and no `inf`.
fn bound(x: f64) -> String {
    number(x.clamp(-NO_BOUND, NO_BOUND))
}

fn add_dynamics(dof: &Dof, xml: &mut Xml) {
    let spring = dof.spring.map_or((0.0, 0.0), |s| (s.stiffness, s.rest));
    let ours = [("armature", dof.armature), ("spring_stiffness", spring.0), ("spring_reference", spring.1)];
    let ours = ours.into_iter().filter(|(_, x)| *x != 0.0);
    // urdfdom, the reader of ROS and Pinocchio, refuses a <dynamics> with neither of these
    let plain = [("damping", dof.damping), ("friction", dof.friction)];
    let said: Vec<_> = plain.into_iter().chain(ours).map(|(name, x)| (name, number(x))).collect();
    if said.len() > plain.len() || plain.iter().any(|(_, x)| *x != 0.0) {
        xml.leaf("dynamics", &said as Attributes<'_>);
    }
}

/// A coupling of two single coordinates is told at its first joint; others are left out.
fn add_mimic(model: &Model, joint: &Joint, id: JointId, xml: &mut Xml, out: &mut Exported) {
    for coupling in model.couplings() {
        let [first, second] = &coupling.terms[..] else {
            if coupling.terms.first().is_some_and(|t| t.joint.id() == id) {
                out.left_out.push(format!("coupling {:?}: more or fewer than two joints", coupling.name));
            }
            continue;
        };
        if first.joint.id() == id {
            let other = &model.joints()[second.joint.id().index()];
            if joint.dofs.len() != 1 || other.dofs.len() != 1 {
                out.left_out.push(format!("coupling {:?}: joints of many degrees of freedom", coupling.name));
                continue;
            }
            let multiplier = number(-second.coefficient / first.coefficient);
            let offset = number(coupling.constant / first.coefficient);
            xml.leaf(
                "mimic",
                &[("joint", other.name.clone()), ("multiplier", multiplier), ("offset", offset)],
            );
        }
    }
}
