"""The same planner on two engines: objects turned in the Allegro hand, by Bellcrank and by ``mujoco.rollout``.

    python benches/peers/plan.py wonik_allegro/right_hand.xml --trials 4 [--objects cube duck --goals yaw]

Both load the same text: the hand of MuJoCo's menagerie and an object in it (the tin has sharp edges here, and
Bellcrank's planner sees the cylinder as it is: ``bellcrank plan`` has both otherwise). MPPI with the horizon of
ComFree-Sim (256 samples of 48 steps of 4 ms, increments of at most 0.1 rad), its cost (15) with our weights, noise of
0.01 rad at eight knots with straight lines between, a temperature of a tenth of the costs' deviation, a plan every
20 ms that is in force at once, all cores. Fingers do not touch one another. Each engine is its own plant, in
steps of 1 ms, and knows its state: what is compared is the time of a plan, and whether plans reach their goal (20 mm
and 0.04 of 1 - (q*·q)², as its Table I asks). Noise is drawn by numpy for MuJoCo, by the engine for Bellcrank: the same
law, other numbers. Processor time is that of the whole process and does not see who else computes.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import mujoco.rollout
import numpy as np
from numpy.typing import NDArray

import bellcrank as bc
from bellcrank.control import Contact, Cost, Mppi, Orientation, Position, Posture

Floats = NDArray[np.float64]
SAMPLES, HORIZON, KNOTS, DT, SIGMA, LIMIT, TEMPERATURE = 256, 48, 8, 0.004, 0.01, 0.1, 0.1
PERIOD, PLANT_DT = 0.02, 0.001
PALM = np.array([-0.022, 0.0, 0.0115])
"""The lowest point of an object [m]."""
TIPS = ["ff_distal", "mf_distal", "rf_distal", "th_distal"]
FLEXED, THUMB = [0.0, 0.25, 1.6, 1.1], [0.6, 0.55, 1.0, 1.15]
HOME = {f"{finger}j{k}": q for finger in ("ff", "mf", "rf") for k, q in enumerate(FLEXED)}
HOME |= {f"thj{k}": q for k, q in enumerate(THUMB)}
ORIENTATION, POSITION, CONTACT, POSTURE, FINAL_POSITION, FINAL_ORIENTATION = 1.0, 10.0, 2.0, 0.01, 1000.0, 40.0
AT = np.linspace(0.0, HORIZON - 1.0, KNOTS)
"""When knots are [steps]."""
OBJECTS = {
    "cube": (0.030, 0.10, [0.06, 0.06, 0.06], '<geom type="box" size="0.03 0.03 0.03"'),
    "tin": (0.025, 0.10, [0.07, 0.05, 0.05], '<geom type="box" size="0.035 0.025 0.025"'),
    "cylinder": (0.032, 0.09, [0.06, 0.06, 0.064], '<geom type="cylinder" size="0.03 0.032"'),
    "duck": (
        0.026,
        0.08,
        [0.07, 0.05, 0.055],
        '<geom type="capsule" size="0.026 0.012" euler="0 90 0"',
        '<geom type="sphere" size="0.018" pos="0.022 0 0.032"',
        '<geom type="sphere" size="0.010" pos="-0.036 0 0.014"',
    ),
}
"""Height of the centre over the palm [m], mass [kg], sides of a box with that inertia [m], and geoms."""


class Trial(NamedTuple):
    """What one trial came to."""

    reached: bool
    seconds: float
    wall: list[float]
    processor: list[float]


def scene(hand: Path, name: str) -> str:
    """The hand with an object in it, and where fingertips are."""
    height, mass, sides, *geoms = OBJECTS[name]
    squares = np.square(sides)
    inertia = " ".join(f"{mass / 12.0 * (squares.sum() - x):.9f}" for x in squares)
    parts = "".join(f'{geom} friction="0.8 0.005 0.0001"/>' for geom in geoms)
    links = [f"{f}_{part}" for f in ("ff", "mf", "rf", "th") for part in ("base", "proximal", "medial", "distal")]
    bodies = ["palm", *links]
    apart = "".join(f'<exclude body1="{a}" body2="{b}"/>' for k, a in enumerate(bodies) for b in bodies[:k])
    tips = "".join(f'<framepos objtype="xbody" objname="{tip}"/>' for tip in TIPS)
    at = " ".join(str(x) for x in PALM + [0.0, 0.0, height])
    return f"""<mujoco model="{name} in hand"><include file="{hand.name}"/>
