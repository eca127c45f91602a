//! MJCF: equalities, actuators, contacts, sensors, keyframes and options, feature by feature.

use bellcrank_import::{Format, Options, loads, to_mjcf};
use bellcrank_math::Vec3;
use bellcrank_model::{
    Activation, Actuator, Camera, CameraMode, ContactFilter, Control, Feature, Frame, Geometry, Joint,
    JointKind, Link, Model, Part, SensorKind, Shape, Target, Zone,
};

use std::sync::Arc;

fn read(text: &str) -> Model {
    loads(text, Format::Mjcf, &Options::new()).unwrap_or_else(|error| panic!("{error}"))
}

/// A chain a – b – c of two hinges about y, a on the world; with these sections.
fn chain(sections: &str) -> Model {
    read(&format!(
        "<mujoco><compiler angle='radian'/><worldbody>
           <body name='a'><joint name='p' axis='0 1 0' range='-1 2'/><geom name='ga' size='.1' mass='1'/>
             <site name='sa' pos='1 0 0' size='.02'/>
             <body name='b' pos='1 0 0'><joint name='q' axis='0 1 0' ref='.5'/><geom name='gb' size='.1' mass='1'/>
               <site name='sb' pos='0 0 1'/></body></body>
           <body name='c' pos='0 0 1'><joint name='r' axis='0 1 0'/><geom name='gc' size='.1' mass='1'/>
             <site name='sc' pos='1 0 0'/></body>
         </worldbody>{sections}</mujoco>"
    ))
}

fn joint<'a>(model: &'a Model, name: &str) -> &'a Joint {
    &model.joints()[model.joint_id(name).unwrap_or_else(|| panic!("no joint {name}")).index()]
}

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} is not {b}");
}

fn listed(model: &Model, words: &str) -> usize {
    model.ignored().iter().filter(|ignored| ignored.why.contains(words)).count()
}

#[test]
fn a_connect_is_a_ball_joint_that_closes_a_loop() {
    let model = chain("<equality><connect name='k' body1='b' body2='c' anchor='0 0 1'/></equality>");
    let closing = joint(&model, "k");
    assert_eq!((closing.kind, closing.closes_loop), (JointKind::Spherical, true));
    assert_eq!(closing.X_SM.p, Vec3::new(1.0, 0.0, 0.0));
    assert_eq!(model.loops().len(), 1);
    assert_eq!(model.reference_gap(), (0.0, 0.0));
}

#[test]
fn two_connects_on_one_axis_are_a_hinge_and_three_in_a_triangle_hold_everything() {
    let two = "<connect body1='b' body2='c' anchor='0 0 1'/><connect body1='c' body2='b' anchor='1 .3 0'/>";
    let model = chain(&format!("<equality>{two}</equality>"));
    let closing = joint(&model, "connect_0+connect_1");
    assert_eq!(closing.kind, JointKind::Revolute);
    let axis = closing.X_PF.R.rotate(Vec3::x_axis());
    near(axis.y.abs(), 1.0);
    let three = chain(&format!("<equality>{two}<connect body1='b' body2='c' anchor='.2 0 1'/></equality>"));
    assert_eq!(joint(&three, "connect_0+connect_1+connect_2").kind, JointKind::Fixed);
}

#[test]
fn sites_can_be_connected_too_and_the_world_is_a_body() {
    let model = chain(
        "<equality><connect name='s' site1='sb' site2='sc'/><connect name='w' body1='a' anchor='1 0 0'/></equality>",
    );
    assert_eq!(joint(&model, "s").X_SM.p, Vec3::new(1.0, 0.0, 0.0));
    assert!(joint(&model, "w").predecessor.body().is_none());
    assert_eq!(model.loops().len(), 2);
}

#[test]
fn a_weld_is_a_fixed_joint_at_the_reference_pose_or_the_stated_one() {
    let model = chain("<equality><weld name='w' body1='b' body2='c'/></equality>");
    assert_eq!(joint(&model, "w").kind, JointKind::Fixed);
    assert_eq!(model.reference_gap(), (0.0, 0.0));
    let apart = chain("<equality><weld name='w' body1='b' body2='c' relpose='0 0 0 1 0 0 0'/></equality>");
    near(apart.reference_gap().0, 2.0_f64.sqrt());
    assert_eq!(apart.warnings().len(), 1);
}

