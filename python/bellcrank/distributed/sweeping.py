"""Many designs or settings, tried side by side through Ray Tune; the poor ones are given up early (ASHA)."""

from __future__ import annotations

import json
import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

from bellcrank._arguments import whole
from bellcrank.distributed._folder import Folder
from bellcrank.distributed._ray import connect, needed
from bellcrank.distributed._table import figure, page, plain, text_table
from bellcrank.errors import WrongType, WrongValue
from bellcrank.learn import PathLike

Settings = dict[str, Any]
Report = Callable[[Any], None]
Try = Callable[[Any, Report], Any]
TABLE = "table.json"


@dataclass(frozen=True)
class Sweep:
    """What was tried, best first: rows with ``number``, the settings, the figures, ``reports`` and ``state``."""

    rows: list[dict[str, Any]]
    metric: str
    settings: tuple[str, ...]

    @property
    def best(self) -> dict[str, Any]:
        """The first row."""
        return self.rows[0]

    def markdown(self, digits: int = 4) -> str:
        """The table, as in a page of documentation."""
        return text_table(self.rows, digits)

    def save(self, folder: PathLike) -> None:
        """Writes ``table.json``, ``table.csv``, ``index.html`` and ``figure.svg`` there."""
        place = Folder(folder)
        place.write(TABLE, json.dumps(self.rows, indent=1).encode())
        place.write("table.csv", plain(self.rows).encode())
        place.write("index.html", page(self.rows, self.metric).encode())
        place.write("figure.svg", figure(self.rows, self.metric).encode())


def sweep(
    fn: Try,
    space: Mapping[str, Any],
    *,
    metric: str,
    mode: str = "max",
    samples: int = 16,
    together: int = 1,
    rungs: int = 1,
    first: Optional[list[Settings]] = None,
    seed: int = 0,
    out: Optional[PathLike] = None,
    resume: bool = False,
    cpus: float = 1.0,
    address: str = "auto",
    tune: Optional[Mapping[str, Any]] = None,
) -> Sweep:
    """Tries ``samples`` settings drawn from a space, and gives a table of what came out.

    A space says for each name what it may be: ``(low, high)`` for a number in between, a list for one of its entries,
    a domain of Ray Tune, or a value for all. ``first`` are settings to try besides: those that one has. Seeds,
    hyperparameters and dimensions of mechanisms are all settings.

    ``fn(settings, report)`` tries them, calls ``report`` with figures by name, at most ``rungs`` times, and may give
    the last figures instead. Where it reports several times, those that are poor after as many reports as others are
    given up. With ``together`` it gets a list of so many settings and reports a list of figures: designs as different
    models in one batch, say. They are given up together, by the best of them.

    ``out`` gets a table and a page; ``resume`` goes on there. ``cpus`` are those of one call; ``tune`` are more
    arguments of ``ray.tune.TuneConfig``.
    """
    _check(fn, space, mode)
    designs = [dict(entry) for entry in first or []] + drawn(space, whole("samples", samples), seed)
    connect(address)
    groups = [list(range(k, min(k + together, len(designs)))) for k in range(0, len(designs), max(1, together))]
    os.environ.setdefault("RAY_AIR_NEW_OUTPUT", "0")  # Tune's own tables; ours comes at the end
    library, schedulers = needed("ray.tune", "sweep"), needed("ray.tune.schedulers", "sweep")
    logging.getLogger("ray.tune").setLevel(logging.WARNING)
    trial = library.with_resources(_trial(fn, designs, together > 1, (metric, mode)), {"cpu": cpus})
    halving = schedulers.ASHAScheduler(
        time_attr="training_iteration",
        metric="_score",
        mode=mode,
        max_t=max(1, rungs),
        grace_period=1,
        reduction_factor=2,
    )
    config = library.TuneConfig(
        **{"scheduler": halving if rungs > 1 else None, "reuse_actors": True, **dict(tune or {})}
    )
    storage = _storage(out)
    run = library.RunConfig(name="tune", storage_path=storage, verbose=0)
    if resume and library.Tuner.can_restore(os.path.join(storage, "tune")):
        tuner = library.Tuner.restore(
            os.path.join(storage, "tune"), trial, restart_errored=True, resume_unfinished=True
        )
    else:
        tuner = library.Tuner(
            trial, param_space={"group": library.grid_search(groups)}, tune_config=config, run_config=run
        )
    with _own_interrupts():
        grid = tuner.fit()
    found = _collected(grid, designs, (metric, mode, max(1, rungs)))
    result = Sweep(found, metric, tuple(space))
    if out is not None:
        result.save(out)
    return result


