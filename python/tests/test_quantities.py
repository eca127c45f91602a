"""The table of quantities as arrays: link frames, sites, read-outs, controls, sensors, poses from arrays."""

from __future__ import annotations

import numpy as np
import pytest

import bellcrank as bc
from bellcrank import _native, errors

G = 9.81


def carried() -> bc.Model:
    """A link on a motor, its centre of mass 0.2 m out, with a site at 0.5 m; a ball that lies on the ground."""
    b = bc.ModelBuilder("carried")
    b.body("link", position=(0, 0, 1), mass=2.0, sphere=0.05, com=(0.2, 0, 0))
    b.body("ball", position=(3, 0, 0.1), mass=1.5, sphere=0.1)
    b.joint("hinge", "revolute", bc.WORLD, "link", point=(0, 0, 1), axis=(0, 1, 0))
    b.actuator("servo", "hinge", "position", kp=1e4, kd=100.0)
    b.actuator("push", "hinge", "effort")
    b.actuator("turn", "hinge", "velocity", kd=0.5)
    b.site("tip", "link", position=(0.5, 0, 0))
    b.site("there", bc.WORLD, position=(1, 2, 3))
    b.shape("ground", bc.WORLD, "plane")
    b.shape("ball", "ball", "sphere", radius=0.1, friction=0.8)
    b.sensor("imu", "imu", site="tip")
    b.sensor("hinge", "joint_state", joint="hinge")
    return b.build()


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_link_frames_and_sites_stand_where_the_bodies_put_them(precision: str) -> None:
    batch = bc.Batch(carried(), worlds=3, precision=precision)
    batch.assemble({"hinge": [0.0, 0.3, -0.5]}, velocities={"hinge": [1.0, 2.0, 0.0]})
    angle, rate = np.array([0.0, 0.3, -0.5]), np.array([1.0, 2.0, 0.0])
    tight = 1e-6 if precision == "f32" else 1e-9
    # a turn of φ about y takes x to (cos φ, 0, −sin φ); the link's origin is on the hinge and stands
    out = np.stack([np.cos(angle), 0 * angle, -np.sin(angle)], axis=1)
    np.testing.assert_allclose(batch.link_position[:, 0], np.tile([0, 0, 1], (3, 1)), atol=tight)
    np.testing.assert_allclose(batch.body_position[:, 0], [0, 0, 1] + 0.2 * out, atol=tight)
    np.testing.assert_allclose(batch.site_position[:, 0], [0, 0, 1] + 0.5 * out, atol=tight)
    np.testing.assert_allclose(batch.site_position[:, 1], np.tile([1, 2, 3], (3, 1)), atol=tight)
    half = np.stack([np.cos(angle / 2), 0 * angle, np.sin(angle / 2), 0 * angle], axis=1)
    for array in (batch.link_quat_wxyz[:, 0], batch.site_quat_wxyz[:, 0], batch.body_quat_wxyz[:, 0]):
        np.testing.assert_allclose(array * np.sign(array[:, :1]), half, atol=tight)
    np.testing.assert_allclose(batch.link_velocity[:, 0, :3], 0, atol=10 * tight)
    np.testing.assert_allclose(batch.link_velocity[:, 0, 4], rate, atol=10 * tight)
    assert batch.link_position.dtype == batch.dtype


def test_read_outs_are_those_of_the_last_step() -> None:
    batch = bc.Batch(carried(), worlds=2, dt=0.002)
    batch.step(1500)
    # the motor holds 2 kg at 0.2 m (about y, against gravity), the hinge their weight, the ground 1.5 kg
    effort = batch.applied_effort
    np.testing.assert_allclose(effort, -2.0 * G * 0.2, rtol=1e-6)
    reaction = np.abs(batch.joint_reaction[:, 0, :3])
    np.testing.assert_allclose(np.linalg.norm(reaction, axis=1), 2.0 * G, rtol=1e-6)
    np.testing.assert_allclose(batch.contact_force[:, 1], np.tile([0, 0, 1.5 * G], (2, 1)), atol=5e-4)  # 1e-6 N·s
    np.testing.assert_allclose(batch.contact_force[:, 0], 0)
    np.testing.assert_allclose(batch.body_acceleration, 0, atol=1e-4)
    batch.body_wrench[0, 1, 2] = 1.5 * (G + 4.0)
    batch.step()
    np.testing.assert_allclose(batch.body_acceleration[:, 1, 2], [4.0, 0.0], atol=1e-3)
    np.testing.assert_allclose(batch.contact_force[0, 1], 0, atol=1e-9)


def test_read_outs_cannot_be_written() -> None:
    batch = bc.Batch(carried())
    with pytest.raises(errors.ReadOut, match="link_position"):
        batch._native.write("link_position", batch.link_position)
    with pytest.raises(ValueError, match="read-only"):
        batch.link_position[0, 0, 0] = 1.0
    with pytest.raises(errors.WrongValue, match="link_position"):
        batch.link_position = np.zeros(batch.link_position.shape)
    with pytest.raises(errors.NoArray):
        batch.read("shape_size")
    with pytest.raises(errors.NotAParameter):
        batch.spread("control")


