//! What a step can be differentiated with respect to.

use bellcrank_model::Model;
use bellcrank_sim::BatchError;
use bellcrank_step::layout::Layout;

/// One number that a step depends on. Bodies, shapes, joints and actuators are counted as in the model; degrees of freedom
/// and pairs of shapes as in the batch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Wrt {
    /// Centre of mass, world axes [m].
    Position {
        body: usize,
        axis: usize,
    },
    /// Turned about a world axis through its centre of mass [rad].
    Rotation {
        body: usize,
        axis: usize,
    },
    /// [m/s]
    LinearVelocity {
        body: usize,
        axis: usize,
    },
    /// World axes [rad/s].
    AngularVelocity {
        body: usize,
        axis: usize,
    },
    /// Of an actuator [N·m, N], or the control of an affine one.
    Effort(usize),
    TargetPosition(usize),
    TargetVelocity(usize),
    /// From outside, at the centre of mass, world axes [N].
    Force {
        body: usize,
        axis: usize,
    },
    /// [N·m]
    Moment {
        body: usize,
        axis: usize,
    },
    /// [kg]
    Mass(usize),
    /// xx, xy, xz, yy, yz, zz about the centre of mass, body axes [kg·m²].
    Inertia {
        body: usize,
        entry: usize,
    },
    /// In the link's frame [m]. The link stays where it is and keeps its velocity, as where the parameter is written: the centre moves by
    /// R δc, and its velocity changes by ω × R δc.
    CentreOfMass {
        body: usize,
        axis: usize,
    },
    /// Sliding friction of a pair of shapes.
    Friction {
        pair: usize,
    },
    /// [m]
    Torsional {
        pair: usize,
    },
    /// [m]
    Rolling {
        pair: usize,
    },
    /// On its body [m].
    ShapePosition {
        shape: usize,
        axis: usize,
    },
    /// About an axis of its own [rad].
    ShapeRotation {
        shape: usize,
        axis: usize,
    },
    /// Radius, half edges… [m].
    ShapeSize {
        shape: usize,
        axis: usize,
    },
    /// The joint's frame on its predecessor, moved along its body's axes [m].
    AnchorOnPredecessor {
        joint: usize,
        axis: usize,
    },
    AnchorOnSuccessor {
        joint: usize,
        axis: usize,
    },
    /// The joint's frame on its predecessor, turned about an axis of its own [rad].
    AxesOnPredecessor {
        joint: usize,
        axis: usize,
    },
    AxesOnSuccessor {
        joint: usize,
        axis: usize,
    },
    /// Of the spring of a degree of freedom [N·m/rad, N/m].
    Stiffness(usize),
    /// [rad, m]
    Rest(usize),
    /// [N·m·s/rad, N·s/m]
    Damping(usize),
    /// [kg·m², kg]
    Armature(usize),
    /// Dry friction of a degree of freedom [N·m, N].
    JointFriction(usize),
    LowerLimit(usize),
    UpperLimit(usize),
    /// Gain of an actuator.
    Kp(usize),
    Kd(usize),
    Gear(usize),
    /// [m/s²]
    Gravity {
        axis: usize,
    },
    /// Δt [s]
    TimeStep,
}

impl Wrt {
    /// The twelve numbers of every body's state: position, rotation, linear and angular velocity.
    pub fn state(bodies: usize) -> Vec<Wrt> {
        let mut all = Vec::new();
        for body in 0..bodies {
            all.extend((0..3).map(|axis| Wrt::Position { body, axis }));
            all.extend((0..3).map(|axis| Wrt::Rotation { body, axis }));
            all.extend((0..3).map(|axis| Wrt::LinearVelocity { body, axis }));
            all.extend((0..3).map(|axis| Wrt::AngularVelocity { body, axis }));
        }
        all
    }

    /// Efforts, target positions and target velocities of all actuators.
    pub fn control(actuators: usize) -> Vec<Wrt> {
        let kinds: [fn(usize) -> Wrt; 3] = [Wrt::Effort, Wrt::TargetPosition, Wrt::TargetVelocity];
        kinds.iter().flat_map(|kind| (0..actuators).map(kind)).collect()
    }

