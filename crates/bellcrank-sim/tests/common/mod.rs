//! What several laws need.
#![allow(dead_code)] // each test binary uses its own part

pub mod coasting;

use bellcrank_math::{Pose, Twist, Vec3};
use bellcrank_model::{Body, Geometry, Model, ModelBuilder, Shape, WORLD};
use bellcrank_sim::{Batch, BatchOptions, ImplicitIntegrator, InteriorPoint, Precision, Quantity, Solver};
use std::sync::Arc;

pub fn built(builder: ModelBuilder) -> Arc<Model> {
    Arc::new(builder.build().expect("a sound model"))
}

pub fn batch(model: &Arc<Model>, worlds: usize, dt: f64, precision: Precision) -> Batch {
    let options = BatchOptions { dt: Some(dt), precision, ..BatchOptions::default() };
    Batch::new(model.clone(), worlds, options).expect("a sound batch")
}

/// One world in 64 bits.
pub fn world(model: &Arc<Model>, dt: f64) -> Batch {
    batch(model, 1, dt, Precision::F64)
}

/// Energy of world 0 [J].
pub fn energy(batch: &Batch) -> f64 {
    batch.energy(0).unwrap()
}

/// A cube of edge 0.2 m and 1 kg on a plane tilted by `slope` [rad] about y, friction `mu` on both.
pub fn cube_on_slope(mu: f64, slope: f64) -> ModelBuilder {
    let mut b = ModelBuilder::new("cube_on_slope");
    // tilting gravity instead of the plane keeps the numbers exact
    b.gravity(Vec3::new(9.81 * slope.sin(), 0.0, -9.81 * slope.cos()));
    let size = Vec3::new(0.2, 0.2, 0.2);
    let cube = b.body(Body::new("cube").at(Pose::translation(0.0, 0.0, 0.1)).solid_box(1.0, size));
    b.shape(Shape::new("cube", cube, Geometry::Box { half: size * 0.5 }).friction(mu));
    b.shape(Shape::new("ground", WORLD, Geometry::Plane).friction(mu));
    b
}

pub fn push(batch: &mut Batch, body: usize, linear: Vec3, angular: Vec3) {
    for w in 0..batch.worlds() {
        batch.set_body_velocity(w, body, Twist::new(linear, angular)).unwrap();
    }
}

/// Every number of a world's state that a user can read, as bits.
pub fn bits(batch: &Batch, world: usize) -> Vec<u64> {
    let bodies = batch.model(world).unwrap().bodies().len();
    let mut all: Vec<f64> = Vec::new();
    for b in 0..bodies {
        let (X, V) = (batch.body_pose(world, b).unwrap(), batch.body_velocity(world, b).unwrap());
        all.extend(X.R.to_wxyz());
        all.extend(X.p.to_array());
        all.extend(V.to_array());
    }
    all.extend(batch.joint_position(world).unwrap());
    all.into_iter().map(f64::to_bits).collect()
}

/// A number between −1 and 1 that depends on its arguments only.
pub fn noise(a: usize, b: usize) -> f64 {
    let mut x =
        (a as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (b as u64).wrapping_mul(0xD1B5_4A32_D192_ED03);
    x = (x ^ (x >> 31)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((x ^ (x >> 29)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// A cube of half a metre and 1 kg on the ground, or above it.
pub fn block(mu: f64, at: Vec3) -> Arc<Model> {
    let mut m = ModelBuilder::new("block");
    let size = Vec3::new(0.5, 0.5, 0.5);
    let cube = m.body(Body::new("cube").at(Pose::from_position(at)).solid_box(1.0, size));
    m.shape(Shape::new("cube", cube, Geometry::Box { half: size * 0.5 }).friction(mu));
    m.shape(Shape::new("ground", WORLD, Geometry::Plane).friction(mu));
    built(m)
}

pub fn variational(model: &Arc<Model>, dt: f64, point: InteriorPoint) -> Batch {
    let integrator = ImplicitIntegrator::Variational;
    let settings = Solver::InteriorPoint { point: Some(point), integrator }.into();
    let options = BatchOptions { dt: Some(dt), settings, scalar: true, ..BatchOptions::default() };
    Batch::new(model.clone(), 1, options).unwrap()
}

/// What was written is the velocity of the interval before, as the state of the published engine has it, and not that of the instant.
pub fn begin_with_an_interval(batch: &mut Batch) {
    batch.write(Quantity::VelocityInterval, &[1.0]).unwrap();
}

/// Tight tolerances, as the published engine's own tests have them.
pub fn tight() -> InteriorPoint {
    InteriorPoint { kappa: 1e-12, tolerance: 1e-12, ..InteriorPoint::default() }
}
