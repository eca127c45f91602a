//! A model as a list of statements and numbers, in which parts go by their names: two models are the same if their portraits are,
//! whatever the order of their parts.

use bellcrank_math::{Pose, Quat};
use bellcrank_model::{BodyId, ContactFilter, Dof, Geometry, JointId, JointKind, Link, Model};
use std::collections::BTreeMap;

/// Everything that can be said in words, with the numbers that belong to it.
#[derive(Debug, Default)]
pub struct Portrait(BTreeMap<String, Vec<f64>>);

impl Portrait {
    pub fn of(model: &Model) -> Self {
        let mut portrait = Portrait::default();
        portrait
            .say("gravity, step", [model.gravity().to_array().to_vec(), vec![model.time_step()]].concat());
        let medium = model.medium();
        let wind = medium.wind.to_array().to_vec();
        portrait.say("medium", [vec![medium.density, medium.viscosity], wind].concat());
        portrait.say(format!("mobility {}, loops {}", model.mobility(), model.loops().len()), Vec::new());
        portrait.bodies(model);
        portrait.joints(model);
        portrait.shapes(model);
        portrait.drives(model);
        portrait.sensors(model);
        portrait.keyframes(model);
        portrait
    }

    fn say(&mut self, what: impl Into<String>, numbers: Vec<f64>) {
        self.0.insert(what.into(), numbers);
    }

    fn bodies(&mut self, model: &Model) {
        for body in model.bodies() {
            let name = &body.name;
            self.say(format!("body {name} pose"), pose(body.X_WL));
            self.say(format!("body {name} mass"), vec![body.mass, body.gravity_compensation]);
            self.say(format!("body {name} centre"), body.com.to_array().to_vec());
            let i = body.inertia.unwrap_or_default();
            self.say(format!("body {name} inertia"), vec![i.xx, i.yy, i.zz, i.xy, i.xz, i.yz]);
        }
        for site in model.sites() {
            self.say(format!("site {} on {}", site.name, link(model, &site.link)), pose(site.X_LS));
        }
    }

    fn joints(&mut self, model: &Model) {
        for (j, joint) in model.joints().iter().enumerate() {
            let (name, id) = (&joint.name, JointId::new(j));
            let ends = [&joint.predecessor, &joint.successor].map(|end| link(model, end));
            self.say(
                format!("joint {name} {} from {} to {}", joint.kind.name(), ends[0], ends[1]),
                Vec::new(),
            );
            if let JointKind::Screw { pitch } = joint.kind {
                self.say(format!("joint {name} pitch"), vec![pitch]);
            }
            let (X_WF, X_WM) = model.joint_frames(id);
            self.say(format!("joint {name} place"), [X_WF.p.to_array(), X_WM.p.to_array()].concat());
            self.say(format!("joint {name} axes"), axes(joint.kind, X_WF.R));
            let q = model.reference_coordinates(id);
            let scalar = joint.kind.has_scalar_coordinates();
            let q = if scalar { q[..joint.kind.coordinate_count()].to_vec() } else { Vec::new() };
            self.say(format!("joint {name} coordinates"), q);
            for (k, dof) in joint.dofs.iter().enumerate() {
                self.resistance(format!("joint {name} {k}"), dof);
            }
        }
        for coupling in model.couplings() {
            let name = &coupling.name;
            self.say(format!("coupling {name}"), vec![coupling.constant]);
            for term in &coupling.terms {
                let joint = &model.joints()[term.joint.id().index()].name;
                self.say(format!("coupling {name} {joint} {}", term.dof), vec![term.coefficient]);
            }
        }
    }

