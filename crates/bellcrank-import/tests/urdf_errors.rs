//! Every error text of the URDF reader, as a user sees it.

use bellcrank_import::{Format, Options, load, loads};

fn errors(content: &str) -> String {
    loads(content, Format::Urdf, &Options::default()).map(|_| ()).unwrap_err().to_string()
}

const GOOD: &str = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>";

#[test]
fn all_faults_are_told_at_once() {
    let text = format!(
        "<robot name='leg'>
<link name='hip'>{GOOD}</link>
<link name='thigh'>{GOOD}</link>
<link name='thigh'>{GOOD}</link>
<link name='shank'><inertial><mass value='heavy'/><inertia ixx='1' iyy='1' izz='nan'/></inertial></link>
<link name='foot'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='9'/></inertial></link>
<joint name='hip' type='revolut'><parent link='hip'/><child link='thigh'/></joint>
<joint name='knee' type='revolute'><parent link='thig'/><child link='shank'/><axis xyz='0 0 0'/></joint>
<joint name='ankle' type='continuous'><parent link='shank'/><child link='foot'/><origin xyz='0 0'/></joint>
<joint type='fixed'><child link='foot'/></joint>
</robot>"
    );
    insta::assert_snapshot!(errors(&text));
}

#[test]
fn links_that_move_without_mass_are_refused() {
    let text = format!(
        "<robot name='r'>\n<link name='a'>{GOOD}</link>\n<link name='b'/>\n<joint name='j' type='continuous'>\
         <parent link='a'/><child link='b'/></joint></robot>"
    );
    insta::assert_snapshot!(errors(&text));
}

#[test]
fn links_that_hang_on_nothing_are_refused() {
    let text =
        format!("<robot name='r'>\n<link name='a'>{GOOD}</link>\n<link name='b'>{GOOD}</link></robot>");
    insta::assert_snapshot!(errors(&text));
}

#[test]
fn shapes_that_cannot_be_are_refused() {
    let shape = |form: &str| format!("\n<collision><geometry>{form}</geometry></collision>");
    let shapes = [
        "<box/>",
        "<box size='1 2'/>",
        "<sphere radius='-1'/>",
        "<cylinder radius='1'/>",
        "<torus/>",
        "",
        "<mesh filename='../../../etc/passwd'/>",
    ];
    let shapes: String = shapes.into_iter().map(shape).collect();
    insta::assert_snapshot!(errors(&format!(
        "<robot name='r'>\n<link name='a'>{GOOD}{shapes}</link></robot>"
    )));
}

#[test]
fn limits_are_checked() {
    let joint = |name: &str, child: &str, more: &str| {
        format!(
            "\n<joint name='{name}' type='revolute'><parent link='a'/><child link='{child}'/>{more}</joint>"
        )
    };
    let links: String = ["a", "b", "c", "d"].map(|n| format!("<link name='{n}'>{GOOD}</link>")).concat();
    let text = format!(
        "<robot name='r'>{links}{}{}{}</robot>",
        joint("none", "b", ""),
        joint("swapped", "c", "<limit lower='1' upper='-1' effort='1' velocity='1'/>"),
        joint("negative", "d", "<limit lower='-1' upper='1' effort='-5' velocity='1'/>"),
    );
    insta::assert_snapshot!(errors(&text));
}

#[test]
fn files_that_are_no_robots_are_refused() {
    let say = |text: &str| errors(text);
    insta::assert_snapshot!(say("<mujoco/>"), @r"
    text.urdf:1: a URDF file starts with <robot>, this one with <mujoco>
      hint: name the other format, or check the file
    ");
    insta::assert_snapshot!(say("<robot name='r'>\n<link name='a'>\n</robot>"), @r"
    text.urdf:3: this is not well-formed: expected 'link' tag, not 'robot' at 3:1
      hint: check this line and the one before it
    ");
    insta::assert_snapshot!(say(""), @r"
    text.urdf:1: this is not well-formed: the file has no elements
      hint: check this line and the one before it
    ");
    insta::assert_snapshot!(say("<robot name='r'/>"), @r#"
    text.urdf:1: <robot name="r">: the robot has no links
      hint: add at least one <link>
    "#);
    insta::assert_snapshot!(say("<robot name='r'><xacro:property name='x' value='1'/></robot>"), @r#"
    text.urdf:1: <xacro:property name="x">: this is a xacro program, not a robot
      hint: expand it first (xacro robot.urdf.xacro > robot.urdf), or load it from Python with xacro or xacrodoc installed
    "#);
    insta::assert_snapshot!(load("no/such.urdf", &Options::default()).unwrap_err(), @r#"
    no/such.urdf: there is no file "no/such.urdf"
      hint: paths are relative to the file that names them
    "#);
}
