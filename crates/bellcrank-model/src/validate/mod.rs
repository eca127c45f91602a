//! Every rule that a model must obey. All faults are collected; nothing stops at the first.

mod drives;
mod named;

use crate::body::Body;
use crate::builder::Parts;
use crate::camera::CameraMode;
use crate::fault::{Fault, FaultKind, Place};
use crate::ids::Link;
use crate::in_medium::InMedium;
use crate::joint::{Dof, Joint, JointKind, Placement};
use crate::magnitude::{LEAST_INERTIA, LEAST_LENGTH, LENGTH, STRENGTH, within};
use crate::mesh::Mesh;
use crate::resolve::{Names, said};
use crate::shape::{Geometry, Material, Shape};
use crate::softness::Softness;
use bellcrank_math::{Pose, Vec3};

/// A principal moment may exceed the sum of the others by this much of it: CAD exports round to six digits.
const TRIANGLE_SLACK: f64 = 1e-6;

/// Resolves all references and checks all values.
pub(crate) fn check(parts: &mut Parts, names: &Names, faults: &mut Vec<Fault>) {
    let model = Place::new("model", 0).element("model", &parts.name);
    let mut rules = Rules { place: model, faults };
    rules.finite_vector("gravity", parts.gravity);
    rules.positive("the time step", parts.time_step);
    rules.not_negative("the density of the medium", parts.medium.density);
    rules.not_negative("the viscosity of the medium", parts.medium.viscosity);
    rules.finite_vector("the wind", parts.medium.wind);
    for body in &mut parts.bodies {
        rules.place = said(&body.place);
        rules.body(body);
    }
    for joint in &mut parts.joints {
        rules.place = said(&joint.place);
        rules.joint(joint, &parts.bodies, names);
    }
    rules.couplings(parts, names);
    rules.tendons(parts, names);
    rules.actuators(parts, names);
    for shape in &mut parts.shapes {
        rules.place = said(&shape.place);
        rules.shape(shape, names);
    }
    for site in &mut parts.sites {
        rules.place = said(&site.place);
        names.link(&mut site.link, &rules.place, rules.faults);
        rules.pose("the pose", &mut site.X_LS);
    }
    for camera in &mut parts.cameras {
        rules.place = said(&camera.place);
        names.link(&mut camera.link, &rules.place, rules.faults);
        rules.pose("the pose", &mut camera.X_LC);
        rules.positive("the field of view", camera.field_of_view);
        rules.at_most("the field of view", camera.field_of_view, 3.0);
        if let CameraMode::Target(body) | CameraMode::TargetCenterOfMass(body) = &mut camera.mode {
            names.bodies.resolve(body, &rules.place, rules.faults);
        }
    }
    rules.sensors(parts, names);
    rules.keyframes(parts, names);
    rules.filters(parts, names);
}

/// The rules, at the place of the part that is being read.
struct Rules<'a> {
    place: Place,
    faults: &'a mut Vec<Fault>,
}

