//! Poses, velocities, targets of one world.

use super::{Batch, BatchError, Part};
use bellcrank_math::{Pose, Quat, Twist, Vec3};
use bellcrank_model::{ActuatorId, BodyId};
use bellcrank_step::field::Field;

impl Batch {
    /// X_WB of a body, origin at its centre of mass.
    ///
    /// # Errors
    /// When there is no such world or body.
    pub fn body_pose(&self, world: usize, body: impl Part<BodyId>) -> Result<Pose, BatchError> {
        let body = body.number();
        let (g, w) = self.find_body(world, body)?;
        let get = |field, k| self.groups[g].get(w, field, k);
        let q = [0, 1, 2, 3].map(|k| get(Field::BodyQuatWxyz, 4 * body + k));
        let [x, y, z] = [0, 1, 2].map(|k| get(Field::BodyPosition, 3 * body + k));
        Ok(Pose::new(Quat::from_wxyz(q), Vec3::new(x, y, z)))
    }

    /// Twist of a body's centre of mass, world axes.
    ///
    /// # Errors
    /// When there is no such world or body.
    pub fn body_velocity(&self, world: usize, body: impl Part<BodyId>) -> Result<Twist, BatchError> {
        let body = body.number();
        let (g, w) = self.find_body(world, body)?;
        let get = |k: usize| self.groups[g].get(w, Field::BodyVelocity, 6 * body + k);
        Ok(Twist::from_array([0, 1, 2, 3, 4, 5].map(get)))
    }

    /// Places a body; joints that this opens close again, at `Settings::recovery_speed` at most.
    ///
    /// # Errors
    /// When there is no such world or body.
    pub fn set_body_pose(
        &mut self,
        world: usize,
        body: impl Part<BodyId>,
        X_WB: Pose,
    ) -> Result<(), BatchError> {
        let body = body.number();
        self.set_part(world, body, Field::BodyQuatWxyz, &X_WB.R.to_wxyz())?;
        self.set_part(world, body, Field::BodyPosition, &X_WB.p.to_array())
    }

    /// Places all bodies of a world at once, in the model's order: a robot that is turned as a whole keeps its joint angles. Placed
    /// one by one, bodies show other angles on the way, and whole turns are counted.
    ///
    /// # Errors
    /// When there is no such world, or there are not as many poses as bodies.
    pub fn set_body_poses(&mut self, world: usize, X_WB: &[Pose]) -> Result<(), BatchError> {
        let (g, w) = self.find(world)?;
        let (found, expected) = (X_WB.len(), self.models[g].bodies().len());
        if found != expected {
            return Err(BatchError::WrongCount { what: "poses", found, expected });
        }
        let turned: Vec<f64> = X_WB.iter().flat_map(|X| X.R.to_wxyz()).collect();
        let placed: Vec<f64> = X_WB.iter().flat_map(|X| X.p.to_array()).collect();
        self.groups[g].set_row(w, Field::BodyQuatWxyz, 0, &turned);
        self.groups[g].set_row(w, Field::BodyPosition, 0, &placed);
        Ok(())
    }

    /// Sets a body's velocity.
    ///
    /// # Errors
    /// When there is no such world or body.
    pub fn set_body_velocity(
        &mut self,
        world: usize,
        body: impl Part<BodyId>,
        V: Twist,
    ) -> Result<(), BatchError> {
        self.set_part(world, body.number(), Field::BodyVelocity, &V.to_array())
    }

    /// Pushes a body at its centre of mass, world axes [N, N·m], until told otherwise.
    ///
    /// # Errors
    /// When there is no such world or body.
    pub fn set_body_wrench(
        &mut self,
        world: usize,
        body: impl Part<BodyId>,
        force: Vec3,
        moment: Vec3,
    ) -> Result<(), BatchError> {
        let [f, m] = [force.to_array(), moment.to_array()];
        self.set_part(world, body.number(), Field::BodyWrench, &[f[0], f[1], f[2], m[0], m[1], m[2]])
    }

    /// Joint coordinates of a world, joint after joint [rad or m].
    ///
    /// # Errors
    /// When there is no such world.
    pub fn joint_position(&self, world: usize) -> Result<Vec<f64>, BatchError> {
        self.row(world, Field::JointPosition)
    }

    /// Joint velocities of a world, joint after joint [rad/s or m/s].
    ///
    /// # Errors
    /// When there is no such world.
    pub fn joint_velocity(&self, world: usize) -> Result<Vec<f64>, BatchError> {
        self.row(world, Field::JointVelocity)
    }

    /// Target coordinate of an actuator [rad or m].
    ///
    /// # Errors
    /// When there is no such world or actuator.
    pub fn set_target_position(
        &mut self,
        world: usize,
        actuator: impl Part<ActuatorId>,
        value: f64,
    ) -> Result<(), BatchError> {
        self.set_part(world, actuator.number(), Field::TargetPosition, &[value])
    }

    /// Target velocity of an actuator [rad/s or m/s].
    ///
    /// # Errors
    /// When there is no such world or actuator.
    pub fn set_target_velocity(
        &mut self,
        world: usize,
        actuator: impl Part<ActuatorId>,
        value: f64,
    ) -> Result<(), BatchError> {
        self.set_part(world, actuator.number(), Field::TargetVelocity, &[value])
    }

    /// Effort of an actuator [N·m or N], or its control.
    ///
    /// # Errors
    /// When there is no such world or actuator.
    pub fn set_effort(
        &mut self,
        world: usize,
        actuator: impl Part<ActuatorId>,
        value: f64,
    ) -> Result<(), BatchError> {
        self.set_part(world, actuator.number(), Field::Effort, &[value])
    }

    pub(super) fn row(&self, world: usize, field: Field) -> Result<Vec<f64>, BatchError> {
        let (g, w) = self.find(world)?;
        Ok(self.groups[g].row(w, field))
    }

    fn set_part(
        &mut self,
        world: usize,
        part: usize,
        field: Field,
        values: &[f64],
    ) -> Result<(), BatchError> {
        let (g, w) = self.find(world)?;
        let count = field.parts(&self.models[g]);
        if part >= count {
            let what = if field.components() > 1 { "body" } else { "actuator" };
            return Err(BatchError::NoSuchPart { what, index: part, count });
        }
        self.groups[g].set_row(w, field, part * field.components(), values);
        Ok(())
    }
}
