//! Small files of the kind that robots come in, each of which was once read wrongly or refused without need.
//!
//! What is compared with MuJoCo number by number lies in `mjcf/cases/`; here are the laws that need no other program.

use bellcrank_import::{Format, ImportError, Options, loads, to_mjcf, to_urdf};
use bellcrank_math::Vec3;
use bellcrank_model::{ContactFilter, Geometry, Model, SensorKind, Zone};

fn read(text: &str) -> Result<Model, ImportError> {
    loads(text, Format::Mjcf, &Options::default())
}

fn with_files(text: &str, files: &[(&str, &str)]) -> Result<Model, ImportError> {
    let options =
        files.iter().fold(Options::default(), |options, (name, text)| options.file(*name, text.as_bytes()));
    loads(text, Format::Mjcf, &options)
}

fn said(model: &Model) -> Vec<&str> {
    model.ignored().iter().map(|ignored| ignored.why.as_str()).collect()
}

/// A capsule along x from 0 to 1: its centre is at ½, and its principal axes have the small moment last, along x.
#[test]
fn free_bodies_that_ask_are_counted_from_their_principal_axes() {
    for (compiler, joint) in
        [("", "<freejoint align='true'/>"), ("<compiler alignfree='true'/>", "<freejoint/>")]
    {
        let text = format!(
            "<mujoco>{compiler}<worldbody><body name='b' pos='0 0 1'>{joint}
               <geom type='capsule' size='.1' fromto='0 0 0 1 0 0'/><site name='s' pos='.5 0 0'/></body></worldbody>
             <keyframe><key name='k' qpos='0 0 1 1 0 0 0'/></keyframe></mujoco>"
        );
        let model = read(&text).unwrap();
        let body = &model.bodies()[0];
        assert!((body.X_WL.p - Vec3::new(0.5, 0.0, 1.0)).norm() < 1e-12, "{:?}", body.X_WL);
        assert!(body.com.norm() < 1e-12, "{:?}", body.com);
        let moments = body.inertia.unwrap();
        assert!(moments.zz < 0.5 * moments.xx && (moments.xx - moments.yy).abs() < 1e-9, "{moments:?}");
        assert!(model.sites()[0].X_LS.p.norm() < 1e-12);
        assert!(said(&model).is_empty(), "{:?}", said(&model));
    }
}

const CHILD: &str =
    "<mujoco model='child'><worldbody><body name='torso'><freejoint name='root'/><geom size='.1'/>
    <body name='leg' pos='0 0 -.2'><joint name='j' axis='0 1 0'/><geom size='.05'/></body></body></worldbody>
    <actuator><motor name='m' joint='j' gear='2'/></actuator>
    <keyframe><key name='k' qpos='0 0 1 1 0 0 0 .3'/></keyframe></mujoco>";

#[test]
fn attached_models_bring_their_keyframes() {
    let text = "<mujoco><asset><model name='c' file='child.xml'/></asset><worldbody>
        <body name='first'><joint name='f'/><geom size='.1'/></body>
        <attach model='c' body='torso' prefix='a_'/></worldbody></mujoco>";
    let model = with_files(text, &[("child.xml", CHILD)]).unwrap();
    let key = &model.keyframes()[model.keyframe_id("a_k").unwrap().index()];
    let value = |joint: &str| {
        let id = model.joint_id(joint).unwrap();
        key.joints.iter().find(|(j, _)| j.id() == id).unwrap().1.clone()
    };
    assert_eq!(value("a_j"), [0.3]);
    assert_eq!(value("a_root"), [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(value("f"), [0.0]);
    assert!(said(&model).is_empty(), "{:?}", said(&model));
}

/// Two copies of a model have two motors, each on its own joint.
#[test]
fn copies_of_attached_models_keep_their_motors() {
    let text = "<mujoco><asset><model name='c' file='child.xml'/></asset><worldbody>
        <replicate count='2' offset='1 0 0' sep='-'><attach model='c' body='torso' prefix='a_'/></replicate>
        </worldbody></mujoco>";
    let model = with_files(text, &[("child.xml", CHILD)]).unwrap();
    let names: Vec<&str> = model.actuators().iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["a_m-0", "a_m-1"]);
    for (actuator, joint) in model.actuators().iter().zip(["a_j-0", "a_j-1"]) {
        assert_eq!(actuator.coordinate().map(|(j, _)| j), model.joint_id(joint));
        assert_eq!(actuator.gear, 2.0);
    }
}

#[test]
fn what_names_a_part_of_a_replicate_is_there_for_every_copy() {
    let scene = |more: &str| {
        format!(
            "<mujoco><worldbody><replicate count='2' offset='1 0 0' sep='-'><body name='leg'>
             <joint name='j' axis='0 1 0'/><geom size='.05'/></body></replicate></worldbody>{more}</mujoco>"
        )
    };
    let model =
        read(&scene("<actuator><motor name='m' joint='j'/><motor name='one' joint='j-0'/></actuator>"))
            .unwrap();
    let names: Vec<&str> = model.actuators().iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["one", "m-0", "m-1"]);
    let error = read(&scene("<actuator><motor name='m' joint='k'/></actuator>")).unwrap_err();
    assert!(error.to_string().contains("there is no joint \"k\""), "{error}");
}