impl Rules<'_> {
    fn fault(&mut self, kind: FaultKind) {
        self.faults.push(Fault { place: self.place.clone(), kind });
    }

    fn finite(&mut self, what: &str, value: f64) -> bool {
        if !value.is_finite() {
            self.fault(FaultKind::NotFinite { what: what.into(), value });
            return false;
        }
        self.at_most(what, value, STRENGTH)
    }

    fn at_most(&mut self, what: &str, value: f64, limit: f64) -> bool {
        if value.is_finite() && value.abs() > limit {
            self.fault(FaultKind::TooLarge { what: what.into(), value, limit });
            return false;
        }
        true
    }

    fn at_least(&mut self, what: &str, value: f64, limit: f64) {
        if value > 0.0 && value < limit {
            self.fault(FaultKind::TooSmall { what: what.into(), value, limit });
        }
    }

    fn in_range(&mut self, what: &str, value: f64, holds: bool, rule: &'static str) {
        if value.is_nan() {
            self.fault(FaultKind::NotFinite { what: what.into(), value });
        } else if !holds {
            self.fault(FaultKind::OutOfRange { what: what.into(), value, rule });
        }
    }

    fn positive(&mut self, what: &str, value: f64) {
        self.in_range(what, value, value > 0.0 && value.is_finite(), "above zero");
        self.at_most(what, value, STRENGTH);
    }

    /// The size of a solid.
    fn size(&mut self, what: &str, value: f64) {
        if !value.is_finite() {
            self.finite(what, value);
            return;
        }
        self.in_range(what, value, value > 0.0, "above zero");
        self.at_most(what, value, LENGTH);
        self.at_least(what, value, LEAST_LENGTH);
    }

    fn not_negative(&mut self, what: &str, value: f64) {
        self.in_range(what, value, value >= 0.0 && value.is_finite(), "zero or above");
        self.at_most(what, value, STRENGTH);
    }

    /// A bound that may be infinite for none.
    fn bound(&mut self, what: &str, value: f64) {
        self.in_range(what, value, value > 0.0, "above zero");
    }

    fn range(&mut self, what: &str, [low, high]: [f64; 2]) {
        if low.is_nan() || high.is_nan() {
            self.fault(FaultKind::NotFinite { what: what.into(), value: f64::NAN });
        } else if low > high {
            self.fault(FaultKind::InvertedRange { what: what.into(), low, high });
        } else if low > STRENGTH || high < -STRENGTH {
            // infinite stands for no bound on its own side only: nothing lies above +∞ or below −∞
            let (which, value, rule) = if low > STRENGTH {
                ("lower", low, "at most 1e15")
            } else {
                ("upper", high, "at least -1e15")
            };
            self.fault(FaultKind::OutOfRange { what: format!("{what}: the {which} bound"), value, rule });
        }
    }

    /// A place, a velocity or an acceleration: of three components the first fault is enough.
    fn finite_vector(&mut self, what: &str, v: Vec3) -> bool {
        v.to_array().into_iter().all(|value| self.near(what, value))
    }

    /// One number of a place, a velocity or an acceleration.
    fn near(&mut self, what: &str, value: f64) -> bool {
        if !value.is_finite() {
            return self.finite(what, value);
        }
        self.at_most(what, value, LENGTH)
    }

    /// Finite, and its rotation made exactly a unit quaternion.
    fn pose(&mut self, what: &str, X: &mut Pose) -> bool {
        let length = X.R.norm_squared();
        if !length.is_finite() {
            self.fault(FaultKind::NotFinite { what: what.into(), value: length });
            return false;
        }
        if length == 0.0 {
            self.fault(FaultKind::ZeroQuaternion(what.into()));
            return false;
        }
        // already unit to rounding: keep the author's bits
        if (length - 1.0).abs() > 4.0 * f64::EPSILON {
            X.R = X.R.normalized();
        }
        self.finite_vector(what, X.p)
    }

    fn body(&mut self, body: &mut Body) {
        self.pose("the pose", &mut body.X_WL);
        self.finite_vector("the centre of mass", body.com);
        self.finite("the gravity compensation", body.gravity_compensation);
        if !body.mass.is_finite() {
            self.finite("the mass", body.mass);
        } else if body.mass <= 0.0 {
            self.fault(FaultKind::Massless(body.mass));
        }
        self.at_most("the mass", body.mass, STRENGTH);
        self.at_least("the mass", body.mass, LEAST_INERTIA);
        let Some(inertia) = body.inertia else { return self.fault(FaultKind::NoInertia) };
        let columns = inertia.to_mat3();
        let finite = [columns.x, columns.y, columns.z].into_iter().all(|c| c.is_finite());
        if !finite {
            return self.fault(FaultKind::NotFinite { what: "the inertia".into(), value: f64::NAN });
        }
        let largest = [columns.x, columns.y, columns.z]
            .into_iter()
            .flat_map(|c| c.to_array())
            .fold(0.0, |a, x| x.abs().max(a));
        if !self.at_most("the inertia", largest, STRENGTH) {
            return; // squares of it are beyond all numbers
        }
        let moments = inertia.eigen().0;
        self.at_least("the least moment of inertia", moments[0], LEAST_INERTIA);
        if moments[0] <= 0.0 {
            self.fault(FaultKind::IndefiniteInertia(moments));
        } else if moments[2] > (moments[0] + moments[1]) * (1.0 + TRIANGLE_SLACK) {
            self.fault(FaultKind::ImpossibleInertia(moments));
        }
    }

    fn joint(&mut self, joint: &mut Joint, bodies: &[Body], names: &Names) {
        let linked = names.link(&mut joint.predecessor, &self.place, self.faults)
            & names.link(&mut joint.successor, &self.place, self.faults);
        if linked {
            self.joint_ends(joint, bodies);
        }
        if let JointKind::Screw { pitch } = joint.kind {
            self.in_range("the pitch", pitch, pitch != 0.0 && pitch.is_finite(), "finite and not zero");
            self.at_most("the pitch", pitch, LENGTH);
        }
        let count = joint.kind.dof_count();
        if joint.dofs.len() > count {
            let (dof, kind) = (joint.dofs.len() - 1, joint.kind.name());
            self.fault(FaultKind::NoSuchDof { dof, kind, count });
        } else if joint.dofs.len() < count {
            let what = format!("{} joint's list of degrees of freedom", joint.kind.name());
            self.fault(FaultKind::WrongCount { what, found: joint.dofs.len(), expected: count });
        }
        for dof in &joint.dofs {
            self.dof(dof);
        }
        if !joint.softness.is_empty() && joint.softness.len() != joint.dofs.len() {
            let what = format!("{} joint's list of softnesses", joint.kind.name());
            self.fault(FaultKind::WrongCount {
                what,
                found: joint.softness.len(),
                expected: joint.dofs.len(),
            });
        }
        if let Some(held) = &joint.held {
            held.mobility.into_iter().for_each(|mobility| self.softness(&held.law, mobility));
        }
        for soft in &joint.softness {
            self.softness(&soft.limit, soft.mobility);
            self.softness(&soft.friction, soft.mobility);
        }
    }

    /// Both ends exist: places the frames.
    fn joint_ends(&mut self, joint: &mut Joint, bodies: &[Body]) {
        let (predecessor, successor) = (joint.predecessor.body(), joint.successor.body());
        if predecessor == successor {
            let name =
                predecessor.map_or("the world".into(), |b| format!("body {:?}", bodies[b.index()].name));
            return self.fault(FaultKind::SelfJoint(name));
        }
        let Some(successor) = successor else { return self.fault(FaultKind::SuccessorIsWorld) };
        let X_WP = predecessor.map_or(Pose::identity(), |b| bodies[b.index()].X_WL);
        let X_WS = bodies[successor.index()].X_WL;
        let frames = match joint.placement {
            Placement::Frames => Some((joint.X_PF, joint.X_SM)),
            Placement::World(X_WF) => Some((X_WP.inverse_mul(X_WF), X_WS.inverse_mul(X_WF))),
            Placement::WorldAxis(p, axis) => {
                self.axis_frame(p, axis).map(|X_WF| (X_WP.inverse_mul(X_WF), X_WS.inverse_mul(X_WF)))
            }
            Placement::Axes([(p, a), (q, b)]) => self.axis_frame(p, a).zip(self.axis_frame(q, b)),
        };
        if let Some((X_PF, X_SM)) = frames {
            (joint.X_PF, joint.X_SM) = (X_PF, X_SM);
            joint.placement = Placement::Frames; // how they were first said does not matter any more
            self.pose("the frame on the predecessor", &mut joint.X_PF);
            self.pose("the frame on the successor", &mut joint.X_SM);
        }
    }

    fn axis_frame(&mut self, p: Vec3, axis: Vec3) -> Option<Pose> {
        if !self.finite_vector("the axis", axis) || !self.finite_vector("the anchor", p) {
            return None;
        }
        let frame = Placement::frame(p, axis);
        if frame.is_none() {
            self.fault(FaultKind::ZeroAxis);
        }
        frame
    }

    fn dof(&mut self, dof: &Dof) {
        self.range("the limits", dof.limits);
        self.not_negative("the armature", dof.armature);
        self.not_negative("the damping", dof.damping);
        self.not_negative("the friction", dof.friction);
        self.bound("the effort limit", dof.effort_limit);
        self.range("the effort range", dof.effort_range);
        self.bound("the velocity limit", dof.velocity_limit);
        if let Some(spring) = dof.spring {
            self.not_negative("the spring's stiffness", spring.stiffness);
            self.finite("the spring's rest coordinate", spring.rest);
        }
    }

    /// Finite numbers, a way back, and a mobility.
    fn softness(&mut self, law: &Softness, mobility: f64) {
        self.not_negative("the mobility of a soft row", mobility);
        for number in law.impedance.into_iter().chain(law.reference) {
            self.finite("a number of the softness", number);
        }
        let [time, ratio] = law.reference;
        let sound = (time > 0.0) == (ratio > 0.0);
        self.in_range("the damping ratio", ratio, sound, "above zero like the time constant, or neither");
        let width = law.impedance[2];
        self.in_range("the width of the impedance", width, width >= 0.0, "zero or above");
    }

    fn shape(&mut self, shape: &mut Shape, names: &Names) {
        names.link(&mut shape.link, &self.place, self.faults);
        self.pose("the pose", &mut shape.X_LG);
        self.geometry(shape);
        self.material(&shape.material);
        self.near("the margin", shape.margin);
        self.not_negative("the gap", shape.gap);
        self.at_most("the gap", shape.gap, LENGTH);
        if let Some(soft) = &shape.softness {
            self.softness(&soft.law, soft.mobility);
            self.not_negative("the weight of the softness", soft.mix);
        }
        if let Some(bad) = shape.color.iter().find(|part| !part.is_finite()) {
            self.finite("the colour", f64::from(*bad));
        }
    }

    fn material(&mut self, material: &Material) {
        self.not_negative("the sliding friction", material.sliding);
        self.not_negative("the torsional friction", material.torsional);
        self.not_negative("the rolling friction", material.rolling);
        let bounce = (0.0..=1.0).contains(&material.restitution);
        self.in_range("the restitution", material.restitution, bounce, "between 0 and 1");
    }

    fn sizes(&mut self, noun: &str, v: Vec3) {
        self.size(&format!("the smallest {noun}"), least(v));
        if least(v) > 0.0 {
            let largest = v.to_array().into_iter().fold(0.0, f64::max);
            self.in_range(&format!("the largest {noun}"), largest, largest.is_finite(), "finite");
            self.at_most(&format!("the largest {noun}"), largest, LENGTH);
        }
    }

    fn in_medium(&mut self, own: &InMedium) {
        self.sizes("radius in the medium", own.radii);
        own.coefficients.into_iter().for_each(|c| _ = self.finite("a coefficient in the medium", c));
    }

    fn geometry(&mut self, shape: &Shape) {
        if let Some(own) = &shape.in_medium {
            self.in_medium(own);
        }
        match &shape.geometry {
            Geometry::Plane if shape.collides && shape.link != Link::World => {
                self.fault(FaultKind::MovingPlane)
            }
            Geometry::Plane => {}
            Geometry::Sphere { radius } => self.size("the radius", *radius),
            Geometry::Capsule { radius, half_length } => {
                self.size("the radius", *radius);
                self.not_negative("the half length", *half_length);
                self.at_most("the half length", *half_length, LENGTH);
            }
            Geometry::Cylinder { radius, half_length } | Geometry::Cone { radius, half_length } => {
                self.size("the radius", *radius);
                self.size("the half length", *half_length);
            }
            Geometry::Box { half } => self.sizes("half size", *half),
            Geometry::Ellipsoid { radii } => self.sizes("radius", *radii),
            Geometry::ConvexMesh(mesh) => self.mesh(mesh, "convex mesh", 4, 0),
            Geometry::TriangleMesh(mesh) => self.mesh(mesh, "triangle mesh", 3, 1),
            Geometry::HeightField(field) => {
                let (found, of) = (field.rows.min(field.columns), "rows or columns");
                if found < 2 {
                    self.fault(FaultKind::TooFew { what: "height field", found, of, least: 2 });
                }
                let expected = field.rows.saturating_mul(field.columns);
                if field.heights.len() != expected {
                    let (what, found) = ("height field".into(), field.heights.len());
                    self.fault(FaultKind::WrongCount { what, found, expected });
                }
                field.size.into_iter().for_each(|size| self.size("a size", size));
                if let Some(bad) = field.heights.iter().find(|h| !within(**h, LENGTH)) {
                    self.near("a height", *bad);
                }
            }
        }
    }

    fn mesh(&mut self, mesh: &Mesh, what: &'static str, least_vertices: usize, least_triangles: usize) {
        for (found, of, least) in [
            (mesh.vertices.len(), "vertices", least_vertices),
            (mesh.triangles.len(), "triangles", least_triangles),
        ] {
            if found < least {
                self.fault(FaultKind::TooFew { what, found, of, least });
            }
        }
        let outside = |v: &&Vec3| v.to_array().into_iter().any(|x| !within(x, LENGTH));
        if let Some(bad) = mesh.vertices.iter().find(outside) {
            self.finite_vector("a vertex", *bad);
        }
        let count = mesh.vertices.len();
        for (triangle, corners) in mesh.triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|v| **v as usize >= count) {
                return self.fault(FaultKind::NoSuchVertex { triangle, vertex, count });
            }
        }
        if !mesh.uvs.is_empty() && mesh.uvs.len() != mesh.triangles.len() {
            let (what, found) = (format!("{what}'s places in a picture"), mesh.uvs.len());
            self.fault(FaultKind::WrongCount { what, found, expected: mesh.triangles.len() });
        }
    }
}

/// The smallest component; NaN if any is.
fn least(v: Vec3) -> f64 {
    v.to_array().into_iter().reduce(|a, b| if b >= a { a } else { b }).unwrap_or(f64::NAN)
}
