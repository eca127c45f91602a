//! Sensors of MJCF: one for each part of ours that MuJoCo has a name for.
//!
//! A sensor that gives just one of these parts keeps its name, so that a file that is read and written says the same
//! again; one that gives several becomes as many, with endings.

use super::Exported;
use super::write::{Xml, number, numbers, vector};
use bellcrank_model::{Frame, JointKind, Link, Model, Part, Ref, Sensor, SensorKind, Show, SiteId, Zone};

type Attribute = (&'static str, String);

/// MuJoCo's name for a part of a measurement, and the ending of its own name where there are several.
struct Row(&'static str, Part, &'static str);

const fn row(tag: &'static str, first: usize, count: usize, end: &'static str) -> Row {
    Row(tag, Part::Numbers { first, count }, end)
}

/// The section `<sensor>`.
pub(super) fn add_sensors(model: &Model, xml: &mut Xml, out: &mut Exported) {
    xml.open("sensor", &[]);
    for sensor in model.sensors() {
        let written = add_sensor(model, sensor, xml);
        if !written {
            out.left_out.push(format!("sensor {:?}", sensor.name));
        }
    }
    xml.close_or_drop();
}

fn add_sensor(model: &Model, sensor: &Sensor, xml: &mut Xml) -> bool {
    let Some((rows, said)) = rows(model, &sensor.kind) else { return false };
    let show = &sensor.show;
    // MuJoCo tells the load of a joint the other way round
    let scale = if matches!(sensor.kind, SensorKind::ForceTorque(_)) { -1.0 } else { 1.0 };
    let plain = show.scale == scale && show.offset == 0.0;
    let measured = sensor.kind.count(model.joints());
    let count = |row: &&Row| Show { part: row.1, ..Show::default() }.count(measured).unwrap_or(0);
    let wanted: Vec<&Row> = match show.part {
        Part::All => rows.iter().filter(|Row(_, part, _)| !matches!(part, Part::Axis(_))).collect(),
        one => rows.iter().filter(|Row(_, part, _)| *part == one).collect(),
    };
    // all that it gives, or nothing
    let complete = show.part != Part::All || wanted.iter().map(count).sum::<usize>() == measured;
    let Some(cutoff) = cutoff(sensor).filter(|_| plain && complete && !wanted.is_empty()) else {
        return false;
    };
    for Row(tag, _, end) in &wanted {
        let end = if wanted.len() == 1 { "" } else { *end };
        let name = [("name", format!("{}{end}", sensor.name))];
        xml.leaf(tag, &[&name[..], &said, &cutoff].concat());
    }
    true
}

/// The bounds as `cutoff`; `None` where it cannot say them.
fn cutoff(sensor: &Sensor) -> Option<Vec<Attribute>> {
    let positive = matches!(sensor.kind, SensorKind::Touch { .. } | SensorKind::Range(_));
    match sensor.show.bounds {
        [f64::NEG_INFINITY, f64::INFINITY] => Some(Vec::new()),
        [low, high] if high > 0.0 && (low == -high || (positive && low == f64::NEG_INFINITY)) => {
            Some(vec![("cutoff", number(high))])
        }
        _ => None,
    }
}

/// What MuJoCo calls the parts of a measurement, and what is measured.
fn rows(model: &Model, kind: &SensorKind) -> Option<(Vec<Row>, Vec<Attribute>)> {
    let at = |site: &Ref<SiteId>| vec![("site", model.sites()[site.id().index()].name.clone())];
    let pose = || {
        let [x, y, z] = [("framexaxis", 0), ("frameyaxis", 1), ("framezaxis", 2)];
        let axis = |(tag, k)| Row(tag, Part::Axis(k), "");
        let plain = [row("framepos", 0, 3, "_position"), row("framequat", 3, 4, "_rotation")];
        plain.into_iter().chain([x, y, z].map(axis)).collect::<Vec<Row>>()
    };
    let motion = || vec![row("framelinvel", 0, 3, "_linear"), row("frameangvel", 3, 3, "_angular")];
    let seen_from = |frame: &Frame, from: &Frame| {
        let [kind, name] = framed(model, from);
        [&framed(model, frame)[..], &[("reftype", kind.1), ("refname", name.1)]].concat()
    };
    Some(match kind {
        SensorKind::Imu { site } => {
            (vec![row("accelerometer", 0, 3, "_acceleration"), row("gyro", 3, 3, "_rate")], at(site))
        }
        SensorKind::SiteVelocity(site) => {
            (vec![row("velocimeter", 0, 3, "_linear"), row("gyro", 3, 3, "_angular")], at(site))
        }
        SensorKind::ForceTorque(site) => {
            (vec![row("force", 0, 3, "_force"), row("torque", 3, 3, "_torque")], at(site))
        }
        SensorKind::Magnetometer { site, .. } => (vec![Row("magnetometer", Part::All, "")], at(site)),
        SensorKind::Range(site) => (vec![Row("rangefinder", Part::All, "")], at(site)),
        SensorKind::Touch { site, .. } => (vec![Row("touch", Part::All, "")], at(site)),
        SensorKind::FramePose(frame) => (pose(), framed(model, frame).to_vec()),
        SensorKind::RelativePose { frame, from } => (pose(), seen_from(frame, from)),
        SensorKind::FrameVelocity(frame) => (motion(), framed(model, frame).to_vec()),
        SensorKind::RelativeVelocity { frame, from } => (motion(), seen_from(frame, from)),
        SensorKind::FrameAcceleration(frame) => {
            // the linear one does not count gravity, as MuJoCo's does
            (vec![row("frameangacc", 3, 3, "_angular")], framed(model, frame).to_vec())
        }
        SensorKind::FrameSpecificForce(frame) => (
            vec![row("framelinacc", 0, 3, "_linear"), row("frameangacc", 3, 3, "_angular")],
            framed(model, frame).to_vec(),
        ),
        SensorKind::JointState(_) | SensorKind::JointEffort(_) | SensorKind::BallRate(_) => {
            return of_joint(model, kind);
        }
        SensorKind::ActuatorState(a) => (
            vec![
                row("actuatorpos", 0, 1, "_position"),
                row("actuatorvel", 1, 1, "_velocity"),
                row("actuatorfrc", 2, 1, "_effort"),
            ],
            vec![("actuator", model.actuators()[a.id().index()].name.clone())],
        ),
        SensorKind::TendonState(t) => (
            vec![row("tendonpos", 0, 1, "_length"), row("tendonvel", 1, 1, "_rate")],
            vec![("tendon", model.tendons()[t.id().index()].name.clone())],
        ),
        SensorKind::TendonEffort(t) => (
            vec![Row("tendonactuatorfrc", Part::All, "")],
            vec![("tendon", model.tendons()[t.id().index()].name.clone())],
        ),
        SensorKind::Subtree(link) => (
            vec![
                row("subtreecom", 0, 3, "_com"),
                row("subtreelinvel", 3, 3, "_velocity"),
                row("subtreeangmom", 6, 3, "_momentum"),
            ],
            vec![("body", body_name(model, link))],
        ),
        SensorKind::Energy => {
            (vec![row("e_potential", 0, 1, "_potential"), row("e_kinetic", 1, 1, "_kinetic")], Vec::new())
        }
        SensorKind::Clock => (vec![Row("clock", Part::All, "")], Vec::new()),
        SensorKind::ContactForce(_) => return None,
    })
}

fn of_joint(model: &Model, kind: &SensorKind) -> Option<(Vec<Row>, Vec<Attribute>)> {
    let (SensorKind::JointState(id) | SensorKind::JointEffort(id) | SensorKind::BallRate(id)) = kind else {
        return None;
    };
    let joint = &model.joints()[id.id().index()];
    let named = vec![("joint", joint.name.clone())];
    match (kind, joint.kind) {
        (SensorKind::JointState(_), JointKind::Spherical) => Some((vec![row("ballquat", 0, 4, "")], named)),
        (SensorKind::BallRate(_), _) => Some((vec![Row("ballangvel", Part::All, "")], named)),
        (_, of) if of.dof_count() != 1 => None,
        (SensorKind::JointState(_), _) => {
            Some((vec![row("jointpos", 0, 1, "_position"), row("jointvel", 1, 1, "_velocity")], named))
        }
        _ => Some((vec![row("jointactuatorfrc", 0, 1, "")], named)),
    }
}

fn framed(model: &Model, frame: &Frame) -> [Attribute; 2] {
    match frame {
        Frame::Body(b) => {
            [("objtype", "xbody".into()), ("objname", model.bodies()[b.id().index()].name.clone())]
        }
        Frame::Site(s) => {
            [("objtype", "site".into()), ("objname", model.sites()[s.id().index()].name.clone())]
        }
    }
}

fn body_name(model: &Model, link: &Link) -> String {
    link.body().map_or("world".to_owned(), |b| model.bodies()[b.index()].name.clone())
}

/// The form of a site that a touch sensor sits on.
pub(super) fn zone_of(model: &Model, site: usize) -> Vec<Attribute> {
    let zone = model.sensors().iter().find_map(|sensor| match &sensor.kind {
        SensorKind::Touch { site: at, zone } if at.id().index() == site => Some(zone),
        _ => None,
    });
    let (form, size) = match zone {
        None => return Vec::new(),
        Some(Zone::Ellipsoid { radii }) if radii.x == radii.y && radii.y == radii.z => {
            ("sphere", number(radii.x))
        }
        Some(Zone::Ellipsoid { radii }) => ("ellipsoid", vector(*radii)),
        Some(Zone::Box { half }) => ("box", vector(*half)),
        Some(Zone::Capsule { radius, half_length }) => ("capsule", numbers(&[*radius, *half_length])),
        Some(Zone::Cylinder { radius, half_length }) => ("cylinder", numbers(&[*radius, *half_length])),
    };
    vec![("type", form.to_owned()), ("size", size)]
}

/// The field of the magnetometers, which the whole file shares; the first one's.
pub(super) fn magnetic(model: &Model) -> Option<Attribute> {
    let field = model.sensors().iter().find_map(|sensor| match sensor.kind {
        SensorKind::Magnetometer { field, .. } => Some(field),
        _ => None,
    });
    field.map(|field| ("magnetic", vector(field)))
}
