"""What all environments have in common: arrays that are refilled by every step, and the worlds behind them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from bellcrank._arrays import aligned_zeros, check_shape
from bellcrank._native import Model
from bellcrank.batch import Batch
from bellcrank.errors import WrongType, WrongValue
from bellcrank.recording import Recording, Viewer

Floats = NDArray[np.float32]


class BatchedStep(NamedTuple):
    """What a step of all worlds gives; every array belongs to the environment and is refilled by the next step."""

    observations: Floats
    """``(num_envs, observation_count)``; of the new episode where one has ended."""
    rewards: Floats
    """``(num_envs,)``"""
    terminated: NDArray[np.bool_]
    """``(num_envs,)``: the robot has failed."""
    truncated: NDArray[np.bool_]
    """``(num_envs,)``: the episode was cut off; bootstrap from ``final_observations``."""
    final_observations: Floats
    """``(num_envs, observation_count)``: what each episode looked like at this step, before any reset."""


class Env(ABC):
    """Worlds of a task. Actions are between −1 and 1; what is beyond is cut.

    Worlds that end begin anew in the same step (unless ``autoreset=False``). All chance follows from the seed.
    """

    task: str
    """Name of the task."""
    num_envs: int
    """Number of worlds."""
    autoreset: bool
    """Whether worlds that end begin anew in the same step."""

    def _make_room(self, counts: tuple[int, int], terms: Sequence[str]) -> None:
        """Arrays for so many numbers per observation and action, and for these terms of the reward."""
        self._observations = floats((self.num_envs, counts[0]))
        self._final = floats((self.num_envs, counts[0]))
        self._actions = floats((self.num_envs, counts[1]))
        self._rewards = floats((self.num_envs,))
        self._terms = floats((self.num_envs, len(terms)))
        self._term_names = tuple(terms)
        self._terminated = np.zeros(self.num_envs, dtype=np.bool_)
        self._truncated = np.zeros(self.num_envs, dtype=np.bool_)

    # -- what it is

    @property
    def observation_count(self) -> int:
        """Numbers per observation."""
        return int(self._observations.shape[1])

    @property
    def action_count(self) -> int:
        """Numbers per action."""
        return int(self._actions.shape[1])

    @property
    @abstractmethod
    def episode_steps(self) -> int:
        """Actions until an episode is cut off."""

    @property
    @abstractmethod
    def seconds_per_action(self) -> float:
        """Simulated time per action [s]."""

    @property
    @abstractmethod
    def model(self) -> Model:
        """The robot."""

    @property
    @abstractmethod
    def batch(self) -> Batch:
        """The worlds: read and write them, record them, look at them. The environment steps and resets them."""

    @property
    def observations(self) -> Floats:
        """``(num_envs, observation_count)`` after the last step or reset."""
        return self._observations

    @property
    def reward_terms(self) -> dict[str, Floats]:
        """What the rewards of the last step are the sums of: ``(num_envs,)`` by name."""
        return {name: self._terms[:, k] for k, name in enumerate(self._term_names)}

    # -- looking on

    def record(self, *, frames_per_second: float = 30.0, worlds: Any = None) -> Recording:
        """Records what the chosen worlds (the first sixteen unless told) do from now on, as :meth:`Batch.record`."""
        return self.batch.record(frames_per_second=frames_per_second, worlds=worlds)

    def view(self, *, worlds: Any = None, port: int = 0) -> Viewer:
        """Shows the chosen worlds (the first hundred unless told) in the browser, as :meth:`Batch.view`."""
        return self.batch.view(worlds=worlds, port=port)

    # -- acting

    def reset(self, seed: Optional[int] = None, worlds: Optional[Sequence[int]] = None) -> Floats:
        """Begins new episodes, in all worlds or in some; a seed (all worlds only) makes everything repeatable."""
        if seed is not None and not 0 <= seed < 2**64:
            raise WrongValue(f"the seed is {seed}, but must be zero or more and below 2**64")
        if seed is not None and worlds is not None:
            raise WrongValue("a seed belongs to all worlds", hint="leave worlds out")
        self._reset(seed, None if worlds is None else [int(world) for world in worlds])
        return self._observations

    def step(self, actions: Any) -> BatchedStep:
        """Acts in all worlds: ``(num_envs, action_count)``, anything that numpy can read without the GPU."""
        given = np.asarray(actions)
        if given.dtype.kind not in "fiu":
            raise WrongType(f"actions must be real numbers, not {given.dtype}")
        check_shape("actions", given, self._actions.shape)
        self._actions[...] = given
        self._step()
        return BatchedStep(self._observations, self._rewards, self._terminated, self._truncated, self._final)

    @abstractmethod
    def _stagger(self) -> None:
        """Makes worlds of different age, so that they are not all cut off at once."""

    @abstractmethod
    def _reset(self, seed: Optional[int], worlds: Optional[list[int]]) -> None:
        """Begins new episodes, all where no worlds are listed, and observes them."""

    @abstractmethod
    def _step(self) -> None:
        """Acts as ``_actions`` says and fills the other arrays."""


def floats(shape: tuple[int, ...]) -> Floats:
    """Zeros that torch and JAX take without copying."""
    array: Floats = aligned_zeros(shape, np.float32).view(np.float32)
    return array
