//! MJCF: what is said about files that cannot be read. The texts are part of the product.

use bellcrank_import::{Format, Options, loads};

fn faults_with(text: &str, options: &Options) -> String {
    match loads(text, Format::Mjcf, options) {
        Ok(model) => panic!("this loads, with {} bodies", model.bodies().len()),
        Err(error) => error.to_string(),
    }
}

fn faults(text: &str) -> String {
    faults_with(text, &Options::new())
}

#[test]
fn all_faults_of_the_tree_are_told_at_once() {
    insta::assert_snapshot!(faults(
        "<mujoco>
  <compiler autolimits='false' eulerseq='xyq' coordinate='global'/>
  <worldbody>
    <body name='arm' quat='0 0 0 0'>
      <joint name='elbow' axis='0 0 0'/>
      <joint name='wrist' type='screw'/>
      <joint name='limit' range='0 1'/>
      <geom name='skin' class='leather' size='.1'/>
      <geom name='fur' type='mesh' mesh='fox'/>
      <geom name='rod' type='sphere' size='.1' fromto='0 0 0 1 0 0'/>
      <geom name='soft' size='.1 a'/>
      <body name='hand' euler='0 0 0' quat='1 0 0 0'>
        <joint name='finger' range='1 2 3'/>
      </body>
    </body>
  </worldbody>
</mujoco>"
    ));
}

#[test]
fn names_that_mean_nothing_are_told_with_the_nearest() {
    insta::assert_snapshot!(faults(
        "<mujoco>
  <worldbody>
    <body name='left_arm'><joint name='elbow'/><geom name='g' size='.1'/><site name='tip'/>
      <body name='hand'><joint name='ball' type='ball'/><geom size='.1'/></body></body>
  </worldbody>
  <equality>
    <connect body1='left_amr' body2='hand' anchor='0 0 0'/>
    <weld site1='tipp' site2='tip'/>
    <joint joint1='elbow' joint2='ball'/>
    <tendon tendon1='string'/>
  </equality>
  <actuator>
    <motor name='m' joint='elbw'/>
    <motor name='n'/>
  </actuator>
  <contact><exclude body1='left_arm' body2='foot'/><pair geom1='g' geom2='h'/></contact>
  <sensor><gyro name='s' site='top'/><jointpos name='t' joint='hip'/></sensor>
  <keyframe><key name='k' qpos='1 2 3 4 5 6' ctrl='1 2 3'/></keyframe>
</mujoco>"
    ));
}

#[test]
fn bodies_that_move_without_mass_are_refused() {
    insta::assert_snapshot!(faults(
        "<mujoco>
  <worldbody>
    <body name='ghost'><joint name='j'/></body>
    <body name='thin'><joint name='k'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/></body>
    <body name='lost'><joint/><geom type='mesh' mesh='m'/></body>
  </worldbody>
  <asset><mesh name='m' file='m.stl'/></asset>
</mujoco>"
    ));
}

#[test]
fn joints_in_impossible_places_are_refused() {
    insta::assert_snapshot!(faults(
        "<mujoco>
  <worldbody>
    <joint name='ground'/>
    <body name='a'><freejoint name='one'/><joint name='two'/><geom size='.1'/>
      <body name='b'>
        <freejoint name='three'/><geom size='.1'/></body></body>
  </worldbody>
</mujoco>"
    ));
}

#[test]
fn files_that_include_themselves_are_refused() {
    let options = Options::new()
        .file("a.xml", "<mujoco>\n<include file='b.xml'/></mujoco>")
        .file("b.xml", "<mujoco><include file='a.xml'/></mujoco>");
    insta::assert_snapshot!(faults_with("<mujoco><include file='a.xml'/></mujoco>", &options));
}

#[test]
fn models_that_contain_themselves_are_refused() {
    let options = Options::new().file("a.xml", "<mujoco><asset>\n<model file='a.xml'/></asset></mujoco>");
    insta::assert_snapshot!(faults_with(
        "<mujoco><asset><model name='a' file='a.xml'/></asset></mujoco>",
        &options
    ));
}

#[test]
fn includes_that_are_not_there_are_told() {
    insta::assert_snapshot!(faults(
        "<mujoco><include file='arm.xml'/><include/><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>"
    ));
}

#[test]
fn copies_without_end_are_refused_quickly() {
    let nested = "<replicate count='1000000' offset='1 0 0'>".repeat(4);
    let close = "</replicate>".repeat(4);
    let text =
        format!("<mujoco><worldbody>{nested}<body><geom size='.1'/></body>{close}</worldbody></mujoco>");
    let found = faults(&text);
    assert!(found.contains("the number of copied elements is too large"), "{found}");
}
