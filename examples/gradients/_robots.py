"""The mechanisms of these examples, built in a few lines each. Links lie at their bodies' centres of mass."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

import bellcrank as bc

UP, SIDE = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)


def ground(b: bc.ModelBuilder, friction: float) -> None:
    """The plane z = 0."""
    b.shape("ground", bc.WORLD, "plane", friction=friction)


def box(friction: float = 0.5) -> bc.Model:
    """A cube of 0.5 m and 1 kg on the ground."""
    b = bc.ModelBuilder("box")
    ground(b, friction)
    b.body("cube", position=(0, 0, 0.25), mass=1.0, box=(0.5, 0.5, 0.5))
    b.shape("cube", "cube", "box", half=(0.25, 0.25, 0.25), friction=friction)
    return b.build()


def hopper() -> bc.Model:
    """A ball on a leg that slides in it, on a round foot."""
    b = bc.ModelBuilder("hopper")
    ground(b, 0.5)
    b.body("body", position=(0, 0, 0.55), mass=4.18, sphere=0.1)
    b.body("foot", position=(0, 0, 0.05), mass=0.52, sphere=0.05)
    b.joint("leg", "prismatic", "body", "foot", point=(0, 0, 0.55), axis=UP, damping=0.1)
    b.actuator("leg", "leg", "effort")
    b.shape("body", "body", "sphere", radius=0.1, friction=0.5)
    b.shape("foot", "foot", "sphere", radius=0.05, friction=0.5)
    b.exclude("body", "foot")
    return b.build()


THIGH = 0.2
"""Length of thigh and calf [m]."""
FOOT = 0.021
"""Radius of the quadruped's feet [m]."""
LEGS = {"fr": (1, -1), "fl": (1, 1), "rr": (-1, -1), "rl": (-1, 1)}
"""Front or rear, right or left."""


def quadruped() -> bc.Model:
    """A trunk of 5.8 kg on four legs of three motors: 13 bodies, 13.5 kg. Legs stand straight at zero."""
    b = bc.ModelBuilder("quadruped")
    ground(b, 0.8)
    height = 2 * THIGH + FOOT
    b.body("trunk", position=(0, 0, height), mass=5.76, box=(0.36, 0.19, 0.11))
    for leg, (front, left) in LEGS.items():
        hip = np.array([0.183 * front, 0.047 * left, height])
        leg_at = hip + [0, 0.0838 * left, 0]
        b.body(f"{leg}_hip", position=hip + [0, 0.04 * left, 0], mass=0.696, sphere=0.046)
        b.body(f"{leg}_thigh", position=leg_at - [0, 0, THIGH / 2], mass=1.013, box=(0.04, 0.03, THIGH))
        b.body(f"{leg}_calf", position=leg_at - [0, 0, 1.5 * THIGH], mass=0.226, box=(0.02, 0.02, THIGH))
        places = (("roll", "trunk", "hip", hip, (1, 0, 0)), ("pitch", "hip", "thigh", leg_at, SIDE))
        knee = leg_at - [0, 0, THIGH]
        for name, parent, child, point, axis in (*places, ("knee", "thigh", "calf", knee, SIDE)):
            above = parent if parent == "trunk" else f"{leg}_{parent}"
            b.joint(f"{leg}_{name}", "revolute", above, f"{leg}_{child}", point=point, axis=axis, damping=5.0)
            b.actuator(f"{leg}_{name}", f"{leg}_{name}", "effort")
        b.shape(f"{leg}_foot", f"{leg}_calf", "sphere", radius=FOOT, position=(0, 0, -THIGH / 2), friction=0.8, group=2)
    return b.build()


CHEETAH_EFFORT = np.array([120.0, 90.0, 60.0, 120.0, 60.0, 30.0])
"""Efforts of the half-cheetah's motors at full action [N·m]: back then front, thigh, shin, foot."""


