"""A batch's arrays: gathered for whoever holds them, scattered before the engine needs them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from bellcrank import _native
from bellcrank._arrays import FloatArray, aligned_zeros, as_floats, check_shape
from bellcrank._fields import COMPUTED, MOTORS, PARAMETERS
from bellcrank._live import Live
from bellcrank._quantities import Quantities
from bellcrank.errors import WrongShape, WrongType, WrongValue


def _follows(name: str) -> WrongValue:
    return WrongValue(
        f"{name} was written, but it follows from the bodies or the last step",
        hint="use batch.assemble({joint: value}), or write body_position and body_velocity",
    )


class Synced(Quantities):
    """Arrays that behave like views of the engine's memory."""

    _native: _native.Batch
    _live: dict[str, Live]
    _turns: int

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[Any]: ...

    @property
    @abstractmethod
    def closed(self) -> bool: ...

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of an array by name."""
        return tuple(self._native.shape(name))

    def read(self, name: str, out: Optional[FloatArray] = None) -> FloatArray:
        """Fills ``out`` (float32 or float64, C-contiguous) with an array's numbers, or makes a new one of them."""
        self._push()
        shape = self.shape(name)
        if out is None:
            out = aligned_zeros(shape, self._dtype_of(name))
        elif not isinstance(out, np.ndarray):
            raise WrongType(f"out must be a numpy array, not {type(out).__name__}")
        check_shape(name, out, shape)
        self._native.read(name, out)
        return out

    def write(self, name: str, values: Any) -> None:
        """Takes numbers into an array by name; they are broadcast to its shape."""
        self._set(name, values)

    # -- physical parameters: float64, one row for all worlds until spread

    def spread(self, name: str) -> FloatArray:
        """Gives a parameter one row per world and returns its array ``(worlds, …)`` to be written.

        Parameters of the same parts (mass, centre of mass and inertia of bodies, say) are spread together.
        """
        self._push()
        self._native.spread(name)
        self._forget_shared()
        return self._array(name)

    def _randomize(self, seed: int, ranges: Mapping[str, tuple[float, float]], worlds: Sequence[int]) -> None:
        """Draws parameters anew in the engine; held arrays of parameters follow."""
        self._push()
        for name in ranges:
            self._native.spread(name)
        drawn = [(name, float(low), float(high)) for name, (low, high) in ranges.items()]
        self._native.randomize(int(seed) % 2**64, drawn, list(worlds))
        self._forget_shared()
        self._agree(PARAMETERS)
        self._pull()

    def _forget_shared(self) -> None:
        """An array with one row for all worlds is another one than that with one row each."""
        for name in self._live.keys() & PARAMETERS:
            array = self._live[name].array()
            if array is not None and array.shape != self.shape(name):
                del self._live[name]

    # -- behind it

    def _array(self, name: str) -> FloatArray:
        """The live array of a field: the one that somebody holds, or a fresh one."""
        self._follow()
        live = self._live.get(name)
        shown = live.shown() if live is not None else None
        if live is not None and shown is not None and not self.closed:
            live.keep()
            return shown
        array = aligned_zeros(self.shape(name), self._dtype_of(name))
        self._native.read(name, array)
        live = self._live[name] = Live(array, writable=name not in COMPUTED)
        shown = live.shown()
        return array if shown is None else shown

    def _dtype_of(self, name: str) -> np.dtype[Any]:
        """Parameters have 64 bits whatever the batch computes with."""
        return np.dtype(np.float64) if name in PARAMETERS else self.dtype

    def _set(self, name: str, values: Any) -> None:
        given = as_floats(name, values)
        if name in COMPUTED:
            raise _follows(name)
        array = self._array(name)
        try:
            array[...] = given
        except ValueError:
            raise WrongShape(f"{name} has the shape {given.shape}, expected: {array.shape}") from None
        self._push()

    def _push(self) -> None:
        """What was written into arrays goes to the engine."""
        self._follow()
        told = False
        for name, live in list(self._live.items()):
            array = live.array()
            if array is not None and live.was_written():
                told = told or name in MOTORS
                if name in COMPUTED:
                    self._native.read(name, array)
                    raise _follows(name)
                self._native.write(name, array)
                live.agree()
            live.let_go()
            del array
            if live.array() is None:
                del self._live[name]
        if told:
            self._agree(MOTORS)

    def _agree(self, names: frozenset[str]) -> None:
        """Held arrays of these names are read afresh: ``control`` shows the same numbers as other arrays."""
        for name in self._live.keys() & names:
            live = self._live[name]
            array = live.array()
            if array is not None:
                self._native.read(name, array)
                live.agree()

    def _pull(self, left_alone: frozenset[str] = frozenset()) -> None:
        """Held arrays follow the engine; only writing changes parameters."""
        for name, live in list(self._live.items()):
            array = live.array()
            if array is None:
                del self._live[name]
            elif name not in left_alone and name not in PARAMETERS:
                self._native.read(name, array)
                live.agree()

    def _follow(self) -> None:
        """Where the viewer has had the worlds, arrays that nobody wrote into are read afresh."""
        turns = self._native.viewer_turns()
        if turns != self._turns:
            self._turns = turns
            self._pull(frozenset(name for name, live in self._live.items() if live.was_written()))
