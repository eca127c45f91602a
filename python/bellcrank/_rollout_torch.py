"""Rollouts as a ``torch.autograd.Function``."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import torch

from bellcrank.batch import Batch
from bellcrank.rollout import Motion, Rollout


class _Steps(torch.autograd.Function):
    """Leaves one after the other: controls, then the start where it is given, then parameters."""

    @staticmethod
    def forward(ctx: Any, batch: Batch, names: tuple[Any, ...], options: dict[str, Any], *leaves: Any) -> Any:
        arrays = [_numpy(leaf) for leaf in leaves]
        controls, start, parameters = _unpack(names, arrays)
        run = Rollout(batch, controls, start=start, parameters=parameters, **options)
        ctx.run, ctx.names, ctx.leaves = run, names, [_like(leaf) for leaf in leaves]
        dtype, device, _ = next(like for like in ctx.leaves if like is not None)
        return tuple(torch.as_tensor(part).to(dtype=dtype, device=device) for part in run.trajectory)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        given = zip(cotangents, ctx.run.trajectory)
        full = (np.zeros(own.shape) if c is None else _numpy(c) for c, own in given)
        found = ctx.run.gradients(Motion(*full))
        controls, has_start, parameters = ctx.names
        arrays = [found.controls[name] for name in controls]
        arrays += list(found.start) if has_start else []
        arrays += [found.parameters[name] for name in parameters]
        return (None, None, None, *(_back(array, like) for array, like in zip(arrays, ctx.leaves)))


def torch_rollout(
    batch: Batch, controls: dict[str, Any], start: Optional[Motion], parameters: dict[str, Any], options: dict[str, Any]
) -> Motion:
    """The trajectory as tensors of the first tensor's type and device."""
    names = (tuple(controls), start is not None, tuple(parameters))
    leaves = [*controls.values(), *(start or ()), *parameters.values()]
    return Motion(*_Steps.apply(batch, names, options, *leaves))


def _unpack(names: tuple[Any, ...], arrays: list[Any]) -> tuple[dict[str, Any], Optional[Motion], dict[str, Any]]:
    controls, has_start, parameters = names
    n, m = len(controls), 3 if has_start else 0
    start = Motion(*arrays[n : n + m]) if has_start else None
    return dict(zip(controls, arrays[:n])), start, dict(zip(parameters, arrays[n + m :]))


def _numpy(value: Any) -> Any:
    return value.detach().cpu().numpy() if isinstance(value, torch.Tensor) else np.asarray(value)


def _like(leaf: Any) -> Any:
    """Type, device and shape of a tensor; nothing for other arrays."""
    return (leaf.dtype, leaf.device, leaf.shape) if isinstance(leaf, torch.Tensor) else None


def _back(array: Any, like: Any) -> Any:
    if like is None:
        return None
    dtype, device, shape = like
    return torch.as_tensor(array).to(dtype=dtype, device=device).reshape(shape)
