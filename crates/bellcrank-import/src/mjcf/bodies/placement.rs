//! Where things are: position and one of five ways to say a rotation.

use crate::ImportFaultKind;
use crate::mjcf::preamble::compiler::Compiler;
use crate::xml::Element;
use bellcrank_math::{Mat3, Pose, Quat, Vec3};

/// The ways to say a rotation.
pub(in crate::mjcf) const ROTATIONS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];

/// The pose that an element's `pos` and rotation say.
pub(in crate::mjcf) fn pose(element: &Element, compiler: &Compiler) -> Pose {
    Pose::new(rotation(element, compiler), position(element, "pos"))
}

/// A point, the origin where nothing is said.
pub(in crate::mjcf) fn position(element: &Element, name: &str) -> Vec3 {
    Vec3::from_array(element.vector(name).unwrap_or([0.0; 3]))
}

/// The rotation that an element says.
pub(in crate::mjcf) fn rotation(element: &Element, compiler: &Compiler) -> Quat {
    let said: Vec<&str> = ROTATIONS.into_iter().filter(|name| element.has(name)).collect();
    if let [first, second, ..] = said[..] {
        element.fault_said(
            format!("the rotation is said twice: by {first} and by {second}"),
            "keep the one that is meant",
        );
    }
    let Some(way) = said.first() else { return Quat::identity() };
    let found = match *way {
        "quat" => element.vector(way).map(|q: [f64; 4]| unit(q, element)),
        "axisangle" => element.vector(way).map(|v: [f64; 4]| {
            let axis = direction(Vec3::new(v[0], v[1], v[2]), way, element);
            Quat::from_axis_angle(axis, compiler.angle(v[3]))
        }),
        "euler" => element.vector(way).map(|angles| compiler.euler(angles)),
        "xyaxes" => element.vector(way).map(|v: [f64; 6]| two_axes(v, element)),
        _ => element.vector(way).map(|v| z_to(direction(Vec3::from_array(v), way, element))),
    };
    found.unwrap_or_default()
}

/// A unit quaternion w, x, y, z of any length above zero.
pub(in crate::mjcf) fn unit(wxyz: [f64; 4], element: &Element) -> Quat {
    let q = Quat::from_wxyz(wxyz);
    if q.norm_squared() < 1e-28 {
        element.fault(ImportFaultKind::Model(bellcrank_model::FaultKind::ZeroQuaternion("the pose".into())));
        return Quat::identity();
    }
    q.normalized()
}

/// A vector made a unit vector; without a direction it is a fault.
pub(in crate::mjcf) fn direction(v: Vec3, name: &str, element: &Element) -> Vec3 {
    let length = v.norm();
    if length < 1e-14 {
        element.fault_said(format!("{name} has no direction"), "give a vector that is not zero");
        return Vec3::z_axis();
    }
    v * (1.0 / length)
}

fn two_axes(v: [f64; 6], element: &Element) -> Quat {
    let x = direction(Vec3::new(v[0], v[1], v[2]), "xyaxes", element);
    let y = Vec3::new(v[3], v[4], v[5]);
    let y = direction(y - x * x.dot(y), "xyaxes", element);
    Quat::from_mat3(Mat3::from_columns(x, y, x.cross(y)))
}

/// The smallest rotation that takes z to a direction.
pub(in crate::mjcf) fn z_to(direction: Vec3) -> Quat {
    let z = Vec3::z_axis();
    let axis = z.cross(direction);
    let sine = axis.norm();
    if sine < 1e-14 {
        let half_turn = Quat::from_wxyz([0.0, 1.0, 0.0, 0.0]);
        return if direction.z > 0.0 { Quat::identity() } else { half_turn };
    }
    Quat::from_axis_angle(axis * (1.0 / sine), sine.atan2(direction.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_letters_turn_with_the_body_and_capitals_about_fixed_axes() {
        let angles = [30.0, 50.0, -20.0];
        let with_body = Compiler::default().euler(angles);
        let fixed = Compiler { euler: ['Z', 'Y', 'X'], ..Compiler::default() };
        let about_fixed = fixed.euler([angles[2], angles[1], angles[0]]);
        assert!((with_body.vector() - about_fixed.vector()).norm() < 1e-15);
    }

    #[test]
    fn z_can_be_turned_to_every_direction() {
        for to in [Vec3::z_axis(), -Vec3::z_axis(), Vec3::x_axis(), Vec3::new(0.6, 0.0, -0.8)] {
            assert!((z_to(to).rotate(Vec3::z_axis()) - to).norm() < 1e-15);
        }
    }
}
