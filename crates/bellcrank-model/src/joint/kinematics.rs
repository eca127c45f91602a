//! The one definition of every joint: what it holds together, how it may move, and where it stands.
//!
//! Everything is told in the predecessor's joint frame F, of the successor's frame M: the pose X_FM, and the
//! twist V of M's origin relative to F, in F's axes. With q the coordinates and c the residual,
//!
//! | function | meaning |
//! |---|---|
//! | [`pose`] | X_FM(q) |
//! | [`coordinates`] | q(X_FM), angles in (−π, π] |
//! | [`residual`] | c(X_FM): zero where the joint is closed |
//! | [`constraint_axes`] | rows A with ċ = A V, exactly, closed or not |
//! | [`rate_axes`] | rows B with q̇ = B V, exactly (for quaternion coordinates q̇ means the velocity) |
//! | [`motion_axes`] | columns S with V = S q̇ for a closed joint; A S = 0 and B S = 1 there |
//!
//! Residuals follow [Kamino] section 3 with one change: where a rotation is held entirely, c is twice the vector
//! part of the quaternion, not its logarithm. It has the same zero and slope there, an exact and cheap
//! derivative, and no singularity below a whole turn. Rows and columns beyond the joint's count are zero.

use super::JointKind;
use bellcrank_math::{Mat3, Pose, Quat, Real, Twist, Vec3, Wrench, so3};

/// Where the joint should close but does not: position rows [m] first, then direction rows [rad for small gaps].
#[inline(always)]
pub fn residual<R: Real>(kind: JointKind, X_FM: Pose<R>) -> [R; 6] {
    let mut c = [R::zero(); 6];
    let p = X_FM.p;
    match kind {
        JointKind::Cartesian | JointKind::Free => {}
        JointKind::Planar => put(&mut c, 0, [p.x]),
        JointKind::Prismatic | JointKind::Cylindrical => put(&mut c, 0, [p.y, p.z]),
        JointKind::Screw { pitch } => put(&mut c, 0, [screw_gap(pitch, X_FM), p.y, p.z]),
        _ => put(&mut c, 0, p.to_array()),
    }
    let positions = kind.position_row_count();
    match kind {
        JointKind::Fixed | JointKind::Prismatic | JointKind::Cartesian => {
            let v = X_FM.R.short_way().vector();
            put(&mut c, positions, (v + v).to_array());
        }
        JointKind::Universal => {
            let y_M = X_FM.R.rotate(Vec3::y_axis());
            put(&mut c, positions, [-y_M.x]);
        }
        JointKind::Spherical | JointKind::Gimbal | JointKind::Free => {}
        _ => {
            let x_M = X_FM.R.rotate(Vec3::x_axis());
            put(&mut c, positions, [-x_M.z, x_M.y]);
        }
    }
    c
}

/// Rows A with ċ = A V.
#[inline(always)]
pub fn constraint_axes<R: Real>(kind: JointKind, X_FM: Pose<R>) -> [Wrench<R>; 6] {
    let mut rows = [Wrench::zero(); 6];
    let [x, y, z] = unit_pushes();
    match kind {
        JointKind::Cartesian | JointKind::Free => {}
        JointKind::Planar => put(&mut rows, 0, [x]),
        JointKind::Prismatic | JointKind::Cylindrical => put(&mut rows, 0, [y, z]),
        JointKind::Screw { pitch } => {
            let along = Wrench::new(x.force, turn_gradient(X_FM.R) * R::constant(-pitch));
            put(&mut rows, 0, [along, y, z])
        }
        _ => put(&mut rows, 0, [x, y, z]),
    }
    let positions = kind.position_row_count();
    match kind {
        JointKind::Fixed | JointKind::Prismatic | JointKind::Cartesian => {
            // d/dt 2v = w ω + ω × v, hence the rows of w 1 − [v]×
            let q = X_FM.R.short_way();
            let m = (Mat3::identity() * q.w - Mat3::skew(q.vector())).transpose();
            put(&mut rows, positions, [turn(m.x), turn(m.y), turn(m.z)]);
        }
        JointKind::Universal => {
            // −d/dt (x_F · y_M) = ω · (x_F × y_M)
            let y_M = X_FM.R.rotate(Vec3::y_axis());
            put(&mut rows, positions, [turn(Vec3::x_axis().cross(y_M))]);
        }
        JointKind::Spherical | JointKind::Gimbal | JointKind::Free => {}
        _ => {
            // d/dt x_M = ω × x_M
            let a = X_FM.R.rotate(Vec3::x_axis());
            let zero = R::zero();
            put(&mut rows, positions, [turn(Vec3::new(-a.y, a.x, zero)), turn(Vec3::new(-a.z, zero, a.x))]);
        }
    }
    rows
}

