//! The kinds of joint, counted.

/// Which motions a joint allows. The primary axis is the joint frame's x axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Nothing moves.
    Fixed,
    /// Turns about x. Coordinate: angle [rad].
    Revolute,
    /// Slides along x. Coordinate: distance [m].
    Prismatic,
    /// Slides along x and turns about it. Coordinates: distance [m], angle [rad].
    Cylindrical,
    /// Turns about F's x, then about M's y. Coordinates: two angles [rad].
    Universal,
    /// Turns in any way. Coordinates: unit quaternion wxyz; velocity: ω_FM in F [rad/s].
    Spherical,
    /// Turns about x, then y, then z, each carried along by the one before. Coordinates: three angles [rad].
    Gimbal,
    /// Slides in y and z and turns about x. Coordinates: y, z [m], angle [rad].
    Planar,
    /// Slides in x, y and z. Coordinates: p_FM [m].
    Cartesian,
    /// Turns about x and advances `pitch` [m/rad] along it. Coordinate: angle [rad], of any number of turns.
    Screw {
        /// Advance per angle [m/rad]; a thread's lead divided by 2π.
        pitch: f64,
    },
    /// Moves in any way. Coordinates: p_FM [m], quaternion wxyz; velocity: of M's origin and ω_FM, in F.
    Free,
}

impl JointKind {
    /// Number of position coordinates.
    pub fn coordinate_count(self) -> usize {
        match self {
            JointKind::Spherical => 4,
            JointKind::Free => 7,
            _ => self.dof_count(),
        }
    }

    /// Number of velocity coordinates.
    pub fn dof_count(self) -> usize {
        match self {
            JointKind::Fixed => 0,
            JointKind::Revolute | JointKind::Prismatic | JointKind::Screw { .. } => 1,
            JointKind::Cylindrical | JointKind::Universal => 2,
            JointKind::Spherical | JointKind::Gimbal | JointKind::Planar | JointKind::Cartesian => 3,
            JointKind::Free => 6,
        }
    }

    /// Number of constraint rows.
    pub fn row_count(self) -> usize {
        6 - self.dof_count()
    }

    /// How many of the rows, which come first, hold positions together; the others hold directions.
    pub fn position_row_count(self) -> usize {
        match self {
            JointKind::Cartesian | JointKind::Free => 0,
            JointKind::Planar => 1,
            JointKind::Prismatic | JointKind::Cylindrical => 2,
            _ => 3,
        }
    }

    /// Whether every degree of freedom has a plain coordinate of its own (no quaternion).
    pub fn has_scalar_coordinates(self) -> bool {
        self.coordinate_count() == self.dof_count() && self.dof_count() > 0
    }

    /// Whether degree of freedom `dof` is an angle.
    pub fn is_angle(self, dof: usize) -> bool {
        match self {
            JointKind::Prismatic | JointKind::Cartesian => false,
            JointKind::Cylindrical => dof == 1,
            JointKind::Planar => dof == 2,
            JointKind::Free => dof >= 3,
            _ => true,
        }
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            JointKind::Fixed => "fixed",
            JointKind::Revolute => "revolute",
            JointKind::Prismatic => "prismatic",
            JointKind::Cylindrical => "cylindrical",
            JointKind::Universal => "universal",
            JointKind::Spherical => "spherical",
            JointKind::Gimbal => "gimbal",
            JointKind::Planar => "planar",
            JointKind::Cartesian => "cartesian",
            JointKind::Screw { .. } => "screw",
            JointKind::Free => "free",
        }
    }

    /// One of each, for tests and tables.
    pub const ALL: [JointKind; 11] = [
        JointKind::Fixed,
        JointKind::Revolute,
        JointKind::Prismatic,
        JointKind::Cylindrical,
        JointKind::Universal,
        JointKind::Spherical,
        JointKind::Gimbal,
        JointKind::Planar,
        JointKind::Cartesian,
        JointKind::Screw { pitch: 0.01 },
        JointKind::Free,
    ];
}
