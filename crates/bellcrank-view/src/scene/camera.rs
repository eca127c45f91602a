//! The cameras of a model for the page: how each follows from where bodies are.

use super::PoseView;
use bellcrank_math::Pose;
use bellcrank_model::{BodyId, Camera, CameraMode, Model};
use serde::Serialize;

/// A camera that looks along −z, with y up in the picture.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CameraView {
    name: String,
    field_of_view: f64,
    /// The body that carries it; `None` for the world.
    body: Option<usize>,
    /// X_BC, or X_WC in the world.
    pose: PoseView,
    /// What it goes along with or looks at: a mean of points on bodies. Empty for one that is only carried.
    about: Vec<Point>,
    /// For one that goes along, X_WC less that mean: it is not carried.
    beside: Option<PoseView>,
}

/// A point in a body's frame, and its share of the mean.
#[derive(Clone, Debug, Serialize)]
struct Point {
    body: usize,
    p: [f64; 3],
    share: f64,
}

impl CameraView {
    pub fn of(model: &Model, camera: &Camera) -> Self {
        let body = camera.link.body();
        let X_BC =
            body.map_or(Pose::identity(), |b| model.bodies()[b.index()].X_LB().inverse()) * camera.X_LC;
        let about = match &camera.mode {
            CameraMode::Fixed => Vec::new(),
            CameraMode::Track => body.map_or(Vec::new(), |b| vec![origin(model, b)]),
            CameraMode::TrackCenterOfMass => centre(model, body),
            CameraMode::Target(b) => vec![origin(model, b.id())],
            CameraMode::TargetCenterOfMass(b) => centre(model, Some(b.id())),
        };
        let goes_along = matches!(camera.mode, CameraMode::Track | CameraMode::TrackCenterOfMass);
        let at_first = |b: usize| model.bodies()[b].X_WL * model.bodies()[b].X_LB();
        let begun = body.map_or(Pose::identity(), |b| at_first(b.index())) * X_BC;
        let mean = about.iter().fold(bellcrank_math::Vec3::zero(), |sum, point| {
            sum + at_first(point.body) * bellcrank_math::Vec3::from_array(point.p) * point.share
        });
        CameraView {
            name: camera.name.clone(),
            field_of_view: camera.field_of_view,
            body: body.map(BodyId::index),
            pose: X_BC.into(),
            beside: (goes_along && !about.is_empty()).then(|| Pose::new(begun.R, begun.p - mean).into()),
            about,
        }
    }
}

/// The origin of a body's link frame.
fn origin(model: &Model, body: BodyId) -> Point {
    let p = model.bodies()[body.index()].X_LB().inverse().p.to_array();
    Point { body: body.index(), p, share: 1.0 }
}

/// The centre of mass of all that hangs on a body, or of everything; body frames are in the bodies' centres of mass.
fn centre(model: &Model, root: Option<BodyId>) -> Vec<Point> {
    let carried = model.graph().carried_by(root);
    let mass = |b: &BodyId| model.bodies()[b.index()].mass;
    let whole: f64 = carried.iter().map(mass).sum();
    if whole > 0.0 {
        let point = |b: &BodyId| Point { body: b.index(), p: [0.0; 3], share: mass(b) / whole };
        return carried.iter().map(point).collect();
    }
    root.map_or(Vec::new(), |b| vec![origin(model, b)])
}
