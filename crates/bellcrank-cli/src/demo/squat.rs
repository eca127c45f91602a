//! The hybrid biped stands and squats: knees bend, feet stay level under the hips.
//!
//! Thigh and shin are equally long, so that hip pitch −a, knee 2a and ankle pitch −a lower the pelvis straight down. What
//! the motors must do for that follows from the linkages: the pose is assembled, and the motors' coordinates are read off.

use bellcrank::model::{Actuator, Model};
use bellcrank::sim::{Batch, BatchError, BatchOptions};
use std::sync::Arc;

/// Poses between standing and the deepest squat.
const POSES: usize = 9;
/// Bend of the hips in the deepest squat [rad].
const DEEPEST: f64 = 0.38;

/// Motor targets by depth of the squat.
#[derive(Clone)]
pub struct Squat {
    /// Per pose, one target per motor [rad].
    targets: Vec<Vec<f64>>,
}

impl Squat {
    pub fn of(model: &Arc<Model>) -> Result<Self, BatchError> {
        let mut batch = Batch::new(model.clone(), 1, BatchOptions::default())?;
        let mut targets = vec![vec![0.0; model.actuators().len()]];
        for pose in 1..POSES {
            let bend = DEEPEST * pose as f64 / (POSES - 1) as f64;
            if !bend_knees(&mut batch, bend)? {
                break; // this deep and no deeper
            }
            let q = batch.joint_position(0)?;
            let starts = starts(model);
            let motor = |actuator: &Actuator| {
                actuator.coordinate().map_or(0.0, |(joint, _)| q[starts[joint.index()]])
            };
            targets.push(model.actuators().iter().map(motor).collect());
        }
        Ok(Squat { targets })
    }

    /// Sets the targets of a world for a depth between 0, standing, and 1.
    pub fn apply(&self, batch: &mut Batch, world: usize, depth: f64) -> Result<(), BatchError> {
        let at = depth.clamp(0.0, 1.0) * (self.targets.len() - 1) as f64;
        let (low, share) = (at as usize, at.fract());
        let high = (low + 1).min(self.targets.len() - 1);
        for actuator in 0..self.targets[0].len() {
            let target = (1.0 - share) * self.targets[low][actuator] + share * self.targets[high][actuator];
            batch.set_target_position(world, actuator, target)?;
        }
        Ok(())
    }
}

fn bend_knees(batch: &mut Batch, bend: f64) -> Result<bool, BatchError> {
    let mut goals = Vec::new();
    for side in ["left", "right"] {
        for half in ["inner", "outer"] {
            for (joint, angle) in
                [("hip_roll", 0.0), ("hip_pitch", -bend), ("knee", 2.0 * bend), ("ankle_pitch", -bend)]
            {
                goals.push((format!("{side}_{half}_{joint}"), [angle]));
            }
        }
    }
    let goals: Vec<(&str, &[f64])> =
        goals.iter().map(|(name, angle)| (name.as_str(), angle.as_slice())).collect();
    Ok(batch.assemble(&[0], &goals)? == [true])
}

/// Where each joint's coordinates begin.
fn starts(model: &Model) -> Vec<usize> {
    let mut next = 0;
    let mut starts = Vec::new();
    for joint in model.joints() {
        starts.push(next);
        next += joint.kind.coordinate_count();
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellcrank::model::library;

    #[test]
    fn the_deepest_squat_can_be_assembled() {
        let model = Arc::new(library::hybrid_biped().build().expect("sound"));
        let squat = Squat::of(&model).expect("a squat");
        assert_eq!(squat.targets.len(), POSES);
        assert!(squat.targets[POSES - 1].iter().any(|target| target.abs() > 0.2));
    }
}
