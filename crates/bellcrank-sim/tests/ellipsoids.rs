//! Ellipsoids in air and water, by hand calculation.

use crate::common::{bits, built, world};
use bellcrank_math::{Pose, Twist, Vec3};
use bellcrank_model::{Body, Geometry, InMedium, Medium, Model, ModelBuilder, Shape};
use bellcrank_sim::{Batch, BatchOptions, Precision};
use std::f64::consts::PI;
use std::sync::Arc;

const DT: f64 = 1e-6;

/// A body of 3 kg whose ellipsoid has these radii, at its centre of mass, in this medium and without gravity.
fn egg(radii: Vec3, medium: Medium) -> Arc<Model> {
    egg_at(Vec3::zero(), radii, medium)
}

fn egg_at(place: Vec3, radii: Vec3, medium: Medium) -> Arc<Model> {
    let mut m = ModelBuilder::new("egg");
    m.gravity(Vec3::zero()).medium(medium);
    let body = m.body(Body::new("egg").solid_box(3.0, Vec3::new(0.4, 0.5, 0.6)));
    let shape = Shape::new("egg", body, Geometry::Ellipsoid { radii });
    let shape = shape.at(Pose::translation(place.x, place.y, place.z));
    m.shape(shape.visual_only().in_medium(InMedium::new(radii)));
    built(m)
}

/// Change of the velocity per second, over one short step.
fn acceleration(model: &Arc<Model>, V: Twist) -> [f64; 6] {
    let mut b = world(model, DT);
    b.set_body_velocity(0, 0, V).unwrap();
    b.step(1);
    let (new, old) = (b.body_velocity(0, 0).unwrap().to_array(), V.to_array());
    [0, 1, 2, 3, 4, 5].map(|i| (new[i] - old[i]) / DT)
}

fn push(x: f64, y: f64, z: f64) -> Twist {
    Twist::new(Vec3::new(x, y, z), Vec3::zero())
}

const WATER: Medium = Medium { density: 1000.0, viscosity: 0.0, wind: Vec3 { x: 0.0, y: 0.0, z: 0.0 } };

/// ½ · 1000 · π 0.1² · 2² = 62.8 N on a ball of 0.1 m, 6π · 5 · 0.1 · 2 N in honey.
#[test]
fn a_ball_is_dragged_by_its_shadow_and_by_stokes() {
    let ball = Vec3::new(0.1, 0.1, 0.1);
    let a = acceleration(&egg(ball, WATER), push(0.0, 2.0, 0.0));
    assert!((a[1] + 0.5 * 1000.0 * PI * 0.01 * 4.0 / 3.0).abs() < 1e-2, "{a:?}");
    let honey = Medium { viscosity: 5.0, density: 0.0, ..Medium::default() };
    let a = acceleration(&egg(ball, honey), push(2.0, 0.0, 0.0));
    assert!((a[0] + 6.0 * PI * 5.0 * 0.1 * 2.0 / 3.0).abs() < 1e-3, "{a:?}");
}

/// A flat ellipsoid, 0.2 × 0.1 × 0.02 m: along x it throws the shadow π 0.1 · 0.02, of the largest, π 0.2 · 0.1, the
/// rest counts half.
#[test]
fn edges_are_dragged_less_than_faces() {
    let flat = egg(Vec3::new(0.2, 0.1, 0.02), WATER);
    let (edge, face) = (PI * 0.1 * 0.02, PI * 0.2 * 0.1);
    let a = acceleration(&flat, push(1.0, 0.0, 0.0));
    assert!((a[0] + 1000.0 * (0.5 * edge + 0.25 * (face - edge)) / 3.0).abs() < 1e-2, "{a:?}");
    let a = acceleration(&flat, push(0.0, 0.0, 1.0));
    assert!((a[2] + 1000.0 * 0.5 * face / 3.0).abs() < 1e-2, "{a:?}");
}

