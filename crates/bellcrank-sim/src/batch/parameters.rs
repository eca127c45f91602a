//! Masses, frictions, gains: one for all worlds, or one each.

use super::{Batch, BatchError};
use bellcrank_math::{Pose, Twist};
use bellcrank_model::{BodyId, Dof, JointId, Model, Parameters, PerWorld, ShapeId};
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
        check(&self.models[model], &parameters, self.rows[model].len())?;
        self.move_centres(model, &parameters)?;
        self.groups[model].set_parameters(&parameters);
        self.parameters[model] = parameters;
        self.scratch.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(())
    }

    /// Links stay where they are, so bodies, which sit at their centres of mass, move with those.
    fn move_centres(&mut self, model: usize, new: &Parameters) -> Result<(), BatchError> {
        let worlds = self.rows[model].clone();
        for b in 0..self.models[model].bodies().len() {
            for (w, &world) in worlds.iter().enumerate() {
                let com = |p: &Parameters| p.body(BodyId::new(b)).get(w).com;
                let moved = com(new) - com(&self.parameters[model]);
                if moved.norm() > 0.0 {
                    let interval = self.groups[model].interval(w);
                    let (X, V) = (self.body_pose(world, b)?, self.body_velocity(world, b)?);
                    let by = X.R.rotate(moved);
                    self.set_body_pose(world, b, Pose::new(X.R, X.p + by))?;
                    self.set_body_velocity(world, b, Twist::new(V.linear + V.angular.cross(by), V.angular))?;
                    self.groups[model].set_interval(w, interval); // told at another point, it is the same velocity
                }
            }
        }
        Ok(())
    }

    fn no_model(&self, index: usize) -> BatchError {
        BatchError::NoSuchPart { what: "model", index, count: self.models.len() }
    }
}

/// Every value is there for every world, finite, and possible.
fn check(model: &Model, parameters: &Parameters, worlds: usize) -> Result<(), BatchError> {
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
    worlds: usize,
    part: &str,
    check: impl Fn(&T) -> Result<(), &'static str>,
) -> Result<(), BatchError> {
    let bad = |what: String| BatchError::BadParameter { part: part.to_owned(), what };
    let count = match value {
        PerWorld::Shared(_) => 1,
        PerWorld::Each(values) if values.len() != worlds => {
            return Err(bad(format!("{} values were given for {worlds} worlds", values.len())));
        }
        PerWorld::Each(_) => worlds,
    };
    for world in 0..count {
        check(value.get(world)).map_err(|what| bad(format!("{what} (world {world})")))?;
    }
    Ok(())
}
