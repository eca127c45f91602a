//! Rotations and poses form groups; spatial vectors and inertias change frames consistently.

use bellcrank_math::{Inertia, Mat3, Pose, Quat, Sym3, Twist, Vec3, Wrench, so3};
use proptest::prelude::*;

const TOLERANCE: f64 = 1e-13; // a few dozen roundings of numbers of order ten

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    [-size..size, -size..size, -size..size].prop_map(Vec3::from_array)
}

fn rotation() -> impl Strategy<Value = Quat> {
    vector(3.0).prop_map(so3::exp)
}

fn pose() -> impl Strategy<Value = Pose> {
    (rotation(), vector(5.0)).prop_map(|(R, p)| Pose::new(R, p))
}

fn twist() -> impl Strategy<Value = Twist> {
    (vector(3.0), vector(3.0)).prop_map(|(l, a)| Twist::new(l, a))
}

fn wrench() -> impl Strategy<Value = Wrench> {
    (vector(3.0), vector(3.0)).prop_map(|(f, m)| Wrench::new(f, m))
}

/// A physical body: principal moments that obey the triangle inequality, turned, with an offset centre.
fn inertia() -> impl Strategy<Value = Inertia> {
    (0.1..5.0_f64, vector(0.5), [0.1..1.0_f64, 0.1..1.0, 0.1..1.0], rotation()).prop_map(
        |(mass, com, [a, b, c], R)| {
            Inertia::from_com(mass, com, Sym3::diagonal(b + c, a + c, a + b).rotated(R.to_mat3()))
        },
    )
}

fn close(a: Vec3, b: Vec3) -> bool {
    (a - b).norm() < TOLERANCE
}

fn same_rotation(a: Quat, b: Quat) -> bool {
    so3::log(a.inverse() * b).norm() < TOLERANCE
}

fn same_matrix(a: Mat3, b: Mat3) -> bool {
    let d = a - b;
    d.x.norm() + d.y.norm() + d.z.norm() < TOLERANCE
}

proptest! {
    #[test]
    fn rotations_are_a_group(a in rotation(), b in rotation(), c in rotation(), v in vector(4.0)) {
        prop_assert!(same_rotation((a * b) * c, a * (b * c)));
        prop_assert!(same_rotation(a * a.inverse(), Quat::identity()));
        prop_assert!(close((a * b).rotate(v), a.rotate(b.rotate(v))));
        prop_assert!((a.rotate(v).norm() - v.norm()).abs() < TOLERANCE);
        prop_assert!(close(a.rotate_inverse(a.rotate(v)), v));
    }

    #[test]
    fn quaternion_and_matrix_turn_alike(a in rotation(), v in vector(4.0)) {
        prop_assert!(close(a.rotate(v), a.to_mat3() * v));
        prop_assert!(same_rotation(Quat::from_mat3(a.to_mat3()), a));
        prop_assert!((a.to_mat3().determinant() - 1.0).abs() < TOLERANCE);
        prop_assert!(same_matrix(a.to_mat3().inverse(), a.to_mat3().transpose()));
    }

    #[test]
    fn poses_are_a_group(a in pose(), b in pose(), c in pose(), p in vector(4.0)) {
        let (left, right) = ((a * b) * c, a * (b * c));
        prop_assert!(close(left.p, right.p) && same_rotation(left.R, right.R));
        prop_assert!(close((a * a.inverse()).p, Vec3::zero()));
        prop_assert!(close((a * b) * p, a * (b * p)));
        let relative = a.inverse_mul(b);
        prop_assert!(close(relative.p, (a.inverse() * b).p) && same_rotation(relative.R, a.R.inverse() * b.R));
    }

    #[test]
    fn power_does_not_depend_on_the_frame(X in pose(), V in twist(), F in wrench()) {
        let there = V.transformed(X).dot(F.transformed(X));
        prop_assert!((V.dot(F) - there).abs() < 10.0 * TOLERANCE, "{} against {there}", V.dot(F));
    }

    /// (V × M)·F + M·(V ×* F) = 0: the two cross products are each other's negative transpose.
    #[test]
    fn the_two_cross_products_are_dual(V in twist(), M in twist(), F in wrench()) {
        prop_assert!((V.cross(M).dot(F) + M.dot(V.cross_dual(F))).abs() < 10.0 * TOLERANCE);
    }

    #[test]
    fn inertia_changes_frames_like_momentum(I in inertia(), X in pose(), V in twist()) {
        let here = I.apply(V).transformed(X);
        let there = I.transformed(X).apply(V.transformed(X));
        prop_assert!((here.force - there.force).norm() < 1e-11 && (here.moment - there.moment).norm() < 1e-11);
        let energy = I.transformed(X).kinetic_energy(V.transformed(X));
        prop_assert!((I.kinetic_energy(V) - energy).abs() < 1e-11);
    }

    #[test]
    fn inertia_about_the_centre_comes_back(I in inertia(), X in pose()) {
        let again = Inertia::from_com(I.mass, I.com(), I.about_com());
        prop_assert!((again.J.to_mat3() - I.J.to_mat3()).x.norm() < TOLERANCE);
        for (a, b) in I.principal().into_iter().zip(I.transformed(X).principal()) {
            prop_assert!((a - b).abs() < 1e-11);
        }
    }
}
