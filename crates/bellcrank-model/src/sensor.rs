//! What is measured.

use crate::fault::Place;
use crate::ids::{ActuatorId, BodyId, JointId, Link, Ref, SiteId, TendonId};
use crate::joint::Joint;
use crate::show::{Part, Show};
use crate::zone::Zone;
use bellcrank_math::Vec3;

/// A named measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor {
    /// Unique among sensors.
    pub name: String,
    /// What it measures.
    pub kind: SensorKind,
    /// Which of the numbers it gives, and in which form.
    pub show: Show,
    /// Where it was said.
    pub place: Option<Place>,
}

/// A frame that can be looked at.
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    /// A body's link frame.
    Body(Ref<BodyId>),
    /// A named frame.
    Site(Ref<SiteId>),
}

/// What a [`Sensor`] measures, and how many numbers it gives.
#[derive(Clone, Debug, PartialEq)]
pub enum SensorKind {
    /// Specific force [m/s²] and angular velocity [rad/s], in the site's axes: 6.
    Imu {
        /// Where it is mounted.
        site: Ref<SiteId>,
    },
    /// Position [m] and quaternion wxyz in the world: 7.
    FramePose(Frame),
    /// Velocity of the frame's origin [m/s] and angular velocity [rad/s], world axes: 6.
    FrameVelocity(Frame),
    /// Coordinates and velocities of a joint.
    JointState(Ref<JointId>),
    /// Pose of a frame seen from another: position [m] and quaternion wxyz in `from`'s axes: 7.
    RelativePose {
        /// What is looked at.
        frame: Frame,
        /// From where.
        from: Frame,
    },
    /// Motion of a frame seen from another that may move itself: velocity of its origin [m/s] and angular velocity
    /// [rad/s], in `from`'s axes: 6.
    RelativeVelocity {
        /// What is looked at.
        frame: Frame,
        /// From where.
        from: Frame,
    },
    /// Angular velocity of a spherical joint in the axes of what it moves [rad/s]: 3.
    BallRate(Ref<JointId>),
    /// A field that is the same everywhere, in the site's axes [its own unit]: 3.
    Magnetometer {
        /// Where it is mounted.
        site: Ref<SiteId>,
        /// The field in world axes.
        field: Vec3,
    },
    /// Acceleration of the frame's origin, gravity not counted [m/s²], and angular acceleration [rad/s²], world
    /// axes: 6.
    FrameAcceleration(Frame),
    /// The same less the acceleration of free fall: what an accelerometer would feel, in world axes: 6.
    FrameSpecificForce(Frame),
    /// Velocity of the site [m/s] and angular velocity [rad/s], in the site's axes: 6.
    SiteVelocity(Ref<SiteId>),
    /// Force [N] and moment [N·m] that the site's body passes on to what carries it, at the site and in its axes: 6.
    /// It is carried by its joint in the spanning tree; where loops carry it too, their share is not counted.
    ForceTorque(Ref<SiteId>),
    /// Distance from the site along its z axis to the nearest shape of another body [m], −1 for nothing within 1 km: 1.
    Range(Ref<SiteId>),
    /// Effort of all actuators on each degree of freedom of a joint [N·m or N].
    JointEffort(Ref<JointId>),
    /// Coordinate, velocity and effort of a motor, all before its gear: 3.
    ActuatorState(Ref<ActuatorId>),
    /// Length and its rate: 2.
    TendonState(Ref<TendonId>),
    /// Effort of all actuators on a tendon [N·m or N]: 1.
    TendonEffort(Ref<TendonId>),
    /// Of the body and all that it carries in the spanning tree, or of everything for the world: centre of mass [m], its velocity [m/s], angular
    /// momentum about it [N·m·s], world axes: 9.
    Subtree(Link),
    /// Potential and kinetic energy of the whole model [J]: 2.
    Energy,
    /// Time since the start [s]: 1.
    Clock,
    /// Sum of all contact forces on a body, world axes [N]: 3.
    ContactForce(Ref<BodyId>),
    /// Sum of the normal contact forces on the site's body in the zone, or behind it as seen along the normal out of the
    /// body [N]: 1.
    Touch {
        /// Centre of the sensitive zone.
        site: Ref<SiteId>,
        /// Its form.
        zone: Zone,
    },
}

