"""Rollouts and their gradients: numpy, torch and JAX say the same, and differences agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_derivatives import EXACT, sled

import bellcrank as bc
from bellcrank import errors

STEPS = 12


def batch_of(worlds: int = 2) -> bc.Batch:
    batch = bc.Batch(sled(), worlds=worlds, dt=0.02, solver=EXACT, integrator="variational")
    batch.body_velocity[:, :, 0] = 0.8
    batch.target_position[:] = [[0.4, 0.0]]
    return batch


def efforts(worlds: int = 2) -> Any:
    return 0.3 * np.sin(np.arange(STEPS * worlds * 2)).reshape(STEPS, worlds, 2)


def start_of(batch: bc.Batch) -> bc.Motion:
    names = ("body_position", "body_quat_wxyz", "body_velocity")
    return bc.Motion(*(batch.read(name) for name in names))


WEIGHTS = [np.cos(np.arange(3)), np.sin(1 + np.arange(4)), np.cos(2 + np.arange(6))]


def loss(motion: bc.Motion) -> Any:
    """Some number of the whole trajectory."""
    return sum((part * weight).sum() for part, weight in zip(motion, WEIGHTS))


def cotangents(motion: bc.Motion) -> bc.Motion:
    return bc.Motion(*(np.broadcast_to(weight, part.shape) for part, weight in zip(motion, WEIGHTS)))


def test_a_rollout_is_the_steps_one_by_one() -> None:
    batch, other = batch_of(), batch_of()
    motion = bc.rollout(batch, efforts())
    for effort in efforts():
        other.effort[:] = effort
        other.step()
    assert motion.position.shape == (STEPS, 2, 2, 3)
    assert motion.quat_wxyz.shape == (STEPS, 2, 2, 4)
    assert motion.velocity.shape == (STEPS, 2, 2, 6)
    np.testing.assert_array_equal(motion.position[-1], other.body_position)
    np.testing.assert_array_equal(batch.body_velocity, other.body_velocity)


@pytest.mark.parametrize(
    "name", ["friction", "body_mass", "body_com", "gain", "spring_rest", "gravity", "successor_anchor"]
)
@pytest.mark.parametrize("given", [False, True])
def test_gradients_by_parameters_are_differences_of_rollouts(name: str, given: bool) -> None:
    batch = batch_of()
    blob, values = batch.snapshot(), batch.read(name)
    start = start_of(batch) if given else None

    def run(values: Any) -> bc.Rollout:
        batch.write(name, kept)
        batch.restore(blob)
        return bc.Rollout(batch, efforts(), start=start, parameters={name: values})

    kept = values.copy()
    rolled = run(values)
    found = rolled.gradients(cotangents(rolled.trajectory)).parameters[name]
    assert found.shape == values.shape
    rng = np.random.default_rng(1)
    along = rng.normal(size=values.shape)
    high, low = (float(loss(run(values + sign * 1e-5 * along).trajectory)) for sign in (1, -1))
    # the sum over 12 steps of two worlds has size 1e2: rounding 1e-9/1e-5
    assert abs((found * along).sum() - (high - low) / 2e-5) < 1e-5 * np.abs(found).max() * values.size + 2e-4


def test_gradients_by_controls_and_start_are_differences_of_rollouts() -> None:
    batch = batch_of()
    start = start_of(batch)
    controls = {"effort": efforts(), "body_wrench": np.zeros((STEPS, 2, 2, 6))}
    rolled = bc.Rollout(batch, controls, start=start)
    found = rolled.gradients(cotangents(rolled.trajectory))
    rng = np.random.default_rng(2)

    def difference(move: Any) -> float:
        high, low = (float(loss(move(sign * 1e-5))) for sign in (1, -1))
        return (high - low) / 2e-5

    for name in controls:
        along = rng.normal(size=controls[name].shape)

        def under(a: float, name: str = name, along: Any = along) -> bc.Motion:
            return bc.rollout(batch, {**controls, name: controls[name] + a * along}, start=start)

        moved = difference(under)
        assert abs((found.controls[name] * along).sum() - moved) < 1e-4 * (1 + abs(moved))
    alongs = [rng.normal(size=part.shape) for part in start]
    for k, along in enumerate(alongs):
        if k == 1:  # quaternions keep their length
            along -= start[1] * (along * start[1]).sum(axis=-1, keepdims=True)

        def from_there(a: float, k: int = k, along: Any = along) -> bc.Motion:
            there = [part.copy() for part in start]
            there[k] += a * along
            there[1] /= np.linalg.norm(there[1], axis=-1, keepdims=True)
            return bc.rollout(batch, controls, start=bc.Motion(*there))

        moved = difference(from_there)
        assert abs((found.start[k] * along).sum() - moved) < 1e-4 * (1 + abs(moved)), k


def test_long_rollouts_keep_few_states_and_lose_nothing() -> None:
    batch = batch_of()
    blob = batch.snapshot()
    found = []
    for every in (1, 4):
        batch.restore(blob)
        rolled = bc.Rollout(batch, efforts(), parameters={"friction": batch.read("friction")}, every=every)
        weights = [np.zeros(part.shape) for part in rolled.trajectory]
        weights[0][-1] = 1.0
        end = batch.snapshot()
        found.append(rolled.gradients(bc.Motion(*weights)))
        assert batch.snapshot() == end  # the way back leaves no trace
        assert len(rolled.trajectory.position) == STEPS // every
    one, other = found[0].controls["effort"], found[1].controls["effort"]
    # each step is solved to 1e-9 before it is differentiated, from another start on the way back
    np.testing.assert_allclose(other, one, rtol=1e-6, atol=STEPS * 1e-9 * np.abs(one).max())
    np.testing.assert_allclose(found[1].parameters["friction"], found[0].parameters["friction"], rtol=1e-6)


def test_a_parameter_of_each_world_has_a_gradient_of_each_world() -> None:
    batch = batch_of(worlds=3)
    batch.spread("body_mass")[:] *= [[1.0], [1.1], [1.2]]
    rolled = bc.Rollout(batch, efforts(3), parameters={"body_mass": batch.read("body_mass")})
    found = rolled.gradients(cotangents(rolled.trajectory))
    assert isinstance(found, bc.Gradients)
    assert found.parameters["body_mass"].shape == (3, 2)
    assert np.unique(found.parameters["body_mass"][:, 0]).size == 3


def test_what_cannot_be_is_refused() -> None:
    batch = batch_of()
    with pytest.raises(errors.WrongShape, match="steps, 2, 2"):
        bc.rollout(batch, np.zeros((STEPS, 2)))
    with pytest.raises(errors.NoSuchName, match="controls are"):
        bc.rollout(batch, {"torque": efforts()})
    with pytest.raises(errors.WrongShape, match="steps"):
        bc.rollout(batch, {"effort": efforts(), "target_position": efforts()[:3]})
    with pytest.raises(errors.NoSuchName, match="restitution"):
        bc.rollout(batch, efforts(), parameters={"restitution": 0.1})
    with pytest.raises(errors.WrongValue, match="divide"):
        bc.rollout(batch, efforts(), every=5)
    with pytest.raises(errors.MixedModels):
        bc.rollout(bc.Batch([sled(), sled()]), efforts())
    rolled = bc.Rollout(batch, efforts())
    with pytest.raises(errors.WrongShape, match="cotangents.position"):
        rolled.gradients(bc.Motion(*(part[:-1] for part in rolled.trajectory)))


def reference(batch: bc.Batch) -> bc.Gradients:
    start, friction = start_of(batch), batch.read("friction")
    blob = batch.snapshot()
    rolled = bc.Rollout(batch, efforts(), start=start, parameters={"friction": friction})
    found = rolled.gradients(cotangents(rolled.trajectory))
    batch.restore(blob)
    return found


def test_torch_differentiates_rollouts() -> None:
    torch = pytest.importorskip("torch")
    batch = batch_of()
    expected, friction = reference(batch), torch.tensor(batch.read("friction"), requires_grad=True)
    start = bc.Motion(*(torch.tensor(part, requires_grad=True) for part in start_of(batch)))
    effort = torch.tensor(efforts(), requires_grad=True)
    motion = bc.rollout(batch, effort, start=start, parameters={"friction": friction}, every=1)
    assert motion.position.dtype == torch.float64
    sum((part * torch.tensor(weight)).sum() for part, weight in zip(motion, WEIGHTS)).backward()
    np.testing.assert_allclose(effort.grad.numpy(), expected.controls["effort"], rtol=1e-9)
    np.testing.assert_allclose(friction.grad.numpy(), expected.parameters["friction"], rtol=1e-9)
    for part, wanted in zip(start, expected.start):
        np.testing.assert_allclose(part.grad.numpy(), wanted, rtol=1e-9)
    single = torch.tensor(efforts(), dtype=torch.float32, requires_grad=True)
    bc.rollout(batch, single).velocity[-1].sum().backward()
    assert single.grad.dtype == torch.float32
    assert float(single.grad.abs().max()) > 0


def test_jax_differentiates_rollouts() -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    batch = batch_of()
    expected, start = reference(batch), start_of(batch)
    blob = batch.snapshot()

    def value(effort: Any, start: bc.Motion, friction: Any) -> Any:
        return loss(bc.rollout(batch, effort, start=start, parameters={"friction": friction}))

    leaves = (jax.numpy.asarray(efforts()), start, jax.numpy.asarray(batch.read("friction")))
    for gradient in (jax.grad(value, argnums=(0, 1, 2)), jax.jit(jax.grad(value, argnums=(0, 1, 2)))):
        batch.restore(blob)
        by_effort, by_start, by_friction = gradient(*leaves)
        np.testing.assert_allclose(by_effort, expected.controls["effort"], rtol=1e-9)
        np.testing.assert_allclose(by_friction, expected.parameters["friction"], rtol=1e-9)
        np.testing.assert_allclose(by_start.velocity, expected.start.velocity, rtol=1e-9)
