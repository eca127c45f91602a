"""Figures as curves, where matplotlib is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bellcrank.errors import BellcrankError

if TYPE_CHECKING:
    from bellcrank._native import StepReport

__all__ = ["NotInstalled", "draw_report"]

_SHOWN = (
    ("loop_gap", "loop gap [m]", True),
    ("residual", "residual", True),
    ("penetration", "penetration [m]", True),
    ("iterations", "iterations", False),
)


class NotInstalled(BellcrankError, ImportError):
    """A package that this needs is not there."""


def draw_report(report: StepReport) -> Any:
    """How worlds fare: each figure over the share of worlds that are at least as good; gives matplotlib's figure.

    The same as ``report.plot()``.
    """
    try:
        from matplotlib.figure import Figure  # slow to import, and optional
    except ImportError as error:
        told = NotInstalled("plots need matplotlib, which is not installed")
        told.hint = "pip install matplotlib"
        raise told from error
    figure = Figure(figsize=(9, 2.4), layout="constrained")
    share = 100 * (np.arange(len(report)) + 1) / max(len(report), 1)
    for axes, (name, title, logarithmic) in zip(figure.subplots(1, len(_SHOWN)), _SHOWN):
        values = np.sort(getattr(report, name))
        if logarithmic and (values > 0).any():
            axes.set_yscale("log")
            values = np.maximum(values, values[values > 0].min())  # zero has no logarithm
        axes.step(share, values, where="mid", color="#0f7f83")
        axes.set_title(title, fontsize=9)
        axes.set_xlabel("worlds [%]", fontsize=8)
        axes.tick_params(labelsize=8)
        axes.grid(color="#e6eaee")
    counts = ", ".join(f"{count} {name}" for name, count in report.status_counts().items())
    figure.suptitle(counts, fontsize=9, x=0.01, ha="left")
    return figure
