"""Arrays go to torch and JAX without copying. Runs where they are installed, and says where not;
``BELLCRANK_PYTHON_EXTRAS="torch jax" python/test.sh`` installs them."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import bellcrank as bc
import bellcrank.envs as envs


@pytest.fixture
def batch() -> bc.Batch:
    return bc.Batch(bc.load("four_bar"), worlds=5, precision="f32")


def test_numpy_takes_arrays_by_dlpack(batch: bc.Batch) -> None:
    q = batch.joint_position
    other = np.from_dlpack(q)
    assert other.ctypes.data == q.ctypes.data
    del q
    gc.collect()
    batch.target_position += 0.3
    batch.step(20)
    np.testing.assert_array_equal(other, batch.read("joint_position"))  # still live, though only DLPack holds it


def test_torch_takes_and_writes_arrays_in_place(batch: bc.Batch) -> None:
    torch: Any = pytest.importorskip("torch", reason="torch is not installed")
    q, targets = torch.from_dlpack(batch.joint_position), torch.from_dlpack(batch.target_position)
    assert q.data_ptr() == batch.joint_position.ctypes.data
    assert torch.from_numpy(batch.joint_position).data_ptr() == q.data_ptr()
    before = q.clone()
    targets += 0.4  # the batch sees what torch writes
    batch.step(20)
    assert not torch.equal(q, before)
    np.testing.assert_array_equal(q.numpy(), batch.read("joint_position"))
    plain = bc.Batch(batch.model, worlds=5, precision="f32")
    plain.target_position += np.float32(0.4)
    plain.step(20)
    np.testing.assert_array_equal(q.numpy(), plain.joint_position)
    # tensors are taken wherever numbers are
    batch.target_position = torch.zeros(5, 1)
    assert (batch.target_position == 0).all()


def test_torch_policies_act_in_environments() -> None:
    torch: Any = pytest.importorskip("torch", reason="torch is not installed")
    env = envs.BatchedEnv("cartpole_swing_up", 4)
    observations = torch.from_dlpack(env.reset(seed=1))
    before = observations.clone()
    done = env.step(torch.full((4, env.action_count), 0.5))
    assert torch.from_dlpack(done.observations).data_ptr() == observations.data_ptr()  # refilled, not replaced
    assert not torch.equal(observations, before)


def test_jax_takes_arrays_without_copying(batch: bc.Batch) -> None:
    jax: Any = pytest.importorskip("jax", reason="jax is not installed")
    q = batch.joint_position
    taken = jax.dlpack.from_dlpack(q)
    assert taken.unsafe_buffer_pointer() == q.ctypes.data
    np.testing.assert_array_equal(np.asarray(taken), q)
    batch.target_position = jax.numpy.ones((5, 1), dtype="float32")  # and numbers come back
    assert (batch.target_position == 1).all()
    tau = bc.tree.gravity(bc.load("double_pendulum"), jax.numpy.zeros((3, 2), dtype="float32"))
    assert tau.shape == (3, 2)
    assert tau.dtype == np.float32
