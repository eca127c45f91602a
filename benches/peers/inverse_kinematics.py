"""Inverse kinematics beside others: the same goals, the same start, the same tolerance, in the same run.

Trees beside mink and pink, which solve one QP per step; here each goal is iterated until it is met (1 µm, 1 µrad)
or for 200 steps of full length, which is how their examples solve for a pose. Robots with loops beside damped
Gauss–Newton steps with MuJoCo's Jacobians of sites and of equality constraints, until the goal is met to 1 µm and
MuJoCo's own loops are closed to 1e-9, or for 200 steps. Needs ``pip install mink pin-pink daqp``, and Bellcrank as
users install it (``pip install ./python``). Goals solved and processor time per goal, the best of three runs:
Bellcrank takes all goals at once on one core, others one by one.

``inverse_kinematics.py --document`` writes the table into the guide.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import re
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Callable, NamedTuple, Optional

import numpy as np

import bellcrank as bc

GOALS = 200
STEPS = 200
RUNS = 3
TOLERANCE = 1e-6
GUIDE = Path(__file__).resolve().parents[2] / "docs/guides/kinematics.md"
BEGIN, END = "<!-- peers: benches/peers/inverse_kinematics.py --document -->", "<!-- end of peers -->"


class Measured(NamedTuple):
    """Goals solved, and processor time per goal [s]."""

    solved: int
    seconds: float


class Tree(NamedTuple):
    """Poses of a frame, as 4×4 matrices, with joints around a start."""

    model: bc.Model
    frame: str
    start: np.ndarray
    at_start: np.ndarray
    matrices: np.ndarray


#: Robot, frame, start of its joints (the reference pose where there is none), spread of joints [rad].
TREES: tuple[tuple[str, str, Optional[list[float]], float], ...] = (
    ("arm", "tool", [0.3, 0.6, -0.2, -1.2, 0.1, 0.9, 0.0, 0.0, 0.0], 0.1),
    ("arm", "tool", [0.3, 0.6, -0.2, -1.2, 0.1, 0.9, 0.0, 0.0, 0.0], 1.0),
    ("humanoid", "left_hand", None, 0.1),
    ("humanoid", "left_hand", None, 0.5),
    ("humanoid", "left_foot", None, 0.1),
    ("humanoid", "left_foot", None, 0.5),
)


def poses(model: bc.Model, q: np.ndarray, frame: str) -> np.ndarray:
    """4×4 matrices of a frame."""
    rows = np.asarray(bc.tree.fk(model, q, frames=[frame]))[:, 0]
    matrices = np.tile(np.eye(4), (len(rows), 1, 1))
    matrices[:, :3] = rows[:, :3]
    return matrices


def tree(name: str, frame: str, start: Optional[list[float]], spread: float) -> Tree:
    """Goals with joints within ``spread`` of the start and within their limits; a floating base stays."""
    model, random = bc.load(name), np.random.default_rng(0)
    begin = bc.kinematics.rest(model) if start is None else np.array(start)
    q, names = np.tile(begin, (GOALS, 1)), bc.tree.coordinate_names(model)
    for joint, kind, (low, high) in zip(model.joint_names, model.joint_kinds, model.limits):
        if kind == "revolute":  # fingers that slide stay
            k = names.index(joint)
            q[:, k] = np.clip(begin[k] + random.uniform(-spread, spread, GOALS), low, high)
    return Tree(model, frame, begin, poses(model, begin[None], frame)[0], poses(model, q, frame))


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


def at_once(model: bc.Model, goal: dict[str, bc.kinematics.Goal], start: Optional[np.ndarray]) -> Measured:
    """All goals from one start, without restarts."""
    begin = time.process_time()
    found = bc.kinematics.solve(model, goal, start, restarts=0)
    return Measured(int(found.solved.sum()), (time.process_time() - begin) / GOALS)


def iterated(goals: np.ndarray, solve: Callable[[np.ndarray], bool]) -> Measured:
    begin = time.process_time()
    solved = sum(solve(goal) for goal in goals)
    return Measured(solved, (time.process_time() - begin) / GOALS)


def with_bellcrank(tree: Tree) -> Measured:
    quats = np.array([quaternion(m[:3, :3]) for m in tree.matrices])
    goal = {tree.frame: bc.kinematics.Goal(position=tree.matrices[:, :3, 3], quat_wxyz=quats)}
    return at_once(tree.model, goal, tree.start)


def with_mink(tree: Tree) -> Measured:
    import mink
    import mujoco

    # a base that floats is held; keyframes would tell where it is
    text = re.sub("<freejoint[^>]*/>|<keyframe>.*</keyframe>", "", tree.model.to_mjcf().text, flags=re.DOTALL)
    robot = mujoco.MjModel.from_xml_string(text)
    is_site = mujoco.mj_name2id(robot, mujoco.mjtObj.mjOBJ_SITE, tree.frame) >= 0
    task = mink.FrameTask(tree.frame, "site" if is_site else "body", position_cost=1.0, orientation_cost=1.0)
    limits = [mink.ConfigurationLimit(robot)]
    names = bc.tree.coordinate_names(tree.model)
    start = np.array([tree.start[names.index(robot.joint(j).name)] for j in range(robot.njnt)])

    def solve(matrix: np.ndarray) -> bool:
        configuration = mink.Configuration(robot, q=start.copy())
        task.set_target(mink.SE3.from_matrix(matrix))
        for _ in range(STEPS):
            if np.abs(task.compute_error(configuration)).max() < TOLERANCE:
                return True
            velocity = mink.solve_ik(configuration, [task], 1.0, "daqp", damping=1e-9, limits=limits)
            configuration.integrate_inplace(velocity, 1.0)
        return False

    return iterated(tree.matrices, solve)


def with_pink(tree: Tree) -> Measured:
    import pink
    import pinocchio

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "robot.urdf"
        file.write_text(tree.model.to_urdf().text.replace('type="floating"', 'type="fixed"'))
        robot = pinocchio.buildModelFromUrdf(str(file))
    names = bc.tree.coordinate_names(tree.model)
    start = pinocchio.neutral(robot)
    for name, joint in zip(robot.names[1:], robot.joints[1:]):
        angle = tree.start[names.index(name)]
        # hinges without limits are told by their cosine and sine
        start[joint.idx_q : joint.idx_q + joint.nq] = angle if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
    task = pink.FrameTask(tree.frame, position_cost=1.0, orientation_cost=1.0)
    # a URDF's links stand at their joints, and its base may stand elsewhere
    first = pink.Configuration(robot, robot.createData(), start)
    base = np.eye(4)
    if "pelvis.px" in names:
        base = poses(tree.model, tree.start[None], "pelvis")[0]
        base = base @ np.linalg.inv(first.get_transform_frame_to_world("pelvis").homogeneous)
    own = first.get_transform_frame_to_world(tree.frame).homogeneous
    offset = np.linalg.inv(tree.at_start) @ base @ own

    def solve(matrix: np.ndarray) -> bool:
        configuration = pink.Configuration(robot, robot.createData(), start)
        task.set_target(pinocchio.SE3(np.linalg.inv(base) @ matrix @ offset))
        for _ in range(STEPS):
            if np.abs(task.compute_error(configuration)).max() < TOLERANCE:
                return True
            velocity = pink.solve_ik(configuration, [task], 1.0, "daqp", damping=1e-9, safety_break=False)
            configuration.integrate_inplace(velocity, 1.0)
        return False

    return iterated(tree.matrices, solve)


#: Robots with loops, and what is to be reached of each.
LOOPS = (("delta", "tool"), ("stewart", "top"), ("five_bar_quadruped", "front_left_toe"), ("hybrid_biped", "left_foot"))


def loop_goals(model: bc.Model, frame: str) -> np.ndarray:
    """Places of the frame in random poses that close: all of them can be reached."""
    safe = bc.kinematics.sample(model, GOALS, clearance=-1.0)
    assert safe.found.all()
    return np.asarray(bc.tree.fk(model, safe.q, frames=[frame]))[:, 0, :3, 3]


def loops_with_mujoco(model: bc.Model, frame: str, places: np.ndarray) -> Measured:
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


def measured(what: str, run: Callable[[], Measured]) -> Optional[Measured]:
    """The best of several runs; nothing for a peer that is not installed, or cannot read the model, which says so."""
    try:
        runs = [run() for _ in range(RUNS)]
    except Exception as error:  # noqa: BLE001
        print(f"{what}: did not run: {error}", flush=True)
        return None
    best = Measured(runs[0].solved, min(run.seconds for run in runs))
    print(f"{what}: {best.solved} of {GOALS} solved, {1e6 * best.seconds:.1f} µs per goal", flush=True)
    return best


def rows() -> list[tuple[str, list[Optional[Measured]]]]:
    """Goals, then Bellcrank, mink, pink, MuJoCo's Jacobians."""
    found: list[tuple[str, list[Optional[Measured]]]] = []
    for name, frame, start, spread in TREES:
        own = tree(name, frame, start, spread)
        peers: list[tuple[str, Callable[[Tree], Measured]]]
        peers = [("bellcrank", with_bellcrank), ("mink", with_mink), ("pink", with_pink)]
        title = f"{name}, {frame.replace('_', ' ')}, ±{spread:g} rad"
        found.append((title, [*(measured(f"{title}, {who}", partial(run, own)) for who, run in peers), None]))
    for name, frame in LOOPS:
        model = bc.load(name)
        places = loop_goals(model, frame)
        title = f"{name.replace('_', ' ')}, {frame.replace('_', ' ')}"
        goal = {frame: bc.kinematics.Goal(position=places)}
        mine = measured(f"{title}, bellcrank", partial(at_once, model, goal, None))
        theirs = measured(f"{title}, MuJoCo", partial(loops_with_mujoco, model, frame, places))
        found.append((title, [mine, None, None, theirs]))
    return found


def table(rows: list[tuple[str, list[Optional[Measured]]]]) -> str:
    def cell(best: Optional[Measured]) -> str:
        return "" if best is None else f"{best.solved}, {1e6 * best.seconds:,.{0 if best.seconds > 1e-5 else 1}f} µs"

    versions = " and ".join(f"{name} {importlib.metadata.version(name)}" for name in ("mink", "pin-pink", "mujoco"))
    versions = versions.replace(" and ", ", ", 1)
    lines = [f"{GOALS} goals: how many were met, and processor time of one. {versions}.", ""]
    lines += ["| goals | Bellcrank | mink | pink | MuJoCo's Jacobians |", "|---|---|---|---|---|"]
    return "\n".join([*lines, *(f"| {title} | {' | '.join(map(cell, cells))} |" for title, cells in rows)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--document", action="store_true", help="write the table into the guide")
    asked = parser.parse_args()
    text = table(rows())
    if asked.document:
        guide = GUIDE.read_text(encoding="utf-8")
        before, rest = guide.split(BEGIN)
        GUIDE.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}", encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
