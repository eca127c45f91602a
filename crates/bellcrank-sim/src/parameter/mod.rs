//! The table of physical parameters: what they are called, whose they are, and in which unit. Arrays, randomisation and the Python
//! package take all of it from here.

mod values;

use bellcrank_model::Model;
pub(crate) use values::{each, is_spread, refuse, set, spread};

/// A physical parameter that worlds can differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the table says what they are
pub enum Parameter {
    Gravity,
    ContactGain,
    BodyMass,
    BodyCom,
    BodyInertia,
    Friction,
    TorsionalFriction,
    RollingFriction,
    Restitution,
    ShapePosition,
    PredecessorAnchor,
    SuccessorAnchor,
    Armature,
    Damping,
    JointFriction,
    SpringStiffness,
    SpringRest,
    Limits,
    Gain,
    RateGain,
    Gear,
    MotorEffortLimit,
}

use Parameter as P;

/// What a parameter belongs to: a row of its array has one entry for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Owner {
    World,
    Body,
    Shape,
    Joint,
    Dof,
    Actuator,
}

impl Owner {
    /// All of them.
    pub const ALL: [Owner; 6] =
        [Owner::World, Owner::Body, Owner::Shape, Owner::Joint, Owner::Dof, Owner::Actuator];
}

/// A row of the table.
struct Entry {
    parameter: Parameter,
    name: &'static str,
    owner: Owner,
    /// Shape of what one part has.
    tail: &'static [usize],
    unit: &'static str,
    /// Whether it may be zero, so that a random draw shifts it instead of scaling it.
    shifted: bool,
    /// Whether infinity says "none".
    unbounded: bool,
}

const fn entry(
    parameter: Parameter,
    name: &'static str,
    owner: Owner,
    tail: &'static [usize],
    unit: &'static str,
) -> Entry {
    let shifted = matches!(parameter, P::Gravity | P::BodyCom | P::Limits);
    let unbounded = matches!(parameter, P::Limits | P::MotorEffortLimit);
    Entry { parameter, name, owner, tail, unit, shifted, unbounded }
}

/// In the order of the enumeration.
const TABLE: [Entry; 22] = [
    entry(P::Gravity, "gravity", Owner::World, &[3], "m/s²"),
    entry(P::ContactGain, "contact_gain", Owner::World, &[2], "1"),
    entry(P::BodyMass, "body_mass", Owner::Body, &[], "kg"),
    entry(P::BodyCom, "body_com", Owner::Body, &[3], "m"),
    entry(P::BodyInertia, "body_inertia", Owner::Body, &[3, 3], "kg·m²"),
    entry(P::Friction, "friction", Owner::Shape, &[], "1"),
    entry(P::TorsionalFriction, "torsional_friction", Owner::Shape, &[], "m"),
    entry(P::RollingFriction, "rolling_friction", Owner::Shape, &[], "m"),
    entry(P::Restitution, "restitution", Owner::Shape, &[], "1"),
    entry(P::ShapePosition, "shape_position", Owner::Shape, &[3], "m"),
    entry(P::PredecessorAnchor, "predecessor_anchor", Owner::Joint, &[3], "m"),
    entry(P::SuccessorAnchor, "successor_anchor", Owner::Joint, &[3], "m"),
    entry(P::Armature, "armature", Owner::Dof, &[], "kg·m² or kg"),
    entry(P::Damping, "damping", Owner::Dof, &[], "N·m·s/rad or N·s/m"),
    entry(P::JointFriction, "joint_friction", Owner::Dof, &[], "N·m or N"),
    entry(P::SpringStiffness, "spring_stiffness", Owner::Dof, &[], "N·m/rad or N/m"),
    entry(P::SpringRest, "spring_rest", Owner::Dof, &[], "rad or m"),
    entry(P::Limits, "limits", Owner::Dof, &[2], "rad or m"),
    entry(P::Gain, "gain", Owner::Actuator, &[], "N·m/rad or N/m"),
    entry(P::RateGain, "rate_gain", Owner::Actuator, &[], "N·m·s/rad or N·s/m"),
    entry(P::Gear, "gear", Owner::Actuator, &[], "1"),
    entry(P::MotorEffortLimit, "motor_effort_limit", Owner::Actuator, &[], "N·m or N"),
];

impl Parameter {
    /// All of them, in the order of the table.
    pub fn all() -> impl Iterator<Item = Parameter> {
        TABLE.iter().map(|entry| entry.parameter)
    }

    /// The one with this name.
    pub fn by_name(name: &str) -> Option<Parameter> {
        Parameter::all().find(|parameter| parameter.name() == name)
    }

    fn entry(self) -> &'static Entry {
        &TABLE[self as usize]
    }

    /// As arrays and files call it.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// What it belongs to.
    pub fn owner(self) -> Owner {
        self.entry().owner
    }

    /// Shape of what one part has: nothing for a number.
    pub fn tail(self) -> &'static [usize] {
        self.entry().tail
    }

    /// In which unit.
    pub fn unit(self) -> &'static str {
        self.entry().unit
    }

    /// Whether a random draw is added to it: it may be zero, where a factor would do nothing.
    pub fn is_shifted(self) -> bool {
        self.entry().shifted
    }

    /// Whether infinity is a value: it says that there is no bound.
    pub fn may_be_infinite(self) -> bool {
        self.entry().unbounded
    }

    /// How many parts a model has for it.
    pub fn parts(self, model: &Model) -> usize {
        match self.owner() {
            Owner::World => 1,
            Owner::Body => model.bodies().len(),
            Owner::Shape => model.shapes().len(),
            Owner::Joint => model.joints().len(),
            Owner::Dof => model.dof_count(),
            Owner::Actuator => model.actuators().len(),
        }
    }

    /// Numbers of one part.
    pub fn components(self) -> usize {
        self.tail().iter().product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enumeration() {
        for (i, parameter) in Parameter::all().enumerate() {
            assert_eq!(parameter as usize, i, "{}", parameter.name());
            assert_eq!(Parameter::by_name(parameter.name()), Some(parameter));
        }
    }
}
