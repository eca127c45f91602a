"""A walk cycle onto robots with loops: paths of two feet and of the pelvis become poses, and motors track these.

The hybrid biped walks; so does a robot from a file, by its feet and pelvis: ``12_walk.py dr_legs.usda foot_l foot_r
pelvis``. Nobody balances: steps are slow enough for the robot to stand on one foot at any time.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import bellcrank as bc
from bellcrank.kinematics import Retargeted, Track, rest, retarget, tracks_of

STEPS, STEP = 6, 1.5
"""How many steps, and how long each takes [s]."""
LENGTH, LIFT, LOW = 0.15, 0.08, 0.05
"""Length of a step, height of the foot, and how low the pelvis goes, in heights of the pelvis above the feet."""
SWAY = 0.8
"""Share of the way that the pelvis goes until it is above the standing foot."""
DT, SUBSTEPS = 0.02, 5
"""Time between poses [s], and steps of the simulation in it."""


@dataclass(frozen=True)
class Walker:
    """A robot, where its legs end, and how stiff its motors are [N·m/rad]."""

    model: bc.Model
    feet: list[str]
    pelvis: str
    stiffness: float
    loop_floor: float = 0.0


def smooth(t: NDArray[np.float64]) -> NDArray[np.float64]:
    """From 0 to 1, at rest at both ends."""
    t = np.clip(t, 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def walk_cycle(walker: Walker) -> dict[str, Track]:
    """The weight goes over one foot, the other is lifted and set down ahead; the first step's time is for crouching."""
    names = [*walker.feet, walker.pelvis]
    at_rest = tracks_of(walker.model, rest(walker.model), walker.model, {name: name for name in names})
    places = np.array([at_rest[name].position[0] for name in names])
    size = places[2, 2] - places[0, 2]
    t = np.arange(0.0, STEPS + 1.0, DT / STEP) - 1.0
    ahead, lift, side = np.zeros((2, len(t))), np.zeros((2, len(t))), np.zeros(len(t))
    for step in range(STEPS):
        foot, share = step % 2, (t - step - 0.45) / 0.4
        way = 0.5 * LENGTH if step in (0, STEPS - 1) else LENGTH
        ahead[foot] += way * size * smooth(share)
        lift[foot] += LIFT * size * np.sin(np.pi * np.clip(share, 0.0, 1.0)) ** 2
        side += SWAY * places[1 - foot, 1] * (smooth((t - step) / 0.4) - smooth((t - step - 0.9) / 0.4))
    nothing = np.zeros(len(t))
    paths = [np.stack([ahead[foot], nothing, lift[foot]], axis=1) for foot in range(2)]
    paths.append(np.stack([ahead.mean(axis=0), side, -LOW * size * smooth(t + 1.0)], axis=1))
    return {
        name: Track(place + path, at_rest[name].quat_wxyz[0], foot=name != walker.pelvis)
        for name, place, path in zip(names, places, paths)
    }


def tracked(walker: Walker, motion: Retargeted) -> NDArray[np.float64]:
    """Where the pelvis goes in simulation, ``(n, 3)``."""
    batch = bc.Batch(walker.model, worlds=1, dt=DT / SUBSTEPS, precision="f64")
    batch.gain[:], batch.rate_gain[:] = walker.stiffness, 0.04 * walker.stiffness
    pelvis, places = walker.model.body_names.index(walker.pelvis), []
    for target in motion.target_position:
        batch.target_position[:] = target
        batch.step(SUBSTEPS)
        places.append(batch.body_position[0, pelvis].copy())
    return np.array(places)


def from_file(file: str, feet: list[str], pelvis: str) -> Walker:
    """A robot in a file, with ground under its feet, and motors that hold positions."""
    alone = bc.load(file)
    below = bc.Batch(alone, worlds=1).body_position[0, alone.body_names.index(feet[0])] - [0.0, 0.0, 5.0]
    sole = bc.Batch(alone, worlds=1).ray_cast(below, [0.0, 0.0, 1.0], 0).point
    builder = bc.load_builder(file, hold=True)
    builder.shape("ground", None, "plane", position=[0.0, 0.0, sole[2]], friction=0.8)
    return Walker(builder.build(), feet, pelvis, stiffness=100.0, loop_floor=1e-6)


def walk(walker: Walker) -> None:
    name = walker.model.name
    tracks = walk_cycle(walker)
    motion = retarget(walker.model, tracks, DT, contact_height=0.004, contact_speed=0.03, loop_floor=walker.loop_floor)
    standing = motion.contact.mean()
    print(f"{name}: {motion.solved.sum()} of {len(motion.q)} poses, feet stand for {standing:.0%} of the time")
    assert motion.solved.all() and 0.5 < standing < 0.95
    places, wanted = tracked(walker, motion), tracks[walker.pelvis].position
    way, asked = places[-1, 0] - places[0, 0], wanted[-1, 0] - wanted[0, 0]
    sunk = wanted[-1, 2] - places[-1, 2]
    print(f"{name}: walked {1e3 * way:.0f} of {1e3 * asked:.0f} mm in simulation, pelvis {1e3 * sunk:.0f} mm too low")
    assert way > 0.85 * asked and abs(sunk) < 0.02


def main() -> None:
    walk(Walker(bc.load("hybrid_biped"), ["left_foot", "right_foot"], "pelvis", stiffness=600.0))
    if len(sys.argv) == 5:
        walk(from_file(sys.argv[1], sys.argv[2:4], sys.argv[4]))


if __name__ == "__main__":
    main()
