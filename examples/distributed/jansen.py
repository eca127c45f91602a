"""A better leg than Jansen's: sixteen designs, whose eleven lengths differ from his by up to two per cent.

A leg hangs on a frame and its crank makes a turn a second. A walker stands on each foot for half a turn: its gait is as
fast as the foot goes back in the lowest half turn, provided that it stays level there. Where it rises by more than
7 mm (his own rises by 7.1 mm), the speed counts for as much less. All legs are as tall as his. Four designs at a time
are different models in one batch; steps get finer from report to report, and groups in which no design is fast are
given up.

    python examples/distributed/jansen.py runs/jansen
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bellcrank as bc

Floats = NDArray[np.float64]
UNIT, LEVEL = 0.004, 0.007
"""Jansen's unit, and how much a foot may rise while it stands [m]."""
JANSEN = {
    "b": 41.5,
    "c": 39.3,
    "d": 40.1,
    "e": 55.8,
    "f": 39.4,
    "g": 36.7,
    "h": 65.7,
    "i": 49.0,
    "j": 50.0,
    "k": 61.9,
    "m": 15.0,
}
"""Lengths as Theo Jansen published them [units]."""
P = np.array([-38.0, -7.8])
"""The second hinge of the frame, seen from the crank's [units]."""
JOINTS = {
    "crank": (None, "m", "O"),
    "upper_hinge": (None, "upper", "P"),
    "inner_hinge": (None, "c", "P"),
    "upper_crank_pin": ("m", "j", "C"),
    "lower_crank_pin": ("m", "k", "C"),
    "top_pin": ("j", "upper", "T"),
    "outer_pin": ("upper", "f", "D"),
    "knee_pin": ("f", "shin", "F"),
    "inner_pin": ("c", "shin", "L"),
    "lower_pin": ("k", "shin", "L"),
}
"""Predecessor (the frame for ``None``), successor and place: see ``library/jansen.rs`` for a drawing."""
LINKS = {"m": "OC", "j": "CT", "k": "CL", "c": "PL", "f": "DF", "upper": "PTD", "shin": "LFX"}
SPEED, STEPS = 2.0 * np.pi, (0.01, 0.005, 0.0025)
"""Of the crank [rad/s]; time steps, report by report [s]."""


def meet(a: Floats, ra: float, b: Floats, rb: float, side: float) -> Floats:
    """Where circles about a and b meet, left (1) or right (−1) of the way from a to b; nowhere: not numbers."""
    way = b - a
    d = float(np.hypot(*way))
    along = (d * d + ra * ra - rb * rb) / (2 * d)
    with np.errstate(invalid="ignore"):
        across = np.array([-way[1], way[0]]) * np.sqrt(ra * ra - along * along)
    found: Floats = a + (along * way + side * across) / d
    return found


def points(n: dict[str, float], angle: float = 5.75) -> dict[str, Floats]:
    """All points in the plane (x, z) [units], the crank's hinge at the origin; X is the foot."""
    C = n["m"] * np.array([np.cos(angle), np.sin(angle)])
    T, L = meet(C, n["j"], P, n["b"], -1), meet(C, n["k"], P, n["c"], 1)
    D = meet(P, n["d"], T, n["e"], 1)
    F = meet(D, n["f"], L, n["g"], -1)
    return {"O": np.zeros(2), "P": P, "C": C, "T": T, "D": D, "L": L, "F": F, "X": meet(F, n["h"], L, n["i"], -1)}


def height(n: dict[str, float]) -> float:
    """Of the crank's hinge over the lowest point of the foot's path [units]; not a number for legs that do not turn."""
    return float(-np.min([points(n, angle)["X"][1] for angle in np.linspace(0, 2 * np.pi, 90)]))


def leg(n: dict[str, float]) -> bc.Model:
    """A leg of these lengths, as tall as Jansen's."""
    unit = UNIT * height(JANSEN) / height(n)
    at = {name: unit * np.array([p[0], 0.0, p[1]]) for name, p in points(n).items()}
    builder = bc.ModelBuilder("leg")
    middle = {link: sum(at[name] for name in names) / len(names) for link, names in LINKS.items()}
    for link, names in LINKS.items():
        builder.body(link, position=middle[link], mass=0.05 * len(names), sphere=0.06)
    for name, (parent, child, place) in JOINTS.items():
        joint = bc.WORLD if parent is None else parent
        builder.joint(name, "revolute", joint, child, point=at[place], axis=(0, -1, 0), damping=1e-3)
    builder.actuator("motor", "crank", "velocity", kd=3.0)
    builder.site("foot", "shin", position=at["X"] - middle["shin"])
    return builder.build()


def gait(path: Floats, dt: float) -> dict[str, float]:
    """Of one turn of a foot ``(steps, 2)``: speed and rise in the lowest half turn [m/s, m]."""
    half = len(path) // 2
    twice = np.concatenate([path, path])
    first = int(np.argmin([twice[k : k + half, 1].mean() for k in range(len(path))]))
    stance = twice[first : first + half + 1]
    speed, rise = abs(stance[-1, 0] - stance[0, 0]) / (half * dt), float(np.ptp(stance[:, 1]))
    return {"gait_speed": speed * min(1.0, LEVEL / rise), "speed": speed, "rise_mm": 1e3 * rise}


def walk(designs: list[dict[str, float]], report: Callable[[Any], None]) -> None:
    """A turn of all designs in one batch, with finer and finer steps. Who cannot turn is as slow as can be."""
    turns = [bool(np.isfinite(height(design))) for design in designs]
    models = [leg(design if turning else JANSEN) for design, turning in zip(designs, turns)]
    for dt in STEPS:
        batch = bc.Batch(models, dt=dt, precision="f64", threads=1)
        batch.target_velocity = SPEED
        batch.step(round(0.25 / dt))  # the motor gets up to speed
        paths = []
        for _ in range(round(1.0 / dt)):
            batch.step()
            paths.append(batch.site_position[:, 0, [0, 2]].copy())
        found = [gait(path, dt) for path in np.stack(paths, axis=1)]
        lame = {"gait_speed": 0.0, "speed": 0.0, "rise_mm": 0.0}
        report([entry if turning else lame for entry, turning in zip(found, turns)])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--samples", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ray", default="auto")
    given = parser.parse_args()
    space = {name: (0.98 * length, 1.02 * length) for name, length in JANSEN.items()}
    how: dict[str, Any] = {"samples": given.samples, "seed": given.seed, "address": given.ray, "out": given.out}
    result = bc.distributed.sweep(walk, space, metric="gait_speed", together=4, rungs=3, first=[JANSEN], **how)
    print(result.markdown())
    ours = next(row for row in result.rows if row["number"] == 0)
    print(f"Jansen's {ours['gait_speed']:.4f} m/s, the best {result.best['gait_speed']:.4f} m/s")


if __name__ == "__main__":
    main()
