#!/usr/bin/env python3
"""Derivatives of a step in Bellcrank and in MuJoCo: time of a step with its state and control Jacobian, in one run.

    python3 benches/peers/gradient/run.py

Makes a virtual environment with MuJoCo from PyPI, writes the shipped models as MJCF, and measures both programs in
turns. Bellcrank gives the exact derivative of the step at one κ, in the coordinates of the mechanism (the same shapes
as MuJoCo's A and B) and in those of all bodies; MuJoCo gives one-sided differences of its step (`mjd_transitionFD`) in
its own coordinates. The median of all rounds counts. All times are processor time of the one thread that works, per
world, and include the step. Bellcrank's are given twice: one world by itself, in plain numbers, and a batch of 64
worlds, one per lane; steps that a Jacobian is counted in are always of the same kind. MuJoCo has no such batch: its
time per world is the same.

Three targets are compared with: a Jacobian in no more than five steps of our own; three times as fast as MuJoCo's; and
a tenth of the time of [Dojo] Table V for the robot of the same kind, scaled to this machine. The table has MuJoCo's
differences on its authors' computer as well, so the scale is MuJoCo here over MuJoCo there, robot by robot; robots are
alike but not the same, and that scale takes their size out as well as the machine.
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
# [Dojo] Table V, a step with its gradients on its authors' computer [µs]: humanoid, A1, Panda
PUBLISHED = {"humanoid": 1750.0, "quadruped": 5235.0, "arm": 1159.0}
PUBLISHED_MUJOCO = {"humanoid": 1512.0, "quadruped": 1114.0, "arm": 335.0}
# what a Jacobian may cost in own steps, and how many times faster than the others it shall be
MOST_STEPS, TIMES_MUJOCO, TIMES_PUBLISHED = 5.0, 3.0, 10.0


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
        "bellcrank-gradient",
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

    keys = ["step_us", "jacobian_us", "minimal_jacobian_us", "pullback_us"]
    keys += ["batch_step_us", "batch_minimal_jacobian_us"]
    record = {"model": model, **{key: middle(ours, key) for key in keys}}
    peer = middle(theirs, "jacobian_us")
    record |= {"mujoco_step_us": middle(theirs, "step_us"), "mujoco_jacobian_us": peer}
    record["jacobian_steps"] = record["jacobian_us"] / record["step_us"]
    record["minimal_jacobian_steps"] = record["minimal_jacobian_us"] / record["step_us"]
    record["batch_minimal_jacobian_steps"] = record["batch_minimal_jacobian_us"] / record["batch_step_us"]
    published = PUBLISHED[model] * peer / PUBLISHED_MUJOCO[model] if model in PUBLISHED else None
    record["published_here_us"] = published
    for kind in ["minimal_jacobian", "batch_minimal_jacobian"]:
        record[f"{kind}_times_mujoco"] = peer / record[f"{kind}_us"]
        record[f"{kind}_times_published"] = published / record[f"{kind}_us"] if published else None
    return record


def print_table(records: list[dict]) -> None:
    """A Markdown table; what misses its target is marked with an exclamation mark."""
    columns = ["model", "", "step [µs]", "all bodies [µs]", "minimal [µs]", "in steps (≤ 5)"]
    columns += ["MuJoCo [µs]", "times MuJoCo (≥ 3)", "[Dojo] here [µs]", "times [Dojo] (≥ 10)"]
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for record in records:
        for prefix, label in [("", "one world"), ("batch_", "batch of 64")]:
            kind = f"{prefix}minimal_jacobian"
            whole = f"{record['jacobian_us']:.0f}" if not prefix else ""
            published = record["published_here_us"]
            cells = [record["model"], label, f"{record[prefix + 'step_us']:.1f}", whole, f"{record[kind + '_us']:.1f}"]
            cells.append(held(record[f"{kind}_steps"], record[f"{kind}_steps"] <= MOST_STEPS))
            cells.append(f"{record['mujoco_jacobian_us']:.0f}")
            cells.append(held(record[f"{kind}_times_mujoco"], record[f"{kind}_times_mujoco"] >= TIMES_MUJOCO))
            cells.append(f"{published:.0f}" if published else "–")
            times = record[f"{kind}_times_published"]
            cells.append(held(times, times >= TIMES_PUBLISHED) if times else "–")
            print("| " + " | ".join(cells) + " |")


def held(value: float, good: bool) -> str:
    return f"{value:.1f}" if good else f"{value:.1f} !"


if __name__ == "__main__":
    main()
