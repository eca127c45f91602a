//! Masses, frictions, gains: one for all worlds, or one each.

use super::{Batch, BatchError};
use crate::parameter::{Parameter, each};
use bellcrank_math::{Pose, Twist, Vec3};
use bellcrank_model::{BodyId, Dof, JointId, Model, Parameters, PerWorld, ShapeId};
use std::ops::Range;
use std::sync::PoisonError;

impl Batch {
    /// The physical parameters of a model's worlds; `model` counts as in [`Batch::models`], and worlds as they come
    /// among those of that model.
    ///
    /// # Errors
    /// When there is no such model.
    pub fn parameters(&self, model: usize) -> Result<&Parameters, BatchError> {
        self.parameters.get(model).ok_or(self.no_model(model))
    }

    /// Changes parameters of a model's worlds; everything that follows from them is computed afresh. Links stay where they
    /// are: a mechanism whose joint frames have changed closes again in the next steps, or at once with
    /// [`Batch::assemble`].
    ///
    /// # Errors
    /// When there is no such model, or the parameters make no sense; nothing is changed then.
    pub fn change_parameters(
        &mut self,
        model: usize,
        change: impl FnOnce(&mut Parameters),
    ) -> Result<(), BatchError> {
        let mut parameters = self.parameters(model)?.clone();
        change(&mut parameters);
        let worlds = self.rows[model].len();
        check(&self.models[model], &parameters, &Looked { at: 0..worlds, worlds })?;
        for (local, world) in self.rows[model].clone().into_iter().enumerate() {
            let centres = |of: &Parameters| Self::centres(&self.models[model], of, local);
            let (old, new) = (centres(&self.parameters[model]), centres(&parameters));
            self.move_centres(world, &old, &new)?;
        }
        self.groups[model].set_parameters(&parameters);
        self.parameters[model] = parameters;
        self.scratch.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(())
    }

    /// Links stay where they are, so bodies, which sit at their centres of mass, move with those: from one row of centres
    /// to another.
    pub(super) fn move_centres(&mut self, world: usize, old: &[f64], new: &[f64]) -> Result<(), BatchError> {
        let (m, local) = self.place[world];
        for b in 0..self.models[m].bodies().len() {
            let moved = [0, 1, 2].map(|axis| new[3 * b + axis] - old[3 * b + axis]);
            if moved != [0.0; 3] {
                let interval = self.groups[m].interval(local);
                let (X, V) = (self.body_pose(world, b)?, self.body_velocity(world, b)?);
                let by = X.R.rotate(Vec3::from_array(moved));
                self.set_body_pose(world, b, Pose::new(X.R, X.p + by))?;
                self.set_body_velocity(world, b, Twist::new(V.linear + V.angular.cross(by), V.angular))?;
                self.groups[m].set_interval(local, interval); // told at another point, it is the same velocity
            }
        }
        Ok(())
    }

    /// All centres of mass of one world of a model.
    fn centres(model: &Model, parameters: &Parameters, local: usize) -> Vec<f64> {
        let mut row = Vec::new();
        each(parameters, model, (Parameter::BodyCom, local), |x| row.push(x));
        row
    }

    fn no_model(&self, index: usize) -> BatchError {
        BatchError::NoSuchPart { what: "model", index, count: self.models.len() }
    }
}

/// Which worlds of a model are looked at, and how many it has.
pub(super) struct Looked {
    pub at: Range<usize>,
    pub worlds: usize,
}

