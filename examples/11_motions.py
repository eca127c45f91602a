"""Motions: a circle as fast as motors allow, two fingertips that grasp, weight that shifts from foot to foot.

A gripper's file and the names of its two fingertips may be given: ``11_motions.py gripper.xml left_pad right_pad``.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

import bellcrank as bc
from bellcrank.kinematics import Goal, follow, rest, solve, step


def at_rest(model: bc.Model, frames: list[str]) -> NDArray[np.float64]:
    """Where bodies or sites are at rest [m]."""
    return np.asarray(bc.tree.fk(model, rest(model), frames=frames), dtype=np.float64)[:, :3, 3]


def circle_in_time() -> None:
    model = bc.load("delta")
    turn = np.linspace(0.0, 2.0 * np.pi, 200)
    circle = at_rest(model, ["tool"]) + 0.06 * np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1)
    path = follow(model, {"tool": Goal(position=circle)}, speed=3.0, acceleration=20.0)
    print(f"delta: a circle of 6 cm in {path.times[-1]:.2f} s at 3 rad/s and 20 rad/s²")
    assert path.solved.all()


def fingertips(model: bc.Model, tips: list[str]) -> None:
    """Both tips are led by hand in periods of 1 ms and come nearer to each other by a quarter of their distance."""
    a, b = at_rest(model, tips)
    middle, way = 0.5 * (a + b), 0.375 * (b - a)
    goals = {tips[0]: Goal(position=middle - way), tips[1]: Goal(position=middle + way)}
    q, missed, periods = rest(model), np.inf, 0
    while missed > 1e-6 and periods < 2000:
        done = step(model, goals, q, 1e-3, speed=4.0)
        q, missed, periods = done.q, float(done.error.max()), periods + 1
    apart = 2e3 * np.linalg.norm(way)
    print(f"{model.name}: fingertips {apart:.0f} mm apart after {periods} ms, off by {1e3 * missed:.3f} mm")
    assert missed < 1e-3


def weight_from_foot_to_foot() -> None:
    model = bc.load("hybrid_biped")
    feet = ["left_foot", "right_foot"]
    aside = at_rest(model, feet)[0, 1]
    sway = 0.9 * aside * np.sin(np.linspace(0.0, 2.0 * np.pi, 40))
    center = bc.tree.center_of_mass(model, rest(model)).com + np.stack([0 * sway, sway, 0 * sway - 0.04], axis=1)
    found = solve(model, {}, center_of_mass=center, hold=feet, free_base=True)
    print(f"biped: {found.solved.sum()} of 40 poses with the weight over one foot and the other")
    assert found.solved.all()


def main() -> None:
    circle_in_time()
    if len(sys.argv) == 4:
        fingertips(bc.load(sys.argv[1]), sys.argv[2:])
    else:
        fingertips(bc.load("five_bar_quadruped"), ["front_left_toe", "front_right_toe"])
    weight_from_foot_to_foot()


if __name__ == "__main__":
    main()
