//! Several joints on one body: which single joint they are, and where a carrier must stand between them.
//!
//! MJCF lets a body have a list of joints that act one after the other, each carried along by those before it:
//! X = exp(S₁(q₁ − r₁)) exp(S₂(q₂ − r₂)) …, with the screw axes Sᵢ as they lie at the reference coordinates rᵢ.
//! Our joints with scalar coordinates are such products too, so two descriptions agree everywhere if their axes
//! agree at the reference. Longest runs first:
//!
//! | run | becomes |
//! |---|---|
//! | three slides at right angles | cartesian |
//! | two slides at right angles and a hinge along their normal | planar |
//! | three hinges that meet at right angles | gimbal |
//! | a slide and a hinge on parallel axes, in either order | cylindrical |
//! | two hinges that meet at a right angle | universal |
//! | anything else | itself; the next run starts on a carrier |

use crate::mjcf::bodies::joints::{JointSpec, JointType};
use bellcrank_math::{Mat3, Pose, Quat, Vec3};
use bellcrank_model::JointKind;
use bellcrank_model::kinematics;

/// Axes count as parallel, perpendicular or meeting within this [rad or m].
const TOLERANCE: f64 = 1e-9;

/// One of our joints, made of one to three joints of the file.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::mjcf) struct Group {
    pub kind: JointKind,
    /// F at the reference pose, in the frame of the body that the joints move.
    pub X_LF: Pose,
    /// Which joint of the body is which degree of freedom, and whether it counts the other way round.
    pub members: Vec<Member>,
    /// Our coordinates at the reference pose.
    pub reference: [f64; 7],
}

/// A joint of the file as a degree of freedom of ours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::mjcf) struct Member {
    /// Index among the body's joints.
    pub joint: usize,
    /// Degree of freedom.
    pub dof: usize,
    /// −1 where our coordinate is the negative of the file's.
    pub sign: f64,
}

impl Group {
    /// M at the reference pose, in the frame of the body that the joints move.
    pub fn X_LM(&self) -> Pose {
        self.X_LF * kinematics::pose(self.kind, &self.reference)
    }
}

/// Splits a body's joints into as few joints of ours as possible.
pub(in crate::mjcf) fn group(joints: &[JointSpec]) -> Vec<Group> {
    let mut groups = Vec::new();
    let mut start = 0;
    while start < joints.len() {
        let rest = &joints[start..];
        let (length, mut found) = longest(rest);
        found.members.iter_mut().for_each(|member| member.joint += start);
        groups.push(found);
        start += length;
    }
    groups
}

fn longest(joints: &[JointSpec]) -> (usize, Group) {
    if let [a, b, c, ..] = joints
        && let Some(group) = cartesian([a, b, c]).or_else(|| planar([a, b, c])).or_else(|| gimbal([a, b, c]))
    {
        return (3, group);
    }
    if let [a, b, ..] = joints
        && let Some(group) = cylindrical(a, b).or_else(|| universal(a, b))
    {
        return (2, group);
    }
    (1, single(&joints[0]))
}

fn single(joint: &JointSpec) -> Group {
    let frame = Pose::new(Quat::x_axis_to(joint.axis), joint.position);
    let (kind, X_LF) = match joint.kind {
        JointType::Hinge => (JointKind::Revolute, frame),
        JointType::Slide => (JointKind::Prismatic, frame),
        // the quaternion of the file turns the body's own axes
        JointType::Ball => (JointKind::Spherical, Pose::from_position(joint.position)),
        JointType::Free => (JointKind::Free, Pose::identity()),
    };
    let scalar = kind.has_scalar_coordinates();
    let mut group = Group { kind, X_LF, members: vec![plain(0, 0)], reference: [0.0; 7] };
    match kind {
        JointKind::Spherical => group.reference[0] = 1.0,
        JointKind::Free => group.reference[3] = 1.0,
        _ => group.reference[0] = if scalar { joint.reference } else { 0.0 },
    }
    group
}

fn plain(joint: usize, dof: usize) -> Member {
    Member { joint, dof, sign: 1.0 }
}

fn all(joints: &[&JointSpec], kind: JointType) -> bool {
    joints.iter().all(|joint| joint.kind == kind)
}

fn perpendicular(a: Vec3, b: Vec3) -> bool {
    a.dot(b).abs() < TOLERANCE
}

/// +1 or −1 for parallel or opposite axes.
fn parallel(a: Vec3, b: Vec3) -> Option<f64> {
    (a.cross(b).norm() < TOLERANCE).then(|| a.dot(b).signum())
}

fn rotation(x: Vec3, y: Vec3) -> Quat {
    Quat::from_mat3(Mat3::from_columns(x, y, x.cross(y)))
}

