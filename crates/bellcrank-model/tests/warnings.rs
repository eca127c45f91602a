//! What a mechanic says about models that are legal and look wrong.

use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{Actuator, Body, Geometry, Joint, Model, ModelBuilder, Shape, WORLD, library};

fn texts(model: &Model) -> Vec<String> {
    model.warnings().iter().map(|w| format!("{} {}", w.place.element, w.text)).collect()
}

fn expect(model: &Model, part: &str, text: &str) {
    let all = texts(model);
    assert!(all.iter().any(|line| line.contains(part) && line.contains(text)), "{part} {text}: {all:#?}");
}

/// A sphere of 1 kg and 0.1 m on a hinge.
fn pendulum() -> ModelBuilder {
    let mut m = ModelBuilder::new("pendulum");
    m.body(Body::new("bob").at(Pose::translation(0.0, 0.0, -0.2)).solid_sphere(1.0, 0.1));
    m.joint(Joint::revolute("hinge", WORLD, "bob").placed(Vec3::zero(), Vec3::y_axis()));
    m
}

#[test]
fn shipped_mechanisms_give_no_warnings_about_their_masses() {
    for name in library::names() {
        let model = library::by_name(name).unwrap().build().unwrap();
        // the gyroscope's rings are drawn without thickness, and library motors are as strong as they need to be
        let meant = |text: &String| text.contains("effort limit") || text.contains("ring\"> it is flat");
        let bad: Vec<String> = texts(&model).into_iter().filter(|text| !meant(text)).collect();
        assert!(bad.is_empty(), "{name}: {bad:#?}");
    }
}

#[test]
fn neighbours_of_very_different_mass_are_named_with_both_masses() {
    let mut m = pendulum();
    m.body(Body::new("fly").at(Pose::translation(0.0, 0.0, -0.3)).solid_sphere(2e-5, 0.1));
    m.joint(Joint::spherical("thread", "bob", "fly"));
    // 1 kg / 2e-5 kg = 50000
    expect(
        &m.build().unwrap(),
        "thread",
        r#""bob" (1.000 kg) is 50000 times as heavy as "fly" (2.000e-2 g)"#,
    );
}

#[test]
fn needles_sheets_and_lumps_are_told() {
    let with = |inertia: [f64; 3]| {
        let mut m = pendulum();
        let [x, y, z] = inertia;
        m.body(Body::new("part").mass(1.0).inertia_diagonal(x, y, z));
        m.shape(Shape::new("cover", "part", Geometry::Sphere { radius: 0.1 }));
        m.build().unwrap()
    };
    expect(&with([1e-7, 4e-3, 4e-3]), "part", "thin as a needle, 5.0e-3 of its length");
    expect(&with([1e-3, 2e-3, 3e-3]), "part", "flat as a sheet");
    // √(1e-8) = 0.1 mm, against a ball of 100 mm
    expect(&with([1e-8, 1e-8, 1e-8]), "part", "a lump of 0.10 mm, but it reaches 100.0 mm");
    // √1 = 1 m
    expect(&with([1.0, 1.0, 1.0]), "part", "needs its mass 1000.0 mm away");
    let ball = 0.4 * 0.1 * 0.1;
    assert!(texts(&with([ball, ball, ball])).is_empty());
}

#[test]
fn limits_that_exclude_the_reference_pose_are_told_in_degrees() {
    let mut m = ModelBuilder::new("leg");
    m.body(Body::new("shin").solid_sphere(1.0, 0.1));
    m.joint(Joint::revolute("knee", WORLD, "shin").limits(-2.0, -0.5));
    m.body(Body::new("rod").solid_sphere(1.0, 0.1));
    m.joint(Joint::prismatic("slide", WORLD, "rod").limits(0.001, f64::INFINITY));
    let model = m.build().unwrap();
    // −2 rad = −114.59°, −0.5 rad = −28.65°
    expect(&model, "knee", "has it at 0.00°, outside its range -114.59° to -28.65°");
    expect(&model, "slide", "has it at 0.000 mm, outside its range 1.000 mm to ∞");
}

#[test]
fn joints_whose_halves_are_apart_are_told_in_millimetres_and_degrees() {
    let mut m = pendulum();
    let turned = bellcrank_math::Quat::from_axis_angle(Vec3::y_axis(), 0.01);
    m.joint(
        Joint::fixed("weld", WORLD, "bob")
            .frames(Pose::translation(0.0, 0.0, -0.2), Pose::new(turned, Vec3::new(0.0, 0.003, 0.0))),
    );
    // 0.01 rad = 0.573°
    expect(&m.build().unwrap(), "weld", "apart at the reference pose: 3.000 mm, 0.573°");
}

#[test]
fn motors_without_gain_or_limit_are_told_once() {
    let mut m = pendulum();
    m.actuator(Actuator::position("lazy", "hinge", 0.0, 0.0).effort_limit(1.0));
    m.actuator(Actuator::position("first", "hinge", 1.0, 0.0));
    m.actuator(Actuator::velocity("second", "hinge", 1.0));
    let model = m.build().unwrap();
    expect(&model, "lazy", "the actuator has no gain");
    expect(&model, "first", "2 actuators have no effort limit, so nothing bounds the effort (first, second)");
    let mut bounded = pendulum();
    bounded.actuator(Actuator::effort("motor", "hinge").control_range(-1.0, 1.0));
    assert!(texts(&bounded.build().unwrap()).is_empty());
}

#[test]
fn more_motors_than_freedoms_are_told() {
    let mut m = ModelBuilder::new("clamp");
    m.body(Body::new("jaw").solid_sphere(1.0, 0.1));
    m.joint(Joint::revolute("pin", WORLD, "jaw").effort_limit(1.0));
    m.joint(Joint::fixed("weld", WORLD, "jaw"));
    m.actuator(Actuator::effort("motor", "pin"));
    expect(&m.build().unwrap(), "pin", "1 driven coordinates and cannot move at all");
}

/// 2000 links in a row, then every second one tied to the one two before by a ball joint at the shared point: the
/// analysis must not take n² memory or n³ time.
#[test]
fn long_chains_are_analysed_at_once() {
    let start = std::time::Instant::now();
    let mut m = ModelBuilder::new("chain");
    let mut before = None;
    for k in 0..2000 {
        let at = Pose::translation(0.1 * k as f64, 0.0, 0.0);
        let link = m.body(Body::new(format!("link_{k}")).at(at).solid_sphere(0.1, 0.04));
        let joint = Joint::new(
            format!("hinge_{k}"),
            bellcrank_model::JointKind::Revolute,
            before.map_or(WORLD, bellcrank_model::Link::from),
            link,
        );
        m.joint(joint.placed(at.p, Vec3::y_axis()));
        if let Some(before) = before.filter(|_| k % 2 == 1) {
            // the same hinge once more: one loop, five redundant rows
            m.joint(Joint::revolute(format!("twin_{k}"), before, link).placed(at.p, Vec3::y_axis()));
        }
        before = Some(link);
    }
    let model = m.build().unwrap();
    assert_eq!((model.mobility(), model.loops().len(), model.redundant_rows()), (2000, 1000, 5000));
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}
