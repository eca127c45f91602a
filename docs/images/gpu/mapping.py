#!/usr/bin/env python3
"""Draws mapping.svg beside this file: how recorded functions become kernels, and how worlds lie on a device."""

from __future__ import annotations

from pathlib import Path

INK, PALE, BLUE, GREEN, ORANGE = "#24292f", "#f6f8fa", "#cfe2f7", "#d5efdc", "#fbe3c8"
parts: list[str] = []


def box(x: float, y: float, w: float, h: float, fill: str, *lines: str) -> None:
    """A box with text in its middle, the first line bold."""
    parts.append(f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="6" fill="{fill}" stroke="{INK}"/>')
    top = y + h / 2 - 8 * (len(lines) - 1) + 4
    for n, line in enumerate(lines):
        weight = ' font-weight="600"' if n == 0 else ""
        parts.append(f'<text x="{x + w / 2}" y="{top + 16 * n}" text-anchor="middle"{weight}>{line}</text>')


def note(x: float, y: float, text: str, anchor: str = "start") -> None:
    """Plain words."""
    parts.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>')


def arrow(x1: float, y1: float, x2: float, y2: float) -> None:
    """From one box to the next."""
    parts.append(f'<path d="M{x1} {y1} L{x2} {y2}" stroke="{INK}" fill="none" marker-end="url(#tip)"/>')


def recording() -> None:
    """The upper half: from a generic function to text."""
    box(20, 40, 190, 60, BLUE, "fn rnea&lt;R: Real&gt;(…)", "the engine's own function")
    box(270, 40, 170, 60, PALE, "R = Recorded", "writes down what is done")
    box(500, 40, 150, 60, PALE, "graph", "each operation once")
    arrow(210, 70, 268, 70)
    arrow(440, 70, 498, 70)
    for y, name, words in ((10, "CUDA C", "bits as on the processor"), (60, "WGSL", "good to rounding")):
        box(720, y, 200, 42, GREEN, name, words)
    box(720, 110, 200, 42, GREEN, "interpreter", "judges both, in tests")
    for y in (31, 81, 131):
        arrow(650, 70, 718, y)


def straight() -> None:
    """The lower left: a kernel of one piece."""
    note(20, 200, "In one piece (tree operators): a thread computes a world.")
    for k, name in enumerate(("q₀", "q₁", "q₂", "τ₀")):
        note(32, 239 + 26 * k, name)
        for w in range(8):
            fill = ORANGE if w == 2 else PALE
            parts.append(f'<rect x="{60 + 44 * w}" y="{222 + 26 * k}" width="44" height="24" fill="{fill}" stroke="{INK}"/>')
    for w in range(8):
        note(82 + 44 * w, 342, f"w{w}" if w < 7 else "…", "middle")
    note(20, 366, "number k of world w stands at k · worlds + w")


def table() -> None:
    """The lower right: a kernel that reads a table."""
    note(500, 200, "By a table (factor, solves): one kernel for all models.")
    lines = ("factor_diagonal  D₀", "divide_right  B₀ D₀", "subtract_square  D₁ B₀", "forward_diagonal  x₀ D₀", "…")
    for n, line in enumerate(lines):
        fill = ORANGE if n == 1 else PALE
        parts.append(f'<rect x="500" y="{222 + 24 * n}" width="190" height="24" fill="{fill}" stroke="{INK}"/>')
        note(510, 239 + 24 * n, line)
    box(740, 222, 180, 120, PALE, "all threads", "read the same line,", "do the same operation", "each on its own world")
    arrow(692, 258, 738, 270)
    note(500, 366, "a model is a list of lines (operation, places)")


def main() -> None:
    recording()
    straight()
    table()
    head = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 940 384" font-family="system-ui, sans-serif" '
        f'font-size="13" fill="{INK}"><defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
        'markerHeight="8" orient="auto"><path d="M0 0 L8 4 L0 8 z"/></marker></defs>'
        '<rect width="940" height="384" fill="white"/>'
    )
    Path(__file__).with_suffix(".svg").write_text(head + "\n".join(["", *parts, "</svg>", ""]))


if __name__ == "__main__":
    main()
