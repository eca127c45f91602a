"""What Python costs: world-steps per second from Python and from Rust, interleaved in one run.

    python benches/python_overhead.py [--rounds 5] [--json]

Rust is the package's own command line in a process of its own, with the same build. Both run the same scene with
the same number of threads; the best of some interleaved rounds counts, since the machine may have other work.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time

import bellcrank as bc

SCENES = {"cartpole": (4096, 100), "hybrid_biped": (1024, 10)}
"""Worlds, and steps per round: one call of ``step`` and one read of ``joint_position`` each."""


def python_rate(name: str, worlds: int, steps: int) -> float:
    batch = bc.Batch(bc.load(name), worlds=worlds, dt=0.004, precision="f32")
    targets, q = batch.target_position, batch.joint_position
    batch.step(2)
    begin = time.perf_counter()
    for _ in range(steps):
        targets[:, 0] += q[:, 0] * 0  # as a policy would: read, compute, write
        batch.step()
    return worlds * steps / (time.perf_counter() - begin)


def rust_rate(name: str, worlds: int, steps: int) -> float:
    words = ["run", name, "--worlds", str(worlds), "--steps", str(steps), "--precision", "f32", "--json"]
    done = subprocess.run([sys.executable, "-m", "bellcrank", *words], check=True, capture_output=True, text=True)
    return float(json.loads(done.stdout)["world_steps_per_second"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    records = []
    for name, (worlds, steps) in SCENES.items():
        pairs = [(python_rate(name, worlds, steps), rust_rate(name, worlds, steps)) for _ in range(options.rounds)]
        python, rust = max(p for p, _ in pairs), max(r for _, r in pairs)
        records.append({"scene": name, "worlds": worlds, "python": python, "rust": rust, "ratio": python / rust})
        if not options.json:
            print(f"{name:14} {worlds} worlds: Python {python:12.0f}/s, Rust {rust:12.0f}/s, ratio {python / rust:.3f}")
    if options.json:
        print(json.dumps(records))


if __name__ == "__main__":
    main()
