"""What distributing costs and survives, on one machine: the figures of docs/guides/distributed.md.

python benches/distributed.py overhead      against the trainer of one machine, at equal cores, in turns
python benches/distributed.py node          kill −9 of a node of a cluster: how long it stands still, and what is
learned python benches/distributed.py map           a million worlds to Parquet, killed and resumed: memory, lost and
doubled rows
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import bellcrank as bc
from bellcrank import _native
from bellcrank.distributed import training
from bellcrank.distributed._crew import Patience

os.environ.setdefault("RAY_worker_niceness", "0")  # 15 otherwise: whoever else uses the machine would win
TASK = "biped_stand"
EXAMPLE = Path(__file__).parents[1] / "examples" / "distributed" / "tolerances.py"


def overhead(updates: int) -> dict[str, Any]:
    """Update by update in turns with the trainer of one machine, which does the very same work, to the last bit: what
    else the machine does meets both alike.
    """
    import ray

    ray.init(address="local", num_cpus=4, include_dashboard=False, log_to_driver=False, logging_level="error")
    kinds = {"1 core, 1 actor": (1, 1), "2 cores, 1 actor of 2 threads": (1, 2), "2 cores, 2 actors": (2, 1)}
    return {name: _in_turns(updates, *how) for name, how in kinds.items()}


def _in_turns(updates: int, actors: int, threads: int) -> dict[str, Any]:
    cores = actors * threads
    how = training.Cluster(actors=actors, threads=threads, learner_threads=cores, patience=None)
    far = training._Run.begun(TASK, (None, None, None), 1, how)
    far.start()
    near = _native.Trainer(TASK, None, ("", None, [], None), 1, cores)
    times = []
    for k in range(updates):
        begin = time.perf_counter()
        near.update()
        middle = time.perf_counter()
        far._begin(k)
        far._update(far.crew.gather(k, Patience(None, 1)), 0.0)
        times.append((middle - begin, time.perf_counter() - middle))
    assert near.policy().to_bytes() == far.learner.policy().to_bytes()
    far.crew.stop()
    later = np.array(times[2:])  # the first ones warm up
    return {
        "trainer_per_s": 16 * 1024 / float(np.median(later[:, 0])),
        "actors_per_s": 16 * 1024 / float(np.median(later[:, 1])),
        "overhead_of_sums": float(later[:, 1].sum() / later[:, 0].sum() - 1.0),
        "overhead_of_pairs_quartiles": np.quantile(later[:, 1] / later[:, 0] - 1.0, [0.25, 0.5, 0.75]).tolist(),
        "bytes_per_transition": [far.report.rollout_bytes_per_transition, far.report.snapshot_bytes_per_transition],
        "policy_bytes": far.report.policy_bytes_per_update,
    }


def node(updates: int) -> dict[str, Any]:
    """Two nodes, one of which is killed half-way; beside a run that nobody disturbs."""
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
    out: dict[str, Any] = {}
    for name in ("undisturbed", "killed"):
        moments: list[float] = []
        last: dict[str, Any] = {}

        def progress(record: dict[str, Any], name: str = name, moments: Any = moments, last: Any = last) -> None:
            moments.append(time.monotonic())
            last.update(record)
            if name == "killed" and record["update"] == updates // 2:
                kill(nodes[0])

        policy = bc.distributed.train(TASK, updates=updates, seed=1, minutes=60, threads=1, progress=progress)
        found = bc.learn.evaluate(policy, 500)
        intervals = np.diff(moments)
        out[name] = {
            "fall_fraction": found.fall_fraction,
            "return_mean": found.return_mean,
            "interval_median_s": float(np.median(intervals)),
            "interval_longest_s": float(intervals.max()),
            "transitions_of_all": last["transitions"] / (updates * 1024 * 16),
            "faults": last["faults"],
        }
    return out


def kill(node: Any) -> None:
    """kill −9 of a node and of all that runs on it."""
    raylet = node.all_processes["raylet"][0].process.pid
    below = subprocess.run(["ps", "-o", "pid=", "--ppid", str(raylet)], capture_output=True, text=True, check=False)
    for pid in (raylet, *map(int, below.stdout.split())):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def resident(pid: int) -> float:
    """Memory of a process that is its own [MB]: what it shares with the object store is told apart."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("RssAnon")) / 1024.0