/// Every value is there for every world, and finite and possible in those that are looked at.
pub(super) fn check(model: &Model, parameters: &Parameters, worlds: &Looked) -> Result<(), BatchError> {
    let gravity = |g: &bellcrank_math::Vec3| finite(&g.to_array());
    all(&parameters.gravity, worlds, "gravity", gravity)?;
    all(&parameters.contact_gain, worlds, "contact gain", |gain| {
        finite(gain)?;
        if gain.iter().all(|x| *x >= 0.0) {
            Ok(())
        } else {
            Err("factors on contacts' gains must be zero or more")
        }
    })?;
    for (b, body) in model.bodies().iter().enumerate() {
        all(parameters.body(BodyId::new(b)), worlds, &format!("body {:?}", body.name), |p| {
            let I = p.inertia;
            finite(&[p.mass, p.com.x, p.com.y, p.com.z, I.xx, I.xy, I.xz, I.yy, I.yz, I.zz])?;
            let solid = p.mass > 0.0 && I.eigen().0.iter().all(|moment| *moment > 0.0);
            if solid { Ok(()) } else { Err("mass and principal moments of inertia must be above zero") }
        })?;
    }
    for (j, joint) in model.joints().iter().enumerate() {
        all(parameters.joint(JointId::new(j)), worlds, &format!("joint {:?}", joint.name), |p| {
            for X in [p.X_PF, p.X_SM] {
                finite(&X.p.to_array())?;
                finite(&X.R.to_wxyz())?;
            }
            if p.dofs.len() != joint.kind.dof_count() {
                return Err("one entry per degree of freedom is needed");
            }
            let absent = |k: usize| !has_room(&joint.dofs[k], &p.dofs[k]);
            if (0..p.dofs.len()).any(absent) {
                return Err(
                    "a limit or dry friction that the model has not cannot be added to worlds; give the model one",
                );
            }
            let kept = |d: &Dof| {
                let plain = [d.armature, d.damping, d.friction];
                plain.iter().all(|x| *x >= 0.0 && x.is_finite()) && d.limits[0] <= d.limits[1]
            };
            if p.dofs.iter().all(kept) {
                Ok(())
            } else {
                Err("armature, damping and friction must be zero or more, and limits in order")
            }
        })?;
    }
    for (s, shape) in model.shapes().iter().enumerate() {
        all(parameters.shape(ShapeId::new(s)), worlds, &format!("shape {:?}", shape.name), |p| {
            let m = p.material;
            let rubs = [m.sliding, m.torsional, m.rolling, m.restitution];
            finite(&rubs)?;
            finite(&p.X_LG.p.to_array())?;
            if rubs.iter().all(|x| *x >= 0.0) {
                Ok(())
            } else {
                Err("friction and restitution must be zero or more")
            }
        })?;
    }
    for (a, actuator) in model.actuators().iter().enumerate() {
        all(parameters.actuator(a), worlds, &format!("actuator {:?}", actuator.name), |p| {
            let gains = finite(&[p.gear]).is_ok() && p.control.is_finite() && p.effort_limit >= 0.0;
            let [low, high] = p.effort_bounds();
            match (gains, low <= high) {
                (false, _) => Err("gains must be finite and the effort limit zero or more"),
                (true, false) => Err("the effort range must be in order"),
                (true, true) => Ok(()),
            }
        })?;
    }
    Ok(())
}

/// Limits and dry friction are rows of the model's step: what has none there has no room for one.
fn has_room(model: &Dof, world: &Dof) -> bool {
    let limit = |k: usize| model.limits[k].is_finite() || !world.limits[k].is_finite();
    let speed = model.velocity_limit.is_finite() || !world.velocity_limit.is_finite();
    limit(0) && limit(1) && speed && (model.friction > 0.0 || world.friction <= 0.0)
}

fn finite(values: &[f64]) -> Result<(), &'static str> {
    if values.iter().all(|x| x.is_finite()) { Ok(()) } else { Err("every number must be finite") }
}

fn all<T>(
    value: &PerWorld<T>,
    worlds: &Looked,
    part: &str,
    check: impl Fn(&T) -> Result<(), &'static str>,
) -> Result<(), BatchError> {
    let bad = |what: String| BatchError::BadParameter { part: part.to_owned(), what };
    let at = match value {
        PerWorld::Shared(_) => 0..1,
        PerWorld::Each(values) if values.len() != worlds.worlds => {
            return Err(bad(format!("{} values were given for {} worlds", values.len(), worlds.worlds)));
        }
        PerWorld::Each(_) => worlds.at.clone(),
    };
    for world in at {
        check(value.get(world)).map_err(|what| bad(format!("{what} (world {world})")))?;
    }
    Ok(())
}
