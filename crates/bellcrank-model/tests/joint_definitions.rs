//! Every joint kind: pose, coordinates, residual and axes agree with each other. Derivatives by dual numbers.

use bellcrank_math::{Dual, Pose, Quat, Real, Twist, Vec3, Wrench, so3};
use bellcrank_model::JointKind;
use bellcrank_model::kinematics::{
    constraint_axes, coordinates, gap, motion_axes, pose, rate_axes, residual,
};
use proptest::prelude::*;

const TOLERANCE: f64 = 1e-13;

/// Coordinates away from a gimbal's lock; quaternions of length one.
fn some_coordinates(kind: JointKind, raw: [f64; 7]) -> [f64; 7] {
    let mut q = raw;
    let quaternion = so3::exp(Vec3::new(raw[0], raw[1], raw[2])).short_way().to_wxyz();
    match kind {
        JointKind::Spherical => q[..4].copy_from_slice(&quaternion),
        JointKind::Free => q[3..].copy_from_slice(&quaternion),
        JointKind::Gimbal => q[1] *= 0.45,
        _ => {}
    }
    q
}

/// A pose near enough to closed that no angle wraps, but with every row violated.
fn open_pose(kind: JointKind, raw: [f64; 7]) -> Pose {
    let shake = Pose::new(so3::exp(Vec3::new(0.1, -0.2, 0.15)), Vec3::new(0.02, 0.03, -0.01));
    pose(kind, &some_coordinates(kind, raw)) * shake
}

/// X_FM moved on by the twist V for a time ε, as dual numbers in ε.
fn moved(X_FM: Pose, V: Twist) -> Pose<Dual<f64, 1>> {
    let lift = |x: f64| Dual::<f64, 1>::constant(x);
    let rate = |v: Vec3| Vec3::from_array(v.to_array().map(|x| Dual { value: 0.0, tangent: [x] }));
    let R = Quat::from_wxyz(X_FM.R.to_wxyz().map(lift));
    let p = Vec3::from_array(X_FM.p.to_array().map(lift));
    Pose::new(so3::exp(rate(V.angular)) * R, p + rate(V.linear))
}

fn raw_coordinates() -> impl Strategy<Value = [f64; 7]> {
    prop::array::uniform7(-1.5..1.5_f64)
}

fn twist() -> impl Strategy<Value = Twist> {
    prop::array::uniform6(-1.0..1.0_f64).prop_map(Twist::from_array)
}

fn same_pose(a: Pose, b: Pose) -> bool {
    let apart = a.inverse_mul(b);
    apart.p.norm() < TOLERANCE && so3::log(apart.R).norm() < TOLERANCE
}

proptest! {
    #[test]
    fn coordinates_come_back_from_the_pose(raw in raw_coordinates()) {
        for kind in JointKind::ALL {
            let q = some_coordinates(kind, raw);
            let back = coordinates(kind, pose(kind, &q));
            for k in 0..kind.coordinate_count() {
                prop_assert!((back[k] - q[k]).abs() < TOLERANCE, "{kind:?} {k}: {} became {}", q[k], back[k]);
            }
            prop_assert!(same_pose(pose(kind, &back), pose(kind, &q)), "{kind:?}");
        }
    }

    #[test]
    fn a_closed_joint_has_no_residual(raw in raw_coordinates()) {
        for kind in JointKind::ALL {
            let X = pose(kind, &some_coordinates(kind, raw));
            prop_assert!(residual(kind, X).iter().all(|c| c.abs() < TOLERANCE), "{kind:?}");
            let (metres, radians) = gap(kind, X);
            prop_assert!(metres < TOLERANCE && radians < TOLERANCE);
        }
    }

    /// ċ = A V also where the joint is open.
    #[test]
    fn constraint_axes_are_the_derivative_of_the_residual(raw in raw_coordinates(), V in twist()) {
        for kind in JointKind::ALL {
            let X = open_pose(kind, raw);
            let exact = residual(kind, moved(X, V));
            let axes = constraint_axes(kind, X);
            for k in 0..6 {
                let (ours, exact) = (V.dot(axes[k]), exact[k].tangent[0]);
                prop_assert!((ours - exact).abs() < TOLERANCE, "{kind:?} row {k}: {ours} against {exact}");
            }
        }
    }

    /// q̇ = B V also where the joint is open; quaternions have velocities, not rates.
    #[test]
    fn rate_axes_are_the_derivative_of_the_coordinates(raw in raw_coordinates(), V in twist()) {
        for kind in JointKind::ALL.into_iter().filter(|kind| kind.has_scalar_coordinates()) {
            let X = open_pose(kind, raw);
            let exact = coordinates(kind, moved(X, V));
            let axes = rate_axes(kind, X);
            // a gimbal's and a Cardan joint's angles leave out what their residual measures
            let tolerance = if kind == JointKind::Gimbal { 1e-11 } else { 1e-12 };
            for k in 0..kind.dof_count() {
                let (ours, exact) = (V.dot(axes[k]), exact[k].tangent[0]);
                prop_assert!((ours - exact).abs() < tolerance, "{kind:?} {k}: {ours} against {exact}");
            }
        }
    }

    /// S moves no constraint, and the rates read back what S was told: A S = 0, B S = 1.
    #[test]
    fn motion_axes_move_the_coordinates_and_nothing_else(raw in raw_coordinates()) {
        for kind in JointKind::ALL {
            let X = pose(kind, &some_coordinates(kind, raw));
            let (S, A, B) = (motion_axes(kind, X), constraint_axes(kind, X), rate_axes(kind, X));
            for k in 0..kind.dof_count() {
                for row in &A[..kind.row_count()] {
                    prop_assert!(S[k].dot(*row).abs() < TOLERANCE, "{kind:?}: motion {k} breaks the joint");
                }
                for l in 0..kind.dof_count() {
                    let expected = if k == l { 1.0 } else { 0.0 };
                    prop_assert!((S[k].dot(B[l]) - expected).abs() < 1e-12, "{kind:?} {k} {l}");
                }
            }
        }
    }

    /// The pose's own derivative along a coordinate is the motion axis.
    #[test]
    fn motion_axes_are_the_derivative_of_the_pose(raw in raw_coordinates()) {
        for kind in JointKind::ALL.into_iter().filter(|kind| kind.has_scalar_coordinates()) {
            let q = some_coordinates(kind, raw);
            for k in 0..kind.dof_count() {
                let mut dual = q.map(Dual::<f64, 1>::constant);
                dual[k].tangent[0] = 1.0;
                let X = pose(kind, &dual);
                let here = Quat::from_wxyz(X.R.to_wxyz().map(|c| c.value));
                let rate = Quat::from_wxyz(X.R.to_wxyz().map(|c| c.tangent[0]));
                let omega = (rate * here.inverse()).vector() * 2.0;
                let axis = motion_axes(kind, pose(kind, &q))[k];
                let linear = Vec3::from_array(X.p.to_array().map(|c| c.tangent[0]));
                prop_assert!((omega - axis.angular).norm() < TOLERANCE, "{kind:?} {k}");
                prop_assert!((linear - axis.linear).norm() < TOLERANCE, "{kind:?} {k}");
            }
        }
    }
}

