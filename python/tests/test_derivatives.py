"""Derivatives of a step: names, shapes, agreement with differences of what the batch does, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_batch import falling_stone

import bellcrank as bc
from bellcrank import errors
from bellcrank._fields import PARAMETERS

KAPPA = 1e-4
EXACT = bc.InteriorPoint(kappa=KAPPA, tolerance=1e-11, centring=1e-6, max_iterations=80)
"""Steps are then the functions that derivatives belong to."""


def sled() -> bc.Model:
    """A box on the ground with a spring-loaded arm and two motors."""
    b = bc.ModelBuilder("sled")
    b.body("box", position=(0, 0, 0.1501), mass=2.0, box=(0.6, 0.4, 0.3))
    b.body("arm", position=(0, 0, 0.6), mass=0.5, box=(0.1, 0.1, 0.5), com=(0.01, 0.02, 0.0))
    b.joint(
        "hinge",
        "revolute",
        "box",
        "arm",
        point=(0, 0, 0.35),
        axis=(0, 1, 0),
        damping=0.1,
        armature=0.02,
        spring=(4.0, 0.2),
        limits=(-1.0, 1.0),
    )
    b.actuator("servo", "hinge", "position", kp=20.0, kd=1.0, gear=1.5)
    b.actuator("push", "hinge", "effort")
    b.shape("ground", bc.WORLD, "plane", friction=0.3)
    b.shape("box", "box", "box", half=(0.3, 0.2, 0.15), friction=0.5)
    return b.build()


def sliding(worlds: int = 1) -> bc.Batch:
    batch = bc.Batch(sled(), worlds=worlds, dt=0.02, solver=EXACT, integrator="variational")
    batch.body_velocity[:, :, :2] = np.linspace([1.0, 0.3], [1.5, 0.1], worlds)[:, None, :]
    batch.target_position[:] = [[0.4, 0.0]]
    batch.effort[:] = [[0.0, 0.3]]
    batch.step(3)
    return batch


def tangent(before: Any, after: Any) -> Any:
    """(bodies, 12): how far two states of one world are apart; rotation as 2 vec(q₁ q̄₀)."""
    (x0, q0, v0), (x1, q1, v1) = before, after
    w, u = q0[:, :1], q0[:, 1:]
    turn = 2 * (q1[:, 1:] * w - q1[:, :1] * u - np.cross(q1[:, 1:], u))
    return np.concatenate([x1 - x0, turn, v1 - v0], axis=-1)


def next_state(batch: bc.Batch, blob: bytes, name: str, values: Any) -> Any:
    """The state of the first world after a step with other numbers in an array."""
    kept = batch.read(name)
    batch.write(name, values)
    batch.step()
    state = [batch.read(part)[0] for part in ("body_position", "body_quat_wxyz", "body_velocity")]
    batch.write(name, kept)
    batch.restore(blob)
    return state


def test_a_stone_in_free_fall_keeps_its_velocity() -> None:
    # x⁺ = x + dt v − dt² g, v⁺ = v − dt g: ∂x⁺/∂v = dt, ∂v⁺/∂g = dt, ∂x⁺/∂F = dt²/m with m = 2 kg
    batch = bc.Batch(falling_stone(), worlds=3, dt=0.01)
    jacobian = batch.step_jacobian(("state", "gravity", "body_wrench"))
    assert isinstance(jacobian, bc.StepJacobian)
    assert jacobian.converged.tolist() == [True] * 3
    assert jacobian.matrix.shape == (3, 12, 12 + 3 + 6)
    assert jacobian.wrt == ("state", "gravity", "body_wrench")
    assert jacobian.rows[:4] == ("state[stone].x", "state[stone].y", "state[stone].z", "state[stone].rx")
    assert jacobian.columns[11:14] == ("state[stone].wz", "gravity.x", "gravity.y")
    assert jacobian.columns[-1] == "body_wrench[stone].mz"
    np.testing.assert_allclose(jacobian["state"][2, :3, :3], np.eye(3), atol=1e-12)
    np.testing.assert_allclose(jacobian["state"][2, :3, 6:9], 0.01 * np.eye(3), atol=1e-12)
    np.testing.assert_allclose(jacobian["gravity"][0, 6:9], 0.01 * np.eye(3), atol=1e-12)
    np.testing.assert_allclose(jacobian["body_wrench"][0, :3, :3], 1e-4 / 2 * np.eye(3), atol=1e-12)
    assert "by state, gravity" in repr(jacobian)


@pytest.mark.parametrize(
    "name",
    [
        "effort",
        "target_position",
        "target_velocity",
        "body_wrench",
        "gravity",
        "body_mass",
        "body_inertia",
        "friction",
        "shape_position",
        "predecessor_anchor",
        "successor_anchor",
        "armature",
        "damping",
        "spring_stiffness",
        "spring_rest",
        "gain",
        "rate_gain",
        "gear",
    ],
)
def test_columns_are_differences_of_what_the_batch_does(name: str) -> None:
    batch = sliding()
    columns = batch.step_jacobian(name)[name][0]
    blob, values = batch.snapshot(), batch.read(name)
    scale, compared = max(1e-2, float(np.abs(columns).max())), 0
    for k, place in enumerate(np.ndindex(values.shape)):
        amount = np.zeros(values.shape)
        amount[place] = 1e-5
        if name == "body_inertia":  # both places of a product of inertia; each has half
            amount = 0.5 * (amount + amount.transpose(0, 1, 3, 2))
        high, low = (next_state(batch, blob, name, values + sign * amount) for sign in (1, -1))
        difference = tangent(low, high).reshape(-1) / 2e-5
        # truncation ~ 1e-10 of third derivatives, rounding ~ 1e-11/1e-5 = 1e-6 of a velocity
        np.testing.assert_allclose(columns[:, k], difference, atol=1e-5 * scale + 2e-6)
        compared += int(np.abs(difference).max() > 1e-4)
    assert compared > 0  # something depends on it


def test_shapes_grow_and_centres_of_mass_move() -> None:
    # a taller box lifts both bodies while it rests; its centre of mass carried forward makes the box tip forward
    batch = sliding()
    jacobian = batch.step_jacobian(("shape_size", "body_com", "time_step"))
    size = jacobian.columns.index("shape_size[box].z")
    assert jacobian.columns[-1] == "time_step"
    assert 0.5 < jacobian.matrix[0, jacobian.rows.index("state[box].z"), size] < 1.1  # the ground gives a little at κ
    forward = jacobian.columns.index("body_com[box].x")
    assert jacobian.matrix[0, jacobian.rows.index("state[box].wy"), forward] > 1e-3


def test_cotangents_go_back_through_the_jacobian() -> None:
    batch = sliding(worlds=5)
    wrt = ("state", "control", "parameters")
    jacobian = batch.step_jacobian(wrt)
    cotangent = np.cos(np.arange(5 * 24)).reshape(5, 2, 12)
    back, again = batch.step_vjp(cotangent, wrt), jacobian.vjp(cotangent)
    assert set(back) == set(again) == set(jacobian.wrt)
    for name, array in back.items():
        assert array.shape[1:] == again[name].shape[1:]
        np.testing.assert_allclose(array, again[name], rtol=1e-6, atol=1e-8 * (1 + np.abs(array).max()))
    for name in set(back) & PARAMETERS:
        assert back[name].shape[1:] == batch.shape(name)[1:], name


def test_worlds_do_not_matter_to_each_other() -> None:
    batch = sliding(worlds=9)
    whole = batch.step_jacobian().matrix
    mask = np.arange(9) % 2 == 1
    np.testing.assert_array_equal(batch.step_jacobian(worlds=mask).matrix, whole[mask])
    np.testing.assert_array_equal(batch.step_jacobian(worlds=4).matrix, whole[4:5])
    assert not np.array_equal(whole[0], whole[8])


def test_friction_of_shapes_counts_in_their_pairs() -> None:
    # the friction of a pair is the mean of the two, so each shape has half, also where worlds differ
    batch = sliding(worlds=2)
    batch.spread("friction")[1] = [0.2, 0.4]
    columns = batch.step_jacobian("friction")["friction"]
    np.testing.assert_allclose(columns[:, :, 0], columns[:, :, 1])
    assert np.abs(columns).max(axis=(1, 2)).min() > 1e-3


def test_smoothing_is_a_parameter() -> None:
    # a resting box: the softer, the more a small push moves it
    batch = bc.Batch(sled(), dt=0.05, solver=EXACT)
    batch.step(20)
    push = [np.abs(batch.step_jacobian("body_wrench", kappa=kappa).matrix[0, 6, 0]) for kappa in (1e-3, 1e-4, 1e-6)]
    assert push[0] > push[1] > push[2] > 0
    np.testing.assert_array_equal(batch.step_jacobian("body_wrench").matrix[0, 6, 0], push[1])  # the solver's own κ


def test_a_step_that_does_not_converge_is_refused_or_marked() -> None:
    # two spins of 200 rad/s turn by more than half a turn in a step of 0.02 s, which the integrator cannot do
    batch = sliding(worlds=3)
    batch.body_velocity[1, :, 3:] = [0.0, 0.0, 200.0]
    with pytest.raises(errors.NotConverged, match="world 1"):
        batch.step_jacobian()
    forgiving = batch.step_jacobian(strict=False)
    assert forgiving.converged.tolist() == [True, False, True]
    back = batch.step_vjp(np.ones((3, 2, 12)), "effort", strict=False)["effort"]
    assert np.isfinite(back).all(axis=1).tolist() == [True, False, True]


def test_the_interior_point_takes_its_options() -> None:
    # a ball at rest: slack · force = κ, so it stands κ / (m g dt) above the ground
    b = bc.ModelBuilder("ball")
    b.body("ball", position=(0, 0, 0.1), mass=1.0, sphere=0.1)
    b.shape("ground", bc.WORLD, "plane")
    b.shape("ball", "ball", "sphere", radius=0.1)
    model = b.build()
    for kappa in (1e-3, 1e-5):
        solver = bc.InteriorPoint(
            kappa=kappa, tolerance=1e-10, centring=1e-6, warm_start=0.0, reach=0.1, friction="linear"
        )
        batch = bc.Batch(model, dt=0.02, solver=solver, integrator="variational")
        report = batch.step(200)
        assert report.status_counts() == {"ok": 1}
        assert abs(batch.body_position[0, 0, 2] - 0.1 - kappa / (9.81 * 0.02)) < 1e-6


def test_what_cannot_be_is_refused() -> None:
    batch = sliding()
    with pytest.raises(errors.NoSuchName, match="friction") as caught:
        batch.step_jacobian("frction")
    assert caught.value.hint is not None
    with pytest.raises(errors.NoSuchName, match="no columns of 'effort'"):
        batch.step_jacobian("state")["effort"]
    with pytest.raises(errors.WrongType):
        batch.step_jacobian(wrt=(1,))  # type: ignore[arg-type]
    for kappa in (0.0, -1.0, float("nan")):
        with pytest.raises(errors.WrongValue, match="kappa"):
            batch.step_jacobian(kappa=kappa)
    with pytest.raises(errors.NoWorlds):
        batch.step_jacobian(worlds=[])
    with pytest.raises(errors.NoSuchWorld):
        batch.step_jacobian(worlds=3)
    with pytest.raises(errors.WrongShape, match=r"expected: \(1, 2, 12\)"):
        batch.step_vjp(np.zeros((1, 12)))
    with pytest.raises(errors.NotFinite):
        batch.step_vjp(np.full((1, 2, 12), np.nan))
    with pytest.raises(errors.MixedModels):
        bc.Batch([sled(), falling_stone()]).step_jacobian()
    batch.close()
    with pytest.raises(errors.BatchClosed):
        batch.step_jacobian()


def test_solvers_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(errors.WrongValue, match="Exact has no integrator"):
        bc.Batch(sled(), integrator="variational", solver=bc.Padmm())
    with pytest.raises(errors.WrongValue, match="InteriorPoint has no integrator"):
        bc.Batch(sled(), solver=bc.InteriorPoint(integrator="moreau_jean"))  # type: ignore[arg-type]
    assert bc.Padmm is bc.Exact
    for solver in (bc.Exact(integrator="moreau_jean"), bc.InteriorPoint(integrator="variational")):
        bc.Batch(sled(), solver=solver).step()
    with pytest.raises(errors.WrongValue, match="friction cone"):
        bc.Batch(sled(), solver=bc.InteriorPoint(friction="square"))
    with pytest.raises(errors.WrongValue, match="kappa"):
        bc.Batch(sled(), solver=bc.InteriorPoint(kappa=0.0))


def test_an_affine_gain_has_no_column() -> None:
    b = bc.ModelBuilder("arm")
    b.body("arm", position=(0, 0, 0.5), mass=1.0, sphere=0.1)
    b.joint("hinge", "revolute", bc.WORLD, "arm", point=(0, 0, 0), axis=(0, 1, 0))
    b.actuator("muscle", "hinge", "affine", gain=2.0, bias=(0.0, -1.0, 0.0))
    batch = bc.Batch(b.build())
    with pytest.raises(errors.NoDerivative, match="muscle"):
        batch.step_jacobian("gain")
    assert "gain" not in batch.step_jacobian("parameters").wrt


def test_a_spring_that_is_not_there_is_not_written() -> None:
    b = bc.ModelBuilder("arm")
    b.body("arm", position=(0, 0, 0.5), mass=1.0, sphere=0.1)
    b.joint("hinge", "revolute", bc.WORLD, "arm", point=(0, 0, 0), axis=(0, 1, 0))
    batch = bc.Batch(b.build())
    with pytest.raises(errors.BadParameter, match="no spring"):
        batch.spring_stiffness = 3.0
    batch.close()