    /// Whether there is such a number.
    pub(crate) fn check(self, model: &Model, layout: &Layout) -> Result<(), BatchError> {
        let (bodies, joints, dofs) = (model.bodies().len(), layout.joints.len(), layout.dof_count);
        let (pairs, shapes, motors) =
            (layout.plan.pairs().len(), model.shapes().len(), layout.actuators.len());
        let (what, index, count, axis, axes) = match self {
            Wrt::Position { body, axis }
            | Wrt::Rotation { body, axis }
            | Wrt::LinearVelocity { body, axis }
            | Wrt::AngularVelocity { body, axis }
            | Wrt::Force { body, axis }
            | Wrt::Moment { body, axis }
            | Wrt::CentreOfMass { body, axis } => ("body", body, bodies, axis, 3),
            Wrt::Mass(body) => ("body", body, bodies, 0, 3),
            Wrt::Inertia { body, entry } => ("body", body, bodies, entry, 6),
            Wrt::Friction { pair } | Wrt::Torsional { pair } | Wrt::Rolling { pair } => {
                ("pair of shapes", pair, pairs, 0, 3)
            }
            Wrt::ShapePosition { shape, axis }
            | Wrt::ShapeRotation { shape, axis }
            | Wrt::ShapeSize { shape, axis } => ("shape", shape, shapes, axis, 3),
            Wrt::AnchorOnPredecessor { joint, axis }
            | Wrt::AnchorOnSuccessor { joint, axis }
            | Wrt::AxesOnPredecessor { joint, axis }
            | Wrt::AxesOnSuccessor { joint, axis } => ("joint", joint, joints, axis, 3),
            Wrt::Stiffness(dof) | Wrt::Rest(dof) | Wrt::Damping(dof) | Wrt::Armature(dof) => {
                ("degree of freedom", dof, dofs, 0, 3)
            }
            Wrt::JointFriction(dof) | Wrt::LowerLimit(dof) | Wrt::UpperLimit(dof) => {
                ("degree of freedom", dof, dofs, 0, 3)
            }
            Wrt::Effort(a) | Wrt::TargetPosition(a) | Wrt::TargetVelocity(a) => ("actuator", a, motors, 0, 3),
            Wrt::Kp(a) | Wrt::Kd(a) | Wrt::Gear(a) => ("actuator", a, motors, 0, 3),
            Wrt::Gravity { axis } => ("axis", axis, 3, 0, 3),
            Wrt::TimeStep => return Ok(()),
        };
        if index >= count {
            return Err(BatchError::NoSuchPart { what, index, count });
        }
        if axis >= axes {
            return Err(BatchError::NoSuchPart { what: "axis", index: axis, count: axes });
        }
        Ok(())
    }

    /// Every parameter of a model.
    pub(crate) fn parameters(model: &Model, layout: &Layout) -> Vec<Wrt> {
        let mut all = vec![Wrt::TimeStep];
        all.extend((0..3).map(|axis| Wrt::Gravity { axis }));
        for body in 0..model.bodies().len() {
            all.push(Wrt::Mass(body));
            all.extend((0..6).map(|entry| Wrt::Inertia { body, entry }));
            all.extend((0..3).map(|axis| Wrt::CentreOfMass { body, axis }));
        }
        for pair in 0..layout.plan.pairs().len() {
            all.extend([Wrt::Friction { pair }, Wrt::Torsional { pair }, Wrt::Rolling { pair }]);
        }
        for shape in layout.plan.shapes() {
            let shape = shape.id.index();
            all.extend((0..3).map(|axis| Wrt::ShapePosition { shape, axis }));
            all.extend((0..3).map(|axis| Wrt::ShapeRotation { shape, axis }));
            all.extend((0..3).map(|axis| Wrt::ShapeSize { shape, axis }));
        }
        for joint in 0..model.joints().len() {
            all.extend((0..3).map(|axis| Wrt::AnchorOnPredecessor { joint, axis }));
            all.extend((0..3).map(|axis| Wrt::AnchorOnSuccessor { joint, axis }));
            all.extend((0..3).map(|axis| Wrt::AxesOnPredecessor { joint, axis }));
            all.extend((0..3).map(|axis| Wrt::AxesOnSuccessor { joint, axis }));
        }
        for dof in 0..layout.dof_count {
            all.extend([Wrt::Stiffness(dof), Wrt::Rest(dof), Wrt::Damping(dof), Wrt::Armature(dof)]);
            all.extend([Wrt::JointFriction(dof), Wrt::LowerLimit(dof), Wrt::UpperLimit(dof)]);
        }
        for a in 0..model.actuators().len() {
            all.extend([Wrt::Kp(a), Wrt::Kd(a), Wrt::Gear(a)]);
        }
        all
    }
}
