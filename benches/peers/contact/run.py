#!/usr/bin/env python3
"""Piles in Bellcrank and in MuJoCo: time per step and depth of contacts, in one run, on the same models.

    cargo build --release -p bellcrank
    python3 benches/peers/contact/run.py --bellcrank target/release/bellcrank

Makes a virtual environment with MuJoCo from PyPI, writes the shipped piles as MJCF, and measures both programs in
turns. Times are processor time of one thread; the best round counts, the spread of all rounds is told. MuJoCo runs
with its defaults (pyramidal cone, Newton) and with the settings that its documentation recommends against slip
(elliptic cone, impratio 10).
"""

import argparse
import json
import subprocess
import sys
import venv
from pathlib import Path

PACKAGES = ["mujoco==4.0.0", "numpy"]
SCENES = {"pile_2x2x3": ("small_pile", 750), "pile_5x5x5": ("pile", 1000)}
DT = 0.002


def main() -> None:
    if sys.argv[1:2] == ["mujoco"]:
        print(json.dumps(run_mujoco(Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4])))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bellcrank", default="target/release/bellcrank", help="the program to measure")
    parser.add_argument("--folder", default="target/peers/contact", help="where to keep things")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="scenes with this in their name")
    parser.add_argument("--json", action="store_true", help="print records instead of a table")
    arguments = parser.parse_args()
    folder = Path(arguments.folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    python = make_environment(folder / "venv")
    runs: dict[tuple[str, str, str], list[dict]] = {}
    for _ in range(arguments.rounds):
        for scene, (model, steps) in SCENES.items():
            if arguments.only not in scene:
                continue
            for record in run_bellcrank(arguments.bellcrank, scene):
                runs.setdefault((scene, f"bellcrank {record['solver']}", record["precision"]), []).append(record)
            mjcf = export(model, folder)
            for settings in ("default", "elliptic"):
                peer = subprocess.run(
                    [python, __file__, "mujoco", str(mjcf), str(steps), settings],
                    check=True,
                    capture_output=True,
                    text=True,
                )
                runs.setdefault((scene, f"mujoco {settings}", "f64"), []).append(json.loads(peer.stdout))
    records = [summary(*key, found) for key, found in runs.items()]
    if arguments.json:
        print(json.dumps(records, indent=1))
    else:
        print_table(records)


def make_environment(folder: Path) -> str:
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return str(python)


def export(model: str, folder: Path) -> Path:
    """The shipped model as MJCF."""
    path = folder / f"{model}.xml"
    command = ["cargo", "run", "--quiet", "--release", "-p", "bellcrank-import", "--example", "export", "--"]
    text = subprocess.run([*command, model, "mjcf"], check=True, capture_output=True, text=True).stdout
    path.write_text(text)
    return path


def run_bellcrank(program: str, scene: str) -> list[dict]:
    command = [program, "bench", "contact", "--only", scene, "--json"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [record for record in json.loads(printed) if record["model"] == scene and record["worlds"] > 0]


def run_mujoco(path: Path, steps: int, settings: str) -> dict:
    import time

    import mujoco
    import numpy as np

    spec = mujoco.MjSpec.from_file(str(path))
    spec.memory = 1 << 28
    model = spec.compile()
    model.opt.timestep = DT
    if settings == "elliptic":
        model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        model.opt.impratio = 10.0
    data = mujoco.MjData(model)
    rng = np.random.default_rng(0)
    push = 0.05 * rng.uniform(-1, 1, (model.nbody, 2))
    for body in range(1, model.nbody):
        start = model.body_dofadr[body]
        data.qvel[start : start + 2] = push[body]
    state = (data.qpos.copy(), data.qvel.copy())
    before = time.process_time()
    mujoco.mj_step(model, data, steps)
    used = time.process_time() - before
    # again, for the depths
    mujoco.mj_resetData(model, data)
    data.qpos[:], data.qvel[:] = state
    depths, contacts = [], []
    for step in range(steps):
        mujoco.mj_step(model, data)
        contacts.append(data.ncon)
        if step % 10 == 9 and data.ncon:
            depths.append(np.maximum(0.0, -data.contact.dist[: data.ncon]))
    depth = np.concatenate(depths)
    return {
        "contacts_mean": float(np.mean(contacts)),
        "world_steps_per_core_second": steps / used,
        "penetration_mean_um": 1e6 * float(depth.mean()),
        "penetration_max_um": 1e6 * float(depth.max()),
    }


def summary(scene: str, who: str, precision: str, found: list[dict]) -> dict:
    rates = sorted(record["world_steps_per_core_second"] for record in found)
    last = found[-1]
    return {
        "scene": scene,
        "who": who,
        "precision": precision,
        "contacts_mean": last["contacts_mean"],
        "world_steps_per_core_second": rates[-1],
        "slowest_round": rates[0],
        "penetration_mean_um": last["penetration_mean_um"],
        "penetration_max_um": last["penetration_max_um"],
    }


def print_table(records: list[dict]) -> None:
    head = f"{'scene':12} {'who':28} {'':4} {'contacts':>8} {'steps/core-s':>13} {'slowest':>9}"
    print(f"{head} {'mean µm':>9} {'max µm':>9}")
    for r in sorted(records, key=lambda r: (r["scene"], -r["world_steps_per_core_second"])):
        print(
            f"{r['scene']:12} {r['who']:28} {r['precision']:4} {r['contacts_mean']:8.0f} "
            f"{r['world_steps_per_core_second']:13.0f} {r['slowest_round']:9.0f} "
            f"{r['penetration_mean_um']:9.1f} {r['penetration_max_um']:9.0f}"
        )


if __name__ == "__main__":
    main()
