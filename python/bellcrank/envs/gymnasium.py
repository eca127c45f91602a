"""The tasks as Gymnasium environments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from bellcrank.envs.batched import BatchedEnv, BatchedStep

Array = NDArray[np.float32]
_Step = tuple[Array, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


def _spaces(env: BatchedEnv) -> tuple[Any, Any]:
    """Spaces of one world's observations and actions."""
    observation = Box(-np.inf, np.inf, (env.observation_count,), np.float32)
    return observation, Box(-1.0, 1.0, (env.action_count,), np.float32)


class VectorEnv(gymnasium.vector.VectorEnv[Array, Array, NDArray[Any]]):
    """All worlds of a task in one call. Worlds that end are reset in the same step, as Gymnasium's ``SAME_STEP`` says:
    ``info["final_obs"]`` has the observation that ended the episode for each such world and ``None`` for the
    others, ``info["final_info"]`` what was told with it (nothing), and ``info["_final_obs"]`` and
    ``info["_final_info"]`` tell where."""

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}

    def __init__(
        self,
        task: str,
        num_envs: int = 1,
        *,
        threads: int = 0,
        precision: str = "f32",
        render_mode: Optional[str] = None,
    ) -> None:
        self.env = BatchedEnv(task, num_envs, threads=threads, precision=precision)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.single_observation_space, self.single_action_space = _spaces(self.env)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: Optional[Any] = None, options: Optional[dict[str, Any]] = None
    ) -> tuple[Array, dict[str, Any]]:
        """New episodes everywhere, or where ``options["reset_mask"]`` says; ``seed`` is one number for all worlds. A
        list of numbers is made into one that depends on all of them."""
        if isinstance(seed, (list, tuple)):
            seed = _one_seed(seed)
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return self.env.reset(seed).copy(), {}
        return self.env.reset(worlds=np.flatnonzero(mask).tolist()).copy(), {}

    def step(self, actions: Array) -> _Step:
        """Acts in all worlds."""
        done = self.env.step(actions)
        observations, rewards = done.observations.copy(), done.rewards.copy()
        return observations, rewards, done.terminated.copy(), done.truncated.copy(), _final(done)


class SingleEnv(gymnasium.Env[Array, Array]):
    """One world of a task, for tools that know only those."""

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, task: str, *, precision: str = "f32", render_mode: Optional[str] = None) -> None:
        self.env = BatchedEnv(task, 1, threads=1, precision=precision, autoreset=False)
        self.render_mode = render_mode
        self.observation_space, self.action_space = _spaces(self.env)

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None
    ) -> tuple[Array, dict[str, Any]]:
        """A new episode."""
        super().reset(seed=seed)
        return self.env.reset(seed)[0].copy(), {}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Acts."""
        done = self.env.step(np.asarray(action)[None])
        ended = bool(done.terminated[0]), bool(done.truncated[0])
        return done.observations[0].copy(), float(done.rewards[0]), *ended, {}


def _final(done: BatchedStep) -> dict[str, Any]:
    """How episodes ended, for those worlds in which one did."""
    ended = done.terminated | done.truncated
    if not ended.any():
        return {}
    last = np.full(len(ended), None, dtype=object)
    for world in np.flatnonzero(ended):
        last[world] = done.final_observations[world].copy()
    return {"final_obs": last, "_final_obs": ended, "final_info": {}, "_final_info": ended.copy()}


def _one_seed(seeds: Sequence[Optional[int]]) -> Optional[int]:
    """One number below 2**64 that every entry has a part in (a linear congruential step per entry)."""
    if all(seed is None for seed in seeds):
        return None
    mixed = 0
    for seed in seeds:
        mixed = (mixed * 6364136223846793005 + (0 if seed is None else seed + 1)) % 2**64
    return mixed
