//! Left and right exchanged: which joint and which motor is whose image, and whether its angle changes sign.
//!
//! The reflection in the plane y = 0 takes a vector (x, y, z) to (x, −y, z). An axis of rotation is a pseudovector: the image
//! of a turn about (x, y, z) is one about (−x, y, −z). So the image of the left hip's roll is the right hip's roll with the
//! other sign, and that of the left knee's bend is the right knee's with the same.

use crate::task::Mirror;
use bellcrank_math::{Quat, Vec3};
use bellcrank_model::{Joint, Model};

/// The name of the part on the other side: `left_knee`, `front_left_knee` and `knee_l` have one.
fn other_side(name: &str) -> String {
    let other = |word| match word {
        "left" => "right",
        "right" => "left",
        "l" => "r",
        "r" => "l",
        same => same,
    };
    name.split('_').map(other).collect::<Vec<_>>().join("_")
}

/// Axis of a hinge in the world at the reference pose: x of its frame on the predecessor.
fn axis(model: &Model, joint: &Joint) -> Vec3 {
    let R_WP = joint.predecessor.body().map_or(Quat::identity(), |b| model.bodies()[b.index()].X_WB().R);
    R_WP.rotate(joint.X_PF.R.rotate(Vec3::x_axis()))
}

/// Images of the coordinates of a robot whose joints are all hinges; none where one has no partner.
pub(crate) fn of_joints(model: &Model) -> Option<Mirror> {
    let image = |joint: &Joint| {
        let partner = model.joint_id(&other_side(&joint.name))?;
        let (a, b) = (axis(model, &model.joints()[partner.index()]), axis(model, joint));
        let turned = Vec3::new(-a.x, a.y, -a.z);
        let along = turned.dot(b);
        ((along.abs() - 1.0).abs() < 1e-6).then_some((partner.index(), along.signum() as f32))
    };
    let entries = model.joints().iter().map(image).collect::<Option<_>>()?;
    Some(Mirror { entries })
}

/// Images of motors that each drive a hinge.
pub(crate) fn of_motors(model: &Model, joints: &Mirror) -> Option<Mirror> {
    let hinge = |k: usize| Some(model.actuators()[k].coordinate()?.0.index());
    let image = |k: usize| {
        let (from, sign) = joints.entries[hinge(k)?];
        let partner = (0..model.actuators().len()).find(|other| hinge(*other) == Some(from))?;
        Some((partner, sign))
    };
    let entries = (0..model.actuators().len()).map(image).collect::<Option<_>>()?;
    Some(Mirror { entries })
}

/// Joins the images of blocks of numbers that follow each other.
pub(crate) fn joined(blocks: &[&[(usize, f32)]]) -> Mirror {
    let mut entries = Vec::new();
    for block in blocks {
        let first = entries.len();
        entries.extend(block.iter().map(|&(k, sign)| (first + k, sign)));
    }
    Mirror { entries }
}

/// Numbers that stay where they are, some with the other sign.
pub(crate) fn signs<const N: usize>(signs: [f32; N]) -> [(usize, f32); N] {
    let mut k = 0;
    signs.map(|sign| {
        k += 1;
        (k - 1, sign)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellcrank_model::library;

    #[test]
    fn a_mirror_image_of_the_image_is_the_thing_itself() {
        let model = library::hybrid_biped().build().expect("sound");
        let joints = of_joints(&model).expect("symmetric");
        let motors = of_motors(&model, &joints).expect("symmetric");
        for mirror in [&joints, &motors] {
            for (k, &(from, sign)) in mirror.entries.iter().enumerate() {
                assert_eq!(mirror.entries[from], (k, sign));
            }
        }
        let sign = |name: &str| joints.entries[model.joint_id(name).expect("a joint").index()].1;
        assert_eq!((sign("left_inner_hip_roll"), sign("left_inner_knee")), (-1.0, 1.0));
    }
}
