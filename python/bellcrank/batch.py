"""Thousands of worlds at once."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from bellcrank import _native, kinematics
from bellcrank._arguments import (
    Worlds,
    chosen_worlds,
    freely_turned,
    joint_numbers,
    joint_values,
    on_device,
    rays,
    rows_of,
    whole,
    world_models,
)
from bellcrank._arrays import as_floats
from bellcrank._closing import Closing
from bellcrank._fields import CONTROLS, PARAMETERS
from bellcrank._live import Live
from bellcrank._native import Model, StepReport
from bellcrank._synced import Synced
from bellcrank.derivatives import StepJacobian, Wrt, cotangent_rows, split_columns, wanted
from bellcrank.errors import MixedModels, NotFinite, WrongShape, WrongType, WrongValue
from bellcrank.pictures import Camera
from bellcrank.recording import Recording, Viewer
from bellcrank.results import Contact, RayHits
from bellcrank.solvers import Exact, InteriorPoint, Solver, StepOptions


def _made_again(
    cls: type[Batch], models: list[Model], made: dict[str, Any], parameters: dict[str, Any], state: bytes
) -> Batch:
    """A batch that was pickled."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they were given when it was first made
        batch = cls(models, **made)
    for name, values in parameters.items():
        if values.shape != batch.shape(name):
            batch._native.spread(name)
    for name, values in parameters.items():
        if not np.array_equal(batch.read(name), values):
            batch._native.write(name, values)
    batch.restore(state)
    return batch


