"""What stands where in a tree's coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional
from weakref import WeakKeyDictionary

import numpy as np

from bellcrank import _native
from bellcrank._arrays import FloatArray
from bellcrank._native import Model


@dataclass(frozen=True)
class Slot:
    """Where a joint's numbers stand in ``q`` and ``v``."""

    name: str
    kind: str
    reversed: bool
    """The tree goes from the joint's successor to its predecessor."""
    q: slice
    v: slice


@dataclass(frozen=True)
class Tree:
    coordinate_names: tuple[str, ...]
    dof_names: tuple[str, ...]
    frame_names: tuple[str, ...]
    body_count: int
    loop_rows: int
    neutral: tuple[float, ...]
    slots: tuple[Slot, ...]

    @property
    def sizes(self) -> dict[str, int]:
        return {"coordinates": len(self.coordinate_names), "dofs": len(self.dof_names)}


_known: WeakKeyDictionary[Model, Tree] = WeakKeyDictionary()


def describe(model: Model) -> Tree:
    tree = _known.get(model)
    if tree is None:
        told = _native.tree_describe(model)
        slots = (Slot(name, kind, back, slice(*q), slice(*v)) for name, kind, back, q, v in told.pop("slots"))
        rest: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in told.items()}
        tree = _known[model] = Tree(slots=tuple(slots), **rest)
    return tree


def coordinate_names(model: Model) -> tuple[str, ...]:
    """One name per coordinate of ``q``: the joint's, with a suffix where it has several."""
    return describe(model).coordinate_names


def dof_names(model: Model) -> tuple[str, ...]:
    """One name per velocity of ``v``, in the order of accelerations, efforts and matrices."""
    return describe(model).dof_names


def frame_names(model: Model) -> tuple[str, ...]:
    """The frames: link frames of all bodies, then the sites."""
    return describe(model).frame_names


def slots(model: Model) -> tuple[Slot, ...]:
    """Where every joint's numbers stand. A floating base goes by its body's name."""
    return describe(model).slots


def loop_row_count(model: Model) -> int:
    """Rows that close loops and couple coordinates."""
    return describe(model).loop_rows


def neutral(model: Model, batch: Optional[int] = None) -> FloatArray:
    """The zero configuration, all quaternions one: ``(coordinates,)``, or ``(batch, coordinates)``."""
    q = np.array(describe(model).neutral)
    return q if batch is None else np.tile(q, (batch, 1))
