//! The checked, immutable mechanism.

use crate::actuator::Actuator;
use crate::body::Body;
use crate::builder::Parts;
use crate::camera::Camera;
use crate::combine::MaterialRules;
use crate::contact::ContactFilter;
use crate::coupling::Coupling;
use crate::fault::{Ignored, Warning};
use crate::graph::{JointGraph, Loop};
use crate::ids::{
    ActuatorId, BodyId, CameraId, CouplingId, JointId, KeyframeId, SensorId, ShapeId, SiteId, TendonId,
};
use crate::joint::{Joint, JointKind, kinematics};
use crate::keyframe::Keyframe;
use crate::medium::Medium;
use crate::mobility::{Mobility, reference_frames};
use crate::resolve::Names;
use crate::sensor::Sensor;
use crate::shape::Shape;
use crate::site::Site;
use crate::softness::Compliance;
use crate::tendon::Tendon;
use crate::warnings;
use bellcrank_math::{Pose, Vec3};

/// A mechanism, checked and analysed. Immutable; shared by everything that computes with it.
#[derive(Clone, Debug)]
pub struct Model {
    parts: Parts,
    names: Names,
    graph: JointGraph,
    mobility: Mobility,
    warnings: Vec<Warning>,
}

macro_rules! lists {
    ($($(#[$doc:meta])* $list:ident: $part:ident),* $(,)?) => {
        $(
            $(#[$doc])*
            pub fn $list(&self) -> &[$part] {
                &self.parts.$list
            }
        )*
    };
}

macro_rules! lookups {
    ($($(#[$doc:meta])* $method:ident: $list:ident, $id:ident),* $(,)?) => {
        $(
            $(#[$doc])*
            pub fn $method(&self, name: &str) -> Option<$id> {
                self.names.$list.get(name)
            }
        )*
    };
}

impl Model {
    pub(crate) fn new(parts: Parts, names: Names, graph: JointGraph, mobility: Mobility) -> Self {
        let mut model = Model { parts, names, graph, mobility, warnings: Vec::new() };
        model.warnings = warnings::of(&model);
        model
    }

    /// The mechanism's name.
    pub fn name(&self) -> &str {
        &self.parts.name
    }

    /// Acceleration of free fall [m/s²].
    pub fn gravity(&self) -> Vec3 {
        self.parts.gravity
    }

    /// The step that suits this model [s].
    pub fn time_step(&self) -> f64 {
        self.parts.time_step
    }

    /// What surrounds the bodies.
    pub fn medium(&self) -> Medium {
        self.parts.medium
    }

    /// Whether contacts and limits give way; `None` where they are hard.
    pub fn compliance(&self) -> Option<Compliance> {
        self.parts.compliance
    }

    /// How the materials of two shapes that touch become one.
    pub fn material_rules(&self) -> MaterialRules {
        self.parts.material_rules
    }

    lists! {
        /// Rigid bodies, by [`BodyId`].
        bodies: Body,
        /// Joints, by [`JointId`]; those that close loops among them.
        joints: Joint,
        /// Linear relations between joint coordinates.
        couplings: Coupling,
        /// Weighted sums of coordinates, by [`TendonId`].
        tendons: Tendon,
        /// Motors, by [`ActuatorId`].
        actuators: Actuator,
        /// Shapes, by [`ShapeId`].
        shapes: Shape,
        /// Named frames, by [`SiteId`].
        sites: Site,
        /// Cameras, by [`CameraId`].
        cameras: Camera,
        /// Measurements, by [`SensorId`].
        sensors: Sensor,
        /// Named poses, by [`KeyframeId`].
        keyframes: Keyframe,
        /// Exceptions from the rule of collision groups.
        filters: ContactFilter,
        /// What was said but has no effect.
        ignored: Ignored,
    }

    lookups! {
        /// The body of that name.
        body_id: bodies, BodyId,
        /// The joint of that name.
        joint_id: joints, JointId,
        /// The coupling of that name.
        coupling_id: couplings, CouplingId,
        /// The tendon of that name.
        tendon_id: tendons, TendonId,
        /// The motor of that name.
        actuator_id: actuators, ActuatorId,
        /// The shape of that name.
        shape_id: shapes, ShapeId,
        /// The named frame of that name.
        site_id: sites, SiteId,
        /// The camera of that name.
        camera_id: cameras, CameraId,
        /// The measurement of that name.
        sensor_id: sensors, SensorId,
        /// The named pose of that name.
        keyframe_id: keyframes, KeyframeId,
    }

    /// What is legal but probably not meant.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Components, spanning tree and loops.
    pub fn graph(&self) -> &JointGraph {
        &self.graph
    }

    /// The centre of mass of a body and of all that hangs on it in the spanning tree, or of everything; the body's own place where that
    /// has no mass.
    pub fn center_of_mass(&self, root: Option<BodyId>, X_WB: impl Fn(BodyId) -> Pose) -> Vec3 {
        let (mut mass, mut sum) = (0.0, Vec3::zero());
        for body in self.graph.carried_by(root) {
            let own = self.bodies()[body.index()].mass;
            mass += own;
            sum += X_WB(body).p * own;
        }
        match root {
            _ if mass > 0.0 => sum * (1.0 / mass),
            Some(body) => X_WB(body).p,
            None => Vec3::zero(),
        }
    }

    /// Independent loops, each listed by its joints.
    pub fn loops(&self) -> &[Loop] {
        self.graph.loops()
    }

    /// Degrees of freedom of the whole mechanism at the reference pose, floating bases included.
    pub fn mobility(&self) -> usize {
        self.mobility.dofs
    }

    /// Constraint rows that follow from the others at the reference pose.
    pub fn redundant_rows(&self) -> usize {
        self.mobility.redundant_rows
    }

    /// Constraint rows of all joints and couplings.
    pub fn row_count(&self) -> usize {
        self.mobility.rows
    }

    /// Length of the vector of all joint coordinates, joint after joint.
    pub fn coordinate_count(&self) -> usize {
        self.joints().iter().map(|joint| joint.kind.coordinate_count()).sum()
    }

    /// Length of the vector of all joint velocities, joint after joint. Loops make many of them dependent; see
    /// [`Model::mobility`] for how many are free.
    pub fn dof_count(&self) -> usize {
        self.joints().iter().map(|joint| joint.kind.dof_count()).sum()
    }

    /// Mass of all bodies [kg].
    pub fn mass(&self) -> f64 {
        self.bodies().iter().fold(0.0, |sum, body| sum + body.mass)
    }

    /// The weld that holds a body which is placed from outside; `None` for all other bodies.
    pub fn mocap_weld(&self, body: BodyId) -> Option<JointId> {
        let welds = |joint: &Joint| {
            joint.kind == JointKind::Fixed
                && joint.predecessor.body().is_none()
                && joint.successor.body() == Some(body)
        };
        let is_mocap = self.bodies()[body.index()].mocap;
        self.joints().iter().position(welds).filter(|_| is_mocap).map(JointId::new)
    }

    /// X_PF and X_SM of a joint in the *body* frames (origin at the centre of mass; the world's for the world).
    pub fn joint_frames(&self, joint: JointId) -> (Pose, Pose) {
        let joint = &self.joints()[joint.index()];
        let to_body = |body: Option<BodyId>, X_L: Pose| {
            body.map_or(X_L, |b| self.bodies()[b.index()].X_LB().inverse_mul(X_L))
        };
        (to_body(joint.predecessor.body(), joint.X_PF), to_body(joint.successor.body(), joint.X_SM))
    }

    /// X_FM of a joint at the reference pose.
    pub fn reference_joint_pose(&self, joint: JointId) -> Pose {
        reference_frames(&self.parts, joint).1
    }

    /// Coordinates of a joint at the reference pose; angles are counted through the whole turns of [`Dof::turns`].
    pub fn reference_coordinates(&self, joint: JointId) -> [f64; 7] {
        let part = &self.joints()[joint.index()];
        let mut q = kinematics::coordinates(part.kind, self.reference_joint_pose(joint));
        if part.kind.has_scalar_coordinates() {
            for (k, dof) in part.dofs.iter().enumerate().filter(|(k, _)| part.kind.is_angle(*k)) {
                q[k] += core::f64::consts::TAU * f64::from(dof.turns);
            }
        }
        q
    }

    /// How far the most open joint is open at the reference pose: [m] and [rad].
    pub fn reference_gap(&self) -> (f64, f64) {
        self.joint_gaps().fold((0.0, 0.0), |(m, r), (_, metres, radians)| (metres.max(m), radians.max(r)))
    }

    /// Every joint with how far it is open at the reference pose: [m] and [rad].
    pub(crate) fn joint_gaps(&self) -> impl Iterator<Item = (&Joint, f64, f64)> {
        self.joints().iter().enumerate().map(|(j, joint)| {
            let (metres, radians) = kinematics::gap(joint.kind, self.reference_joint_pose(JointId::new(j)));
            (joint, metres, radians)
        })
    }
}
