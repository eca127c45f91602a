//! MJCF: tendons, what actuators move, effort ranges, gravity compensation, velocities of keyframes, and their way
//! back through an export.

use bellcrank_import::{Format, Options, loads, to_mjcf};
use bellcrank_model::{ActivationLaw, CombineRule, Control, DcMotor, Dof, Model, SensorKind, Target};

fn read(text: &str) -> Model {
    loads(text, Format::Mjcf, &Options::new()).unwrap_or_else(|error| panic!("{error}"))
}

/// Two hinges p and q on the world, a free body, and these sections.
fn hand(sections: &str) -> Model {
    read(&format!(
        "<mujoco><compiler angle='radian'/><worldbody>
           <body name='a' gravcomp='.5'><joint name='p' axis='0 1 0' springref='.2' actuatorfrcrange='-1 2'/>
             <geom name='ga' size='.1' mass='1' priority='3'/><site name='sa'/></body>
           <body name='b' pos='1 0 0'><joint name='q' axis='0 1 0' springref='.1'/><geom size='.1' mass='1'/></body>
           <body name='f' pos='0 0 1' quat='0 0 0 1'><freejoint name='root'/><geom size='.1' mass='1'/>
             <site name='jet'/></body>
         </worldbody>{sections}</mujoco>"
    ))
}

const TENDON: &str = "<tendon><fixed name='t' range='-1 1' damping='.3' stiffness='5' frictionloss='.1'>
    <joint joint='p' coef='2'/><joint joint='q' coef='-3'/></fixed></tendon>";

#[test]
fn a_fixed_tendon_is_a_sum_with_its_own_limits_and_spring() {
    let model = hand(TENDON);
    let tendon = &model.tendons()[0];
    let terms: Vec<(usize, f64)> =
        tendon.terms.iter().map(|t| (t.joint.id().index(), t.coefficient)).collect();
    assert_eq!(terms, [(0, 2.0), (1, -3.0)]);
    let Dof { limits, damping, friction, spring, .. } = tendon.dof;
    assert_eq!((limits, damping, friction), ([-1.0, 1.0], 0.3, 0.1));
    // the length at which both joints' springs rest: 2 · 0.2 − 3 · 0.1
    let spring = spring.unwrap();
    assert!((spring.rest - 0.1).abs() < 1e-15 && spring.stiffness == 5.0);
    assert!(model.ignored().is_empty(), "{:?}", model.ignored());
}

#[test]
fn actuators_keep_what_they_move() {
    let sections = "<actuator><position name='winch' tendon='t' kp='4' gear='2' inheritrange='1'/>
        <motor name='jet' site='jet' gear='0 0 1 0 0 .1' ctrlrange='0 9'/>
        <motor name='uneven' joint='p' forcerange='-2 7'/><motor name='even' joint='p' forcerange='-3 3'/></actuator>";
    let model = hand(&format!("{TENDON}{sections}"));
    let [winch, jet, uneven, even] = model.actuators() else { panic!("{:?}", model.actuators()) };
    assert_eq!((&winch.target, winch.gear), (&Target::tendon(model.tendon_id("t").unwrap()), 2.0));
    assert_eq!(winch.control_range, [-1.0, 1.0]);
    let at = model.site_id("jet").unwrap();
    assert_eq!(jet.target, Target::site(at, [0.0, 0.0, 1.0, 0.0, 0.0, 0.1]));
    assert_eq!((uneven.effort_limit, uneven.effort_range), (7.0, [-2.0, 7.0]));
    assert_eq!((even.effort_limit, even.effort_bounds()), (3.0, [-3.0, 3.0]));
    assert_eq!(model.joints()[0].dofs[0].effort_range, [-1.0, 2.0]);
}

#[test]
fn weights_that_are_carried_and_materials_that_win_are_kept() {
    let model = hand("");
    assert_eq!(model.bodies()[0].gravity_compensation, 0.5);
    assert_eq!(model.shapes()[model.shape_id("ga").unwrap().index()].priority, 3);
    assert_eq!(model.material_rules().friction, CombineRule::Maximum);
    // a body of 1 kg carried by half and a welded one of 3 kg not carried: 0.5 / 4 of the whole
    let welded = read(
        "<mujoco><worldbody><body name='a' gravcomp='.5'><freejoint/><geom size='.1' mass='1'/>
           <body><geom size='.1' mass='3'/></body></body></worldbody></mujoco>",
    );
    assert_eq!(welded.bodies()[0].gravity_compensation, 0.125);
}

