//! Joints: what may move against what, and what resists.

mod kind;
pub mod kinematics;

pub use kind::JointKind;

use crate::fault::Place;
use crate::ids::Link;
use crate::softness::{DofSoftness, HeldSoftness};
use bellcrank_math::{Pose, Quat, Vec3};

/// A joint between predecessor P and successor S, with frame F fixed on P and frame M fixed on S.
///
/// The two frames are independent. The joint's coordinates say where M is, seen from F; all are zero where M and
/// F coincide. The primary axis of every kind is the frame's x axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Unique among joints.
    pub name: String,
    /// Which motions it allows.
    pub kind: JointKind,
    /// P: a body or the world.
    pub predecessor: Link,
    /// S: a body.
    pub successor: Link,
    /// X_PF in the predecessor's *link* frame (or in the world).
    pub X_PF: Pose,
    /// X_SM in the successor's *link* frame.
    pub X_SM: Pose,
    /// One entry per degree of freedom.
    pub dofs: Vec<Dof>,
    /// One entry per degree of freedom where limits and dry friction give way; empty where they are hard.
    pub softness: Vec<DofSoftness>,
    /// How what it holds together gives way; `None` where it stays closed.
    pub held: Option<HeldSoftness>,
    /// A hint for the spanning tree: this joint closes a loop and should not be part of it.
    pub closes_loop: bool,
    /// Where it was said.
    pub place: Option<Place>,
    pub(crate) placement: Placement,
}

/// How the author gave the joint's frames.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Placement {
    /// In the two link frames.
    Frames,
    /// Once, in the world at the reference pose.
    World(Pose),
    /// By a point and an axis in the world at the reference pose; the axis may be any length.
    WorldAxis(Vec3, Vec3),
    /// By a point and an axis in each link frame.
    Axes([(Vec3, Vec3); 2]),
}

/// What resists or bounds one degree of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dof {
    /// Lower and upper bound of the coordinate [rad or m]; infinite for none.
    pub limits: [f64; 2],
    /// Rotor inertia seen at the joint [kg·m² or kg].
    pub armature: f64,
    /// Viscous damping [N·m·s/rad or N·s/m].
    pub damping: f64,
    /// Dry friction: the largest holding effort [N·m or N].
    pub friction: f64,
    /// A spring that pulls to its rest coordinate.
    pub spring: Option<Spring>,
    /// Largest effort of all actuators on this degree of freedom together [N·m or N]; infinite for none.
    pub effort_limit: f64,
    /// Least and largest effort of all actuators together, where they do not push as they pull [N·m or N]; infinite
    /// for none. It holds besides `effort_limit`.
    pub effort_range: [f64; 2],
    /// Largest speed [rad/s or m/s]; infinite for none.
    pub velocity_limit: f64,
    /// Whole turns that an angle has behind it at the reference pose, which shows angles from −π to π only.
    pub turns: i32,
}

/// A linear spring on one coordinate: effort = −stiffness · (coordinate − rest).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// [N·m/rad or N/m]
    pub stiffness: f64,
    /// Coordinate without effort [rad or m].
    pub rest: f64,
}

impl Default for Dof {
    fn default() -> Self {
        Dof {
            limits: [f64::NEG_INFINITY, f64::INFINITY],
            armature: 0.0,
            damping: 0.0,
            friction: 0.0,
            spring: None,
            effort_limit: f64::INFINITY,
            effort_range: [f64::NEG_INFINITY, f64::INFINITY],
            velocity_limit: f64::INFINITY,
            turns: 0,
        }
    }
}

impl Dof {
    /// Least and largest effort of all actuators together, from both bounds [N·m or N].
    pub fn effort_bounds(&self) -> [f64; 2] {
        crate::actuator::effort_bounds(self.effort_limit, self.effort_range)
    }
}

macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident => $kind:ident),* $(,)?) => {
        $(
            $(#[$doc])*
            pub fn $name(name: impl Into<String>, predecessor: impl Into<Link>, successor: impl Into<Link>) -> Self {
                Joint::new(name, JointKind::$kind, predecessor, successor)
            }
        )*
    };
}

impl Joint {
    /// A joint whose frames coincide with the two link frames until placed.
    pub fn new(
        name: impl Into<String>,
        kind: JointKind,
        predecessor: impl Into<Link>,
        successor: impl Into<Link>,
    ) -> Self {
        Joint {
            name: name.into(),
            kind,
            predecessor: predecessor.into(),
            successor: successor.into(),
            X_PF: Pose::identity(),
            X_SM: Pose::identity(),
            dofs: vec![Dof::default(); kind.dof_count()],
            softness: Vec::new(),
            held: None,
            closes_loop: false,
            place: None,
            placement: Placement::Frames,
        }
    }

