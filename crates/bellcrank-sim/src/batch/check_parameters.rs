//! Whether parameters make sense.

use super::BatchError;
use crate::quantity::Owner;
use bellcrank_math::Sym3;
use bellcrank_model::magnitude::{LEAST_INERTIA, LENGTH, STRENGTH, within};
use bellcrank_model::{
    ActuatorParameters, BodyId, BodyParameters, Dof, Joint, JointId, JointParameters, Model, Parameters,
    PerWorld, ShapeId, ShapeParameters,
};
use std::ops::Range;

/// Which worlds of a model are looked at, and how many it has.
pub(super) struct Scope {
    pub at: Range<usize>,
    pub worlds: usize,
}

/// Every value of the parts of one kind is there for every world, and finite and possible in those that are looked at.
pub(super) fn check(
    model: &Model,
    parameters: &Parameters,
    owner: Owner,
    scope: &Scope,
) -> Result<(), BatchError> {
    match owner {
        Owner::World => {
            scope.look(&parameters.gravity, || "gravity".to_owned(), |g| near(&g.to_array()))?;
            scope.look(&parameters.contact_gain, || "contact gain".to_owned(), contact_gain)
        }
        Owner::Body => model.bodies().iter().enumerate().try_for_each(|(b, part)| {
            scope.look(parameters.body(BodyId::new(b)), || format!("body {:?}", part.name), body)
        }),
        Owner::Joint | Owner::Dof => model.joints().iter().enumerate().try_for_each(|(j, part)| {
            let name = || format!("joint {:?}", part.name);
            scope.look(parameters.joint(JointId::new(j)), name, |own| joint(part, own))
        }),
        Owner::Shape => model.shapes().iter().enumerate().try_for_each(|(s, part)| {
            scope.look(parameters.shape(ShapeId::new(s)), || format!("shape {:?}", part.name), shape)
        }),
        Owner::Actuator => model.actuators().iter().enumerate().try_for_each(|(a, part)| {
            scope.look(parameters.actuator(a), || format!("actuator {:?}", part.name), actuator)
        }),
        Owner::Coordinate | Owner::Site => Ok(()), // no parameter is theirs
    }
}

impl Scope {
    fn look<T>(
        &self,
        value: &PerWorld<T>,
        part: impl Fn() -> String,
        check: impl Fn(&T) -> Result<(), &'static str>,
    ) -> Result<(), BatchError> {
        let bad = |what: String| BatchError::BadParameter { part: part(), what };
        let at = match value {
            PerWorld::Shared(_) => 0..1,
            PerWorld::Each(values) if values.len() != self.worlds => {
                return Err(bad(format!("{} values were given for {} worlds", values.len(), self.worlds)));
            }
            PerWorld::Each(_) => self.at.clone(),
        };
        for world in at {
            check(value.get(world)).map_err(|what| bad(format!("{what} (world {world})")))?;
        }
        Ok(())
    }
}

fn contact_gain(gain: &[f64; 2]) -> Result<(), &'static str> {
    finite(gain)?;
    if gain.iter().all(|x| *x >= 0.0) {
        Ok(())
    } else {
        Err("factors on contacts' gains must be zero or more")
    }
}

fn body(own: &BodyParameters) -> Result<(), &'static str> {
    let I = own.inertia;
    near(&own.com.to_array())?;
    finite(&[own.mass, I.xx, I.xy, I.xz, I.yy, I.yz, I.zz])?;
    if !(own.mass > 0.0 && is_positive(I)) {
        Err("mass and principal moments of inertia must be above zero")
    } else if own.mass < LEAST_INERTIA || I.xx.min(I.yy).min(I.zz) < LEAST_INERTIA {
        Err("nothing can be computed with masses and moments of inertia below 1e-24")
    } else {
        Ok(())
    }
}

/// Whether all principal moments are above zero: so are the leading minors then, and only then (Sylvester).
fn is_positive(I: Sym3) -> bool {
    let second = I.xx * I.yy - I.xy * I.xy;
    let third = I.zz * second - I.yz * (I.xx * I.yz - I.xy * I.xz) + I.xz * (I.xy * I.yz - I.yy * I.xz);
    I.xx > 0.0 && second > 0.0 && third > 0.0
}

fn joint(part: &Joint, own: &JointParameters) -> Result<(), &'static str> {
    for X in [own.X_PF, own.X_SM] {
        near(&X.p.to_array())?;
        finite(&X.R.to_wxyz())?;
    }
    if own.dofs.len() != part.kind.dof_count() {
        return Err("one entry per degree of freedom is needed");
    }
    if own.dofs.iter().zip(&part.dofs).any(|(world, model)| !has_room(model, world)) {
        return Err(
            "a limit or dry friction that the model has not cannot be added to worlds; give the model one",
        );
    }
    let kept = |d: &Dof| {
        let plain = [d.armature, d.damping, d.friction];
        plain.iter().all(|x| *x >= 0.0 && *x <= STRENGTH) && d.limits[0] <= d.limits[1]
    };
    if own.dofs.iter().all(kept) {
        Ok(())
    } else {
        Err("armature, damping and friction must be zero or more and at most 1e15, and limits in order")
    }
}

/// Limits and dry friction are rows of the model's step: what has none there has no room for one.
fn has_room(model: &Dof, world: &Dof) -> bool {
    let limit = |k: usize| model.limits[k].is_finite() || !world.limits[k].is_finite();
    let speed = model.velocity_limit.is_finite() || !world.velocity_limit.is_finite();
    limit(0) && limit(1) && speed && (model.friction > 0.0 || world.friction <= 0.0)
}

fn shape(own: &ShapeParameters) -> Result<(), &'static str> {
    let m = own.material;
    let rubs = [m.sliding, m.torsional, m.rolling, m.restitution];
    finite(&rubs)?;
    near(&own.X_LG.p.to_array())?;
    if rubs.iter().all(|x| *x >= 0.0) { Ok(()) } else { Err("friction and restitution must be zero or more") }
}

fn actuator(own: &ActuatorParameters) -> Result<(), &'static str> {
    let gains = near(&[own.gear]).is_ok() && own.control.is_finite() && own.effort_limit >= 0.0;
    let [low, high] = own.effort_bounds();
    match (gains, low <= high) {
        (false, _) => Err("gains must be finite and at most 1e15, and the effort limit zero or more"),
        (true, false) => Err("the effort range must be in order"),
        (true, true) => Ok(()),
    }
}

/// Strengths: finite, and not beyond what can be computed with.
fn finite(values: &[f64]) -> Result<(), &'static str> {
    match values.iter().find(|x| !within(**x, STRENGTH)) {
        None => Ok(()),
        Some(x) if x.is_finite() => Err("nothing can be computed with numbers beyond 1e15"),
        Some(_) => Err("every number must be finite"),
    }
}

/// The same for places and accelerations.
fn near(values: &[f64]) -> Result<(), &'static str> {
    finite(values)?;
    if values.iter().all(|x| within(*x, LENGTH)) {
        Ok(())
    } else {
        Err("nothing can be computed with lengths and accelerations beyond 1e9")
    }
}