#[test]
fn assets_may_lie_beside_the_file_that_names_them() {
    let main = "<mujoco><include file='sub/a/asset.xml'/><worldbody><body name='b'><freejoint/>
        <geom type='mesh' mesh='tet'/></body></worldbody></mujoco>";
    let asset = "<mujoco><asset><mesh name='tet' file='../geo/tet.obj'/></asset></mujoco>";
    let points = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    let files = [("sub/a/asset.xml", asset), ("sub/geo/tet.obj", points)];
    // points without faces are their hull: a sixth of a cube of water
    let model = with_files(main, &files).unwrap();
    assert!((model.mass() - 1000.0 / 6.0).abs() < 1e-9, "{}", model.mass());
    let error = with_files(main, &files[..1]).unwrap_err().to_string();
    assert!(error.contains("sub/a/asset.xml") || error.contains("mesh"), "{error}");
}

#[test]
fn a_missing_asset_is_told_with_the_files_that_it_was_looked_for_from() {
    let main =
        "<mujoco><include file='sub/asset.xml'/><worldbody><body name='b'><freejoint/><geom size='.1'/>
        <geom type='mesh' mesh='tet' mass='0'/></body></worldbody></mujoco>";
    let asset = "<mujoco><asset><mesh name='tet' file='none.obj'/></asset></mujoco>";
    let model = with_files(main, &[("sub/asset.xml", asset)]).unwrap();
    assert!(
        said(&model)[0].contains("\"none.obj\"") && said(&model)[0].contains("sub/asset.xml"),
        "{:?}",
        said(&model)
    );
}

#[test]
fn free_joints_may_inherit_a_limit() {
    let text = "<mujoco><default><joint limited='true'/></default><worldbody><body name='b'>
        <joint type='free' name='f'/><geom size='.1'/></body></worldbody></mujoco>";
    let model = read(text).unwrap();
    assert!(said(&model)[0].contains("\"limited\" of <joint> has no effect"), "{:?}", said(&model));
}

/// Empty numbers and names say nothing; an empty word is none of the format.
#[test]
fn empty_attributes_say_nothing() {
    let geom = |said: &str| {
        read(&format!(
            "<mujoco><worldbody><body><freejoint/><geom size='.1' {said}/></body></worldbody></mujoco>"
        ))
    };
    let plain = geom("").unwrap();
    for empty in ["rgba=''", "pos=' '", "quat=''", "friction=''", "mass=''", "name=''", "material=''"] {
        assert_eq!(geom(empty).unwrap().shapes()[0].color, plain.shapes()[0].color, "{empty}");
    }
    assert!(geom("type=''").is_err() && geom("class=''").is_err());
}

