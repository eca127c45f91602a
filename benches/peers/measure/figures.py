"""Records looked at: who is how much faster, who is how exact, and how numbers are written."""

from __future__ import annotations

import statistics
from typing import Any

from .turns import ratios

Record = dict[str, Any]


class Scene:
    """All records of one scene."""

    def __init__(self, name: str, records: list[Record]) -> None:
        self.name = name
        self.records = [record for record in records if record["scene"] == name]

    def of(self, who: str) -> Record | None:
        return next((record for record in self.records if record["who"] == who and record["rates"]), None)

    def ours(self) -> Record | None:
        """Our default on lanes: in f32, or in f64 where that fails."""
        return self.of("Bellcrank f32") or self.of("Bellcrank f64")

    def peers(self, name: str) -> list[Record]:
        """Those of a peer that worked; motions that left the numbers do not count as work."""
        return [r for r in self.records if r["who"].startswith(name) and r["rates"] and r.get("finite", True)]

    def fastest(self, name: str) -> Record | None:
        return max(self.peers(name), key=lambda r: statistics.median(r["rates"]), default=None)

    def most_exact(self, name: str, what: str) -> float | None:
        return min((r[what] for r in self.peers(name) if what in r), default=None)

    def lead(self, ours: Record | None, peer: Record | None) -> tuple[float, float, float] | None:
        """How many times faster we are than a peer: median, least, most."""
        return ratios(ours["rates"], peer["rates"]) if ours and peer else None


def scenes(records: list[Record]) -> list[Scene]:
    return [Scene(name, records) for name in dict.fromkeys(record["scene"] for record in records)]


def rate(record: Record) -> str:
    """Median of the rounds, with the slowest and the fastest."""
    low, high = min(record["rates"]), max(record["rates"])
    return f"{count(statistics.median(record['rates']))} ({count(low)}–{count(high)})"


def count(x: float) -> str:
    """Three digits that count, in groups: 123,000 of 123,456."""
    if x <= 0:
        return "0"
    if x < 100:
        return f"{x:.3g}"
    digits = len(str(int(x)))
    return f"{round(x, 3 - digits):,.0f}"


def many(lead: tuple[float, float, float] | None) -> str:
    """A ratio with its spread."""
    if lead is None:
        return "–"
    return f"{factor(lead[0])} ({factor(lead[1])}–{factor(lead[2])})"


def factor(x: float) -> str:
    return f"{x:,.0f}" if x >= 100 else f"{x:.2g}" if x < 1 else f"{x:.1f}"


def length(x: float | None) -> str:
    """A length in the unit that suits it."""
    if x is None:
        return "–"
    for unit, size in (("m", 1.0), ("mm", 1e-3), ("µm", 1e-6), ("nm", 1e-9)):
        if x >= size:
            return f"{x / size:.2g} {unit}" if x / size < 100 else f"{x / size:.0f} {unit}"
    return "0" if x < 1e-12 else f"{x / 1e-12:.0f} pm"


def small(x: float | None) -> str:
    if x is None:
        return "–"
    return "0" if x == 0 else f"{x:.1e}"


def share(x: float | None) -> str:
    return "–" if x is None else f"{100 * x:.3g} %"
