"""Motions of people onto the Unitree H1: first kinematic, then dynamic, with the errors of both.

    python examples/motion_capture/retarget_h1.py unitree_h1/scene.xml walk kick

The clips are DeepMimic's, as the package ``pybullet`` carries them (zlib licence, ``pip install pybullet``); they are
read from where it is installed, or from its wheel (``--wheel FILE``). The robot is that of MuJoCo's menagerie. With
``--mujoco`` what the motors were told is told to the same robot in MuJoCo, from the MJCF that Bellcrank writes.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import numpy as np
from numpy.typing import NDArray

import bellcrank as bc
from bellcrank.kinematics import Track, rest, retarget, tracks_of

Floats = NDArray[np.float64]
UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""From the clips' axes (y up, z to the right) to ours (z up, y to the left)."""
SOLE = 0.07
"""Height of H1's ankle over its sole [m]."""
LEAN = 0.1
"""H1's hips are 0.4 m apart, those of people 0.2 m: its legs lean in, lest it fall between its feet [rad]."""
WEIGHTS = {"position": 400.0, "velocity": 4.0, "joints": 20.0}
"""Besides those of bc.control.FOLLOW_WEIGHTS."""
SCALE = 0.25
"""Of the lengths in the clips' robot file."""


def read(wheel: Optional[str], path: str) -> str:
    """A file of the package ``pybullet_data``."""
    if wheel is not None:
        return zipfile.ZipFile(wheel).read(f"pybullet_data/{path}").decode("latin-1")
    found = importlib.util.find_spec("pybullet_data")
    if found is None or found.origin is None:
        raise SystemExit("needs the package pybullet (pip install pybullet), or its wheel: --wheel FILE")
    return (Path(found.origin).parent / path).read_text("latin-1")


def quat_to_matrix(q: Floats) -> Floats:
    """Of rows w, x, y, z."""
    w, x, y, z = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def matrix_to_quat(m: Floats) -> Floats:
    """Rows w, x, y, z, each with the sign of its neighbour."""
    four = np.stack([m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]], axis=1)
    squares = np.stack([four.sum(1), *(2 * four[:, k] - four.sum(1) for k in range(3))], axis=1)
    size = np.sqrt(np.maximum(1.0 + squares, 0.0)) / 2.0
    out = np.empty((len(m), 4))
    for n, row in enumerate(m):
        k = int(np.argmax(size[n]))
        a, b, c = row[2, 1] - row[1, 2], row[0, 2] - row[2, 0], row[1, 0] - row[0, 1]
        d, e, f = row[0, 1] + row[1, 0], row[0, 2] + row[2, 0], row[1, 2] + row[2, 1]
        mixed = [(0, a, b, c), (a, 0, d, e), (b, d, 0, f), (c, e, f, 0)][k]
        out[n] = np.array(mixed) / (4 * size[n, k])
        out[n, k] = size[n, k]
        if n and out[n] @ out[n - 1] < 0:
            out[n] = -out[n]
    return out


@dataclass(frozen=True)
class Clip:
    """Directions and angles of a person, in our axes."""

    dt: float
    root: Floats
    turned: Floats
    """``(n, 3, 3)`` of the root."""
    chest: Floats
    thighs: dict[str, Floats]
    shins: dict[str, Floats]
    feet: dict[str, Floats]
    """``(n, 3, 3)`` each."""
    knees: dict[str, Floats]
    arms: dict[str, Floats]
    """Directions of the upper arms."""
    elbows: dict[str, Floats]
    length: float
    """From hip to ankle, stretched [m]."""


def read_clip(wheel: Optional[str], name: str, cycles: int) -> Clip:
    """A clip by name; one that loops is gone through several times."""
    text = read(wheel, "humanoid/humanoid.urdf")
    text = text[text.index("<joint ") :]

    def offset(joint: str) -> Floats:
        found = re.search(rf'name="{joint}".*?xyz\s*=\s*"([^"]*)"', text, re.S)
        assert found is not None, f"the clips' robot has no joint {joint}"
        return SCALE * np.array([float(x) for x in found[1].split()])

    data = json.loads(read(wheel, f"data/motions/humanoid3d_{name}.txt"))
    frames = np.array(data["Frames"])
    root = frames[:, 1:4]
    if data["Loop"] == "wrap" and cycles > 1:
        way = (root[-1] - root[0]) * [1.0, 0.0, 1.0]
        root = np.concatenate([root[:-1] + k * way for k in range(cycles)])
        frames = np.concatenate([frames[:-1]] * cycles)

    def ball(first: int) -> Floats:
        return UP @ quat_to_matrix(frames[:, first : first + 4]) @ UP.T

    def hinge(column: int) -> Floats:  # about the clips' z, which is our -y
        half = -0.5 * frames[:, column]
        zero = np.zeros(len(half))
        return quat_to_matrix(np.stack([np.cos(half), zero, np.sin(half), zero], axis=1))

    turned = ball(4)
    chest = turned @ ball(8)
    thighs, shins, feet, knees, arms, elbows = {}, {}, {}, {}, {}, {}
    for side, first in (("right", 16), ("left", 30)):
        thighs[side] = turned @ ball(first)
        shins[side] = thighs[side] @ hinge(first + 4)
        feet[side] = shins[side] @ ball(first + 5)
        knees[side] = -frames[:, first + 4]
        arms[side] = chest @ ball(first + 9) @ np.array([0.0, 0.0, -1.0])
        elbows[side] = frames[:, first + 13]
    length = float(np.linalg.norm(offset("left_knee")) + np.linalg.norm(offset("left_ankle")))
    return Clip(float(frames[0, 0]), root @ UP.T, turned, chest, thighs, shins, feet, knees, arms, elbows, length)


