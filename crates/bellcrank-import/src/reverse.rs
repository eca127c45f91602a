//! The same joint seen from the other side.

use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::JointKind;

/// The turn R that makes a joint from S to P of a joint from P to S: F' = M R on the new predecessor, M' = F R on
/// the new successor. Coordinates along and about x keep their values; those of ball, gimbal, planar, cartesian
/// and free joints are told from the other side.
fn turn(kind: JointKind) -> Quat {
    match kind {
        // x' = −x: seen from the other side the same motion has the opposite sign
        JointKind::Revolute | JointKind::Prismatic | JointKind::Cylindrical | JointKind::Screw { .. } => {
            Quat::from_wxyz([0.0, 0.0, 1.0, 0.0])
        }
        // x' = y: the axis that was carried by the second body is now the first's
        JointKind::Universal => Quat::from_axis_angle(Vec3::z_axis(), std::f64::consts::FRAC_PI_2),
        _ => Quat::identity(),
    }
}

/// (X_PF, X_SM) of the joint with its ends exchanged.
pub(crate) fn reversed(kind: JointKind, X_PF: Pose, X_SM: Pose) -> (Pose, Pose) {
    let R = Pose::new(turn(kind), Vec3::zero());
    (X_SM * R, X_PF * R)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellcrank_model::kinematics;

    #[test]
    fn a_joint_seen_from_the_other_side_is_closed_where_it_was_and_counts_alike() {
        let q = [0.3, -0.4, 0.0, 0.0, 0.0, 0.0, 0.0];
        for kind in [
            JointKind::Fixed,
            JointKind::Revolute,
            JointKind::Prismatic,
            JointKind::Cylindrical,
            JointKind::Universal,
            JointKind::Screw { pitch: 0.2 },
        ] {
            let X_FM = kinematics::pose(kind, &q);
            let (F, M) = reversed(kind, Pose::identity(), Pose::identity());
            let X_new = (X_FM * F).inverse_mul(M);
            let (metres, radians) = kinematics::gap(kind, X_new);
            assert!(metres < 1e-15 && radians < 1e-15, "{kind:?}: {metres} {radians}");
            if kind != JointKind::Universal {
                let new = kinematics::coordinates(kind, X_new);
                (0..kind.dof_count()).for_each(|k| assert!((new[k] - q[k]).abs() < 1e-15, "{kind:?}"));
            }
        }
    }
}
