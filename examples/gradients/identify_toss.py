"""Friction and size of a cube from recorded tosses, by Gauss–Newton on the derivatives of single steps.

Each pair of neighbouring samples is a world: from the first, one step must lead to the second. The recordings are those
of Pfrommer, Halm and Posa, "ContactNets" (2020), where they are at hand (``--data``, or ../shared/data/contactnets_toss
beside this repository); their lengths are multiplied by 1.0209, which makes free fall 9.81 m/s². A twin that Bellcrank
itself has tossed, with known friction and size, is always there.

    python examples/gradients/identify_toss.py [--data FOLDER] [--pairs 400] [--plot docs/images/gradients]
"""

from __future__ import annotations

import argparse
import gzip
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

import _states as states
import numpy as np
from _plots import Panel, plot_folder, save
from _states import Floats

import bellcrank as bc

HALF, MASS, MOMENT = 0.0524, 0.37, 8.1e-4
"""Half an edge [m], mass [kg] and moment of inertia [kg·m²] of the cube, as published."""
RATE, STRIDE = 148.0, 7
"""Samples per second, and how many make a step."""
LENGTHS = 1.0209
KAPPA = 3e-7
"""Smoothing [N·s·m]: 3e-4 in units of the cube's mass and half edge."""
BESIDE = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "contactnets_toss"


@dataclass
class Tosses:
    """Recordings, one after the other."""

    name: str
    toss: Floats
    """``(samples,)`` which toss."""
    position: Floats
    quat_wxyz: Floats


def recorded(folder: Path) -> Optional[Tosses]:
    """The real tosses, where they are."""
    file = folder / "tosses.csv.gz"
    if not file.exists():
        return None
    with gzip.open(file, "rt") as lines:
        table = np.loadtxt(lines, delimiter=",", skiprows=1)
    table = table[table[:, 0] < 400]
    return Tosses("recorded tosses", table[:, 0], table[:, 2:5] * LENGTHS, table[:, 5:9])


def cube(friction: float, half: float) -> bc.Model:
    b = bc.ModelBuilder("cube")
    b.body("cube", position=(0, 0, half), mass=MASS, inertia=[MOMENT] * 3)
    b.shape("ground", bc.WORLD, "plane", friction=friction)
    b.shape("cube", "cube", "box", half=[half] * 3, friction=friction)
    return b.build()


def twin(count: int = 64, seconds: float = 0.9, friction: float = 0.205) -> Tosses:
    """Tosses of our own with random starts, stepped four times per sample, with 0.2 mm and 2 mrad of noise."""
    rng = np.random.default_rng(5)
    solver = bc.InteriorPoint(kappa=1e-9)
    batch = bc.Batch(cube(friction, HALF), count, dt=0.25 / RATE, solver=solver, integrator="variational")
    batch.body_position[:, 0] = rng.uniform([-0.1, -0.1, 0.1], [0.1, 0.1, 0.16], (count, 3))
    quat = rng.normal(size=(count, 4))
    batch.body_quat_wxyz[:, 0] = quat / np.linalg.norm(quat, axis=1, keepdims=True)
    batch.body_velocity[:, 0, :3] = rng.normal(size=(count, 3)) * [1.0, 1.0, 0.3]
    batch.body_velocity[:, 0, 3:] = rng.normal(size=(count, 3)) * 5.0
    frames = []
    for _ in range(int(seconds * RATE)):
        batch.step(4)
        state = states.read(batch)
        quat = state.quat_wxyz[:, 0] + rng.normal(size=(count, 4)) * 1e-3
        frames.append((state.position[:, 0] + rng.normal(size=(count, 3)) * 2e-4, quat))
    position, quat = (np.stack(part, axis=1).reshape(-1, part[0].shape[1]) for part in zip(*frames))
    quat /= np.linalg.norm(quat, axis=1, keepdims=True)
    return Tosses("synthetic twin", np.repeat(np.arange(count), len(frames)), position, quat)


@dataclass
class Pairs:
    """Where steps begin, and where they should lead."""

    before: bc.Motion
    after: bc.Motion


def choose(tosses: Tosses, count: int) -> Pairs:
    """Random pairs of one toss each; velocities are differences of poses over a step, as the integrator has them."""
    rng, n = np.random.default_rng(0), len(tosses.toss)
    first = np.arange(n - 2 * STRIDE)
    first = rng.permutation(first[tosses.toss[first] == tosses.toss[first + 2 * STRIDE]])[:count]
    h = STRIDE / RATE

    def pose(k: Any) -> bc.Motion:
        return bc.Motion(tosses.position[k][:, None], tosses.quat_wxyz[k][:, None], np.zeros((len(k), 1, 6)))

    def moving(k: Any) -> bc.Motion:
        now, past = pose(k), pose(k - STRIDE)
        apart = states.apart(now, past)[:, :6]
        angle = np.linalg.norm(apart[:, 3:], axis=1, keepdims=True)
        half_sine = np.where(angle > 1e-9, 2 * np.sin(angle / 2) / np.maximum(angle, 1e-9), 1.0)
        return now._replace(velocity=np.concatenate([apart[:, :3], apart[:, 3:] * half_sine], axis=1)[:, None] / h)

    return Pairs(moving(first + STRIDE), moving(first + 2 * STRIDE))


