"""Line plots as SVG text, without any package; the colours suit light and dark pages."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional
from xml.sax.saxutils import escape

import numpy as np

COLOURS = ("#0e8a7d", "#d9822b", "#7a4fa3", "#c2455e", "#4a78b5", "#7f8c3b")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 440.0, 290.0, 62.0, 14.0, 44.0, 44.0
"""Of one panel and its margins [pixels]."""


@dataclass
class Panel:
    """One pair of axes with curves."""

    title: str
    x: str
    y: str
    log: bool = False
    """Logarithmic values."""
    equal: bool = False
    """The same scale on both axes."""
    curves: list[tuple[str, Any, Any, str]] = field(default_factory=list)

    def add(self, name: str, x: Any, y: Any, style: str = "line") -> None:
        """A curve: ``"line"``, ``"dashed"`` or ``"dots"``."""
        self.curves.append((name, np.asarray(x, float), np.asarray(y, float), style))

    def _ranges(self) -> tuple[list[float], list[float]]:
        value = np.log10 if self.log else np.asarray
        xs = np.concatenate([x for _, x, _, _ in self.curves])
        ys = np.concatenate([value(y) for _, _, y, _ in self.curves])
        ranges = []
        for numbers in (xs[np.isfinite(xs)], ys[np.isfinite(ys)]):
            low, high = float(numbers.min()), float(numbers.max())
            pad = 0.06 * (high - low) or 0.5
            ranges.append([low - pad, high + pad])
        if self.equal:
            per_pixel = max(
                (ranges[0][1] - ranges[0][0]) / (WIDTH - LEFT - RIGHT),
                (ranges[1][1] - ranges[1][0]) / (HEIGHT - TOP - BOTTOM),
            )
            for axis, pixels in zip(ranges, (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM)):
                middle, half = sum(axis) / 2, per_pixel * pixels / 2
                axis[:] = [middle - half, middle + half]
        return ranges[0], ranges[1]

    def draw(self, offset: float) -> list[str]:
        """The panel as SVG elements, moved to the right by ``offset``."""
        (x0, x1), (y0, y1) = self._ranges()

        def across(x: Any) -> Any:
            return offset + LEFT + (np.asarray(x) - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT)

        def down(y: Any) -> Any:
            return HEIGHT - BOTTOM - (np.asarray(y) - y0) / (y1 - y0) * (HEIGHT - TOP - BOTTOM)

        out = [_text(offset + LEFT, 16, self.title, "start", weight="600")]
        for x in _ticks(x0, x1):
            at = float(across(x))
            out.append(f'<path class="grid" d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
            out.append(_text(at, HEIGHT - BOTTOM + 15, f"{x:g}", "middle"))
        for y in _ticks(y0, y1, whole=self.log):
            at = float(down(y))
            out.append(f'<path class="grid" d="M{offset + LEFT} {at:.1f}H{offset + WIDTH - RIGHT}"/>')
            out.append(_text(offset + LEFT - 6, at + 4, f"1e{y:g}" if self.log else f"{y:g}", "end"))
        out.append(_text(offset + (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, self.x, "middle"))
        out.append(_text(offset + 6, TOP - 10, self.y, "start"))
        named = 0
        for k, (name, x, y, style) in enumerate(self.curves):
            colour = COLOURS[k % len(COLOURS)]
            px, py = across(x), down(np.log10(y) if self.log else y)
            out.append(_curve(px, py, colour, style))
            if name:
                out.append(_text(offset + WIDTH - RIGHT - 6, TOP + 14 + 15 * named, name, "end", fill=colour))
                named += 1
        return out


def save(path: Path, panels: Sequence[Panel]) -> None:
    """Writes panels beside each other, three to a row."""
    width, height = WIDTH * min(len(panels), 3), HEIGHT * math.ceil(len(panels) / 3)
    rows = [panels[k : k + 3] for k in range(0, len(panels), 3)]
    lines = []
    for r, row in enumerate(rows):
        lines += [f'<g transform="translate(0 {r * HEIGHT:g})">']
        lines += [line for k, panel in enumerate(row) for line in panel.draw(k * WIDTH)]
        lines += ["</g>"]
    body = "\n".join(lines)
    style = ".grid{stroke:#888;stroke-opacity:.3;fill:none}text{font:12px system-ui,sans-serif;fill:#666}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}">'
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{head}\n<style>{style}</style>\n{body}\n</svg>\n", encoding="utf-8")
    print(f"plot: {path}")


def plot_folder(parser: Optional[argparse.ArgumentParser] = None) -> tuple[argparse.Namespace, Optional[Path]]:
    """The command line: ``--plot FOLDER`` tells where plots go."""
    parser = parser or argparse.ArgumentParser()
    parser.add_argument("--plot", type=Path, metavar="FOLDER", help="write plots into this folder")
    arguments = parser.parse_args()
    return arguments, arguments.plot


def _curve(x: Any, y: Any, colour: str, style: str) -> str:
    fine = np.isfinite(x) & np.isfinite(y)
    points = [f"{a:.1f} {b:.1f}" for a, b in zip(x[fine], y[fine])]
    if style == "dots":
        dots = "".join(f"M{point}h0" for point in points)
        return f'<path d="{dots}" stroke="{colour}" stroke-width="4" stroke-linecap="round" fill="none"/>'
    dashes = ' stroke-dasharray="5 4"' if style == "dashed" else ""
    return f'<path d="M{"L".join(points)}" stroke="{colour}" stroke-width="1.8" fill="none"{dashes}/>'


def _text(x: float, y: float, text: str, anchor: str, weight: str = "", fill: str = "") -> str:
    style = (f"font-weight:{weight};" if weight else "") + (f"fill:{fill}" if fill else "")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" style="{style}">{escape(text)}</text>'


def _ticks(low: float, high: float, whole: bool = False) -> list[float]:
    """Round numbers between two."""
    step = 10 ** math.floor(math.log10((high - low) / 3))
    step *= next(f for f in (1, 2, 5, 10) if (high - low) / (f * step) <= 6)
    step = max(1.0, round(step)) if whole else step
    first = math.ceil(low / step)
    return [round(k * step, 10) for k in range(first, math.floor(high / step) + 1)]
