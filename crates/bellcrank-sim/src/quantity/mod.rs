//! The table of quantities: states, controls, physical parameters and read-outs, what they are called, whose they are, their
//! shape and unit, whether they can be written and whether a step can be differentiated by them. Arrays, randomisation,
//! derivatives, the Python package and the page docs/reference/quantities.md take all of it from here.

mod values;

use crate::batch::BatchError;
use bellcrank_model::{Control, Model, nearest};
use bellcrank_step::field::Field;
pub(crate) use values::{each, is_spread, refuse, set, spread};

/// What a quantity is to a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// What a step starts from and changes.
    State,
    /// What a step is told; it leaves it alone.
    Control,
    /// What the mechanism is made of: one row for all worlds until spread.
    Parameter,
    /// What follows from the state, or from the last step.
    Readout,
    /// What only derivatives know: changes of something that has no array of its own.
    Direction,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 5] = [Kind::State, Kind::Control, Kind::Parameter, Kind::Readout, Kind::Direction];
}

/// What a quantity belongs to: a row of its array has one entry for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Owner {
    World,
    Body,
    Shape,
    Joint,
    Coordinate,
    Dof,
    Actuator,
    Site,
}

impl Owner {
    /// All of them.
    pub const ALL: [Owner; 8] = [
        Owner::World,
        Owner::Body,
        Owner::Shape,
        Owner::Joint,
        Owner::Coordinate,
        Owner::Dof,
        Owner::Actuator,
        Owner::Site,
    ];

    /// The axis of an array that counts them; a world has none beside that of worlds.
    pub fn axis(self) -> Option<&'static str> {
        match self {
            Owner::World => None,
            Owner::Body => Some("bodies"),
            Owner::Shape => Some("shapes"),
            Owner::Joint => Some("joints"),
            Owner::Coordinate => Some("coordinates"),
            Owner::Dof => Some("dofs"),
            Owner::Actuator => Some("actuators"),
            Owner::Site => Some("sites"),
        }
    }

    /// How many a model has.
    pub fn count(self, model: &Model) -> usize {
        match self {
            Owner::World => 1,
            Owner::Body => model.bodies().len(),
            Owner::Shape => model.shapes().len(),
            Owner::Joint => model.joints().len(),
            Owner::Coordinate => model.coordinate_count(),
            Owner::Dof => model.dof_count(),
            Owner::Actuator => model.actuators().len(),
            Owner::Site => model.sites().len(),
        }
    }

    /// Their names; the second coordinate or degree of freedom of a joint is `name[1]`, as for assembly.
    pub fn names(self, model: &Model) -> Vec<String> {
        let numbered = |count: fn(bellcrank_model::JointKind) -> usize| {
            let of = |joint: &bellcrank_model::Joint| {
                let name = joint.name.clone();
                (0..count(joint.kind))
                    .map(move |k| if k == 0 { name.clone() } else { format!("{name}[{k}]") })
            };
            model.joints().iter().flat_map(of).collect()
        };
        match self {
            Owner::World => vec![String::new()],
            Owner::Body => model.bodies().iter().map(|part| part.name.clone()).collect(),
            Owner::Shape => model.shapes().iter().map(|part| part.name.clone()).collect(),
            Owner::Joint => model.joints().iter().map(|part| part.name.clone()).collect(),
            Owner::Coordinate => numbered(bellcrank_model::JointKind::coordinate_count),
            Owner::Dof => numbered(bellcrank_model::JointKind::dof_count),
            Owner::Actuator => model.actuators().iter().map(|part| part.name.clone()).collect(),
            Owner::Site => model.sites().iter().map(|part| part.name.clone()).collect(),
        }
    }
}

/// A row of the table.
struct Entry {
    quantity: Quantity,
    name: &'static str,
    kind: Kind,
    owner: Owner,
    tail: &'static [usize],
    unit: &'static str,
    writable: bool,
    differentiable: bool,
    meaning: &'static str,
}

