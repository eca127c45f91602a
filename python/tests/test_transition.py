"""A and B of a step: beside differences of the engine's own steps, and beside MuJoCo's."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import pytest
from numpy.typing import NDArray

import bellcrank as bc
from bellcrank import errors

CHAIN = """<mujoco model="chain">
  <option timestep="{dt}" integrator="Euler"><flag contact="disable"/></option>
  <compiler autolimits="true" angle="radian"/>
  <worldbody>
    <body name="cart">
      <joint name="slide" type="slide" axis="1 0 0" damping="0.3"/>
      <geom type="box" size="0.1 0.05 0.05" mass="1.5"/>
      <body name="upper" pos="0 0 0.1">
        <joint name="shoulder" axis="0 1 0" damping="0.05" armature="0.01"/>
        <geom type="capsule" fromto="0 0 0 0.1 0.05 0.4" size="0.03" mass="0.8"/>
        <body name="lower" pos="0.1 0.05 0.4">
          <joint name="elbow" axis="1 0.5 0" stiffness="0.4"/>
          <geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.02" mass="0.4"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="push" joint="slide" gear="2"/>
    <motor name="turn" joint="elbow"/>
  </actuator>
</mujoco>"""
Q, V, U = np.array([0.2, 0.4, -0.7]), np.array([0.5, -1.2, 1.6]), np.array([0.3, -0.2])


def ours(dt: float, precision: str = "f64", moved: Optional[NDArray[np.float64]] = None) -> bc.Batch:
    """Worlds that have made a step already; their starts differ by the rows of ``moved``."""
    x = np.concatenate([Q, V]) + (np.zeros((3, 6)) if moved is None else moved)
    batch = bc.Batch(bc.loads(CHAIN.format(dt=dt), format="mjcf"), worlds=len(x), precision=precision)
    assert batch.dt == dt
    assert batch.assemble(x[:, :3], velocities=x[:, 3:]).all()
    batch.control = U
    batch.step()
    return batch


def state(batch: bc.Batch) -> NDArray[np.float64]:
    return np.hstack([batch.joint_position, batch.joint_velocity])


def theirs(dt: float, x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    mujoco: Any = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(CHAIN.format(dt=dt))
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.ctrl[:] = x[:3], x[3:], U
    A, B = np.zeros((6, 6)), np.zeros((6, 2))
    mujoco.mjd_transitionFD(model, data, 1e-6, True, A, B, None, None)
    return A, B


def test_a_and_b_are_mujocos_to_the_second_order_of_the_step() -> None:
    # Both are 1 + dt (slopes of the motion) + O(dt²), and the second order differs between integrators. So the
    # difference falls by four when dt is halved.
    off = []
    for dt in (0.004, 0.002, 0.001):
        batch = ours(dt)
        A, B = batch.transition()
        their_A, their_B = theirs(dt, state(batch)[0])
        assert A.shape == (3, 6, 6)
        assert B.shape == (3, 6, 2)
        off.append([np.abs(A[0] - their_A).max(), np.abs(B[0] - their_B).max()])
    ratios = np.array(off[:-1]) / np.array(off[1:])
    assert (ratios > 3.5).all(), (off, ratios)
    assert (ratios < 4.5).all(), (off, ratios)
    assert np.max(off[-1]) < 1e-4  # slopes reach 18/s and 3.7/s: a wrong half of one would be 2e-3


def test_a_and_b_are_differences_of_the_engines_own_steps() -> None:
    # Twelve worlds start to both sides of six directions and make a step: their states then span all that a motion
    # can reach, and one more step takes the one to the other.
    dt, amount = 0.004, 1e-3
    batch = ours(dt)
    A, B = batch.transition()
    assert batch.transition_names() == ["slide", "shoulder", "elbow"]
    both = ours(dt, moved=np.vstack([amount * np.eye(6), -amount * np.eye(6)]))
    before = state(both)
    both.step()
    after = state(both)
    before, after = ((x[:6] - x[6:]).T / (2 * amount) for x in (before, after))
    np.testing.assert_allclose(after @ np.linalg.inv(before), A[0], atol=1e-4)
    blob = batch.snapshot()
    for k in range(2):
        ends = []
        for by in (amount, -amount):
            batch.restore(blob)
            batch.control[:, k] = U[k] + by
            batch.step()
            ends.append(state(batch)[0])
        # the implicit step that is differentiated and the one that is taken differ in the second order of dt
        np.testing.assert_allclose((ends[0] - ends[1]) / (2 * amount), B[0, :, k], atol=2 * dt**2)


def test_single_precision_has_the_same_derivative() -> None:
    # states are rounded to 6e-8, which intervals of 4 ms show as 1.5e-5, several times; the rest has 64 bits
    for one, two in zip(ours(0.004).transition(), ours(0.004, "f32").transition(worlds=[1])):
        np.testing.assert_allclose(one[1:2], two, atol=1e-4)


def test_loops_leave_their_independent_coordinates() -> None:
    batch = bc.Batch(bc.load("hybrid_biped"), worlds=2)
    names = batch.transition_names()
    A, B = batch.transition(worlds=1, kappa=1e-3)
    n = batch.model.mobility
    assert len(names) == n
    assert A.shape == (1, 2 * n, 2 * n)
    assert B.shape == (1, 2 * n, batch.model.actuator_count)
    assert np.isfinite(A).all()
    assert [name.split(".")[1] for name in names[:6]] == ["x", "y", "z", "rx", "ry", "rz"]


def test_what_cannot_be_is_refused() -> None:
    batch = ours(0.004)
    with pytest.raises(errors.NoWorlds):
        batch.transition(worlds=[])
    with pytest.raises(errors.BadKappa):
        batch.transition(kappa=0.0)
    with pytest.raises(errors.MixedModels):
        bc.Batch([bc.load("pendulum"), bc.load("cartpole")]).transition()
