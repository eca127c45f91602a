"""Inverse kinematics of the arm beside mink and pink: the same poses of the tool, the same start, the same tolerance.

mink and pink solve one QP per step; here each goal is iterated until it is met (1 µm, 1 µrad) or for 200 steps of
full length, which is how their examples solve for a pose. Needs ``pip install mink pin-pink quadprog``. Prints
goals solved and time per goal.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any, Callable

import numpy as np

import bellcrank as bc

GOALS = 200
STEPS = 200
TOLERANCE = 1e-6


def goals(model: bc.Model, start: np.ndarray, spread: float) -> tuple[np.ndarray, np.ndarray]:
    """Poses of the tool with joints within ``spread`` [rad] of the start, as 4×4 matrices, and those joints."""
    random = np.random.default_rng(0)
    q = np.clip(start + random.uniform(-spread, spread, (GOALS, len(start))), -2.8, 2.8)
    q[:, 7:] = 0.0
    frames = np.asarray(bc.tree.fk(model, q, frames=["tool"]))[:, 0]
    matrices = np.tile(np.eye(4), (GOALS, 1, 1))
    matrices[:, :3] = frames[:, :3]
    return matrices, q


def quaternion(rotation: np.ndarray) -> np.ndarray:
    """w, x, y, z of a rotation matrix, by the eigenvector of its largest eigenvalue."""
    m = rotation
    k = np.array(
        [
            [m[0, 0] + m[1, 1] + m[2, 2], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], m[0, 0] - m[1, 1] - m[2, 2], m[1, 0] + m[0, 1], m[0, 2] + m[2, 0]],
            [m[0, 2] - m[2, 0], m[1, 0] + m[0, 1], m[1, 1] - m[0, 0] - m[2, 2], m[2, 1] + m[1, 2]],
            [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[2, 1] + m[1, 2], m[2, 2] - m[0, 0] - m[1, 1]],
        ]
    )
    return np.linalg.eigh(k)[1][:, 3]


def with_bellcrank(model: bc.Model, start: np.ndarray, matrices: np.ndarray, restarts: int) -> tuple[int, float]:
    goal = bc.kinematics.Goal(position=matrices[:, :3, 3], quat_wxyz=[quaternion(m[:3, :3]) for m in matrices])
    bc.kinematics.solve(model, {"tool": goal}, start, restarts=restarts)
    begin = time.perf_counter()
    found = bc.kinematics.solve(model, {"tool": goal}, start, restarts=restarts)
    return int(found.solved.sum()), (time.perf_counter() - begin) / GOALS


def iterated(matrices: np.ndarray, solve: Callable[[np.ndarray], bool]) -> tuple[int, float]:
    begin = time.perf_counter()
    solved = sum(solve(matrix) for matrix in matrices)
    return solved, (time.perf_counter() - begin) / GOALS


def with_mink(model: bc.Model, start: np.ndarray, matrices: np.ndarray) -> tuple[int, float]:
    import mink
    import mujoco

    robot = mujoco.MjModel.from_xml_string(model.to_mjcf().text)
    task = mink.FrameTask("tool", "site", position_cost=1.0, orientation_cost=1.0)
    limits = [mink.ConfigurationLimit(robot)]

    def solve(matrix: np.ndarray) -> bool:
        configuration = mink.Configuration(robot, q=start.copy())
        task.set_target(mink.SE3.from_matrix(matrix))
        for _ in range(STEPS):
            if np.abs(task.compute_error(configuration)).max() < TOLERANCE:
                return True
            velocity = mink.solve_ik(configuration, [task], 1.0, "daqp", damping=1e-9, limits=limits)
            configuration.integrate_inplace(velocity, 1.0)
        return False

    return iterated(matrices, solve)


def with_pink(model: bc.Model, start: np.ndarray, matrices: np.ndarray) -> tuple[int, float]:
    import pink
    import pinocchio

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "arm.urdf"
        file.write_text(model.to_urdf().text)
        robot = pinocchio.buildModelFromUrdf(str(file))
    order = [bc.tree.coordinate_names(model).index(name) for name in robot.names[1:]]
    task = pink.FrameTask("tool", position_cost=1.0, orientation_cost=1.0)

    def solve(matrix: np.ndarray) -> bool:
        configuration = pink.Configuration(robot, robot.createData(), start[order])
        task.set_target(pinocchio.SE3(matrix[:3, :3], matrix[:3, 3]))
        for _ in range(STEPS):
            if np.abs(task.compute_error(configuration)).max() < TOLERANCE:
                return True
            velocity = pink.solve_ik(configuration, [task], 1.0, "daqp", damping=1e-9, safety_break=False)
            configuration.integrate_inplace(velocity, 1.0)
        return False

    return iterated(matrices, solve)


def main() -> None:
    model = bc.load("arm")
    start = np.array([0.3, 0.6, -0.2, -1.2, 0.1, 0.9, 0.0, 0.0, 0.0])
    for spread in (0.1, 1.0):
        matrices, _ = goals(model, start, spread)
        contestants: list[tuple[str, Callable[[], Any]]] = [
            ("bellcrank, one search", lambda m=matrices: with_bellcrank(model, start, m, 0)),
            ("bellcrank, restarts", lambda m=matrices: with_bellcrank(model, start, m, 24)),
            ("mink", lambda m=matrices: with_mink(model, start, m)),
            ("pink", lambda m=matrices: with_pink(model, start, m)),
        ]
        for name, run in contestants:
            try:
                solved, seconds = run()
            except Exception as error:  # noqa: BLE001  a peer that is not installed, or cannot read the model, says so
                print(f"joints ±{spread} rad  {name:22} did not run: {error}")
                continue
            print(f"joints ±{spread} rad  {name:22} {solved} of {GOALS} solved, {1e6 * seconds:9.1f} µs per goal")


if __name__ == "__main__":
    main()
