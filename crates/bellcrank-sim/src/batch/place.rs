//! Robots as a whole: moved without bending a joint.

use super::{Batch, BatchError};
use bellcrank_math::{Pose, Quat, Twist, Vec3};
use bellcrank_model::{BodyId, Model};
use bellcrank_step::layout::floats;

impl Batch {
    /// Moves the floating robot that a body belongs to, so that this body is at `X_WB` (origin at its centre of mass). The
    /// other bodies follow rigidly and velocities turn along: joint coordinates and their rates stay as they are. A body that is placed
    /// from outside ([`bellcrank_model::Body::mocap`]) goes there alone, and stays there at rest until it is told otherwise.
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
        if self.place_mocap(world, body, X_WB)? {
            return Ok(());
        }
        let follows = robot_of(&self.models[group], body)
            .ok_or_else(|| BatchError::Fastened(self.models[group].bodies()[body].name.clone()))?;
        let X_move = X_WB * self.body_pose(world, body)?.inverse();
        let turn = |v: Vec3| X_move.R.rotate(v);
        let mut poses = Vec::with_capacity(self.models[group].bodies().len());
        for b in 0..self.models[group].bodies().len() {
            poses.push(self.body_pose(world, b)?);
        }
        for b in follows {
            poses[b] = X_move * poses[b];
            let V = self.body_velocity(world, b)?;
            self.set_body_velocity(world, b, Twist::new(turn(V.linear), turn(V.angular)))?;
        }
        self.set_body_poses(world, &poses)
    }
}

impl Batch {
    /// Moves the weld of a body that is placed from outside; says whether it is such a body.
    pub(super) fn place_mocap(&mut self, world: usize, body: usize, X_WB: Pose) -> Result<bool, BatchError> {
        let (g, w) = self.find_body(world, body)?;
        let Some(weld) = self.models[g].mocap_weld(BodyId::new(body)) else { return Ok(false) };
        let worlds = self.rows[g].len();
        let com = self.parameters[g].body(BodyId::new(body)).get(w).com;
        let X_WL = Pose::new(X_WB.R, X_WB.p - X_WB.R.rotate(com));
        let own = &mut self.parameters[g].joint_mut(weld).spread(worlds)[w];
        own.X_PF = X_WL * own.X_SM;
        self.groups[g].set_world_parameters(&self.parameters[g], w);
        self.set_body_pose(world, body, X_WB)?;
        self.set_body_velocity(world, body, Twist::zero())?;
        Ok(true)
    }

    /// Puts all bodies that are placed from outside where these poses of all bodies have them.
    pub(super) fn place_mocaps(&mut self, world: usize, X_WB: &[Pose]) -> Result<(), BatchError> {
        let (g, _) = self.find(world)?;
        for body in 0..self.models[g].bodies().len() {
            if self.models[g].bodies()[body].mocap {
                self.place_mocap(world, body, X_WB[body])?;
            }
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
