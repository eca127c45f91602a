//! The parts of a mechanism from keyword arguments.

use crate::convert::{list, part, pose};
use crate::error::said;
use crate::options::Options;
use bellcrank::math::{Mat3, Pose, Sym3, Vec3};
use bellcrank::model::{
    Activation, Actuator, ActuatorId, Body, BodyId, Camera, CameraMode, Control, Coupling, DcMotor, Frame,
    Geometry, HeightField, InMedium, Joint, JointId, JointKind, Keyframe, Link, Mesh, Muscle, Sensor,
    SensorKind, Shape, SiteId, Target, Tendon, TendonId, TorqueSpeed, Zone,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// Applies an option where it is given: `set!(part, options.number("mass") => mass)`.
macro_rules! set {
    ($part:ident, $($value:expr => $method:ident),* $(,)?) => {
        $(if let Some(value) = $value? {
            $part = $part.$method(value);
        })*
    };
}

pub fn body(name: &str, mut o: Options<'_>) -> PyResult<Body> {
    let mut body = Body::new(name);
    set!(body, o.pose() => at, o.vec3("com") => com);
    let mass = o.number("mass")?;
    if let Some(mass) = mass {
        body = body.mass(mass);
    }
    let mass = mass.unwrap_or(0.0);
    if let Some(size) = o.vec3("box")? {
        body = body.solid_box(mass, size);
    }
    if let Some(radius) = o.number("sphere")? {
        body = body.solid_sphere(mass, radius);
    }
    if let Some([radius, length]) = o.numbers("cylinder_x")? {
        body = body.solid_cylinder_x(mass, radius, length);
    }
    if let Some([radius, length]) = o.numbers("cylinder_y")? {
        body = body.solid_cylinder_y(mass, radius, length);
    }
    if let Some([radius, length]) = o.numbers("cylinder_z")? {
        body = body.solid_cylinder_z(mass, radius, length);
    }
    if let Some(value) = o.take("inertia")? {
        body = body.inertia(inertia(name, &value)?);
    }
    o.finish()?;
    Ok(body)
}

/// Three principal moments, or the whole symmetric matrix [kg·m²].
fn inertia(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Sym3> {
    let given = list(&format!("body {name:?}: inertia"), value)?;
    match given[..] {
        [xx, yy, zz] => Ok(Sym3::diagonal(xx, yy, zz)),
        [xx, xy, xz, yx, yy, yz, zx, zy, zz] if [xy, xz, yz] == [yx, zx, zy] => Ok(Sym3::from_upper(
            Mat3::from_columns(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz)),
        )),
        [_, _, _, _, _, _, _, _, _] => {
            Err(said("WrongValue", format!("body {name:?}: the inertia matrix is not symmetric"), ""))
        }
        _ => {
            let text =
                format!("body {name:?}: inertia has {} numbers, expected: 3 moments or 3×3", given.len());
            Err(said("WrongShape", text, ""))
        }
    }
}

pub fn joint(name: &str, kind: &str, [p, s]: [Link; 2], mut o: Options<'_>) -> PyResult<Joint> {
    let kind = joint_kind(name, kind, o.number("pitch")?)?;
    let mut joint = Joint::new(name, kind, p, s);
    let (point, axis, placed) = (o.vec3("point")?, o.vec3("axis")?, o.pose()?);
    match (point, axis, placed) {
        (None, None, None) => {}
        (Some(point), axis, None) => joint = joint.placed(point, axis.unwrap_or_else(Vec3::x_axis)),
        (None, None, Some(X_WF)) => joint = joint.placed_pose(X_WF),
        _ => {
            let text = format!("joint {name:?}: its place is not clear");
            return Err(said("WrongValue", text, "give point= and axis=, or position= and quat_wxyz="));
        }
    }
    let frames = [o.take("predecessor_frame")?, o.take("successor_frame")?];
    if frames.iter().any(Option::is_some) {
        let read = |value: &Option<Bound<'_, PyAny>>| value.as_ref().map(|v| pose("frame", v)).transpose();
        let or_identity = |X: Option<Pose>| X.unwrap_or_else(Pose::identity);
        joint = joint.frames(or_identity(read(&frames[0])?), or_identity(read(&frames[1])?));
    }
    set!(
        joint,
        o.number("armature") => armature,
        o.number("damping") => damping,
        o.number("friction") => friction,
        o.number("effort_limit") => effort_limit,
        o.number("velocity_limit") => velocity_limit,
    );
    if let Some([low, high]) = o.numbers("limits")? {
        joint = joint.limits(low, high);
    }
    if let Some([stiffness, rest]) = o.numbers("spring")? {
        joint = joint.spring(stiffness, rest);
    }
    if o.typed("closes_loop", "True or False")? == Some(true) {
        joint = joint.closing_loop();
    }
    o.finish()?;
    Ok(joint)
}

fn joint_kind(name: &str, kind: &str, pitch: Option<f64>) -> PyResult<JointKind> {
    let known: Vec<String> = JointKind::ALL.iter().map(|kind| kind.name().to_owned()).collect();
    match (JointKind::ALL.iter().find(|known| known.name() == kind), pitch) {
        (Some(JointKind::Screw { .. }), Some(pitch)) => Ok(JointKind::Screw { pitch }),
        (Some(JointKind::Screw { .. }), None) => {
            Err(said("WrongValue", format!("joint {name:?}: a screw needs pitch= [m/rad]"), ""))
        }
        (Some(kind), None) => Ok(*kind),
        (Some(_), Some(_)) => {
            Err(said("WrongValue", format!("joint {name:?}: only a screw has a pitch"), ""))
        }
        (None, _) => Err(said(
            "WrongValue",
            format!("joint {name:?}: there is no kind {kind:?}"),
            format!("known are {}", known.join(", ")),
        )),
    }
}

pub fn actuator(
    name: &str,
    joint: Option<&Bound<'_, PyAny>>,
    control: &str,
    mut o: Options<'_>,
) -> PyResult<Actuator> {
    let target = motor_target(name, joint, &mut o)?;
    let mut motor = Actuator::new(name, target, motor_control(name, control, &mut o)?);
    set!(
        motor,
        o.typed("dof", "a whole number") => dof,
        o.number("gear") => gear,
        o.number("effort_limit") => effort_limit,
    );
    if let Some([low, high]) = o.numbers("control_range")? {
        motor = motor.control_range(low, high);
    }
    motor.torque_speed = torque_speed(&mut o)?;
    motor.activation = activation(&motor, &mut o)?;
    o.finish()?;
    Ok(motor)
}

/// The times of a muscle, the time constant of a winding or of a filter before any other motor.
fn activation(motor: &Actuator, o: &mut Options<'_>) -> PyResult<Option<Activation>> {
    let (times, time) = (o.numbers("activation_times")?, o.number("time_constant")?);
    Ok(match (motor.control, times, time) {
        (Control::Muscle(_), times, _) => Some(Activation::muscle(times.unwrap_or([0.01, 0.04]))),
        (_, Some(_), _) => {
            let text = format!("actuator {:?}: activation_times= is for muscles", motor.name);
            return Err(said("WrongValue", text, "a filter has one time_constant="));
        }
        (Control::Voltage(_), _, time) => time.map(Activation::current),
        (_, _, time) => time.map(Activation::filter),
    })
}

/// Stall torque and speed without load, and a saturation beside them.
fn torque_speed(o: &mut Options<'_>) -> PyResult<Option<TorqueSpeed>> {
    let (line, saturation) = (o.numbers("torque_speed")?, o.number("saturation")?);
    let Some(saturation) = saturation else {
        return Ok(line.map(|[stall, no_load]| TorqueSpeed::new(stall, no_load)));
    };
    let [stall, no_load] = o.required("torque_speed", line)?;
    Ok(Some(TorqueSpeed::new(stall, no_load).saturation(saturation)))
}

/// A joint, a tendon or a site: one of them.
fn motor_target(name: &str, joint: Option<&Bound<'_, PyAny>>, o: &mut Options<'_>) -> PyResult<Target> {
    let (tendon, site) = (o.take("tendon")?, o.take("site")?);
    if let (None, None, None, Some(body)) = (joint, &tendon, &site, o.take("body")?) {
        return Ok(Target::body(part("body", &body, BodyId::new)?));
    }
    let (wrench, reference) = (o.numbers::<6>("wrench")?, o.take("reference")?);
    match (joint, tendon, site) {
        (Some(joint), None, None) => Ok(Target::joint(part("joint", joint, JointId::new)?)),
        (None, Some(tendon), None) => Ok(Target::tendon(part("tendon", &tendon, TendonId::new)?)),
        (None, None, Some(site)) => Ok(Target::Site {
            site: part("site", &site, SiteId::new)?,
            reference: reference.map(|site| part("reference", &site, SiteId::new)).transpose()?,
            wrench: o.required("wrench", wrench)?,
        }),
        _ => {
            let text = format!("actuator {name:?}: what it drives is not clear");
            Err(said("WrongValue", text, "give a joint, or tendon=, or body=, or site= and wrench="))
        }
    }
}

fn motor_control(name: &str, control: &str, o: &mut Options<'_>) -> PyResult<Control> {
    let (kp, kd) = (o.number("kp")?, o.number("kd")?);
    let (gain, gains, bias) = (o.number("gain")?, o.numbers("gains")?, o.numbers("bias")?);
    let (force, length, tendon_length) =
        (o.number("force")?, o.number("optimal_length")?, o.number("tendon_length")?);
    let (constant, resistance) = (o.number("motor_constant")?, o.number("resistance")?);
    match control {
        "position" => Ok(Control::Position { kp: o.required("kp", kp)?, kd: kd.unwrap_or(0.0) }),
        "velocity" => Ok(Control::Velocity { kd: o.required("kd", kd)? }),
        "effort" => Ok(Control::Effort),
        "affine" => Ok(Control::Affine { gain: o.required("gain", gain)?, bias: bias.unwrap_or([0.0; 3]) }),
        "varying" => {
            Ok(Control::Varying { gain: o.required("gains", gains)?, bias: bias.unwrap_or([0.0; 3]) })
        }
        "muscle" => {
            let (force, length) = (o.required("force", force)?, o.required("optimal_length", length)?);
            Ok(Control::Muscle(Muscle::new(force, length).tendon_length(tendon_length.unwrap_or(0.0))))
        }
        "voltage" => {
            let constant = o.required("motor_constant", constant)?;
            Ok(Control::Voltage(DcMotor::new(constant, o.required("resistance", resistance)?)))
        }
        _ => {
            let text = format!("actuator {name:?}: there is no control {control:?}");
            Err(said("WrongValue", text, "position, velocity, effort, affine, varying, muscle or voltage"))
        }
    }
}

/// How a camera moves, by the names that Python has for it.
const MODES: [&str; 5] = ["fixed", "track", "track_center_of_mass", "target", "target_center_of_mass"];

pub fn camera(name: &str, link: Link, mut o: Options<'_>) -> PyResult<Camera> {
    let mut camera = Camera::new(name, link);
    let (eye, target) = (o.vec3("eye")?, o.vec3("target")?);
    if let Some(X_LC) = o.pose()? {
        camera = camera.at(X_LC);
    }
    if eye.is_some() || target.is_some() {
        camera = camera.looking(o.required("eye", eye)?, o.required("target", target)?);
    }
    if let Some(angle) = o.number("field_of_view")? {
        camera = camera.field_of_view(angle);
    }
    let mode = o.typed::<String>("mode", "a text")?.unwrap_or_else(|| MODES[0].to_owned());
    let body = o.take("body")?.map(|value| part("body", &value, BodyId::new)).transpose()?;
    camera.mode = match mode.as_str() {
        "fixed" => CameraMode::Fixed,
        "track" => CameraMode::Track,
        "track_center_of_mass" => CameraMode::TrackCenterOfMass,
        "target" => CameraMode::Target(o.required("body", body)?),
        "target_center_of_mass" => CameraMode::TargetCenterOfMass(o.required("body", body)?),
        other => {
            let modes = MODES.map(|mode| format!("{mode:?}")).join(", ");
            return Err(said(
                "WrongValue",
                format!("camera {name:?}: mode is {other:?}"),
                format!("it is one of {modes}"),
            ));
        }
    };
    o.finish()?;
    Ok(camera)
}

pub fn shape(name: &str, link: Link, geometry: &str, mut o: Options<'_>) -> PyResult<Shape> {
    let geometry = read_geometry(name, geometry, &mut o)?;
    let mut shape = Shape::new(name, link, geometry);
    set!(
        shape,
        o.pose() => at,
        o.number("friction") => friction,
        o.number("restitution") => restitution,
        o.number("margin") => margin,
        o.number("gap") => gap,
    );
    if let Some(coefficients) = o.numbers("in_medium")? {
        let Some(radii) = shape.geometry.semi_axes() else {
            let text = format!("shape {name:?}: in a medium it is no ellipsoid");
            return Err(said(
                "WrongValue",
                text,
                "in_medium= is for spheres, boxes, capsules, cylinders and ellipsoids",
            ));
        };
        shape = shape.in_medium(InMedium::new(radii).coefficients(coefficients));
    }
    for (value, field) in [
        (o.number("torsional")?, &mut shape.material.torsional),
        (o.number("rolling")?, &mut shape.material.rolling),
    ] {
        *field = value.unwrap_or(*field);
    }
    shape.group = o.typed("group", "a whole number")?.unwrap_or(shape.group);
    shape.mask = o.typed("mask", "a whole number")?.unwrap_or(shape.mask);
    if let Some(color) = o.numbers::<4>("color")? {
        shape.color = color.map(|x| x as f32);
    }
    if o.typed("visual_only", "True or False")? == Some(true) {
        shape = shape.visual_only();
    }
    o.finish()?;
    Ok(shape)
}

fn read_geometry(name: &str, geometry: &str, o: &mut Options<'_>) -> PyResult<Geometry> {
    let (radius, half_length) = (o.number("radius")?, o.number("half_length")?);
    let (half, radii) = (o.vec3("half")?, o.vec3("radii")?);
    let round = |o: &Options<'_>| -> PyResult<(f64, f64)> {
        Ok((o.required("radius", radius)?, o.required("half_length", half_length)?))
    };
    Ok(match geometry {
        "plane" => Geometry::Plane,
        "sphere" => Geometry::Sphere { radius: o.required("radius", radius)? },
        "box" => Geometry::Box { half: o.required("half", half)? },
        "ellipsoid" => Geometry::Ellipsoid { radii: o.required("radii", radii)? },
        "capsule" => round(o).map(|(radius, half_length)| Geometry::Capsule { radius, half_length })?,
        "cylinder" => round(o).map(|(radius, half_length)| Geometry::Cylinder { radius, half_length })?,
        "cone" => round(o).map(|(radius, half_length)| Geometry::Cone { radius, half_length })?,
        "convex_mesh" => Geometry::ConvexMesh(Arc::new(mesh(o)?)),
        "triangle_mesh" => Geometry::TriangleMesh(Arc::new(mesh(o)?)),
        "height_field" => Geometry::HeightField(Arc::new(height_field(o)?)),
        _ => {
            let text = format!("shape {name:?}: there is no geometry {geometry:?}");
            let hint = "plane, sphere, box, capsule, cylinder, cone, ellipsoid, convex_mesh, triangle_mesh, height_field";
            return Err(said("WrongValue", text, hint));
        }
    })
}

