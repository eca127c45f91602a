//! What USD text says arrives in the model.

use bellcrank_import::{Format, Options, load, loads};
use bellcrank_math::Vec3;
use bellcrank_model::{Control, Geometry, JointKind, Model};
use std::path::Path;

/// A file in the folder `shared` beside the repository.
fn shared(name: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(name);
    load(&path, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn count(model: &Model, kind: JointKind) -> usize {
    model.joints().iter().filter(|joint| joint.kind == kind).count()
}

#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn dr_legs_has_31_bodies_36_joints_and_6_loops() {
    let model = shared("dr_legs/dr_legs_with_boxes.usda");
    assert_eq!((model.bodies().len(), model.joints().len(), model.loops().len()), (31, 36, 6));
    assert_eq!((model.mobility(), model.row_count(), model.redundant_rows()), (18, 180, 12));
    assert!((model.mass() - 2.4708).abs() < 5e-5);
    assert_eq!((model.actuators().len(), model.shapes().len(), model.ignored().len()), (12, 3, 0));
    assert!(model.reference_gap().0 < 1e-8); // positions are single precision
}

#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn the_test_mechanism_has_every_kind_of_joint_it_is_annotated_with() {
    let model = shared("dr_testmech/dr_testmech.usda");
    assert_eq!((model.bodies().len(), model.joints().len(), model.mobility()), (10, 14, 1));
    let kinds = [
        (JointKind::Fixed, 2),
        (JointKind::Revolute, 3),
        (JointKind::Spherical, 4),
        (JointKind::Universal, 2),
        (JointKind::Cylindrical, 1),
        (JointKind::Cartesian, 1),
        (JointKind::Prismatic, 1),
    ];
    kinds.into_iter().for_each(|(kind, expected)| assert_eq!(count(&model, kind), expected, "{kind:?}"));
    assert!((model.mass() - 0.215).abs() < 1e-4);
    // the meshes are in a binary file that is not there, and that is said of each
    assert_eq!(model.ignored().len(), 10);
}

fn read_with(stage: &str, options: &Options) -> Model {
    let text = format!("#usda 1.0\n{stage}");
    loads(&text, Format::Usd, options).unwrap_or_else(|error| panic!("{error}"))
}

fn read(stage: &str) -> Model {
    read_with(stage, &Options::default())
}

/// Centimetres and y up: (0, 100, 0) is one metre high. A cube of 10 cm at 2 g/cm³ weighs 2 kg, and its moments are
/// 2 · 0.1²/6.
#[test]
fn units_and_the_up_axis_are_turned_into_metres_and_z() {
    let model = read(
        r#"( metersPerUnit = 0.01
             kilogramsPerUnit = 0.001
             upAxis = "Y" )
        def PhysicsScene "scene" { float physics:gravityMagnitude = 500 }
        def Cube "cube" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"] )
        {
            double size = 10
            float physics:density = 2
            double3 xformOp:translate = (0, 100, 0)
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }"#,
    );
    let body = &model.bodies()[0];
    assert!((body.X_WL.p - Vec3::z_axis()).norm() < 1e-15);
    assert!((body.mass - 2.0).abs() < 1e-12);
    assert!((body.inertia.unwrap().xx - 2.0 * 0.01 / 6.0).abs() < 1e-12);
    assert!((model.gravity() - Vec3::new(0.0, 0.0, -5.0)).norm() < 1e-12);
    let Geometry::Box { half } = model.shapes()[0].geometry else { panic!("a box") };
    assert!((half - Vec3::new(0.05, 0.05, 0.05)).norm() < 1e-15);
}

const BODY: &str = r#"( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"] )
    { float physics:mass = 1
      float3 physics:diagonalInertia = (1, 1, 1) }"#;

fn two_bodies(joint: &str) -> String {
    format!("( metersPerUnit = 1\n upAxis = \"Z\" )\ndef Xform \"a\" {BODY}\ndef Xform \"b\" {BODY}\n{joint}")
}

