//! Loops, spanning tree, mobility and redundancy, on mechanisms whose answers are known by hand.

use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{Actuator, Body, Coupling, Joint, Model, ModelBuilder, WORLD, library};

fn body(name: &str, p: Vec3) -> Body {
    Body::new(name).at(Pose::from_position(p)).solid_sphere(1.0, 0.1)
}

fn names(model: &Model, joints: &[bellcrank_model::JointId]) -> Vec<String> {
    joints.iter().map(|j| model.joints()[j.index()].name.clone()).collect()
}

/// Square of side 1 in the x–z plane, ground at the bottom; hinges about y at its corners.
fn square() -> ModelBuilder {
    let mut b = ModelBuilder::new("square");
    b.body(body("left", Vec3::new(0.0, 0.0, 0.5)));
    b.body(body("top", Vec3::new(0.5, 0.0, 1.0)));
    b.body(body("right", Vec3::new(1.0, 0.0, 0.5)));
    let hinge = |p: [f64; 3]| (Vec3::from_array(p), Vec3::y_axis());
    for (name, ends, (p, axis)) in [
        ("a", (WORLD, "left"), hinge([0.0, 0.0, 0.0])),
        ("b", ("left".into(), "top"), hinge([0.0, 0.0, 1.0])),
        ("c", ("top".into(), "right"), hinge([1.0, 0.0, 1.0])),
        ("d", (WORLD, "right"), hinge([1.0, 0.0, 0.0])),
    ] {
        b.joint(Joint::revolute(name, ends.0, ends.1).placed(p, axis));
    }
    b
}

/// 3 bodies and the world, 4 hinges: 4 − 4 + 1 = 1 loop. 20 rows on 18 velocities, of rank 17.
#[test]
fn a_square_of_hinges_is_one_loop_with_one_freedom() {
    let model = square().build().unwrap();
    assert_eq!((model.loops().len(), model.mobility()), (1, 1));
    assert_eq!((model.row_count(), model.redundant_rows()), (20, 3));
    let mut round = names(&model, &model.loops()[0].joints);
    round.sort();
    assert_eq!(round, ["a", "b", "c", "d"]);
    assert_eq!(model.graph().components().len(), 1);
    assert!(model.graph().components()[0].grounded);
}

/// Whichever hinge is driven, it belongs to the tree, and another one closes the loop.
#[test]
fn driven_joints_belong_to_the_tree() {
    for driven in ["a", "b", "c", "d"] {
        let mut b = square();
        b.actuator(Actuator::effort("motor", driven));
        let model = b.build().unwrap();
        assert_ne!(names(&model, &[model.loops()[0].closing]), [driven]);
        assert_eq!(model.mobility(), 1);
    }
}

#[test]
fn a_joint_marked_as_closing_closes() {
    let mut b = square();
    b.joint(Joint::spherical("extra", "left", "right").closing_loop());
    let model = b.build().unwrap();
    let closing: Vec<_> = model.loops().iter().map(|l| l.closing).collect();
    assert!(names(&model, &closing).contains(&"extra".to_owned()));
}

#[test]
fn parents_come_before_children_and_reversed_joints_say_so() {
    let mut b = ModelBuilder::new("backwards");
    b.body(body("tip", Vec3::new(0.0, 0.0, 2.0)));
    b.body(body("base", Vec3::new(0.0, 0.0, 1.0)));
    b.joint(Joint::revolute("elbow", "tip", "base").placed(Vec3::new(0.0, 0.0, 1.5), Vec3::y_axis()));
    b.joint(Joint::revolute("shoulder", WORLD, "base").placed(Vec3::zero(), Vec3::y_axis()));
    let model = b.build().unwrap();
    let tree = model.graph().tree();
    assert_eq!(tree.len(), 2);
    assert_eq!(
        (tree[0].body, tree[0].parent, tree[0].reversed),
        (model.body_id("base").unwrap(), None, false)
    );
    assert_eq!((tree[1].parent, tree[1].reversed), (model.body_id("base"), true));
}

/// Two loose bodies and a pendulum: three components, 6 + 6 + 1 freedoms.
#[test]
fn components_are_told_apart() {
    let mut b = ModelBuilder::new("three");
    b.body(body("loose", Vec3::new(3.0, 0.0, 0.0)));
    b.body(body("also_loose", Vec3::new(6.0, 0.0, 0.0)));
    b.body(body("bob", Vec3::new(0.0, 0.0, -1.0)));
    b.joint(Joint::revolute("hinge", WORLD, "bob").placed(Vec3::zero(), Vec3::y_axis()));
    let model = b.build().unwrap();
    assert_eq!(model.mobility(), 13);
    let grounded: Vec<bool> = model.graph().components().iter().map(|c| c.grounded).collect();
    assert_eq!((grounded.len(), grounded.iter().filter(|g| **g).count()), (3, 1));
}