    fn resistance(&mut self, of: String, dof: &Dof) {
        let spring = dof.spring.map_or([0.0; 2], |spring| [spring.stiffness, spring.rest]);
        let bounds =
            [dof.effort_limit.min(dof.effort_range[1]), (-dof.effort_limit).max(dof.effort_range[0])];
        self.say(format!("{of} limits"), dof.limits.to_vec());
        self.say(format!("{of} efforts"), bounds.to_vec());
        self.say(format!("{of} armature, damping, friction"), vec![dof.armature, dof.damping, dof.friction]);
        self.say(format!("{of} spring"), spring.to_vec());
        self.say(format!("{of} speed limit"), vec![dof.velocity_limit]);
    }

    fn shapes(&mut self, model: &Model) {
        for shape in model.shapes() {
            let name = &shape.name;
            let (form, size) = form(&shape.geometry);
            self.say(format!("shape {name} {form} on {}", link(model, &shape.link)), pose(shape.X_LG));
            let single = matches!(form, "hull" | "mesh");
            let size: Vec<f64> =
                if single { size.iter().map(|x| f64::from(*x as f32)).collect() } else { size };
            self.say(format!("shape {name} size"), size);
            let m = shape.material;
            if shape.collides {
                let rubs = vec![m.sliding, m.torsional, m.rolling, m.restitution];
                self.say(format!("shape {name} surface"), rubs);
                self.say(
                    format!("shape {name} touches {} {} {}", shape.group, shape.mask, shape.priority),
                    vec![],
                );
                self.say(format!("shape {name} margin"), vec![shape.margin, shape.gap]);
            }
            self.say(format!("shape {name} colour"), shape.color.map(f64::from).to_vec());
            if let Some(picture) = &shape.texture {
                let [x, y] = picture.repeat.map(f64::from);
                let pixels = picture.rgb.iter().map(|x| f64::from(*x));
                self.say(
                    format!("shape {name} picture {} × {}", picture.width, picture.height),
                    [x, y].into_iter().chain(pixels).collect(),
                );
            }
            if let Geometry::ConvexMesh(mesh) | Geometry::TriangleMesh(mesh) = &shape.geometry {
                let places = mesh.uvs.iter().flatten().flatten();
                self.say(
                    format!("shape {name} places in a picture"),
                    places.map(|x| f64::from(*x)).collect(),
                );
            }
        }
        for camera in model.cameras() {
            let name = &camera.name;
            self.say(
                format!("camera {name} {:?} on {}", camera.mode, link(model, &camera.link)),
                pose(camera.X_LC),
            );
            self.say(format!("camera {name} angle"), vec![camera.field_of_view]);
        }
        for filter in model.filters() {
            match filter {
                ContactFilter::Exclude { a, b, .. } => {
                    let name = |body: BodyId| model.bodies()[body.index()].name.clone();
                    let mut names = [name(a.id()), name(b.id())];
                    names.sort();
                    self.say(format!("apart {names:?}"), Vec::new());
                }
                ContactFilter::Pair { a, b, surface, .. } => {
                    let mut names = [a, b].map(|s| model.shapes()[s.id().index()].name.clone());
                    names.sort();
                    self.say(format!("pair {names:?} {surface:?}"), Vec::new());
                }
            }
        }
    }

    fn drives(&mut self, model: &Model) {
        for tendon in model.tendons() {
            let name = &tendon.name;
            self.resistance(format!("tendon {name}"), &tendon.dof);
            for term in &tendon.terms {
                let joint = &model.joints()[term.joint.id().index()].name;
                self.say(format!("tendon {name} {joint} {}", term.dof), vec![term.coefficient]);
            }
        }
        for actuator in model.actuators() {
            let (words, numbers) = parted(&format!("{:?} {:?}", actuator.target, actuator.control));
            self.say(format!("actuator {} {}", actuator.name, named(model, &words)), numbers);
            let bounds = [actuator.effort_bounds(), actuator.control_range].concat();
            let state = actuator.activation.map_or(String::new(), |activation| format!("{activation:?}"));
            let (words, numbers) = parted(&state);
            self.say(format!("actuator {} state {words}", actuator.name), numbers);
            self.say(
                format!("actuator {} gear, bounds", actuator.name),
                [vec![actuator.gear], bounds].concat(),
            );
        }
    }

