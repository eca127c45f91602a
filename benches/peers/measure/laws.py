"""Who keeps what Newton's laws keep: momentum, angular momentum and energy of a companion run, by the same lines for
every engine.

In most scenes motors, the ground and the world push, so that nobody knows what momentum and energy should be. So each
scene has a companion in empty space: the same mechanism, thrown and spinning, without gravity, contacts,
motors, springs,
dampers, friction and limits. What is fastened to the world floats with a body in its place. A pile is thrown
up as a whole, weightless
and contracting, so that its solids hit each other and nothing else: momentum stays, and energy never grows.
"""

from __future__ import annotations

import math
from typing import Any

from .judge import Quaternion, Vector, add, cross, dot, norm, pose_of, rotate, times

KEEPS_MOMENTUM = 1e-4
"""Largest change of both momenta that counts as kept, each as a share of itself."""
KEEPS_ENERGY = 1e-2
"""Largest change of the energy in the frame of the centre of mass that counts as kept, as a share of it."""

READINGS = ("instant", "middle", "interval")
"""What a velocity is that an engine gives with a pose: that of the instant; that of the middle of the step
that ends there; or
that of the whole step, whose angular momentum is that of discrete mechanics. Each engine is read in the way that suits
it best."""


def kept(alone: dict[str, Any], samples: list[list[list[float]]], dt: float, may_fall: bool = False) -> dict[str, Any]:
    """Largest changes from the start: of the momentum, of the angular momentum about the centre of mass, and
    of the energy
    there (where contacts may take some: only its growth), as shares of what they were."""
    if not all(x is not None and math.isfinite(x) for state in samples for body in state for x in body):
        return {"momentum_error": None, "energy_error": None, "adrift_failure": "left the numbers"}
    linear = change([momentum(alone, state) for state in samples])
    turning = {way: change([spin(alone, state, dt, way) for state in samples]) for way in READINGS}
    best = min(READINGS, key=lambda way: turning[way])
    energies = [energy(alone, state) for state in samples]
    least, grown, changed = energies[0], 0.0, 0.0
    for now in energies:
        least = min(least, now)
        grown, changed = max(grown, now - least), max(changed, abs(now - energies[0]))
    return {
        "momentum_error": max(linear, turning[best]),
        "linear_momentum_error": linear,
        "angular_momentum_error": turning[best],
        "read_as": best,
        "energy_error": (grown if may_fall else changed) / energies[0],
    }


def change(vectors: list[Vector]) -> float:
    """The largest distance from the first, as a share of it."""
    return max(norm(add(v, vectors[0], -1.0)) for v in vectors) / norm(vectors[0])


def momentum(alone: dict[str, Any], state: list[list[float]]) -> Vector:
    """Σ m v"""
    sum_: Vector = (0.0, 0.0, 0.0)
    for body, numbers in zip(alone["bodies"], state):
        sum_ = add(sum_, velocity(numbers), body["mass"])
    return sum_


def velocity(numbers: list[float]) -> Vector:
    return numbers[7], numbers[8], numbers[9]


def turning_of(numbers: list[float]) -> Vector:
    return numbers[10], numbers[11], numbers[12]


def mass_of(alone: dict[str, Any]) -> float:
    return sum(float(body["mass"]) for body in alone["bodies"])


def center(alone: dict[str, Any], state: list[list[float]]) -> Vector:
    """Centre of mass [m]."""
    sum_: Vector = (0.0, 0.0, 0.0)
    for body, numbers in zip(alone["bodies"], state):
        sum_ = add(sum_, pose_of(numbers)[0], body["mass"] / mass_of(alone))
    return sum_


def spin(alone: dict[str, Any], state: list[list[float]], dt: float, way: str) -> Vector:
    """Σ (p − c) × m (v − v_c) + L of every body."""
    c, total = center(alone, state), mass_of(alone)
    v_c = scaled(momentum(alone, state), 1.0 / total)
    sum_: Vector = (0.0, 0.0, 0.0)
    for body, numbers in zip(alone["bodies"], state):
        p, q = pose_of(numbers)
        v, w = velocity(numbers), turning_of(numbers)
        sum_ = add(sum_, cross(add(p, c, -1.0), add(v, v_c, -1.0)), body["mass"])
        sum_ = add(sum_, own_spin(body["inertia"], q, w, dt, way))
    return sum_


