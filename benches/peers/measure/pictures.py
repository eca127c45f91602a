"""Pictures as SVG: rows of bars and curves, on axes of powers of ten."""

from __future__ import annotations

import math
from html import escape

COLORS = {
    "Bellcrank f32": "#1f6f8b",
    "Bellcrank f64": "#4aa3c0",
    "Bellcrank f64, one world": "#a5cfde",
    "MuJoCo default": "#e07a3f",
    "MuJoCo accurate": "#eda477",
    "MuJoCo fast": "#b85c27",
    "Kamino default": "#7b5ea7",
    "Kamino tuned": "#a48cc7",
    "Kamino dvi": "#5a4180",
}
OTHERS = ["#1f6f8b", "#e07a3f", "#7b5ea7", "#4f9d69", "#c44536", "#6b7280"]
WIDTH = 760.0

Points = list[tuple[float, float]]


def color(name: str, k: int) -> str:
    return COLORS.get(name, OTHERS[k % len(OTHERS)])


class Axis:
    """Powers of ten between two places of the picture."""

    def __init__(self, values: list[float], begin: float, end: float) -> None:
        logs = [math.log10(x) for x in values if x > 0]
        self.low = math.floor(min(logs)) if logs else 0
        self.high = max(math.ceil(max(logs)) if logs else 1, self.low + 1)
        self.begin, self.end = begin, end

    def at(self, x: float) -> float:
        part = (math.log10(x) - self.low) / (self.high - self.low) if x > 0 else 0.0
        return self.begin + min(max(part, 0.0), 1.0) * (self.end - self.begin)

    def ticks(self) -> list[float]:
        return [10.0**k for k in range(self.low, self.high + 1)]


def power(x: float) -> str:
    for size, end in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if x >= size:
            return f"{x / size:.0f}{end}"
    return f"{x:g}" if x >= 1e-3 else f"{x:.0e}"


def picture(height: float, title: str, content: list[str]) -> str:
    """White, so that it reads on any page."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {height:g}" font-family="sans-serif" '
        'font-size="12">\n<rect width="100%" height="100%" fill="white"/>'
    )
    return "\n".join([head, words(12, 22, title, size=15), *content, "</svg>"]) + "\n"


def words(x: float, y: float, text: str, anchor: str = "start", size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(text)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, paint: str = "#e5e7eb", wide: float = 1) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{paint}" stroke-width="{wide:g}"/>'


def legend(names: list[str], x: float, top: float) -> list[str]:
    found = []
    for k, name in enumerate(names):
        y = top + 18 * k
        found += [line(x, y, x + 16, y, color(name, k), 4), words(x + 22, y + 4, name)]
    return found


def bars(title: str, unit: str, groups: dict[str, dict[str, float]]) -> str:
    """A bar for each name in each group."""
    left, right, top, thick = 130.0, 170.0, 40.0, 9.0
    names = list(dict.fromkeys(name for group in groups.values() for name in group))
    height = top + sum(thick * len(group) + 10 for group in groups.values()) + 45
    axis = Axis([x for group in groups.values() for x in group.values()], left, WIDTH - right)
    found = []
    for tick in axis.ticks():
        x = axis.at(tick)
        found += [line(x, top, x, height - 42), words(x, height - 26, power(tick), "middle")]
    found.append(words((left + WIDTH - right) / 2, height - 8, unit, "middle"))
    y = top + 4
    for group, values in groups.items():
        found.append(words(left - 8, y + thick * len(values) / 2 + 4, group, "end"))
        for name, value in values.items():
            wide = axis.at(value) - left
            paint = color(name, names.index(name))
            found.append(
                f'<rect x="{left:g}" y="{y:.1f}" width="{wide:.1f}" height="{thick - 1:g}" fill="{paint}">'
                f"<title>{escape(name)}: {value:,.0f}</title></rect>"
            )
            y += thick
        y += 10
    return picture(height, title, found + legend(names, WIDTH - right + 14, top + 10))


def curves(title: str, axes: tuple[str, str], lines: dict[str, Points], joined: bool = True) -> str:
    """Points by name, joined to curves or not."""
    left, right, top, bottom, height = 70.0, 190.0, 40.0, 50.0, 380.0
    x = Axis([p[0] for points in lines.values() for p in points], left, WIDTH - right)
    y = Axis([p[1] for points in lines.values() for p in points], height - bottom, top)
    found = []
    for tick in x.ticks():
        found += [line(x.at(tick), top, x.at(tick), height - bottom)]
        found += [words(x.at(tick), height - bottom + 18, power(tick), "middle")]
    for tick in y.ticks():
        found += [line(left, y.at(tick), WIDTH - right, y.at(tick))]
        found += [words(left - 8, y.at(tick) + 4, power(tick), "end")]
    middle = (top + height - bottom) / 2
    found.append(words((left + WIDTH - right) / 2, height - 10, axes[0], "middle"))
    found.append(f'<g transform="rotate(-90 18 {middle})">{words(18, middle, axes[1], "middle")}</g>')
    for k, (name, points) in enumerate(lines.items()):
        path = " ".join(f"{x.at(a):.1f},{y.at(b):.1f}" for a, b in (sorted(points) if joined else []))
        found.append(f'<polyline fill="none" stroke="{color(name, k)}" stroke-width="2" points="{path}"/>')
        found += [f'<circle cx="{x.at(a):.1f}" cy="{y.at(b):.1f}" r="3" fill="{color(name, k)}"/>' for a, b in points]
    return picture(height, title, found + legend(list(lines), WIDTH - right + 14, top + 10))
