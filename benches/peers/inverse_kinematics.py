"""Inverse kinematics beside others: the same goals, the same start, the same tolerance, in the same run.

The arm beside mink and pink, which solve one QP per step; here each goal is iterated until it is met (1 µm, 1 µrad)
or for 200 steps of full length, which is how their examples solve for a pose. Robots with loops beside damped
Gauss–Newton steps with MuJoCo's Jacobians of sites and of equality constraints, until the goal is met to 1 µm and
MuJoCo's own loops are closed to 1e-9, or for 200 steps. Needs ``pip install mink pin-pink daqp``. Prints goals
solved and time per goal, the best of three runs: Bellcrank takes all goals at once on one core, others one by one.
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
RUNS = 3
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


#: Robots with loops, and what is to be reached of each.
LOOPS = (("delta", "tool"), ("stewart", "top"), ("five_bar_quadruped", "front_left_toe"), ("hybrid_biped", "left_foot"))


def loop_goals(model: bc.Model, frame: str) -> np.ndarray:
    """Places of the frame in random poses that close: all of them can be reached."""
    safe = bc.kinematics.sample(model, GOALS, clearance=-1.0)
    assert safe.found.all()
    return np.asarray(bc.tree.fk(model, safe.q, frames=[frame]))[:, 0, :3, 3]


def loops_with_bellcrank(model: bc.Model, frame: str, places: np.ndarray, restarts: int) -> tuple[int, float]:
    goal = {frame: bc.kinematics.Goal(position=places)}
    bc.kinematics.solve(model, goal, restarts=restarts)
    begin = time.perf_counter()
    found = bc.kinematics.solve(model, goal, restarts=restarts)
    return int(found.solved.sum()), (time.perf_counter() - begin) / GOALS


def loops_with_mujoco(model: bc.Model, frame: str, places: np.ndarray) -> tuple[int, float]:
    import mujoco

    robot = mujoco.MjModel.from_xml_string(model.to_mjcf().text)
    robot.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    robot.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data = mujoco.MjData(robot)
    site = mujoco.mj_name2id(robot, mujoco.mjtObj.mjOBJ_SITE, frame)
    body = mujoco.mj_name2id(robot, mujoco.mjtObj.mjOBJ_BODY, frame)
    free = [j for j in range(robot.njnt) if robot.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE]
    held = [robot.jnt_dofadr[j] + k for j in free for k in range(6)]
    moves = np.setdiff1d(np.arange(robot.nv), held)
    limited = [j for j in range(robot.njnt) if robot.jnt_limited[j]]
    jacobian, step = np.zeros((3, robot.nv)), np.zeros(robot.nv)

    def look() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        mujoco.mj_kinematics(robot, data)
        mujoco.mj_comPos(robot, data)
        mujoco.mj_makeConstraint(robot, data)
        if site >= 0:
            mujoco.mj_jacSite(robot, data, jacobian, None, site)
        else:
            mujoco.mj_jacBody(robot, data, jacobian, None, body)
        rows = data.ne
        return (
            data.site_xpos[site] if site >= 0 else data.xpos[body],
            data.efc_pos[:rows],
            data.efc_J.reshape(-1, robot.nv)[:rows],
        )

    def solve(place: np.ndarray) -> bool:
        mujoco.mj_resetData(robot, data)
        damping = 1e-6
        for _ in range(STEPS):
            where, open_by, rows = look()
            missed = place - where
            if np.abs(missed).max() < TOLERANCE and np.abs(open_by).max(initial=0.0) < 1e-9:
                return True
            errors = np.concatenate([missed, -open_by])
            matrix = np.vstack([jacobian, rows])[:, moves]
            normal = matrix.T @ matrix + damping * (errors @ errors) * np.eye(len(moves))
            change = np.linalg.solve(normal + 1e-12 * np.eye(len(moves)), matrix.T @ errors)
            step[:] = 0.0
            step[moves] = change * min(1.0, 0.7 / max(np.abs(change).max(), 1e-12))
            mujoco.mj_integratePos(robot, data.qpos, step, 1.0)
            for j in limited:
                at = robot.jnt_qposadr[j]
                data.qpos[at] = np.clip(data.qpos[at], *robot.jnt_range[j])
        return False

    return iterated(places, solve)


def loops() -> None:
    for name, frame in LOOPS:
        model = bc.load(name)
        places = loop_goals(model, frame)
        contestants: list[tuple[str, Callable[[], Any]]] = [
            ("bellcrank, one start", lambda m=model, f=frame, p=places: loops_with_bellcrank(m, f, p, 0)),
            ("mujoco, Gauss-Newton", lambda m=model, f=frame, p=places: loops_with_mujoco(m, f, p)),
        ]
        report(f"{name}, {frame}", contestants)


def report(what: str, contestants: list[tuple[str, Callable[[], Any]]]) -> None:
    for name, run in contestants:
        try:
            runs = [run() for _ in range(RUNS)]
        except Exception as error:  # noqa: BLE001  a peer that is not installed, or cannot read the model, says so
            print(f"{what:36} {name:22} did not run: {error}")
            continue
        solved, seconds = runs[0][0], min(seconds for _, seconds in runs)
        print(f"{what:36} {name:22} {solved} of {GOALS} solved, {1e6 * seconds:9.1f} µs per goal")


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
        report(f"arm, joints within ±{spread} rad", contestants)
    loops()


if __name__ == "__main__":
    main()