#[test]
fn keys_may_be_shorter_than_the_model() {
    let text = "<mujoco><worldbody><body name='b'><freejoint/><geom size='.1'/></body></worldbody>
        <keyframe><key name='k' qpos='0 0 1' qvel='0 0 1'/></keyframe></mujoco>";
    let model = read(text).unwrap();
    assert_eq!(model.keyframes()[0].joints[0].1, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(model.keyframes()[0].velocities[0].1, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn whole_turns_of_a_keyframe_are_kept() {
    let text = "<mujoco><worldbody><body name='a'><joint name='j' axis='0 0 1'/><geom size='.1' pos='.1 0 0'/></body>
        </worldbody><keyframe><key name='r' qpos='3.2'/><key name='t' qpos='10'/></keyframe></mujoco>";
    let model = read(text).unwrap();
    let values: Vec<f64> = model.keyframes().iter().map(|key| key.joints[0].1[0]).collect();
    assert_eq!(values, [3.2, 10.0]);
}

/// A pair touches whatever the groups say, and with its own surface: condim 6, friction 2, .01 and .0001.
#[test]
fn pairs_have_a_surface_of_their_own() {
    let scene = |pair: &str| {
        read(&format!(
            "<mujoco><worldbody><geom name='floor' type='plane' size='0 0 .05' contype='0' conaffinity='0'/>
             <body name='b' pos='0 0 .1'><freejoint/><geom name='s' size='.1' contype='0' conaffinity='0' friction='.5 .1 .2'/>
             </body></worldbody><contact><pair geom1='s' geom2='floor' {pair}/></contact></mujoco>"
        ))
        .unwrap()
    };
    let surface = |model: &Model| match model.filters()[0] {
        ContactFilter::Pair { surface, .. } => surface,
        _ => panic!("no pair"),
    };
    let own = scene("condim='6' friction='2 2 .01 .0001 .0001' margin='.02' gap='.01'");
    let material = surface(&own).material.unwrap();
    assert_eq!([material.sliding, material.torsional, material.rolling], [2.0, 0.01, 0.0001]);
    assert_eq!((surface(&own).margin, surface(&own).gap), (Some(0.02), Some(0.01)));
    assert!(said(&own).is_empty(), "{:?}", said(&own));
    // only the dimensions are said: the coefficients are the larger of the two geoms, sliding (.5, 1), torsional (.1, .005)
    let material = surface(&scene("condim='4'")).material.unwrap();
    assert_eq!([material.sliding, material.torsional, material.rolling], [1.0, 0.1, 0.0]);
    assert_eq!(surface(&scene("")).material, None);
    let uneven = scene("friction='2 1'");
    assert!(said(&uneven)[0].contains("friction that differs by direction"), "{:?}", said(&uneven));
}

#[test]
fn balls_with_springs_and_bounds_say_what_is_missing() {
    let text = "<mujoco><worldbody><body name='b'><joint type='ball' name='s' range='0 30' limited='true' stiffness='5'/>
        <geom size='.1' pos='.3 0 0'/></body></worldbody></mujoco>";
    let model = read(text).unwrap();
    assert_eq!(said(&model).len(), 2, "{:?}", said(&model));
}

/// Contacts that cannot be resolved are no reason to refuse a file.
#[test]
fn bodies_that_stand_in_each_other_load() {
    let text = "<mujoco><worldbody><geom name='l' type='box' size='.1 1 1' pos='-.18 0 0'/>
        <geom name='r' type='box' size='.1 1 1' pos='.18 0 0'/>
        <body name='b'><freejoint/><geom name='s' size='.1' mass='1'/></body></worldbody></mujoco>";
    assert_eq!(read(text).unwrap().shapes().len(), 3);
}

#[test]
fn scenes_without_bodies_are_scenes_of_static_shapes() {
    let model =
        read("<mujoco><worldbody><geom type='plane' size='1 1 1'/><geom size='.1'/></worldbody></mujoco>")
            .unwrap();
    assert_eq!((model.bodies().len(), model.shapes().len(), model.mobility()), (0, 2, 0));
}

#[test]
fn meshes_that_a_plugin_makes_are_told_as_such() {
    let text = "<mujoco><asset><mesh name='gear'><plugin plugin='mujoco.sdf.gear'/></mesh></asset><worldbody><body name='b'>
        <freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom type='sdf' mesh='gear'/></body></worldbody></mujoco>";
    let model = read(text).unwrap();
    assert!(said(&model).iter().any(|why| why.contains("made by a plugin")), "{:?}", said(&model));
    assert!(model.shapes().is_empty());
}

/// The site of a touch sensor may be a box, which is its sensitive zone.
#[test]
fn touch_sensors_have_the_zone_of_their_site() {
    let text = "<mujoco><worldbody><body><freejoint/><geom size='.1'/><site name='pad' type='box' size='.1 .2 .3'/></body></worldbody>
        <sensor><touch name='t' site='pad'/></sensor></mujoco>";
    let model = read(text).unwrap();
    let zone = Zone::Box { half: Vec3::new(0.1, 0.2, 0.3) };
    assert!(matches!(&model.sensors()[0].kind, SensorKind::Touch { zone: found, .. } if *found == zone));
    assert!(said(&model).is_empty());
}

/// Sensors, pairs and zones are the same after being written and read again, however often.
#[test]
fn sensors_do_not_multiply_on_round_trips() {
    let text = "<mujoco><option magnetic='1 2 3'/><worldbody><body name='b'><freejoint/><geom name='g' size='.1'/>
        <site name='imu'/><site name='pad' type='capsule' size='.1 .2'/>
        <body name='c' pos='0 0 .3'><joint name='j' axis='0 1 0'/><geom name='h' size='.05' margin='.01' gap='.02'/></body></body>
        <body name='w' pos='3 0 0'><joint name='ball' type='ball'/><geom size='.1'/></body></worldbody>
        <contact><pair geom1='g' geom2='h' condim='3' friction='.4'/></contact>
        <actuator><motor name='m' joint='j'/></actuator>
        <sensor><gyro name='g' site='imu' cutoff='4'/><accelerometer name='a' site='imu'/><jointpos name='jp' joint='j'/>
          <jointvel name='jv' joint='j'/><framequat name='fq' objtype='site' objname='imu'/><framexaxis name='fx' objtype='site' objname='imu'/>
          <framepos name='rel' objtype='site' objname='imu' reftype='site' refname='pad'/>
          <framelinvel name='rv' objtype='site' objname='imu' reftype='site' refname='pad'/>
          <touch name='t' site='pad' cutoff='2'/><magnetometer name='mag' site='imu'/><actuatorfrc name='af' actuator='m'/>
          <ballquat name='bq' joint='ball'/><ballangvel name='bw' joint='ball'/><subtreecom name='sc' body='world'/>
          <force name='ft' site='pad'/><clock name='now'/><e_kinetic name='e'/><rangefinder name='rf' site='imu'/></sensor></mujoco>";
    let first = read(text).unwrap();
    let shown = |model: &Model| -> Vec<String> {
        model.sensors().iter().map(|s| format!("{} {:?} {:?}", s.name, s.kind, s.show)).collect()
    };
    let mut model = first.clone();
    for _ in 0..3 {
        let exported = to_mjcf(&model);
        assert!(exported.left_out.is_empty(), "{:?}", exported.left_out);
        model = read(&exported.text).unwrap_or_else(|error| panic!("{error}\n{}", exported.text));
        assert_eq!(shown(&model), shown(&first));
    }
    let pair = |model: &Model| match &model.filters()[0] {
        ContactFilter::Pair { surface, .. } => *surface,
        _ => panic!("no pair"),
    };
    assert_eq!(pair(&model), pair(&first));
    assert_eq!(
        (model.shapes()[1].margin, model.shapes()[1].gap),
        (first.shapes()[1].margin, first.shapes()[1].gap)
    );
}

/// urdfdom refuses a `<dynamics>` with neither damping nor friction.
#[test]
fn dynamics_in_urdf_always_say_damping_and_friction() {
    let text = "<mujoco><worldbody><body><joint name='j' armature='.1'/><geom size='.1'/></body></worldbody></mujoco>";
    let exported = to_urdf(&read(text).unwrap()).text;
    let dynamics = exported.lines().find(|line| line.contains("<dynamics")).unwrap();
    assert!(
        dynamics.contains("damping=") && dynamics.contains("friction=") && dynamics.contains("armature="),
        "{dynamics}"
    );
}

/// A flat mesh has no volume: written with `inertia="shell"`, MuJoCo takes it.
#[test]
fn meshes_without_volume_are_written_as_shells() {
    let text = "<mujoco><asset><mesh name='m' file='sheet.obj' inertia='shell'/></asset><worldbody><body><freejoint/>
        <geom type='mesh' mesh='m'/></body></worldbody></mujoco>";
    let model =
        with_files(text, &[("sheet.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n")]).unwrap();
    assert!(matches!(model.shapes()[0].geometry, Geometry::ConvexMesh(_)));
    assert!(to_mjcf(&model).text.contains("inertia=\"shell\""));
}