/// 2 N·m per degree is 2 · 180/π per radian; limits are in degrees.
#[test]
fn hinges_have_limits_and_drives_per_radian() {
    let model = read(&two_bodies(
        r#"def PhysicsRevoluteJoint "j" ( prepend apiSchemas = ["PhysicsDriveAPI:angular"] ) {
            rel physics:body0 = </a>
            rel physics:body1 = </b>
            uniform token physics:axis = "Z"
            float physics:lowerLimit = -90
            float physics:upperLimit = 180
            float drive:angular:physics:stiffness = 2
            float drive:angular:physics:damping = 1
            float drive:angular:physics:maxForce = 7
            float physxJoint:maxJointVelocity = 3
        }"#,
    ));
    let joint = &model.joints()[0];
    let axis = joint.X_PF.R.rotate(Vec3::x_axis());
    assert!((axis - Vec3::z_axis()).norm() < 1e-15);
    let [low, high] = joint.dofs[0].limits;
    assert!((low + std::f64::consts::FRAC_PI_2).abs() < 1e-15 && (high - std::f64::consts::PI).abs() < 1e-15);
    let Control::Position { kp, kd } = model.actuators()[0].control else { panic!("a position drive") };
    assert!((kp - 2f64.to_degrees()).abs() < 1e-12 && (kd - 1f64.to_degrees()).abs() < 1e-12);
    assert_eq!(model.actuators()[0].effort_limit, 7.0);
    assert!((joint.dofs[0].velocity_limit - 3f64.to_radians()).abs() < 1e-15);
    assert!(model.ignored().is_empty());
}

/// |v| ≤ 900 − 90 |τ| [°/s, N·m]: 10 N·m at rest, 5π rad/s without load, and 7 N·m at most.
#[test]
fn envelopes_of_drives_are_torque_speed_lines_and_come_back() {
    let model = read(&two_bodies(
        r#"def PhysicsRevoluteJoint "j" ( prepend apiSchemas = ["PhysicsDriveAPI:angular", "PhysxDrivePerformanceEnvelopeAPI:angular"] ) {
            rel physics:body0 = </a>
            rel physics:body1 = </b>
            float drive:angular:physics:maxForce = 7
            float physxDrivePerformanceEnvelope:angular:maxActuatorVelocity = 900
            float physxDrivePerformanceEnvelope:angular:speedEffortGradient = 90
        }"#,
    ));
    let check = |model: &Model| {
        let line = model.actuators()[0].torque_speed.expect("a line");
        let hand = [(line.stall, 10.0), (line.no_load, 5.0 * std::f64::consts::PI), (line.saturation, 7.0)];
        assert!(hand.iter().all(|(own, hand)| (own - hand).abs() < 1e-5), "{line:?}");
        assert!(model.ignored().is_empty(), "{:?}", model.ignored());
    };
    check(&model);
    check(&read(&bellcrank_import::to_usd(&model).text));
}

