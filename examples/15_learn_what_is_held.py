"""A gripper learns what it holds while it moves: mass and friction by a window of steps, told to the planner.

A finger presses a box against a pad, and a lift carries both. The planner believes in a box that is lighter and less
slippery than the true one: as soon as it may choose, it squeezes too little and the box falls. Unless it learns: every
fiftieth of a second the last 24 steps are made again, each from the state that was measured before it. What they miss
the next measurement by depends on mass and friction, through the derivatives of the step. Where the box sticks, the
lift feels its weight; where it slips, friction shows.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import bellcrank as bc

Floats = NDArray[np.float64]
DT, HORIZON, PERIOD, WINDOW = 0.005, 40, 2, 24
"""Step [s], steps that a plan looks ahead, steps from plan to plan, steps that are looked at again."""
TRUTH, GUESS = (0.40, 0.40), (0.20, 0.60)
"""Mass [kg] and friction of the box, and what the planner believes at first."""
NOISE = np.array([1e-3, 1e-3])
"""Deviation of the measured velocities of lift and box [m/s]."""
SECONDS, FIRM = 2.5, 0.15
"""How long it goes on, and how long the grip is firm at first [s]."""
KAPPA = 1e-7
"""Smoothing of contacts in derivatives [N·s·m]."""

SCENE = """<mujoco model="gripper"><option timestep="0.005"/>
<worldbody><body name="lift" pos="0 0 0.3"><joint name="rail" type="slide" axis="0 0 1"/>
<geom type="box" pos="0 0 0.08" size="0.08 0.02 0.02" mass="0.5" contype="0" conaffinity="0"/>
<geom type="box" pos="-0.045 0 0" size="0.010 0.02 0.03" mass="0.05" friction="0.001"/>
<body name="finger" pos="0.045 0 0"><joint name="finger" type="slide" axis="-1 0 0" range="-0.03 0.03"/>
<geom type="box" size="0.010 0.02 0.03" mass="0.05" friction="0.001"/></body></body>
<body name="box" pos="0 0 0.3"><freejoint/>
<geom name="box" type="box" size="0.035 0.02 0.03" mass="0.2" friction="0.8"/></body>
</worldbody>
<actuator><position name="rail" joint="rail" kp="400" kv="40"/>
<motor name="grip" joint="finger" ctrlrange="0 40" forcerange="0 40"/></actuator></mujoco>"""


class Step(NamedTuple):
    """A step of the plant as it was measured."""

    before: bc.Motion
    told: Floats
    after: bc.Motion


def measure(batch: bc.Batch) -> bc.Motion:
    return bc.Motion(
        *(batch.read(name).astype(np.float64) for name in ("body_position", "body_quat_wxyz", "body_velocity"))
    )


def tell(batch: bc.Batch, told: Floats) -> None:
    """Controls of lift and finger."""
    batch.target_position[:, 0] = told[..., 0]
    batch.effort[:, 1:] = told[..., 1:]


class Window:
    """The last steps, each a world in which it is made again."""

    def __init__(self, model: bc.Model) -> None:
        solver = bc.InteriorPoint(kappa=KAPPA, centring=1e-3)
        self.batch = bc.Batch(model, WINDOW, dt=DT, solver=solver)
        self.box = model.body_names.index("box")
        self.rows = [model.body_names.index(name) for name in ("lift", "box")]
        self.steps: deque[Step] = deque(maxlen=WINDOW)

    def identify(self, guess: Floats) -> Floats:
        """One step of Gauss and Newton in the logarithms of mass and friction, held back towards what is known."""
        steps, batch = list(self.steps), self.batch
        parts = (np.concatenate(list(part)) for part in zip(*(step.before for step in steps)))
        batch.body_position, batch.body_quat_wxyz, batch.body_velocity = parts
        tell(batch, np.stack([step.told for step in steps]))
        set_box(batch, self.box, guess)
        jacobian = batch.step_jacobian(("body_mass", "friction"), strict=False)
        report = batch.step()
        found = measure(batch).velocity
        after = np.concatenate([step.after.velocity for step in steps])
        off = (found - after)[:, self.rows, 2]
        column = [12 * body + 8 for body in self.rows]  # vertical velocities
        by_mass, by_friction = (
            jacobian["body_mass"][:, column, self.box],
            jacobian["friction"][:, column, -1],
        )
        slopes = np.stack([by_mass * guess[0], by_friction * guess[1]], axis=-1)
        off, slopes = off / NOISE, slopes / NOISE[:, None]
        fine = jacobian.converged & (report.status == bc.WorldStatus.OK)
        trust = 1.0 / np.sqrt(1.0 + (off**2).sum(1) / 25.0) * fine  # a step in which contacts change counts little
        J = np.where(fine[:, None, None], slopes, 0.0) * trust[:, None, None]
        r = np.where(fine[:, None], off, 0.0) * trust[:, None]
        H = np.einsum("wki,wkj->ij", J, J) + np.eye(2) * 100.0
        step = -np.linalg.solve(H, np.einsum("wki,wk->i", J, r))
        better: Floats = guess * np.exp(np.clip(step, -0.3, 0.3))
        return better


def set_box(batch: bc.Batch, box: int, guess: Floats) -> None:
    mass, friction = (
        batch.read("body_mass").astype(np.float64),
        batch.read("friction").astype(np.float64),
    )
    mass[:, box], friction[:, -1] = guess
    batch.write("body_mass", mass)
    batch.write("friction", friction)


def path(time: float) -> float:
    """Where the box shall be: up and down by 6 cm, with up to 4 m/s²."""
    return 0.3 + 0.06 * (1.0 - float(np.cos(8.0 * time))) / 2.0


def run(learns: bool) -> tuple[Floats, Floats]:
    """How far the box is from its path [m], and what was believed of it, by period."""
    model = bc.loads(SCENE, format="mjcf")
    plant, box = bc.Batch(model, dt=DT), model.body_names.index("box")
    set_box(plant, box, np.array(TRUTH))
    told = np.array([[0.0, 10.0]])
    tell(plant, told)
    plant.step(40)
    time = 0.0

    def cost(worlds: bc.control.Worlds) -> Floats:
        ahead = path(time + worlds.time) - worlds.body_position[:, box, 2]
        effort: Floats = 400.0 * ahead**2 + 4e-4 * worlds.control[:, 1] ** 2
        return effort

    options = {
        "horizon": HORIZON,
        "samples": 48,
        "knots": 5,
        "spline": "linear",
        "sigma": [0.02, 3.0],
    }
    planner = bc.control.Mppi(plant, cost, temperature=0.1, relative=True, needs=["body_position"], **options)
    window, guess, random = Window(model), np.array(GUESS), np.random.default_rng(0)
    planner.set_parameters(**parameters(plant, box, guess))
    off, believed = [], []
    for period in range(round(SECONDS / DT / PERIOD)):
        time = period * PERIOD * DT
        planner.plan(0.0 if period == 0 else PERIOD * DT)
        if time < FIRM:
            told[0, 0] = path(time) - path(0.0)
            planner.adopt(np.repeat(told, HORIZON, axis=0))
        for row in planner.sequence[:PERIOD]:
            tell(plant, row)
            before = measure(plant)
            plant.step()
            after = measure(plant)
            after.velocity[:, window.rows, 2] += NOISE * random.standard_normal(2)
            window.steps.append(Step(before, row, after))
        if learns and len(window.steps) == WINDOW and period % 2 == 0:
            guess = window.identify(guess)
            planner.set_parameters(**parameters(plant, box, guess))
        believed.append(guess)
        off.append(abs(path(time + PERIOD * DT) - plant.body_position[0, box, 2]))
    return np.array(off), np.array(believed)


def parameters(plant: bc.Batch, box: int, guess: Floats) -> dict[str, Floats]:
    """Those of one world, with a box of this mass and friction."""
    mass, friction = (
        np.array(plant.read("body_mass")[0]),
        np.array(plant.read("friction")[0]),
    )
    mass[box], friction[-1] = guess
    return {"body_mass": mass, "friction": friction}


def main() -> None:
    late = round(0.5 * SECONDS / DT / PERIOD)
    for learns in (False, True):
        off, believed = run(learns)
        mass, friction = np.median(believed[late:], axis=0)
        print(
            f"{'learns' if learns else 'believes'}: mass {mass:.3f} kg (is {TRUTH[0]}), friction {friction:.3f} "
            f"(is {TRUTH[1]}); off by {1e3 * off[late:].mean():.1f} mm in the second half"
        )
        if learns:
            assert abs(mass / TRUTH[0] - 1) < 0.05 and abs(friction / TRUTH[1] - 1) < 0.1
            assert off[late:].mean() < 0.01
        else:
            assert off[late:].mean() > 0.1  # it has fallen


if __name__ == "__main__":
    main()
