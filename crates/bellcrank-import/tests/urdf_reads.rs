//! What URDF says arrives in the model.

use bellcrank_import::{Base, FixedJoints, Format, Options, loads};
use bellcrank_math::{Sym3, Vec3};
use bellcrank_model::{Geometry, JointKind, Model};

const INERTIAL: &str = "<inertial><mass value='2'/>\
    <inertia ixx='0.02' iyy='0.02' izz='0.02' ixy='0' ixz='0' iyz='0'/></inertial>";

fn link(name: &str) -> String {
    format!("<link name='{name}'>{INERTIAL}</link>\n")
}

fn hinge(name: &str, parent: &str, child: &str, more: &str) -> String {
    format!(
        "<joint name='{name}' type='revolute'><parent link='{parent}'/><child link='{child}'/><axis xyz='0 1 0'/>\
         <limit lower='-1' upper='2' effort='3' velocity='4'/>{more}</joint>\n"
    )
}

fn load_with(content: &str, options: &Options) -> Model {
    let text = format!("<robot name='r'>{content}</robot>");
    loads(&text, Format::Urdf, options).unwrap_or_else(|error| panic!("{error}"))
}

fn load(content: &str) -> Model {
    load_with(content, &Options::default())
}

#[test]
fn a_hinge_has_its_axis_limits_and_motor() {
    let more = "<origin xyz='0 0 1' rpy='0 0 1.5707963267948966'/><dynamics damping='0.5' friction='0.25'/>";
    let model = load(&(link("a") + &link("b") + &hinge("h", "a", "b", more)));
    assert_eq!((model.bodies().len(), model.joints().len(), model.mobility()), (2, 2, 1));
    let joint = &model.joints()[model.joint_id("h").unwrap().index()];
    let dof = joint.dofs[0];
    assert_eq!((dof.limits, dof.damping, dof.friction), ([-1.0, 2.0], 0.5, 0.25));
    assert_eq!((dof.effort_limit, dof.velocity_limit), (3.0, 4.0));
    assert_eq!(model.actuators().len(), 1);
    // the axis is y of a frame that is turned by a quarter about z: −x of the world
    let axis = joint.X_PF.R.rotate(Vec3::x_axis());
    assert!((axis + Vec3::x_axis()).norm() < 1e-15);
    assert_eq!(model.bodies()[1].X_WL.p, Vec3::z_axis());
}

/// diag(1, 2, 2.5) in a frame turned by a quarter about z is diag(2, 1, 2.5) in the link.
#[test]
fn inertia_frames_are_turned_into_the_link() {
    let model = load(
        "<link name='a'><inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><mass value='4'/>\
         <inertia ixx='1' iyy='2' izz='2.5' ixy='0' ixz='0' iyz='0'/></inertial></link>",
    );
    let body = &model.bodies()[0];
    assert_eq!(body.com, Vec3::new(1.0, 2.0, 3.0));
    let error = (body.inertia.unwrap() - Sym3::diagonal(2.0, 1.0, 2.5)).to_mat3();
    assert!(error.x.norm() + error.y.norm() + error.z.norm() < 1e-14);
}

fn fixed(name: &str, parent: &str, child: &str, x: f64) -> String {
    format!(
        "<joint name='{name}' type='fixed'><origin xyz='{x} 0 0'/><parent link='{parent}'/><child link='{child}'/></joint>"
    )
}

/// Two equal links 2 m apart are one body of twice the mass with its centre between them, and moments
/// 2 · 0.02 + 2 · 2 kg · (1 m)² = 4.04 across.
#[test]
fn fixed_links_become_one_body_and_keep_their_names_as_sites() {
    let robot = link("a")
        + &link("b")
        + "<link name='tip'/>"
        + &fixed("ab", "a", "b", 2.0)
        + &fixed("bt", "b", "tip", 1.0);
    let model = load(&robot);
    assert_eq!((model.bodies().len(), model.joints().len(), model.mass()), (1, 1, 4.0));
    let body = &model.bodies()[0];
    assert_eq!(body.com, Vec3::x_axis());
    assert!((body.inertia.unwrap().yy - 4.04).abs() < 1e-14);
    let tip = &model.sites()[model.site_id("tip").unwrap().index()];
    assert_eq!(tip.X_LS.p, Vec3::new(3.0, 0.0, 0.0));

    let kept = load_with(&robot, &Options::default().fixed_joints(FixedJoints::Keep));
    assert_eq!((kept.bodies().len(), kept.joints().len(), kept.sites().len()), (2, 2, 1));
}

#[test]
fn a_root_without_mass_is_the_world_and_one_with_mass_is_bolted_to_it() {
    let arm = link("a") + "<link name='base'/>" + &hinge("h", "base", "a", "");
    let model = load(&arm);
    assert_eq!((model.bodies().len(), model.joints().len(), model.mobility()), (1, 1, 1));
    let model = load(&link("base"));
    assert_eq!((model.bodies().len(), model.joints()[0].kind), (1, JointKind::Fixed));
}