#[test]
fn locked_axes_tell_the_kind_of_a_joint() {
    let locked = |axes: &[&str]| -> String {
        let lock = |axis: &&str| {
            format!("float limit:{axis}:physics:low = 1\nfloat limit:{axis}:physics:high = -1\n")
        };
        let apis: Vec<_> = axes.iter().map(|a| format!("\"PhysicsLimitAPI:{a}\"")).collect();
        let locks: String = axes.iter().map(lock).collect();
        format!(
            "def PhysicsJoint \"j\" ( prepend apiSchemas = [{}] ) {{ rel physics:body0 = </a>\nrel physics:body1 = </b>\n{locks} }}",
            apis.join(", ")
        )
    };
    let kind = |axes: &[&str]| read(&two_bodies(&locked(axes))).joints()[0].kind;
    let slides = ["transX", "transY", "transZ"];
    assert_eq!(kind(&[]), JointKind::Free);
    assert_eq!(kind(&slides), JointKind::Spherical);
    assert_eq!(kind(&[&slides[..], &["rotY"]].concat()), JointKind::Universal);
    assert_eq!(kind(&[&slides[..], &["rotX", "rotZ"]].concat()), JointKind::Revolute);
    assert_eq!(kind(&["transY", "transZ", "rotY", "rotZ"]), JointKind::Cylindrical);
    let odd = format!("#usda 1.0\n{}", two_bodies(&locked(&["transX", "rotX"])));
    insta::assert_snapshot!(loads(&odd, Format::Usd, &Options::default()).unwrap_err(), @r#"
    text.usda:10: </j>: no joint has just the motions transY, transZ, rotY, rotZ
      hint: split it in two joints with a small body between them
    "#);
}

#[test]
fn references_bring_whole_robots_with_their_joints() {
    let robot = format!(
        "#usda 1.0\n( defaultPrim = \"robot\" )\ndef Xform \"robot\" {{ {} }}",
        two_bodies("").split_once(")\n").map_or("", |(_, rest)| rest).to_owned()
            + "def PhysicsFixedJoint \"weld\" { rel physics:body0 = </robot/a>\nrel physics:body1 = </robot/b> }"
    );
    let stage = "( metersPerUnit = 1\n upAxis = \"Z\" )\n\
        def \"left\" ( prepend references = @robot.usda@ ) { double3 xformOp:translate = (1, 0, 0)\n\
        uniform token[] xformOpOrder = [\"xformOp:translate\"] }\n\
        def \"right\" ( prepend references = @robot.usda@</robot> ) {}\n\
        def \"lost\" ( prepend references = @missing.usda@ ) {}";
    let model = read_with(stage, &Options::default().file("robot.usda", robot));
    assert_eq!((model.bodies().len(), model.joints().len(), model.ignored().len()), (4, 2, 1));
    let names: Vec<_> = model.bodies().iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "/right/a", "/right/b"]);
    assert_eq!(model.bodies()[0].X_WL.p, Vec3::x_axis());
    // each weld joins its own two
    let ends = |j: usize| {
        (
            model.joints()[j].predecessor.body().unwrap().index(),
            model.joints()[j].successor.body().unwrap().index(),
        )
    };
    assert_eq!((ends(0), ends(1)), ((0, 1), (2, 3)));
}

#[test]
fn references_to_oneself_come_to_an_end() {
    let stage = "def Xform \"a\" ( references = </a> ) { def \"b\" ( references = [</a>, </a>] ) {} }\n\
        def Xform \"c\" ( references = </d> ) {}\ndef Xform \"d\" ( references = </c> ) {}";
    let text = format!("#usda 1.0\n{stage}");
    let start = std::time::Instant::now();
    assert!(loads(&text, Format::Usd, &Options::default()).is_err()); // there are no bodies
    assert!(start.elapsed().as_secs() < 20);
}

const CUBE: &str = "def Cube \"NAME\" ( prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsCollisionAPI\"] ) { double size = 0.2 MORE }\n";

fn cube(name: &str, more: &str) -> String {
    CUBE.replace("NAME", name).replace("MORE", more)
}

const METRES: &str = "( metersPerUnit = 1\n upAxis = \"Z\" )\n";

/// A lower limit above the upper one locks the axis: the joint is fixed.
#[test]
fn axes_that_are_locked_by_their_limits_are_fixed() {
    let joint = |kind: &str, low: &str| {
        format!(
            "def {kind} \"j\" {{ rel physics:body1 = </b>\n float physics:lowerLimit = {low}\n float physics:upperLimit = 1 }}"
        )
    };
    for (kind, free) in
        [("PhysicsRevoluteJoint", JointKind::Revolute), ("PhysicsPrismaticJoint", JointKind::Prismatic)]
    {
        let model = |low: &str| read(&format!("{METRES}{}{}", cube("b", ""), joint(kind, low)));
        assert_eq!(model("2").joints()[0].kind, JointKind::Fixed);
        assert_eq!(model("-2").joints()[0].kind, free);
    }
}

