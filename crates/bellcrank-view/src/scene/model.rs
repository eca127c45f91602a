//! One model for the page.

use super::PoseView;
use super::camera::CameraView;
use super::drawn::{Drawn, drawn};
use super::extent::Extent;
use super::geometry::{GeometryView, MeshTable};
use super::picture::PictureTable;
use bellcrank_math::{Pose, Quat};
use bellcrank_model::{Actuator, Body, Control, Geometry, Joint, JointId, Model, Shape};
use serde::Serialize;
use std::f64::consts::PI;

/// A model as the page reads it.
#[derive(Clone, Debug, Serialize)]
pub struct ModelView {
    name: String,
    pub(crate) mass: f64,
    pub(crate) extent: Extent,
    /// Height of its horizontal ground plane [m], if it has one.
    pub(crate) floor: Option<f64>,
    bodies: Vec<BodyView>,
    joints: Vec<JointView>,
    /// Joint numbers of each loop.
    loops: Vec<Vec<usize>>,
    actuators: Vec<ActuatorView>,
    shapes: Vec<ShapeView>,
    keyframes: Vec<String>,
    cameras: Vec<CameraView>,
}

#[derive(Clone, Debug, Serialize)]
struct BodyView {
    name: String,
    mass: f64,
    /// The body before it in the spanning tree.
    parent: Option<usize>,
    /// A box of even density with the same inertia, in the body frame.
    inertia_box: Option<BoxView>,
}

#[derive(Clone, Debug, Serialize)]
struct BoxView {
    half: [f64; 3],
    quat_wxyz: [f64; 4],
}

#[derive(Clone, Debug, Serialize)]
struct JointView {
    name: String,
    kind: &'static str,
    predecessor: Option<usize>,
    successor: Option<usize>,
    /// X_PF in the predecessor's body frame (the world's for the world).
    frame_predecessor: PoseView,
    /// X_SM in the successor's body frame.
    frame_successor: PoseView,
    /// Where its coordinates begin among all.
    coordinate: usize,
    coordinate_count: usize,
    /// One plain coordinate per degree of freedom.
    scalar: bool,
    /// By degree of freedom: is it an angle?
    angle: Vec<bool>,
    /// By degree of freedom; null where open.
    limits: Vec<[Option<f64>; 2]>,
    /// It closes a loop of the spanning tree.
    closes_loop: bool,
}

#[derive(Clone, Debug, Serialize)]
struct ActuatorView {
    name: String,
    /// `None` for motors on tendons and sites.
    joint: Option<usize>,
    control: &'static str,
    unit: &'static str,
    range: [f64; 2],
}

/// A drawn shape, in its body's frame.
#[derive(Clone, Debug, Serialize)]
struct ShapeView {
    name: String,
    /// `None` for the world.
    body: Option<usize>,
    /// X_BG, or X_WG for the world.
    pose: PoseView,
    geometry: GeometryView,
    /// Null where the author gave none.
    color: Option<[f32; 4]>,
    /// Number of the picture on its mesh, which the colour tints, and the mean of both.
    picture: Option<usize>,
    mean_color: Option<[f32; 4]>,
    collides: bool,
    /// Drawn in place of a body without shapes.
    stand_in: bool,
}

impl ModelView {
    pub(super) fn of(model: &Model, meshes: &mut MeshTable, pictures: &mut PictureTable) -> Self {
        let extent = Extent::of(model);
        let shapes = drawn(model).into_iter().map(|shape| shape_view(shape, meshes, pictures)).collect();
        let mut coordinate = 0;
        let mut joints = Vec::with_capacity(model.joints().len());
        for (j, joint) in model.joints().iter().enumerate() {
            let closes_loop = model.loops().iter().any(|l| l.closing.index() == j);
            joints.push(joint_view(joint, model.joint_frames(JointId::new(j)), coordinate, closes_loop));
            coordinate += joint.kind.coordinate_count();
        }
        ModelView {
            name: model.name().into(),
            mass: model.mass(),
            extent,
            floor: floor(model),
            bodies: bodies(model),
            joints,
            loops: model.loops().iter().map(|l| l.joints.iter().map(|j| j.index()).collect()).collect(),
            actuators: model.actuators().iter().map(|a| actuator_view(model, a)).collect(),
            shapes,
            keyframes: model.keyframes().iter().map(|k| k.name.clone()).collect(),
            cameras: model.cameras().iter().map(|camera| CameraView::of(model, camera)).collect(),
        }
    }
}

