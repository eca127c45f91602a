"""Threads that use the same arrays, arrays that cannot be written, and memory that there is not."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import Counter

import numpy as np
import pytest

import bellcrank as bc


@pytest.fixture
def batches() -> tuple[bc.Batch, bc.Batch]:
    model = bc.load("hybrid_biped")
    return bc.Batch(model, worlds=1000, threads=1), bc.Batch(model, worlds=1000, threads=1)


def test_reading_into_an_array_that_another_thread_writes_from_raises_nothing_worse_than_busy(
    batches: tuple[bc.Batch, bc.Batch],
) -> None:
    first, second = batches
    array = second.body_position
    seen: Counter[str] = Counter()
    ended = threading.Event()

    def fill() -> None:
        while not ended.is_set():
            try:
                first.read("body_position", array)
            except BaseException as error:
                seen[type(error).__name__] += 1

    thread = threading.Thread(target=fill)
    thread.start()
    begin = time.monotonic()
    while time.monotonic() - begin < 2.0:
        try:
            second.write("body_position", array)
            seen["ok"] += 1
        except BaseException as error:
            seen[type(error).__name__] += 1
    ended.set()
    thread.join()
    assert seen["ok"] > 0
    assert set(seen) <= {"ok", "BatchBusy", "WrongValue"}, seen


def test_what_another_thread_writes_meanwhile_does_not_get_past_the_check(batches: tuple[bc.Batch, bc.Batch]) -> None:
    batch = batches[0]
    array = np.zeros(batch.shape("target_position"))
    out = np.zeros_like(array)
    ended = threading.Event()

    def flip() -> None:
        while not ended.is_set():
            array[-1] = np.nan
            array[-1] = 0.0

    thread = threading.Thread(target=flip)
    thread.start()
    begin, seen = time.monotonic(), Counter[str]()
    while time.monotonic() - begin < 3.0:
        try:
            batch._native.write("target_position", array)
        except bc.BellcrankError as error:
            seen[type(error).__name__] += 1
            continue
        batch._native.read("target_position", out)
        seen["got in" if np.isnan(out).any() else "ok"] += 1
    ended.set()
    thread.join()
    assert seen["got in"] == 0
    assert seen["ok"] > 0


def test_arrays_that_follow_from_others_cannot_be_written(batches: tuple[bc.Batch, bc.Batch]) -> None:
    batch = batches[0]
    q = batch.joint_position
    with pytest.raises(ValueError, match="read-only"):
        q[0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        q += 1.0
    with pytest.raises(bc.errors.WrongValue, match="follows from the bodies"):
        batch.write("joint_position", 0.0)
    assert not batch.joint_velocity.flags.writeable
    assert batch.target_position.flags.writeable
    assert q is batch.joint_position
    before = q.copy()
    assert before.flags.writeable
    assert type(q * 2.0) is np.ndarray  # what is computed is an ordinary array
    batch.target_position = 0.3
    batch.step(5)
    assert np.abs(q - before).max() > 0.0  # it still follows


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells how much memory there is")
def test_more_worlds_than_there_is_memory_for_raise_memory_error() -> None:
    program = """
import resource, warnings
warnings.simplefilter("ignore")
import bellcrank as bc
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
try:
    bc.Batch(bc.load("hybrid_biped"), worlds=5 * 10**6, threads=1)
except MemoryError as error:
    assert "GB of memory" in str(error), error
    print("said so")
bc.Batch(bc.load("hybrid_biped"), worlds=10, threads=1).step(1)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, cwd="/")
    assert (done.returncode, done.stdout.strip()) == (0, "said so"), done.stderr
