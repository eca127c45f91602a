"""A walking policy in other simulations than the one it was trained in.

    python benches/sim_to_sim.py [POLICY] [--robots 200] [--seconds 20]

Runs the policy (by default the one that ships) on the hybrid biped in Bellcrank with 32 and 64 bits, with half the
time step, and in MuJoCo on the MJCF that Bellcrank exports. All are told the same commands and pushed alike.
Observations are worked out here, in numpy, from poses and velocities of the bodies: none of the code that the policy
was trained with takes part. Masses, friction and motors are those of the model. A robot has fallen when its pelvis is
lower than half its height at the start, or tilted by more than 60 degrees.

Needs the package bellcrank, and mujoco for its rows.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable

import numpy as np

import bellcrank as bc

ACTION = 0.02  # [s] between two actions
PERIOD = 0.7  # [s] of a gait cycle
REACH = 0.35  # [rad] target of a motor at an action of one
COMMANDS = np.array([[0.0, 0.4], [-0.1, 0.1], [-0.3, 0.3]])  # [m/s, m/s, rad/s] from and to
COMMAND_INTERVAL, PUSH_INTERVAL, PUSH = 5.0, 4.0, 0.3  # [s, s, m/s]


class Bellcrank:
    """Worlds of our own."""

    def __init__(self, robots: int, dt: float, precision: str) -> None:
        self.batch = bc.Batch(bc.load("hybrid_biped"), robots, dt=dt, precision=precision)
        self.steps = round(ACTION / dt)

    def step(self, targets: np.ndarray) -> None:
        """Lets the motors follow targets until the next action."""
        self.batch.target_position = targets
        self.report = self.batch.step(self.steps)

    def push(self, velocity: np.ndarray) -> None:
        """Gives all bodies of every robot some velocity more."""
        V = np.array(self.batch.body_velocity)
        V[:, :, :3] += velocity[:, None]
        self.batch.body_velocity = V

    def state(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Position, orientation (wxyz) and twist of all bodies."""
        b = self.batch
        return np.array(b.body_position), np.array(b.body_quat_wxyz), np.array(b.body_velocity)

    def gap(self) -> float:
        """How far the loops are open [m]."""
        return float(np.max(self.report.loop_gap))


