"""Random poses that are safe to start from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray

from bellcrank._native import Model
from bellcrank.kinematics._mechanism import Floats, mechanism_of


class Samples(NamedTuple):
    """Random poses."""

    q: Floats
    """``(n, coordinates)`` configurations of the spanning tree; the reference pose where none was found."""
    found: NDArray[np.bool_]
    """``(n,)`` whether one was found."""


def sample(
    model: Model,
    count: Union[int, Sequence[int]],
    *,
    joints: Optional[Sequence[str]] = None,
    limits_margin: float = 0.02,
    clearance: float = 0.0,
    singular_margin: float = 0.0,
    loop_floor: float = 0.0,
    feet: Sequence[str] = (),
    attempts: int = 200,
    seed: int = 0,
    threads: int = 1,
) -> Samples:
    """Random poses that are safe to start from.

    Loops are closed, joints keep away from their limits by ``limits_margin`` of their range, parts of the robot are at
    least ``clearance`` [m] apart, the smallest singular value is at least ``singular_margin`` (see :func:`holds`),
    and limbs are assembled as in the reference pose. Values are drawn for ``joints``, by default those that motors
    drive. ``feet`` are frames that stand on the ground as they do in the reference pose. ``loop_floor`` is how far
    loops may be open that no motion closes further, as in :func:`solve` [m and rad]. ``count`` is how many, or a list
    of the numbers of the poses wanted: the i-th pose is the same in every call with the same seed.
    """
    margins = [float(limits_margin), float(clearance), float(singular_margin), float(loop_floor)]
    draw = (list(joints or ()), margins, list(feet), attempts, seed, threads)
    numbers = list(range(count)) if isinstance(count, int) else [int(number) for number in count]
    q, found = mechanism_of(model).sample(numbers, draw)
    return Samples(np.array(q).reshape(len(numbers), -1), np.array(found, dtype=np.bool_))
