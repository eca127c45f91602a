"""Environments as Stable-Baselines3 knows them.

>>> from stable_baselines3 import PPO
>>> from bellcrank.envs.stable_baselines3 import VecEnv
>>> PPO("MlpPolicy", VecEnv("biped_walk", 64)).learn(100_000)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np
from gymnasium.spaces import Box
from stable_baselines3.common.vec_env import VecEnv as Base

from bellcrank.envs._env import Env
from bellcrank.envs.task import BatchTask, make
from bellcrank.errors import WrongValue


class VecEnv(Base):
    """All worlds of a task in one call. ``task`` is a name, a :class:`bellcrank.envs.BatchTask`, or an environment.

    Of a world that ends, ``infos`` has ``terminal_observation``, ``TimeLimit.truncated`` and, as the library's own
    monitor tells it, ``episode`` with the return ``r`` and the length ``l``. ``env.reward_terms`` has the terms of the
    rewards.
    """

    render_mode: Optional[str] = None

    def __init__(
        self,
        task: Union[str, BatchTask, Env],
        num_envs: int = 1,
        *,
        threads: int = 0,
        settings: Optional[Mapping[str, float]] = None,
    ) -> None:
        self.env = task if isinstance(task, Env) else make(task, num_envs, threads=threads, settings=settings)
        if not self.env.autoreset:
            raise WrongValue("worlds that end must begin anew in the same step", hint="autoreset=True")
        seen = Box(-np.inf, np.inf, (self.env.observation_count,), np.float32)
        acted = Box(-1.0, 1.0, (self.env.action_count,), np.float32)
        self._given: Any = None
        self._returns = np.zeros(self.env.num_envs)
        self._lengths = np.zeros(self.env.num_envs, dtype=np.int64)
        super().__init__(self.env.num_envs, seen, acted)

    def reset(self) -> Any:
        """New episodes everywhere, with the seed that was given last, if one was."""
        seed = self._seeds[0]
        self._reset_seeds()
        self._reset_options()
        self._returns[...], self._lengths[...] = 0.0, 0
        self.reset_infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return self.env.reset(seed).copy()

    def step_async(self, actions: Any) -> None:
        """Keeps the actions for :meth:`step_wait`."""
        self._given = actions

    def step_wait(self) -> Any:
        """Acts in all worlds."""
        done = self.env.step(self._given)
        self._returns += done.rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = done.terminated | done.truncated
        for world in np.flatnonzero(ended):
            infos[world] = {
                "terminal_observation": done.final_observations[world].copy(),
                "TimeLimit.truncated": bool(done.truncated[world]),
                "episode": {"r": float(self._returns[world]), "l": int(self._lengths[world])},
            }
        self._returns[ended], self._lengths[ended] = 0.0, 0
        return done.observations.copy(), done.rewards.copy(), ended, infos

    def close(self) -> None:
        """Nothing to be done: worlds end with their environment."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the environment, once per world."""
        return [getattr(self.env if hasattr(self.env, attr_name) else self, attr_name)] * self._count(indices)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Sets an attribute of the environment, which all worlds share."""
        setattr(self.env, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Calls a method of the environment, once for all worlds."""
        return [getattr(self.env, method_name)(*method_args, **method_kwargs)] * self._count(indices)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Worlds are wrapped in nothing."""
        return [False] * self._count(indices)

    def _count(self, indices: Optional[Union[int, Sequence[int]]]) -> int:
        return len(list(self._get_indices(indices)))
