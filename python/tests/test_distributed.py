"""Training on a cluster: the bits of one machine, however many actors; what dies is replaced; what stopped goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.distributed._places import Place, deal, domains
from bellcrank.errors import NotInstalled, RunExists, WrongType, WrongValue

CONFIG: dict[str, Any] = {"worlds": 64, "horizon": 8, "hidden": [32, 16], "minibatches": 2, "epochs": 2}
TASK: dict[str, Any] = {"seed": 3, "config": CONFIG}
EXACT: dict[str, Any] = {"threads": 1, "patience": None}


@pytest.fixture(scope="module")
def nodes(away: None) -> Iterator[list[Any]]:
    """A head without processors, where the driver is, and two nodes with one each."""
    ray = pytest.importorskip("ray", reason="ray is not installed")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    started = [cluster.add_node(num_cpus=1) for _ in range(2)]
    ray.init(address=cluster.address, log_to_driver=False, logging_level="warning")
    yield started
    ray.shutdown()
    cluster.shutdown()


def bits(policy: bc.learn.Policy) -> bytes:
    return policy._native.to_bytes()


def test_any_number_of_actors_has_the_bits_of_one_machine(nodes: list[Any]) -> None:
    alone = bc.learn.train("biped_stand", updates=3, threads=1, **TASK)
    for actors in (1, 2, 4):
        told: list[dict[str, Any]] = []
        policy = bc.distributed.train("biped_stand", updates=3, actors=actors, progress=told.append, **TASK, **EXACT)
        assert bits(policy) == bits(alone), actors
        assert told[-1]["actors"] == actors and told[-1]["faults"] == 0
        n, m, horizon = policy.observation_count, policy.action_count, CONFIG["horizon"]
        terms = len(told[-1]["terms"])
        # observations (one more), actions, means, density and reward, end; figures per world
        bytes_expected = 4 * (n * (horizon + 1) / horizon + 2 * m + 2) + 1 + 8 * (8 + terms) / horizon
        assert told[-1]["rollout_bytes_per_transition"] == pytest.approx(bytes_expected, rel=0.05)


def test_acting_while_the_learner_learns_gives_the_same_for_any_number_of_actors(nodes: list[Any]) -> None:
    policies = [
        bc.distributed.train("cartpole_swing_up", updates=3, actors=actors, staleness=1, **TASK, **EXACT)
        for actors in (1, 2)
    ]
    fresh = bc.distributed.train("cartpole_swing_up", updates=3, actors=2, **TASK, **EXACT)
    assert bits(policies[0]) == bits(policies[1]) != bits(fresh)


def test_a_task_in_python_learns_in_actors(nodes: list[Any]) -> None:
    policy = bc.distributed.train(_balance(), updates=3, actors=2, seed=3, config={**CONFIG, "worlds": 32}, threads=1)
    assert policy.task == "Balance" and policy.transitions == 3 * 32 * 8


def _balance() -> bc.envs.BatchTask:
    class Balance(bc.envs.BatchTask):
        """A pole on a cart; made here, so that other processes get it by value."""

        dt, decimation, episode_steps, action_count = 0.01, 2, 250, 1

        def __init__(self) -> None:
            self.model = bc.load("cartpole")

        def reset(self, batch: bc.Batch, worlds: Any, random: Any) -> None:
            batch.assemble({"hinge": random.uniform(-0.1, 0.1, len(worlds))}, worlds=worlds)

        def act(self, batch: bc.Batch, actions: Any) -> None:
            batch.effort = 10.0 * actions

        def observe(self, batch: bc.Batch) -> Any:
            return np.hstack([batch.joint_position, batch.joint_velocity])

        def reward(self, batch: bc.Batch) -> Any:
            return np.ones(batch.worlds)

        def terminated(self, batch: bc.Batch) -> Any:
            return np.abs(batch.joint_position[:, 1]) > 0.3

    return Balance()


def test_a_node_that_is_killed_costs_an_interval_and_not_a_bit(nodes: list[Any], tmp_path: Path) -> None:
    alone = bc.learn.train("biped_stand", updates=8, threads=1, **TASK)

    def progress(record: dict[str, Any]) -> None:
        if record["update"] == 3:
            kill(nodes[0])

    policy = bc.distributed.train("biped_stand", updates=8, progress=progress, out=tmp_path / "run", **TASK, **EXACT)
    assert bits(policy) == bits(alone)
    faults = json.loads((tmp_path / "run" / "distributed.json").read_text())["faults"]
    # more than one where the machine is so busy that the node's place is given away before its death is known
    assert faults and all((fault["kind"], fault["restored"]) == ("died", "snapshot") for fault in faults)


def kill(node: Any) -> None:
    """kill −9 of a node and of all that runs on it."""
    raylet = node.all_processes["raylet"][0].process.pid
    below = subprocess.run(["ps", "-o", "pid=", "--ppid", str(raylet)], capture_output=True, text=True, check=False)
    for pid in (raylet, *map(int, below.stdout.split())):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def test_a_straggler_is_not_waited_for(nodes: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """One actor takes five seconds more in the second round: the other waits for two, and that rollout is dropped."""
    from bellcrank.distributed import _crew
    from bellcrank.distributed._worlds import Worlds

    class Slow(Worlds):
        def sample(self, policy: bytes, round: int, keep: bool) -> Any:
            time.sleep(5.0 if round == 1 and self._first == 0 else 0.02)
            return super().sample(policy, round, keep)

        def __init__(self, job: Any, worlds: tuple[int, int], *rest: Any) -> None:
            self._first = worlds[0]
            super().__init__(job, worlds, *rest)

    monkeypatch.setattr(_crew, "Worlds", Slow)
    records: list[dict[str, Any]] = []
    bc.distributed.train("cartpole_swing_up", updates=4, actors=2, threads=1, progress=records.append, **TASK)
    assert records[-1]["faults"] >= 1 and records[-1]["transitions"] < 4 * 64 * 8


def test_a_driver_that_was_killed_goes_on_from_its_files(nodes: list[Any], tmp_path: Path) -> None:
    """It is killed after it has written a checkpoint; the policy is that of a run without a stop."""
    import ray

    address = ray.get_runtime_context().gcs_address
    program = (
        "import bellcrank as bc, sys, time\n"
        f"bc.distributed.train('biped_stand', seed=3, config={CONFIG}, updates=8, out=sys.argv[1], save_every=0.0,\n"
        f"    address='{address}', actors=2, threads=1, patience=None, resume='resume' in sys.argv,\n"
        "    progress=lambda record: time.sleep(60 if record['update'] == 5 and 'resume' not in sys.argv else 0))\n"
    )
    run = tmp_path / "run"
    command = [sys.executable, "-c", program, str(run)]
    first = subprocess.Popen(command, start_new_session=True)
    curve = run / "curve.json"
    end = time.monotonic() + 60.0
    while time.monotonic() < end and not (curve.exists() and len(json.loads(curve.read_text())) == 5):
        time.sleep(0.1)
    time.sleep(0.3)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    assert len(json.loads(curve.read_text())) == 5
    subprocess.run([*command, "resume"], check=True, timeout=90)
    alone = bc.learn.train("biped_stand", updates=8, threads=1, **TASK)
    assert bits(bc.learn.Policy.load(run / "policy.safetensors")) == bits(alone)


def test_files_may_be_wherever_fsspec_reaches(nodes: list[Any]) -> None:
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")
    out = "memory://runs/cartpole"
    bc.distributed.train("cartpole_swing_up", updates=1, actors=1, out=out, **TASK, **EXACT)
    with pytest.raises(RunExists):
        bc.distributed.train("cartpole_swing_up", updates=1, out=out)
    policy = bc.distributed.train("cartpole_swing_up", updates=2, actors=1, out=out, resume=True, **EXACT)
    assert policy.transitions == 2 * 64 * 8
    names = {str(name).rsplit("/", 1)[-1] for name in fsspec.filesystem("memory").ls("/runs/cartpole", detail=False)}
    assert {"policy.safetensors", "checkpoint.safetensors", "curve.json", "report.html", "config.toml"} <= names


def test_worlds_are_dealt_out_by_whole_blocks() -> None:
    dealt = deal([Place("a", 4, 4.0), Place("b", 1, 1.0), Place("c", 1, 1.0)], 100)
    assert [place.worlds for place in dealt] == [(0, 64), (64, 80), (80, 100)]
    assert [place.worlds for place in deal([Place("a", 1, 1.0) for _ in range(4)], 20)] == [(0, 16), (16, 20)]


def test_numa_domains_are_read(tmp_path: Path) -> None:
    mine = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]
    for k, text in enumerate((f"{mine[0]}", f"{mine[-1]},100000-100002")):
        (tmp_path / f"node{k}").mkdir()
        (tmp_path / f"node{k}" / "cpulist").write_text(text)
    assert domains(str(tmp_path)) == [[mine[0]], [mine[-1]]]
    assert domains(str(tmp_path / "none")) == [mine]


def test_wrong_arguments_are_told() -> None:
    with pytest.raises(WrongType, match="unexpected keyword argument 'actor'"):
        bc.distributed.train("biped_stand", actor=2)
    with pytest.raises(WrongValue, match="staleness is 2"):
        bc.distributed.train("biped_stand", staleness=2)
    pytest.importorskip("ray", reason="ray is not installed")


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # what Python does for a package that is not there
    with pytest.raises(NotInstalled, match=r"needs ray") as told:
        bc.distributed.train("cartpole_swing_up", updates=1)
    assert told.value.hint == 'pip install "bellcrank[ray]"'
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.modules['ray'] = None\n"
         "from bellcrank.distributed.__main__ import main; sys.exit(main(['train', 'biped_stand']))"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1 and 'hint: pip install "bellcrank[ray]"' in done.stderr


def test_the_command_line_hands_over(nodes: list[Any], tmp_path: Path) -> None:
    import ray

    address = ray.get_runtime_context().gcs_address
    config = tmp_path / "config.toml"
    config.write_text("worlds = 32\nhorizon = 4\nhidden = [16]\n")
    words = ["train", "cartpole_swing_up", "--updates", "2", "--seed", "5", "--config", str(config), "--json"]
    near, far = ([sys.executable, "-m", "bellcrank", *words, "--out", str(tmp_path / name)] for name in ("near", "far"))
    subprocess.run(near, check=True, capture_output=True)
    done = subprocess.run([*far, "--ray", address, "--actors", "1"], check=True, capture_output=True, text=True)
    figures = json.loads(done.stdout)
    assert (figures["actors"], figures["updates"], figures["transitions"]) == (1, 2, 256)
    policies = [(tmp_path / name / "policy.safetensors").read_bytes() for name in ("near", "far")]
    assert policies[0] == policies[1]