def kinematic(model: bc.Model, clip: Clip) -> bc.control.Motion:
    """The clip as poses of H1: legs, torso and elbows by their angles, upper arms by where the elbows are."""
    names = [f"{side}_{part}" for side in ("left", "right") for part in ("shoulder_roll_link", "elbow_link")]
    hips = [f"{side}_hip_pitch_link" for side in ("left", "right")]
    at = {name: track.position[0] for name, track in own_frames(model, rest(model), ["pelvis", *hips, *names]).items()}
    below = 0.5 * (at[hips[0]] + at[hips[1]]) - at["pelvis"]
    pelvis = 0.98 * 0.8 / clip.length * clip.root - clip.turned @ below
    tracks = {"pelvis": Track(pelvis, matrix_to_quat(clip.turned))}
    for side in ("left", "right"):
        shoulder = at[f"{side}_shoulder_roll_link"] - at["pelvis"]
        upper = float(np.linalg.norm(at[f"{side}_elbow_link"] - at[f"{side}_shoulder_roll_link"]))
        tracks[f"{side}_elbow_link"] = Track(pelvis + clip.chest @ shoulder + upper * clip.arms[side])
    found = retarget(model, tracks, clip.dt)
    joints, q, targets = found.joint_position.copy(), found.q.copy(), found.target_position.copy()
    for name, angle in angles(clip).items():
        joints[:, column(model, name, joints.shape[1])] = angle
        q[:, column(model, name, q.shape[1])] = angle
        targets[:, model.actuator_names.index(name)] = angle
    place = np.concatenate([pelvis, tracks["pelvis"].quat_wxyz], axis=1)
    joints[:, :7], q[:, :7] = place, place
    down = ground(model, q)
    joints[:, 2] -= down
    q[:, 2] -= down
    return bc.control.Motion.of(model, found._replace(joint_position=joints, q=q, target_position=targets), clip.dt)


def angles(clip: Clip) -> dict[str, Floats]:
    """Of the hinges that a person's joints are made of: hips turn about z, x and y, in this order from the pelvis."""
    told = {}
    across = np.swapaxes(clip.turned, 1, 2)
    ahead = across @ clip.chest
    told["torso"] = np.arctan2(ahead[:, 1, 0], ahead[:, 0, 0])
    for side in ("left", "right"):
        hip = across @ clip.thighs[side]
        told[f"{side}_hip_yaw"] = np.clip(np.arctan2(-hip[:, 0, 1], hip[:, 1, 1]), -0.43, 0.43)
        lean = -LEAN if side == "left" else LEAN
        told[f"{side}_hip_roll"] = np.clip(np.arcsin(hip[:, 2, 1]) + lean, -0.43, 0.43)
        told[f"{side}_hip_pitch"] = np.clip(np.arctan2(-hip[:, 2, 0], hip[:, 2, 2]), -1.57, 1.57)
        told[f"{side}_knee"] = np.clip(clip.knees[side], -0.26, 2.05)
        foot = np.swapaxes(clip.shins[side], 1, 2) @ clip.feet[side]
        told[f"{side}_ankle"] = np.clip(np.arctan2(foot[:, 0, 2], foot[:, 2, 2]), -0.87, 0.52)
        told[f"{side}_elbow"] = 0.5 * np.pi - clip.elbows[side]
    return told


def ground(model: bc.Model, q: Floats) -> float:
    """How high the ground is: the lower sole's lowest point, of which a tenth of the frames is below."""
    frames = own_frames(model, q, ["left_ankle_link", "right_ankle_link"])
    heights = []
    for track in frames.values():
        turned = quat_to_matrix(track.quat_wxyz)
        heights += [track.position[:, 2] + turned[:, 2] @ np.array([x, 0.0, -SOLE]) for x in (-0.035, 0.14)]
    return float(np.quantile(np.min(heights, axis=0), 0.1))


