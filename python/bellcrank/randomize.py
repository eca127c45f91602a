"""Domain randomisation: every physical parameter of every world, from one seed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bellcrank._arguments import Worlds
from bellcrank.batch import Batch
from bellcrank.errors import WrongValue


def randomize(batch: Batch, seed: int, ranges: Mapping[str, tuple[float, float]], worlds: Worlds = None) -> None:
    """Draws parameters anew, around the models' own values, for all worlds or some.

    ``ranges`` gives for each parameter the bounds of a factor, uniform and independent for every part and world:
    ``{"body_mass": (0.8, 1.2), "friction": (0.5, 1.1)}``. Centres of mass [m], gravity [m/s²] and limits [rad or m] are
    shifted by such a number instead. With a body's mass its inertia changes alike. A world's draw depends on the
    seed, its number and the parameter's name only, so that some worlds can be drawn again without the others.
    """
    for name, (low, high) in ranges.items():
        if not (np.isfinite([low, high]).all() and low <= high):
            raise WrongValue(f"randomize: the range of {name} is ({low}, {high})", hint="lower bound, upper bound")
    batch._randomize(seed, ranges, batch._chosen(worlds))