    constructors! {
        /// Nothing moves.
        fixed => Fixed,
        /// Turns about x.
        revolute => Revolute,
        /// Slides along x.
        prismatic => Prismatic,
        /// Slides along x and turns about it.
        cylindrical => Cylindrical,
        /// Turns about F's x, then about M's y (a Cardan joint).
        universal => Universal,
        /// Turns in any way (a ball joint).
        spherical => Spherical,
        /// Turns in any way, told by three angles about x, y, z in turn.
        gimbal => Gimbal,
        /// Slides in y and z and turns about x.
        planar => Planar,
        /// Slides in x, y and z.
        cartesian => Cartesian,
        /// Moves in any way; useful to give a floating base coordinates, damping or limits.
        free => Free,
    }

    /// Turns about x and advances along it by `pitch` [m/rad].
    pub fn screw(
        name: impl Into<String>,
        predecessor: impl Into<Link>,
        successor: impl Into<Link>,
        pitch: f64,
    ) -> Self {
        Joint::new(name, JointKind::Screw { pitch }, predecessor, successor)
    }

    /// Both frames at one point of the world in the reference pose, x along `axis_W` (of any length).
    pub fn placed(mut self, p_W: Vec3, axis_W: Vec3) -> Self {
        self.placement = Placement::WorldAxis(p_W, axis_W);
        self
    }

    /// Both frames at X_WF of the world in the reference pose.
    pub fn placed_pose(mut self, X_WF: Pose) -> Self {
        self.placement = Placement::World(X_WF);
        self
    }

    /// Each frame in its own link frame (the world's for the world).
    pub fn frames(mut self, X_PF: Pose, X_SM: Pose) -> Self {
        (self.X_PF, self.X_SM) = (X_PF, X_SM);
        self.placement = Placement::Frames;
        self
    }

    /// Each frame by a point and an axis in its own link frame. Angles are counted from an arbitrary zero;
    /// use [`Joint::frames`] where that matters.
    pub fn axes(mut self, predecessor: (Vec3, Vec3), successor: (Vec3, Vec3)) -> Self {
        self.placement = Placement::Axes([predecessor, successor]);
        self
    }

    /// Bounds every degree of freedom [rad or m].
    pub fn limits(self, low: f64, high: f64) -> Self {
        self.each_dof(|dof| dof.limits = [low, high])
    }

    /// Rotor inertia on every degree of freedom [kg·m² or kg].
    pub fn armature(self, armature: f64) -> Self {
        self.each_dof(|dof| dof.armature = armature)
    }

    /// Viscous damping on every degree of freedom [N·m·s/rad or N·s/m].
    pub fn damping(self, damping: f64) -> Self {
        self.each_dof(|dof| dof.damping = damping)
    }

    /// Dry friction on every degree of freedom [N·m or N].
    pub fn friction(self, friction: f64) -> Self {
        self.each_dof(|dof| dof.friction = friction)
    }

    /// A spring on every degree of freedom [N·m/rad or N/m; rad or m].
    pub fn spring(self, stiffness: f64, rest: f64) -> Self {
        self.each_dof(|dof| dof.spring = Some(Spring { stiffness, rest }))
    }

    /// Largest effort on every degree of freedom [N·m or N].
    pub fn effort_limit(self, limit: f64) -> Self {
        self.each_dof(|dof| dof.effort_limit = limit)
    }

    /// Largest speed on every degree of freedom [rad/s or m/s].
    pub fn velocity_limit(self, limit: f64) -> Self {
        self.each_dof(|dof| dof.velocity_limit = limit)
    }

    /// Says what the coordinates are at the reference pose, so that angles beyond a half turn are counted from there.
    pub fn counted_from(mut self, q: &[f64; 7]) -> Self {
        let shown = kinematics::coordinates(self.kind, kinematics::pose(self.kind, q));
        for (k, dof) in self.dofs.iter_mut().enumerate() {
            if self.kind.has_scalar_coordinates() && self.kind.is_angle(k) {
                dof.turns = ((q[k] - shown[k]) / core::f64::consts::TAU).round() as i32;
            }
        }
        self
    }

    /// Sets one degree of freedom; a number beyond the joint's own is reported when the model is built.
    pub fn dof(mut self, index: usize, dof: Dof) -> Self {
        if index >= self.dofs.len() {
            self.dofs.resize(index + 1, Dof::default());
        }
        self.dofs[index] = dof;
        self
    }

    /// Says that this joint closes a loop of an otherwise given tree.
    pub fn closing_loop(mut self) -> Self {
        self.closes_loop = true;
        self
    }

    /// Says where the joint was described; otherwise it is the caller's line.
    pub fn place(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    fn each_dof(mut self, set: impl Fn(&mut Dof)) -> Self {
        self.dofs.iter_mut().for_each(set);
        self
    }
}

impl Placement {
    /// A frame at `p` with x along `axis`, or `None` where the axis has no direction.
    pub(crate) fn frame(p: Vec3, axis: Vec3) -> Option<Pose> {
        let length = axis.norm();
        (length > 0.0 && length.is_finite()).then(|| Pose::new(Quat::x_axis_to(axis * (1.0 / length)), p))
    }
}