fn cartesian(joints: [&JointSpec; 3]) -> Option<Group> {
    let [x, y, z] = joints.map(|joint| joint.axis);
    if !all(&joints, JointType::Slide) || !perpendicular(x, y) {
        return None;
    }
    let sign = parallel(x.cross(y), z)?;
    let members = vec![plain(0, 0), plain(1, 1), Member { joint: 2, dof: 2, sign }];
    let X_LF = Pose::new(rotation(x, y), Vec3::zero());
    Some(with_references(JointKind::Cartesian, X_LF, members, &joints))
}

fn planar(joints: [&JointSpec; 3]) -> Option<Group> {
    let [y, z, turn] = joints.map(|joint| joint.axis);
    let kinds = joints.map(|joint| joint.kind);
    if kinds != [JointType::Slide, JointType::Slide, JointType::Hinge] || !perpendicular(y, z) {
        return None;
    }
    let x = y.cross(z);
    let sign = parallel(x, turn)?;
    let members = vec![plain(0, 0), plain(1, 1), Member { joint: 2, dof: 2, sign }];
    let mut group = with_references(JointKind::Planar, Pose::identity(), members, &joints);
    // M's origin lies on the hinge, so F's stands back by the slides' references
    let at = joints[2].position - y * group.reference[0] - z * group.reference[1];
    group.X_LF = Pose::new(rotation(x, y), at);
    Some(group)
}

fn cylindrical(a: &JointSpec, b: &JointSpec) -> Option<Group> {
    let (slide, hinge) = match (a.kind, b.kind) {
        (JointType::Slide, JointType::Hinge) => (0, 1),
        (JointType::Hinge, JointType::Slide) => (1, 0),
        _ => return None,
    };
    let joints = [a, b];
    let axis = joints[hinge].axis;
    let sign = parallel(axis, joints[slide].axis)?;
    let members = vec![Member { joint: slide, dof: 0, sign }, plain(hinge, 1)];
    let mut group = with_references(JointKind::Cylindrical, Pose::identity(), members, &joints);
    let at = joints[hinge].position - axis * group.reference[0];
    group.X_LF = Pose::new(Quat::x_axis_to(axis), at);
    Some(group)
}

fn universal(a: &JointSpec, b: &JointSpec) -> Option<Group> {
    if !all(&[a, b], JointType::Hinge) || !perpendicular(a.axis, b.axis) {
        return None;
    }
    let at = meeting_point(a, b)?;
    let back = Quat::from_axis_angle(Vec3::x_axis(), -a.reference);
    let X_LF = Pose::new(rotation(a.axis, b.axis) * back, at);
    Some(with_references(JointKind::Universal, X_LF, vec![plain(0, 0), plain(1, 1)], &[a, b]))
}

fn gimbal(joints: [&JointSpec; 3]) -> Option<Group> {
    let [a, b, c] = joints;
    if !all(&joints, JointType::Hinge) || !perpendicular(a.axis, b.axis) {
        return None;
    }
    let at = meeting_point(a, b)?;
    if distance_to_line(at, c) > TOLERANCE {
        return None;
    }
    // the third axis at the reference is R_x(r₀) R_y(r₁) z, seen from F
    let upright = rotation(a.axis, b.axis);
    let third = upright.rotate(Quat::from_axis_angle(Vec3::y_axis(), b.reference).rotate(Vec3::z_axis()));
    let sign = parallel(third, c.axis)?;
    let members = vec![plain(0, 0), plain(1, 1), Member { joint: 2, dof: 2, sign }];
    let back = Quat::from_axis_angle(Vec3::x_axis(), -a.reference);
    Some(with_references(JointKind::Gimbal, Pose::new(upright * back, at), members, &joints))
}

/// Where two hinge lines at right angles meet, if they do.
fn meeting_point(a: &JointSpec, b: &JointSpec) -> Option<Vec3> {
    let between = b.position - a.position;
    let at = a.position + a.axis * between.dot(a.axis);
    (distance_to_line(at, b) < TOLERANCE).then_some(at)
}

fn distance_to_line(p: Vec3, joint: &JointSpec) -> f64 {
    (p - joint.position).cross(joint.axis).norm()
}

