//! Physical parameters: one for all worlds, or one for each. The whole of domain randomisation.

use crate::actuator::{Control, effort_bounds};
use crate::ids::{BodyId, JointId, ShapeId};
use crate::joint::Dof;
use crate::model::Model;
use crate::shape::Material;
use crate::torque_speed::TorqueSpeed;
use bellcrank_math::{Inertia, Pose, Sym3, Vec3};

/// A quantity that is either one for all worlds or one each.
#[derive(Clone, Debug, PartialEq)]
pub enum PerWorld<T> {
    /// The same everywhere.
    Shared(T),
    /// By world.
    Each(Vec<T>),
}

impl<T> PerWorld<T> {
    /// The value in a world.
    ///
    /// # Panics
    /// When there are values by world, but none for this one.
    pub fn get(&self, world: usize) -> &T {
        match self {
            PerWorld::Shared(value) => value,
            PerWorld::Each(values) => &values[world],
        }
    }

    /// Whether worlds may differ.
    pub fn is_spread(&self) -> bool {
        matches!(self, PerWorld::Each(_))
    }

    /// Replaces the value everywhere.
    pub fn set_all(&mut self, value: T) {
        *self = PerWorld::Shared(value);
    }
}

impl<T: Clone> PerWorld<T> {
    /// One value per world from now on, all of them to be written; those that differ already are kept.
    pub fn spread(&mut self, worlds: usize) -> &mut [T] {
        if let PerWorld::Shared(value) = self {
            *self = PerWorld::Each(vec![value.clone(); worlds]);
        }
        match self {
            PerWorld::Each(values) => values,
            PerWorld::Shared(_) => unreachable!("just spread"),
        }
    }
}

/// What a body weighs and how it resists turning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyParameters {
    /// Mass [kg].
    pub mass: f64,
    /// p_LB [m]: the centre of mass in the link frame.
    pub com: Vec3,
    /// Inertia about the centre of mass, in the link frame's axes [kg·m²].
    pub inertia: Sym3,
}

impl BodyParameters {
    /// Spatial inertia about the link frame's origin.
    pub fn about_link(&self) -> Inertia {
        Inertia::from_com(self.mass, self.com, self.inertia)
    }
}

/// Where a joint sits and what resists it.
#[derive(Clone, Debug, PartialEq)]
pub struct JointParameters {
    /// X_PF in the predecessor's link frame.
    pub X_PF: Pose,
    /// X_SM in the successor's link frame.
    pub X_SM: Pose,
    /// One entry per degree of freedom.
    pub dofs: Vec<Dof>,
}

/// How a shape touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeParameters {
    /// X_LG in the link frame.
    pub X_LG: Pose,
    /// How it rubs and bounces.
    pub material: Material,
}

/// How strong a motor is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActuatorParameters {
    /// How the control becomes effort: the gains.
    pub control: Control,
    /// Motor coordinate per joint coordinate.
    pub gear: f64,
    /// Largest effort of the motor [N·m or N]; infinite for none.
    pub effort_limit: f64,
    /// Least and largest effort, besides `effort_limit` [N·m or N]; infinite for none.
    pub effort_range: [f64; 2],
    /// Controls are clamped to this range; infinite for none.
    pub control_range: [f64; 2],
    /// How strong it is at speed, before the gear.
    pub torque_speed: Option<TorqueSpeed>,
}

impl ActuatorParameters {
    /// What the motor gives to its target at least and at most at any speed, through its gear and from all bounds [N·m
    /// or N].
    pub fn effort_bounds(&self) -> [f64; 2] {
        let most = self.torque_speed.map_or(f64::INFINITY, |line| line.saturation);
        let [low, high] = effort_bounds(self.effort_limit.min(most), self.effort_range);
        if self.gear > 0.0 {
            [low * self.gear, high * self.gear]
        } else if self.gear < 0.0 {
            [high * self.gear, low * self.gear] // a gear that reverses swaps them
        } else {
            [0.0, 0.0]
        }
    }