#[test]
fn a_floating_base_moves_freely() {
    let model = load_with(
        &(link("a") + &link("b") + &hinge("h", "a", "b", "")),
        &Options::default().base(Base::Floating),
    );
    assert_eq!(model.mobility(), 7);
    assert_eq!(model.joints()[0].kind, JointKind::Free);
}

#[test]
fn mimic_becomes_a_coupling() {
    let robot = link("a")
        + &link("b")
        + &link("c")
        + &hinge("h", "a", "b", "")
        + &hinge("k", "b", "c", "<mimic joint='h' multiplier='-2' offset='0.1'/>");
    let model = load(&robot);
    let coupling = &model.couplings()[0];
    assert_eq!((coupling.constant, coupling.terms.len()), (0.1, 2));
    assert_eq!((coupling.terms[0].coefficient, coupling.terms[1].coefficient), (1.0, 2.0));
    assert_eq!((model.mobility(), model.actuators().len()), (1, 1));
}

/// Crank 1, coupler 2 long, rocker 1, ground 2: a parallelogram standing upright.
fn parallelogram(closing: &str) -> String {
    let at = |x: f64, z: f64| format!("<origin xyz='{x} 0 {z}'/>");
    "<link name='world'/>".to_owned()
        + &link("crank")
        + &link("coupler")
        + &link("rocker")
        + &hinge("a", "world", "crank", &at(0.0, 0.0))
        + &hinge("b", "crank", "coupler", &at(0.0, 1.0))
        + &hinge("c", "world", "rocker", &at(2.0, 0.0))
        + closing
}

#[test]
fn a_link_that_is_the_child_of_two_joints_closes_a_loop() {
    // the coupler's frame is at its first pin: the second joint on it has its frame there too, 2 m from the rocker's
    let closing = hinge("d", "rocker", "coupler", "<origin xyz='-2 0 1'/>");
    let model = load(&parallelogram(&closing));
    assert_eq!((model.bodies().len(), model.joints().len(), model.loops().len()), (3, 4, 1));
    assert!(model.joints()[3].closes_loop);
    assert!(model.reference_gap().0 < 1e-15);
}

#[test]
fn a_loop_joint_says_both_ends_or_is_closed_at_the_zero_configuration() {
    let ends = "<parent link='rocker'/><parent_origin xyz='0 0 1'/><child link='coupler'/>";
    for child_origin in ["<child_origin xyz='2 0 0'/>", ""] {
        for tag in ["loop_joint", "constraint"] {
            let closing =
                format!("<{tag} name='d' type='revolute'>{ends}{child_origin}<axis xyz='0 1 0'/></{tag}>");
            let model = load(&parallelogram(&closing));
            assert_eq!((model.loops().len(), model.mobility(), model.redundant_rows()), (1, 1, 3));
            assert!(model.reference_gap().0 < 1e-15);
            let joint = &model.joints()[3];
            assert!((joint.X_SM.p - Vec3::new(2.0, 0.0, 0.0)).norm() < 1e-15);
            assert_eq!(joint.dofs[0].limits, [f64::NEG_INFINITY, f64::INFINITY]);
        }
    }
}

#[test]
fn a_loop_may_end_on_the_world() {
    let closing = "<loop_joint name='d' type='spherical'><parent link='coupler'/>\
        <parent_origin xyz='2 0 0'/><child link='world'/></loop_joint>";
    let model = load(&parallelogram(closing));
    assert_eq!(model.loops().len(), 1);
    assert!(model.reference_gap().0 < 1e-15);
}

