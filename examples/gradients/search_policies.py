"""Policies that run: augmented random search against search along gradients through the simulation.

After Table VI of Howell et al., "Dojo" (2022), with a half-cheetah and an ant of our own: linear policies, rewards cut
to [−1, 1] per step. Random search tries pairs of opposite perturbations; gradient search differentiates the return.
What counts is how many simulated steps each needs.

    python examples/gradients/search_policies.py [--long] [--plot docs/images/gradients]
"""

from __future__ import annotations

import argparse
import time

import _robots as robots
import numpy as np
from _plots import Panel, plot_folder, save
from _policies import Runner, Task
from _states import Floats

Curve = list[tuple[int, float]]
"""Simulated steps and mean return of the policy."""


def cheetah(steps: int) -> Task:
    return Task("half-cheetah", robots.cheetah(), steps)


def ant(steps: int) -> Task:
    return Task("ant", robots.ant(), steps, gain=2.0, price=0.05, alive=0.05)


def random_search(task: Task, iterations: int, seed: int, directions: int = 6) -> Curve:
    """Mania, Guy and Recht (2018): move along perturbations, weighed by what they gain over their opposites."""
    rng, noise, step = np.random.default_rng(seed), 0.03, 0.02
    runner = Runner(task, 2 * directions, seed)
    policy = 0.1 * rng.normal(size=runner.shape)
    curve: Curve = []
    for _ in range(iterations):
        along = rng.normal(size=(directions, *runner.shape))
        tried = np.concatenate([policy + noise * along, policy - noise * along])
        returns, _ = runner.run(tried)
        curve.append((runner.samples, float(returns.mean())))
        gain = returns[:directions] - returns[directions:]
        policy = policy + step / (directions * (returns.std() + 1e-9)) * np.einsum("d,dac->ac", gain, along)
    return curve


def gradient_search(task: Task, iterations: int, seed: int, worlds: int = 4) -> Curve:
    """Moves along the gradient, by the same largest change in every iteration."""
    rng = np.random.default_rng(seed)
    runner = Runner(task, worlds, seed)
    policy: Floats = 0.1 * rng.normal(size=runner.shape)
    curve: Curve = []
    for _ in range(iterations):
        mean, gradient = runner.gradient(policy)
        curve.append((runner.samples, mean))
        policy = policy + 0.03 * gradient / (np.abs(gradient).max() + 1e-12)
    return curve


def compare(task: Task, iterations: tuple[int, int], seeds: int) -> dict[str, list[Curve]]:
    curves: dict[str, list[Curve]] = {"random search": [], "gradient search": []}
    for seed in range(seeds):
        for (name, runs), search, count in zip(curves.items(), (random_search, gradient_search), iterations):
            begin = time.perf_counter()
            runs.append(search(task, count, seed))
            steps, last = runs[-1][-1]
            print(
                f"{task.name}, {name}, seed {seed}: return {runs[-1][0][1]:.1f} -> {last:.1f} "
                f"(best {max(r for _, r in runs[-1]):.1f}) in {steps} steps, {time.perf_counter() - begin:.1f} s"
            )
    return curves


WINDOW = 3
"""Iterations whose mean counts."""


def smooth(curve: Curve) -> Floats:
    """Means of neighbouring iterations; the first ends at iteration ``WINDOW``."""
    return np.convolve([value for _, value in curve], np.full(WINDOW, 1 / WINDOW), mode="valid")


def check(task: Task, curves: dict[str, list[Curve]]) -> None:
    """Along gradients a policy gets better, and gets as far as random search with fewer steps."""
    random, gradient = curves["random search"], curves["gradient search"]
    gained = [float(smooth(curve).max() - smooth(curve)[0]) for curve in gradient]
    assert max(gained) > 0.1 * task.steps, f"{task.name}: returns rose by {gained}"
    best = max(float(smooth(curve).max()) for curve in random)
    ahead = [curve for curve in gradient if smooth(curve).max() >= best]
    reached = [curve[int(np.argmax(smooth(curve) >= best)) + WINDOW - 1][0] for curve in ahead]
    spent = min(curve[-1][0] for curve in random)
    assert reached, f"{task.name}: random search got further"
    print(f"{task.name}: gradients reach what random search found in {spent} steps within {min(reached)}")
    assert min(reached) < spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="as many iterations as in the paper, on three seeds")
    arguments, folder = plot_folder(parser)
    panels = []
    for make, short, long in ((cheetah, 80, 80), (ant, 60, 150)):
        task = make(long if arguments.long else short)
        iterations = ((30, 60) if task.name == "half-cheetah" else (100, 100)) if arguments.long else (8, 10)
        curves = compare(task, iterations, seeds=3 if arguments.long else 2)
        panel = Panel(task.name, "simulated steps", "mean return")
        for name, runs in curves.items():
            for k, curve in enumerate(runs):
                panel.add(name if k == 0 else "", [s for s, _ in curve], [r for _, r in curve])
        panels.append(panel)
        check(task, curves)
    if folder:
        save(folder / "policies.svg", panels)


if __name__ == "__main__":
    main()
