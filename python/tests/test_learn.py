"""Policies: trained, called, kept, and what is refused. The same files as the command line's."""

from __future__ import annotations

import copy
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bellcrank as bc
from bellcrank import errors
from bellcrank.envs import BatchedEnv
from bellcrank.learn import Evaluation, Policy, evaluate, train

SMALL = {"worlds": 64, "horizon": 8, "minibatches": 2, "epochs": 2, "hidden": [16, 16]}


def trained(updates: int = 2, **how: Any) -> Policy:
    return train("cartpole_swing_up", updates=updates, config=SMALL, **how)


def test_the_same_seed_learns_the_same_policy_for_any_number_of_threads() -> None:
    one, two, other = trained(threads=1), trained(threads=2), trained(seed=1)
    assert pickle.dumps(one) == pickle.dumps(two)
    assert pickle.dumps(one) != pickle.dumps(other)
    assert (one.task, one.seed, one.transitions) == ("cartpole_swing_up", 0, 2 * 64 * 8)
    assert (one.observation_count, one.action_count) == (5, 1)
    assert "horizon = 8" in one.config
    assert one.settings == {}
    assert "cartpole_swing_up" in repr(one)


def test_a_policy_acts_on_rows_and_on_one_row() -> None:
    policy = trained()
    rows = np.random.default_rng(0).normal(size=(700, 5))
    actions = policy(rows)
    assert actions.shape == (700, 1)
    assert actions.dtype == np.float32
    assert (np.abs(actions) <= 1).all()
    assert np.ptp(actions) > 0
    # sums of 16 numbers in three layers, in another order: 3 · 16 · 2⁻²⁴ = 3e-6
    np.testing.assert_allclose(policy(rows[3]), actions[3], atol=3e-6)
    np.testing.assert_array_equal(policy(np.asfortranarray(rows)), actions)
    with pytest.raises(errors.WrongShape, match=r"\(rows, 5\)"):
        policy(np.zeros((2, 4)))


def test_policies_are_saved_pickled_and_copied(tmp_path: Path) -> None:
    policy = trained()
    rows = np.random.default_rng(1).normal(size=(9, 5))
    path = policy.save(tmp_path / "policy.safetensors")
    for other in (Policy.load(path), pickle.loads(pickle.dumps(policy)), copy.deepcopy(policy)):
        np.testing.assert_array_equal(other(rows), policy(rows))
        assert (other.task, other.seed, other.config) == (policy.task, policy.seed, policy.config)
    assert policy.export_onnx(tmp_path / "policy.onnx").stat().st_size > 1000


def test_the_command_line_reads_what_python_writes(tmp_path: Path) -> None:
    policy = trained(out=tmp_path / "run")
    names = {path.name.split(".")[0] for path in (tmp_path / "run").iterdir()}
    assert names == {"policy", "checkpoint", "curve", "report", "config", "events"}
    command = [sys.executable, "-m", "bellcrank", "evaluate", str(tmp_path / "run" / "policy.safetensors")]
    command += ["--episodes", "5", "--json"]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path).stdout)
    assert evaluate(policy, 5) == Evaluation(**told)
    with pytest.raises(errors.RunExists, match="holds a run already"):
        trained(out=tmp_path / "run")


def test_a_run_is_resumed_to_the_same_bits(tmp_path: Path) -> None:
    whole = trained(updates=4)
    trained(updates=2, out=tmp_path)
    again = trained(updates=4, out=tmp_path, resume=True)
    assert pickle.dumps(again) == pickle.dumps(whole)
    with pytest.raises(errors.WrongValue, match="not of 'ant'"):
        train("ant", out=tmp_path, resume=True)
    with pytest.raises(errors.WrongValue, match="out="):
        train("ant", resume=True)


def test_progress_is_told_and_may_end_it() -> None:
    seen: list[dict[str, Any]] = []

    def progress(record: dict[str, Any]) -> bool:
        seen.append(record)
        return len(seen) < 3

    trained(updates=100, progress=progress)
    assert [record["update"] for record in seen] == [1, 2, 3]
    assert {"transitions_per_second", "terms", "return_mean", "fall_fraction", "length_mean"} <= set(seen[0])


def test_an_exception_of_the_callback_comes_through() -> None:
    def progress(record: dict[str, Any]) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        trained(progress=progress)


def test_ctrl_c_ends_training_and_what_was_learned_is_kept(tmp_path: Path) -> None:
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        train("cartpole_swing_up", minutes=5, config=SMALL, out=tmp_path)
    assert Policy.load(tmp_path / "policy.safetensors").transitions > 0
    assert trained(updates=1, out=tmp_path, resume=True).transitions > 0  # and can be gone on with


def test_an_environment_says_what_is_trained() -> None:
    env = BatchedEnv("biped_walk", 16, settings={"push": 0.0})
    policy = train(env, updates=1, config={"horizon": 4, "hidden": [8]})
    assert policy.settings == {"push": 0.0}
    assert policy.transitions == 16 * 4


def test_the_policy_in_the_box_walks() -> None:
    found = evaluate(Policy.load("biped_walk"), 8, seed=3)
    assert found.episodes == 8
    assert found.fall_fraction == 0.0
    assert found.forward_error_mps is not None
    assert found.forward_error_mps < 0.1
    assert found.instant_error is not None
    assert found.pushes > 0


def test_files_and_settings_that_are_wrong_are_told_in_words(tmp_path: Path) -> None:
    policy = trained()
    path = policy.save(tmp_path / "policy.safetensors")
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(errors.BadFile, match=r"policy\.safetensors: .*damaged or cut off") as told:
        Policy.load(path)
    assert told.value.hint is not None
    path.write_bytes(content.replace(b'"version":"1"', b'"version":"7"'))
    with pytest.raises(errors.BadFile, match="version 7"):
        Policy.load(path)
    path.write_bytes(content.replace(b"cartpole_swing_up", b"cartpole_swing_it"))
    with pytest.raises(errors.NoSuchTask, match="cartpole_swing_it"):
        evaluate(Policy.load(path), 1)
    with pytest.raises(errors.CannotRead):
        Policy.load(tmp_path / "none")
    with pytest.raises(errors.BadConfig, match="horizont"):
        train("ant", config={"horizont": 3})
    with pytest.raises(errors.NoSuchSetting, match="pusch"):
        train("biped_walk", config={"task": {"pusch": 1}})
    with pytest.raises(errors.NoSuchTask):
        train("juggle")
    with pytest.raises(errors.WrongType):
        train(3)  # type: ignore[arg-type]
    assert bc.learn.train is train
