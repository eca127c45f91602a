//! What the medium does to shapes that it meets as ellipsoids, as forces of one step; see
//! [`bellcrank_model::InMedium`] for the law.
//!
//! Drag is −c v with the coefficient c = c(v) of the start of the step and, as in [`crate::drag`], the velocity that
//! its end would have were nothing else there: −c (1 + Δt c W)⁻¹ v, where W is how easily the body alone is moved at
//! the ellipsoid's centre. Of several ellipsoids on a body each is taken for all of them, W times their number, so
//! that together they stop it at most. What lifts and what the moved medium does when the body turns takes no power,
//! and acts with the velocities of the start.

use crate::constants::Constants;
use crate::state::{Control, State};
use bellcrank_math::{Mat3, Pose, Real, Sym3, Vec3, kernel, numbers};
use bellcrank_model::{BodyParameters, InMedium, Medium, Model, Parameters, ShapeId};
use std::f64::consts::PI;

/// Of one shape.
#[derive(Clone, Copy, Debug)]
pub struct EllipsoidConstants<R> {
    /// In its body's frame.
    pub X_BE: Pose<R>,
    /// (r_j r_k)² as shares of the largest of them, and π times the root of that.
    pub sides: [R; 3],
    pub side: R,
    /// A₀, the largest shadow.
    pub largest: R,
    /// 6π β r̄ and 8π β r̄³.
    pub stokes: [R; 2],
    /// ρ C₀, ρ C₁ and ρ C₃.
    pub blunt: R,
    pub slender: R,
    pub kutta: R,
    /// ρ D
    pub turning: [R; 3],
    /// ρ C₄ V
    pub magnus: R,
    /// m and J.
    pub added_mass: [R; 3],
    pub added_inertia: [R; 3],
    /// W of a push and of a turn, in the ellipsoid's axes.
    pub moves: Sym3<R>,
    pub turns: Sym3<R>,
    pub wind: Vec3<R>,
}

numbers!(EllipsoidConstants {
    X_BE,
    sides,
    side,
    largest,
    stokes,
    blunt,
    slender,
    kutta,
    turning,
    magnus,
    added_mass,
    added_inertia,
    moves,
    turns,
    wind,
});

/// The shapes that the medium meets as ellipsoids, with their bodies; none where nothing surrounds them.
pub fn ellipsoid_layouts(model: &Model) -> Vec<(usize, ShapeId)> {
    if !model.medium().resists() {
        return Vec::new();
    }
    let all = model.shapes().iter().enumerate();
    let of = |(k, shape): (usize, &bellcrank_model::Shape)| {
        let body = shape.link.body()?;
        shape.in_medium.map(|_| (body.index(), ShapeId::new(k)))
    };
    all.filter_map(of).collect()
}

impl EllipsoidConstants<f64> {
    /// Of a shape of the model, one of `count` on its body.
    pub fn of(
        model: &Model,
        parameters: &Parameters,
        world: usize,
        (shape, body): (ShapeId, &BodyParameters),
        count: usize,
    ) -> Self {
        let own = model.shapes()[shape.index()].in_medium.unwrap_or(InMedium::new(Vec3::zero()));
        let X_LG = parameters.shape(shape).get(world).X_LG;
        let X_LE = X_LG * own.X_GE;
        let X_BE = Pose::new(X_LE.R, X_LE.p - body.com);
        let Medium { density, viscosity, wind } = model.medium();
        let r = own.radii.to_array();
        let side = |i: usize| (r[(i + 1) % 3] * r[(i + 2) % 3]).powi(2);
        let sides = [side(0), side(1), side(2)];
        let most = sides.into_iter().fold(f64::MIN_POSITIVE, f64::max);
        let [blunt, slender, angular, kutta, magnus] = own.coefficients.map(|c| density * c);
        let swept = [0, 1, 2].map(|i| 8.0 * PI / 15.0 * r[i] * r[(i + 1) % 3].max(r[(i + 2) % 3]).powi(4));
        let widest = swept.into_iter().fold(0.0, f64::max);
        let mean = r.iter().sum::<f64>() / 3.0;
        let [added_mass, added_inertia] = own.added().map(|both| both.map(|x| density * x));
        let turns = body.inertia.inverse().rotated(X_BE.R.inverse().to_mat3());
        let arm = Mat3::skew(X_BE.R.rotate_inverse(X_BE.p));
        // [p]ᵀ I⁻¹ [p] + 1/m
        let swings = Sym3::from_upper(arm.transpose() * turns.to_mat3() * arm);
        let moves = swings + Sym3::diagonal(1.0, 1.0, 1.0) * (1.0 / body.mass);
        EllipsoidConstants {
            X_BE,
            sides: sides.map(|s| s / most),
            side: PI * most.sqrt(),
            largest: PI * most.sqrt(),
            stokes: [6.0 * PI * viscosity * mean, 8.0 * PI * viscosity * mean.powi(3)],
            blunt,
            slender,
            kutta,
            turning: swept.map(|own| angular * own + slender * (widest - own)),
            magnus: magnus * 4.0 / 3.0 * PI * r[0] * r[1] * r[2],
            added_mass,
            added_inertia,
            moves: moves * count as f64,
            turns: turns * count as f64,
            wind,
        }
    }
}