/// Obliquely in the plane of x and z, v = (1, 0, 1)/√2: with s = (r_j r_k)², n = s∘v and A = π √(n·n/(n·v)), the lift
/// is 1000 A (v·n)/(n·n) (n × v) × v: downwards from the edge, across v.
#[test]
fn a_plate_is_lifted_across_its_way() {
    let flat = egg(Vec3::new(0.2, 0.1, 0.02), WATER);
    let v = Vec3::new(1.0, 0.0, 1.0) * 0.5f64.sqrt();
    let n = Vec3::new(4e-6 * v.x, 0.0, 4e-4 * v.z);
    let shadow = PI * (n.norm_squared() / n.dot(v)).sqrt();
    let lift = n.cross(v).cross(v) * (1000.0 * shadow * n.dot(v) / n.norm_squared());
    let drag = v * -(1000.0 * (0.5 * shadow + 0.25 * (PI * 0.02 - shadow)));
    let a = acceleration(&flat, push(v.x, v.y, v.z));
    let hand = (lift + drag) * (1.0 / 3.0);
    assert!((a[0] - hand.x).abs() < 1e-2 && (a[2] - hand.z).abs() < 1e-2, "{a:?} {hand:?}");
    assert!(lift.dot(v).abs() < 1e-12 && lift.norm() > 1.0);
}

/// Magnus' force ρ V ω × v less what the moved water, half of that mass, takes for being turned: ½ ρ V ω v to the side.
#[test]
fn a_spinning_ball_is_pushed_aside() {
    let ball = egg(Vec3::new(0.1, 0.1, 0.1), WATER);
    let V = Twist::new(Vec3::new(2.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 3.0));
    let a = acceleration(&ball, V);
    let volume = 4.0 / 3.0 * PI * 1e-3;
    assert!((a[1] - 0.5 * 1000.0 * volume * 6.0 / 3.0).abs() < 1e-2, "{a:?}");
    // 1000 · 1.5 · 8π/15 · 0.1⁵ · 3² N·m on 3 (0.4² + 0.5²)/12 kg·m²
    let turns = 1000.0 * 1.5 * 8.0 * PI / 15.0 * 1e-5 * 9.0 / (3.0 * 0.41 / 12.0);
    assert!((a[5] + turns).abs() < 1e-2, "{a:?} {turns}");
}

/// At 0.3 m from the centre of mass along x the drag of a ball that goes along y turns the body about z by 0.3 · 62.8
/// N·m.
#[test]
fn a_ball_beside_the_centre_of_mass_turns_the_body() {
    let ball = egg_at(Vec3::new(0.3, 0.0, 0.0), Vec3::new(0.1, 0.1, 0.1), WATER);
    let a = acceleration(&ball, push(0.0, 2.0, 0.0));
    let drag = 0.5 * 1000.0 * PI * 0.01 * 4.0;
    assert!(
        (a[1] + drag / 3.0).abs() < 1e-2 && (a[5] + 0.3 * drag / (3.0 * 0.41 / 12.0)).abs() < 0.1,
        "{a:?}"
    );
}

/// Wind takes it along whatever the step: Δt c/m of honey is far above one.
#[test]
fn wind_carries_ellipsoids_along_whatever_the_step() {
    let wind = Vec3::new(1.0, -2.0, 0.5);
    let honey = Medium { viscosity: 50.0, density: 100.0, wind };
    let mut b = world(&egg(Vec3::new(0.2, 0.1, 0.3), honey), 0.05);
    b.set_body_velocity(0, 0, Twist::new(Vec3::zero(), Vec3::new(3.0, 1.0, -2.0))).unwrap();
    b.step(400);
    let V = b.body_velocity(0, 0).unwrap();
    assert!((V.linear - wind).norm() < 1e-6 && V.angular.norm() < 1e-6, "{V:?}");
}

#[test]
fn every_world_has_its_own_ellipsoids() {
    let air = Medium { density: 1.2, viscosity: 1.8e-5, wind: Vec3::new(0.5, 0.0, 0.0) };
    let model = egg_at(Vec3::new(0.1, 0.2, -0.1), Vec3::new(0.2, 0.1, 0.03), air);
    let V = |w: usize| Twist::new(Vec3::new(w as f64, 3.0, -1.0), Vec3::new(0.3, w as f64 - 5.0, 2.0));
    for precision in [Precision::F64, Precision::F32] {
        let options = BatchOptions { dt: Some(4e-3), precision, ..BatchOptions::default() };
        let mut many = Batch::new(model.clone(), 19, options).unwrap();
        (0..19).for_each(|w| many.set_body_velocity(w, 0, V(w)).unwrap());
        many.step(50);
        for w in 0..19 {
            let mut one = Batch::new(model.clone(), 1, options).unwrap();
            one.set_body_velocity(0, 0, V(w)).unwrap();
            one.step(50);
            assert_eq!(bits(&one, 0), bits(&many, w), "world {w}");
        }
    }
}