    fn sensors(&mut self, model: &Model) {
        for sensor in model.sensors() {
            let (words, numbers) = parted(&format!("{:?} {:?}", sensor.kind, sensor.show));
            self.say(format!("sensor {} {}", sensor.name, named(model, &words)), numbers);
        }
    }

    fn keyframes(&mut self, model: &Model) {
        for key in model.keyframes() {
            let of = &key.name;
            let joint = |id: JointId| &model.joints()[id.index()].name;
            // what is not said is the reference; a quaternion may have either sign
            for (j, of_joint) in model.joints().iter().enumerate() {
                let said = key.joints.iter().find(|(id, _)| id.id().index() == j).map(|(_, q)| q.clone());
                let reference = model.reference_coordinates(JointId::new(j));
                let q = said.unwrap_or_else(|| reference[..of_joint.kind.coordinate_count()].to_vec());
                let q = if of_joint.kind.has_scalar_coordinates() { q } else { turned(&q) };
                self.say(format!("key {of} joint {}", of_joint.name), q);
            }
            for (id, v) in key.velocities.iter().filter(|(_, v)| v.iter().any(|v| *v != 0.0)) {
                self.say(format!("key {of} velocity {}", joint(id.id())), v.clone());
            }
            for (id, X) in &key.bodies {
                self.say(format!("key {of} body {}", model.bodies()[id.id().index()].name), pose(*X));
            }
            for (id, V) in key.twists.iter().filter(|(_, V)| V.to_array() != [0.0; 6]) {
                let body = &model.bodies()[id.id().index()].name;
                self.say(format!("key {of} twist {body}"), V.to_array().to_vec());
            }
            for (id, a) in key.activations.iter().filter(|(_, a)| *a != 0.0) {
                let actuator = &model.actuators()[id.id().index()].name;
                self.say(format!("key {of} state {actuator}"), vec![*a]);
            }
            for (id, u) in key.controls.iter().filter(|(_, u)| *u != 0.0) {
                let actuator = &model.actuators()[id.id().index()].name;
                self.say(format!("key {of} control {actuator}"), vec![*u]);
            }
        }
    }

    /// What differs from another portrait by more than `tolerance` of the numbers of one line.
    pub fn differences(&self, other: &Portrait, tolerance: f64) -> Vec<String> {
        let mut found = Vec::new();
        for (what, numbers) in &self.0 {
            match other.0.get(what) {
                None => found.push(format!("lost: {what} {numbers:?}")),
                Some(theirs) if !alike(numbers, theirs, tolerance) => {
                    found.push(format!("{what}: {numbers:?} became {theirs:?}"));
                }
                Some(_) => {}
            }
        }
        let new = other.0.iter().filter(|(what, _)| !self.0.contains_key(*what));
        found.extend(new.map(|(what, numbers)| format!("new: {what} {numbers:?}")));
        found
    }
}

fn alike(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    let size = a.iter().filter(|x| x.is_finite()).fold(0.0, |m: f64, x| m.max(x.abs()));
    // what is zero but for rounding: 1e-15 of one metre, radian, ...
    let near = |(x, y): (&f64, &f64)| x == y || (x - y).abs() <= (tolerance * size).max(1e-14);
    a.len() == b.len() && a.iter().zip(b).all(near)
}

/// Position and rotation matrix: a quaternion has two signs. One metre and one are of one size, so that a rotation that is off by rounding
/// is not compared with zero.
fn pose(X: Pose) -> Vec<f64> {
    let m = X.R.to_mat3();
    [X.p, m.x, m.y, m.z].iter().flat_map(|v| v.to_array()).collect()
}

