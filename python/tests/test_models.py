"""Loading, building and asking models."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import bellcrank as bc
from bellcrank import errors

URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><mass value="2"/><inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="30" velocity="4"/>
  </joint>
</robot>"""


def swing() -> bc.ModelBuilder:
    """A seat on two bars: one loop, one degree of freedom."""
    b = bc.ModelBuilder("swing")
    b.body("seat", position=(0, 0, 0.5), mass=2.0, box=(0.5, 0.3, 0.02))
    for name, x in (("left", -0.2), ("right", 0.2)):
        b.body(name, position=(x, 0, 1.25), mass=0.5, cylinder_z=(0.01, 1.5))
        b.joint(f"{name}_top", "revolute", bc.WORLD, name, point=(x, 0, 2), axis=(0, 1, 0))
        b.joint(f"{name}_bottom", "revolute", name, "seat", point=(x, 0, 0.5), axis=(0, 1, 0))
    return b


def test_text_becomes_a_model_with_names_counts_and_parameters() -> None:
    model = bc.loads(URDF, format="urdf")
    assert model.name == "arm"
    assert model.body_names == ["upper"]
    assert model.joint_names == ["shoulder"]
    assert (model.body_count, model.joint_count, model.actuator_count) == (1, 1, model.actuator_count)
    assert (model.dof_count, model.coordinate_count, model.mobility, model.loop_count) == (1, 1, 1, 0)
    assert model.mass == 2.0
    assert model.body_id("upper") == 0
    assert model.joint_kinds == ["revolute"]
    assert model.joint_bodies == [(None, "upper")]
    np.testing.assert_array_equal(model.body_mass, [2.0])
    np.testing.assert_allclose(model.body_inertia[0].trace(), 0.55)
    np.testing.assert_array_equal(model.limits, [[-1.0, 2.0]])
    np.testing.assert_array_equal(model.effort_limit, [30.0])
    np.testing.assert_array_equal(model.velocity_limit, [4.0])
    np.testing.assert_array_equal(model.gravity, [0, 0, -9.81])
    assert model.body_com.shape == (1, 3)
    assert model.position_slice("shoulder") == slice(0, 1, 1)
    assert model.velocity_slice("shoulder") == slice(0, 1, 1)