/// Columns S with V = S q̇ where the joint is closed.
#[inline(always)]
pub fn motion_axes<R: Real>(kind: JointKind, X_FM: Pose<R>) -> [Twist<R>; 6] {
    let mut columns = [Twist::zero(); 6];
    let [x, y, z] = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()];
    let slide = |v: Vec3<R>| Twist::new(v, Vec3::zero());
    let spin = |v: Vec3<R>| Twist::new(Vec3::zero(), v);
    match kind {
        JointKind::Fixed => {}
        JointKind::Revolute => put(&mut columns, 0, [spin(x)]),
        JointKind::Prismatic => put(&mut columns, 0, [slide(x)]),
        JointKind::Cylindrical => put(&mut columns, 0, [slide(x), spin(x)]),
        JointKind::Universal => put(&mut columns, 0, [spin(x), spin(X_FM.R.rotate(y))]),
        JointKind::Spherical => put(&mut columns, 0, [spin(x), spin(y), spin(z)]),
        JointKind::Gimbal => {
            let axes = gimbal_axes(X_FM.R);
            put(&mut columns, 0, [spin(axes.x), spin(axes.y), spin(axes.z)]);
        }
        JointKind::Planar => put(&mut columns, 0, [slide(y), slide(z), spin(x)]),
        JointKind::Cartesian => put(&mut columns, 0, [slide(x), slide(y), slide(z)]),
        JointKind::Screw { pitch } => columns[0] = Twist::new(x * R::constant(pitch), x),
        JointKind::Free => columns = [slide(x), slide(y), slide(z), spin(x), spin(y), spin(z)],
    }
    columns
}

/// Rows B with q̇ = B V.
#[inline(always)]
pub fn rate_axes<R: Real>(kind: JointKind, X_FM: Pose<R>) -> [Wrench<R>; 6] {
    let mut rows = [Wrench::zero(); 6];
    let [x, y, z] = unit_pushes();
    let [rx, ry, rz] = [turn(Vec3::x_axis()), turn(Vec3::y_axis()), turn(Vec3::z_axis())];
    match kind {
        JointKind::Fixed => {}
        JointKind::Revolute => rows[0] = turn(turn_gradient(X_FM.R)),
        JointKind::Prismatic => rows[0] = x,
        JointKind::Cylindrical => put(&mut rows, 0, [x, turn(turn_gradient(X_FM.R))]),
        JointKind::Universal => {
            let [first, second] = universal_gradient(X_FM.R);
            put(&mut rows, 0, [turn(first), turn(second)]);
        }
        JointKind::Spherical => put(&mut rows, 0, [rx, ry, rz]),
        JointKind::Gimbal => {
            put(&mut rows, 0, gimbal_gradient(X_FM.R).map(turn));
        }
        JointKind::Planar => put(&mut rows, 0, [y, z, turn(turn_gradient(X_FM.R))]),
        JointKind::Cartesian => put(&mut rows, 0, [x, y, z]),
        JointKind::Screw { pitch } => rows[0] = x * R::constant(1.0 / pitch),
        JointKind::Free => rows = [x, y, z, rx, ry, rz],
    }
    rows
}

/// q(X_FM): where the joint stands. Only the first [`JointKind::coordinate_count`] entries count.
#[inline(always)]
pub fn coordinates<R: Real>(kind: JointKind, X_FM: Pose<R>) -> [R; 7] {
    let mut q = [R::zero(); 7];
    let (rotation, p) = (X_FM.R, X_FM.p);
    match kind {
        JointKind::Fixed => {}
        JointKind::Revolute => q[0] = turn_angle(rotation),
        JointKind::Prismatic => q[0] = p.x,
        JointKind::Cylindrical => put(&mut q, 0, [p.x, turn_angle(rotation)]),
        JointKind::Universal => put(&mut q, 0, universal_angles(rotation)),
        JointKind::Spherical => put(&mut q, 0, rotation.to_wxyz()),
        JointKind::Gimbal => put(&mut q, 0, gimbal_angles(rotation)),
        JointKind::Planar => put(&mut q, 0, [p.y, p.z, turn_angle(rotation)]),
        JointKind::Cartesian => put(&mut q, 0, p.to_array()),
        JointKind::Screw { pitch } => q[0] = p.x * R::constant(1.0 / pitch),
        JointKind::Free => {
            put(&mut q, 0, p.to_array());
            put(&mut q, 3, rotation.to_wxyz());
        }
    }
    q
}