class Batch(Synced, Closing):
    """Worlds of one or several models, stepped together.

    ``Batch(model, worlds=4096)`` makes copies of one robot, ``Batch([a, b, c])`` one world of each. A world's
    result depends neither on its neighbours, nor on the number of worlds, nor on ``threads`` (0: one per core).
    ``dt`` [s] is the first model's own unless given; ``precision`` is ``"f32"`` or ``"f64"``; ``solver`` is an
    :class:`Exact` (the default, also called ``Padmm``), a :class:`ComFree` or an :class:`InteriorPoint`, and says how
    velocities become poses: ``solver=bc.InteriorPoint(integrator="variational")``; ``integrator="variational"`` alone
    is short for it. A pile of loose bodies has room for ``contact_capacity`` contacts per world, twelve per shape
    unless given. ``device`` is ``"cpu"``; builds with the feature
    ``wgpu`` also know ``"wgpu"``, which takes ``precision="f32"`` and ``solver=bc.ComFree()``.

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
        integrator: Optional[str] = None,
        contact_capacity: Optional[int] = None,
        device: str = "cpu",
    ) -> None:
        on_device(device, _native.DEVICES)
        models = world_models(model, worlds)
        if solver is not None and not isinstance(solver, StepOptions):
            raise WrongType(
                f"solver must be a bellcrank.Exact (Padmm), .ComFree or .InteriorPoint, not {type(solver).__name__}"
            )
        step = float(dt) if dt is not None else (models[0].time_step if models else 0.0)
        threads = whole("threads", threads)
        usual = InteriorPoint() if integrator == "variational" else Exact()
        settings = (solver or usual)._settings()
        if integrator is not None:
            settings["integrator"] = integrator
        capacity = None if contact_capacity is None else whole("contact_capacity", contact_capacity)
        self._native = _native.Batch(models, step, precision, threads, settings, capacity, device)
        for warning in self._native.warnings():
            warnings.warn(warning, stacklevel=2)
        self._models = models
        self._made = {
            "dt": step,
            "solver": solver,
            "precision": precision,
            "threads": threads,
            "integrator": integrator,
            "contact_capacity": capacity,
            "device": device,
        }
        self._dt = step
        self._live: dict[str, Live] = {}
        self._turns = 0
        self._recording: Optional[Recording] = None

    @classmethod
    def _around(cls, native: _native.Batch, models: list[Model], dt: float) -> Batch:
        """Worlds that an environment has made and steps."""
        batch = cls.__new__(cls)
        batch._native, batch._models, batch._dt = native, models, dt
        batch._made = {"dt": dt, "precision": native.precision}
        batch._live, batch._turns, batch._recording = {}, 0, None
        return batch

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

    # -- derivatives

    def step_jacobian(
        self,
        wrt: Wrt = ("state", "control"),
        *,
        kappa: Optional[float] = None,
        worlds: Worlds = None,
        strict: bool = True,
    ) -> StepJacobian:
        """How the step that the chosen worlds would take next depends on what ``wrt`` names; nothing changes.

        Names are ``"state"`` (12 per body: position, rotation vector, linear and angular velocity, world axes), those
        of controls and parameters (``"effort"``, ``"body_mass"``, ``"successor_anchor"``, …), and the groups
        ``"control"`` and ``"parameters"``. ``kappa`` [N·s·m] smooths contacts: the derivative is exactly that of a
        step whose contacts have slack times force = κ. It is the solver's own unless given, 1e-4 where it has none.
        Chosen worlds must be of one model.

        A step that does not converge at κ raises :class:`bellcrank.errors.NotConverged`; with ``strict=False`` the
        numbers of its world are NaN instead.
        """
        chosen, names = self._chosen(worlds), wanted(wrt)
        self._push()
        blocks, matrix = self._native.step_jacobian(chosen, (names, kappa, strict))
        return StepJacobian(self._models[chosen[0]], blocks, matrix)

    def step_vjp(
        self,
        cotangent: Any,
        wrt: Wrt = ("state", "control"),
        *,
        kappa: Optional[float] = None,
        worlds: Worlds = None,
        strict: bool = True,
    ) -> dict[str, NDArray[np.float64]]:
        """Takes cotangents ``(chosen, bodies, 12)`` of the state after the next step back to what ``wrt`` names.

        Gives arrays by name, ``(chosen, …)`` with the shape of the batch's array of that name. Cheaper than
        :meth:`step_jacobian` where there are many columns. Arguments are as there.
        """
        chosen, names = self._chosen(worlds), wanted(wrt)
        bodies = self._models[chosen[0]].body_count if chosen else 0
        rows = cotangent_rows(cotangent, len(chosen), bodies)
        self._push()
        blocks, columns = self._native.step_vjp(chosen, (names, kappa, strict), rows)
        return split_columns(blocks, columns)

    def transition(
        self, *, kappa: Optional[float] = None, worlds: Worlds = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The step that the chosen worlds would take next as a linear map, ``x⁺ = A x + B u``; nothing changes.

        ``A`` is ``(chosen, 2n, 2n)``, ``B`` is ``(chosen, 2n, actuators)``. ``x`` holds small changes of the ``n``
        independent coordinates that :meth:`transition_names` lists, then of their velocities; ``u`` those of
        :attr:`control`. Velocities are those of :attr:`joint_velocity`; the step is taken as one of a motion, see the
        guide "Gradients through contact". ``kappa`` is as for :meth:`step_jacobian`; all is computed in 64 bits. Chosen
        worlds must be of one model.
        """
        chosen = self._chosen(worlds)
        self._push()
        A, B = self._native.transition(chosen, kappa)
        return A, B

    def transition_names(self, world: int = 0) -> list[str]:
        """The coordinates of :meth:`transition`, where this world is the first of those chosen.

        Floating bases (``"torso.x"`` … ``"torso.rz"``: centre of mass, turns about the world's axes), then joints
        (``"knee"``, ``"hip[1]"``); where loops close, only as many as are free.
        """
        (chosen,) = self._chosen(whole("world", world))
        self._push()
        return self._native.transition_names(chosen)

    def reset(self, worlds: Worlds = None) -> None:
        """Puts worlds back to the reference pose at rest, as if fresh."""
        chosen = self._chosen(worlds)
        self._push()
        self._native.reset(chosen)
        self._pull()

    def reset_to_keyframe(self, name: str, worlds: Worlds = None) -> NDArray[np.bool_]:
        """Puts worlds to a named pose of the model at rest, loops closed, motors holding it.

        Angles are those of the keyframe, counted through whole turns. Gives ``(worlds,)``: which were chosen and
        succeeded; the others stay as they were, and ``keyframe_fault`` says why.
        """
        chosen = self._chosen(worlds)
        self._push()
        done = self._native.reset_to_keyframe(chosen, name)
        self._pull()
        return self._mask(chosen, done)

    def keyframe_fault(self, name: str, world: int = 0) -> Optional[str]:
        """Why a world cannot be put to a keyframe: which joint stays open, which coupling does not hold.

        ``None`` where it can. The world stays as it is.
        """
        self._push()
        return self._native.keyframe_fault(world, name)

    def assemble(
        self,
        targets: Union[Mapping[str, Any], Any],
        worlds: Worlds = None,
        velocities: Optional[Union[Mapping[str, Any], Any]] = None,
    ) -> NDArray[np.bool_]:
        """Moves worlds to poses that close with the asked joint coordinates [rad or m].

        ``targets`` are joints by name, or an array ``(coordinates,)``, ``(chosen, coordinates)`` or
        ``(worlds, coordinates)`` in the order of :attr:`joint_position`, where NaN asks for nothing. By name, each
        target is one number, or one per world (all worlds, or just the chosen ones); the second coordinate of a joint
        with several is ``"name[1]"``. Joints in ``velocities``, by name or as an array in the order of
        :attr:`joint_velocity`, move so fast [rad/s or m/s], the others as the loops demand; without, everything is at
        rest. Gives ``(worlds,)``: which were chosen and succeeded; the others stay as they were. Chosen worlds must be
        of one model. Ball and free joints stay as they are: an array has their present numbers there, or NaN.
        """
        chosen = self._chosen(worlds)
        asked = self._by_joint("targets", targets, chosen, "joint_position")
        moving = self._by_joint("velocities", {} if velocities is None else velocities, chosen, "joint_velocity")
        self._push()
        done = self._native.assemble(chosen, list(asked), list(asked.values()), (list(moving), list(moving.values())))
        self._pull()
        return self._mask(chosen, done)

    def _by_joint(self, what: str, given: Any, chosen: list[int], order: str) -> dict[str, list[float]]:
        """Numbers by joint, one per chosen world, from those or from an array in the order of a quantity."""
        if isinstance(given, Mapping):
            return {name: joint_values(name, value, chosen, self.worlds) for name, value in given.items()}
        if not chosen:
            return {}
        names = joint_numbers(self._models[chosen[0]], order)
        rows, width = as_floats(what, given, np.float64), len(names)
        if rows.shape == (self.worlds, width):
            rows = rows[chosen]
        if rows.shape not in ((width,), (len(chosen), width)):
            raise WrongShape(f"{what} has the shape {rows.shape}, expected: ({width},) or ({len(chosen)}, {width})")
        rows = np.broadcast_to(rows, (len(chosen), width))
        if np.isinf(rows).any():
            raise NotFinite(f"{what} is not finite", hint="NaN asks for nothing")
        turned = freely_turned(self._models[chosen[0]], names)
        here = self.read(order).reshape(self.worlds, -1)[chosen, :width]
        asked = {}
        for name, column, own in zip(names, rows.T, here.T):
            nothing = np.isnan(column)
            if name in turned:
                own = own if order == "joint_position" else np.zeros_like(own)
                if not np.allclose(np.where(nothing, own, column), own, atol=1e-5):
                    raise WrongValue(
                        f"{what}: {name!r} is of a ball or free joint, which can only stay as it is",
                        hint="move floating robots with batch.place, or write body_position and body_velocity",
                    )
                continue
            if nothing.any() and not nothing.all():
                raise WrongValue(f"{what}: {name!r} is asked for in some worlds only", hint="call it for each kind")
            if not nothing.any():
                asked[name] = [float(x) for x in column]
        return asked

    def sample_poses(
        self,
        worlds: Worlds = None,
        joints: Optional[Sequence[str]] = None,
        clearance: float = 0.0,
        singular_margin: float = 0.0,
        seed: int = 0,
        limits_margin: float = 0.02,
        feet: Sequence[str] = (),
        loop_floor: float = 0.0,
    ) -> NDArray[np.bool_]:
        """Puts worlds into random poses that are safe, at rest: see :func:`bellcrank.kinematics.sample`.

        World ``i`` gets the same pose whichever other worlds are chosen. Gives ``(worlds,)``: which were chosen and
        got one; the others stay as they were. Chosen worlds must be of one model.
        """
        chosen = self._chosen(worlds)
        models = {id(self._models[world]): self._models[world] for world in chosen}
        if len(models) > 1:
            raise MixedModels("sample_poses: the chosen worlds are of several models", hint="call it for each of them")
        if not chosen:
            return self._mask([], [])
        model = next(iter(models.values()))
        drawn = kinematics.sample(
            model,
            chosen,
            joints=joints,
            clearance=clearance,
            singular_margin=singular_margin,
            seed=seed,
            limits_margin=limits_margin,
            feet=feet,
            loop_floor=loop_floor,
        )
        found = [world for world, good in zip(chosen, drawn.found) if good]
        if found:
            self.reset(found)
            position, quat = kinematics.body_poses(model, drawn.q[drawn.found])
            bodies = position.shape[1]
            self.body_position[found, :bodies] = position
            self.body_quat_wxyz[found, :bodies] = quat
            self.body_velocity[found] = 0.0
        return self._mask(chosen, drawn.found.tolist())

    def place(self, body: str, position: Any, quat_wxyz: Any = None, worlds: Worlds = None) -> None:
        """Moves whole floating robots so that ``body`` is where it shall be; joints and their speeds stay.

        ``position`` [m] of the body's centre of mass is ``(3,)``, or ``(chosen, 3)`` with one row per chosen world;
        ``quat_wxyz`` likewise with four numbers. The robot keeps its orientation where none is given. A body that is
        placed from outside (``mocap``) goes there alone and stays there until it is placed again or its world is reset.
        """
        chosen = self._chosen(worlds)
        positions = rows_of("position", position, len(chosen), 3).tolist()
        quats = None if quat_wxyz is None else rows_of("quat_wxyz", quat_wxyz, len(chosen), 4).tolist()
        self._push()
        self._native.place(chosen, body, positions, quats)
        self._pull()

    def sensor(self, name: str, worlds: Worlds = None) -> NDArray[np.float64]:
        """What a sensor of the model reads in the chosen worlds: ``(chosen, numbers)``."""
        chosen = self._chosen(worlds)
        self._push()
        return np.array(self._native.sensor(list(chosen), name))

    def sensors(self, names: Sequence[str], worlds: Worlds = None) -> NDArray[np.float64]:
        """What several sensors read in the chosen worlds, one after the other: ``(chosen, numbers)``.

        Chosen worlds must be of one model. Faster than :meth:`sensor` for each.
        """
        listed = [names] if isinstance(names, str) else [str(name) for name in names]
        chosen = self._chosen(worlds)
        self._push()
        return self._native.sensors(chosen, listed)

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
        return np.array(self._native.momentum(list(chosen))).reshape(-1, 6)

    def energy(self, worlds: Worlds = None) -> NDArray[np.float64]:
        """Kinetic plus potential energy of the chosen worlds [J]; potential is zero at the origin."""
        chosen = self._chosen(worlds)
        self._push()
        return np.array(self._native.energy(list(chosen)))

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

    def render(
        self,
        width: int = 320,
        height: int = 240,
        *,
        camera: Union[Camera, str, None] = None,
        worlds: Worlds = None,
        kind: str = "color",
    ) -> NDArray[Any]:
        """A picture of every chosen world as it is now, drawn by the processor: no window and no GPU.

        ``kind`` is ``"color"``: ``(chosen, height, width, 3)`` of ``uint8``; ``"depth"``: ``(chosen, height, width)``
        of ``float32``, distances along the direction in which the camera looks [m], infinite where there is nothing; or
        ``"segmentation"``: numbers of bodies in ``int32``, −1 for the ground and −2 for nothing. There is no axis of
        worlds where ``worlds`` is one number. ``camera`` may be the name of one that the models have
        (``model.camera_names``); without one all of the robot is seen as it stands at the start.
        """
        if kind not in ("color", "depth", "segmentation"):
            raise WrongValue(f"kind is {kind!r}", hint='it is "color", "depth" or "segmentation"')
        chosen = self._chosen(worlds)
        what = kind, whole("width", width), whole("height", height)
        how: tuple[Any, Optional[str], Optional[str]]
        if camera is None or isinstance(camera, str):
            how = (None, None, camera)
        elif isinstance(camera, Camera):
            how = (camera._looks(), camera.body, None)
        else:
            found = type(camera).__name__
            raise WrongType(f"camera is of {found}", hint="give a Camera, or the name of one of the model's")
        self._push()
        pictures = self._native.render(chosen, what, how)
        return pictures[0] if isinstance(worlds, (int, np.integer)) else pictures

    def record(self, *, frames_per_second: float = 30.0, worlds: Worlds = None) -> Recording:
        """Records what the chosen worlds (the first sixteen unless told) do from now on.

        >>> with batch.record() as recording:
        ...     batch.step(250)
        >>> recording.save("out.html")  # or .gif, or let a notebook show it
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

    def restore(self, blob: bytes, exact: bool = True) -> None:
        """Takes a snapshot of a batch of the same models back.

        It must be of the same precision, time step and solver, so that the batch resumes bit for bit;
        ``exact=False`` takes the state of others too.
        """
        if not isinstance(blob, (bytes, bytearray, memoryview)):
            raise WrongType(f"a snapshot is bytes, not {type(blob).__name__}")
        self._native.restore(bytes(blob), bool(exact))
        self._pull()

    # -- copies

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle and copy.deepcopy: models, settings, parameters and state. Recordings and viewers stay behind."""
        state = self.snapshot()
        parameters = {name: self.read(name) for name in sorted(PARAMETERS)}
        return _made_again, (type(self), list(self._models), self._made, parameters, state)

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

    def _close(self) -> None:
        self.close()

    def __len__(self) -> int:
        return self.worlds

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"{self.worlds} worlds, dt {self.dt} s, {self.precision}"
        return f"<bellcrank.Batch: {state}>"

    def _chosen(self, worlds: Worlds) -> list[int]:
        return chosen_worlds(worlds, self.worlds)

    def _mask(self, chosen: list[int], done: list[bool]) -> NDArray[np.bool_]:
        success = np.zeros(self.worlds, dtype=np.bool_)
        success[chosen] = done
        return success