def cheetah() -> bc.Model:
    """Half a cheetah that runs in the plane: a torso on a back and a front leg of three joints with springs; 15 kg."""
    b = bc.ModelBuilder("half_cheetah")
    ground(b, 0.4)
    b.body("torso", position=(0, 0, 0.7), mass=6.5, box=(1.0, 0.1, 0.1))
    b.joint("plane", "planar", bc.WORLD, "torso", point=(0, 0, 0.7), axis=SIDE)
    springs, dampers = (240, 180, 120, 180, 120, 60), (15.0, 11.25, 7.5, 11.25, 7.5, 3.75)
    limits = ((-0.6, 1.05), (-0.9, 0.9), (-0.5, 0.8), (-1.0, 0.7), (-1.2, 0.9), (-0.5, 0.5))
    spans = [((-0.5, 0.7), (-0.34, 0.46)), ((-0.34, 0.46), (-0.58, 0.23)), ((-0.58, 0.23), (-0.48, 0.06))]
    spans += [((0.5, 0.7), (0.36, 0.48)), ((0.36, 0.48), (0.5, 0.25)), ((0.5, 0.25), (0.6, 0.06))]
    names = [f"{side}_{part}" for side in ("back", "front") for part in ("thigh", "shin", "foot")]
    for k, (name, (top, end)) in enumerate(zip(names, spans)):
        parent = "torso" if k % 3 == 0 else names[k - 1]
        capsule_body(b, name, (top[0], 0, top[1]), (end[0], 0, end[1]), mass=(1.8, 1.6, 1.1, 1.6, 1.4, 1.0)[k])
        b.joint(
            name, "revolute", parent, name, point=(top[0], 0, top[1]), axis=SIDE,
            spring=(springs[k], 0.0), damping=dampers[k], limits=limits[k],
        )  # fmt: skip
        b.actuator(name, name, "effort", gear=float(CHEETAH_EFFORT[k]))
    for name, at in (("back", (-0.5, 0, 0)), ("front", (0.5, 0, 0))):
        b.shape(f"torso_{name}", "torso", "sphere", radius=0.05, position=at, friction=0.4, group=2)
    return b.build()


def capsule_body(
    b: bc.ModelBuilder, name: str, top: ArrayLike, end: ArrayLike, *, mass: float, radius: float = 0.045
) -> None:
    """A rod between two points that touches the ground with its far end."""
    a, z = np.array(top, float), np.array(end, float)
    along = z - a
    length = float(np.linalg.norm(along))
    axis = along / length
    moments = mass * (length**2 / 12 + radius**2 / 4) * (np.eye(3) - np.outer(axis, axis))
    moments += 0.5 * mass * radius**2 * np.outer(axis, axis)
    b.body(name, position=(a + z) / 2, mass=mass, inertia=moments)
    b.shape(f"{name}_end", name, "sphere", radius=radius, position=along / 2, friction=0.4, group=2)


ANT_EFFORT = 8.0
"""Effort of the ant's motors at full action [N·m]."""


def ant() -> bc.Model:
    """A round body on four legs of two joints: hips turn about the vertical, knees bend; 3 kg."""
    b = bc.ModelBuilder("ant")
    ground(b, 0.5)
    b.body("torso", position=(0, 0, 0.45), mass=1.4, sphere=0.2)
    b.shape("torso", "torso", "sphere", radius=0.2, friction=0.5, group=2)
    for k in range(4):
        way = np.array([np.cos(np.pi * (0.25 + 0.5 * k)), np.sin(np.pi * (0.25 + 0.5 * k)), 0.0])
        hip, knee = way * 0.22 + [0, 0, 0.45], way * 0.42 + [0, 0, 0.47]
        foot = way * 0.72 + [0, 0, 0.06]
        capsule_body(b, f"thigh{k}", hip, knee, mass=0.15, radius=0.05)
        capsule_body(b, f"shin{k}", knee, foot, mass=0.25, radius=0.05)
        bend = (float(-way[1]), float(way[0]), 0.0)
        b.joint(f"hip{k}", "revolute", "torso", f"thigh{k}", point=hip, axis=UP, spring=(6.0, 0.0), damping=0.5)
        b.joint(f"knee{k}", "revolute", f"thigh{k}", f"shin{k}", point=knee, axis=bend, spring=(20.0, 0.0), damping=0.8)
        b.actuator(f"hip{k}", f"hip{k}", "effort", gear=ANT_EFFORT)
        b.actuator(f"knee{k}", f"knee{k}", "effort", gear=ANT_EFFORT)
    return b.build()
