//! Which task: by its name, and for some with the robot that the user brings.

use crate::env::EnvError;
use crate::task::Task;
use crate::{ROBOT_TASKS, TASKS};
use bellcrank_math::Pose;
use bellcrank_model::{Model, ModelBuilder};

/// Draws so many poses of a robot that are safe to begin from, as [`crate::Env::begin_from`] takes them, or says why there are none. It comes from
/// outside, since tasks know nothing of kinematics.
pub type DrawPoses = fn(&Model, usize) -> Result<Vec<Pose>, String>;

/// A task by its name; `"biped_walk"` is one.
#[derive(Clone, Debug)]
pub struct Choice {
    /// As in [`TASKS`] or [`ROBOT_TASKS`].
    pub name: String,
    /// The robot from a file, for tasks of the second list.
    pub robot: Option<ModelBuilder>,
    /// Who draws poses, for episodes that begin in random ones.
    pub draw_poses: Option<DrawPoses>,
}

impl<S: AsRef<str>> From<S> for Choice {
    fn from(name: S) -> Self {
        Choice { name: name.as_ref().to_owned(), robot: None, draw_poses: None }
    }
}

impl Choice {
    /// The task with some of its settings changed.
    pub(crate) fn make(self, settings: &[(String, f64)]) -> Result<Box<dyn Task>, EnvError> {
        let mut task = self.bare()?;
        for (name, value) in settings {
            if !value.is_finite() {
                return Err(EnvError::BadSetting { name: name.clone(), value: *value });
            }
            let mut known = task.settings();
            match known.iter_mut().find(|(other, _)| other == name) {
                Some((_, place)) => **place = *value,
                None => {
                    let known: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
                    return Err(EnvError::NoSuchSetting { name: name.clone(), known: known.join(", ") });
                }
            }
        }
        task.prepare()?;
        Ok(task)
    }

    fn bare(self) -> Result<Box<dyn Task>, EnvError> {
        let plain = TASKS.iter().find(|(known, _, _)| *known == self.name);
        let brought = ROBOT_TASKS.iter().find(|(known, _, _)| *known == self.name);
        match (plain, brought, self.robot) {
            (Some((_, _, make)), _, None) => Ok(make()?),
            (Some(_), _, Some(_)) => Err(EnvError::HasRobot { name: self.name }),
            (None, Some(_), None) => Err(EnvError::NeedsRobot { name: self.name }),
            (None, Some((_, _, make)), Some(robot)) => make(robot),
            (None, None, _) => {
                let plain = TASKS.iter().map(|(name, _, _)| *name);
                let known: Vec<&str> = plain.chain(ROBOT_TASKS.iter().map(|(name, _, _)| *name)).collect();
                Err(EnvError::NoSuchTask { name: self.name, known: known.join(", ") })
            }
        }
    }
}
