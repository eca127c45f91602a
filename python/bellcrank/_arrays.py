"""Arrays: aligned memory, and checks whose messages say what was expected."""

from __future__ import annotations

from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from bellcrank.errors import WrongShape, WrongType

FloatArray = NDArray[Union[np.float32, np.float64]]

ALIGNMENT = 64
"""[bytes] JAX takes arrays without copying only where they begin at a multiple of this."""


def aligned_zeros(shape: tuple[int, ...], dtype: Any) -> FloatArray:
    """An array of zeros that begins at a multiple of :data:`ALIGNMENT`."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    memory = np.zeros(count + ALIGNMENT, dtype=np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    array: FloatArray = memory[start : start + count].view(dtype).reshape(shape)
    return array


class ReadOnly(np.ndarray[Any, np.dtype[Any]]):
    """An array that follows the engine and cannot be written. What is computed from it is an ordinary array.

    DLPack has no way to say "read only" to all who take arrays (JAX refuses them), so that they are given the memory
    itself: do not write there.
    """

    def __dlpack__(self, **options: Any) -> Any:
        if isinstance(self.base, np.ndarray) and self.base.shape == self.shape:
            return self.base.__dlpack__(**options)
        return super().__dlpack__(**options)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if return_scalar else np.asarray(array)


def read_only(array: FloatArray) -> ReadOnly:
    """The same memory, not to be written; the array lives as long as it does."""
    view: ReadOnly = ReadOnly(array.shape, array.dtype, array)  # the buffer is the array itself
    view.flags.writeable = False
    return view


def as_floats(what: str, value: Any, dtype: Any = None) -> FloatArray:
    """A C-contiguous array of float32 (where it is that already) or float64."""
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        raise WrongType(f"{what} must be real numbers, not {array.dtype}")
    wanted = dtype if dtype is not None else (np.float32 if array.dtype == np.float32 else np.float64)
    return np.asarray(array, dtype=wanted, order="C")


def check_shape(what: str, array: FloatArray, expected: tuple[Union[int, str], ...]) -> None:
    """Raises unless the shape is as expected; texts in ``expected`` stand for any number."""
    shape = array.shape
    fits = len(shape) == len(expected) and all(isinstance(n, str) or n == m for m, n in zip(shape, expected))
    if not fits:
        wanted = ", ".join(str(n) for n in expected) + ("," if len(expected) == 1 else "")
        raise WrongShape(f"{what} has the shape {tuple(shape)}, expected: ({wanted})")
