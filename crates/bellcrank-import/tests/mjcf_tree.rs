//! MJCF: how the tree of bodies is read, feature by feature.

use bellcrank_import::{FixedJoints, Format, Options, loads};
use bellcrank_math::Vec3;
use bellcrank_model::{Body, Geometry, Joint, JointId, JointKind, Model, kinematics};
use std::f64::consts::{FRAC_PI_2, PI};

fn read_with(text: &str, options: &Options) -> Model {
    loads(text, Format::Mjcf, options).unwrap_or_else(|error| panic!("{error}"))
}

fn read(text: &str) -> Model {
    read_with(text, &Options::new())
}

/// A model with this in its world.
fn world(inside: &str) -> Model {
    read(&format!("<mujoco><worldbody>{inside}</worldbody></mujoco>"))
}

fn body<'a>(model: &'a Model, name: &str) -> &'a Body {
    &model.bodies()[model.body_id(name).unwrap_or_else(|| panic!("no body {name}")).index()]
}

fn joint<'a>(model: &'a Model, name: &str) -> &'a Joint {
    &model.joints()[model.joint_id(name).unwrap_or_else(|| panic!("no joint {name}")).index()]
}

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} is not {b}");
}

fn near_vector(a: Vec3, b: [f64; 3]) {
    assert!((a - Vec3::from_array(b)).norm() < 1e-12, "{a:?} is not {b:?}");
}

fn listed(model: &Model, words: &str) -> usize {
    model.ignored().iter().filter(|ignored| ignored.why.contains(words)).count()
}

#[test]
fn angles_are_degrees_unless_the_compiler_says_otherwise() {
    let text = |compiler: &str| {
        let tree = "<body euler='0 0 90'><joint name='a' range='-90 45'/><geom size='.1'/></body>";
        read(&format!("<mujoco><compiler {compiler}/><worldbody>{tree}</worldbody></mujoco>"))
    };
    let degrees = text("");
    near(joint(&degrees, "a").dofs[0].limits[0], -FRAC_PI_2);
    near_vector(degrees.bodies()[0].X_WL.R.rotate(Vec3::x_axis()), [0.0, 1.0, 0.0]);
    near(joint(&text("angle='radian'"), "a").dofs[0].limits[0], -90.0);
}

#[test]
fn rotations_can_be_said_in_five_ways() {
    for way in ["quat='1 0 0 1'", "axisangle='0 0 2 90'", "euler='0 0 90'", "xyaxes='0 1 0 -1 0.5 0'"] {
        let model = world(&format!("<body {way}><freejoint/><geom size='.1'/></body>"));
        near_vector(model.bodies()[0].X_WL.R.rotate(Vec3::x_axis()), [0.0, 1.0, 0.0]);
    }
    let model = world("<body zaxis='0 1 0'><freejoint/><geom size='.1'/></body>");
    near_vector(model.bodies()[0].X_WL.R.rotate(Vec3::z_axis()), [0.0, 1.0, 0.0]);
}

/// The element's own class wins over the childclass around it; a class starts as a copy of the one around it.
#[test]
fn classes_are_inherited_as_the_format_says() {
    let model = read(
        "<mujoco><default><joint damping='1' armature='2'/>
           <default class='arm'><joint damping='3'/>
             <default class='hand'><joint frictionloss='4'/></default></default></default>
         <worldbody>
           <body><joint name='plain'/><geom size='.1'/>
             <body childclass='arm'><joint name='arm'/><geom size='.1'/>
               <body><joint name='hand' class='hand'/><geom size='.1'/>
                 <body><joint name='below' damping='9'/><geom size='.1'/></body></body></body></body>
         </worldbody></mujoco>",
    );
    let found = |name: &str| {
        let dof = joint(&model, name).dofs[0];
        [dof.damping, dof.armature, dof.friction]
    };
    assert_eq!(found("plain"), [1.0, 2.0, 0.0]);
    assert_eq!(found("arm"), [3.0, 2.0, 0.0]);
    assert_eq!(found("hand"), [3.0, 2.0, 4.0]);
    assert_eq!(found("below"), [9.0, 2.0, 0.0]);
}

