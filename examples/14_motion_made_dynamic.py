"""A walk that would fall becomes one that does not: what motors are told is planned, window after window.

The walk of ``12_walk.py`` is slow enough to stand at any time. Twice as fast it is not: poses alone let the robot fall.
``bc.control.follow`` finds what its motors must be told besides; told that, it walks by itself.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np

import bellcrank as bc
from bellcrank.kinematics import retarget

sys.path.insert(0, str(Path(__file__).parent))
walk: Any = importlib.import_module("12_walk")
walk.STEPS, walk.STEP = 4, 0.7


def main() -> None:
    model = bc.load("hybrid_biped")
    feet = ["left_foot", "right_foot"]
    walker = walk.Walker(model, feet, "pelvis", 60.0)
    kinematic = retarget(model, walk.walk_cycle(walker), walk.DT)
    assert kinematic.solved.all()
    motion = bc.control.Motion.of(model, kinematic, walk.DT)

    blind = bc.control.follow(model, motion, "pelvis", feet, sigma=0.0, samples=1, threads=1)
    planned = bc.control.follow(model, motion, "pelvis", feet)
    for name, done in {"poses alone": blind, "planned": planned}.items():
        print(
            f"{name}: {'gave up' if done.lost else 'arrived'} after {len(done.control) * done.dt:.1f} s; "
            f"off by {1e3 * done.position_error.mean():.0f} mm, {done.angle_error.mean():.3f} rad, "
            f"joints {done.joint_error.mean():.2f} rad"
        )
    print(f"a plan took {np.median(planned.seconds):.3f} s for a window of 0.05 s")
    assert planned.position_error.mean() < 0.5 * blind.position_error.mean() and not planned.lost
    assert np.array_equal(planned.replayed_position_error, planned.position_error)


if __name__ == "__main__":
    main()
