"""Trajectories through contact by iterative LQR: a box is pushed and lifted, a hopper hops, a quadruped trots.

The problems are those of Table III of Howell et al., "Dojo: a differentiable physics engine for robotics" (2022), with
robots of our own; the cost is Σ |difference to the goal|² + Σ |input|², the last state must meet the goal to 5e-3.

    python examples/gradients/optimise_trajectories.py [--only box_right] [--plot docs/images/gradients]
"""

from __future__ import annotations

import argparse

import _robots as robots
import _states as states
import numpy as np
from _ilqr import Answer, Input, Problem, Search
from _plots import Panel, plot_folder, save
from _states import Floats

import bellcrank as bc


def at_rest(model: bc.Model, shift: tuple[float, float, float] = (0, 0, 0)) -> bc.Motion:
    """All bodies as they are built, moved aside."""
    velocity = np.zeros((model.body_count, 6))
    return bc.Motion(model.body_position + shift, model.body_quat_wxyz, velocity)


def box(name: str, shift: tuple[float, float, float]) -> Problem:
    """Push a box of 1 kg to another place within 1 s, by impulses on its centre of mass [N·s]."""
    model, steps, dt = robots.box(), 10, 0.1
    return Problem(
        name,
        model,
        dt,
        start=at_rest(model),
        goal=states.repeat(at_rest(model, shift), steps + 1),
        weight=np.tile(np.repeat([1.0, 0.25, 1.0, 1.0], 3), (steps + 1, 1)),  # |δq|² = |δθ|²/4
        inputs=[Input("body_wrench", axis, 1 / dt) for axis in range(3)],
        effort=np.full(3, 1e-2),
        guess=np.zeros((steps, 3)),
        final=np.ones(12, bool),
    )


def hopper() -> Problem:
    """Hop up and sideways by (0.5, 0.5) m within 1 s; torques on the body and a force along the leg, as impulses."""
    model, steps, dt = robots.hopper(), 20, 0.05
    up, down = at_rest(model, (0.5, 0.5, 0.5)), at_rest(model, (0.5, 0.5, 0.0))
    weight = np.tile(np.repeat([1.0, 0.1 / 4, 0.01, 0.01], 3), (steps + 1, 2))
    hold = 4.18 * 9.81 * dt
    final = np.tile(np.repeat([True, False, True, False], 3), 2)
    return Problem(
        "hopper",
        model,
        dt,
        start=at_rest(model),
        goal=states.stack([up if k < 10 else down for k in range(steps + 1)]),
        weight=weight,
        inputs=[Input("body_wrench", 3, 1 / dt), Input("body_wrench", 4, 1 / dt), Input("effort", 0, -1 / dt)],
        effort=np.full(3, 1e-2),
        guess=np.tile([0.0, 0.0, hold], (steps, 1)),
        final=final,
    )


def gait(model: bc.Model, steps: int, dt: float) -> bc.Motion:
    """A trot of 0.2 m/s: feet in turn stand for ten steps and swing along half a circle of 5 cm for ten."""
    height, stride, period = 0.29, 0.05, 20
    names = bc.tree.coordinate_names(model)
    q = bc.tree.neutral(model, steps + 1)
    for k in range(steps + 1):
        q[k, :3] = [4 * stride / period * k, 0.0, height]
        for leg, (front, left) in robots.LEGS.items():
            phase = (k / period + (0.0 if front * left > 0 else 0.5)) % 1.0
            if phase < 0.5:  # stands
                x, lift = stride * (1 - 4 * phase), 0.0
            else:
                turn = 2 * np.pi * (phase - 0.5)
                x, lift = -stride * np.cos(turn), stride * np.sin(turn)
            reach = np.hypot(x, height - robots.FOOT - lift)
            bend = np.arccos(reach / (2 * robots.THIGH))
            lean = np.arctan2(-x, height - robots.FOOT - lift)
            q[k, names.index(f"{leg}_pitch")] = lean + bend
            q[k, names.index(f"{leg}_knee")] = -2 * bend
    poses = bc.tree.fk(model, q, frames=model.body_names)
    quat = np.array([[quaternion(X[:, :3]) for X in row] for row in poses])
    still = bc.Motion(poses[..., 3], quat, np.zeros((steps + 1, model.body_count, 6)))
    moved = states.apart(states.pick(still, slice(1, None)), states.pick(still, slice(0, -1)))
    velocity = moved.reshape(steps, model.body_count, 12)[..., :6] / dt
    return still._replace(velocity=np.concatenate([velocity[:1], velocity]))


