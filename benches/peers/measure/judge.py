"""How exact a motion is, worked out from the bodies' states alone, by the same lines for every engine.

States are those of centres of mass: position, quaternion (wxyz), velocity, angular velocity, in the world's axes. The
description of the scene says where joints, shapes and masses are (`bellcrank-bench robots --export`).
"""

from __future__ import annotations

import math
from typing import Any

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Pose = tuple[Vector, Quaternion]


def cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def add(a: Vector, b: Vector, times: float = 1.0) -> Vector:
    return (a[0] + times * b[0], a[1] + times * b[1], a[2] + times * b[2])


def rotate(q: Quaternion, v: Vector) -> Vector:
    """v + 2 w (u × v) + 2 u × (u × v)"""
    u = (q[1], q[2], q[3])
    t = cross(u, v)
    t = (2 * t[0], 2 * t[1], 2 * t[2])
    return add(add(v, t, q[0]), cross(u, t))


def times(a: Quaternion, b: Quaternion) -> Quaternion:
    (aw, ax, ay, az), (bw, bx, by, bz) = a, b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def unit(q: list[float]) -> Quaternion:
    n = math.sqrt(sum(x * x for x in q))
    return (q[0] / n, q[1] / n, q[2] / n, q[3] / n)


def pose_of(numbers: list[float]) -> Pose:
    return (numbers[0], numbers[1], numbers[2]), unit(numbers[3:7])


def compose(a: Pose, b: Pose) -> Pose:
    return add(a[0], rotate(a[1], b[0])), times(a[1], b[1])


WORLD: Pose = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
X_AXIS: Vector = (1.0, 0.0, 0.0)


def judge(scene: dict[str, Any], samples: list[list[list[float]]]) -> dict[str, Any]:
    """Largest gap [m, rad], depth under the ground [m] and, where nothing takes or gives energy, its drift."""
    # JSON has no word for what is not a number: nothing stands for it
    finite = all(x is not None and math.isfinite(x) for state in samples for body in state for x in body)
    if not finite:
        return {"finite": False}
    gaps, depths = [(0.0, 0.0)], [0.0]
    for state in samples[1:]:
        links = [link_pose(body, numbers) for body, numbers in zip(scene["bodies"], state)]
        gaps += [gap(joint, links) for joint in scene["joints"]]
        depths.append(depth(scene, links))
    found: dict[str, Any] = {"finite": True, "depth_m": max(depths)}
    found["gap_m"], found["gap_rad"] = max(g[0] for g in gaps), max(g[1] for g in gaps)
    if is_conservative(scene) and (drift := energy_drift(scene, samples)) is not None:
        found["energy_drift"] = drift
    return found


def link_pose(body: dict[str, Any], numbers: list[float]) -> Pose:
    p, q = pose_of(numbers)
    x, y, z = body["com"]
    return add(p, rotate(q, (x, y, z)), -1.0), q


def gap(joint: dict[str, Any], links: list[Pose]) -> tuple[float, float]:
    """How far the joint's two frames are apart in the directions that it holds [m, rad]."""
    before = links[joint["predecessor"]] if joint["predecessor"] >= 0 else WORLD
    F = compose(before, pose_of(joint["X_PF"]))
    M = compose(links[joint["successor"]], pose_of(joint["X_SM"]))
    apart, x = add(M[0], F[0], -1.0), rotate(F[1], X_AXIS)
    kind = joint["kind"]
    if kind in ("prismatic", "cylindrical"):
        apart = add(apart, x, -dot(apart, x))
    elif kind not in ("revolute", "spherical", "fixed", "universal", "gimbal"):
        return 0.0, 0.0  # holds no point
    angle = 0.0
    if kind in ("revolute", "prismatic", "cylindrical"):
        angle = math.asin(min(1.0, norm(cross(x, rotate(M[1], X_AXIS)))))
    return norm(apart), angle


def norm(v: Vector) -> float:
    return math.sqrt(dot(v, v))


def depth(scene: dict[str, Any], links: list[Pose]) -> float:
    """How far the lowest point of any shape is under a plane of the world [m]."""
    deepest = 0.0
    for plane in (shape for shape in scene["shapes"] if shape["kind"] == "plane"):
        at, q = pose_of(plane["pose"])
        normal = rotate(q, (0.0, 0.0, 1.0))
        for shape in scene["shapes"]:
            if shape["body"] >= 0 and shape["kind"] in SUPPORTS:
                p, R = compose(links[shape["body"]], pose_of(shape["pose"]))
                along = [dot(rotate(R, axis), normal) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
                reach = SUPPORTS[shape["kind"]](shape["size"], along)
                deepest = max(deepest, reach - dot(add(p, at, -1.0), normal))
    return deepest


SUPPORTS = {
    "sphere": lambda size, n: size[0],
    "capsule": lambda size, n: size[0] + size[1] * abs(n[2]),
    "box": lambda size, n: sum(h * abs(x) for h, x in zip(size, n)),
    "cylinder": lambda size, n: size[1] * abs(n[2]) + size[0] * math.sqrt(max(0.0, 1.0 - n[2] * n[2])),
    "ellipsoid": lambda size, n: math.sqrt(sum((r * x) ** 2 for r, x in zip(size, n))),
}
"""How far a shape reaches along a direction, told in its own axes."""


def is_conservative(scene: dict[str, Any]) -> bool:
    resists = any(dof["damping"] or dof["friction"] or dof["spring"] for j in scene["joints"] for dof in j["dofs"])
    return not (resists or scene["actuators"] or scene["shapes"])


def energy_drift(scene: dict[str, Any], samples: list[list[list[float]]]) -> float | None:
    """Largest change of the energy, over the largest kinetic energy; nothing where nothing moves."""
    both = [energies(scene, state) for state in samples]
    start, most = sum(both[0]), max(kinetic for kinetic, _ in both)
    return max(abs(kinetic + potential - start) for kinetic, potential in both) / most if most > 0 else None


def energies(scene: dict[str, Any], state: list[list[float]]) -> tuple[float, float]:
    """Kinetic and potential energy [J]."""
    kinetic = potential = 0.0
    gx, gy, gz = scene["gravity"]
    for body, numbers in zip(scene["bodies"], state):
        p, (w, x, y, z) = pose_of(numbers)
        v, spin = tuple(numbers[7:10]), tuple(numbers[10:13])
        own = rotate((w, -x, -y, -z), spin)
        xx, yy, zz, xy, xz, yz = body["inertia"]
        turning = xx * own[0] ** 2 + yy * own[1] ** 2 + zz * own[2] ** 2
        turning += 2 * (xy * own[0] * own[1] + xz * own[0] * own[2] + yz * own[1] * own[2])
        kinetic += 0.5 * (body["mass"] * dot(v, v) + turning)
        potential -= body["mass"] * dot((gx, gy, gz), p)
    return kinetic, potential
