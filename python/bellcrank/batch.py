"""Thousands of worlds at once."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from bellcrank import _native
from bellcrank._arguments import Worlds, chosen_worlds, joint_values, rays, whole, world_models
from bellcrank._arrays import FloatArray, aligned_zeros, as_floats, check_shape
from bellcrank._fields import COMPUTED, CONTROLS, Fields
from bellcrank._live import Live
from bellcrank._native import Model, StepReport
from bellcrank.errors import WrongShape, WrongType, WrongValue
from bellcrank.recording import Recording, Viewer
from bellcrank.results import Contact, RayHits
from bellcrank.solvers import ComFree, Padmm, Solver

_PARAMETERS = frozenset(_native.Batch.parameter_names())


class Batch(Fields):
    """Worlds of one or several models, stepped together.

    ``Batch(model, worlds=4096)`` makes copies of one robot, ``Batch([a, b, c])`` one world of each. A world's
    result depends neither on its neighbours, nor on the number of worlds, nor on ``threads`` (0: one per core).
    ``dt`` [s] is the first model's own unless given; ``precision`` is ``"f32"`` or ``"f64"``; ``integrator`` is
    ``"semi_implicit_euler"`` or ``"moreau_jean"``, which is of second order where nothing hits. A pile of loose
    bodies has room for ``contact_capacity`` contacts per world, twelve per shape unless given.

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
        solver: Optional[Solver] = None,
        precision: str = "f64",
        threads: int = 0,
        integrator: str = "semi_implicit_euler",
        contact_capacity: Optional[int] = None,
    ) -> None:
        models = world_models(model, worlds)
        if solver is not None and not isinstance(solver, (Padmm, ComFree)):
            raise WrongType(f"solver must be a bellcrank.Padmm or .ComFree, not {type(solver).__name__}")
        step = float(dt) if dt is not None else (models[0].time_step if models else 0.0)
        threads = whole("threads", threads)
        settings = {**(solver or Padmm())._settings(), "integrator": integrator}
        capacity = None if contact_capacity is None else whole("contact_capacity", contact_capacity)
        self._native = _native.Batch(models, step, precision, threads, settings, capacity)
        for warning in self._native.warnings():
            warnings.warn(warning, stacklevel=2)
        self._models = models
        self._dt = step
        self._live: dict[str, Live] = {}
        self._turns = 0
        self._recording: Optional[Recording] = None

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
        for other in self._live.keys() & _PARAMETERS:
            array = self._live[other].array()
            if array is not None and array.shape != self.shape(other):
                del self._live[other]
        return self._array(name)

    # -- time

    def step(self, n: int = 1) -> StepReport:
        """Advances all worlds by ``n`` steps and reports. Ctrl-C interrupts between steps."""
        count = whole("n", n)
        self._push()
        try:
            return self._native.step(count)
        finally:
            if not self.closed:
                self._pull(left_alone=CONTROLS)

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
        rows = [joint_values(name, value, chosen, self.worlds) for name, value in targets.items()]
        rates = [joint_values(name, value, chosen, self.worlds) for name, value in moving.items()]
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
        (chosen,) = self._chosen(whole("world", world))
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

    def ray_cast(
        self,
        origins: Any,
        directions: Any,
        worlds: Worlds = None,
        *,
        reach: float = 100.0,
        ignore: Optional[str] = None,
    ) -> RayHits:
        """What rays meet first, within ``reach`` [m], in the chosen worlds.

        Origins [m] and directions (of any length) are ``(3,)`` for one ray, ``(rays, 3)`` for the same rays in every
        world, or ``(chosen, rays, 3)``. Arrays of the result are ``(chosen, rays, …)``; there is no axis of worlds
        where ``worlds`` is one number, and none of rays where all were given as ``(3,)``. Rays pass through the body
        ``ignore`` and see no solid in which they start.
        """
        chosen = self._chosen(worlds)
        pair = rays(origins, directions, len(chosen))
        if not reach > 0:
            raise WrongValue(f"reach is {reach}, but must be above zero")
        self._push()
        distance, shape, point, normal = self._native.ray_cast(chosen, pair, float(reach), ignore)
        axes: tuple[int, ...] = () if isinstance(worlds, (int, np.integer)) else (len(chosen),)
        axes += () if np.ndim(origins) == np.ndim(directions) == 1 else (pair[0].shape[1],)
        vectors = (*axes, 3)
        return RayHits(distance.reshape(axes), shape.reshape(axes), point.reshape(vectors), normal.reshape(vectors))

    def record(self, *, frames_per_second: float = 30.0, worlds: Worlds = None) -> Recording:
        """Records what the chosen worlds (the first sixteen unless told) do from now on.

        >>> with batch.record() as recording:
        ...     batch.step(250)
        >>> recording.save("out.html")  # or let a notebook show it
        """
        chosen = [] if worlds is None else self._chosen(worlds)
        self._push()
        self._native.record(float(frames_per_second), chosen)
        self._recording = Recording(self)
        return self._recording

    def _finish_recording(self) -> bytes:
        self._recording = None
        return self._native.finish_recording()

    def view(self, *, worlds: Worlds = None, port: int = 0, playing: bool = False) -> Viewer:
        """Shows the chosen worlds (the first hundred unless told) in the browser: every step from now on, and
        between steps whatever the page's own controls do. With ``playing`` it runs by itself. Port 0 is any free one.

        Arrays that you hold follow when the batch is used next.
        """
        chosen = [] if worlds is None else self._chosen(worlds)
        port = whole("port", port)
        if port >= 2**16:
            raise WrongValue(f"port is {port}, but must be below {2**16}", hint="0 takes any free port")
        self._push()
        return Viewer(self, self._native.view(chosen, port, bool(playing)))

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
        if self._recording is not None:
            self._recording.stop()
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
        self._follow()
        live = self._live.get(name)
        array = live.array() if live is not None else None
        if live is not None and array is not None and not self.closed:
            live.keep()
            return array
        array = aligned_zeros(self.shape(name), self._dtype_of(name))
        self._native.read(name, array)
        self._live[name] = Live(array)
        return array

    def _dtype_of(self, name: str) -> np.dtype[Any]:
        """Parameters have 64 bits whatever the batch computes with."""
        return np.dtype(np.float64) if name in _PARAMETERS else self.dtype

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
        self._follow()
        for name, live in list(self._live.items()):
            array = live.array()
            if array is not None and live.was_written():
                if name in COMPUTED:
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

    def _pull(self, left_alone: frozenset[str] = frozenset()) -> None:
        """Held arrays follow the engine; only writing changes parameters."""
        for name, live in list(self._live.items()):
            array = live.array()
            if array is None:
                del self._live[name]
            elif name not in left_alone and name not in _PARAMETERS:
                self._native.read(name, array)
                live.agree()

    def _follow(self) -> None:
        """Where the viewer has had the worlds, arrays that nobody wrote into are read afresh."""
        turns = self._native.viewer_turns()
        if turns != self._turns:
            self._turns = turns
            self._pull(frozenset(name for name, live in self._live.items() if live.was_written()))

    def _chosen(self, worlds: Worlds) -> list[int]:
        return chosen_worlds(worlds, self.worlds)

    def _mask(self, chosen: list[int], done: list[bool]) -> NDArray[np.bool_]:
        success = np.zeros(self.worlds, dtype=np.bool_)
        success[chosen] = done
        return success
