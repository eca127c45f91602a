//! Parameters are shared until they are spread, and the model itself never changes.

use bellcrank_model::{Parameters, PerWorld, library};

#[test]
fn a_spread_parameter_differs_by_world_and_the_others_do_not() {
    let model = library::four_bar().build().unwrap();
    let mut parameters = Parameters::of(&model);
    let crank = model.body_id("crank").unwrap();
    let mass = model.bodies()[crank.index()].mass;
    assert!(!parameters.body(crank).is_spread());
    for (world, body) in parameters.body_mut(crank).spread(3).iter_mut().enumerate() {
        body.mass *= 1.0 + world as f64;
    }
    let masses: Vec<f64> = (0..3).map(|world| parameters.body(crank).get(world).mass).collect();
    assert_eq!(masses, [mass, 2.0 * mass, 3.0 * mass]);
    let rocker = model.body_id("rocker").unwrap();
    assert!(!parameters.body(rocker).is_spread());
    assert_eq!(parameters.body(rocker).get(2).mass, model.bodies()[rocker.index()].mass);
    assert_eq!(model.bodies()[crank.index()].mass, mass);
}

#[test]
fn spreading_twice_keeps_what_was_written() {
    let mut value = PerWorld::Shared(1.0);
    value.spread(2)[1] = 5.0;
    assert_eq!(value.spread(2), [1.0, 5.0]);
    value.set_all(3.0);
    assert_eq!((*value.get(0), *value.get(99)), (3.0, 3.0));
}

/// A ball of mass 2 with its centre 0.5 away: about the link's origin m·r² = 0.5 is added across.
#[test]
fn inertia_about_the_link_follows_the_centre_of_mass() {
    use bellcrank_math::Vec3;
    use bellcrank_model::{Body, ModelBuilder};
    let mut b = ModelBuilder::new("ball");
    let ball = b.body(Body::new("ball").com(Vec3::new(0.5, 0.0, 0.0)).solid_sphere(2.0, 0.1));
    let model = b.build().unwrap();
    let inertia = Parameters::of(&model).body(ball).get(0).about_link();
    let own = 0.4 * 2.0 * 0.01;
    assert!((inertia.J.xx - own).abs() < 1e-15 && (inertia.J.yy - own - 0.5).abs() < 1e-15);
}
