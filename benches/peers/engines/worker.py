"""The other end of `measure.process.Worker`: answers questions until the pipe closes."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

MASK = (1 << 64) - 1


class Case(Protocol):
    """A scene that is loaded."""

    worlds: int
    step: int
    """How far it is; 0 at the start."""

    def order(self, step: int) -> None:
        """Tells the motors what to do from this step on."""

    def advance(self, steps: int) -> None:
        """Goes on."""

    def states(self) -> list[list[float]]:
        """All bodies of the first world, in the order of the description."""

    def figures(self) -> dict[str, Any]:
        """What the engine says of its own accuracy."""

    def throw(self, twists: list[list[float]]) -> None:
        """Gives the bodies of the first world these velocities (linear, angular) of their centres of mass."""


Loader = Callable[[dict[str, Any], str, int], Case]


def serve(load: Loader) -> None:
    """Answers questions about scenes; those that were timed once stay loaded."""
    cases: dict[tuple[str, str, int], Case] = {}
    answer_all(lambda question: respond(question, load, cases))


def answer_all(respond: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Only answers may reach the pipe: everything else that is printed goes to the log."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        try:
            with contextlib.redirect_stdout(sys.stderr):
                answer = respond(json.loads(line))
        except Exception as error:  # whatever a peer raises is its answer
            text = str(error).strip().splitlines()
            answer = {"error": f"{type(error).__name__}: {text[0] if text else ''}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def respond(question: dict[str, Any], load: Loader, cases: dict[tuple[str, str, int], Case]) -> dict[str, Any]:
    with open(question["scene"]) as file:
        scene = json.load(file)
    if question["do"] == "watch":
        return watch(scene, load(scene, question["settings"], 1))
    if question["do"] == "adrift":
        alone = {**scene, **scene["adrift"]}
        return drift(alone, load(alone, question["settings"], 1))
    key = (scene["name"], question["settings"], question["worlds"])
    if key not in cases:
        cases[key] = load(scene, question["settings"], question["worlds"])
        clock(scene, cases[key], Share(steps=question["settle"]))
    return clock(scene, cases[key], Share(seconds=question["seconds"]))


@dataclass
class Share:
    """How far to go: at least so many steps and so long."""

    steps: int = 1
    seconds: float = 0.0


def clock(scene: dict[str, Any], case: Case, share: Share) -> dict[str, Any]:
    """World-steps per second of processor time. The motion goes on from round to round."""
    used, steps, stride = 0.0, 0, scene["stride"]
    begin = case.step
    while used < share.seconds or steps < share.steps:
        case.order(begin + steps)
        before = time.process_time()
        case.advance(stride)
        used += time.process_time() - before
        steps += stride
    case.step = begin + steps
    return {"rate": steps * case.worlds / used}


def watch(scene: dict[str, Any], case: Case) -> dict[str, Any]:
    """What the first world does from its start, about a hundred times."""
    steps = round(scene["duration"] / scene["dt"])
    every = max(1, steps // 100)
    samples, figures = [case.states()], []
    for step in range(steps):
        if step % scene["stride"] == 0:
            case.order(step)
        case.advance(1)
        figures.append(case.figures())
        if (step + 1) % every == 0:
            samples.append(case.states())
    return {"samples": samples, **summary(figures)}


def drift(alone: dict[str, Any], case: Case) -> dict[str, Any]:
    """What the companion in empty space does from its start, about a hundred times; nobody gives orders."""
    case.throw(alone["twists"])
    steps = round(alone["duration"] / alone["dt"])
    every = max(1, steps // 100)
    samples = [case.states()]
    for step in range(steps):
        case.advance(1)
        if (step + 1) % every == 0:
            samples.append(case.states())
    return {"samples": samples}


def summary(figures: list[dict[str, Any]]) -> dict[str, Any]:
    """The largest residual, the mean of the rest."""
    found: dict[str, Any] = {}
    for key in figures[0]:
        values = [f[key] for f in figures]
        found[key] = max(values) if key.endswith("_max") else sum(values) / len(values)
    return found


def noise(seed: int, numbers: list[int]) -> float:
    """Between −1 and 1, the numbers that Bellcrank's command line takes for random (a hash, after SplitMix64)."""
    x = seed
    for part in numbers:
        x = (x + part + 0x9E3779B97F4A7C15) & MASK
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
        x ^= x >> 31
    return (x >> 11) / (1 << 52) - 1.0
