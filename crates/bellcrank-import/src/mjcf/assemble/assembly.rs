//! From the file's tree to parts of the model: bodies, their joints, shapes and sites.

use super::joint_groups::{Group, group};
use super::lumps::Lumps;
use super::names::Taken;
use crate::ImportFaultKind;
use crate::mend::mended;
use crate::mjcf::bodies::joints::{JointSpec, JointType};
use crate::mjcf::bodies::softness::Mobilities;
use crate::mjcf::bodies::spec::{Aim, BodySpec, GeomSpec, Spec};
use crate::mjcf::preamble::source::Context;
use crate::solid::Solid;
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{
    Body, BodyId, Camera, CameraMode, Dof, Geometry, Joint, JointId, JointKind, Link, ModelBuilder, Ref,
    Shape, ShapeId, Site, SiteId, WORLD,
};
use std::collections::{HashMap, HashSet};

/// A carrier between two joints of one body takes this share of the body's mass and inertia: the file means it to
/// have none, and a body of maximal coordinates must have some. The sum stays as it is.
const CARRIER_SHARE: f64 = 1e-3;
/// Not a loss, but worth knowing.
const CARRIERS: &str = "several joints on one body that are no single joint of ours: carriers between them take 0.001 of its mass each";

/// Parts of the model by the names of the file.
pub(in crate::mjcf) struct Assembly<'a> {
    pub builder: ModelBuilder,
    pub spec: &'a Spec,
    pub context: Context<'a>,
    /// For each body of the file: what carries it, and its frame there.
    pub carriers: Vec<(Link, Pose)>,
    /// Joints of the file by name.
    pub coordinates: HashMap<String, Coordinate>,
    pub shapes: HashMap<String, ShapeId>,
    /// Bodies of the file by name.
    pub bodies: HashMap<&'a str, usize>,
    /// Geoms of the file by name: body and index.
    pub geoms: HashMap<&'a str, (usize, usize)>,
    /// Sites by name: ours, and the file's (body, index).
    pub sites: HashMap<String, (SiteId, usize, usize)>,
    pub joint_names: Taken,
    pub site_names: Taken,
    /// Bodies that do not move.
    pub is_static: Vec<bool>,
    /// Bodies that are bodies of the model and not part of another.
    pub is_own: Vec<bool>,
    /// Frames that sensors look at and that are no sites of the file, by name.
    pub measured: HashMap<String, SiteId>,
    /// What soft rows feel.
    pub mobilities: Mobilities,
    /// Contacts are switched on.
    pub contacts: bool,
    /// The field of magnetometers.
    pub magnetic: Vec3,
}

/// A joint of the file as a coordinate of the model.
#[derive(Clone, Copy, Debug)]
pub(in crate::mjcf) struct Coordinate {
    pub joint: JointId,
    pub dof: usize,
    /// Ours = sign · the file's.
    pub sign: f64,
    pub kind: JointType,
    /// Of the joint of the model.
    pub ours: JointKind,
    /// The file's coordinate at the reference pose.
    pub reference: f64,
    /// Which body of the file, and which of its joints.
    pub at: (usize, usize),
}

impl<'a> Assembly<'a> {
    pub fn new(name: &str, spec: &'a Spec, context: Context<'a>) -> Self {
        let mut taken = [Taken::default(), Taken::default()];
        let [joint_names, site_names] = &mut taken;
        for body in &spec.bodies {
            body.joints.iter().for_each(|joint| joint_names.take(&joint.name));
            body.sites.iter().for_each(|site| site_names.take(&site.name));
        }
        let [joint_names, site_names] = taken;
        let bodies = spec.bodies.iter().enumerate();
        let geoms = bodies.clone().flat_map(|(b, body)| {
            body.geoms.iter().enumerate().map(move |(i, geom)| (geom.name.as_str(), (b, i)))
        });
        Assembly {
            builder: ModelBuilder::new(name),
            spec,
            context,
            carriers: vec![(WORLD, Pose::identity())],
            coordinates: HashMap::new(),
            shapes: HashMap::new(),
            bodies: bodies.map(|(b, body)| (body.name.as_str(), b)).collect(),
            geoms: geoms.collect(),
            sites: HashMap::new(),
            joint_names,
            site_names,
            is_static: vec![true],
            is_own: vec![false],
            measured: HashMap::new(),
            mobilities: Mobilities::of(spec, context),
            contacts: true,
            magnetic: Vec3::zero(),
        }
    }