/// X_FM(q): the closed joint at these coordinates. Quaternions must have length one.
#[inline(always)]
pub fn pose<R: Real>(kind: JointKind, q: &[R; 7]) -> Pose<R> {
    let zero = R::zero();
    let about = |axis: Vec3<R>, angle: R| Quat::from_axis_angle(axis, angle);
    let [x, y, z] = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()];
    match kind {
        JointKind::Fixed => Pose::identity(),
        JointKind::Revolute => Pose::new(about(x, q[0]), Vec3::zero()),
        JointKind::Prismatic => Pose::translation(q[0], zero, zero),
        JointKind::Cylindrical => Pose::new(about(x, q[1]), Vec3::new(q[0], zero, zero)),
        JointKind::Universal => Pose::new(about(x, q[0]) * about(y, q[1]), Vec3::zero()),
        JointKind::Spherical => Pose::new(Quat::from_wxyz([q[0], q[1], q[2], q[3]]), Vec3::zero()),
        JointKind::Gimbal => Pose::new(about(x, q[0]) * about(y, q[1]) * about(z, q[2]), Vec3::zero()),
        JointKind::Planar => Pose::new(about(x, q[2]), Vec3::new(zero, q[0], q[1])),
        JointKind::Cartesian => Pose::translation(q[0], q[1], q[2]),
        JointKind::Screw { pitch } => {
            Pose::new(about(x, q[0]), Vec3::new(q[0] * R::constant(pitch), zero, zero))
        }
        JointKind::Free => Pose::new(Quat::from_wxyz([q[3], q[4], q[5], q[6]]), Vec3::new(q[0], q[1], q[2])),
    }
}

/// How far the joint is open: distance [m] and angle [rad].
pub fn gap(kind: JointKind, X_FM: Pose) -> (f64, f64) {
    let c = residual(kind, X_FM);
    let (positions, count) = (kind.position_row_count(), kind.row_count());
    let length = |rows: &[f64]| rows.iter().map(|x| x * x).sum::<f64>().sqrt();
    let angle = match kind {
        JointKind::Fixed | JointKind::Prismatic | JointKind::Cartesian => so3::log(X_FM.R).norm(),
        // the other direction rows are sines
        _ => length(&c[positions..count]).min(1.0).asin(),
    };
    (length(&c[..positions]), angle)
}

/// Writes `values` from position `at` on.
#[inline(always)]
fn put<T, const M: usize, const N: usize>(target: &mut [T; M], at: usize, values: [T; N]) {
    for (slot, value) in target[at..].iter_mut().zip(values) {
        *slot = value;
    }
}

#[inline(always)]
fn unit_pushes<R: Real>() -> [Wrench<R>; 3] {
    let zero = Vec3::zero();
    [Wrench::new(Vec3::x_axis(), zero), Wrench::new(Vec3::y_axis(), zero), Wrench::new(Vec3::z_axis(), zero)]
}

#[inline(always)]
fn turn<R: Real>(moment: Vec3<R>) -> Wrench<R> {
    Wrench::new(Vec3::zero(), moment)
}

/// Below this sine of an angle [1] a coordinate counts as undefined: a hinge bent over by half a turn against its axis, a universal joint whose
/// axes lie on each other, a gimbal that locks. Rates grow as its reciprocal on the way there and end at 10⁶ instead of no number.
const SINGULAR: f64 = 1e-6;

/// The square of a sine that is divided by.
#[inline(always)]
fn floored<R: Real>(square: R) -> R {
    square.max(R::constant(SINGULAR * SINGULAR))
}

/// The angle of turning about x, θ = 2 atan2(q.x, q.w).
#[inline(always)]
fn turn_angle<R: Real>(q: Quat<R>) -> R {
    let q = q.short_way();
    R::constant(2.0) * q.x.atan2(q.w)
}

