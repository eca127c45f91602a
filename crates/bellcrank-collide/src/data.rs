//! Numbers of the shapes, per lane: sizes, places on their bodies, surfaces of the pairs.

use crate::material::Surface;
use crate::plan::{ContactPlan, Form};
use bellcrank_math::{Mat3, Numbers, Pose, Real, Vec3};
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
    /// One per pair of the plan; of an open plan one per shape, with its own margin and gap.
    pub surfaces: Vec<Surface<R>>,
}

impl ShapeData<f64> {
    /// From the parameters of one world.
    pub fn of(plan: &ContactPlan, parameters: &Parameters, world: usize) -> Self {
        let place = |shape: &crate::plan::PlanShape| {
            let X_LG = parameters.shape(shape.id).get(world).X_LG;
            let com = |body: BodyId| parameters.body(body).get(world).com;
            Pose::new(X_LG.R, X_LG.p - shape.body.map_or(Vec3::zero(), com))
        };
        let surface = |pair: &crate::plan::Pair| {
            let material = |shape| &parameters.shape(shape).get(world).material;
            let both = pair.material(plan.rules(), material(pair.shape_a), material(pair.shape_b));
            Surface::of(&both, pair.margin, pair.gap)
        };
        let own = |shape: &crate::plan::PlanShape| {
            Surface::of(&parameters.shape(shape.id).get(world).material, shape.margin, shape.gap)
        };
        let surfaces = if plan.is_open() {
            plan.shapes().iter().map(own).collect()
        } else {
            plan.pairs().iter().map(surface).collect()
        };
        ShapeData {
            surfaces,
            X_BG: plan.shapes().iter().map(place).collect(),
            size: plan.shapes().iter().map(|shape| shape.size).collect(),
            bound: plan.shapes().iter().map(|shape| shape.bound).collect(),
        }
    }

    /// The same in every lane.
    pub fn splat<R: Real>(&mut self) -> ShapeData<R> {
        let mut values = Vec::new();
        self.each(&mut |x| values.push(*x));
        let (mut all, mut next) = (self.blank(), values.into_iter());
        all.each(&mut |x| *x = R::constant(next.next().unwrap_or_default())); // there are as many as numbers
        all
    }

    /// The same shapes and pairs in other numbers, all of them zero.
    pub fn blank<R: Real>(&self) -> ShapeData<R> {
        ShapeData {
            X_BG: vec![Numbers::zero(); self.X_BG.len()],
            size: vec![Numbers::zero(); self.size.len()],
            bound: vec![Numbers::zero(); self.bound.len()],
            surfaces: vec![Numbers::zero(); self.surfaces.len()],
        }
    }
}

impl<R: Real> ShapeData<R> {
    /// Calls `visit` on every number, always in the same order.
    pub fn each(&mut self, visit: &mut dyn FnMut(&mut R)) {
        self.X_BG.iter_mut().for_each(|X| X.each(visit));
        self.size.iter_mut().for_each(|size| size.each(visit));
        self.bound.iter_mut().for_each(|bound| bound.each(visit));
        self.surfaces.iter_mut().for_each(|surface| surface.each(visit));
    }
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
