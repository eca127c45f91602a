"""What worlds answer."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


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


class RayHits(NamedTuple):
    """What rays met first, each array ``(worlds, rays, …)`` without the axes that were not given."""

    distance: NDArray[np.float64]
    """From the start [m]; infinite where nothing was hit."""
    shape: NDArray[np.int64]
    """Number of the shape, -1 where nothing was hit; ``model.shape_names`` has the names."""
    point: NDArray[np.float64]
    """In the world [m]; not a number where nothing was hit."""
    normal: NDArray[np.float64]
    """Unit vector out of the shape; not a number where nothing was hit."""
