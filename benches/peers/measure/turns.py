"""Contestants in turns, round after round: whatever else the machine does, it does to all of them."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .process import Failed


@dataclass
class Entry:
    """One contestant on one scene."""

    scene: str
    name: str
    measure: Callable[[], float]
    """One round: how much work a second of processor time does."""
    look: Callable[[], dict[str, Any]] | None = None
    """How exact the result is; asked once, before the rounds."""
    rates: list[float] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    failure: str = ""

    def record(self) -> dict[str, Any]:
        return {"scene": self.scene, "who": self.name, "rates": self.rates, "failure": self.failure, **self.facts}


@dataclass
class Sheet:
    """One run of a program that gives many figures. It runs anew when a figure is asked for the second time: each is
    asked for once in a round."""

    run: Callable[[], dict[str, Any]]
    values: dict[str, Any] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)

    def figure(self, key: str) -> Any:
        if key in self.asked or not self.values:
            self.values, self.asked = self.run(), set()
        self.asked.add(key)
        if key not in self.values:
            raise Failed(f"no figure of {key}")
        return self.values[key]


def take_turns(entries: list[Entry], rounds: int) -> list[dict[str, Any]]:
    """Looks at everybody once, then measures everybody once in each round. A failure is kept, the rest goes on."""
    scenes = list(dict.fromkeys(entry.scene for entry in entries))
    begin = time.monotonic()
    for turn in range(-1, rounds):
        for scene in scenes:
            passed = time.monotonic() - begin
            say(f"{passed:5.0f} s  {f'round {turn + 1} of {rounds}' if turn >= 0 else 'accuracy'}: {scene}")
            for entry in entries:
                if entry.scene == scene and not entry.failure:
                    attempt(entry, turn)
    return [entry.record() for entry in entries]


def attempt(entry: Entry, turn: int) -> None:
    try:
        if turn >= 0:
            entry.rates.append(entry.measure())
        elif entry.look is not None:
            entry.facts = entry.look()
    except Failed as why:
        entry.failure = str(why)
        say(f"         {entry.name} on {entry.scene}: {why}")


def ratios(ours: list[float], theirs: list[float]) -> tuple[float, float, float] | None:
    """How many times faster we are: median, least and most over the rounds."""
    each = sorted(a / b for a, b in zip(ours, theirs))
    return (statistics.median(each), each[0], each[-1]) if each else None


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
