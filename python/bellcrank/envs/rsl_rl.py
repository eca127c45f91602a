"""Environments as rsl_rl knows them.

>>> from rsl_rl.runners import OnPolicyRunner
>>> from bellcrank.envs.rsl_rl import VecEnv
>>> OnPolicyRunner(VecEnv("biped_walk", 1024), config, device="cpu").learn(100)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional, Union

import torch
from rsl_rl.env import VecEnv as Base
from tensordict import TensorDict

from bellcrank.envs._env import Env
from bellcrank.envs.task import BatchTask, make
from bellcrank.errors import WrongValue


class VecEnv(Base):
    """All worlds of a task in one call. ``task`` is a name, a :class:`bellcrank.envs.BatchTask`, or an environment.

    Observations are one group, ``"policy"``, which actor and critic share. ``extras["time_outs"]`` tells which episodes
    were only cut off, ``extras["log"]`` the means of the reward's terms. Tensors are copies on ``device``.
    """

    def __init__(
        self,
        task: Union[str, BatchTask, Env],
        num_envs: int = 1,
        *,
        threads: int = 0,
        settings: Optional[Mapping[str, float]] = None,
        device: str = "cpu",
    ) -> None:
        self.env = task if isinstance(task, Env) else make(task, num_envs, threads=threads, settings=settings)
        if not self.env.autoreset:
            raise WrongValue("worlds that end must begin anew in the same step", hint="autoreset=True")
        self.num_envs = self.env.num_envs
        self.num_actions = self.env.action_count
        self.max_episode_length = self.env.episode_steps
        self.device = device
        self.cfg = {"task": self.env.task, "num_envs": self.num_envs}
        self._lengths = torch.zeros(self.num_envs, dtype=torch.long, device=device)

    @property
    def episode_length_buf(self) -> torch.Tensor:
        """Actions of each episode so far."""
        return self._lengths

    @episode_length_buf.setter
    def episode_length_buf(self, lengths: torch.Tensor) -> None:
        """rsl_rl's runner writes random numbers, so that first episodes are not all cut off at once.

        Worlds get ages of their own seed instead, and training stays repeatable.
        """
        self.env._stagger()
        self._lengths = lengths

    def get_observations(self) -> TensorDict:
        """What the worlds look like now."""
        seen = self._tensor(self.env.observations)
        return TensorDict({"policy": seen}, batch_size=[self.num_envs], device=self.device)

    def reset(self) -> tuple[TensorDict, dict[str, Any]]:
        """New episodes everywhere."""
        self.env.reset()
        self._lengths = torch.zeros_like(self._lengths)
        return self.get_observations(), {}

    def step(self, actions: torch.Tensor) -> tuple[TensorDict, torch.Tensor, torch.Tensor, dict[str, Any]]:
        """Acts in all worlds."""
        done = self.env.step(actions.detach().cpu().numpy())
        ended = self._tensor(done.terminated | done.truncated)
        self._lengths = torch.where(ended, 0, self._lengths + 1)
        log = {f"/reward/{name}": float(values.mean()) for name, values in self.env.reward_terms.items()}
        extras = {"time_outs": self._tensor(done.truncated), "log": log}
        return self.get_observations(), self._tensor(done.rewards), ended.long(), extras

    def _tensor(self, array: Any) -> torch.Tensor:
        """A copy, since the next step refills the array."""
        return torch.tensor(array, device=self.device)