def test_control_is_what_each_motor_listens_to() -> None:
    batch = bc.Batch(carried(), worlds=2)
    control, effort, target = batch.control, batch.effort, batch.target_position
    control[:] = [[0.1, 2.0, 0.3], [0.4, 5.0, 0.6]]
    batch.step()
    np.testing.assert_array_equal(target[:, 0], [0.1, 0.4])
    np.testing.assert_array_equal(effort[:, 1], [2.0, 5.0])
    np.testing.assert_array_equal(batch.target_velocity[:, 2], [0.3, 0.6])
    effort[:, 1] = 7.0
    effort[:, 0] = 1.0  # feed-forward of the servo: no control of its own
    batch.step()
    np.testing.assert_array_equal(control, [[0.1, 7.0, 0.3], [0.4, 7.0, 0.6]])
    assert batch.activation.shape == (2, 3)
    assert not batch.activation.any()


def test_sensors_are_read_together() -> None:
    batch = bc.Batch(carried(), worlds=4)
    batch.assemble({"hinge": [0.0, 0.1, 0.2, 0.3]})
    batch.step(3)
    both = batch.sensors(["hinge", "imu"])
    np.testing.assert_array_equal(both, np.hstack([batch.sensor("hinge"), batch.sensor("imu")]))
    np.testing.assert_array_equal(batch.sensors(["imu"], worlds=[2]), both[2:3, 2:])
    with pytest.raises(errors.NoSuchName, match='no sensor "imi"'):
        batch.sensors(["hinge", "imi"])


def test_poses_from_arrays() -> None:
    model = bc.load("four_bar")
    batch = bc.Batch(model, worlds=3)
    assert batch.assemble({model.joint_names[0]: [0.1, 0.2, 0.3]}).all()
    q = batch.joint_position.copy()
    other = bc.Batch(model, worlds=3)
    assert other.assemble(q).all()  # all coordinates, and they close
    np.testing.assert_allclose(other.joint_position, q, atol=1e-6)
    one = np.full(q.shape[1], np.nan)
    one[0] = 0.2
    assert other.assemble(one, worlds=[0, 2]).tolist() == [True, False, True]
    np.testing.assert_allclose(other.joint_position[[0, 2]], q[[1, 1]], atol=1e-6)
    speed = np.full((3, model.dof_count), np.nan)
    speed[:, 0] = [1.0, 2.0, 3.0]
    assert other.assemble(q, velocities=speed).all()
    np.testing.assert_allclose(other.joint_velocity[:, 0], [1.0, 2.0, 3.0], atol=1e-6)
    assert other.assemble(q[1:], worlds=[1, 2]).tolist() == [False, True, True]
    open_ = q.copy()
    open_[:, 1] += 0.5
    assert not other.assemble(open_).any()
    with pytest.raises(errors.WrongShape, match="targets"):
        other.assemble(q[:, :1])
    with pytest.raises(errors.NotFinite):
        other.assemble(np.full(q.shape[1], np.inf))
    some = q.copy()
    some[0, 0] = np.nan
    with pytest.raises(errors.WrongValue, match="some worlds only"):
        other.assemble(some)


def test_every_array_of_the_table_is_an_attribute() -> None:
    batch = bc.Batch(carried(), worlds=2)
    for name, kind, _, _ in _native.quantities():
        if kind != "direction":
            assert getattr(batch, name).shape == batch.shape(name), name
            assert getattr(bc.Batch, name).__doc__
    assert batch.velocity_interval.shape == (2,)


def test_an_array_of_a_floating_robot_asks_its_base_to_stay() -> None:
    """A trunk with a leg on a hinge and a tail on a ball: 7 + 1 + 4 coordinates."""
    model = bc.loads(
        """<mujoco><worldbody><body name="trunk" pos="0 0 1"><freejoint/><geom type="box" size=".2 .1 .05"/>
        <body name="leg" pos="0 0 -.05"><joint name="hip" axis="0 1 0"/>
        <geom type="capsule" size=".03" fromto="0 0 0 0 0 -.4"/></body>
        <body name="tail" pos="-.2 0 0"><joint name="root" type="ball"/>
        <geom type="capsule" size=".02" fromto="0 0 0 -.3 0 0"/></body>
        </body></worldbody></mujoco>""",
        format="mjcf",
    )
    batch = bc.Batch(model, worlds=3, threads=1)
    batch.place("trunk", [[0.0, 0.0, 1.0], [1.0, 0.0, 1.2], [0.0, 2.0, 1.1]])
    q = batch.joint_position.copy()
    q[:, 7] = [0.1, 0.2, 0.3]
    assert batch.assemble(q).all()
    np.testing.assert_allclose(batch.joint_position, q, atol=1e-6)
    assert batch.assemble(q, velocities=np.zeros(batch.joint_velocity.shape)).all()
    moved = q.copy()
    moved[:, 0] += 0.5
    with pytest.raises(errors.WrongValue, match="ball or free joint"):
        batch.assemble(moved)
