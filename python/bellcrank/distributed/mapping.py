"""Millions of worlds, piece by piece, into a table: workspaces, Monte-Carlo of tolerances, identification."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import pickle
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

from bellcrank._arguments import whole
from bellcrank._native import Model
from bellcrank.batch import Batch
from bellcrank.distributed._folder import Folder
from bellcrank.distributed._pieces import Piece, table_of
from bellcrank.distributed._places import nodes
from bellcrank.distributed._progress import Bar
from bellcrank.distributed._ray import connect, needed
from bellcrank.errors import RunExists, WrongShape, WrongType, WrongValue
from bellcrank.learn import PathLike

Work = Callable[[Batch, Piece], Mapping[str, Any]]
MANIFEST = "map.json"


@dataclass(frozen=True)
class Plan:
    """What is to be done, as every machine needs it."""

    model: Model
    work: Work
    worlds: int
    piece: int
    seed: int
    settings: tuple[tuple[str, Any], ...]
    """Of the batches."""
    inputs: Optional[dict[str, Any]]
    out: Optional[str]

    @property
    def pieces(self) -> int:
        """How many."""
        return -(-self.worlds // self.piece)

    def rows(self, k: int) -> int:
        """Worlds of a piece."""
        return min(self.piece, self.worlds - k * self.piece)


@dataclass(frozen=True)
class Rows:
    """What has become of the worlds: a folder of Parquet files, one per piece, with a column ``world``."""

    path: str
    worlds: int
    pieces: int
    done_before: int
    """Pieces that were there already."""
    seconds: float

    def table(self, columns: Optional[list[str]] = None) -> Any:
        """All rows as a ``pyarrow.Table``, in the order of the worlds."""
        return needed("pyarrow.parquet", "map").read_table(self._files(), columns=columns)

    def dataset(self) -> Any:
        """All rows as a dataset of Ray, which need not fit into memory."""
        return needed("ray.data", "map").read_parquet(self._files())

    def _files(self) -> list[str]:
        folder = Folder(self.path)
        return [folder.link(name_of(k)) for k in range(self.pieces)]


def map(  # noqa: A001 - the word that its users look for
    model: Model,
    tasks: Union[int, Mapping[str, Any]],
    work: Work,
    *,
    out: Optional[PathLike] = None,
    piece: int = 4096,
    seed: int = 0,
    address: str = "auto",
    actors: Optional[int] = None,
    threads: int = 1,
    progress: Union[bool, Callable[[int, int], Any]] = True,
    **batch: Any,
) -> Any:
    """Lets ``work`` do something with very many worlds of a model, ``piece`` at a time on every machine of a cluster.

    ``tasks`` is a number of worlds, or columns with one row for each. ``work(batch, piece)`` gets a new batch with
    the worlds of a piece and gives columns with one row per world. :class:`Piece` tells it their numbers and their
    rows of ``tasks``, and draws random numbers for them; what it draws depends on the seed and on a world's number
    only. ``batch`` are arguments of :class:`bellcrank.Batch`.

    With ``out``, a folder here or where fsspec reaches, every piece becomes a Parquet file there, whole or not at
    all; the same call goes on where it was interrupted or killed, and gives :class:`Rows`. Without, it gives a
    dataset of Ray (``ray.data.Dataset``), whose rows are worked out as they are consumed. Either way only some pieces
    are in memory at a time. ``progress`` shows a bar, or is called with worlds done and all worlds.
    """
    plan = _plan(model, tasks, work, (out, piece, seed, batch))
    needed("pyarrow.parquet", "map")
    ray = connect(address)
    data = needed("ray.data", "map")
    data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.WARNING)
    crowd = actors or max(1, sum(cpus for _, cpus in nodes(ray)) // max(1, threads))
    if out is None:
        return _stream(data, plan, list(range(plan.pieces)), (crowd, threads))
    folder = Folder(out)
    done = _there(folder, plan)
    left = [k for k in range(plan.pieces) if k not in done]
    begin = time.monotonic()
    bar = Bar(plan.worlds, progress, sum(plan.rows(k) for k in done))
    if left:
        for row in _stream(data, plan, left, (crowd, threads)).iter_rows():
            bar.add(int(row["rows"]))
    bar.close()
    return Rows(folder.path, plan.worlds, plan.pieces, len(done), time.monotonic() - begin)


def _plan(model: Model, tasks: Union[int, Mapping[str, Any]], work: Work, how: tuple[Any, int, int, Any]) -> Plan:
    out, piece, seed, batch = how
    if not isinstance(model, Model):
        raise WrongType(f"a map is of a model, not of {type(model).__name__}", hint='bc.load("four_bar")')
    inputs: Optional[dict[str, Any]] = None
    if isinstance(tasks, Mapping):
        inputs = {name: np.asarray(column) for name, column in tasks.items()}
        lengths = {len(column) for column in inputs.values()}
        if len(lengths) != 1:
            raise WrongShape(f"the columns of tasks have {sorted(lengths)} rows, expected: as many each")
        worlds = lengths.pop()
    else:
        worlds = whole("tasks", tasks)
    if worlds == 0 or whole("piece", piece) == 0:
        raise WrongValue("there must be at least one world, in pieces of at least one")
    if not callable(work):
        raise WrongType("work must be a function of a batch and a piece")
    where = None if out is None else Folder(out).path if "://" in os.fspath(out) else str(Path(out).resolve())
    return Plan(model, work, worlds, piece, seed, tuple(sorted(batch.items())), inputs, where)


def name_of(piece: int) -> str:
    """Of a piece's file."""
    return f"part-{piece:07}.parquet"