    /// Adds all bodies with what is on them. `paired` names geoms that touch although their groups say no.
    pub fn add_tree(&mut self, paired: &HashSet<String>) {
        let lumps = Lumps::of(self.spec, self.context.options.fixed_joints);
        let spec = self.spec;
        for (b, body) in spec.bodies.iter().enumerate().skip(1) {
            let welded = body.joints.is_empty();
            self.is_static.push(welded && self.is_static[body.parent]);
            self.is_own.push(lumps.is_head(b));
            if lumps.is_head(b) {
                self.add_body(b, body, lumps.solid[b], lumps.gravity_compensation(b));
            } else {
                let (link, X_CH) = self.carriers[lumps.head[b]].clone();
                self.carriers.push((link.clone(), X_CH * lumps.X_HL[b]));
                self.add_site_for(body, link, X_CH * lumps.X_HL[b]);
            }
        }
        for (b, body) in spec.bodies.iter().enumerate() {
            self.add_shapes(b, body, paired);
            self.add_sites(b, body);
            self.add_cameras(b, body);
        }
    }

    /// A body that is part of another can still be found, as a site of its name.
    fn add_site_for(&mut self, body: &BodySpec, link: Link, X: Pose) {
        if !self.site_names.has(&body.name) {
            self.site_names.take(&body.name);
            self.builder.site(Site::new(body.name.clone(), link).at(X).place(body.place.clone()));
        }
    }

    fn add_body(&mut self, b: usize, body: &BodySpec, solid: Solid, carried: f64) {
        let groups = group(&body.joints);
        let solid = self.mended(body, solid);
        let carriers = groups.len().saturating_sub(1);
        let share = CARRIER_SHARE;
        let (mut link, mut X_CL) = self.carriers[body.parent].clone();
        X_CL = X_CL * body.X_PL;
        for (g, group) in groups.iter().enumerate() {
            let last = g == carriers;
            let (name, part) = match last {
                true => (body.name.clone(), 1.0 - share * carriers as f64),
                false => (format!("{}_carrier_{}", body.name, g + 1), share),
            };
            let here = self.builder.body(rigid(name, body, solid, part).gravity_compensation(carried));
            self.add_joint(b, group, (link, X_CL), here.into());
            (link, X_CL) = (here.into(), Pose::identity());
        }
        if groups.is_empty() {
            let here = self.builder.body(
                Body { mocap: body.mocap, ..rigid(body.name.clone(), body, solid, 1.0) }
                    .gravity_compensation(carried),
            );
            let name = self.joint_names.free(format!("{}_weld", body.name));
            let weld = Joint::fixed(name, link, here).frames(X_CL, Pose::identity());
            self.builder.joint(weld.place(body.place.clone()));
            link = here.into();
        }
        if carriers > 0 {
            self.context.notes.once_at(body.place.clone(), CARRIERS);
            self.keep_apart(body, &link);
        }
        self.carriers.push((link, Pose::identity()));
    }

    /// A body and its parent never touch; behind a carrier they no longer share a joint that says so.
    fn keep_apart(&mut self, body: &BodySpec, link: &Link) {
        if let (Some(parent), Some(child)) = (self.carriers[body.parent].0.body(), link.body()) {
            self.builder.place(body.place.clone()).exclude(parent, child);
        }
    }

    /// The body as the caller wants it: as the file says, or changed so that it can move.
    fn mended(&self, body: &BodySpec, solid: Solid) -> Solid {
        if !self.context.options.mend_inertia {
            if solid.mass <= 0.0 {
                let what = "the body moves, but neither it nor anything welded to it has a mass";
                let hint = "give it a geom or an <inertial>, or load with the option mend_inertia";
                self.context.notes.log().fault(body.place.clone(), ImportFaultKind::other(what, hint));
            }
            return solid;
        }
        let whole = self.spec.bodies.iter().map(|body| body.solid.mass).sum();
        let (solid, said) = mended(Some(solid), whole);
        said.into_iter().for_each(|why| self.context.notes.log().ignore(body.place.clone(), why));
        solid
    }

    /// `from` is the predecessor and the body's reference frame on it.
    fn add_joint(&mut self, b: usize, group: &Group, from: (Link, Pose), successor: Link) {
        let specs = &self.spec.bodies[b].joints;
        let names: Vec<&str> = group.members.iter().map(|m| specs[m.joint].name.as_str()).collect();
        let name = match names[..] {
            [one] => one.to_owned(),
            _ => self.joint_names.free(names.join("+")),
        };
        let (predecessor, X_PL) = from;
        let mut joint = Joint::new(name, group.kind, predecessor, successor);
        joint = match group.kind {
            // its coordinates are the pose in the world, as in qpos
            JointKind::Free => joint.frames(Pose::identity(), Pose::identity()),
            _ => joint.frames(X_PL * group.X_LF, group.X_LM()),
        };
        for member in &group.members {
            let spec = &specs[member.joint];
            if group.kind.has_scalar_coordinates() {
                joint.dofs[member.dof] = signed(spec.dof, member.sign);
            } else {
                joint.dofs.fill(spec.dof);
            }
        }
        for member in &group.members {
            let Some(soft) = self.mobilities.of_joint(self.spec, (b, member.joint)) else { continue };
            joint.softness.resize(joint.dofs.len(), soft);
            if group.kind.has_scalar_coordinates() {
                joint.softness[member.dof] = soft;
            }
        }
        let first = &specs[group.members[0].joint];
        joint = joint.counted_from(&group.reference);
        let id = self.builder.joint(joint.place(first.place.clone()));
        for member in &group.members {
            let spec: &JointSpec = &specs[member.joint];
            let coordinate = Coordinate {
                joint: id,
                dof: member.dof,
                sign: member.sign,
                kind: spec.kind,
                ours: group.kind,
                reference: spec.reference,
                at: (b, member.joint),
            };
            self.coordinates.insert(spec.name.clone(), coordinate);
        }
    }