#[test]
fn numbers_of_a_class_are_overwritten_from_the_front() {
    let model = read(
        "<mujoco><default><geom friction='1 0.02 0.003' size='.1 .2 .3' condim='6'/></default>
         <worldbody><body><freejoint/><geom name='a' type='box' friction='0.5' size='.4'/></body></worldbody></mujoco>",
    );
    let shape = &model.shapes()[0];
    assert_eq!(
        [shape.material.sliding, shape.material.torsional, shape.material.rolling],
        [0.5, 0.02, 0.003]
    );
    assert_eq!(shape.geometry, Geometry::Box { half: Vec3::new(0.4, 0.2, 0.3) });
}

#[test]
fn included_files_stand_in_the_place_of_the_element() {
    let options = Options::new()
        .file("arm.xml", "<mujocoinclude><body name='arm'><joint/><geom size='.1'/></body></mujocoinclude>")
        .file(
            "common.xml",
            "<mujoco><compiler angle='radian'/><default><geom density='1'/></default></mujoco>",
        );
    let text =
        "<mujoco><include file='common.xml'/><worldbody><include file='arm.xml'/></worldbody></mujoco>";
    let model = read_with(text, &options);
    near(body(&model, "arm").mass, 4.0 / 3.0 * PI * 1e-3);
}

#[test]
fn frames_move_what_is_in_them_and_vanish() {
    let model = world(
        "<body name='a'><freejoint/><geom size='.1'/>
           <frame pos='1 0 0' euler='0 0 90'><frame pos='1 0 0'>
             <site name='tip' pos='1 0 0'/>
             <body name='b' pos='0 1 0'><joint name='j' axis='1 0 0'/><geom size='.1'/></body></frame></frame></body>",
    );
    near_vector(model.sites()[0].X_LS.p, [1.0, 2.0, 0.0]);
    near_vector(body(&model, "b").X_WL.p, [0.0, 1.0, 0.0]);
}

#[test]
fn copies_are_moved_on_and_numbered() {
    let model = world(
        "<replicate count='3' offset='1 0 0' euler='0 0 90' sep='-'><body name='post'><geom size='.1'/></body></replicate>",
    );
    near_vector(body(&model, "post-0").X_WL.p, [0.0, 0.0, 0.0]);
    near_vector(body(&model, "post-1").X_WL.p, [1.0, 0.0, 0.0]);
    near_vector(body(&model, "post-2").X_WL.p, [1.0, 1.0, 0.0]);
}

/// The attached model keeps its own compiler and classes; what refers to its other bodies is left out.
#[test]
fn attached_models_keep_their_own_rules_and_get_a_prefix() {
    let gripper = "<mujoco><compiler angle='radian'/><default><joint damping='7'/></default>
        <worldbody><body name='stand'><geom size='.1'/></body>
          <body name='palm'><joint name='turn' range='-1 1'/><geom size='.1'/></body></worldbody>
        <actuator><motor name='m' joint='turn'/></actuator>
        <contact><exclude body1='stand' body2='palm'/></contact></mujoco>";
    let text = "<mujoco><asset><model name='gripper' file='gripper.xml'/></asset><worldbody>
        <body name='arm' pos='0 0 1'><joint name='j' range='-90 90'/><geom size='.1'/>
          <attach model='gripper' body='palm' prefix='left_'/></body></worldbody></mujoco>";
    let model = read_with(text, &Options::new().file("gripper.xml", gripper));
    let turn = joint(&model, "left_turn");
    assert_eq!((turn.dofs[0].limits, turn.dofs[0].damping), ([-1.0, 1.0], 7.0));
    near(joint(&model, "j").dofs[0].limits[1], FRAC_PI_2);
    assert_eq!(model.actuators()[0].name, "left_m");
    assert!(model.filters().is_empty() && model.body_id("left_stand").is_none());
}

#[test]
fn unnamed_parts_get_names_that_are_free() {
    let model = world(
        "<body name='body_2'><freejoint/><geom size='.1'/><body><joint/><geom size='.1'/></body></body>",
    );
    let names: Vec<&str> = model.bodies().iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["body_2", "body_2_"]);
    assert!(model.joint_id("joint_1").is_some() && model.shape_id("geom_1").is_some());
}

