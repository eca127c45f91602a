"""Figures of a report as curves."""

from __future__ import annotations

import sys

import pytest

import bellcrank as bc
from bellcrank.plots import NotInstalled, draw_report


def test_a_report_plots_every_figure_over_all_worlds() -> None:
    pytest.importorskip("matplotlib")
    report = bc.Batch(bc.load("hybrid_biped"), worlds=12).step(3)
    figure = report.plot()
    assert len(figure.axes) == 4
    assert figure.get_suptitle() == "12 ok"
    for axes, values in zip(figure.axes, (report.loop_gap, report.residual, report.penetration, report.iterations)):
        [curve] = axes.lines
        assert len(curve.get_ydata()) == 12
        assert max(curve.get_ydata()) == pytest.approx(values.max())


def test_without_matplotlib_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(NotInstalled) as told:
        draw_report(bc.Batch(bc.load("four_bar")).step())
    assert told.value.hint == "pip install matplotlib"
    assert isinstance(told.value, ImportError)