/// The row g with θ̇ = g·ω. With q̇ = ½ ω q: g = (1, (wz + xy)/(w² + x²), (xz − wy)/(w² + x²)).
#[inline(always)]
fn turn_gradient<R: Real>(q: Quat<R>) -> Vec3<R> {
    let scale = floored(q.w.mul_add(q.w, q.x * q.x)).recip();
    let y = q.w.mul_add(q.z, q.x * q.y) * scale;
    let z = q.w.neg_mul_add(q.y, q.x * q.z) * scale;
    Vec3::new(R::one(), y, z)
}

/// Advance along x minus pitch times angle, where whole turns do not show in the rotation: the nearest turn.
#[inline(always)]
fn screw_gap<R: Real>(pitch: f64, X_FM: Pose<R>) -> R {
    let lead = pitch * core::f64::consts::TAU;
    let gap = turn_angle(X_FM.R).neg_mul_add(R::constant(pitch), X_FM.p.x);
    let turns = (gap * R::constant(1.0 / lead)).round();
    turns.neg_mul_add(R::constant(lead), gap)
}

/// R = R_x(q₀) R_y(q₁): q₀ from the image of y, q₁ from the image of x.
#[inline(always)]
fn universal_angles<R: Real>(q: Quat<R>) -> [R; 2] {
    let (x_M, y_M) = (q.rotate(Vec3::x_axis()), q.rotate(Vec3::y_axis()));
    let sine = x_M.y.mul_add(y_M.z, -(x_M.z * y_M.y));
    [y_M.z.atan2(y_M.y), sine.atan2(x_M.x)]
}

/// The rows g with q̇ᵢ = gᵢ·ω, from d(atan2(s, c)) = (c ds − s dc)/(s² + c²) and ȧ = ω × a.
#[inline(always)]
fn universal_gradient<R: Real>(q: Quat<R>) -> [Vec3<R>; 2] {
    let (a, b) = (q.rotate(Vec3::x_axis()), q.rotate(Vec3::y_axis()));
    let x_axis = Vec3::<R>::x_axis();
    // gradient of k·(ω × a) with respect to ω is a × k
    let first = (b.cross(Vec3::z_axis()) * b.y - b.cross(Vec3::y_axis()) * b.z)
        * floored(b.y.mul_add(b.y, b.z * b.z)).recip();
    let (sine, cosine) = (a.y.mul_add(b.z, -(a.z * b.y)), a.x);
    // sine = (x × a)·b; d sine = (x × ȧ)·b + (x × a)·ḃ = ω·(a × (b × x)) + ω·(b × (x × a))
    let d_sine = a.cross(b.cross(x_axis)) + b.cross(x_axis.cross(a));
    let d_cosine = a.cross(x_axis);
    let second = (d_sine * cosine - d_cosine * sine) * floored(sine.mul_add(sine, cosine * cosine)).recip();
    [first, second]
}

/// R = R_x(q₀) R_y(q₁) R_z(q₂); q₁ in [−π/2, π/2], where both ends are singular.
#[inline(always)]
fn gimbal_angles<R: Real>(q: Quat<R>) -> [R; 3] {
    let m = q.to_mat3();
    let cosine = m.z.y.mul_add(m.z.y, m.z.z * m.z.z).sqrt();
    [(-m.z.y).atan2(m.z.z), m.z.x.atan2(cosine), (-m.y.x).atan2(m.x.x)]
}

/// The rows of E⁻¹, with q̇ = E⁻¹ ω and E the axes. Its determinant is cos q₁, which vanishes where the gimbal locks.
#[inline(always)]
fn gimbal_gradient<R: Real>(q: Quat<R>) -> [Vec3<R>; 3] {
    let axes = gimbal_axes(q);
    let (a, b, c) = (axes.y.cross(axes.z), axes.z.cross(axes.x), axes.x.cross(axes.y));
    let scale = axes.x.dot(a).max(R::constant(SINGULAR)).recip();
    [a * scale, b * scale, c * scale]
}

/// The three axes in F about which a gimbal turns now: x, R_x y, R_x R_y z.
#[inline(always)]
fn gimbal_axes<R: Real>(q: Quat<R>) -> Mat3<R> {
    let z_M = q.rotate(Vec3::z_axis());
    let scale = floored(z_M.y.mul_add(z_M.y, z_M.z * z_M.z)).sqrt().recip();
    let second = Vec3::new(R::zero(), z_M.z * scale, -(z_M.y * scale));
    Mat3::from_columns(Vec3::x_axis(), second, z_M)
}