/// q = ref at the reference pose, so that coordinates are the file's own.
#[test]
fn coordinates_are_the_files_own_at_the_reference_pose() {
    let model = world("<body><joint name='a' ref='30' axis='0 1 0' pos='.1 0 0'/><geom size='.1'/></body>");
    let id = model.joint_id("a").unwrap();
    let q = kinematics::coordinates(JointKind::Revolute, model.reference_joint_pose(id));
    near(q[0], PI / 6.0);
}

#[test]
fn several_joints_on_a_body_become_one_where_they_are_one() {
    let kind_of = |joints: &str| {
        let model = world(&format!("<body>{joints}<geom size='.1'/></body>"));
        assert_eq!((model.joints().len(), model.bodies().len()), (1, 1), "{joints}");
        model.joints()[0].kind
    };
    let (hinge, slide) = (
        |axis: &str| format!("<joint axis='{axis}'/>"),
        |axis: &str| format!("<joint type='slide' axis='{axis}'/>"),
    );
    assert_eq!(kind_of(&(hinge("1 0 0") + &hinge("0 1 0"))), JointKind::Universal);
    assert_eq!(kind_of(&(hinge("0 0 1") + &hinge("0 1 0") + &hinge("1 0 0"))), JointKind::Gimbal);
    assert_eq!(kind_of(&(slide("1 0 0") + &slide("0 0 1") + &hinge("0 1 0"))), JointKind::Planar);
    assert_eq!(kind_of(&(slide("1 0 0") + &slide("0 1 0") + &slide("0 0 1"))), JointKind::Cartesian);
    assert_eq!(kind_of(&(hinge("0 1 0") + &slide("0 1 0"))), JointKind::Cylindrical);
    assert_eq!(kind_of("<joint type='ball'/>"), JointKind::Spherical);
    assert_eq!(kind_of("<freejoint/>"), JointKind::Free);
}

/// Two parallel hinges: a carrier takes a thousandth of the mass, and the sum is as it was.
#[test]
fn other_combinations_get_carriers_and_keep_their_mass() {
    let model = world(
        "<body name='b'><joint name='p'/><joint name='q' pos='1 0 0'/><geom type='box' size='1 1 1' mass='2'/></body>",
    );
    assert_eq!(model.joints().len(), 2);
    near(model.mass(), 2.0);
    near(body(&model, "b_carrier_1").mass, 0.002);
    assert_eq!(listed(&model, "carriers"), 1);
}

/// By hand: 1000 kg/m³ · 0.2·0.4·0.6 m³ = 48 kg; about z: m/12 (0.2² + 0.4²) = 0.8.
#[test]
fn mass_comes_from_geoms_where_no_inertial_is_given() {
    let model = world("<body name='b'><freejoint/><geom type='box' size='.1 .2 .3' pos='0 0 1'/></body>");
    let found = body(&model, "b");
    near(found.mass, 48.0);
    near_vector(found.com, [0.0, 0.0, 1.0]);
    near(found.inertia.unwrap().zz, 0.8);
}

#[test]
fn inertial_wins_over_geoms_unless_the_compiler_says_otherwise() {
    let tree = "<worldbody><body name='b'><freejoint/>
        <inertial pos='1 0 0' mass='3' fullinertia='2 3 4 .1 .2 .3'/><geom size='.1' mass='7'/></body></worldbody>";
    let stated = read(&format!("<mujoco>{tree}</mujoco>"));
    let found = body(&stated, "b");
    near(found.mass, 3.0);
    near_vector(found.com, [1.0, 0.0, 0.0]);
    let i = found.inertia.unwrap();
    for (a, b) in [(i.xx, 2.0), (i.yy, 3.0), (i.zz, 4.0), (i.xy, 0.1), (i.xz, 0.2), (i.yz, 0.3)] {
        near(a, b);
    }
    let computed = read(&format!("<mujoco><compiler inertiafromgeom='true'/>{tree}</mujoco>"));
    near(body(&computed, "b").mass, 7.0);
}

