//! Collecting the parts of a mechanism.

use crate::actuator::{Actuator, Target};
use crate::body::Body;
use crate::camera::Camera;
use crate::combine::MaterialRules;
use crate::contact::{ContactFilter, PairSurface};
use crate::coupling::Coupling;
use crate::fault::{Fault, FaultKind, Faults, Ignored, Place};
use crate::feature;
use crate::graph::JointGraph;
use crate::ids::{
    ActuatorId, BodyId, CameraId, CouplingId, JointId, KeyframeId, Ref, SensorId, ShapeId, SiteId, TendonId,
};
use crate::joint::{Dof, Joint};
use crate::keyframe::Keyframe;
use crate::medium::Medium;
use crate::mobility::Mobility;
use crate::model::Model;
use crate::resolve::Names;
use crate::sensor::Sensor;
use crate::shape::Shape;
use crate::site::Site;
use crate::softness::Compliance;
use crate::tendon::Tendon;
use crate::validate;
use bellcrank_math::Vec3;
use std::panic::Location;

/// Everything that was said about a mechanism.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub name: String,
    pub gravity: Vec3,
    pub time_step: f64,
    pub material_rules: MaterialRules,
    pub medium: Medium,
    pub compliance: Option<Compliance>,
    pub bodies: Vec<Body>,
    pub joints: Vec<Joint>,
    pub couplings: Vec<Coupling>,
    pub tendons: Vec<Tendon>,
    pub actuators: Vec<Actuator>,
    pub shapes: Vec<Shape>,
    pub sites: Vec<Site>,
    pub cameras: Vec<Camera>,
    pub sensors: Vec<Sensor>,
    pub keyframes: Vec<Keyframe>,
    pub filters: Vec<ContactFilter>,
    pub ignored: Vec<Ignored>,
}

/// Collects the parts of a mechanism; [`ModelBuilder::build`] checks them all at once.
///
/// ```
/// use bellcrank_model::{Body, Joint, ModelBuilder, WORLD};
/// use bellcrank_math::{Pose, Vec3};
///
/// let mut builder = ModelBuilder::new("pendulum");
/// let bob = builder.body(Body::new("bob").at(Pose::translation(0.0, 0.0, -1.0)).solid_sphere(1.0, 0.05));
/// builder.joint(Joint::revolute("hinge", WORLD, bob).placed(Vec3::zero(), Vec3::y_axis()));
/// let model = builder.build()?;
/// assert_eq!((model.mobility(), model.loops().len()), (1, 0));
/// # Ok::<(), bellcrank_model::Faults>(())
/// ```
#[derive(Clone, Debug)]
pub struct ModelBuilder {
    parts: Parts,
    place: Option<Place>,
}

