"""The plain batched interface, for training libraries that bring their own loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from bellcrank import _native
from bellcrank._arrays import aligned_zeros, check_shape
from bellcrank.errors import WrongType, WrongValue


def tasks() -> dict[str, str]:
    """The tasks by name, and a line about each."""
    return dict(_native.tasks_known())


class BatchedStep(NamedTuple):
    """What a step of all worlds gives; every array belongs to the environment and is refilled by the next step."""

    observations: NDArray[np.float32]
    """``(num_envs, observation_count)``; of the new episode where one has ended."""
    rewards: NDArray[np.float32]
    """``(num_envs,)``"""
    terminated: NDArray[np.bool_]
    """``(num_envs,)``: the robot has failed."""
    truncated: NDArray[np.bool_]
    """``(num_envs,)``: the episode was cut off; bootstrap from ``final_observations``."""
    final_observations: NDArray[np.float32]
    """``(num_envs, observation_count)``: what each episode looked like at this step, before any reset."""


class BatchedEnv:
    """Worlds of a task. Actions are between −1 and 1; what is beyond is cut.

    Worlds that end begin anew in the same step (unless ``autoreset=False``). All chance follows from the seed, a
    world's number and its episode's: a rollout is the same, bit for bit, for every number of ``threads`` (0: all).
    """

    def __init__(
        self,
        task: str,
        num_envs: int = 1,
        *,
        threads: int = 0,
        precision: str = "f32",
        seed: int = 0,
        autoreset: bool = True,
    ) -> None:
        self._native = _native.Env(task, num_envs, threads, precision, autoreset)
        self.task = task
        self.num_envs = num_envs
        n = self._native.observation_count
        self._observations = self._floats((num_envs, n))
        self._final = self._floats((num_envs, n))
        self._rewards = self._floats((num_envs,))
        self._terminated = np.zeros(num_envs, dtype=np.bool_)
        self._truncated = np.zeros(num_envs, dtype=np.bool_)
        self._actions = self._floats((num_envs, self.action_count))
        self.reset(seed=seed)

    @staticmethod
    def _floats(shape: tuple[int, ...]) -> NDArray[np.float32]:
        array: NDArray[np.float32] = aligned_zeros(shape, np.float32).view(np.float32)
        return array

    @property
    def observation_count(self) -> int:
        """Numbers per observation."""
        return self._native.observation_count

    @property
    def action_count(self) -> int:
        """Numbers per action."""
        return self._native.action_count

    @property
    def episode_steps(self) -> int:
        """Actions until an episode is cut off."""
        return self._native.episode_steps

    @property
    def seconds_per_action(self) -> float:
        """Simulated time per action [s]."""
        return self._native.seconds_per_action

    def reset(self, seed: Optional[int] = None, worlds: Optional[Sequence[int]] = None) -> NDArray[np.float32]:
        """Begins new episodes, in all worlds or in some; a seed (all worlds only) makes everything repeatable."""
        if seed is not None and not 0 <= seed < 2**64:
            raise WrongValue(f"the seed is {seed}, but must be zero or more and below 2**64")
        if worlds is None:
            self._native.reset(seed, self._observations)
        elif seed is not None:
            raise WrongValue("a seed belongs to all worlds", hint="leave worlds out")
        else:
            self._native.reset_worlds([int(world) for world in worlds], self._observations)
        return self._observations

    def step(self, actions: Any) -> BatchedStep:
        """Acts in all worlds: ``(num_envs, action_count)``, anything that numpy can read without the GPU."""
        given = np.asarray(actions)
        if given.dtype.kind not in "fiu":
            raise WrongType(f"actions must be real numbers, not {given.dtype}")
        check_shape("actions", given, self._actions.shape)
        self._actions[...] = given
        tables, ended = [self._observations, self._final], [self._terminated, self._truncated]
        self._native.step(self._actions, tables, self._rewards, ended)
        return BatchedStep(self._observations, self._rewards, self._terminated, self._truncated, self._final)
