"""Arrays checked and handed to the engine's operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np

from bellcrank import _native
from bellcrank._arrays import FloatArray, aligned_zeros, as_floats, check_shape
from bellcrank._native import Model
from bellcrank.errors import WrongShape
from bellcrank.tree._coordinates import describe

Array = Any  # anything that numpy takes for an array of numbers
Size = Union[int, str]

Q: tuple[Size, ...] = ("coordinates",)
V: tuple[Size, ...] = ("dofs",)
M: tuple[Size, ...] = ("dofs", "dofs")
_CONFIGURATIONS = ("q", "start", "end")
"""Inputs with one number per coordinate; others have one per velocity."""


def run(
    model: Model, operator: str, outputs: Sequence[tuple[Size, ...]], options: Mapping[str, Any], **inputs: Array
) -> list[FloatArray]:
    """Checks the arrays, calls the operator, gives its results; sizes may be ``"coordinates"`` or ``"dofs"``."""
    sizes = describe(model).sizes

    def resolve(shape: tuple[Size, ...]) -> tuple[int, ...]:
        return tuple(sizes[n] if isinstance(n, str) else n for n in shape)

    def tail(name: str) -> tuple[int, ...]:
        if name == "external":
            return (len(options["frames"]), 6)
        return resolve(Q if name in _CONFIGURATIONS else V)

    given = {name: np.asarray(value) for name, value in inputs.items()}
    dtype = np.float32 if all(array.dtype == np.float32 for array in given.values()) else np.float64
    arrays = {name: as_floats(name, array, dtype) for name, array in given.items()}
    first_name, first = next(iter(arrays.items()))
    alone = first.ndim == len(tail(first_name))
    states: Size = 1 if alone else (first.shape[0] if first.ndim else "batch")
    for name, array in arrays.items():
        check_shape(name, array, tail(name) if alone else (states, *tail(name)))
    if not isinstance(states, int):
        raise WrongShape(f"{first_name} has no rows")
    results = [aligned_zeros((states, *resolve(shape)), dtype) for shape in outputs]
    _native.tree_run(model, operator, list(arrays.values()), list(results), {**options, "states": states})
    return [result[0] for result in results] if alone else results