macro_rules! add {
    ($(#[$doc:meta])* $method:ident, $part:ident, $list:ident, $id:ident, $tag:literal) => {
        $(#[$doc])*
        #[track_caller]
        pub fn $method(&mut self, mut part: $part) -> $id {
            let caller = Location::caller(); // not inside the closure: that would name this file
            let place = part.place.take().unwrap_or_else(|| self.here(caller));
            part.place = Some(if place.element.is_empty() { place.element($tag, &part.name) } else { place });
            self.parts.$list.push(part);
            $id::new(self.parts.$list.len() - 1)
        }
    };
}

impl ModelBuilder {
    /// An empty mechanism under Earth's gravity.
    pub fn new(name: impl Into<String>) -> Self {
        let parts = Parts {
            name: name.into(),
            gravity: Vec3::new(0.0, 0.0, -9.81),
            time_step: 0.004,
            material_rules: MaterialRules::default(),
            medium: Medium::default(),
            compliance: None,
            bodies: Vec::new(),
            joints: Vec::new(),
            couplings: Vec::new(),
            tendons: Vec::new(),
            actuators: Vec::new(),
            shapes: Vec::new(),
            sites: Vec::new(),
            cameras: Vec::new(),
            sensors: Vec::new(),
            keyframes: Vec::new(),
            filters: Vec::new(),
            ignored: Vec::new(),
        };
        ModelBuilder { parts, place: None }
    }

    add!(
        /// Adds a rigid body.
        body, Body, bodies, BodyId, "body"
    );
    add!(
        /// Adds a joint. A joint that closes a loop is added like any other.
        joint, Joint, joints, JointId, "joint"
    );
    add!(
        /// Adds a linear relation between joint coordinates.
        coupling, Coupling, couplings, CouplingId, "coupling"
    );
    add!(
        /// Adds a weighted sum of coordinates.
        tendon, Tendon, tendons, TendonId, "tendon"
    );
    add!(
        /// Adds a motor.
        actuator, Actuator, actuators, ActuatorId, "actuator"
    );
    add!(
        /// Adds a shape.
        shape, Shape, shapes, ShapeId, "shape"
    );
    add!(
        /// Adds a named frame.
        site, Site, sites, SiteId, "site"
    );
    add!(
        /// Adds a camera.
        camera, Camera, cameras, CameraId, "camera"
    );
    add!(
        /// Adds a measurement.
        sensor, Sensor, sensors, SensorId, "sensor"
    );
    add!(
        /// Adds a named pose.
        keyframe, Keyframe, keyframes, KeyframeId, "keyframe"
    );

    /// The degree of freedom that a motor on this target moves, to be added to: a rotor's inertia and damping. `None` for sites, and for
    /// what goes by its name still.
    pub fn dof_of(&mut self, target: &Target) -> Option<&mut Dof> {
        match target {
            Target::Joint { joint: Ref::Id(joint), dof } => {
                self.parts.joints.get_mut(joint.index())?.dofs.get_mut(*dof)
            }
            Target::Tendon(Ref::Id(tendon)) => Some(&mut self.parts.tendons.get_mut(tendon.index())?.dof),
            _ => None,
        }
    }

    /// An actuator that was added, by its number.
    pub fn actuator_mut(&mut self, index: usize) -> Option<&mut Actuator> {
        self.parts.actuators.get_mut(index)
    }

    /// A shape that was added, by its name.
    pub fn shape_mut(&mut self, name: &str) -> Option<&mut Shape> {
        self.parts.shapes.iter_mut().find(|shape| shape.name == name)
    }

    /// The shapes added so far.
    pub fn shapes(&self) -> &[Shape] {
        &self.parts.shapes
    }

    /// The named frames added so far.
    pub fn sites(&self) -> &[Site] {
        &self.parts.sites
    }

    /// These two bodies never touch.
    #[track_caller]
    pub fn exclude(&mut self, a: impl Into<Ref<BodyId>>, b: impl Into<Ref<BodyId>>) -> &mut Self {
        let place = self.tagged(Location::caller(), "<exclude>");
        self.parts.filters.push(ContactFilter::Exclude { a: a.into(), b: b.into(), place });
        self
    }

    /// These two shapes may touch whatever their groups and joints say.
    #[track_caller]
    pub fn pair(&mut self, a: impl Into<Ref<ShapeId>>, b: impl Into<Ref<ShapeId>>) -> &mut Self {
        self.pair_with(a, b, PairSurface::default())
    }

    /// The same, with properties of its own.
    #[track_caller]
    pub fn pair_with(
        &mut self,
        a: impl Into<Ref<ShapeId>>,
        b: impl Into<Ref<ShapeId>>,
        surface: PairSurface,
    ) -> &mut Self {
        let place = self.tagged(Location::caller(), "<pair>");
        self.parts.filters.push(ContactFilter::Pair { a: a.into(), b: b.into(), surface, place });
        self
    }

    /// Acceleration of free fall [m/s²].
    pub fn gravity(&mut self, gravity: Vec3) -> &mut Self {
        self.parts.gravity = gravity;
        self
    }

    /// The step that suits this model [s]; a simulation may choose another.
    pub fn time_step(&mut self, dt: f64) -> &mut Self {
        self.parts.time_step = dt;
        self
    }

    /// How the materials of two shapes that touch become one.
    pub fn material_rules(&mut self, rules: MaterialRules) -> &mut Self {
        self.parts.material_rules = rules;
        self
    }

    /// What surrounds the bodies.
    pub fn medium(&mut self, medium: Medium) -> &mut Self {
        self.parts.medium = medium;
        self
    }

    /// Contacts, limits and dry friction give way as [`crate::Softness`] has it; without, they are hard.
    pub fn compliance(&mut self, compliance: Option<Compliance>) -> &mut Self {
        self.parts.compliance = compliance;
        self
    }

    /// What follows was said here, until told otherwise (importers name the file's line).
    pub fn place(&mut self, place: Place) -> &mut Self {
        self.place = Some(place);
        self
    }

    /// Records something that was understood but has no effect.
    pub fn ignore(&mut self, place: Place, why: impl Into<String>) -> &mut Self {
        self.parts.ignored.push(Ignored { place, why: why.into() });
        self
    }

    /// Checks everything and analyses the joint graph.
    ///
    /// # Errors
    /// All faults of the model, each with its place and a hint.
    pub fn build(mut self) -> Result<Model, Faults> {
        let names = Names::of(&self.parts);
        let mut faults = names.duplicates.clone();
        validate::check(&mut self.parts, &names, &mut faults);
        if self.parts.bodies.is_empty() && self.parts.shapes.is_empty() && self.parts.sites.is_empty() {
            let place = self.place.clone().unwrap_or_else(|| Place::new("model", 0));
            faults.push(Fault { place: place.element("model", &self.parts.name), kind: FaultKind::NoBodies });
        }
        if !faults.is_empty() {
            // in the order in which things were said, file by file
            faults.sort_by(|a, b| (&a.place.file, a.place.line).cmp(&(&b.place.file, b.place.line)));
            return Err(Faults(faults));
        }
        let without_effect = feature::without_effect(&self.parts);
        self.parts.ignored.extend(without_effect);
        let graph = JointGraph::of(&self.parts);
        let mobility = Mobility::of(&self.parts, &graph);
        Ok(Model::new(self.parts, names, graph, mobility))
    }

    fn here(&self, caller: &Location<'_>) -> Place {
        self.place.clone().unwrap_or_else(|| Place::of_caller(caller))
    }

    fn tagged(&self, caller: &Location<'_>, element: &str) -> Place {
        let mut place = self.here(caller);
        if place.element.is_empty() {
            place.element = element.into();
        }
        place
    }
}
