"""Bellcrank: the physics engine for mechanisms that close on themselves.

>>> import bellcrank as bc
>>> model = bc.load("four_bar")
>>> batch = bc.Batch(model, worlds=64)
>>> report = batch.step(250)
>>> bool((report.loop_gap < 1e-6).all())
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bellcrank import control, errors, kinematics, tree
from bellcrank._native import Model, ModelBuilder, StepReport, __version__
from bellcrank.batch import Batch
from bellcrank.derivatives import StepJacobian
from bellcrank.errors import BellcrankError
from bellcrank.models import Exported, Note, convert, library, load, load_builder, loads, loads_builder
from bellcrank.pictures import Camera
from bellcrank.randomize import randomize
from bellcrank.recording import Recording, Viewer
from bellcrank.results import Contact, RayHits, WorldStatus
from bellcrank.rollout import Gradients, Motion, Rollout, rollout
from bellcrank.solvers import ComFree, Exact, InteriorPoint, Padmm

if TYPE_CHECKING:
    from bellcrank import distributed, envs, learn

WORLD = None
"""The ground, where a joint, a shape or a site asks for a body."""

__all__ = [
    "WORLD",
    "Batch",
    "BellcrankError",
    "Camera",
    "ComFree",
    "Contact",
    "Exact",
    "Exported",
    "Gradients",
    "InteriorPoint",
    "Model",
    "ModelBuilder",
    "Motion",
    "Note",
    "Padmm",
    "RayHits",
    "Recording",
    "Rollout",
    "StepJacobian",
    "StepReport",
    "Viewer",
    "WorldStatus",
    "__version__",
    "control",
    "convert",
    "distributed",
    "envs",
    "errors",
    "kinematics",
    "learn",
    "library",
    "load",
    "load_builder",
    "loads",
    "loads_builder",
    "randomize",
    "rollout",
    "tree",
]


def __getattr__(name: str) -> Any:
    """``bellcrank.envs``, ``.learn`` and ``.distributed`` are imported when they are first used: Gymnasium takes its
    time.
    """
    if name in ("distributed", "envs", "learn"):
        return import_module(f"bellcrank.{name}")
    raise AttributeError(f"module 'bellcrank' has no attribute {name!r}")
