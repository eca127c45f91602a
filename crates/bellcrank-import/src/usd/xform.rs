//! `xformOpOrder`: where a prim is within its parent.

use super::layer::{Prim, Value};
use bellcrank_math::{Mat3, Pose, Quat, Vec3};

/// v ↦ L v + t
#[derive(Clone, Copy, Debug)]
pub(super) struct Affine {
    pub L: Mat3,
    pub t: Vec3,
}

impl Affine {
    pub fn identity() -> Self {
        Affine { L: Mat3::identity(), t: Vec3::zero() }
    }

    pub fn of_pose(X: Pose) -> Self {
        Affine { L: X.R.to_mat3(), t: X.p }
    }

    /// First `inner`, then this.
    pub fn then(self, inner: Affine) -> Self {
        Affine { L: self.L * inner.L, t: self.L * inner.t + self.t }
    }

    pub fn apply(self, v: Vec3) -> Vec3 {
        self.L * v + self.t
    }

    fn inverse(self) -> Self {
        let L = self.L.inverse();
        Affine { L, t: L * (-self.t) }
    }

    /// Rotation and position without the stretching, and the stretching along the axes.
    pub fn split(self) -> (Pose, Vec3) {
        let lengths = Vec3::new(self.L.x.norm(), self.L.y.norm(), self.L.z.norm());
        let unit = |v: Vec3, length: f64| if length > 0.0 { v * (1.0 / length) } else { v };
        let x = unit(self.L.x, lengths.x);
        let z = x.cross(unit(self.L.y, lengths.y));
        let z = if z.norm() > 1e-9 { z.normalized() } else { x.any_perpendicular() };
        let R = Mat3::from_columns(x, z.cross(x), z);
        (Pose::new(Quat::from_mat3(R), self.t), lengths)
    }
}

/// The prim's own transformation. `true` where it starts again from the world.
pub(super) fn local(prim: &Prim) -> (Affine, bool) {
    let order = prim.value("xformOpOrder").map_or(&[][..], Value::items);
    let mut X = Affine::identity();
    let mut resets = false;
    for name in order.iter().filter_map(Value::text) {
        if name == "!resetXformStack!" {
            (X, resets) = (Affine::identity(), true);
            continue;
        }
        let (name, inverted) = name.strip_prefix("!invert!").map_or((name, false), |name| (name, true));
        let step = operation(prim, name).unwrap_or_else(Affine::identity);
        X = X.then(if inverted { step.inverse() } else { step });
    }
    (X, resets)
}

fn operation(prim: &Prim, name: &str) -> Option<Affine> {
    let kind = name.strip_prefix("xformOp:")?.split(':').next()?;
    let turn = |R: Quat| Affine { L: R.to_mat3(), t: Vec3::zero() };
    Some(match kind {
        "translate" => Affine { L: Mat3::identity(), t: Vec3::from_array(prim.numbers(name)?) },
        "scale" => {
            let [x, y, z] = prim.numbers(name)?;
            let L = Mat3::from_columns(Vec3::x_axis() * x, Vec3::y_axis() * y, Vec3::z_axis() * z);
            Affine { L, t: Vec3::zero() }
        }
        "orient" => turn(unit(prim.numbers(name)?)?),
        "rotateX" | "rotateY" | "rotateZ" => turn(about(kind.as_bytes()[6], prim.number(name)?)),
        "transform" => {
            let m: [f64; 16] = prim.numbers(name)?;
            // rows in the file are the images of the axes, the last is the position
            let row = |k: usize| Vec3::new(m[4 * k], m[4 * k + 1], m[4 * k + 2]);
            Affine { L: Mat3::from_columns(row(0), row(1), row(2)), t: row(3) }
        }
        _ => turn(euler(kind.strip_prefix("rotate")?, prim.numbers(name)?)?),
    })
}

/// (w, x, y, z) of any length but zero.
pub(super) fn unit(wxyz: [f64; 4]) -> Option<Quat> {
    let q = Quat::from_wxyz(wxyz);
    (q.norm_squared() > 0.0 && q.norm_squared().is_finite()).then(|| q.normalized())
}

fn about(axis: u8, degrees: f64) -> Quat {
    let (s, c) = (0.5 * degrees.to_radians()).sin_cos();
    let axis = match axis {
        b'X' => Vec3::x_axis(),
        b'Y' => Vec3::y_axis(),
        _ => Vec3::z_axis(),
    };
    Quat::from_parts(c, axis * s)
}

/// `XYZ` turns about x first, then about the fixed y, then about the fixed z.
fn euler(order: &str, degrees: [f64; 3]) -> Option<Quat> {
    if order.len() != 3 || !order.bytes().all(|b| (b'X'..=b'Z').contains(&b)) {
        return None;
    }
    let steps = order.bytes().map(|axis| about(axis, degrees[usize::from(axis - b'X')]));
    Some(steps.fold(Quat::identity(), |R, step| step * R))
}