/// a∘v
#[inline(always)]
fn times<R: Real>(a: [R; 3], v: Vec3<R>) -> Vec3<R> {
    Vec3::new(a[0] * v.x, a[1] * v.y, a[2] * v.z)
}

/// −c (1 + Δt c W)⁻¹ v
#[inline(always)]
fn resist<R: Real>(c: R, W: Sym3<R>, v: Vec3<R>, dt: R) -> Vec3<R> {
    let one = R::one();
    let slowed = (W * (c * dt) + Sym3::diagonal(one, one, one)).inverse() * v;
    slowed * -c
}

/// Force and moment about the centre, in the ellipsoid's axes, at these velocities.
#[inline(always)]
pub fn push<R: Real>(c: &EllipsoidConstants<R>, v: Vec3<R>, w: Vec3<R>, dt: R) -> [Vec3<R>; 2] {
    let speed = v.norm();
    let along = v * speed.max(R::constant(1e-15)).recip();
    // the normal of the section that throws the shadow, and the shadow
    let normal = times(c.sides, along);
    let faces = normal.dot(along).max(R::constant(1e-20));
    let length = normal.norm_squared();
    let shadow = c.side * (length / faces).sqrt();
    let drag = (speed * c.blunt.mul_add(shadow, c.slender * (c.largest - shadow))) + c.stokes[0];
    let turning = times(c.turning, w).norm() + c.stokes[1];
    let lift = normal.cross(v).cross(v) * (c.kutta * shadow * faces / length.max(R::constant(1e-20)));
    let (moved, turned) = (times(c.added_mass, v), times(c.added_inertia, w));
    let force = resist(drag, c.moves, v, dt) + lift + w.cross(v) * c.magnus + moved.cross(w);
    let moment = resist(turning, c.turns, w, dt) + moved.cross(v) + turned.cross(w);
    [force, moment]
}

/// Adds what all ellipsoids feel to what pushes their bodies from outside.
#[kernel]
pub fn add<R: Real>(
    layouts: &[(usize, ShapeId)],
    constants: &Constants<R>,
    dt: R,
    state: &State<R>,
    told: &mut Control<R>,
) {
    for ((b, _), c) in layouts.iter().zip(&constants.ellipsoids) {
        let (X_WB, V) = (state.X_WB[*b], state.V_WB[*b]);
        let (R_WE, arm) = (X_WB.R * c.X_BE.R, X_WB.R.rotate(c.X_BE.p));
        let v = R_WE.rotate_inverse(V.linear + V.angular.cross(arm) - c.wind);
        let [force, moment] = push(c, v, R_WE.rotate_inverse(V.angular), dt);
        let force = R_WE.rotate(force);
        let moment = R_WE.rotate(moment) + arm.cross(force);
        let all = [force.x, force.y, force.z, moment.x, moment.y, moment.z];
        for (push, more) in told.wrench[*b].iter_mut().zip(all) {
            *push += more;
        }
    }
}