def quaternion(R: np.ndarray) -> np.ndarray:
    """wxyz of a rotation matrix of less than half a turn."""
    w = 0.5 * np.sqrt(1 + np.trace(R))
    return np.array([w, *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * w))])


def servo(model: bc.Model, goal: bc.Motion, start: bc.Motion, dt: float, kappa: float) -> Floats:
    """Torques of springs of 100 N·m/rad that pull the joints along the gait: where the search begins."""
    solver = bc.InteriorPoint(kappa=kappa)
    shown, batch = bc.Batch(model), bc.Batch(model, dt=dt, solver=solver, integrator="variational")
    states.write(batch, states.repeat(start, 1))
    torques = []
    for k in range(1, len(goal.position)):
        states.write(shown, states.repeat(states.pick(goal, k), 1))
        torques.append(100.0 * (shown.joint_position[0] - batch.joint_position[0]))
        batch.effort = torques[-1]
        batch.step()
    return np.array(torques)


def quadruped() -> Problem:
    """Trot for 2 s by torques of twelve motors; at the end the trunk must be where the gait has it."""
    model, steps, dt, kappa = robots.quadruped(), 40, 0.05, 3e-4
    goal = gait(model, steps, dt)
    start = states.pick(goal, 0)._replace(velocity=np.zeros((model.body_count, 6)))
    trunk, rest = [0.3, 0.05, 0.05, *[0.01] * 9], [*[0.2 * dt] * 3, *[0.02 * dt] * 3, *[1e-4] * 6]
    weight = np.tile(np.concatenate([np.array(trunk) * dt, *[rest] * (model.body_count - 1)]), (steps + 1, 1))
    final = np.zeros(12 * model.body_count, bool)
    final[:3] = True
    return Problem(
        "quadruped",
        model,
        dt,
        start=start,
        goal=goal,
        weight=weight,
        inputs=[Input("effort", k) for k in range(model.actuator_count)],
        effort=np.full(model.actuator_count, 1e-2 * dt * 1e-2),
        guess=servo(model, goal, start, dt, kappa),
        final=final,
        kappa=kappa,
    )


PROBLEMS = {
    "box_right": lambda: box("box right", (1.0, 0.0, 0.0)),
    "box_up": lambda: box("box up", (0.0, 0.0, 1.0)),
    "hopper": hopper,
    "quadruped": quadruped,
}


def report(problem: Problem, answer: Answer) -> None:
    print(
        f"{problem.name:10}: cost {answer.cost:8.3g}, end off by {answer.violation:.1e}, "
        f"{answer.iterations} iterations, {answer.seconds:.1f} s"
    )
    assert answer.violation < problem.tolerance, f"{problem.name}: the end is not met"


def plots(answers: dict[str, tuple[Problem, Answer]]) -> list[Panel]:
    search = Panel("search", "iteration", "end off by", log=True)
    panels = [search]
    for problem, answer in answers.values():
        search.add(problem.name, np.arange(len(answer.history)) + 1, [max(v, 1e-8) for _, v in answer.history])
        time = np.arange(len(answer.trajectory.position)) * problem.dt
        panel = Panel(problem.name, "time [s]", "position [m]")
        for axis, name in enumerate("xyz"):
            panel.add(name, time, answer.trajectory.position[:, 0, axis])
        panel.add("goal", time[[-1] * 3], problem.goal.position[-1, 0], "dots")
        panels.append(panel)
    return panels


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=sorted(PROBLEMS))
    arguments, folder = plot_folder(parser)
    answers = {}
    for name, make in PROBLEMS.items():
        if arguments.only in (None, name):
            problem = make()
            answer = Search(problem).run()
            report(problem, answer)
            answers[name] = (problem, answer)
    if folder:
        save(folder / "trajectories.svg", plots(answers))


if __name__ == "__main__":
    main()
