"""Tables of results: for programs, for documentation, for a browser."""

from __future__ import annotations

import csv
import html
import io
from typing import Any


def columns(rows: list[dict[str, Any]]) -> list[str]:
    """Names in the order in which they first appear."""
    names: dict[str, None] = {}
    for row in rows:
        names.update(dict.fromkeys(row))
    return list(names)


def cell(value: Any, digits: int) -> str:
    """A number with so many digits that count; anything else as it is."""
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def plain(rows: list[dict[str, Any]]) -> str:
    """As CSV."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns(rows), restval="")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def text_table(rows: list[dict[str, Any]], digits: int) -> str:
    """As Markdown."""
    names = columns(rows)
    lines = [names, ["---"] * len(names)]
    lines += [[cell(row.get(name, ""), digits) for name in names] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


STYLE = """body { font: 15px system-ui, sans-serif; margin: 2rem; color: #222; background: #fff }
table { border-collapse: collapse } th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid #ddd }
tr:nth-child(2) { font-weight: 600 } .bar { background: #2a9d8f; height: .6rem; border-radius: 2px }"""


def page(rows: list[dict[str, Any]], metric: str) -> str:
    """As a page without script or network, with a bar for the metric."""
    names = columns(rows)
    numbers = [row[metric] for row in rows if isinstance(row.get(metric), (int, float))]
    low, high = min([0.0, *numbers]), max([0.0, *numbers])
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = []
    for row in rows:
        cells = "".join(f"<td>{html.escape(cell(row.get(name, ''), 5))}</td>" for name in names)
        value = row.get(metric)
        width = 160.0 * (value - low) / (high - low) if isinstance(value, (int, float)) and high > low else 0.0
        bar = f'<td><div class="bar" style="width: {width:.0f}px"></div></td>'
        body.append(f"<tr>{cells}{bar}</tr>")
    title = f"Sweep by {html.escape(metric)}"
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
        f"<h1>{title}</h1><table><tr>{head}<th></th></tr>{''.join(body)}</table></html>\n"
    )


def figure(rows: list[dict[str, Any]], metric: str) -> str:
    """Bars of the metric, best first, as SVG; those that were given up are pale."""
    values = [float(row[metric]) if isinstance(row.get(metric), (int, float)) else 0.0 for row in rows]
    most = max([abs(value) for value in values] + [1e-300])
    lines = []
    for k, (row, value) in enumerate(zip(rows, values)):
        y, width = 34 + 22 * k, 420.0 * abs(value) / most
        color = "#2a9d8f" if row.get("state") == "done" else "#a8dad5"
        lines.append(f'<text x="86" y="{y + 12}" text-anchor="end">design {row.get("number", k)}</text>')
        lines.append(f'<rect x="96" y="{y}" width="{width:.1f}" height="15" rx="2" fill="{color}"/>')
        lines.append(f'<text x="{102 + width:.1f}" y="{y + 12}">{html.escape(cell(value, 4))}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 {44 + 22 * len(rows)}" font-family="sans-serif" '
        f'font-size="12" fill="#222"><rect width="100%" height="100%" fill="#fff"/>'
        f'<text x="96" y="20" font-weight="bold">{html.escape(metric)}</text>{"".join(lines)}</svg>\n'
    )
