//! From where the picture is taken.

use crate::error::RenderError;
use crate::renderer::Size;
use crate::stage::Stage;
use crate::triangles::V;
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{BodyId, Model, nearest};

/// A camera that looks at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it is [m].
    pub eye: Vec3,
    /// What it looks at [m].
    pub target: Vec3,
    /// Up in the picture, roughly.
    pub up: Vec3,
    /// Angle between the lower and the upper edge of the picture [rad].
    pub field_of_view: f64,
}

/// Usual angle from the lower to the upper edge [rad], and how much room is left around what is framed.
const FIELD_OF_VIEW: f64 = 0.5;
const ROOM: f64 = 1.08;

impl Camera {
    /// So that all shown worlds are in the picture, from the front left and a little above.
    pub fn framing(stage: &Stage, size: Size) -> Self {
        let [low, high] = stage.bounds();
        let (middle, half) = ((low + high) * 0.5, (high - low) * 0.5);
        let several = stage.models.len() > 1;
        let from = if several { Vec3::new(1.6, -0.9, 1.0) } else { Vec3::new(1.35, -1.6, 0.75) };
        let mut camera = Camera::new(middle + from.normalized(), middle);
        let axes = camera.axes();
        let tangents = [camera.tangent() * size.width as f64 / size.height as f64, camera.tangent()];
        let mut distance: f64 = 0.05;
        for corner in 0..8 {
            let sign = |bit: i32| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
            let p = Vec3::new(sign(0) * half.x, sign(1) * half.y, sign(2) * half.z);
            for (axis, tangent) in axes[..2].iter().zip(tangents) {
                // within the picture: |a·p| ≤ t (d + f·p), f towards the target
                distance = distance.max(axis.dot(p).abs() * ROOM / tangent - axes[2].dot(p));
            }
        }
        camera.eye = middle + from.normalized() * distance;
        camera
    }

    /// The one of that name in a model whose bodies are at `X_WB`.
    ///
    /// # Errors
    /// When the model has none of that name.
    pub fn named(name: &str, model: &Model, X_WB: impl Fn(BodyId) -> Pose) -> Result<Self, RenderError> {
        let camera = model.camera_id(name).map(|id| &model.cameras()[id.index()]).ok_or_else(|| {
            let names = || model.cameras().iter().map(|camera| &camera.name);
            let all: Vec<String> = names().map(|name| format!("{name:?}")).collect();
            let hint = match nearest(name, names()) {
                Some(near) => format!("did you mean {near:?}?"),
                None if all.is_empty() => "it has no cameras: give eye and target instead".to_owned(),
                None => format!("it has {}", all.join(", ")),
            };
            RenderError::NoSuchCamera { name: name.to_owned(), model: model.name().to_owned(), hint }
        })?;
        let X_WC = camera.pose(model, X_WB);
        Ok(Camera {
            eye: X_WC.p,
            target: X_WC.p - X_WC.R.rotate(Vec3::z_axis()),
            up: X_WC.R.rotate(Vec3::y_axis()),
            field_of_view: camera.field_of_view,
        })
    }

    /// One that looks from a point to another, z up [m].
    pub fn new(eye: Vec3, target: Vec3) -> Self {
        Camera { eye, target, up: Vec3::z_axis(), field_of_view: FIELD_OF_VIEW }
    }

    /// A camera that was given in the axes of a frame.
    pub(crate) fn carried(self, by: Pose) -> Self {
        Camera { eye: by * self.eye, target: by * self.target, up: by.R.rotate(self.up), ..self }
    }

    /// The same camera moved along.
    pub fn moved(self, by: Vec3) -> Self {
        Camera { eye: self.eye + by, target: self.target + by, ..self }
    }

    /// Whether it sees anything.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn check(&self) -> Result<(), RenderError> {
        let wrong = if !(self.eye.is_finite() && self.target.is_finite() && self.up.is_finite()) {
            "eye, target and up must be finite"
        } else if (self.eye - self.target).norm() < 1e-9 {
            "eye and target must differ"
        } else if !(self.field_of_view > 1e-3 && self.field_of_view < 3.0) {
            "the field of view must be between 0.001 and 3 rad"
        } else {
            return Ok(());
        };
        Err(RenderError::Camera(wrong))
    }

    /// Half of the picture's height at distance one.
    pub(crate) fn tangent(&self) -> f64 {
        (0.5 * self.field_of_view).tan()
    }

    /// Right, up and forward.
    pub(crate) fn axes(&self) -> [Vec3; 3] {
        let ahead = (self.target - self.eye).normalized();
        let flat = ahead.cross(self.up);
        let right = if flat.norm() > 1e-6 { flat.normalized() } else { Vec3::x_axis() };
        [right, right.cross(ahead), ahead]
    }

    /// As the rasteriser uses it.
    pub(crate) fn projection(&self, size: Size) -> Projection {
        let scale = size.height as f64 / (2.0 * self.tangent());
        Projection {
            eye: Vec3::constant(self.eye),
            axes: self.axes().map(Vec3::constant),
            scale: [scale as f32; 2],
            middle: [0.5 * size.width as f32, 0.5 * size.height as f32],
            parallel: false,
        }
    }
}

/// Points of the world to pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Projection {
    pub eye: V,
    /// Right, up, forward.
    pub axes: [V; 3],
    /// Pixels per unit of x/z and y/z, or per metre where rays are parallel.
    pub scale: [f32; 2],
    pub middle: [f32; 2],
    /// Rays are parallel: the sun's.
    pub parallel: bool,
}

impl Projection {
    /// Right, up and forward from the eye [m].
    pub fn seen(&self, p: V) -> V {
        let d = p - self.eye;
        V::new(self.axes[0].dot(d), self.axes[1].dot(d), self.axes[2].dot(d))
    }

    /// Pixel across and down, and nearness, which is linear over the picture: 1/z, or −z where rays are parallel.
    pub fn pixel(&self, seen: V) -> [f32; 3] {
        let near = if self.parallel { -seen.z } else { 1.0 / seen.z };
        let w = if self.parallel { 1.0 } else { near };
        [self.middle[0] + self.scale[0] * seen.x * w, self.middle[1] - self.scale[1] * seen.y * w, near]
    }

    /// Direction of the ray through the middle of a pixel, one forward.
    pub fn ray(&self, x: f32, y: f32) -> V {
        let (a, b) = ((x - self.middle[0]) / self.scale[0], (self.middle[1] - y) / self.scale[1]);
        self.axes[0] * a + self.axes[1] * b + self.axes[2]
    }
}