class _Worker:
    """Does pieces, in an actor of Ray's."""

    def __init__(self, plan: Plan, threads: int) -> None:
        self._plan, self._threads = plan, threads

    def __call__(self, block: dict[str, Any]) -> Iterator[Any]:
        for k in block["piece"]:
            table = do_piece(self._plan, int(k), self._threads)
            if self._plan.out is None:
                yield table
            else:
                yield {"piece": np.array([k]), "rows": np.array([write_piece(self._plan, int(k), table)])}


def do_piece(plan: Plan, k: int, threads: int) -> Any:
    """The rows of a piece, as an Arrow table."""
    first, rows = k * plan.piece, plan.rows(k)
    inputs = {name: column[first : first + rows] for name, column in (plan.inputs or {}).items()}
    piece = Piece(first, rows, plan.seed, inputs)
    batch = Batch(plan.model, worlds=rows, **{"threads": threads, **dict(plan.settings)})
    return table_of(plan.work(batch, piece), piece)


def write_piece(plan: Plan, k: int, table: Any) -> int:
    """Puts a piece's file there; gives how many rows it has."""
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    sink = arrow.BufferOutputStream()
    parquet.write_table(table, sink)
    Folder(str(plan.out)).write(name_of(k), sink.getvalue().to_pybytes())
    return int(table.num_rows)


def _stream(data: Any, plan: Plan, pieces: list[int], crowd: tuple[int, int]) -> Any:
    """Pieces through the actors, as many at a time as there are."""
    actors, threads = min(crowd[0], len(pieces)), crowd[1]
    source = data.from_items([{"piece": k} for k in pieces], override_num_blocks=min(len(pieces), 1000))
    return source.map_batches(
        _Worker,
        fn_constructor_args=(plan, threads),
        batch_size=1,
        compute=data.ActorPoolStrategy(size=actors),  # who dies is replaced, and its pieces are done again
        num_cpus=threads,
    )


def _there(folder: Folder, plan: Plan) -> set[int]:
    """The pieces that are done; those of another map are not overwritten."""
    about = {
        "format": "bellcrank map 1",
        "worlds": plan.worlds,
        "piece": plan.piece,
        "seed": plan.seed,
        "model": hashlib.sha256(pickle.dumps(plan.model)).hexdigest(),
        "settings": repr(plan.settings),
        "inputs": _digest(plan.inputs),
    }
    told, names = folder.read(MANIFEST), folder.names()
    if told is None:
        if any(name.startswith("part-") for name in names):
            raise RunExists(f"{folder.path} holds other files", hint="name an empty folder")
        folder.write(MANIFEST, json.dumps(about, indent=1).encode())
        return set()
    found = json.loads(told)
    other = [name for name in about if found.get(name) != about[name]]
    if other:
        raise RunExists(f"{folder.path} holds a map that differs in {', '.join(other)}", hint="name another folder")
    for name in names:
        if name.endswith(".part"):
            folder.remove(name)  # of somebody who was killed
    present = set(names)
    return {k for k in range(plan.pieces) if name_of(k) in present}


def _digest(inputs: Optional[dict[str, Any]]) -> Optional[str]:
    if inputs is None:
        return None
    digest = hashlib.sha256()
    for name in sorted(inputs):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(inputs[name]).tobytes())
    return digest.hexdigest()