fn floor(model: &Model) -> Option<f64> {
    let level = |shape: &&Shape| {
        matches!(shape.geometry, Geometry::Plane)
            && shape.X_LG.R.rotate(bellcrank_math::Vec3::z_axis()).z > 0.999
    };
    model.shapes().iter().find(level).map(|shape| shape.X_LG.p.z)
}

fn bodies(model: &Model) -> Vec<BodyView> {
    let mut parents = vec![None; model.bodies().len()];
    for node in model.graph().tree() {
        parents[node.body.index()] = node.parent.map(|b| b.index());
    }
    let view = |(body, parent): (&Body, Option<usize>)| BodyView {
        name: body.name.clone(),
        mass: body.mass,
        parent,
        inertia_box: inertia_box(body),
    };
    model.bodies().iter().zip(parents).map(view).collect()
}

/// A box with half-edges h has moments m (h_y² + h_z²) / 3 and so on; h_x² = 3 (I_y + I_z − I_x) / 2m.
fn inertia_box(body: &Body) -> Option<BoxView> {
    let inertia = body.inertia.filter(|_| body.mass > 0.0)?;
    let (I, axes) = inertia.eigen();
    let sum = I[0] + I[1] + I[2];
    let half = I.map(|i| (1.5 * (sum - 2.0 * i).max(0.0) / body.mass).sqrt());
    Some(BoxView { half, quat_wxyz: Quat::from_mat3(axes).to_wxyz() })
}

fn shape_view(shape: Drawn, meshes: &mut MeshTable, pictures: &mut PictureTable) -> ShapeView {
    ShapeView {
        geometry: meshes.view(&shape.geometry),
        name: shape.name,
        body: shape.body,
        pose: shape.X_BG.into(),
        color: shape.color,
        mean_color: shape.texture.as_ref().and(shape.mean_color),
        picture: shape.texture.as_ref().map(|texture| pictures.number(texture)),
        collides: shape.collides,
        stand_in: shape.stand_in,
    }
}

fn joint_view(joint: &Joint, frames: (Pose, Pose), coordinate: usize, closes_loop: bool) -> JointView {
    let open = |x: f64| x.is_finite().then_some(x);
    JointView {
        name: joint.name.clone(),
        kind: joint.kind.name(),
        predecessor: joint.predecessor.body().map(|b| b.index()),
        successor: joint.successor.body().map(|b| b.index()),
        frame_predecessor: frames.0.into(),
        frame_successor: frames.1.into(),
        coordinate,
        coordinate_count: joint.kind.coordinate_count(),
        scalar: joint.kind.has_scalar_coordinates(),
        angle: (0..joint.kind.dof_count()).map(|dof| joint.kind.is_angle(dof)).collect(),
        limits: joint.dofs.iter().map(|dof| dof.limits.map(open)).collect(),
        closes_loop,
    }
}

/// The range that a slider offers: the control's own, else what the joint or the motor allows, else something handy.
fn actuator_view(model: &Model, actuator: &Actuator) -> ActuatorView {
    let driven = actuator.coordinate().map(|(joint, dof)| (joint.index(), dof));
    // tendons and sites are taken for lengths and forces
    let angle = driven.is_some_and(|(joint, dof)| model.joints()[joint].kind.is_angle(dof));
    let both = |x: f64| [-x, x];
    let effort = if actuator.effort_limit.is_finite() { actuator.effort_limit } else { 10.0 };
    let limits = driven.and_then(|(joint, dof)| model.joints()[joint].dofs.get(dof)).map(|dof| dof.limits);
    let limits = limits.unwrap_or(both(f64::INFINITY));
    let (control, unit, fallback) = match actuator.control {
        Control::Position { .. } if limits.iter().all(|x| x.is_finite()) => {
            ("position", if angle { "rad" } else { "m" }, limits.map(|x| x * actuator.gear.abs()))
        }
        Control::Position { .. } if angle => ("position", "rad", both(PI)),
        Control::Position { .. } => ("position", "m", both(0.5)),
        Control::Velocity { .. } if angle => ("velocity", "rad/s", both(10.0)),
        Control::Velocity { .. } => ("velocity", "m/s", both(1.0)),
        Control::Effort => ("effort", if angle { "N·m" } else { "N" }, both(effort)),
        Control::Affine { .. } | Control::Varying { .. } => ("effort", "", both(1.0)),
        Control::Muscle(_) => ("effort", "", [0.0, 1.0]),
        Control::Voltage(_) => ("effort", "V", both(12.0)),
    };
    let own = actuator.control_range;
    let range = if own.iter().all(|x| x.is_finite()) { own } else { fallback };
    ActuatorView { name: actuator.name.clone(), joint: driven.map(|(joint, _)| joint), control, unit, range }
}
