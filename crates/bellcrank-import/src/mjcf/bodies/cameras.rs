//! `<camera>`: where it is, how wide it sees and how it moves.

use super::placement;
use super::spec::{Aim, CameraSpec};
use crate::mjcf::preamble::source::Scope;
use crate::xml::Element;
use bellcrank_math::Pose;
use bellcrank_model::Camera;

/// Reads a camera; `X_LF` is the `<frame>` it stands in.
pub(in crate::mjcf) fn read(element: &Element, X_LF: Pose, scope: &Scope) -> CameraSpec {
    let at = placement::pose(element, &scope.source.compiler);
    if element.choice("projection", &[("perspective", false), ("orthographic", true)]) == Some(true) {
        element.ignore_attribute("projection", "pictures are drawn in perspective");
    }
    CameraSpec {
        name: String::new(),
        X_LC: X_LF * at,
        field_of_view: field_of_view(element).unwrap_or(Camera::FIELD_OF_VIEW),
        aim: aim(element, scope),
        place: element.place(),
    }
}

/// By its angle in degrees, or from the size of the sensor and the focal length, both in metres or both in pixels: 2 atan(h/2f).
fn field_of_view(element: &Element) -> Option<f64> {
    let intrinsics = [("focal", "sensorsize"), ("focalpixel", "resolution")];
    let of = |(focal, size): (&str, &str)| {
        let ([_, f], [_, h]): ([f64; 2], [f64; 2]) = (element.vector(focal)?, element.vector(size)?);
        (f > 0.0 && h > 0.0).then(|| 2.0 * (0.5 * h / f).atan())
    };
    intrinsics.into_iter().find_map(of).or_else(|| element.number("fovy").map(f64::to_radians))
}

fn aim(element: &Element, scope: &Scope) -> Aim {
    let modes = [("fixed", 0_u8), ("track", 1), ("trackcom", 2), ("targetbody", 3), ("targetbodycom", 4)];
    let mode = element.choice("mode", &modes).unwrap_or(0);
    let target = || element.required("target").map(|name| scope.name(name));
    match mode {
        1 => Aim::Track,
        2 => Aim::TrackCenterOfMass,
        3 => target().map_or(Aim::Fixed, Aim::Target),
        4 => target().map_or(Aim::Fixed, Aim::TargetCenterOfMass),
        _ => Aim::Fixed,
    }
}