/// The free body stands turned by 180° about z: its own x axis is the world's −x.
#[test]
fn velocities_of_keyframes_are_told_in_the_axes_of_the_model() {
    let model = hand("<keyframe><key name='k' qvel='1 2 3 4 5 6 0 7'/></keyframe>");
    let key = &model.keyframes()[0];
    let of = |name: &str| {
        let id = model.joint_id(name).unwrap();
        &key.velocities.iter().find(|(joint, _)| joint.id() == id).unwrap().1
    };
    assert_eq!((of("p"), of("q")), (&vec![1.0], &vec![2.0]));
    let expected = [3.0, 4.0, 5.0, -6.0, 0.0, 7.0];
    assert!(of("root").iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{:?}", of("root"));
}

/// A hinge, a ball and a free body, each somewhere and moving.
#[test]
fn an_export_brings_keyframes_back() {
    let model = read(
        "<mujoco><compiler angle='radian'/><worldbody>
           <body name='a' euler='.1 .2 .3'><joint name='p' axis='0 1 0' ref='.4'/><geom size='.1' mass='1'/>
             <body name='b' pos='1 0 0' euler='.3 0 0'><joint name='ball' type='ball' pos='0 0 .1'/><geom size='.1' mass='1'/></body></body>
           <body name='f' pos='0 0 1' euler='1 0 0'><freejoint name='root'/><geom size='.1' mass='1'/></body></worldbody>
         <actuator><motor name='m' joint='p'/></actuator>
         <keyframe><key name='k' qpos='.7 .5 .5 -.5 .5 1 2 3 .6 0 .8 0' qvel='1 2 3 4 5 6 7 8 9 10' ctrl='3'/></keyframe></mujoco>",
    );
    let exported = to_mjcf(&model);
    assert!(exported.left_out.is_empty(), "{:?}", exported.left_out);
    let back = read(&exported.text);
    let (one, other) = (&model.keyframes()[0], &back.keyframes()[0]);
    assert_eq!(one.controls, other.controls);
    for (mine, theirs) in [(&one.joints, &other.joints), (&one.velocities, &other.velocities)] {
        assert_eq!(mine.len(), theirs.len());
        for ((joint, values), (_, others)) in mine.iter().zip(theirs) {
            let name = &model.joints()[joint.id().index()].name;
            let apart = values.iter().zip(others).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-12, "{name}: {values:?} {others:?}");
        }
    }
}

#[test]
fn an_export_brings_all_of_it_back() {
    let sections = "<actuator><position name='winch' tendon='t' kp='4' gear='2'/>
        <motor name='jet' site='jet' refsite='sa' gear='0 0 1 0 0 .1'/><motor name='m' joint='p' forcerange='-2 7'/></actuator>
      <sensor><velocimeter name='s1' site='sa'/><force name='s2' site='sa'/><rangefinder name='s3' site='sa'/>
        <jointactuatorfrc name='s4' joint='p'/><actuatorfrc name='s5' actuator='m'/><tendonpos name='s6' tendon='t'/>
        <subtreecom name='s7' body='a'/><clock name='s8'/><framelinacc name='s9' objtype='site' objname='sa'/>
        <framepos name='s10' objtype='site' objname='sa' reftype='site' refname='jet'/></sensor>";
    let model = hand(&format!("{TENDON}{sections}"));
    let exported = to_mjcf(&model);
    assert!(exported.left_out.is_empty(), "{:?}", exported.left_out);
    let back = read(&exported.text);
    assert_eq!(model.tendons().len(), back.tendons().len());
    assert_eq!(model.tendons()[0].dof, back.tendons()[0].dof);
    for (one, other) in model.actuators().iter().zip(back.actuators()) {
        assert_eq!((&one.target, one.gear), (&other.target, other.gear), "{}", one.name);
        assert_eq!(
            (one.control, one.effort_bounds()),
            (other.control, other.effort_bounds()),
            "{}",
            one.name
        );
    }
    assert_eq!(back.bodies()[0].gravity_compensation, 0.5);
    assert_eq!(back.shapes()[0].priority, 3);
    assert_eq!(back.joints()[0].dofs[0].effort_range, [-1.0, 2.0]);
    for sensor in model.sensors() {
        let same = |kind: &SensorKind| std::mem::discriminant(kind) == std::mem::discriminant(&sensor.kind);
        assert!(back.sensors().iter().any(|s| same(&s.kind)), "{:?}", sensor);
    }
}

/// Over the range of 2 rad the muscle goes from 0.75 to 1.05 optimal lengths: 2/0.3 rad each, and the tendon has what
/// is left of −1 rad.
/// |M⁻¹ wᵀ| of a point of 1 kg at 1 m with a gear of 2 is 2, so that the force is 200/2.
#[test]
fn muscles_know_their_lengths_and_their_strength() {
    let one = |limits: &str, muscle: &str| {
        read(&format!(
            "<mujoco><compiler angle='radian'/><worldbody><body><joint name='p' axis='0 1 0' {limits}/>
               <inertial pos='1 0 0' mass='1' diaginertia='1e-9 1e-9 1e-9'/><geom size='.1' mass='1'/></body></worldbody>
             <actuator><muscle name='m' joint='p' {muscle}/></actuator></mujoco>"
        ))
    };
    for model in [one("", "gear='2' lengthrange='-1 1'"), one("range='-.5 .5'", "gear='2'")] {
        assert!(model.ignored().is_empty(), "{:?}", model.ignored());
        let Control::Muscle(muscle) = model.actuators()[0].control else { panic!("a muscle") };
        let hand = [100.0, 2.0 / 0.3, -1.0 - 0.75 * 2.0 / 0.3, 0.5, 1.6, 1.5, 1.3, 1.2];
        let apart = muscle.numbers().iter().zip(hand).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-6, "{muscle:?}");
        let law = model.actuators()[0].activation.unwrap().law;
        assert_eq!(law, ActivationLaw::Muscle { times: [0.01, 0.04], smooth: 0.0 });
    }
}

