//! What bipeds walk on: a plane, or rough ground on wide slopes.
//!
//! The rough ground is one height field for all worlds, on which each episode begins at another place. With u the random numbers of the
//! grid's points, between −1 and 1, its height is
//!
//! z(x, y) = r · u(x, y) + s · ℓ/2π · sin(2π x/ℓ) · sin(2π y/ℓ)
//!
//! so that r is how far a point is from the smooth ground at most, and s the steepest slope of that. Walkers stay far from its edges: an
//! episode of 20 s at 0.4 m/s goes 8 m from a start within 5 m of the middle.

use bellcrank_math::{Pose, Random, Vec3};
use bellcrank_model::{Geometry, HeightField, ModelBuilder, Shape, WORLD};
use std::f64::consts::TAU;
use std::sync::Arc;

/// Full size of the field, distance of its points, and wavelength ℓ of its slopes [m].
const SIZE: f64 = 30.0;
const GRID: f64 = 0.25;
const WAVE: f64 = 5.0;
/// Starts are within this distance of the middle, along x and y [m].
const STARTS: f64 = 5.0;
/// Half of the square within which a robot stands at the start [m].
const STANCE: f64 = 0.3;
/// The flat ground of the biped that ships goes down by this, so that the field alone carries [m].
const BELOW: f64 = 10.0;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) enum Ground {
    Flat,
    Rough(Arc<HeightField>),
}

impl Ground {
    /// Roughness r [m] and steepest slope s.
    pub fn rough(roughness: f64, slope: f64) -> Self {
        let points = (SIZE / GRID).round() as usize + 1;
        let along = |k: usize| k as f64 * GRID - 0.5 * SIZE;
        let mut heights = Vec::with_capacity(points * points);
        for j in 0..points {
            for i in 0..points {
                let noise = Random::new(0, i, j as u64).between(-1.0, 1.0);
                let wave = (TAU * along(i) / WAVE).sin() * (TAU * along(j) / WAVE).sin();
                heights.push(roughness * noise + slope * WAVE / TAU * wave);
            }
        }
        Ground::Rough(Arc::new(HeightField { rows: points, columns: points, size: [SIZE; 2], heights }))
    }

    /// Puts the field under a robot whose own ground is a plane at z = 0.
    pub fn add_to(&self, b: &mut ModelBuilder) {
        if let Ground::Rough(field) = self {
            if let Some(plane) = b.shape_mut("ground") {
                plane.X_LG = Pose::translation(0.0, 0.0, -BELOW);
            }
            let shape = Shape::new("terrain", WORLD, Geometry::HeightField(field.clone()));
            b.shape(shape.friction(0.8).color([0.55, 0.52, 0.45, 1.0]));
        }
    }

    /// Height at a place [m]: of the triangle there, two per cell with the diagonal from the first to the last point.
    pub fn height(&self, x: f64, y: f64) -> f64 {
        let Ground::Rough(field) = self else { return 0.0 };
        let place = |x: f64, count: usize| {
            let at = ((x + 0.5 * SIZE) / GRID).clamp(0.0, (count - 1) as f64 - 1e-9);
            (at as usize, at.fract())
        };
        let ((i, u), (j, v)) = (place(x, field.columns), place(y, field.rows));
        let z = |i: usize, j: usize| field.heights[j * field.columns + i];
        let (first, last) = (z(i, j), z(i + 1, j + 1));
        if v <= u {
            let right = z(i + 1, j);
            first + u * (right - first) + v * (last - right)
        } else {
            let above = z(i, j + 1);
            first + v * (above - first) + u * (last - above)
        }
    }

    /// Where an episode begins: what a robot that stands on z = 0 is moved by [m].
    pub fn start(&self, random: &mut Random) -> Vec3 {
        if matches!(self, Ground::Flat) {
            return Vec3::zero();
        }
        let (x, y) = (random.between(-STARTS, STARTS), random.between(-STARTS, STARTS));
        let near = [-STANCE, -0.5 * STANCE, 0.0, 0.5 * STANCE, STANCE];
        let heights = near.iter().flat_map(|dx| near.iter().map(move |dy| (x + dx, y + dy)));
        let top = heights.map(|(x, y)| self.height(x, y)).fold(f64::MIN, f64::max);
        Vec3::new(x, y, top)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellcrank_model::Body;
    use bellcrank_sim::{Batch, BatchOptions};

    /// A small ball rolls on the ground where the formula has it. On a triangle of slope s its centre is r √(1 + s²) over the place: slopes
    /// are below 0.25, so that it is 3 % of r = 10 mm more than r, 0.3 mm; a cell whose diagonal ran the other way would be off by centimetres.
    #[test]
    fn the_engine_has_the_ground_where_we_have_it() {
        let ground = Ground::rough(0.02, 0.05);
        for (k, (x, y)) in [(1.1, 0.7), (-2.3, 1.45), (0.6, -3.1), (2.9, 2.2)].into_iter().enumerate() {
            let mut b = ModelBuilder::new("ball");
            ground.add_to(&mut b);
            let at = Pose::translation(x, y, ground.height(x, y) + 0.0102);
            let ball = b.body(Body::new("ball").at(at).solid_sphere(0.1, 0.01));
            b.shape(Shape::new("ball", ball, Geometry::Sphere { radius: 0.01 }));
            let model = Arc::new(b.build().expect("a model"));
            let mut batch = Batch::new(model, 1, BatchOptions::default()).expect("a batch");
            for _ in 0..50 {
                batch.step(1);
                let p = batch.body_pose(0, 0).expect("a body").p;
                assert!((p.z - 0.01 - ground.height(p.x, p.y)).abs() < 1e-3, "ball {k}: {p:?}");
            }
        }
    }

    /// r bounds the distance from the smooth ground, and the slope of that is at most s.
    #[test]
    fn roughness_and_slope_are_bounds() {
        let (rough, smooth) = (Ground::rough(0.02, 0.1), Ground::rough(0.0, 0.1));
        let mut random = Random::new(1, 0, 0);
        for _ in 0..1000 {
            let (x, y) = (random.between(-9.0, 9.0), random.between(-9.0, 9.0));
            assert!((rough.height(x, y) - smooth.height(x, y)).abs() <= 0.02);
            let d = 0.01;
            let slope = ((smooth.height(x + d, y) - smooth.height(x, y)).powi(2)
                + (smooth.height(x, y + d) - smooth.height(x, y)).powi(2))
            .sqrt()
                / d;
            assert!(slope <= 0.1 + 1e-9, "{slope}");
        }
    }
}
