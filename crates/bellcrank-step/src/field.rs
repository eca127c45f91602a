//! The numbers of a batch that can be read and written in bulk, as arrays of shape (worlds, …).

use crate::state::{Control, State};
use bellcrank_math::Real;
use bellcrank_model::Model;

/// A quantity that every world has. In arrays, worlds come first; in a batch of different models the rows of smaller
/// models are filled up with zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// Joint coordinates, joint after joint [rad or m], read only: (worlds, coordinates).
    JointPosition,
    /// Joint velocities, joint after joint [rad/s or m/s], read only: (worlds, dofs).
    JointVelocity,
    /// Centres of mass in the world [m]: (worlds, bodies, 3).
    BodyPosition,
    /// Orientations of the bodies: (worlds, bodies, 4).
    BodyQuatWxyz,
    /// Twists of the centres of mass, world axes, (linear, angular) [m/s, rad/s]: (worlds, bodies, 6).
    BodyVelocity,
    /// External force and moment at the centres of mass, world axes, until changed [N, N·m]: (worlds, bodies, 6).
    BodyWrench,
    /// Targets of position drives [rad or m]: (worlds, actuators).
    TargetPosition,
    /// Targets of velocity [rad/s or m/s]: (worlds, actuators).
    TargetVelocity,
    /// Efforts, or controls of affine drives [N·m or N]: (worlds, actuators).
    Effort,
    /// The interval whose velocity `BodyVelocity` is, in steps: one after a step, zero where velocities were written, which are
    /// those of the instant. [`crate::Integrator::Variational`] asks for it: (worlds, 1).
    VelocityInterval,
}

impl Field {
    /// All of them.
    pub const ALL: [Field; 10] = [
        Field::JointPosition,
        Field::JointVelocity,
        Field::BodyPosition,
        Field::BodyQuatWxyz,
        Field::BodyVelocity,
        Field::BodyWrench,
        Field::TargetPosition,
        Field::TargetVelocity,
        Field::Effort,
        Field::VelocityInterval,
    ];

    /// As it is called in Python and in files.
    pub fn name(self) -> &'static str {
        match self {
            Field::JointPosition => "joint_position",
            Field::JointVelocity => "joint_velocity",
            Field::BodyPosition => "body_position",
            Field::BodyQuatWxyz => "body_quat_wxyz",
            Field::BodyVelocity => "body_velocity",
            Field::BodyWrench => "body_wrench",
            Field::TargetPosition => "target_position",
            Field::TargetVelocity => "target_velocity",
            Field::Effort => "effort",
            Field::VelocityInterval => "velocity_interval",
        }
    }

    /// Numbers per part: 3 for positions, 1 for joint coordinates.
    pub fn components(self) -> usize {
        match self {
            Field::BodyPosition => 3,
            Field::BodyQuatWxyz => 4,
            Field::BodyVelocity | Field::BodyWrench => 6,
            _ => 1,
        }
    }

    /// Parts of a model that have it.
    pub fn parts(self, model: &Model) -> usize {
        match self {
            Field::JointPosition => model.coordinate_count(),
            Field::JointVelocity => model.joints().iter().map(|joint| joint.kind.dof_count()).sum(),
            Field::TargetPosition | Field::TargetVelocity | Field::Effort => model.actuators().len(),
            Field::VelocityInterval => 1,
            _ => model.bodies().len(),
        }
    }

    /// Numbers per world.
    pub fn width(self, model: &Model) -> usize {
        self.parts(model) * self.components()
    }

    /// Whether it may be written: joint coordinates follow from the bodies, see `Batch::assemble`.
    pub fn is_writable(self) -> bool {
        !matches!(self, Field::JointPosition | Field::JointVelocity)
    }
}

/// Number `k` of a field of stored state; `None` for what is computed.
pub fn number_mut<'a, R: Real>(
    field: Field,
    k: usize,
    state: &'a mut State<R>,
    control: &'a mut Control<R>,
) -> Option<&'a mut R> {
    Some(match field {
        Field::JointVelocity => return None,
        Field::JointPosition => &mut state.q[k],
        Field::BodyPosition => {
            let p = &mut state.X_WB[k / 3].p;
            [&mut p.x, &mut p.y, &mut p.z].into_iter().nth(k % 3)?
        }
        Field::BodyQuatWxyz => {
            let q = &mut state.X_WB[k / 4].R;
            [&mut q.w, &mut q.x, &mut q.y, &mut q.z].into_iter().nth(k % 4)?
        }
        Field::BodyVelocity => {
            let V = &mut state.V_WB[k / 6];
            let (v, w) = (&mut V.linear, &mut V.angular);
            [&mut v.x, &mut v.y, &mut v.z, &mut w.x, &mut w.y, &mut w.z].into_iter().nth(k % 6)?
        }
        Field::BodyWrench => &mut control.wrench[k / 6][k % 6],
        Field::TargetPosition => &mut control.target_position[k],
        Field::TargetVelocity => &mut control.target_velocity[k],
        Field::Effort => &mut control.effort[k],
        Field::VelocityInterval => &mut state.interval,
    })
}

/// The same, to be read.
pub fn number<R: Real>(field: Field, k: usize, state: &State<R>, control: &Control<R>) -> R {
    match field {
        Field::JointVelocity => R::zero(),
        Field::JointPosition => state.q[k],
        Field::BodyPosition => state.X_WB[k / 3].p.to_array()[k % 3],
        Field::BodyQuatWxyz => state.X_WB[k / 4].R.to_wxyz()[k % 4],
        Field::BodyVelocity => state.V_WB[k / 6].to_array()[k % 6],
        Field::BodyWrench => control.wrench[k / 6][k % 6],
        Field::TargetPosition => control.target_position[k],
        Field::TargetVelocity => control.target_velocity[k],
        Field::Effort => control.effort[k],
        Field::VelocityInterval => state.interval,
    }
}
