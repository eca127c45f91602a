"""What users hand over, checked; messages say what was expected."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Sequence
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from bellcrank import _native
from bellcrank._arrays import FloatArray, as_floats
from bellcrank._native import Model
from bellcrank.errors import NoSuchWorld, NotFinite, WrongShape, WrongType, WrongValue

Worlds = Union[None, int, Sequence[int], NDArray[np.bool_], NDArray[np.integer[Any]]]
"""Which worlds: all for ``None``, one number, several numbers, or a mask of shape ``(worlds,)``."""


def whole(what: str, value: Any) -> int:
    """A whole number that is not negative."""
    try:
        number = operator.index(value)
    except TypeError:
        raise WrongType(f"{what} must be a whole number, not {type(value).__name__}") from None
    if number < 0:
        raise WrongValue(f"{what} is {number}, but must not be negative")
    return number


def on_device(device: str, known: Sequence[str]) -> None:
    """Refuses devices that this build does not compute steps on."""
    if not isinstance(device, str):
        raise WrongType(f'device must be a text such as "cpu", not {type(device).__name__}')
    kind = device.split(":")[0]
    if kind in known and (device == kind or re.fullmatch(r"cuda:\d+", device)):
        return
    if device == "wgpu" or re.fullmatch(r"cuda(:\d+)?", device):
        raise WrongValue(
            f'device is "{device}", but this build does not compute steps there',
            hint='leave device out, or say device="cpu"; what runs elsewhere is told in docs/computation/gpu.md',
        )
    raise WrongValue(f'device is "{device}"', hint='devices are "cpu", "cuda:0" (or another number) and "wgpu"')


def world_models(model: Union[Model, Iterable[Model]], worlds: Optional[int]) -> list[Model]:
    """The model of each world."""
    if isinstance(model, Model):
        return [model] * (1 if worlds is None else whole("worlds", worlds))
    models = list(model)
    for entry in models:
        if not isinstance(entry, Model):
            raise WrongType(f"a batch is made of models, not of {type(entry).__name__}")
    if worlds is not None and worlds != len(models):
        raise WrongValue(
            f"{len(models)} models were given for {worlds} worlds", hint="leave worlds out: it is one per model"
        )
    return models


def chosen_worlds(worlds: Worlds, count: int) -> list[int]:
    """The numbers of the chosen worlds."""
    if worlds is None:
        return list(range(count))
    array = np.atleast_1d(np.asarray(worlds))
    if array.size == 0 and array.ndim == 1:
        return []
    if array.dtype == np.bool_:
        if array.shape != (count,):
            raise WrongShape(f"the mask of worlds has the shape {array.shape}, expected: ({count},)")
        return [int(world) for world in np.flatnonzero(array)]
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise WrongType("worlds must be numbers of worlds or a mask of bool")
    if array.min() < 0 or array.max() >= count:
        wrong = array.min() if array.min() < 0 else array.max()
        raise NoSuchWorld(f"there is no world {wrong}; the batch has {count}")
    return [int(world) for world in array]


def joint_values(name: str, value: Any, chosen: list[int], count: int) -> list[float]:
    """One finite number per chosen world, from one for all, one per chosen world or one per world."""
    values = as_floats(f"target {name!r}", value, np.float64)
    if not np.isfinite(values).all():
        raise NotFinite(f"target {name!r} is not finite")
    if values.ndim == 0:
        return [float(values)] * len(chosen)
    if values.shape == (len(chosen),):
        return [float(x) for x in values]
    if values.shape == (count,):
        return [float(x) for x in values[chosen]]
    raise WrongShape(
        f"target {name!r} has the shape {values.shape}, expected: one number, ({len(chosen)},) or ({count},)"
    )


def joint_numbers(model: Model, order: str) -> list[str]:
    """Names of all numbers of ``joint_position`` or ``joint_velocity``, as ``assemble`` knows them."""
    return [label[len(order) + 1 : -1] for label in _native.quantity_labels(model, order)]


def freely_turned(model: Model, names: list[str]) -> set[str]:
    """Those of the numbers that belong to ball and free joints: quaternions, which are no plain coordinates."""
    kinds = dict(zip(model.joint_names, model.joint_kinds))
    return {name for name in names if kinds.get(re.sub(r"\[\d+\]$", "", name)) in ("spherical", "free")}


def rows_of(name: str, values: Any, rows: int, width: int) -> FloatArray:
    """``(rows, width)`` finite numbers, from as many or from one row for all."""
    array = as_floats(name, values, np.float64)
    if array.shape not in ((width,), (rows, width)):
        raise WrongShape(f"{name} has the shape {array.shape}, expected: ({width},) or ({rows}, {width})")
    if not np.isfinite(array).all():
        raise NotFinite(f"{name} is not finite")
    return np.broadcast_to(array, (rows, width))


def rays(origins: Any, directions: Any, worlds: int) -> tuple[FloatArray, FloatArray]:
    """Origins and directions, each ``(worlds, rays, 3)``."""
    ends = []
    for name, given in (("origins", origins), ("directions", directions)):
        array = np.atleast_2d(as_floats(name, given, np.float64))
        if array.ndim > 3 or array.shape[-1] != 3:
            raise WrongShape(f"{name} has the shape {array.shape}, expected: (3,), (rays, 3) or (worlds, rays, 3)")
        if not np.isfinite(array).all():
            raise NotFinite(f"{name} is not finite")
        ends.append(array)
    if not (np.linalg.norm(ends[1], axis=-1) > 0).all():
        raise WrongValue("directions: a ray has none", hint="give a vector longer than zero")
    shape = (worlds, max(array.shape[-2] for array in ends), 3)
    try:
        start, along = (np.ascontiguousarray(np.broadcast_to(array, shape)) for array in ends)
    except ValueError:
        shapes = " and ".join(str(array.shape) for array in ends)
        raise WrongShape(f"origins and directions have the shapes {shapes}, for {worlds} worlds") from None
    return start, along
