"""Robots from files and text, and what a model has to say about itself."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

from bellcrank import _native
from bellcrank._native import Model, ModelBuilder

Path = Union[str, "os.PathLike[str]"]


class Note(NamedTuple):
    """Something in a file that has no effect, or that is probably not meant."""

    file: str
    line: int
    element: str
    why: str


class Exported(NamedTuple):
    """A model in another format."""

    text: str
    """The main file."""
    files: dict[str, bytes]
    """Other files by the names that the text uses, relative to it."""
    left_out: list[str]
    """What the format cannot say."""


def _options(
    base: str,
    fixed_joints: str,
    packages: Optional[Mapping[str, Path]],
    folders: Sequence[Path],
    memory: Optional[Mapping[str, bytes]],
    flags: dict[str, bool],
) -> dict[str, Any]:
    return {
        "base": base,
        "fixed_joints": fixed_joints,
        "packages": {name: os.fspath(folder) for name, folder in (packages or {}).items()},
        "folders": [os.fspath(folder) for folder in folders],
        "memory": dict(memory or {}),
        **flags,
    }


def load(
    path: Path,
    *,
    base: str = "fixed",
    fixed_joints: str = "merge",
    packages: Optional[Mapping[str, Path]] = None,
    folders: Sequence[Path] = (),
    skip_meshes: bool = False,
    require_meshes: bool = False,
    mend_inertia: bool = False,
) -> Model:
    """Reads a robot from a file (``.urdf``, ``.xml``, ``.usda``), or makes the shipped mechanism of that name.

    ``base`` says what carries the root link of a URDF file: ``"fixed"`` or ``"floating"``. With ``fixed_joints`` at
    ``"merge"`` links become part of the body that carries them, with ``"keep"`` they stay. ``packages`` tells where
    ``package://name`` is; files may be read from the model's own folder and from ``folders``. Missing meshes are listed
    as ignored unless ``require_meshes``; ``mend_inertia`` gives impossible masses the nearest that can move.

    Raises :class:`bellcrank.errors.LoadError` with every fault, its file, line, element and a hint.
    """
    flags = {"skip_meshes": skip_meshes, "require_meshes": require_meshes, "mend_inertia": mend_inertia}
    return _native.load(os.fspath(path), **_options(base, fixed_joints, packages, folders, None, flags))


def loads(
    text: str,
    format: str,
    *,
    base: str = "fixed",
    fixed_joints: str = "merge",
    memory: Optional[Mapping[str, bytes]] = None,
    skip_meshes: bool = False,
    require_meshes: bool = False,
    mend_inertia: bool = False,
) -> Model:
    """Reads a robot from text in ``"urdf"``, ``"mjcf"`` or ``"usda"``; files that it names come from ``memory``."""
    flags = {"skip_meshes": skip_meshes, "require_meshes": require_meshes, "mend_inertia": mend_inertia}
    return _native.loads(text, format, **_options(base, fixed_joints, None, (), memory, flags))


def load_builder(path: Path, **options: Any) -> ModelBuilder:
    """Like :func:`load`, but parts may be added before the model is built."""
    return _native.load_builder(os.fspath(path), **options)


def loads_builder(text: str, format: str, **options: Any) -> ModelBuilder:
    """Like :func:`loads`, but parts may be added before the model is built."""
    return _native.loads_builder(text, format, **options)


def library() -> dict[str, str]:
    """The shipped mechanisms: names for :func:`load`, and a line about each."""
    return dict(_native.library())
