//! What a pose shall achieve.

use bellcrank_math::Vec3;

/// Which goals come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// Met exactly where the mechanism can; all of these count for `solved`.
    First,
    /// Met as far as those of the first priority leave room.
    Second,
}

/// What is to be reached. Frames are bodies (their link frames) and sites, by name.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A point of a frame. Target: x, y, z \[m\], in the world or in the frame that it is relative to.
    Position {
        /// Body or site.
        frame: String,
        /// The point, in that frame \[m\].
        point: Vec3,
        /// Another frame in which the target is given.
        relative_to: Option<String>,
    },
    /// The orientation of a frame. Target: quaternion wxyz of any length but zero.
    Orientation {
        /// Body or site.
        frame: String,
        /// Another frame in which the target is given.
        relative_to: Option<String>,
    },
    /// An axis of a frame points at something. Target: the point looked at, x, y, z in the world \[m\].
    LookAt {
        /// Body or site.
        frame: String,
        /// The axis, in that frame; of any length but zero.
        axis: Vec3,
    },
    /// The centre of mass of everything that moves. Target: x, y, z \[m\] in the world.
    CenterOfMass,
    /// A scalar coordinate of any joint, of one that closes a loop too. Target: its value \[rad or m\].
    Joint {
        /// Its name.
        joint: String,
        /// Which of its coordinates.
        dof: usize,
    },
    /// Two joints' scalar coordinates in a fixed relation: first − factor · second is the target \[rad or m\]. Factor 1 or −1 for the two
    /// sides of a symmetric robot.
    Pair {
        /// Name of the first.
        first: String,
        /// Name of the second.
        second: String,
        /// How much the first moves per unit of the second.
        factor: f64,
    },
    /// A frame keeps its place and orientation in the world: a contact that stays. No target: it is where the start has it.
    Hold {
        /// Body or site.
        frame: String,
    },
    /// Two bodies stay apart along a normal: the separation n · (p_B − p_A) is at least so much. Target: p_A and p_B in the bodies' link
    /// frames \[m\], n in the world, the least separation \[m\], and one where it shall be just that, else zero; a normal of zeros and a
    /// separation of zero ask for nothing.
    Apart {
        /// Body, or `None` for the world.
        from: Option<String>,
        /// Body.
        body: String,
    },
    /// All scalar coordinates as in the pose that the search starts from. No target.
    Stay,
}

/// A goal: what, how important, and along which axes of the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// What is to be reached.
    pub what: What,
    /// Squares of errors \[m² or rad²\] are weighed with this.
    pub weight: f64,
    /// Further factors per axis of the world; zero for an axis that does not matter. Goals of one number have the first.
    pub axes: [f64; 3],
    /// Exactly, or as far as there is room.
    pub priority: Priority,
}

impl Goal {
    /// Of weight one and first priority.
    pub fn new(what: What) -> Self {
        Goal { what, weight: 1.0, axes: [1.0; 3], priority: Priority::First }
    }

    /// The origin of a frame is somewhere in the world.
    pub fn position(frame: impl Into<String>) -> Self {
        Goal::new(What::Position { frame: frame.into(), point: Vec3::zero(), relative_to: None })
    }

    /// A frame is turned in the world as a quaternion says.
    pub fn orientation(frame: impl Into<String>) -> Self {
        Goal::new(What::Orientation { frame: frame.into(), relative_to: None })
    }

    /// An axis of a frame points at a point of the world.
    pub fn look_at(frame: impl Into<String>, axis: Vec3) -> Self {
        Goal::new(What::LookAt { frame: frame.into(), axis })
    }

    /// The centre of mass is somewhere in the world.
    pub fn center_of_mass() -> Self {
        Goal::new(What::CenterOfMass)
    }

    /// A joint with one coordinate has a value.
    pub fn joint(joint: impl Into<String>) -> Self {
        Goal::new(What::Joint { joint: joint.into(), dof: 0 })
    }

    /// Two joints move alike (factor 1) or against each other (−1).
    pub fn pair(first: impl Into<String>, second: impl Into<String>, factor: f64) -> Self {
        Goal::new(What::Pair { first: first.into(), second: second.into(), factor })
    }

    /// A frame stays where the start has it.
    pub fn hold(frame: impl Into<String>) -> Self {
        Goal::new(What::Hold { frame: frame.into() })
    }

    /// Joints stay near the start, as far as other goals leave room.
    pub fn stay() -> Self {
        Goal::new(What::Stay).weight(1e-2).second()
    }

    /// The target is told in another frame.
    pub fn relative_to(mut self, other: impl Into<String>) -> Self {
        if let What::Position { relative_to, .. } | What::Orientation { relative_to, .. } = &mut self.what {
            *relative_to = Some(other.into());
        }
        self
    }

    /// A point of the frame instead of its origin \[m\].
    pub fn point(mut self, p: Vec3) -> Self {
        if let What::Position { point, .. } = &mut self.what {
            *point = p;
        }
        self
    }

    /// How important it is against others of the same priority.
    pub fn weight(mut self, weight: f64) -> Self {
        self.weight = weight;
        self
    }

    /// Only some axes of the world, or some more than others.
    pub fn axes(mut self, axes: [f64; 3]) -> Self {
        self.axes = axes;
        self
    }

    /// As far as goals of the first priority leave room.
    pub fn second(mut self) -> Self {
        self.priority = Priority::Second;
        self
    }

    /// Numbers of its target.
    pub fn target_width(&self) -> usize {
        match self.what {
            What::Position { .. } | What::LookAt { .. } | What::CenterOfMass => 3,
            What::Orientation { .. } => 4,
            What::Joint { .. } | What::Pair { .. } => 1,
            What::Apart { .. } => 11,
            What::Stay | What::Hold { .. } => 0,
        }
    }
}