def own_spin(inertia: list[float], q: Quaternion, w: Vector, dt: float, way: str) -> Vector:
    """I ω of the instant; with the inertia of half a step ago; or I ω − ½h ω × I ω + γ h² ω × (ω × I ω), the
    momentum with which a body that
    turned by exp(h ω) arrives, γ = 1/12 + h²ω²/720 + …"""
    if way == "middle":
        q = times(turned(w, -0.5 * dt), q)
    L = rotate(q, product(inertia, rotate((q[0], -q[1], -q[2], -q[3]), w)))
    if way == "interval":
        c, t = cross(w, L), dt * dt * dot(w, w)
        gamma = 1 / 12 + t / 720 + t * t / 30240
        L = add(add(L, c, -0.5 * dt), cross(w, c), gamma * dt * dt)
    return L


def turned(w: Vector, t: float) -> Quaternion:
    """exp(t ω)"""
    speed = norm(w)
    if speed == 0.0:
        return (1.0, 0.0, 0.0, 0.0)
    s = math.sin(0.5 * t * speed) / speed
    return (math.cos(0.5 * t * speed), s * w[0], s * w[1], s * w[2])


def product(inertia: list[float], w: Vector) -> Vector:
    xx, yy, zz, xy, xz, yz = inertia
    return (
        xx * w[0] + xy * w[1] + xz * w[2],
        xy * w[0] + yy * w[1] + yz * w[2],
        xz * w[0] + yz * w[1] + zz * w[2],
    )


def scaled(v: Vector, by: float) -> Vector:
    return v[0] * by, v[1] * by, v[2] * by


def energy(alone: dict[str, Any], state: list[list[float]]) -> float:
    """Kinetic energy about the centre of mass, with that of rotors (armature) [J]: ½ Σ m (v − v_c)² + ω·I ω, ½
    Σ a q̇²."""
    v_c = scaled(momentum(alone, state), 1.0 / mass_of(alone))
    sum_ = 0.0
    for body, numbers in zip(alone["bodies"], state):
        _, q = pose_of(numbers)
        v, w = add(velocity(numbers), v_c, -1.0), turning_of(numbers)
        sum_ += 0.5 * (body["mass"] * dot(v, v) + dot(w, own_spin(body["inertia"], q, w, 0.0, "instant")))
    return sum_ + sum(rotors(alone, state, joint) for joint in alone["joints"])


def rotors(alone: dict[str, Any], state: list[list[float]], joint: dict[str, Any]) -> float:
    """½ a q̇² of a joint's rotors: hinges along their axis, ball joints about all of them, sliders by their speed."""
    inertia = max((dof["armature"] for dof in joint["dofs"]), default=0.0)
    if inertia == 0.0 or joint["predecessor"] < 0:
        return 0.0
    before, after = state[joint["predecessor"]], state[joint["successor"]]
    body = alone["bodies"][joint["predecessor"]]
    p, q = pose_of(before)
    relative = add(turning_of(after), turning_of(before), -1.0)
    if joint["kind"] == "spherical":
        return 0.5 * float(inertia) * dot(relative, relative)
    place, turn = pose_of(joint["X_PF"])
    axis = rotate(times(q, turn), (1.0, 0.0, 0.0))
    if joint["kind"] == "revolute":
        return 0.5 * float(inertia) * dot(axis, relative) ** 2
    if joint["kind"] != "prismatic":
        raise ValueError(f"rotors of a joint of kind {joint['kind']}")
    # of the point of the successor that is at the slider, against the predecessor's
    com: Vector = (body["com"][0], body["com"][1], body["com"][2])
    at = add(p, rotate(q, add(place, com, -1.0)))
    speeds = [add(velocity(x), cross(turning_of(x), add(at, pose_of(x)[0], -1.0))) for x in (before, after)]
    return 0.5 * float(inertia) * dot(axis, add(speeds[1], speeds[0], -1.0)) ** 2


def verdict(record: dict[str, Any]) -> str:
    """In words, with the bounds above."""
    if record.get("adrift_failure"):
        return f"not judged: {record['adrift_failure']}"
    momentum_error, energy_error = record.get("momentum_error"), record.get("energy_error")
    if momentum_error is None or energy_error is None:
        return "not judged"
    lost = [
        name
        for name, error, bound in (
            ("momentum", momentum_error, KEEPS_MOMENTUM),
            ("energy", energy_error, KEEPS_ENERGY),
        )
        if not error <= bound
    ]
    return f"loses {' and '.join(lost)}" if lost else "keeps both"