/// PhysX takes a body without mass and colliders as 1 kg; the inertia of a ball is 2/5 m r² = 0.004 kg·m².
#[test]
fn bodies_without_mass_are_small_balls() {
    let model =
        read(&format!("{METRES}def Xform \"b\" ( prepend apiSchemas = [\"PhysicsRigidBodyAPI\"] ) {{ }}"));
    let body = &model.bodies()[0];
    assert_eq!(body.mass, 1.0);
    assert!((body.inertia.unwrap().xx - 0.004).abs() < 1e-12);
    assert!(model.ignored()[0].why.contains("neither a mass nor a collider"));
}

#[test]
fn friction_and_speed_limits_of_joints_are_read() {
    let joint = "def PhysicsRevoluteJoint \"j\" { rel physics:body1 = </b>
        float physxJointAxis:angular:dynamicFrictionEffort = 0.3
        float physxJoint:maxJointVelocity = 180 }";
    let model = read(&format!("{METRES}{}{joint}", cube("b", "")));
    let dof = model.joints()[0].dofs[0];
    assert_eq!(dof.friction, 0.3);
    assert!((dof.velocity_limit - std::f64::consts::PI).abs() < 1e-12);
    assert!(model.ignored().is_empty(), "{:?}", model.ignored());
}

/// Two groups that filter each other, one that filters itself, and a collider in none.
#[test]
fn collision_groups_keep_colliders_apart() {
    let group = |name: &str, member: &str, filtered: &str| {
        format!(
            "def PhysicsCollisionGroup \"{name}\" {{ rel collection:colliders:includes = {member}\n \
             rel physics:filteredGroups = </{filtered}> }}\n"
        )
    };
    let cubes: String = ["a", "b", "c", "d", "e"].map(|name| cube(name, "")).concat();
    let groups =
        [group("ga", "</a>", "gb"), group("gb", "</b>", "gb"), group("gc", "[</c>, </d>]", "gc")].concat();
    let model = read(&format!("{METRES}{cubes}{groups}"));
    let meet = |a: &str, b: &str| {
        let shape = |name: &str| &model.shapes()[model.shape_id(name).unwrap().index()];
        let (a, b) = (shape(a), shape(b));
        a.group & b.mask != 0 || b.group & a.mask != 0
    };
    for (a, b, expected) in
        [("a", "b", false), ("c", "d", false), ("a", "c", true), ("a", "e", true), ("d", "e", true)]
    {
        assert_eq!((meet(a, b), meet(b, a)), (expected, expected), "{a} {b}");
    }
    assert!(model.ignored().is_empty(), "{:?}", model.ignored());
}

/// Velocities are in units and degrees per second; a drive's target in degrees.
#[test]
fn velocities_and_targets_are_a_keyframe() {
    let moving = "vector3f physics:velocity = (1, 2, 0)\n vector3f physics:angularVelocity = (0, 0, 180)";
    let joint = "def PhysicsRevoluteJoint \"j\" ( prepend apiSchemas = [\"PhysicsDriveAPI:angular\"] ) { rel physics:body1 = </arm>
        float drive:angular:physics:stiffness = 5
        float drive:angular:physics:targetPosition = 90 }";
    let model = read(&format!("{METRES}{}{}{joint}", cube("free", moving), cube("arm", "")));
    let key = &model.keyframes()[0];
    assert_eq!(key.name, "start");
    let (_, twist) = &key.twists[0];
    assert_eq!(twist.linear, Vec3::new(1.0, 2.0, 0.0));
    assert!((twist.angular.z - std::f64::consts::PI).abs() < 1e-12);
    assert!((key.controls[0].1 - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
    assert!(model.ignored().is_empty(), "{:?}", model.ignored());
}