class MuJoCo:
    """The same robot from our MJCF."""

    def __init__(self, robots: int, dt: float, integrator: str) -> None:
        import mujoco  # type: ignore[import-untyped]

        self.mujoco = mujoco
        robot = bc.load("hybrid_biped")
        self.model = mujoco.MjModel.from_xml_string(robot.to_mjcf().text)
        self.model.opt.timestep = dt
        self.model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
        self.data = [mujoco.MjData(self.model) for _ in range(robots)]
        for data in self.data:
            mujoco.mj_resetDataKeyframe(self.model, data, 0)
            mujoco.mj_forward(self.model, data)
        self.bodies = np.array([self.model.body(name).id for name in robot.body_names])
        self.steps = round(ACTION / dt)

    def step(self, targets: np.ndarray) -> None:
        """Lets the motors follow targets until the next action."""
        for data, target in zip(self.data, targets):
            data.ctrl[:] = target
            self.mujoco.mj_step(self.model, data, self.steps)

    def push(self, velocity: np.ndarray) -> None:
        """Gives all bodies of every robot some velocity more: joints keep theirs."""
        for data, v in zip(self.data, velocity):
            data.qvel[:3] += v

    def state(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Position, orientation (wxyz) and twist of all bodies."""
        V = np.zeros((len(self.data), len(self.bodies), 6))
        found = np.zeros(6)
        for world, data in enumerate(self.data):
            self.mujoco.mj_forward(self.model, data)
            for k, body in enumerate(self.bodies):
                self.mujoco.mj_objectVelocity(self.model, data, self.mujoco.mjtObj.mjOBJ_BODY, body, found, 0)
                V[world, k] = np.roll(found, 3)  # linear part first
        p = np.array([data.xipos[self.bodies] for data in self.data])
        return p, np.array([data.xquat[self.bodies] for data in self.data]), V

    def gap(self) -> float:
        """How far the loops are open [m]."""
        equality = self.mujoco.mjtConstraint.mjCNSTR_EQUALITY
        gaps = [np.abs(d.efc_pos[d.efc_type == equality]).max(initial=0.0) for d in self.data]
        return float(np.max(gaps))


def rotate_inverse(quat: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors of the world in the axes of bodies turned by quat (wxyz)."""
    w, u = quat[:, :1], -quat[:, 1:]
    t = 2.0 * np.cross(u, v)
    turned: np.ndarray = v + w * t + np.cross(u, t)
    return turned


def heading(quat: np.ndarray) -> np.ndarray:
    """Angle of the x axis about the world's z [rad]."""
    w, x, y, z = quat.T
    angle: np.ndarray = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return angle


class Walker:
    """What the policy sees, and what it was told; all robots at once."""

    def __init__(self, robots: int, pelvis: int) -> None:
        self.joints = bc.Batch(bc.load("hybrid_biped"), robots, precision="f64")  # turns poses into joint angles
        self.pelvis = pelvis
        self.phase = np.linspace(0.0, 1.0, robots, endpoint=False)
        self.heading = np.zeros(robots)
        self.command = np.zeros((robots, 3))
        self.actions = np.zeros((robots, 36))

    def act(self, action: np.ndarray) -> None:
        """Remembers an action and lets the clock go on."""
        self.actions = np.hstack([action, self.actions[:, :24]])
        self.phase = (self.phase + ACTION / PERIOD) % 1.0
        self.heading += self.command[:, 2] * ACTION

    def observe(self, state: tuple[np.ndarray, np.ndarray, np.ndarray]) -> np.ndarray:
        """The 94 numbers of the task."""
        p, quat, V = state
        self.joints.body_position, self.joints.body_quat_wxyz = p, quat
        q, v = quat[:, self.pelvis], V[:, self.pelvis]
        half = 0.5 * self.heading
        c, s = np.cos(half), np.sin(half)
        w, x, y, z = q.T  # (c, 0, 0, −s) times q: as seen from the commanded heading
        relative = np.stack([c * w + s * z, c * x + s * y, c * y - s * x, c * z - s * w], axis=1)
        relative *= np.where(relative[:, :1] < 0.0, -1.0, 1.0)
        error = heading(q) - self.heading
        phase = 2.0 * np.pi * self.phase
        gait = np.stack([np.sin(phase), np.cos(phase), -np.sin(phase), -np.cos(phase)], axis=1)
        down = np.tile([0.0, 0.0, -1.0], (len(q), 1))
        turned = [rotate_inverse(q, u) for u in (down, v[:, :3], v[:, 3:])]
        ahead = np.stack([np.sin(error), np.cos(error)], axis=1)
        angles = np.array(self.joints.joint_position)
        return np.hstack([relative, turned[0], ahead, turned[1], turned[2], self.command, gait, angles, self.actions])


def run(engine: Bellcrank | MuJoCo, policy: bc.learn.Policy, robots: int, seconds: float) -> dict[str, float]:
    """Walks and counts."""
    walker = Walker(robots, bc.load("hybrid_biped").body_names.index("pelvis"))
    random = np.random.default_rng(7)
    fallen = np.zeros(robots, bool)
    velocities, commands, gap = [], [], 0.0
    state = engine.state()
    stand = state[0][:, walker.pelvis, 2]
    count = round(seconds / ACTION)
    for k in range(count):
        told = (random.random(robots) * COMMAND_INTERVAL < ACTION) | (k == 0)
        walker.command[told] = random.uniform(COMMANDS[:, 0], COMMANDS[:, 1], (robots, 3))[told]
        pushed = random.random(robots) * PUSH_INTERVAL < ACTION
        angle = random.uniform(0.0, 2.0 * np.pi, robots)
        if pushed.any():
            push = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
            engine.push(PUSH * push * pushed[:, None])
            state = engine.state()
        action = np.clip(policy(walker.observe(state).astype(np.float32)), -1.0, 1.0)
        walker.act(action)
        engine.step(REACH * action)
        state = engine.state()
        gap = max(gap, engine.gap())
        q, v = state[1][:, walker.pelvis], state[2][:, walker.pelvis]
        upright = -rotate_inverse(q, np.tile([0.0, 0.0, -1.0], (robots, 1)))[:, 2]
        fallen |= (state[0][:, walker.pelvis, 2] < 0.5 * stand) | (upright < 0.5)
        c, s = np.cos(heading(q)), np.sin(heading(q))
        velocities.append(np.stack([c * v[:, 0] + s * v[:, 1], c * v[:, 1] - s * v[:, 0], v[:, 5]], axis=1))
        commands.append(walker.command.copy())
    window = round(PERIOD / ACTION)
    error = np.array(velocities)[50:] - np.array(commands)[50:]  # the first second is left out
    cycles = error[: len(error) // window * window].reshape(-1, window, robots, 3).mean(axis=1)
    forward, sideways, turn = np.abs(cycles[:, ~fallen]).mean(axis=(0, 1)) if not fallen.all() else [np.nan] * 3
    return {
        "fell_percent": 100.0 * float(fallen.mean()),
        "forward_mps": float(forward),
        "sideways_mps": float(sideways),
        "turn_radps": float(turn),
        "largest_gap_mm": 1e3 * gap,
    }


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("policy", nargs="?", default="biped_walk")
    parser.add_argument("--robots", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    policy = bc.learn.Policy.load(asked.policy)
    engines: dict[str, Callable[[int], Bellcrank | MuJoCo]] = {
        "Bellcrank f32, 4 ms": lambda n: Bellcrank(n, 0.004, "f32"),
        "Bellcrank f64, 4 ms": lambda n: Bellcrank(n, 0.004, "f64"),
        "Bellcrank f64, 2 ms": lambda n: Bellcrank(n, 0.002, "f64"),
        "MuJoCo implicitfast, 4 ms": lambda n: MuJoCo(n, 0.004, "implicitfast"),
        "MuJoCo implicitfast, 2 ms": lambda n: MuJoCo(n, 0.002, "implicitfast"),
        "MuJoCo implicitfast, 1 ms": lambda n: MuJoCo(n, 0.001, "implicitfast"),
    }
    results = {}
    for name, make in engines.items():
        results[name] = run(make(asked.robots), policy, asked.robots, asked.seconds)
        if not asked.json:
            figures = results[name].items()
            print(f"{name:28}" + "  ".join(f"{key} {value:.3g}" for key, value in figures), flush=True)
    if asked.json:
        print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