#[test]
fn rows_and_freedoms_are_six_together() {
    for kind in JointKind::ALL {
        let X = pose(kind, &some_coordinates(kind, [0.3, 0.2, -0.4, 0.1, 0.7, 0.2, 0.5]));
        let used = |rows: &[Wrench]| rows.iter().filter(|w| w.to_array().iter().any(|x| *x != 0.0)).count();
        assert_eq!(used(&constraint_axes(kind, X)), kind.row_count(), "{kind:?}");
        assert_eq!(used(&rate_axes(kind, X)), kind.dof_count(), "{kind:?}");
        assert!(kind.position_row_count() <= kind.row_count());
    }
}

/// A thread of 10 mm/rad, three and a half turns in: 0.01 · 7π of advance, and no gap.
#[test]
fn a_screw_counts_its_turns() {
    let kind = JointKind::Screw { pitch: 0.01 };
    let angle = 7.0 * core::f64::consts::PI;
    let X = pose(kind, &[angle, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert!((coordinates(kind, X)[0] - angle).abs() < 1e-13);
    assert!(residual(kind, X)[0].abs() < 1e-15, "{}", residual(kind, X)[0]);
}

/// Half a turn about x, from both sides: the angle jumps from π to −π, nothing else changes.
#[test]
fn a_revolute_joint_wraps_at_half_a_turn() {
    for angle in [3.1, -3.1, 3.5, -3.5] {
        let q = coordinates(
            JointKind::Revolute,
            pose(JointKind::Revolute, &[angle, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        );
        let turns = (q[0] - angle) / core::f64::consts::TAU;
        assert!((turns - turns.round()).abs() < 1e-14 && q[0].abs() <= core::f64::consts::PI);
    }
}

/// A hinge 3 mm off along its axis, 4 mm across and tilted by 0.1 rad about y.
#[test]
fn the_gap_of_an_open_hinge_is_told_in_metres_and_radians() {
    let tilt = Quat::from_axis_angle(Vec3::y_axis(), 0.1) * Quat::from_axis_angle(Vec3::x_axis(), 0.7);
    let (metres, radians) = gap(JointKind::Revolute, Pose::new(tilt, Vec3::new(0.003, 0.004, 0.0)));
    assert!((metres - 0.005).abs() < 1e-15 && (radians - 0.1).abs() < 1e-14);
}

/// A hinge bent over by half a turn across its axis, a universal joint whose axes lie on each other and a locked gimbal have coordinates that
/// are not defined. |numerator| ≤ 2 s over max(s², 10⁻¹²) is at most 2·10⁶; everything stays a number.
#[test]
fn axes_are_numbers_where_coordinates_are_not_defined() {
    let (half, tiny) = (0.5, [0.0, 4.3e-78, -1e-30, 1e-9]);
    let root = f64::sqrt(half);
    let turns = [
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, -1.0],
        [root, 0.0, root, 0.0],
        [root, 0.0, -root, 0.0],
        [root, 0.0, 0.0, root],
        [half, half, half, half],
        [half, -half, half, -half],
    ];
    for (turn, small) in turns.into_iter().flat_map(|turn| tiny.map(|small| (turn, small))) {
        let wxyz = turn.map(|x| if x == 0.0 { small } else { x });
        for kind in JointKind::ALL {
            let wide = Pose::new(Quat::from_wxyz(wxyz), Vec3::zero());
            let narrow = Pose::new(Quat::from_wxyz(wxyz.map(|x| x as f32)), Vec3::zero());
            let rates = [rate_axes(kind, wide).map(|row| row.moment.norm()), {
                rate_axes(kind, narrow).map(|row| f64::from(row.moment.norm()))
            }];
            assert!(rates.iter().flatten().all(|size| *size < 2.1e6), "{kind:?} {wxyz:?}: {rates:?}");
            let others = constraint_axes(kind, wide).into_iter().map(|row| row.moment);
            let mut all = others.chain(motion_axes(kind, wide).into_iter().map(|column| column.angular));
            assert!(all.all(|axis| axis.is_finite()), "{kind:?} {wxyz:?}");
            assert!(coordinates(kind, wide).into_iter().all(f64::is_finite), "{kind:?} {wxyz:?}");
        }
    }
}