@contextmanager
def _own_interrupts() -> Iterator[None]:
    """Gives Ctrl-C back to whom it belonged: Tune takes it to end trials in order, and keeps it when it is done."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def _check(fn: Any, space: Mapping[str, Any], mode: str) -> None:
    if not callable(fn):
        raise WrongType("what is swept must be a function of settings and report")
    if mode not in ("max", "min"):
        raise WrongValue(f"mode is {mode!r}, expected: 'max' or 'min'")
    if not isinstance(space, Mapping) or not space:
        raise WrongType("a space names what may change", hint='{"crank": (0.1, 0.2), "seed": [1, 2, 3]}')


def drawn(space: Mapping[str, Any], samples: int, seed: int) -> list[Settings]:
    """Settings of a space, by chance; the same for the same seed."""
    random = np.random.default_rng(seed)

    def one(name: str, domain: Any) -> Any:
        if isinstance(domain, tuple):
            low, high = _ends(name, domain)
            return float(random.uniform(low, high))
        if isinstance(domain, list):
            return domain[int(random.integers(len(domain)))]
        if hasattr(domain, "sample"):  # of Ray Tune
            return domain.sample(random_state=np.random.RandomState(int(random.integers(2**31))))
        return domain

    return [{name: one(name, domain) for name, domain in space.items()} for _ in range(samples)]


def _ends(name: str, domain: tuple[Any, ...]) -> tuple[float, float]:
    if len(domain) != 2 or not float(domain[0]) <= float(domain[1]):
        raise WrongValue(f"{name!r} is {domain}, expected: (low, high)", hint="a list has entries to choose among")
    return float(domain[0]), float(domain[1])


def _storage(out: Optional[PathLike]) -> str:
    if out is None:
        import tempfile

        return tempfile.mkdtemp(prefix="bellcrank-sweep-")
    path = os.fspath(out)
    return path if "://" in path else str(Path(path).resolve())


def _trial(fn: Try, designs: list[Settings], several: bool, by: tuple[str, str]) -> Callable[[Settings], None]:
    """What an actor of Tune's runs: one group of designs."""
    metric, mode = by

    def trial(config: Settings) -> None:
        from ray import tune

        group, begin = config["group"], time.monotonic()

        def report(figures: Union[Mapping[str, Any], list[Mapping[str, Any]]]) -> None:
            rows = [_numbers(entry) for entry in (figures if isinstance(figures, list) else [figures])]
            if len(rows) != len(group):
                raise WrongValue(f"{len(rows)} figures were reported for {len(group)} designs")
            missing = [row for row in rows if metric not in row]
            if missing:
                raise WrongValue(f"the figures lack {metric!r}: {sorted(missing[0])}")
            scores = [row[metric] for row in rows if np.isfinite(row[metric])]
            worst = -np.inf if mode == "max" else np.inf
            score = (max if mode == "max" else min)(scores) if scores else worst
            tune.report({"_score": score, "_rows": json.dumps(rows), "_seconds": time.monotonic() - begin})

        settings = [dict(designs[k]) for k in group]
        last = fn(settings if several else settings[0], report)
        if last is not None:
            report(last)

    return trial


def _numbers(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Figures as JSON knows them."""
    return {name: value.item() if hasattr(value, "item") else value for name, value in figures.items()}


def _collected(results: Any, designs: list[Settings], by: tuple[str, str, int]) -> list[dict[str, Any]]:
    metric, mode, rungs = by
    rows = []
    for result in results:
        group = result.config["group"]
        told = result.metrics or {}
        figures = json.loads(told["_rows"]) if "_rows" in told else [{} for _ in group]
        reports = int(told.get("training_iteration", 0))
        state = "failed" if result.error is not None else "given up" if reports < rungs else "done"
        for k, entry in zip(group, figures):
            note = {"reports": reports, "state": state, "seconds": round(float(told.get("_seconds", 0.0)), 3)}
            rows.append({"number": k, **designs[k], **entry, **note})
    if all(row["state"] == "failed" for row in rows):
        first = next(result.error for result in results if result.error is not None)
        raise RuntimeError(f"every trial of the sweep failed; the first: {first}") from first
    sign = -1.0 if mode == "max" else 1.0

    def order(row: dict[str, Any]) -> tuple[bool, float]:
        value = row.get(metric, np.nan)
        return not np.isfinite(value), sign * float(value) if np.isfinite(value) else 0.0

    return sorted(rows, key=order)
