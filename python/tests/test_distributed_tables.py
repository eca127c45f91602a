"""Maps and sweeps: every world once, whatever happens in between; designs in a table."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.distributed.sweeping import drawn
from bellcrank.errors import NotInstalled, RunExists, WrongShape, WrongValue

EXAMPLES = Path(__file__).parents[2] / "examples" / "distributed"
WORLDS = 6000


@pytest.fixture(scope="module")
def ray(away: None) -> Iterator[Any]:
    module = pytest.importorskip("ray", reason="ray is not installed")
    module.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="warning")
    yield module
    module.shutdown()


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def turned() -> Any:
    """Made here, so that other processes get it by value."""

    def work(batch: bc.Batch, piece: bc.distributed.Piece) -> dict[str, Any]:
        angle = piece.uniform("angle", -0.5, 0.5)
        closed = batch.assemble({"crank_hinge": angle})
        return {"angle": angle, "closed": closed, "joints": batch.joint_position, "given": piece.inputs["x"]}

    return work


def test_a_map_that_was_killed_goes_on_without_a_lost_or_doubled_row(ray: Any, tmp_path: Path) -> None:
    """kill −9 when a third is done; the rows are those of a run in pieces of another size."""
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    example, rows = str(EXAMPLES / "tolerances.py"), tmp_path / "rows"
    more = ["--worlds", str(WORLDS), "--piece", "64", "--ray", ray.get_runtime_context().gcs_address]
    first = subprocess.Popen([sys.executable, example, str(rows), *more])
    end = time.monotonic() + 60.0
    while len(list(rows.glob("part-*.parquet"))) < 30 and time.monotonic() < end:
        time.sleep(0.01)
    first.send_signal(signal.SIGKILL)
    first.wait()
    before = {file.name: file.stat().st_mtime_ns for file in rows.glob("part-*.parquet")}
    assert 30 <= len(before) < 94
    done = subprocess.run(
        [sys.executable, example, str(rows), *more], check=True, capture_output=True, text=True, timeout=120
    )
    assert f"{WORLDS:,} linkages" in done.stdout
    import pyarrow.parquet as parquet

    table = parquet.read_table(sorted(rows.glob("part-*.parquet")))
    assert (table.column("world").to_numpy() == np.arange(WORLDS)).all()
    kept = [name for name, at in before.items() if (rows / name).stat().st_mtime_ns == at]
    assert len(kept) > 0.8 * len(before)  # what was done was not done again, but for what was under way
    tolerances = load("tolerances")
    piece = bc.distributed.Piece(3200, 160, 1)
    alone = tolerances.work(bc.Batch(bc.load("four_bar"), worlds=160, precision="f64"), piece)
    assert (np.stack(table.column("rocker").to_numpy()[3200:3360]) == alone["rocker"]).all()


def test_columns_go_in_and_a_dataset_comes_out(ray: Any, tmp_path: Path) -> None:
    model, x, work = bc.load("four_bar"), np.arange(500.0), turned()
    stream = bc.distributed.map(model, {"x": x}, work, piece=128, progress=False)
    streamed = {row["world"]: (row["given"], row["angle"]) for row in stream.iter_rows()}
    told: list[int] = []
    rows = bc.distributed.map(
        model, {"x": x}, work, piece=200, out=tmp_path, progress=lambda done, _: told.append(done)
    )
    table = rows.table(["world", "given", "angle", "joints"])
    assert table.column("given").to_numpy().tolist() == x.tolist() and sorted(told)[-1] == 500
    assert streamed == {int(w): (g, a) for w, g, a in zip(*(table.column(k).to_numpy() for k in range(3)))}
    assert rows.dataset().count() == 500
    again = bc.distributed.map(model, {"x": x}, work, piece=200, out=tmp_path)
    assert again.done_before == 3
    with pytest.raises(RunExists, match="differs in inputs"):
        bc.distributed.map(model, {"x": x + 1.0}, work, piece=200, out=tmp_path)
    with pytest.raises(WrongShape, match=r"\[2, 3\] rows"):
        bc.distributed.map(model, {"x": [1, 2], "y": [1, 2, 3]}, work)


def test_random_numbers_go_by_the_world(tmp_path: Path) -> None:
    """10,000 numbers: the mean of uniform ones has the deviation 1/√(12·10⁴) = 0.003, that of normal ones 0.01; five
    of each.
    """
    whole, part = bc.distributed.Piece(0, 10_000, 7), bc.distributed.Piece(4000, 50, 7)
    for draw in ("uniform", "normal"):
        numbers = getattr(whole, draw)("anchors", width=3)
        assert (numbers[4000:4050] == getattr(part, draw)("anchors", width=3)).all()
        assert (getattr(whole, draw)("others", width=3) != numbers).all()
        assert np.abs(np.corrcoef(numbers.T) - np.eye(3)).max() < 0.05
    uniform, normal = whole.uniform("a"), whole.normal("a")
    assert abs(uniform.mean() - 0.5) < 0.015 and 0.0 <= uniform.min() < uniform.max() < 1.0
    assert abs(normal.mean()) < 0.05 and abs(normal.std() - 1.0) < 0.036
    assert (bc.distributed.Piece(0, 9, 8).uniform("a") != uniform[:9]).all()


def test_a_sweep_finds_a_better_leg_than_jansens(ray: Any, tmp_path: Path) -> None:
    """Four of the sixteen designs of the guide, by four reports; its table and page are written."""
    jansen = load("jansen")
    space = {name: (0.98 * length, 1.02 * length) for name, length in jansen.JANSEN.items()}
    assert drawn(space, 16, 1)[:4] == drawn(space, 4, 1)
    wanted = drawn(space, 16, 1)[11:15]
    mine = signal.getsignal(signal.SIGINT)
    result = bc.distributed.sweep(
        jansen.walk, {"b": 41.5}, metric="gait_speed", samples=0, rungs=3, together=5, first=[jansen.JANSEN, *wanted],
        out=tmp_path,
    )  # fmt: skip
    assert signal.getsignal(signal.SIGINT) is mine  # Ctrl-C is not Tune's any more
    ours = next(row for row in result.rows if row["number"] == 0)
    assert result.best["gait_speed"] > 1.02 * ours["gait_speed"] and result.best["number"] != 0
    assert result.best["rise_mm"] < ours["rise_mm"]
    assert json.loads((tmp_path / "table.json").read_text())[0] == result.best
    assert (tmp_path / "index.html").read_text().count("<tr>") == 6
    assert len((tmp_path / "table.csv").read_text().splitlines()) == 6
    assert result.markdown().count("\n") == 7


def test_the_poor_are_given_up(ray: Any) -> None:
    """By halving: after each of four reports half of those that have come so far may go on."""

    def climb(settings: dict[str, Any], report: Any) -> None:
        for k in range(4):
            report({"height": settings["slope"] * (k + 1)})

    result = bc.distributed.sweep(
        climb, {"slope": (0.0, 1.0), "seed": [1, 2]}, metric="height", samples=4, rungs=4, cpus=2.0
    )
    assert [row["number"] for row in result.rows[:1]] == [max(result.rows, key=lambda row: row["slope"])["number"]]
    assert result.best["reports"] == 4 and "given up" in {row["state"] for row in result.rows}
    with pytest.raises(WrongValue, match="mode is 'most'"):
        bc.distributed.sweep(climb, {"slope": 1.0}, metric="height", mode="most")


def test_without_ray_maps_and_sweeps_name_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("ray", "pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(NotInstalled, match="pyarrow") as told:
        bc.distributed.map(bc.load("four_bar"), 16, turned())
    assert told.value.hint == 'pip install "bellcrank[ray]"'
    with pytest.raises(NotInstalled, match="needs ray"):
        bc.distributed.sweep(lambda *_: None, {"x": (0.0, 1.0)}, metric="x")


def test_processes_without_ray_have_seeds_apart() -> None:
    """As Slurm and torchrun start them; one of one needs no torch."""
    processes = load("processes")
    assert len({processes.seed_of(rank) for rank in range(100)}) == 100
    environment = {**os.environ, "SLURM_PROCID": "0", "SLURM_NTASKS": "1"}
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "processes.py")], env=environment, check=True, capture_output=True, text=True
    )
    assert done.stdout.count("on 1 × 128 worlds") == 3
