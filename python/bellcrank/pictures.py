"""From where pictures are taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Camera:
    """Looks from ``eye`` at ``target``, with ``up`` upwards: in the axes of the body that carries it, or of the world.

    >>> ahead = Camera(eye=(0.1, 0, 0), target=(1, 0, -0.2), field_of_view=1.2, body="pelvis")
    """

    eye: Sequence[float]
    """Where it is [m]."""
    target: Sequence[float]
    """What it looks at [m]."""
    up: Sequence[float] = (0.0, 0.0, 1.0)
    """Up in the picture, roughly."""
    field_of_view: float = 0.5
    """Angle between the lower and the upper edge of the picture [rad]."""
    body: Optional[str] = None
    """The body that carries it: all points are in its link frame."""

    def _looks(self) -> tuple[list[float], list[float], list[float], float]:
        eye, target, up = ([float(x) for x in v] for v in (self.eye, self.target, self.up))
        return eye, target, up, float(self.field_of_view)
