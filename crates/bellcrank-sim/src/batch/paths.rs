//! Tendons that run through space: how long they are, how fast they change, and how they pull on joints.

use super::{Batch, BatchError};
use bellcrank_math::{Inline, Pose, Real, Twist, Vec3};
use bellcrank_model::{BodyId, JointId, Link, Model, TendonId, Way, kinematics};

/// A world's bodies: their links in the world, and the twists of their centres of mass.
pub(super) struct Bodies {
    X_WL: Vec<Pose>,
    centre: Vec<Vec3>,
    V: Vec<Twist>,
}

impl Bodies {
    /// From poses and twists of centres of mass, which are at `com` in their links.
    pub fn of(X_WB: impl Iterator<Item = (Pose, Twist, Vec3)>) -> Self {
        let mut bodies = Bodies { X_WL: Vec::new(), centre: Vec::new(), V: Vec::new() };
        for (X, V, com) in X_WB {
            bodies.X_WL.push(Pose::new(X.R, X.p - X.R.rotate(com)));
            bodies.centre.push(X.p);
            bodies.V.push(V);
        }
        bodies
    }

    /// Length of a tendon and its rate; of a sum of coordinates nothing.
    pub fn tendon(&self, model: &Model, tendon: TendonId) -> [f64; 2] {
        let way = Way::of(&model.tendons()[tendon.index()].path, model.sites(), model.shapes());
        way.state(
            |link| self.link(link),
            |link, point| {
                let Some(b) = link.body().map(BodyId::index) else { return Vec3::zero() };
                self.V[b].linear + self.V[b].angular.cross(point - self.centre[b])
            },
        )
    }

    fn link(&self, link: &Link) -> Pose {
        link.body().map_or(Pose::identity(), |body| self.X_WL[body.index()])
    }

    /// How a tendon's length grows with the degrees of freedom of a joint, all others held: its moment arms. What the joint carries
    /// in the spanning tree moves with it.
    pub fn arms(&self, model: &Model, tendon: TendonId, joint: JointId) -> [f64; 6] {
        let part = &model.joints()[joint.index()];
        let mut carried = vec![false; model.bodies().len()];
        let mut side = 1.0;
        for node in model.graph().tree() {
            let on = node.joint == Some(joint);
            if on && node.reversed {
                side = -1.0;
            }
            carried[node.body.index()] = on || node.parent.is_some_and(|parent| carried[parent.index()]);
        }
        let (X_WF, X_WM) = (self.link(&part.predecessor) * part.X_PF, self.link(&part.successor) * part.X_SM);
        let kind = part.kind;
        let axes = f64::run(Inline(
            #[inline(always)]
            || kinematics::motion_axes(kind, X_WF.inverse_mul(X_WM)),
        ));
        let way = Way::of(&model.tendons()[tendon.index()].path, model.sites(), model.shapes());
        let mut arms = [0.0; 6];
        for (arm, axis) in arms.iter_mut().zip(axes).take(kind.dof_count()) {
            let (linear, angular) = (X_WF.R.rotate(axis.linear), X_WF.R.rotate(axis.angular));
            let velocity = |link: &Link, point: Vec3| match link.body() {
                Some(body) if carried[body.index()] => linear + angular.cross(point - X_WM.p),
                _ => Vec3::zero(),
            };
            *arm = side * way.state(|link| self.link(link), velocity)[1];
        }
        arms
    }
}

impl Batch {
    /// Where the bodies of a world are and how they move.
    pub(super) fn bodies_of(&self, world: usize) -> Result<Bodies, BatchError> {
        let (g, w) = self.find(world)?;
        let one = |b: usize| -> Result<(Pose, Twist, Vec3), BatchError> {
            let com = self.parameters[g].body(BodyId::new(b)).get(w).com;
            Ok((self.body_pose(world, b)?, self.body_velocity(world, b)?, com))
        };
        let all = (0..self.models[g].bodies().len()).map(one).collect::<Result<Vec<_>, _>>()?;
        Ok(Bodies::of(all.into_iter()))
    }
}