def below(pid: int) -> list[int]:
    """Processes that a process has started, and those of theirs."""
    found = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=False).stdout
    pairs = [tuple(map(int, line.split())) for line in found.splitlines()]
    out = [pid]
    for _ in range(8):
        out += [child for child, parent in pairs if parent in out and child not in out]
    return out


def watch(process: subprocess.Popen[bytes], folder: Path, stop_at: float) -> dict[str, float]:
    """Until a part of the pieces is done, and how much memory the processes had."""
    most = {"driver_mb": 0.0, "largest_worker_mb": 0.0, "all_mb": 0.0}
    while process.poll() is None:
        names = {pid: resident(pid) for pid in below(process.pid)}
        workers = [mb for pid, mb in names.items() if "ray::MapWorker" in command(pid)]
        for name, value in zip(most, (names[process.pid], max(workers, default=0.0), sum(names.values()))):
            most[name] = max(most[name], value)
        if len(list(folder.glob("part-*.parquet"))) >= stop_at:
            break
        time.sleep(0.2)
    return most


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def big_map(worlds: int) -> dict[str, Any]:
    """Killed after two fifths, then finished; the rows are those of a run in other pieces."""
    folder = Path(tempfile.mkdtemp(prefix="bellcrank-map-")) / "rows"
    words = [sys.executable, str(EXAMPLE), str(folder), "--worlds", str(worlds), "--ray", "local"]
    pieces, begin = -(-worlds // 4096), time.monotonic()
    first = subprocess.Popen(words)
    before = watch(first, folder, 0.4 * pieces)
    first.send_signal(signal.SIGKILL)
    first.wait()
    killed_after, there = time.monotonic() - begin, len(list(folder.glob("part-*.parquet")))
    time.sleep(3.0)  # what is left of that cluster goes
    begin = time.monotonic()
    second = subprocess.Popen(words)
    after = watch(second, folder, pieces + 1)
    import pyarrow.dataset as dataset

    world = dataset.dataset(sorted(folder.glob("part-*.parquet"))).to_table(columns=["world"]).column(0).to_numpy()
    same = _agrees(folder, worlds)
    size = sum(file.stat().st_size for file in folder.glob("*.parquet"))
    return {
        "worlds": worlds,
        "pieces_before_the_kill": there,
        "seconds_before_and_after": [killed_after, time.monotonic() - begin],
        "exit_code": second.wait(),
        "rows": len(world),
        "rows_once_each": bool((np.sort(world) == np.arange(worlds)).all()),
        "same_as_in_other_pieces": same,
        "parquet_mb": size / 2**20,
        "memory": {name: max(before[name], after[name]) for name in before},
    }


def _agrees(folder: Path, worlds: int) -> bool:
    """Whether a hundred worlds in the middle, in a piece of their own, have the same numbers."""
    import importlib.util

    import pyarrow.parquet as parquet

    spec = importlib.util.spec_from_file_location("tolerances", EXAMPLE)
    assert spec is not None and spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    first = worlds // 2 // 16 * 16
    piece = bc.distributed.Piece(first, 96, 1)
    batch = bc.Batch(bc.load("four_bar"), worlds=96, precision="f64", threads=1)
    wanted = example.work(batch, piece)["rocker"]
    files = [folder / f"part-{k:07}.parquet" for k in {first // 4096, (first + 95) // 4096}]
    table = parquet.read_table(sorted(files))
    rows = np.isin(table.column("world").to_numpy(), piece.worlds)
    return bool((np.stack(table.column("rocker").to_numpy())[rows] == wanted).all())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("overhead", "node", "map"))
    parser.add_argument("--updates", type=int, default=8)
    parser.add_argument("--worlds", type=int, default=1_000_000)
    given = parser.parse_args()
    found = {
        "overhead": lambda: overhead(given.updates),
        "node": lambda: node(given.updates),
        "map": lambda: big_map(given.worlds),
    }[given.what]()
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
