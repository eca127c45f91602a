"""A long run in which everything happens at random: targets, efforts, pushes, resets, parameters, snapshots, restores.

    python benches/soak.py                       10^7 world-steps of four mechanisms, about half an hour on two cores
    python benches/soak.py --world-steps 200000  a short one
    python benches/soak.py --json

It fails (code 1) when memory grows, a world freezes, an array shows what is no number, a loop is open by more than a
millimetre in steps that all met their tolerances, or a snapshot does not resume bit for bit.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Optional

import numpy as np

import bellcrank as bc

MODELS = ("four_bar", "hybrid_biped", "five_bar_quadruped", "cartpole")
WORLDS = 64
STEPS = 20
"""Steps between two interventions."""
GAP = 1e-3
"""[m] A loop that is open by more while every step says "ok" is a silent gap."""
GROWTH = 48 << 20
"""[bytes] Memory may grow by this after a tenth of the run, by which time all buffers have been made."""


@dataclass
class Tally:
    """What happened."""

    world_steps: int = 0
    seconds: float = 0.0
    resets: int = 0
    parameter_writes: int = 0
    snapshots: int = 0
    restores_compared: int = 0
    inexact_reports: int = 0
    reports: int = 0
    largest_gap_ok_m: float = 0.0
    largest_gap_m: float = 0.0
    memory_early_mb: float = 0.0
    memory_end_mb: float = 0.0
    faults: list[str] = field(default_factory=list)


def resident() -> int:
    """Memory of this process [bytes]; 0 where the system does not tell."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * 4096 if statm.exists() else 0


class Soak:
    """One mechanism under random treatment."""

    def __init__(self, name: str, precision: str, seed: int, tally: Tally) -> None:
        self.name, self.tally = f"{name} in {precision}", tally
        self.random = np.random.default_rng(seed)
        self.batch = bc.Batch(bc.load(name), worlds=WORLDS, precision=precision, threads=2)
        self.mass = self.batch.spread("body_mass").copy()
        self.kept: Optional[tuple[bytes, bytes, int]] = None

    def fault(self, what: str) -> None:
        self.tally.faults.append(f"{self.name} after {self.tally.world_steps} world-steps: {what}")

    def advance(self) -> None:
        """Something random, some steps, and a look at everything."""
        kind = self.random.choice(("targets", "push", "reset", "mass", "snapshot", "compare", "nothing"))
        getattr(self, f"do_{kind}")()
        report = self.batch.step(STEPS)
        self.tally.world_steps += WORLDS * STEPS
        self.judge(report)

    def do_nothing(self) -> None:
        self.batch.body_wrench = 0.0

    def do_targets(self) -> None:
        actuators = len(self.batch.model.actuator_names)
        if actuators:
            self.batch.target_position = self.random.uniform(-0.3, 0.3, (WORLDS, actuators))

    def do_push(self) -> None:
        wrench = np.zeros(self.batch.shape("body_wrench"))
        weight = 9.81 * self.mass[0].sum()
        wrench[self.random.integers(WORLDS), 0, :3] = self.random.normal(0.0, 0.3 * weight, 3)
        self.batch.body_wrench = wrench

    def do_reset(self) -> None:
        mask = self.random.random(WORLDS) < 0.3
        self.batch.body_wrench = 0.0
        self.batch.reset(worlds=mask)
        self.tally.resets += int(mask.sum())

    def do_mass(self) -> None:
        self.batch.write("body_mass", self.mass * self.random.uniform(0.8, 1.25, self.mass.shape))
        self.tally.parameter_writes += WORLDS

    def do_snapshot(self) -> None:
        blob = self.batch.snapshot()
        self.tally.snapshots += 1
        self.batch.step(STEPS)
        self.kept = (blob, self.batch.snapshot(), STEPS)
        self.tally.world_steps += WORLDS * STEPS

    def do_compare(self) -> None:
        """An instant again: the same bits must follow."""
        blob = self.batch.snapshot()
        self.batch.step(STEPS)
        first = self.batch.snapshot()
        self.batch.restore(blob)
        self.batch.step(STEPS)
        self.tally.world_steps += 2 * WORLDS * STEPS
        self.tally.restores_compared += 1
        if self.batch.snapshot() != first:
            self.fault("a snapshot did not resume bit for bit")

    def judge(self, report: bc.StepReport) -> None:
        frozen, gap = report.status == bc.WorldStatus.FROZEN, report.loop_gap
        steady = report.converged == STEPS  # the gap is the largest of all steps: worlds that met every tolerance count
        self.tally.reports += WORLDS
        self.tally.inexact_reports += int((~steady & ~frozen).sum())
        self.tally.largest_gap_m = max(self.tally.largest_gap_m, float(gap.max()))
        if frozen.any():
            self.fault(f"{int(frozen.sum())} worlds froze")
            self.batch.reset()
        if steady.any():
            largest = float(gap[steady].max())
            self.tally.largest_gap_ok_m = max(self.tally.largest_gap_ok_m, largest)
            if largest > GAP:
                self.fault(f"a gap of {largest:.1e} m in steps that all met their tolerances")
        for name in ("joint_position", "joint_velocity", "body_position", "body_quat_wxyz", "body_velocity"):
            if not np.isfinite(self.batch.read(name)).all():
                self.fault(f"{name} shows what is no number")


def soak(world_steps: int, seed: int) -> Tally:
    """All mechanisms in turn until so many world-steps are done."""
    tally, begin = Tally(), time.monotonic()
    runs = [Soak(name, precision, seed + k, tally) for k, name in enumerate(MODELS) for precision in ("f64", "f32")]
    while tally.world_steps < world_steps and len(tally.faults) < 10:
        for run in runs:
            run.advance()
        if not tally.memory_early_mb and tally.world_steps > world_steps / 10:
            tally.memory_early_mb = resident() / 1e6
    tally.memory_end_mb, tally.seconds = resident() / 1e6, time.monotonic() - begin
    if tally.memory_end_mb - tally.memory_early_mb > GROWTH / 1e6:
        tally.faults.append(f"memory grew from {tally.memory_early_mb:.0f} to {tally.memory_end_mb:.0f} MB")
    return tally


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--world-steps", type=int, default=10_000_000)
    words.add_argument("--seed", type=int, default=0)
    words.add_argument("--json", action="store_true")
    chosen = words.parse_args()
    warnings.simplefilter("ignore")
    tally = soak(chosen.world_steps, chosen.seed)
    if chosen.json:
        print(json.dumps(asdict(tally)))
    else:
        for name, value in asdict(tally).items():
            print(f"{name:20} {value}")
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
