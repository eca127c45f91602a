"""Keyframes: angles counted through whole turns, and why one does not hold together."""

import numpy as np
import pytest

import bellcrank as bc

ARM = """<mujoco>
  <compiler angle="radian"/>
  <worldbody><body name="a"><joint name="j" axis="0 0 1"/><geom size=".1" pos=".1 0 0"/></body></worldbody>
  <actuator><position name="m" joint="j" kp="10" kv="1"/></actuator>
  <keyframe>{}</keyframe>
</mujoco>"""
ANGLES = [1.5707963, -1.5707963, 3.2, -3.2, 4.7, 10.0, 3.14159265, -31.0]


@pytest.mark.parametrize("precision, tolerance", [("f64", 1e-9), ("f32", 1e-5)])
def test_a_hinge_stands_at_the_angle_of_its_keyframe(precision: str, tolerance: float) -> None:
    keys = "".join(f'<key name="k{i}" qpos="{q}" ctrl="{q}"/>' for i, q in enumerate(ANGLES))
    model = bc.loads(ARM.format(keys), format="mjcf")
    batch = bc.Batch(model, worlds=2, dt=0.002, precision=precision)
    for i, angle in enumerate(ANGLES):
        assert batch.reset_to_keyframe(f"k{i}").all()
        np.testing.assert_allclose(batch.joint_position[:, 0], angle, atol=tolerance)
        np.testing.assert_allclose(batch.target_position[:, 0], angle, atol=tolerance)
        batch.step(50)  # its motor is told that angle: it holds
        np.testing.assert_allclose(batch.joint_position[:, 0], angle, atol=10 * tolerance)
        assert batch.assemble({"j": angle - 7.0}).all()
        np.testing.assert_allclose(batch.joint_position[:, 0], angle - 7.0, atol=10 * tolerance)


def test_ref_may_be_turns_away_from_zero() -> None:
    text = ARM.format("").replace('axis="0 0 1"', 'axis="0 0 1" ref="10" range="9 11"')
    batch = bc.Batch(bc.loads(text, format="mjcf"), worlds=1, dt=0.002)
    np.testing.assert_allclose(batch.joint_position[0, 0], 10.0, atol=1e-9)
    batch.step(50)  # within its limits, and its motor holds it there
    np.testing.assert_allclose(batch.joint_position[0, 0], 10.0, atol=1e-6)


def test_a_quaternion_of_zeros_turns_nothing_and_short_keys_are_completed() -> None:
    text = """<mujoco>
      <worldbody><body name="b" pos="0 0 2"><freejoint/><geom size=".1"/></body></worldbody>
      <keyframe><key name="zero" qpos="0 0 1 0 0 0 0"/><key name="short" qpos="3" qvel="0 0 1"/></keyframe>
    </mujoco>"""
    model = bc.loads(text, format="mjcf")
    batch = bc.Batch(model, worlds=1)
    assert batch.reset_to_keyframe("zero").all()
    np.testing.assert_allclose(batch.body_quat_wxyz[0, 0], [1.0, 0.0, 0.0, 0.0])
    assert batch.keyframe_fault("zero") is None
    assert batch.reset_to_keyframe("short").all()
    np.testing.assert_allclose(batch.body_position[0, 0], [3.0, 0.0, 2.0])
    np.testing.assert_allclose(batch.body_velocity[0, 0], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0], atol=1e-12)
    said = [item.why for item in model.ignored]
    assert any("qpos has 1 of 7 numbers" in why for why in said), said
    assert any("qvel has 3 of 6 numbers" in why for why in said), said


def test_a_keyframe_that_cannot_close_says_why() -> None:
    contradiction = '<joint name="low" joint1="j"/><joint name="high" joint1="j" polycoef="1 0 0 0 0"/>'
    text = ARM.format('<key name="torn" qpos="0.25"/>')
    text = text.replace("<actuator>", f"<equality>{contradiction}</equality><actuator>")
    batch = bc.Batch(bc.loads(text, format="mjcf"), worlds=2)
    before = batch.joint_position.copy()
    assert not batch.reset_to_keyframe("torn").any()
    np.testing.assert_array_equal(batch.joint_position, before)
    why = batch.keyframe_fault("torn", world=1)
    assert why is not None and 'coupling "high" is off by -0.75' in why, why
    with pytest.raises(LookupError):
        batch.keyframe_fault("nowhere")
