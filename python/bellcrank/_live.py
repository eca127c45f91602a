"""Arrays that behave like views of a batch's memory."""

from __future__ import annotations

from typing import Optional
from weakref import ref

import numpy as np

from bellcrank._arrays import FloatArray, read_only


class Live:
    """An array that stands for a field of the batch, and what it held when the two last agreed.

    The batch keeps the array alive until what may have been written into it has reached the engine, and
    from then on only watches it: an array that nobody else holds goes away.
    """

    def __init__(self, array: FloatArray, writable: bool = True) -> None:
        self._watched = ref(array)
        self._writable = writable
        self._view: Optional[ref[FloatArray]] = None
        self._kept: Optional[FloatArray] = array
        self._agreed = array.copy()

    def array(self) -> Optional[FloatArray]:
        """The array, as long as anybody holds it."""
        return self._watched()

    def shown(self) -> Optional[FloatArray]:
        """What users get: the array, or a view of it that cannot be written."""
        array = self.array()
        if array is None or self._writable:
            return array
        view = self._view() if self._view is not None else None
        if view is None:
            view = read_only(array)
            self._view = ref(view)
        return view

    def keep(self) -> None:
        """Somebody was given it and may write."""
        self._kept = self._watched()

    def was_written(self) -> bool:
        """Whether it differs from what it last agreed to; what is not a number always does."""
        array = self.array()
        return array is not None and not np.array_equal(array, self._agreed)

    def agree(self) -> None:
        """Array and engine hold the same from here on."""
        array = self.array()
        if array is not None:
            np.copyto(self._agreed, array)

    def let_go(self) -> None:
        """What was written has arrived."""
        self._kept = None
