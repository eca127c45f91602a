"""Domain randomisation: every physical parameter of every world, from one seed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bellcrank._arguments import Worlds
from bellcrank._arrays import FloatArray
from bellcrank.batch import Batch
from bellcrank.errors import WrongValue

_AS_OFFSET = ("body_com", "gravity", "limits")
"""Parameters that may be zero, where a factor would do nothing: these are shifted instead."""


def randomize(batch: Batch, seed: int, ranges: Mapping[str, tuple[float, float]], worlds: Worlds = None) -> None:
    """Draws parameters anew, around the models' own values, for all worlds or some.

    ``ranges`` gives for each parameter the bounds of a factor, uniform and independent for every part and world:
    ``{"body_mass": (0.8, 1.2), "friction": (0.5, 1.1)}``. Centres of mass [m], gravity [m/s²] and limits [rad or m] are
    shifted by such a number instead. With a body's mass its inertia changes alike. A world's draw depends on the
    seed, its number and the parameter's name only, so that some worlds can be drawn again without the others.
    """
    chosen = batch._chosen(worlds)
    for name, (low, high) in ranges.items():
        if not (np.isfinite([low, high]).all() and low <= high):
            raise WrongValue(f"randomize: the range of {name} is ({low}, {high})", hint="lower bound, upper bound")
        values = batch.spread(name)
        own = _own_values(batch, name, values.shape)
        inertia = batch.spread("body_inertia") if name == "body_mass" else None
        own_inertia = _own_values(batch, "body_inertia", inertia.shape) if inertia is not None else own
        for world in chosen:
            key = [int(seed), world, *name.encode()]
            drawn = np.random.default_rng(key).uniform(low, high, _parts(name, own[world].shape))
            values[world] = own[world] + drawn if name in _AS_OFFSET else own[world] * drawn
            if inertia is not None:
                inertia[world] = own_inertia[world] * drawn[:, None, None]
        batch._push()


def _parts(name: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    """One draw per part: a whole inertia or a pair of limits moves together."""
    if name == "body_inertia":
        return (shape[0], 1, 1)
    return (shape[0], 1) if name == "limits" else shape


def _own_values(batch: Batch, name: str, shape: tuple[int, ...]) -> FloatArray:
    """All worlds' values as their models have them, padded with zeros."""
    own = np.zeros(shape)
    known: dict[int, FloatArray] = {}
    for world, model in enumerate(batch.models):
        if id(model) not in known:
            with Batch(model, threads=1) as alone:
                known[id(model)] = alone.read(name)[0]
        values = known[id(model)]
        own[world, : values.shape[0]] = values
    return own