/// Two wheels on fixed axles have two freedoms; a gear between them leaves one; saying it twice is redundant.
#[test]
fn a_gear_takes_one_freedom() {
    let mut b = ModelBuilder::new("gears");
    for (name, x) in [("small", 0.0), ("large", 3.0)] {
        b.body(body(name, Vec3::new(x, 0.0, 0.0)));
        let axle = Joint::revolute(format!("{name}_axle"), WORLD, name);
        b.joint(axle.placed(Vec3::new(x, 0.0, 0.0), Vec3::y_axis()));
    }
    assert_eq!(b.clone().build().unwrap().mobility(), 2);
    b.coupling(Coupling::new("gear").term("small_axle", 1.0).term("large_axle", 2.0));
    assert_eq!(b.clone().build().unwrap().mobility(), 1);
    b.coupling(Coupling::new("again").term("small_axle", 2.0).term("large_axle", 4.0));
    let model = b.build().unwrap();
    assert_eq!((model.mobility(), model.redundant_rows()), (1, 1));
}

/// A coupling may name the joint that closes a loop: the square's freedom is the angle of any of its hinges.
#[test]
fn a_coupling_on_a_closing_joint_counts() {
    for hinge in ["a", "b", "c", "d"] {
        let mut b = square();
        b.coupling(Coupling::new("locked").term(hinge, 1.0));
        let model = b.build().unwrap();
        assert_eq!((model.mobility(), model.redundant_rows()), (0, 3), "{hinge}");
    }
}

/// The same mechanism of a millimetre, of a kilometre, and far from the origin, counts the same.
#[test]
fn mobility_does_not_depend_on_size_or_place() {
    for (scale, offset) in [(1e-3, 0.0), (1e3, 0.0), (1.0, 1e4), (0.01, -300.0)] {
        let mut b = ModelBuilder::new("slider_crank");
        let at = |x: f64, z: f64| Vec3::new(offset + scale * x, offset, scale * z);
        b.body(body("crank", at(0.0, 0.5)));
        b.body(body("rod", at(1.0, 0.5)));
        b.body(body("piston", at(2.0, 0.0)));
        b.joint(Joint::revolute("main", WORLD, "crank").placed(at(0.0, 0.0), Vec3::y_axis()));
        b.joint(Joint::revolute("pin", "crank", "rod").placed(at(0.0, 1.0), Vec3::y_axis()));
        b.joint(Joint::revolute("wrist", "rod", "piston").placed(at(2.0, 0.0), Vec3::y_axis()));
        b.joint(Joint::prismatic("bore", WORLD, "piston").placed(at(2.0, 0.0), Vec3::x_axis()));
        let model = b.build().unwrap();
        assert_eq!((model.mobility(), model.redundant_rows()), (1, 3), "scale {scale}, offset {offset}");
    }
}

#[test]
fn the_hybrid_biped_counts_as_promised() {
    let model = library::hybrid_biped().build().unwrap();
    assert_eq!((model.bodies().len(), model.joints().len(), model.actuators().len()), (31, 36, 12));
    assert_eq!((model.loops().len(), model.mobility()), (6, 18));
    assert_eq!((model.row_count(), model.redundant_rows()), (180, 12));
    let mut lengths: Vec<usize> = model.loops().iter().map(|l| l.joints.len()).collect();
    lengths.sort();
    assert_eq!(lengths[..4], [5, 5, 5, 5], "four linkages of five hinges each, and two legs");
}

#[test]
fn joint_frames_in_body_frames_meet_at_the_reference_pose() {
    let model = library::hybrid_biped().build().unwrap();
    for (j, joint) in model.joints().iter().enumerate() {
        let (X_PF, X_SM) = model.joint_frames(bellcrank_model::JointId::new(j));
        let at = |body: Option<bellcrank_model::BodyId>| {
            body.map_or(Pose::identity(), |b| model.bodies()[b.index()].X_WB())
        };
        let X_FM = (at(joint.predecessor.body()) * X_PF).inverse_mul(at(joint.successor.body()) * X_SM);
        assert!(X_FM.p.norm() < 1e-14, "{}", joint.name);
    }
}
