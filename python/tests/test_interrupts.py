"""Ctrl-C ends whatever takes long, and what was interrupted can be used further."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.envs import BatchedEnv


@contextmanager
def interrupted() -> Iterator[None]:
    """Presses Ctrl-C after 0.3 s; the block must end soon after."""
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    begin = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        yield
    assert time.monotonic() - begin < 5.0


def test_ctrl_c_ends_a_long_step() -> None:
    batch = bc.Batch(bc.load("hybrid_biped"), worlds=64, threads=1)
    with interrupted():
        batch.step(10**9)
    batch.step()  # and the batch goes on


def test_ctrl_c_ends_long_tree_operators_and_rollouts() -> None:
    model = bc.load("hybrid_biped")
    q = bc.tree.neutral(model, 200_000)
    with interrupted():
        for _ in range(1000):
            bc.tree.mass_inverse(model, q, threads=1)
    env = BatchedEnv("cartpole_swing_up", 64)
    with interrupted():
        for _ in range(10**9):
            env.step(np.zeros((64, 1)))


def test_ctrl_c_ends_a_single_long_action() -> None:
    timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))
    worlds, whole = 5000, 0.0
    while whole < 0.4:  # as many as take long enough to be interrupted, whatever the machine
        env = BatchedEnv("biped_walk", worlds)
        actions = np.zeros((worlds, env.action_count))
        begin = time.monotonic()
        env.step(actions)
        whole = time.monotonic() - begin
        worlds *= 2
    begin = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        env.step(actions)
    assert time.monotonic() - begin < 0.7 * whole
    assert np.isfinite(env.step(actions).rewards).all()  # waits for the action that was left alone, and goes on


def test_ctrl_c_ends_long_derivatives() -> None:
    batch = bc.Batch(bc.load("hybrid_biped"), worlds=4000)
    with interrupted():
        batch.step_jacobian(("state", "body_mass"))
    assert batch.step_jacobian("effort", worlds=0).matrix.shape[0] == 1