/// K = 24/300, R = K · 24/0.5; a saturation of 2 A is 2 K N·m.
#[test]
fn electric_motors_are_told_by_their_sheets_or_their_constants() {
    let motor = |said: &str| hand(&format!("<actuator><dcmotor name='m' joint='p' {said}/></actuator>"));
    let model = motor("nominal='24 .5 300' saturation='0 2'");
    let Control::Voltage(DcMotor { constant, resistance, .. }) = model.actuators()[0].control else {
        panic!("a voltage")
    };
    assert!((constant - 0.08).abs() < 1e-12 && (resistance - 3.84).abs() < 1e-12);
    assert_eq!(model.actuators()[0].effort_bounds(), [-0.16, 0.16]);
    let model =
        motor("motorconst='.04 .09' resistance='2' inductance='.01' saturation='0 0 7' cogging='.1 6 .3'");
    let expected = DcMotor { constant: 0.06, resistance: 2.0, cogging: [0.1, 6.0, 0.3] };
    assert_eq!(model.actuators()[0].control, Control::Voltage(expected));
    let law = model.actuators()[0].activation.unwrap().law;
    assert_eq!(law, ActivationLaw::Current { time: 0.005, rate: 7.0 });
    for (said, told) in
        [("thermal='1 2'", "thermal"), ("lugre='1 2 3'", "lugre"), ("controller='1'", "controller")]
    {
        let model = motor(&format!("motorconst='.1' resistance='2' {said}"));
        assert!(model.ignored().iter().any(|ignored| ignored.why.contains(told)), "{:?}", model.ignored());
    }
}

#[test]
fn an_export_brings_laws_of_their_own_back() {
    let model = hand(
        "<actuator><muscle name='a' joint='p' lengthrange='-1 1' force='10' tausmooth='.1'/>
           <dcmotor name='b' joint='q' motorconst='.1' resistance='2' inductance='.01' saturation='1 0 9' cogging='.1 6 .3'/>
           <dcmotor name='c' joint='q' motorconst='.1' resistance='2'/>
           <damper name='d' joint='q' kv='3' ctrlrange='0 2'/><adhesion name='e' body='f' gain='7' ctrlrange='0 2'/></actuator>",
    );
    let exported = to_mjcf(&model);
    assert!(exported.left_out.is_empty(), "{:?}", exported.left_out);
    let back = read(&exported.text);
    assert_eq!(model.actuators().len(), 5);
    assert_eq!(model.actuators()[4].target, Target::body(model.body_id("f").unwrap()));
    assert_eq!(back.actuators()[4].target, model.actuators()[4].target);
    for (one, other) in model.actuators().iter().zip(back.actuators()) {
        assert_eq!((one.activation, one.effort_bounds()), (other.activation, other.effort_bounds()));
        match (one.control, other.control) {
            (Control::Muscle(one), Control::Muscle(other)) => {
                let pairs = one.numbers().into_iter().zip(other.numbers());
                assert!(pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-9, "{one:?} {other:?}");
            }
            (one, other) => assert_eq!(one, other),
        }
    }
}

/// A capsule of 0.1 m and half length 0.2 m is met as an ellipsoid of 0.1, 0.1, 0.3 m; coefficients that are not said
/// are the usual ones.
#[test]
fn geoms_in_air_are_ellipsoids_and_come_back() {
    let model = read(
        "<mujoco><option density='1.2'/><worldbody><body><freejoint/><geom name='a' type='capsule' size='.1 .2' fluidshape='ellipsoid' fluidcoef='.6 .3'/>
           <geom name='b' type='box' size='.1 .2 .3'/></body></worldbody></mujoco>",
    );
    let check = |model: &Model| {
        assert!(model.ignored().is_empty(), "{:?}", model.ignored());
        let own = |name: &str| model.shapes()[model.shape_id(name).unwrap().index()].in_medium;
        let capsule = own("a").unwrap();
        assert_eq!(capsule.coefficients, [0.6, 0.3, 1.5, 1.0, 1.0]);
        assert!((capsule.radii - bellcrank_math::Vec3::new(0.1, 0.1, 0.3)).norm() < 1e-12);
        assert_eq!(own("b"), None);
    };
    check(&model);
    let exported = to_mjcf(&model);
    assert!(exported.left_out.is_empty(), "{:?}", exported.left_out);
    check(&read(&exported.text));
}
