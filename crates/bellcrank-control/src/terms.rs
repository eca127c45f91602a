//! Costs that ship. Each is a sum over time of something that every robot has; [`Sum`] adds them up.

use crate::{ControlError, Cost, CostError, Seen};
use bellcrank_math::{Quat, Vec3};
use bellcrank_model::{Model, nearest};
use bellcrank_sim::Quantity;

/// A point of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Which body.
    pub body: usize,
    /// p_B: from its centre of mass, in its axes [m].
    pub point: Vec3,
}

/// Something that costs. Weights are in the cost's unit per unit of what they weigh.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// Σ wᵢ |pᵢ − p*ᵢ| of a centre of mass along the world's axes [m].
    Position {
        /// Which body.
        body: usize,
        /// p* [m]
        target: [f64; 3],
        /// By axis.
        weight: [f64; 3],
    },
    /// w ‖p − p*‖² of a centre of mass [m²].
    PositionSquared {
        /// Which body.
        body: usize,
        /// p* [m]
        target: [f64; 3],
        /// w
        weight: f64,
    },
    /// w (1 − (q*·q)²) of an orientation: the sine squared of half the angle that is left.
    Orientation {
        /// Which body.
        body: usize,
        /// q*, of norm one.
        target_wxyz: [f64; 4],
        /// w
        weight: f64,
    },
    /// Σ wᵢ (Vᵢ − V*ᵢ)² of a centre of mass, linear part first [m/s, rad/s].
    Velocity {
        /// Which body.
        body: usize,
        /// V*
        target: [f64; 6],
        /// By component.
        weight: [f64; 6],
    },
    /// w Σ (q − q*)² over joint coordinates [rad or m].
    Posture {
        /// Numbers of the coordinates, as in `joint_position`.
        coordinates: Vec<usize>,
        /// q*, one each.
        target: Vec<f64>,
        /// w
        weight: f64,
    },
    /// w Σ q̇² over degrees of freedom [rad/s or m/s].
    JointRate {
        /// Numbers of the degrees of freedom, as in `joint_velocity`.
        dofs: Vec<usize>,
        /// w
        weight: f64,
    },
    /// w Σ (u − u*)² over what the motors are told.
    Control {
        /// u*, one per motor.
        rest: Vec<f64>,
        /// w
        weight: f64,
    },
    /// w Σ ‖p − p_k‖² between a centre of mass and points of other bodies, such as fingertips [m²].
    Contact {
        /// Which body.
        body: usize,
        /// The points.
        points: Vec<Near>,
        /// w
        weight: f64,
    },
    /// w where a centre of mass is below a height [m].
    Fallen {
        /// Which body.
        body: usize,
        /// The height [m].
        height: f64,
        /// w
        weight: f64,
    },
}

