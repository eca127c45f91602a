//! Every shipped mechanism, written and read back, is the same mechanism.

use bellcrank_import::{Base, Exported, FixedJoints, Format, Options, loads, to_mjcf, to_urdf, to_usd};
use bellcrank_model::{JointId, JointKind, Model, library};

const TOLERANCE: f64 = 1e-9;

fn read_back(exported: &Exported, format: Format) -> Model {
    let base = if exported.text.contains("<link name=\"world\">") { Base::Fixed } else { Base::Floating };
    let mut options = Options::default().base(base).fixed_joints(FixedJoints::Keep);
    options.memory = exported.files.clone();
    loads(&exported.text, format, &options).unwrap_or_else(|error| panic!("{error}\n{}", exported.text))
}

/// Bodies by name: mass, centre of mass and moments in the world.
fn assert_same_bodies(name: &str, a: &Model, b: &Model) {
    assert_eq!(a.bodies().len(), b.bodies().len(), "{name}: bodies");
    for body in a.bodies() {
        let other = b.body_id(&body.name).unwrap_or_else(|| panic!("{name}: body {:?}", body.name));
        let other = &b.bodies()[other.index()];
        assert!((body.mass - other.mass).abs() < TOLERANCE, "{name}: mass of {:?}", body.name);
        let apart = (body.X_WB().p - other.X_WB().p).norm();
        assert!(apart < TOLERANCE, "{name}: {:?} is {apart} m away", body.name);
        let in_world = |body: &bellcrank_model::Body| body.inertia.unwrap().rotated(body.X_WL.R.to_mat3());
        let error = (in_world(body) - in_world(other)).to_mat3();
        let error = error.x.norm() + error.y.norm() + error.z.norm();
        assert!(error < TOLERANCE * in_world(body).trace(), "{name}: inertia of {:?}: {error}", body.name);
    }
}

fn assert_same_mechanism(name: &str, a: &Model, b: &Model) {
    assert_eq!(a.loops().len(), b.loops().len(), "{name}: loops");
    assert_eq!(a.mobility(), b.mobility(), "{name}: mobility");
    assert!((a.mass() - b.mass()).abs() < TOLERANCE, "{name}: mass");
    assert_eq!(a.couplings().len(), b.couplings().len(), "{name}: couplings");
    let (metres, radians) = b.reference_gap();
    assert!(metres < TOLERANCE && radians < TOLERANCE, "{name}: gap {metres} m, {radians} rad");
}

/// Joints by name: kind, limits, and the coordinates of the reference pose.
fn assert_same_joints(name: &str, a: &Model, b: &Model) {
    for (j, joint) in a.joints().iter().enumerate() {
        let id = b.joint_id(&joint.name).unwrap_or_else(|| panic!("{name}: joint {:?}", joint.name));
        let other = &b.joints()[id.index()];
        assert_eq!(joint.kind, other.kind, "{name}: {:?}", joint.name);
        if joint.kind.dof_count() == 1 {
            let (mine, theirs) = (joint.dofs[0], other.dofs[0]);
            assert_eq!(
                (mine.limits, mine.spring),
                (theirs.limits, theirs.spring),
                "{name}: {:?}",
                joint.name
            );
            assert_eq!(
                (mine.damping, mine.armature),
                (theirs.damping, theirs.armature),
                "{name}: {:?}",
                joint.name
            );
            assert_eq!(mine.velocity_limit, theirs.velocity_limit, "{name}: {:?}", joint.name);
            let q = |model: &Model, id: JointId| {
                bellcrank_model::kinematics::coordinates(joint.kind, model.reference_joint_pose(id))[0]
            };
            assert!((q(a, JointId::new(j)) - q(b, id)).abs() < TOLERANCE, "{name}: {:?}", joint.name);
        }
    }
}

#[test]
fn urdf_brings_every_shipped_mechanism_back() {
    for (name, _, build) in library::ALL {
        let model = build().build().unwrap();
        let exported = to_urdf(&model);
        let back = read_back(&exported, Format::Urdf);
        assert_same_bodies(name, &model, &back);
        assert_same_mechanism(name, &model, &back);
        assert_same_joints(name, &model, &back);
        assert_eq!(model.shapes().len(), back.shapes().len(), "{name}: shapes");
        assert_eq!(model.sites().len(), back.sites().len(), "{name}: sites");
        assert_eq!(model.actuators().len(), back.actuators().len(), "{name}: motors");
        assert!(back.ignored().is_empty(), "{name}: {:?}", back.ignored());
        let unexpected = |what: &&String| {
            !what.ends_with("other readers refuse it")
                && !["actuator", "keyframe", "sensor", "surfaces"].iter().any(|noun| what.starts_with(noun))
        };
        assert_eq!(exported.left_out.iter().find(unexpected), None, "{name}");
    }
}

