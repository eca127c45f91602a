"""Some worlds of very many: their numbers, their inputs, and chance that goes by their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bellcrank.distributed._ray import needed
from bellcrank.errors import WrongShape, WrongType, WrongValue

_STEP = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Piece:
    """Worlds ``first`` to ``first + rows`` of all."""

    first: int
    rows: int
    seed: int
    inputs: Mapping[str, Any] = field(default_factory=dict)
    """Their rows of the columns that were given."""

    @property
    def worlds(self) -> NDArray[np.int64]:
        """Their numbers among all."""
        return np.arange(self.first, self.first + self.rows, dtype=np.int64)

    def uniform(self, name: str, low: Any = 0.0, high: Any = 1.0, width: int = 1) -> NDArray[np.float64]:
        """``(rows, width)`` random numbers, or ``(rows,)`` for a width of one. The same name gives the same numbers
        to a world, in whatever piece it is.
        """
        numbers: NDArray[np.float64] = low + (high - np.asarray(low)) * self._unit(name, width)
        return numbers[:, 0] if width == 1 else numbers

    def normal(self, name: str, mean: Any = 0.0, deviation: Any = 1.0, width: int = 1) -> NDArray[np.float64]:
        """The same with a normal distribution (Box and Muller)."""
        unit = self._unit(name, 2 * width)
        radius = np.sqrt(-2.0 * np.log1p(-unit[:, :width]))
        numbers: NDArray[np.float64] = mean + deviation * radius * np.cos(2.0 * np.pi * unit[:, width:])
        return numbers[:, 0] if width == 1 else numbers

    def _unit(self, name: str, width: int) -> NDArray[np.float64]:
        """Within [0, 1): a hash of seed, name, world and column (SplitMix64)."""
        with np.errstate(over="ignore"):
            state = _mix(np.array([self.seed], np.uint64))
            for letter in name.encode():
                state = _mix(state ^ np.uint64(letter))
            rows = _mix(state ^ _mix(self.worlds.astype(np.uint64)))[:, None]
            bits = _mix(rows + np.arange(1, width + 1, dtype=np.uint64) * _STEP)
        unit: NDArray[np.float64] = (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return unit


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    x = x + _STEP
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[np.uint64] = x ^ (x >> np.uint64(31))
    return mixed


def table_of(columns: Mapping[str, Any], piece: Piece) -> Any:
    """Columns as an Arrow table, with the worlds' numbers first."""
    arrow = needed("pyarrow", "map")
    if not isinstance(columns, Mapping) or not columns:
        raise WrongType(f"work must give columns by name, not {type(columns).__name__}")
    if "world" in columns:
        raise WrongValue("a column must not be called 'world': that is the worlds' numbers")
    arrays = {"world": arrow.array(piece.worlds)}
    for name, given in columns.items():
        values = np.asarray(given)
        if values.ndim == 0 or values.shape[0] != piece.rows:
            raise WrongShape(f"column {name!r} has the shape {values.shape}, expected: ({piece.rows}, …)")
        flat = arrow.array(np.ascontiguousarray(values).reshape(-1))
        width = int(np.prod(values.shape[1:]))
        arrays[name] = flat if values.ndim == 1 else arrow.FixedSizeListArray.from_arrays(flat, width)
    return arrow.table(arrays)
