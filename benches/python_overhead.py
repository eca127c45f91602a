"""What Python costs: world-steps per second of the same loop in Python and in Rust, interleaved in one run.

    python benches/python_overhead.py [--rounds 5] [--json]

The loop is a policy's: write targets, step once, read joint positions. Rust is `policy_loop`, an example of the crate,
built here with Cargo. The best of some interleaved rounds counts. Figures are per second of the clock and, since the
machine may have other work, per second of processor time.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from pathlib import Path

import numpy as np

import bellcrank as bc

SCENES = {"cartpole": (4096, 400), "hybrid_biped": (1024, 60)}
"""Worlds and steps per round."""


def python_rates(name: str, worlds: int, steps: int) -> tuple[float, float]:
    batch = bc.Batch(bc.load(name), worlds=worlds, dt=0.004, precision="f32")
    targets, q = batch.target_position, batch.joint_position
    batch.step(2)
    begin, work = time.perf_counter(), time.process_time()
    for k in range(steps):
        targets += np.float32(1e-3 if k % 2 == 0 else -1e-3)
        batch.step()
    seconds, work = time.perf_counter() - begin, time.process_time() - work
    assert np.isfinite(q).all()
    return worlds * steps / seconds, worlds * steps / work


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
        python, rust = (0.0, 0.0), (0.0, 0.0)
        for _ in range(options.rounds):
            here = python_rates(name, worlds, steps)
            python = max(python[0], here[0]), max(python[1], here[1])
            words = [program, name, str(worlds), str(steps)]
            told = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
            rust = max(rust[0], float(told[0])), max(rust[1], float(told[1]))
        ratios = python[0] / rust[0], python[1] / rust[1]
        records.append({"scene": name, "worlds": worlds, "python": python, "rust": rust, "ratios": ratios})
        if not options.json:
            print(f"{name}, {worlds} worlds")
            for k, what in enumerate(("second", "processor second")):
                print(f"  per {what:16} Python {python[k]:10.0f}, Rust {rust[k]:10.0f}, ratio {ratios[k]:.3f}")
    if options.json:
        print(json.dumps(records))


if __name__ == "__main__":
    main()
