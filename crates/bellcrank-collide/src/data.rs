//! Numbers of the shapes, per lane: sizes, places on their bodies, surfaces of the pairs.

use crate::plan::{ContactPlan, Form};
use bellcrank_math::{Elem, Mat3, Pose, Quat, Real, Vec3};
use bellcrank_model::{BodyId, Parameters};

/// Sizes and places of all shapes, and the surface of every pair. Rebuilt when a parameter changes.
#[derive(Clone, Debug)]
pub struct ShapeData<R = f64> {
    /// X_BG: each shape in its *body* frame (origin at the centre of mass), or in the world.
    pub X_BG: Vec<Pose<R>>,
    /// What [`Form`] says about it \[m\].
    pub size: Vec<Vec3<R>>,
    /// Radius about the shape's origin within which it lies \[m\]; not used for planes and terrain.
    pub bound: Vec<R>,
    /// One per pair of the plan.
    pub surfaces: Vec<crate::material::Surface<R>>,
}

impl<R: Real> ShapeData<R> {
    /// Gathers the parameters of the worlds that the lanes hold; `world` says which lane is which world.
    pub fn of(plan: &ContactPlan, parameters: &Parameters, world: impl Fn(usize) -> usize) -> Self {
        let place = |shape: &crate::plan::PlanShape, lane: usize| {
            let X_LG = parameters.shape(shape.id).get(world(lane)).X_LG;
            let com = |body: BodyId| parameters.body(body).get(world(lane)).com;
            let p_LB = shape.body.map_or(Vec3::zero(), com);
            Pose::new(X_LG.R, X_LG.p - p_LB)
        };
        let gather = |shape| pose_from_lanes(|lane| place(shape, lane));
        let surface = |pair: &crate::plan::Pair| {
            let material = |shape, lane| &parameters.shape(shape).get(world(lane)).material;
            crate::material::Surface::from_lanes(pair.margin, pair.gap, |lane| {
                pair.material(plan.rules(), material(pair.shape_a, lane), material(pair.shape_b, lane))
            })
        };
        ShapeData {
            X_BG: plan.shapes().iter().map(gather).collect(),
            size: plan.shapes().iter().map(|shape| Vec3::constant(shape.size)).collect(),
            bound: plan.shapes().iter().map(|shape| R::constant(shape.bound)).collect(),
            surfaces: plan.pairs().iter().map(surface).collect(),
        }
    }
}

fn pose_from_lanes<R: Real>(pose: impl Fn(usize) -> Pose) -> Pose<R> {
    let pick = |field: fn(&Pose) -> f64| R::from_lanes(|lane| Elem::from_f64(field(&pose(lane))));
    Pose::new(
        Quat::from_wxyz([pick(|X| X.R.w), pick(|X| X.R.x), pick(|X| X.R.y), pick(|X| X.R.z)]),
        Vec3::new(pick(|X| X.p.x), pick(|X| X.p.y), pick(|X| X.p.z)),
    )
}

/// A shape in the world.
#[derive(Clone, Copy, Debug)]
pub struct Placed<R = f64> {
    /// R_WG, the shape's axes as columns.
    pub R: Mat3<R>,
    /// p_WG \[m\]
    pub p: Vec3<R>,
    /// What [`Form`] says about it \[m\].
    pub size: Vec3<R>,
    /// Radius about `p` within which it lies \[m\].
    pub bound: R,
}

impl<R: Real> Placed<R> {
    /// At the origin, without size.
    #[inline(always)]
    pub fn origin() -> Self {
        Placed { R: Mat3::identity(), p: Vec3::zero(), size: Vec3::zero(), bound: R::zero() }
    }

    /// At X_WG.
    #[inline(always)]
    pub fn new(X_WG: Pose<R>, size: Vec3<R>, bound: R) -> Self {
        Placed { R: X_WG.R.to_mat3(), p: X_WG.p, size, bound }
    }

    /// A point of the world in the shape's frame.
    #[inline(always)]
    pub fn local(&self, p_W: Vec3<R>) -> Vec3<R> {
        self.R.transpose_mul(p_W - self.p)
    }

    /// A point of the shape's frame in the world.
    #[inline(always)]
    pub fn world(&self, p_G: Vec3<R>) -> Vec3<R> {
        self.R * p_G + self.p
    }
}

/// The radius about the origin within which a form of that size lies \[m\].
pub(crate) fn bound_of(form: Form, size: Vec3) -> f64 {
    match form {
        Form::Plane => 0.0,
        Form::Sphere => size.x,
        Form::Capsule => size.x + size.y,
        Form::Box => size.norm(),
        Form::Round => (size.x.max(size.z).powi(2) + size.y.powi(2)).sqrt(),
        Form::Ellipsoid => size.x.max(size.y).max(size.z),
        Form::Hull | Form::HeightField | Form::TriangleMesh => size.norm(),
    }
}