/// The enumeration and its table from one list: name of the variant and of the array, owner, shape of what one part has, unit,
/// whether it can be written, whether a step can be differentiated by it, and what it is.
macro_rules! quantities {
    (@is yes) => { true };
    (@is no) => { false };
    ($($kind:ident { $(
        $variant:ident $name:ident $owner:ident [$($tail:literal)*] $unit:literal
        written: $written:ident, slope: $slope:ident, $meaning:literal;
    )* })*) => {
        /// Something that every world has numbers of. In arrays, worlds come first; in a batch of different models the rows of
        /// smaller models are filled up with zeros.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Quantity { $($( #[doc = $meaning] $variant, )*)* }

        const TABLE: &[Entry] = &[ $($( Entry {
            quantity: Quantity::$variant,
            name: stringify!($name),
            kind: Kind::$kind,
            owner: Owner::$owner,
            tail: &[$($tail),*],
            unit: $unit,
            writable: quantities!(@is $written),
            differentiable: quantities!(@is $slope),
            meaning: $meaning,
        }, )*)* ];
    };
}

quantities! {
    State {
        JointPosition joint_position Coordinate [] "rad or m" written: no, slope: no,
            "Joint coordinates, joint after joint. They follow from the bodies: `assemble` finds poses for given ones.";
        JointVelocity joint_velocity Dof [] "rad/s or m/s" written: no, slope: no,
            "Joint velocities, joint after joint. They follow from the bodies.";
        BodyPosition body_position Body [3] "m" written: yes, slope: no,
            "Centres of mass in the world.";
        BodyQuatWxyz body_quat_wxyz Body [4] "1" written: yes, slope: no,
            "Orientations of the bodies: of their link frames, and of their frames at the centres of mass.";
        BodyVelocity body_velocity Body [6] "m/s, rad/s" written: yes, slope: no,
            "Twists of the centres of mass, world axes, linear part first.";
        VelocityInterval velocity_interval World [] "steps" written: yes, slope: no,
            "The interval whose velocity `body_velocity` is: one after a step, zero where velocities were written, which are those of the instant. The variational integrator asks for it.";
        Activation activation Actuator [] "unit of the control" written: yes, slope: no,
            "States of motors that have one (first-order filters, integrators); zero for others.";
    }
    Control {
        TargetPosition target_position Actuator [] "rad or m" written: yes, slope: yes,
            "Targets of position motors; at first those of the reference pose.";
        TargetVelocity target_velocity Actuator [] "rad/s or m/s" written: yes, slope: yes,
            "Targets of velocity, of position and velocity motors.";
        Effort effort Actuator [] "N·m or N" written: yes, slope: yes,
            "Efforts, or feed-forward of motors that hold something, or controls of affine motors.";
        Control control Actuator [] "that of what the motor takes" written: yes, slope: no,
            "What each motor listens to: `target_position` of position motors, `target_velocity` of velocity motors, `effort` of all others. The same numbers as there, not further ones.";
        BodyWrench body_wrench Body [6] "N, N·m" written: yes, slope: yes,
            "Force and moment from outside at the centres of mass, world axes, until changed.";
    }
    Parameter {
        Gravity gravity World [3] "m/s²" written: yes, slope: yes,
            "Acceleration of free fall.";
        ContactGain contact_gain World [2] "1" written: yes, slope: no,
            "Factors on stiffness and damping of contacts as `ComFree(variant=\"published\")` has them.";
        BodyMass body_mass Body [] "kg" written: yes, slope: yes,
            "Masses.";
        BodyCom body_com Body [3] "m" written: yes, slope: yes,
            "Centres of mass in the link frames.";
        BodyInertia body_inertia Body [3 3] "kg·m²" written: yes, slope: yes,
            "Inertias about the centres of mass, in the link frames' axes.";
        Friction friction Shape [] "1" written: yes, slope: yes,
            "Coefficients of sliding friction.";
        TorsionalFriction torsional_friction Shape [] "m" written: yes, slope: yes,
            "Moment about the normal per normal force.";
        RollingFriction rolling_friction Shape [] "m" written: yes, slope: yes,
            "Moment about the tangents per normal force.";
        Restitution restitution Shape [] "1" written: yes, slope: no,
            "Coefficients of restitution.";
        ShapePosition shape_position Shape [3] "m" written: yes, slope: yes,
            "Origins of the shapes in the link frames.";
        PredecessorAnchor predecessor_anchor Joint [3] "m" written: yes, slope: yes,
            "Where the joints sit on their predecessors' links.";
        SuccessorAnchor successor_anchor Joint [3] "m" written: yes, slope: yes,
            "Where the joints sit on their successors' links.";
        Armature armature Dof [] "kg·m² or kg" written: yes, slope: yes,
            "Rotor inertia, as seen at the joint.";
        Damping damping Dof [] "N·m·s/rad or N·s/m" written: yes, slope: yes,
            "Viscous damping.";
        JointFriction joint_friction Dof [] "N·m or N" written: yes, slope: yes,
            "Dry friction of the joints.";
        SpringStiffness spring_stiffness Dof [] "N·m/rad or N/m" written: yes, slope: yes,
            "Stiffness of the joints' springs; zero where there is none.";
        SpringRest spring_rest Dof [] "rad or m" written: yes, slope: yes,
            "Coordinates at which the springs are at rest.";
        Limits limits Dof [2] "rad or m" written: yes, slope: yes,
            "Lower and upper bound of the coordinates; infinite for none.";
        Gain gain Actuator [] "N·m/rad or N/m" written: yes, slope: yes,
            "kp of position motors, gain of affine ones; zero where there is none.";
        RateGain rate_gain Actuator [] "N·m·s/rad or N·s/m" written: yes, slope: yes,
            "kd of position and velocity motors.";
        Gear gear Actuator [] "1" written: yes, slope: yes,
            "Motor coordinate per joint coordinate.";
        MotorEffortLimit motor_effort_limit Actuator [] "N·m or N" written: yes, slope: no,
            "Largest effort of a motor; infinite for none.";
    }
    Readout {
        LinkPosition link_position Body [3] "m" written: no, slope: no,
            "Origins of the link frames in the world.";
        LinkQuatWxyz link_quat_wxyz Body [4] "1" written: no, slope: no,
            "Orientations of the link frames: those of the bodies.";
        LinkVelocity link_velocity Body [6] "m/s, rad/s" written: no, slope: no,
            "Twists of the link frames' origins, world axes, linear part first.";
        SitePosition site_position Site [3] "m" written: no, slope: no,
            "Origins of the sites in the world.";
        SiteQuatWxyz site_quat_wxyz Site [4] "1" written: no, slope: no,
            "Orientations of the sites.";
        AppliedEffort applied_effort Actuator [] "N·m or N" written: no, slope: no,
            "Effort of all motors on each motor's degree of freedom or tendon in the last step, at the joint or along the tendon.";
        JointReaction joint_reaction Joint [6] "N, N·m" written: no, slope: no,
            "Force and moment that each joint put on its successor in the last step, at M's origin in F's axes. Motors, springs, limits and friction are part of it.";
        ContactForce contact_force Body [3] "N" written: no, slope: no,
            "Sum of the contact forces on each body in the last step, world axes.";
        BodyAcceleration body_acceleration Body [6] "m/s², rad/s²" written: no, slope: no,
            "Change of `body_velocity` in the last step, per time.";
    }
    Direction {
        State state Body [12] "m, rad, m/s, rad/s" written: no, slope: yes,
            "Change of a body's state: position, rotation vector, linear and angular velocity, world axes.";
        TimeStep time_step World [] "s" written: no, slope: yes,
            "The step.";
        ShapeRotation shape_rotation Shape [3] "rad" written: no, slope: yes,
            "Shapes turned about axes of their own.";
        ShapeSize shape_size Shape [3] "m" written: no, slope: yes,
            "Radius and half lengths, or half edges.";
        PredecessorAxes predecessor_axes Joint [3] "rad" written: no, slope: yes,
            "Joint frames on their predecessors, turned about axes of their own.";
        SuccessorAxes successor_axes Joint [3] "rad" written: no, slope: yes,
            "Joint frames on their successors, turned about axes of their own.";
    }
}

