"""Robots from files and text, and what a model has to say about itself."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

from bellcrank import _native
from bellcrank._native import Model, ModelBuilder
from bellcrank.errors import NoSuchFile

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
    flags: dict[str, Any],
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
    hold: bool = False,
    compliance: str = "hard",
    srdf: Optional[Path] = None,
) -> Model:
    """Reads a robot from a file, or makes the shipped mechanism of that name.

    Files are ``.urdf``, ``.xml`` (MJCF), ``.usda``, ``.usdc`` and ``.usdz``. A ``.xacro`` file is expanded first, where
    the package ``xacrodoc`` or ``xacro`` is installed.

    ``base`` says what carries the root link of a URDF file: ``"fixed"`` or ``"floating"``. With ``fixed_joints`` at
    ``"merge"`` links become part of the body that carries them, with ``"keep"`` they stay. ``packages`` tells where
    ``package://name`` is; files may be read from the model's own folder and from ``folders``. Missing meshes are listed
    as ignored unless ``require_meshes``; ``mend_inertia`` gives impossible masses the nearest that can move; with
    ``hold`` motors that only give effort hold their joints, with gains from the inertia that they move. With
    ``compliance`` at ``"mujoco"`` contacts, limits, dry friction and loops give way as an MJCF file says, with
    ``"hard"`` they are exact. ``srdf`` is a planner's file beside a URDF: links that it says never touch do not, and
    its named states are keyframes.

    Raises :class:`bellcrank.errors.LoadError` with every fault, its file, line, element and a hint.
    """
    flags: dict[str, Any] = {
        "skip_meshes": skip_meshes,
        "require_meshes": require_meshes,
        "mend_inertia": mend_inertia,
        "hold": hold,
        "compliance": compliance,
    }
    chosen = _options(base, fixed_joints, packages, folders, None, flags)
    if srdf is not None:
        chosen["srdf"] = os.fspath(srdf)
    if os.fspath(path).endswith(".xacro"):
        return _load_xacro(os.fspath(path), chosen)
    _check_there(path)
    return _native.load(os.fspath(path), **chosen)


def _check_there(path: Path) -> None:
    """Raises :class:`bellcrank.errors.NoSuchFile` for what is neither a file nor a shipped mechanism."""
    name = os.fspath(path)
    if os.path.lexists(name) or name in library():
        return
    if set(name) & set("./\\"):
        error = NoSuchFile(f"there is no file {name!r}")
        error.hint = f"looked for it from {os.getcwd()}"
    else:
        error = NoSuchFile(f"there is no file and no shipped mechanism {name!r}")
        near = difflib.get_close_matches(name, list(library()), 1)
        error.hint = f"did you mean {near[0]!r}?" if near else "the shipped ones are listed by bellcrank.library()"
    error.file = error.filename = name
    raise error


def _load_xacro(path: str, options: dict[str, Any]) -> Model:
    """Expands the file and reads the result from the same folder, so that names in it mean the same."""
    text = _expanded(path)
    folder = os.path.dirname(os.path.abspath(path))
    writable = folder if os.access(folder, os.W_OK) else None
    handle, name = tempfile.mkstemp(suffix=".urdf", dir=writable)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        return _native.load(name, **{**options, "folders": [*options["folders"], folder]})
    finally:
        os.remove(name)


def _expanded(path: str) -> str:
    for package in ("xacrodoc", "xacro"):
        if importlib.util.find_spec(package) is None:
            continue
        module = importlib.import_module(package)
        if package == "xacrodoc":
            return str(module.XacroDoc.from_file(path).to_urdf_string())
        return str(module.process_file(path).toxml())
    raise ModuleNotFoundError(
        f"{path} is a xacro program, and neither xacrodoc nor xacro is installed\n"
        "  hint: pip install xacrodoc, or expand it yourself: xacro robot.urdf.xacro > robot.urdf"
    )


def convert(source: Path, target: Path, **options: Any) -> list[str]:
    """Reads a robot as :func:`load` does and writes it in the format of the target's ending: ``.urdf``, ``.xml`` (MJCF)
    or ``.usda``. Meshes are written beside it. Gives what the format cannot say.
    """
    ending = os.path.splitext(os.fspath(target))[1].lower()
    writers = {".urdf": Model.to_urdf, ".xml": Model.to_mjcf, ".mjcf": Model.to_mjcf, ".usda": Model.to_usd}
    if ending not in writers:
        raise ValueError(f"{os.fspath(target)!r} has no ending of a format: .urdf, .xml (MJCF) or .usda")
    exported = writers[ending](load(source, **options))
    with open(target, "w", encoding="utf-8") as file:
        file.write(exported.text)
    for name, content in exported.files.items():
        with open(os.path.join(os.path.dirname(os.fspath(target)), name), "wb") as file:
            file.write(content)
    return exported.left_out


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
    hold: bool = False,
    compliance: str = "hard",
) -> Model:
    """Reads a robot from text in ``"urdf"``, ``"mjcf"`` or ``"usda"``; files that it names come from ``memory``."""
    flags: dict[str, Any] = {
        "skip_meshes": skip_meshes,
        "require_meshes": require_meshes,
        "mend_inertia": mend_inertia,
        "hold": hold,
        "compliance": compliance,
    }
    return _native.loads(text, format, **_options(base, fixed_joints, None, (), memory, flags))


def load_builder(path: Path, **options: Any) -> ModelBuilder:
    """Like :func:`load`, but parts may be added before the model is built."""
    _check_there(path)
    return _native.load_builder(os.fspath(path), **options)


def loads_builder(text: str, format: str, **options: Any) -> ModelBuilder:
    """Like :func:`loads`, but parts may be added before the model is built."""
    return _native.loads_builder(text, format, **options)


def library() -> dict[str, str]:
    """The shipped mechanisms: names for :func:`load`, and a line about each."""
    return dict(_native.library())
