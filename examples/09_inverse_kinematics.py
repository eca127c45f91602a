"""Say what a hand or foot does, and the linkage follows: a Delta robot draws, a platform moves, a biped squats."""

from __future__ import annotations

import numpy as np

import bellcrank as bc
from bellcrank.kinematics import Goal, rest, sample, solve


def circle_of_a_delta_robot() -> None:
    model = bc.load("delta")
    home = np.asarray(bc.tree.fk(model, rest(model), frames=["tool"]))[0, :3, 3]
    turn = np.linspace(0.0, 2.0 * np.pi, 200, endpoint=False)
    circle = home + 0.06 * np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1)
    found = solve(model, {"tool": Goal(position=circle)})
    shoulders = np.degrees(found.joint_position[:, [model.position_slice(f"shoulder_{i}").start for i in range(3)]])
    print(f"delta: {found.solved.sum()} of 200 points, shoulders {shoulders.min():.1f}° to {shoulders.max():.1f}°")
    assert found.solved.all() and found.loop_gap.max() < 1e-9


def legs_of_a_stewart_platform() -> None:
    model = bc.load("stewart")
    top = np.asarray(bc.tree.fk(model, rest(model), frames=["platform"]))[0, :3, 3]
    time = np.linspace(0.0, 1.0, 100)
    path = top + 0.03 * np.stack([np.sin(6.28 * time), np.sin(12.56 * time), 0.5 * np.cos(6.28 * time)], axis=1)
    half = 0.05 * np.sin(6.28 * time)
    quat = np.stack([np.cos(half), np.sin(half), 0.0 * time, 0.0 * time], axis=1)
    found = solve(model, {"platform": Goal(position=path, quat_wxyz=quat)})
    slides = found.joint_position[:, [model.position_slice(f"slide_{i}").start for i in range(6)]]
    print(f"stewart: {found.solved.sum()} of 100 poses, legs {1e3 * slides.min():.1f} to {1e3 * slides.max():.1f} mm")
    assert found.solved.all()


def squat_of_a_biped() -> None:
    model = bc.load("hybrid_biped")
    start = rest(model)
    feet = ["left_foot", "right_foot"]
    frames = np.asarray(bc.tree.fk(model, start, frames=feet))
    standing = {foot: Goal(position=frame[:3, 3], quat_wxyz=[1.0, 0.0, 0.0, 0.0]) for foot, frame in zip(feet, frames)}
    down = np.linspace(0.0, 0.05, 20)
    center = bc.tree.center_of_mass(model, start).com - down[:, None] * [0.0, 0.0, 1.0]
    found = solve(model, standing, start, center_of_mass=center, free_base=True)
    knee = np.degrees(found.joint_position[-1, model.position_slice("left_inner_knee").start])
    print(f"biped: centre of mass 5 cm lower, knees bent by {knee:.0f}° more")
    assert found.solved.all() and found.error.max() < 1e-6

    safe = sample(model, 50, clearance=0.002, singular_margin=0.05, feet=feet)
    print(f"biped: {safe.found.sum()} of 50 random poses with both feet on the ground")
    assert safe.found.all()


def main() -> None:
    circle_of_a_delta_robot()
    legs_of_a_stewart_platform()
    squat_of_a_biped()


if __name__ == "__main__":
    main()