/// q_p − 0 = 0.1 + 2 (q_q − 0.5)  ⇒  q_p − 2 q_q = −0.9.
#[test]
fn joint_equalities_are_couplings_of_the_linear_part() {
    let model = chain("<equality><joint joint1='p' joint2='q' polycoef='.1 2 .7 0 0'/></equality>");
    let coupling = &model.couplings()[0];
    let coefficients: Vec<f64> = coupling.terms.iter().map(|term| term.coefficient).collect();
    assert_eq!(coefficients, [1.0, -2.0]);
    near(coupling.constant, -0.9);
    assert_eq!(listed(&model, "higher powers"), 1);
}

/// L = q_p + 3 q_q is held at its reference value 3·0.5.
#[test]
fn tendon_equalities_are_couplings_of_their_joints() {
    let model = chain(
        "<tendon><fixed name='t'><joint joint='p' coef='1'/><joint joint='q' coef='3'/></fixed></tendon>
         <equality><tendon tendon1='t'/></equality>",
    );
    near(model.couplings()[0].constant, 1.5);
    assert_eq!(model.couplings()[0].terms.len(), 2);
}

#[test]
fn constraints_that_are_switched_off_are_listed() {
    let model = chain("<equality><connect body1='b' body2='c' anchor='0 0 1' active='false'/></equality>");
    assert_eq!((model.loops().len(), listed(&model, "switched off")), (0, 1));
}

fn only_actuator(model: &Model) -> &Actuator {
    assert_eq!(model.actuators().len(), 1);
    &model.actuators()[0]
}

#[test]
fn actuators_become_their_laws() {
    let control = |text: &str| only_actuator(&chain(&format!("<actuator>{text}</actuator>"))).control;
    assert_eq!(control("<motor joint='p'/>"), Control::Effort);
    assert_eq!(control("<position joint='p' kp='5' kv='2'/>"), Control::Position { kp: 5.0, kd: 2.0 });
    assert_eq!(control("<velocity joint='p' kv='2'/>"), Control::Velocity { kd: 2.0 });
    let affine = "<general joint='p' gainprm='3' biastype='affine' biasprm='1 -2 -.5'/>";
    assert_eq!(control(affine), Control::Affine { gain: 3.0, bias: [1.0, -2.0, -0.5] });
    let servo = "<general joint='p' gainprm='4' biastype='affine' biasprm='0 -4 0'/>";
    assert_eq!(control(servo), Control::Position { kp: 4.0, kd: 0.0 });
}

#[test]
fn actuators_have_gears_ranges_and_classes() {
    let model = chain(
        "<default><position kp='7' ctrlrange='-1 1'/></default>
         <actuator><position name='m' joint='p' gear='3' forcerange='-8 8'/></actuator>",
    );
    let motor = only_actuator(&model);
    assert_eq!((motor.gear, motor.effort_limit, motor.control_range), (3.0, 8.0, [-1.0, 1.0]));
    assert_eq!(motor.control, Control::Position { kp: 7.0, kd: 0.0 });
    let inherited = chain("<actuator><position joint='p' inheritrange='1'/></actuator>");
    assert_eq!(only_actuator(&inherited).control_range, [-1.0, 2.0]);
}

/// By hand: a sphere of 1 kg on a slide, kp = 4, ζ = 1: kd = 2 √(4 · 1) = 4.
#[test]
fn damping_ratios_become_dampings() {
    let model = read(
        "<mujoco><worldbody><body><joint name='s' type='slide'/><geom size='.1' mass='1'/></body></worldbody>
         <actuator><position joint='s' kp='4' dampratio='1'/></actuator></mujoco>",
    );
    assert_eq!(only_actuator(&model).control, Control::Position { kp: 4.0, kd: 4.0 });
}

/// Two fingers that an equality ties together: a tendon over both is a gear on one, ½ + ½ = 1.
#[test]
fn a_tendon_over_coupled_joints_drives_the_leader() {
    let sections = |equality: &str| {
        format!(
            "<tendon><fixed name='t'><joint joint='p' coef='.5'/><joint joint='r' coef='.5'/></fixed></tendon>
             {equality}<actuator><position name='m' tendon='t' kp='3'/></actuator>"
        )
    };
    let tied = chain(&sections("<equality><joint joint1='p' joint2='r'/></equality>"));
    let motor = only_actuator(&tied);
    assert_eq!(motor.coordinate(), Some((tied.joint_id("r").unwrap(), 0)));
    assert_eq!(motor.gear, 1.0);
    let loose = chain(&sections(""));
    let motor = only_actuator(&loose);
    assert_eq!(motor.target, Target::tendon(loose.tendon_id("t").unwrap()));
    assert_eq!(listed(&loose, "several coordinates"), usize::from(!Feature::TendonDrive.simulated()));
}