impl Term {
    fn needs(&self) -> &'static [Quantity] {
        match self {
            Term::Position { .. } | Term::PositionSquared { .. } | Term::Fallen { .. } => {
                &[Quantity::BodyPosition]
            }
            Term::Orientation { .. } => &[Quantity::BodyQuatWxyz],
            Term::Velocity { .. } => &[Quantity::BodyVelocity],
            Term::Posture { .. } => &[Quantity::JointPosition],
            Term::JointRate { .. } => &[Quantity::JointVelocity],
            Term::Control { .. } => &[],
            Term::Contact { .. } => &[Quantity::BodyPosition, Quantity::BodyQuatWxyz],
        }
    }

    /// Adds itself to the totals of all worlds.
    fn add(&self, seen: &Seen<'_>, total: &mut [f64]) -> Result<(), CostError> {
        match self {
            Term::Position { body, target, weight } => each(seen, total, Quantity::BodyPosition, |row| {
                (0..3).map(|k| weight[k] * (row[3 * body + k] - target[k]).abs()).sum()
            }),
            Term::PositionSquared { body, target, weight } => {
                each(seen, total, Quantity::BodyPosition, |row| {
                    weight * (0..3).map(|k| (row[3 * body + k] - target[k]).powi(2)).sum::<f64>()
                })
            }
            Term::Orientation { body, target_wxyz, weight } => {
                each(seen, total, Quantity::BodyQuatWxyz, |row| {
                    weight * quat_error(&row[4 * body..4 * body + 4], target_wxyz)
                })
            }
            Term::Velocity { body, target, weight } => each(seen, total, Quantity::BodyVelocity, |row| {
                (0..6).map(|k| weight[k] * (row[6 * body + k] - target[k]).powi(2)).sum()
            }),
            Term::Posture { coordinates, target, weight } => {
                each(seen, total, Quantity::JointPosition, |row| {
                    weight * coordinates.iter().zip(target).map(|(k, q)| (row[*k] - q).powi(2)).sum::<f64>()
                })
            }
            Term::JointRate { dofs, weight } => each(seen, total, Quantity::JointVelocity, |row| {
                weight * dofs.iter().map(|k| row[*k] * row[*k]).sum::<f64>()
            }),
            Term::Control { rest, weight } => {
                for (total, row) in total.iter_mut().zip(seen.control.chunks_exact(rest.len().max(1))) {
                    *total += weight * row.iter().zip(rest).map(|(u, rest)| (u - rest).powi(2)).sum::<f64>();
                }
                Ok(())
            }
            Term::Contact { body, points, weight } => add_contact(seen, total, *body, points, *weight),
            Term::Fallen { body, height, weight } => each(seen, total, Quantity::BodyPosition, |row| {
                if row[3 * body + 2] < *height { *weight } else { 0.0 }
            }),
        }
    }

    /// Refuses numbers of parts that a model does not have.
    fn check(&self, model: &Model) -> Result<(), ControlError> {
        let within = |what, list: &[usize], count: usize| match list.iter().find(|k| **k >= count) {
            Some(k) => Err(ControlError::WrongCount { what, found: *k, expected: count }),
            None => Ok(()),
        };
        let same = |what, found: usize, expected: usize| match found == expected {
            true => Ok(()),
            false => Err(ControlError::WrongCount { what, found, expected }),
        };
        let bodies = model.bodies().len();
        match self {
            Term::Position { body, .. }
            | Term::PositionSquared { body, .. }
            | Term::Orientation { body, .. }
            | Term::Velocity { body, .. }
            | Term::Fallen { body, .. } => within("number of a body", &[*body], bodies),
            Term::Posture { coordinates, target, .. } => {
                same("targets of a posture", target.len(), coordinates.len())?;
                within("number of a coordinate", coordinates, model.coordinate_count())
            }
            Term::JointRate { dofs, .. } => within("number of a degree of freedom", dofs, model.dof_count()),
            Term::Control { rest, .. } => same("controls at rest", rest.len(), model.actuators().len()),
            Term::Contact { body, points, .. } => {
                within("number of a body", &[*body], bodies)?;
                points.iter().try_for_each(|near| within("number of a body", &[near.body], bodies))
            }
        }
    }
}

/// 1 − (a·b)² of two quaternions of norm one; it does not matter which of the two signs either has.
pub(crate) fn quat_error(a: &[f64], b: &[f64; 4]) -> f64 {
    let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    1.0 - dot * dot
}

fn each(
    seen: &Seen<'_>,
    total: &mut [f64],
    quantity: Quantity,
    of: impl Fn(&[f64]) -> f64,
) -> Result<(), CostError> {
    let values = seen.array(quantity)?;
    let width = (values.len() / seen.worlds.max(1)).max(1);
    total.iter_mut().zip(values.chunks_exact(width)).for_each(|(total, row)| *total += of(row));
    Ok(())
}

fn add_contact(
    seen: &Seen<'_>,
    total: &mut [f64],
    body: usize,
    points: &[Near],
    weight: f64,
) -> Result<(), CostError> {
    let (p, q) = (seen.array(Quantity::BodyPosition)?, seen.array(Quantity::BodyQuatWxyz)?);
    let bodies = p.len() / (3 * seen.worlds.max(1));
    for (world, total) in total.iter_mut().enumerate() {
        let at = |b: usize| {
            let k = 3 * (world * bodies + b);
            Vec3::new(p[k], p[k + 1], p[k + 2])
        };
        let centre = at(body);
        let squares = points.iter().map(|near| {
            let k = 4 * (world * bodies + near.body);
            let R = Quat::from_wxyz([q[k], q[k + 1], q[k + 2], q[k + 3]]);
            let away = at(near.body) + R.rotate(near.point) - centre;
            away.dot(away)
        });
        *total += weight * squares.sum::<f64>();
    }
    Ok(())
}

/// A cost that is a sum of terms, some in every step and some at the end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sum {
    /// In every step.
    pub running: Vec<Term>,
    /// At the end of the horizon.
    pub terminal: Vec<Term>,
}

impl Sum {
    /// Refuses terms that do not fit a model.
    ///
    /// # Errors
    /// When a number of a body, coordinate or motor is too large, or lists differ in length.
    pub fn check(&self, model: &Model) -> Result<(), ControlError> {
        self.running.iter().chain(&self.terminal).try_for_each(|term| term.check(model))
    }