    /// The line of its largest effort over the rate of its target, through the gear: effort at rest [N·m or N], and
    /// what it loses per rate [N·m·s/rad or N·s/m]; `None` where it has none.
    pub fn line_at_target(&self) -> Option<[f64; 2]> {
        let line = self.torque_speed?;
        Some([line.stall * self.gear.abs(), line.slope() * self.gear * self.gear])
    }
}

/// Every physical parameter of a model, each shared or by world. They are kept as authored, in link frames, so
/// that what follows from them (body frames, inverse masses) can be computed afresh when one changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Acceleration of free fall [m/s²].
    pub gravity: PerWorld<Vec3>,
    /// Factors on the stiffness and damping of contacts, for solvers whose contacts have any (closed-form contact as
    /// published).
    pub contact_gain: PerWorld<[f64; 2]>,
    bodies: Vec<PerWorld<BodyParameters>>,
    joints: Vec<PerWorld<JointParameters>>,
    shapes: Vec<PerWorld<ShapeParameters>>,
    actuators: Vec<PerWorld<ActuatorParameters>>,
}

impl Parameters {
    /// As the model has them, shared by all worlds.
    pub fn of(model: &Model) -> Self {
        let bodies = model.bodies().iter().map(|body| BodyParameters {
            mass: body.mass,
            com: body.com,
            inertia: body.inertia.unwrap_or_default(), // a built model has no body without
        });
        let joints = model.joints().iter().map(|joint| JointParameters {
            X_PF: joint.X_PF,
            X_SM: joint.X_SM,
            dofs: joint.dofs.clone(),
        });
        let shapes =
            model.shapes().iter().map(|shape| ShapeParameters { X_LG: shape.X_LG, material: shape.material });
        let actuators = model.actuators().iter().map(|a| ActuatorParameters {
            control: a.control,
            gear: a.gear,
            effort_limit: a.effort_limit,
            effort_range: a.effort_range,
            control_range: a.control_range,
            torque_speed: a.torque_speed,
        });
        Parameters {
            gravity: PerWorld::Shared(model.gravity()),
            contact_gain: PerWorld::Shared([1.0; 2]),
            bodies: bodies.map(PerWorld::Shared).collect(),
            joints: joints.map(PerWorld::Shared).collect(),
            shapes: shapes.map(PerWorld::Shared).collect(),
            actuators: actuators.map(PerWorld::Shared).collect(),
        }
    }

    /// Whether no parameter differs between worlds.
    pub fn is_shared(&self) -> bool {
        !(self.gravity.is_spread()
            || self.contact_gain.is_spread()
            || self.bodies.iter().any(PerWorld::is_spread)
            || self.joints.iter().any(PerWorld::is_spread)
            || self.shapes.iter().any(PerWorld::is_spread)
            || self.actuators.iter().any(PerWorld::is_spread))
    }

    /// Mass, centre of mass and inertia.
    pub fn body(&self, body: BodyId) -> &PerWorld<BodyParameters> {
        &self.bodies[body.index()]
    }

    /// Mass, centre of mass and inertia, to be written.
    pub fn body_mut(&mut self, body: BodyId) -> &mut PerWorld<BodyParameters> {
        &mut self.bodies[body.index()]
    }

    /// Frames and resistances.
    pub fn joint(&self, joint: JointId) -> &PerWorld<JointParameters> {
        &self.joints[joint.index()]
    }

    /// Frames and resistances, to be written.
    pub fn joint_mut(&mut self, joint: JointId) -> &mut PerWorld<JointParameters> {
        &mut self.joints[joint.index()]
    }

    /// Place and material.
    pub fn shape(&self, shape: ShapeId) -> &PerWorld<ShapeParameters> {
        &self.shapes[shape.index()]
    }

    /// Place and material, to be written.
    pub fn shape_mut(&mut self, shape: ShapeId) -> &mut PerWorld<ShapeParameters> {
        &mut self.shapes[shape.index()]
    }

    /// Gains and limits of a motor, by its number.
    pub fn actuator(&self, actuator: usize) -> &PerWorld<ActuatorParameters> {
        &self.actuators[actuator]
    }

    /// Gains and limits of a motor, to be written.
    pub fn actuator_mut(&mut self, actuator: usize) -> &mut PerWorld<ActuatorParameters> {
        &mut self.actuators[actuator]
    }
}