/// urdfdom, the reader of ROS and Pinocchio, refuses a `<limit>` without effort or velocity, and `inf` as a number.
#[test]
fn every_limit_in_urdf_says_effort_and_velocity_in_finite_numbers() {
    let mut found = 0;
    for (name, _, build) in library::ALL {
        let text = to_urdf(&build().build().unwrap()).text;
        for limit in text.lines().filter(|line| line.trim_start().starts_with("<limit")) {
            let values: Vec<&str> = limit.split('"').skip(1).step_by(2).collect();
            let finite = |text: &&str| text.parse::<f64>().is_ok_and(f64::is_finite);
            assert!(values.iter().all(finite), "{name}: {limit}");
            assert!(limit.contains("effort=") && limit.contains("velocity="), "{name}: {limit}");
            found += 1;
        }
    }
    assert!(found > 100, "{found}");
}

/// Screws have no counterpart in USD; nor have couplings.
#[test]
fn usd_brings_every_shipped_mechanism_back() {
    let mut same = 0;
    for (name, _, build) in library::ALL {
        let model = build().build().unwrap();
        let exported = to_usd(&model);
        let renamed = exported.left_out.iter().any(|what| what.starts_with("the name"));
        let lost = exported.left_out.iter().any(|what| what.starts_with("joint") && what.contains("screw"));
        let back = read_back(&exported, Format::Usd);
        if !renamed {
            assert_same_bodies(name, &model, &back);
        }
        if renamed || lost || !model.couplings().is_empty() {
            continue;
        }
        assert_same_mechanism(name, &model, &back);
        for (a, b) in model.joints().iter().zip(back.joints()) {
            assert_eq!((&a.name, a.kind), (&b.name, b.kind), "{name}");
            let apart = |x: [f64; 2], y: [f64; 2]| x.iter().zip(y).any(|(x, y)| (x - y).abs() > TOLERANCE);
            let limits =
                |joint: &bellcrank_model::Joint| joint.dofs.iter().map(|d| d.limits).collect::<Vec<_>>();
            let wrong = limits(a).into_iter().zip(limits(b)).any(|(x, y)| apart(x, y));
            assert!(
                !wrong || a.kind == JointKind::Spherical,
                "{name}: {:?}: {:?} {:?}",
                a.name,
                limits(a),
                limits(b)
            );
        }
        let forms =
            model.shapes().len() - exported.left_out.iter().filter(|what| what.ends_with("its form")).count();
        assert_eq!(forms, back.shapes().len(), "{name}: shapes");
        assert!(back.ignored().is_empty(), "{name}: {:?}", back.ignored());
        same += 1;
    }
    assert!(same > 20, "{same} of {}", library::ALL.len());
}

#[test]
fn mjcf_brings_every_shipped_mechanism_back() {
    for (name, _, build) in library::ALL {
        let model = build().build().unwrap();
        let exported = to_mjcf(&model);
        let back = read_back(&exported, Format::Mjcf);
        assert!(
            (model.mass() - back.mass()).abs() < TOLERANCE,
            "{name}: {} kg, {} kg",
            model.mass(),
            back.mass()
        );
        assert_eq!(model.mobility(), back.mobility(), "{name}: mobility");
        assert_eq!(model.loops().len(), back.loops().len(), "{name}: loops");
        assert_eq!(model.shapes().len(), back.shapes().len(), "{name}: shapes");
        assert_eq!(model.actuators().len(), back.actuators().len(), "{name}: motors");
        let (metres, _) = back.reference_gap();
        assert!(metres < TOLERANCE, "{name}: gap {metres} m");
    }
}

/// A hinge at 0.3 rad in the reference pose, seen from its successor's side, keeps its angle and its limits.
#[test]
fn a_coordinate_that_is_not_zero_survives_both_formats() {
    use bellcrank_math::{Pose, Quat, Vec3};
    use bellcrank_model::{Body, Joint, ModelBuilder, WORLD};
    let mut b = ModelBuilder::new("turned");
    let turn = Quat::from_axis_angle(Vec3::x_axis(), 0.3);
    let part = |name: &str, X: Pose| Body::new(name).at(X).solid_box(1.0, Vec3::new(0.1, 0.2, 0.3));
    let first = b.body(part("first", Pose::identity()));
    let second = b.body(part("second", Pose::new(turn.inverse(), Vec3::zero())));
    b.joint(Joint::fixed("base", WORLD, first));
    // the joint runs from the second to the first: in a tree from the world it is met from the other side
    b.joint(Joint::revolute("hinge", second, first).limits(-1.0, 2.0));
    let model = b.build().unwrap();
    let angle = |model: &Model| {
        let id = model.joint_id("hinge").unwrap();
        assert_eq!(model.joints()[id.index()].dofs[0].limits, [-1.0, 2.0]);
        bellcrank_model::kinematics::coordinates(JointKind::Revolute, model.reference_joint_pose(id))[0]
    };
    assert!((angle(&model) - 0.3).abs() < 1e-12);
    assert!((angle(&read_back(&to_urdf(&model), Format::Urdf)) - 0.3).abs() < 1e-12);
    let mjcf = to_mjcf(&model);
    assert!(mjcf.text.contains("ref=\"0.3"), "{}", mjcf.text);
}
