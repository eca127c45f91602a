"""Batches in other processes: forked, spawned, sent there by pickle. A child that waits for ever is ended and fails."""

from __future__ import annotations

import copy
import importlib
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from typing import Any, Callable

import numpy as np
import pytest

import bellcrank as bc
import bellcrank.envs as envs

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
PATIENCE = 20.0
"""[s] What hangs takes for ever."""


def in_child(work: Callable[[], object]) -> int:
    """The exit code of a forked child that does this; -9 where it hung and was ended."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException as error:
            sys.stderr.write(f"child: {type(error).__name__}: {error}\n")
            os._exit(3)
    begin = time.monotonic()
    while time.monotonic() - begin < PATIENCE:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -9


@pytest.fixture
def biped() -> bc.Model:
    return bc.load("hybrid_biped")


@needs_fork
def test_a_forked_child_steps_its_parents_batch(biped: bc.Model) -> None:
    batch = bc.Batch(biped, worlds=64, threads=2)
    batch.step(3)
    other = copy.deepcopy(batch)
    other.step(4)
    expected = other.snapshot()

    def work() -> None:
        batch.step(4)
        assert batch.snapshot() == expected  # with threads of its own, and the same bits
        assert in_child(lambda: batch.step(2)) == 0  # a fork of a fork
        batch.close()

    assert [in_child(work) for _ in range(3)] == [0, 0, 0]
    batch.step(4)
    assert batch.snapshot() == expected  # the parent noticed nothing


@needs_fork
def test_a_child_forked_while_another_thread_steps_uses_an_idle_batch(biped: bc.Model) -> None:
    idle, busy = bc.Batch(biped, worlds=64, threads=2), bc.Batch(biped, worlds=256, threads=2)
    idle.step(1)
    ended = threading.Event()

    def work() -> None:
        while not ended.is_set():
            busy.step(2)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        time.sleep(0.1)
        codes = [in_child(lambda: idle.step(3)) for _ in range(5)]
    finally:
        ended.set()
        thread.join()
    assert codes == [0] * 5


@needs_fork
def test_a_forked_child_computes_trees_and_environments(biped: bc.Model) -> None:
    q = np.tile(bc.tree.neutral(biped), (4096, 1))
    env = envs.BatchedEnv("biped_walk", 256)
    env.reset(seed=1)
    actions = np.zeros((256, env.action_count), dtype=np.float32)
    bc.tree.fk(biped, q)
    env.step(actions)

    def work() -> None:
        for _ in range(3):
            bc.tree.fk(biped, q)
            env.step(actions)

    assert [in_child(work) for _ in range(3)] == [0, 0, 0]


@needs_fork
def test_recordings_stay_with_the_process_that_began_them(biped: bc.Model) -> None:
    batch = bc.Batch(biped, worlds=2, threads=1)
    recording = batch.record()
    batch.step(20)

    def work() -> None:
        with pytest.raises(Exception, match="forked"):
            batch.step(2000)  # more frames than wait for the thread that is not there

    assert in_child(work) == 0
    batch.step(20)
    assert recording.html.startswith("<!doctype html>")


def stepped(batch: bc.Batch) -> bytes:
    batch.step(5)
    return batch.snapshot()


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_batches_go_to_worker_processes(method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system cannot {method}")
    batch = bc.Batch(bc.load("four_bar"), worlds=8, threads=2)
    batch.target_position = np.linspace(-0.3, 0.3, 8)[:, None]
    batch.step(3)
    with multiprocessing.get_context(method).Pool(2) as pool:
        results = pool.map_async(stepped, [batch, batch]).get(timeout=6 * PATIENCE)
    assert results == [stepped(batch)] * 2


def test_gymnasiums_workers_step() -> None:
    gymnasium: Any = pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    single = importlib.import_module("bellcrank.envs.gymnasium").SingleEnv
    many = gymnasium.vector.AsyncVectorEnv([lambda: single("cartpole_swing_up")] * 2)
    try:
        many.reset(seed=1)
        for _ in range(3):
            observations = many.step(many.action_space.sample())[0]
        assert np.isfinite(observations).all()
    finally:
        many.close(terminate=True)


def test_models_are_the_same_after_pickling() -> None:
    for name in ("hybrid_biped", "stewart", "cartpole", "stack"):
        model = bc.load(name)
        again = pickle.loads(pickle.dumps(model))
        assert pickle.dumps(again) == pickle.dumps(model)
        assert (again.body_names, again.loop_count, again.mass) == (model.body_names, model.loop_count, model.mass)
        assert copy.deepcopy(model) is model  # it never changes
    broken = bytearray(pickle.dumps(bc.load("four_bar")))
    broken[len(broken) // 2] ^= 1
    with pytest.raises(bc.BellcrankError, match="checksum"):
        pickle.loads(bytes(broken))


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_batches_are_the_same_after_pickling_and_copying(precision: str) -> None:
    batch = bc.Batch(bc.load("hybrid_biped"), worlds=5, dt=0.002, solver=bc.ComFree(), precision=precision, threads=1)
    batch.spread("body_mass")[:] *= np.linspace(0.9, 1.1, 5)[:, None]
    batch.gravity = [0.0, 0.5, -9.0]
    batch.target_position = 0.1
    batch.step(7)
    copies = [pickle.loads(pickle.dumps(batch)), copy.deepcopy(batch)]
    expected = stepped(batch)
    for other in copies:
        assert (other.dt, other.precision, other.worlds) == (batch.dt, batch.precision, batch.worlds)
        np.testing.assert_array_equal(other.read("body_mass"), batch.read("body_mass"))
        assert stepped(other) == expected
