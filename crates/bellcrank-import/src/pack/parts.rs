//! The parts of a model as bytes: which fields they have, in which order.

use super::codec::{Pack, Reader, choices, fields};
use bellcrank_model::{
    Activation, ActivationLaw, Actuator, ActuatorId, Body, BodyId, Camera, CameraMode, CombineRule,
    Compliance, ContactFilter, Control, Coupling, CouplingTerm, DcMotor, Dof, DofSoftness, Frame, Geometry,
    HeightField, HeldSoftness, Ignored, InMedium, Joint, JointId, JointKind, Keyframe, Link, Material,
    MaterialRules, Medium, Mesh, Muscle, PairSurface, Part, Place, Ref, Sensor, SensorKind, Shape, ShapeId,
    ShapeSoftness, Show, Site, SiteId, Softness, Spring, Target, Tendon, TendonId, Texture, TorqueSpeed,
    Waypoint, Zone,
};

macro_rules! ids {
    ($($id:ident),*) => {
        $(impl Pack for $id {
            fn pack(&self, out: &mut Vec<u8>) {
                self.index().pack(out);
            }
            fn unpack(from: &mut Reader<'_>) -> Option<Self> {
                usize::unpack(from).map($id::new)
            }
        })*
    };
}
ids!(BodyId, JointId, ActuatorId, ShapeId, SiteId, TendonId);

impl<I: Pack> Pack for Ref<I> {
    fn pack(&self, out: &mut Vec<u8>) {
        match self {
            Ref::Id(id) => {
                out.push(0);
                id.pack(out);
            }
            Ref::Name(name) => {
                out.push(1);
                name.pack(out);
            }
        }
    }
    fn unpack(from: &mut Reader<'_>) -> Option<Self> {
        match u8::unpack(from)? {
            0 => I::unpack(from).map(Ref::Id),
            1 => String::unpack(from).map(Ref::Name),
            _ => None,
        }
    }
}

/// A joint's frames are in its links in every built model, which is also how one begins.
impl Pack for Joint {
    fn pack(&self, out: &mut Vec<u8>) {
        self.name.pack(out);
        self.kind.pack(out);
        (self.predecessor.clone(), self.successor.clone()).pack(out);
        (self.X_PF, self.X_SM).pack(out);
        self.dofs.pack(out);
        self.softness.pack(out);
        self.held.pack(out);
        self.closes_loop.pack(out);
        self.place.pack(out);
    }
    fn unpack(from: &mut Reader<'_>) -> Option<Self> {
        let (name, kind) = (String::unpack(from)?, JointKind::unpack(from)?);
        let (predecessor, successor) = <(Link, Link)>::unpack(from)?;
        let mut joint = Joint::new(name, kind, predecessor, successor);
        (joint.X_PF, joint.X_SM) = Pack::unpack(from)?;
        joint.dofs = Pack::unpack(from)?;
        joint.softness = Pack::unpack(from)?;
        joint.held = Pack::unpack(from)?;
        joint.closes_loop = Pack::unpack(from)?;
        joint.place = Pack::unpack(from)?;
        Some(joint)
    }
}

