"""What the attributes of a batch that are arrays do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from bellcrank import _native
from bellcrank._arrays import FloatArray


class ArrayField:
    """Reading gives the batch's live array; assigning writes numbers into it, broadcast to its shape."""

    def __init__(self, doc: str) -> None:
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, batch: Fields, owner: type) -> FloatArray:
        if batch is None:  # asked of the class, for its documentation
            return self
        return batch._array(self._name)

    def __set__(self, batch: Fields, value: Any) -> None:
        batch._set(self._name, value)


TABLE = _native.quantities()
"""Of every quantity: name, kind, whether it can be written, whether a step can be differentiated by it."""
CONTROLS = frozenset(name for name, kind, _, _ in TABLE if kind == "control")
"""What a step leaves alone."""
MOTORS = CONTROLS - {"body_wrench"}
"""What motors are told: ``control`` shows numbers of the others."""
PARAMETERS = frozenset(name for name, kind, _, _ in TABLE if kind == "parameter")
"""One row for all worlds until spread."""
COMPUTED = frozenset(name for name, kind, written, _ in TABLE if not written and kind != "direction")
"""What follows from other arrays, or from the last step."""
DIFFERENTIABLE = frozenset(name for name, _, _, smooth in TABLE if smooth)
"""What a step can be differentiated by."""


class Fields(ABC):
    """Whoever has arrays."""

    @abstractmethod
    def _array(self, name: str) -> FloatArray: ...

    @abstractmethod
    def _set(self, name: str, values: Any) -> None: ...