#[test]
fn shapes_have_their_place_form_and_colour() {
    let model = load(&format!(
        "<material name='red'><color rgba='1 0 0 1'/></material><link name='a'>{INERTIAL}\
         <collision><origin xyz='0 0 1'/><geometry><box size='2 4 6'/></geometry></collision>\
         <collision><geometry><cylinder radius='1' length='4'/></geometry></collision>\
         <visual name='look'><geometry><sphere radius='3'/></geometry><material name='red'/></visual></link>"
    ));
    let names: Vec<_> = model.shapes().iter().map(|s| (s.name.as_str(), s.collides)).collect();
    assert_eq!(names, [("a_collision", true), ("a_collision_1", true), ("look", false)]);
    assert_eq!(model.shapes()[0].geometry, Geometry::Box { half: Vec3::new(1.0, 2.0, 3.0) });
    assert_eq!(model.shapes()[0].X_LG.p, Vec3::z_axis());
    assert_eq!(model.shapes()[1].geometry, Geometry::Cylinder { radius: 1.0, half_length: 2.0 });
    assert_eq!(model.shapes()[2].color, [1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn meshes_come_from_memory_and_are_scaled() {
    let robot = format!(
        "<link name='a'>{INERTIAL}<collision><geometry><mesh filename='package://p/t.obj' scale='2 2 2'/></geometry>\
         </collision></link>"
    );
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    let model = load_with(&robot, &Options::default().file("package://p/t.obj", obj));
    let Geometry::ConvexMesh(mesh) = &model.shapes()[0].geometry else { panic!("a mesh") };
    assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 4));
    assert!(mesh.vertices.contains(&Vec3::new(2.0, 0.0, 0.0)));
    let model = load(&robot);
    assert_eq!((model.shapes().len(), model.ignored().len()), (0, 1));
}

#[test]
fn what_has_no_effect_is_listed() {
    let more = "<safety_controller k_velocity='1'/><calibration rising='0'/>";
    let robot = link("a")
        + &link("b")
        + &hinge("h", "a", "b", more)
        + "\n<gazebo reference='a'><mu1>1</mu1></gazebo>\n<controller:x/>\n<link name='c' colour='red'/>"
        + &fixed("f", "b", "c", 1.0);
    let model = load(&robot);
    let list: Vec<String> = model.ignored().iter().map(|i| format!("{}: {}", i.place, i.why)).collect();
    insta::assert_snapshot!(list.join("\n"), @r#"
    text.urdf:3: <joint name="h"><safety_controller>: soft limits belong to the controller
    text.urdf:3: <joint name="h"><calibration>: the rising edge of a sensor has no effect on motion
    text.urdf:5: <gazebo>: settings of another simulator
    text.urdf:6: <controller:x>: this element is not known here
    text.urdf:7: <link name="c">: the attribute "colour" is not known here
    "#);
}

#[test]
fn all_joint_types_have_their_kind() {
    for (kind, expected) in [
        ("continuous", JointKind::Revolute),
        ("prismatic", JointKind::Prismatic),
        ("floating", JointKind::Free),
        ("planar", JointKind::Planar),
        ("spherical", JointKind::Spherical),
        ("universal", JointKind::Universal),
        ("cylindrical", JointKind::Cylindrical),
        ("screw", JointKind::Screw { pitch: 0.01 }),
    ] {
        let joint = format!(
            "<joint name='j' type='{kind}'><parent link='a'/><child link='b'/><screw pitch='0.01'/>\
             <limit lower='-1' upper='1'/></joint>"
        );
        let model = load(&(link("a") + &link("b") + &joint));
        assert_eq!(model.joints()[1].kind, expected);
    }
}

const ARM: &str = "<robot name='arm'><link name='base'/><link name='upper'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>
    <link name='lower'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>
    <link name='hand'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>
    <joint name='shoulder' type='continuous'><parent link='base'/><child link='upper'/><axis xyz='0 1 0'/></joint>
    <joint name='elbow' type='continuous'><parent link='upper'/><child link='lower'/><axis xyz='0 1 0'/></joint>
    <joint name='wrist' type='continuous'><parent link='lower'/><child link='hand'/><axis xyz='0 1 0'/></joint>MORE</robot>";

/// Links that a planner keeps apart do not touch; its named states are keyframes.
#[test]
fn srdf_keeps_links_apart_and_names_states() {
    let srdf = "<robot name='arm'><disable_collisions link1='upper' link2='hand' reason='Never'/>
        <disable_collisions link1='base' link2='upper' reason='Adjacent'/>
        <group name='all'><joint name='elbow'/></group>
        <group_state name='home' group='all'><joint name='elbow' value='0.5'/><joint name='wrist' value='-1'/></group_state></robot>";
    let options = Options::default().file("arm.srdf", srdf).srdf("arm.srdf");
    let model = loads(&ARM.replace("MORE", ""), Format::Urdf, &options).unwrap();
    assert_eq!(model.filters().len(), 1);
    let key = &model.keyframes()[0];
    assert_eq!((key.name.as_str(), key.joints.len(), key.joints[0].1[0]), ("home", 2, 0.5));
    let wrong = Options::default().file("arm.srdf", srdf.replace("'hand'", "'hend'")).srdf("arm.srdf");
    let error = loads(&ARM.replace("MORE", ""), Format::Urdf, &wrong).unwrap_err().to_string();
    assert!(
        error.contains("there is no link \"hend\"") && error.contains("did you mean \"hand\"?"),
        "{error}"
    );
}

#[test]
fn ros2_control_says_which_joints_have_motors() {
    let control = "<ros2_control name='hw' type='system'><hardware><plugin>x/Y</plugin></hardware>
        <joint name='shoulder'><command_interface name='position'><param name='min'>-1</param><param name='max'>2</param></command_interface>
          <state_interface name='position'/><param name='kp'>50</param><param name='kd'>2</param></joint>
        <joint name='elbow'><command_interface name='effort'/></joint>
        <joint name='wrist'><state_interface name='position'/></joint></ros2_control>";
    let model = loads(&ARM.replace("MORE", control), Format::Urdf, &Options::default()).unwrap();
    let names: Vec<&str> = model.actuators().iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["shoulder", "elbow"]);
    assert_eq!(model.actuators()[0].control, bellcrank_model::Control::Position { kp: 50.0, kd: 2.0 });
    assert_eq!(model.actuators()[0].control_range, [-1.0, 2.0]);
    assert_eq!(model.actuators()[1].control, bellcrank_model::Control::Effort);
    assert!(model.ignored().is_empty(), "{:?}", model.ignored());
}