fn with_references(kind: JointKind, X_LF: Pose, members: Vec<Member>, joints: &[&JointSpec]) -> Group {
    let mut reference = [0.0; 7];
    for member in &members {
        reference[member.dof] = member.sign * joints[member.joint].reference;
    }
    Group { kind, X_LF, members, reference }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellcrank_model::{Dof, Place};

    fn joint(kind: JointType, axis: [f64; 3], position: [f64; 3], reference: f64) -> JointSpec {
        JointSpec {
            name: String::new(),
            kind,
            position: Vec3::from_array(position),
            axis: Vec3::from_array(axis).normalized(),
            reference,
            spring_reference: 0.0,
            dof: Dof::default(),
            softness: Default::default(),
            spring_damper: None,
            align: None,
            place: Place::new("test", 1),
        }
    }

    fn hinge(axis: [f64; 3], reference: f64) -> JointSpec {
        joint(JointType::Hinge, axis, [0.1, 0.2, 0.3], reference)
    }

    fn slide(axis: [f64; 3], reference: f64) -> JointSpec {
        joint(JointType::Slide, axis, [0.4, 0.0, 0.0], reference)
    }

    /// The format's own definition: every joint moves what comes after it, in the frame of those before.
    fn moved(joints: &[JointSpec], q: &[f64]) -> Pose {
        joints.iter().zip(q).fold(Pose::identity(), |X, (joint, q)| {
            let by = q - joint.reference;
            X * match joint.kind {
                JointType::Slide => Pose::from_position(joint.axis * by),
                _ => {
                    let turn = Quat::from_axis_angle(joint.axis, by);
                    Pose::new(turn, joint.position - turn.rotate(joint.position))
                }
            }
        })
    }

    /// Ours: X_LF X_FM(q) X_ML, joint after joint.
    fn ours(joints: &[JointSpec], q: &[f64]) -> (Vec<JointKind>, Pose) {
        let groups = group(joints);
        let X = groups.iter().fold(Pose::identity(), |X, group| {
            let mut own = [0.0; 7];
            group.members.iter().for_each(|m| own[m.dof] = m.sign * q[m.joint]);
            X * group.X_LF * kinematics::pose(group.kind, &own) * group.X_LM().inverse()
        });
        (groups.iter().map(|group| group.kind).collect(), X)
    }

    fn check(joints: &[JointSpec], kinds: &[JointKind]) {
        for q in [[0.0, 0.0, 0.0], [0.3, -0.4, 0.7], [-1.1, 0.2, 0.9]] {
            let (found, X) = ours(joints, &q);
            assert_eq!(found, kinds);
            let apart = X.inverse_mul(moved(joints, &q));
            let error = apart.p.norm() + apart.R.vector().norm();
            assert!(error < 1e-14, "{kinds:?} at {q:?}: {error:e}");
        }
    }

    const ALONG_X: [f64; 3] = [1.0, 0.0, 0.0];
    const ALONG_Y: [f64; 3] = [0.0, 1.0, 0.0];
    const ALONG_Z: [f64; 3] = [0.0, 0.0, 1.0];

    #[test]
    fn three_slides_are_cartesian_even_left_handed() {
        check(&[slide(ALONG_X, 0.1), slide(ALONG_Z, 0.0), slide(ALONG_Y, -0.2)], &[JointKind::Cartesian]);
    }

    #[test]
    fn two_slides_and_the_hinge_along_their_normal_are_planar() {
        check(&[slide(ALONG_X, 0.0), slide(ALONG_Z, 1.25), hinge(ALONG_Y, 0.3)], &[JointKind::Planar]);
        check(
            &[slide(ALONG_X, 0.5), slide(ALONG_Z, 0.2), hinge([0.0, -1.0, 0.0], 0.0)],
            &[JointKind::Planar],
        );
    }

    #[test]
    fn a_slide_and_a_hinge_on_one_axis_are_cylindrical_in_either_order() {
        check(&[slide(ALONG_Z, 0.2), hinge(ALONG_Z, 0.1)], &[JointKind::Cylindrical]);
        check(&[hinge(ALONG_Z, 0.1), slide([0.0, 0.0, -1.0], 0.2)], &[JointKind::Cylindrical]);
    }

    #[test]
    fn hinges_that_meet_at_right_angles_are_universal_or_gimbal() {
        check(&[hinge([1.0, 2.0, 0.0], 0.4), hinge([-2.0, 1.0, 0.0], -0.3)], &[JointKind::Universal]);
        check(&[hinge(ALONG_X, 0.0), hinge(ALONG_Z, 0.0), hinge(ALONG_Y, 0.5)], &[JointKind::Gimbal]);
        check(&[hinge(ALONG_Z, 0.4), hinge(ALONG_X, 0.0), hinge(ALONG_Y, 0.0)], &[JointKind::Gimbal]);
    }

    #[test]
    fn other_hinges_stay_themselves() {
        let parallel = [hinge(ALONG_Z, 0.0), joint(JointType::Hinge, ALONG_Z, [0.5, 0.0, 0.0], 0.2)];
        check(&parallel, &[JointKind::Revolute, JointKind::Revolute]);
        let skew = [hinge(ALONG_X, 0.0), joint(JointType::Hinge, ALONG_Y, [0.0, 0.0, 1.0], 0.0)];
        check(&skew, &[JointKind::Revolute, JointKind::Revolute]);
        // a middle hinge whose reference is not zero tilts the third axis
        let tilted = [hinge(ALONG_X, 0.0), hinge(ALONG_Y, 0.3), hinge(ALONG_Z, 0.0)];
        check(&tilted, &[JointKind::Universal, JointKind::Revolute]);
    }
}
