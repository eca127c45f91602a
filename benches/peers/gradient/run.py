#!/usr/bin/env python3
"""Derivatives of a step in Bellcrank and in MuJoCo: time of a step with its state and control Jacobian, in one run.

    python3 benches/peers/gradient/run.py

Makes a virtual environment with MuJoCo from PyPI, writes the shipped models as MJCF, and measures both programs in
turns. Bellcrank gives the exact derivative of the step at one κ, in the coordinates of the mechanism and in those of
all bodies; MuJoCo gives one-sided differences of its step (`mjd_transitionFD`) in its own coordinates. The median of
all rounds counts. MuJoCo's times are those of its thread on the processor: on a busy machine a call that takes
milliseconds is interrupted far more often than one that takes microseconds, and by the clock on the wall it looked ten
times slower than it is. Bellcrank's are by that clock, which can only count against it. All times are those of one
world on one core; Bellcrank's Jacobians include the step, MuJoCo's do too.
The published times beside them are those of [Dojo] Table V for robots of the same kind, on its authors' computer.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from measure.environment import make_environment

MODELS = ["humanoid", "quadruped", "arm", "hybrid_biped"]
DT = 0.01
# [Dojo] Table V, a step with its gradients [µs]: humanoid, A1, Panda
PUBLISHED = {"humanoid": 1750.0, "quadruped": 5235.0, "arm": 1159.0}


def main() -> None:
    if sys.argv[1:2] == ["mujoco"]:
        print(json.dumps(run_mujoco(Path(sys.argv[2]))))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", default="target/peers/gradient", help="where to keep things")
    parser.add_argument(
        "--python",
        default="",
        help="a Python that has mujoco, instead of a new environment",
    )
    parser.add_argument(
        "--program",
        default="",
        help="the built example gradient_speed, instead of cargo run",
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print records instead of a table")
    arguments = parser.parse_args()
    folder = Path(arguments.folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    python = arguments.python or str(make_environment(folder / "venv", ["mujoco"]).python)
    ours: dict[str, list[dict]] = {}
    theirs: dict[str, list[dict]] = {}
    for _ in range(arguments.rounds):
        for model in MODELS:
            ours.setdefault(model, []).append(run_bellcrank(arguments.program, model))
            command = [python, __file__, "mujoco", str(export(model, folder))]
            peer = subprocess.run(command, check=True, capture_output=True, text=True)
            theirs.setdefault(model, []).append(json.loads(peer.stdout))
    records = [summary(model, ours[model], theirs[model]) for model in MODELS]
    if arguments.json:
        print(json.dumps(records, indent=1))
    else:
        print_table(records)


def export(model: str, folder: Path) -> Path:
    """The shipped model as MJCF, written once."""
    path = folder / f"{model}.xml"
    if not path.exists():
        command = [
            "cargo",
            "run",
            "--quiet",
            "-p",
            "bellcrank-import",
            "--example",
            "export",
            "--",
        ]
        path.write_text(subprocess.run([*command, model, "mjcf"], check=True, capture_output=True, text=True).stdout)
    return path


def run_bellcrank(program: str, model: str) -> dict:
    cargo = [
        "cargo",
        "run",
        "--quiet",
        "--release",
        "-p",
        "bellcrank-sim",
        "--example",
        "gradient_speed",
        "--",
    ]
    command = [program] if program else cargo
    printed = subprocess.run([*command, model], check=True, capture_output=True, text=True).stdout
    return json.loads(printed)


def run_mujoco(path: Path) -> dict:
    import mujoco
    import numpy as np

    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.timestep = DT
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 30)
    size, controls = 2 * model.nv + model.na, model.nu
    A, B = np.zeros((size, size)), np.zeros((size, controls))
    steps, jacobians = [], []
    for _ in range(41):
        before = time.thread_time()
        mujoco.mj_step(model, data, 10)
        steps.append((time.thread_time() - before) / 10)
        before = time.thread_time()
        mujoco.mjd_transitionFD(model, data, 1e-6, False, A, B, None, None)
        jacobians.append(time.thread_time() - before)
    return {
        "freedoms": model.nv,
        "step_us": 1e6 * statistics.median(steps),
        "jacobian_us": 1e6 * statistics.median(jacobians),
    }


def summary(model: str, ours: list[dict], theirs: list[dict]) -> dict:
    def middle(records: list[dict], key: str) -> float:
        return statistics.median(record[key] for record in records)

    step, minimal, peer = (
        middle(ours, "step_us"),
        middle(ours, "minimal_jacobian_us"),
        middle(theirs, "jacobian_us"),
    )
    return {
        "model": model,
        "step_us": step,
        "jacobian_us": middle(ours, "jacobian_us"),
        "minimal_jacobian_us": minimal,
        "pullback_us": middle(ours, "pullback_us"),
        "jacobian_in_steps": middle(ours, "jacobian_us") / step,
        "minimal_jacobian_in_steps": minimal / step,
        "mujoco_freedoms": theirs[0]["freedoms"],
        "mujoco_step_us": middle(theirs, "step_us"),
        "mujoco_jacobian_us": peer,
        "times_faster": peer / middle(ours, "jacobian_us"),
        "times_faster_minimal": peer / minimal,
        "times_published": PUBLISHED[model] / middle(ours, "jacobian_us") if model in PUBLISHED else None,
    }


def print_table(records: list[dict]) -> None:
    for record in records:
        words = [f"{key} {value:.1f}" if isinstance(value, float) else f"{value}" for key, value in record.items()]
        print("  ".join(words))


if __name__ == "__main__":
    main()