#[test]
fn the_compiler_chooses_groups_and_bounds_and_sums() {
    let tree = "<worldbody><body name='a'><freejoint/><geom size='.1' mass='1'/><geom size='.1' mass='5' group='3'/></body>
        <body name='b'><freejoint/><geom size='.1' mass='3'/></body></worldbody>";
    let mass = |compiler: &str| {
        let model = read(&format!("<mujoco><compiler {compiler}/>{tree}</mujoco>"));
        [body(&model, "a").mass, body(&model, "b").mass]
    };
    assert_eq!(mass(""), [6.0, 3.0]);
    assert_eq!(mass("inertiagrouprange='0 2'"), [1.0, 3.0]);
    assert_eq!(mass("boundmass='4'"), [6.0, 4.0]);
    assert_eq!(mass("settotalmass='18'"), [12.0, 6.0]);
}

#[test]
fn impossible_inertias_are_made_round_on_request() {
    let text = "<mujoco><compiler balanceinertia='true'/><worldbody><body name='a'><freejoint/>
        <inertial pos='0 0 0' mass='1' diaginertia='1 1 4'/></body></worldbody></mujoco>";
    let model = read(text);
    near(body(&model, "a").inertia.unwrap().zz, 2.0);
}

/// A mount without mass is a site on what carries it; its shapes and children go along.
#[test]
fn welded_bodies_without_mass_become_sites() {
    let text = "<mujoco><worldbody><body name='arm'><joint/><geom size='.1'/>
        <body name='mount' pos='0 0 1'><site name='tip' pos='1 0 0'/>
          <body name='hand' pos='0 1 0'><geom name='h' size='.1'/></body></body></body></worldbody></mujoco>";
    let kept = read_with(text, &Options::new().fixed_joints(FixedJoints::Keep));
    assert_eq!(kept.bodies().len(), 2);
    assert!(kept.site_id("mount").is_some());
    near_vector(kept.sites()[kept.site_id("tip").unwrap().index()].X_LS.p, [1.0, 0.0, 1.0]);
    near_vector(body(&kept, "hand").X_WL.p, [0.0, 1.0, 1.0]);
    let merged = read_with(text, &Options::new().fixed_joints(FixedJoints::Merge));
    assert_eq!(merged.bodies().len(), 1);
    near(merged.mass(), kept.mass());
    near_vector(merged.shapes()[merged.shape_id("h").unwrap().index()].X_LG.p, [0.0, 1.0, 1.0]);
}

#[test]
fn a_moving_body_without_mass_takes_that_of_what_is_welded_to_it() {
    let text = "<mujoco><worldbody><body name='rail'><joint type='slide'/>
        <body name='cart' pos='0 0 1'><geom size='.1' mass='2'/></body></body></worldbody></mujoco>";
    let model = read_with(text, &Options::new().fixed_joints(FixedJoints::Keep));
    assert_eq!(model.bodies().len(), 1);
    near(body(&model, "rail").mass, 2.0);
    near_vector(body(&model, "rail").com, [0.0, 0.0, 1.0]);
}

#[test]
fn shapes_follow_their_ends_or_their_size() {
    let model = world(
        "<geom type='plane' size='0 0 1'/>
         <body><freejoint/><geom name='c' type='capsule' size='.1' fromto='0 0 0 0 0 2'/>
           <geom name='b' type='box' size='.1' fromto='0 0 0 2 0 0'/></body>",
    );
    let shape = |name: &str| &model.shapes()[model.shape_id(name).unwrap().index()];
    assert_eq!(shape("c").geometry, Geometry::Capsule { radius: 0.1, half_length: 1.0 });
    near_vector(shape("c").X_LG.p, [0.0, 0.0, 1.0]);
    assert_eq!(shape("b").geometry, Geometry::Box { half: Vec3::new(0.1, 0.1, 1.0) });
    assert_eq!(model.shapes()[0].geometry, Geometry::Plane);
}

/// A tetrahedron of legs 1: volume 1/6. Its mass comes from the hull when no faces are given.
#[test]
fn meshes_can_be_written_into_the_file() {
    let text = "<mujoco><asset><mesh name='t' vertex='0 0 0 1 0 0 0 1 0 0 0 1' scale='2 2 2'/></asset>
        <worldbody><body name='b'><freejoint/><geom name='g' type='mesh' mesh='t' density='6'/></body></worldbody></mujoco>";
    let model = read(text);
    near(body(&model, "b").mass, 8.0);
    assert!(matches!(&model.shapes()[0].geometry, Geometry::ConvexMesh(mesh) if mesh.vertices.len() == 4));
}