fn mesh(o: &mut Options<'_>) -> PyResult<Mesh> {
    let vertices = o.typed::<Vec<[f64; 3]>>("vertices", "a list of (x, y, z)")?;
    let triangles = o.typed::<Vec<[u32; 3]>>("triangles", "a list of three vertex numbers each")?;
    let vertices = o.required("vertices", vertices)?.into_iter().map(Vec3::from_array).collect();
    Ok(Mesh::new(vertices, triangles.unwrap_or_default()))
}

fn height_field(o: &mut Options<'_>) -> PyResult<HeightField> {
    let heights = o.typed::<Vec<Vec<f64>>>("heights", "a list of rows of numbers")?;
    let (heights, size) = (o.required("heights", heights)?, o.numbers("size")?);
    let (rows, columns) = (heights.len(), heights.first().map_or(0, Vec::len));
    let size = o.required("size", size)?;
    Ok(HeightField { rows, columns, size, heights: heights.concat() })
}

pub fn sensor(name: &str, kind: &str, mut o: Options<'_>) -> PyResult<Sensor> {
    let site = o.take("site")?.map(|v| part("site", &v, SiteId::new)).transpose()?;
    let body = o.take("body")?.map(|v| part("body", &v, BodyId::new)).transpose()?;
    let joint = o.take("joint")?.map(|v| part("joint", &v, JointId::new)).transpose()?;
    let radius = o.number("radius")?;
    let frame = |o: &Options<'_>| match (&site, &body) {
        (Some(site), _) => Ok(Frame::Site(site.clone())),
        (None, body) => Ok::<_, PyErr>(Frame::Body(o.required("site= or body", body.clone())?)),
    };
    let kind = match kind {
        "imu" => SensorKind::Imu { site: o.required("site", site)? },
        "frame_pose" => SensorKind::FramePose(frame(&o)?),
        "frame_velocity" => SensorKind::FrameVelocity(frame(&o)?),
        "joint_state" => SensorKind::JointState(o.required("joint", joint)?),
        "contact_force" => SensorKind::ContactForce(o.required("body", body)?),
        "touch" => SensorKind::Touch {
            site: o.required("site", site)?,
            zone: Zone::ball(o.required("radius", radius)?),
        },
        _ => {
            let text = format!("sensor {name:?}: there is no kind {kind:?}");
            return Err(said(
                "WrongValue",
                text,
                "imu, frame_pose, frame_velocity, joint_state, contact_force or touch",
            ));
        }
    };
    o.finish()?;
    Ok(Sensor::new(name, kind))
}

