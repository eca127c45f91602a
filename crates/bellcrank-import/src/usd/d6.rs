//! Which kind of joint leaves just these of the six motions free.

use super::joints::DofName;
use bellcrank_math::{Mat3, Quat, Vec3};
use bellcrank_model::JointKind;

/// The six motions, by their names in USD.
pub(super) const AXES: [DofName; 6] = ["transX", "transY", "transZ", "rotX", "rotY", "rotZ"];

/// The kind, the turn of the frames that brings the main axis to x, and the degrees of freedom in their order.
pub(super) fn kind(free: [bool; 6]) -> Option<(JointKind, Quat, Vec<DofName>)> {
    let axes_of = |offset: usize| (0..3).filter(|k| free[offset + k]).collect::<Vec<usize>>();
    let (slides, turns) = (axes_of(0), axes_of(3));
    let (slide, turn) = (|k: usize| AXES[k], |k: usize| AXES[3 + k]);
    Some(match (&slides[..], &turns[..]) {
        ([], []) => (JointKind::Fixed, Quat::identity(), Vec::new()),
        ([], [a]) => (JointKind::Revolute, cyclic(*a), vec![turn(*a)]),
        ([a], []) => (JointKind::Prismatic, cyclic(*a), vec![slide(*a)]),
        ([a], [b]) if a == b => (JointKind::Cylindrical, cyclic(*a), vec![slide(*a), turn(*a)]),
        ([], [a, b]) => (JointKind::Universal, frame(*a, *b), vec![turn(*a), turn(*b)]),
        ([], [_, _, _]) => (JointKind::Spherical, Quat::identity(), AXES[3..].to_vec()),
        ([a, b], [c]) if a != c && b != c => {
            // slides along the two axes that follow the one it turns about
            let (y, z) = ((*c + 1) % 3, (*c + 2) % 3);
            (JointKind::Planar, cyclic(*c), vec![slide(y), slide(z), turn(*c)])
        }
        ([_, _, _], []) => (JointKind::Cartesian, Quat::identity(), AXES[..3].to_vec()),
        ([_, _, _], [_, _, _]) => (JointKind::Free, Quat::identity(), AXES.to_vec()),
        _ => return None,
    })
}

fn unit(k: usize) -> Vec3 {
    [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()][k % 3]
}

fn cyclic(x: usize) -> Quat {
    Quat::from_mat3(Mat3::from_columns(unit(x), unit(x + 1), unit(x + 2)))
}

/// x along one axis, y along another.
fn frame(x: usize, y: usize) -> Quat {
    Quat::from_mat3(Mat3::from_columns(unit(x), unit(y), unit(x).cross(unit(y))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_motions_tell_the_kind_and_its_axis() {
        let kind_of = |names: &[&str]| kind(AXES.map(|axis| names.contains(&axis)));
        let (hinge, turn, names) = kind_of(&["rotZ"]).unwrap();
        assert_eq!((hinge, names), (JointKind::Revolute, vec!["rotZ"]));
        assert!((turn.rotate(Vec3::x_axis()) - Vec3::z_axis()).norm() < 1e-15);
        let (cardan, turn, names) = kind_of(&["rotX", "rotZ"]).unwrap();
        assert_eq!((cardan, names), (JointKind::Universal, vec!["rotX", "rotZ"]));
        assert!((turn.rotate(Vec3::y_axis()) - Vec3::z_axis()).norm() < 1e-15);
        let (planar, _, names) = kind_of(&["transX", "transZ", "rotY"]).unwrap();
        assert_eq!((planar, names), (JointKind::Planar, vec!["transZ", "transX", "rotY"]));
        assert!(kind_of(&["transX", "rotY"]).is_none());
    }
}