use Quantity as Q;

impl Quantity {
    /// All of them, in the order of the table.
    pub fn all() -> impl Iterator<Item = Quantity> {
        TABLE.iter().map(|entry| entry.quantity)
    }

    /// All of one kind.
    pub fn of_kind(kind: Kind) -> impl Iterator<Item = Quantity> {
        Quantity::all().filter(move |quantity| quantity.kind() == kind)
    }

    /// The one with this name.
    ///
    /// # Errors
    /// When there is none; the nearest known name is the hint.
    pub fn by_name(name: &str) -> Result<Quantity, BatchError> {
        Quantity::all().find(|quantity| quantity.name() == name).ok_or_else(|| {
            let known: Vec<String> = Quantity::all().map(|quantity| quantity.name().to_owned()).collect();
            let hint = match nearest(name, known.iter()) {
                Some(near) => format!("\n  hint: did you mean {near:?}?"),
                None => format!("\n  hint: known are {}", known.join(", ")),
            };
            BatchError::NoSuchName { what: "array", name: name.to_owned(), hint }
        })
    }

    fn entry(self) -> &'static Entry {
        &TABLE[self as usize]
    }

    /// As arrays and files call it.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// What it is to a step.
    pub fn kind(self) -> Kind {
        self.entry().kind
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

    /// What it is, in a sentence.
    pub fn meaning(self) -> &'static str {
        self.entry().meaning
    }

    /// Whether it has an array; directions are known to derivatives alone.
    pub fn is_array(self) -> bool {
        self.kind() != Kind::Direction
    }

    /// Whether its array can be written.
    pub fn is_writable(self) -> bool {
        self.entry().writable
    }

    /// Whether a step can be differentiated with respect to it.
    pub fn is_differentiable(self) -> bool {
        self.entry().differentiable
    }

    /// Whether it is a physical parameter: one row for all worlds until spread, 64 bits whatever the batch computes with.
    pub fn is_parameter(self) -> bool {
        self.kind() == Kind::Parameter
    }

    /// Whether a random draw is added to it: it may be zero, where a factor would do nothing.
    pub fn is_shifted(self) -> bool {
        matches!(self, Q::Gravity | Q::BodyCom | Q::Limits)
    }

    /// Whether infinity is a value: it says that there is no bound.
    pub fn may_be_infinite(self) -> bool {
        matches!(self, Q::Limits | Q::MotorEffortLimit)
    }

    /// How many parts a model has for it.
    pub fn parts(self, model: &Model) -> usize {
        self.owner().count(model)
    }

    /// Numbers of one part.
    pub fn components(self) -> usize {
        self.tail().iter().product()
    }

    /// Numbers per world.
    pub fn width(self, model: &Model) -> usize {
        self.parts(model) * self.components()
    }

    /// Names of the numbers of one part, as `vz` or `lower`; one empty name for a plain number.
    pub fn component_names(self) -> Vec<String> {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect();
        match (self, self.components()) {
            (_, 1) => vec![String::new()],
            (Q::State, _) => words("x y z rx ry rz vx vy vz wx wy wz"),
            (Q::BodyVelocity | Q::LinkVelocity, _) => words("vx vy vz wx wy wz"),
            (Q::BodyAcceleration, _) => words("ax ay az wx wy wz"),
            (Q::BodyWrench | Q::JointReaction, _) => words("fx fy fz mx my mz"),
            (Q::Limits, _) => words("lower upper"),
            (Q::ContactGain, _) => words("stiffness damping"),
            (Q::BodyInertia, _) => words("xx xy xz yx yy yz zx zy zz"),
            (_, 4) => words("w x y z"),
            _ => words("x y z"),
        }
    }

    /// Names of all numbers of a model's row, as `limits[knee].lower`, `gravity.z` or `effort[hip]`.
    pub fn labels(self, model: &Model) -> Vec<String> {
        let mut labels = Vec::new();
        for part in self.owner().names(model) {
            for component in self.component_names() {
                let mut label = self.name().to_owned();
                if self.owner() != Owner::World {
                    label += &format!("[{part}]");
                }
                if !component.is_empty() {
                    label += &format!(".{component}");
                }
                labels.push(label);
            }
        }
        labels
    }

    /// Which of the control arrays a motor listens to.
    pub fn listened_to(control: Control) -> Quantity {
        match control {
            Control::Position { .. } => Q::TargetPosition,
            Control::Velocity { .. } => Q::TargetVelocity,
            Control::Effort
            | Control::Affine { .. }
            | Control::Varying { .. }
            | Control::Muscle(_)
            | Control::Voltage(_) => Q::Effort,
        }
    }

    /// A number that random draws of this quantity are seeded with; it stays when the table grows.
    pub(crate) fn stream(self) -> u64 {
        (self as u64).wrapping_sub(Q::Gravity as u64)
    }

    /// The engine's own array, where it is kept as such.
    pub(crate) fn field(self) -> Option<Field> {
        Some(match self {
            Q::JointPosition => Field::JointPosition,
            Q::JointVelocity => Field::JointVelocity,
            Q::BodyPosition => Field::BodyPosition,
            Q::BodyQuatWxyz => Field::BodyQuatWxyz,
            Q::BodyVelocity => Field::BodyVelocity,
            Q::BodyWrench => Field::BodyWrench,
            Q::TargetPosition => Field::TargetPosition,
            Q::TargetVelocity => Field::TargetVelocity,
            Q::Effort => Field::Effort,
            Q::VelocityInterval => Field::VelocityInterval,
            _ => return None,
        })
    }
}