pub fn coupling(name: &str, terms: &Bound<'_, PyDict>) -> PyResult<Coupling> {
    let mut coupling = Coupling::new(name);
    for (joint, coefficient) in terms.iter() {
        let coefficient = crate::convert::numbers::<1>("coefficient", &coefficient)?[0];
        coupling = coupling.term(part("joint", &joint, JointId::new)?, coefficient);
    }
    Ok(coupling)
}

pub fn tendon(name: &str, terms: &Bound<'_, PyDict>, mut o: Options<'_>) -> PyResult<Tendon> {
    let mut tendon = Tendon::new(name);
    for (joint, coefficient) in terms.iter() {
        let coefficient = crate::convert::numbers::<1>("coefficient", &coefficient)?[0];
        tendon = tendon.term(part("joint", &joint, JointId::new)?, coefficient);
    }
    set!(tendon, o.number("damping") => damping);
    for (value, field) in [
        (o.number("armature")?, &mut tendon.dof.armature),
        (o.number("friction")?, &mut tendon.dof.friction),
        (o.number("effort_limit")?, &mut tendon.dof.effort_limit),
    ] {
        *field = value.unwrap_or(*field);
    }
    if let Some([low, high]) = o.numbers("limits")? {
        tendon = tendon.limits(low, high);
    }
    if let Some([stiffness, rest]) = o.numbers("spring")? {
        tendon = tendon.spring(stiffness, rest);
    }
    o.finish()?;
    Ok(tendon)
}

pub fn keyframe(name: &str, mut o: Options<'_>) -> PyResult<Keyframe> {
    let mut keyframe = Keyframe::new(name);
    for (joint, q) in o.typed::<Bound<'_, PyDict>>("joints", "a dict")?.iter().flatten() {
        keyframe = keyframe.joint(part("joint", &joint, JointId::new)?, list("coordinates", &q)?);
    }
    for (body, X_WL) in o.typed::<Bound<'_, PyDict>>("bodies", "a dict")?.iter().flatten() {
        keyframe = keyframe.body(part("body", &body, BodyId::new)?, pose("pose", &X_WL)?);
    }
    for (actuator, u) in o.typed::<Bound<'_, PyDict>>("controls", "a dict")?.iter().flatten() {
        let u = crate::convert::numbers::<1>("control", &u)?[0];
        keyframe = keyframe.control(part("actuator", &actuator, ActuatorId::new)?, u);
    }
    o.finish()?;
    Ok(keyframe)
}
