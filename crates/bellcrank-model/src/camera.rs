//! Cameras that a model carries: pictures are taken from them, no step depends on them.

use crate::fault::Place;
use crate::ids::{BodyId, Link, Ref};
use crate::model::Model;
use bellcrank_math::{Mat3, Pose, Quat, Vec3};

/// A camera on a body or in the world. It looks along −z of its own frame, with x to the right and y up in the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// Unique among cameras.
    pub name: String,
    /// What it is fixed to, or goes along with.
    pub link: Link,
    /// X_LC: its place in the link frame (or in the world) at the reference pose.
    pub X_LC: Pose,
    /// Angle between the lower and the upper edge of the picture [rad].
    pub field_of_view: f64,
    /// How it moves.
    pub mode: CameraMode,
    /// Where it was said.
    pub place: Option<Place>,
}

/// How a camera moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum CameraMode {
    /// With its link, as if it were screwed on.
    #[default]
    Fixed,
    /// It stays as far from its link as at the reference pose, and turned as there.
    Track,
    /// The same, from the centre of mass of all that hangs on its link in the spanning tree.
    TrackCenterOfMass,
    /// With its link, but turned towards another body, z up.
    Target(Ref<BodyId>),
    /// The same, towards the centre of mass of all that hangs on that body.
    TargetCenterOfMass(Ref<BodyId>),
}

impl Camera {
    /// The usual angle [rad], MuJoCo's 45°.
    pub const FIELD_OF_VIEW: f64 = std::f64::consts::FRAC_PI_4;

    /// At the link's origin, looking down its z axis.
    pub fn new(name: impl Into<String>, link: impl Into<Link>) -> Self {
        Camera {
            name: name.into(),
            link: link.into(),
            X_LC: Pose::identity(),
            field_of_view: Self::FIELD_OF_VIEW,
            mode: CameraMode::Fixed,
            place: None,
        }
    }

    /// X_LC: where it is on its link.
    pub fn at(mut self, X_LC: Pose) -> Self {
        self.X_LC = X_LC;
        self
    }

    /// From a point towards another, z of the link up in the picture.
    pub fn looking(self, eye: Vec3, target: Vec3) -> Self {
        self.at(looking(eye, target))
    }

    /// Angle between the lower and the upper edge of the picture [rad].
    pub fn field_of_view(mut self, angle: f64) -> Self {
        self.field_of_view = angle;
        self
    }

    /// How it moves.
    pub fn mode(mut self, mode: CameraMode) -> Self {
        self.mode = mode;
        self
    }

    /// Says where the camera was described; otherwise it is the caller's line.
    pub fn place(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// X_WC at the reference pose, as if it were screwed on.
    fn begun(&self, model: &Model) -> Pose {
        let body = self.link.body();
        body.map_or(Pose::identity(), |b| model.bodies()[b.index()].X_WL) * self.X_LC
    }

    /// X_WC, where bodies are at `X_WB`.
    pub fn pose(&self, model: &Model, X_WB: impl Fn(BodyId) -> Pose) -> Pose {
        let at_first = |b: BodyId| model.bodies()[b.index()].X_WL * model.bodies()[b.index()].X_LB();
        let link = |body: Option<BodyId>, X_WB: &dyn Fn(BodyId) -> Pose| {
            body.map_or(Pose::identity(), |b| X_WB(b) * model.bodies()[b.index()].X_LB().inverse())
        };
        let body = self.link.body();
        let carried = link(body, &X_WB) * self.X_LC;
        let begun = self.begun(model);
        match &self.mode {
            CameraMode::Fixed => carried,
            CameraMode::Track => Pose::new(begun.R, begun.p + link(body, &X_WB).p - link(body, &at_first).p),
            CameraMode::TrackCenterOfMass => {
                let way = model.center_of_mass(body, &X_WB) - model.center_of_mass(body, at_first);
                Pose::new(begun.R, begun.p + way)
            }
            CameraMode::Target(b) => looking(carried.p, link(Some(b.id()), &X_WB).p),
            CameraMode::TargetCenterOfMass(b) => {
                looking(carried.p, model.center_of_mass(Some(b.id()), &X_WB))
            }
        }
    }
}

/// A frame at a point whose −z axis shows to another, and whose y axis shows up as far as it can.
fn looking(eye: Vec3, target: Vec3) -> Pose {
    let back = eye - target;
    let z = if back.norm() > 1e-12 { back.normalized() } else { Vec3::z_axis() };
    let flat = Vec3::z_axis().cross(z);
    let x = if flat.norm() > 1e-9 { flat.normalized() } else { Vec3::x_axis() };
    Pose::new(Quat::from_mat3(Mat3::from_columns(x, z.cross(x), z)), eye)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Joint, ModelBuilder, WORLD};

    /// A cart on a rail along x, with a bob of the same mass on a hinge 1 m above it.
    fn cart(mode: CameraMode) -> (Model, [Pose; 2]) {
        let mut b = ModelBuilder::new("cart");
        let cart = b.body(Body::new("cart").solid_sphere(1.0, 0.1));
        let bob = b.body(Body::new("bob").at(Pose::translation(0.0, 0.0, 1.0)).solid_sphere(1.0, 0.1));
        b.joint(Joint::prismatic("rail", WORLD, cart).placed(Vec3::zero(), Vec3::x_axis()));
        b.joint(Joint::revolute("hinge", cart, bob).placed(Vec3::new(0.0, 0.0, 1.0), Vec3::y_axis()));
        b.camera(Camera::new("eye", "cart").looking(Vec3::new(0.0, -2.0, 0.0), Vec3::zero()).mode(mode));
        // the cart has gone 3 m and turned, the bob is 1 m to its right
        let turned = Quat::from_axis_angle(Vec3::z_axis(), 0.5);
        let now = [Pose::new(turned, Vec3::new(3.0, 0.0, 0.0)), Pose::translation(4.0, 0.0, 0.0)];
        (b.build().expect("a model"), now)
    }

    /// Eye, and the direction in which it looks.
    fn seen(mode: CameraMode) -> [Vec3; 2] {
        let (model, now) = cart(mode);
        let X = model.cameras()[0].pose(&model, |b| now[b.index()]);
        [X.p, X.R.rotate(-Vec3::z_axis())]
    }

    #[test]
    fn a_camera_moves_as_its_mode_says() {
        let (s, c) = 0.5_f64.sin_cos();
        let near = |[p, d]: [Vec3; 2], eye: Vec3, ahead: Vec3| {
            assert!((p - eye).norm() < 1e-12 && (d - ahead.normalized()).norm() < 1e-12, "{p:?} {d:?}");
        };
        let ahead = Vec3::y_axis();
        let carried = Vec3::new(3.0 + 2.0 * s, -2.0 * c, 0.0);
        near(seen(CameraMode::Fixed), carried, Vec3::new(-s, c, 0.0));
        near(seen(CameraMode::Track), Vec3::new(3.0, -2.0, 0.0), ahead);
        // the centre of mass was at (0, 0, ½) and is at (3½, 0, 0)
        near(seen(CameraMode::TrackCenterOfMass), Vec3::new(3.5, -2.0, -0.5), ahead);
        let bob = Vec3::new(4.0, 0.0, 0.0);
        near(seen(CameraMode::Target("bob".into())), carried, bob - carried);
        near(
            seen(CameraMode::TargetCenterOfMass("cart".into())),
            carried,
            Vec3::new(3.5, 0.0, 0.0) - carried,
        );
    }
}
