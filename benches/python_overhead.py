"""What Python costs: world-steps per second of the same loop in Python and in Rust, interleaved in one run.

    python benches/python_overhead.py [--rounds 5] [--json]

The loop is a policy's: write targets, step once, read joint positions. Rust is `policy_loop`, an example of the crate,
built here with Cargo. The best of some interleaved rounds counts, since the machine may have other work.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from pathlib import Path

import numpy as np

import bellcrank as bc

SCENES = {"cartpole": (4096, 200), "hybrid_biped": (1024, 30)}
"""Worlds and steps per round."""


def python_rate(name: str, worlds: int, steps: int) -> float:
    batch = bc.Batch(bc.load(name), worlds=worlds, dt=0.004, precision="f32")
    targets, q = batch.target_position, batch.joint_position
    batch.step(2)
    begin = time.perf_counter()
    for k in range(steps):
        targets += np.float32(1e-3 if k % 2 == 0 else -1e-3)
        batch.step()
    seconds = time.perf_counter() - begin
    assert np.isfinite(q).all()
    return worlds * steps / seconds


def rust_program() -> str:
    """Builds the loop in Rust and gives its path."""
    words = ["cargo", "build", "--release", "--package", "bellcrank", "--example", "policy_loop"]
    told = subprocess.run(
        [*words, "--message-format", "json"], check=True, capture_output=True, text=True, cwd=Path(__file__).parent
    )
    programs = [json.loads(line).get("executable") for line in told.stdout.splitlines() if line.startswith("{")]
    return str(next(program for program in reversed(programs) if program))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    program, records = rust_program(), []
    for name, (worlds, steps) in SCENES.items():
        python, rust = 0.0, 0.0
        for _ in range(options.rounds):
            python = max(python, python_rate(name, worlds, steps))
            done = subprocess.run([program, name, str(worlds), str(steps)], check=True, capture_output=True, text=True)
            rust = max(rust, float(done.stdout))
        records.append({"scene": name, "worlds": worlds, "python": python, "rust": rust, "ratio": python / rust})
        if not options.json:
            print(f"{name:14} {worlds} worlds: Python {python:12.0f}/s, Rust {rust:12.0f}/s, ratio {python / rust:.3f}")
    if options.json:
        print(json.dumps(records))


if __name__ == "__main__":
    main()