/// The directions that the joint knows: others are free to choose.
fn axes(kind: JointKind, R: Quat) -> Vec<f64> {
    let m = R.to_mat3();
    match kind {
        JointKind::Revolute | JointKind::Prismatic | JointKind::Cylindrical | JointKind::Screw { .. } => {
            m.x.to_array().to_vec()
        }
        JointKind::Fixed | JointKind::Spherical | JointKind::Free => Vec::new(),
        _ => [m.x, m.y, m.z].iter().flat_map(|v| v.to_array()).collect(),
    }
}

/// Coordinates that end with a quaternion, with its first number that is not zero positive.
fn turned(q: &[f64]) -> Vec<f64> {
    let Some(start) = q.len().checked_sub(4) else { return q.to_vec() };
    let sign = q[start..].iter().find(|x| x.abs() > 1e-9).map_or(1.0, |x| x.signum());
    q.iter().enumerate().map(|(i, x)| if i < start { *x } else { sign * x }).collect()
}

fn link(model: &Model, link: &Link) -> String {
    link.body().map_or("the world".into(), |b| model.bodies()[b.index()].name.clone())
}

fn form(geometry: &Geometry) -> (&'static str, Vec<f64>) {
    // corner by corner: vertices may be listed in any order
    let mesh = |mesh: &bellcrank_model::Mesh| -> Vec<f64> {
        let corners = mesh.triangles.iter().flatten().flat_map(|i| mesh.vertices[*i as usize].to_array());
        let points = mesh.vertices.iter().flat_map(|v| v.to_array());
        if mesh.triangles.is_empty() { points.collect() } else { corners.collect() }
    };
    match geometry {
        Geometry::Plane => ("plane", Vec::new()),
        Geometry::Sphere { radius } => ("sphere", vec![*radius]),
        Geometry::Capsule { radius, half_length } => ("capsule", vec![*radius, *half_length]),
        Geometry::Box { half } => ("box", half.to_array().to_vec()),
        Geometry::Cylinder { radius, half_length } => ("cylinder", vec![*radius, *half_length]),
        Geometry::Ellipsoid { radii } => ("ellipsoid", radii.to_array().to_vec()),
        Geometry::Cone { radius, half_length } => ("cone", vec![*radius, *half_length]),
        Geometry::ConvexMesh(m) => ("hull", mesh(m)),
        Geometry::TriangleMesh(m) => ("mesh", mesh(m)),
        Geometry::HeightField(f) => ("terrain", f.heights.clone()),
    }
}

/// The numbers with a point in a text, and the text without them: counts and indices stay where they are.
fn parted(text: &str) -> (String, Vec<f64>) {
    let (mut words, mut numbers) = (String::new(), Vec::new());
    for token in text.split_inclusive([' ', ',', '(', ')', '[', ']']) {
        let bare = token.trim_end_matches([' ', ',', '(', ')', '[', ']']);
        let is_real = bare.contains('.') || bare.contains("inf");
        match bare.parse::<f64>() {
            Ok(x) if is_real => {
                numbers.push(x);
                words.push_str(&token[bare.len()..]);
            }
            _ => words.push_str(token),
        }
    }
    (words, numbers)
}

/// Numbers of parts replaced by their names.
fn named(model: &Model, text: &str) -> String {
    let mut text = text.to_owned();
    text = replaced(&text, "BodyId(", |i| &model.bodies()[i].name);
    text = replaced(&text, "JointId(", |i| &model.joints()[i].name);
    text = replaced(&text, "SiteId(", |i| &model.sites()[i].name);
    text = replaced(&text, "TendonId(", |i| &model.tendons()[i].name);
    replaced(&text, "ActuatorId(", |i| &model.actuators()[i].name)
}

fn replaced<'a>(text: &str, word: &str, name: impl Fn(usize) -> &'a String) -> String {
    let mut parts = text.split(word);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (index, rest) = part.split_once(')').expect("an id ends with a bracket");
        out.push_str(name(index.parse().expect("an id is a number")));
        out.push_str(rest);
    }
    out
}