def test_a_file_is_loaded_by_its_path(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(URDF)
    assert bc.load(file).joint_names == bc.load(str(file)).joint_names == ["shoulder"]
    with pytest.raises(errors.LoadError, match="neither it nor anything fixed to it has a mass"):
        bc.load(file, base="floating")
    assert bc.load(file, base="floating", mend_inertia=True).mobility == 7


def test_shipped_mechanisms_are_loaded_by_name() -> None:
    assert len(bc.library()) >= 15
    for name in bc.library():
        assert bc.load(name).body_count > 0
    biped = bc.load("hybrid_biped")
    assert (biped.loop_count, len(biped.actuator_names)) == (6, 12)
    assert len(biped.loops) == 6
    assert set(biped.actuator_joints) <= set(biped.joint_names)


def test_a_built_model_counts_its_loop() -> None:
    model = swing().build()
    assert (model.loop_count, model.mobility, model.redundant_rows, model.row_count) == (1, 1, 3, 20)
    assert model.time_step == 0.004
    assert repr(model) == '<bellcrank.Model "swing": 3 bodies, 4 joints, 0 actuators, 1 loops>'


def test_every_part_can_be_added() -> None:
    b = swing()
    b.gravity((0, 0, -1.62))
    b.time_step(0.002)
    b.actuator("push", "left_top", "position", kp=10.0, kd=1.0, effort_limit=5.0, control_range=(-1, 1))
    b.actuator("spin", "right_top", "velocity", kd=1.0, gear=2.0)
    b.actuator("pull", "left_bottom", "effort", dof=0)
    b.actuator("spring", "right_bottom", "affine", gain=2.0, bias=(0, -1, 0))
    b.actuator("geared", "left_top", "effort", torque_speed=(6.0, 30.0), saturation=4.0)
    b.actuator("sucker", control="effort", body="left")
    b.actuator("damper", "left_top", "varying", gains=(0, 0, -1))
    b.actuator("muscle", "left_top", "muscle", force=9.0, optimal_length=0.4, activation_times=(0.02, 0.05))
    b.actuator("motor", "left_top", "voltage", motor_constant=0.1, resistance=2.0, time_constant=0.001)
    b.shape("floor", bc.WORLD, "plane", friction=0.9)
    b.shape("plank", "seat", "box", half=(0.25, 0.15, 0.01), restitution=0.1, color=(1, 0, 0, 1))
    b.shape("knob", "seat", "sphere", radius=0.02, position=(0, 0, 0.1), torsional=0.01, rolling=0.001)
    b.shape("rod", "left", "capsule", radius=0.01, half_length=0.7, visual_only=True)
    b.shape("tin", "left", "cylinder", radius=0.01, half_length=0.7, group=2, mask=4)
    b.shape("hat", "left", "cone", radius=0.01, half_length=0.7, margin=0.001, gap=0.01)
    b.shape("egg", "left", "ellipsoid", radii=(0.1, 0.1, 0.2), in_medium=(0.5, 0.25, 1.5, 1.0, 1.0))
    b.shape("hull", "left", "convex_mesh", vertices=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    b.shape("hill", bc.WORLD, "height_field", heights=[[0, 0], [0, 0.1]], size=(2, 2), quat_wxyz=(1, 0, 0, 0))
    b.site("tip", "seat", position=(0, 0, 0.1))
    b.sensor("balance", "imu", site="tip")
    b.sensor("where", "frame_pose", body="seat")
    b.sensor("whither", "frame_velocity", site="tip")
    b.sensor("angle", "joint_state", joint="left_top")
    b.sensor("load", "contact_force", body="seat")
    b.sensor("skin", "touch", site="tip", radius=0.05)
    b.coupling("twins", {"left_top": 1.0, "right_top": -1.0})
    b.keyframe("swung", joints={"left_top": 0.3}, bodies={"seat": ((0, 0, 1), (1, 0, 0, 0))}, controls={"push": 0.1})
    b.exclude("left", "right")
    b.pair("knob", "floor")
    model = b.build()
    motors = ["push", "spin", "pull", "spring", "geared", "sucker", "damper", "muscle", "motor"]
    assert model.actuator_names == motors
    assert len(model.shape_names) == 9
    assert model.site_names == ["tip"]
    assert len(model.sensor_names) == 6
    assert model.coupling_names == ["twins"]
    assert model.keyframe_names == ["swung"]
    assert (model.friction[0], model.restitution[1], model.time_step) == (0.9, 0.1, 0.002)
    assert [model.shape_id("rod"), model.site_id("tip"), model.sensor_id("skin")] == [3, 0, 5]
    assert [model.coupling_id("twins"), model.keyframe_id("swung"), model.actuator_id("pull")] == [0, 0, 2]


def test_every_kind_of_joint_can_be_built() -> None:
    counts = {
        "fixed": 0, "revolute": 1, "prismatic": 1, "cylindrical": 2, "universal": 2, "spherical": 3,
        "gimbal": 3, "planar": 3, "cartesian": 3, "screw": 1, "free": 6,
    }  # fmt: skip
    for kind, count in counts.items():
        b = bc.ModelBuilder(kind)
        b.body("ball", mass=1.0, sphere=0.1)
        pitch = 0.01 if kind == "screw" else None
        frame = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
        b.joint("j", kind, None, "ball", predecessor_frame=frame, successor_frame=frame, pitch=pitch)
        assert b.build().dof_count == count


def test_motors_pull_tendons_and_push_sites() -> None:
    # two sliders of 1 kg on a cable over q_a + q_b: 3 N on the tendon is 3 N on each; 4 N at a site of the third
    b = bc.ModelBuilder("cable")
    b.gravity((0, 0, 0))
    for name in ("a", "b", "c"):
        b.body(name, mass=1.0, sphere=0.1)
        b.joint(name, "prismatic", bc.WORLD, name, point=(0, 0, 0), axis=(1, 0, 0))
    b.tendon("cable", {"a": 1.0, "b": 1.0}, damping=0.0, limits=(-5, 5), effort_limit=10.0)
    b.site("tail", "c")
    b.actuator("winch", control="effort", tendon="cable")
    b.actuator("jet", None, "effort", site="tail", wrench=(2, 0, 0, 0, 0, 0))
    model = b.build()
    assert model.tendon_names == ["cable"]
    assert model.tendon_id("cable") == 0
    assert model.actuator_joints == [None, None]
    batch = bc.Batch(model, dt=0.01)
    batch.effort[0] = (3.0, 2.0)
    batch.step(10)
    np.testing.assert_allclose(batch.joint_velocity[0], [0.3, 0.3, 0.4], rtol=1e-6)
    with pytest.raises(errors.WrongValue, match="not clear"):
        b.actuator("both", "a", "effort", tendon="cable")
    with pytest.raises(errors.WrongValue, match="not clear"):
        b.actuator("none", control="effort")
    with pytest.raises(errors.WrongType, match="wrench= is missing"):
        b.actuator("jet2", control="effort", site="tail")


def test_hints_of_loaders_name_options_of_python() -> None:
    massless = URDF.replace('<mass value="2"/>', '<mass value="0"/>')
    with pytest.raises(errors.LoadError) as caught:
        bc.loads(massless, "urdf")
    assert "::" not in str(caught.value)
    mesh = '<visual><geometry><mesh filename="package://robot/a.stl"/></geometry></visual>'
    with pytest.raises(errors.LoadError) as caught:
        bc.loads(URDF.replace("</link>\n  <joint", mesh + "</link>\n  <joint"), "urdf", require_meshes=True)
    assert "packages" in str(caught.value)


def test_a_loaded_robot_can_be_added_to() -> None:
    b = bc.loads_builder(URDF, "urdf")
    b.actuator("motor", "shoulder", kp=10.0)
    assert "motor" in b.build().actuator_names
    more = bc.load_builder("four_bar")
    more.body("stone", mass=1.0, sphere=0.1)
    assert more.build().body_count == bc.load("four_bar").body_count + 1


def test_faults_of_a_file_name_line_element_and_hint(tmp_path: Path) -> None:
    file = tmp_path / "leg.urdf"
    file.write_text(URDF.replace('xyz="0 1 0"', 'xyz="0 0 0"').replace('value="2"', 'value="two"'))
    with pytest.raises(bc.errors.LoadError) as caught:
        bc.load(file)
    error = caught.value
    assert isinstance(error, ValueError)
    assert isinstance(error, bc.BellcrankError)
    assert error.file == str(file)
    assert (error.line, error.element) == (error.faults[0].line, error.faults[0].element)
    assert {fault.kind for fault in error.faults} >= {"NotANumber", "ZeroAxis"}
    axis = next(fault for fault in error.faults if fault.kind == "ZeroAxis")
    assert axis.line == 6
    assert axis.element == '<joint name="shoulder">'
    assert "no direction" in axis.text
    assert axis.hint
    assert f"{file}:6" in str(error)
    assert error.hint == error.faults[0].hint


def test_faults_of_a_built_model_name_the_python_line() -> None:
    b = bc.ModelBuilder("bad")
    b.body("light", mass=0.0, sphere=0.1)  # this line is named
    b.joint("hinge", "revolute", None, "lihgt", point=(0, 0, 0), axis=(0, 0, 0))
    with pytest.raises(errors.ModelError) as caught:
        b.build()
    error = caught.value
    assert error.file == __file__
    assert {fault.kind for fault in error.faults} >= {"Massless", "DanglingName"}
    first = min(fault.line for fault in error.faults)
    lines = Path(__file__).read_text().splitlines()
    assert "this line is named" in lines[first - 1]
    assert any("light" in fault.hint for fault in error.faults)


def test_names_that_are_not_there_get_the_nearest_as_hint() -> None:
    model = bc.loads(URDF, "urdf")
    with pytest.raises(errors.NoSuchName, match='no joint "sholder"') as caught:
        model.joint_id("sholder")
    assert caught.value.hint == 'did you mean "shoulder"?'
    assert isinstance(caught.value, LookupError)
    with pytest.raises(errors.NoSuchName):
        model.position_slice("elbow")


def test_wrong_options_are_told() -> None:
    b = bc.ModelBuilder("x")
    with pytest.raises(errors.WrongType, match="no option masss=") as caught:
        b.body("a", masss=1.0)  # type: ignore[call-arg]
    assert caught.value.hint == "did you mean mass=?"
    with pytest.raises(errors.WrongShape, match="expected: 3"):
        b.body("a", position=(1, 2))
    with pytest.raises(errors.WrongType, match="must be numbers"):
        b.body("a", mass="heavy")  # type: ignore[arg-type]
    with pytest.raises(errors.WrongValue, match="no kind"):
        b.joint("j", "hinge", None, "a")
    with pytest.raises(errors.WrongValue, match="pitch"):
        b.joint("j", "screw", None, "a")
    with pytest.raises(errors.WrongValue, match="not clear"):
        b.joint("j", "revolute", None, "a", point=(0, 0, 0), position=(0, 0, 0))
    with pytest.raises(errors.WrongType, match="kp= is missing"):
        b.actuator("m", "j")
    with pytest.raises(errors.WrongValue, match="no geometry"):
        b.shape("s", None, "teapot")
    with pytest.raises(errors.WrongValue, match="symmetric"):
        b.body("a", mass=1.0, inertia=[[1, 2, 0], [0, 1, 0], [0, 0, 1]])
    with pytest.raises(errors.WrongValue, match="no format"):
        bc.loads(URDF, "sdf")
    with pytest.raises(errors.WrongValue, match="neither"):
        bc.loads(URDF, "urdf", base="flying")
    with pytest.raises(errors.LoadError, match="nosuchfile"):
        bc.load("nosuchfile.urdf")


def test_what_has_no_effect_is_listed() -> None:
    text = URDF.replace("</robot>", '<gazebo reference="upper"/></robot>')
    notes = bc.loads(text, "urdf").ignored
    assert len(notes) == 1
    assert isinstance(notes[0], bc.Note)
    assert (notes[0].line, notes[0].file) == (10, "text.urdf")
    assert "gazebo" in notes[0].element
    assert notes[0].why
    b = swing()
    b.body("late", position=(5, 0, 0), mass=1.0, sphere=0.1)
    frame = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    b.joint("open", "fixed", None, "late", predecessor_frame=frame, successor_frame=frame)
    warnings = b.build().warnings
    assert len(warnings) == 1
    assert "apart" in warnings[0].why


def test_models_are_written_as_urdf_mjcf_and_usd() -> None:
    model = bc.loads(URDF, "urdf")
    assert "shoulder" in bc.loads(model.to_usd().text, "usda").joint_names
    assert bc.loads(model.to_urdf().text, "urdf").joint_names == ["shoulder"]
    exported = model.to_mjcf()
    assert isinstance(exported, bc.Exported)
    assert bc.loads(exported.text, "mjcf").joint_names == ["shoulder"]
    assert isinstance(exported.left_out, list)
    assert isinstance(exported.files, dict)


def test_models_are_converted_by_the_ending(tmp_path: Path) -> None:
    source = tmp_path / "arm.urdf"
    source.write_text(URDF)
    for name in ("arm.xml", "arm.usda", "again.urdf"):
        left_out = bc.convert(source, tmp_path / name)
        assert isinstance(left_out, list)
        assert "shoulder" in bc.load(tmp_path / name).joint_names
    with pytest.raises(ValueError, match="no ending of a format"):
        bc.convert(source, tmp_path / "arm.stl")


def test_named_states_of_a_planner_are_keyframes(tmp_path: Path) -> None:
    source, planner = tmp_path / "arm.urdf", tmp_path / "arm.srdf"
    source.write_text(URDF)
    state = '<group_state name="up" group="all"><joint name="shoulder" value="0.5"/></group_state>'
    planner.write_text(f'<robot name="arm">{state}</robot>')
    batch = bc.Batch(bc.load(source, srdf=planner))
    assert batch.reset_to_keyframe("up").all()
    np.testing.assert_allclose(batch.joint_position[0][-1], 0.5, atol=1e-9)


def test_xacro_needs_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "arm.urdf.xacro"
    source.write_text(URDF)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match="pip install xacrodoc"):
        bc.load(source)


def test_the_version_is_a_version() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", bc.__version__)
