//! The arrays of a batch, `(worlds, …)` row-major: the one place that knows how the engine hands them out.

use crate::error::said;
use bellcrank::math::{Pose, Quat, Twist, Vec3};
use bellcrank::model::Model;
use bellcrank::sim::{Batch, BatchError};
use pyo3::prelude::*;

/// What can be read, and partly written, for all worlds at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    JointPosition,
    BodyPosition,
    BodyQuatWxyz,
    BodyVelocity,
    TargetPosition,
    TargetVelocity,
    Effort,
}

impl Field {
    pub const ALL: [(&'static str, Field); 7] = [
        ("joint_position", Field::JointPosition),
        ("body_position", Field::BodyPosition),
        ("body_quat_wxyz", Field::BodyQuatWxyz),
        ("body_velocity", Field::BodyVelocity),
        ("target_position", Field::TargetPosition),
        ("target_velocity", Field::TargetVelocity),
        ("effort", Field::Effort),
    ];

    pub fn by_name(name: &str) -> PyResult<Field> {
        let found = Field::ALL.iter().find(|(known, _)| *known == name);
        let known: Vec<&str> = Field::ALL.iter().map(|(known, _)| *known).collect();
        found.map(|(_, field)| *field).ok_or_else(|| {
            said("NoSuchName", format!("a batch has no array {name:?}"), format!("known are {}", known.join(", ")))
        })
    }

    /// Parts of a model that have it.
    pub fn parts(self, model: &Model) -> usize {
        match self {
            Field::JointPosition => model.coordinate_count(),
            Field::TargetPosition | Field::TargetVelocity | Field::Effort => model.actuators().len(),
            _ => model.bodies().len(),
        }
    }

    /// Numbers per part.
    pub fn components(self) -> usize {
        match self {
            Field::BodyPosition => 3,
            Field::BodyQuatWxyz => 4,
            Field::BodyVelocity => 6,
            _ => 1,
        }
    }
}

/// `f32` or `f64`.
pub trait Number: numpy::Element + Copy {
    fn of(value: f64) -> Self;
    fn to(self) -> f64;
}
impl Number for f64 {
    fn of(value: f64) -> Self {
        value
    }
    fn to(self) -> f64 {
        self
    }
}
impl Number for f32 {
    fn of(value: f64) -> Self {
        value as f32
    }
    fn to(self) -> f64 {
        self.into()
    }
}

/// Fills `out`, one row of `stride` numbers per world; what a world does not have becomes zero.
pub fn read<T: Number>(batch: &Batch, field: Field, stride: usize, out: &mut [T]) -> Result<(), BatchError> {
    for (world, row) in out.chunks_exact_mut(stride.max(1)).enumerate().take(batch.worlds()) {
        row.fill(T::of(0.0));
        let model = batch.model(world)?.clone();
        let values: Vec<f64> = match field {
            Field::JointPosition => batch.joint_position(world)?,
            Field::TargetPosition | Field::TargetVelocity | Field::Effort => vec![0.0; model.actuators().len()],
            _ => {
                let mut values = Vec::new();
                for body in 0..model.bodies().len() {
                    match field {
                        Field::BodyPosition => values.extend(batch.body_pose(world, body)?.p.to_array()),
                        Field::BodyQuatWxyz => values.extend(batch.body_pose(world, body)?.R.to_wxyz()),
                        _ => values.extend(batch.body_velocity(world, body)?.to_array()),
                    }
                }
                values
            }
        };
        row.iter_mut().zip(values).for_each(|(out, value)| *out = T::of(value));
    }
    Ok(())
}

/// Writes what a user put into an array.
pub fn write<T: Number>(batch: &mut Batch, field: Field, stride: usize, values: &[T]) -> Result<(), BatchError> {
    for (world, row) in values.chunks_exact(stride.max(1)).enumerate().take(batch.worlds()) {
        let count = field.parts(&batch.model(world)?.clone());
        for (k, x) in row.chunks_exact(field.components()).take(count).enumerate() {
            let x: Vec<f64> = x.iter().map(|x| x.to()).collect();
            match (field, &x[..]) {
                (Field::TargetPosition, &[x]) => batch.set_target_position(world, k, x)?,
                (Field::TargetVelocity, &[x]) => batch.set_target_velocity(world, k, x)?,
                (Field::Effort, &[x]) => batch.set_effort(world, k, x)?,
                (Field::BodyPosition, &[x, y, z]) => {
                    let R = batch.body_pose(world, k)?.R;
                    batch.set_body_pose(world, k, Pose::new(R, Vec3::new(x, y, z)))?;
                }
                (Field::BodyQuatWxyz, &[w, x, y, z]) => {
                    let p = batch.body_pose(world, k)?.p;
                    batch.set_body_pose(world, k, Pose::new(Quat::from_wxyz([w, x, y, z]).normalized(), p))?;
                }
                (Field::BodyVelocity, &[a, b, c, d, e, f]) => {
                    batch.set_body_velocity(world, k, Twist::from_array([a, b, c, d, e, f]))?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}
