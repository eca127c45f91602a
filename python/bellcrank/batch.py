"""Thousands of worlds at once."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from types import TracebackType
from typing import Any, NamedTuple, Optional, Union
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from bellcrank import _native
from bellcrank._arrays import FloatArray, aligned_zeros, as_floats, check_shape
from bellcrank._native import Model, StepReport
from bellcrank._parameters import Parameters
from bellcrank.errors import NoSuchWorld, NotFinite, WrongShape, WrongType, WrongValue
from bellcrank.solvers import Padmm

Worlds = Union[None, int, Sequence[int], NDArray[np.bool_], NDArray[np.integer[Any]]]
"""Which worlds: all for ``None``, one number, several numbers, or a mask of shape ``(worlds,)``."""


class WorldStatus(IntEnum):
    """What became of a world, as the numbers in ``report.status``."""

    OK = 0
    """All equations are met to their tolerances."""
    INEXACT = 1
    """The solver ran out of iterations; the state is usable, its residual is in the report."""
    CONTACTS_DROPPED = 2
    """More contacts than room for them."""
    FROZEN = 3
    """A value stopped being finite; the world keeps its last good state and stands still until reset."""


class Contact(NamedTuple):
    """Two shapes that touch."""

    shape_a: str
    """The shape that does not move, if there is such."""
    shape_b: str
    depth: float
    """Penetration [m]; negative where there is still a gap."""
    point: NDArray[np.float64]
    """In the world [m], on the surface of b."""
    normal: NDArray[np.float64]
    """Unit vector from a to b."""
    force: NDArray[np.float64]
    """On b, world axes [N]: the mean over the last step."""
    moment: NDArray[np.float64]
    """Of torsional and rolling friction, on b, world axes [N·m]."""


class _Live:
    """An array that stands for a field of the batch, and what it held when the two last agreed.

    The batch keeps the array alive until what may have been written into it has reached the engine, and
    from then on only watches it: an array that nobody else holds goes away.
    """

    def __init__(self, array: FloatArray) -> None:
        self._watched = ref(array)
        self._kept: Optional[FloatArray] = array
        self._agreed = array.tobytes()

    def array(self) -> Optional[FloatArray]:
        """The array, as long as anybody holds it."""
        return self._watched()

    def keep(self) -> None:
        """Somebody was given it and may write."""
        self._kept = self._watched()

    def was_written(self) -> bool:
        """Whether it differs from what it last agreed to."""
        array = self.array()
        return array is not None and array.tobytes() != self._agreed

    def agree(self) -> None:
        """Array and engine hold the same from here on."""
        array = self.array()
        self._agreed = b"" if array is None else array.tobytes()

    def let_go(self) -> None:
        """What was written has arrived."""
        self._kept = None


_CONTROLS = ("target_position", "target_velocity", "effort", "body_wrench")
_COMPUTED = ("joint_position", "joint_velocity")


class Batch(Parameters):
    """Worlds of one or several models, stepped together.

    ``Batch(model, worlds=4096)`` makes copies of one robot, ``Batch([a, b, c])`` one world of each. A world's
    result depends neither on its neighbours, nor on the number of worlds, nor on ``threads`` (0: one per core).
    ``dt`` [s] is the first model's own unless given; ``precision`` is ``"f32"`` or ``"f64"``.

    **Arrays** have the shape ``(worlds, …)`` and the batch's precision, and behave like views of its memory: as long
    as you hold one, it follows every step, reset and restore, and what you write into it reaches the next
    step. Take ``.copy()`` to keep values. Worlds are stored in vector lanes, so behind the scenes arrays are
    gathered and scattered, but only those that somebody holds. They begin at 64-byte boundaries, and numpy's DLPack
    hands them to torch and JAX without copying. Where models differ in size, rows are as wide as the largest
    needs and padded with zeros.
    """

    def __init__(
        self,
        model: Union[Model, Iterable[Model]],
        worlds: Optional[int] = None,
        dt: Optional[float] = None,
        solver: Optional[Padmm] = None,
        precision: str = "f64",
        threads: int = 0,
    ) -> None:
        models = _world_models(model, worlds)
        if solver is not None and not isinstance(solver, Padmm):
            raise WrongType(f"solver must be a bellcrank.Padmm, not {type(solver).__name__}")
        step = float(dt) if dt is not None else (models[0].time_step if models else 0.0)
        threads = _whole("threads", threads)
        settings = (solver or Padmm())._settings()
        self._native = _native.Batch(models, step, precision, threads, settings)
        self._models = models
        self._dt = step
        self._live: dict[str, _Live] = {}

    # -- what it is

    @property
    def worlds(self) -> int:
        """Number of worlds."""
        return len(self._models)

    @property
    def dt(self) -> float:
        """Step [s]."""
        return self._dt

    @property
    def precision(self) -> str:
        """``"f32"`` or ``"f64"``."""
        return self._native.precision

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of all arrays."""
        return np.dtype(np.float32 if self.precision == "f32" else np.float64)

    @property
    def model(self) -> Model:
        """The model of the first world."""
        return self._models[0]

    @property
    def models(self) -> tuple[Model, ...]:
        """The model of each world."""
        return tuple(self._models)

    @property
    def memory_bytes_per_world(self) -> int:
        """State, controls and constants of a world [bytes]."""
        return self._native.memory_bytes_per_world()

    # -- arrays

    @property
    def joint_position(self) -> FloatArray:
        """``(worlds, coordinates)`` [rad or m], joint after joint. Follows from the bodies: see :meth:`assemble`."""
        return self._array("joint_position")

    @property
    def joint_velocity(self) -> FloatArray:
        """``(worlds, dofs)`` [rad/s or m/s], joint after joint. Follows from the bodies."""
        return self._array("joint_velocity")

    @property
    def body_position(self) -> FloatArray:
        """``(worlds, bodies, 3)`` centres of mass in the world [m]."""
        return self._array("body_position")

    @body_position.setter
    def body_position(self, value: Any) -> None:
        self._set("body_position", value)

    @property
    def body_quat_wxyz(self) -> FloatArray:
        """``(worlds, bodies, 4)`` orientations."""
        return self._array("body_quat_wxyz")

    @body_quat_wxyz.setter
    def body_quat_wxyz(self, value: Any) -> None:
        self._set("body_quat_wxyz", value)

    @property
    def body_velocity(self) -> FloatArray:
        """``(worlds, bodies, 6)`` twists of the centres of mass, world axes, linear part first [m/s, rad/s]."""
        return self._array("body_velocity")

    @body_velocity.setter
    def body_velocity(self, value: Any) -> None:
        self._set("body_velocity", value)

    @property
    def body_wrench(self) -> FloatArray:
        """``(worlds, bodies, 6)`` force and moment from outside at the centres of mass, world axes [N, N·m].

        They push until changed.
        """
        return self._array("body_wrench")

    @body_wrench.setter
    def body_wrench(self, value: Any) -> None:
        self._set("body_wrench", value)

    @property
    def target_position(self) -> FloatArray:
        """``(worlds, actuators)`` targets of position motors [rad or m]; at first those of the reference pose."""
        return self._array("target_position")

    @target_position.setter
    def target_position(self, value: Any) -> None:
        self._set("target_position", value)

    @property
    def target_velocity(self) -> FloatArray:
        """``(worlds, actuators)`` targets of velocity [rad/s or m/s]."""
        return self._array("target_velocity")

    @target_velocity.setter
    def target_velocity(self, value: Any) -> None:
        self._set("target_velocity", value)

    @property
    def effort(self) -> FloatArray:
        """``(worlds, actuators)`` efforts, or feed-forward of motors that hold something [N·m or N]."""
        return self._array("effort")

    @effort.setter
    def effort(self, value: Any) -> None:
        self._set("effort", value)

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
        for other in [other for other in self._live if self._native.is_parameter(other)]:
            array = self._live[other].array()
            if array is not None and array.shape != self.shape(other):
                del self._live[other]
        return self._array(name)

    # -- time

    def step(self, n: int = 1) -> StepReport:
        """Advances all worlds by ``n`` steps and reports. Ctrl-C interrupts between steps."""
        count = _whole("n", n)
        self._push()
        try:
            return self._native.step(count)
        finally:
            if not self.closed:
                self._pull(after_step=True)

    def reset(self, worlds: Worlds = None) -> None:
        """Puts worlds back to the reference pose at rest, as if fresh."""
        chosen = self._chosen(worlds)
        self._push()
        self._native.reset(chosen)
        self._pull()

    def reset_to_keyframe(self, name: str, worlds: Worlds = None) -> NDArray[np.bool_]:
        """Puts worlds to a named pose of the model at rest, loops closed, motors holding it.

        Gives ``(worlds,)``: which were chosen and succeeded; the others stay as they were.
        """
        chosen = self._chosen(worlds)
        self._push()
        done = self._native.reset_to_keyframe(chosen, name)
        self._pull()
        return self._mask(chosen, done)

    def assemble(
        self,
        targets: Mapping[str, Any],
        worlds: Worlds = None,
        velocities: Optional[Mapping[str, Any]] = None,
    ) -> NDArray[np.bool_]:
        """Moves worlds to poses that close with the asked joint coordinates [rad or m].

        Each target is one number, or one per world (all worlds, or just the chosen ones); the second coordinate of
        a joint with several is ``"name[1]"``. Joints in ``velocities`` move so fast [rad/s or m/s], the others as the
        loops demand; without, everything is at rest. Gives ``(worlds,)``: which were chosen and succeeded; the
        others stay as they were. Chosen worlds must be of one model.
        """
        chosen, moving = self._chosen(worlds), velocities or {}
        rows = [self._target(name, value, chosen) for name, value in targets.items()]
        rates = [self._target(name, value, chosen) for name, value in moving.items()]
        self._push()
        done = self._native.assemble(chosen, list(targets), rows, (list(moving), rates))
        self._pull()
        return self._mask(chosen, done)

    def sensor(self, name: str, worlds: Worlds = None) -> NDArray[np.float64]:
        """What a sensor of the model reads in the chosen worlds: ``(chosen, numbers)``."""
        chosen = self._chosen(worlds)
        self._push()
        return np.array([self._native.sensor(world, name) for world in chosen])

    def contacts(self, world: int = 0) -> list[Contact]:
        """What touches in a world at the present pose, with the forces of the last step."""
        (chosen,) = self._chosen(_whole("world", world))
        self._push()
        return [
            Contact(a, b, depth, *(np.array(vector) for vector in vectors))
            for a, b, depth, vectors in self._native.contacts(chosen)
        ]

    def momentum(self, worlds: Worlds = None) -> NDArray[np.float64]:
        """``(chosen, 6)``: linear momentum [kg·m/s], and angular about the world's origin [kg·m²/s], world axes."""
        chosen = self._chosen(worlds)
        self._push()
        return np.array([self._native.momentum(world) for world in chosen]).reshape(-1, 6)

    def energy(self, worlds: Worlds = None) -> NDArray[np.float64]:
        """Kinetic plus potential energy of the chosen worlds [J]; potential is zero at the origin."""
        chosen = self._chosen(worlds)
        self._push()
        return np.array([self._native.energy(world) for world in chosen])

    def snapshot(self) -> bytes:
        """The whole batch as bytes: with :meth:`restore` it resumes bit for bit."""
        self._push()
        return self._native.snapshot()

    def restore(self, blob: bytes) -> None:
        """Takes a snapshot of a batch of the same models back."""
        if not isinstance(blob, (bytes, bytearray, memoryview)):
            raise WrongType(f"a snapshot is bytes, not {type(blob).__name__}")
        self._native.restore(bytes(blob))
        self._pull()

    # -- life

    @property
    def closed(self) -> bool:
        """Whether :meth:`close` was called."""
        return self._native.is_closed()

    def close(self) -> None:
        """Frees the worlds; every later use raises :class:`bellcrank.errors.BatchClosed`."""
        self._native.close()
        self._live.clear()

    def __enter__(self) -> Batch:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return self.worlds

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"{self.worlds} worlds, dt {self.dt} s, {self.precision}"
        return f"<bellcrank.Batch: {state}>"

    # -- arrays that behave like views

    def _array(self, name: str) -> FloatArray:
        """The live array of a field: the one that somebody holds, or a fresh one."""
        live = self._live.get(name)
        array = live.array() if live is not None else None
        if live is not None and array is not None and not self.closed:
            live.keep()
            return array
        array = aligned_zeros(self.shape(name), self._dtype_of(name))
        self._native.read(name, array)
        self._live[name] = _Live(array)
        return array

    def _dtype_of(self, name: str) -> np.dtype[Any]:
        """Parameters have 64 bits whatever the batch computes with."""
        return np.dtype(np.float64) if self._native.is_parameter(name) else self.dtype

    def _set(self, name: str, values: Any) -> None:
        given = as_floats(name, values)
        array = self._array(name)
        try:
            array[...] = given
        except ValueError:
            raise WrongShape(f"{name} has the shape {given.shape}, expected: {array.shape}") from None
        self._push()

    def _push(self) -> None:
        """What was written into arrays goes to the engine."""
        for name, live in list(self._live.items()):
            array = live.array()
            if array is not None and live.was_written():
                if name in _COMPUTED:
                    self._native.read(name, array)
                    raise WrongValue(
                        f"{name} was written, but it follows from the bodies",
                        hint="use batch.assemble({joint: value}), or write body_position and body_velocity",
                    )
                self._native.write(name, array)
                live.agree()
            live.let_go()
            del array
            if live.array() is None:
                del self._live[name]

    def _pull(self, after_step: bool = False) -> None:
        """Held arrays follow the engine. A step leaves controls alone, and only writing changes parameters."""
        for name, live in list(self._live.items()):
            array = live.array()
            if array is None:
                del self._live[name]
            elif not (self._native.is_parameter(name) or (after_step and name in _CONTROLS)):
                self._native.read(name, array)
                live.agree()

    # -- arguments

    def _mask(self, chosen: list[int], done: list[bool]) -> NDArray[np.bool_]:
        success = np.zeros(self.worlds, dtype=np.bool_)
        success[chosen] = done
        return success

    def _chosen(self, worlds: Worlds) -> list[int]:
        if worlds is None:
            return list(range(self.worlds))
        array = np.atleast_1d(np.asarray(worlds))
        if array.size == 0 and array.ndim == 1:
            return []
        if array.dtype == np.bool_:
            if array.shape != (self.worlds,):
                raise WrongShape(f"the mask of worlds has the shape {array.shape}, expected: ({self.worlds},)")
            return [int(world) for world in np.flatnonzero(array)]
        if array.dtype.kind not in "iu" or array.ndim != 1:
            raise WrongType("worlds must be numbers of worlds or a mask of bool")
        if array.min() < 0 or array.max() >= self.worlds:
            raise NoSuchWorld(
                f"there is no world {array.min() if array.min() < 0 else array.max()}; the batch has {self.worlds}"
            )
        return [int(world) for world in array]

    def _target(self, name: str, value: Any, chosen: list[int]) -> list[float]:
        values = as_floats(f"target {name!r}", value, np.float64)
        if not np.isfinite(values).all():
            raise NotFinite(f"target {name!r} is not finite")
        if values.ndim == 0:
            return [float(values)] * len(chosen)
        if values.shape == (len(chosen),):
            return [float(x) for x in values]
        if values.shape == (self.worlds,):
            return [float(x) for x in values[chosen]]
        raise WrongShape(
            f"target {name!r} has the shape {values.shape}, expected: one number, ({len(chosen)},) or ({self.worlds},)"
        )


def _world_models(model: Union[Model, Iterable[Model]], worlds: Optional[int]) -> list[Model]:
    if isinstance(model, Model):
        return [model] * (1 if worlds is None else _whole("worlds", worlds))
    models = list(model)
    for entry in models:
        if not isinstance(entry, Model):
            raise WrongType(f"a batch is made of models, not of {type(entry).__name__}")
    if worlds is not None and worlds != len(models):
        raise WrongValue(
            f"{len(models)} models were given for {worlds} worlds", hint="leave worlds out: it is one per model"
        )
    return models


def _whole(what: str, value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise WrongType(f"{what} must be a whole number, not {type(value).__name__}") from None
    if number < 0:
        raise WrongValue(f"{what} is {number}, but must not be negative")
    return number