#[test]
fn actuators_without_counterpart_are_listed_with_a_reason() {
    let model = chain(
        "<actuator><general joint='p' dyntype='user'/><muscle joint='q'/>
           <dcmotor joint='p' motorconst='.1' resistance='1' input='pos vel'/><adhesion body='world' ctrlrange='0 1'/>
           <general joint='p' dyntype='filter' actdim='2'/></actuator>",
    );
    assert_eq!(model.actuators().len(), 0);
    for words in ["internal state", "without lengthrange", "with this input", "sticky", "several states"] {
        assert_eq!(listed(&model, words), 1, "{words}");
    }
}

/// Of filters the exact solution is taken; what is integrated is no target of a position drive any more.
#[test]
fn states_between_control_and_effort_are_kept() {
    let model = chain(
        "<actuator><position name='a' joint='p' kp='3' timeconst='.1'/>
           <intvelocity name='b' joint='p' kp='5' kv='1' actrange='-1 2'/>
           <cylinder name='c' joint='p' timeconst='.2' area='2'/>
           <general name='d' joint='p' dyntype='filterexact' dynprm='.3' actearly='true'/>
           <general name='e' joint='p' dyntype='integrator' ctrlrange='-1 1'/>
           <general name='f' joint='p' dyntype='filter' dynprm='0'/></actuator>
         <keyframe><key name='k' act='.1 .2 .3 .4 .5 .6'/></keyframe>",
    );
    let motor = |name: &str| &model.actuators()[model.actuator_id(name).unwrap().index()];
    let state = |name: &str| motor(name).activation;
    assert_eq!(state("a"), Some(Activation::filter(0.1)));
    assert_eq!(motor("a").control, Control::Position { kp: 3.0, kd: 0.0 });
    assert_eq!(state("b"), Some(Activation::integral().range(-1.0, 2.0)));
    assert_eq!(motor("b").control, Control::Affine { gain: 5.0, bias: [0.0, -5.0, -1.0] });
    assert_eq!(state("c"), Some(Activation::filter(0.2)));
    assert_eq!(state("d"), Some(Activation { early: true, ..Activation::filter(0.3) }));
    assert_eq!((state("e"), motor("e").control_range), (Some(Activation::integral()), [-1.0, 1.0]));
    assert_eq!(state("f"), None);
    let key = &model.keyframes()[0];
    let said: Vec<f64> = key.activations.iter().map(|(_, value)| *value).collect();
    assert_eq!(said, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
}

/// A rotor of 0.5 kg·m² and 0.2 N·m·s behind a gear of 3: 4.5 and 1.8 on the joint, besides its own (MuJoCo has the same mass matrix).
#[test]
fn a_rotor_behind_a_gear_adds_to_its_joint() {
    let bare = chain("<actuator><motor joint='p' gear='3'/></actuator>");
    let model = chain("<actuator><motor joint='p' gear='3' armature='.5' damping='.2'/></actuator>");
    let dof = |model: &Model| model.joints()[model.joint_id("p").unwrap().index()].dofs[0];
    assert!((dof(&model).armature - dof(&bare).armature - 4.5).abs() < 1e-12);
    assert!((dof(&model).damping - dof(&bare).damping - 1.8).abs() < 1e-12);
}

#[test]
fn contact_groups_pairs_and_exclusions_are_kept() {
    let model = read(
        "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1' contype='4' conaffinity='2'/>
           <body name='a'><freejoint/><geom name='ga' size='.1' contype='0' conaffinity='0'/></body>
           <body name='b'><freejoint/><geom name='gb' size='.1' contype='0' conaffinity='0'/></body></worldbody>
         <contact><pair geom1='ga' geom2='floor'/><exclude body1='a' body2='b'/></contact></mujoco>",
    );
    let shape = |name: &str| &model.shapes()[model.shape_id(name).unwrap().index()];
    assert_eq!((shape("floor").group, shape("floor").mask), (4, 2));
    assert_eq!((shape("ga").collides, shape("ga").group), (true, 0));
    assert!(!shape("gb").collides);
    assert!(matches!(model.filters()[0], ContactFilter::Pair { .. }));
    assert!(matches!(model.filters()[1], ContactFilter::Exclude { .. }));
}

#[test]
fn the_contact_dimension_says_which_frictions_count() {
    let frictions = |condim: u32| {
        let text = format!(
            "<mujoco><worldbody><body><freejoint/><geom size='.1' condim='{condim}' friction='.8 .02 .003'/></body></worldbody></mujoco>"
        );
        let material = read(&text).shapes()[0].material;
        [material.sliding, material.torsional, material.rolling]
    };
    assert_eq!(frictions(1), [0.0, 0.0, 0.0]);
    assert_eq!(frictions(3), [0.8, 0.0, 0.0]);
    assert_eq!(frictions(4), [0.8, 0.02, 0.0]);
    assert_eq!(frictions(6), [0.8, 0.02, 0.003]);
}

/// MuJoCo's own sizes, by its documentation: gyro 3, touch 1, jointpos 1, actuatorpos 1, framepos 3, framequat 4, axes 3.
#[test]
fn sensors_give_as_many_numbers_as_in_mujoco() {
    let model = chain(
        "<actuator><motor name='m' joint='q'/></actuator>
         <sensor><gyro name='g' site='sa' cutoff='5'/><touch name='t' site='sa' cutoff='7'/><jointpos name='j' joint='p'/>
           <jointvel name='jv' joint='p'/><actuatorpos name='m' actuator='m'/><actuatorfrc name='mf' actuator='m'/>
           <framepos name='f' objtype='site' objname='sb'/><framequat name='fq' objtype='site' objname='sb' cutoff='1'/>
           <framezaxis name='fz' objtype='body' objname='b'/><framelinvel name='v' objtype='xbody' objname='b'/>
           <frameangvel name='w' objtype='xbody' objname='b' reftype='site' refname='sa'/>
           <subtreecom name='c' body='world'/><e_kinetic name='e'/><clock name='now'/>
           <magnetometer name='n' site='sa'/><user name='u' dim='3'/></sensor>",
    );
    let sensor = |name: &str| &model.sensors()[model.sensor_id(name).unwrap().index()];
    let count = |name: &str| {
        let sensor = sensor(name);
        sensor.show.count(sensor.kind.count(model.joints())).unwrap()
    };
    let sizes = [
        ("g", 3),
        ("t", 1),
        ("j", 1),
        ("jv", 1),
        ("m", 1),
        ("mf", 1),
        ("f", 3),
        ("fq", 4),
        ("fz", 3),
        ("v", 3),
    ];
    let more = [("w", 3), ("c", 3), ("e", 1), ("now", 1), ("n", 3)];
    for (name, expected) in sizes.into_iter().chain(more) {
        assert_eq!(count(name), expected, "{name}");
    }
    let kind = |name: &str| &sensor(name).kind;
    assert_eq!(sensor("g").show.part, Part::Numbers { first: 3, count: 3 });
    assert!(matches!(kind("t"), SensorKind::Touch { zone, .. } if *zone == Zone::ball(0.02)));
    assert!(matches!(kind("j"), SensorKind::JointState(joint) if joint.id() == model.joint_id("p").unwrap()));
    assert!(matches!(kind("m"), SensorKind::ActuatorState(a) if a.id() == model.actuator_id("m").unwrap()));
    assert!(matches!(kind("f"), SensorKind::FramePose(Frame::Site(_))));
    assert!(matches!(kind("w"), SensorKind::RelativeVelocity { .. }));
    assert!(matches!(kind("c"), SensorKind::Subtree(Link::World)));
    // real numbers are cut on both sides, those that are never negative above only, rotations never
    assert_eq!(sensor("g").show.bounds, [-5.0, 5.0]);
    assert_eq!(sensor("t").show.bounds, [f64::NEG_INFINITY, 7.0]);
    assert_eq!(sensor("fq").show.bounds, [f64::NEG_INFINITY, f64::INFINITY]);
    assert_eq!(listed(&model, "\"cutoff\" of <framequat> has no effect"), 1);
    assert_eq!(listed(&model, "there is no user sensor here"), 1);
}

/// Axes x, z, y are left-handed as three slides: our third coordinate is the negative of the file's.
#[test]
fn keyframes_follow_the_coordinates_of_the_model() {
    let model = read(
        "<mujoco><worldbody>
           <body><joint type='slide' axis='1 0 0' name='x'/><joint type='slide' axis='0 0 1' name='z'/>
             <joint type='slide' axis='0 1 0' name='y' range='-1 3'/><geom size='.1'/></body>
           <body name='f'><freejoint name='root'/><geom size='.1'/></body></worldbody>
         <actuator><motor joint='x'/><adhesion body='world' ctrlrange='0 1'/><motor name='last' joint='y'/></actuator>
         <keyframe><key name='home' qpos='1 2 3 4 5 6 0 0 0 2' ctrl='7 8 9'/></keyframe></mujoco>",
    );
    let key = &model.keyframes()[0];
    assert_eq!(key.joints[0].1, [1.0, 2.0, -3.0]);
    assert_eq!(key.joints[1].1, [4.0, 5.0, 6.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(key.controls.iter().map(|c| c.1).collect::<Vec<_>>(), [7.0, 9.0]);
    assert_eq!(joint(&model, "x+z+y").dofs[2].limits, [-3.0, 1.0]);
    assert_eq!(model.actuators()[1].gear, -1.0);
}

#[test]
fn options_say_gravity_and_step() {
    let tree = "<worldbody><body><freejoint/><geom size='.1'/></body></worldbody>";
    let model =
        read(&format!("<mujoco><option timestep='.01' gravity='0 0 -1.6' cone='elliptic'/>{tree}</mujoco>"));
    assert_eq!((model.time_step(), model.gravity().z), (0.01, -1.6));
    let floating =
        read(&format!("<mujoco><option><flag gravity='disable' contact='disable'/></option>{tree}</mujoco>"));
    assert_eq!(floating.gravity(), Vec3::zero());
    assert!(!floating.shapes()[0].collides);
}

#[test]
fn softness_is_listed_once_and_slips_of_the_pen_each() {
    let model = read(
        "<mujoco><worldbody><body gravcomp='1'><freejoint/><geom size='.1' solref='.01 1'/><geom size='.1' solimp='.9 .9 .01'/>
           <geom size='.1' frction='1'/></body></worldbody></mujoco>",
    );
    assert_eq!(listed(&model, "ours are hard"), 1);
    assert_eq!(listed(&model, "(2 times"), 1);
    assert_eq!(listed(&model, "\"frction\" is not known"), 1);
    let carried = usize::from(!Feature::GravityCompensation.simulated());
    assert_eq!(listed(&model, "gravity compensation"), carried);
}

/// Fewer numbers than coordinates: the others are those of the reference pose, and it is told. A quaternion of zeros turns
/// nothing, as in MuJoCo.
#[test]
fn short_keyframes_are_completed_and_zero_quaternions_turn_nothing() {
    let model = read(
        "<mujoco><compiler angle='radian'/><worldbody>\
           <body name='b' pos='0 0 2'><freejoint name='f'/><geom size='.1'/>\
             <body name='c'><joint name='h' ref='4'/><geom size='.1'/></body></body></worldbody>\
         <keyframe><key name='short' qpos='1 2'/><key name='zero' qpos='0 0 1 0 0 0 0 9'/></keyframe></mujoco>",
    );
    let said = |k: usize, joint: &str| {
        let id = model.joint_id(joint).unwrap();
        let key = &model.keyframes()[k];
        key.joints.iter().find(|(other, _)| other.id() == id).unwrap().1.clone()
    };
    assert_eq!(said(0, "f"), [1.0, 2.0, 2.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(said(0, "h"), [4.0]);
    assert_eq!(said(1, "f"), [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(said(1, "h"), [9.0]);
    let why: Vec<&str> = model.ignored().iter().map(|i| i.why.as_str()).collect();
    assert_eq!(why, ["qpos has 2 of 8 numbers; the others are those of the reference pose"]);
}

/// `ref` beyond a half turn: the reference pose shows 4 − 2π, and the coordinate is 4, within its range.
#[test]
fn a_reference_beyond_a_half_turn_is_counted() {
    for reference in [4.0, -4.0, 20.0] {
        let [low, high] = [reference - 0.5, reference + 0.5];
        let model = read(&format!(
            "<mujoco><compiler angle='radian'/><worldbody><body name='b'>\
               <joint name='h' ref='{reference}' range='{low} {high}'/><geom size='.1'/></body></worldbody></mujoco>"
        ));
        let q = model.reference_coordinates(model.joint_id("h").unwrap())[0];
        assert!((q - reference).abs() < 1e-12, "{q} instead of {reference}");
        assert!(!model.warnings().iter().any(|w| w.text.contains("outside its range")), "{reference}");
        // and there and back
        let again = read(&bellcrank_import::to_mjcf(&model).text);
        let q = again.reference_coordinates(again.joint_id("h").unwrap())[0];
        assert!((q - reference).abs() < 1e-9, "{q} instead of {reference} after a round trip");
    }
}

/// A picture covers what says where its corners lie in it; the colour of the geom or of its material tints it. An OBJ file counts
/// from the bottom, an element from the top as the picture does.
#[test]
fn pictures_cover_meshes_that_have_places_for_them() {
    let mut options = Options::default();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 1, 2);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&[255, 0, 0, 0, 0, 255]).unwrap();
    options.memory.insert("skin.png".into(), bytes);
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0.25\nf 1/1 2/2 3/1\nf 1/1 2/2 4/2\n";
    options.memory.insert("skin.obj".into(), obj.into());
    options.memory.insert("bare.obj".into(), obj.replace("/1", "").replace("/2", "").into());
    let text = "<mujoco><asset><texture name='skin' type='2d' file='skin.png' vflip='true'/>
           <texture name='cube' file='skin.png'/>
           <material name='skin' texture='skin' rgba='1 .5 1 1' texrepeat='3 2'/><material name='cube' texture='cube'/>
           <mesh name='skin' file='skin.obj'/><mesh name='bare' file='bare.obj'/>
           <mesh name='own' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 2 0 1 3' texcoord='0 0 .5 0 0 .25 1 1'/></asset><worldbody>
           <geom name='a' type='mesh' mesh='skin' material='skin' contype='0' conaffinity='0'/>
           <geom name='b' type='mesh' mesh='own' material='skin' rgba='0 1 0 1' contype='0' conaffinity='0'/>
           <geom name='c' type='mesh' mesh='bare' material='skin' contype='0' conaffinity='0'/>
           <geom name='d' type='mesh' mesh='skin' material='cube' contype='0' conaffinity='0'/>
           <geom name='e' type='mesh' mesh='skin' material='skin'/>
         </worldbody></mujoco>";
    let model = loads(text, Format::Mjcf, &options).unwrap_or_else(|error| panic!("{error}"));
    let shape = |name: &str| &model.shapes()[model.shape_id(name).unwrap().index()];
    let picture = shape("a").texture.as_ref().unwrap();
    assert_eq!((picture.repeat, picture.at([0.0, 0.1])), ([3.0, 2.0], [0, 0, 255])); // upside down
    assert_eq!((shape("a").color, shape("b").color), ([1.0, 0.5, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]));
    let places = |name: &str| match &shape(name).geometry {
        Geometry::TriangleMesh(mesh) | Geometry::ConvexMesh(mesh) => mesh.uvs.clone(),
        _ => panic!(),
    };
    assert_eq!(places("a")[1], [[0.0, 1.0], [1.0, 0.75], [1.0, 0.75]]);
    assert_eq!(places("b")[1], [[0.0, 0.0], [0.5, 0.0], [1.0, 1.0]]);
    assert!(
        Arc::ptr_eq(shape("b").texture.as_ref().unwrap(), picture)
            || shape("b").texture == shape("a").texture
    );
    // no places, six sides in place of one, and a hull: the mean
    assert!(["c", "d", "e"].iter().all(|name| shape(name).texture.is_none()));
    assert_eq!((shape("c").color, shape("d").color), ([0.5, 0.0, 0.5, 1.0], [0.5, 0.0, 0.5, 1.0]));
    assert_eq!(listed(&model, "drawn in their mean colour"), 1); // once for both
    // written and read again, everything is where it was
    let exported = to_mjcf(&model);
    let back = Options { memory: exported.files.clone(), ..Options::default() };
    let back = loads(&exported.text, Format::Mjcf, &back)
        .unwrap_or_else(|error| panic!("{error}\n{}", exported.text));
    for (shape, again) in model.shapes().iter().zip(back.shapes()) {
        assert_eq!((&shape.texture, shape.color), (&again.texture, again.color), "{}", shape.name);
        let uvs = |shape: &Shape| match &shape.geometry {
            Geometry::TriangleMesh(mesh) => mesh.uvs.clone(),
            _ => Vec::new(),
        };
        assert_eq!(uvs(shape), uvs(again), "{}", shape.name);
    }
}

/// A camera's place, its angle by degrees or by 2 atan(h/2f), and how it moves; what it looks at may be part of another body.
#[test]
fn cameras_are_where_the_file_has_them() {
    let model = read(
        "<mujoco><compiler angle='radian'/><default><camera fovy='60'/></default><worldbody>
           <camera name='tripod' pos='0 -3 1' xyaxes='1 0 0 0 0 1' fovy='30'/>
           <body name='a' pos='0 0 1'><freejoint/><geom size='.1'/><camera mode='track' pos='1 0 0'/>
             <body name='tip' pos='0 0 .5'><geom size='.1'/></body></body>
           <body name='b'><freejoint/><geom size='.1'/>
             <camera name='eye' mode='targetbody' target='tip' focal='.01 .02' sensorsize='.03 .04'/>
             <camera name='flat' mode='trackcom' projection='orthographic'/></body>
         </worldbody></mujoco>",
    );
    let camera = |name: &str| &model.cameras()[model.camera_id(name).unwrap().index()];
    let body = |name: &str| model.body_id(name).unwrap();
    assert_eq!((model.cameras().len(), camera("tripod").link.body()), (4, None));
    assert!((camera("tripod").field_of_view - 30.0_f64.to_radians()).abs() < 1e-15);
    let X = camera("tripod").pose(&model, |_| panic!("it hangs on nothing"));
    assert!((X.R.rotate(-Vec3::z_axis()) - Vec3::y_axis()).norm() < 1e-15); // it looks along y, and z is up
    assert!((X.R.rotate(Vec3::y_axis()) - Vec3::z_axis()).norm() < 1e-15);
    let unnamed: &Camera = &model.cameras()[1];
    assert_eq!(
        (unnamed.name.as_str(), &unnamed.mode, unnamed.link.body()),
        ("camera_1", &CameraMode::Track, Some(body("a")))
    );
    assert!((unnamed.field_of_view - 60.0_f64.to_radians()).abs() < 1e-15);
    assert_eq!(camera("eye").mode, CameraMode::Target(body("a").into()));
    assert!((camera("eye").field_of_view - 2.0 * 1.0_f64.atan()).abs() < 1e-15);
    assert_eq!((&camera("flat").mode, listed(&model, "perspective")), (&CameraMode::TrackCenterOfMass, 1));
}

/// White unless said, times the mean of the texture: of a checker the middle of its two colours.
#[test]
fn what_is_painted_has_the_colour_of_its_material_and_texture() {
    let model = read(
        "<mujoco><asset><texture name='board' type='2d' builtin='checker' rgb1='.2 .4 .6' rgb2='.4 .6 1' width='8' height='8'/>
           <texture name='photo' type='2d' file='not_there.png'/>
           <material name='painted' texture='board'/><material name='tinted' texture='board' rgba='.5 1 .5 .25'/>
           <material name='plain' rgba='1 0 0 1'/><material name='white'/><material name='lost' texture='photo' rgba='0 1 0 1'/></asset>
         <worldbody><geom name='a' size='1' material='painted'/><geom name='b' size='1' material='tinted'/>
           <geom name='c' size='1' material='plain'/><geom name='d' size='1' material='white'/>
           <geom name='e' size='1' material='painted' rgba='0 0 1 1'/><geom name='f' size='1' material='lost'/></worldbody></mujoco>",
    );
    let color = |name: &str| model.shapes()[model.shape_id(name).unwrap().index()].color;
    let near = |a: [f32; 4], b: [f32; 4]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
    assert!(near(color("a"), [0.3, 0.5, 0.8, 1.0]), "{:?}", color("a"));
    assert!(near(color("b"), [0.15, 0.5, 0.4, 0.25]), "{:?}", color("b"));
    assert_eq!(color("c"), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(color("d"), [1.0; 4]);
    assert_eq!(color("e"), [0.0, 0.0, 1.0, 1.0]);
    assert_eq!(color("f"), [0.0, 1.0, 0.0, 1.0]);
    assert_eq!(listed(&model, "mean colour is taken as white"), 1);
    assert_eq!(listed(&model, "drawn in their mean colour"), 1);
}