impl SensorKind {
    /// How many numbers are measured.
    ///
    /// # Panics
    /// When the joint is still a name, which a built model never contains.
    pub fn count(&self, joints: &[Joint]) -> usize {
        let joint = |id: &Ref<JointId>| joints[id.id().index()].kind;
        match self {
            SensorKind::FramePose(_) | SensorKind::RelativePose { .. } => 7,
            SensorKind::Imu { .. }
            | SensorKind::FrameVelocity(_)
            | SensorKind::RelativeVelocity { .. }
            | SensorKind::FrameAcceleration(_)
            | SensorKind::FrameSpecificForce(_)
            | SensorKind::SiteVelocity(_)
            | SensorKind::ForceTorque(_) => 6,
            SensorKind::JointState(id) => joint(id).coordinate_count() + joint(id).dof_count(),
            SensorKind::JointEffort(id) => joint(id).dof_count(),
            SensorKind::BallRate(_)
            | SensorKind::Magnetometer { .. }
            | SensorKind::ActuatorState(_)
            | SensorKind::ContactForce(_) => 3,
            SensorKind::Subtree(_) => 9,
            SensorKind::TendonState(_) | SensorKind::Energy => 2,
            SensorKind::Range(_)
            | SensorKind::TendonEffort(_)
            | SensorKind::Clock
            | SensorKind::Touch { .. } => 1,
        }
    }
}

impl Sensor {
    /// Any measurement.
    pub fn new(name: impl Into<String>, kind: SensorKind) -> Self {
        Sensor { name: name.into(), kind, show: Show::default(), place: None }
    }

    /// An inertial measurement unit.
    pub fn imu(name: impl Into<String>, site: impl Into<Ref<SiteId>>) -> Self {
        Sensor::new(name, SensorKind::Imu { site: site.into() })
    }

    /// Pose of a site.
    pub fn site_pose(name: impl Into<String>, site: impl Into<Ref<SiteId>>) -> Self {
        Sensor::new(name, SensorKind::FramePose(Frame::Site(site.into())))
    }

    /// Velocity of a site.
    pub fn site_velocity(name: impl Into<String>, site: impl Into<Ref<SiteId>>) -> Self {
        Sensor::new(name, SensorKind::FrameVelocity(Frame::Site(site.into())))
    }

    /// Pose of a body's link frame.
    pub fn body_pose(name: impl Into<String>, body: impl Into<Ref<BodyId>>) -> Self {
        Sensor::new(name, SensorKind::FramePose(Frame::Body(body.into())))
    }

    /// Velocity of a body's link frame.
    pub fn body_velocity(name: impl Into<String>, body: impl Into<Ref<BodyId>>) -> Self {
        Sensor::new(name, SensorKind::FrameVelocity(Frame::Body(body.into())))
    }

    /// Coordinates and velocities of a joint.
    pub fn joint_state(name: impl Into<String>, joint: impl Into<Ref<JointId>>) -> Self {
        Sensor::new(name, SensorKind::JointState(joint.into()))
    }

    /// Sum of the contact forces on a body.
    pub fn contact_force(name: impl Into<String>, body: impl Into<Ref<BodyId>>) -> Self {
        Sensor::new(name, SensorKind::ContactForce(body.into()))
    }

    /// Normal force in a ball around a site.
    pub fn touch(name: impl Into<String>, site: impl Into<Ref<SiteId>>, radius: f64) -> Self {
        Sensor::new(name, SensorKind::Touch { site: site.into(), zone: Zone::ball(radius) })
    }

    /// Gives only some of the numbers, in a row.
    pub fn numbers(mut self, first: usize, count: usize) -> Self {
        self.show.part = Part::Numbers { first, count };
        self
    }

    /// Gives an axis (0, 1, 2 for x, y, z) of the rotation that the last four numbers are.
    pub fn axis(mut self, k: usize) -> Self {
        self.show.part = Part::Axis(k);
        self
    }

    /// Gives scale · number + offset.
    pub fn scaled(mut self, scale: f64, offset: f64) -> Self {
        (self.show.scale, self.show.offset) = (scale, offset);
        self
    }

    /// Cuts every number to a range.
    pub fn bounds(mut self, low: f64, high: f64) -> Self {
        self.show.bounds = [low, high];
        self
    }

    /// Says where the sensor was described; otherwise it is the caller's line.
    pub fn place(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }
}