<worldbody><body name="object" pos="{at}"><freejoint/><inertial pos="0 0 0" mass="{mass}" diaginertia="{inertia}"/>
{parts}</body></worldbody><contact>{apart}</contact>
<sensor>{tips}</sensor></mujoco>"""


def turned(goal: str, seed: int) -> Floats:
    """A goal: about the vertical, or about x or y, by 60° to 90°."""
    random = np.random.default_rng(seed)
    half = 0.5 * random.choice([-1.0, 1.0]) * np.radians(random.uniform(60.0, 90.0))
    axis = 2 if goal == "yaw" else int(random.integers(2))
    return np.concatenate([[np.cos(half)], np.sin(half) * np.eye(3)[axis]])


def times(a: Floats, b: Floats) -> Floats:
    """The quaternion a b."""
    w, v, u, r = a[0], a[1:], b[0], b[1:]
    return np.concatenate([[w * u - v @ r], w * r + u * v + np.cross(v, r)])


def there(p: Floats, q: Floats, goal: tuple[Floats, Floats]) -> bool:
    return bool(np.linalg.norm(p - goal[0]) < 0.02 and 1.0 - (q @ goal[1]) ** 2 < 0.04)


class Ours:
    """Bellcrank as plant and as planner."""

    def __init__(self, file: Path, goal: str, seed: int) -> None:
        model = bc.load(str(file))
        self.plant = bc.Batch(model, dt=PLANT_DT, precision="f64", threads=1)
        assert self.plant.assemble(HOME).all()
        self.object = model.body_names.index("object")
        self.plant.target_position[0] = [HOME[joint_of(name)] for name in model.actuator_names]
        self.plant.step(600)
        p, q = (np.array(x) for x in self.pose())
        self.goal = (p, times(turned(goal, seed), q))
        cost = Cost(
            [
                Orientation("object", self.goal[1], ORIENTATION),
                Position("object", p, [POSITION] * 3),
                Contact("object", {tip: [0.0, 0.0, 0.0] for tip in TIPS}, CONTACT),
                Posture(HOME, POSTURE),
            ],
            terminal=[
                Position("object", p, FINAL_POSITION, squared=True),
                Orientation("object", self.goal[1], FINAL_ORIENTATION),
            ],
        )
        options: dict[str, Any] = {"horizon": HORIZON, "samples": SAMPLES, "sigma": SIGMA, "increment": LIMIT}
        options |= {"knots": KNOTS, "spline": "linear", "temperature": TEMPERATURE, "relative": True, "seed": seed}
        quick = bc.ComFree(sweeps=4, gap_tolerance=1e-4)
        self.planner = Mppi(self.plant, cost, dt=DT, solver=quick, threads=0, **options)

    def pose(self) -> tuple[Floats, Floats]:
        return self.plant.body_position[0, self.object], self.plant.body_quat_wxyz[0, self.object]

    def plan(self) -> None:
        self.planner.plan(PERIOD)

    def act(self) -> None:
        for row in self.planner.sequence[: round(PERIOD / DT)]:
            self.plant.target_position[0] = row
            self.plant.step(round(DT / PLANT_DT))


class Theirs:
    """MuJoCo as plant, its rollouts in the planner."""

    def __init__(self, file: Path, goal: str, seed: int, threads: int) -> None:
        self.plant, self.model = (mujoco.MjModel.from_xml_path(str(file)) for _ in range(2))
        self.plant.opt.timestep, self.model.opt.timestep = PLANT_DT, DT
        self.data = mujoco.MjData(self.plant)
        joints = {self.plant.joint(k).name: int(self.plant.jnt_qposadr[k]) for k in range(self.plant.njnt)}
        for name, angle in HOME.items():
            self.data.qpos[joints[name]] = angle
        self.joints = np.array([joints[name] for name in HOME])
        self.free = int(self.plant.jnt_qposadr[self.plant.body("object").jntadr[0]])
        names = [self.plant.joint(self.plant.actuator_trnid[a, 0]).name for a in range(self.plant.nu)]
        self.data.ctrl[:] = [HOME[name] for name in names]
        mujoco.mj_step(self.plant, self.data, 600)
        p, q = self.pose()
        self.goal = (p, times(turned(goal, seed), q))
        self.workers = [mujoco.MjData(self.model) for _ in range(threads)]
        self.mean = np.zeros((KNOTS, self.plant.nu))
        self.random = np.random.default_rng(seed)
        self.range = self.plant.actuator_ctrlrange.T
        self.state = mujoco.mjtState.mjSTATE_FULLPHYSICS

    def pose(self) -> tuple[Floats, Floats]:
        numbers = self.data.qpos[self.free : self.free + 7].copy()
        return numbers[:3], numbers[3:]

    def controls(self, increments: Floats) -> Floats:
        """What motors are told, step after step, within their range."""
        told, last = np.empty_like(increments), np.broadcast_to(self.data.ctrl, increments[..., 0, :].shape)
        for step in range(HORIZON):
            last = np.clip(last + increments[..., step, :], *self.range)
            told[..., step, :] = last
        return told

    def plan(self) -> None:
        ahead = AT + PERIOD / DT
        self.mean = np.where(ahead[:, None] > HORIZON - 1.0, 0.0, np.tensordot(lines(ahead), self.mean, axes=1))
        noise = SIGMA * self.random.standard_normal((SAMPLES, *self.mean.shape))
        noise[0] = 0.0
        samples = np.clip(self.mean + noise, -LIMIT, LIMIT)
        start = np.empty(mujoco.mj_stateSize(self.plant, self.state))
        mujoco.mj_getState(self.plant, self.data, start, self.state)
        told = self.controls(np.einsum("tk,ska->sta", lines(np.arange(HORIZON)), samples))
        states, tips = mujoco.rollout.rollout(self.model, self.workers, start, told, persistent_pool=True)
        costs = self.costs(states[..., 1 : 1 + self.plant.nq], tips)
        weights = np.exp(-(costs - costs.min()) / (TEMPERATURE * costs[np.isfinite(costs)].std()))
        self.mean = np.tensordot(weights / weights.sum(), samples, axes=1)

    def costs(self, q: Floats, tips: Floats) -> Floats:
        p, turn = q[..., self.free : self.free + 3], q[..., self.free + 3 : self.free + 7]
        off, wrong = p - self.goal[0], 1.0 - (turn @ self.goal[1]) ** 2
        near = (tips.reshape(*tips.shape[:2], 4, 3) - p[..., None, :]) ** 2
        bent = q[..., self.joints] - np.array(list(HOME.values()))
        running = ORIENTATION * wrong + POSITION * np.abs(off).sum(-1)
        running = running + CONTACT * near.sum((-1, -2)) + POSTURE * (bent**2).sum(-1)
        end = FINAL_POSITION * (off[:, -1] ** 2).sum(-1) + FINAL_ORIENTATION * wrong[:, -1]
        total: Floats = running.sum(1) + end
        return np.where(np.isfinite(total), total, np.inf)

    def act(self) -> None:
        for row in self.controls(lines(np.arange(HORIZON)) @ self.mean)[: round(PERIOD / DT)]:
            self.data.ctrl[:] = row
            mujoco.mj_step(self.plant, self.data, round(DT / PLANT_DT))


def lines(steps: Floats) -> Floats:
    """Straight lines between knots: how much of each there is at these steps."""
    return np.stack([np.interp(steps, AT, unit) for unit in np.eye(KNOTS)], axis=1)


def joint_of(actuator: str) -> str:
    """The Allegro hand's motors are called ``ffa0`` where joints are ``ffj0``."""
    return actuator[:2] + "j" + actuator[3:]


