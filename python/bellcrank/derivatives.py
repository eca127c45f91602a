"""How the next step depends on state, controls and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from bellcrank import _native
from bellcrank._arrays import as_floats
from bellcrank._native import Model
from bellcrank.errors import NoSuchName, WrongShape, WrongType

Wrt = Union[str, Sequence[str]]
"""One name or several: ``"state"``, ``"control"``, ``"parameters"``, or an array's."""
Blocks = list[tuple[str, list[int]]]
"""Names and shapes of the arrays, in the order of the columns."""


class StepJacobian:
    """The Jacobian of a step in one or several worlds of a model."""

    matrix: NDArray[np.float64]
    """``(worlds, rows, columns)``"""

    def __init__(self, model: Model, blocks: Blocks, matrix: NDArray[np.float64]) -> None:
        self._model, self._blocks = model, blocks
        self.matrix = matrix

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the rows: twelve numbers per body at the end of the step, as ``"state[foot].vz"``."""
        return tuple(_native.quantity_labels(self._model, "state"))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, as ``"state[foot].vz"``, ``"effort[knee]"`` or ``"limits[knee].lower"``."""
        return tuple(label for name, _ in self._blocks for label in _native.quantity_labels(self._model, name))

    @property
    def converged(self) -> NDArray[np.bool_]:
        """``(worlds,)``: which worlds' steps converged; all, unless ``strict=False``."""
        fine: NDArray[np.bool_] = np.asarray(np.isfinite(self.matrix).all(axis=(1, 2)))
        return fine

    @property
    def wrt(self) -> tuple[str, ...]:
        """Names of the arrays that the columns belong to."""
        return tuple(name for name, _ in self._blocks)

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """The columns of one array: ``(worlds, rows, numbers of the array)``."""
        first = 0
        for known, shape in self._blocks:
            count = int(np.prod(shape))
            if known == name:
                return self.matrix[:, :, first : first + count]
            first += count
        raise NoSuchName(f"the Jacobian has no columns of {name!r}", hint=f"it has {', '.join(self.wrt)}")

    def vjp(self, cotangent: Any) -> dict[str, NDArray[np.float64]]:
        """Takes cotangents ``(worlds, bodies, 12)`` back: arrays by name, as :meth:`bellcrank.Batch.step_vjp`."""
        rows = cotangent_rows(cotangent, len(self.matrix), self._model.body_count)
        return split_columns(self._blocks, np.einsum("wr,wrc->wc", rows, self.matrix))

    def __repr__(self) -> str:
        return f"<bellcrank.StepJacobian: {self.matrix.shape}, by {', '.join(self.wrt)}>"


def wanted(wrt: Wrt) -> list[str]:
    """One name or several, as a list."""
    names = [wrt] if isinstance(wrt, str) else list(wrt)
    for name in names:
        if not isinstance(name, str):
            raise WrongType(f"wrt must be names, not {type(name).__name__}", hint='as in wrt=("state", "effort")')
    return names


def cotangent_rows(cotangent: Any, worlds: int, bodies: int) -> NDArray[np.float64]:
    """``(worlds, 12 bodies)`` from that, or from ``(worlds, bodies, 12)``."""
    rows: NDArray[np.float64] = as_floats("cotangent", cotangent, np.float64).astype(np.float64, copy=False)
    if rows.shape not in ((worlds, bodies, 12), (worlds, 12 * bodies)):
        raise WrongShape(f"cotangent has the shape {rows.shape}, expected: ({worlds}, {bodies}, 12)")
    return np.ascontiguousarray(rows.reshape(worlds, 12 * bodies))


def split_columns(blocks: Blocks, columns: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Arrays by name from the numbers of all columns beside each other, ``(worlds, columns)``."""
    arrays, first = {}, 0
    for name, shape in blocks:
        count = int(np.prod(shape))
        arrays[name] = columns[:, first : first + count].reshape(-1, *shape)
        first += count
    return arrays