WEIGHT = np.repeat([1 / HALF, 0.5, np.sqrt(0.1) / HALF, np.sqrt(0.1)], 3)
"""Differences are weighed in units of the half edge; velocities a tenth."""
OUTLIER = 0.03
"""Squared differences above this count ever less."""


def predict(pairs: Pairs, guess: Floats, slopes: bool) -> tuple[Floats, Floats]:
    """Weighted differences ``(pairs, 12)``, and how they depend on friction and half edge ``(pairs, 12, 2)``; what is
    not a number where a step does not converge."""
    solver = bc.InteriorPoint(kappa=KAPPA, centring=1e-3)
    count = len(pairs.before.position)
    batch = bc.Batch(cube(*guess), count, dt=STRIDE / RATE, solver=solver, integrator="variational")
    states.write(batch, pairs.before)
    columns = np.zeros((count, 12, 2))
    if slopes:
        jacobian = batch.step_jacobian(("friction", "shape_size"), strict=False)
        size = jacobian["shape_size"].reshape(count, 12, 2, 3)[:, :, 1]
        columns = np.stack([jacobian["friction"].sum(-1), size.sum(-1)], axis=-1)
    fine = batch.step().status == bc.WorldStatus.OK
    off = WEIGHT * states.apart(states.read(batch), pairs.after)
    return np.where(fine[:, None], off, np.nan), WEIGHT[:, None] * columns


def both_fine(a: Floats, b: Floats) -> Any:
    """Which pairs have numbers in both: a mask."""
    return np.isfinite(a.reshape(len(a), -1)).all(1) & np.isfinite(b.reshape(len(b), -1)).all(1)


def loss_of(rest: Floats) -> float:
    """Cauchy's: a pair that is far off (a corner that hits or misses within the step) counts little."""
    return 0.5 * OUTLIER * float(np.log1p((rest**2).sum(1) / OUTLIER).mean())


def identify(pairs: Pairs, guess: Floats) -> tuple[Floats, list[tuple[float, ...]]]:
    """Gauss–Newton with Levenberg's damping; gives friction and half edge, and what was tried."""
    scale, damping = np.array([0.1, HALF]), 1e-3
    rest, columns = predict(pairs, guess, slopes=True)
    history = [(*guess, loss_of(rest[both_fine(rest, columns)]))]
    for _ in range(20):
        fine = both_fine(rest, columns)
        trust = 1 / np.sqrt(1 + (rest[fine] ** 2).sum(1) / OUTLIER)
        J = (trust[:, None, None] * columns[fine]).reshape(-1, 2) * scale
        H, g = J.T @ J, J.T @ (trust[:, None] * rest[fine]).reshape(-1)
        step = -np.linalg.solve(H + damping * np.diag(np.diag(H)), g) * scale
        tried = np.clip(guess + step, [0.01, 0.3 * HALF], [1.0, 2.0 * HALF])
        found, _ = predict(pairs, tried, slopes=False)
        fine = both_fine(rest, found)
        if loss_of(found[fine]) < loss_of(rest[fine]):
            guess, damping = tried, damping / 5
            history.append((*guess, loss_of(found[fine])))
            if np.abs(step / scale).max() < 1e-3:
                break
            rest, columns = predict(pairs, guess, slopes=True)
        elif damping > 1e6:
            break
        else:
            damping *= 10
    return guess, history


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=BESIDE, help="folder of the recorded tosses")
    parser.add_argument("--pairs", type=int, default=400, help="how many steps are compared")
    arguments, folder = plot_folder(parser)
    panels = [Panel("friction", "Gauss–Newton step", "μ"), Panel("half an edge", "Gauss–Newton step", "m")]
    both = [twin(), recorded(arguments.data)]
    if both[1] is None:
        print(f"skipped: the recorded tosses are not in {arguments.data}")
    for tosses in both:
        if tosses is None:
            continue
        begin = time.perf_counter()
        (friction, half), history = identify(choose(tosses, arguments.pairs), np.array([0.4, 1.3 * HALF]))
        seconds = time.perf_counter() - begin
        print(
            f"{tosses.name}: friction {friction:.3f}, "
            f"half an edge {1e3 * half:.2f} mm ({100 * (half / HALF - 1):+.1f} %), "
            f"loss {history[0][2]:.3f} -> {history[-1][2]:.3f}, {len(history) - 1} steps, {seconds:.1f} s"
        )
        for k, panel in enumerate(panels):
            panel.add(tosses.name, np.arange(len(history)), [entry[k] for entry in history])
        assert 0.19 < friction < 0.22
        assert abs(half / HALF - 1) < 0.03
        assert seconds < 60
    if folder:
        save(folder / "identification.svg", panels)


if __name__ == "__main__":
    main()
