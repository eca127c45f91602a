"""How long feet have been off the ground, for rewards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bellcrank.batch import Batch
from bellcrank.errors import WrongValue


class AirTime:
    """Times of flight of some bodies in all worlds, from the contact forces on them.

    Call :meth:`update` after every action and :meth:`reset` where episodes begin. A body touches while the force of all
    its contacts is larger than ``threshold`` [N].
    """

    def __init__(self, batch: Batch, feet: Sequence[str], threshold: float = 1.0) -> None:
        if not threshold >= 0:
            raise WrongValue(f"threshold is {threshold}, but must be zero or more")
        self._feet = [batch.model.body_id(foot) for foot in feet]
        self._threshold = threshold
        shape = batch.worlds, len(feet)
        self.air: NDArray[np.float64] = np.zeros(shape)
        """``(worlds, feet)``: since when each foot is in the air [s]; zero while it touches."""
        self.landed: NDArray[np.float64] = np.zeros(shape)
        """``(worlds, feet)``: how long the flight was that has just ended [s]; zero for all others."""
        self.touching: NDArray[np.bool_] = np.ones(shape, dtype=np.bool_)
        """``(worlds, feet)``: whether each foot touched in the last step."""

    def update(self, batch: Batch, seconds: float) -> None:
        """Looks at the contacts of the last step, ``seconds`` after the last look."""
        force = np.linalg.norm(batch.contact_force[:, self._feet], axis=-1)
        self.touching = force > self._threshold
        flight = self.air + seconds
        self.landed = np.where(self.touching & (self.air > 0), self.air, 0.0)
        self.air = np.where(self.touching, 0.0, flight)

    def reset(self, worlds: Any) -> None:
        """Forgets flights in worlds where an episode begins."""
        self.air[worlds], self.landed[worlds], self.touching[worlds] = 0.0, 0.0, True