def own_frames(model: bc.Model, q: Floats, names: list[str]) -> dict[str, Track]:
    return tracks_of(model, q, model, {name: name for name in names})


def column(model: bc.Model, joint: str, width: int) -> int:
    """Of a joint's angle, counted from the end: what is before are the seven numbers of the base, if any."""
    hinges = [name for name in model.joint_names if name in model.actuator_names]
    return width - len(hinges) + hinges.index(joint)


def in_mujoco(model: bc.Model, motion: bc.control.Motion, done: bc.control.Followed) -> tuple[float, float]:
    """Until when the robot holds there, within half a metre of the motion [s], and how far it is off by then [m]."""
    import mujoco  # type: ignore[import-untyped]

    with tempfile.TemporaryDirectory() as folder:
        written = model.to_mjcf()
        for name, content in {**written.files, "robot.xml": written.text.encode()}.items():
            (Path(folder) / name).write_bytes(content)
        there = mujoco.MjModel.from_xml_path(f"{folder}/robot.xml")
    there.opt.timestep = 0.002
    data = mujoco.MjData(there)
    q, width = motion.joint_position, motion.joint_position.shape[1]
    data.qpos[:7] = q[0, :7]
    data.qvel[:3] = (q[1, :3] - q[0, :3]) / motion.dt
    for name in model.actuator_names:
        joint, k = there.joint(name), column(model, name, width)
        data.qpos[joint.qposadr[0]] = q[0, k]
        data.qvel[joint.dofadr[0]] = (q[1, k] - q[0, k]) / motion.dt
    motors = [there.actuator(name).id for name in model.actuator_names]
    times, off = motion.dt * np.arange(len(q)), []
    for row, told in enumerate(done.control):
        data.ctrl[motors] = told
        mujoco.mj_step(there, data, round(done.dt / there.opt.timestep))
        wanted = [np.interp((row + 1) * done.dt, times, q[:, k]) for k in range(3)]
        off.append(float(np.linalg.norm(data.qpos[:3] - wanted)))
        if not off[-1] < 0.5:
            break
    return len(off) * done.dt, float(np.mean(off))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robot", help="MJCF file of Unitree H1 with its ground (scene.xml)")
    parser.add_argument("clips", nargs="*", default=["walk"])
    parser.add_argument("--wheel", help="wheel of pybullet, where it is not installed")
    parser.add_argument("--cycles", type=int, default=2, help="how often clips that loop are gone through")
    parser.add_argument("--samples", type=int, default=128)
    parser.add_argument("--horizon", type=int, default=24)
    parser.add_argument("--iterations", type=int, default=3)
    parser.add_argument("--sigma", type=float, default=0.2)
    parser.add_argument("--window", type=float, default=0.02, help="from plan to plan [s]")
    parser.add_argument("--mujoco", action="store_true", help="replays the controls in MuJoCo")
    parser.add_argument("--save", help="writes controls and start into FILE.npz")
    told = parser.parse_args()
    model = bc.load(told.robot, hold=True)
    bodies = [f"{side}_{part}" for side in ("left", "right") for part in ("ankle_link", "elbow_link")]
    print("clip          seconds   position [m]  1-(q.q)^2  angle [rad]  joints [rad]  a plan [s]")
    for name in told.clips:
        clip = read_clip(told.wheel, name, told.cycles)
        motion = kinematic(model, clip)
        rounds = {"samples": told.samples, "horizon": told.horizon, "knots": 4, "iterations": told.iterations}
        done = bc.control.follow(
            model, motion, "pelvis", bodies, sigma=told.sigma, window=told.window, weights=WEIGHTS, **rounds
        )
        print(
            f"{name:12} {len(done.control) * done.dt:5.1f}{'*' if done.lost else ' '}    {mean(done.position_error)}"
            f"  {mean(done.quat_error)}  {mean(done.angle_error)}  {mean(done.joint_error)}"
            f"  {mean(done.seconds)}",
            flush=True,
        )
        if told.mujoco:
            held, off = in_mujoco(model, motion, done)
            print(f"    in MuJoCo: holds for {held:.1f} s, {off:.3f} m off by then", flush=True)
        if told.save is not None:
            np.savez(told.save, control=done.control, dt=done.dt, joint_position=motion.joint_position)


def mean(values: Floats) -> str:
    return f"{values.mean():.3f} ± {values.std():.3f}"


if __name__ == "__main__":
    main()
