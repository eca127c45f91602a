"""Rollouts as a JAX function with a gradient of its own."""

from __future__ import annotations

from typing import Any, Optional

import jax
import jax.numpy as jnp
import numpy as np

from bellcrank.batch import Batch
from bellcrank.rollout import Motion, Rollout

_Leaves = tuple[dict[str, Any], Optional[Motion], dict[str, Any]]


def jax_rollout(
    batch: Batch, controls: dict[str, Any], start: Optional[Motion], parameters: dict[str, Any], options: dict[str, Any]
) -> Motion:
    """The trajectory as JAX arrays. JAX may call back in any order and more than once, so each call begins where the
    batch is now; the way back steps forward once more."""
    origin = batch.snapshot()
    before = {name: batch.read(name) for name in parameters}
    leaves: _Leaves = (controls, Motion(*start) if start is not None else None, parameters)
    steps = next(iter(controls.values())).shape[0]
    nodes, bodies = steps // options["every"], batch.model.body_count
    dtype = jnp.result_type(float)
    shapes = Motion(*(jax.ShapeDtypeStruct((nodes, batch.worlds, bodies, n), dtype) for n in (3, 4, 6)))

    def run(leaves: Any) -> Rollout:
        for name, values in before.items():
            batch.write(name, values)
        batch.restore(origin)
        controls, start, parameters = jax.tree_util.tree_map(np.asarray, leaves)
        return Rollout(batch, controls, start=start, parameters=parameters, **options)

    def forward(leaves: Any) -> Motion:
        return Motion(*(part.astype(dtype) for part in run(leaves).trajectory))

    def backward(leaves: Any, cotangents: Any) -> Any:
        rolled = run(leaves)
        found = rolled.gradients(jax.tree_util.tree_map(np.asarray, cotangents))
        back = (found.controls, found.start if leaves[1] is not None else None, found.parameters)
        return jax.tree_util.tree_map(lambda g, x: np.asarray(g, x.dtype).reshape(x.shape), back, leaves)

    @jax.custom_vjp
    def roll(leaves: Any) -> Any:
        return jax.pure_callback(forward, shapes, leaves)

    def roll_forward(leaves: Any) -> Any:
        return roll(leaves), leaves

    def roll_back(leaves: Any, cotangents: Any) -> Any:
        like = jax.tree_util.tree_map(lambda x: jax.ShapeDtypeStruct(jnp.shape(x), jnp.result_type(x)), leaves)
        return (jax.pure_callback(backward, like, leaves, cotangents),)

    roll.defvjp(roll_forward, roll_back)
    result: Motion = roll(jax.tree_util.tree_map(jnp.asarray, leaves))
    return result