def run(one: Ours | Theirs, limit: float) -> Trial:
    wall, processor = [], []
    for period in range(round(limit / PERIOD)):
        began, before = time.perf_counter(), time.process_time()
        one.plan()
        wall.append(time.perf_counter() - began)
        processor.append(time.process_time() - before)
        one.act()
        if there(*one.pose(), one.goal):
            return Trial(True, (period + 1) * PERIOD, wall, processor)
    return Trial(False, limit, wall, processor)


def compare(told: argparse.Namespace, name: str, goal: str) -> None:
    """Trials of an object and goal, in turn, so that both engines meet the same load."""
    with tempfile.NamedTemporaryFile("w", suffix=".xml", dir=told.hand.resolve().parent, delete=False) as text:
        text.write(scene(told.hand, name))
    file = Path(text.name)
    try:
        results: dict[str, list[Trial]] = {"bellcrank": [], "mujoco": []}
        for seed in range(told.trials):
            results["bellcrank"].append(run(Ours(file, goal, seed), told.seconds))
            results["mujoco"].append(run(Theirs(file, goal, seed, told.threads), told.seconds))
    finally:
        file.unlink()
    for engine, trials in results.items():
        wall = 1e3 * np.concatenate([trial.wall for trial in trials])
        found = {
            "scene": f"{name}_{goal}",
            "engine": engine,
            "trials": len(trials),
            "reached": sum(trial.reached for trial in trials),
            "seconds_mean": float(np.mean([trial.seconds for trial in trials])),
            "plan_ms_min": float(wall.min()),
            "plan_ms_median": float(np.median(wall)),
            "plan_cpu_ms_median": 1e3 * float(np.median(np.concatenate([trial.processor for trial in trials]))),
        }
        print(json.dumps(found) if told.json else found, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hand", type=Path, help="right_hand.xml of the Allegro hand in MuJoCo's menagerie")
    parser.add_argument("--objects", nargs="+", choices=list(OBJECTS), default=list(OBJECTS))
    parser.add_argument("--goals", nargs="+", choices=["yaw", "roll_pitch"], default=["yaw", "roll_pitch"])
    parser.add_argument("--trials", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=10.0, help="a trial ends after this time of the plant")
    parser.add_argument("--threads", type=int, default=2, help="of MuJoCo's rollouts")
    parser.add_argument("--json", action="store_true")
    told = parser.parse_args()
    for name in told.objects:
        for goal in told.goals:
            compare(told, name, goal)


if __name__ == "__main__":
    main()
