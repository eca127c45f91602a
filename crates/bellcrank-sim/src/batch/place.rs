//! Robots as a whole: moved without bending a joint.

use super::{Batch, BatchError};
use bellcrank_math::{Pose, Quat, Twist, Vec3};
use bellcrank_model::{BodyId, Model};
use bellcrank_step::layout::floats;

impl Batch {
    /// Moves the floating robot that a body belongs to, so that this body is at `X_WB` (origin at its centre of mass). The
    /// other bodies follow rigidly and velocities turn along: joint coordinates and their rates stay as they are.
    ///
    /// # Errors
    /// When there is no such world or body, the robot is fastened to the world, or the pose is not finite.
    pub fn place(&mut self, world: usize, body: usize, X_WB: Pose) -> Result<(), BatchError> {
        let (group, _) = self.find_body(world, body)?;
        let norm = X_WB.R.to_wxyz().iter().map(|x| x * x).sum::<f64>().sqrt();
        if !(norm > 1e-9 && norm.is_finite() && X_WB.p.to_array().iter().all(|x| x.is_finite())) {
            return Err(BatchError::BadPose(self.models[group].bodies()[body].name.clone()));
        }
        let X_WB = Pose::new(Quat::from_wxyz(X_WB.R.to_wxyz().map(|x| x / norm)), X_WB.p);
        let follows = robot_of(&self.models[group], body)
            .ok_or_else(|| BatchError::Fastened(self.models[group].bodies()[body].name.clone()))?;
        let X_move = X_WB * self.body_pose(world, body)?.inverse();
        let turn = |v: Vec3| X_move.R.rotate(v);
        for b in follows {
            let (X, V) = (self.body_pose(world, b)?, self.body_velocity(world, b)?);
            self.set_body_pose(world, b, X_move * X)?;
            self.set_body_velocity(world, b, Twist::new(turn(V.linear), turn(V.angular)))?;
        }
        Ok(())
    }
}

/// All bodies that joints connect with this one; `None` where the world holds them.
fn robot_of(model: &Model, body: usize) -> Option<Vec<usize>> {
    let has = |bodies: &[BodyId]| bodies.iter().any(|id| id.index() == body);
    let component = model.graph().components().iter().find(|component| has(&component.bodies))?;
    floats(model, component).then(|| component.bodies.iter().map(|id| id.index()).collect())
}