/// A box of 2 × 4 × 6 as a mesh: the box fitted to it has the same half edges, the longest along z.
#[test]
fn plain_shapes_can_be_fitted_to_meshes() {
    let text = "<mujoco><asset><mesh name='m' scale='3 1 2'
          vertex='-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 -1 1 -1 1 1 1 1 1'/></asset>
        <worldbody><body><freejoint/><geom type='box' mesh='m'/></body></worldbody></mujoco>";
    let model = read(text);
    let Geometry::Box { half } = model.shapes()[0].geometry else { panic!("not a box") };
    near_vector(half, [1.0, 2.0, 3.0]);
    let z = model.shapes()[0].X_LG.R.rotate(Vec3::z_axis());
    near(z.x.abs(), 1.0);
}

#[test]
fn limits_count_as_the_file_says() {
    let limits = |compiler: &str, attributes: &str| {
        let text = format!(
            "<mujoco><compiler angle='radian' {compiler}/><worldbody><body><joint {attributes}/><geom size='.1'/></body></worldbody></mujoco>"
        );
        read(&text).joints()[0].dofs[0].limits
    };
    let none = [f64::NEG_INFINITY, f64::INFINITY];
    assert_eq!(limits("", "range='-1 2'"), [-1.0, 2.0]);
    assert_eq!(limits("", "range='-1 2' limited='false'"), none);
    assert_eq!(limits("autolimits='false'", "range='-1 2' limited='true'"), [-1.0, 2.0]);
}

#[test]
fn resistances_reach_the_joint() {
    let model = world(
        "<body><joint type='slide' damping='1' armature='2' frictionloss='3' stiffness='4' springref='5'
           actuatorfrcrange='-6 6'/><geom size='.1'/></body>",
    );
    let dof = model.joints()[0].dofs[0];
    assert_eq!((dof.damping, dof.armature, dof.friction, dof.effort_limit), (1.0, 2.0, 3.0, 6.0));
    assert_eq!(dof.spring.map(|s| (s.stiffness, s.rest)), Some((4.0, 5.0)));
}

/// By hand: a point-like ball of 1 kg on a slide: k = m/(t² ζ²) = 1/(0.5²·0.5²) = 16, d = 2m/t = 4.
#[test]
fn springs_can_be_given_by_time_constant_and_damping_ratio() {
    let model = world("<body><joint type='slide' springdamper='.5 .5'/><geom size='.1' mass='1'/></body>");
    let dof = model.joints()[0].dofs[0];
    near(dof.spring.unwrap().stiffness, 16.0);
    near(dof.damping, 4.0);
}

#[test]
fn height_fields_are_scaled_and_turned_the_right_way_up() {
    let text = "<mujoco><asset><hfield name='h' nrow='2' ncol='3' size='1 2 .5 .1' elevation='0 1 2 3 4 5'/></asset>
        <worldbody><geom type='hfield' hfield='h'/><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>";
    let model = read(text);
    let Geometry::HeightField(field) = &model.shapes()[0].geometry else { panic!("no height field") };
    assert_eq!((field.rows, field.columns, field.size), (2, 3, [2.0, 4.0]));
    let expected = [0.3, 0.4, 0.5, 0.0, 0.1, 0.2];
    field.heights.iter().zip(expected).for_each(|(a, b)| near(*a, b));
}

#[test]
fn free_joints_count_the_pose_in_the_world() {
    let model = world("<body pos='1 2 3' euler='0 0 90'><freejoint name='root'/><geom size='.1'/></body>");
    let q = kinematics::coordinates(JointKind::Free, model.reference_joint_pose(JointId::new(0)));
    assert_eq!(&q[..3], [1.0, 2.0, 3.0]);
    near(q[3], q[6]);
}

#[test]
fn bodies_that_cannot_move_are_mended_on_request() {
    let text = "<mujoco><worldbody><body name='heavy'><freejoint/><geom size='.1' mass='10'/>
        <body name='ghost'><joint/><body name='bob'><joint/><geom size='.1' mass='2'/></body></body></body>
        </worldbody></mujoco>";
    let model = read_with(text, &Options::new().mend_inertia());
    near(body(&model, "ghost").mass, 1.2e-3);
    assert_eq!(listed(&model, "mended"), 1);
}