    fn add_shapes(&mut self, b: usize, body: &BodySpec, paired: &HashSet<String>) {
        for geom in &body.geoms {
            let Some(geometry) = geom.geometry.clone() else { continue };
            let endless = matches!(geometry, Geometry::Plane | Geometry::HeightField(_));
            // an endless shape must stand still, so it goes to the world even if its body is one of the model
            let (link, X) = match endless && self.is_static[b] {
                true => (WORLD, body.X_WL * geom.X_LG),
                false => (self.carriers[b].0.clone(), self.carriers[b].1 * geom.X_LG),
            };
            let mut shape = shape(geom, geometry, link, X, paired.contains(&geom.name));
            shape.collides &= self.contacts;
            if shape.collides {
                shape.softness = self.mobilities.of_geom(self.spec, b, geom, self.is_static[b]);
            }
            let id = self.builder.shape(shape);
            self.shapes.insert(geom.name.clone(), id);
        }
    }

    fn add_sites(&mut self, b: usize, body: &BodySpec) {
        let (link, X_CL) = self.carriers[b].clone();
        for (i, site) in body.sites.iter().enumerate() {
            let part = Site::new(site.name.clone(), link.clone()).at(X_CL * site.X_LS);
            let id = self.builder.site(part.place(site.place.clone()));
            self.sites.insert(site.name.clone(), (id, b, i));
        }
    }

    fn add_cameras(&mut self, b: usize, body: &BodySpec) {
        let (link, X_CL) = self.carriers[b].clone();
        for camera in &body.cameras {
            let mode = match &camera.aim {
                Aim::Fixed => CameraMode::Fixed,
                Aim::Track => CameraMode::Track,
                Aim::TrackCenterOfMass => CameraMode::TrackCenterOfMass,
                Aim::Target(name) => self.target(name).map_or(CameraMode::Fixed, CameraMode::Target),
                Aim::TargetCenterOfMass(name) => {
                    self.target(name).map_or(CameraMode::Fixed, CameraMode::TargetCenterOfMass)
                }
            };
            let part = Camera::new(camera.name.clone(), link.clone()).at(X_CL * camera.X_LC).mode(mode);
            self.builder.camera(part.field_of_view(camera.field_of_view).place(camera.place.clone()));
        }
    }

    /// The body that carries a body of the file; `None` for the world. A name that is none goes on to the model, which says so.
    fn target(&self, name: &str) -> Option<Ref<BodyId>> {
        let carrier = self.bodies.get(name).map(|b| &self.carriers[*b].0);
        match carrier {
            Some(Link::World) => None,
            Some(Link::Body(body)) => Some(body.clone()),
            None => Some(Ref::Name(name.to_owned())),
        }
    }
}

fn rigid(name: String, body: &BodySpec, solid: Solid, part: f64) -> Body {
    let made = Body::new(name).at(body.X_WL).mass(solid.mass * part).com(solid.com);
    made.inertia(solid.inertia * part).place(body.place.clone())
}

/// Resistances of a coordinate that may count the other way round.
fn signed(dof: Dof, sign: f64) -> Dof {
    if sign > 0.0 {
        return dof;
    }
    let spring = dof.spring.map(|spring| bellcrank_model::Spring { rest: -spring.rest, ..spring });
    let turned = |[low, high]: [f64; 2]| [-high, -low];
    let (limits, effort_range) = (turned(dof.limits), turned(dof.effort_range));
    Dof { limits, effort_range, spring, ..dof }
}

fn shape(geom: &GeomSpec, geometry: Geometry, link: Link, X_LG: Pose, paired: bool) -> Shape {
    let mut shape = Shape { in_medium: geom.in_medium, ..Shape::new(geom.name.clone(), link, geometry) }
        .at(X_LG)
        .material(geom.surface.material())
        .priority(geom.priority)
        .margin(geom.margin)
        .gap(geom.gap)
        .groups(geom.contype, geom.conaffinity)
        .color(geom.color)
        .place(geom.place.clone());
    shape.texture.clone_from(&geom.texture);
    shape.collides = paired || geom.contype != 0 || geom.conaffinity != 0;
    if !shape.collides {
        (shape.margin, shape.gap) = (0.0, 0.0);
    }
    shape
}