fields! {
    Place { file, line, element }
    Ignored { place, why }
    MaterialRules { friction, restitution }
    Medium { density, viscosity, wind }
    Body { name, mass, com, inertia, X_WL, gravity_compensation, mocap, place }
    Dof { limits, armature, damping, friction, spring, effort_limit, effort_range, velocity_limit, turns }
    Spring { stiffness, rest }
    Coupling { name, terms, constant, place }
    CouplingTerm { joint, dof, coefficient }
    Tendon { name, terms, path, slack, dof, softness, place }
    Actuator { name, target, control, gear, effort_limit, effort_range, control_range, torque_speed, activation, place }
    TorqueSpeed { stall, no_load, saturation }
    Muscle { force, optimal_length, tendon_length, shortest, longest, fastest, passive, eccentric }
    DcMotor { constant, resistance, cogging }
    Activation { law, range, early }
    Shape { name, link, X_LG, geometry, material, priority, margin, gap, softness, in_medium, collides, group, mask, color, texture, place }
    InMedium { radii, X_GE, coefficients }
    Material { sliding, torsional, rolling, restitution }
    Mesh { vertices, triangles, uvs }
    Texture { width, height, rgb, repeat }
    HeightField { rows, columns, size, heights }
    Site { name, link, X_LS, place }
    Camera { name, link, X_LC, field_of_view, mode, place }
    Sensor { name, kind, show, place }
    Show { part, scale, offset, bounds }
    Keyframe { name, joints, velocities, bodies, twists, controls, activations, place }
    PairSurface { material, margin, gap, softness }
    Softness { reference, impedance }
    ShapeSoftness { law, mix, mobility }
    DofSoftness { limit, friction, mobility }
    HeldSoftness { law, mobility }
    Compliance { friction_ratio, pyramid }
}

choices! {
    Link { 0 = World, 1 = Body(body) }
    CombineRule { 0 = Average, 1 = Maximum, 2 = Minimum, 3 = Product }
    JointKind {
        0 = Fixed, 1 = Revolute, 2 = Prismatic, 3 = Cylindrical, 4 = Universal, 5 = Spherical, 6 = Gimbal, 7 = Planar,
        8 = Cartesian, 9 = Screw { pitch }, 10 = Free,
    }
    Target { 0 = Joint { joint, dof }, 1 = Tendon(tendon), 2 = Site { site, reference, wrench }, 3 = Body(body) }
    Control { 0 = Position { kp, kd }, 1 = Velocity { kd }, 2 = Effort, 3 = Affine { gain, bias }, 4 = Varying { gain, bias }, 5 = Muscle(muscle), 6 = Voltage(motor) }
    ActivationLaw { 0 = Filter { time }, 1 = Integral, 2 = Muscle { times, smooth }, 3 = Current { time, rate } }
    Geometry {
        0 = Plane, 1 = Sphere { radius }, 2 = Capsule { radius, half_length }, 3 = Box { half },
        4 = Cylinder { radius, half_length }, 5 = Ellipsoid { radii }, 6 = Cone { radius, half_length },
        7 = ConvexMesh(mesh), 8 = TriangleMesh(mesh), 9 = HeightField(field),
    }
    Frame { 0 = Body(body), 1 = Site(site) }
    CameraMode { 0 = Fixed, 1 = Track, 2 = TrackCenterOfMass, 3 = Target(body), 4 = TargetCenterOfMass(body) }
    SensorKind {
        0 = Imu { site }, 1 = FramePose(frame), 2 = FrameVelocity(frame), 3 = JointState(joint),
        4 = RelativePose { frame, from }, 5 = RelativeVelocity { frame, from }, 6 = BallRate(joint),
        7 = Magnetometer { site, field }, 8 = FrameAcceleration(frame), 9 = FrameSpecificForce(frame),
        10 = SiteVelocity(site), 11 = ForceTorque(site), 12 = Range(site), 13 = JointEffort(joint),
        14 = ActuatorState(actuator), 15 = TendonState(tendon), 16 = TendonEffort(tendon), 17 = Subtree(link),
        18 = Energy, 19 = Clock, 20 = ContactForce(body), 21 = Touch { site, zone },
    }
    Part { 0 = All, 1 = Numbers { first, count }, 2 = Axis(axis) }
    Zone {
        0 = Ellipsoid { radii }, 1 = Box { half }, 2 = Capsule { radius, half_length }, 3 = Cylinder { radius, half_length },
    }
    Waypoint { 0 = Site(site), 1 = Around { shape, side }, 2 = Pulley { divisor } }
    ContactFilter { 0 = Exclude { a, b, place }, 1 = Pair { a, b, surface, place } }
}
