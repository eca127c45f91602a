"""Environments as skrl knows them.

>>> from skrl.trainers.torch import SequentialTrainer
>>> from bellcrank.envs.skrl import Wrapper
>>> SequentialTrainer(env=Wrapper("biped_walk", 1024), agents=agent, cfg={"timesteps": 10_000}).train()
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional, Union

import numpy as np
import torch
from gymnasium.spaces import Box
from skrl.envs.wrappers.torch.base import Wrapper as Base

from bellcrank.envs._env import Env
from bellcrank.envs.task import BatchTask, make
from bellcrank.errors import WrongValue


class Wrapper(Base):
    """All worlds of a task in one call. ``task`` is a name, a :class:`bellcrank.envs.BatchTask`, or an environment.

    ``info["final_observation"]`` has what each episode looked like at this step, before any reset, ``info["log"]`` the
    means of the reward's terms. Tensors are copies on skrl's device.
    """

    def __init__(
        self,
        task: Union[str, BatchTask, Env],
        num_envs: int = 1,
        *,
        threads: int = 0,
        settings: Optional[Mapping[str, float]] = None,
    ) -> None:
        env = task if isinstance(task, Env) else make(task, num_envs, threads=threads, settings=settings)
        if not env.autoreset:
            raise WrongValue("worlds that end must begin anew in the same step", hint="autoreset=True")
        super().__init__(env)
        self.env = env
        self._begun = False

    @property
    def num_envs(self) -> int:
        """Number of worlds."""
        return self.env.num_envs

    @property
    def num_agents(self) -> int:
        """One robot per world."""
        return 1

    @property
    def observation_space(self) -> Any:
        """Of one world."""
        return Box(-np.inf, np.inf, (self.env.observation_count,), np.float32)

    @property
    def state_space(self) -> Any:
        """Nothing beyond the observations."""
        return None

    @property
    def action_space(self) -> Any:
        """Of one world."""
        return Box(-1.0, 1.0, (self.env.action_count,), np.float32)

    def reset(self) -> tuple[torch.Tensor, dict[str, Any]]:
        """New episodes everywhere the first time; after that worlds begin anew by themselves, as skrl expects it."""
        if not self._begun:
            self.env.reset()
            self._begun = True
        return self._tensor(self.env.observations), {}

    def step(self, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, Any]:
        """Acts in all worlds."""
        done = self.env.step(actions.detach().cpu().numpy())
        columns = [self._tensor(x).view(self.num_envs, 1) for x in (done.rewards, done.terminated, done.truncated)]
        log = {name: torch.tensor(float(values.mean())) for name, values in self.env.reward_terms.items()}
        info = {"final_observation": self._tensor(done.final_observations), "log": log}
        return self._tensor(done.observations), columns[0], columns[1], columns[2], info

    def state(self) -> None:
        """Nothing beyond the observations."""
        return

    def render(self, *args: Any, **kwargs: Any) -> None:
        """Pictures without a browser are not made: ``wrapper.env.view()`` shows the worlds in one."""

    def close(self) -> None:
        """Nothing to be done: worlds end with their environment."""

    def _tensor(self, array: Any) -> torch.Tensor:
        """A copy, since the next step refills the array."""
        return torch.tensor(array, device=self.device)