    /// The number of a body.
    ///
    /// # Errors
    /// When there is none of that name; the nearest is the hint.
    pub fn body(model: &Model, name: &str) -> Result<usize, ControlError> {
        model.body_id(name).map(bellcrank_model::BodyId::index).ok_or_else(|| {
            let names = model.bodies().iter().map(|body| &body.name);
            let hint =
                nearest(name, names).map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
            let (name, model) = (name.to_owned(), model.name().to_owned());
            ControlError::NoSuchName { what: "body", name, model, hint }
        })
    }
}

impl Cost for Sum {
    fn needs(&self) -> Vec<Quantity> {
        let mut all: Vec<Quantity> = Vec::new();
        for quantity in self.running.iter().chain(&self.terminal).flat_map(Term::needs) {
            if !all.contains(quantity) {
                all.push(*quantity);
            }
        }
        all
    }

    fn running(&mut self, seen: &Seen<'_>, total: &mut [f64]) -> Result<(), CostError> {
        self.running.iter().try_for_each(|term| term.add(seen, total))
    }

    fn terminal(&mut self, seen: &Seen<'_>, total: &mut [f64]) -> Result<(), CostError> {
        self.terminal.iter().try_for_each(|term| term.add(seen, total))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Array;

    /// Two worlds of two bodies. Body 1 is at (1, 2, 3) and (1, 2, −3), turned by 90° about z and not at all; body 0 is at the origin,
    /// turned by 90° about z.
    fn cost_of(term: Term) -> [f64; 2] {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let arrays = [
            Array {
                quantity: Quantity::BodyPosition,
                values: vec![0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0, 2.0, -3.0],
            },
            Array {
                quantity: Quantity::BodyQuatWxyz,
                values: [
                    [half, 0.0, 0.0, half],
                    [half, 0.0, 0.0, half],
                    [half, 0.0, 0.0, half],
                    [1.0, 0.0, 0.0, 0.0],
                ]
                .concat(),
            },
            Array { quantity: Quantity::JointPosition, values: vec![0.1, 0.2, 0.3, -0.1, -0.2, -0.3] },
        ];
        let control = [1.0, 2.0, 3.0, 4.0];
        let seen = Seen {
            arrays: &arrays,
            rows: 2,
            worlds: 2,
            sample: &[0, 1],
            step: 0,
            horizon: 1,
            time: 0.0,
            control: &control,
        };
        let mut total = [100.0; 2]; // what is there stays
        let mut sum = Sum { running: vec![term], terminal: Vec::new() };
        sum.running(&seen, &mut total).expect("all arrays are there");
        total.map(|x| x - 100.0)
    }

    fn near(found: [f64; 2], expected: [f64; 2]) {
        assert!(
            found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12),
            "{found:?}, not {expected:?}"
        );
    }

    /// By hand: |1−0|·1 + |2−4|·2 + |±3−1|·3 = 5 + 6 and 5 + 12; squares 1 + 4 + 4 and 1 + 4 + 16.
    #[test]
    fn positions_cost_by_axis_or_squared() {
        let target = [0.0, 4.0, 1.0];
        near(cost_of(Term::Position { body: 1, target, weight: [1.0, 2.0, 3.0] }), [11.0, 17.0]);
        near(cost_of(Term::PositionSquared { body: 1, target, weight: 0.5 }), [4.5, 10.5]);
    }

    /// 90° are half a right angle in the quaternion: sin² 45° = ½. The other sign of a quaternion is the same orientation.
    #[test]
    fn orientations_cost_the_sine_squared_of_half_the_angle() {
        for sign in [1.0, -1.0] {
            let target_wxyz = [sign, 0.0, 0.0, 0.0];
            near(cost_of(Term::Orientation { body: 1, target_wxyz, weight: 2.0 }), [1.0, 0.0]);
        }
    }

    /// The point (1, 0, 0) of body 0, turned by 90° about z, is at (0, 1, 0): (1, 1, ±3) away from body 1.
    #[test]
    fn fingertips_cost_their_squared_distance() {
        let points = vec![Near { body: 0, point: Vec3::new(1.0, 0.0, 0.0) }];
        near(cost_of(Term::Contact { body: 1, points, weight: 2.0 }), [22.0, 22.0]);
    }

    #[test]
    fn posture_control_and_falls_cost_what_they_say() {
        let posture = Term::Posture { coordinates: vec![0, 2], target: vec![0.0, 0.1], weight: 10.0 };
        near(cost_of(posture), [0.1 + 0.4, 0.1 + 1.6]);
        near(cost_of(Term::Control { rest: vec![1.0, 1.0], weight: 1.0 }), [1.0, 13.0]);
        near(cost_of(Term::Fallen { body: 1, height: 0.0, weight: 7.0 }), [0.0, 7.0]);
    }
}
