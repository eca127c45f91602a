//! Poses in time.

use crate::ControlError;
use bellcrank_math::{Quat, Vec3};
use bellcrank_model::Model;

/// A motion of a robot, evenly in time, as kinematic retargeting finds it. Between frames numbers go straight; before the first and
/// after the last these hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    /// From frame to frame [s].
    pub dt: f64,
    /// Centres of mass: (frames, bodies, 3) [m].
    pub body_position: Vec<f64>,
    /// Orientations: (frames, bodies, 4).
    pub body_quat_wxyz: Vec<f64>,
    /// Joint coordinates: (frames, coordinates) [rad or m].
    pub joint_position: Vec<f64>,
    /// What motors would be told where nothing pulled at them: (frames, actuators).
    pub target_position: Vec<f64>,
}

/// Two frames, and the share of the second.
#[derive(Clone, Copy)]
pub(super) struct Between(usize, usize, f64);

impl Motion {
    /// Refuses a motion that is not one of this model.
    ///
    /// # Errors
    /// With the array named.
    pub fn check(&self, model: &Model) -> Result<(), ControlError> {
        if !(self.dt > 0.0 && self.dt.is_finite()) {
            let what = "the time between frames";
            return Err(ControlError::BadOption { what, expected: "a number above zero", found: self.dt });
        }
        let bodies = model.bodies().len();
        let frames = self.frames(model).max(1);
        let all = [
            ("body_position", &self.body_position, 3 * bodies),
            ("body_quat_wxyz", &self.body_quat_wxyz, 4 * bodies),
            ("joint_position", &self.joint_position, model.coordinate_count()),
            ("target_position", &self.target_position, model.actuators().len()),
        ];
        for (quantity, list, width) in all {
            if list.len() != frames * width {
                let (found, expected) = (list.len(), frames * width);
                return Err(ControlError::WrongCount { what: quantity, found, expected });
            }
            if let Some(index) = list.iter().position(|x| !x.is_finite()) {
                return Err(ControlError::StateNotFinite { quantity, index });
            }
        }
        Ok(())
    }

    /// How many frames it has, for a model of so many bodies.
    pub fn frames(&self, model: &Model) -> usize {
        self.body_position.len() / (3 * model.bodies().len()).max(1)
    }

    /// From the first frame to the last [s].
    pub fn duration(&self, model: &Model) -> f64 {
        self.frames(model).saturating_sub(1) as f64 * self.dt
    }

    pub(super) fn at(&self, time: f64, frames: usize) -> Between {
        let place = (time / self.dt).clamp(0.0, (frames - 1) as f64);
        let k = (place as usize).min(frames.saturating_sub(2));
        Between(k, (k + 1).min(frames - 1), place - k as f64)
    }
}

impl Between {
    /// One number of rows with so many.
    pub fn number(self, rows: &[f64], width: usize, k: usize) -> f64 {
        let Between(a, b, share) = self;
        let (first, second) = (rows[a * width + k], rows[b * width + k]);
        first + share * (second - first)
    }

    /// Three numbers, from the first on.
    pub fn vector(self, rows: &[f64], width: usize, first: usize) -> Vec3 {
        Vec3::from_array([0, 1, 2].map(|k| self.number(rows, width, first + k)))
    }

    /// An orientation, the short way between those of the frames.
    pub fn rotation(self, rows: &[f64], width: usize, first: usize) -> Quat {
        let Between(a, b, share) = self;
        let read = |row: usize| [0, 1, 2, 3].map(|k| rows[row * width + first + k]);
        let (p, q) = (read(a), read(b));
        let sign = if p.iter().zip(&q).map(|(p, q)| p * q).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
        Quat::from_wxyz([0, 1, 2, 3].map(|k| p[k] + share * (sign * q[k] - p[k]))).normalized()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quarter of the way from 1 to 3 is 1.5; half of the way to a turn by 90°, told with the other sign, is one by 45°.
    #[test]
    fn between_frames_numbers_go_straight_and_turns_the_short_way() {
        let motion = Motion { dt: 0.1, ..Motion::default() };
        assert!((motion.at(0.125, 3).number(&[0.0, 1.0, 3.0], 1, 0) - 1.5).abs() < 1e-12);
        assert_eq!(motion.at(9.0, 3).number(&[0.0, 1.0, 3.0], 1, 0), 3.0);
        assert_eq!(motion.at(-1.0, 1).number(&[4.0], 1, 0), 4.0);
        let half = 0.5_f64.sqrt();
        let R = motion.at(0.05, 2).rotation(&[1.0, 0.0, 0.0, 0.0, -half, 0.0, 0.0, -half], 4, 0);
        let eighth = std::f64::consts::FRAC_PI_8;
        assert!((R.w - eighth.cos()).abs() < 1e-12 && (R.z - eighth.sin()).abs() < 1e-12, "{R:?}");
    }
}
