//! Moving a joint by hand: the mechanism follows, loops closed.

use bellcrank_model::magnitude::within;
use bellcrank_model::{Control, Model};
use bellcrank_sim::{Batch, BatchError};

/// No hand moves a joint further at once [rad or m]: the mechanism goes all the way in small steps, which takes its time.
const FARTHEST: f64 = 50.0;

/// What became of a joint that was moved by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moved {
    There,
    DoesNotClose,
    TooFar,
}

/// Moves a joint's first coordinate and says whether the mechanism closes there.
///
/// For a joint with a motor the other motors stay where they are; for a passive one, or where that does not close, everything
/// may give way. Motors that hold a position hold the new one.
pub(crate) fn move_joint(
    batch: &mut Batch,
    world: usize,
    joint: usize,
    value: f64,
) -> Result<Moved, BatchError> {
    let model = batch.model(world)?.clone();
    let count = model.joints().len();
    let Some(moved) = model.joints().get(joint) else {
        return Err(BatchError::NoSuchPart { what: "joint", index: joint, count });
    };
    let here = batch.joint_position(world)?.get(coordinate_starts(&model)[joint]).copied().unwrap_or(0.0);
    if !within(value - here, FARTHEST) {
        return Ok(Moved::TooFar);
    }
    let asked = (moved.name.as_str(), [value]);
    let mut goals = vec![(asked.0, asked.1)];
    if is_driven(&model, joint) {
        goals.extend(others(&model, joint, &batch.joint_position(world)?));
    }
    let mut closed = assemble(batch, world, &goals)?;
    if !closed && goals.len() > 1 {
        closed = assemble(batch, world, &goals[..1])?;
    }
    if closed {
        hold_here(batch, world, &model)?;
    }
    Ok(if closed { Moved::There } else { Moved::DoesNotClose })
}

fn assemble(batch: &mut Batch, world: usize, goals: &[(&str, [f64; 1])]) -> Result<bool, BatchError> {
    let goals: Vec<(&str, &[f64])> = goals.iter().map(|(name, value)| (*name, value.as_slice())).collect();
    Ok(batch.assemble(&[world], &goals)?.first().copied().unwrap_or(false))
}

fn is_driven(model: &Model, joint: usize) -> bool {
    model.actuators().iter().any(|motor| motor.drives(joint, 0))
}

/// First coordinate of every other joint with a motor.
fn others<'m>(model: &'m Model, joint: usize, q: &[f64]) -> Vec<(&'m str, [f64; 1])> {
    let starts = coordinate_starts(model);
    let other =
        |&j: &usize| j != joint && is_driven(model, j) && model.joints()[j].kind.has_scalar_coordinates();
    (0..model.joints().len())
        .filter(other)
        .map(|j| (model.joints()[j].name.as_str(), [q[starts[j]]]))
        .collect()
}

/// Motors that hold a position hold the one that the robot stands in.
pub(crate) fn hold_here(batch: &mut Batch, world: usize, model: &Model) -> Result<(), BatchError> {
    let (starts, q) = (coordinate_starts(model), batch.joint_position(world)?);
    for (a, actuator) in model.actuators().iter().enumerate() {
        if let (Control::Position { .. }, Some((joint, dof))) = (actuator.control, actuator.coordinate())
            && model.joints()[joint.index()].kind.has_scalar_coordinates()
        {
            batch.set_target_position(world, a, q[starts[joint.index()] + dof] * actuator.gear)?;
        }
    }
    Ok(())
}

/// Where each joint's coordinates begin.
pub(crate) fn coordinate_starts(model: &Model) -> Vec<usize> {
    let mut next = 0;
    let mut starts = Vec::with_capacity(model.joints().len());
    for joint in model.joints() {
        starts.push(next);
        next += joint.kind.coordinate_count();
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellcrank_model::library;
    use bellcrank_sim::BatchOptions;

    /// The crank takes the asked angle, and the loop is closed to the assembly's tolerance after one more step.
    #[test]
    fn the_linkage_follows_the_crank() {
        let model = library::four_bar().build().expect("sound");
        let mut batch = Batch::new(model.into(), 1, BatchOptions::default()).expect("a batch");
        assert_eq!(move_joint(&mut batch, 0, 0, 1.2).expect("a joint"), Moved::There);
        let q = batch.joint_position(0).expect("coordinates");
        assert!((q[0] - 1.2).abs() < 1e-6, "{q:?}");
        assert!(batch.step(1).loop_gap[0].0 < 1e-5);
        assert!(move_joint(&mut batch, 0, 9, 0.0).is_err());
        // the rocker cannot turn that far: nothing changes
        let before = batch.joint_position(0).expect("coordinates");
        assert_eq!(move_joint(&mut batch, 0, 3, 2.5).expect("a joint"), Moved::DoesNotClose);
        for far in [1e9, -1e300, f64::NAN] {
            assert_eq!(move_joint(&mut batch, 0, 0, far).expect("a joint"), Moved::TooFar);
        }
        assert_eq!(batch.joint_position(0).expect("coordinates"), before);
    }
}
